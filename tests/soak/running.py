"""Long trials of runs: kills, memory, viewers, sweeps. Each prints what it found."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CHILD = """
import sys, time
from gambol import Joint, Recorder, Simulation, World, chain
sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
sim.reset(q=[0.5, 0.2, 0.1])
print("begin", flush=True)
recorder = Recorder(sim, sys.argv[1], every=1e-3, overwrite=True)
recorder.run(1e9, progress=lambda now: print(now, time.time(), flush=True))
"""


def resident() -> float:
    """[MB] of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def kills(count: int, seed: int) -> bool:
    """Kills a recorder at random moments: every file opens or holds nothing, and resumes; how much time was lost."""
    from gambol import Joint, Recorder, Recording, RecordingError, Simulation, World, chain

    chance = random.Random(seed)
    outcomes: dict[str, int] = {}
    worst, good = 0.0, True
    with tempfile.TemporaryDirectory() as folder:
        for trial in range(count):
            path = Path(folder) / f"{trial}.gambol"
            child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(chance.choice((chance.uniform(0.0, 0.3), chance.uniform(0.3, 3.0))))
            child.kill()
            killed = time.time()
            said = [
                tuple(map(float, line.split())) for line in child.stdout.read().splitlines() if line.count(" ") == 1
            ]
            child.wait()
            try:
                recording = Recording.open(path)
                recording.read("q")
                last = float(recording.time[-1])
                lost = [moment for now, moment in said if now > last + 1e-9]
                worst = max(worst, killed - lost[0] if lost else 0.0)
                outcome = "read"
                if trial % 5 == 0:
                    sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
                    with Recorder.resume(sim, path) as recorder:
                        recorder.run(0.1)
                    outcome = "read and resumed"
            except RecordingError as error:
                nothing = "holds nothing" in str(error) or "no such file" in str(error)
                outcome = "held nothing yet" if nothing else f"damaged: {error}"
                good &= nothing
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(f"{count} kills: {outcomes}; at most {worst:.2f} s of wall time lost")
    return good and worst <= 1.0


def made(count: int) -> bool:
    """Simulations made, run a little and dropped: does memory stay flat?"""
    from gambol import Joint, Simulation, World, chain

    sizes = []
    for k in range(count):
        sim = Simulation(World(chain(1 + k % 3, Joint("hinge", (0, 1, 0)))))
        sim.run(0.01)
        if k % max(count // 10, 1) == 0:
            sizes.append(resident())
    sizes.append(resident())
    grown = sizes[-1] - sizes[len(sizes) // 2]
    print(f"{count} simulations: {', '.join(f'{size:.0f}' for size in sizes)} MB; {grown:+.1f} MB in the second half")
    return grown < 0.02 * sizes[-1]


def views(count: int) -> bool:
    """Viewers opened and closed: ports, threads and memory come back."""
    import threading

    from gambol import Joint, World, chain
    from gambol.view import LiveSource, Viewer

    source = LiveSource.of(World(chain(2, Joint("hinge", (0, 1, 0)))))
    source.prepare()
    sizes, threads = [], []
    for k in range(count):
        with Viewer(source, port=0).start():
            pass
        source.sim.pieces.halted = False
        if k % max(count // 10, 1) == 0:
            sizes.append(resident())
            threads.append(threading.active_count())
            print(f"after {k + 1}: {sizes[-1]:.1f} MB, {threads[-1]} threads", flush=True)
    sizes.append(resident())
    grown = (sizes[-1] - sizes[len(sizes) // 2]) / max(count / 2, 1)
    print(f"{count} viewers: {', '.join(f'{s:.0f}' for s in sizes)} MB, {1e3 * grown:.0f} kB each; threads {threads}")
    return grown < 0.2 and threads[-1] <= threads[0] + 2


def cold(count: int) -> bool:
    """The process that compiles against `count` that load what it compiled: the same bits, or how far apart."""
    tests = str(Path(__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {tests!r}); import test_determinism as t; "
    code += "print(*t.run(worlds=16)[1].q[-1].ravel().view('i8'), *t.run()[1].q[-1].ravel().view('i8'))"
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(1 + count):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
            )
            made.append(np.array(run.stdout.split(), "i8"))
    apart = max(float(np.abs(made[0].view("f8") - other.view("f8")).max()) for other in made[1:])
    kinds = len({m.tobytes() for m in made[1:]})
    print(f"compiled here against loaded: {apart:.2g} apart; {count} that load: {kinds} kind of bits")
    return apart < 1e-7 and kinds == 1


def clients(count: int) -> bool:
    """Many browsers' worth of websockets at one viewer, each of which gets pictures."""
    import asyncio

    import websockets.asyncio.client as client

    from gambol import Joint, World, chain
    from gambol.view import LiveSource, Viewer

    source = LiveSource.of(World(chain(2, Joint("hinge", (0, 1, 0)))))
    source.prepare()

    async def look(address: str, until: float) -> int:
        got = 0
        async with client.connect(address, max_size=None) as connection:
            while time.monotonic() < until:
                await asyncio.wait_for(connection.recv(), 30.0)
                got += 1
        return got

    async def all_of_them(address: str) -> list[int]:
        until = time.monotonic() + 20.0
        return await asyncio.gather(*(look(address, until) for _ in range(count)))

    with Viewer(source, port=0).start() as viewer:
        got = asyncio.run(all_of_them(viewer.address.replace("http://", "ws://")))
    print(f"{count} clients for 20 s: each got {min(got)} to {max(got)} messages")
    return min(got) > 10


def sweep(count: int) -> bool:
    """A sweep of many points: all of them are rows, and doing it again does none."""
    from gambol.study import grid, read_table
    from gambol.study import sweep as run

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "target.py"
        target.write_text("def f(x, y):\n    return {'z': x * y}\n")
        side = max(round(count**0.5), 1)
        points = grid(x=list(range(side)), y=list(range(side)))
        began = time.time()
        table = run(f"{target}:f", points, Path(folder) / "study", workers=2)
        took = time.time() - began
        began = time.time()
        run(f"{target}:f", points, Path(folder) / "study", workers=2)
        right = (
            len(table) == len(points) == len(read_table(Path(folder) / "study"))
            and (table.z == table.x * table.y).all()
        )
    print(f"{len(points)} points in {took:.0f} s, again in {time.time() - began:.0f} s; right: {right}")
    return right
