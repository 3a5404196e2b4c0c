"""A new process is ready at once: the import is light, and with a warm cache the first step comes within a second."""

import os
import subprocess
import sys

import pytest
from numba.core import config

FIRST_STEP = """
import time
start = time.perf_counter()
from gambol import Simulation, World, chain
sim = Simulation(World(chain(5)))
sim.run(0.01)
print(time.perf_counter() - start)
"""
IMPORT = "import time; start = time.perf_counter(); import gambol; print(time.perf_counter() - start)"


def best(code: str, tries: int) -> float:
    run = [sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    runs = [subprocess.run(run, env=env, capture_output=True, text=True, check=True) for _ in range(tries)]
    return min(float(r.stdout) for r in runs)


def test_import_is_light():
    assert best(IMPORT, 3) < 0.5


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled, nothing is cached")
def test_first_step_within_a_second_from_a_warm_cache():
    best(FIRST_STEP, 1)
    assert best(FIRST_STEP, 4) < 1.0
