"""Calls by address, and references: large arguments that several calls share lie on the caller's stack, once."""

from collections.abc import Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, overload, register_model

from gambol.jit.options import INNER, JIT_ON

CALL: Any = dict(forceinline=True, _nrt=False, **INNER)
_by_address: dict[int, Any] = {}  # keeps the machine code alive; un-jitted: the functions themselves


def address_of(compiled: Any, argument_types: Iterable[types.Type]) -> int:
    """Where the machine code of an @entry for these argument types lies. It must return nothing."""
    if not JIT_ON:
        _by_address[id(compiled)] = compiled
        return id(compiled)
    signature = tuple(argument_types)
    compiled.compile(signature)
    result = compiled.overloads[signature]
    if result.signature.return_type != types.none:
        raise TypeError(f"{compiled.__name__} is called by address and must return nothing")
    address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    _by_address[address] = compiled
    return address


def call(address: int, arguments: tuple) -> None:
    """Calls what lies at an address from `address_of`; the types of the arguments must be those named there."""
    _by_address[int(address)](*arguments)


@intrinsic
def _call(typing_context, address, arguments):
    def generate(context, builder, signature, values):
        kinds = signature.args[1].types
        unpacked = cgutils.unpack_tuple(builder, values[1])
        kind = context.call_conv.get_function_type(types.none, kinds)
        pointer = builder.inttoptr(values[0], kind.as_pointer())
        status, _ = context.call_conv.call_function(builder, pointer, types.none, kinds, unpacked)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(address, arguments), generate


@overload(call, jit_options=CALL)
def _overload_call(address, arguments):
    return lambda address, arguments: _call(address, arguments)


class Reference(types.Type):
    """Type of a place on the stack of a caller; the fields of a named tuple that lies there are its attributes."""

    def __init__(self, to: types.Type):
        self.to = to
        super().__init__(f"Reference({to})")


register_model(Reference)(models.OpaqueModel)


@intrinsic
def reference(typing_context, value):
    """In jitted code: where a tuple lies until the caller returns; whatever else stays what it is.

    A call then takes one argument where a tuple of arrays would be hundreds, and the callee takes what it needs. What
    lies there never changes, so that loads of it may go out of loops; the pointer comes out of an empty instruction
    that touches memory, before which no load can go.
    """
    if not isinstance(value, types.BaseTuple):
        return value(value), lambda context, builder, signature, arguments: arguments[0]

    def generate(context, builder, signature, arguments):
        place = builder.bitcast(cgutils.alloca_once_value(builder, arguments[0]), cgutils.voidptr_t)
        kind = ir.FunctionType(cgutils.voidptr_t, [cgutils.voidptr_t])
        return builder.asm(kind, "", "=r,0,~{memory}", [place], side_effect=True)

    return Reference(value)(value), generate


@infer_getattr
class _ReferenceAttributes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, place, name):
        if isinstance(place.to, types.BaseNamedTuple) and name in place.to.fields:
            field = place.to.types[place.to.fields.index(name)]
            return Reference(field) if isinstance(field, types.BaseNamedTuple) else field
        return None


@lower_getattr_generic(Reference)
def _field(context, builder, place, pointer, name):
    number = place.to.fields.index(name)
    field = place.to.types[number]
    whole = builder.bitcast(pointer, context.get_value_type(place.to).as_pointer())
    at = cgutils.gep_inbounds(builder, whole, 0, number)
    if isinstance(field, types.BaseNamedTuple):
        return builder.bitcast(at, cgutils.voidptr_t)
    return impl_ret_borrowed(context, builder, field, _load_unchanging(builder, at))


def _load_unchanging(builder, place):
    """A value that nobody writes any more, leaf by leaf: LLVM forgets of a whole one that it does not change."""
    kind = place.type.pointee
    if isinstance(kind, ir.Aggregate):
        value = ir.Constant(kind, ir.Undefined)
        for k in range(len(kind)):
            part = _load_unchanging(builder, cgutils.gep_inbounds(builder, place, 0, k))
            value = builder.insert_value(value, part, k)
        return value
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


@intrinsic
def fetch(typing_context, place):
    """In jitted code: the value that was referred to."""

    def generate(context, builder, signature, arguments):
        kind = context.get_value_type(signature.return_type).as_pointer()
        value = builder.load(builder.bitcast(arguments[0], kind))
        return impl_ret_borrowed(context, builder, signature.return_type, value)

    return place.to(place), generate


@intrinsic
def keep(typing_context, room, place, value):
    """In jitted code: lays a value down in `room`, an array of int64, from number `place` on."""

    def generate(context, builder, signature, arguments):
        kind = context.get_value_type(signature.args[2])
        where = _in_room(context, builder, signature, arguments)
        builder.store(arguments[2], builder.bitcast(where, kind.as_pointer()))
        return context.get_dummy_value()

    return types.void(room, types.int64, value), generate


@intrinsic
def kept(typing_context, room, place):
    """In jitted code: where that lies; a call by address may `fetch` it as long as there is the room."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(_in_room(context, builder, signature, arguments), cgutils.voidptr_t)

    return types.voidptr(room, types.int64), generate


def _in_room(context, builder, signature, arguments):
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


def words_of(kind: types.Type) -> int:
    """How many numbers of a room a value of a type takes."""
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context
    return -(-context.get_abi_sizeof(context.get_value_type(kind)) // 8)


if not JIT_ON:
    keep = lambda room, place, value: room.__setitem__(place, value)  # type: ignore[assignment]
    kept = lambda room, place: room[place]  # type: ignore[assignment]
    reference = fetch = lambda value: value  # type: ignore[assignment]
