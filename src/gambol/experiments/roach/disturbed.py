"""A missing leg, a push from the side, a change of speed, a slope: without and with reflexes, a table."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from gambol import GaitController, Periodic, PointForce, Simulation, StepError, Terrain, World
from gambol.experiments.findings import Mean, ours
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.rough import ROACH_WEIGHT, WAVE_CYCLE, WAVE_LEGS, counts, reflexes
from gambol.experiments.roach.walking import RoachWalk, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import roach as model

DISTURBED_SECONDS = 2.0


def _world(**options: Any) -> World:
    return model.roach_world(sticky=model.STICKY, friction=model.STICKY_FRICTION, **options)


def _walk(world: World | Simulation, helped: bool, **options: Any) -> RoachWalk:
    options |= dict(cycle=WAVE_CYCLE, limbs=WAVE_LEGS, seconds=DISTURBED_SECONDS)
    return walk(world, reflexes=reflexes() if helped else (), **options)


def _undisturbed(helped: bool, **start: Any) -> RoachWalk:
    return _walk(_world(), helped, **start)


def _missing_leg(helped: bool, **start: Any) -> RoachWalk:
    """The left middle leg is gone from the coxa on; its neighbours know nothing of it."""
    return _walk(_world(figure=model.roach_without("ml")), helped, **start)


def _push(helped: bool, **start: Any) -> RoachWalk:
    """A push to the left of half its weight for 60 ms, in mid-walk."""
    push = PointForce(body="thorax", force=(0.0, 0.5 * ROACH_WEIGHT, 0.0), start=0.9, duration=0.06)
    return _walk(_world(forces=[push]), helped, **start)


def _speed_change(helped: bool, height: float, lead: str) -> RoachWalk:
    """From a slow wave to the tripod and back."""
    sim = model.settled_roach(_world(), height=height)
    begin = sim.latest_time

    def change_cycle(sim: Simulation) -> None:
        gait = cast(GaitController, sim.controllers[0])
        gait.set_cycle(0.1 + 0.2 * abs(1.0 - (sim.latest_time - begin)))

    return _walk(sim, helped, lead=lead, others=[Periodic(0.005, change_cycle)])


def _slope(rise: float) -> Callable[..., RoachWalk]:
    def climb(helped: bool, **start: Any) -> RoachWalk:
        return _walk(_world(terrain=Terrain(slope_x=rise)), helped, **start)

    return climb


DISTURBANCES: dict[str, Callable[..., RoachWalk]] = {
    "undisturbed": _undisturbed,
    "left middle leg missing": _missing_leg,
    "push from the side": _push,
    "wave → tripod → wave": _speed_change,
    "up a slope of 15°": _slope(float(np.tan(np.radians(15)))),
    "down a slope of 15°": _slope(-float(np.tan(np.radians(15)))),
}


DISTURBANCE_KEYS = dict(zip(("level", "leg", "push", "speed", "up", "down"), DISTURBANCES))


@experiment(
    "roach-disturbed",
    f"{MCKENNA_1990}, 5.2",
    "Disturbances, without and with reflexes",
    states=[
        ours(
            f"gain-{key}",
            f"{name}: way in {DISTURBED_SECONDS:g} s with reflexes less that without, from the same start (a fall is no"
            " way)",
            unit="cm",
            full=key in ("up", "down"),
        )
        for key, name in DISTURBANCE_KEYS.items()
    ],
    parameters={"starts": Parameter(6, "starts, from drops of 17.5 to 18.5 mm, either side leading in turn")},
)
def disturbed(context: ExperimentContext) -> Findings:
    count = 2 if context.quick else context.parameter("starts")
    tried = dict(list(DISTURBANCE_KEYS.items())[:4]) if context.quick else DISTURBANCE_KEYS
    ways: dict[str, np.ndarray] = {}
    for key, name in tried.items():
        runs = [[_tried(name, helped, start) for helped in (False, True)] for start in starts(count)]
        ways[name] = np.array([[_way(run) for run in pair] for pair in runs])
        turned = [
            np.degrees(np.mean([abs(r.heading[-1] - r.heading[0]) for r in rs if r] or [np.nan])) for rs in zip(*runs)
        ]
        falls = [sum(not (run and run.upright()) for run in column) for column in zip(*runs)]
        acted = counts(runs[0][1]) if runs[0][1] else ""
        (bare, helped) = ways[name].mean(axis=0)
        context.log(f"{name}: {bare:.1f} → {helped:.1f} cm")
        yield context.found(
            f"gain-{key}",
            Mean(ways[name][:, 1] - ways[name][:, 0]),
            note=f"{bare:.1f} → {helped:.1f} cm, turned by {turned[0]:.0f}° → {turned[1]:.0f}°, fell {falls[0]} →"
            f" {falls[1]}; in the first, reflexes acted: {acted or 'none'}",
            seed=f"{count} starts",
        )
    _draw(context, ways)


def _tried(name: str, helped: bool, start: dict[str, Any]) -> RoachWalk | None:
    """A walk under a disturbance; None when it ends in a fall the stepper cannot follow."""
    try:
        return DISTURBANCES[name](helped, **start)
    except StepError:
        return None


def _way(run: RoachWalk | None) -> float:
    """Forward [cm], where it ends on its feet."""
    return run.distance() * 100 if run is not None and run.upright() else 0.0


def _draw(context: ExperimentContext, ways: dict[str, np.ndarray]) -> None:
    from gambol.plot.style import CURVE_COLOURS

    x, title = f"way in {DISTURBED_SECONDS:g} s [cm]", "blue: compliance alone; orange: with reflexes; dots: each start"
    with context.axes("table", 7.0, 0.9 + 0.45 * len(ways), x=x, title=title) as axes:
        for k, both in enumerate(ways.values()):
            for place, colour, each in zip((-0.18, 0.18), CURVE_COLOURS, both.T):
                axes.barh(k + place, each.mean(), height=0.34, color=colour)
                axes.plot(each, np.full(len(each), k + place), "k.", ms=4)
        axes.set_yticks(range(len(ways)), list(ways), fontsize=8)
        axes.invert_yaxis()
