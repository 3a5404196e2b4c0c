"""Looks for crossings of boundary functions inside a step.

Every boundary has an armed side (+1 or -1). It is crossed where its function leaves that side; a crossing in a
direction that nobody asked for only changes the side. The functions are sampled at NODES points of a smooth curve
through the step (a cubic in the tangent space), near both ends as well, so that a minimum inside shows as a middle
sample below its neighbours; such a minimum is followed down before it is called clear. Where the crossing lies
exactly is decided by repeated steps from the start (stepping.march), never on this curve.

A boundary that has just fired is armed by the sign of its derivative, not by waiting a moment.
"""

import numpy as np

from gambol.jit import function, outlined
from gambol.math.scalar import constant, lanes_of, load, load_lane, store, store_lane
from gambol.stepping.room import ALIVE, LEFT, NODES, THETA
from gambol.stepping.vectors import copy_array

NODE = (0.0, 1.0 / 64.0, 0.25, 0.5, 0.75, 63.0 / 64.0, 1.0)
NEVER = 2.0
INSTANT = 1e-6  # of a step: for the sign of a derivative
DIP_LOOKS = 12
LAST = np.int64(NODES)  # the row of single looks


@function
def crosses(side, value):
    """Has a function armed on `side` left it?"""
    return value * side <= 0.0


@function
def wanted(side, direction):
    """Does leaving `side` count? direction +1: rising only, -1: falling only, 0: both."""
    return direction == 0 or direction == -side


@outlined
def arm(room, lane):
    """Gives every boundary without a side one: where it stands, or, on the edge, by the way it moves.

    At a fresh start on the edge it is armed on the side it moves away from: it is crossing now. A boundary that has
    just fired is armed on the side it moves to; if it does not move it stays where it was, and fires again.
    """
    nb = room.side.shape[0]
    for i in range(nb):
        side = load_lane(room.side, i, lane)
        if abs(side) == 1.0:
            continue
        now = load_lane(room.g, i, lane)
        rise = load_lane(room.g, NODES * nb + i, lane) - now
        moving = 1.0 if rise > 0.0 else -1.0
        if abs(side) == LEFT:
            side = moving if rise != 0.0 else side / LEFT
        elif now != 0.0:
            side = 1.0 if now > 0.0 else -1.0
        else:
            side = -moving
        store_lane(room.side, i, lane, side)


@function
def share_before(side, before, here, inward):
    """Where between two samples a function that leaves `side` is zero, as a share of the way."""
    if inward and abs(before) < 1e-3 * abs(here):
        return 0.5  # it starts on the edge, moves inward and comes back: somewhere
    return before / (before - here) if before * side > 0.0 else 0.0


@outlined
def first_roots(room, directions, lane):
    """Where each boundary is first crossed in a wanted direction, as a fraction of the step, from the samples.

    An event leaves the state a rounding past its boundary. One that starts so and moves inward has not crossed until
    it has been inside, or turns back.
    """
    nb = room.side.shape[0]
    for i in range(nb):
        side, root = load_lane(room.side, i, lane), NEVER
        before = load_lane(room.g, i, lane)
        inward = (load_lane(room.g, NODES * nb + i, lane) - before) * side > 0.0
        inside = before * side > 0.0 or not inward
        for j in range(1, NODES):
            here = load_lane(room.g, j * nb + i, lane)
            if not inside and (here - before) * side > 0.0:
                inside = here * side > 0.0
            elif crosses(side, here):
                if root == NEVER and wanted(side, directions[i]):
                    share = share_before(side, before, here, inward and j == 1)
                    root = NODE[j - 1] + (NODE[j] - NODE[j - 1]) * share
                side = -side
            before = here
        store_lane(room.root, i, lane, root)


@function
def bracket_end(root):
    """The first sample at or after a root, as a fraction of the step."""
    for j in range(1, NODES):
        if root <= NODE[j]:
            return NODE[j]
    return 1.0


@function
def parabola_bottom(a, fa, b, fb, c, fc):
    """Where the parabola through three points turns; nan where it does not."""
    p, q = (b - a) * (fb - fc), (b - c) * (fb - fa)
    return b - 0.5 * ((b - a) * p - (b - c) * q) / (p - q)


