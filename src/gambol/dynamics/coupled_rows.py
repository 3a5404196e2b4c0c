"""The rows of couplings (dynamics.couplings) and their small system, which stands in for two passes of the recursion.

Rows that share no figure do not meet in the small matrix. They are put in order so that what hangs together, an island,
stands together: each island is a system of its own, kept below its profile. A row is summed over the joints below its
two bodies alone.
"""

from gambol.dynamics.articulated import FIRST_SPEED, JOINT, Factors, factor, pass_joint, spread, sweep
from gambol.dynamics.couplings import (
    BEGINS,
    CAPACITIES,
    END_AT,
    END_CELLS,
    END_WRENCH,
    ENDS,
    FIGURE,
    FIGURE_CELLS,
    FIRST_END,
    FIRST_SHARED,
    HEAD,
    IMPEDANCE,
    ITEM_CELLS,
    LEFT_OUT,
    LINK_CELLS,
    LINK_FIGURE,
    MANY,
    MET,
    NEXT_LINK,
    ONE_BODY,
    OTHER_BODY,
    OTHER_FIGURE,
    PAIR_CELLS,
    PAIRS,
    PLACE_IN_ORDER,
    QUEUE,
    ROW_CELLS,
    ROWS_BEGUN,
    ROWS_IN_ALL,
    SECOND_BODY,
    count_at,
    open_room,
    set_count,
)  # fmt: skip
from gambol.dynamics.joints import SPEEDS_OF
from gambol.dynamics.workspace import LOCATED, PLACE
from gambol.jit import entry, function, outlined, reference
from gambol.math.memory import add_to, load_spatial, load_vec3
from gambol.math.scalar import any_positive, constant, load, reciprocal, sqrt, store, where_positive
from gambol.math.spatial import Spatial, force_from
from gambol.math.vector import Vec3

NEGLIGIBLE = 1e-6  # share of an impedance below which the rest of it is rounding


@function
def new_row(room):
    """Number of a new row that does nothing yet; -1 where there is no room."""
    r = count_at(room.counters, ROWS_IN_ALL)
    if r == room.inverse.shape[0]:
        add_to(room.counters, LEFT_OUT, constant(load(room.counters, 0), 1.0))
        return -1
    set_count(room.counters, ROWS_IN_ALL, r + 1.0)
    set_count(room.rows, r * ROW_CELLS + FIRST_SHARED, float(r))
    set_count(room.rows, r * ROW_CELLS + FIGURE, 0.0)
    set_count(room.rows, r * ROW_CELLS + OTHER_FIGURE, 0.0)
    set_count(room.rows, r * ROW_CELLS + ONE_BODY, float(MANY))
    return r


@function
def enter_figure(room, r, root):
    """Row r acts on the figure whose first body is `root`."""
    if root == 0:
        return
    begins = count_at(room.figures, root * FIGURE_CELLS + BEGINS)
    if begins == 0:
        set_count(room.figures, root * FIGURE_CELLS + BEGINS, r + 1.0)
    elif begins - 1 < count_at(room.rows, r * ROW_CELLS + FIRST_SHARED):
        set_count(room.rows, r * ROW_CELLS + FIRST_SHARED, begins - 1.0)
    at = r * ROW_CELLS + FIGURE
    first, second = count_at(room.rows, at), count_at(room.rows, at + 1)
    if first == root or second == root or first == MANY:
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
    a, b = count_at(room.rows, r * ROW_CELLS + FIGURE), count_at(room.rows, r * ROW_CELLS + OTHER_FIGURE)
    c, d = count_at(room.rows, q * ROW_CELLS + FIGURE), count_at(room.rows, q * ROW_CELLS + OTHER_FIGURE)
    return a == MANY or c == MANY or a == c or a == d or (b != 0 and (b == c or b == d))


@outlined
def sweep_pair(model, motion, joints, factors, room, r, i, j, f):
    """Row r: the wrench f at the origin of body i, and its opposite on body j."""
    W, nv = motion.work, motion.v.shape[0]
    set_count(room.rows, r * ROW_CELLS + ONE_BODY, float(i))
    set_count(room.rows, r * ROW_CELLS + OTHER_BODY, float(j))
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
    at, X = pair * PAIR_CELLS, room.matrix
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
        row = new_row(room)
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
def enter_own(model, motion, joints, factors, room, e):
    """The row of an element's own whose first end is number e."""
    nv, own, row = motion.v.shape[0], count_at(room.ends, e * END_CELLS), new_row(room)
    while row >= 0 and e < count_at(room.counters, ENDS) and count_at(room.ends, e * END_CELLS) == own:
        end, wrench = count_at(room.ends, e * END_CELLS + END_AT), load_spatial(room.ends, e * END_CELLS + END_WRENCH)
        if end < 0:
            sweep_joint(model, motion, joints, factors, room, row, -1 - end, wrench.ang.x)
        elif end > 0:
            enter_figure(room, row, root_of(model, end))
            sweep(model, motion.work, joints, factors, end, wrench, room.reach, row * nv)
        e += 1


