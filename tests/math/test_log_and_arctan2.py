"""Logarithm and two-argument arctangent, for single numbers and packs."""

import math

import numpy as np
import pytest

from gambol.jit import entry
from gambol.math.pack import numbers, zeros
from gambol.math.scalar import arctan2, load, log, store


@entry(recipe="log and arctan2")
def both(X, Y, out):
    n = X.shape[0]
    for k in range(n):
        store(out, k, log(load(X, k)))
        store(out, n + k, arctan2(load(Y, k), load(X, k)))
        store(out, 2 * n + k, arctan2(load(Y, k), -load(X, k)))


@pytest.mark.parametrize("lanes", [0, 8])
def test_log_and_arctan2(lanes):
    rng = np.random.default_rng(0)
    shape = (40, lanes) if lanes else (40,)
    x, y = 10.0 ** rng.uniform(-6, 6, shape), rng.normal(size=shape)
    X, Y, out = zeros((40,), np.float64, lanes), zeros((40,), np.float64, lanes), zeros((120,), np.float64, lanes)
    numbers(X)[...], numbers(Y)[...] = x, y
    both(X, Y, out)
    found = numbers(out)
    assert np.allclose(found[:40], np.log(x), rtol=1e-15, atol=1e-15)
    assert np.allclose(found[40:80], np.arctan2(y, x), rtol=4e-16, atol=1e-15)
    assert np.allclose(found[80:], np.arctan2(y, -x), rtol=4e-16, atol=1e-15)


def test_arctan2_on_the_axes():
    X, Y, out = np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, -1.0, 0.0, 0.0]), np.zeros(12)
    both(np.where(X == 0, 1e-300, X), Y, out)
    assert np.allclose(out[4:8], [math.pi / 2, -math.pi / 2, 0.0, 0.0])
    assert np.allclose(out[10:], [math.pi, math.pi])
