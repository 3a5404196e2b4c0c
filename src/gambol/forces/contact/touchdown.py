"""What comes down to the ground in the rest of a step, and what the stepper should know of it (forces.watch)."""

from gambol.dynamics.workspace import FINE, REST
from gambol.forces.contact.surface import first_stiffness
from gambol.forces.contact.terrain import STEEPNESS
from gambol.forces.watch import ENDLESS, note_approach, size_of, spin_of
from gambol.jit import function
from gambol.math.scalar import absolute, any_positive, constant, load, maximum, minimum
from gambol.math.vector import dot

FEW = 4  # points that something flat stands on


def mass_of(layout, name: str, points: int) -> float:
    """Mass behind each of a body's contact points [kg]: its figure's, on as many points as may be down at a time.

    What is fixed to the world cannot be pushed away, whatever it weighs.
    """
    entry = layout.body(name)
    figure, body = layout.figures[entry.figure], entry.body
    while body.parent and not body.joint.kind.speeds:
        body = figure[body.parent]
    if not body.joint.kind.speeds:
        return ENDLESS
    return sum(body.mass_properties.mass for body in figure.bodies) / min(points, FEW) or ENDLESS


@function
def span(v):
    """A bound of a vector's length that takes no root."""
    return absolute(v.x) + absolute(v.y) + absolute(v.z)


@function
def hurried(model, motion, i, mass, law, speed, reach):
    """May what is within `reach` of a point of a body be so fast that, found at the end of the step, it is late?

    What covers d = v h in a step gains k d²/(2 m v) at most: below FINE while k v h² < 2 m FINE. Ground that is steep
    somewhere may rise by as much as that is steep.
    """
    rest, fine = load(motion.spare, REST), load(motion.spare, FINE)
    fast = span(speed) + span(spin_of(motion, i)) * reach
    fast = fast * (load(model.params, STEEPNESS) + constant(fast, 1.0))
    gain = fast * first_stiffness(model.params, law) * rest * rest
    return any_positive(gain - load(model.params, mass) * (fine + fine))


@function
def sinking(motion, i, speed, steep, reach):
    """How far, in the rest of the step, what is within `reach` of a point of a body may come down to the ground [m].

    steep: the ground's steepest slope.
    """
    turning = span(spin_of(motion, i)) * reach
    uphill = (absolute(speed.x) + absolute(speed.y)) * steep
    return load(motion.spare, REST) * maximum(uphill + turning - speed.z, constant(reach, 0.0))


@function
def note_touchdown(model, motion, i, mass, law, depth, normal, speed, arm):
    """What the stepper should know of a point that is not in the ground; arm: how far from the body's origin [m]."""
    spin = size_of(spin_of(motion, i))
    turned = minimum(spin * load(motion.spare, REST), constant(spin, 1.0))
    closing = spin * arm * turned - dot(speed, normal)
    thick = constant(depth, ENDLESS)  # the ground has no other side
    note_approach(motion, -depth, closing, thick, load(model.params, mass), first_stiffness(model.params, law))
