"""A number that is `lanes` numbers: a SIMD value type for Numba.

A *pack* holds one quantity of several worlds side by side and maps to one LLVM vector (<8 x double> is one AVX-512
register). Arithmetic written for a single number and fed packs advances all the worlds at once.

Where does the pack type come from? From the array. An array of packs is an ordinary NumPy array whose elements
are records with the single field "lane":

    W = pack_zeros((blocks, slots), np.float64, lanes=8)
    W["lane"]               # the plain float view, shape (blocks, slots, 8)
    load(W[b], k)           # in jitted code: a pack;   on a plain array: a float
    store(W[b], k, value)

so Numba knows lanes and precision from the argument's type: kernels need no factory, no closure, and they cache.
Without the JIT a pack is a small ndarray.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import NativeValue, intrinsic, lower_builtin, models, register_model, unbox

from gambol.jit import FASTMATH, NUMBER_TYPES

FLAGS = tuple(sorted(FASTMATH))  # LLVM flags of every pack operation


# ---------------------------------------------------------------- arrays of packs
def pack_dtype(dtype, lanes):
    """The NumPy element type of an array of packs."""
    return np.dtype([("lane", dtype, (lanes,))])


def pack_zeros(shape, dtype, lanes):
    """A zeroed array of packs, aligned to whole cache lines."""
    element = pack_dtype(dtype, lanes)
    size = int(np.prod(shape)) * element.itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(element).reshape(shape)


def zeros(shape, dtype=np.float64, lanes=0):
    """A zeroed array of numbers (lanes = 0) or of packs."""
    return pack_zeros(shape, dtype, lanes) if lanes else np.zeros(shape, dtype)


def numbers(array):
    """The plain float view of an array of numbers or packs (packs: one more, last axis)."""
    return array["lane"] if array.dtype.names else array


# ---------------------------------------------------------------- the Numba type
class Pack(types.Type):
    """Numba type of a pack; two are equal when element type and lanes are."""

    def __init__(self, dtype, lanes):
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Pack({dtype} x {lanes})")

    @property
    def key(self):
        """What makes two pack types the same for Numba."""
        return self.dtype, self.lanes


NUMBER_TYPES.append(Pack)


def llvm_type(pack):
    """The LLVM vector that a pack is lowered to."""
    element = ir.DoubleType() if pack.dtype == types.float64 else ir.FloatType()
    return ir.VectorType(element, pack.lanes)


def llvm_bits(pack):
    """The integer vector of the same width."""
    return ir.VectorType(ir.IntType(pack.dtype.bitwidth), pack.lanes)


@register_model(Pack)
class PackModel(models.PrimitiveModel):
    """A pack is held as one LLVM vector."""

    def __init__(self, manager, pack):
        super().__init__(manager, pack, llvm_type(pack))


@unbox(Pack)
def _no_packs_from_python(pack, value, c):
    """Compiled functions take packs from one another; Python hands over arrays of them."""
    c.pyapi.err_set_string("PyExc_TypeError", "a pack cannot be passed from Python")
    return NativeValue(ir.Constant(llvm_type(pack), ir.Undefined), is_error=cgutils.true_bit)


def element_type(array):
    """Pack type of an array's elements, or None for an array of plain numbers."""
    record = getattr(array, "dtype", None)
    if isinstance(record, types.Record) and list(record.fields) == ["lane"]:
        lane = record.fields["lane"].type
        return Pack(lane.dtype, lane.shape[0])
    return None


def number_type(array):
    """Numba's type of an array's numbers: float32, float64 or a pack."""
    kind = typeof(array)
    return element_type(kind) or kind.dtype


def spread(builder, value, kind, pack):
    """LLVM value as a pack: a plain number goes to every lane."""
    if isinstance(kind, Pack):
        return value
    vector = llvm_type(pack)
    if isinstance(value.type, ir.IntType):
        value = builder.sitofp(value, vector.element)
    elif value.type != vector.element:
        narrow = isinstance(vector.element, ir.FloatType)
        value = (builder.fptrunc if narrow else builder.fpext)(value, vector.element)
    empty = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), pack.lanes), [0] * pack.lanes)
    return builder.shuffle_vector(first, empty, mask)


