"""Couplings: impedance between bodies that both move, in the linearly implicit step.

The recursion takes up what acts between a body and the world, or at a joint: (M + hD + h²K) a = f stays a tree. What
acts between two branches, or two figures, does not fit in. Its impedance Z = hc + h²k resists the *relative* motion
J v alone, so it enters as rows b with bᵀ b = Jᵀ Z J beside the tree's matrix M̃, which the recursion has factored:

    a = a₀ − M̃⁻¹ bᵀ (1 + b M̃⁻¹ bᵀ)⁻¹ b a₀

Elements enter what they have while forces are applied: the impedance of a pair of bodies, at a point that both share
(`add_pair`: equal and opposite there, so neither momentum changes), or a row of their own over several bodies or joints
(`begin_row`, `add_end`). Pairs add up; each gives at most six rows, however many contacts it has. What is done with
them is in `dynamics.coupled_rows`.

Where more rows act than there is room for, those left over act without impedance: slower, never wrong; it is counted.
"""

from typing import NamedTuple

import numpy as np

from gambol.dynamics.articulated import FACTORS
from gambol.dynamics.workspace import LOCATED, PLACE, SPARE_NUMBERS
from gambol.jit import function, outlined
from gambol.math.memory import add_inertia, add_to, load_vec3, store_inertia, store_spatial
from gambol.math.scalar import constant, load, load_lane, store
from gambol.math.spatial import Inertia, inertia_from
from gambol.math.vector import Mat3, Sym3, zero3

# Counters at the head of the room: pairs, rows begun by elements, their ends, rows in all, rows left out
PAIRS, ROWS_BEGUN, ENDS, ROWS_IN_ALL, LEFT_OUT, COUNTERS = range(6)
# Of a pair: its two bodies, the impedance at the origin of the first; of an end: its row, what it is at, a wrench
FIRST_BODY, SECOND_BODY, IMPEDANCE, PAIR_CELLS = 0, 1, 2, 23
END_ROW, END_AT, END_WRENCH, END_CELLS = 0, 1, 2, 8
# Of a row: the first that shares a figure with it, its figures (their first bodies; MANY: more than two), the two
# bodies that it is between (MANY: it has ends of its own, and may act on any speed)
FIRST_SHARED, FIGURE, OTHER_FIGURE, ONE_BODY, OTHER_BODY, ROW_CELLS = range(6)
MANY = -1
MATRIX = 36  # numbers of a pair's impedance while it is taken apart
# To put rows in order: of a figure (its first body) its first link, whether it was met, a place in the queue, its
# first row; of a link (an end of a row, or of a pair) its figure and the figure's next link; of a row or pair its first
# end, and its place
HEAD, MET, QUEUE, BEGINS, FIGURE_CELLS = range(5)
LINK_FIGURE, NEXT_LINK, LINK_CELLS = range(3)
FIRST_END, PLACE_IN_ORDER, ITEM_CELLS = range(3)
# At the end of a model's indices, after the joints of all bodies: how many pairs, ends and rows there is room for
CAPACITIES = 3
MOST_ROWS, ROWS_A_FIGURE = 96, 12