@outlined
def wipe_rows(model, joints, room, speeds):
    """What the rows of the last solution did at the speeds is forgotten, where they did anything."""
    zero = constant(load(room.ease, 0), 0.0)
    for r in range(count_at(room.counters, ROWS_IN_ALL)):
        i, j = count_at(room.rows, r * ROW_CELLS + ONE_BODY), count_at(room.rows, r * ROW_CELLS + OTHER_BODY)
        if i == MANY:
            for s in range(r * speeds, (r + 1) * speeds):
                store(room.reach, s, zero)
            continue
        while i > 0 or j > 0:
            k = max(i, j)
            begin = r * speeds + joints[k * JOINT + FIRST_SPEED]
            for s in range(begin, begin + SPEEDS_OF[joints[k * JOINT]]):
                store(room.reach, s, zero)
            i, j = model.parent[i] if i == k else i, model.parent[j] if j == k else j
    set_count(room.counters, ROWS_IN_ALL, 0.0)


@outlined
def enter_rows(model, motion, joints, factors, room):
    """The rows of everything entered, as they are felt at the speeds."""
    wipe_rows(model, joints, room, motion.v.shape[0])
    begun = count_at(room.counters, ROWS_BEGUN)
    for k in range(put_in_order(model, joints, room)):
        item = count_at(room.items, k * ITEM_CELLS + PLACE_IN_ORDER)
        if item < begun:
            enter_own(model, motion, joints, factors, room, count_at(room.items, item * ITEM_CELLS + FIRST_END) - 1)
        else:
            enter_pair(model, motion, joints, factors, room, item - begun)


# ------------------------------------------------------------ their order
@function
def add_link(room, link, root):
    """Link number `link`, counted from 1, is to a figure."""
    set_count(room.links, (link - 1) * LINK_CELLS + LINK_FIGURE, float(root))
    set_count(room.links, (link - 1) * LINK_CELLS + NEXT_LINK, count_at(room.figures, root * FIGURE_CELLS + HEAD))
    set_count(room.figures, root * FIGURE_CELLS + HEAD, float(link))


@function
def add_links(model, joints, room):
    """All that was entered, at the figures that it acts on."""
    ends = count_at(room.counters, ENDS)
    for i in range(model.parent.shape[0]):
        for k in range(FIGURE_CELLS):
            set_count(room.figures, i * FIGURE_CELLS + k, 0.0)
    for e in range(ends):
        at = count_at(room.ends, e * END_CELLS + END_AT)
        add_link(room, e + 1, root_of(model, at if at >= 0 else body_of_speed(model, joints, -1 - at)))
    for p in range(count_at(room.counters, PAIRS)):
        add_link(room, ends + 2 * p + 1, root_of(model, count_at(room.pairs, p * PAIR_CELLS)))
        add_link(room, ends + 2 * p + 2, root_of(model, count_at(room.pairs, p * PAIR_CELLS + SECOND_BODY)))


@function
def meet(room, link, waiting):
    """The figure of a link is to be looked at too, if it has not been; how many have been met."""
    root = count_at(room.links, (link - 1) * LINK_CELLS + LINK_FIGURE)
    if root == 0 or count_at(room.figures, root * FIGURE_CELLS + MET) > 0:
        return waiting
    set_count(room.figures, root * FIGURE_CELLS + MET, 1.0)
    set_count(room.figures, waiting * FIGURE_CELLS + QUEUE, float(root))
    return waiting + 1


