"""Where the bodies are at given joint positions: the plain reference, for edits and checks rather than speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.placement import Placement

if TYPE_CHECKING:
    from gambol.figure.figure import Figure

Positions = Sequence[float] | np.ndarray


def checked(figure: Figure, positions: Positions | None) -> np.ndarray:
    """`positions` as an array of the right length; the zero configuration for None."""
    q = np.asarray(figure.zero if positions is None else positions, dtype=float)
    if q.shape != (figure.positions,):
        message = f"{figure.positions} position coordinates are needed, not an array of shape {q.shape}"
        raise FigureError([Fault(message, figure.name)])
    return q


def poses(figure: Figure, positions: Positions | None = None) -> dict[str, Placement]:
    """The pose of every body's frame in the world."""
    q = checked(figure, positions)
    found: dict[str, Placement] = {}
    for body in figure.order:
        here = body.placement.compose(body.joint.pose(q[figure.position_slices[body.name]]))
        found[body.name] = here if body.parent is None else found[body.parent].compose(here)
    return found
