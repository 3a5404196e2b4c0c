"""Functions of one number, the same for a float and for a pack of floats.

Each is Python for plain numbers and ndarrays (un-jitted runs), and overloaded for jitted code. Conditions are
written with `where_positive`, `maximum`, `minimum`, because the lanes of a pack may disagree.
"""

import math

import numpy as np
from numba import types
from numba.extending import overload

from gambol.jit import INLINE, OUTLINE, for_device, function
from gambol.math.pack import (
    NUMBERS_ABREAST,
    Pack,
    element_type,
    flat_load,
    flat_store,
    is_flat,
    pack_abs,
    pack_align_stack,
    pack_any_positive,
    pack_fill,
    pack_finite,
    pack_floor,
    pack_fma,
    pack_largest,
    pack_load,
    pack_load_lane,
    pack_log,
    pack_power_of_two,
    pack_rint,
    pack_smallest,
    pack_sqrt,
    pack_store,
    pack_store_lane,
    pack_where_positive,
    quarter_turned,
    side_load,
    side_store,
    strided_load,
    strided_store,
)
from gambol.math.world_numbers import are_world_numbers


def load(array, index):
    """Element `index` of a 1-D array of numbers or packs."""
    return array["lane"][index].copy() if array.dtype.names else array[index]


@overload(load, jit_options=INLINE)
def _load(array, index):
    if element_type(array):
        return lambda array, index: pack_load(array, index)
    if are_world_numbers(array):
        return lambda array, index: (
            load(array.common, index) if load(array.alike, index) != 0 else load(array.own, index)
        )
    if is_flat(array):
        return lambda array, index: flat_load(array, index)
    if for_device():
        return lambda array, index: strided_load(array, index)
    return lambda array, index: array[index]


def store(array, index, value):
    """array[index] = value, for numbers or packs."""
    if array.dtype.names:
        array["lane"][index] = value
    else:
        array[index] = value


@overload(store, jit_options=INLINE)
def _store(array, index, value):
    if element_type(array):
        return lambda array, index, value: pack_store(array, index, value)
    if are_world_numbers(array):
        return lambda array, index, value: store(array.own, index, value)
    if is_flat(array):
        return lambda array, index, value: flat_store(array, index, value)
    if for_device():
        return lambda array, index, value: strided_store(array, index, value)

    def plain(array, index, value):
        array[index] = value

    return plain


def align_stack(array):
    """Said at the start of a large function over an array of packs: its spilled packs lie on whole cache lines.

    LLVM does not align them of itself, and where the stack happens to begin then decides a tenth of the speed.
    """


@overload(align_stack, inline="always", jit_options=OUTLINE)
def _align_stack(array):
    return (lambda array: pack_align_stack(array)) if element_type(array) else (lambda array: None)


def lanes_of(array):
    """How many worlds one element of the array holds."""
    return array.dtype["lane"].shape[0] if array.dtype.names else 1


@overload(lanes_of, jit_options=INLINE)
def _lanes_of(array):
    pack = element_type(array)
    lanes = pack.lanes if pack else 1
    return lambda array: lanes


def load_lane(array, index, lane):
    """One world's number in element `index` of an array of numbers or packs."""
    return array["lane"][index, lane] if array.dtype.names else array[index]


@overload(load_lane, jit_options=INLINE)
def _load_lane(array, index, lane):
    if element_type(array):
        return lambda array, index, lane: pack_load_lane(array, index, lane)
    if are_world_numbers(array):
        return lambda array, index, lane: load(array, index)
    return lambda array, index, lane: array[index]


def store_lane(array, index, lane, value):
    """Sets one world's number in element `index` of an array of numbers or packs."""
    if array.dtype.names:
        array["lane"][index, lane] = value
    else:
        array[index] = value


@overload(store_lane, jit_options=INLINE)
def _store_lane(array, index, lane, value):
    if element_type(array):
        return lambda array, index, lane, value: pack_store_lane(array, index, lane, value)

    def plain(array, index, lane, value):
        array[index] = value

    return plain


def constant(like, value):
    """`value` in the number type of `like` (so that float32 stays float32)."""
    if isinstance(like, np.ndarray):
        return np.full_like(like, value)
    return like.dtype.type(value) if hasattr(like, "dtype") else value


@overload(constant, jit_options=INLINE)
def _constant(like, value):
    if isinstance(like, Pack):
        return lambda like, value: pack_fill(like, value)
    cast = like if isinstance(like, types.Float) else types.float64  # a Numba type called in jitted code converts
    return lambda like, value: cast(value)


def number_like(like, x):
    """x, a plain number or one like it already, in the number type of `like`."""
    return constant(like, x)


@overload(number_like, jit_options=INLINE)
def _number_like(like, x):
    if isinstance(x, Pack):
        return lambda like, x: x
    return lambda like, x: constant(like, x)


def reciprocal(x):
    """1 / x."""
    return 1 / x


@overload(reciprocal, jit_options=INLINE)
def _reciprocal(x):
    return lambda x: constant(x, 1.0) / x


