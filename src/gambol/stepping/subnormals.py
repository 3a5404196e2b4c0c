"""Numbers of float32 that are almost zero are zero while worlds march.

What comes to rest in float32 soon has speeds whose products are below 1e-38, which the processor keeps with fewer
digits and works on apart, many processors a hundred times as slowly. Between `begin_flushing` and `end_flushing` they
are taken for zero in the thread at hand; float64 hardly ever has such numbers and is left alone.
"""

import platform

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gambol.jit import INLINE, JIT_ON

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


def begin_flushing(asked):
    """From now on in this thread, if that is asked; the control word as it was."""
    return USUAL


@overload(begin_flushing, jit_options=INLINE)
def _begin_flushing(asked):
    if not TOLD:
        return lambda asked: USUAL

    def begin(asked):
        if not asked:
            return USUAL
        before = _exchange(USUAL)
        _exchange(before | ZEROS)
        return before

    return begin


def end_flushing(asked, before):
    """The control word as it was."""


@overload(end_flushing, jit_options=INLINE)
def _end_flushing(asked, before):
    if not TOLD:
        return lambda asked, before: None

    def end(asked, before):
        if asked:
            _exchange(before)

    return end
