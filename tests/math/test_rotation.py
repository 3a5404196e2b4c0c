"""Rotations: exponential, logarithm, and the inverse differential of the exponential."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.jit import entry
from gambol.math.memory import load_quat, load_vec3, store_mat3, store_quat, store_vec3
from gambol.math.pack import numbers, zeros
from gambol.math.rotation import (
    conjugate,
    exp_rate,
    frame_of,
    quat_exp,
    quat_product,
    rotation_vector,
    turned,
    turned_locally,
)
from trees import close, derivative

pytestmark = pytest.mark.nojit
RECIPE = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
SIZES = (0.0, 1e-12, 9e-7, 1.1e-6, 9.9e-5, 1.01e-4, 9.9e-3, 1.01e-2, 0.3, 1.5, 2.8, 3.1, 3.14159)
KINDS = [(np.float64, 0), (np.float64, 8)]
every_kind = pytest.mark.parametrize("dtype, lanes", KINDS, ids=("one", "pack"))
# Where each result stands
EXP, LOG, RATE, FRAME, PRODUCT, TURNED, LOCALLY, SIZE = 0, 4, 7, 10, 19, 23, 27, 31


@entry(recipe=RECIPE)
def rotations(X, out):
    """Of a rotation vector r, a quaternion q and a vector w in X: everything of gambol.math.rotation."""
    r, q, w = load_vec3(X, 0), load_quat(X, 3), load_vec3(X, 7)
    store_quat(out, EXP, quat_exp(r))
    store_vec3(out, LOG, rotation_vector(q))
    store_vec3(out, RATE, exp_rate(r, w))
    store_mat3(out, FRAME, frame_of(q))
    store_quat(out, PRODUCT, quat_product(quat_exp(r), conjugate(q)))
    store_quat(out, TURNED, turned(q, r))
    store_quat(out, LOCALLY, turned_locally(q, r))


def compute(r, q=(1.0, 0.0, 0.0, 0.0), w=(0.0, 0.0, 0.0), dtype=np.float64, lanes=0):
    X, out = zeros(10, dtype, lanes), zeros(SIZE, dtype, lanes)
    values = np.concatenate([r, q, w])
    numbers(X)[...] = values[:, None] if lanes else values
    with np.errstate(all="ignore"):
        rotations(X, out)
    return numbers(out)[:, -1] if lanes else out


def quaternion(rotation):
    return rotation.as_quat(scalar_first=True)


def directions(size, count=6):
    rng = np.random.default_rng(int(1e6 * size))
    for r in rng.normal(size=(count, 3)):
        yield size * r / np.linalg.norm(r)


@every_kind
@pytest.mark.parametrize("size", SIZES)
def test_exponential_and_logarithm_are_inverse(size, dtype, lanes):
    for r in directions(size):
        q = compute(r, dtype=dtype, lanes=lanes)[EXP:LOG]
        close(np.linalg.norm(q), 1.0, 5e-16)
        half = 0.5 * np.linalg.norm(r)
        close(q, [np.cos(half), *(0.5 * np.sinc(half / np.pi) * r)], 5e-16)
        for sign in (1.0, -1.0):  # a quaternion and its opposite are one rotation
            back = compute(r, sign * q, dtype=dtype, lanes=lanes)[LOG:RATE]
            close(back, r, 4e-15)


@every_kind
def test_turns_beyond_half_a_turn(dtype, lanes):
    """The logarithm is the short way round; the exponential does not mind."""
    for size in (3.2, 6.0, 7.0, 20.0):
        for r in directions(size):
            q = compute(r, dtype=dtype, lanes=lanes)[EXP:LOG]
            close(np.abs(quaternion(Rotation.from_rotvec(r)) @ q), 1.0, 1e-14)
            close(compute(r, q, dtype=dtype, lanes=lanes)[LOG:RATE], Rotation.from_rotvec(r).as_rotvec(), 1e-12)


@every_kind
@pytest.mark.parametrize("size", (*SIZES, 4.0, 5.5))
def test_rate_is_the_inverse_differential(size, dtype, lanes):
    """While exp(r) turns at w in outer axes, r changes at exp_rate(r, w); in inner axes at exp_rate(-r, w)."""
    w = np.array([0.3, -0.8, 0.5])
    for r in directions(size):
        base = Rotation.from_rotvec(r)
        outer = compute(r, w=w, dtype=dtype, lanes=lanes)[RATE:FRAME]
        inner = compute(-r, w=w, dtype=dtype, lanes=lanes)[RATE:FRAME]
        for rate, moved in (
            (outer, lambda s, base=base: Rotation.from_rotvec(s * w) * base),
            (inner, lambda s, base=base: base * Rotation.from_rotvec(s * w)),
        ):
            there = lambda s, r=r, x=rate: Rotation.from_rotvec(r + s * x)
            apart = derivative(lambda s, a=moved, b=there: (a(s).inv() * b(s)).as_rotvec())
            close(apart, np.zeros(3), 1e-9, scale=np.abs(rate).max())
        if size < 3.0:  # and with the closed formula
            a = np.linalg.norm(r)
            c = 1.0 / 12.0 if a < 1e-3 else (1.0 - 0.5 * a / np.tan(0.5 * a)) / a**2
            wanted = w - 0.5 * np.cross(r, w) + c * np.cross(r, np.cross(r, w))
            close(outer, wanted, 1e-13)


@every_kind
def test_products_frames_and_turns(dtype, lanes):
    rng = np.random.default_rng(5)
    for _ in range(20):
        r, q = rng.normal(size=3), rng.normal(size=4)
        q /= np.linalg.norm(q)
        out = compute(r, q, dtype=dtype, lanes=lanes)
        Q, R = Rotation.from_quat(q, scalar_first=True), Rotation.from_rotvec(r)
        close(out[FRAME:PRODUCT].reshape(3, 3).T, Q.as_matrix(), 1e-15, scale=2.0)
        for got, true in (
            (out[PRODUCT:TURNED], R * Q.inv()),
            (out[TURNED:LOCALLY], R * Q),
            (out[LOCALLY:SIZE], Q * R),
        ):
            close(np.linalg.norm(got), 1.0, 1e-15)
            close(np.abs(quaternion(true) @ got), 1.0, 1e-14)
        assert (out[LOCALLY:SIZE] - out[TURNED:LOCALLY]).any()
