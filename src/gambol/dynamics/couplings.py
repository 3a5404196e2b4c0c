"""Couplings: impedance between bodies that both move, in the linearly implicit step.

The recursion takes up what acts between a body and the world, or at a joint: (M + hD + h²K) a = f stays a tree. What
acts between two branches, or two figures, does not fit in. Its impedance Z = hc + h²k resists the *relative* motion
J v alone, so it enters as rows b with bᵀ b = Jᵀ Z J beside the tree's matrix M̃, which the recursion has factored:

    a = a₀ − M̃⁻¹ bᵀ (1 + b M̃⁻¹ bᵀ)⁻¹ b a₀

Elements enter what they have while forces are applied: the impedance of a pair of bodies, at a point that both share
(`add_pair`: equal and opposite there, so neither momentum changes), or a row of their own over several bodies or joints
(`begin_row`, `add_end`). Pairs add up; each gives at most six rows, however many contacts it has. Rows that share no
figure do not meet in the small matrix, which is kept below its profile; a row is summed over the joints below its two
bodies alone.

Where more rows act than there is room for, those left over act without impedance: slower, never wrong; it is counted.
"""

from typing import NamedTuple

import numpy as np

from gambol.dynamics.articulated import FACTORS, FIRST_SPEED, JOINT, Factors, factor, pass_joint, spread, sweep
from gambol.dynamics.joints import SPEEDS_OF
from gambol.dynamics.workspace import LOCATED, PLACE, ROOM
from gambol.jit import entry, function, outlined
from gambol.math.memory import add_inertia, add_to, load_spatial, load_vec3, store_inertia, store_spatial
from gambol.math.scalar import any_positive, constant, load, load_lane, reciprocal, sqrt, store, where_positive
from gambol.math.spatial import Inertia, Spatial, force_from, inertia_from
from gambol.math.vector import Mat3, Sym3, Vec3, zero3

# Counters at the head of the room: pairs, rows begun by elements, their ends, rows in all, rows left out
PAIRS, BEGUN, ENDS, ROWS, LEFT_OUT, COUNTERS = range(6)
# Of a pair: its two bodies, the impedance at the origin of the first; of an end: its row, what it is at, a wrench
FIRST_BODY, SECOND_BODY, IMPEDANCE, PAIR = 0, 1, 2, 23
END_ROW, END_AT, WRENCH, END = 0, 1, 2, 8
# Of a row: the first that shares a figure with it, its figures (their first bodies; MANY: more than two), the two
# bodies that it is between (MANY: it has ends of its own, and may act on any speed)
FIRST_SHARED, FIGURE, OTHER_FIGURE, ONE_BODY, OTHER_BODY, ROW = range(6)
MANY = -1
MATRIX = 36  # numbers of a pair's impedance while it is taken apart
# At the end of a model's indices, after the joints of all bodies: how many pairs, ends and rows there is room for
CAPACITIES = 3
NEGLIGIBLE = 1e-6  # share of an impedance below which the rest of it is rounding
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

    def cells(self, speeds: int) -> int:
        """Numbers of room that they take."""
        if not self.rows:
            return 0
        parts = self.pairs * PAIR + self.ends * END + self.rows * ROW + MATRIX + speeds * FACTORS
        return COUNTERS + parts + self.rows * speeds + self.rows * (self.rows + 1) // 2 + 2 * self.rows

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


