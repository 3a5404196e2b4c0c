"""The compiled loop: from now to a time, with step-size control and located events.

Worlds that share a pack step together but each on its own clock: a world whose step is rejected, that has arrived or
that is closing in on an event takes its own step length, zero if it waits. Each stops by itself for its samples and
for the writes of its timetable; where there are events, which Python may answer, they wait for one another at samples.
"""

from collections.abc import Callable
from typing import NamedTuple

from numba import typeof

from gambol.jit import JIT_ON, address_of, call, entry, function, outlined, view
from gambol.math.scalar import constant, lanes_of, load, smallest, store
from gambol.stepping.events import all_clear, good_step, make_scan
from gambol.stepping.locating import look_for_event, note_event, settle_sides
from gambol.stepping.single import ENDLESS, UNWATCHED, make_attempt
from gambol.stepping.stops import get, keep_samples, make_writes, put
from gambol.stepping.vectors import all_finite, choose_array, copy_array
from gambol.stepping.workspace import (
    ACCEPT,
    ALIVE,
    BASE,
    BOUND,
    BROKEN,
    CLOCK_SECTION,
    END,
    ERROR,
    FIRED,
    JUMP,
    LANDS,
    LOCATING,
    REACH,
    REJECTED,
    RETRIED,
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
    TRY,
    UNTIL,
    WRONG,
    D,
    G,
    StepWorkspace,
)

SAFETY, SHRINK, GROW = 0.9, 0.2, 1.5
TOGETHER = 32  # fixed steps without events are taken in stretches of so many


@outlined
def choose_step(space, control, lane):
    """Sets the step this world tries next; returns whether it moves at all."""
    remaining = get(space, UNTIL, lane) - get(space, TIME, lane)
    if not remaining > 0.0 or get(space, STATUS, lane) != RUNNING:  # spare lanes are at infinity: inf - inf is NaN
        put(space, ALIVE, lane, 0.0)
        put(space, TRY, lane, 0.0)
        return False
    put(space, ALIVE, lane, 1.0)
    put(space, LANDS, lane, 0.0)
    if get(space, LOCATING, lane) > 0.0:
        return True
    h = min(max(get(space, STEP, lane), control.min_step), control.max_step, get(space, BOUND, lane))
    if h >= remaining * control.almost:
        h = remaining
        put(space, LANDS, lane, 1.0)
    elif control.adaptive and h > 0.5 * remaining:
        h = 0.5 * remaining  # two even steps rather than a long one and a sliver
    put(space, TRY, lane, h)
    if get(space, TIME, lane) + get(space, TRY, lane) == get(space, TIME, lane):  # the clock would stand still
        put(space, STATUS, lane, STUCK)
        put(space, ALIVE, lane, 0.0)
        put(space, TRY, lane, 0.0)
        return False
    return True


@outlined
def steps_together(space, control):
    """How many equal steps all worlds of a row can take before anything has to be looked at."""
    together = 1
    if not control.adaptive and space.side.shape[0] == 0:
        together = TOGETHER
        for lane in range(lanes_of(space.clock)):
            if get(space, ALIVE, lane) > 0.0:
                possible = (get(space, UNTIL, lane) - get(space, TIME, lane)) / get(space, TRY, lane)
                together = min(together, max(int(possible) - 1, 1))
    return together


@function
def step_factor(wrong, rules):
    """How much longer the next step may be."""
    if wrong <= 0.0:
        return GROW
    ratio, exponent = rules.control.eps / wrong, rules.method.exponent
    ratio = ratio**0.5 if exponent == 0.5 else ratio**exponent
    return min(max(SAFETY * ratio, SHRINK), GROW)


@function
def blind(space, lane):
    """Could something be passed unseen in the step, or found too late?"""
    return get(space, TRY, lane) > 1.0001 * get(space, REACH, lane)


@outlined
def reject(space, rules, lane):
    """The step was too long: shorten it, or give up at the shortest. What is blind is taken shorter by any method."""
    control = rules.control
    h = get(space, TRY, lane)
    put(space, ACCEPT, lane, 0.0)
    put(space, REJECTED, lane, get(space, REJECTED, lane) + 1.0)
    put(space, LOCATING, lane, 0.0)
    sound = get(space, SOUND, lane) > 0.0
    if sound and blind(space, lane) and h > control.min_step * 1.000001:
        put(space, BOUND, lane, max(min(max(0.9 * get(space, REACH, lane), 0.25 * h), 0.75 * h), control.min_step))
        return
    if not control.adaptive or h <= control.min_step * 1.000001:
        put(space, STATUS, lane, STUCK if sound else BROKEN)
        return
    factor = step_factor(get(space, WRONG, lane), rules) if sound else SHRINK
    put(space, STEP, lane, max(h * min(factor, 0.9), control.min_step))
    put(space, RETRIED, lane, 1.0)


