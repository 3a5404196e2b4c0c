"""Simulations 1 to 11: a statue at rest, falling and dropped; what joints, forces and pictures cost."""

import time
from dataclasses import replace

import numpy as np

from gambol import ExponentialSpring, JointLimit, Simulation, Stepping, World
from gambol.control.posture.calibration import locked
from gambol.draw.picture import Studio
from gambol.experiments.findings import (
    about,
    answer,
    at_least,
    at_most,
    between,
    beyond,
    derived,
    exactly,
    ours,
    printed,
)
from gambol.experiments.person.measuring import (
    EXPLICIT_STEPPING,
    FRAME_TIME,
    film_strip,
    steps_per_frame,
    thread_seconds,
    with_joints,
)
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person90
from gambol.models.person import DISPLAY, SIMPLE, STEPPING, fallen, joint_table, person_world, single_body
from gambol.plot import CURVE_COLOURS

JOINT_COUNTS = (0, 1, 2, 4, 8, 16, 32, 64, 84)
PRINTED_SECONDS = (39.0, 46.0, 53.0, 55.0, 82.0, 146.0, 277.0, 554.0, 762.0)  # [s] for 1000 frames, Table 6
FIXED_STEPPING = Stepping(method="rk4", step=FRAME_TIME)


RESTING = 0.02  # [m/s] and [rad/s] that count as rest


@experiment(
    "person-statue",
    f"{MCKENNA_1994}, 7.1, Sim 1-5",
    "One rigid body: at rest, falling, dropped",
    states=[
        printed(
            "still", "Sim 1: no forces, no motion in 1000 frames", "7.1", exactly(0.0, "none"), value="none", unit="m"
        ),
        printed("still-steps", "Sim 1: integrator steps a frame", "7.1", exactly(1), value=1),
        printed("single-step", "Sim 1: the 33 s in a single step: steps", "7.1", exactly(1), value=1),
        printed(
            "fallen",
            "Sim 2: fallen after 33.3 s",
            "7.1",
            between(5.0, 6.0, "“over 5 km”: a whole number that it has passed"),
            value="> 5 km",
            unit="km",
        ),
        derived(
            "fallen-exact",
            "… its difference from g t²/2",
            "7.1: g = 9.81 m/s², 1000 frames of 1/30 s",
            at_most(1e-6, "rounding of 5 km"),
            unit="m",
        ),
        printed(
            "speed",
            "Sim 2: speed then",
            "7.1",
            between(300.0, 400.0, "“over 300”: a hundred that it has passed"),
            value="> 300",
            unit="m/s",
        ),
        printed("fall-steps", "Sim 2: integrator steps a frame", "7.1", exactly(1), value=1),
        printed(
            "rest",
            "Sim 4: dropped by 10 cm it rocks and comes to rest (below 2 cm/s and 0.02 rad/s)",
            "7.1, Sim 4",
            about(4.0),
            value="about 4",
            unit="s",
            differs="the rocking dies with the ground's dampers under foot boxes that are a reconstruction",
        ),
        printed("stands", "Sim 4: it stays standing", "7.1, Sim 4", answer("stands", "the word"), value="stands"),
        printed(
            "rest-steps",
            "Sim 4: sub-steps a frame at rest, Fehlberg 4(5), eps 1e-4",
            "7.1, Sim 4",
            about(11.0),
            value=11,
            differs="which corners touch depends on the reconstructed boxes, and the rule that shortens steps is not"
            " printed",
        ),
        ours("rest-steps-implicit", "… with the implicit pair"),
    ],
)
def statue(context: ExperimentContext) -> Findings:
    floating = Simulation(World(single_body(), (0.0, 0.0, 0.0)), stepping=EXPLICIT_STEPPING, ledger=False)
    steps = steps_per_frame(floating, 1000)
    yield context.found("still", np.abs(floating.q[:3]).max())
    yield context.found("still-steps", steps)
    once = Simulation(
        World(single_body(), (0.0, 0.0, 0.0)), stepping=replace(EXPLICIT_STEPPING, step=34.0, max_step=34.0)
    )
    once.advance(1000 * FRAME_TIME)
    yield context.found("single-step", once.counts["steps"])
    yield from falling(context)
    yield from dropped(context)