@function
def open_room(model, motion):
    """Views of the room for couplings, behind the spare numbers of a motion."""
    x, k, nv = model.indices, model.indices.shape[0] - CAPACITIES, motion.v.shape[0]
    pairs = ROOM + COUNTERS
    ends = pairs + x[k] * PAIR
    rows = ends + x[k + 1] * END
    matrix = rows + x[k + 2] * ROW
    column = matrix + MATRIX
    gain, ease, push, reach = column + 6 * nv, column + 12 * nv, column + 13 * nv, column + 14 * nv
    lower = reach + x[k + 2] * nv
    inverse = lower + x[k + 2] * (x[k + 2] + 1) // 2
    spare = motion.spare
    return Room(
        spare[ROOM:pairs],
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
        spare[inverse + x[k + 2] : inverse + 2 * x[k + 2]],
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
    return motion.spare.shape[0] > ROOM


@function
def clear_couplings(motion):
    """Nothing has been entered yet."""
    if has_room(motion):
        for k in range(LEFT_OUT):
            set_count(motion.spare, ROOM + k, 0.0)


@function
def any_entered(motion):
    """Has any element entered a coupling?"""
    return count_at(motion.spare, ROOM + PAIRS) + count_at(motion.spare, ROOM + BEGUN) > 0


@outlined
def find_pair(model, motion, i, j):
    """Where the impedance of bodies i > j is in the spare numbers; -1 where there is no room for another pair."""
    room = motion.spare
    count, most = count_at(room, ROOM + PAIRS), model.indices[model.indices.shape[0] - CAPACITIES]
    first = ROOM + COUNTERS
    for k in range(count):
        at = first + k * PAIR
        if count_at(room, at) == i and count_at(room, at + SECOND_BODY) == j:
            return at + IMPEDANCE
    if count == most:
        add_to(room, ROOM + LEFT_OUT, constant(load(room, 0), 1.0))
        return -1
    at = first + count * PAIR
    set_count(room, ROOM + PAIRS, count + 1.0)
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
    set_count(motion.spare, ROOM + BEGUN, count_at(motion.spare, ROOM + BEGUN) + 1.0)


@outlined
def add_end(model, motion, at, wrench):
    """The row just begun acts on body `at` by a wrench (its origin, world axes), times the root of the impedance.

    Or, with at = -1 - s, on the speed s by the force wrench.ang.x.
    """
    room, k = motion.spare, model.indices.shape[0] - CAPACITIES
    count = count_at(room, ROOM + ENDS)
    end = ROOM + COUNTERS + model.indices[k] * PAIR + count * END
    set_count(room, end, count_at(room, ROOM + BEGUN) - 1.0)
    set_count(room, end + END_AT, float(at))
    store_spatial(room, end + WRENCH, wrench)
    set_count(room, ROOM + ENDS, count + 1.0)


# ------------------------------------------------------------ rows
@function
def new_row(room, speeds):
    """Number of a new row that does nothing yet; -1 where there is no room."""
    r = count_at(room.counters, ROWS)
    if r == room.inverse.shape[0]:
        add_to(room.counters, LEFT_OUT, constant(load(room.counters, 0), 1.0))
        return -1
    set_count(room.counters, ROWS, r + 1.0)
    zero = constant(load(room.ease, 0), 0.0)
    for s in range(r * speeds, (r + 1) * speeds):
        store(room.reach, s, zero)
    set_count(room.rows, r * ROW + FIGURE, 0.0)
    set_count(room.rows, r * ROW + OTHER_FIGURE, 0.0)
    set_count(room.rows, r * ROW + ONE_BODY, float(MANY))
    return r


@function
def enter_figure(room, r, root):
    """Row r acts on the figure whose first body is `root`."""
    at = r * ROW + FIGURE
    first, second = count_at(room.rows, at), count_at(room.rows, at + 1)
    if root == 0 or first == root or second == root or first == MANY:
        return
    if first == 0:
        set_count(room.rows, at, float(root))
    elif second == 0:
        set_count(room.rows, at + 1, float(root))
    else:
        set_count(room.rows, at, float(MANY))


@function
def root_of(model, i):
    """The root of the figure that body i belongs to."""
    while model.parent[i] > 0:
        i = model.parent[i]
    return i


@function
def share_figure(room, r, q):
    """Do two rows act on a figure in common?"""
    a, b = count_at(room.rows, r * ROW + FIGURE), count_at(room.rows, r * ROW + OTHER_FIGURE)
    c, d = count_at(room.rows, q * ROW + FIGURE), count_at(room.rows, q * ROW + OTHER_FIGURE)
    return a == MANY or c == MANY or a == c or a == d or (b != 0 and (b == c or b == d))


@outlined
def sweep_pair(model, motion, joints, factors, room, r, i, j, f):
    """Row r: the wrench f at the origin of body i, and its opposite on body j."""
    W, nv = motion.work, motion.v.shape[0]
    set_count(room.rows, r * ROW + ONE_BODY, float(i))
    set_count(room.rows, r * ROW + OTHER_BODY, float(j))
    enter_figure(room, r, root_of(model, i))
    enter_figure(room, r, root_of(model, j))
    apart = load_vec3(motion.located, i * LOCATED + PLACE) - load_vec3(motion.located, j * LOCATED + PLACE)
    g = -force_from(f, apart)
    while i != j:
        if i > j:
            f = pass_joint(model, W, joints, factors, i, joints[i * JOINT + FIRST_SPEED], f, room.reach, r * nv)
            i = model.parent[i]
        else:
            g = pass_joint(model, W, joints, factors, j, joints[j * JOINT + FIRST_SPEED], g, room.reach, r * nv)
            j = model.parent[j]
    sweep(model, W, joints, factors, i, f + g, room.reach, r * nv)


@function
def impedance_at(Z, r, c):
    """Where entry r, c of a pair's impedance lies among its numbers; linear parts first, then angular ones."""
    if r < 3:
        return Z + 15 + symmetric_place(r, c)
    if c < 3:
        return Z + 6 + 3 * c + (r - 3)
    return Z + symmetric_place(r - 3, c - 3)


@function
def symmetric_place(r, c):
    """Of entry r, c in xx, yy, zz, xy, xz, yz."""
    return r if r == c else 2 + r + c


@outlined
def enter_pair(model, motion, joints, factors, room, pair):
    """The rows of a pair: its impedance is L Lᵀ, linear directions first, so that one point gives three of them."""
    at, nv, X = pair * PAIR, motion.v.shape[0], room.matrix
    i, j = count_at(room.pairs, at), count_at(room.pairs, at + SECOND_BODY)
    for r in range(6):
        for c in range(r + 1):
            store(X, 6 * r + c, load(room.pairs, impedance_at(at + IMPEDANCE, r, c)))
    for k in range(6):
        pivot, whole = load(X, 7 * k), load(room.pairs, impedance_at(at + IMPEDANCE, k, k))
        zero = constant(pivot, 0.0)
        enough = pivot - whole * constant(pivot, NEGLIGIBLE)
        if not any_positive(enough):
            continue
        each = where_positive(enough, reciprocal(sqrt(where_positive(enough, pivot, constant(pivot, 1.0)))), zero)
        for r in range(k, 6):
            store(X, 6 * r + k, load(X, 6 * r + k) * each)
        for r in range(k + 1, 6):
            for c in range(k + 1, r + 1):
                store(X, 6 * r + c, load(X, 6 * r + c) - load(X, 6 * r + k) * load(X, 6 * c + k))
        row = new_row(room, nv)
        if row < 0:
            return
        for r in range(k):
            store(X, 6 * r + k, zero)
        lin = Vec3(load(X, k), load(X, 6 + k), load(X, 12 + k))
        ang = Vec3(load(X, 18 + k), load(X, 24 + k), load(X, 30 + k))
        sweep_pair(model, motion, joints, factors, room, row, i, j, Spatial(ang, lin))


@function
def body_of_speed(model, joints, s):
    """The body whose joint has speed s."""
    i = model.parent.shape[0] - 1
    while not (joints[i * JOINT + FIRST_SPEED] <= s < joints[i * JOINT + FIRST_SPEED] + SPEEDS_OF[joints[i * JOINT]]):
        i -= 1
    return i


@outlined
def sweep_joint(model, motion, joints, factors, room, r, s, force):
    """Row r: a force at speed s. The speeds of its joint that come before it do not feel it."""
    W, nv = motion.work, motion.v.shape[0]
    i = body_of_speed(model, joints, s)
    enter_figure(room, r, root_of(model, i))
    add_to(room.reach, r * nv + s, force)
    f = -load_spatial(factors.gain, 6 * s) * force
    f = pass_joint(model, W, joints, factors, i, s + 1, f, room.reach, r * nv)
    sweep(model, W, joints, factors, model.parent[i], f, room.reach, r * nv)


@outlined
def enter_rows(model, motion, joints, factors, room):
    """The rows of everything entered, as they are felt at the speeds."""
    nv = motion.v.shape[0]
    set_count(room.counters, ROWS, 0.0)
    last, row = -1, -1
    for e in range(count_at(room.counters, ENDS)):
        at = e * END
        if count_at(room.ends, at) != last:
            last, row = count_at(room.ends, at), new_row(room, nv)
        if row < 0:
            continue
        end, wrench = count_at(room.ends, at + END_AT), load_spatial(room.ends, at + WRENCH)
        if end < 0:
            sweep_joint(model, motion, joints, factors, room, row, -1 - end, wrench.ang.x)
        elif end > 0:
            enter_figure(room, row, root_of(model, end))
            sweep(model, motion.work, joints, factors, end, wrench, room.reach, row * nv)
    for pair in range(count_at(room.counters, PAIRS)):
        enter_pair(model, motion, joints, factors, room, pair)


# ------------------------------------------------------------ the small system
@function
def along_joint(joints, room, factors, r, i, y, first, speeds):
    """The share of body i's joint in `along`."""
    total = constant(load(y, first), 0.0)
    begin = joints[i * JOINT + FIRST_SPEED]
    for s in range(begin, begin + SPEEDS_OF[joints[i * JOINT]]):
        total = total + load(room.reach, r * speeds + s) * load(factors.ease, s) * load(y, first + s)
    return total


@function
def along(model, joints, factors, room, r, y, first, speeds):
    """b M̃⁻¹ of what does y at the speeds, for row r: over the joints below its two bodies, each once, or over all."""
    i, j = count_at(room.rows, r * ROW + ONE_BODY), count_at(room.rows, r * ROW + OTHER_BODY)
    total = constant(load(y, first), 0.0)
    if i == MANY:
        for s in range(speeds):
            total = total + load(room.reach, r * speeds + s) * load(factors.ease, s) * load(y, first + s)
        return total
    while i > 0 or j > 0:
        if i >= j:
            j = model.parent[j] if i == j else j
            total = total + along_joint(joints, room, factors, r, i, y, first, speeds)
            i = model.parent[i]
        else:
            total = total + along_joint(joints, room, factors, r, j, y, first, speeds)
            j = model.parent[j]
    return total


@function
def hold_back_joint(joints, room, factors, r, i, x, speeds):
    """The share of body i's joint in `hold_back`."""
    begin = joints[i * JOINT + FIRST_SPEED]
    for s in range(begin, begin + SPEEDS_OF[joints[i * JOINT]]):
        add_to(factors.push, s, -load(room.reach, r * speeds + s) * x)


@function
def hold_back(model, joints, factors, room, r, x, speeds):
    """The pushes lose what row r gives for x, over the same joints as `along`."""
    i, j = count_at(room.rows, r * ROW + ONE_BODY), count_at(room.rows, r * ROW + OTHER_BODY)
    if i == MANY:
        for s in range(speeds):
            add_to(factors.push, s, -load(room.reach, r * speeds + s) * x)
        return
    while i > 0 or j > 0:
        if i >= j:
            j = model.parent[j] if i == j else j
            hold_back_joint(joints, room, factors, r, i, x, speeds)
            i = model.parent[i]
        else:
            hold_back_joint(joints, room, factors, r, j, x, speeds)
            j = model.parent[j]


@outlined
def factor_rows(model, motion, joints, factors, room):
    """1 + b M̃⁻¹ bᵀ = L Lᵀ, from the first row of each profile on."""
    nv, L = motion.v.shape[0], room.lower
    for r in range(count_at(room.counters, ROWS)):
        first = 0
        while first < r and not share_figure(room, r, first):
            first += 1
        set_count(room.rows, r * ROW, float(first))
        line = r * (r + 1) // 2
        for c in range(first, r + 1):
            start, column = max(first, count_at(room.rows, c * ROW)), c * (c + 1) // 2
            x = constant(load(factors.ease, 0), 0.0)
            if share_figure(room, r, c):
                x = along(model, joints, factors, room, r, room.reach, c * nv, nv)
            for k in range(start, c):
                x = x - load(L, line + k) * load(L, column + k)
            if c < r:
                store(L, line + c, x * load(room.inverse, c))
            else:
                x = sqrt(x + constant(x, 1.0))
                store(L, line + c, x)
                store(room.inverse, r, reciprocal(x))


@outlined
def see(model, motion, joints, factors, room, y, first):
    """seen = L⁻¹ b M̃⁻¹ of what does y[first:] at the speeds."""
    nv, L = motion.v.shape[0], room.lower
    for r in range(count_at(room.counters, ROWS)):
        x, line = along(model, joints, factors, room, r, y, first, nv), r * (r + 1) // 2
        for k in range(count_at(room.rows, r * ROW), r):
            x = x - load(L, line + k) * load(room.seen, k)
        store(room.seen, r, x * load(room.inverse, r))


@outlined
def resist(model, motion, joints, factors, room):
    """The pushes lose bᵀ L⁻ᵀ seen: what the couplings hold back."""
    nv, L = motion.v.shape[0], room.lower
    for r in range(count_at(room.counters, ROWS) - 1, -1, -1):
        x, line = load(room.seen, r) * load(room.inverse, r), r * (r + 1) // 2
        for k in range(count_at(room.rows, r * ROW), r):
            add_to(room.seen, k, -load(L, line + k) * x)
        hold_back(model, joints, factors, room, r, x, nv)


def solve_coupled(model, motion):
    """Joint accelerations of an implicit step with couplings: in place of passes 2 and 3 of the recursion."""
    room, end = open_room(model, motion), model.indices.shape[0] - CAPACITIES
    joints = model.indices[end - JOINT * model.parent.shape[0] : end]  # of all bodies (dynamics.articulated)
    factors = Factors(room.column, room.gain, room.ease, room.push)
    factor(model, motion, joints, factors)
    enter_rows(model, motion, joints, factors, room)
    factor_rows(model, motion, joints, factors, room)
    see(model, motion, joints, factors, room, factors.push, 0)
    resist(model, motion, joints, factors, room)
    spread(model, motion, joints, factors, motion.acc, True)


solve_coupled = entry(solve_coupled, recipe="couplings", sources=(__name__,), counts=False, seconds=3.0)
