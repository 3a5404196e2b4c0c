"""Spring and damper of a ball joint: acts on the rotation vector from its rest position."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import Element, Row
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_quat, load_vec3, store_vec3
from gambol.math.rotation import rotation_vector
from gambol.math.scalar import constant, load
from gambol.math.vector import dot

INDICES, PARAMETERS = 2, 2
NUMBERS = {"stiffness": 0, "damping": 1}
RAMPS: dict[str, int] = {}
REPORTS = ("torque_x", "torque_y", "torque_z")


@dataclass(frozen=True, kw_only=True)
class BallSpring(Element):
    """torque = -stiffness · (rotation vector of the joint) - damping · (angular velocity), body axes.

    stiffness [N·m/rad], damping [N·m·s/rad]. The stored energy is ½ stiffness · angle².
    """

    joint: str
    stiffness: float = 0.0
    damping: float = 0.0

    def rows(self, layout) -> list[Row]:
        """One kernel element; only ball joints have a turn to spring against."""
        entry = layout.body(self.joint)
        if entry.body.joint.type != "ball":
            raise self.fail(f"joint {self.joint!r} is a {entry.body.joint.type} joint, not a ball joint")
        return [([entry.positions[0], entry.speeds[0]], [float(self.stiffness), float(self.damping)])]


@function
def turn_of(model, motion, q):
    """Turn of a ball joint from rest, as a vector [rad, body frame]."""
    return rotation_vector(load_quat(motion.q, q))


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds −stiffness · turn − damping · spin at each ball joint [N·m]."""
    for k in range(count):
        q, s = model.indices[index + 2 * k], model.indices[index + 2 * k + 1]
        stiffness, damping = load(model.params, param + 2 * k), load(model.params, param + 2 * k + 1)
        v = load_vec3(motion.v, s)
        force = turn_of(model, motion, q) * (-stiffness) - v * damping
        none = constant(stiffness, 0.0)
        push_joint(motion, h, s, force.x, stiffness, damping, none)
        push_joint(motion, h, s + 1, force.y, stiffness, damping, none)
        push_joint(motion, h, s + 2, force.z, stiffness, damping, none)
        if line >= 0:
            add_to(motion.zrate, line, dot(force, v))


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy ½ stiffness · angle² of the ball springs [J]."""
    total = constant(load(motion.work, 0), 0.0)
    half = constant(total, 0.5)
    for k in range(count):
        turn = turn_of(model, motion, model.indices[index + 2 * k])
        total = total + load(model.params, param + 2 * k) * dot(turn, turn) * half
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Torque on the body [N·m, its axes]."""
    for k in range(count):
        stiffness, damping = load(model.params, param + 2 * k), load(model.params, param + 2 * k + 1)
        v = load_vec3(motion.v, model.indices[index + 2 * k + 1])
        turn = turn_of(model, motion, model.indices[index + 2 * k])
        store_vec3(out, first + 3 * k, turn * (-stiffness) - v * damping)
