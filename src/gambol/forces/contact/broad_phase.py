"""Which of many pairs of bodies may touch at all: boxes about the bodies, sorted along one axis and swept over.

The pairs found are gone through in the order of their description, so that sums come out as they would if every pair
were looked at: what is passed over decides nothing. Nothing is remembered from one look to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from gambol.dynamics.workspace import LOCATED, PLACE, REST, SPEED
from gambol.forces.watch import size_of
from gambol.jit import function, outlined
from gambol.math.memory import load_vec3
from gambol.math.room import stack_room
from gambol.math.scalar import absolute, constant, largest, load, smallest

LEAST, MOST = 8, 1024  # bodies for which a search is worth it; for which there is room
MOST_GROUPS = MOST * (MOST - 1) // 2
# Behind the rows of a run: how many bodies are searched (0: none), how many groups of rows there are, where the bodies'
# radii are in the tables; then links of the bodies, first row of each group and the end, the group of each pair of
# bodies (-1: none), and of each group the next of the same pair
BODIES, GROUPS, RADII, HEADER = range(4)
WORD = 62  # marks in a whole number
SLACK = 1e-5  # share by which boxes are larger: more than rounding in float32
LOW, HIGH, BOX = 0, 3, 6
GAPS = np.array([701, 301, 132, 57, 23, 10, 4, 1])
_searches: ContextVar[bool] = ContextVar("searches for pairs that may touch", default=True)
_boxes = stack_room(MOST * BOX, np.float64)
_order = stack_room(MOST, np.int64)


@contextmanager
def every_pair() -> Iterator[None]:
    """Simulations made in here look at every pair: for those who want to compare."""
    before = _searches.set(False)
    try:
        yield
    finally:
        _searches.reset(before)


def search_tables(
    ends: Sequence[tuple[int, int]], radii: Sequence[tuple[float, float]], counts: Sequence[int]
) -> tuple[list[int], list[float]]:
    """What the search reads: whole numbers behind the rows of a run, and the bodies' radii [m] about their origins.

    ends     links of the two bodies of each group of rows, in order; radii: of all that touches of them
    counts   how many rows each group has
    """
    reach: dict[int, float] = {}
    for links, sizes in zip(ends, radii):
        for link, size in zip(links, sizes):
            reach[link] = max(reach.get(link, 0.0), size)
    number = {link: k for k, link in enumerate(reach)}
    n = len(reach)
    if not _searches.get() or not LEAST <= n <= MOST or len(ends) > MOST_GROUPS:
        return [0] * HEADER, []
    pairs, following = np.full((n, n), -1), [-1] * len(ends)
    for group in range(len(ends) - 1, -1, -1):  # so that the first of several of one pair comes first
        one, two = sorted(number[link] for link in ends[group])
        following[group], pairs[one, two] = int(pairs[one, two]), group
    firsts = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    whole = [n, len(ends), 0, *reach, *firsts.tolist(), *pairs.ravel().tolist(), *following]
    return whole, list(reach.values())


@function
def find_box(model, motion, link, radius, boxes, k):
    """Where a body can be in the rest of the step, in any world of the pack: a box in world axes."""
    place = load_vec3(motion.located, link * LOCATED + PLACE)
    half = size_of(load_vec3(motion.located, link * LOCATED + SPEED)) * load(motion.spare, REST) + radius
    enter_side(boxes, k * BOX, place.x, half)
    enter_side(boxes, k * BOX + 1, place.y, half)
    enter_side(boxes, k * BOX + 2, place.z, half)


@function
def enter_side(boxes, at, x, half):
    """One side of a box; of what is no number there is none that anything overlaps."""
    half = half + (absolute(x) + half) * constant(half, SLACK)
    low, high = float(smallest(x - half)), float(largest(x + half))
    sound = low <= high
    boxes[at + LOW] = low if sound else np.inf
    boxes[at + HIGH] = high if sound else -np.inf


@function
def widest_axis(boxes, n):
    """The axis along which the boxes are spread most."""
    best, most = 0, -1.0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(n):
            low, high = min(low, boxes[k * BOX + axis]), max(high, boxes[k * BOX + HIGH + axis])
        if high - low > most:
            best, most = axis, high - low
    return best


@function
def sort_boxes(order, boxes, n, axis):
    """The order of boxes by their lower ends, by Shell's method: what is nearly sorted costs little."""
    for g in range(GAPS.shape[0]):
        gap = GAPS[g]
        for i in range(gap, n):
            k, j = order[i], i
            low = boxes[k * BOX + axis]
            while j >= gap and boxes[order[j - gap] * BOX + axis] > low:
                order[j] = order[j - gap]
                j -= gap
            order[j] = k


@function
def overlap(boxes, i, j):
    """Do two boxes overlap?"""
    a, b = i * BOX, j * BOX
    return (
        boxes[a] <= boxes[b + HIGH]
        and boxes[b] <= boxes[a + HIGH]
        and boxes[a + 1] <= boxes[b + HIGH + 1]
        and boxes[b + 1] <= boxes[a + HIGH + 1]
        and boxes[a + 2] <= boxes[b + HIGH + 2]
        and boxes[b + 2] <= boxes[a + HIGH + 2]
    )


@outlined
def mark_near(model, motion, at, marks):
    """Sets a bit of `marks` for every group of rows whose bodies may touch; how many words of it are used.

    at   where the tables of the search begin in the model's indices
    """
    indices = model.indices
    boxes, order = _boxes(model.params), _order(model.params)
    n, groups, radii = indices[at + BODIES], indices[at + GROUPS], indices[at + RADII]
    pairs = at + HEADER + n + groups + 1
    following, words = pairs + n * n, (groups + WORD - 1) // WORD
    for word in range(words):
        marks[word] = 0
    for k in range(n):
        order[k] = k
        find_box(model, motion, indices[at + HEADER + k], model.tables[radii + k], boxes, k)
    axis = widest_axis(boxes, n)
    sort_boxes(order, boxes, n, axis)
    for a in range(n):
        i = order[a]
        end = boxes[i * BOX + HIGH + axis]
        for b in range(a + 1, n):
            j = order[b]
            if boxes[j * BOX + axis] > end:
                break
            if overlap(boxes, i, j):
                group = indices[pairs + min(i, j) * n + max(i, j)]
                while group >= 0:
                    marks[group // WORD] |= 1 << (group % WORD)
                    group = indices[following + group]
    return words


@function
def rows_of_group(model, at, group):
    """First row of a group, and the one after its last."""
    first = at + HEADER + model.indices[at + BODIES] + group
    return model.indices[first], model.indices[first + 1]
