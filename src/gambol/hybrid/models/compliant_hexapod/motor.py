"""Brushed DC motors at the hips, without electrical dynamics: torque limits, current and voltage.

The numbers known of the motor give a torque constant of 0.0161 N·m/A and a speed constant of 55.3685 rad/s/V, which
is a back-EMF of 0.01806 V·s/rad. One motor has one constant: with two, power appears or vanishes in it. The usual
parameters take the torque constant for both, so that electrical energy = heat + work; MOTOR_AS_PRINTED has the other.

Torque at the hip τ, speed of the hip w; at the shaft τ/gear and w·gear.
"""

from typing import NamedTuple

from gambol.jit import function
from gambol.math.scalar import maximum, minimum


class MotorElectrical(NamedTuple):
    """Of one motor: current [A], voltage [V]."""

    current: float
    voltage: float


@function
def limit_torque(p, link, torque, speed):
    """The hip torque that a motor can give at a hip speed, with `link` volts: the torque–speed line, then the cap."""
    per_volt = p.gear * p.torque_constant / p.resistance
    behind = p.back_emf * p.gear * speed
    most, least = (link - behind) * per_volt, (-link - behind) * per_volt
    torque = maximum(minimum(torque, most), least)
    return maximum(minimum(torque, p.torque_cap), -p.torque_cap)


@function
def motor_electrical(p, torque, speed):
    """Current and voltage of the motor behind a hip torque at a hip speed."""
    current = torque / (p.gear * p.torque_constant)
    return MotorElectrical(current, current * p.resistance + p.back_emf * p.gear * speed)
