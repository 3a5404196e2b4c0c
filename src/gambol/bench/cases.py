"""The cases of `gambol bench`: what is measured, against whom, and what is asked of it."""

import fnmatch
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import numpy as np

from gambol import Figure, GambolError, UnknownNameError, chain
from gambol.bench import chains, fourbar, standing, startup
from gambol.bench.gambol_contender import BENCH_STEP, GambolContender, generic_state
from gambol.bench.peers import HOW_TO_INSTALL, PEERS, missing
from gambol.bench.result import Floor, Result
from gambol.bench.timing import Contender, seconds_per_step
from gambol.errors import nearest
from gambol.jit.machine import level
from gambol.models import hexapod30, person90

BENCH_FIGURES: dict[str, Callable[[], Figure]] = {"hexapod": hexapod30, "person": person90}
CHAIN_LENGTHS = (4, 8, 16, 32, 64, 128, 256)
HEAP_SIZES = (50, 200, 500)
PACK_WORLDS = 64
MAX_LINEARITY_RATIO = 1.3  # the cost per joint of a chain of 256 may exceed that of 32 by this factor
ACCELERATION_TOLERANCE = {np.float64: 1e-8, np.float32: 1e-3}  # of accelerations, in parts of the largest
# What is asked for, by the width of the machine's registers: with AVX-512, and without
ONE_WORLD_FLOORS = {True: {"hexapod": 3.5, "person": 4.2}, False: {"hexapod": 3.3, "person": 4.0}}
PACK_FLOORS = {
    True: {("hexapod", 64): 15.0, ("person", 64): 17.0, ("hexapod", 32): 30.0, ("person", 32): 34.0},
    False: {("hexapod", 64): 10.0, ("person", 64): 11.0, ("hexapod", 32): 20.0, ("person", 32): 24.0},
}
THREAD_FLOORS = {"hexapod": 1.7, "person": 1.6}
WIDE = level() == "x86-64-v4"
Measure = Callable[[int, Callable[[], None]], list[Result]]


@dataclass(frozen=True)
class Case:
    """A name, a line of explanation, and how it is measured (rounds, progress → results)."""

    name: str
    description: str
    measure: Measure


def cases() -> dict[str, Case]:
    """Every case of a run without names."""
    made = [one_world_case(name) for name in BENCH_FIGURES]
    made += [chain_case(n) for n in CHAIN_LENGTHS]
    made += [long_chain_case(n) for n in chains.LINKS]
    made += [pack_case(bits, name) for bits in (64, 32) for name in BENCH_FIGURES]
    made += [thread_case(name) for name in BENCH_FIGURES]
    made += [
        Case("threads-all", "2,048 hexapods on all cores against one", _of("scaling")),
        Case(standing.CONTACT_CASE, "a hexapod lands and stands on six feet, one world", standing.measure),
        Case("hexapod-hybrid", "one compliant hexapod, a hybrid system, on one core", _of("hybrid")),
        Case("hexapod-hybrid-batch", "64 compliant hexapods in packs on one core", _of("hybrid", "measure_batch")),
        Case(
            "roach-implicit", "a walking roach by the implicit pair, and 64 in packs", _of("roach", "measure_implicit")
        ),
        Case("roach-explicit", "a walking roach by the explicit pair, eps 10", _of("roach", "measure_explicit")),
        Case("person-standing", "a person stands on complex feet; a step with contact beside MuJoCo's", _of("person")),
        Case("hexapod-carrying", "a hexapod carries a box by contact", _of("couplings", "measure_carrying")),
        Case("person-muscles", "a person with twenty muscles", _of("couplings", "measure_muscles")),
        *(
            Case(f"heap-{n}", f"{n} free balls that may touch each other", _of("heap", "measure", n))
            for n in HEAP_SIZES
        ),
        Case("gpu-hexapod", "hexapods on six feet on a CUDA device, by the thousand", _of("gpu")),
        Case("gpu-pair", "hexapods by the adaptive implicit pair on a CUDA device", _of("gpu", "measure_pair")),
        Case("gpu-roach", "walking roaches on a CUDA device", _of("gpu", "measure_roach")),
        Case("gpu-person", "standing persons of 90 DOF on a CUDA device", _of("gpu", "measure_person")),
        Case("gpu-mjx", "hexapods on six feet on a CUDA device, beside MJX", _of("gpu", "measure_mjx")),
        Case("env-hexapod", "an environment of hexapods beside gymnasium's over MuJoCo", _of("environments")),
        Case(
            "env-overhead", "an environment over the bare march of its worlds", _of("environments", "measure_overhead")
        ),
        Case("study-processes", "a sweep of nothing, by the point", _of("studies", "measure_processes")),
        Case("study-ray", "a sweep of nothing on a cluster of Ray, by the point", _of("studies", "measure_ray")),
        Case("fourbar", "ten seconds of a mechanism with two loops, to an energy error", fourbar.measure),
        Case("startup", "import, and the first step of a new process", startup.measure),
        Case("startup-cold", "the first step where nothing was compiled yet", startup.measure_cold),
        Case("startup-wheel", "the first step after installing a wheel of dist/", startup.measure_wheel),
        Case("view-pictures", "the live view of persons of 90 and 142 DOF, WebGL in software", _of("view")),
        Case("view-first", "from `gambol view roach` to the first picture", _of("view", "measure_first")),
        Case("view-cost", "what looking takes of the simulation's speed", _of("view", "measure_cost")),
    ]
    return {case.name: case for case in made}


