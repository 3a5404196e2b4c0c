"""The compiled loop: from now to a time, with step-size control and located events.

Worlds that share a pack step together but each on its own clock: a world whose step is rejected, that has arrived or
that is closing in on an event takes its own step length, zero if it waits. Each stops by itself for its samples and
for the writes of its timetable; where there are events, which Python may answer, they wait for one another at samples.

An event is located by stepping again from the start of the step with a shorter step, never by interpolating, so the
order of the method is kept across it: a secant search on the boundary function at the end of the step, kept inside a
bracket, until the end lies past the crossing by no more than the precision.
"""

from gambol.jit import entry, function, outlined, view
from gambol.math.scalar import constant, lanes_of, load, load_lane, smallest, store, store_lane
from gambol.stepping.events import CUT, NEVER, all_clear, bracket_end, crosses, earliest, make_scan, wanted
from gambol.stepping.room import (
    ACCEPT,
    ALIVE,
    BASE,
    BROKEN,
    CLOCK_SECTION,
    CLOSE_EVENTS,
    DUE,
    END,
    ERROR,
    EVENTS,
    FIRED,
    HIGH,
    JUMP,
    LANDS,
    LAST_EVENT,
    LAST_G,
    LAST_TRY,
    LEFT,
    LOCATING,
    LOOK,
    LOW,
    NEXT,
    NODES,
    REJECTED,
    ROOT,
    RUNNING,
    SAMPLE,
    SIDE,
    SIZE,
    SLOPE0,
    SLOPE1,
    SOUND,
    STAGES,
    START,
    STATUS,
    STEP,
    STEPS,
    STOPPED,
    STUCK,
    TIME,
    TRIALS,
    TRY,
    UNTIL,
    WHICH,
    WRONG,
    ZENO,
    D,
    G,
    Room,
)
from gambol.stepping.single import make_attempt
from gambol.stepping.vectors import all_finite, choose_array, copy_array

SAFETY, SHRINK, GROW = 0.9, 0.2, 4.0
TRIALS_QUICK = 6  # every other of the later trials halves the bracket
TOGETHER = 32  # fixed steps without events are taken in stretches of so many


@function
def get(room, slot, lane):
    return load_lane(room.clock, slot, lane)


@function
def put(room, slot, lane, value):
    store_lane(room.clock, slot, lane, value)


@outlined
def keep_samples(row, room, times, end, record, k, lane):
    """Records one world of row k where it has come to a sample; returns when the next one is."""
    place, t = int(get(room, SAMPLE, lane)), get(room, TIME, lane)
    while place < end and times[place] <= t:
        if record.shape[0] > 0 and times[place] == t:
            kept = record[place, k]
            for c in range(kept.shape[0]):
                store_lane(kept, c, lane, load_lane(row, c, lane))
        place += 1
    put(room, SAMPLE, lane, float(place))
    return times[place] if place < end else t


@outlined
def make_writes(row, room, writes, until, world, lane):
    """Makes the writes of one world whose time has come, and says where it stops next; returns how many it made."""
    first, last = writes.first[world], writes.first[world + 1]
    place = first + int(get(room, NEXT, lane))
    begin, t = place, get(room, TIME, lane)
    while place < last and writes.time[place] <= t:
        store_lane(row, writes.cell[place], lane, writes.value[place])
        place += 1
    put(room, NEXT, lane, float(place - first))
    put(room, UNTIL, lane, min(until, writes.time[place]) if place < last else until)
    return place - begin


@outlined
def choose_step(room, control, lane):
    """Sets the step this world tries next; returns whether it moves at all."""
    remaining = get(room, UNTIL, lane) - get(room, TIME, lane)
    if not remaining > 0.0 or get(room, STATUS, lane) != RUNNING:  # spare lanes are at infinity: inf - inf is NaN
        put(room, ALIVE, lane, 0.0)
        put(room, TRY, lane, 0.0)
        return False
    put(room, ALIVE, lane, 1.0)
    put(room, LANDS, lane, 0.0)
    if get(room, LOCATING, lane) > 0.0:
        return True
    h = min(max(get(room, STEP, lane), control.least), control.most)
    if h >= remaining * control.almost:
        h = remaining
        put(room, LANDS, lane, 1.0)
    elif control.adaptive and h > 0.5 * remaining:
        h = 0.5 * remaining  # two even steps rather than a long one and a sliver
    put(room, TRY, lane, h)
    return True


@outlined
def steps_together(room, control):
    """How many equal steps all worlds of a row can take before anything has to be looked at."""
    together = 1
    if not control.adaptive and room.side.shape[0] == 0:
        together = TOGETHER
        for lane in range(lanes_of(room.clock)):
            if get(room, ALIVE, lane) > 0.0:
                possible = (get(room, UNTIL, lane) - get(room, TIME, lane)) / get(room, TRY, lane)
                together = min(together, max(int(possible) - 1, 1))
    return together


