"""How far two bodies are apart, for boundaries that watch it: compiled apart, where a world has such a boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import typeof
from numba import types as nb

from gambol.forces.contact.body_contact import BodyContact, frame_of_lane, place_of_lane
from gambol.forces.contact.convex.manifold import MANIFOLD_ROOM, gap_between
from gambol.forces.contact.convex.support import pose_of
from gambol.forces.contact.surface import Surface
from gambol.jit import address_of, entry
from gambol.jit.address import Reference
from gambol.math.room import stack_room
from gambol.math.scalar import lanes_of, store_lane
from gambol.math.vector import Vec3
from gambol.world.boundary import WATCH_ADDRESS, WATCH_BODY, WATCH_GAP, WATCH_NUMBERS

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.world.boundary import Boundary

# Marks of such a boundary: the other body, where the list of shapes begins, how many there are of each body; its value.
# The list: where the numbers of a shape begin (from the list on), the radius of its bounding ball
OTHER, LIST, SHAPES, OTHER_SHAPES, VALUE = 0, 1, 2, 3, 6
_search = stack_room(MANIFOLD_ROOM, np.float64)


def gap_marks(boundary: Boundary, layout: Layout, first: int) -> tuple[list[float], list[float]]:
    """The marks of a boundary, and the shapes that it looks at; these will begin at `first`."""
    contact = BodyContact(body=boundary.body, other=boundary.other, surface=Surface(stiffness=1.0), name=boundary.name)
    one, two = contact.solids(layout)
    index, numbers = list[float](), list[float]()
    for solid in (*one, *two):
        index += [2.0 * (len(one) + len(two)) + len(numbers), solid.bound]
        numbers += solid.numbers()
    marks = [layout.body(boundary.other).link, first, len(one), len(two), 0, 0, boundary.value]
    return [float(x) for x in marks], index + numbers


def measure_gap(model, motion, g, i):
    """Distance of the shapes of two bodies that are nearest (negative: depth), less a value, into g[i]."""
    marks, m, room = model.marks, i * WATCH_NUMBERS, _search(model.marks)
    body, other, start = model.boundaries[i, WATCH_BODY], int(marks[m + OTHER]), int(marks[m + LIST])
    shapes, others = int(marks[m + SHAPES]), int(marks[m + OTHER_SHAPES])
    for lane in range(lanes_of(motion.work)):
        origin = place_of_lane(motion, body, lane)
        frame, other_frame = frame_of_lane(motion, body, lane), frame_of_lane(motion, other, lane)
        apart, least = place_of_lane(motion, other, lane) - origin, 1e300
        for j in range(shapes):
            one = pose_of(marks, start + int(marks[start + 2 * j]), frame, Vec3(0.0, 0.0, 0.0))
            for k in range(shapes, shapes + others):
                two = pose_of(marks, start + int(marks[start + 2 * k]), other_frame, apart)
                size = np.float64(marks[start + 2 * j + 1] + marks[start + 2 * k + 1])
                gap, _ = gap_between(marks, one, two, size, room)
                least = min(least, gap.distance)
        store_lane(g, i, lane, least - marks[m + VALUE])


_measure = entry(measure_gap)


def set_addresses(model, own, motion) -> None:
    """Tells boundaries that watch a gap where the code for it lies, for rows such as this one."""
    watching = model.boundaries[:, 0] == WATCH_GAP
    if watching.any():
        model.boundaries[watching, WATCH_ADDRESS] = address_of(
            _measure, (Reference(typeof(own)), Reference(typeof(motion)), typeof(motion.q), nb.int64)
        )
