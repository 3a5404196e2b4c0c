"""The roach on show: walking by pacemakers, on several grounds, with several feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gambol.control.legs.leg import Leg
from gambol.shows.registry import show
from gambol.view.hand import with_hand
from gambol.view.parameters import Parameter
from gambol.view.source import Live
from gambol.world.world import World

SETTLING_SECONDS = 0.3125  # [s] to come to rest on its feet before it walks; a multiple of the time between moments
GAITS = {"tripod": 0.1, "quick wave": 0.2, "wave": 0.3, "slow wave": 0.6}  # cycle of the pacemakers [s]
SLOWED = 0.1  # the speed at which a roach is best seen


@show("roach", also=("roach-tripod", "roach-gaits"))
def roach() -> Live:
    """On level ground."""

    from gambol.models.roach import roach_world

    return walking(roach_world())


@show("roach-sticky")
def roach_sticky() -> Live:
    """On feet that stick."""

    from gambol.models.roach import STICKY, STICKY_FRICTION, roach_world

    return walking(roach_world(sticky=STICKY, friction=STICKY_FRICTION))


@show("roach-rough")
def roach_rough() -> Live:
    """On rough ground."""

    from gambol.forces.contact.terrain import Rough
    from gambol.models.roach import roach_world

    return walking(roach_world(terrain=Rough(amplitude=1.2e-3, length=0.05)))


def standing(world: World, q: Any = None) -> Any:
    """A simulation of the roach (and what else is in its world), with a hand, come to rest on its feet."""
    from gambol.models.roach import STEPPING_LENGTH, STEPPING_TIME, standing_positions
    from gambol.stepping.options import Stepping
    from gambol.world.simulation import Simulation

    stepping = Stepping(method="implicit-pair", eps=1e-2, length=STEPPING_LENGTH, time=STEPPING_TIME)
    sim = Simulation(with_hand(world), stepping=stepping, ledger=False)
    sim.reset(standing_positions() if q is None else q)
    sim.run(SETTLING_SECONDS)
    return sim


def walking(world: World, q: Any = None, *, limbs: Sequence[Leg] | None = None, cycle: float | None = None) -> Live:
    """It walks, and its gait can be changed."""
    from gambol.control.legs.gait import PacemakerGait
    from gambol.control.legs.walker import Walker
    from gambol.models.roach import STEP_TIME, legs

    sim = standing(world, q)
    cycle = cycle or 2 * STEP_TIME
    gait = PacemakerGait(limbs or legs(), step_time=STEP_TIME, cycle=cycle)
    gait.reset(cycle, time=float(sim.time))
    walker = Walker(sim, gait)
    return Live(sim, driver=walker, speed=SLOWED, parameters=gait_parameters(walker))


def gait_parameters(walker: Any) -> list[Parameter]:
    """Gait, cycle time and turning of a walker."""
    gait = walker.gait

    def cycle() -> float:
        return float(gait.now.cycle[0])

    def name() -> str:
        return min(GAITS, key=lambda g: abs(GAITS[g] - cycle()))

    def steer(value: float) -> None:
        walker.steer = float(value)

    return [
        Parameter("gait", name, lambda g: gait.set_cycle(GAITS[g]), choices=tuple(GAITS)),
        Parameter("cycle", cycle, gait.set_cycle, 2 * gait.step_time, 1.0, unit="s"),
        Parameter("turn right", lambda: walker.steer, steer, -0.6, 0.6),
    ]
