"""What compiled code of several threads needs of one another: a count that each takes its turn from, and semaphores.

Semaphores are those of POSIX, in four numbers of an array; only Linux is asked for them (`NATIVE`).
"""

import ctypes
import sys
import threading

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gambol.jit import JIT_ON, function

OTHERS = 64  # looks for a semaphore between two offers of the core to other threads
NATIVE = JIT_ON and sys.platform == "linux"


@intrinsic
def take_next(typing, array, place):
    """array[place], which is one more for whoever asks next, in whichever thread."""

    def codegen(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        one = ir.Constant(ir.IntType(64), 1)
        return builder.atomic_rmw("add", builder.gep(data, [arguments[1]]), one, "seq_cst")

    return types.int64(array, types.int64), codegen


@intrinsic
def pointer(typing, address):
    """An address as what calls by address take."""
    return types.voidptr(types.int64), lambda context, builder, signature, arguments: builder.inttoptr(
        arguments[0], cgutils.voidptr_t
    )


def _of_library(name):
    """Jitted function of (array, place) that calls name(&array[place]) of the C library."""

    @intrinsic
    def call(typing, array, place):
        def codegen(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            kind = ir.FunctionType(ir.IntType(32), [cgutils.voidptr_t])
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            where = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
            return builder.call(function, [where])

        return types.int32(array, types.int64), codegen

    return call


_sleep, _try, post = _of_library("sem_wait"), _of_library("sem_trywait"), _of_library("sem_post")


@intrinsic
def _let_others(typing):
    """Another thread that waits for this core may have it."""

    def codegen(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])

    return types.int32(), codegen


@function
def wait(array, place, looks):
    """Until somebody has posted the semaphore at array[place]; looks so many times before it sleeps."""
    for k in range(looks):
        if _try(array, place) == 0:
            return
        if k % OTHERS == 0:
            _let_others()
    while _sleep(array, place) != 0:  # a signal came in between
        pass


def begin(array, place: int) -> None:
    """A semaphore at array[place] that nobody has posted."""
    library = ctypes.CDLL(None, use_errno=True)
    at = ctypes.c_void_p(array.ctypes.data + array.itemsize * place)
    if library.sem_init(at, ctypes.c_int(0), ctypes.c_uint(0)):
        raise OSError(ctypes.get_errno(), "sem_init")


if not JIT_ON:
    _turn = threading.Lock()

    def take_next(array, place):  # type: ignore
        """array[place], which is one more for whoever asks next."""
        with _turn:
            array[place] += 1
            return array[place] - 1