def make_scan(flow):
    """scan(model, motion, room, directions, graze, t, h): samples the step just taken and fills room.root."""
    shift, difference, slopes, boundaries = flow.shift, flow.difference, flow.slopes, flow.boundaries

    @outlined
    def look(model, motion, room, t, h, theta, row):
        """Boundary functions at the fraction theta of the step, into row `row` of room.g."""
        nb = room.side.shape[0]
        square = theta * theta
        cube = square * theta
        first = (theta - square * 2.0 + cube) * h
        whole = square * 3.0 - cube * 2.0
        last = (cube - square) * h
        for k in range(room.d.shape[0]):
            value = load(room.slope0, k) * first + load(room.jump, k) * whole + load(room.slope1, k) * last
            store(room.d, k, value)
        shift(model, motion, room.start, room.d)
        boundaries(model, motion, t + theta * h, room.g[row * nb : (row + 1) * nb])

    @outlined
    def follow_dip(model, motion, room, graze, t, h, i, j, lane):
        """Boundary i of one world has a low middle sample j: goes to its bottom; the root, or NEVER."""
        nb = room.side.shape[0]
        side = load_lane(room.side, i, lane)
        a, b, c = NODE[j - 1], NODE[j], NODE[j + 1]
        fa = side * load_lane(room.g, (j - 1) * nb + i, lane)
        fb = side * load_lane(room.g, j * nb + i, lane)
        fc = side * load_lane(room.g, (j + 1) * nb + i, lane)
        for _ in range(DIP_LOOKS):
            x = parabola_bottom(a, fa, b, fb, c, fc)
            if not (a < x < c) or abs(x - b) < 1e-9:
                x = b + 0.381966 * (c - b if c - b > b - a else a - b)
            store_lane(room.clock, THETA, lane, x)
            look(model, motion, room, t, h, load(room.clock, THETA), LAST)
            fx = side * load_lane(room.g, NODES * nb + i, lane)
            if fx <= graze:
                return a + (x - a) * fa / (fa - fx) if fx < 0.0 else x
            if fx < fb:
                if x > b:
                    a, fa = b, fb
                else:
                    c, fc = b, fb
                b, fb = x, fx
            elif x > b:
                c, fc = x, fx
            else:
                a, fa = x, fx
        return NEVER

    @outlined
    def follow_dips(model, motion, room, directions, graze, t, h, lane):
        """Looks into every dip that a boundary without a crossing has."""
        nb = room.side.shape[0]
        for i in range(nb):
            side = load_lane(room.side, i, lane)
            if not wanted(side, directions[i]) or load_lane(room.root, i, lane) != NEVER:
                continue
            for j in range(1, NODES - 1):
                low = side * load_lane(room.g, j * nb + i, lane)
                before = side * load_lane(room.g, (j - 1) * nb + i, lane)
                after = side * load_lane(room.g, (j + 1) * nb + i, lane)
                clear = before > graze and after > graze  # otherwise it lies on the boundary, it does not dip to it
                if 0.0 < low <= before and low <= after and clear and load_lane(room.root, i, lane) == NEVER:
                    root = follow_dip(model, motion, room, graze, t, h, i, j, lane)
                    store_lane(room.root, i, lane, root)

    @outlined
    def scan(model, motion, room, directions, graze, t, h):
        nb = room.side.shape[0]
        like = load(room.clock, THETA)
        copy_array(room.end, motion.state)
        boundaries(model, motion, t + h, room.g[(NODES - 1) * nb : NODES * nb])
        difference(model, motion, room.end, room.start, room.jump)
        slopes(model, motion, t + h, h, room.jump, room.jump, room.slope1)
        copy_array(motion.state, room.start)
        boundaries(model, motion, t, room.g[0:nb])
        for k in range(room.d.shape[0]):
            store(room.d, k, constant(like, 0.0))
        slopes(model, motion, t, h, room.jump, room.d, room.slope0)
        for j in range(1, NODES - 1):
            look(model, motion, room, t, h, constant(like, NODE[j]), j)
        for k in range(room.d.shape[0]):  # along the straight line: the sign of the derivative, however fast it bends
            store(room.d, k, load(room.slope0, k) * (h * INSTANT))
        shift(model, motion, room.start, room.d)
        boundaries(model, motion, t + h * INSTANT, room.g[NODES * nb : (NODES + 1) * nb])
        for lane in range(lanes_of(room.clock)):
            if load_lane(room.clock, ALIVE, lane) > 0.0:
                arm(room, lane)
                first_roots(room, directions, lane)
                follow_dips(model, motion, room, directions, graze, t, h, lane)
        copy_array(motion.state, room.end)

    return scan
