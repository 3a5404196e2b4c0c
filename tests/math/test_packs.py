"""Numbers of one and of several worlds: the same functions, lane by lane."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from gambol.jit import JIT_ON, entry
from gambol.math.pack import numbers, zeros
from gambol.math.scalar import (
    absolute,
    any_positive,
    arctan,
    constant,
    exp,
    finite,
    floor,
    lanes_of,
    largest,
    load,
    load_lane,
    maximum,
    minimum,
    reciprocal,
    sincos,
    sincos_of_run,
    smallest,
    sqrt,
    store,
    store_lane,
    where_positive,
)

pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
RECIPE = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
KINDS = [(np.float64, 0), (np.float64, 2), (np.float64, 8), (np.float32, 16)]
every_kind = pytest.mark.parametrize("dtype, lanes", KINDS, ids=lambda x: getattr(x, "__name__", str(x)))


@entry(recipe=RECIPE)
def arithmetic(X, Y, out):
    """Everything of two numbers, one row each."""
    x, y = load(X, 0), load(Y, 0)
    store(out, 0, x + y)
    store(out, 1, x - y)
    store(out, 2, x * y)
    store(out, 3, x / y)
    store(out, 4, -x)
    store(out, 5, x * 2 + 0.5)
    store(out, 6, 3.0 - y)
    store(out, 7, reciprocal(y))
    store(out, 8, sqrt(absolute(x)))
    store(out, 9, absolute(x))
    store(out, 10, floor(x))
    store(out, 11, maximum(x, y))
    store(out, 12, minimum(x, y))
    store(out, 13, where_positive(x - y, x, constant(x, 7.0)))
    store(out, 14, constant(x, 2.5))
    x += y
    x *= 2.0
    x -= 1.0
    x /= 4.0
    store(out, 15, x)


@entry(recipe=RECIPE)
def transcendental(X, out):
    """exp, arctan, sin, cos of every number of an array."""
    n = X.shape[0]
    for k in range(n):
        x = load(X, k)
        sin, cos = sincos(x)
        store(out, k, exp(x))
        store(out, n + k, arctan(x))
        store(out, 2 * n + k, sin)
        store(out, 3 * n + k, cos)


@entry(recipe=RECIPE)
def judgement(X, out):
    """What decides about lanes."""
    x = load(X, 0)
    zero, one = constant(x, 0.0), constant(x, 1.0)
    store(out, 0, finite(x))
    store(out, 1, where_positive(x, one, zero))
    store(out, 2, where_positive(one, x, zero))
    store(out, 3, maximum(x, zero))
    store(out, 4, minimum(x, zero))
    store(out, 5, zero + largest(x))
    store(out, 6, zero + smallest(x))
    store(out, 7, sqrt(absolute(x)))


@entry(recipe=RECIPE)
def count_lanes(X):
    """Lanes, with each lane's number doubled one by one."""
    for lane in range(lanes_of(X)):
        store_lane(X, 0, lane, load_lane(X, 0, lane) * 2)
    return lanes_of(X)


def filled(values, dtype, lanes):
    """An array of numbers or packs with these values, shape (count,) or (count, lanes)."""
    values = np.asarray(values, dtype)
    array = zeros(values.shape[0], dtype, lanes)
    numbers(array)[...] = values
    return array


def shape(count, lanes):
    return (count, lanes) if lanes else (count,)


@every_kind
def test_arithmetic(dtype, lanes):
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.0, 3.0, shape(1, lanes)).astype(dtype), rng.uniform(0.5, 2.0, shape(1, lanes)).astype(dtype)
    out = zeros(16, dtype, lanes)
    arithmetic(filled(x, dtype, lanes), filled(y, dtype, lanes), out)
    a, b = x[0].astype(float), y[0].astype(float)
    wanted = [
        a + b, a - b, a * b, a / b, -a, 2 * a + 0.5, 3.0 - b, 1 / b, np.sqrt(abs(a)), abs(a), np.floor(a),
        np.maximum(a, b), np.minimum(a, b), np.where(a > b, a, 7.0), 0 * a + 2.5, ((a + b) * 2.0 - 1.0) / 4.0,
    ]  # fmt: skip
    assert np.allclose(numbers(out), np.array(wanted), rtol=4 * np.finfo(dtype).eps, atol=4 * np.finfo(dtype).eps)
    assert numbers(out).dtype == dtype