@function
def step_factor(wrong, control, root_of_two):
    """How much longer the next step may be."""
    if wrong <= 0.0:
        return GROW
    ratio = (control.eps / wrong) ** 0.5
    if control.power > 0.0:
        ratio = ratio ** (2.0 * control.power)
    elif not root_of_two:
        ratio = ratio**0.5
    return min(max(SAFETY * ratio, SHRINK), GROW)


@outlined
def reject(room, control, method, lane):
    """The step was too long: shorten it, or give up at the shortest."""
    h = get(room, TRY, lane)
    put(room, ACCEPT, lane, 0.0)
    put(room, REJECTED, lane, get(room, REJECTED, lane) + 1.0)
    put(room, LOCATING, lane, 0.0)
    sound = get(room, SOUND, lane) > 0.0
    if not control.adaptive or h <= control.least * 1.000001:
        put(room, STATUS, lane, STUCK if sound else BROKEN)
        return
    factor = step_factor(get(room, WRONG, lane), control, method[4]) if sound else SHRINK
    put(room, STEP, lane, max(h * min(factor, 0.9), control.least))


@outlined
def accept(room, control, method, repeat, lane):
    """The step stands: move the clock and choose the next step."""
    h, t = get(room, TRY, lane), get(room, TIME, lane)
    for _ in range(repeat):
        t += h
    put(room, ACCEPT, lane, 1.0)
    put(room, STEPS, lane, get(room, STEPS, lane) + repeat)
    put(room, TIME, lane, get(room, UNTIL, lane) if get(room, LANDS, lane) > 0.0 else t)
    if control.adaptive and get(room, LOCATING, lane) == 0.0:
        longer = h * step_factor(get(room, WRONG, lane), control, method[4])
        put(room, STEP, lane, max(longer, get(room, STEP, lane)) if get(room, LANDS, lane) > 0.0 else longer)
    put(room, LOCATING, lane, 0.0)


@outlined
def close_in(room, control, which, root, lane):
    """Chooses the next trial step toward a crossing; `root` is the best guess from the samples [s], < 0: none."""
    nb = room.side.shape[0]
    h, low, high = get(room, TRY, lane), get(room, LOW, lane), get(room, HIGH, lane)
    value = load_lane(room.g, (NODES - 1) * nb + which, lane)
    trials = get(room, TRIALS, lane)
    guess = root
    if trials > 0.0 and get(room, WHICH, lane) == which:
        rise = value - get(room, LAST_G, lane)
        if rise != 0.0:
            secant = h - value * (h - get(room, LAST_TRY, lane)) / rise
            if low < secant < high:
                guess = secant
    guess += 0.5 * control.precision
    if not (low < guess < high) or (trials > TRIALS_QUICK and trials % 2.0 == 0.0):
        guess = 0.5 * (low + high)
    put(room, LAST_TRY, lane, h)
    put(room, LAST_G, lane, value)
    put(room, WHICH, lane, which)
    put(room, TRIALS, lane, trials + 1.0)
    put(room, LOCATING, lane, 1.0)
    put(room, TRY, lane, guess)
    put(room, ACCEPT, lane, 0.0)


@function
def leaves(room, control, which, near, lane):
    """Does the boundary function move outward at the end of the step (or only touch)?

    Not so after a bounce shorter than the precision, which ends a rounding outside but on its way in, nor where a
    method of first order has positions behind the boundary and speeds that are not.
    """
    nb = room.side.shape[0]
    side = load_lane(room.side, which, lane)
    end = load_lane(room.g, (NODES - 1) * nb + which, lane) * side
    if end > 0.0:
        return near or end <= control.graze
    after = load_lane(room.g, LOOK * nb + which, lane) * side
    return after < end or (after == end and end <= load_lane(room.g, (NODES - 2) * nb + which, lane) * side)


@function
def ends_past(room, directions, which, lane):
    """Is the boundary function at the end of the step where the crossing leads?"""
    end = load_lane(room.g, (NODES - 1) * room.side.shape[0] + which, lane)
    if directions[which] != 0:
        return end * directions[which] >= 0.0
    return crosses(load_lane(room.side, which, lane), end)


