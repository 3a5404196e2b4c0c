"""Motor ramps: a parameter driven from one value to another over a while, evaluated at every stage of a step.

A ramped parameter takes RAMP numbers: from, to, start [s], duration [s], profile. It is `from` before the start and
`to` after the end. Profiles: linear as in the sources, smooth (minimum jerk), or a table of the world's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.jit import function, outlined
from gambol.math.scalar import (
    any_positive,
    constant,
    lanes_of,
    load,
    load_lane,
    maximum,
    minimum,
    store,
    store_lane,
    where_positive,
)

RAMP = 5
FROM, TO, START, DURATION, PROFILE = range(RAMP)
PROFILES = ("linear", "smooth")  # numbers 0 and 1; a table that begins at `tables[k]` is number 2 + k


def held(value: float) -> list[float]:
    """The numbers of a parameter that does not move."""
    return [float(value), float(value), 0.0, 0.0, 0.0]


def table_numbers(values: Sequence[float]) -> list[float]:
    """A profile's table: how many values, then the values (evenly spaced shares of the way, the last 1)."""
    return [float(len(values)), *(float(x) for x in values)]


@outlined
def table_share(tables, params, p, spare):
    """Share and slope of tabled profiles, world by world: spare[0] holds how far in time, spare[1] the linear slope."""
    for lane in range(lanes_of(spare)):
        profile = load_lane(params, p + PROFILE, lane)
        if profile >= 2.0:
            first = int(profile) - 2
            intervals = int(tables[first]) - 1
            count = constant(profile, intervals)
            x = load_lane(spare, 0, lane) * count
            k = min(max(int(x), 0), intervals - 1)
            rise = tables[first + 2 + k] - tables[first + 1 + k]
            store_lane(spare, 0, lane, tables[first + 1 + k] + (x - constant(x, k)) * rise)
            store_lane(spare, 1, lane, load_lane(spare, 1, lane) * rise * count)


@function
def ramp_share(model, motion, p, t):
    """How far the ramp is (0 … 1) and how fast it goes [1/s]."""
    params = model.params
    duration, since = load(params, p + DURATION), t - load(params, p + START)
    one, zero = constant(since, 1.0), constant(since, 0.0)
    if not any_positive(duration):
        return where_positive(since, one, zero), zero
    moving = maximum(duration, constant(duration, 1e-30))
    x = since / moving
    inside = where_positive(x, where_positive(one - x, one, zero), zero)
    x = maximum(minimum(x, one), zero)
    profile = load(params, p + PROFILE)
    share, rate = x, one
    if any_positive(profile):
        smooth = x * x * x * (x * (x * constant(x, 6.0) - constant(x, 15.0)) + constant(x, 10.0))
        slope = x * x * constant(x, 30.0) * (x - one) * (x - one)
        share, rate = where_positive(profile, smooth, x), where_positive(profile, slope, one)
    if any_positive(profile - constant(x, 1.5)):
        tabled = profile - constant(x, 1.5)
        store(motion.spare, 0, where_positive(tabled, x, share))
        store(motion.spare, 1, where_positive(tabled, one, rate))
        table_share(model.tables, params, p, motion.spare)
        share, rate = load(motion.spare, 0), load(motion.spare, 1)
    return share, rate * inside / moving


@function
def ramped(model, motion, p, t):
    """Value and rate of a ramped parameter."""
    first, last = load(model.params, p + FROM), load(model.params, p + TO)
    share, rate = ramp_share(model, motion, p, t)
    return first + (last - first) * share, (last - first) * rate


def ramp_value(numbers: np.ndarray, time: np.ndarray | float, tables: np.ndarray) -> np.ndarray:
    """Value of ramped parameters at a time; the last axis of `numbers` holds the RAMP numbers of each."""
    numbers = np.asarray(numbers, float)
    if numbers.size > RAMP and not np.any(numbers[..., PROFILE] >= 2):
        first, last, start, duration, profile = np.moveaxis(numbers, -1, 0)
        x = np.clip((time - start) / np.maximum(duration, 1e-30), 0.0, 1.0)
        share = np.where(profile > 0, x**3 * (x * (6.0 * x - 15.0) + 10.0), x)
        return first + (last - first) * share
    rows = numbers.reshape(-1, RAMP)
    times = np.broadcast_to(np.asarray(time, float), numbers.shape[:-1]).ravel()
    return np.array([_value(row, t, tables) for row, t in zip(rows, times)]).reshape(numbers.shape[:-1])


def _value(row: np.ndarray, time: float, tables: np.ndarray) -> float:
    first, last, start, duration, profile = row
    x = min(max((time - start) / max(duration, 1e-30), 0.0), 1.0)
    if profile >= 2:
        begin = int(profile) - 2
        values = tables[begin + 1 : begin + 1 + int(tables[begin])]
        x = float(np.interp(x * (len(values) - 1), np.arange(len(values)), values))
    elif profile > 0:
        x = x**3 * (x * (6.0 * x - 15.0) + 10.0)
    return first + (last - first) * x
