"""The clock of a world: its numbers, by lane, and time that is added up without loss.

A step may be shorter than the distance of two numbers at that time: 4.8e-7 s at t = 4 s in float32. What a step adds
beyond what the clock can show waits in CARRY and is shown as soon as it can be (Kahan's sum).
"""

from gambol.jit import function, strict
from gambol.math.scalar import load_lane, store_lane


@function
def get(space, slot, lane):
    """A number of a lane's clock."""
    return load_lane(space.clock, slot, lane)


@function
def put(space, slot, lane, value):
    """Stores a number in a lane's clock."""
    store_lane(space.clock, slot, lane, value)


@strict
def add_time(t, carry, h):
    """The clock after a step h, and what it does not show of it [s]."""
    step = h + carry
    now = t + step
    return now, step - (now - t)


@strict
def time_left(until, t, carry):
    """[s] until a time that the clock is to show."""
    return (until - t) - carry