@outlined
def look_for_event(room, control, directions, lane):
    """After a good step: 0 no event in it, 1 one at its end, -1 one inside (the next trial step is set).

    Up to LOW no crossing was seen, at HIGH one was (or, of an even number, should be).
    """
    which = -1 if all_clear(room, lane) else earliest(room, lane)
    h, locating = get(room, TRY, lane), get(room, LOCATING, lane) > 0.0
    if not locating:
        put(room, TRIALS, lane, 0.0)
        put(room, LOW, lane, 0.0)
    enough = get(room, TRIALS, lane) > control.trials
    if which < 0:
        high = get(room, HIGH, lane)
        if not locating or h >= high or enough:
            return 0
        put(room, LOW, lane, h)
        close_in(room, control, int(get(room, WHICH, lane)), -1.0, lane)
        if high - h <= control.precision:
            put(room, TRY, lane, high)
        return -1
    share = load_lane(room.root, which, lane)
    cut = share > NEVER
    if cut:
        share -= CUT
    root = share * h
    if root < get(room, LOW, lane) and which != int(get(room, WHICH, lane)):
        put(room, LOW, lane, 0.0)
    near = h - max(root, get(room, LOW, lane)) <= control.precision
    if near or enough:
        return 1 if not cut and leaves(room, control, which, near, lane) else 0
    if cut:
        put(room, HIGH, lane, root + control.precision)
    else:
        put(room, HIGH, lane, h if ends_past(room, directions, which, lane) else bracket_end(share) * h)
    close_in(room, control, which, root, lane)
    return -1


@outlined
def settle_sides(room, directions, priorities, event, lane):
    """After an accepted step: the side each boundary is on, and which fire.

    Of several crossed in one instant those of the highest priority (smallest number) fire; the others are due: they
    fire next unless what happens at the event takes them back.
    """
    nb = room.side.shape[0]
    top = 0
    found = False
    for i in range(nb):
        if event and load_lane(room.root, i, lane) < NEVER and (not found or priorities[i] < top):
            top, found = priorities[i], True
    for i in range(nb):
        crossed = load_lane(room.root, i, lane) < NEVER
        fires = event and crossed and priorities[i] == top
        store_lane(room.fired, i, lane, 1.0 if fires else 0.0)
        side = load_lane(room.side, i, lane)
        if fires:
            store_lane(room.side, i, lane, side * LEFT)
        elif crossed and event:
            store_lane(room.side, i, lane, side * DUE)
        elif not crossed:
            value = load_lane(room.g, (NODES - 1) * nb + i, lane)
            if crosses(side, value) and not wanted(side, directions[i]):
                store_lane(room.side, i, lane, -side if value != 0.0 else side * LEFT)


@outlined
def note_event(room, control, lane):
    """Stops this world for its event; counts events that come too close to one another."""
    t = get(room, TIME, lane)
    close = get(room, EVENTS, lane) > 0.0 and t - get(room, LAST_EVENT, lane) < control.zeno_gap
    put(room, CLOSE_EVENTS, lane, get(room, CLOSE_EVENTS, lane) + 1.0 if close else 0.0)
    put(room, EVENTS, lane, get(room, EVENTS, lane) + 1.0)
    put(room, LAST_EVENT, lane, t)
    put(room, STATUS, lane, ZENO if get(room, CLOSE_EVENTS, lane) >= control.zeno_count else STOPPED)


@outlined
def judge(room, control, method, directions, priorities, repeat, lane):
    """Accepts or rejects the step of one world, and closes in on events."""
    if get(room, ALIVE, lane) == 0.0:
        put(room, ACCEPT, lane, 0.0)
        return
    good = get(room, SOUND, lane) > 0.0 and (not control.adaptive or get(room, WRONG, lane) <= control.eps)
    if not good:
        reject(room, control, method, lane)
        return
    event = 0
    if room.side.shape[0] > 0:
        event = look_for_event(room, control, directions, lane)
        if event < 0:
            return
    accept(room, control, method, repeat, lane)
    if room.side.shape[0] > 0:
        if not all_clear(room, lane):
            settle_sides(room, directions, priorities, event > 0, lane)
        if event > 0:
            note_event(room, control, lane)


@function
def stay_stopped(model, motion, room, lane):
    """A flow without transitions: events wait for Python."""


