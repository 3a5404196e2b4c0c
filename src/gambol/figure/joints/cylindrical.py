"""Cylindrical: moves along its axis and turns about it, each as it likes."""

import numpy as np

from gambol.figure.joints import TURN, JointType, Primitive, register
from gambol.figure.joints.hinge import angle_about


@register
class Cylindrical(JointType):
    """A distance [m] along and an angle [rad] about `axis`."""

    name = "cylindrical"
    positions = {"distance": "m", "angle": "rad"}
    fields = {"axis": TURN}

    def primitives(self, joint):
        """A slide and a hinge on one axis."""
        return (Primitive("slide", joint.axis), Primitive("hinge", joint.axis))

    def reversed_positions(self, joint, q):
        """Unchanged."""
        return q  # along one axis the order does not matter

    def coordinates(self, joint, shift, turn):
        """Distances [m] along the axis and angles [rad] about it."""
        return np.column_stack([shift @ joint.axis, angle_about(joint.axis, turn)])