def select_cases(names: Sequence[str]) -> list[Case]:
    """The cases of these names or patterns (`aba-*`); all of them for none."""
    table = cases()
    if not names:
        return list(table.values())
    found: dict[str, Case] = {}
    complaints = []
    for name in names:
        links = re.fullmatch(r"(?:aba-)?chain-(\d+)", name)
        of_links = chain_case if name.startswith("aba") else long_chain_case
        matching = fnmatch.filter(table, name) if set(name) & set("*?[") else [name] if name in table else []
        if links and int(links.group(1)) > 0:
            found[name] = table.get(name) or of_links(int(links.group(1)))
        elif matching:
            found |= {match: table[match] for match in matching}
        else:
            allowed = [c for c in table if not c.startswith(("aba-chain", "chain-"))] + ["aba-chain-N", "chain-N"]
            complaints.append(f"no case '{name}'{nearest(name, allowed)}")
    if complaints:
        raise UnknownNameError("\n".join(complaints))
    return list(found.values())


# ---------------------------------------------------------------- one world
def one_world_case(name: str) -> Case:
    """One world of a figure, one core, beside the peers."""
    about = "one world, one core: a step of smooth dynamics"
    floor = Floor("ratio", ONE_WORLD_FLOORS[WIDE][name])
    return Case(f"aba-{name}", about, partial(_one_world, f"aba-{name}", BENCH_FIGURES[name], floor))


def chain_case(n: int) -> Case:
    """A chain of n hinges, one world."""
    about = f"a chain of {n} hinges, one world"
    return Case(f"aba-chain-{n}", about, partial(_one_world, f"aba-chain-{n}", partial(chain, n), None))


def long_chain_case(n: int) -> Case:
    """A chain of n hinges in a process of its own: time and memory for each link."""
    about = f"a chain of {n} hinges: step, set-up and memory for each"
    return Case(f"chain-{n}", about, partial(chains.measure, n))


def _by_processor(contenders: Sequence[Contender], rounds: int, progress: Callable[[], None]) -> dict[str, float]:
    """Seconds a step of what runs in one thread: of its own time on the processor, which others take nothing from."""
    return seconds_per_step(contenders, rounds=rounds, progress=progress, clock=time.thread_time)


def _one_world(
    case: str, figure: Callable[[], Figure], floor: Floor | None, rounds: int, progress: Callable[[], None]
) -> list[Result]:
    made = figure()
    state = generic_state(made)
    ours = GambolContender(made, *state)
    peers = [peer(made, *state, step=BENCH_STEP) for name, peer in PEERS.items() if name not in missing()]
    # MuJoCo factors the mass matrix, whose condition grows as the fourth power of a chain's length.
    tolerance = ACCELERATION_TOLERANCE[np.float64] * max(1.0, len(made.bodies) / 128) ** 4
    check_agreement(ours.acceleration(), [(p.name, p.acceleration()) for p in peers], tolerance)
    ours.check_steps()
    best = {name: 1e6 * s for name, s in _by_processor([ours, *peers], rounds, progress).items()}
    metric = "a step of smooth dynamics: forward dynamics + semi-implicit Euler (Pinocchio: forward dynamics alone)"
    return [Result.of_times(case, metric, "µs", best.pop(ours.name), best, floor, notes=_absent(PEERS))]