def sqrt(x):
    """Square root of a float or a pack."""
    return np.sqrt(x)


@overload(sqrt, jit_options=INLINE)
def _sqrt(x):
    if isinstance(x, Pack):
        return lambda x: pack_sqrt(x)
    return lambda x: math.sqrt(x)


def absolute(x):
    """Magnitude of a float or a pack."""
    return np.abs(x)


@overload(absolute, jit_options=INLINE)
def _absolute(x):
    if isinstance(x, Pack):
        return lambda x: pack_abs(x)
    return lambda x: abs(x)


def where_positive(test, a, b):
    """a where test > 0, else b (also where test is NaN)."""
    if isinstance(test, np.ndarray) or isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.where(test > 0, a, b)
    return a if test > 0 else b


@overload(where_positive, jit_options=INLINE)
def _where_positive(test, a, b):
    if any(isinstance(t, Pack) for t in (test, a, b)):
        return lambda test, a, b: pack_where_positive(test, a, b)
    return lambda test, a, b: a if test > 0 else b


def finite(x):
    """1 where x is a finite number, else -1."""
    result = np.where(np.isfinite(x), 1.0, -1.0)
    return result if isinstance(x, np.ndarray) else float(result)


@overload(finite, jit_options=INLINE)
def _finite(x):
    if isinstance(x, Pack):
        return lambda x: pack_finite(x)
    return lambda x: constant(x, 1.0) if math.isfinite(x) else constant(x, -1.0)


def largest(x):
    """The largest lane, as a plain number."""
    return np.nanmax(x) if isinstance(x, np.ndarray) else x


@overload(largest, jit_options=INLINE)
def _largest(x):
    if isinstance(x, Pack):
        return lambda x: pack_largest(x)
    return lambda x: x


def smallest(x):
    """The smallest lane, as a plain number."""
    return np.nanmin(x) if isinstance(x, np.ndarray) else x


@overload(smallest, jit_options=INLINE)
def _smallest(x):
    if isinstance(x, Pack):
        return lambda x: pack_smallest(x)
    return lambda x: x


def any_positive(x):
    """Is the number positive, in any lane?"""
    return bool(np.any(x > 0))


@overload(any_positive, jit_options=INLINE)
def _any_positive(x):
    if isinstance(x, Pack):
        return lambda x: pack_any_positive(x)
    return lambda x: x > 0


@function
def maximum(a, b):
    """The larger of two numbers, lane by lane; b where they cannot be compared."""
    return where_positive(a - b, a, b)


@function
def minimum(a, b):
    """The smaller of two numbers, lane by lane; b where they cannot be compared."""
    return where_positive(b - a, a, b)


def floor(x):
    """The whole number below a float, or below every lane of a pack."""
    return np.floor(x)


@overload(floor, jit_options=INLINE)
def _floor(x):
    if isinstance(x, Pack):
        return lambda x: pack_floor(x)
    if for_device():
        return lambda x: constant(x, math.floor(x))
    return lambda x: np.floor(x)


def nearest_whole(x):
    """The whole number nearest to a float, or to every lane of a pack."""
    return np.rint(x)


@overload(nearest_whole, jit_options=INLINE)
def _nearest_whole(x):
    if for_device():  # NVVM does not know llvm.rint
        return lambda x: floor(x + constant(x, 0.5))
    return lambda x: pack_rint(x)


# ---------------------------------------------------------------- transcendental functions of packs
def sincos(x):
    """(sin x, cos x)."""
    return np.sin(x), np.cos(x)


