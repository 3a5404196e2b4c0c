"""Looks for crossings of boundary functions inside a step.

Every boundary has an armed side (+1 or -1). It is crossed where its function leaves that side; a crossing in a
direction that nobody asked for only changes the side. The functions are sampled at NODES points of a smooth curve
through the step (in the tangent space: a cubic; for methods of first order, whose speeds do not match the way they go,
the parabola on which the ends of shorter steps lie), near both ends as well. Where the samples (or, next to an end, the
sample and the slope there) show that a function turns back towards the side it came from, the turning point is
followed down before it is called clear: it may cross twice, or touch. Where the crossing lies exactly is decided by
repeated steps from the start (stepping.march), never on this curve.

A boundary that has just fired is armed by the sign of its derivative, not by waiting a moment. One that is zero and
does not move, at the start or after it has fired, is set aside until it moves: a system at rest on a boundary has no
events there. Leaving the edge on which it stood at the start counts as a crossing, once, in the direction in which it
leaves.
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
from gambol.stepping.vectors import copy_array
from gambol.stepping.workspace import (
    ALIVE,
    ASIDE,
    DUE,
    FRESH,
    LEFT,
    NODES,
    RISE,
    SETS_OUT,
    SINGLE_LOOK,
    SOUND,
    STANDS,
    STEP,
    THETA,
    TRY,
    WRONG,
)

NODE = (0.0, 1.0 / 64.0, 0.25, 0.5, 0.75, 63.0 / 64.0, 1.0)
EDGE = 1.0 / 64.0  # from an end to the node next to it
# Values of space.root: a fraction of the step; NEVER; or CUT + a fraction: not an event, but the step should end there,
# because a crossing that nobody asked for and one that somebody did lie between two samples.
# CLEAR: as NEVER, and so far from zero that nothing needs a look; ALL_CLEAR, of the first boundary: so are all.
NEVER, CUT, CLEAR, ALL_CLEAR = 2.0, 4.0, 8.0, 16.0
PER_NODE = tuple(1.0 / (NODE[j] - NODE[j - 1]) if j else 0.0 for j in range(NODES))
CLEARANCE = 0.5  # of a step: over this way the steepest slope seen must not lead to zero
MOMENT = 1e-3  # of a step: for the value of a derivative, where the bend is known too
DIP_LOOKS = 12
DIP_MARGIN = 16.0
DIP_FLOOR = 0.25  # a middle sample this low beside its neighbours is looked at anyway
LAST = np.int64(SINGLE_LOOK)  # (NumPy integer: see space)


@function
def crosses(side, value):
    """Has a function armed on `side` left it?"""
    return value * side <= 0.0


@function
def wanted(side, direction):
    """Does leaving `side` count? direction +1: rising only, -1: falling only, 0: both."""
    return direction * side <= 0.0


@function
def instant(space, control, lane):
    """The instant of RISE as a fraction of the step in hand, of which it is a larger part when that is a trial."""
    return control.instant * max(1.0, load_lane(space.clock, STEP, lane) / load_lane(space.clock, TRY, lane))


@function
def only_touches(side, now, slope, soon, graze):
    """Does a function on the edge that moves off `side` turn back before it is clear of the edge?"""
    slope, gain = side * slope, side * (soon - now)
    if slope >= 0.0 or gain <= 0.0:
        return False
    return side * now + parabola_drop(slope, gain) >= -graze


@function
def way_off(space, control, i, origin, lane):
    """Which way a boundary function comes clear of `origin` first in this step: 1, -1, or 0 where it does not."""
    nb = space.side.shape[0]
    for j in range(NODES):
        off = load_lane(space.g, j * nb + i, lane) - origin
        if abs(off) > control.touch_tolerance:
            return 1.0 if off > 0.0 else -1.0
    return 0.0


@function
def good_step(space, control, lane):
    """Is the step in hand finite and accurate enough?"""
    accurate = not control.adaptive or load_lane(space.clock, WRONG, lane) <= control.eps
    return accurate and load_lane(space.clock, SOUND, lane) > 0.0


@outlined
def arm_at_rest(space, control, i, side, now, lane):
    """The side of a boundary that stands on its edge without moving, by what it does later in the step."""
    if not good_step(space, control, lane):
        return side  # the step will be taken again
    way = way_off(space, control, i, 0.0, lane)
    if abs(now) > control.touch_tolerance:
        return way  # it was put elsewhere
    if abs(side) == ASIDE:
        return way * ASIDE if way != 0.0 else side
    return -way * SETS_OUT if way != 0.0 else STANDS


@outlined
def arm(space, control, lane):
    """Gives every boundary without a side one: where it stands, or, on the edge, by the way it moves.

    At a fresh start on the edge it is armed on the side it moves away from: it is crossing now. A boundary that has
    just fired is armed on the side it moves to; if it begins to move only later, or only touches, it stays where it
    was. Those that do not move at all have no side.
    """
    nb = space.side.shape[0]
    for i in range(nb):
        side = load_lane(space.side, i, lane)
        if abs(side) == 1.0 or abs(side) == SETS_OUT:
            continue
        now = load_lane(space.g, i, lane)
        rise = load_lane(space.g, RISE * nb + i, lane) - now
        moving = 1.0 if rise > 0.0 else -1.0
        if abs(side) == DUE:
            side = side / DUE
        elif abs(side) == LEFT and now * side <= control.touch_tolerance:
            if rise == 0.0 and way_off(space, control, i, now, lane) == 0.0:
                continue
            side = side / LEFT
            slope, soon = rise / instant(space, control, lane), load_lane(space.g, nb + i, lane)
            if rise != 0.0 and not only_touches(side, now, slope, soon, control.touch_tolerance):
                side = moving
        elif side == STANDS or abs(side) == ASIDE or (rise == 0.0 and now == 0.0):
            side = arm_at_rest(space, control, i, side, now, lane)
        elif now != 0.0:
            side = 1.0 if now > 0.0 else -1.0
        else:
            side = -moving
        store_lane(space.side, i, lane, side)


@outlined
def mark_clear(space, control):
    """Finds the boundaries of all worlds of a row that need no further look: space.root is CLEAR, else NEVER."""
    nb = space.side.shape[0]
    step = load(space.clock, STEP)
    one = constant(step, 1.0)
    share = maximum(step / load(space.clock, TRY), one) * constant(step, control.instant)
    clear = constant(step, CLEAR)
    everywhere = one
    for i in range(nb):
        side = load(space.side, i)
        start = load(space.g, i) * side
        steepest = absolute(load(space.g, RISE * nb + i) * side - start) / share
        low, before = start, start
        for j in range(1, NODES):
            here = load(space.g, j * nb + i) * side
            low = minimum(low, here)
            steepest = maximum(absolute(here - before) * constant(step, PER_NODE[j]), steepest)
            before = here
        margin = low - steepest * constant(step, CLEARANCE) - constant(step, control.touch_tolerance)
        unarmed = absolute(absolute(side) - one)
        margin = where_positive(unarmed, -one, margin)
        store(space.root, i, where_positive(margin, clear, constant(step, NEVER)))
        everywhere = where_positive(margin, everywhere, -one)
    store(space.root, 0, where_positive(everywhere, constant(step, ALL_CLEAR), load(space.root, 0)))


@function
def all_clear(space, lane):
    """Does no boundary of this world need a look?"""
    return load_lane(space.root, 0, lane) == ALL_CLEAR


@function
def share_before(side, before, here, inward):
    """Where between two samples a function that leaves `side` is zero, as a share of the way."""
    if inward and abs(before) < 1e-3 * abs(here):
        return 0.5  # it starts on the edge, moves inward and comes back: somewhere
    return before / (before - here) if before * side > 0.0 else 0.0


@function
def set_aside(side):
    """Has a boundary no side in this step?"""
    return side == STANDS or side == FRESH or abs(side) == LEFT


@outlined
def first_roots(space, control, directions, lane):
    """Where each boundary is first crossed in a wanted direction, as a fraction of the step, from the samples.

    An event leaves the state a rounding past its boundary. One that starts so and moves inward has not crossed until
    it has been inside, or turns back.
    """
    nb = space.side.shape[0]
    for i in range(nb):
        if load_lane(space.root, i, lane) == CLEAR:
            continue
        side, root = load_lane(space.side, i, lane), NEVER
        if set_aside(side):
            store_lane(space.root, i, lane, NEVER)
            continue
        before = load_lane(space.g, i, lane)
        inward = (load_lane(space.g, RISE * nb + i, lane) - before) * side > 0.0
        inside = before * side > 0.0 or not inward
        clear = abs(side) != ASIDE
        for j in range(1, NODES):
            here = load_lane(space.g, j * nb + i, lane)
            if not clear:
                clear = inside = abs(here) > control.touch_tolerance
            elif not inside and (here - before) * side >= 0.0:
                inside = here * side > 0.0
            elif crosses(side, here):
                if root == NEVER and wanted(side, directions[i]):
                    share = share_before(side, before, here, inward and j == 1)
                    root = NODE[j - 1] + (NODE[j] - NODE[j - 1]) * share
                turns_back = here == 0.0 and j < NODES - 1 and load_lane(space.g, (j + 1) * nb + i, lane) * side > 0.0
                if not turns_back:
                    side = -side
            before = here
        store_lane(space.root, i, lane, root)


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
def earliest(space, lane):
    """The boundary crossed first in this step (or for which it is cut short), or -1."""
    which, first = -1, NEVER
    for i in range(space.root.shape[0]):
        root = load_lane(space.root, i, lane)
        if root > NEVER:
            root -= CUT
        if root < first:
            which, first = i, root
    return which


def make_scan(flow):
    """scan(model, motion, space, rules, t, h): samples the step just taken, fills space.root."""
    shift, difference, slopes, boundaries = flow.shift, flow.difference, flow.slopes, flow.boundaries
    rates_are_slopes = flow.rates_are_slopes

    @outlined
    def look(model, motion, space, t, h, theta, row):
        """Boundary functions at the fraction theta of the step, into row `row` of space.g."""
        nb = space.side.shape[0]
        square = theta * theta
        cube = square * theta
        first = (theta - square * 2.0 + cube) * h
        whole = square * 3.0 - cube * 2.0
        last = (cube - square) * h
        for k in range(space.d.shape[0]):
            value = load(space.slope0, k) * first + load(space.jump, k) * whole + load(space.slope1, k) * last
            store(space.d, k, value)
        shift(model, motion, space.start, space.d)
        boundaries(model, motion, t + theta * h, space.g[row * nb : (row + 1) * nb])

    @outlined
    def look_at(model, motion, space, t, h, i, x, lane):
        """Boundary function i of one world at the fraction x of the step."""
        store_lane(space.clock, THETA, lane, x)
        look(model, motion, space, t, h, load(space.clock, THETA), LAST)
        return load_lane(space.g, LAST * space.side.shape[0] + i, lane)

    @outlined
    def follow_dip(model, motion, space, directions, control, t, h, i, side, a, fa, b, fb, c, fc, lane):
        """Boundary i of one world, times its side, is fa, fb, fc at a < b < c, low in the middle: goes to its bottom.

        The root; where only the way back would be wanted, a CUT at the bottom; NEVER where it stays clear.
        """
        asked = wanted(side, directions[i])
        x, fx = b, fb
        for _ in range(DIP_LOOKS):
            if fx < -control.touch_tolerance:
                return a + (x - a) * fa / (fa - fx) if asked else CUT + x
            if fx <= control.touch_tolerance:
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
            fx = side * look_at(model, motion, space, t, h, i, x, lane)
        return NEVER

    @outlined
    def start_dip(model, motion, space, directions, control, t, h, i, lane):
        """The root in a dip before the first node."""
        nb = space.side.shape[0]
        now, soon = load_lane(space.g, i, lane), load_lane(space.g, nb + i, lane)
        side = 1.0 if now > 0.0 else -1.0
        slope = side * (load_lane(space.g, RISE * nb + i, lane) - now) / instant(space, control, lane)
        now, gain = side * now, side * (soon - now)
        if slope >= 0.0 or gain < 0.0 or now <= control.touch_tolerance or now + 2.0 * parabola_drop(slope, gain) > 0.0:
            return NEVER
        x = -0.5 * slope / parabola_bend(slope, gain)
        low = side * look_at(model, motion, space, t, h, i, x, lane)
        return follow_dip(
            model, motion, space, directions, control, t, h, i, side, 0.0, now, x, low, NODE[1], now + gain, lane
        )

    @outlined
    def end_dip(model, motion, space, directions, control, t, h, i, lane):
        """The root in a dip behind the last node; 1 where the function touches at the end and is about to turn."""
        nb = space.side.shape[0]
        now, before = load_lane(space.g, (NODES - 1) * nb + i, lane), load_lane(space.g, (NODES - 2) * nb + i, lane)
        side = 1.0 if now > 0.0 else -1.0
        earlier = side * load_lane(space.g, (NODES - 3) * nb + i, lane)
        now, gain = side * now, side * (before - now)
        bend = ((earlier - now - gain) / (NODE[NODES - 2] - NODE[NODES - 3]) - gain / EDGE) / (1.0 - NODE[NODES - 3])
        if (
            now <= 0.0
            or gain < 0.0
            or now + gain <= control.touch_tolerance
            or now > control.touch_tolerance + bend * EDGE * EDGE
        ):
            return NEVER  # it does not come down, or does not bend enough to come down to zero and back
        slope = (side * look_at(model, motion, space, t, h, i, 1.0 - MOMENT, lane) - now) / MOMENT
        bend = (gain / EDGE - slope) / (EDGE - MOMENT)
        slope -= bend * MOMENT
        if slope >= 0.0:
            touches = (
                now <= control.touch_tolerance
                and bend > 0.0
                and now - 0.25 * slope * slope / bend >= -control.touch_tolerance
            )
            return 1.0 if touches and wanted(side, directions[i]) else NEVER
        x = 1.0 + 0.5 * slope / bend
        low = side * look_at(model, motion, space, t, h, i, x, lane)
        return follow_dip(
            model, motion, space, directions, control, t, h, i, side, 1.0 - EDGE, now + gain, x, low, 1.0, now, lane
        )

    @outlined
    def follow_dips(model, motion, space, directions, control, t, h, lane):
        """Looks into every dip that a boundary has before its first crossing."""
        nb = space.side.shape[0]
        for i in range(nb):
            crossing = load_lane(space.root, i, lane)
            if crossing == CLEAR:
                continue
            root = NEVER
            if crossing > NODE[1]:
                root = start_dip(model, motion, space, directions, control, t, h, i, lane)
            for j in range(1, NODES - 1):
                if root != NEVER or NODE[j + 1] > crossing:
                    break
                low = load_lane(space.g, j * nb + i, lane)
                side = 1.0 if low > 0.0 else -1.0
                low *= side
                before = side * load_lane(space.g, (j - 1) * nb + i, lane)
                after = side * load_lane(space.g, (j + 1) * nb + i, lane)
                a, b, c = NODE[j - 1], NODE[j], NODE[j + 1]
                dips = (
                    low <= before and low <= after and min(before, after) > control.touch_tolerance
                )  # (else it lies on it)
                if dips and may_reach_zero(a, before, b, low, c, after):
                    root = follow_dip(
                        model, motion, space, directions, control, t, h, i, side, a, before, b, low, c, after, lane
                    )
            if root == NEVER and crossing == NEVER:
                root = end_dip(model, motion, space, directions, control, t, h, i, lane)
            if root != NEVER:
                store_lane(space.root, i, lane, root)

    @outlined
    def look_behind(model, motion, space, control, t, h):
        """Boundary functions an instant after the end of the step: do they still move outward there?"""
        nb = space.side.shape[0]
        copy_array(motion.state, space.end)
        for k in range(space.d.shape[0]):
            store(space.d, k, constant(load(space.d, k), 0.0))
        slopes(model, motion, t + h, h, space.jump, space.d, space.slope1)
        moment = maximum(h, load(space.clock, STEP)) * control.instant
        for k in range(space.d.shape[0]):
            store(space.d, k, load(space.slope1, k) * moment)
        shift(model, motion, space.end, space.d)
        boundaries(model, motion, t + h + moment, space.g[LAST * nb : (LAST + 1) * nb])

    @outlined
    def scan(model, motion, space, rules, t, h):
        method, control, directions = rules.method, rules.control, rules.directions
        nb = space.side.shape[0]
        like = load(space.clock, THETA)
        copy_array(space.end, motion.state)
        boundaries(model, motion, t + h, space.g[(NODES - 1) * nb : NODES * nb])
        difference(model, motion, space.end, space.start, space.jump)
        n = space.d.shape[0]
        if rates_are_slopes and method.ends_at_last:
            copy_array(space.slope1, space.stages[space.stages.shape[0] - n :])
        else:
            slopes(model, motion, t + h, h, space.jump, space.jump, space.slope1)
        copy_array(motion.state, space.start)
        boundaries(model, motion, t, space.g[0:nb])
        for k in range(space.d.shape[0]):
            store(space.d, k, constant(like, 0.0))
        if rates_are_slopes and method.kind == EXPLICIT and not method.doubling:
            copy_array(space.slope0, space.stages[:n])
        else:
            slopes(model, motion, t, h, space.jump, space.d, space.slope0)
        if method.first_order and not method.doubling:
            one = constant(h, 1.0)
            each = where_positive(h, constant(h, 2.0) / where_positive(h, h, one), constant(h, 0.0))
            for k in range(space.d.shape[0]):
                store(space.slope1, k, load(space.jump, k) * each - load(space.slope0, k))
        for j in range(1, NODES - 1):
            look(model, motion, space, t, h, constant(like, NODE[j]), j)
        # Along the straight line: the sign of the derivative, however fast it bends. A trial looks as far as the whole
        # step did: over a very short one the motion is lost to rounding.
        moment = maximum(h, load(space.clock, STEP)) * control.instant
        for k in range(space.d.shape[0]):
            store(space.d, k, load(space.slope0, k) * moment)
        shift(model, motion, space.start, space.d)
        boundaries(model, motion, t + moment, space.g[RISE * nb : SINGLE_LOOK * nb])
        mark_clear(space, control)
        for lane in range(lanes_of(space.clock)):
            if load_lane(space.clock, ALIVE, lane) > 0.0 and not all_clear(space, lane):
                arm(space, control, lane)
                first_roots(space, control, directions, lane)
        found = False
        for lane in range(lanes_of(space.clock)):
            if load_lane(space.clock, ALIVE, lane) > 0.0 and not all_clear(space, lane):
                follow_dips(model, motion, space, directions, control, t, h, lane)
                found |= earliest(space, lane) >= 0
        if found:
            look_behind(model, motion, space, control, t, h)
        copy_array(motion.state, space.end)

    return scan
