"""What contacts with the ground say of themselves: stored energy, and where and how hard they touch."""

from gambol.forces.contact.surface import contact_force, stored_in
from gambol.jit import outlined
from gambol.math.memory import store_vec3
from gambol.math.scalar import constant, load, store

FRICTION_LAW = 1  # of an element's indices


def told_by(touching, *, indices: int, parameters: int, law: int):
    """`energy` and `report` of a kernel whose points touch as touching(model, motion, body, param) says.

    indices, parameters   of a point; law: where the surface's is among the parameters
    """

    @outlined
    def energy(model, motion, t, index, param, count):
        """Of the springs [J], as they are while the point moves in."""
        total = constant(load(motion.work, 0), 0.0)
        for k in range(count):
            p = param + parameters * k
            depth = touching(model, motion, model.indices[index + indices * k], p)[0]
            total = total + stored_in(model.params, p + law, depth)
        return total

    @outlined
    def report(model, motion, t, index, param, count, out, first):
        """Depth [m], where it touches [m, world] and the force of the ground on the body [N, world]."""
        for k in range(count):
            i, p = model.indices[index + indices * k], param + parameters * k
            friction = model.indices[index + indices * k + FRICTION_LAW]
            depth, normal, _, place, speed = touching(model, motion, i, p)
            force = contact_force(model.params, p + law, friction, normal, depth, speed)[0]
            store(out, first + 7 * k, depth)
            store_vec3(out, first + 7 * k + 1, place)
            store_vec3(out, first + 7 * k + 4, force)

    return energy, report
