"""The actuator of the sources: an exponential spring and a damper at a joint, strength and rest position ramped."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gambol.forces.element import JointElement, Row, bounded
from gambol.forces.push import push_joint
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import absolute, any_positive, constant, exp, load, minimum, store, where_positive

INDICES, PARAMETERS = 2, 2 * RAMP + 5
RAMPS = {"strength": 0, "rest": RAMP}
RISE, DAMPING, MOST, SCALE, CLIPPED = range(2 * RAMP, 2 * RAMP + 5)
NUMBERS = {"rise": RISE, "damping": DAMPING, "most": MOST, "scale": SCALE, "clipped": CLIPPED}
REPORTS = ("force",)
EXPONENT_MOST = 35.0  # beyond this the exponential is cut off, and that is counted


@dataclass(frozen=True, kw_only=True)
class ExponentialSpring(JointElement):
    """force = -scale (sign(x) strength (e^(rise |x|) - 1) + damping v), x = q - rest; the spring no more than `most`.

    strength [N·m or N], rise [1/rad or 1/m], damping [N·m·s/rad or N·s/m], rest [rad or m], most [N·m or N].
    `clipped` counts how often the spring was evaluated beyond `most` or beyond what a number can hold.
    """

    strength: float
    rise: float
    damping: float = 0.0
    rest: float = 0.0
    most: float = math.inf

    unbounded = ("most",)

    def rows(self, layout) -> list[Row]:
        """One kernel element a coordinate of the joint."""
        tail = [float(self.rise), float(self.damping), bounded(self.most), self.scale(layout), 0.0]
        numbers = [*held(self.strength), *held(self.rest), *tail]
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]


def inverse_rest(q: float, force: float, *, strength: float, rise: float, scale: float = 1.0) -> float:
    """The rest position at which the spring gives `force` at q: inverse control (Eq. 82 of the 1994 work)."""
    return q + math.copysign(math.log(abs(force) / (strength * scale) + 1.0) / rise, force)


@function
def grown_exponential(x):
    """e^x up to the exponent at which it is cut off."""
    return exp(minimum(x, constant(x, EXPONENT_MOST)))


@function
def count_clipped(params, place, beyond):
    """Adds one to a counter where `beyond` is positive."""
    if any_positive(beyond):
        count = load(params, place)
        store(params, place, where_positive(beyond, count + constant(count, 1.0), count))


@function
def law(model, motion, t, i, p):
    """Force, stiffness, damping, and the speed of the rest position."""
    params = model.params
    strength, _ = ramped(model, motion, p, t)
    rest, drift = ramped(model, motion, p + RAMP, t)
    scale, rise, most = load(params, p + SCALE), load(params, p + RISE), load(params, p + MOST)
    damping = load(params, p + DAMPING) * scale
    x, v = load(motion.q, model.indices[i]) - rest, load(motion.v, model.indices[i + 1])
    exponent = rise * absolute(x)
    grown = grown_exponential(exponent)
    size = strength * (grown - constant(x, 1.0))
    beyond = where_positive(exponent - constant(x, EXPONENT_MOST), constant(x, 1.0), size - most)
    size = minimum(size, most)
    slope = where_positive(beyond, constant(x, 0.0), strength * rise * grown)
    return where_positive(x, -size, size) * scale - damping * v, slope * scale, damping, drift, beyond


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds the force of the law at each coordinate; forces cut at `most` are counted."""
    for k in range(count):
        p, s = param + PARAMETERS * k, model.indices[index + 2 * k + 1]
        force, stiffness, damping, drift, beyond = law(model, motion, t, index + 2 * k, p)
        count_clipped(model.params, p + CLIPPED, beyond)
        push_joint(motion, h, s, force, stiffness, damping, drift)
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    """Of the spring while below its largest force."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        strength, _ = ramped(model, motion, p, t)
        rest, _ = ramped(model, motion, p + RAMP, t)
        rise = load(model.params, p + RISE)
        x = absolute(load(motion.q, model.indices[index + 2 * k]) - rest)
        grown = grown_exponential(rise * x)
        total = total + strength * ((grown - constant(x, 1.0)) / rise - x) * load(model.params, p + SCALE)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force of each spring at its coordinate [N·m or N]."""
    for k in range(count):
        store(out, first + k, law(model, motion, t, index + 2 * k, param + PARAMETERS * k)[0])
