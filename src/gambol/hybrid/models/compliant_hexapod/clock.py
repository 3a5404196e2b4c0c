"""The clocked alternating tripod: every leg's angle follows a reference of two speeds, without feedback of the gait.

A leg turns backward (decreasing φ: the body goes forward) slowly through the sweep about the vertical for a share
`duty` of the cycle, and through the rest of the turn in the rest of it; the second tripod is half a cycle behind. At
time 0 the first tripod is in the middle of its sweep.
"""

import math
from typing import NamedTuple

from gambol.jit import function
from gambol.math.scalar import constant, floor, where_positive

FULL_TURN = 2.0 * math.pi


@function
def leg_reference(p, t, second):
    """Angle [rad] and speed [rad/s] of the reference; second = 1 for the legs of the second tripod."""
    cycles = t / p.cycle + p.duty * 0.5 + second * 0.5
    phase = cycles - floor(cycles)
    half = p.sweep * 0.5
    slow = p.duty - phase
    swing = (phase - p.duty) / (constant(t, 1.0) - p.duty)
    angle = where_positive(slow, half - p.sweep * phase / p.duty, -half - (FULL_TURN - p.sweep) * swing)
    slow_speed = -p.sweep / (p.duty * p.cycle)
    fast_speed = -(FULL_TURN - p.sweep) / ((constant(t, 1.0) - p.duty) * p.cycle)
    return angle + p.offset, where_positive(slow, slow_speed, fast_speed)


class TripodReferences(NamedTuple):
    """The references of both tripods."""

    angle: float
    speed: float
    second_angle: float
    second_speed: float


@function
def tripod_references(p, t):
    """The references of both tripods at a time [s]."""
    zero, one = constant(t, 0.0), constant(t, 1.0)
    angle, speed = leg_reference(p, t, zero)
    second_angle, second_speed = leg_reference(p, t, one)
    return TripodReferences(angle, speed, second_angle, second_speed)


@function
def wrapped(angle):
    """The same angle within half a turn of zero."""
    return angle - FULL_TURN * floor(angle * (1.0 / FULL_TURN) + 0.5)
