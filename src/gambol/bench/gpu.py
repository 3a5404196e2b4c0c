"""Worlds on a GPU: hexapods of 30 DOF that land on six feet by linearly implicit Euler, a thread each."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gambol.bench.result import Result
from gambol.bench.standing import LANDING_STEP, GambolStand
from gambol.jit.device import missing
from gambol.jit.machine import level
from gambol.stepping.options import Stepping
from gambol.world.device_simulation import DeviceSimulation
from gambol.world.simulation import Simulation

GPU_CASE = "gpu-hexapod"
GPU_WORLDS = (4096, 32768, 131072, 524288)
SHOWN_WORLDS = 131072  # of the result; the others are in its notes
PROCESSOR_WORLDS = 64
STEPS = 100  # timed together


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Steps a second by `advance`, in float32 and float64, beside one core of the processor in packs."""
    if what := missing():
        progress()
        return [Result(GPU_CASE, f"not measured, no CUDA device: {what}", "1/s", 0.0, {}, None)]
    return [_measure(bits, rounds, progress) for bits in (32, 64)]


def _measure(bits: int, rounds: int, progress: Callable[[], None]) -> Result:
    stand = GambolStand()
    dtype = np.float32 if bits == 32 else np.float64
    stepping = Stepping(method="implicit-euler", step=LANDING_STEP)
    options = dict(stepping=stepping, dtype=dtype)
    notes, shown = [], 0.0
    for worlds in GPU_WORLDS:
        sim = Simulation(stand.sim.world, worlds=worlds, device="cuda", **options)  # type: ignore[arg-type]
        assert isinstance(sim, DeviceSimulation)
        began = time.perf_counter()
        _rate(sim, stand.start, 1)
        first = time.perf_counter() - began
        kernel, whole = 0.0, 0.0
        for _ in range(max(rounds, 3)):
            whole = max(whole, _rate(sim, stand.start, STEPS))
            kernel = max(kernel, worlds * STEPS / sim.device.seconds)
        notes.append(
            f"float{bits}, {worlds} worlds: {whole / 1e6:.1f} million steps a second, the kernel alone"
            f" {kernel / 1e6:.1f}; first step after {first:.0f} s"
        )
        shown = whole if worlds == SHOWN_WORLDS else shown
        progress()
    packs = Simulation(stand.sim.world, worlds=PROCESSOR_WORLDS, **options)  # type: ignore[arg-type]
    _rate(packs, stand.start, 1)
    one = max(_rate(packs, stand.start, STEPS) for _ in range(max(rounds, 3)))
    metric = f"steps a second of {SHOWN_WORLDS} hexapods on six feet on a GPU, float{bits}"
    return Result.of_rates(f"{GPU_CASE}-{bits}", metric, "1/s", shown, {f"one core {level()}": one}, None, tuple(notes))


def _rate(sim: Simulation, start: np.ndarray, steps: int) -> float:
    """World steps a second of so many steps from the start, what it takes to get there not counted."""
    sim.reset(start)
    sim.advance(LANDING_STEP)
    began = time.perf_counter()
    sim.advance(LANDING_STEP * (1 + steps))
    return sim.worlds * steps / (time.perf_counter() - began)
