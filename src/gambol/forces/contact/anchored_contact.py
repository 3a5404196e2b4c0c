"""Friction that remembers: a ground contact held by a spring along the ground, as far as friction can hold it.

A point that touches is tied to the place where it came down. Along the ground a spring pulls it back there, with no
more than `hold` times the normal force; where it would need more, the place is dragged along. So it rests on a slope
without creeping, which friction against the motion cannot do. Where it is tied is decided at the ends of steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.dynamics.workspace import REST
from gambol.errors import Fault
from gambol.forces.clipping import count_clipped
from gambol.forces.contact.bends import ball_axes, note_landing
from gambol.forces.contact.ground_contact import LAW, POINT_MASS, GroundContact, touching
from gambol.forces.contact.surface import SURFACE, SURFACE_NAMES, SURFACE_TURN, beyond_law, contact_force, stored_in
from gambol.forces.element import Row
from gambol.forces.push import isotropic, push_point
from gambol.forces.watch import TOUCHDOWN, size_of
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import any_positive, constant, load, minimum, sqrt, store, where_positive
from gambol.math.vector import Vec3, dot, sym_outer

CLIPPED, HOLD, SPRING, RETURN, TIED, ANCHOR = (LAW + SURFACE + k for k in range(6))
INDICES, PARAMETERS, WATCHED = 3, ANCHOR + 3, TOUCHDOWN
NUMBERS = {"radius": 3, "clipped": CLIPPED, "hold": HOLD, "hold_stiffness": SPRING, "hold_restitution": RETURN}
NUMBERS |= {"tied": TIED, "anchor_x": ANCHOR, "anchor_y": ANCHOR + 1, "anchor_z": ANCHOR + 2}
NUMBERS |= {name: LAW + k for k, name in enumerate(SURFACE_NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z", "tied")


@dataclass(frozen=True, kw_only=True)
class AnchoredContact(GroundContact):
    """A ground contact with a spring along the ground of `hold_stiffness` [N/m], up to `hold` times the normal force.

    hold_restitution multiplies the spring while the point comes back. The surface's own friction acts besides.
    Parameters `tied` and anchor_x … anchor_z [m, world] say whether and where a point is held.
    """

    hold: float
    hold_stiffness: float
    hold_restitution: float = 1.0

    def faults(self) -> Iterator[Fault]:
        """Also: nothing of the spring may be negative, and a sphere would roll over the place where it is tied."""
        yield from super().faults()
        if self.radius:
            yield Fault("only points can be tied to a place: give them no radius", self.where)
        for name in ("hold", "hold_stiffness", "hold_restitution"):
            if getattr(self, name) < 0:
                yield Fault(f"{name} must not be negative, it is {getattr(self, name):g}", self.where)

    def rows(self, layout) -> list[Row]:
        """As any ground contact, with the spring's numbers at the end."""
        tail = [float(self.hold), float(self.hold_stiffness), float(self.hold_restitution), 0.0, 0.0, 0.0, 0.0]
        return [(indices, [*params, *tail]) for indices, params in super().rows(layout)]


@function
def stretch(params, p, normal, place):
    """From where a point is tied to where it is, along the ground, and how far that is."""
    x = place - load_vec3(params, p + ANCHOR)
    x = (x - normal * dot(x, normal)) * load(params, p + TIED)
    return x, sqrt(dot(x, x) + constant(x.x, 1e-24))


@function
def pull(params, p, normal, place, speed, pressed):
    """c of the spring's force -c x, which friction under a normal force limits, and x."""
    x, far = stretch(params, p, normal, place)
    one, half = constant(far, 1.0), constant(far, 0.5)
    e, turn = load(params, p + RETURN), load(params, p + LAW + SURFACE_TURN)
    away = dot(x, speed) / far
    factor = (one + e) * half + (one - e) * half * away / sqrt(away * away + turn * turn)
    return minimum(load(params, p + SPRING) * factor, load(params, p + HOLD) * pressed / far), x


@function
def answer(model, motion, i, p, law):
    """Depth, and where a point touches, its arm and speed; the whole force there, its stiffness and damping."""
    depth, normal, r, place, speed = touching(model, motion, i, p)
    force, stiffness, damping = contact_force(model.params, p + LAW, law, normal, depth, speed)
    c, x = pull(model.params, p, normal, place, speed, dot(force, normal))
    along = isotropic(c) + sym_outer(normal, normal) * -c
    return depth, normal, place, r, speed, force - x * c, stiffness + along * load(model.params, p + TIED), damping


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds the forces of the ground and of the springs along it [N]."""
    watching = any_positive(load(motion.spare, REST))
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        depth, normal, place, r, speed, force, stiffness, damping = answer(
            model, motion, i, p, model.indices[index + 3 * k + 1]
        )
        arm = size_of(load_vec3(model.params, p))
        if watching:
            mass, axes = p + POINT_MASS, ball_axes(constant(depth, 0.0))
            note_landing(model, motion, t, i, mass, p + LAW, depth, normal, speed, arm, place, axes, speed)
        if any_positive(depth):
            count_clipped(model.params, p + CLIPPED, beyond_law(model.params, p + LAW, depth))
            push_point(model, motion, h, i, r, speed, force, stiffness, damping)
            if line >= 0:
                add_to(motion.zrate, line, dot(force, speed))


@outlined
def energy(model, motion, t, index, param, count):
    """Energy stored in the ground and in springs that hold [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        depth, normal, _, place, _ = touching(model, motion, model.indices[index + 3 * k], p)
        _, far = stretch(model.params, p, normal, place)
        held = load(model.params, p + SPRING) * far * far * constant(far, 0.5)
        total = total + stored_in(model.params, p + LAW, depth) + where_positive(depth, held, constant(far, 0.0))
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Depth [m], where it touches [m, world], the force on the body [N, world], and whether it is tied."""
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        depth, _, place, _, _, force, _, _ = answer(model, motion, i, p, model.indices[index + 3 * k + 1])
        store(out, first + 8 * k, depth)
        store_vec3(out, first + 8 * k + 1, place)
        store_vec3(out, first + 8 * k + 4, force)
        store(out, first + 8 * k + 7, load(model.params, p + TIED))


@outlined
def settle(model, motion, t, moved, index, param, count):
    """What touches is tied where it is, or dragged along as far as friction gives way; what is clear is let go."""
    params = model.params
    for k in range(count):
        i, p = model.indices[index + 3 * k], param + PARAMETERS * k
        depth, normal, _, place, speed = touching(model, motion, i, p)
        force = contact_force(params, p + LAW, model.indices[index + 3 * k + 1], normal, depth, speed)[0]
        one, zero = constant(depth, 1.0), constant(depth, 0.0)
        x, far = stretch(params, p, normal, place)
        most = load(params, p + HOLD) * dot(force, normal)
        share = minimum(most / (load(params, p + SPRING) * far + constant(far, 1e-30)), one)
        there = place - x * share
        now = where_positive(moved, where_positive(depth, one, zero), load(params, p + TIED))
        old = load_vec3(params, p + ANCHOR)
        new = Vec3(
            where_positive(moved, there.x, old.x),
            where_positive(moved, there.y, old.y),
            where_positive(moved, there.z, old.z),
        )
        store_vec3(params, p + ANCHOR, new)
        store(params, p + TIED, now)
