"""Looks for crossings of boundary functions inside a step.

Every boundary has an armed side (+1 or -1). It is crossed where its function leaves that side; a crossing in a
direction that nobody asked for only changes the side. The functions are sampled at NODES points of a smooth curve
through the step (in the tangent space: a cubic; for methods of first order, whose speeds do not match the way they go,
the parabola on which the ends of shorter steps lie), near both ends as well. Where the samples (or, next to an end, the
sample and the slope there) show that a function turns back towards the side it came from, the turning point is
followed down before it is called clear: it may cross twice, or touch. Where the crossing lies exactly is decided by
repeated steps from the start (stepping.march), never on this curve.

A boundary that has just fired is armed by the sign of its derivative, not by waiting a moment.
"""

import numpy as np

from gambol.jit import function, outlined
from gambol.math.scalar import (
    absolute,
    constant,
    lanes_of,
    load,
    load_lane,
    maximum,
    minimum,
    store,
    store_lane,
    where_positive,
)
from gambol.stepping.methods import EXPLICIT
from gambol.stepping.room import ALIVE, DUE, LEFT, LOOK, NODES, RISE, STEP, THETA, TRY
from gambol.stepping.vectors import copy_array

NODE = (0.0, 1.0 / 64.0, 0.25, 0.5, 0.75, 63.0 / 64.0, 1.0)
EDGE = 1.0 / 64.0  # from an end to the node next to it
# Values of room.root: a fraction of the step; NEVER; or CUT + a fraction: not an event, but the step should end there,
# because a crossing that nobody asked for and one that somebody did lie between two samples.
# CLEAR: as NEVER, and so far from zero that nothing needs a look; ALL_CLEAR, of the first boundary: so are all.
NEVER, CUT, CLEAR, ALL_CLEAR = 2.0, 4.0, 8.0, 16.0
PER_NODE = tuple(1.0 / (NODE[j] - NODE[j - 1]) if j else 0.0 for j in range(NODES))
CLEARANCE = 0.5  # of a step: over this way the steepest slope seen must not lead to zero
MOMENT = 1e-3  # of a step: for the value of a derivative, where the bend is known too
DIP_LOOKS = 12
DIP_MARGIN = 16.0
DIP_FLOOR = 0.25  # a middle sample this low beside its neighbours is looked at anyway
LAST = np.int64(LOOK)  # (NumPy integer: see room)


@function
def crosses(side, value):
    """Has a function armed on `side` left it?"""
    return value * side <= 0.0


@function
def wanted(side, direction):
    """Does leaving `side` count? direction +1: rising only, -1: falling only, 0: both."""
    return direction == 0 or direction == -side


@function
def instant(room, control, lane):
    """The instant of RISE as a fraction of the step in hand, of which it is a larger part when that is a trial."""
    return control.instant * max(1.0, load_lane(room.clock, STEP, lane) / load_lane(room.clock, TRY, lane))


@function
def only_touches(side, now, slope, soon, graze):
    """Does a function on the edge that moves off `side` turn back before it is clear of the edge?"""
    slope, gain = side * slope, side * (soon - now)
    if slope >= 0.0 or gain <= 0.0:
        return False
    return side * now + parabola_drop(slope, gain) >= -graze


@outlined
def arm(room, control, lane):
    """Gives every boundary without a side one: where it stands, or, on the edge, by the way it moves.

    At a fresh start on the edge it is armed on the side it moves away from: it is crossing now. A boundary that has
    just fired is armed on the side it moves to; if it does not move, or only touches, it stays where it was.
    """
    nb = room.side.shape[0]
    for i in range(nb):
        side = load_lane(room.side, i, lane)
        if abs(side) == 1.0:
            continue
        now = load_lane(room.g, i, lane)
        rise = load_lane(room.g, RISE * nb + i, lane) - now
        moving = 1.0 if rise > 0.0 else -1.0
        if abs(side) == DUE:
            side = side / DUE
        elif abs(side) == LEFT and now * side <= control.graze:
            side = side / LEFT
            slope, soon = rise / instant(room, control, lane), load_lane(room.g, nb + i, lane)
            if rise != 0.0 and not only_touches(side, now, slope, soon, control.graze):
                side = moving
        elif now != 0.0:
            side = 1.0 if now > 0.0 else -1.0
        else:
            side = -moving
        store_lane(room.side, i, lane, side)


