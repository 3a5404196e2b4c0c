"""Hinge: turns about its axis."""

import numpy as np

from gambol.figure.joints import TURN, JointType, PoseStep, register


@register
class Hinge(JointType):
    """One angle [rad] about `axis`."""

    name = "hinge"
    positions = {"": "rad"}
    fields = {"axis": TURN}
    urdf = ("revolute", "continuous")
    mjcf = "hinge"

    def pose_steps(self, joint):
        """One turn about the axis [rad]."""
        return [PoseStep("turn", 0, joint.axis)]

    def coordinates(self, joint, shift, turn):
        """Angles [rad] about the axis."""
        return angle_about(joint.axis, turn)[:, None]


def angle_about(axis, turn: np.ndarray) -> np.ndarray:
    """The part about an axis of turns (n, 4) that follow one another, without jumps [rad]."""
    return np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ np.asarray(axis), turn[:, 0]))
