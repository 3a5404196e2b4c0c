"""Compiles ahead: `gambol warm`, and the code that a wheel carries.

A job compiles one part in a process of its own: the march of a number type, the force elements in it, constrained
worlds, differential equations. Jobs share the disk cache, so what is there is not compiled again.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gambol.dynamics.constraints import Join
from gambol.figure.builders import box_figure, chain
from gambol.forces.contact.terrain import Terrain
from gambol.forces.kernel import kernel_of_type
from gambol.forces.programs import (
    PROGRAM_APPLY,
    PROGRAM_COLUMNS,
    PROGRAM_ENERGY,
    PROGRAM_REPORT,
    PROGRAM_SETTLE,
    ProgramCall,
    program_addresses,
)
from gambol.forces.registry import element_types
from gambol.stepping.ode import Ode, OdeRun
from gambol.world.boundary import Boundary
from gambol.world.flow import report_row
from gambol.world.simulation import Simulation
from gambol.world.world import World

NUMBERS = {
    "float64": {},
    "packs of float64": {"worlds": 2},
    "packs of float32": {"worlds": 2, "dtype": np.float32},
}
SHORT = 1e-4  # [s] of a run


def _simulation(numbers: str) -> Simulation:
    return Simulation(World(chain(2)), **NUMBERS[numbers])  # type: ignore[arg-type]


def march(numbers: str) -> None:
    """Worlds with and without boundaries, what looks at the start of a run, poses, energies, several threads."""
    never = Boundary(name="never", watch="position", body="chain_0", value=1e6)
    for boundaries in ((), (never,)):
        sim = Simulation(World(chain(2), boundaries=boundaries), **NUMBERS[numbers])  # type: ignore[arg-type]
        sim.run(SHORT)
    if numbers == "packs of float64":
        Simulation(World(chain(2)), worlds=64, threads=2).run(SHORT)
    if numbers == "float64":
        sim.ledger()
        free = Simulation(World(box_figure(), boundaries=(Boundary(name="b", watch="height", body="box", value=-9.0),)))
        free.run(SHORT)
        chain(2).poses(np.zeros(2))
        Terrain().height(0.0, 0.0)


def elements(numbers: str) -> None:
    """Every type of force element of this package, and their reports."""
    sim = _simulation(numbers)
    own, motion = sim._row(0)
    report_row(own, motion, np.zeros((0, PROGRAM_COLUMNS), np.int64), motion.q, motion.q)
    for kind in element_types():
        kernel = kernel_of_type(kind)
        assert kernel is not None
        call = ProgramCall(kernel, 0, 0)
        which = PROGRAM_APPLY, PROGRAM_REPORT, PROGRAM_SETTLE
        program_addresses([call], own, motion, which=which, couples=True)
        if numbers == "float64":
            program_addresses([call], sim.mechanics.model, sim.mechanics._motion, which=(PROGRAM_ENERGY,))


def constrained() -> None:
    """Worlds with constraints."""
    twice = Join(body="chain_1", to="chain_0", at=(0.0, 0.0, -1.0))  # where the hinge holds it anyway
    Simulation(World(chain(2), constraints=[twice])).run(SHORT)


def equations() -> None:
    """Plain differential equations."""

    def still(t, y, p, out):
        out[0] = 0.0

    OdeRun(Ode(still, 1), [0.0]).run(SHORT)


FIRST: dict[str, Callable[[], None]] = {
    "march, float64": lambda: march("float64"),
    "elements, float64": lambda: elements("float64"),
}
REST: dict[str, Callable[[], None]] = {
    "march, packs of float64": lambda: march("packs of float64"),
    "march, packs of float32": lambda: march("packs of float32"),
    "constrained worlds": constrained,
    "elements, packs of float64": lambda: elements("packs of float64"),
    "elements, packs of float32": lambda: elements("packs of float32"),
    "differential equations": equations,
}


def jobs(everything: bool) -> list[str]:
    """Names of what there is to compile: for single worlds in float64, or everything."""
    return [*FIRST, *(REST if everything else ())]


def run(names: Sequence[str], cores: int | None = None) -> Iterator[tuple[str, int, str]]:
    """Runs jobs, each in its own process; (job, exit code, what it said), in their order. Who leaves it ends them."""
    started: list[subprocess.Popen[str]] = []
    starting, left = threading.Lock(), threading.Event()

    def one(name: str) -> tuple[str, int, str]:
        with starting:
            if left.is_set():
                return name, 1, ""
            command = [sys.executable, "-m", "gambol.warm", name]
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            started.append(child)
        said = child.communicate()[1]
        return name, child.returncode, said.strip()

    with ThreadPoolExecutor(cores or os.cpu_count() or 1) as pool:
        try:
            yield from pool.map(one, names)
        finally:
            with starting:
                left.set()
            for child in started:  # what they have compiled is in the cache; it survives a kill
                child.kill()


if __name__ == "__main__":
    ({**FIRST, **REST})[sys.argv[1]]()