@outlined
def mark_clear(room, control):
    """Finds the boundaries of all worlds of a row that need no further look: room.root is CLEAR, else NEVER."""
    nb = room.side.shape[0]
    step = load(room.clock, STEP)
    one = constant(step, 1.0)
    share = maximum(step / load(room.clock, TRY), one) * constant(step, control.instant)
    clear = constant(step, CLEAR)
    everywhere = one
    for i in range(nb):
        side = load(room.side, i)
        start = load(room.g, i) * side
        steepest = absolute(load(room.g, RISE * nb + i) * side - start) / share
        low, before = start, start
        for j in range(1, NODES):
            here = load(room.g, j * nb + i) * side
            low = minimum(low, here)
            steepest = maximum(absolute(here - before) * constant(step, PER_NODE[j]), steepest)
            before = here
        margin = low - steepest * constant(step, CLEARANCE) - constant(step, control.graze)
        unarmed = absolute(absolute(side) - one)
        margin = where_positive(unarmed, -one, margin)
        store(room.root, i, where_positive(margin, clear, constant(step, NEVER)))
        everywhere = where_positive(margin, everywhere, -one)
    store(room.root, 0, where_positive(everywhere, constant(step, ALL_CLEAR), load(room.root, 0)))


@function
def all_clear(room, lane):
    """Does no boundary of this world need a look?"""
    return load_lane(room.root, 0, lane) == ALL_CLEAR


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
        if load_lane(room.root, i, lane) == CLEAR:
            continue
        side, root = load_lane(room.side, i, lane), NEVER
        before = load_lane(room.g, i, lane)
        inward = (load_lane(room.g, RISE * nb + i, lane) - before) * side > 0.0
        inside = before * side > 0.0 or not inward
        for j in range(1, NODES):
            here = load_lane(room.g, j * nb + i, lane)
            if not inside and (here - before) * side >= 0.0:
                inside = here * side > 0.0
            elif crosses(side, here):
                if root == NEVER and wanted(side, directions[i]):
                    share = share_before(side, before, here, inward and j == 1)
                    root = NODE[j - 1] + (NODE[j] - NODE[j - 1]) * share
                turns_back = here == 0.0 and j < NODES - 1 and load_lane(room.g, (j + 1) * nb + i, lane) * side > 0.0
                if not turns_back:
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


@function
def may_reach_zero(a, fa, b, fb, c, fc):
    """Three samples, low in the middle: could the function between them come down to zero?

    A constant cannot; nor one that would have to dip DIP_MARGIN times deeper than the parabola through the samples.
    """
    if fa == fb and fb == fc:
        return False
    left, right = (fa - fb) / (b - a), (fc - fb) / (c - b)
    bend = (left + right) / (c - a)
    slope = (right * (b - a) - left * (c - b)) / (c - a)
    return fb <= DIP_MARGIN * 0.25 * slope * slope / bend or fb <= DIP_FLOOR * min(fa, fc)


@function
def parabola_bend(slope, gain):
    """Of the parabola with this slope at an end of the step that has gained so much at the node next to it."""
    return (gain - slope * EDGE) / (EDGE * EDGE)


@function
def parabola_drop(slope, gain):
    """How far below its value at the end of the step that parabola turns (slope < 0)."""
    return -0.25 * slope * slope / parabola_bend(slope, gain)


@outlined
def earliest(room, lane):
    """The boundary crossed first in this step (or for which it is cut short), or -1."""
    which, first = -1, NEVER
    for i in range(room.root.shape[0]):
        root = load_lane(room.root, i, lane)
        if root > NEVER:
            root -= CUT
        if root < first:
            which, first = i, root
    return which


