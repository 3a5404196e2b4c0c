"""Simulations 1 to 11: a statue at rest, falling and dropped; what joints, forces and pictures cost."""

import time
from dataclasses import replace

import numpy as np

from gambol import ExponentialSpring, JointLimit, Simulation, Stepping, World
from gambol.control.posture.calibration import locked
from gambol.draw.picture import Studio
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
from gambol.plot import CURVES

JOINT_COUNTS = (0, 1, 2, 4, 8, 16, 32, 64, 84)
PRINTED_SECONDS = (39.0, 46.0, 53.0, 55.0, 82.0, 146.0, 277.0, 554.0, 762.0)  # [s] for 1000 frames, Table 6
FIXED_STEPPING = Stepping(method="rk4", step=FRAME_TIME)


@experiment("person-statue", f"{MCKENNA_1994}, 7.1, Sim 1-5", "One rigid body: at rest, falling, dropped")
def statue(context: ExperimentContext) -> Findings:
    floating = Simulation(World(single_body(), (0.0, 0.0, 0.0)), stepping=EXPLICIT_STEPPING, ledger=False)
    steps = steps_per_frame(floating, 1000)
    moved = float(np.abs(floating.q[:3]).max())
    yield context.finding(
        "Sim 1: no forces, no motion in 1000 frames", printed=0.0, ours=moved, unit="m", ok=moved == 0.0
    )
    yield context.finding("Sim 1: integrator steps a frame", printed=1, ours=steps, ok=abs(steps - 1.0) < 0.01)
    once = Simulation(
        World(single_body(), (0.0, 0.0, 0.0)), stepping=replace(EXPLICIT_STEPPING, step=34.0, max_step=34.0)
    )
    once.advance(1000 * FRAME_TIME)
    yield context.finding(
        "Sim 1: the 33 s in a single step", printed=1, ours=once.counts["steps"], ok=once.counts["steps"] == 1
    )
    yield from falling(context)
    yield from dropped(context)


def falling(context: ExperimentContext) -> Findings:
    """Sim 2: free fall."""
    sim = Simulation(World(single_body()), stepping=EXPLICIT_STEPPING, ledger=False)
    steps = steps_per_frame(sim, 1000)
    exact = 0.5 * 9.81 * (1000 * FRAME_TIME) ** 2
    error = abs(-sim.q[2] - exact)
    ok = error < 1e-6
    yield context.finding("Sim 2: fallen after 33.3 s", printed="> 5 km", ours=-sim.q[2] / 1e3, unit="km", ok=ok)
    yield context.finding(
        "Sim 2: speed then", printed="> 300", ours=-sim.v[5], unit="m/s", ok=abs(-sim.v[5] - 327.0) < 1e-6
    )
    yield context.finding("Sim 2: integrator steps a frame", printed=1, ours=steps, ok=abs(steps - 1.0) < 0.01)


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
        runs[name] = path, float(path.time[np.flatnonzero(speed > 0.02)[-1]]), steps_per_frame(sim, 60), fallen(sim)
    path, rest, rate, down = runs["rkf45"]
    film_strip(context, "dropped", path, [0.05, 0.15, 0.25, 0.4, 0.6, 1.0, 2.0, 5.0])
    title = "a statue dropped by 10 cm"
    with context.axes("height", 7.0, 3.0, x="time [s]", y="height from the start [mm]", title=title) as axes:
        for k, (name, (run, *_)) in enumerate(runs.items()):
            axes.plot(run.time, 1e3 * run.q[:, 2], color=CURVES[k], linewidth=1.4 - 0.4 * k, label=name)
    yield context.finding(
        "Sim 4: dropped by 10 cm it rocks, comes to rest and stays standing",
        printed="about 4",
        ours=rest,
        unit="s to rest (below 2 cm/s and 0.02 rad/s)",
        ok=not down and 2.0 < rest < 8.0,
        reason="the rocking dies with the ground's dampers on reconstructed foot boxes",
    )
    yield context.finding(
        "Sim 4: sub-steps a frame at rest, Fehlberg 4(5), eps 1e-4",
        printed=11,
        ours=rate,
        ok=5.5 < rate < 22.0,
        reason="which corners touch depends on the reconstructed boxes",
    )
    yield context.finding(
        "the same at rest with the implicit pair", ours=runs["implicit pair"][2], unit="steps a frame", beyond=True
    )


