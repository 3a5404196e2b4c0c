"""Points of a study: a grid, samples from ranges, replicates with seeds of their own."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import StudyError
from gambol.limits import refuse_too_large

Point = dict[str, Any]
POINT_SIZE = 250.0  # [bytes] of a point without its values
SAMPLING_SCHEMES = ("latin", "sobol", "random")


class Range(NamedTuple):
    """From `low` to `high`; `whole`: whole numbers only, both ends included."""

    low: float
    high: float
    whole: bool = False

    def value(self, share: float) -> float | int:
        """At a share of the way, 0 to 1."""
        if self.whole:
            return min(int(self.low + share * (self.high - self.low + 1)), int(self.high))
        return float(self.low + share * (self.high - self.low))

    def share(self, value: float) -> float:
        """Where a value is on the way."""
        if self.whole:
            return (value - self.low + 0.5) / (self.high - self.low + 1)
        return (value - self.low) / (self.high - self.low)


def checked_range(name: str, given: Sequence[Any]) -> Range:
    """A range of these ends, or an error that names it."""
    try:
        made = Range(*given)
        low, high = float(made.low), float(made.high)
    except (TypeError, ValueError):
        raise StudyError(f"the range of {name!r} is two numbers, not {given!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise StudyError(f"the range of {name!r} must go from a smaller to a larger number, not {low:g} to {high:g}")
    if made.whole and (low != int(low) or high != int(high)):
        raise StudyError(f"the range of {name!r} must begin and end with whole numbers, not {low:g} and {high:g}")
    return made


def grid(axes: Mapping[str, Sequence[Any]] | None = None, /, **named: Sequence[Any]) -> list[Point]:
    """Every combination of the values, the last axis running fastest. Axes by name, or as a mapping of any names."""
    given = {**(axes or {}), **named}
    for name, values in given.items():
        if not len(values):
            raise StudyError(f"the axis {name!r} of the grid has no values")
    count = math.prod(float(len(values)) for values in given.values())
    refuse_too_large(f"a grid of {count:.3g} points", count * (POINT_SIZE + 32.0 * len(given)))
    return [dict(zip(given, values)) for values in itertools.product(*map(_plain, given.values()))]


def _plain(values: Sequence[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def samples(
    count: int,
    ranges: Mapping[str, Sequence[Any]] | None = None,
    /,
    *,
    seed: int = 0,
    scheme: str = "latin",
    **named: Sequence[Any],
) -> list[Point]:
    """`count` points from a box of ranges (low, high): a Latin hypercube, a Sobol sequence or plain random.

    Ranges are given by name, or as a mapping, in which a parameter may be called anything ("seed", "count"). A third
    entry, (1, 9, True), asks for whole numbers.
    """
    if count < 1:
        raise StudyError(f"the number of samples must be at least 1, it is {count}")
    refuse_too_large(f"{count:.3g} samples", float(count) * (POINT_SIZE + 40.0 * (len(ranges or ()) + len(named))))
    boxes = {name: checked_range(name, given) for name, given in {**(ranges or {}), **named}.items()}
    unit = unit_samples(count, len(boxes), seed=seed, scheme=scheme)
    return [{name: own.value(x) for (name, own), x in zip(boxes.items(), row)} for row in unit]


def unit_samples(count: int, axes: int, *, seed: int, scheme: str) -> np.ndarray:
    """Points of the unit cube, (count, axes)."""
    from scipy.stats import qmc

    if scheme not in SAMPLING_SCHEMES:
        raise StudyError(f"no scheme {scheme!r} (allowed: {', '.join(SAMPLING_SCHEMES)})")
    if scheme == "random":
        return np.random.default_rng(seed).random((count, axes))
    if scheme == "sobol":
        return qmc.Sobol(axes, seed=seed).random_base2(math.ceil(math.log2(count)))[:count]
    return qmc.LatinHypercube(axes, seed=seed).random(count)


def replicated(points: Sequence[Point], count: int, *, seed: int = 0, parameter: str = "seed") -> list[Point]:
    """Each point so many times, with seeds of its own: `seed`, seed + 1, … as a parameter of that name."""
    if count < 1:
        raise StudyError(f"the number of replicates must be at least 1, it is {count}")
    if taken := [point for point in points if parameter in point]:
        raise StudyError(f"{parameter!r} is a parameter of the points already ({taken[0]}): replicates set it")
    return [{**point, parameter: seed + k} for point in points for k in range(count)]


def parse_axis(text: str) -> tuple[str, list[Any]]:
    """`name=1,2,3` or `name=0:1:11` (from, to, how many) as a name and values; whole numbers where all are whole."""
    name, given, values = text.partition("=")
    parts = [values] if "," in values else values.split(":")
    try:
        if not (name and given and values) or len(parts) not in (1, 3):
            raise ValueError
        if len(parts) == 3:
            refuse_too_large(f"the axis {name} of {parts[2]} values", 40.0 * int(parts[2]))
            found = np.linspace(float(parts[0]), float(parts[1]), int(parts[2])).tolist()
            whole = all(isinstance(_value(end), int) for end in parts[:2]) and all(x == int(x) for x in found)
            return name, [int(x) for x in found] if whole else found
    except (ValueError, OverflowError):
        raise StudyError(f"an axis is written name=1,2,3 or name=FROM:TO:COUNT, not {text!r}") from None
    return name, [_value(value) for value in values.split(",")]


def parse_range(text: str) -> tuple[str, Range]:
    """`name=0.5:2` as a name and a range; `name=1:9:int` one of whole numbers."""
    name, _, values = text.partition("=")
    ends, whole = (values.removesuffix(":int"), True) if values.endswith(":int") else (values, False)
    try:
        low, high = map(float, ends.split(":"))
        if not name:
            raise ValueError
    except ValueError:
        raise StudyError(f"a range is written name=LOW:HIGH or name=LOW:HIGH:int, not {text!r}") from None
    return name, checked_range(name, (low, high, whole))


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
