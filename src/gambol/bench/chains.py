"""Long chains: the cost of a step, of the set-up and of memory for each link, each chain in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

from gambol import GambolError
from gambol.bench.result import Floor, Result

SHORTEST = 1000  # links of the chain that longer ones are compared with
LINKS = (SHORTEST, 10_000, 100_000)
# What lies in the processor's caches at 1,000 links comes from its memory at 100,000: a step may take so much longer
# for each link. A cost that grew with the length would be 100 times as much.
SLOWER_FROM_MEMORY = 4.0
SCRIPT = """
import json, resource, sys, time
from gambol import Simulation, Stepping, World, chain

links, rounds = map(int, sys.argv[1:])
step = 1e-7
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
short = Simulation(World(chain(2)), stepping=Stepping(method="semi-implicit-euler", step=step), ledger=False)
short.run(step)
before, began = used(), time.process_time()
sim = Simulation(World(chain(links)), stepping=Stepping(method="semi-implicit-euler", step=step), ledger=False)
sim.run(step)
ready, taken, best = time.process_time() - began, max(2_000_000 // links, 5), float("inf")
for _ in range(rounds):
    began = time.process_time()
    sim.run(taken * step)
    best = min(best, (time.process_time() - began) / taken)
print(json.dumps({"step": best, "ready": ready, "bytes": used() - before}))
"""


def measure_links(links: int, rounds: int) -> dict[str, float]:
    """Of a chain: `step` and `ready`, from description to first step [s of the processor]; `bytes` of memory."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", SCRIPT, str(links), str(min(rounds, 10))]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if run.returncode:
        raise GambolError(f"a chain of {links} links could not be measured: {run.stderr.strip()[-500:]}")
    return json.loads(run.stdout.splitlines()[-1])


def measure(links: int, rounds: int, progress: Callable[[], None]) -> list[Result]:
    """A chain of so many links, beside one of SHORTEST."""
    found = measure_links(links, rounds)
    progress()
    base = found if links == SHORTEST else measure_links(SHORTEST, rounds)
    each = {name: value / links for name, value in found.items()}
    ours, theirs = 1e9 * each["step"], 1e9 * base["step"] / SHORTEST
    note = (
        f"{links} links: {1e3 * found['step']:.3g} ms a step; ready after {found['ready']:.2f} s"
        f" ({1e6 * each['ready']:.0f} µs a link), {found['bytes'] / 1e6:.0f} MB ({each['bytes'] / 1e3:.1f} kB a link)"
    )
    peers = {} if links == SHORTEST else {f"chain of {SHORTEST}": theirs}
    floor = Floor("ratio", 1.0 / SLOWER_FROM_MEMORY) if peers else None
    metric = "a step of a long chain, for each link"
    return [Result.of_times(f"chain-{links}", metric, "ns", ours, peers, floor, (note,))]