@experiment("person-cost", f"{MCKENNA_1994}, 7.1, Sim 3, 5-11, Tables 5-6", "What joints, forces and pictures cost")
def cost(context: ExperimentContext) -> Findings:
    frames = 200 if context.quick else 1000
    times = [1e6 * joint_cost(count, frames) for count in JOINT_COUNTS]
    slope, base = np.polyfit(JOINT_COUNTS[4:], times[4:], 1)
    bend = np.polyval([slope, base], JOINT_COUNTS[4:]) / np.array(times[4:])
    draw_cost(context, times, slope, base)
    yield context.finding(
        "Sim 9: cost beyond 8 joints is linear in their number",
        printed="linear",
        ours=float(np.abs(bend - 1.0).max()),
        unit="largest share off a straight line",
        ok=bool(np.abs(bend - 1.0).max() < 0.15),
        reason="timings of a shared machine",
    )
    yield context.finding(
        "Sim 9: a step of 84 joints over one of 8 joints",
        printed=PRINTED_SECONDS[-1] / PRINTED_SECONDS[4],
        ours=times[-1] / times[4],
        ok=0.5 < times[-1] / times[4] / (PRINTED_SECONDS[-1] / PRINTED_SECONDS[4]) < 2.0,
        reason="the constant part of a step differs",
    )
    yield context.finding(
        "Sim 9: 84 joints, a step of four evaluations (printed: six on a 150 MHz machine)",
        printed=0.76,
        ours=times[-1] * 1e-6,
        unit="s",
        beyond=True,
    )
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
    saving = 100.0 * (1.0 - driven / forward)
    yield context.finding(
        "Sim 10: inverse dynamics at all joints against forward dynamics",
        printed=6.0,
        ours=saving,
        unit="% cheaper",
        ok=0.0 < saving < 25.0,
        reason="here driven joints go through the same passes as free ones and their given acceleration is added",
    )


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
    more = 100.0 * (loaded / plain - 1.0)
    yield context.finding(
        "Sim 11: springs, dampers and limits at every joint cost so much more",
        printed=2.0,
        ours=more,
        unit="%",
        ok=more < 10.0,
        reason="the dynamics of a step became 10⁵ times cheaper; two exponentials a joint did not, and now they show",
    )


def ground_cost(context: ExperimentContext, frames: int) -> Findings:
    """Sim 3: over the ground without touching it."""
    figure = single_body()
    plain, over = (
        step_seconds(person_world(figure, grounded=grounded, gravity=0.0), frames) for grounded in (False, True)
    )
    yield context.finding(
        "Sim 3: looking for ground that is not touched, one body: so much slower",
        printed=41.0,
        ours=100.0 * (over / plain - 1.0),
        unit="% (Table 5: 55 s against 39 s; the text says about 30)",
        ok=over / plain < 2.0,
        reason="a step of one body takes under a microsecond; some forty bounding spheres are looked at in it",
    )


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
    for layer, printed, polygons in ((SIMPLE, 35.7, 1160), (DISPLAY, 14.5, 10420)):
        yield context.finding(
            f"Sims 6, 7: pictures a second of the {layer} (printed: {polygons} polygons, graphics hardware)",
            printed=printed,
            ours=rates[layer],
            unit="1/s",
            ok=rates[layer] > 0.5 * printed,
            reason="drawn by the processor, with shadows and smooth edges",
        )


def draw_cost(context: ExperimentContext, times, slope: float, base: float) -> None:
    """Time of a step over the number of joints, ours and printed."""
    title = "cost of a step against the number of joints"
    with context.axes("joints", 7.0, 3.2, x="joints", y="Gambol [µs]", title=title) as axes:
        axes.plot(JOINT_COUNTS, times, "o", color=CURVES[0], label="Gambol [µs a step]")
        line = np.array([0, 84])
        axes.plot(line, base + slope * line, color=CURVES[0], linewidth=0.8)
        other = axes.twinx()
        other.plot(JOINT_COUNTS, PRINTED_SECONDS, "s", color=CURVES[1], markersize=4, label="printed [ms a step]")
        other.set_ylabel("printed [ms]", fontsize=9)
        other.set_ylim(bottom=0.0)
        axes.set_ylim(bottom=0.0)
        handles = [*axes.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
        axes.legend(handles, ["Gambol", "printed (1994)"], frameon=False, fontsize=8, loc="upper left")
