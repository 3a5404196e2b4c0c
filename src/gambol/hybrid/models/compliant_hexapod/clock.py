"""The clocked alternating tripod: every leg's angle follows a reference of two speeds, without feedback of the gait.

A leg turns backward (decreasing φ: the body goes forward) slowly through the sweep about the vertical for a share
`duty` of the cycle, and through the rest of the turn in the rest of it; the second tripod is half a cycle behind. At
clock 0 the first tripod is in the middle of its sweep. Each side sweeps by its own share of the sweep; where that is
negative its legs turn forward, the same motion with time reversed.
"""

import math
from typing import NamedTuple

from gambol.jit import function
from gambol.math.scalar import absolute, constant, floor, where_positive

FULL_TURN = 2.0 * math.pi


class Reference(NamedTuple):
    """Where a leg is to be [rad], and how fast it is to turn [rad/s]."""

    angle: float
    speed: float


@function
def leg_reference(p, t, second, share):
    """The reference of the legs of a tripod (second: 1 for the second one) on a side that sweeps by this share."""
    zero, one = constant(t, 0.0), constant(t, 1.0)
    forward = where_positive(share, one, zero - one)
    sweep = p.sweep * absolute(share)
    cycles = forward * (t / p.cycle + p.phase) + p.duty * 0.5 + second * 0.5
    phase = cycles - floor(cycles)
    half = sweep * 0.5
    slow = p.duty - phase
    swing = (phase - p.duty) / (one - p.duty)
    angle = where_positive(slow, half - sweep * phase / p.duty, -half - (FULL_TURN - sweep) * swing)
    slow_speed = -sweep / (p.duty * p.cycle)
    fast_speed = -(FULL_TURN - sweep) / ((one - p.duty) * p.cycle)
    return Reference(angle + forward * p.offset, forward * where_positive(slow, slow_speed, fast_speed))


class TripodReferences(NamedTuple):
    """The references of both tripods, on either side."""

    left: Reference
    left_second: Reference
    right: Reference
    right_second: Reference


@function
def tripod_references(p, t):
    """The references of all legs at a time [s]."""
    zero, one = constant(t, 0.0), constant(t, 1.0)
    return TripodReferences(
        leg_reference(p, t, zero, p.left_share),
        leg_reference(p, t, one, p.left_share),
        leg_reference(p, t, zero, p.right_share),
        leg_reference(p, t, one, p.right_share),
    )


@function
def wrapped(angle):
    """The same angle within half a turn of zero."""
    return angle - FULL_TURN * floor(angle * (1.0 / FULL_TURN) + 0.5)
