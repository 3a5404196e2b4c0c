"""A roach that has come to rest on its feet and walks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.control.legs.gait import PacemakerGait
from gambol.control.legs.leg import Leg
from gambol.control.legs.walker import Walker
from gambol.models.roach.figure import standing_positions
from gambol.models.roach.leg_programs import STEP_TIME, legs
from gambol.models.roach.world import roach_world, stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World


def walking_roach(
    world: World | None = None,
    *,
    cycle: float = 2 * STEP_TIME,
    limbs: Sequence[Leg] | None = None,
    eps: float = 1e-2,
    method: str = "implicit-pair",
    worlds: int = 1,
    settle: float = 0.3,
    steer: float = 0.0,
    height: float | Sequence[float] = 0.0175,
    dtype: Any = np.float64,
) -> Walker:
    """A roach (or many of them), dropped from a height [m], that has come to rest on its feet and is about to walk.

    walker = walking_roach(cycle=0.15, limbs=adjusted_legs(*TUNED))
    times, q = walker.run(2.0, every=1 / 100)
    """
    how = stepping(eps, method)
    sim = Simulation(world or roach_world(), stepping=how, worlds=worlds, ledger=False, dtype=dtype)
    heights = np.broadcast_to(height, worlds)
    sim.reset(standing_positions(heights[0]) if worlds == 1 else np.array([standing_positions(h) for h in heights]))
    sim.run(settle)
    gait = PacemakerGait(limbs or legs(), step_time=STEP_TIME, cycle=cycle, worlds=worlds)
    gait.reset(cycle, time=settle)
    return Walker(sim, gait, steer=steer)