@function
def place_item(room, link, placed, waiting):
    """The row or pair of a link takes the next place, if it has none; how many have one, how many figures are met."""
    ends, begun = count_at(room.counters, ENDS), count_at(room.counters, ROWS_BEGUN)
    own = link <= ends
    first = link - 1 if own else ends + (link - 1 - ends) // 2 * 2
    if own:
        while first > 0 and count_at(room.ends, (first - 1) * END_CELLS) == count_at(room.ends, first * END_CELLS):
            first -= 1
    item = count_at(room.ends, first * END_CELLS) if own else begun + (first - ends) // 2
    if count_at(room.items, item * ITEM_CELLS + FIRST_END) > 0:
        return placed, waiting
    set_count(room.items, item * ITEM_CELLS + FIRST_END, first + 1.0)
    set_count(room.items, placed * ITEM_CELLS + PLACE_IN_ORDER, float(item))
    last = first + 2
    if own:
        last = first + 1
        while last < ends and count_at(room.ends, last * END_CELLS) == item:
            last += 1
    for k in range(first + 1, last + 1):
        waiting = meet(room, k, waiting)
    return placed + 1, waiting


@outlined
def put_in_order(model, joints, room):
    """Islands one after the other, each from a figure outwards; how many rows and pairs there are.

    Rows that act on no figure in common do not meet in the small matrix, which is kept below its profile: so each
    island is a system of its own, and one that is long has a narrow band (Cuthill & McKee 1969).
    """
    add_links(model, joints, room)
    for k in range(count_at(room.counters, ROWS_BEGUN) + count_at(room.counters, PAIRS)):
        set_count(room.items, k * ITEM_CELLS + FIRST_END, 0.0)
    placed, taken, waiting = 0, 0, 0
    for i in range(1, model.parent.shape[0]):
        link = count_at(room.figures, i * FIGURE_CELLS + HEAD)
        if link > 0 and count_at(room.figures, i * FIGURE_CELLS + MET) == 0:
            waiting = meet(room, link, waiting)
            while taken < waiting:
                root = count_at(room.figures, taken * FIGURE_CELLS + QUEUE)
                link = count_at(room.figures, root * FIGURE_CELLS + HEAD)
                while link > 0:
                    placed, waiting = place_item(room, link, placed, waiting)
                    link = count_at(room.links, (link - 1) * LINK_CELLS + NEXT_LINK)
                taken += 1
    return placed


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
    i, j = count_at(room.rows, r * ROW_CELLS + ONE_BODY), count_at(room.rows, r * ROW_CELLS + OTHER_BODY)
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
    i, j = count_at(room.rows, r * ROW_CELLS + ONE_BODY), count_at(room.rows, r * ROW_CELLS + OTHER_BODY)
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
    for r in range(count_at(room.counters, ROWS_IN_ALL)):
        first, line = count_at(room.rows, r * ROW_CELLS + FIRST_SHARED), r * (r + 1) // 2
        for c in range(first, r + 1):
            start, column = max(first, count_at(room.rows, c * ROW_CELLS + FIRST_SHARED)), c * (c + 1) // 2
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
    for r in range(count_at(room.counters, ROWS_IN_ALL)):
        x, line = along(model, joints, factors, room, r, y, first, nv), r * (r + 1) // 2
        for k in range(count_at(room.rows, r * ROW_CELLS + FIRST_SHARED), r):
            x = x - load(L, line + k) * load(room.seen, k)
        store(room.seen, r, x * load(room.inverse, r))


@outlined
def resist(model, motion, joints, factors, room):
    """The pushes lose bᵀ L⁻ᵀ seen: what the couplings hold back."""
    nv, L = motion.v.shape[0], room.lower
    for r in range(count_at(room.counters, ROWS_IN_ALL) - 1, -1, -1):
        x, line = load(room.seen, r) * load(room.inverse, r), r * (r + 1) // 2
        for k in range(count_at(room.rows, r * ROW_CELLS + FIRST_SHARED), r):
            add_to(room.seen, k, -load(L, line + k) * x)
        hold_back(model, joints, factors, room, r, x, nv)


def solve_coupled(model, motion):
    """Joint accelerations of an implicit step with couplings: in place of passes 2 and 3 of the recursion."""
    room, end = reference(open_room(model, motion)), model.indices.shape[0] - CAPACITIES
    joints = model.indices[end - JOINT * model.parent.shape[0] : end]  # of all bodies (dynamics.articulated)
    factors = reference(Factors(room.column, room.gain, room.ease, room.push))
    factor(model, motion, joints, factors)
    enter_rows(model, motion, joints, factors, room)
    factor_rows(model, motion, joints, factors, room)
    see(model, motion, joints, factors, room, factors.push, 0)
    resist(model, motion, joints, factors, room)
    spread(model, motion, joints, factors, motion.acc, True)


solve_coupled = entry(solve_coupled, recipe="couplings", sources=(__name__,), counts=False, seconds=3.0)
