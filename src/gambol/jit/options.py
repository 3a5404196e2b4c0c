"""Options of Numba that every function of this package is compiled with."""

from typing import Any

from numba import types
from numba.core import config

from gambol.jit.pipeline import Once

# Not "fast": that assumes there is no NaN and would remove every isfinite.
FASTMATH = frozenset({"reassoc", "contract", "nsz", "arcp", "afn"})
INNER: dict[str, Any] = dict(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=Once)
# `_nrt=False` (no reference counts inside) is undocumented in Numba; it is used here and nowhere else.
OUTLINE: Any = dict(fastmath=set(FASTMATH), _nrt=False, forceinline=False, **INNER)
INLINE: Any = OUTLINE | dict(forceinline=True)
JIT_ON = not config.DISABLE_JIT  # type: ignore[attr-defined]
NUMBER_TYPES: list[type[types.Type]] = [types.Number]  # what `number` may stand for; packs add theirs
