"""A line between two points, of two bodies or of a body and the world: spring, damper, and a length at which it breaks.

Tension for the stretch x = length - rest (v: how fast it lengthens):
    spring   k x, and where it is stretched strength (e^(rise x) - 1)
    factor   1 while it lengthens, `restitution` while it shortens, joined smoothly over the speed `turn`
    damper   b v
A broken attachment pulls no more; breaking is decided at the end of a step, never within it.

In an implicit step each end takes the other's acceleration as known; doubling its impedance keeps the pair stable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gambol.forces.element import Element, Row, bounded, layout_point
from gambol.forces.exponential_spring import EXPONENT_MOST, count_clipped, grown_exponential
from gambol.forces.push import point_of, push_point
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import constant, load, maximum, sqrt, store, where_positive
from gambol.math.vector import Sym3, dot, sym_outer

LAW = 6
(STIFFNESS, DAMPING, STRENGTH, RISE, RESTITUTION, REST, TURN, BREAKS, BROKEN, CLIPPED) = range(LAW, LAW + 10)
INDICES, PARAMETERS = 2, LAW + 10
NUMBERS = {
    "stiffness": STIFFNESS,
    "damping": DAMPING,
    "strength": STRENGTH,
    "rise": RISE,
    "restitution": RESTITUTION,
    "rest": REST,
    "turn": TURN,
    "breaks": BREAKS,
    "broken": BROKEN,
    "clipped": CLIPPED,
}
RAMPS: dict[str, int] = {}
REPORTS = ("length", "tension", "force_x", "force_y", "force_z")


@dataclass(frozen=True, kw_only=True)
class Attachment(Element):
    """Holds `point` [m, body frame] of `body` to `other_point` of `other` (or of the world, with other = "").

    stiffness [N/m], damping [N·s/m], strength [N], rise [1/m], rest [m], turn [m/s]; it breaks at the length
    `breaks` [m]. Parameter `broken` is 1 once it has broken (and may be set back to 0).
    """

    body: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other: str = ""
    other_point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    strength: float = 0.0
    rise: float = 1.0
    restitution: float = 1.0
    rest: float = 0.0
    turn: float = 5e-3
    breaks: float = math.inf

    ends = (("body", "point"), ("other", "other_point"))
    unbounded = ("breaks",)

    def rows(self, layout) -> list[Row]:
        """One kernel element between two points."""
        link, point = layout_point(layout, self.body, self.point)
        other, other_point = layout_point(layout, self.other, self.other_point)
        names = ("stiffness", "damping", "strength", "rise", "restitution", "rest", "turn", "breaks")
        values = [bounded(getattr(self, name)) for name in names]
        return [([link, other], [*point, *other_point, *values, 0.0, 0.0])]


@function
def stretch_of(model, motion, i, p):
    """Line from the body's point to the other's: arms, the line, its length and the relative velocity."""
    r, place, speed = point_of(motion, model.indices[i], load_vec3(model.params, p))
    s, other, other_speed = point_of(motion, model.indices[i + 1], load_vec3(model.params, p + 3))
    line = other - place
    tiny = constant(line.x, 1e-18)
    return r, s, line, sqrt(dot(line, line) + tiny), other_speed - speed


@function
def tension(params, p, length, rate):
    """Tension, its stiffness, its damping, and by how much the exponential is cut off."""
    one, zero, half = constant(length, 1.0), constant(length, 0.0), constant(length, 0.5)
    k, b, strength = load(params, p + STIFFNESS), load(params, p + DAMPING), load(params, p + STRENGTH)
    rise, e, turn = load(params, p + RISE), load(params, p + RESTITUTION), load(params, p + TURN)
    x = length - load(params, p + REST)
    exponent = rise * maximum(x, zero)
    grown = grown_exponential(exponent)
    spring = k * x + strength * (grown - one)
    slope = k + where_positive(x, strength * rise * grown, zero)
    speed = sqrt(rate * rate + turn * turn)
    factor = (one + e) * half + (one - e) * half * rate / speed
    whole = one - load(params, p + BROKEN)
    damping = b + maximum(spring, zero) * (one - e) * half / speed
    beyond = where_positive(strength, exponent - constant(x, EXPONENT_MOST), -one)
    return (spring * factor + b * rate) * whole, slope * factor * whole, damping * whole, beyond


@function
def push_line(model, motion, h, body, r, other, s, speed, force, stiffness, damping):
    """Equal and opposite forces on two bodies' points (`speed`: of the other against the body); either may be 0."""
    if other == 0:
        push_point(model, motion, h, body, r, -speed, force, stiffness, damping)
    elif body == 0:
        push_point(model, motion, h, other, s, speed, -force, stiffness, damping)
    else:
        # push_point predicts from an end's own velocity with the doubled stiffness: half of that is the line's rate
        share = stiffness @ speed * h
        double_k, double_b = stiffness + stiffness, damping + damping
        push_point(model, motion, h, body, r, -speed, force - share, double_k, double_b)
        push_point(model, motion, h, other, s, speed, share - force, double_k, double_b)


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Pulls both points of each attachment along the line between them [N]."""
    for k in range(count):
        i, p = index + 2 * k, param + PARAMETERS * k
        r, s, gap, length, speed = stretch_of(model, motion, i, p)
        along = gap * (constant(length, 1.0) / length)
        pull, stiffness, damping, beyond = tension(model.params, p, length, dot(along, speed))
        count_clipped(model.params, p + CLIPPED, beyond)
        nn = sym_outer(along, along)
        zero = constant(pull, 0.0)
        across = maximum(pull / length, zero)
        K = nn * (stiffness - across) + Sym3(across, across, across, zero, zero, zero)
        force = along * pull
        push_line(model, motion, h, model.indices[i], r, model.indices[i + 1], s, speed, force, K, nn * damping)
        if line >= 0:
            add_to(motion.zrate, line, -dot(force, speed))


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of those that are not broken [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        length = stretch_of(model, motion, index + 2 * k, p)[3]
        x = length - load(model.params, p + REST)
        out = maximum(x, constant(x, 0.0))
        rise = load(model.params, p + RISE)
        stored = load(model.params, p + STIFFNESS) * x * x * constant(x, 0.5)
        stored = stored + load(model.params, p + STRENGTH) * (
            (grown_exponential(rise * out) - constant(x, 1.0)) / rise - out
        )
        total = total + stored * (constant(x, 1.0) - load(model.params, p + BROKEN))
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m], tension [N] and the force on the body [N, world]."""
    for k in range(count):
        p = param + PARAMETERS * k
        _, _, gap, length, speed = stretch_of(model, motion, index + 2 * k, p)
        along = gap * (constant(length, 1.0) / length)
        pull = tension(model.params, p, length, dot(along, speed))[0]
        store(out, first + 5 * k, length)
        store(out, first + 5 * k + 1, pull)
        store_vec3(out, first + 5 * k + 2, along * pull)


@outlined
def settle(model, motion, t, moved, index, param, count):
    """Breaks what has become too long."""
    for k in range(count):
        p = param + PARAMETERS * k
        length = stretch_of(model, motion, index + 2 * k, p)[3]
        broken, one = load(model.params, p + BROKEN), constant(length, 1.0)
        now = where_positive(length - load(model.params, p + BREAKS), one, broken)
        store(model.params, p + BROKEN, where_positive(moved, now, broken))
