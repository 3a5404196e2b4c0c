"""A brushed DC motor with its gear at a joint, fed by a supply of its own or by a battery that it shares.

    electrical energy = heat + work:    i u = i² R + loss in the gear + (torque at the joint) v

where torque constant and back-EMF are one (forces.electric). Back-EMF is damping at the joint, and enters implicit
steps as such; so do the gains, as long as the voltage suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gambol.errors import Fault
from gambol.figure.actuators import MotorConstants
from gambol.forces.battery import VOLTAGE, Battery, draw
from gambol.forces.electric import MotorNumbers, limit_torque, motor_electrical
from gambol.forces.element import FOREVER, JointElement, Row
from gambol.forces.factories import Parameters
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import absolute, constant, load, sqrt, store, where_positive

GIVEN = Parameters(
    (
        *("command", "rest", "speed", "supply", "torque_constant", "back_emf", "resistance", "gear", "rules_torque"),
        *("position_gain", "speed_gain", "current_limit", "efficiency", "friction", "damping", "creep"),
    ),
    ramps=("command", "rest", "speed", "supply"),
)
read, NUMBERS, RAMPS, PARAMETERS = GIVEN.read, GIVEN.numbers, GIVEN.ramps, GIVEN.size
INDICES, PARTNER = 3, 2  # position, speed, first state of the battery or -1
STATES = ("energy", "heat")
WEIGHTS = (0.0, 0.0)  # they follow the motion
REPORTS = ("force", "current", "voltage", "power", *STATES)


@dataclass(frozen=True, kw_only=True)
class DCMotor(MotorConstants, JointElement):  # type: ignore[misc]
    """A motor at a joint (`MotorConstants` says what its numbers are); command, rest, speed and supply can be ramped.

    states    energy [J] drawn, heat [J] in windings and gear
    reports   force [N·m or N] at the joint, current [A], voltage [V], power [W] drawn, energy [J], heat [J]
    """

    @classmethod
    def of_figure(cls, constants: MotorConstants, figure: str, joint: str) -> DCMotor:
        """That of a figure's joint ("figure/body"): "figure/body motor", on the figure's own battery."""
        battery = constants.battery and f"{figure}/{constants.battery}"
        return cls(name=f"{joint} motor", joint=joint, **constants.given() | {"battery": battery})

    def faults(self) -> Iterator[Fault]:
        """Of its name and its constants."""
        if not self.name:
            yield Fault("needs a name: it has states, which must be found again", self.where)
        if self.scaled_by:
            yield Fault("cannot be scaled by a mass", self.where)
        yield from (Fault(message, self.where) for _, message in self.problems())

    def partner(self) -> tuple[str, type[Battery]]:
        """Its battery."""
        return self.battery, Battery

    def added_inertia(self, layout) -> list[tuple[int, float]]:
        """That of its rotor, at its coordinate."""
        return [(self._place(layout)[1], self.reflected_inertia)] if self.rotor_inertia else []

    def rows(self, layout) -> list[Row]:
        """One kernel element."""
        numbers = {"back_emf": self.torque_constant if self.back_emf is None else self.back_emf}
        numbers |= {"current_limit": FOREVER if self.current_limit is None else self.current_limit}
        return [([*self._place(layout), -1], self.law_numbers(rules_torque=float(self.drive == "torque"), **numbers))]

    def _place(self, layout) -> tuple[int, int]:
        found = self.coordinates(layout)
        if not 0 <= self.coordinate < len(found):
            raise self.fail(f"joint {self.joint!r} has {len(found)} coordinates; there is no number {self.coordinate}")
        return found[self.coordinate]


class Moment(NamedTuple):
    """A motor at a moment: what it does at its joint, and what it draws."""

    v: float
    force: float
    stiffness: float
    damping: float
    drift: float
    current: float
    voltage: float
    loss: float  # [W] to heat, in windings and gear
    conductance: float  # [1/Ω] by which its current grows with the voltage there is


@function
def look(model, motion, t, i, p):
    """The motor whose indices are at i and parameters at p."""
    drift, values = read(model, motion, t, p)
    command, rest, speed, supply, torque_constant, back_emf, resistance, gear, rules_torque = values[:9]
    position_gain, speed_gain, current_limit, efficiency, friction, drag, creep = values[9:]
    q, v, battery = load(motion.q, model.indices[i]), load(motion.v, model.indices[i + 1]), model.indices[i + PARTNER]
    link = load(motion.z, battery + VOLTAGE) if battery >= 0 else supply
    one, zero = constant(v, 1.0), constant(v, 0.0)
    cap = gear * torque_constant * current_limit
    motor = MotorNumbers(gear, torque_constant, back_emf, resistance, cap)
    asked = command + position_gain * (rest - q) + speed_gain * (speed + drift - v)
    per_volt, braking = gear * torque_constant / resistance, back_emf * gear
    wanted = where_positive(rules_torque, asked, (asked - braking * v) * per_volt)
    torque = limit_torque(motor, link, wanted, v)
    gain = where_positive(rules_torque, one, per_volt)
    brake = where_positive(rules_torque, zero, braking * per_volt)
    bound = where_positive(absolute(torque - wanted), one, zero)
    full = bound * where_positive(cap - absolute(torque), one, zero)  # bound by the voltage there is
    free = one - bound
    electrical = motor_electrical(motor, torque, v)
    rub = drag + (friction + (one - efficiency) * absolute(torque)) / sqrt(v * v + creep * creep)
    return Moment(
        v,
        torque - rub * v,
        free * gain * position_gain,
        free * (gain * speed_gain + brake) + full * braking * per_volt + rub,
        drift,
        electrical.current,
        electrical.voltage,
        electrical.current * electrical.current * resistance + rub * v * v,
        full / resistance,
    )


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Torque at the joint, energy and heat; the battery feels what it draws."""
    for k in range(count):
        i = index + (INDICES + 1) * k
        now = look(model, motion, t, i, param + PARAMETERS * k)
        push_joint(motion, h, model.indices[i + 1], now.force, now.stiffness, now.damping, now.drift)
        add_to(motion.zrate, model.indices[i + INDICES], now.current * now.voltage)
        add_to(motion.zrate, model.indices[i + INDICES] + 1, now.loss)
        if model.indices[i + PARTNER] >= 0:
            draw(motion, model.indices[i + PARTNER], now.current, now.voltage, now.conductance)
        if line >= 0:
            add_to(motion.zrate, line, now.force * now.v)


@outlined
def energy(model, motion, t, index, param, count):
    """It stores none."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force, current, voltage and power of this moment, then energy and heat so far."""
    for k in range(count):
        i, at = index + (INDICES + 1) * k, first + 6 * k
        now = look(model, motion, t, i, param + PARAMETERS * k)
        store(out, at, now.force)
        store(out, at + 1, now.current)
        store(out, at + 2, now.voltage)
        store(out, at + 3, now.current * now.voltage)
        for j in range(2):
            store(out, at + 4 + j, load(motion.z, model.indices[i + INDICES] + j))
