"""Where a cable runs: over joints, through points of bodies and around solids; its length, its rate, and what it pulls.

A route is a list of numbers in the tables that worlds share: how many bodies, joints and legs it has and its length at
zero positions of the joints; the bodies; the joints, each with its places and a polynomial of its position; the legs,
each from one point to the next, straight or around a solid. A solid's points of touch count as points of its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.dynamics.couplings import add_end
from gambol.dynamics.workspace import FORCE, FRAME, LOCATED, PLACE, SLOTS
from gambol.errors import Fault
from gambol.figure.placement import Placement
from gambol.forces.element import Element, layout_point
from gambol.forces.push import bias_of, point_of, push_speed, speed_at
from gambol.forces.wrapping import INSIDE, NO_SIDE, OUTSIDE, way_around
from gambol.jit import function, outlined
from gambol.math.memory import add_spatial, load_spatial, load_vec3
from gambol.math.room import stack_room
from gambol.math.scalar import any_positive, constant, lanes_of, load, load_lane, reciprocal, sqrt, store, store_lane
from gambol.math.spatial import Spatial
from gambol.math.vector import Mat3, Vec3, cross, dot

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout

MOST_BODIES, POWERS = 12, 4
BODIES, JOINTS, LEGS, OFFSET, HEAD = range(5)
AT_POSITION, AT_SPEED, FACTORS = 0, 1, 2  # of a joint: places, then coefficients from the first power on
JOINT = FACTORS + POWERS
STRAIGHT, BALL, ROD = 0, 1, 2
# of a leg: what it goes around, one over the divisor, bodies (and their number in the route) of its ends and its solid
AROUND, SHARE, FROM, FROM_BODY, TO, TO_BODY, SOLID, SOLID_BODY = range(8)
FROM_POINT, TO_POINT, CENTRE, AXES, RADIUS, SIDED, SIDE, SIDE_POINT, LEG = 8, 11, 14, 17, 26, 27, 28, 29, 32
# of what was seen of a leg: places where it leaves and arrives at the solid, its length there, whether it touches
LEAVES, ARRIVES, CURVED, TOUCHES, SEEN = 0, 3, 6, 7, 8
WRENCH = 6
_seen = stack_room(SEEN)


@dataclass(frozen=True)
class Via:
    """A point [m, body frame] that a cable passes through; body "" is the world."""

    body: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Around:
    """A solid of a body that a cable goes around where it is in the way: a sphere, or a long cylinder along z.

    place     of the solid in the frame of the body ("" is the world)
    radius    [m]
    cylinder  or a sphere
    side      a point by whose side the cable goes round; one inside the solid keeps the cable inside
    """

    body: str
    place: Placement = field(default_factory=Placement)
    radius: float = 0.0
    cylinder: bool = False
    side: Via | None = None


@dataclass(frozen=True)
class Branch:
    """A new piece of the cable begins, whose length and tension count 1/divisor: that of a pulley."""

    divisor: float = 1.0


Stop = Via | Around | Branch
Polynomial = float | Sequence[float]


@dataclass(frozen=True, kw_only=True)
class RoutedElement(Element):
    """An element along a route: length = offset + Σ over joints + the way from stop to stop [m].

    path     where it runs: Via, Around, Branch; a solid stands between two points
    arms     joint → moment arm [m], or up to four coefficients of a polynomial of its coordinate, first power first
    offset   [m] length at zero positions of the joints, without the path
    """

    path: Sequence[Stop] = ()
    arms: Mapping[str, Polynomial] | None = None
    offset: float = 0.0

    def bodies(self) -> tuple[str, ...]:
        """Every body of its path."""
        sides = [stop.side.body for stop in self.path if isinstance(stop, Around) and stop.side]
        return tuple(dict.fromkeys([*(s.body for s in self.path if not isinstance(s, Branch)), *sides]))

    def joints(self) -> tuple[str, ...]:
        """The joints that it runs over."""
        return tuple(self.arms or ())

    def carried(self, welded: Callable[[str], bool], parent: str, there: Placement) -> Element:
        """What was on welded bodies is on the parent."""

        def moved(stop: Stop) -> Stop:
            if isinstance(stop, Around):
                side = moved(stop.side) if stop.side else None
                place = there.compose(stop.place) if stop.body and welded(stop.body) else stop.place
                own = parent if stop.body and welded(stop.body) else stop.body
                return replace(stop, body=own, place=place, side=side)  # type: ignore[arg-type]
            if isinstance(stop, Via) and stop.body and welded(stop.body):
                return Via(parent, there.apply(stop.point))
            return stop

        return replace(self, path=tuple(moved(stop) for stop in self.path))

    def faults(self) -> Iterator[Fault]:
        """Also: a solid stands between two points, and no joint has more powers than there is room for."""
        yield from super().faults()
        for k, stop in enumerate(self.path):
            beside = (*self.path[max(k - 1, 0) : k], *self.path[k + 1 : k + 2])
            if isinstance(stop, Around) and [type(s) for s in beside] != [Via, Via]:
                yield Fault("what a cable goes around stands between two points of its path", self.where)
            if isinstance(stop, Around) and not stop.radius > 0:
                yield Fault(f"what it goes around needs a radius above zero, not {stop.radius:g}", self.where)
            if isinstance(stop, Branch) and not stop.divisor > 0:
                yield Fault(f"a divisor is above zero, not {stop.divisor:g}", self.where)
        for joint, factors in (self.arms or {}).items():
            if len(_powers(factors)) > POWERS:
                yield Fault(f"joint {joint!r} has {len(_powers(factors))} powers, at most {POWERS}", self.where)
        if len({body for body in self.bodies() if body}) > MOST_BODIES:
            yield Fault(f"its path touches more than {MOST_BODIES} bodies", self.where)

    def table(self, layout: Layout) -> list[float]:
        """The route as numbers."""
        joints: list[float] = []
        for joint, factors in (self.arms or {}).items():
            entry = layout.body(joint)
            if not entry.speeds or len(entry.positions) != len(entry.speeds):
                raise self.fail(f"joint {joint!r} is a {entry.body.joint.type} joint: there is no coordinate of it")
            powers = _powers(factors)
            joints += [entry.positions[0], entry.speeds[0], *powers, *[0.0] * (POWERS - len(powers))]
        links: list[int] = []
        legs = list(self._legs(layout, links))
        head = [len(links), len(self.arms or ()), len(legs), self.offset]
        return [float(x) for x in [*head, *links, *joints, *(number for leg in legs for number in leg)]]

    def _legs(self, layout: Layout, links: list[int]) -> Iterator[list[float]]:
        """Numbers of each leg; enters the links of the bodies that move."""

        def at(body: str, point: Sequence[float]) -> tuple[list[float], list[float]]:
            link, place = layout_point(layout, body, point)
            if link and link not in links:
                links.append(link)
            return [link, links.index(link) if link else -1], place

        before: Via | None = None
        solid: Around | None = None
        share = 1.0
        for stop in self.path:
            if isinstance(stop, Branch):
                before, share = None, 1.0 / stop.divisor
            elif isinstance(stop, Around):
                solid = stop
            else:
                if before is not None:
                    (one, start), (two, end) = at(before.body, before.point), at(stop.body, stop.point)
                    yield [*_kind(solid), share, *one, *two, *self._solid(solid, at, start, end)]
                before, solid = stop, None

    def _solid(self, solid: Around | None, at: Callable, start: list[float], end: list[float]) -> list[float]:
        if solid is None:
            return [0.0, -1.0, *start, *end, *[0.0] * (LEG - CENTRE)]
        own, centre = at(solid.body, solid.place.position)
        columns = [at(solid.body, column)[1] for column in np.asarray(solid.place.matrix).T.tolist()]
        side, (link, point) = solid.side, (0, [0.0, 0.0, 0.0])
        if side is not None:
            (link, _), point = at(side.body, side.point)
        axes = [x for column in columns for x in column]
        return [*own, *start, *end, *centre, *axes, solid.radius, float(side is not None), link, *point]


def _powers(factors: Polynomial) -> list[float]:
    return [float(x) for x in factors] if isinstance(factors, Sequence) else [float(factors)]


def _kind(solid: Around | None) -> list[float]:
    return [STRAIGHT if solid is None else ROD if solid.cylinder else BALL]


# ---------------------------------------------------------------- one world at a time: around a solid
@function
def vector_of_lane(W, k, lane):
    return Vec3(
        np.float64(load_lane(W, k, lane)), np.float64(load_lane(W, k + 1, lane)), np.float64(load_lane(W, k + 2, lane))
    )


@function
def frame_of_lane(motion, i, lane):
    b = i * SLOTS + FRAME
    return Mat3(
        vector_of_lane(motion.work, b, lane),
        vector_of_lane(motion.work, b + 3, lane),
        vector_of_lane(motion.work, b + 6, lane),
    )


@function
def vector_at(table, k):
    return Vec3(np.float64(table[k]), np.float64(table[k + 1]), np.float64(table[k + 2]))


@function
def place_of_lane(motion, i, lane, point):
    """A body's point in one world."""
    return vector_of_lane(motion.located, i * LOCATED + PLACE, lane) + frame_of_lane(motion, i, lane) @ point


