"""How Gambol compiles: five decorators, calls by address, and the disk cache.

    @function   small functions: always inlined, no reference counting
    @outlined   larger loops: compiled once, called
    @view       functions that return arrays (slices of their arguments): these do count references
    @entry      what Python calls: releases the GIL, cached on disk
    @value      operators of a NamedTuple for jitted code

    address_of(entry, types)   where the machine code of an entry lies; compiles it for these types if need be
    call(address, arguments)   in jitted code: calls it

Calls by address keep what changes from world to world (its force elements, the equations of a model) out of the
large compiled loops, so these are compiled once for all.

The cache key of an entry holds a digest of its module and of every module of this package that it imports, because
an entry inlines functions from other files. Entries made by a factory name what they were made from (`recipe`,
`sources`), so closures hit the cache too; what a user's functions were made from is their `code_digest`. Editing a
file makes the code that depends on it stale, never wrong.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import operator
import re
import sys
import time
import types as python
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload

# Not "fast": that assumes there is no NaN and would remove every isfinite.
FASTMATH = frozenset({"reassoc", "contract", "nsz", "arcp", "afn"})
# Inner functions get no wrapper for Python, so no machine code is made for each of them alone: a third of the time.
_INNER: dict[str, Any] = dict(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
# `_nrt=False` (no reference counts inside) is undocumented in Numba; it is used here and nowhere else.
OUTLINE: Any = dict(fastmath=set(FASTMATH), _nrt=False, **_INNER)
INLINE: Any = dict(forceinline=True, **OUTLINE)
# Packages of which kernels inline nothing, though their modules may import them: editing these makes no code stale
NEVER_INLINED = frozenset({"errors", "figure"})
ROOT = Path(__file__).parent
IMPORTS = re.compile(rf"^(?:from|import) ({ROOT.name}(?:\.\w+)*)", re.MULTILINE)
JIT_ON = not config.DISABLE_JIT  # type: ignore[attr-defined]
NUMBER_TYPES: list[type[types.Type]] = [types.Number]  # what `number` may stand for; packs add theirs

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
def _files_of(module: str) -> tuple[Path, ...]:
    """The source of a module; of a package, every module in it."""
    path = ROOT.joinpath(*module.split(".")[1:])
    return tuple(sorted(path.rglob("*.py"))) if path.is_dir() else (path.with_suffix(".py"),)


@functools.cache
def _imports_of(path: Path) -> frozenset[str]:
    """Modules of this package that a file imports at its top level (importing a package counts for all in it)."""
    found = set(IMPORTS.findall(path.read_text()))
    return frozenset(m for m in found if m != ROOT.name and m.split(".")[1] not in NEVER_INLINED)


@functools.cache
def source_digest(modules: tuple[str, ...]) -> str:
    """Digest of the sources of modules and of all that they import: what compiled code depends on."""
    files: set[Path] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module.split(".")[0] == ROOT.name:
            new = set(_files_of(module)) - files
            waiting += [m for path in new for m in _imports_of(path)]
        else:
            spec = importlib.util.find_spec(module) if module != "__main__" else None
            new = {Path(spec.origin)} if spec and spec.origin and Path(spec.origin).exists() else set()
        files |= new
    digest = hashlib.sha256()
    for path in sorted(files | {Path(__file__)}):
        digest.update(path.as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def announce_on_stderr(text: str) -> None:
    """Says on standard error that something is compiled."""
    print(text, file=sys.stderr, flush=True)


announce = announce_on_stderr  # replaced by the command line and by tests


class _EntryCache(FunctionCache):
    """Numba's function cache, keyed by the sources it depends on and a recipe instead of one file and its closures."""

    def __init__(self, py_func, recipe: str, sources: tuple[str, ...], small: bool):
        self._small, self._started, self._lock = small, 0.0, ""
        super().__init__(py_func)
        label = hashlib.sha256(recipe.encode()).hexdigest()[:12]
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}-{label}",
            source_stamp=source_digest((py_func.__module__, *sources)),
        )

    def _index_key(self, sig, codegen):
        return sig, codegen.magic_tuple()

    def load_overload(self, sig, target_context):
        """From the disk; where another process is compiling the same, it is waited for rather than raced."""
        found = super().load_overload(sig, target_context)
        if found is None:
            self._lock = _hold(f"{self._cache_file._index_path}.lock")
            found = super().load_overload(sig, target_context)
            if found is not None:
                self._unlock()
        if found is None and not self._small:
            self._started = time.perf_counter()
            announce(
                f"gambol: compiling {self._py_func.__name__} for {_number_type(sig)}"
                " (once on this machine; it takes some seconds)"
            )
        return found

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        finally:
            self._unlock()
        if not self._small:
            announce(f"gambol: compiled {self._py_func.__name__} in {time.perf_counter() - self._started:.1f} s")

    def _unlock(self) -> None:
        _release(self._lock)


