"""Numbers as people give them: what is none, or not finite, is refused by name before it gets into a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.errors import Fault, WorldError, shortened

SHOWN = 5  # names in a message


def number(value: Any, what: str, where: str, *, allowed: str = "a finite number") -> float:
    """A plain finite number; text is none, even if it looks like one."""
    try:
        if isinstance(value, str | bytes | bool):
            raise TypeError
        found = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        found = math.inf
    except (TypeError, ValueError):
        raise WorldError([Fault(f"{what} must be {allowed}, not {shortened(repr(value))}", where)]) from None
    if not math.isfinite(found):
        raise WorldError([Fault(f"{what} must be {allowed}, not {found}", where)])
    return found


def count(value: Any, what: str, where: str, *, least: int = 1) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise WorldError([Fault(f"{what} must be a whole number of at least {least}, not {value!r}", where)])
    return int(value)


def number_type(dtype: Any, where: str) -> type:
    """float64 or float32."""
    try:
        kind = np.dtype(dtype).type
    except TypeError:
        kind = None
    if kind not in (np.float64, np.float32):
        raise WorldError([Fault(f"dtype must be float64 or float32, not {dtype!r}", where)])
    return kind


def vector(values: Any, what: str, where: str, *, unit: str, example: str) -> tuple[float, float, float]:
    """Three finite numbers."""
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        message = f"{what} must be 3 finite numbers [{unit}], such as {example}, not {values!r}"
        raise WorldError([Fault(message, where)])
    x, y, z = map(float, found)
    return x, y, z


def array(values: Any, what: str, where: str, names: Sequence[str]) -> np.ndarray:
    """Finite numbers, the last axis by `names`; those that are not are named, with their world where there are several.

    Of an array of another width only that it is finite is checked: who takes it knows which shapes are allowed.
    """
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise WorldError([Fault(f"{what} must be numbers, not {shortened(repr(values))}", where)]) from None
    if np.all(np.isfinite(found)):
        return found
    if found.ndim == 0 or found.shape[-1] != len(names):
        message = f"{what} must be finite, {len(names)} of them ({_few(names)}); this is {values!r}"
        raise WorldError([Fault(message, where)])
    raise WorldError([Fault(f"{what} must be finite; not so: {_few(odd_ones(found, names))}", where)])


def odd_ones(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """Names of the numbers that are not finite, with what they are."""
    table = np.atleast_2d(values)
    several = len(table) > 1
    return [
        f"{names[k]} = {table[world, k]}" + (f" (world {world})" if several else "")
        for world, k in np.argwhere(~np.isfinite(table))
    ]


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def times(value: Any, now: float) -> np.ndarray:
    """Sample times [s] that rise from now on."""
    try:
        ahead = np.asarray(value, float)
    except (TypeError, ValueError):
        raise WorldError([Fault(f"sample times must be finite numbers [s], not {value!r}", "run")]) from None
    if ahead.ndim != 1 or not np.all(np.isfinite(ahead)) or np.any(np.diff(ahead, prepend=now) < 0):
        raise WorldError([Fault(f"sample times must rise from t = {now:g} s on, and be finite", "run")])
    return ahead
