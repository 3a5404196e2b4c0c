"""A missing leg, a push from the side, a change of speed, a slope: without and with reflexes, a table."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from gambol import GaitController, Periodic, PointForce, Simulation, StepError, Terrain, World
from gambol.experiments.findings import ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.rough import ROACH_WEIGHT, WAVE_CYCLE, WAVE_LEGS, counts, reflexes
from gambol.experiments.roach.walking import RoachWalk, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import roach as model

DISTURBED_SECONDS = 2.0


def _world(**options: Any) -> World:
    return model.roach_world(sticky=model.STICKY, friction=model.STICKY_FRICTION, **options)


def _walk(world: World | Simulation, helped: bool, **options: Any) -> RoachWalk:
    options |= dict(cycle=WAVE_CYCLE, limbs=WAVE_LEGS, seconds=DISTURBED_SECONDS)
    return walk(world, reflexes=reflexes() if helped else (), **options)


def _undisturbed(helped: bool) -> RoachWalk:
    return _walk(_world(), helped)


def _missing_leg(helped: bool) -> RoachWalk:
    """The left middle leg is gone from the coxa on; its neighbours know nothing of it."""
    return _walk(_world(figure=model.roach_without("ml")), helped)


def _push(helped: bool) -> RoachWalk:
    """A push to the left of half its weight for 60 ms, in mid-walk."""
    push = PointForce(body="thorax", force=(0.0, 0.5 * ROACH_WEIGHT, 0.0), start=0.9, duration=0.06)
    world = _world(forces=[push])
    return _walk(world, helped)


def _speed_change(helped: bool) -> RoachWalk:
    """From a slow wave to the tripod and back."""
    sim = model.settled_roach(_world())
    start = sim.latest_time

    def change_cycle(sim: Simulation) -> None:
        gait = cast(GaitController, sim.controllers[0])
        gait.set_cycle(0.1 + 0.2 * abs(1.0 - (sim.latest_time - start)))

    return _walk(sim, helped, others=[Periodic(0.005, change_cycle)])


def _slope(rise: float) -> Callable[[bool], RoachWalk]:
    def climb(helped: bool) -> RoachWalk:
        world = _world(terrain=Terrain(slope_x=rise))
        return _walk(world, helped)

    return climb


DISTURBANCES: dict[str, Callable[[bool], RoachWalk]] = {
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
            f"{name}: way in {DISTURBED_SECONDS:g} s with reflexes less that without",
            unit="cm",
            full=key in ("up", "down"),
        )
        for key, name in DISTURBANCE_KEYS.items()
    ],
)
def disturbed(context: ExperimentContext) -> Findings:
    rows: list[list[Any]] = []
    names = list(DISTURBANCES)[:4] if context.quick else list(DISTURBANCES)
    for name in names:
        row: list[Any] = [name]
        for helped in (False, True):
            try:
                run = DISTURBANCES[name](helped)
                fell = "" if run.upright() else ", fell"
                row += [run.distance() * 100, np.degrees(run.heading[-1] - run.heading[0]), fell, counts(run)]
            except StepError:
                row += [float("nan"), float("nan"), ", lost", ""]
        rows.append(row)
        context.log(" | ".join(map(str, row)))
    _draw(context, rows)
    for key, (_, bare, turn, fell, _, way, turned, fell2, acted) in zip(DISTURBANCE_KEYS, rows):
        yield context.found(
            f"gain-{key}",
            way - bare,
            note=f"{bare:.1f}{fell} → {way:.1f}{fell2} cm, turned by {turn:.0f}° → {turned:.0f}°; reflexes acted:"
            f" {acted or 'none'}",
        )


def _draw(context: ExperimentContext, rows) -> None:
    from gambol.plot.style import CURVE_COLOURS

    x, title = f"way in {DISTURBED_SECONDS:g} s [cm]", "blue: compliance alone; orange: with reflexes"
    with context.axes("table", 7.0, 0.5 + 0.45 * len(rows), x=x, title=title) as axes:
        for k, row in enumerate(rows):
            for place, colour, value, fell in (
                (-0.18, CURVE_COLOURS[0], row[1], row[3]),
                (0.18, CURVE_COLOURS[1], row[5], row[7]),
            ):
                way = np.nan_to_num(value)
                axes.barh(k + place, way, height=0.34, color=colour)
                axes.text(max(way, 0.0) + 0.05, k + place, fell.lstrip(", "), va="center", fontsize=7)
        axes.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=8)
        axes.invert_yaxis()
