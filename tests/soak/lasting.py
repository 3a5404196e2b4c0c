"""Long trials of one process: simulations made and dropped, sweeps, a day's recording, cold against cached code."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

GROWTH = 0.02  # by which memory may grow in the second half, as a share


def resident() -> float:
    """[MB] of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def collected() -> float:
    """[MB] without what Python would collect sooner or later: with Numba's objects beside it, that is late."""
    gc.collect()
    return resident()


def flat(sizes: list[float]) -> tuple[float, bool]:
    """[MB] by which memory grew in the second half, and whether that is next to nothing."""
    grown = sizes[-1] - sizes[len(sizes) // 2]
    return grown, grown < GROWTH * sizes[-1]


def made(given: Any) -> dict[str, Any]:
    """Simulations made, run a little and dropped: does memory stay flat?"""
    from gambol import Joint, Simulation, World, chain

    sizes, until, count = [], time.monotonic() + given.budget, 0
    while count < given.count and time.monotonic() < until:
        sim = Simulation(World(chain(1 + count % 3, Joint("hinge", (0, 1, 0)))))
        sim.run(0.01)
        if count % max(given.count // 10, 1) == 0:
            sizes.append(collected())
        count += 1
    sizes.append(collected())
    grown, held = flat(sizes)
    print(f"{count} simulations: {', '.join(f'{size:.0f}' for size in sizes)} MB; {grown:+.1f} MB in the second half")
    return {"held": held, "simulations": count, "memory_mb": sizes, "grown_mb": grown}


def day(given: Any) -> dict[str, Any]:
    """A recording of so many hours: memory stays flat, all of it is read back, and it is resumed."""
    from gambol import Joint, Recorder, Recording, Simulation, World, chain

    def swinging() -> Simulation:
        return Simulation(World(chain(2, Joint("hinge", (0, 1, 0)), length=0.4, radius=0.03)))

    sim, sizes, began = swinging(), [resident()], time.monotonic()
    sim.reset(q=[0.5, 0.2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.gambol"
        with Recorder(sim, path, every=given.every, reports=False) as recorder:
            for k in range(1, 21):
                recorder.run(until=3600.0 * given.hours * k / 20)
                sizes.append(resident())
                if time.monotonic() - began > given.budget:
                    break
        took, end = time.monotonic() - began, float(sim.time)
        began = time.monotonic()
        recording = Recording.open(path)
        right = bool(np.array_equal(recording.read("q")[-1].ravel(), np.ravel(sim.q)))
        reading, rows, size = time.monotonic() - began, recording.rows, path.stat().st_size / 1e6
        again = swinging()
        with Recorder.resume(again, path, reports=False) as recorder:
            recorder.run(1.0)
        right &= Recording.open(path).rows > rows
    grown, held = flat(sizes)
    print(f"{end / 3600:.2f} h, {rows} samples, {size:.0f} MB in {took:.0f} s, read in {reading:.1f} s; right: {right};"
          f" memory {', '.join(f'{s:.0f}' for s in sizes)} MB, {grown:+.1f} MB in the second half")  # fmt: skip
    found = {"hours": end / 3600, "samples": rows, "file_mb": size, "recorded_s": took, "read_s": reading}
    return {"held": held and right and rows > 0, **found, "right": right, "memory_mb": sizes}


def cold(given: Any) -> dict[str, Any]:
    """The process that compiles against some that load what it compiled: the same bits, or how far apart."""
    tests = str(Path(__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {tests!r}); import test_determinism as t; "
    code += "print(*t.run(worlds=16)[1].q[-1].ravel().view('i8'), *t.run()[1].q[-1].ravel().view('i8'))"
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(1 + given.count):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
            )
            runs.append(np.array(run.stdout.split(), "i8"))
    apart = max(float(np.abs(runs[0].view("f8") - other.view("f8")).max()) for other in runs[1:])
    kinds = len({run.tobytes() for run in runs[1:]})
    print(f"compiled here against loaded: {apart:.2g} apart; {given.count} that load: {kinds} kind of bits")
    return {"held": apart < 1e-7 and kinds == 1, "apart": apart, "kinds_of_bits": kinds}


def sweep(given: Any) -> dict[str, Any]:
    """A sweep of many points: all of them are rows, and doing it again does none."""
    from gambol.study import grid, read_table
    from gambol.study import sweep as run

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "target.py"
        target.write_text("def f(x, y):\n    return {'z': x * y}\n")
        side = max(round(given.count**0.5), 1)
        points = grid(x=list(range(side)), y=list(range(side)))
        began = time.monotonic()
        table = run(f"{target}:f", points, Path(folder) / "study", workers=given.processes)
        took = time.monotonic() - began
        began = time.monotonic()
        run(f"{target}:f", points, Path(folder) / "study", workers=given.processes)
        again = time.monotonic() - began
        right = len(table) == len(points) == len(read_table(Path(folder) / "study"))
        right = right and bool((table.z == table.x * table.y).all())
    print(f"{len(points)} points in {took:.0f} s, again in {again:.0f} s; right: {right}")
    return {"held": right, "points": len(points), "first_s": took, "again_s": again}