@function
def into(frame, v):
    """A vector in the axes of a frame."""
    return Vec3(dot(frame.x, v), dot(frame.y, v), dot(frame.z, v))


@outlined
def see_solid(model, motion, at, seen):
    """Where a leg leaves and arrives at its solid, world by world, into `seen`; else its far ends."""
    table = model.tables
    body = int(table[at + SOLID])
    radius = np.float64(table[at + RADIUS])
    own = Mat3(vector_at(table, at + AXES), vector_at(table, at + AXES + 3), vector_at(table, at + AXES + 6))
    for lane in range(lanes_of(motion.work)):
        turn = frame_of_lane(motion, body, lane)
        centre = place_of_lane(motion, body, lane, vector_at(table, at + CENTRE))
        frame = Mat3(turn @ own.x, turn @ own.y, turn @ own.z)
        start = place_of_lane(motion, int(table[at + FROM]), lane, vector_at(table, at + FROM_POINT))
        end = place_of_lane(motion, int(table[at + TO]), lane, vector_at(table, at + TO_POINT))
        side, s = NO_SIDE, Vec3(0.0, 0.0, 0.0)
        if table[at + SIDED] > 0:
            there = place_of_lane(motion, int(table[at + SIDE]), lane, vector_at(table, at + SIDE_POINT))
            s = into(frame, there - centre)
            side = INSIDE if dot(s, s) < radius * radius else OUTSIDE
        way = way_around(into(frame, start - centre), into(frame, end - centre), radius, table[at] == ROD, side, s)
        first, last, length, touches = end, start, 0.0, 0.0
        if way.length >= 0.0:
            first, last, length, touches = centre + frame @ way.first, centre + frame @ way.last, way.length, 1.0
        store_lane(seen, LEAVES, lane, first.x)
        store_lane(seen, LEAVES + 1, lane, first.y)
        store_lane(seen, LEAVES + 2, lane, first.z)
        store_lane(seen, ARRIVES, lane, last.x)
        store_lane(seen, ARRIVES + 1, lane, last.y)
        store_lane(seen, ARRIVES + 2, lane, last.z)
        store_lane(seen, CURVED, lane, length)
        store_lane(seen, TOUCHES, lane, touches)


