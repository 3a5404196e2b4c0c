"""Bodies against one another: round-edged boxes, spheres and capsules; equal and opposite forces where they touch.

One body sends *probes* (corners and edges of a box, ends and core of a capsule, the centre of a sphere: points and
segments with a radius), the other answers as a *target* (a box with rounded edges, or a capsule). The deepest point of
a probe in the target and the target's normal there give the contact; for two boxes each sends its corners into the
other, and one of them its edges. An edge, or a capsule's core, that lies flat along the target touches at both ends of
the part that lies flat: it is sent twice, once for each. Those of its own ends that touch are left to the corners.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gambol.dynamics.workspace import FRAME, LOCATED, PLACE, SLOTS
from gambol.errors import Fault
from gambol.figure.placement import IDENTITY
from gambol.figure.shapes import Box, Capsule, Sphere
from gambol.forces.clipping import count_clipped
from gambol.forces.contact.surface import FRICTIONS, NAMES, SURFACE, Surface, beyond_law, contact_force, stored_in
from gambol.forces.element import Element, Row
from gambol.forces.push import point_of, push_pair, speed_at
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_mat3, load_vec3, store_vec3
from gambol.math.scalar import absolute, any_positive, constant, load, maximum, minimum, sqrt, store, where_positive
from gambol.math.vector import Mat3, Vec3, dot, transposed_times, zero3

# Parameters: probe from, probe to, its radius; target frame, centre, half sizes, its radius; bounding radii; the law
START, END, PROBE_RADIUS, AXES, CENTRE, HALF, TARGET_RADIUS, REACH, LAW = 0, 3, 6, 7, 16, 19, 22, 23, 24
CLIPPED = LAW + SURFACE
PAIRS = 1
INDICES, PARAMETERS = 5, CLIPPED + 1
BODY, OTHER, FRICTION_LAW, KIND, SENSE = range(5)  # sense 1: the probe is of the element's `body`, -1: of `other`
POINT, FIRST, LAST = 0, 1, 2  # kinds of probes: a point, the first and the last of the flat part of a segment
NUMBERS = {"clipped": CLIPPED} | {name: LAW + k for k, name in enumerate(NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z")
LOOKS = 20  # of the search for the deepest points of a segment
FLAT = 0.02  # slope [rad] up to which a segment counts as lying flat


@dataclass(frozen=True, kw_only=True)
class BodyContact(Element):
    """Contact between two bodies with box, sphere or capsule shapes (or the shapes given).

    rounding   radius of a box's edges, as a share of its shortest side; boxes that rest on one another need some
    """

    body: str
    other: str
    surface: Surface
    shape: Box | Sphere | Capsule | None = None
    other_shape: Box | Sphere | Capsule | None = None
    rounding: float = 0.05

    def faults(self) -> Iterator[Fault]:
        """Also: the surface must be sound, and a body cannot touch itself."""
        yield from super().faults()
        yield from self.surface.faults(self.where)
        if not 0 < self.rounding < 0.5:
            yield Fault(f"rounding must lie between 0 and 0.5, it is {self.rounding}", self.where)
        if self.body == self.other:
            yield Fault(f"a body does not touch itself ({self.body!r})", self.where)

    ends = (("body", ""), ("other", ""))

    def carried(self, welded, parent, there):
        """Refuses: shapes of a welded body belong to its parent."""
        if not any(map(welded, self.bodies())):
            return self
        raise self.fail(f"a body that touches others cannot be welded to {parent!r}: remove the contact first")

    def rows(self, layout) -> list[Row]:
        """One kernel element for every two shapes that may meet."""
        solids = [Solid.all_of(self, layout, *end) for end in ((self.body, self.shape), (self.other, self.other_shape))]
        return [row for one, two in itertools.product(*solids) for row in self._pair(one, two)]

    def _pair(self, first: Solid, second: Solid) -> Iterator[Row]:
        law = FRICTIONS.index(self.surface.law)
        own = 1
        if first.is_box and not second.is_box:  # a box answers, it does not ask
            first, second, own = second, first, -1
        pairs = [(first, second, probe, own) for probe in first.probes()]
        if first.is_box:
            pairs += [(second, first, probe, -own) for probe in second.probes() if probe[2] == POINT]
        for asker, answerer, (start, end, kind), sense in pairs:
            reach = asker.reach(start, end) + answerer.bound
            numbers = [*start, *end, asker.radius, *answerer.numbers(), reach, *self.surface.numbers(), 0.0]
            yield [asker.link, answerer.link, law, kind, sense], [float(x) for x in numbers]


@dataclass(frozen=True)
class Solid:
    """A body's shape as contact sees it: a box of half sizes `half` with rounded edges, in layout axes of its link."""

    link: int
    axes: np.ndarray  # columns: axes of the shape
    centre: np.ndarray
    half: np.ndarray  # of the core; a capsule's core is a segment along z
    radius: float

    @classmethod
    def all_of(cls, element: BodyContact, layout, name: str, shape) -> list[Solid]:
        """The shapes of a body that contact knows, or the one given."""
        entry = layout.body(name)
        found = [(part.shape, part.placement) for part in entry.body.parts if part.colliding]
        if shape is not None:
            found = [(shape, IDENTITY)]
        if not found:
            raise element.fail(f"body {name!r} has no colliding shape; give one")
        solids = []
        for form, placement in found:
            if not isinstance(form, Box | Sphere | Capsule):
                kinds = "boxes, spheres and capsules touch other bodies; give its shape"
                raise element.fail(f"body {name!r} has a {form.kind}: only {kinds}")
            core, radius = core_of(form, element.rounding)
            turn = entry.turn.T @ np.asarray(placement.matrix)
            solids.append(cls(entry.link, turn, entry.turn.T @ np.asarray(placement.position), core, radius))
        return solids

    @property
    def is_box(self) -> bool:
        """Is it a box, not a rounded line or a point?"""
        return bool(np.count_nonzero(self.half) > 1)

    @property
    def bound(self) -> float:
        """Radius about the centre that holds it."""
        return float(np.linalg.norm(self.half)) + self.radius

    def reach(self, start, end) -> float:
        """Radius of a ball round the segment from start to end with its rounding [m]."""
        return float(np.linalg.norm(np.subtract(end, start))) / 2 + self.radius

    def numbers(self) -> list[float]:
        """As a target."""
        return [*self.axes.T.ravel(), *self.centre, *self.half, self.radius]

    def probes(self) -> list[tuple[np.ndarray, np.ndarray, int]]:
        """Segments of the core, in layout axes of the link."""
        place = lambda local: self.centre + self.axes @ np.asarray(local, float)
        if not self.half.any():
            return [(self.centre, self.centre, POINT)]
        if not self.is_box:
            low, high = place(-self.half), place(self.half)
            return [(low, low, POINT), (high, high, POINT), (low, high, FIRST), (low, high, LAST)]
        corners = [np.array(s) * self.half for s in itertools.product((-1, 1), repeat=3)]
        probes = [(place(c), place(c), POINT) for c in corners]
        for a, b in itertools.combinations(corners, 2):
            if np.count_nonzero(a != b) == 1:
                probes += [(place(a), place(b), FIRST), (place(a), place(b), LAST)]
        return probes


