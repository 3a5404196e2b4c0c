"""How Gambol compiles: five decorators and the disk cache.

    @function   small functions: always inlined, no reference counting
    @outlined   larger loops: compiled once, called
    @view       functions that return arrays (slices of their arguments): these do count references
    @entry      what Python calls: releases the GIL, cached on disk
    @value      operators of a NamedTuple for jitted code

The cache key of an entry holds the digest of the package's whole source, because an entry inlines functions from
other files. Entries made by a factory name what they were made from (`recipe`), so closures hit the cache too.
Editing any file of the package makes the cached code stale, never wrong.
"""

from __future__ import annotations

import functools
import hashlib
import operator
import sys
import time
from pathlib import Path
from typing import Any

import numba
from numba import njit, types
from numba.core import config
from numba.core.caching import FunctionCache
from numba.extending import overload

# Not "fast": that assumes there is no NaN and would remove every isfinite.
FASTMATH = frozenset({"reassoc", "contract", "nsz", "arcp", "afn"})
# Inner functions get no wrapper for Python, so no machine code is made for each of them alone: a third of the time.
_INNER: dict[str, Any] = dict(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
# `_nrt=False` (no reference counts inside) is undocumented in Numba; it is used here and nowhere else.
OUTLINE: dict[str, Any] = dict(fastmath=set(FASTMATH), _nrt=False, **_INNER)
INLINE: dict[str, Any] = dict(forceinline=True, **OUTLINE)
# Packages without kernels
NOT_COMPILED = frozenset(
    {"figure", "models", "record", "plot", "view", "export", "study", "experiments", "corpus", "bench", "cli"}
)
JIT_ON = not config.DISABLE_JIT

function = njit(**INLINE)
outlined = njit(**OUTLINE)
view = njit(forceinline=True, **_INNER)


def choice(functions, parameters: str):
    """One jitted function of (kind, *parameters) that calls functions[kind](*parameters).

    The text of the function is generated, because a chain of closures costs five times the compile time.
    """
    last = len(functions) - 1
    tests = "".join(f"    if kind == {k}:\n        return f{k}({parameters})\n" for k in range(last))
    source = f"def chosen(kind, {parameters}):\n{tests}    return f{last}({parameters})\n"
    scope: dict[str, Any] = {f"f{k}": f for k, f in enumerate(functions)}
    exec(source, scope)
    return function(scope["chosen"])


@functools.cache
def source_digest() -> str:
    """Digest of every source file that compiled code may come from: what it depends on besides its arguments."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] in NOT_COMPILED:
            continue
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def announce_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


announce = announce_on_stderr  # replaced by the command line and by tests


class _EntryCache(FunctionCache):
    """Numba's function cache, keyed by the package's source and a recipe instead of one file and its closures."""

    def __init__(self, py_func, recipe: str):
        self._recipe = recipe
        self._started = 0.0
        super().__init__(py_func)
        self._cache_file._source_stamp = source_digest()

    def _index_key(self, sig, codegen):
        return sig, codegen.magic_tuple(), self._recipe

    def load_overload(self, sig, target_context):
        found = super().load_overload(sig, target_context)
        if found is None:
            self._started = time.perf_counter()
            announce(
                f"gambol: compiling {self._py_func.__name__} for {_number_type(sig)}"
                " (once on this machine; it takes some seconds)"
            )
        return found

    def save_overload(self, sig, data):
        super().save_overload(sig, data)
        announce(f"gambol: compiled {self._py_func.__name__} in {time.perf_counter() - self._started:.1f} s")


def _number_type(sig) -> str:
    """The number type a signature was asked for, in words."""
    text = str(sig).lower()
    for bits in (64, 32):
        if f"nestedarray(float{bits}" in text:
            return f"packs of float{bits}"
    return "float32" if "array(float32" in text else "float64"


def entry(python_function=None, *, recipe: str = "", **options):
    """A compiled function that Python calls; cached on disk under its source and `recipe`."""
    if python_function is None:
        return functools.partial(entry, recipe=recipe, **options)
    dispatcher = njit(fastmath=set(FASTMATH), error_model="numpy", nogil=True, **options)(python_function)
    if JIT_ON:
        dispatcher._cache = _EntryCache(python_function, recipe)
    return dispatcher


# ---------------------------------------------------------------- values with operators
_OPERATORS = dict(
    __add__=operator.add,
    __sub__=operator.sub,
    __mul__=operator.mul,
    __matmul__=operator.matmul,
    __neg__=operator.neg,
)


def value(cls):
    """Class decorator: lets jitted code use the operators that a NamedTuple defines.

    The annotation of the right operand says what the operator takes: a class by name, or `number` for a float
    or a pack.
    """
    cls.__array_ufunc__ = None  # un-jitted `ndarray * value` must not broadcast over the tuple
    for name, operator_ in _OPERATORS.items():
        method = cls.__dict__.get(name)
        if method is not None:
            _overload_operator(cls, operator_, method)
    return cls


def _overload_operator(cls, operator_, method):
    from gambol.math.pack import Pack

    def accepts(kind, wanted):
        if wanted == "number":
            return isinstance(kind, types.Number | Pack)
        if not isinstance(kind, types.BaseNamedTuple):
            return False
        other = kind.instance_class
        return (other.__module__, other.__name__) == (cls.__module__, wanted)

    wanted = [cls.__name__, *method.__annotations__.values()]
    if len(wanted) == 1:

        def typing(a):
            return method if accepts(a, wanted[0]) else None
    else:

        def typing(a, b):
            return method if accepts(a, wanted[0]) and accepts(b, wanted[1]) else None

    overload(operator_, strict=False, jit_options=INLINE)(typing)


def versions() -> dict[str, str]:
    """Versions that decide the bits of a result."""
    import llvmlite
    import numpy

    return {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "numpy": numpy.__version__}