# pi/2 in three parts whose leading ones have few bits (Cody–Waite reduction)
_HALF_PI = {
    64: (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
    32: (1.5703125, 4.837512969970703e-4, 7.549789948768648e-8),
}
FAR = 1e5  # [rad]: beyond this the C library takes over for single numbers; packs lose digits slowly


@overload(sincos, jit_options=INLINE)
def _sincos(x):
    if not isinstance(x, Pack | types.Float):
        return lambda x: (math.sin(x), math.cos(x))
    p1, p2, p3 = _HALF_PI[x.dtype.bitwidth if isinstance(x, Pack) else x.bitwidth]

    def quarter(x):
        """Cephes polynomials on [-pi/4, pi/4] after removing n quarter turns: n, sine and cosine of the rest.

        The reduction uses fused operations: reassociation of x - n p1 - n p2 - n p3 would destroy it.
        """
        n = nearest_whole(x * constant(x, 0.6366197723675814))
        r = pack_fma(n, -p3, pack_fma(n, -p2, pack_fma(n, -p1, x)))
        z = r * r
        s = constant(x, 1.58962301576546568060e-10) * z - constant(x, 2.50507477628578072866e-8)
        s = (s * z + constant(x, 2.75573136213857245213e-6)) * z - constant(x, 1.98412698295895385996e-4)
        s = (s * z + constant(x, 8.33333333332211858878e-3)) * z - constant(x, 1.66666666666666307295e-1)
        c = constant(x, -1.13585365213876817300e-11) * z + constant(x, 2.08757008419747316778e-9)
        c = (c * z - constant(x, 2.75573141792967388112e-7)) * z + constant(x, 2.48015872888517045348e-5)
        c = (c * z - constant(x, 1.38888888888730564116e-3)) * z + constant(x, 4.16666666666665929218e-2)
        return n, s * z * r + r, c * z * z + (constant(x, 1.0) - constant(x, 0.5) * z)

    quarter = function(quarter)
    if not isinstance(x, Pack) and not for_device():

        def single(x):
            """Inlined: two calls of the C library would be a third of the cost of a hinge."""
            if not abs(x) < FAR:
                return math.sin(x), math.cos(x)
            n, s, c = quarter(x)
            return quarter_turned(n, s, c)

        return single

    def lanes(x):
        n, s, c = quarter(x)
        return quarter_turned(n, s, c)

    return lanes


@function
def sin(x):
    return sincos(x)[0]


@function
def cos(x):
    return sincos(x)[1]


def sincos_of_run(angles, first, k, count, room):
    """sincos of angles[first + k], one of `count` taken in turn from k = 0.

    Plain numbers are worked out SIDE at a time and kept in `room` (2 SIDE numbers); packs are vectors already.
    """
    return sincos(load(angles, first + k))


@overload(sincos_of_run, jit_options=INLINE)
def _sincos_of_run(angles, first, k, count, room):
    if element_type(angles) or for_device():  # a thread of the device has no vectors
        return lambda angles, first, k, count, room: sincos(load(angles, first + k))

    def side_by_side(angles, first, k, count, room):
        turn = k % NUMBERS_ABREAST
        if k - turn + NUMBERS_ABREAST > count:
            return sincos(load(angles, first + k))
        if turn == 0:
            x = side_load(angles, first + k)
            if largest(absolute(x)) < FAR:
                sin, cos = sincos(x)
                side_store(room, 0, sin)
                side_store(room, NUMBERS_ABREAST, cos)
            else:
                for j in range(NUMBERS_ABREAST):
                    sin, cos = sincos(load(angles, first + k + j))
                    store(room, j, sin)
                    store(room, NUMBERS_ABREAST + j, cos)
        return load(room, turn), load(room, NUMBERS_ABREAST + turn)

    return side_by_side


def exp(x):
    """Exponential function of a float or a pack."""
    return np.exp(x)


_LN2 = {64: (0.6931471803691238, 1.9082149292705877e-10), 32: (0.693359375, -2.12194440e-4)}
_EXP_RANGE = {64: (-708.0, 709.0), 32: (-87.0, 88.0)}


@overload(exp, jit_options=INLINE)
def _exp(x):
    if not isinstance(x, Pack):
        return lambda x: math.exp(x)
    high, low = _LN2[x.dtype.bitwidth]
    least, most = _EXP_RANGE[x.dtype.bitwidth]

    def polynomial(x):
        """Taylor polynomial on [-ln 2 / 2, ln 2 / 2] after removing n doublings; saturates at the range's ends."""
        x = pack_where_positive(x - most, most, x)
        x = pack_where_positive(least - x, least, x)
        n = pack_rint(x * 1.4426950408889634)
        r = pack_fma(n, -low, pack_fma(n, -high, x))
        p = 1.0 / 6227020800.0 * r + 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        return (p * r * r + r + 1.0) * pack_power_of_two(n)

    return polynomial


def log(x):
    """Natural logarithm of a float or a pack."""
    return np.log(x)


@overload(log, jit_options=INLINE)
def _log(x):
    if isinstance(x, Pack):
        return lambda x: pack_log(x)
    return lambda x: math.log(x)


def arctan(x):
    """Angle [rad] with this tangent, of a float or a pack."""
    return np.arctan(x)


@overload(arctan, jit_options=INLINE)
def _arctan(x):
    if not isinstance(x, Pack):
        return lambda x: math.atan(x)

    def rational(x):
        """Cephes rational function on [0, 0.66] after mapping the argument down from above tan 3π/8 or 0.66."""
        one = constant(x, 1.0)
        size = pack_abs(x)
        far = size - 2.41421356237309504880
        middle = pack_where_positive(far, constant(x, -1.0), size - 0.66)
        y = pack_where_positive(far, -one / size, pack_where_positive(middle, (size - one) / (size + one), size))
        base = pack_where_positive(
            far, constant(x, 1.5707963267948966), pack_where_positive(middle, constant(x, 0.7853981633974483), x * 0.0)
        )
        z = y * y
        top = (
            ((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z
            - 1.228866684490136173410e2
        ) * z - 6.485021904942025371773e1
        bottom = (
            (((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z
            + 4.853903996359136964868e2
        ) * z + 1.945506571482613964425e2
        angle = base + (z * (top / bottom) * y + y)
        return pack_where_positive(x, angle, -angle)

    return rational


@function
def arctan2(y, x):
    """The angle of (x, y) from the x axis, in (-π, π]."""
    pi = constant(x, math.pi)
    beyond = where_positive(y, pi, where_positive(-y, -pi, pi))
    return arctan(y / x) + where_positive(-x, beyond, constant(x, 0.0))
