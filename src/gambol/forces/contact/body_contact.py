"""Bodies against one another: every pair of convex shapes; equal and opposite forces where they touch.

Shapes are convex cores with a radius (forces.contact.convex): spheres, capsules, boxes, cylinders, cones, ellipsoids,
hulls, and meshes as their hulls. Where two of them overlap, the shortest way out is the normal, and the points of what
faces each other carry, each at its own depth. Bodies whose bounding spheres are apart are passed over,
and among many most pairs are not even looked at (broad_phase).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from gambol.dynamics.workspace import FRAME, LOCATED, PLACE, REST, SLOTS, SPEED
from gambol.errors import Fault, WorldError, nearest
from gambol.figure.figure import Figure
from gambol.figure.placement import IDENTITY
from gambol.figure.shapes import Mesh, Shape
from gambol.forces.clipping import count_clipped
from gambol.forces.contact.broad_phase import MOST_GROUPS, WORD, mark_near, rows_of_group, search_tables
from gambol.forces.contact.convex.manifold import FOUND, MANIFOLD_ROOM, POINT, touch
from gambol.forces.contact.convex.solids import CONTACTS, Solid
from gambol.forces.contact.convex.support import pose_of
from gambol.forces.contact.surface import (
    FRICTIONS,
    SURFACE,
    SURFACE_NAMES,
    Surface,
    beyond_law,
    contact_force,
    first_stiffness,
    stored_in,
)
from gambol.forces.contact.touchdown import mass_of
from gambol.forces.element import Element, Row
from gambol.forces.push import point_of, push_pair, speed_at
from gambol.forces.watch import ENDLESS, THROUGH, note_approach, size_of, spin_of, tilting
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.room import stack_room
from gambol.math.scalar import any_positive, constant, lanes_of, load, load_lane, store, store_lane
from gambol.math.vector import Mat3, Vec3, dot, zero3

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.figure import Body

# Parameters: centres of two shapes, the sum of their bounding radii; the radius of all shapes of either body, about
# its origin; how far what turns with each shape is from its centre, the thinner's thickness, the lighter body's mass;
# the law
CENTRE, OTHER_CENTRE, REACH, WHOLE, OTHER_WHOLE, CORE, OTHER_CORE, THICK, MASS, LAW = 0, 3, 6, 7, 8, 9, 10, 11, 12, 13
CLIPPED = LAW + SURFACE
INDICES, PARAMETERS, PAIRS, WATCHED = 8, CLIPPED + 1, 1, THROUGH
# PAIR: how many points two shapes have, at their first; GROUP: how many the bodies have, at their first; else 0.
# SLOT: which point of its pair; SOLID, OTHER_SOLID: where the shapes' numbers are
BODY, OTHER, FRICTION_LAW, PAIR, GROUP, SLOT, SOLID, OTHER_SOLID = range(8)
TABLED = (SOLID, OTHER_SOLID)
NUMBERS = {"clipped": CLIPPED} | {name: LAW + k for k, name in enumerate(SURFACE_NAMES)}
RAMPS: dict[str, int] = {}
REPORTS = ("depth", "x", "y", "z", "force_x", "force_y", "force_z")
# What a look at a pair leaves: the normal, how far apart, where the look was worth it; then depth, how much it counts
# and place of each point
NORMAL, GAP, NEAR, SEEN = 0, 3, 4, 5
FAR = -1.0  # depth [m] told of points that are not there
_solids_of: WeakKeyDictionary[Layout, dict[tuple, list[Solid]]] = WeakKeyDictionary()
_seen = stack_room(SEEN + CONTACTS * POINT)
_search = stack_room(MANIFOLD_ROOM, np.float64)
_marks = stack_room(MOST_GROUPS // WORD + 1, np.int64)


@dataclass(frozen=True, kw_only=True)
class BodyContact(Element):
    """Contact between two bodies: all their colliding shapes, or those of some of their parts, or the shapes given.

    parts, other_parts   numbers, from 0, of the parts that touch, colliding or not; none: all that collide
    rounding   radius of sharp edges, as a share of a shape's thickness (the shortest side of a box, twice the largest
               ball inside a hull); bodies that rest on one another need some
    most       corners that a hull or mesh keeps; `notes` says what that leaves out
    margin     [m] how far apart they touch already: as if `body` were so much thicker all round
    """

    body: str
    other: str
    surface: Surface
    shape: Shape | None = None
    other_shape: Shape | None = None
    parts: tuple[int, ...] = ()
    other_parts: tuple[int, ...] = ()
    rounding: float = 0.05
    most: int = 64
    margin: float = 0.0

    @classmethod
    def of_figures(
        cls,
        figures: Figure | Sequence[Figure],
        surface: Surface,
        *,
        bodies: Iterable[str] | None = None,
        groups: Iterable[Iterable[str]] = (),
        without: Iterable[tuple[str, str]] = (),
        neighbours: int = 1,
        **options,
    ) -> tuple[BodyContact, ...]:
        """Contacts of all bodies of figures that have colliding shapes with one another.

        bodies       only these ("body", or "figure/body")
        groups       bodies of one group do not touch one another
        without      pairs that do not touch
        neighbours   bodies of a figure that are this many joints apart, or fewer, do not touch

        Each is called "figure/body against figure/body".
        """
        all_figures = [figures] if isinstance(figures, Figure) else list(figures)
        known = {f"{figure.name}/{body.name}": (figure, body) for figure in all_figures for body in figure.bodies}
        faults: list[Fault] = []

        def full(name: str) -> str:
            found = [k for k in known if k == name or known[k][1].name == name]
            if len(found) == 1:
                return found[0]
            names = list(known) if len(all_figures) > 1 else [body.name for _, body in known.values()]
            say = f"several figures have a body {name!r}: {', '.join(found)}" if found else f"there is no body {name!r}"
            faults.append(Fault(say if found else say + nearest(name, names), cls.type_name()))
            return ""

        touching = [name for name, (_, body) in known.items() if any(part.colliding for part in body.parts)]
        if bodies is not None:
            chosen = {full(name) for name in bodies}
            touching = [name for name in touching if name in chosen]
        excluded = {frozenset(map(full, pair)) for pair in without}
        for group in groups:
            excluded |= {frozenset(pair) for pair in itertools.combinations([full(name) for name in group], 2)}
        if faults:
            raise WorldError(faults)
        found = []
        for one, two in itertools.combinations(touching, 2):
            near = known[one][0] is known[two][0] and _joints_between(known[one][0], known[one][1], known[two][1])
            if frozenset((one, two)) not in excluded and not (near and near <= neighbours):
                found.append(cls(body=one, other=two, surface=surface, name=f"{one} against {two}", **options))
        return tuple(found)

    def faults(self) -> Iterator[Fault]:
        """Also: the surface must be sound, and a body cannot touch itself."""
        yield from super().faults()
        yield from self.surface.faults(self.where)
        if not 0 <= self.rounding < 0.5:
            yield Fault(f"rounding must lie between 0 and 0.5, it is {self.rounding}", self.where)
        if not self.margin >= 0:
            yield Fault(f"margin must not be negative, it is {self.margin:g}", self.where)
        if self.most < 4:
            yield Fault(f"a hull keeps at least 4 corners, not {self.most}", self.where)
        if self.body == self.other:
            yield Fault(f"a body does not touch itself ({self.body!r})", self.where)

    ends = (("body", ""), ("other", ""))

    def carried(self, welded, parent, there):
        """Refuses: shapes of a welded body belong to its parent."""
        if not any(map(welded, self.bodies())):
            return self
        raise self.fail(f"a body that touches others cannot be welded to {parent!r}: remove the contact first")

    def solids(self, layout) -> tuple[list[Solid], list[Solid]]:
        """The shapes of both bodies as contact sees them, in layout axes of their links."""
        own = self._solids(layout, self.body, self.shape, self.parts)
        if self.margin:
            own = [s.thicker(self.margin) for s in own]
        return own, self._solids(layout, self.other, self.other_shape, self.other_parts)

    def _solids(self, layout, name: str, shape: Shape | None, numbers: tuple[int, ...]) -> list[Solid]:
        if shape is not None:
            return self._made_solids(layout, name, shape, ())
        known = _solids_of.setdefault(layout, {})
        key = name, self.rounding, self.most, numbers
        if key not in known:
            known[key] = self._made_solids(layout, name, None, numbers)
        return known[key]

    def _made_solids(self, layout, name: str, shape: Shape | None, numbers: tuple[int, ...]) -> list[Solid]:
        entry = layout.body(name)
        every = entry.body.parts
        if any(not 0 <= k < len(every) for k in numbers):
            raise self.fail(f"body {name!r} has {len(every)} parts, numbered from 0; there is no part {max(numbers)}")
        parts = [every[k] for k in numbers] if numbers else [part for part in every if part.colliding]
        found = [(part.shape, part.placement) for part in parts] if shape is None else [(shape, IDENTITY)]
        if not found:
            raise self.fail(f"body {name!r} has no colliding shape; give one")
        if shape is None and any(isinstance(part.shape, Mesh) and not part.convex for part in parts):
            raise self.fail(
                f"body {name!r} has a mesh that is not to be taken for its hull (convex=False); give a shape"
            )
        try:
            return [Solid.of(form, placement, self.rounding, entry.turn.T, self.most) for form, placement in found]
        except ValueError as error:
            raise self.fail(f"body {name!r}: {error}") from error

    def notes(self, layout) -> list[str]:
        """What thinning hulls and meshes left out."""
        return [solid.note for solids in self.solids(layout) for solid in solids if solid.note]

    def table(self, layout) -> list[float]:
        """The numbers of all shapes, those of `body` first."""
        return [x for solids in self.solids(layout) for solid in solids for x in solid.numbers()]

    def rows(self, layout) -> list[Row]:
        """A kernel element for every point at which two shapes may touch."""
        solids = self.solids(layout)
        links = [layout.body(name).link for name in (self.body, self.other)]
        sizes = [len(solid.numbers()) for solid in itertools.chain(*solids)]
        starts = [0, *itertools.accumulate(sizes)]
        firsts = starts[: len(solids[0])], starts[len(solids[0]) : -1]
        whole = [max(float(np.linalg.norm(s.centre)) + s.bound for s in own) for own in solids]
        law, rows = FRICTIONS.index(self.surface.law), list[Row]()
        for (one, at), (two, other_at) in itertools.product(zip(solids[0], firsts[0]), zip(solids[1], firsts[1])):
            points = min(one.most_contacts, two.most_contacts)
            mass = min(mass_of(layout, name, points) for name in (self.body, self.other))
            for k in range(points):
                indices = [*links, law, 0 if k else points, 0, k, at, other_at]
                reach = [one.bound + two.bound, *whole, one.bound - one.radius, two.bound - two.radius]
                numbers = [*one.centre, *two.centre, *reach, min(one.thickness, two.thickness), mass]
                numbers += [*self.surface.numbers(), 0.0]
                rows.append((indices, [float(x) for x in numbers]))
        rows[0][0][GROUP] = len(rows)
        return rows


def _joints_between(figure: Figure, one: Body, two: Body) -> int:
    """How many joints are between two bodies of a figure."""
    parents = {body.name: body.parent for body in figure.bodies}

    def upwards(name: str | None) -> list[str]:
        found = []
        while name is not None:
            found.append(name)
            name = parents[name]
        return found

    own, others = upwards(one.name), upwards(two.name)
    common = next(name for name in own if name in others)
    return own.index(common) + others.index(common)


# ---------------------------------------------------------------- where they touch
@function
def passed_over(model, motion, i, p):
    """How many points may be passed over from here on, because shapes or whole bodies are apart in every world.

    And stay apart for the rest of the step.
    """
    indices, located = model.indices, motion.located
    skipped = 0
    if indices[i + GROUP] > 0:
        one, two = indices[i + BODY] * LOCATED, indices[i + OTHER] * LOCATED
        line = load_vec3(located, one + PLACE) - load_vec3(located, two + PLACE)
        speed = load_vec3(located, one + SPEED) - load_vec3(located, two + SPEED)
        reach = load(model.params, p + WHOLE) + load(model.params, p + OTHER_WHOLE)
        if not any_positive(nearness(motion, line, speed, reach)):
            skipped = indices[i + GROUP]
    if skipped == 0 and indices[i + PAIR] > 0:
        line, speed = between_centres(model, motion, i, p)
        if not any_positive(nearness(motion, line, speed, load(model.params, p + REACH))):
            skipped = indices[i + PAIR]
    return skipped


@function
def between_centres(model, motion, i, p):
    """From the centre of the second shape to that of the first, and how fast that changes."""
    _, one, speed = point_of(motion, model.indices[i + BODY], load_vec3(model.params, p + CENTRE))
    _, two, other = point_of(motion, model.indices[i + OTHER], load_vec3(model.params, p + OTHER_CENTRE))
    return one - two, speed - other


@function
def nearness(motion, line, speed, reach):
    """Positive where spheres, their centres a line apart that changes at a speed, may meet in the rest of the step."""
    reach = reach + load(motion.spare, REST) * size_of(speed)
    return reach * reach - dot(line, line)


@function
def note_pair(model, motion, i, p, seen):
    """What the stepper should know of two shapes that may meet, from the last look at them."""
    normal, params = load_vec3(seen, NORMAL), model.params
    _, speed = between_centres(model, motion, i, p)
    turning = tilting(normal, spin_of(motion, model.indices[i + BODY])) * load(params, p + CORE)
    turning = turning + tilting(normal, spin_of(motion, model.indices[i + OTHER])) * load(params, p + OTHER_CORE)
    thick, mass, stiffness = load(params, p + THICK), load(params, p + MASS), first_stiffness(params, p + LAW)
    note_approach(motion, load(seen, GAP), turning - dot(speed, normal), thick, mass, stiffness)


@function
def frame_of_lane(motion, i, lane):
    """The frame of a body in one world."""
    W, b = motion.work, i * SLOTS + FRAME
    x = Vec3(
        np.float64(load_lane(W, b, lane)), np.float64(load_lane(W, b + 1, lane)), np.float64(load_lane(W, b + 2, lane))
    )
    y = Vec3(
        np.float64(load_lane(W, b + 3, lane)),
        np.float64(load_lane(W, b + 4, lane)),
        np.float64(load_lane(W, b + 5, lane)),
    )
    z = Vec3(
        np.float64(load_lane(W, b + 6, lane)),
        np.float64(load_lane(W, b + 7, lane)),
        np.float64(load_lane(W, b + 8, lane)),
    )
    return Mat3(x, y, z)


@function
def place_of_lane(motion, i, lane):
    """The place of a body in one world."""
    W, b = motion.located, i * LOCATED + PLACE
    return Vec3(
        np.float64(load_lane(W, b, lane)), np.float64(load_lane(W, b + 1, lane)), np.float64(load_lane(W, b + 2, lane))
    )


@outlined
def look_at_pair(model, motion, i, p, seen):
    """Where two shapes touch, world by world, into `seen`."""
    search = _search(model.params)
    indices, table = model.indices, model.tables
    body, other, points = indices[i + BODY], indices[i + OTHER], indices[i + PAIR]
    away, speed = between_centres(model, motion, i, p)
    store(seen, NEAR, nearness(motion, away, speed, load(model.params, p + REACH)))
    for lane in range(lanes_of(motion.work)):
        origin = place_of_lane(motion, body, lane)
        one = pose_of(table, indices[i + SOLID], frame_of_lane(motion, body, lane), Vec3(0.0, 0.0, 0.0))
        apart = place_of_lane(motion, other, lane) - origin
        two = pose_of(table, indices[i + OTHER_SOLID], frame_of_lane(motion, other, lane), apart)
        found, normal, gap = 0, Vec3(0.0, 0.0, 1.0), ENDLESS
        if load_lane(seen, NEAR, lane) > 0.0:
            looked = touch(table, one, two, np.float64(load_lane(model.params, p + REACH, lane)), search)
            found, normal, gap = int(search[0]), looked.normal, looked.distance
        store_lane(seen, GAP, lane, gap)
        store_lane(seen, NORMAL, lane, normal.x)
        store_lane(seen, NORMAL + 1, lane, normal.y)
        store_lane(seen, NORMAL + 2, lane, normal.z)
        for k in range(points):
            at, out = FOUND + k * POINT, SEEN + k * POINT
            there = k < found
            store_lane(seen, out, lane, search[at] if there else FAR)
            store_lane(seen, out + 1, lane, search[at + 1] if there else 1.0)
            store_lane(seen, out + 2, lane, origin.x + (search[at + 2] if there else one.centre.x))
            store_lane(seen, out + 3, lane, origin.y + (search[at + 3] if there else one.centre.y))
            store_lane(seen, out + 4, lane, origin.z + (search[at + 4] if there else one.centre.z))


@function
def meeting(model, motion, i, p, seen):
    """Depth, normal (world, out of the other body), place of a contact, and how much of it counts.

    The first point of a pair looks at it and leaves what it saw in `seen` for the others, which come after it.
    """
    if model.indices[i + PAIR] > 0:
        look_at_pair(model, motion, i, p, seen)
    out = SEEN + model.indices[i + SLOT] * POINT
    return load(seen, out), load_vec3(seen, NORMAL), load_vec3(seen, out + 2), load(seen, out + 1)


@function
def arm_and_speed(motion, i, place):
    """From a body's origin to a place in the world, and how fast the body moves there."""
    r = place - load_vec3(motion.located, i * LOCATED + PLACE)
    return r, speed_at(motion, i, r)


