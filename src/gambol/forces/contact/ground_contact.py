"""Points and spheres of a body against the ground (the law is in forces.surface)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.dynamics.workspace import FRAME, OMEGA, REST, SLOTS
from gambol.errors import Fault, WorldError, nearest
from gambol.figure.shapes import Box, Capsule, Hull, Mesh, Shape, Sphere
from gambol.forces.clipping import count_clipped
from gambol.forces.contact.bends import ball_axes, note_ridges, ridges_count
from gambol.forces.contact.nearest import depth_in_ground
from gambol.forces.contact.round_contact import ROUND_SHAPES, RoundContact
from gambol.forces.contact.support_points import MOST_POINTS, support_points
from gambol.forces.contact.surface import FRICTIONS, SURFACE, SURFACE_NAMES, Surface, beyond_law, contact_force
from gambol.forces.contact.telling import told_by
from gambol.forces.contact.terrain import SLOPE_X, SLOPE_Y, STEEPNESS, ground_at
from gambol.forces.contact.touchdown import hurried, mass_of, note_touchdown, sinking, span
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import point_of, push_point
from gambol.forces.watch import TOUCHDOWN, size_of
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_mat3, load_vec3
from gambol.math.scalar import absolute, any_positive, constant, load
from gambol.math.vector import cross, dot

if TYPE_CHECKING:
    from gambol.figure import Body, Figure, Placement

# Parameters of a point: itself and its radius, the sphere and the box (layout axes) that hold all points of its
# element, the body's mass, the surface's law
POINT_RADIUS, MIDDLE, BOUND, HALF, POINT_MASS, LAW, CLIPPED = 3, 4, 7, 8, 11, 12, 12 + SURFACE
INDICES, PARAMETERS, WATCHED = 3, CLIPPED + 1, TOUCHDOWN
PUSHES = (0,)  # of its indices: its body
BODY, FRICTION_LAW, GROUP = range(3)  # GROUP: how many points the element has, at its first; else 0
NUMBERS = {"radius": POINT_RADIUS, "clipped": CLIPPED} | {name: LAW + k for k, name in enumerate(SURFACE_NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z")


@dataclass(frozen=True, kw_only=True)
class GroundContact(Element):
    """Contact of `points` [m, body frame] of a body with the ground; with `radius` [m], of spheres around them.

    `clipped` counts how often the force was evaluated deeper than the surface's law is good for.
    """

    body: str
    points: Sequence[Sequence[float]]
    surface: Surface
    radius: float = 0.0
    note: str = field(default="", compare=False)

    @classmethod
    def of_body(
        cls, body: Body, surface: Surface, *, name: str = "", called: str = "", most: int = MOST_POINTS, **options
    ) -> tuple[Element, ...]:
        """Contacts of a body's colliding shapes: corners, spheres, capsules; `RoundContact` for the other round ones.

        One element for each radius and for each cylinder, cone and ellipsoid; `name` names the first, "name 2" the
        second. `called` is the body's name in the world where that is another ("figure/body"). Hulls and meshes touch
        at the corners of their convex hull, `most` of them at most; the element's `note` says what that leaves out.
        """
        where = f"{cls.type_name()} of {body.name}"
        groups: dict[float, list[tuple[float, ...]]] = {}
        notes: dict[float, list[str]] = {}
        rounds: list[tuple[Any, Placement]] = []
        for part in body.parts:
            if part.colliding and isinstance(part.shape, ROUND_SHAPES):
                rounds.append((part.shape, part.placement))
            elif part.colliding:
                radius, points, note = touching_points(part.shape, most)
                groups.setdefault(radius, []).extend(tuple(part.placement.apply(point)) for point in points)
                notes.setdefault(radius, []).extend([note] if note else [])
        if not groups and not rounds:
            raise WorldError([Fault("it has no colliding shape", where)])
        if rounds and cls is not GroundContact:
            kind = rounds[0][0].kind
            raise WorldError(
                [Fault(f"a {kind} touches where it happens to be lowest: give `points` and `radius`", where)]
            )
        common: dict[str, Any] = {"body": called or body.name, "surface": surface, **options}
        found: list[Element] = [
            cls(points=points, radius=radius, note="; ".join(notes[radius]), **common)
            for radius, points in groups.items()
        ]
        found += [RoundContact(shape=shape, placement=place, **common) for shape, place in rounds]
        names = [f"{name} {k + 1}" if name and k else name for k in range(len(found))]
        return tuple(replace(element, name=own) for element, own in zip(found, names))

    @classmethod
    def of_figure(
        cls,
        figure: Figure,
        surface: Surface,
        *,
        bodies: Iterable[str] | None = None,
        without: Iterable[str] = (),
        most: int = MOST_POINTS,
        **options,
    ) -> tuple[Element, ...]:
        """Contacts of every body of a figure that has colliding shapes, or of the `bodies` named, but those `without`.

        Each is called "figure/body ground", further ones of a body "figure/body ground 2", …
        """
        known = [body.name for body in figure.bodies]
        chosen, left_out = known if bodies is None else list(bodies), list(without)
        faults = [
            Fault(f"{figure.name!r} has no body {name!r}{nearest(name, known)}", f"{cls.type_name()} of {figure.name}")
            for name in (*chosen, *left_out)
            if name not in known
        ]
        if faults:
            raise WorldError(faults)
        found: list[Element] = []
        for body in figure.bodies:
            touches = any(part.colliding for part in body.parts) or bodies is not None
            if touches and body.name in chosen and body.name not in left_out:
                called = f"{figure.name}/{body.name}"
                found += cls.of_body(body, surface, name=f"{called} ground", called=called, most=most, **options)
        if not found:
            raise WorldError([Fault("none of its bodies has a colliding shape", f"{cls.type_name()} of {figure.name}")])
        return tuple(found)

    def faults(self) -> Iterator[Fault]:
        """Also: the surface must be sound, and there must be a point."""
        yield from super().faults()
        yield from self.surface.faults(self.where)
        if not len(self.points):
            yield Fault("a contact needs at least one point", self.where)

    def carried(self, welded, parent, there):
        """Points of a welded body become points of the parent."""
        if not welded(self.body):
            return self
        return replace(self, body=parent, points=tuple(there.apply(p) for p in self.points))

    def rows(self, layout) -> list[Row]:
        """One kernel element a point; the first knows how many follow, so that all may be passed over."""
        law = FRICTIONS.index(self.surface.law)
        link = layout_point(layout, self.body, (0.0, 0.0, 0.0))[0]
        mass = mass_of(layout, self.body, len(self.points))
        points = np.array([layout_point(layout, self.body, point)[1] for point in self.points])
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        bound = float(np.linalg.norm(points - middle, axis=1).max()) + self.radius
        half = (points.max(axis=0) - points.min(axis=0)) / 2
        tail = [float(self.radius), *middle, bound, *half, mass, *self.surface.numbers(), 0.0]
        groups = [len(points), *[0] * (len(points) - 1)]
        return [([link, law, group], [float(x) for x in (*p, *tail)]) for p, group in zip(points, groups)]


def touching_points(shape: Shape, most: int = MOST_POINTS) -> tuple[float, list[tuple[float, ...]], str]:
    """Radius and centres [m, shape frame] of the spheres that touch the ground before the rest of a shape, and a note.

    Not for shapes that touch at points which move (`RoundContact`).
    """
    match shape:
        case Box():
            corners = [tuple(0.5 * s * d for s, d in zip(signs, shape.size)) for signs in product((-1, 1), repeat=3)]
            return 0.0, corners, ""
        case Hull() | Mesh():
            thinned = support_points(shape.points if isinstance(shape, Hull) else shape.vertices, most)
            return 0.0, [tuple(p) for p in thinned.points.tolist()], thinned.note(shape.kind)
        case Sphere():
            return shape.radius, [(0.0, 0.0, 0.0)], ""
        case Capsule():
            return shape.radius, [(0.0, 0.0, s * 0.5 * shape.length) for s in (-1, 1)], ""
    raise TypeError(f"what of a {shape.kind} touches the ground is not known: give `points` and `radius`")


@function
def clear_of_ground(model, motion, i, p, watching):
    """Are all points of an element above the ground, in every world? (Then none of them needs a look.)

    watching: and stay so for the rest of the step.
    """
    _, place, speed = point_of(motion, i, load_vec3(model.params, p + MIDDLE))
    height, _, _ = ground_at(model.params, model.tables, place.x, place.y, motion.spare)
    slopes = absolute(load(model.params, SLOPE_X)) + absolute(load(model.params, SLOPE_Y))
    frame, half = load_mat3(motion.work, i * SLOTS + FRAME), load_vec3(model.params, p + HALF)
    down = absolute(frame.x.z) * half.x + absolute(frame.y.z) * half.y + absolute(frame.z.z) * half.z
    bound, steep = load(model.params, p + BOUND), load(model.params, STEEPNESS) + slopes
    if watching:
        down = down + sinking(motion, i, speed, steep, bound)
    return not any_positive(height + bound * steep + down + load(model.params, p + POINT_RADIUS) - place.z)


@function
def above_ground(model, motion, i, p, watching):
    """Is a point with its sphere above the ground, in every world? Without the root that the depth takes.

    watching: and stays so for the rest of the step, on ground that goes on as it is there.
    """
    r, place, speed = point_of(motion, i, load_vec3(model.params, p))
    height, hx, hy = ground_at(model.params, model.tables, place.x, place.y, motion.spare)
    steep, one = absolute(hx) + absolute(hy), constant(hx, 1.0)
    if watching:
        height = height + sinking(motion, i, speed, steep, span(r))
    steepest = steep + load(model.params, STEEPNESS)  # beside a wall
    return not any_positive(height + load(model.params, p + POINT_RADIUS) * (steepest + one) - place.z)


@function
def touching(model, motion, i, p):
    """Depth, normal, and the point of the body that touches: its arm, place and velocity."""
    r, place, speed = point_of(motion, i, load_vec3(model.params, p))
    radius = load(model.params, p + POINT_RADIUS)
    depth, normal = depth_in_ground(model.params, model.tables, place, radius, motion.spare)
    arm = normal * radius
    turning = cross(load_vec3(motion.work, i * SLOTS + OMEGA), arm)
    return depth, normal, r - arm, place - arm, speed - turning


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds contact forces at the points below the ground [N]."""
    asked = any_positive(load(motion.spare, REST))
    watching, ahead = asked, False
    k = 0
    while k < count:
        i, p = model.indices[index + INDICES * k], param + PARAMETERS * k
        law, group = model.indices[index + INDICES * k + 1], model.indices[index + INDICES * k + 2]
        if group > 1 and clear_of_ground(model, motion, i, p, asked):
            k += group
            continue
        if group > 0 and asked:
            _, _, speed = point_of(motion, i, load_vec3(model.params, p + MIDDLE))
            watching = hurried(model, motion, i, p + POINT_MASS, p + LAW, speed, load(model.params, p + BOUND))
            ahead = ridges_count(model, motion, watching)
        k += 1
        if ahead:
            _, place, speed = point_of(motion, i, load_vec3(model.params, p))
            axes = ball_axes(load(model.params, p + POINT_RADIUS))
            note_ridges(model, motion, t, p + POINT_MASS, p + LAW, place, axes, speed)
        if above_ground(model, motion, i, p, watching):
            continue
        depth, normal, r, _, speed = touching(model, motion, i, p)
        if watching:
            arm = size_of(load_vec3(model.params, p))
            note_touchdown(model, motion, i, p + POINT_MASS, p + LAW, depth, normal, speed, arm)
            if not any_positive(depth):
                continue
        count_clipped(model.params, p + CLIPPED, beyond_law(model.params, p + LAW, depth))
        force, stiffness, damping = contact_force(model.params, p + LAW, law, normal, depth, speed)
        push_point(model, motion, h, i, r, speed, force, stiffness, damping)
        if line >= 0:
            add_to(motion.zrate, line, dot(force, speed))


energy, report = told_by(touching, indices=INDICES, parameters=PARAMETERS, law=LAW)
