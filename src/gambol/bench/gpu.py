"""Worlds on a GPU, a thread each, by the thousand: hexapods on six feet, walking roaches, standing persons."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gambol.bench.person import CONTACT_STEP
from gambol.bench.result import Floor, Result
from gambol.bench.standing import (
    LANDING_STEP,
    POSE_SAMPLE,
    GambolStand,
    MuJoCoStand,
    pose_error,
)
from gambol.experiments.roach.performance import QUICK_EPS
from gambol.jit.device import missing
from gambol.jit.machine import level
from gambol.models import person90, walking_roach
from gambol.models.person import person_world, posture, stand
from gambol.stepping.options import Stepping
from gambol.world.device_simulation import DeviceSimulation
from gambol.world.simulation import Simulation

GPU_WORLDS = (4096, 32768, 131072, 524288)
SHOWN_WORLDS = 131072  # of the result; the others are in its notes
PROCESSOR_WORLDS = 64
STEPS_TIMED = 100  # together
PAIR_SECONDS = 0.25  # of landing and standing, by the implicit pair
ROACHES, ROACH_SECONDS = 65536, 0.2
PERSONS = 32768
MJX_WORLDS = (4096, 16384)
MJX_STEPS = (1e-3, 5e-4, 2e-4)  # [s] to choose from
MJX_REFERENCE_STEP, MJX_FLOOR = 5e-5, 10.0
DTYPES: dict[int, Any] = {32: np.float32, 64: np.float64}
Measured = Callable[[int, Callable[[], None]], list[Result]]


def _on_a_device(case: str) -> Callable[[Measured], Measured]:
    """A case that says so where there is no CUDA device."""

    def wrap(measure: Measured) -> Measured:
        def measured(rounds: int, progress: Callable[[], None]) -> list[Result]:
            if what := missing():
                progress()
                return [Result(case, f"not measured, no CUDA device: {what}", "1/s", 0.0, {}, None)]
            return measure(rounds, progress)

        measured.__doc__ = measure.__doc__
        return measured

    return wrap


@_on_a_device("gpu-hexapod")
def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Fixed steps a second by `advance`, in float32 and float64, beside one core of the processor in packs."""
    return [_fixed_steps(bits, rounds, progress) for bits in DTYPES]


def _fixed_steps(bits: int, rounds: int, progress: Callable[[], None]) -> Result:
    stand_still = GambolStand()
    options: Any = dict(stepping=Stepping(method="implicit-euler", step=LANDING_STEP), dtype=DTYPES[bits])
    notes, shown = [], 0.0
    for worlds in GPU_WORLDS:
        sim = _there(stand_still.sim.world, worlds=worlds, **options)
        began = time.perf_counter()
        _rate(sim, stand_still.start, 1)
        first = time.perf_counter() - began
        kernel, whole = 0.0, 0.0
        for _ in range(max(rounds, 3)):
            sim.device.seconds = 0.0
            whole = max(whole, _rate(sim, stand_still.start, STEPS_TIMED))
            kernel = max(kernel, worlds * (1 + STEPS_TIMED) / sim.device.seconds)
        notes.append(
            f"float{bits}, {worlds} worlds: {whole / 1e6:.1f} million steps a second, the kernel alone"
            f" {kernel / 1e6:.1f}; first step after {first:.0f} s"
        )
        shown = whole if worlds == SHOWN_WORLDS else shown
        progress()
    packs = Simulation(stand_still.sim.world, worlds=PROCESSOR_WORLDS, **options)
    _rate(packs, stand_still.start, 1)
    one = max(_rate(packs, stand_still.start, STEPS_TIMED) for _ in range(max(rounds, 3)))
    metric = f"steps a second of {SHOWN_WORLDS} hexapods on six feet on a GPU, float{bits}"
    return Result.of_rates(
        f"gpu-hexapod-{bits}", metric, "1/s", shown, {f"one core {level()}": one}, None, tuple(notes)
    )


