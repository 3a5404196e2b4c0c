"""Digests of functions are those of every process."""

import os
import subprocess
import sys

TEXT = """
import numpy as np
from gambol.jit import code_digest, function
from gambol.math.scalar import constant

@function
def law(x, names=frozenset({"a", "b"})):
    return constant(x, 2.0) * np.full_like(x, 1.0) * np.sin(x)

print(code_digest(law))
"""


def test_a_function_that_calls_libraries_has_one_digest_in_every_process():
    found = {
        subprocess.run(
            [sys.executable, "-c", TEXT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64