# ---------------------------------------------------------------- arithmetic
def _define_operator(function, instruction):
    """Type and lower `pack op pack`, `pack op number`, `number op pack`."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) != 2:
                return None
            a, b = args
            if isinstance(a, Pack) and (a == b or isinstance(b, types.Number)):
                return signature(a, a, b)
            if isinstance(b, Pack) and isinstance(a, types.Number):
                return signature(b, a, b)
            return None

    def lower(context, builder, sig, args):
        a, b = (spread(builder, v, t, sig.return_type) for v, t in zip(args, sig.args))
        return getattr(builder, instruction)(a, b, flags=FLAGS)

    for kinds in ((Pack, Pack), (Pack, types.Number), (types.Number, Pack)):
        lower_builtin(function, *kinds)(lower)


for _function, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.isub, "fsub"),
    (operator.mul, "fmul"),
    (operator.imul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.itruediv, "fdiv"),
):
    _define_operator(_function, _instruction)


@infer_global(operator.neg)
class _TypeNegation(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 1 and isinstance(args[0], Pack):
            return signature(args[0], args[0])
        return None


@lower_builtin(operator.neg, Pack)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0], flags=FLAGS)


# ---------------------------------------------------------------- what operators cannot say
def _vector_intrinsic(name, operands):
    """Jitted function of packs or floats that calls LLVM's llvm.<name> on them, without fast-math flags."""

    def codegen_for(x):
        def codegen(context, builder, sig, args):
            if isinstance(x, Pack):
                number, suffix = llvm_type(x), f"v{x.lanes}f{x.dtype.bitwidth}"
                values = [spread(builder, v, t, x) for v, t in zip(args, sig.args)]
            else:
                number, suffix = context.get_value_type(x), f"f{x.bitwidth}"
                values = [context.cast(builder, v, t, x) for v, t in zip(args, sig.args)]
            kind = ir.FunctionType(number, [number] * operands)
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.{suffix}"), values)

        return codegen

    if operands == 1:

        @intrinsic
        def call(typing, x):
            return x(x), codegen_for(x)
    else:

        @intrinsic
        def call(typing, x, y, z):
            return x(x, y, z), codegen_for(x)

    return call


pack_rint, pack_floor, pack_sqrt, pack_abs = (_vector_intrinsic(name, 1) for name in ("rint", "floor", "sqrt", "fabs"))
pack_log = _vector_intrinsic("log", 1)  # the C library, lane by lane
pack_fma = _vector_intrinsic("fma", 3)  # x * y + z, rounded once and never reassociated


@intrinsic
def pack_where_positive(typing, test, a, b):
    """Lane by lane: a where test > 0, else b (also where test is NaN)."""
    pack = next((t for t in (test, a, b) if isinstance(t, Pack)), None)
    if pack is None:
        return None

    def codegen(context, builder, sig, args):
        zero = ir.Constant(llvm_type(pack), [0.0] * pack.lanes)
        t, x, y = (spread(builder, v, kind, pack) for v, kind in zip(args, sig.args))
        return builder.select(builder.fcmp_ordered(">", t, zero), x, y)

    return pack(test, a, b), codegen


@intrinsic
def pack_finite(typing, x):
    """Lane by lane: 1 where x is a finite number, else -1."""

    def codegen(context, builder, sig, args):
        vector = llvm_type(x)
        kind = ir.FunctionType(vector, [vector])
        fabs = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fabs.v{x.lanes}f{x.dtype.bitwidth}")
        limit = ir.Constant(vector, [float("inf")] * x.lanes)
        one, minus = (ir.Constant(vector, [v] * x.lanes) for v in (1.0, -1.0))
        return builder.select(builder.fcmp_ordered("<", builder.call(fabs, args), limit), one, minus)

    return x(x), codegen


