"""A battery that motors share: its voltage sags under the sum of their currents, and its charge is spent.

The voltage at the motors is a state that follows, in the time `lag`, that of the battery under load,

    voltage (1 - droop · used) - resistance Σ|current|

so that it settles where battery and motors agree. Motors act before it: they leave in the rates of its states what they
draw, and it makes the rates of that. It is not charged by motors that are driven: |current| counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.figure.actuators import BatteryConstants
from gambol.forces.electric import discharge_table, drain_rate, link_rate
from gambol.forces.element import FOREVER, Element, Row
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import absolute, constant, load, maximum, store, where_positive

STATES = ("voltage", "used", "energy", "charge")
WEIGHTS = (1e-3, 0.0, 0.0, 0.0)  # a millivolt counts as a thousandth of an angle; the rest only follows
VOLTAGE, USED, ENERGY, CHARGE = range(len(STATES))
NUMBERS = {"voltage": 0, "resistance": 1, "droop": 2, "lag": 3, "nominal": 4}
INDICES, PARAMETERS, TABLED = 1, len(NUMBERS), (0,)
REPORTS = ("voltage", "current", "power", *STATES[1:])


@dataclass(frozen=True, kw_only=True)
class Battery(BatteryConstants, Element):  # type: ignore[misc]
    """A battery for every `DCMotor` that names it.

    states    voltage [V] at the motors, used (share drained), energy [J] and charge [C] that motors have drawn
    reports   voltage [V], current [A], power [W] to its motors, used, energy [J], charge [C]
    measured  R i², what its inner resistance has turned to heat [J] (`Simulation.measured(name)`)
    """

    measures = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.line:
            object.__setattr__(self, "line", self.name)

    def faults(self) -> Iterator[Fault]:
        """Of its name and its constants."""
        if not self.name:
            yield Fault("needs a name: its motors call it", self.where)
        yield from (Fault(message, self.where) for _, message in self.problems())

    def initial_states(self) -> list[float]:
        """Full, but for what is used, and without load."""
        return [self.voltage * (1.0 - self.droop * self.used), self.used, 0.0, 0.0]

    def table(self, layout) -> list[float]:
        """Its discharge curve; a capacity is a line on which time · current is the same."""
        charge = FOREVER if self.capacity is None else 3600.0 * self.capacity
        return discharge_table(self.discharge or ((1.0, charge), (2.0, charge / 2.0)))

    def rows(self, layout) -> list[Row]:
        """One kernel element: the place of its discharge curve."""
        return [([0], [float(getattr(self, name)) for name in NUMBERS])]


@function
def draw(motion, z, current, voltage, conductance):
    """A motor's share of the load of the battery whose states begin at z: [A], [V], and current per volt [1/Ω].

    Until the battery has acted, the rate of its voltage holds the sum of conductances, that of what is used the
    highest voltage.
    """
    add_to(motion.zrate, z + VOLTAGE, conductance)
    store(motion.zrate, z + USED, maximum(load(motion.zrate, z + USED), absolute(voltage)))
    add_to(motion.zrate, z + ENERGY, current * voltage)
    add_to(motion.zrate, z + CHARGE, absolute(current))


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Rates of voltage and charge; in an implicit step the voltage moves as if all rates were those of its end."""
    for k in range(count):
        p, z = param + PARAMETERS * k, model.indices[index + 2 * k + 1]
        full, resistance, droop, lag, nominal = (
            load(model.params, p),
            load(model.params, p + 1),
            load(model.params, p + 2),
            load(model.params, p + 3),
            load(model.params, p + 4),
        )
        one, current = constant(full, 1.0), load(motion.zrate, z + CHARGE)
        steeper = one + resistance * load(motion.zrate, z + VOLTAGE)
        share = where_positive(
            nominal, load(motion.zrate, z + USED) / where_positive(nominal, nominal, one), one
        ) * drain_rate(model.tables, model.indices[index + 2 * k], current)
        open_voltage = full * (one - droop * load(motion.z, z + USED))
        rate = link_rate(open_voltage, resistance, current, load(motion.z, z + VOLTAGE), lag + h * steeper)
        store(motion.zrate, z + VOLTAGE, rate)
        store(motion.zrate, z + USED, share)
        if line >= 0:
            add_to(motion.zrate, line, resistance * current * current)


@outlined
def energy(model, motion, t, index, param, count):
    """None that could move a figure by itself."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Voltage, current and power of this moment, then what was drawn so far."""
    for k in range(count):
        z, at = model.indices[index + 2 * k + 1], first + 6 * k
        store(out, at, load(motion.z, z + VOLTAGE))
        store(out, at + 1, load(motion.zrate, z + CHARGE))
        store(out, at + 2, load(motion.zrate, z + ENERGY))
        for j in range(USED, CHARGE + 1):
            store(out, at + 2 + j, load(motion.z, z + j))
