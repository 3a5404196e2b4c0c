"""Numbers of float32 that are almost zero are zero while worlds march.

What comes to rest in float32 soon has speeds whose products are below 1e-38, which the processor keeps with fewer
digits and works on apart, many processors a hundred times as slowly. `flushed` tells it to take them for zero, in the
thread that calls and for the time of the call; float64 hardly ever has such numbers and is left alone.
"""

import platform
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gambol.jit import JIT_ON, entry

# The control word of x86: its bits for results and operands that are subnormal to be zero, and what it usually is
ZEROS, USUAL = np.uint32(0x8040), np.uint32(0x1F80)
TOLD = JIT_ON and platform.machine().lower() in ("x86_64", "amd64")  # does the processor have such a word?


@intrinsic
def _exchange(typing, word):
    """Sets the control word; returns the one before."""

    def codegen(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t])
        read, write = (
            cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.sse.{name}")
            for name in ("stmxcsr", "ldmxcsr")
        )
        before = cgutils.alloca_once(builder, ir.IntType(32))
        after = cgutils.alloca_once_value(builder, arguments[0])
        builder.call(read, [builder.bitcast(before, cgutils.voidptr_t)])
        builder.call(write, [builder.bitcast(after, cgutils.voidptr_t)])
        return builder.load(before)

    return types.uint32(types.uint32), codegen


@entry
def begin_flushing():
    """From now on in this thread; returns its control word as it was."""
    before = _exchange(USUAL)
    _exchange(before | ZEROS)
    return before


@entry
def end_flushing(before):
    """The control word as it was."""
    _exchange(before)


def flushed(dtype: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A call of compiled code that takes subnormal numbers for zero, where the number type has them."""
    if dtype is not np.float32 or not TOLD:
        return call

    def flushing(*arguments: Any) -> Any:
        before = np.uint32(begin_flushing())
        try:
            return call(*arguments)
        finally:
            end_flushing(before)

    return flushing