def _reduction(name):
    """Jitted function of one pack: the largest or smallest lane, as a plain number (NaN lanes are ignored)."""

    @intrinsic
    def call(typing, x):
        def codegen(context, builder, sig, args):
            vector = llvm_type(x)
            kind = ir.FunctionType(vector.element, [vector])
            full_name = f"llvm.vector.reduce.{name}.v{x.lanes}f{x.dtype.bitwidth}"
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, full_name), args)

        return x.dtype(x), codegen

    return call


pack_largest, pack_smallest = _reduction("fmax"), _reduction("fmin")


@intrinsic
def pack_any_positive(typing, x):
    """Is any lane positive? One comparison and one look at its mask, where a reduction takes a chain of shuffles."""

    def codegen(context, builder, sig, args):
        zero = ir.Constant(llvm_type(x), [0.0] * x.lanes)
        mask = builder.bitcast(builder.fcmp_ordered(">", args[0], zero), ir.IntType(x.lanes))
        return builder.icmp_unsigned("!=", mask, ir.Constant(mask.type, 0))

    return types.boolean(x), codegen


@intrinsic
def pack_fill(typing, like, value):
    """A pack with one number in every lane, of the type of `like`."""

    def codegen(context, builder, sig, args):
        return spread(builder, args[1], sig.args[1], like)

    return like(like, value), codegen


@intrinsic
def pack_power_of_two(typing, n):
    """2 ** n lane by lane, for whole n inside the exponent range."""
    bits, mantissa = (64, 52) if n.dtype == types.float64 else (32, 23)
    bias = 2 ** (bits - mantissa - 2) - 1

    def codegen(context, builder, sig, args):
        vector = llvm_bits(n)
        whole = builder.fptosi(args[0], vector)
        shifted = builder.add(whole, ir.Constant(vector, [bias] * n.lanes))
        return builder.bitcast(
            builder.shl(shifted, ir.Constant(vector, [mantissa] * n.lanes)),
            llvm_type(n),
        )

    return n(n), codegen


@intrinsic
def quarter_turned(typing, n, s, c):
    """Sine and cosine of an angle that is n quarter turns (whole, within 2^31) more than that of s and c."""
    bits = n.dtype.bitwidth if isinstance(n, Pack) else n.bitwidth

    def codegen(context, builder, sig, args):
        whole = llvm_bits(n) if isinstance(n, Pack) else ir.IntType(bits)

        def number(value):
            return ir.Constant(whole, [value] * n.lanes if isinstance(n, Pack) else value)

        def with_sign(x, turns):
            sign = builder.shl(builder.and_(turns, number(2)), number(bits - 2))
            return builder.bitcast(builder.xor(builder.bitcast(x, whole), sign), x.type)

        turns, sine, cosine = builder.fptosi(args[0], whole), args[1], args[2]
        odd = builder.icmp_signed("!=", builder.and_(turns, number(1)), number(0))
        sine, cosine = builder.select(odd, cosine, sine), builder.select(odd, sine, cosine)
        pair = with_sign(sine, turns), with_sign(cosine, builder.add(turns, number(1)))
        return context.make_tuple(builder, sig.return_type, pair)

    return types.UniTuple(n, 2)(n, n, n), codegen


# ---------------------------------------------------------------- memory
def _address(context, builder, array, value, index, pack):
    data = context.make_array(array)(context, builder, value).data
    return builder.gep(builder.bitcast(data, llvm_type(pack).as_pointer()), [index])


@intrinsic
def pack_load(typing, array, index):
    """The pack at `index` of an array of packs."""
    pack = element_type(array)

    def codegen(context, builder, sig, args):
        value = builder.load(_address(context, builder, array, *args, pack))
        value.align = pack.dtype.bitwidth // 8
        return value

    return pack(array, types.intp), codegen


@intrinsic
def pack_store(typing, array, index, value):
    """Writes a pack, or one number into every lane, at `index` of an array of packs."""
    pack = element_type(array)

    def codegen(context, builder, sig, args):
        number = spread(builder, args[2], value, pack)
        place = _address(context, builder, array, *args[:2], pack)
        builder.store(number, place).align = pack.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