def falling(context: ExperimentContext) -> Findings:
    """Sim 2: free fall."""
    sim = Simulation(World(single_body()), stepping=EXPLICIT_STEPPING, ledger=False)
    steps = steps_per_frame(sim, 1000)
    yield context.found("fallen", -sim.q[2] / 1e3)
    yield context.found("fallen-exact", abs(-sim.q[2] - 0.5 * 9.81 * (1000 * FRAME_TIME) ** 2))
    yield context.found("speed", -sim.v[5])
    yield context.found("fall-steps", steps)


def dropped(context: ExperimentContext) -> Findings:
    """Sim 4: dropped by 10 cm, with the source's integrator and with ours."""
    figure = single_body()
    runs = {}
    for name, stepping in (("rkf45", EXPLICIT_STEPPING), ("implicit pair", STEPPING)):
        sim = Simulation(person_world(figure), stepping=stepping, ledger=False)
        q = sim.q.copy()
        q[2] += 0.1
        sim.reset(q)
        path = sim.run(10.0, every=FRAME_TIME)
        speed = np.abs(path.v).max(axis=1)
        runs[name] = path, float(path.time[np.flatnonzero(speed > RESTING)[-1]]), steps_per_frame(sim, 60), fallen(sim)
    path, rest, rate, down = runs["rkf45"]
    film_strip(context, "dropped", path, [0.05, 0.15, 0.25, 0.4, 0.6, 1.0, 2.0, 5.0])
    title = "a statue dropped by 10 cm"
    with context.axes("height", 7.0, 3.0, x="time [s]", y="height from the start [mm]", title=title) as axes:
        for k, (name, (run, *_)) in enumerate(runs.items()):
            axes.plot(run.time, 1e3 * run.q[:, 2], color=CURVE_COLOURS[k], linewidth=1.4 - 0.4 * k, label=name)
    yield context.found("rest", rest)
    yield context.found("stands", "falls" if down else "stands")
    yield context.found("rest-steps", rate)
    yield context.found("rest-steps-implicit", runs["implicit pair"][2])


JOINT_RATIO = PRINTED_SECONDS[-1] / PRINTED_SECONDS[4]
PICTURE_RATES = {SIMPLE: ("simple", 35.7, 1160), DISPLAY: ("display", 14.5, 10420)}  # [1/s], polygons


@experiment(
    "person-cost",
    f"{MCKENNA_1994}, 7.1, Sim 3, 5-11, Tables 5-6",
    "What joints, forces and pictures cost",
    states=[
        printed(
            "linear",
            "Sim 9: cost beyond 8 joints is linear in their number: largest share off a straight line",
            "7.1, Table 6",
            at_most(0.06, "as straight as the printed times, which are off theirs by so much"),
            value="linear",
            timed=True,
        ),
        derived(
            "joints",
            "Sim 9: a step of 84 joints over one of 8 joints",
            "Table 6: 762 s and 82 s",
            about(JOINT_RATIO),
            value=round(JOINT_RATIO, 1),
            differs="the constant part of a step differs",
            timed=True,
        ),
        beyond(
            "step",
            "Sim 9: 84 joints, a step of four evaluations (printed: six, on a 150 MHz machine)",
            value=0.76,
            where="Table 6",
            unit="s",
            timed=True,
        ),
        printed(
            "inverse",
            "Sim 10: inverse dynamics at all joints is cheaper than forward dynamics, by",
            "7.1, Sim 10",
            about(6.0),
            value=6.0,
            unit="%",
            differs="here driven joints go through the same passes as free ones and their given acceleration is added",
            timed=True,
        ),
        printed(
            "forces",
            "Sim 11: springs, dampers and limits at every joint cost so much more",
            "7.1, Sim 11",
            about(2.0),
            value=2.0,
            unit="%",
            differs="the dynamics of a step became 10⁵ times cheaper; two exponentials a joint did not, and now they"
            " show",
            timed=True,
        ),
        printed(
            "ground",
            "Sim 3: looking for ground that is not touched, one body: so much slower",
            "Table 5: 55 s against 39 s (the text says about 30)",
            about(41.0),
            value=41.0,
            unit="%",
            differs="a step of one body takes under a microsecond; some forty bounding spheres are looked at in it",
            timed=True,
        ),
        *(
            beyond(
                f"pictures-{key}",
                f"Sims 6, 7: pictures a second of the {layer} (printed: {polygons} polygons, graphics hardware)",
                at_least(rate, "the source's"),
                value=rate,
                where="7.1, Sims 6, 7",
                unit="1/s",
                differs="drawn by the processor, with shadows and smooth edges",
                timed=True,
            )
            for layer, (key, rate, polygons) in PICTURE_RATES.items()
        ),
    ],
)
def cost(context: ExperimentContext) -> Findings:
    frames = 200 if context.quick else 1000
    times = [1e6 * joint_cost(count, frames) for count in JOINT_COUNTS]
    slope, base = np.polyfit(JOINT_COUNTS[4:], times[4:], 1)
    bend = np.polyval([slope, base], JOINT_COUNTS[4:]) / np.array(times[4:])
    draw_cost(context, times, slope, base)
    yield context.found("linear", np.abs(bend - 1.0).max())
    yield context.found("joints", times[-1] / times[4])
    yield context.found("step", times[-1] * 1e-6)
    yield from inverse_cost(context, times[-1], frames)
    yield from force_cost(context, frames)
    yield from ground_cost(context, frames)
    yield from picture_cost(context)


