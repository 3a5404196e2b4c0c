"""Room on the stack: arrays that jitted code makes for itself, without memory management.

    _room = stack_room(64)              # at the module's top level: as many elements as the array it is asked with has
    _numbers = stack_room(64, np.float64)   # plain numbers of this type, whatever it is asked with
    ...
    room = _room(motion.work)           # in jitted code: lives until the function that asked for it returns

What is in it at first is not said. The function that asks must not be inlined into a loop's caller and must not return
the array: `outlined` ones are right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from gambol.jit import JIT_ON

LINE = 64  # bytes of a cache line


def stack_room(count: int, dtype: Any = None) -> Any:
    """A function of one array: room for `count` elements of its type, or of the type given."""
    if not JIT_ON:
        return lambda like: np.zeros(count, dtype or like.dtype)

    @intrinsic
    def room(typing, like):
        array = types.Array(from_dtype(np.dtype(dtype)) if dtype else like.dtype, 1, "C")

        def codegen(context, builder, sig, args):
            kind = context.get_data_type(array.dtype)
            size = context.get_abi_sizeof(kind)
            place = cgutils.alloca_once(builder, ir.ArrayType(kind, count))
            place.align = LINE
            made = context.make_array(array)(context, builder)
            whole = context.get_constant
            populate_array(
                made,
                data=builder.bitcast(place, kind.as_pointer()),
                shape=cgutils.pack_array(builder, [whole(types.intp, count)]),
                strides=cgutils.pack_array(builder, [whole(types.intp, size)]),
                itemsize=whole(types.intp, size),
                meminfo=None,
            )
            return made._getvalue()

        return array(like), codegen

    return room
