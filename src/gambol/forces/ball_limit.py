"""The stop of a ball joint: a cone that the joint turns to in any direction, and no further."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.ball_spring import turn_of
from gambol.forces.element import Element, Row
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import absolute, constant, load, maximum, sqrt, where_positive
from gambol.math.vector import dot

INDICES, PARAMETERS = 2, 3
NUMBERS = {"limit": 0, "stiffness": 1, "damping": 2}
RAMPS: dict[str, int] = {}
REPORTS = ("torque_x", "torque_y", "torque_z")


@dataclass(frozen=True, kw_only=True)
class BallLimit(Element):
    """torque = -(stiffness · excess + damping · rate) about the axis of the turn, where that is beyond `limit` [rad].

    stiffness [N·m/rad], damping [N·m·s/rad]. Within the limit there is no torque, and beyond it never one outward.
    """

    joint: str
    limit: float
    stiffness: float = 0.0
    damping: float = 0.0

    def rows(self, layout) -> list[Row]:
        """One kernel element; only ball joints turn in every direction."""
        entry = layout.body(self.joint)
        if entry.body.joint.type != "ball":
            raise self.fail(f"joint {self.joint!r} is a {entry.body.joint.type} joint, not a ball joint")
        numbers = [float(self.limit), float(self.stiffness), float(self.damping)]
        return [([entry.positions[0], entry.speeds[0]], numbers)]


@function
def law(model, motion, q, s, p):
    """Torque [N·m, body axes], and stiffness and damping about each axis."""
    limit, stiffness, damping = load(model.params, p), load(model.params, p + 1), load(model.params, p + 2)
    turn, v = turn_of(model, motion, q), load_vec3(motion.v, s)
    angle = sqrt(dot(turn, turn) + constant(limit, 1e-18))
    axis = turn * (constant(limit, 1.0) / angle)
    excess = angle - limit
    one, zero = constant(limit, 1.0), constant(limit, 0.0)
    pull = stiffness * excess + damping * dot(axis, v)
    beyond = where_positive(excess, where_positive(pull, one, zero), zero)
    pull = pull * beyond
    return axis * (-pull), stiffness * beyond, damping * beyond, axis, v


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds the torques of those that are beyond their limits [N·m]."""
    for k in range(count):
        q, s = model.indices[index + 2 * k], model.indices[index + 2 * k + 1]
        torque, stiffness, damping, axis, v = law(model, motion, q, s, param + 3 * k)
        none = constant(stiffness, 0.0)
        # A diagonal that is nowhere less than the matrix axis·axisᵀ, so that implicit steps stay stable.
        x, y, z = absolute(axis.x), absolute(axis.y), absolute(axis.z)
        share = x + y + z
        push_joint(motion, h, s, torque.x, stiffness * x * share, damping * x * share, none)
        push_joint(motion, h, s + 1, torque.y, stiffness * y * share, damping * y * share, none)
        push_joint(motion, h, s + 2, torque.z, stiffness * z * share, damping * z * share, none)
        if line >= 0:
            add_to(motion.zrate, line, dot(torque, v))


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy ½ stiffness · excess² [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        turn = turn_of(model, motion, model.indices[index + 2 * k])
        angle = sqrt(dot(turn, turn) + constant(total, 1e-18))
        excess = maximum(angle - load(model.params, param + 3 * k), constant(total, 0.0))
        total = total + load(model.params, param + 3 * k + 1) * excess * excess * constant(total, 0.5)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Torque on the body [N·m, its axes]."""
    for k in range(count):
        q, s = model.indices[index + 2 * k], model.indices[index + 2 * k + 1]
        store_vec3(out, first + 3 * k, law(model, motion, q, s, param + 3 * k)[0])
