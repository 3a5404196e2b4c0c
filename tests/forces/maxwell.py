"""A spring and a dashpot in a row, at a joint: an element written by hand, with an integrated state."""

from dataclasses import dataclass

from gambol import JointElement
from gambol.forces.push import push_joint
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, store

INDICES, PARAMETERS = 2, 2
NUMBERS = {"stiffness": 0, "viscosity": 1}
REPORTS = ("force", "creep")
STATES = ("creep",)  # by how much the dashpot is drawn out


@dataclass(frozen=True, kw_only=True)
class Maxwell(JointElement):
    """force = -stiffness (q - creep), viscosity · d creep/dt = stiffness (q - creep)."""

    stiffness: float
    viscosity: float
    creep: float = 0.0

    def initial_states(self):
        return [self.creep]

    def rows(self, layout):
        return [([q, s], [self.stiffness, self.viscosity]) for q, s in self.coordinates(layout)]


@outlined
def apply(model, motion, t, h, index, param, count, line):
    for k in range(count):
        i, p = index + 3 * k, param + 2 * k
        s, z = model.indices[i + 1], model.indices[i + 2]
        stiffness = load(model.params, p)
        force = -stiffness * (load(motion.q, model.indices[i]) - load(motion.z, z))
        none = constant(force, 0.0)
        push_joint(motion, h, s, force, stiffness, none, none)
        add_to(motion.zrate, z, -force / load(model.params, p + 1))
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        x = load(motion.q, model.indices[index + 3 * k]) - load(motion.z, model.indices[index + 3 * k + 2])
        total = total + load(model.params, param + 2 * k) * x * x * constant(x, 0.5)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    for k in range(count):
        creep = load(motion.z, model.indices[index + 3 * k + 2])
        x = load(motion.q, model.indices[index + 3 * k]) - creep
        store(out, first + 2 * k, -load(model.params, param + 2 * k) * x)
        store(out, first + 2 * k + 1, creep)
