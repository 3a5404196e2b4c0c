"""Screw: turns about its axis and advances along it."""

import numpy as np

from gambol.figure.joints import PITCH, TURN, JointType, PoseStep, register
from gambol.figure.joints.hinge import angle_about


@register
class Screw(JointType):
    """One angle [rad] about `axis`, with `pitch` [m/rad] along it."""

    name = "screw"
    positions = {"": "rad"}
    fields = {"axis": TURN, "pitch": PITCH}

    def pose_steps(self, joint):
        """A slide by pitch [m/rad] times the angle, and a turn by it [rad]."""
        return [PoseStep("slide", 0, joint.axis, joint.pitch), PoseStep("turn", 0, joint.axis)]

    def coordinates(self, joint, shift, turn):
        """How far it went says how often it turned."""
        angle = angle_about(joint.axis, turn)
        if joint.pitch:
            angle = angle + 2.0 * np.pi * np.round((shift @ joint.axis / joint.pitch - angle) / (2.0 * np.pi))
        return angle[:, None]
