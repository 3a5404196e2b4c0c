"""Free: moves and turns in every way."""

import numpy as np

from gambol.figure.joints import JointType, PoseStep, register
from gambol.figure.placement import Placement, exponential, multiply


@register
class Free(JointType):
    """Position [m] and unit quaternion; speeds are the angular, then the linear velocity in the axes of its base."""

    name = "free"
    positions = {"x": "m", "y": "m", "z": "m", "qw": "", "qx": "", "qy": "", "qz": ""}
    speeds = {"wx": "rad/s", "wy": "rad/s", "wz": "rad/s", "vx": "m/s", "vy": "m/s", "vz": "m/s"}
    springs = "nothing"
    mixes = True
    urdf = ("floating",)
    mjcf = "free"

    def pose_steps(self, joint):
        """A shift [m], then a turn by the quaternion."""
        return [PoseStep("shift", 0), PoseStep("rotate", 3)]

    def displaced(self, joint, q, d):
        """Turned by a rotation vector (first three of d, in rad) and shifted (the rest, in m), in the axes before."""
        return np.concatenate([q[:3] + d[3:], multiply(exponential(d[:3]), q[3:])])

    def reversed_positions(self, joint, q):
        """Position [m] and quaternion of the inverse pose."""
        back = Placement(tuple(q[:3]), tuple(q[3:])).inverse()
        return np.array([*back.position, *back.rotation])

    def coordinates(self, joint, shift, turn):
        """Displacements [m] and quaternions side by side."""
        return np.concatenate([shift, turn], axis=1)
