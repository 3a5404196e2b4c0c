"""A new process is ready at once: the import is light, and with a warm cache nothing is compiled."""

import os
import subprocess
import sys

import pytest
from numba.core import config

HEAVY = ("h5py", "matplotlib", "numba", "numpy", "pandas", "scipy", "websockets", "xarray", "yaml")
IMPORT = f"import sys, gambol; print([name for name in {HEAVY} if name in sys.modules])"
FIRST_STEP = """
from numba.core.event import install_recorder
with install_recorder("numba:compile") as compiled:
    from gambol import Simulation, World, chain
    Simulation(World(chain(5))).run(0.01)
print([event.data["dispatcher"].__name__ for _, event in compiled.buffer])
"""


def printed(code: str) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


def test_import_is_light():
    assert printed(IMPORT) == "[]\n"


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled, nothing is cached")
def test_a_second_process_compiles_nothing():
    printed(FIRST_STEP)
    assert printed(FIRST_STEP) == "[]\n"
