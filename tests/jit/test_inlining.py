"""What is to be compiled once and called is not inlined, whoever calls it first."""

import numpy as np
import pytest
from numba import njit

from gambol.jit import JIT_ON, function, outlined, strict

pytestmark = pytest.mark.skipif(not JIT_ON, reason="nothing is compiled")


@outlined
def called(x):
    return x + 1.0


@strict
def kept_in_order(x, y):
    return (x + y) - x


@function
def between(x):
    return called(x) + kept_in_order(x, 1.0)


@njit  # no entry: one that comes from the cache compiles nothing that could be looked at
def outermost(numbers):
    numbers[0] = between(numbers[0])


def test_forceinline_is_not_handed_down():
    outermost(np.zeros(1))
    inlined = {f.__name__: [o.fndesc.inline for o in f.overloads.values()] for f in (called, between, kept_in_order)}
    assert inlined == {"called": [False], "between": [True], "kept_in_order": [True]}


def test_sums_stay_as_they_are_written():
    outermost(np.zeros(1))
    (text,) = [o.library.get_llvm_str() for o in kept_in_order.overloads.values()]
    assert "fadd" in text and "reassoc" not in text