def units(ours, exact, dtype):
    """Largest error in units in the last place of the exact value; `exact` in higher precision."""
    spacing = np.spacing(np.abs(exact).astype(dtype)).astype(np.longdouble)
    return float(np.max(np.abs(ours.astype(np.longdouble) - exact) / spacing))


# Measured in units in the last place: exp 1.3, arctan 2.1, sin and cos 2.4, for float64 up to 1e8 rad. float32 has the
# same up to 80 rad; beyond, near its zeros, only the absolute error stays as small (1e-7).
@every_kind
@pytest.mark.parametrize("reach", (1e-8, 0.5, 3.0, 80.0, 1e4, 1e6))
def test_functions_are_accurate(dtype, lanes, reach):
    rng = np.random.default_rng(1)
    count = 4096 // max(lanes, 1)
    x = rng.uniform(-reach, reach, shape(count, lanes)).astype(dtype)
    x[0] = 0.0
    out = zeros(4 * count, dtype, lanes)
    transcendental(filled(x, dtype, lanes), out)
    e, a, s, c = numbers(out).reshape(4, *x.shape)
    exact = x.astype(np.longdouble)
    single = dtype is np.float32
    if reach <= 80.0:
        assert units(e, np.exp(exact), dtype) < 3.0
    assert units(a, np.arctan(exact), dtype) < 2.5
    if single and reach > 80.0:
        assert np.abs(s - np.sin(exact)).max() < 1.5e-7
        assert np.abs(c - np.cos(exact)).max() < 1.5e-7
    else:
        assert units(s, np.sin(exact), dtype) < 3.0
        assert units(c, np.cos(exact), dtype) < 3.0


@entry(recipe=RECIPE)
def told(X, out):
    for k in range(X.shape[0]):
        out[k] = any_positive(load(X, k))


@every_kind
def test_whether_any_lane_is_positive(dtype, lanes):
    x = -np.ones(shape(6, lanes), dtype)
    x[1], x[2], x[3] = 0.0, np.nan, 1e-30
    if lanes:
        x[4, lanes - 1], x[5, 0] = 2.0, np.nan
    out = np.zeros(6, bool)
    told(filled(x, dtype, lanes), out)
    assert out.tolist() == [False, False, False, True, bool(lanes), False]


