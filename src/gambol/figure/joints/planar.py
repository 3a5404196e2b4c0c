"""Planar: moves in a plane of its parent and turns about the normal."""

import numpy as np

from gambol.figure.joints import SLIDE, TURN, JointType, Primitive, register
from gambol.figure.joints.hinge import angle_about
from gambol.figure.placement import Vector


@register
class Planar(JointType):
    """Distances [m] along u and v, fixed in the parent, then an angle [rad] about `axis`, the normal.

    u is `axis2` made perpendicular to `axis`, v = axis × u.
    """

    name = "planar"
    positions = {"u": "m", "v": "m", "angle": "rad"}
    fields = {"axis": TURN, "axis2": SLIDE}
    mixes = True
    urdf = ("planar",)

    def primitives(self, joint):
        """Two slides across the axis, then a hinge about it."""
        u, v = slides(joint)
        return (Primitive("slide", u), Primitive("slide", v), Primitive("hinge", joint.axis))

    def reversed(self, joint):
        """The same with opposite axes."""
        return joint.valued({name: tuple(-x for x in joint[name]) for name in self.fields})

    def reversed_positions(self, joint, q):
        """The displacement is −R(−θ)·(q₀ u + q₁ v), along u' = −u and v' = v."""
        sin, cos = np.sin(q[2]), np.cos(q[2])
        return np.array([cos * q[0] + sin * q[1], sin * q[0] - cos * q[1], q[2]])

    def coordinates(self, joint, shift, turn):
        """Distances [m] along the two slides, angles [rad] about the axis."""
        u, v = slides(joint)
        return np.column_stack([shift @ u, shift @ v, angle_about(joint.axis, turn)])


def slides(joint) -> tuple[Vector, Vector]:
    """The directions u, v, in the body's frame at zero position."""
    normal, second = np.asarray(joint.axis), np.asarray(joint.axis2)
    u = second - (second @ normal) * normal
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    return (float(u[0]), float(u[1]), float(u[2])), (float(v[0]), float(v[1]), float(v[2]))
