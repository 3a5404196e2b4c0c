"""The roach on show: walking by pacemakers, on several grounds, with several feet."""

from typing import Any

from gambol import World
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring

GAITS = {"tripod": 0.1, "fast wave": 0.2, "wave": 0.3, "slow wave": 0.6}  # cycle of the pacemakers [s]
SLOWED = 0.1  # the speed at which a roach is best seen


@show("roach", also=("roach-tripod", "roach-gaits"))
def roach() -> LiveSource:
    """The roach of 1990 walks by pacemakers, with strides that keep it straight; change its gait."""
    from gambol.models.roach import TUNED, adjusted_legs, roach_world

    return walking(roach_world(), limbs=adjusted_legs(*TUNED))


@show("roach-sticky")
def roach_sticky() -> LiveSource:
    """The roach with feet that stick."""
    from gambol.models.roach import STICKY, STICKY_FRICTION, roach_world

    return walking(roach_world(sticky=STICKY, friction=STICKY_FRICTION))


@show("roach-rough")
def roach_rough() -> LiveSource:
    """The roach on rough ground."""
    from gambol.forces.contact.terrain import Rough
    from gambol.models.roach import TUNED, adjusted_legs, roach_world

    return walking(roach_world(terrain=Rough(amplitude=1.2e-3, length=0.05)), limbs=adjusted_legs(*TUNED))


def walking(world: World, **options: Any) -> LiveSource:
    """It walks, and its gait can be changed; options are those of walking_roach."""
    from gambol.models.roach import walking_roach

    sim = walking_roach(with_mouse_spring(world), **options)
    walk: Any = sim.controllers[0]
    return LiveSource(sim, speed=SLOWED, parameters=gait_parameters(walk), legs=walk)


def gait_parameters(walk: Any) -> list[Parameter]:
    """Gait, speed, cycle time and turning of a GaitController."""

    def cycle() -> float:
        return float(walk.gait.now.cycle[0, 0])

    fastest = 0.5 / walk.gait.step_time

    def name() -> str:
        return min(GAITS, key=lambda gait: abs(GAITS[gait] - cycle()))

    def steer(value: float) -> None:
        walk.steer = float(value)

    return [
        Parameter("gait", name, lambda gait: walk.set_cycle(GAITS[gait]), choices=tuple(GAITS)),
        Parameter("speed", lambda: 1.0 / cycle(), lambda x: walk.set_cycle(1.0 / x), 1.0, fastest, unit="cycles/s"),
        Parameter("cycle", cycle, walk.set_cycle, 2 * walk.gait.step_time, 1.0, unit="s"),
        Parameter("turn right", lambda: walk.steer, steer, -0.6, 0.6),
    ]
