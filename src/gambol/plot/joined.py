"""Pieces of one run as one trajectory."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import GambolError

if TYPE_CHECKING:
    from gambol.world.trajectory import Trajectory


def joined(pieces: Sequence[Trajectory]) -> Trajectory:
    """Trajectories that follow one another, of the same simulation, as one."""
    if not pieces:
        raise GambolError("there are no pieces to join")
    whole = copy.copy(pieces[0])
    for name in ("time", "q", "v", "work", "clock", "record"):
        setattr(whole, name, np.concatenate([getattr(piece, name) for piece in pieces]))
    whole.events = [event for piece in pieces for event in piece.events]
    return whole
