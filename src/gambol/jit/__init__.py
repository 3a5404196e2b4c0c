"""How Gambol compiles: five decorators, calls by address, and the disk cache.

    @function   small functions: always inlined, no reference counting
    @strict     the same, where sums must stay as they are written
    @outlined   larger loops: compiled once, called
    @entry      what Python calls, or others by address: releases the GIL, cached on disk
    @value      operators of a NamedTuple for jitted code

    address_of(entry, types)   where the machine code of an entry lies; compiles it for these types if need be
    is_kept(entry, types)      is it compiled, or on the disk?
    call(address, arguments)   in jitted code: calls it
    reference(value), fetch(place)   in jitted code: large arguments that several calls share; `place.field` of a tuple
    keep(room, place, value), kept(room, place)   the same for calls from Python: it is unpacked once

Calls by address keep what changes from world to world (its force elements, the equations of a model) out of the
large compiled loops, so these are compiled once for all.

    options    what Numba is told
    pipeline   one link and one piece of machine code an entry
    lean       Numba without what compiling can do without
    digest     what compiled code depends on
    cache      the files, and the words while one waits
    address    calls by address
    values     operators of values
"""

import functools
import hashlib
from collections.abc import Iterable
from typing import Any

import numba
from numba import njit, types

from gambol.jit.address import (
    address_of as address_of,
    call as call,
    fetch as fetch,
    keep as keep,
    kept as kept,
    reference as reference,
)
from gambol.jit.cache import EntryCache
from gambol.jit.device import for_device as for_device
from gambol.jit.digest import code_digest as code_digest
from gambol.jit.options import FASTMATH, INLINE, JIT_ON, NUMBER_TYPES as NUMBER_TYPES, OUTLINE
from gambol.jit.pipeline import Once
from gambol.jit.values import value as value

function = njit(**INLINE)
strict = njit(**(INLINE | {"fastmath": False}))
outlined = njit(**OUTLINE)


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


def entry(
    python_function=None,
    *,
    recipe: str = "",
    sources: Iterable[str] = (),
    fast: bool = True,
    counts: bool = True,
    seconds: float = 0.0,
):
    """A compiled function that Python calls; cached on disk under its sources and `recipe`.

    sources   modules it depends on beyond the imports of its own
    fast      may reassociate sums
    counts    counts references to arrays; False: it works on what it is handed and on views of that
    seconds   about how long it compiles [s]; below 2, nobody is told
    """
    if python_function is None:
        return functools.partial(entry, recipe=recipe, sources=sources, fast=fast, counts=counts, seconds=seconds)
    if recipe:  # tells its file in the cache and its machine code from those of its siblings
        python_function.__qualname__ += f"_{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    options: Any = dict(fastmath=set(FASTMATH) if fast else False, error_model="numpy", nogil=True, _nrt=counts)
    dispatcher: Any = njit(pipeline_class=Once, **options)(python_function)
    if JIT_ON:
        dispatcher._cache = cache = EntryCache(python_function, tuple(sources), seconds)
        cache.forget_failure = dispatcher._compiler._failed_cache.clear  # raised again, we would not hear of it
    return dispatcher


def is_kept(compiled, argument_types: Iterable[types.Type]) -> bool:
    """Is an entry compiled for these types, in this process or on the disk? Where no compiler runs, always."""
    signature = tuple(argument_types)
    return not JIT_ON or signature in compiled.overloads or compiled._cache.keeps(signature)


def versions() -> dict[str, str]:
    """Versions that decide the bits of a result."""
    import llvmlite
    import numpy

    return {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "numpy": numpy.__version__}