def make_scan(flow):
    """scan(model, motion, room, method, directions, control, t, h): samples the step just taken, fills room.root."""
    shift, difference, slopes, boundaries = flow.shift, flow.difference, flow.slopes, flow.boundaries
    rates_are_slopes = getattr(flow, "rates_are_slopes", False)

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
    def look_at(model, motion, room, t, h, i, x, lane):
        """Boundary function i of one world at the fraction x of the step."""
        store_lane(room.clock, THETA, lane, x)
        look(model, motion, room, t, h, load(room.clock, THETA), LAST)
        return load_lane(room.g, LAST * room.side.shape[0] + i, lane)

    @outlined
    def follow_dip(model, motion, room, directions, control, t, h, i, side, a, fa, b, fb, c, fc, lane):
        """Boundary i of one world, times its side, is fa, fb, fc at a < b < c, low in the middle: goes to its bottom.

        The root; where only the way back would be wanted, a CUT at the bottom; NEVER where it stays clear.
        """
        asked = wanted(side, directions[i])
        x, fx = b, fb
        for _ in range(DIP_LOOKS):
            if fx < -control.graze:
                return a + (x - a) * fa / (fa - fx) if asked else CUT + x
            if fx <= control.graze:
                return x if asked else NEVER
            if x != b:
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
            x = parabola_bottom(a, fa, b, fb, c, fc)
            if not (a < x < c) or abs(x - b) < 1e-9:
                x = b + 0.381966 * (c - b if c - b > b - a else a - b)
            fx = side * look_at(model, motion, room, t, h, i, x, lane)
        return NEVER

    @outlined
    def start_dip(model, motion, room, directions, control, t, h, i, lane):
        """The root in a dip before the first node."""
        nb = room.side.shape[0]
        now, soon = load_lane(room.g, i, lane), load_lane(room.g, nb + i, lane)
        side = 1.0 if now > 0.0 else -1.0
        slope = side * (load_lane(room.g, RISE * nb + i, lane) - now) / instant(room, control, lane)
        now, gain = side * now, side * (soon - now)
        if slope >= 0.0 or gain < 0.0 or now <= control.graze or now + 2.0 * parabola_drop(slope, gain) > 0.0:
            return NEVER
        x = -0.5 * slope / parabola_bend(slope, gain)
        low = side * look_at(model, motion, room, t, h, i, x, lane)
        return follow_dip(
            model, motion, room, directions, control, t, h, i, side, 0.0, now, x, low, NODE[1], now + gain, lane
        )

    @outlined
    def end_dip(model, motion, room, directions, control, t, h, i, lane):
        """The root in a dip behind the last node; 1 where the function touches at the end and is about to turn."""
        nb = room.side.shape[0]
        now, before = load_lane(room.g, (NODES - 1) * nb + i, lane), load_lane(room.g, (NODES - 2) * nb + i, lane)
        side = 1.0 if now > 0.0 else -1.0
        earlier = side * load_lane(room.g, (NODES - 3) * nb + i, lane)
        now, gain = side * now, side * (before - now)
        bend = ((earlier - now - gain) / (NODE[NODES - 2] - NODE[NODES - 3]) - gain / EDGE) / (1.0 - NODE[NODES - 3])
        if now <= 0.0 or gain < 0.0 or now + gain <= control.graze or now > control.graze + bend * EDGE * EDGE:
            return NEVER  # it does not come down, or does not bend enough to come down to zero and back
        slope = (side * look_at(model, motion, room, t, h, i, 1.0 - MOMENT, lane) - now) / MOMENT
        bend = (gain / EDGE - slope) / (EDGE - MOMENT)
        slope -= bend * MOMENT
        if slope >= 0.0:
            touches = now <= control.graze and bend > 0.0 and now - 0.25 * slope * slope / bend >= -control.graze
            return 1.0 if touches and wanted(side, directions[i]) else NEVER
        x = 1.0 + 0.5 * slope / bend
        low = side * look_at(model, motion, room, t, h, i, x, lane)
        return follow_dip(
            model, motion, room, directions, control, t, h, i, side, 1.0 - EDGE, now + gain, x, low, 1.0, now, lane
        )

    @outlined
    def follow_dips(model, motion, room, directions, control, t, h, lane):
        """Looks into every dip that a boundary has before its first crossing."""
        nb = room.side.shape[0]
        for i in range(nb):
            crossing = load_lane(room.root, i, lane)
            if crossing == CLEAR:
                continue
            root = NEVER
            if crossing > NODE[1]:
                root = start_dip(model, motion, room, directions, control, t, h, i, lane)
            for j in range(1, NODES - 1):
                if root != NEVER or NODE[j + 1] > crossing:
                    break
                low = load_lane(room.g, j * nb + i, lane)
                side = 1.0 if low > 0.0 else -1.0
                low *= side
                before = side * load_lane(room.g, (j - 1) * nb + i, lane)
                after = side * load_lane(room.g, (j + 1) * nb + i, lane)
                a, b, c = NODE[j - 1], NODE[j], NODE[j + 1]
                dips = low <= before and low <= after and min(before, after) > control.graze  # (else it lies on it)
                if dips and may_reach_zero(a, before, b, low, c, after):
                    root = follow_dip(
                        model, motion, room, directions, control, t, h, i, side, a, before, b, low, c, after, lane
                    )
            if root == NEVER and crossing == NEVER:
                root = end_dip(model, motion, room, directions, control, t, h, i, lane)
            if root != NEVER:
                store_lane(room.root, i, lane, root)

    @outlined
    def look_behind(model, motion, room, control, t, h):
        """Boundary functions an instant after the end of the step: do they still move outward there?"""
        nb = room.side.shape[0]
        copy_array(motion.state, room.end)
        for k in range(room.d.shape[0]):
            store(room.d, k, constant(load(room.d, k), 0.0))
        slopes(model, motion, t + h, h, room.jump, room.d, room.slope1)
        moment = maximum(h, load(room.clock, STEP)) * control.instant
        for k in range(room.d.shape[0]):
            store(room.d, k, load(room.slope1, k) * moment)
        shift(model, motion, room.end, room.d)
        boundaries(model, motion, t + h + moment, room.g[LAST * nb : (LAST + 1) * nb])

    @outlined
    def scan(model, motion, room, method, directions, control, t, h):
        nb = room.side.shape[0]
        like = load(room.clock, THETA)
        copy_array(room.end, motion.state)
        boundaries(model, motion, t + h, room.g[(NODES - 1) * nb : NODES * nb])
        difference(model, motion, room.end, room.start, room.jump)
        n = room.d.shape[0]
        if rates_are_slopes and method[6]:
            copy_array(room.slope1, room.stages[room.stages.shape[0] - n :])
        else:
            slopes(model, motion, t + h, h, room.jump, room.jump, room.slope1)
        copy_array(motion.state, room.start)
        boundaries(model, motion, t, room.g[0:nb])
        for k in range(room.d.shape[0]):
            store(room.d, k, constant(like, 0.0))
        if rates_are_slopes and method[0] == EXPLICIT and not method[1]:
            copy_array(room.slope0, room.stages[:n])
        else:
            slopes(model, motion, t, h, room.jump, room.d, room.slope0)
        if method[4] and not method[1]:
            one = constant(h, 1.0)
            each = where_positive(h, constant(h, 2.0) / where_positive(h, h, one), constant(h, 0.0))
            for k in range(room.d.shape[0]):
                store(room.slope1, k, load(room.jump, k) * each - load(room.slope0, k))
        for j in range(1, NODES - 1):
            look(model, motion, room, t, h, constant(like, NODE[j]), j)
        # Along the straight line: the sign of the derivative, however fast it bends. A trial looks as far as the whole
        # step did: over a very short one the motion is lost to rounding.
        moment = maximum(h, load(room.clock, STEP)) * control.instant
        for k in range(room.d.shape[0]):
            store(room.d, k, load(room.slope0, k) * moment)
        shift(model, motion, room.start, room.d)
        boundaries(model, motion, t + moment, room.g[RISE * nb : LOOK * nb])
        mark_clear(room, control)
        for lane in range(lanes_of(room.clock)):
            if load_lane(room.clock, ALIVE, lane) > 0.0 and not all_clear(room, lane):
                arm(room, control, lane)
                first_roots(room, directions, lane)
        found = False
        for lane in range(lanes_of(room.clock)):
            if load_lane(room.clock, ALIVE, lane) > 0.0 and not all_clear(room, lane):
                follow_dips(model, motion, room, directions, control, t, h, lane)
                found |= earliest(room, lane) >= 0
        if found:
            look_behind(model, motion, room, control, t, h)
        copy_array(motion.state, room.end)

    return scan
