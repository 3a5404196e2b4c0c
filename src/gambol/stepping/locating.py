"""Closing in on events: which crossing of a step comes first, the next trial step towards it, and who fires.

An event is located by stepping again from the start of the step with a shorter step, never by interpolating, so the
order of the method is kept across it: a secant search on the boundary function at the end of the step, kept inside a
bracket, until the end lies past the crossing by no more than the precision.
"""

from gambol.jit import function, outlined
from gambol.math.scalar import load_lane, store_lane
from gambol.stepping.clock import get, put
from gambol.stepping.events import CUT, NEVER, all_clear, bracket_end, crosses, earliest, set_aside, wanted
from gambol.stepping.workspace import (
    ACCEPT,
    ASIDE,
    CLOSE_EVENTS,
    DUE,
    EVENTS,
    HIGH,
    LAST_EVENT,
    LAST_G,
    LAST_TRY,
    LEFT,
    LOCATING,
    LOW,
    NODES,
    SETS_OUT,
    SINGLE_LOOK,
    STATUS,
    STOPPED,
    TIME,
    TRIALS,
    TRY,
    WHICH,
    ZENO,
)

TRIALS_QUICK = 6  # every other of the later trials halves the bracket


@outlined
def close_in(space, control, which, root, lane):
    """Chooses the next trial step toward a crossing; `root` is the best guess from the samples [s], < 0: none."""
    nb = space.side.shape[0]
    h, low, high = get(space, TRY, lane), get(space, LOW, lane), get(space, HIGH, lane)
    value = load_lane(space.g, (NODES - 1) * nb + which, lane)
    trials = get(space, TRIALS, lane)
    guess = root
    if trials > 0.0 and get(space, WHICH, lane) == which:
        rise = value - get(space, LAST_G, lane)
        if rise != 0.0:
            secant = h - value * (h - get(space, LAST_TRY, lane)) / rise
            if low < secant < high:
                guess = secant
    guess += 0.5 * control.precision
    if not (low < guess < high) or (trials > TRIALS_QUICK and trials % 2.0 == 0.0):
        guess = 0.5 * (low + high)
    put(space, LAST_TRY, lane, h)
    put(space, LAST_G, lane, value)
    put(space, WHICH, lane, which)
    put(space, TRIALS, lane, trials + 1.0)
    put(space, LOCATING, lane, 1.0)
    put(space, TRY, lane, guess)
    put(space, ACCEPT, lane, 0.0)


@function
def leaves(space, control, which, near, lane):
    """Does the boundary function move outward at the end of the step (or only touch)?

    Not so after a bounce shorter than the precision, which ends a rounding outside but on its way in, nor where a
    method of first order has positions behind the boundary and speeds that are not.
    """
    nb = space.side.shape[0]
    side = load_lane(space.side, which, lane)
    before = load_lane(space.g, (NODES - 2) * nb + which, lane) * side
    end = load_lane(space.g, (NODES - 1) * nb + which, lane) * side
    if end > 0.0 or (end == 0.0 and before > 0.0):  # it comes down to the edge, whether or not it turns back there
        return near or end <= control.touch_tolerance
    after = load_lane(space.g, SINGLE_LOOK * nb + which, lane) * side
    return after < end or (after == end and end <= before)


@function
def ends_past(space, directions, which, lane):
    """Is the boundary function at the end of the step where the crossing leads?"""
    end = load_lane(space.g, (NODES - 1) * space.side.shape[0] + which, lane)
    if directions[which] != 0:
        return end * directions[which] >= 0.0
    return crosses(load_lane(space.side, which, lane), end)


@outlined
def look_for_event(space, rules, lane):
    """After a good step: 0 no event in it, 1 one at its end, -1 one inside (the next trial step is set).

    Up to LOW no crossing was seen, at HIGH one was (or, of an even number, should be).
    """
    control = rules.control
    which = -1 if all_clear(space, lane) else earliest(space, lane)
    h, locating = get(space, TRY, lane), get(space, LOCATING, lane) > 0.0
    if not locating:
        put(space, TRIALS, lane, 0.0)
        put(space, LOW, lane, 0.0)
    enough = get(space, TRIALS, lane) > control.max_trials
    if which < 0:
        high = get(space, HIGH, lane)
        if not locating or h >= high or enough:
            return 0
        put(space, LOW, lane, h)
        close_in(space, control, int(get(space, WHICH, lane)), -1.0, lane)
        if high - h <= control.precision:
            put(space, TRY, lane, high)
        return -1
    share = load_lane(space.root, which, lane)
    cut = share > NEVER
    if cut:
        share -= CUT
    root = share * h
    if root < get(space, LOW, lane) and which != int(get(space, WHICH, lane)):
        put(space, LOW, lane, 0.0)
    near = h - max(root, get(space, LOW, lane)) <= control.precision
    if near or enough:
        return 1 if not cut and leaves(space, control, which, near, lane) else 0
    if cut:
        put(space, HIGH, lane, root + control.precision)
    else:
        put(space, HIGH, lane, h if ends_past(space, rules.directions, which, lane) else bracket_end(share) * h)
    close_in(space, control, which, root, lane)
    return -1


@outlined
def settle_sides(space, rules, event, lane):
    """After an accepted step: the side each boundary is on, and which fire.

    Of several crossed in one instant those of the highest priority (smallest number) fire; the others are due: they
    fire next unless what happens at the event takes them back.
    """
    nb = space.side.shape[0]
    top = 0
    found = False
    for i in range(nb):
        if event and load_lane(space.root, i, lane) < NEVER and (not found or rules.priorities[i] < top):
            top, found = rules.priorities[i], True
    for i in range(nb):
        crossed = load_lane(space.root, i, lane) < NEVER
        fires = event and crossed and rules.priorities[i] == top
        store_lane(space.fired, i, lane, 1.0 if fires else 0.0)
        side = load_lane(space.side, i, lane)
        came_from = 1.0 if side > 0.0 else -1.0
        if fires:
            store_lane(space.side, i, lane, -came_from * ASIDE if abs(side) == SETS_OUT else came_from * LEFT)
        elif crossed and event:
            store_lane(space.side, i, lane, came_from * DUE)
        elif not crossed and not set_aside(side) and abs(side) != ASIDE:
            value = load_lane(space.g, (NODES - 1) * nb + i, lane)
            if crosses(side, value) and not wanted(side, rules.directions[i]):
                store_lane(space.side, i, lane, -came_from if value != 0.0 else came_from * LEFT)


@outlined
def note_event(space, control, lane):
    """Stops this world for its event; counts events that come too close to one another."""
    t = get(space, TIME, lane)
    close = get(space, EVENTS, lane) > 0.0 and t - get(space, LAST_EVENT, lane) < control.zeno_gap
    put(space, CLOSE_EVENTS, lane, get(space, CLOSE_EVENTS, lane) + 1.0 if close else 0.0)
    put(space, EVENTS, lane, get(space, EVENTS, lane) + 1.0)
    put(space, LAST_EVENT, lane, t)
    put(space, STATUS, lane, ZENO if get(space, CLOSE_EVENTS, lane) >= control.zeno_count else STOPPED)