def core_of(shape, rounding: float) -> tuple[np.ndarray, float]:
    """Half sizes of the core and the radius around it."""
    if isinstance(shape, Sphere):
        return np.zeros(3), float(shape.radius)
    if isinstance(shape, Capsule):
        return np.array([0.0, 0.0, 0.5 * float(shape.length)]), float(shape.radius)
    radius = rounding * float(min(shape.size))
    return np.asarray(shape.size, float) / 2 - radius, radius


# ---------------------------------------------------------------- depth of a probe in a target
@function
def clearance(x, half):
    """Distance of a point (target axes) from a box (inside: minus that to the nearest face), and its gradient."""
    zero, one = constant(x.x, 0.0), constant(x.x, 1.0)
    sx, sy, sz = where_positive(x.x, one, -one), where_positive(x.y, one, -one), where_positive(x.z, one, -one)
    dx, dy, dz = absolute(x.x) - half.x, absolute(x.y) - half.y, absolute(x.z) - half.z
    ox, oy, oz = maximum(dx, zero), maximum(dy, zero), maximum(dz, zero)
    square = ox * ox + oy * oy + oz * oz
    far = sqrt(square + constant(zero, 1e-30))
    deep = maximum(dx, maximum(dy, dz))
    is_x = where_positive(dy - dx, zero, where_positive(dz - dx, zero, one))
    is_y = where_positive(dz - dy, zero, one) * (one - is_x)
    is_z = one - is_x - is_y
    nx, ny = where_positive(square, ox / far, is_x), where_positive(square, oy / far, is_y)
    nz = where_positive(square, oz / far, is_z)
    return where_positive(square, far, deep), Vec3(nx * sx, ny * sy, nz * sz)


@function
def flat_end(a, line, size, half, sense):
    """Share of the way along a segment (target axes) to the first (sense 1) or last (-1) of its deepest part.

    The clearance is convex along it: its slope is below -FLAT before that part and above FLAT after it.
    """
    low, high = constant(size, 0.0), constant(size, 1.0)
    edge = constant(size, FLAT) * size * sense
    for _ in range(LOOKS):
        middle = (low + high) * constant(size, 0.5)
        rising = dot(clearance(a + line * middle, half)[1], line) + edge
        high, low = where_positive(rising, middle, high), where_positive(rising, low, middle)
    return where_positive(sense, low, high)


