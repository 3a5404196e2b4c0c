"""Tripod on level ground: sliding feet, sticking feet."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import LEG_ORDER, TIGHT_EPS, draw_paths, draw_strip, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import STICKY, STICKY_FRICTION, roach_world
from gambol.plot import gait_diagram


@experiment("roach-tripod", f"{MCKENNA_1990}, 5.3", "Tripod on level ground with sliding friction 0.7")
def tripod(context: ExperimentContext) -> Findings:
    seconds = 1.0 if context.quick else 2.0
    runs = {f"{side} side leads": walk(seconds=seconds, eps=TIGHT_EPS, lead=side) for side in ("left", "right")}
    run = runs["left side leads"]
    with context.picture("strip") as path:
        draw_strip(run, path, times=np.linspace(0.5, 0.62, 6) + run.time[0])
    with context.picture("path") as path:
        draw_paths(runs, path)
    context.save("gait", gait_diagram(run.footfalls, start=run.time[0], end=run.time[0] + 0.6, order=LEG_ORDER))
    speeds = [r.speed(0.4) * 100 for r in runs.values()]
    yield context.finding(
        "mean forward speed",
        printed=5.5,
        ours=float(np.mean(speeds)),
        unit="cm/s",
        ok=bool(4.0 < np.mean(speeds) < 7.0),
        note=f"{speeds[0]:.2f} and {speeds[1]:.2f} with either side leading; the band around 5.5 is 4 to 7",
    )
    air = run.clearance(0.4) * 1e3
    yield context.finding(
        "the body clears the ground", printed="clear", ours=air, unit="mm below the trunk", ok=air > 0
    )
    frequency, size = run.wobble(0.4)
    yield context.finding(
        "the path zig-zags: yaw swings once a cycle",
        printed=10.0,
        ours=frequency,
        unit="Hz",
        ok=abs(frequency - 10.0) < 1.0,
        note=f"amplitude {np.degrees(size):.1f}°",
    )
    turns = [np.degrees(r.turning(0.4)) for r in runs.values()]
    yield context.finding(
        "heading: turns slowly and steadily, mirrored when the other side leads",
        printed=None,
        ours=float(turns[0]),
        unit="°/s",
        beyond=True,
        note=f"{turns[0]:.0f} when the left leads, {turns[1]:.0f} when the right does; roach-straight finds why",
    )


@experiment("roach-sticky", f"{MCKENNA_1990}, 5.3", "Tripod with feet that stick")
def sticky(context: ExperimentContext) -> Findings:
    seconds = 1.0 if context.quick else 2.0
    sliding = walk(seconds=seconds, eps=TIGHT_EPS)
    run = walk(roach_world(sticky=STICKY, friction=STICKY_FRICTION), seconds=seconds, eps=TIGHT_EPS)
    with context.picture("path") as path:
        draw_paths({"sliding feet": sliding, "sticking feet": run}, path)
    with context.picture("strip") as path:
        draw_strip(run, path, times=np.linspace(0.5, 0.62, 6) + run.time[0])
    speed, slow = run.speed(0.4) * 100, sliding.speed(0.4) * 100
    yield context.finding(
        "mean forward speed with sticking feet",
        printed=8.0,
        ours=speed,
        unit="cm/s",
        ok=abs(speed - 8.0) < 1.0,
        note="no parameters are printed; these were found by a search (roach-sticky-search)",
    )
    yield context.finding(
        "faster than sliding feet", printed=1.45, ours=speed / slow, unit="ratio", ok=speed > 1.1 * slow
    )


@experiment("roach-sticky-search", f"{MCKENNA_1990}, 5.3", "The search for feet that stick")
def sticky_search(context: ExperimentContext) -> Findings:
    """Strength and rise of the glue and friction over a grid; then the neighbourhood of the chosen set."""
    frictions = (STICKY_FRICTION,) if context.quick else (0.7, STICKY_FRICTION, 0.95)
    glues, rises = (0.2, 0.3, 0.4, 0.5, 0.7), (1000.0, 1190.0, 1450.0, 2000.0)
    speeds = np.empty((len(frictions), len(glues), len(rises)))
    turns = np.empty_like(speeds)
    for i, j, k in np.ndindex(speeds.shape):
        feet = STICKY | {"glue": glues[j], "glue_rise": rises[k]}
        run = walk(roach_world(sticky=feet, friction=frictions[i]), seconds=1.2)
        speeds[i, j, k], turns[i, j, k] = run.speed(0.4) * 100, np.degrees(run.turning(0.4))
        context.log(f"friction {frictions[i]} glue {glues[j]} rise {rises[k]}: {speeds[i, j, k]:.1f} cm/s")
    context.save("grid", _draw_grid(frictions, glues, rises, speeds, turns))
    near = [
        walk(roach_world(sticky=STICKY | {"glue": g}, friction=STICKY_FRICTION), seconds=1.2, eps=eps).speed(0.4) * 100
        for g in (0.9 * STICKY["glue"], STICKY["glue"], 1.1 * STICKY["glue"])
        for eps in (1e-2, TIGHT_EPS)
    ]
    yield context.finding(
        "a set that walks at about 8 cm/s",
        printed=8.0,
        ours=near[3],
        unit="cm/s",
        ok=abs(near[3] - 8.0) < 0.8,
        note=f"with the glue 10 % weaker or stronger and at two tolerances: {min(near):.1f} to {max(near):.1f}",
    )
    straight = int(np.sum((np.abs(turns) < 15) & (speeds > 6.5)))
    yield context.finding(
        "sets of the grid that walk faster than 6.5 cm/s and turn less than 15°/s",
        ours=straight,
        unit=f"of {speeds.size}",
        beyond=True,
    )


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
