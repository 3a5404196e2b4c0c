"""Universal: two hinges, the first axis fixed in the parent, the second in the body."""

from gambol.figure.joints import TURN, JointType, Primitive, register


@register
class Universal(JointType):
    """An angle [rad] about `axis`, then one about `axis2`."""

    name = "universal"
    positions = {"angle1": "rad", "angle2": "rad"}
    fields = {"axis": TURN, "axis2": TURN}

    def primitives(self, joint):
        """Two hinges, the second about an axis that turns with the first."""
        return (Primitive("hinge", joint.axis), Primitive("hinge", joint.axis2))