# ---------------------------------------------------------------- routes
@function
def pull_on(model, motion, h, pulls, link, number, r, speed, u):
    """Enters a pull u at r of a body; gives the rate at which it shortens, and how it would be without joints."""
    if number >= 0:
        add_spatial(pulls, WRENCH * number, Spatial(cross(r, u), u))
    bias = constant(u.x, 0.0)
    if any_positive(h) and number >= 0:
        bias = dot(u, bias_of(model, motion, link, r))
    return dot(u, speed), bias


@function
def direction(line, size):
    return line * reciprocal(size)


@function
def size_of_line(line):
    return sqrt(dot(line, line) + constant(line.x, 1e-18))


@outlined
def run_leg(model, motion, h, at, pulls):
    """Length of a leg, the rate at which its ends shorten it, and their bias; its pulls are added up body by body."""
    table = model.tables
    zero = constant(load(motion.work, 0), 0.0)
    share = constant(zero, table[at + SHARE])
    one, two = int(table[at + FROM]), int(table[at + TO])
    r, start, speed = point_of(motion, one, point_like(zero, table, at + FROM_POINT))
    s, end, other_speed = point_of(motion, two, point_like(zero, table, at + TO_POINT))
    if table[at] == STRAIGHT:
        line = end - start
        length = size_of_line(line)
        u = direction(line, length) * share
        closing, bias = pull_on(model, motion, h, pulls, one, int(table[at + FROM_BODY]), r, speed, u)
        further, more = pull_on(model, motion, h, pulls, two, int(table[at + TO_BODY]), s, other_speed, -u)
        return length * share, closing + further, bias + more
    seen = _seen(motion.work)
    see_solid(model, motion, at, seen)
    leaves, arrives, touches = load_vec3(seen, LEAVES), load_vec3(seen, ARRIVES), load(seen, TOUCHES)
    line, back = leaves - start, arrives - end
    first, last = size_of_line(line), size_of_line(back)
    u, w = direction(line, first) * share, direction(back, last) * share
    closing, bias = pull_on(model, motion, h, pulls, one, int(table[at + FROM_BODY]), r, speed, u)
    more = pull_on(model, motion, h, pulls, two, int(table[at + TO_BODY]), s, other_speed, w)
    closing, bias = closing + more[0], bias + more[1]
    solid, number = int(table[at + SOLID]), int(table[at + SOLID_BODY])
    origin = load_vec3(motion.located, solid * LOCATED + PLACE)
    leaving, arriving = leaves - origin, arrives - origin
    more = pull_on(model, motion, h, pulls, solid, number, leaving, speed_at(motion, solid, leaving), u * -touches)
    closing, bias = closing + more[0], bias + more[1]
    more = pull_on(model, motion, h, pulls, solid, number, arriving, speed_at(motion, solid, arriving), w * -touches)
    closing, bias = closing + more[0], bias + more[1]
    # where it does not touch, both lines are the whole way
    straight = (first + last) * (constant(zero, 0.5) + constant(zero, 0.5) * touches)
    return (straight + load(seen, CURVED)) * share, closing, bias