def arrange(rows: Sequence[Row]) -> tuple[list[int], list[float]]:
    """What the search for pairs that may touch needs, of all rows of a run."""
    groups = [(indices, numbers) for indices, numbers in rows if indices[GROUP]]
    ends = [(indices[BODY], indices[OTHER]) for indices, _ in groups]
    radii = [(numbers[WHOLE], numbers[OTHER_WHOLE]) for _, numbers in groups]
    return search_tables(ends, radii, [indices[GROUP] for indices, _ in groups])


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds equal and opposite contact forces where shapes overlap [N]."""
    search = index + INDICES * count
    if model.indices[search] == 0:
        apply_rows(model, motion, h, index, param, line, 0, count)
        return
    marks = _marks(model.params)
    for word in range(mark_near(model, motion, search, marks)):
        left, group = marks[word], word * WORD
        while left > 0:
            if left & 1:
                first, last = rows_of_group(model, search, group)
                apply_rows(model, motion, h, index, param, line, first, last)
            left, group = left >> 1, group + 1


@outlined
def apply_rows(model, motion, h, index, param, line, first, last):
    """As `apply`, of the rows from `first` to `last`."""
    seen = _seen(motion.work)
    watching = any_positive(load(motion.spare, REST))
    k = first
    while k < last:
        i, p = index + INDICES * k, param + PARAMETERS * k
        skipped = passed_over(model, motion, i, p)
        k += max(skipped, 1)
        if skipped > 0:
            continue
        depth, normal, place, counts = meeting(model, motion, i, p, seen)
        if watching and model.indices[i + PAIR] > 0:
            note_pair(model, motion, i, p, seen)
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
    seen = _seen(motion.work)
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        depth, _, _, counts = meeting(model, motion, index + INDICES * k, p, seen)
        total = total + stored_in(model.params, p + LAW, depth) * counts
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Depth [m], where they touch [m, world] and the force on the element's `body` [N, world]."""
    seen = _seen(motion.work)
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        depth, normal, place, counts = meeting(model, motion, i, p, seen)
        _, v = arm_and_speed(motion, model.indices[i + BODY], place)
        _, w = arm_and_speed(motion, model.indices[i + OTHER], place)
        law = model.indices[i + FRICTION_LAW]
        force = contact_force(model.params, p + LAW, law, normal, depth, v - w)[0] * counts
        store(out, first + 7 * k, depth)
        store_vec3(out, first + 7 * k + 1, place)
        store_vec3(out, first + 7 * k + 4, force)
