"""Cylinders, cones and ellipsoids against the ground: the points of them that touch move as they roll.

An ellipsoid touches at its lowest point along the ground's normal, which is known in closed form. A disc (the end of a
cylinder, the base of a cone) is an ellipsoid with one radius of zero: it touches at the lowest point of its rim and at
the two points a third of the way round from there. A cylinder that rolls then feels no corners, and one that stands
rests on three points of its end; together these answer alike to a tilt in any direction, so it does not matter where
on the rim they are. On ground that bends, the normal is looked up where the shape touches, not under its centre.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gambol.dynamics.workspace import FRAME, LOCATED, OMEGA, PLACE, REST, SLOTS, SPEED
from gambol.errors import Fault
from gambol.figure.placement import IDENTITY, Placement
from gambol.figure.shapes import Cone, Cylinder, Ellipsoid
from gambol.forces.clipping import count_clipped
from gambol.forces.contact.bends import note_landing
from gambol.forces.contact.nearest import depth_in_ground
from gambol.forces.contact.surface import FRICTIONS, SURFACE, SURFACE_NAMES, Surface, beyond_law, contact_force
from gambol.forces.contact.telling import told_by
from gambol.forces.contact.terrain import PLANE, SHAPE, SLOPE_X, SLOPE_Y, STEEPNESS, ground_at
from gambol.forces.contact.touchdown import mass_of, sinking
from gambol.forces.element import Element, Row
from gambol.forces.push import point_of, push_point
from gambol.forces.watch import TOUCHDOWN, size_of
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_mat3, load_vec3
from gambol.math.scalar import absolute, any_positive, constant, load, load_lane, reciprocal, sqrt, where_positive
from gambol.math.vector import Mat3, Vec3, cross, dot

# Parameters of a point: the centre of its ellipsoid or disc, the semi-axes of that, how far round it is from the lowest
# point (cosine, sine); the sphere that holds the whole shape; the body's mass; the surface's law
CENTRE, AXES, AROUND, MIDDLE, BOUND, MASS, LAW = 0, 3, 12, 14, 17, 18, 19
CLIPPED = LAW + SURFACE
INDICES, PARAMETERS, WATCHED = 3, CLIPPED + 1, TOUCHDOWN
PUSHES = (0,)  # of its indices: its body
BODY, FRICTION_LAW, GROUP = range(3)  # GROUP: how many points the shape has, at its first; else 0
NUMBERS = {"clipped": CLIPPED} | {name: LAW + k for k, name in enumerate(SURFACE_NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z")
LOOKS = 2  # at the ground, after that under the centre
THIRDS = tuple((math.cos(a), math.sin(a)) for a in (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0))
ROUND_SHAPES = (Cylinder, Cone, Ellipsoid)


@dataclass(frozen=True, kw_only=True)
class RoundContact(Element):
    """Contact of a cylinder, a cone or an ellipsoid of a body with the ground, at points that move over it.

    `placement` is the shape's in the body's frame. A cylinder has three points at each end: it lies on one of each and
    stands on three of one. A cone has three at its base, and its tip. An ellipsoid has one.
    """

    body: str
    shape: Cylinder | Cone | Ellipsoid
    surface: Surface
    placement: Placement = IDENTITY

    def faults(self) -> Iterator[Fault]:
        """Also: surface and shape must be sound."""
        yield from super().faults()
        yield from self.surface.faults(self.where)
        if not isinstance(self.shape, ROUND_SHAPES):
            kind = getattr(self.shape, "kind", type(self.shape).__name__)
            allowed = ", ".join(shape.kind for shape in ROUND_SHAPES)
            yield Fault(
                f"its shape must be one of {allowed}, not a {kind}: GroundContact.of_body finds what fits", self.where
            )
            return
        yield from (Fault(message, self.where) for _, message in self.shape.faults())

    def carried(self, welded, parent, there):
        """The shape of a welded body becomes one of the parent's."""
        if not welded(self.body):
            return self
        return replace(self, body=parent, placement=there.compose(self.placement))

    def rows(self, layout) -> list[Row]:
        """One kernel element a point; the first knows how many follow, so that all may be passed over."""
        entry = layout.body(self.body)
        turn = entry.turn.T @ np.asarray(self.placement.matrix)
        middle = entry.turn.T @ np.asarray(self.placement.position)
        law, found = FRICTIONS.index(self.surface.law), touching_rounds(self.shape)
        bound = max(float(np.linalg.norm(centre)) + max(radii) for centre, radii, _ in found)
        rows = []
        for k, (centre, radii, around) in enumerate(found):
            axes = turn * np.asarray(radii, float)  # columns
            numbers = [
                *(middle + turn @ centre),
                *axes.T.ravel(),
                *around,
                *middle,
                bound,
                mass_of(layout, self.body, len(found)),
                *self.surface.numbers(),
                0.0,
            ]
            rows.append(([entry.link, law, 0 if k else len(found)], [float(x) for x in numbers]))
        return rows


Round = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float]]


def touching_rounds(shape: Cylinder | Cone | Ellipsoid) -> list[Round]:
    """Centre and radii [m, shape frame] of what touches the ground, and how far round from its lowest point."""
    if isinstance(shape, Ellipsoid):
        return [((0.0, 0.0, 0.0), shape.radii, THIRDS[0])]
    rim, half = (shape.radius, shape.radius, 0.0), 0.5 * shape.length
    base = [((0.0, 0.0, -half), rim, around) for around in THIRDS]
    if isinstance(shape, Cone):
        return [*base, ((0.0, 0.0, half), (0.0, 0.0, 0.0), THIRDS[0])]
    return [*base, *(((0.0, 0.0, half), rim, around) for around in THIRDS)]


