"""Ball: turns in every way."""

from dataclasses import replace

import numpy as np

from gambol.figure.joints import JointType, PoseStep, register
from gambol.figure.placement import conjugate, exponential, multiply


@register
class Ball(JointType):
    """A unit quaternion, from body to parent axes; speeds are the angular velocity in body axes."""

    name = "ball"
    positions = {"qw": "", "qx": "", "qy": "", "qz": ""}
    speeds = {"wx": "rad/s", "wy": "rad/s", "wz": "rad/s"}
    springs = "rotation"
    mjcf = "ball"

    def pose_steps(self, joint):
        """One turn, by the quaternion."""
        return [PoseStep("rotate", 0)]

    def displaced(self, joint, q, d):
        """Turned by the rotation vector d [rad], body axes."""
        return np.array(multiply(q, exponential(d)))

    def reversed(self, joint):
        """The same, its rest and range seen from the other side."""
        limits = joint.range and (-joint.range[1], -joint.range[0])
        return replace(joint, rest=-joint.rest, range=limits)

    def reversed_positions(self, joint, q):
        """The inverse quaternion."""
        return np.array(conjugate(q))

    def coordinates(self, joint, shift, turn):
        """The quaternions themselves."""
        return turn
