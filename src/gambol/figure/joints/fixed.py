"""Fixed: does not move."""

from gambol.figure.joints import JointType, register


@register
class Fixed(JointType):
    """No coordinates: J is the identity."""

    name = "fixed"
    positions: dict[str, str] = {}
    springs = "nothing"
    urdf = ("fixed",)

    def moves(self, joint):
        return []

    def coordinates(self, joint, shift, turn):
        return shift[:, :0]