class Capacity(NamedTuple):
    """How much a world's elements can enter at once."""

    pairs: int = 0
    ends: int = 0
    rows: int = 0

    @classmethod
    def of(cls, *, pairs: int, rows: int, ends: int, parent: np.ndarray) -> "Capacity":
        """For elements that act on so many pairs of bodies, and have so many rows with so many ends of their own."""
        bodies, figures = len(parent) - 1, int(np.sum(parent[1:] == 0))
        pairs = min(pairs, bodies * (bodies - 1) // 2)
        return cls(pairs, ends, min(6 * pairs + rows, max(MOST_ROWS, ROWS_A_FIGURE * figures)))

    def cells(self, speeds: int, bodies: int) -> int:
        """Numbers of room that they take; bodies: the world among them."""
        if not self.rows:
            return 0
        parts = self.pairs * PAIR_CELLS + self.ends * END_CELLS + self.rows * ROW_CELLS + MATRIX + speeds * FACTORS
        order = (
            bodies * FIGURE_CELLS + (2 * self.pairs + self.ends) * LINK_CELLS + (self.pairs + self.ends) * ITEM_CELLS
        )
        return COUNTERS + parts + self.rows * speeds + self.rows * (self.rows + 1) // 2 + 2 * self.rows + order

    def tail(self, joints: np.ndarray) -> np.ndarray:
        """What the kernels find at the end of a model's indices."""
        return np.concatenate([joints.ravel(), self]).astype(np.int64) if self.rows else np.zeros(0, np.int64)


class Room(NamedTuple):
    """Views of the room."""

    counters: np.ndarray
    pairs: np.ndarray
    ends: np.ndarray
    rows: np.ndarray
    matrix: np.ndarray
    column: np.ndarray
    gain: np.ndarray
    ease: np.ndarray
    push: np.ndarray
    reach: np.ndarray  # rows x speeds: what a row does at each speed
    lower: np.ndarray  # of 1 + b M̃⁻¹ bᵀ = L Lᵀ, row by row
    inverse: np.ndarray  # one over the diagonal of L
    seen: np.ndarray  # a number a row
    figures: np.ndarray
    links: np.ndarray
    items: np.ndarray


@function
def open_room(model, motion):
    """Views of the room for couplings, behind the spare numbers of a motion."""
    x, k, nv = model.indices, model.indices.shape[0] - CAPACITIES, motion.v.shape[0]
    pairs = SPARE_NUMBERS + COUNTERS
    ends = pairs + x[k] * PAIR_CELLS
    rows = ends + x[k + 1] * END_CELLS
    matrix = rows + x[k + 2] * ROW_CELLS
    column = matrix + MATRIX
    gain, ease, push, reach = column + 6 * nv, column + 12 * nv, column + 13 * nv, column + 14 * nv
    lower = reach + x[k + 2] * nv
    inverse = lower + x[k + 2] * (x[k + 2] + 1) // 2
    figures = inverse + 2 * x[k + 2]
    links = figures + model.parent.shape[0] * FIGURE_CELLS
    items = links + (2 * x[k] + x[k + 1]) * LINK_CELLS
    spare = motion.spare
    return Room(
        spare[SPARE_NUMBERS:pairs],
        spare[pairs:ends],
        spare[ends:rows],
        spare[rows:matrix],
        spare[matrix:column],
        spare[column:gain],
        spare[gain:ease],
        spare[ease:push],
        spare[push:reach],
        spare[reach:lower],
        spare[lower:inverse],
        spare[inverse : inverse + x[k + 2]],
        spare[inverse + x[k + 2] : figures],
        spare[figures:links],
        spare[links:items],
        spare[items : items + (x[k] + x[k + 1]) * ITEM_CELLS],
    )


@function
def count_at(array, k):
    """A whole number that is the same for all worlds of a pack."""
    return int(load_lane(array, k, 0))


@function
def set_count(array, k, number):
    """Stores a whole number in cell k, in every lane."""
    store(array, k, constant(load(array, k), number))


# ------------------------------------------------------------ what elements enter
@function
def has_room(motion):
    """Is there room for couplings? Queries without one ask for plain forces, which need none."""
    return motion.spare.shape[0] > SPARE_NUMBERS


@function
def clear_couplings(motion):
    """Nothing has been entered yet."""
    if has_room(motion):
        for k in range(ROWS_IN_ALL):  # those of the last solution are still to be wiped
            set_count(motion.spare, SPARE_NUMBERS + k, 0.0)


@function
def any_entered(motion):
    """Has any element entered a coupling?"""
    return count_at(motion.spare, SPARE_NUMBERS + PAIRS) + count_at(motion.spare, SPARE_NUMBERS + ROWS_BEGUN) > 0


@outlined
def find_pair(model, motion, i, j):
    """Where the impedance of bodies i > j is in the spare numbers; -1 where there is no room for another pair."""
    room = motion.spare
    count, most = count_at(room, SPARE_NUMBERS + PAIRS), model.indices[model.indices.shape[0] - CAPACITIES]
    first = SPARE_NUMBERS + COUNTERS
    for k in range(count):
        at = first + k * PAIR_CELLS
        if count_at(room, at) == i and count_at(room, at + SECOND_BODY) == j:
            return at + IMPEDANCE
    if count == most:
        add_to(room, SPARE_NUMBERS + LEFT_OUT, constant(load(room, 0), 1.0))
        return -1
    at = first + count * PAIR_CELLS
    set_count(room, SPARE_NUMBERS + PAIRS, count + 1.0)
    set_count(room, at, float(i))
    set_count(room, at + SECOND_BODY, float(j))
    zero = zero3(load(room, 0))
    none = Sym3(zero.x, zero.x, zero.x, zero.x, zero.x, zero.x)
    store_inertia(room, at + IMPEDANCE, Inertia(none, Mat3(zero, zero, zero), none))
    return at + IMPEDANCE


@function
def add_pair(model, motion, body, other, place, impedance):
    """Impedance (Sym3, kg) against the relative motion of two bodies at a place [m, world] that both share."""
    i, j = max(body, other), min(body, other)
    at = find_pair(model, motion, i, j)
    if at >= 0:
        zero = zero3(place.x)
        nothing = Sym3(zero.x, zero.x, zero.x, zero.x, zero.x, zero.x)
        arm = place - load_vec3(motion.located, i * LOCATED + PLACE)
        add_inertia(motion.spare, at, inertia_from(Inertia(nothing, Mat3(zero, zero, zero), impedance), arm))


@function
def begin_row(motion):
    """A row of an element's own; `add_end` says what it is at."""
    set_count(motion.spare, SPARE_NUMBERS + ROWS_BEGUN, count_at(motion.spare, SPARE_NUMBERS + ROWS_BEGUN) + 1.0)


@outlined
def add_end(model, motion, at, wrench):
    """The row just begun acts on body `at` by a wrench (its origin, world axes), times the root of the impedance.

    Or, with at = -1 - s, on the speed s by the force wrench.ang.x.
    """
    room, k = motion.spare, model.indices.shape[0] - CAPACITIES
    count = count_at(room, SPARE_NUMBERS + ENDS)
    end = SPARE_NUMBERS + COUNTERS + model.indices[k] * PAIR_CELLS + count * END_CELLS
    set_count(room, end, count_at(room, SPARE_NUMBERS + ROWS_BEGUN) - 1.0)
    set_count(room, end + END_AT, float(at))
    store_spatial(room, end + END_WRENCH, wrench)
    set_count(room, SPARE_NUMBERS + ENDS, count + 1.0)