@function
def point_like(like, table, k):
    return Vec3(constant(like, table[k]), constant(like, table[k + 1]), constant(like, table[k + 2]))


@outlined
def run_route(model, motion, h, at, pulls):
    """Length of a route, its rate, and the bias of its rate; pulls of unit tension on each body into `pulls`."""
    table = model.tables
    zero = constant(load(motion.work, 0), 0.0)
    bodies, joints, legs = int(table[at + BODIES]), int(table[at + JOINTS]), int(table[at + LEGS])
    for k in range(WRENCH * bodies):
        store(pulls, k, zero)
    length, rate, bias = constant(zero, table[at + OFFSET]), zero, zero
    at += HEAD + bodies
    for _ in range(joints):
        value, slope = along_joint(motion, table, at)
        length = length + value
        rate = rate + slope * load(motion.v, int(table[at + AT_SPEED]))
        at += JOINT
    for _ in range(legs):
        own, closing, more = run_leg(model, motion, h, at, pulls)
        length, rate, bias = length + own, rate - closing, bias + more
        at += LEG
    return length, rate, bias


@function
def along_joint(motion, table, at):
    """What a joint adds to the length, and its moment arm."""
    q = load(motion.q, int(table[at + AT_POSITION]))
    value, slope = constant(q, 0.0), constant(q, 0.0)
    for k in range(POWERS - 1, -1, -1):
        value = (value + constant(q, table[at + FACTORS + k])) * q
        slope = slope * q + constant(q, (k + 1) * table[at + FACTORS + k])
    return value, slope


@outlined
def pull_route(model, motion, at, pulls, tension, root):
    """The tension acts on every body and joint of a route; root: of its impedance (forces.push.push_end)."""
    table = model.tables
    bodies, joints = int(table[at + BODIES]), int(table[at + JOINTS])
    for k in range(bodies):
        pull_body(model, motion, int(table[at + HEAD + k]), pulls, WRENCH * k, tension, root)
    at += HEAD + bodies
    for _ in range(joints):
        _, slope = along_joint(motion, table, at)
        push_speed(model, motion, int(table[at + AT_SPEED]), -slope, tension, root)
        at += JOINT


@function
def pull_body(model, motion, link, pulls, k, tension, root):
    wrench = load_spatial(pulls, k)
    add_spatial(motion.work, link * SLOTS + FORCE, wrench * -tension)
    if any_positive(root):
        add_end(model, motion, link, wrench * root)