@outlined
def accept(space, rules, repeat, lane):
    """The step stands: move the clock and choose the next step."""
    h, t = get(space, TRY, lane), get(space, TIME, lane)
    for _ in range(repeat):
        t += h
    put(space, ACCEPT, lane, 1.0)
    put(space, STEPS, lane, get(space, STEPS, lane) + repeat)
    put(space, BOUND, lane, ENDLESS)
    put(space, TIME, lane, get(space, UNTIL, lane) if get(space, LANDS, lane) > 0.0 else t)
    if rules.control.adaptive and get(space, LOCATING, lane) == 0.0:
        longer = h * step_factor(get(space, WRONG, lane), rules)
        if get(space, RETRIED, lane) > 0.0:  # what was too long a moment ago still is
            longer = min(longer, h)
            put(space, RETRIED, lane, 0.0)
        put(space, STEP, lane, max(longer, get(space, STEP, lane)) if get(space, LANDS, lane) != 0.0 else longer)
    put(space, LOCATING, lane, 0.0)


@outlined
def judge(space, rules, repeat, lane):
    """Accepts or rejects the step of one world, and closes in on events."""
    if get(space, ALIVE, lane) == 0.0:
        put(space, ACCEPT, lane, 0.0)
        return
    control = rules.control
    if not good_step(space, control, lane) or blind(space, lane):
        reject(space, rules, lane)
        return
    event = 0
    if space.side.shape[0] > 0:
        event = look_for_event(space, rules, lane)
        if event < 0:
            return
    accept(space, rules, repeat, lane)
    if space.side.shape[0] > 0:
        if not all_clear(space, lane):
            settle_sides(space, rules, event > 0, lane)
        if event > 0:
            note_event(space, control, lane)


@view
def open_space(row, offsets):
    """The working memory of a row: views, no copies."""
    return StepWorkspace(
        clock=row[offsets[CLOCK_SECTION] : offsets[SIDE]],
        side=row[offsets[SIDE] : offsets[SIDE + 1]],
        start=row[offsets[START] : offsets[BASE]],
        base=row[offsets[BASE] : offsets[END]],
        end=row[offsets[END] : offsets[D]],
        d=row[offsets[D] : offsets[JUMP]],
        jump=row[offsets[JUMP] : offsets[SLOPE0]],
        slope0=row[offsets[SLOPE0] : offsets[SLOPE1]],
        slope1=row[offsets[SLOPE1] : offsets[STAGES]],
        stages=row[offsets[STAGES] : offsets[ERROR]],
        error=row[offsets[ERROR] : offsets[G]],
        g=row[offsets[G] : offsets[ROOT]],
        root=row[offsets[ROOT] : offsets[FIRED]],
        fired=row[offsets[FIRED] : offsets[SIZE]],
    )


@function
def stay_stopped(model, motion, space, lane):
    """A flow without transitions: events wait for Python."""