@function
def lowest(axes, normal, bound, cos, sin):
    """From the centre of an ellipsoid to the point of it that is lowest along a normal, or as far round from there."""
    x, y, z = dot(axes.x, normal), dot(axes.y, normal), dot(axes.z, normal)
    square = x * x + y * y + z * z
    tiny = bound * bound * constant(x, 1e-18)
    scale = reciprocal(sqrt(square + tiny))
    flat = where_positive(square - tiny, constant(x, 0.0), constant(x, 1.0))  # a disc that lies flat: any point will do
    x, y, z = x * scale + flat, y * scale, z * scale
    return -(axes.x * (x * cos - y * sin) + axes.y * (x * sin + y * cos) + axes.z * z)


@function
def clear_of_ground(model, motion, i, p, watching):
    """Is the whole shape above the ground, in every world? watching: and stays so for the rest of the step."""
    _, place, speed = point_of(motion, i, load_vec3(model.params, p + MIDDLE))
    height, _, _ = ground_at(model.params, model.tables, place.x, place.y, motion.spare)
    slopes = absolute(load(model.params, SLOPE_X)) + absolute(load(model.params, SLOPE_Y))
    bound, steep = load(model.params, p + BOUND), load(model.params, STEEPNESS) + slopes
    reach = bound * (steep + constant(steep, 1.0))
    if watching:
        reach = reach + sinking(motion, i, speed, steep, bound)
    return not any_positive(height + reach - place.z)


@outlined
def facing(model, motion, origin, centre, axes, bound):
    """The normal of uneven ground where a shape is deepest in it, looked for from below and from four sides."""
    zero, one = constant(bound, 0.0), constant(bound, 1.0)
    best, found = constant(bound, -1e30), Vec3(zero, zero, one)
    for side in range(5):
        x, y = constant(bound, float((side == 1) - (side == 2))), constant(bound, float((side == 3) - (side == 4)))
        normal = Vec3(x, y, one if side == 0 else zero)
        for _ in range(LOOKS):
            place = origin + centre + lowest(axes, normal, bound, one, zero)
            depth, there = depth_in_ground(model.params, model.tables, place, zero, motion.spare)
            deeper = depth - best
            best = where_positive(deeper, depth, best)
            found = Vec3(
                where_positive(deeper, normal.x, found.x),
                where_positive(deeper, normal.y, found.y),
                where_positive(deeper, normal.z, found.z),
            )
            normal = there
    return found


@function
def touching(model, motion, i, p):
    """Depth, normal, and the point of the body that touches: its arm, place and velocity."""
    centre, _, _ = point_of(motion, i, load_vec3(model.params, p + CENTRE))
    frame, axes = load_mat3(motion.work, i * SLOTS + FRAME), load_mat3(model.params, p + AXES)
    axes = Mat3(frame @ axes.x, frame @ axes.y, frame @ axes.z)
    origin, bound = load_vec3(motion.located, i * LOCATED + PLACE), load(model.params, p + BOUND)
    cos, sin = load(model.params, p + AROUND), load(model.params, p + AROUND + 1)
    one, none = constant(bound, 1.0), constant(bound, 0.0)
    arm, depth, normal = centre, bound, Vec3(one, one, one)
    if int(load_lane(model.params, SHAPE, 0)) != PLANE:
        normal = facing(model, motion, origin, centre, axes, bound)
        arm = centre + lowest(axes, normal, bound, cos, sin)
        depth, normal = depth_in_ground(model.params, model.tables, origin + arm, none, motion.spare)
    else:
        for look in range(LOOKS + 1):
            depth, normal = depth_in_ground(model.params, model.tables, origin + arm, none, motion.spare)
            if look < LOOKS:
                arm = centre + lowest(axes, normal, bound, cos, sin)
    speed = load_vec3(motion.located, i * LOCATED + SPEED) + cross(load_vec3(motion.work, i * SLOTS + OMEGA), arm)
    return depth, normal, arm, origin + arm, speed


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds contact forces at the points below the ground [N]."""
    watching = any_positive(load(motion.spare, REST))
    k = 0
    while k < count:
        i, p = model.indices[index + INDICES * k], param + PARAMETERS * k
        law, group = model.indices[index + INDICES * k + FRICTION_LAW], model.indices[index + INDICES * k + GROUP]
        if group > 0 and clear_of_ground(model, motion, i, p, watching):
            k += group
            continue
        k += 1
        depth, normal, r, _, speed = touching(model, motion, i, p)
        if watching:
            _, place, drift = point_of(motion, i, load_vec3(model.params, p + CENTRE))
            frame, axes = load_mat3(motion.work, i * SLOTS + FRAME), load_mat3(model.params, p + AXES)
            axes, mass = Mat3(frame @ axes.x, frame @ axes.y, frame @ axes.z), p + MASS
            note_landing(model, motion, t, i, mass, p + LAW, depth, normal, speed, size_of(r), place, axes, drift)
        if any_positive(depth):
            count_clipped(model.params, p + CLIPPED, beyond_law(model.params, p + LAW, depth))
            force, stiffness, damping = contact_force(model.params, p + LAW, law, normal, depth, speed)
            push_point(model, motion, h, i, r, speed, force, stiffness, damping)
            if line >= 0:
                add_to(motion.zrate, line, dot(force, speed))


energy, report = told_by(touching, indices=INDICES, parameters=PARAMETERS, law=LAW)