def joint_cost(count: int, frames: int) -> float:
    """CPU seconds of one fixed Runge-Kutta step of the passive figure with so many joints."""
    names = tuple(joint_table())[:count]
    return step_seconds(World(with_joints(names), (0.0, 0.0, 0.0)), frames)


def step_seconds(world: World, frames: int, step: float = FRAME_TIME) -> float:
    """CPU seconds a fixed step of `step` [s]."""
    sim = Simulation(world, stepping=replace(FIXED_STEPPING, step=step), ledger=False)
    sim.advance(step)

    def run() -> None:
        sim.reset(sim.layout.zero)
        sim.advance(frames * step)

    return thread_seconds(run, rounds=5) / frames


def inverse_cost(context: ExperimentContext, forward: float, frames: int) -> Findings:
    """Sim 10: all joints driven, against all free."""
    driven = 1e6 * step_seconds(locked(World(person90(), (0.0, 0.0, 0.0))), frames)
    yield context.found("inverse", 100.0 * (1.0 - driven / forward))


def force_cost(context: ExperimentContext, frames: int) -> Findings:
    """Sim 11: springs, dampers and limits of tiny constants at every joint."""
    figure = person90()
    springs = [
        ExponentialSpring(joint=name, strength=1e-5, rise=1e-5, damping=1e-5, rest=0.001) for name in joint_table()
    ]
    stops = [
        JointLimit(joint=name, lower=0.001, upper=0.002, strength=1e-5, rise=1e-5, damping=1e-5)
        for name in joint_table()
    ]
    plain, loaded = (step_seconds(World(figure, (0.0, 0.0, 0.0), f), frames, 1e-7) for f in ((), [*springs, *stops]))
    yield context.found("forces", 100.0 * (loaded / plain - 1.0))


def ground_cost(context: ExperimentContext, frames: int) -> Findings:
    """Sim 3: over the ground without touching it."""
    figure = single_body()
    plain, over = (
        step_seconds(person_world(figure, grounded=grounded, gravity=0.0), frames) for grounded in (False, True)
    )
    yield context.found("ground", 100.0 * (over / plain - 1.0))


def picture_cost(context: ExperimentContext) -> Findings:
    """Sims 6 to 8: pictures a second with the simple and with the display skin."""
    rates = {}
    for layer in (SIMPLE, DISPLAY):
        studio = Studio(person90(layer), size=(640, 480))
        studio.frame(0.0)
        begin = time.perf_counter()
        for _ in range(8):
            studio.frame(0.0)
        rates[layer] = 8 / (time.perf_counter() - begin)
    for layer, (key, _, _) in PICTURE_RATES.items():
        yield context.found(f"pictures-{key}", rates[layer])


def draw_cost(context: ExperimentContext, times, slope: float, base: float) -> None:
    """Time of a step over the number of joints, ours and printed."""
    title = "cost of a step against the number of joints"
    with context.axes("joints", 7.0, 3.2, x="joints", y="Gambol [µs]", title=title) as axes:
        axes.plot(JOINT_COUNTS, times, "o", color=CURVE_COLOURS[0], label="Gambol [µs a step]")
        line = np.array([0, 84])
        axes.plot(line, base + slope * line, color=CURVE_COLOURS[0], linewidth=0.8)
        other = axes.twinx()
        other.plot(
            JOINT_COUNTS, PRINTED_SECONDS, "s", color=CURVE_COLOURS[1], markersize=4, label="printed [ms a step]"
        )
        other.set_ylabel("printed [ms]", fontsize=9)
        other.set_ylim(bottom=0.0)
        axes.set_ylim(bottom=0.0)
        handles = [*axes.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
        axes.legend(handles, ["Gambol", "printed (1994)"], frameon=False, fontsize=8, loc="upper left")