# ---------------------------------------------------------------- many worlds
def pack_case(bits: int, name: str) -> Case:
    """Many worlds of a figure in packs of float64 or float32, one core."""
    about = f"{PACK_WORLDS} worlds in packs of float{bits}, one core"
    floor = Floor("ratio", PACK_FLOORS[WIDE][name, bits])
    dtype = np.float64 if bits == 64 else np.float32
    case = f"batch{bits}-{name}"
    return Case(case, about, partial(_packs, case, BENCH_FIGURES[name], dtype, floor))


def _packs(case: str, figure, dtype, floor: Floor, rounds: int, progress: Callable[[], None]) -> list[Result]:
    made = figure()
    ours = _many(made, dtype)
    contenders: list = [ours]
    start = (ours.start[0][0], ours.start[1][0])
    alone = GambolContender(made, *start, name="one world")
    check_agreement(alone.acceleration(), [("the pack", ours.acceleration()[0])], ACCELERATION_TOLERANCE[dtype])
    if "MuJoCo" not in missing():
        peer = PEERS["MuJoCo"](made, *start, step=BENCH_STEP)
        check_agreement(alone.acceleration(), [(peer.name, peer.acceleration())], ACCELERATION_TOLERANCE[np.float64])
        contenders.append(peer)
    ours.check_steps()
    best = _by_processor(contenders, rounds, progress)
    rate = PACK_WORLDS / best.pop(ours.name)
    peers = {name: 1.0 / s for name, s in best.items()}
    metric = f"world-steps a second, one core ({PACK_WORLDS} worlds in packs; MuJoCo steps one world)"
    return [Result.of_rates(case, metric, "1/s", rate, peers, floor, notes=_absent(["MuJoCo"]))]


def _many(figure: Figure, dtype=np.float64, threads: int = 1, name: str = "Gambol") -> GambolContender:
    return GambolContender(
        figure, *generic_state(figure, PACK_WORLDS), name=name, worlds=PACK_WORLDS, dtype=dtype, threads=threads
    )


def thread_case(name: str) -> Case:
    """Many worlds of a figure on two threads, against one."""
    about = f"{PACK_WORLDS} worlds in packs of float64, two threads against one"
    floor = Floor("ratio", THREAD_FLOORS[name])
    return Case(f"threads-{name}", about, partial(_threads, f"threads-{name}", BENCH_FIGURES[name], floor))


def _threads(case: str, figure, floor: Floor | None, rounds: int, progress: Callable[[], None]) -> list[Result]:
    made = figure()
    one, two = (_many(made, threads=n, name=f"{n} thread{'s'[: n - 1]}") for n in (1, 2))
    two.check_steps()
    best = seconds_per_step([one, two], rounds=rounds, progress=progress)
    rates = {name: PACK_WORLDS / s for name, s in best.items()}
    metric = "world-steps a second, two threads against one"
    return [Result.of_rates(case, metric, "1/s", rates.pop(two.name), rates, floor)]


# ---------------------------------------------------------------- what takes longer to import
def _of(module: str, name: str = "measure", *arguments: int) -> Measure:
    """A function of a module of this package that is imported when it is measured; its first arguments."""
    return lambda rounds, progress: getattr(import_module(f"gambol.bench.{module}"), name)(*arguments, rounds, progress)


# ---------------------------------------------------------------- what all share
def check_agreement(ours: np.ndarray, others: Iterable[tuple[str, np.ndarray]], tolerance: float) -> None:
    """Two engines are compared only while they do the same mechanics."""
    scale = max(float(np.abs(ours).max()), 1.0)
    for name, theirs in others:
        error = float(np.abs(theirs - ours).max()) / scale
        if not error <= tolerance:
            raise GambolError(
                f"the accelerations of {name} differ from ours by {error:.3g} of the largest"
                f" (allowed: {tolerance:g}): they do not simulate the same system, so nothing was timed"
            )


def _absent(names: Iterable[str]) -> tuple[str, ...]:
    gone = [name for name in missing() if name in names]
    return (f"{' and '.join(gone)} not installed: {HOW_TO_INSTALL}",) if gone else ()


def linearity(results: Sequence[Result]) -> tuple[float, bool] | None:
    """Cost per joint of the chain of 256 over that of 32, and whether it is within bounds; None without both."""
    ours = {r.case: r.ours for r in results}
    if not {"aba-chain-32", "aba-chain-256"} <= set(ours):
        return None
    ratio = ours["aba-chain-256"] / 256 / (ours["aba-chain-32"] / 32)
    return ratio, ratio <= MAX_LINEARITY_RATIO
