"""Fixed: does not move."""

from gambol.figure.joints import JointType, register


@register
class Fixed(JointType):
    """No coordinates: J is the identity."""

    name = "fixed"
    positions = {}
    springs = "nothing"
    urdf = ("fixed",)

    def pose_steps(self, joint):
        """None."""
        return []

    def coordinates(self, joint, shift, turn):
        """None: arrays (n, 0)."""
        return shift[:, :0]
