"""Slide: moves along its axis."""

import numpy as np

from gambol.figure.joints import SLIDE, JointType, PoseStep, register


@register
class Slide(JointType):
    """One distance [m] along `axis`."""

    name = "slide"
    positions = {"": "m"}
    fields = {"axis": SLIDE}
    urdf = ("prismatic",)
    mjcf = "slide"

    def pose_steps(self, joint):
        """One slide along the axis [m]."""
        return [PoseStep("slide", 0, joint.axis)]

    def coordinates(self, joint, shift, turn):
        """Distances [m] along the axis."""
        return shift @ np.asarray(joint.axis)[:, None]