@_on_a_device("gpu-pair")
def measure_pair(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Attempts a second by the adaptive implicit pair, hexapods that land and stand, each on its own clock."""
    found = []
    for bits, dtype in DTYPES.items():
        described = GambolStand()
        sim = _there(
            described.sim.world, worlds=SHOWN_WORLDS, stepping=Stepping(method="implicit-pair", eps=1e-3), dtype=dtype
        )
        start = np.tile(described.start, (sim.worlds, 1))
        start[:, 2] += np.linspace(0.0, 2e-3, sim.worlds)
        sim.reset(start)
        rate, note = _attempts(sim, PAIR_SECONDS, functools.partial(sim.reset, start), rounds)
        metric = f"attempts a second of {sim.worlds} hexapods by the implicit pair on a GPU, float{bits}"
        found.append(Result(f"gpu-pair-{bits}", metric, "1/s", rate, {}, None, None, (note,)))
        progress()
    return found


@_on_a_device("gpu-roach")
def measure_roach(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Attempts a second of walking roaches, whose strokes are timed writes."""
    heights = (0.0175 + 1e-6 * np.arange(ROACHES)).tolist()
    sim = walking_roach(eps=QUICK_EPS, worlds=ROACHES, dtype=np.float32, height=heights, device="cuda")
    assert isinstance(sim, DeviceSimulation)
    sim.run(0.05)
    saved = sim.save()
    rate, note = _attempts(sim, ROACH_SECONDS, lambda: sim.restore(saved), rounds)
    progress()
    metric = f"attempts a second of {ROACHES} walking roaches on a GPU, float32"
    return [Result("gpu-roach", metric, "1/s", rate, {}, None, None, (note,))]


@_on_a_device("gpu-person")
def measure_person(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Fixed steps a second of persons of 90 DOF who stand on complex feet."""
    standing = stand(person_world(person90()), posture(wide=True))
    stepping = Stepping(method="implicit-euler", step=CONTACT_STEP)
    sim = _there(standing.sim.world, worlds=PERSONS, stepping=stepping, dtype=np.float32)
    best = 0.0
    for _ in range(max(rounds, 3) + 1):
        sim.reset(standing.analysis.q)
        standing.state.apply(sim)
        sim.advance(CONTACT_STEP)
        began = time.perf_counter()
        sim.advance(CONTACT_STEP * (1 + STEPS_TIMED))
        best = max(best, sim.worlds * STEPS_TIMED / (time.perf_counter() - began))
        progress()
    metric = f"steps a second of {PERSONS} standing persons of 90 DOF on a GPU, float32"
    return [Result("gpu-person", metric, "1/s", best, {}, None)]


@_on_a_device("gpu-mjx")
def measure_mjx(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The landing hexapod beside MJX: simulated seconds a second at MJX's longest step whose poses are as good."""
    ours = GambolStand()
    error = pose_error(ours.poses(), GambolStand(Stepping(method="implicit-pair", eps=1e-8)).poses())
    stepping = Stepping(method="implicit-euler", step=LANDING_STEP)
    sim = _there(ours.sim.world, worlds=SHOWN_WORLDS, stepping=stepping, dtype=np.float32)
    rate = max(_rate(sim, ours.start, STEPS_TIMED) for _ in range(max(rounds, 3))) * LANDING_STEP
    progress()
    metric = "simulated seconds a second of hexapods on six feet on a GPU, float32"
    try:
        from mujoco import mjx  # noqa: F401
    except ImportError:
        notes: tuple[str, ...] = ("MJX is not installed: pip install mujoco-mjx",)
        return [Result("gpu-mjx", metric, "s/s", rate, {}, None, Floor("ratio", MJX_FLOOR), notes)]
    reference = MuJoCoStand(MJX_REFERENCE_STEP).poses()
    errors = {step: pose_error(MuJoCoStand(step).poses(), reference) for step in MJX_STEPS}
    step = next((step for step, theirs in errors.items() if theirs <= error), MJX_STEPS[-1])
    theirs = {f"MJX, {worlds} worlds": _mjx_rate(step, worlds, rounds) for worlds in MJX_WORLDS}
    progress()
    notes = (
        f"ours: step {LANDING_STEP:g} s, {sim.worlds} worlds, largest pose error {error:.2g}",
        f"MJX: step {step:g} s, largest pose error {errors[step]:.2g} (of MuJoCo at that step), its default solver",
        f"step for step: {rate / LANDING_STEP / (max(theirs.values()) / step):.3g} times",
    )
    return [Result.of_rates("gpu-mjx", metric, "s/s", rate, theirs, Floor("ratio", MJX_FLOOR), notes)]


def _mjx_rate(step: float, worlds: int, rounds: int) -> float:
    """Simulated seconds a second of MJX."""
    import jax
    from mujoco import mjx

    model = MuJoCoStand(step)
    there = mjx.put_model(model.model)
    one = mjx.put_data(model.model, model.data)
    many = jax.tree.map(lambda x: jax.numpy.broadcast_to(x, (worlds, *x.shape)), one)
    steps = round(POSE_SAMPLE / step)

    @jax.jit
    def go(data):
        return jax.lax.fori_loop(0, steps, lambda _, d: jax.vmap(mjx.step, (None, 0))(there, d), data)

    best, data = 0.0, jax.block_until_ready(go(many))
    for _ in range(max(rounds, 3)):
        began = time.perf_counter()
        data = jax.block_until_ready(go(data))
        best = max(best, worlds * POSE_SAMPLE / (time.perf_counter() - began))
    assert bool(jax.numpy.isfinite(data.qpos).all())
    return best


def _there(world: Any, **options: Any) -> DeviceSimulation:
    sim = Simulation(world, device="cuda", **options)
    assert isinstance(sim, DeviceSimulation)
    return sim


def _attempts(sim: DeviceSimulation, seconds: float, restart: Callable[[], None], rounds: int) -> tuple[float, str]:
    """Best attempts a second over some simulated time, and a note with the rates behind it."""

    def attempts() -> float:
        return float(np.sum(sim.counts["steps"] + sim.counts["rejected"]))

    began = time.perf_counter()
    sim.run(seconds)
    first, best, kernel, simulated, share = time.perf_counter() - began, 0.0, 0.0, 0.0, 0.0
    for _ in range(max(rounds, 3)):
        restart()
        before, rejected = attempts(), float(np.sum(sim.counts["rejected"]))
        sim.device_arrays()  # the start has gone to the device
        sim.device.seconds = 0.0
        began = time.perf_counter()
        sim.run(seconds)
        spent = time.perf_counter() - began
        made = attempts() - before
        kernel = max(kernel, made / sim.device.seconds)
        share = (float(np.sum(sim.counts["rejected"])) - rejected) / made
        best, simulated = max((best, simulated), (made / spent, sim.worlds * seconds / spent))
    return best, (
        f"{simulated:.0f} simulated seconds a second, {100 * share:.0f} % of attempts rejected; the kernel alone"
        f" {kernel / 1e6:.1f} million attempts a second; first run {first:.0f} s"
    )


def _rate(sim: Simulation, start: np.ndarray, steps: int) -> float:
    """World steps a second of so many steps from the start, what it takes to get there not counted."""
    sim.reset(start)
    sim.advance(LANDING_STEP)
    began = time.perf_counter()
    sim.advance(LANDING_STEP * (1 + steps))
    return sim.worlds * steps / (time.perf_counter() - began)
