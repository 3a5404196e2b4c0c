"""Calls by address."""

from collections.abc import Iterable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

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