def make_march(flow):
    """The marching entry of a flow.

    march(model, memory, plan, method, tableau, control, scale, directions, priorities, times, record, writes)

    Brings every world in the rows of `memory` to each of `times` in turn and copies its first cells, as many as the
    record is wide, to record[time, row] (where record is not empty). On the way each world makes its `writes`
    (stepping.timetable) at their times. Returns how many times every world has reached; fewer than asked for when a
    world stopped for an event or failed: STATUS in its clock says which. With no times it computes the rates at the
    current state.
    """
    attempt, scan, open_motion = make_attempt(flow), make_scan(flow), flow.open
    prepare, solve, settles, settle = flow.prepare, flow.solve, flow.settles, flow.settle
    transition, has_transitions = getattr(flow, "transition", stay_stopped), hasattr(flow, "transition")

    @outlined
    def march_to(
        model, motion, row, room, method, tableau, control, scale, directions, priorities, times, end, record, writes, k
    ):
        """Brings row number k to times[end - 1], or to its events, or as far as the budget goes."""
        lanes = lanes_of(room.clock)
        careful = 0  # so many single steps still to take after a stretch that went wrong
        for lane in range(lanes):
            put(room, UNTIL, lane, get(room, TIME, lane))
        left = control.budget
        while left > 0:
            left -= 1
            moving = False
            made = 0
            for lane in range(lanes):
                if get(room, TIME, lane) >= get(room, UNTIL, lane):
                    before = get(room, SAMPLE, lane)
                    until = keep_samples(row, room, times, end, record, k, lane)
                    made += make_writes(row, room, writes, until, k * lanes + lane, lane)
                    if get(room, SAMPLE, lane) > before:
                        left = control.budget
                moving |= choose_step(room, control, lane)
            if made > 0:
                prepare(model, motion)
            if not moving:
                return
            repeat = steps_together(room, control) if careful == 0 and not settles(model) else 1
            t, h = load(room.clock, TIME), load(room.clock, TRY)
            copy_array(room.start, motion.state)
            store(room.clock, WRONG, attempt(model, motion, room, method, tableau, scale, t, h, repeat))
            sound = all_finite(motion.state)
            store(room.clock, SOUND, sound)
            if repeat > 1 and smallest(sound) < 0.0:
                copy_array(motion.state, room.start)
                careful = TOGETHER
                continue
            careful = max(careful - 1, 0)
            if room.side.shape[0] > 0:
                scan(model, motion, room, method, directions, control, t, h)
            for lane in range(lanes):
                judge(room, control, method, directions, priorities, repeat, lane)
            choose_array(motion.state, load(room.clock, ACCEPT), room.start)
            if settles(model):
                settle(model, motion, load(room.clock, TIME), load(room.clock, ACCEPT))
            if has_transitions:
                for lane in range(lanes):
                    if get(room, ACCEPT, lane) > 0.0 and get(room, STATUS, lane) == STOPPED:
                        transition(model, motion, room, lane)

    @outlined
    def samples_passed(room, end):
        """How many samples every world of a row has passed; fewer than `end` where one has stopped."""
        least = end
        for lane in range(lanes_of(room.clock)):
            least = min(least, int(get(room, SAMPLE, lane)))
            if get(room, STATUS, lane) != RUNNING:
                least = min(least, end - 1)
            put(room, SAMPLE, lane, 0.0)
        return least

    @view
    def open_room(row, plan):
        return Room(
            clock=row[plan[CLOCK_SECTION] : plan[SIDE]],
            side=row[plan[SIDE] : plan[SIDE + 1]],
            start=row[plan[START] : plan[BASE]],
            base=row[plan[BASE] : plan[END]],
            end=row[plan[END] : plan[D]],
            d=row[plan[D] : plan[JUMP]],
            jump=row[plan[JUMP] : plan[SLOPE0]],
            slope0=row[plan[SLOPE0] : plan[SLOPE1]],
            slope1=row[plan[SLOPE1] : plan[STAGES]],
            stages=row[plan[STAGES] : plan[ERROR]],
            error=row[plan[ERROR] : plan[G]],
            g=row[plan[G] : plan[ROOT]],
            root=row[plan[ROOT] : plan[FIRED]],
            fired=row[plan[FIRED] : plan[SIZE]],
        )

    def march(model, memory, plan, method, tableau, control, scale, directions, priorities, times, record, writes):
        together = 1 if plan[SIDE + 1] > plan[SIDE] else times.shape[0]
        first = 0
        while first < times.shape[0]:
            end = first + together
            reached = end
            for k in range(memory.shape[0]):
                row = memory[k]
                room = open_room(row, plan)
                own, motion = open_motion(model, row, plan)
                prepare(own, motion)
                for lane in range(lanes_of(room.clock)):
                    put(room, SAMPLE, lane, float(first))
                march_to(
                    own,
                    motion,
                    row,
                    room,
                    method,
                    tableau,
                    control,
                    scale,
                    directions,
                    priorities,
                    times,
                    end,
                    record,
                    writes,
                    k,
                )
                reached = min(reached, samples_passed(room, end))
            if reached < end:
                return reached
            first = end
        if times.shape[0] == 0:
            for k in range(memory.shape[0]):
                own, motion = open_motion(model, memory[k], plan)
                prepare(own, motion)
                t = load(memory[k], plan[CLOCK_SECTION] + TIME)
                solve(own, motion, t, constant(t, 0.0))
        return times.shape[0]

    return entry(march, recipe=flow.recipe, sources=(flow.module,))
