"""The compliant hexapod sent from place to place: on level ground, on a slope, over waves."""

from __future__ import annotations

import numpy as np

from gambol import Director, HybridRun, StopWhen
from gambol.experiments.compliant_hexapod.trials import BATCH_STEPPING
from gambol.experiments.direct.courses import OWN, PLACES, SEED, Course, draw_courses, random_places
from gambol.experiments.findings import Rate, at_least, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.hybrid.models.compliant_hexapod import RHEX_CLOCK, CompliantHexapod, CompliantHexapodOnWaves
from gambol.hybrid.models.compliant_hexapod.parameters import FALLEN_CHART

HEXAPOD = dict(least=1.0, most=2.0, within=0.15, speed=0.3, seconds=60.0)  # [m], [m], [m], [m/s], [s]
RISE = 0.2
HEIGHT, WAVES_X, WAVES_Y = 0.02, 0.7, 1.0  # [m], [1/m]
GROUNDS = {
    "level": ("on level ground", lambda: CompliantHexapod(**RHEX_CLOCK)),
    "slope": (f"up, down and across a slope of {RISE:g}", lambda: CompliantHexapod(slope_y=RISE, **RHEX_CLOCK)),
    "waves": (
        f"over waves of {100 * HEIGHT:g} cm",
        lambda: CompliantHexapodOnWaves(amplitude=HEIGHT, waves_x=WAVES_X, waves_y=WAVES_Y, **RHEX_CLOCK),
    ),
}
STATES = [
    ours(
        key,
        f"hexapod, {told}: share of random courses of {PLACES} places, then a stop, done in {HEXAPOD['seconds']:g} s",
        at_least(0.9, "nine of ten, with the whole interval"),
        differs="see the note",
    )
    for key, (told, _) in GROUNDS.items()
] + [ours("median", "hexapod, on level ground: median time of a course that was done", unit="s")]


def go_round(system: CompliantHexapod, places: np.ndarray) -> Course:
    """Sends it from place to place and lets it stop."""
    run = HybridRun(system, stepping=BATCH_STEPPING, keep_changes=False)
    director = Director(run)
    for x, y in places:
        director.walk_to(x, y, speed=HEXAPOD["speed"], within=HEXAPOD["within"])
    director.stop()
    ends = StopWhen(period=0.05, done=lambda _: director.done, fell=lambda _: run.chart == FALLEN_CHART)
    path = run.run(HEXAPOD["seconds"], every=0.05, controller=[*run.controllers, ends])
    way = np.column_stack([path["body y"], -path["body x"]])
    fell = run.chart == FALLEN_CHART
    return Course(places, way, director.done and not fell, float(run.time), "fell" if fell else "")


@experiment("direct-hexapod", OWN, "The compliant hexapod sent from place to place", STATES, SEED)
def hexapod(context: ExperimentContext) -> Findings:
    """Each side sweeps by a share of its own; the first place may be behind it."""
    drawn: list[Course] = []
    for key, (_, make) in GROUNDS.items():
        trials = 4 if context.quick else 200 if key == "level" else 60
        rng, system = np.random.default_rng(context.parameter("seed")), make()
        courses = [go_round(system, random_places(rng, HEXAPOD["least"], HEXAPOD["most"])) for _ in range(trials)]
        done, fell = sum(course.done for course in courses), sum(course.ended == "fell" for course in courses)
        note = f"{fell} fell, {trials - done - fell} were late"
        yield context.found(key, Rate(done, trials), note=note, seed=context.parameter("seed"))
        drawn += courses[: 4 if key == "level" else 2]
        if key == "level":
            yield context.found("median", float(np.median([course.seconds for course in courses if course.done])))
    draw_courses(context, drawn, "m", 1.0)
