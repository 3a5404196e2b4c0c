"""Tripod on level ground: sliding feet, sticking feet."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol import World
from gambol.experiments.findings import MOSTLY, Mean, Rate, about, at_least, at_most, derived, ours, printed, within
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.walking import LEG_ORDER, TIGHT_EPS, RoachWalk, draw_paths, draw_strip, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import STICKY, STICKY_FRICTION, roach_world
from gambol.plot import gait_diagram

STARTS = Parameter(12, "starts, from drops of 17.5 to 18.5 mm, either side leading in turn")
QUICK_STARTS = 4
SETTLED = 0.4  # [s] that do not count


def walks(context: ExperimentContext, **options) -> list[RoachWalk]:
    """The ensemble: every start walks."""
    count = min(QUICK_STARTS, context.parameter("starts")) if context.quick else context.parameter("starts")
    seconds = 1.0 if context.quick else 2.0
    return [walk(seconds=seconds, eps=TIGHT_EPS, **start, **options) for start in starts(count)]


def speeds(runs: list[RoachWalk]) -> Mean:
    """Forward speeds [cm/s]."""
    return Mean(100 * run.speed(SETTLED) for run in runs)


@experiment(
    "roach-tripod",
    f"{MCKENNA_1990}, 5.3",
    "Tripod on level ground with sliding friction 0.7",
    states=[
        printed("speed", "mean forward speed", "5.3", about(5.5), value=5.5, unit="cm/s"),
        printed(
            "clearance",
            "the body is supported above the ground: least air below the trunk",
            "5.3",
            at_least(0.0, "the word"),
            value="does not drag",
            unit="mm",
        ),
        derived(
            "yaw-frequency",
            "the path zig-zags: yaw swings once a cycle",
            "5.3: zig-zag; two steps of 50 ms",
            within(10.0, 1.0, "resolution of the spectrum of a second"),
            value=10.0,
            unit="Hz",
        ),
        derived(
            "heading",
            "it walks forward and no turning is reported: rate of turning, by size",
            "5.3",
            at_most(15.0, "as much in the second that is shown as the zig-zag has from side to side"),
            value="forward",
            unit="°/s",
            differs="the gait has two turning solutions and no straight one, mirrored when the other side leads"
            " (roach-straight); the source shows a second of it and does not say how its heading goes",
        ),
        derived(
            "skid",
            "it walks forward: sideways speed by size, of the forward speed",
            "5.3",
            at_most(1 / 3, "forward far above sideways: a factor of 3"),
            value="forward",
            differs="it skids outward as it turns",
        ),
    ],
    parameters={"starts": STARTS},
)
def tripod(context: ExperimentContext) -> Findings:
    runs = walks(context)
    run = runs[0]
    with context.picture("strip") as path:
        draw_strip(run, path, times=np.linspace(0.5, 0.62, 6) + run.time[0])
    with context.picture("path") as path:
        draw_paths({"left side leads": run, "right side leads": runs[1]}, path)
    context.save("gait", gait_diagram(run.footfalls, start=run.time[0], end=run.time[0] + 0.6, order=LEG_ORDER))
    found = speeds(runs)
    yield context.found("speed", found, note=f"{min(found.values):.2f} to {max(found.values):.2f} cm/s")
    yield context.found("clearance", 1e3 * min(run.clearance(SETTLED) for run in runs[:2]))
    frequency, size = run.wobble(SETTLED)
    yield context.found("yaw-frequency", frequency, note=f"amplitude {np.degrees(size):.1f}°")
    turns = [float(np.degrees(run.turning(SETTLED))) for run in runs]
    yield context.found(
        "heading", Mean(map(abs, turns)), note=f"{turns[0]:.0f} when the left leads, {turns[1]:.0f} when the right does"
    )
    yield context.found("skid", Mean(abs(run.skid(SETTLED) / run.speed(SETTLED)) for run in runs))


@experiment(
    "roach-sticky",
    f"{MCKENNA_1990}, 5.3",
    "Tripod with feet that stick",
    states=[
        printed(
            "speed",
            "mean forward speed with sticking feet (the glue is not printed: found by roach-sticky-search)",
            "5.3",
            about(8.0),
            value=8.0,
            unit="cm/s",
        ),
        derived(
            "faster",
            "faster than sliding feet: ratio of the speeds",
            "5.3: 8.0 and 5.5 cm/s",
            about(8.0 / 5.5),
            value=round(8.0 / 5.5, 2),
        ),
    ],
    parameters={"starts": STARTS},
)
def sticky(context: ExperimentContext) -> Findings:
    sliding = walks(context)
    stuck = walks(context, world=roach_world(sticky=STICKY, friction=STICKY_FRICTION))
    with context.picture("path") as path:
        draw_paths({"sliding feet": sliding[0], "sticking feet": stuck[0]}, path)
    with context.picture("strip") as path:
        draw_strip(stuck[0], path, times=np.linspace(0.5, 0.62, 6) + stuck[0].time[0])
    found, slow = speeds(stuck), speeds(sliding)
    yield context.found("speed", found, note=f"{min(found.values):.2f} to {max(found.values):.2f} cm/s")
    yield context.found("faster", Mean(fast / slow.value for fast in found.values))


@experiment(
    "roach-sticky-search",
    f"{MCKENNA_1990}, 5.3",
    "The search for feet that stick",
    states=[
        ours(
            "neighbourhood",
            "the chosen set walks at about 8 cm/s also with glue 10 % weaker or stronger, friction 5 % less or more, at"
            " two tolerances: share of the walks",
            MOSTLY,
        ),
        ours("straight-sets", "sets of the grid that walk faster than 6.5 cm/s and turn less than 15°/s: share"),
    ],
)
def sticky_search(context: ExperimentContext) -> Findings:
    """Strength and rise of the glue and friction over a grid; then the neighbourhood of the chosen set."""
    frictions = (STICKY_FRICTION,) if context.quick else (0.7, STICKY_FRICTION, 0.95)
    glues, rises = (0.2, 0.3, 0.4, 0.5, 0.7), (1000.0, 1190.0, 1450.0, 2000.0)
    speeds = np.empty((len(frictions), len(glues), len(rises)))
    turns = np.empty_like(speeds)
    for i, j, k in np.ndindex(speeds.shape):
        feet = STICKY | {"glue": glues[j], "glue_rise": rises[k]}
        run = walk(roach_world(sticky=feet, friction=frictions[i]), seconds=1.2)
        speeds[i, j, k], turns[i, j, k] = run.speed(SETTLED) * 100, np.degrees(run.turning(SETTLED))
        context.log(f"friction {frictions[i]} glue {glues[j]} rise {rises[k]}: {speeds[i, j, k]:.1f} cm/s")
    context.save("grid", _draw_grid(frictions, glues, rises, speeds, turns))
    near = [
        100 * walk(_sticky_world(glue, friction), seconds=1.2, eps=eps).speed(SETTLED)
        for glue in (0.9, 1.0, 1.1)
        for friction in (0.95, 1.0, 1.05)
        for eps in (1e-2, TIGHT_EPS)
    ]
    inside = sum(about(8.0).holds(speed) for speed in near)
    yield context.found("neighbourhood", Rate(inside, len(near)), note=f"{min(near):.1f} to {max(near):.1f} cm/s")
    straight = int(np.sum((np.abs(turns) < 15) & (speeds > 6.5)))
    yield context.found("straight-sets", Rate(straight, speeds.size))


def _sticky_world(glue: float, friction: float) -> World:
    """With the chosen glue and friction times these factors."""
    return roach_world(sticky=STICKY | {"glue": glue * STICKY["glue"]}, friction=friction * STICKY_FRICTION)


def _draw_grid(frictions, glues, rises, speeds, turns) -> Canvas:
    from gambol.plot.style import canvas, dress

    picture = canvas(3.4 * len(frictions), 3.0)
    panels = np.atleast_1d(picture.subplots(1, len(frictions)))
    for axes, friction, speed, turn in zip(panels, frictions, speeds, turns):
        image = axes.imshow(speed, origin="lower", aspect="auto", cmap="viridis", vmin=0, vmax=10)
        for (j, k), value in np.ndenumerate(speed):
            axes.text(k, j, f"{value:.1f}\n{turn[j, k]:+.0f}°/s", ha="center", va="center", fontsize=6, color="white")
        dress(axes, x="rise [1/m]", y="glue [N/kg]", title=f"friction {friction:g}: speed [cm/s], turning")
        axes.set_xticks(range(len(rises)), [f"{r:g}" for r in rises])
        axes.set_yticks(range(len(glues)), [f"{g:g}" for g in glues])
        axes.grid(visible=False)
    picture.colorbar(image, ax=panels, label="speed [cm/s]")
    return picture