_held: dict[str, Any] = {}  # open files that hold a lock, by path


def _hold(path: str) -> str:
    """Waits for and holds the lock of a path, until it is released or the process ends (where there are locks)."""
    _release(path)  # one that a failed compilation left: a process would wait for itself
    try:
        import fcntl

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        _held[path] = file
    except (ImportError, OSError):
        pass
    return path


def _release(path: str) -> None:
    file = _held.pop(path, None)
    if file is not None:
        file.close()


def _number_type(sig) -> str:
    """The number type a signature was asked for, in words."""
    text = str(sig).lower()
    for bits in (64, 32):
        if f"nestedarray(float{bits}" in text:
            return f"packs of float{bits}"
    return "float32" if "array(float32" in text else "float64"


def entry(
    python_function=None, *, recipe: str = "", sources: Iterable[str] = (), fast: bool = True, small: bool = False
):
    """A compiled function that Python calls; cached on disk under its sources and `recipe`.

    sources   modules it depends on beyond the imports of its own
    fast      may reassociate sums
    small     compiles so quickly that nobody needs to be told
    """
    if python_function is None:
        return functools.partial(entry, recipe=recipe, sources=sources, fast=fast, small=small)
    dispatcher: Any = njit(fastmath=set(FASTMATH) if fast else False, error_model="numpy", nogil=True)(python_function)
    if JIT_ON:
        dispatcher._cache = _EntryCache(python_function, recipe, tuple(sources), small)
    return dispatcher


def code_digest(*given: Any) -> str:
    """Digest of the code of functions and of all that the compiler freezes into it: constants, and what they call.

    Functions may come from anywhere, a notebook too. A class of this package stands for its module: operators of
    values are compiled by type, not by name.
    """
    digest = hashlib.sha256()
    seen: set[int] = set()

    def enter(thing: Any) -> None:
        thing = getattr(thing, "py_func", thing)
        if isinstance(thing, python.FunctionType):
            if id(thing) not in seen:
                seen.add(id(thing))
                enter(thing.__code__)
                enter_globals(thing, sorted(names_in(thing.__code__)))
                for cell in thing.__closure__ or ():
                    enter(cell.cell_contents)
        elif isinstance(thing, python.CodeType):
            digest.update(thing.co_code)
            digest.update(repr((thing.co_names, thing.co_varnames, thing.co_freevars)).encode())
            for constant in thing.co_consts:
                enter(constant)
        elif isinstance(thing, np.ndarray):
            digest.update(f"|{thing.dtype.str}{thing.shape}".encode() + thing.tobytes())
        elif isinstance(thing, tuple | list):
            digest.update(f"|{len(thing)}(".encode())
            for item in thing:
                enter(item)
        elif isinstance(thing, python.ModuleType | type):
            digest.update(f"|{thing.__name__}".encode())
            home = getattr(thing, "__module__", "")
            if home.split(".")[0] == ROOT.name:
                digest.update(source_digest((home,)).encode())
        else:
            digest.update(f"|{thing!r}".encode())

    def enter_globals(function: python.FunctionType, names: list[str]) -> None:
        for name in names:
            if name in function.__globals__:
                value = function.__globals__[name]
                digest.update(f"|{name}=".encode())
                enter(value)
                if isinstance(value, python.ModuleType):
                    for inner in names:
                        if inner in vars(value):
                            enter(vars(value)[inner])

    def names_in(code: python.CodeType) -> set[str]:
        inner = [names_in(c) for c in code.co_consts if isinstance(c, python.CodeType)]
        return set(code.co_names).union(*inner)

    enter(given)
    return digest.hexdigest()


# ---------------------------------------------------------------- calls by address
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


@overload(call, jit_options=dict(forceinline=True, error_model="numpy", _nrt=False))  # type: ignore[typeddict-unknown-key]
def _overload_call(address, arguments):
    return lambda address, arguments: _call(address, arguments)


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
    def accepts(kind, wanted):
        if wanted == "number":
            return isinstance(kind, tuple(NUMBER_TYPES))
        if not isinstance(kind, types.BaseNamedTuple):
            return False
        other = kind.instance_class
        return (other.__module__, other.__name__) == (cls.__module__, wanted)

    wanted = [cls.__name__, *method.__annotations__.values()]
    if len(wanted) == 1:

        def typing(a):
            return method if accepts(a, wanted[0]) else None
    else:

        def typing(a, b):  # type: ignore[misc]
            return method if accepts(a, wanted[0]) and accepts(b, wanted[1]) else None

    overload(operator_, strict=False, jit_options=INLINE)(typing)


def versions() -> dict[str, str]:
    """Versions that decide the bits of a result."""
    import llvmlite
    import numpy

    return {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "numpy": numpy.__version__}