@function
def segment_contact(a, b, half, radius, kind):
    """Where on the segment a … b (target axes) it touches a box, and how much of the contact counts.

    Both ends of a flat part count in full where they lie apart, by halves where they are one point; a point near an
    end of the segment counts less, for there is a corner.
    """
    one, zero = constant(radius, 1.0), constant(radius, 0.0)
    line = b - a
    size = sqrt(dot(line, line) + constant(radius, 1e-30))
    first, last = flat_end(a, line, size, half, one), flat_end(a, line, size, half, -one)
    apart = (last - first) * size - radius * constant(radius, 4.0 * FLAT)
    share = first if kind == FIRST else last
    room = radius + radius
    counts = constant(radius, 0.5) * (one + maximum(minimum(apart / room, one), zero))
    counts = counts * minimum(share * size / room, one) * minimum((one - share) * size / room, one)
    return share, counts


@function
def meeting(model, motion, i, p):
    """Depth, normal (world, out of the target), place of the contact, and how much of it counts."""
    params = model.params
    body, other = model.indices[i + BODY], model.indices[i + OTHER]
    _, start, _ = point_of(motion, body, load_vec3(params, p + START))
    _, end, _ = point_of(motion, body, load_vec3(params, p + END))
    _, centre, _ = point_of(motion, other, load_vec3(params, p + CENTRE))
    half_way = (start + end) * constant(start.x, 0.5) - centre
    reach = load(params, p + REACH)
    near = reach * reach - dot(half_way, half_way)
    one, zero = constant(near, 1.0), constant(near, 0.0)
    radius = load(params, p + PROBE_RADIUS) + load(params, p + TARGET_RADIUS)
    depth, counts, normal, place = -one, one, Vec3(zero, zero, one), start
    if any_positive(near):
        frame = load_mat3(motion.work, other * SLOTS + FRAME)
        axes = load_mat3(params, p + AXES)
        axes = Mat3(frame @ axes.x, frame @ axes.y, frame @ axes.z)
        half = load_vec3(params, p + HALF)
        a, b = transposed_times(axes, start - centre), transposed_times(axes, end - centre)
        share = zero
        if model.indices[i + KIND] != POINT:
            share, counts = segment_contact(a, b, half, radius, model.indices[i + KIND])
        gap, slope = clearance(a + (b - a) * share, half)
        depth = radius - gap
        normal = axes @ slope
        place = start + (end - start) * share - normal * (load(params, p + PROBE_RADIUS) - depth * constant(gap, 0.5))
        depth = where_positive(near, depth, -one)
    return depth, normal, place, counts


@function
def arm_and_speed(motion, i, place):
    """From a body's origin to a place in the world, and how fast the body moves there."""
    r = place - load_vec3(motion.located, i * LOCATED + PLACE)
    return r, speed_at(motion, i, r)


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds equal and opposite contact forces where shapes overlap [N]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        depth, normal, place, counts = meeting(model, motion, i, p)
        if any_positive(depth):
            count_clipped(model.params, p + CLIPPED, beyond_law(model.params, p + LAW, depth))
            body, other = model.indices[i + BODY], model.indices[i + OTHER]
            r, v = arm_and_speed(motion, body, place)
            s, w = arm_and_speed(motion, other, place)
            law = model.indices[i + FRICTION_LAW]
            force, K, B = contact_force(model.params, p + LAW, law, normal, depth, v - w)
            force = force * counts
            push_pair(model, motion, h, body, r, other, s, zero3(depth), force, K * counts, B * counts)
            if line >= 0:
                add_to(motion.zrate, line, dot(force, v - w))


@outlined
def energy(model, motion, t, index, param, count):
    """Energy stored in the contacts [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        depth, _, _, counts = meeting(model, motion, index + INDICES * k, p)
        total = total + stored_in(model.params, p + LAW, depth) * counts
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Depth [m], where they touch [m, world] and the force on the element's `body` [N, world]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        depth, normal, place, counts = meeting(model, motion, i, p)
        _, v = arm_and_speed(motion, model.indices[i + BODY], place)
        _, w = arm_and_speed(motion, model.indices[i + OTHER], place)
        law = model.indices[i + FRICTION_LAW]
        force = contact_force(model.params, p + LAW, law, normal, depth, v - w)[0] * (
            counts * constant(depth, model.indices[i + SENSE])
        )
        store(out, first + 7 * k, depth)
        store_vec3(out, first + 7 * k + 1, place)
        store_vec3(out, first + 7 * k + 4, force)