@intrinsic
def pack_load_lane(typing, array, index, lane):
    """The number of one lane of the pack at `index`."""
    pack = element_type(array)

    def codegen(context, builder, sig, args):
        data = context.make_array(array)(context, builder, args[0]).data
        first = builder.mul(args[1], ir.Constant(args[1].type, pack.lanes))
        place = builder.gep(builder.bitcast(data, llvm_type(pack).element.as_pointer()), [builder.add(first, args[2])])
        return builder.load(place)

    return pack.dtype(array, types.intp, types.intp), codegen


@intrinsic
def pack_store_lane(typing, array, index, lane, value):
    """Writes the number of one lane of the pack at `index`."""
    pack = element_type(array)

    def codegen(context, builder, sig, args):
        data = context.make_array(array)(context, builder, args[0]).data
        first = builder.mul(args[1], ir.Constant(args[1].type, pack.lanes))
        place = builder.gep(builder.bitcast(data, llvm_type(pack).element.as_pointer()), [builder.add(first, args[2])])
        builder.store(context.cast(builder, args[3], value, pack.dtype), place)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, value), codegen


@intrinsic
def pack_align_stack(typing, array):
    """Marks the function that is compiled so that its stack begins on a whole cache line."""

    def codegen(context, builder, sig, args):
        set.add(builder.function.attributes, '"stackrealign"')  # llvmlite lists no attributes that are strings
        return context.get_dummy_value()

    return types.void(array), codegen


# Plain arrays: Numba's own indexing checks every index for being negative, which costs a fifth of a hinge.
def is_flat(array):
    """A contiguous 1-D array, whose elements can be addressed directly?"""
    return isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"


@intrinsic
def flat_load(typing, array, index):
    """The number at `index` of a plain array; negative indices are not looked for."""

    def codegen(context, builder, sig, args):
        data = context.make_array(array)(context, builder, args[0]).data
        return context.unpack_value(builder, array.dtype, builder.gep(data, [args[1]]))

    return array.dtype(array, types.intp), codegen


NUMBERS_ABREAST = 4  # numbers of a plain array that are taken side by side


def _side_address(context, builder, array, value, index):
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [index]), llvm_type(Pack(array.dtype, NUMBERS_ABREAST)).as_pointer())


@intrinsic
def side_load(typing, array, index):
    """NUMBERS_ABREAST numbers of a plain array from `index` on, as a pack."""

    def codegen(context, builder, sig, args):
        value = builder.load(_side_address(context, builder, array, *args))
        value.align = array.dtype.bitwidth // 8
        return value

    return Pack(array.dtype, NUMBERS_ABREAST)(array, types.intp), codegen


@intrinsic
def side_store(typing, array, index, value):
    """Writes NUMBERS_ABREAST numbers of a plain array from `index` on."""

    def codegen(context, builder, sig, args):
        builder.store(args[2], _side_address(context, builder, array, *args[:2])).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


@intrinsic
def flat_store(typing, array, index, value):
    """Writes the number at `index` of a plain array; negative indices are not looked for."""

    def codegen(context, builder, sig, args):
        data = context.make_array(array)(context, builder, args[0]).data
        number = context.cast(builder, args[2], value, array.dtype)
        context.pack_value(builder, array.dtype, number, builder.gep(data, [args[1]]))
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


def _strided_address(context, builder, array, value, index):
    view = context.make_array(array)(context, builder, value)
    place = builder.mul(index, builder.extract_value(view.strides, 0))
    start = builder.bitcast(view.data, cgutils.voidptr_t)
    return builder.bitcast(builder.gep(start, [place]), view.data.type)


@intrinsic
def strided_load(typing, array, index):
    """As flat_load, of a 1-D array that need not be contiguous."""

    def codegen(context, builder, sig, args):
        return context.unpack_value(builder, array.dtype, _strided_address(context, builder, array, *args))

    return array.dtype(array, types.intp), codegen


@intrinsic
def strided_store(typing, array, index, value):
    """As flat_store, into a 1-D array that need not be contiguous."""

    def codegen(context, builder, sig, args):
        number = context.cast(builder, args[2], value, array.dtype)
        context.pack_value(builder, array.dtype, number, _strided_address(context, builder, array, *args[:2]))
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen
