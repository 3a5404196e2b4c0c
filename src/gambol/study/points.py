"""Points of a study: a grid, or samples from ranges."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.errors import StudyError
from gambol.limits import refuse_too_large

Point = dict[str, Any]
POINT_SIZE = 250.0  # [bytes] of a point without its values
SAMPLING_SCHEMES = ("latin", "sobol", "random")


def grid(**axes: Sequence[Any]) -> list[Point]:
    """Every combination of the values, the last axis running fastest."""
    for name, values in axes.items():
        if not len(values):
            raise StudyError(f"the axis {name!r} of the grid has no values")
    count = math.prod(float(len(values)) for values in axes.values())
    refuse_too_large(f"a grid of {count:.3g} points", count * (POINT_SIZE + 32.0 * len(axes)))
    return [dict(zip(axes, values)) for values in itertools.product(*map(_plain, axes.values()))]


def _plain(values: Sequence[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def samples(count: int, *, seed: int = 0, scheme: str = "latin", **ranges: tuple[float, float]) -> list[Point]:
    """`count` points from the box of `ranges` (low, high): a Latin hypercube, a Sobol sequence or plain random."""
    from scipy.stats import qmc

    if count < 1:
        raise StudyError(f"the number of samples must be at least 1, it is {count}")
    refuse_too_large(f"{count:.3g} samples", float(count) * (POINT_SIZE + 40.0 * len(ranges)))
    if scheme not in SAMPLING_SCHEMES:
        raise StudyError(f"no scheme {scheme!r} (allowed: {', '.join(SAMPLING_SCHEMES)})")
    for name, (low, high) in ranges.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise StudyError(f"the range of {name!r} must go from a smaller to a larger number, not {low} to {high}")
    if scheme == "random":
        unit = np.random.default_rng(seed).random((count, len(ranges)))
    elif scheme == "sobol":
        unit = qmc.Sobol(len(ranges), seed=seed).random_base2(math.ceil(math.log2(count)))[:count]
    else:
        unit = qmc.LatinHypercube(len(ranges), seed=seed).random(count)
    low, high = np.array(list(ranges.values())).T
    return [dict(zip(ranges, map(float, row))) for row in low + unit * (high - low)]


def parse_axis(text: str) -> tuple[str, list[Any]]:
    """`name=1,2,3` or `name=0:1:11` (from, to, how many) as a name and values; numbers where they are numbers."""
    name, given, values = text.partition("=")
    parts = values.split(":")
    try:
        if not (name and given and values) or len(parts) not in (1, 3):
            raise ValueError
        if len(parts) == 3:
            refuse_too_large(f"the axis {name} of {parts[2]} values", 40.0 * int(parts[2]))
            return name, np.linspace(float(parts[0]), float(parts[1]), int(parts[2])).tolist()
    except ValueError:
        raise StudyError(f"an axis is written name=1,2,3 or name=FROM:TO:COUNT, not {text!r}") from None
    return name, [_value(value) for value in values.split(",")]


def parse_range(text: str) -> tuple[str, tuple[float, float]]:
    """`name=0.5:2` as a name and a range."""
    name, _, values = text.partition("=")
    try:
        low, high = map(float, values.split(":"))
    except ValueError:
        raise StudyError(f"a range is written name=LOW:HIGH, not {text!r}") from None
    return name, (low, high)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
