"""A roach that has come to rest on its feet, and one that walks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.control.legs.gait import PacemakerGait
from gambol.control.legs.gait_controller import GaitController
from gambol.control.legs.leg import Leg
from gambol.errors import Fault, WorldError, nearest
from gambol.models.roach.figure import standing_positions
from gambol.models.roach.leg_programs import STEP_TIME, legs
from gambol.models.roach.world import roach_world, stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

SETTLE = 0.3125  # [s] to come to rest on its feet; a sum of powers of two, so that later times are exact
HEIGHT = 0.0175  # [m] of the abdomen's centre, from which it is dropped


def settled_roach(
    world: World | None = None,
    *,
    eps: float = 1e-2,
    method: str = "implicit-pair",
    worlds: int = 1,
    dtype: Any = np.float64,
    height: float | Sequence[float] = HEIGHT,
    q: np.ndarray | None = None,
    settle: float = SETTLE,
    device: str = "cpu",
) -> Simulation:
    """A roach (or many of them), dropped from a height [m] or from positions q, come to rest on its feet."""
    options: dict[str, Any] = dict(worlds=worlds, ledger=False, dtype=dtype, device=device)
    sim = Simulation(world or roach_world(), stepping=stepping(eps, method), **options)
    figure = sim.layout.figures[0]  # others of the world, such as what lies in its way, come after it
    starts = np.array([standing_positions(h, figure) for h in np.broadcast_to(height, worlds)])
    sim.reset((starts if worlds > 1 else starts[0]) if q is None else q)
    sim.run(settle)
    return sim


def legs_of(limbs: Sequence[Leg], ranks: Mapping[str, int] | None = None) -> tuple[Leg, ...]:
    """Legs that stand alone: neighbours that are not there are forgotten, ranks may be others."""
    names, given = [leg.name for leg in limbs], ranks or {}
    if unknown := [name for name in given if name not in names]:
        raise WorldError([Fault(f"no leg is called {unknown[0]!r}{nearest(unknown[0], names)}", "gait")])
    return tuple(
        replace(leg, rank=given.get(leg.name, leg.rank), neighbours=tuple(n for n in leg.neighbours if n in names))
        for leg in limbs
    )


def walking_roach(
    world: World | Simulation | None = None,
    *,
    cycle: float | np.ndarray = 2 * STEP_TIME,
    limbs: Sequence[Leg] | None = None,
    lead: str = "left",
    ranks: Mapping[str, int] | None = None,
    phases: Mapping[str, float] | None = None,
    delay: float | None = None,
    phase: float = 0.0,
    steer: float = 0.0,
    reflexes: Sequence[Any] = (),
    gait: type[PacemakerGait] = PacemakerGait,
    **options: Any,
) -> Simulation:
    """A roach (or many of them) on its feet, with a gait attached: `sim.run` lets it walk.

        sim = walking_roach(cycle=0.15, limbs=adjusted_legs(*TUNED))
        path = sim.run(2.0, every=1 / 100)
        (walk,) = sim.controllers                      # GaitController: footfalls, steering, cycle

    lead     the side that steps first; ranks: how many delays each leg is ahead on its side, delay [s] of one
    phases   of legs by name, in turns, in place of what lead, ranks and delay give; phase: of the clock at the start
    limbs    by default the legs that the figure has, of the six
    `options` are those of settled_roach; given a Simulation, that one walks.
    """
    sim = world if isinstance(world, Simulation) else settled_roach(world, **options)
    names = {body.name for figure in sim.layout.figures for body in figure.bodies}
    there = legs_of([leg for leg in limbs or legs() if leg.foot in names], ranks)
    pattern: dict[str, Any] = dict(lead=lead, delay=delay, phase=phase, leg_phases=phases)
    steps = gait(there, step_time=STEP_TIME, cycle=cycle, worlds=sim.worlds, reflexes=list(reflexes), **pattern)
    sim.attach(GaitController(steps, steer=steer))
    return sim
