"""Brushed DC motors without electrical dynamics, and how batteries run empty: the laws, for whatever uses them.

Torque τ and speed w are those of the joint; at the shaft they are τ/gear and w·gear. One motor has one constant for
torque [N·m/A] and back-EMF [V·s/rad]: with two, power appears or vanishes in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gambol.jit import function
from gambol.math.scalar import constant, exp, log, maximum, minimum, where_positive

MIN_CURRENT = 1e-6  # [A] below this a discharge curve is not followed


class MotorNumbers(NamedTuple):
    """What the laws read of a motor; anything with these fields will do."""

    gear: float
    torque_constant: float
    back_emf: float
    resistance: float
    torque_cap: float  # [N·m] at the joint


class MotorElectrical(NamedTuple):
    """Of one motor: current [A], voltage [V]."""

    current: float
    voltage: float


@function
def limit_torque(p, link, torque, speed):
    """The torque that a motor can give at a speed with `link` volts [N·m]: the torque–speed line, then the cap."""
    per_volt = p.gear * p.torque_constant / p.resistance
    behind = p.back_emf * p.gear * speed
    most, least = (link - behind) * per_volt, (-link - behind) * per_volt
    torque = maximum(minimum(torque, most), least)
    return maximum(minimum(torque, p.torque_cap), -p.torque_cap)


@function
def motor_electrical(p, torque, speed):
    """Current and voltage of the motor behind a torque at a speed."""
    current = torque / (p.gear * p.torque_constant)
    return MotorElectrical(current, current * p.resistance + p.back_emf * p.gear * speed)


@function
def link_rate(full, resistance, current, link, lag):
    """Rate [V/s] of the voltage at the motors, which follows that of the battery under a current [A]."""
    return (full - resistance * current - link) / lag


def discharge_table(curve: Sequence[Sequence[float]]) -> list[float]:
    """Times to empty [s] at constant currents [A], as `drain_rate` reads them.

    Straight lines in logarithms, the end lines carried on: how many, then log current, log time and slope of each.
    """
    logs = [(math.log(current), math.log(time)) for current, time in curve]
    lines = [[a, b, (d - b) / (c - a)] for (a, b), (c, d) in zip(logs, logs[1:])]
    return [float(len(lines)), *(x for line in lines for x in line)]


@function
def drain_rate(table, first, current):
    """1 / time to empty [1/s] at a current [A], by the discharge table that begins at `first`."""
    place = log(maximum(current, constant(current, MIN_CURRENT)))
    value = constant(place, 0.0)
    for k in range(int(table[first])):
        at = first + 1 + 3 * k
        along = place - constant(place, table[at])
        line = along * constant(place, table[at + 2]) + constant(place, table[at + 1])
        value = line if k == 0 else where_positive(along, line, value)
    return exp(-value)