def make_march(flow):
    """The marching entry of a flow.

    march(model, memory, offsets, rules, times, record, writes)

    Brings every world in the rows of `memory` to each of `times` in turn and copies its first cells, as many as the
    record is wide, to record[time, row] (where record is not empty). On the way each world makes its `writes`
    (stepping.timetable) at their times. Returns how many times every world has reached; fewer than asked for when a
    world stopped for an event or failed (STATUS in its clock says which), or when all rows together have taken as many
    attempts as one call may. With no times it computes the rates at the current state.
    """
    attempt, open_motion = make_attempt(flow), flow.open
    prepare, solve, settles, settle = flow.prepare, flow.solve, flow.settles, flow.settle
    watches = (flow.watch or UNWATCHED).watches
    transition, has_transitions = flow.transition or stay_stopped, flow.transition is not None

    @outlined
    def march_to(shared, model, motion, row, offsets, space, rules, times, end, record, writes, k, left):
        """Brings row number k to times[end - 1], or to its events, or as far as `left` attempts go; how many are left.

        A row that ran out of attempts goes on from there in the next call, as if it had not been left.
        """
        control = rules.control
        lanes = lanes_of(space.clock)
        careful = 0  # so many single steps still to take after a stretch that went wrong
        for lane in range(lanes):
            put(space, UNTIL, lane, get(space, TIME, lane))
            put(space, REACH, lane, ENDLESS)
            if not get(space, BOUND, lane) > 0.0:
                put(space, BOUND, lane, ENDLESS)
        watched = watches(model, control.adaptive)
        while True:
            moving = False
            made = 0
            for lane in range(lanes):
                if get(space, TIME, lane) >= get(space, UNTIL, lane):
                    until = keep_samples(row, space, times, end, record, k, lane)
                    made += make_writes(row, space, writes, until, k * lanes + lane, lane)
                moving |= choose_step(space, control, lane)
            if made > 0:
                prepare(model, motion)
            if not moving or left <= 0:
                return left
            repeat = steps_together(space, control) if careful == 0 and not (watched or settles(model)) else 1
            left -= repeat
            t, h = load(space.clock, TIME), load(space.clock, TRY)
            copy_array(space.start, motion.state)
            store(space.clock, WRONG, attempt(model, motion, space, rules, t, h, repeat, watched))
            sound = all_finite(motion.state)
            store(space.clock, SOUND, sound)
            if repeat > 1 and smallest(sound) < 0.0:
                copy_array(motion.state, space.start)
                careful = TOGETHER
                continue
            careful = max(careful - 1, 0)
            if space.side.shape[0] > 0:
                call(rules.scan, (shared, row, offsets, rules))
            for lane in range(lanes):
                judge(space, rules, repeat, lane)
            choose_array(motion.state, load(space.clock, ACCEPT), space.start)
            if settles(model):
                settle(model, motion, load(space.clock, TIME), load(space.clock, ACCEPT))
            if has_transitions:
                for lane in range(lanes):
                    if get(space, ACCEPT, lane) > 0.0 and get(space, STATUS, lane) == STOPPED:
                        transition(model, motion, space, lane)

    @outlined
    def samples_passed(space, end):
        """How many samples every world of a row has passed; fewer than `end` where one has stopped."""
        least = end
        for lane in range(lanes_of(space.clock)):
            least = min(least, int(get(space, SAMPLE, lane)))
            if get(space, STATUS, lane) != RUNNING:
                least = min(least, end - 1)
            put(space, SAMPLE, lane, 0.0)
        return least

    def march(model, memory, offsets, rules, times, record, writes):
        together = 1 if offsets[SIDE + 1] > offsets[SIDE] else times.shape[0]
        first, left = 0, rules.control.max_attempts
        while first < times.shape[0]:
            end = first + together
            reached = end
            for k in range(memory.shape[0]):
                row = memory[k]
                space = open_space(row, offsets)
                own, motion = open_motion(model, row, offsets)
                prepare(own, motion)
                for lane in range(lanes_of(space.clock)):
                    put(space, SAMPLE, lane, float(first))
                left = march_to(model, own, motion, row, offsets, space, rules, times, end, record, writes, k, left)
                reached = min(reached, samples_passed(space, end))
            if reached < end:
                return reached
            first = end
        if times.shape[0] == 0:
            for k in range(memory.shape[0]):
                own, motion = open_motion(model, memory[k], offsets)
                prepare(own, motion)
                t = load(memory[k], offsets[CLOCK_SECTION] + TIME)
                solve(own, motion, t, constant(t, 0.0))
        return times.shape[0]

    return March(entry(march, recipe=flow.recipe, sources=(flow.module,), seconds=20.0), search_entry(flow))


def search_entry(flow):
    """search(model, row, offsets, rules): looks for events in the step just taken.

    Compiled apart and called by address, so that worlds without boundaries do without it.
    """
    scan, open_motion = make_scan(flow), flow.open

    def search(model, row, offsets, rules):
        own, motion = open_motion(model, row, offsets)
        space = open_space(row, offsets)
        scan(own, motion, space, rules, load(space.clock, TIME), load(space.clock, TRY))

    return entry(search, recipe=flow.recipe, sources=(flow.module,), seconds=8.0)


class March(NamedTuple):
    """The compiled loop of a flow, and the search for events that it calls where there are boundaries."""

    march: Callable
    search: Callable

    def search_address(self, model, memory, offsets, rules) -> int:
        """For `StepRules.scan`: where the search lies for arguments of these types."""
        types = [typeof(x) for x in (model, memory[0], offsets, rules)] if JIT_ON else ()
        return address_of(self.search, types)
