"""Feet that stick: a ground contact that holds on, by a spring, to the place where it first touched.

While it sticks, an exponential spring pulls it back to that place, in all three directions, besides the ground's own
force and friction. The spring acts at the centre of a sphere, so a round foot may roll over the place where it holds.
It breaks when the point has moved farther than `breaks`, slides as any contact for at least one step, and sticks again
where it then is. What is stuck and what is not is decided at the ends of steps, never within.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.dynamics.workspace import REST
from gambol.errors import Fault
from gambol.forces.clipping import count_clipped, grown_exponential
from gambol.forces.contact.bends import ball_axes, note_landing
from gambol.forces.contact.ground_contact import LAW, POINT_MASS, POINT_RADIUS, GroundContact, touching
from gambol.forces.contact.surface import SURFACE, SURFACE_NAMES, SURFACE_TURN, beyond_law, contact_force, stored_in
from gambol.forces.element import Row, bounded
from gambol.forces.push import point_of, push_point
from gambol.forces.watch import TOUCHDOWN, size_of
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import any_positive, constant, load, sqrt, store, where_positive
from gambol.math.vector import Sym3, Vec3, dot, sym_outer

CLIPPED, STICKY, GLUE, GLUE_RISE, GLUE_DAMPING, RETURN, BREAKS, STUCK, ANCHOR, BROKEN = (
    LAW + SURFACE + k for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 11)
)
INDICES, PARAMETERS, WATCHED = 3, LAW + SURFACE + 12, TOUCHDOWN
PUSHES = (0,)  # of its indices: its body
NUMBERS = {
    "radius": 3,
    "clipped": CLIPPED,
    "sticky": STICKY,
    "glue": GLUE,
    "glue_rise": GLUE_RISE,
    "glue_damping": GLUE_DAMPING,
    "glue_restitution": RETURN,
    "breaks": BREAKS,
    "stuck": STUCK,
    "anchor_x": ANCHOR,
    "anchor_y": ANCHOR + 1,
    "anchor_z": ANCHOR + 2,
    "broken": BROKEN,
}
NUMBERS |= {name: LAW + k for k, name in enumerate(SURFACE_NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z", "stuck")


@dataclass(frozen=True, kw_only=True)
class StickyContact(GroundContact):
    """A ground contact that sticks while `sticky` is 1 (a foot's pad, switched by its controller).

    glue [N] and glue_rise [1/m]: tension glue (e^(glue_rise x) - 1) at the distance x from where it holds on;
    glue_damping [N·s/m]; glue_restitution multiplies the tension while the point comes back; breaks [m]. Parameters
    `stuck` and `broken` say whether it holds and how often it broke, anchor_x … anchor_z [m, world] where it holds.
    """

    glue: float = 0.0
    glue_rise: float = 1.0
    glue_damping: float = 0.0
    glue_restitution: float = 1.0
    breaks: float = float("inf")
    sticky: bool = True

    unbounded = ("breaks",)

    def faults(self) -> Iterator[Fault]:
        """Also: nothing of the glue may be negative."""
        yield from super().faults()
        for name in ("glue", "glue_rise", "glue_damping", "glue_restitution"):
            if getattr(self, name) < 0:
                yield Fault(f"{name} must not be negative, it is {getattr(self, name):g}", self.where)

    def rows(self, layout) -> list[Row]:
        """The rows of a ground contact, with glue and where it holds."""
        glue = [float(self.sticky), self.glue, self.glue_rise, self.glue_damping, self.glue_restitution]
        tail = [*(float(x) for x in glue), bounded(self.breaks), 0.0, 0.0, 0.0, 0.0, 0.0]
        return [(indices, [*params, *tail]) for indices, params in super().rows(layout)]


@function
def glue_force(params, p, place, speed):
    """Force of the glue, its stiffness and damping, for the touching place and the speed of the contact's centre."""
    line = load_vec3(params, p + ANCHOR) - place
    tiny = constant(place.x, 1e-20)
    x = sqrt(dot(line, line) + tiny)
    one, zero, half = constant(x, 1.0), constant(x, 0.0), constant(x, 0.5)
    strength, rise = load(params, p + GLUE), load(params, p + GLUE_RISE)
    e, turn, b = load(params, p + RETURN), load(params, p + LAW + SURFACE_TURN), load(params, p + GLUE_DAMPING)
    grown = grown_exponential(rise * x)
    along = line * (one / x)
    away = -dot(along, speed)
    size = strength * (grown - one)
    moving = sqrt(away * away + turn * turn)
    factor = (one + e) * half + (one - e) * half * away / moving
    stretched = size * factor
    across = stretched / x
    nn = sym_outer(along, along)
    stiffness = nn * (strength * rise * grown * factor - across) + Sym3(across, across, across, zero, zero, zero)
    damping = nn * (size * (one - e) * half / moving) + Sym3(b, b, b, zero, zero, zero)
    return along * stretched - speed * b, stiffness, damping


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds contact forces of the ground, and of the glue where a point is stuck [N]."""
    watching = any_positive(load(motion.spare, REST))
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        law = model.indices[index + 3 * k + 1]
        depth, normal, r, place, speed = touching(model, motion, i, p)
        arm = size_of(load_vec3(model.params, p))
        if watching:
            _, centre, drift = point_of(motion, i, load_vec3(model.params, p))
            mass, axes = p + POINT_MASS, ball_axes(load(model.params, p + POINT_RADIUS))
            note_landing(model, motion, t, i, mass, p + LAW, depth, normal, speed, arm, centre, axes, drift)
        if any_positive(depth):
            count_clipped(model.params, p + CLIPPED, beyond_law(model.params, p + LAW, depth))
            force, stiffness, damping = contact_force(model.params, p + LAW, law, normal, depth, speed)
            push_point(model, motion, h, i, r, speed, force, stiffness, damping)
            if line >= 0:
                add_to(motion.zrate, line, dot(force, speed))
        stuck = load(model.params, p + STUCK)
        if any_positive(stuck):
            arm, _, drift = point_of(motion, i, load_vec3(model.params, p))
            glue, stiffness, damping = glue_force(model.params, p, place, drift)
            push_point(model, motion, h, i, arm, drift, glue * stuck, stiffness * stuck, damping * stuck)
            if line >= 0:
                add_to(motion.zrate, line, dot(glue, drift) * stuck)


@outlined
def energy(model, motion, t, index, param, count):
    """Energy stored in ground and glue [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        depth, _, _, place, _ = touching(model, motion, model.indices[index + 3 * k], p)
        line = load_vec3(model.params, p + ANCHOR) - place
        x, rise = sqrt(dot(line, line)), load(model.params, p + GLUE_RISE)
        glue = load(model.params, p + GLUE) * ((grown_exponential(rise * x) - constant(x, 1.0)) / rise - x)
        total = total + stored_in(model.params, p + LAW, depth) + glue * load(model.params, p + STUCK)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Depth [m], where it touches [m, world], the force of the ground on the body [N, world], and whether it sticks."""
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        law = model.indices[index + 3 * k + 1]
        depth, normal, _, place, speed = touching(model, motion, i, p)
        _, _, drift = point_of(motion, i, load_vec3(model.params, p))
        stuck = load(model.params, p + STUCK)
        force = contact_force(model.params, p + LAW, law, normal, depth, speed)[0]
        force = force + glue_force(model.params, p, place, drift)[0] * stuck
        store(out, first + 8 * k, depth)
        store_vec3(out, first + 8 * k + 1, place)
        store_vec3(out, first + 8 * k + 4, force)
        store(out, first + 8 * k + 7, stuck)


@outlined
def settle(model, motion, t, moved, index, param, count):
    """Lets go what has moved too far or is switched off; what touches and is free holds on where it is."""
    params = model.params
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        depth, _, _, place, _ = touching(model, motion, i, p)
        one, zero = constant(depth, 1.0), constant(depth, 0.0)
        stuck, anchor = load(params, p + STUCK), load_vec3(params, p + ANCHOR)
        line = anchor - place
        sticky = load(params, p + STICKY)
        torn = where_positive(dot(line, line) - load(params, p + BREAKS) * load(params, p + BREAKS), stuck, zero)
        holds = where_positive(sticky, stuck - torn, zero)
        catches = where_positive(depth, where_positive(sticky, one - stuck, zero), zero)
        now = where_positive(moved, holds + catches, stuck)
        new = where_positive(moved, catches, zero)
        store_vec3(
            params,
            p + ANCHOR,
            Vec3(
                where_positive(new, place.x, anchor.x),
                where_positive(new, place.y, anchor.y),
                where_positive(new, place.z, anchor.z),
            ),
        )
        store(params, p + STUCK, now)
        store(params, p + BROKEN, load(params, p + BROKEN) + where_positive(moved, torn, zero))