@pytest.mark.parametrize("lanes", (2, 8))
def test_sine_near_its_zeros(lanes):
    """Next to multiples of π/2 the result is tiny and still good to 5e-16 of itself, up to a million radians."""
    n = np.arange(-636619, 636619, 7)
    x = np.resize((n * np.longdouble(np.pi) / 2).astype(float), shape(len(n) // lanes, lanes))
    out = zeros(4 * len(x), np.float64, lanes)
    transcendental(filled(x, np.float64, lanes), out)
    _, _, s, c = numbers(out).reshape(4, *x.shape)
    exact = x.astype(np.longdouble)
    for ours, true in ((s, np.sin(exact)), (c, np.cos(exact))):
        assert np.max(np.abs(ours - true) / np.abs(true)) < 5e-16
        assert np.abs(true).min() < 1e-9


@entry(recipe=RECIPE)
def in_turn(angles, first, count, room, out):
    for k in range(count):
        sin, cos = sincos_of_run(angles, first, k, count, room)
        store(out, k, sin)
        store(out, count + k, cos)


@every_kind
@pytest.mark.parametrize("count", (1, 3, 4, 5, 8, 11))
@pytest.mark.parametrize("reach", (3.0, 1e6))
def test_angles_taken_in_turn(dtype, lanes, count, reach):
    """Side by side or one by one, far angles among near ones: the same sine and cosine to two units."""
    first, rng = 2, np.random.default_rng(count)
    x = rng.uniform(-3.0, 3.0, shape(count + 2 * first, lanes)).astype(dtype)
    x[first + count // 2] = reach
    out = zeros(2 * count, dtype, lanes)
    in_turn(filled(x, dtype, lanes), first, count, zeros(8, dtype, lanes), out)
    sin, cos = numbers(out).reshape(2, count, *x.shape[1:])
    exact = x[first : first + count].astype(np.longdouble)
    tolerance = 1.5 * np.finfo(dtype).eps
    assert np.abs(sin - np.sin(exact)).max() < tolerance and np.abs(cos - np.cos(exact)).max() < tolerance


@pytest.mark.parametrize("dtype, lanes, ends", ((np.float64, 8, (-708.0, 709.0)), (np.float32, 16, (-87.0, 88.0))))
def test_exponential_saturates(dtype, lanes, ends):
    """Of packs: beyond the range it keeps the value at the end, and never overflows."""
    x = np.resize(np.array([-1e5, 1e5, ends[0], ends[1]]), (1, lanes))
    out = zeros(4, dtype, lanes)
    with np.errstate(over="ignore", under="ignore"):
        transcendental(filled(x, dtype, lanes), out)
    got = numbers(out)[0].astype(float)
    if JIT_ON:
        assert np.all(np.isfinite(got)) and np.all(got > 0.0)
        assert got[0] == got[2] and got[1] == got[3]
    assert got[2:4] == pytest.approx(np.exp(np.array(ends)), rel=1e-5)


@every_kind
def test_arctangent_of_the_infinite(dtype, lanes):
    for value in (np.inf, -np.inf, 1e30, -1e30):
        out = zeros(4, dtype, lanes)
        with np.errstate(all="ignore"):
            transcendental(filled(np.full(shape(1, lanes), value), dtype, lanes), out)
        assert np.allclose(numbers(out)[1].astype(float), np.sign(value) * np.pi / 2, rtol=1e-6)


@pytest.mark.parametrize("dtype, lanes", KINDS[1:])
@pytest.mark.parametrize("bad", (np.nan, np.inf, -np.inf))
def test_a_bad_lane_stays_alone(dtype, lanes, bad):
    """NaN or infinity in one lane changes nothing in its neighbours, and is found."""
    rng = np.random.default_rng(4)
    good = rng.normal(size=(1, lanes)).astype(dtype)
    x = good.copy()
    x[0, 1] = bad
    results = []
    for values in (good, x):
        out = zeros(8, dtype, lanes)
        with np.errstate(invalid="ignore"):
            judgement(filled(values, dtype, lanes), out)
        results.append(numbers(out).copy())
    others = [k for k in range(lanes) if k != 1]
    rows = [0, 1, 2, 3, 4, 7]
    assert np.array_equal(results[0][np.ix_(rows, others)], results[1][np.ix_(rows, others)])
    assert np.all(results[0][0] == 1.0) and results[1][0, 1] == -1.0 and np.all(results[1][0, others] == 1.0)
    if np.isnan(bad):
        assert results[1][1, 1] == 0.0 and results[1][3, 1] == 0.0 and results[1][4, 1] == 0.0  # b where undecided
        assert np.all(results[1][5] == x[0, others].max()) and np.all(results[1][6] == x[0, others].min())
    for function_ in (0, 2, 3):  # exp, sine, cosine
        outs = []
        for values in (good, x):
            out = zeros(4, dtype, lanes)
            with np.errstate(all="ignore"):
                transcendental(filled(values, dtype, lanes), out)
            outs.append(numbers(out)[function_])
        assert np.array_equal(outs[0][others], outs[1][others])
    if np.isnan(bad):
        assert np.all(np.isnan([outs[1][1]]))


@every_kind
def test_single_lanes(dtype, lanes):
    x = filled(np.arange(1.0, max(lanes, 1) + 1).reshape(shape(1, lanes)), dtype, lanes)
    assert count_lanes(x) == max(lanes, 1)
    assert np.array_equal(numbers(x)[0], 2.0 * np.arange(1.0, lanes + 1) if lanes else 2.0)


@pytest.mark.parametrize("lanes", (2, 8))
def test_packs_are_aligned_to_cache_lines(lanes):
    assert zeros((3, 5), np.float64, lanes).ctypes.data % 64 == 0
