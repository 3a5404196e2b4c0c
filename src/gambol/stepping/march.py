"""The compiled loop: from now to a time, with step-size control and located events.

Worlds that share a pack step together but each on its own clock: a world whose step is rejected, that has arrived or
that is closing in on an event takes its own step length, zero if it waits. Each stops by itself for its samples and
for the writes of its timetable; where there are events, which Python may answer, they wait for one another at samples.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from gambol.jit import JIT_ON, call, entry, fetch, function, keep, outlined, reference
from gambol.jit.address import Reference, words_of
from gambol.math.scalar import constant, lanes_of, load, minimum, smallest, store
from gambol.stepping.clock import add_time, get, put, time_left
from gambol.stepping.events import all_clear, good_step, make_scan
from gambol.stepping.locating import look_for_event, note_event, settle_sides
from gambol.stepping.methods import EXPLICIT
from gambol.stepping.single import NO_BOUND, UNWATCHED, make_attempt, make_evaluate
from gambol.stepping.stops import keep_samples, make_writes
from gambol.stepping.vectors import all_finite, choose_array, copy_array
from gambol.stepping.workspace import (
    ACCEPT,
    ALIVE,
    BASE,
    BROKEN,
    CARRY,
    CLOCK_SECTION,
    END_SECTION,
    ERROR,
    FIRED,
    FLOW_AHEAD,
    FLOW_PREPARE,
    FLOW_SETTLE,
    FLOW_SOLVE,
    FLOW_TRANSIT,
    JUMP,
    LANDS,
    LOCATING,
    REJECTED,
    RETRIED,
    ROOT_SECTION,
    ROW_SIZE,
    RUNNING,
    SAMPLE,
    SIDE_SECTION,
    SLOPE0,
    SLOPE1,
    SOUND,
    STAGES,
    START_SECTION,
    STATE,
    STATUS,
    STEP,
    STEP_BOUND,
    STEP_REACH,
    STEPS,
    STOPPED,
    STUCK,
    TIME,
    TRY,
    UNTIL,
    WRONG,
    Asked,
    D,
    Flow,
    G,
    StepWorkspace,
)

SAFETY, SHRINK, GROW = 0.9, 0.2, 1.5
RESUME = 2.0  # of a step cut short by what it meets: a longer one would take the end of a bounce for rest
ONE = np.int64(1)
# The room for what a march is handed, in numbers of 8 bytes: where the march's own lies, and what its flow shares
HANDED, SHARED, ROOM = np.int64(0), np.int64(512), 2048
TOGETHER = 32  # fixed steps without events are taken in stretches of so many


@outlined
def choose_step(space, control, lane):
    """Sets the step this world tries next; returns whether it moves at all."""
    remaining = time_left(get(space, UNTIL, lane), get(space, TIME, lane), get(space, CARRY, lane))
    if not remaining > 0.0 or get(space, STATUS, lane) != RUNNING:  # spare lanes are at infinity: inf - inf is NaN
        put(space, ALIVE, lane, 0.0)
        put(space, TRY, lane, 0.0)
        return False
    put(space, ALIVE, lane, 1.0)
    put(space, LANDS, lane, 0.0)
    if get(space, LOCATING, lane) > 0.0:
        return True
    h = min(max(get(space, STEP, lane), control.min_step), control.max_step, get(space, STEP_BOUND, lane))
    if h >= remaining * control.almost:
        h = remaining
        put(space, LANDS, lane, 1.0)
    elif control.adaptive and h > 0.5 * remaining:
        h = 0.5 * remaining  # two even steps rather than a long one and a sliver
    put(space, TRY, lane, h)
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
    return get(space, TRY, lane) > 1.0001 * get(space, STEP_REACH, lane)


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
        put(
            space,
            STEP_BOUND,
            lane,
            max(min(max(0.9 * get(space, STEP_REACH, lane), 0.25 * h), 0.75 * h), control.min_step),
        )
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
    h, t, carry = get(space, TRY, lane), get(space, TIME, lane), get(space, CARRY, lane)
    for _ in range(repeat):
        t, carry = add_time(t, carry, h)
    put(space, ACCEPT, lane, 1.0)
    put(space, STEPS, lane, get(space, STEPS, lane) + repeat)
    put(space, STEP_BOUND, lane, NO_BOUND)
    lands = get(space, LANDS, lane) > 0.0
    put(space, TIME, lane, get(space, UNTIL, lane) if lands else t)
    put(space, CARRY, lane, 0.0 if lands else carry)
    if rules.control.adaptive and get(space, LOCATING, lane) == 0.0:
        longer = h * step_factor(get(space, WRONG, lane), rules)
        if get(space, RETRIED, lane) > 0.0:  # what was too long a moment ago still is
            longer = min(longer, h)
            put(space, RETRIED, lane, 0.0)
        if get(space, LANDS, lane) != 0.0:
            most = get(space, STEP, lane)
            longer = max(longer, most if lands else min(RESUME * h, most))
        put(space, STEP, lane, longer)
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


@function
def open_space(row, offsets):
    """The working memory of a row: views, no copies."""
    return StepWorkspace(
        clock=row[offsets[CLOCK_SECTION] : offsets[SIDE_SECTION]],
        side=row[offsets[SIDE_SECTION] : offsets[SIDE_SECTION + 1]],
        start=row[offsets[START_SECTION] : offsets[BASE]],
        base=row[offsets[BASE] : offsets[END_SECTION]],
        end=row[offsets[END_SECTION] : offsets[D]],
        d=row[offsets[D] : offsets[JUMP]],
        jump=row[offsets[JUMP] : offsets[SLOPE0]],
        slope0=row[offsets[SLOPE0] : offsets[SLOPE1]],
        slope1=row[offsets[SLOPE1] : offsets[STAGES]],
        stages=row[offsets[STAGES] : offsets[ERROR]],
        error=row[offsets[ERROR] : offsets[G]],
        g=row[offsets[G] : offsets[ROOT_SECTION]],
        root=row[offsets[ROOT_SECTION] : offsets[FIRED]],
        fired=row[offsets[FIRED] : offsets[ROW_SIZE]],
    )


# ---------------------------------------------------------------- the loop, the same for every flow
@outlined
def march_row(shared, row, offsets, space, rules, asked, times, end, record, writes, k, left):
    """Brings row number k to times[end - 1], or to its events, or as far as `left` attempts go; how many are left.

    A row that ran out of attempts goes on from there in the next call, as if it had not been left.
    """
    control, code = rules.control, rules.code
    state = row[offsets[STATE] : offsets[CLOCK_SECTION]]
    lanes = lanes_of(space.clock)
    careful = 0  # so many single steps still to take after a stretch that went wrong
    for lane in range(lanes):
        put(space, UNTIL, lane, get(space, TIME, lane))
        if get(space, STATUS, lane) == RUNNING:
            put(space, STEP_REACH, lane, NO_BOUND)
        if not get(space, STEP_BOUND, lane) > 0.0:
            put(space, STEP_BOUND, lane, NO_BOUND)
    while True:
        moving = False
        made = 0
        for lane in range(lanes):
            if get(space, TIME, lane) >= get(space, UNTIL, lane):
                until = keep_samples(row, space, times, end, record, k, lane)
                made += make_writes(row, space, writes, until, k * lanes + lane, lane)
            moving |= choose_step(space, control, lane)
        if made > 0:
            call(code.act, (shared, k, FLOW_PREPARE, load(space.clock, TIME), load(space.clock, TIME)))
        if not moving or left <= 0:
            return left
        single = careful > 0 or asked.watched or asked.ahead or asked.settles
        repeat = ONE if single else steps_together(space, control)
        left -= repeat
        copy_array(space.start, state)
        call(code.move, (shared, k, repeat, asked.watched))
        if asked.ahead:
            call(code.act, (shared, k, FLOW_AHEAD, load(space.clock, TIME), load(space.clock, TRY)))
        sound = all_finite(state)
        store(space.clock, SOUND, sound)
        if repeat > 1 and smallest(sound) < 0.0:
            copy_array(state, space.start)
            careful = TOGETHER
            continue
        careful = max(careful - 1, 0)
        if asked.events:
            call(code.search, (shared, k))
        for lane in range(lanes):
            judge(space, rules, repeat, lane)
        choose_array(state, load(space.clock, ACCEPT), space.start)
        if asked.settles:
            call(code.act, (shared, k, FLOW_SETTLE, load(space.clock, TIME), load(space.clock, ACCEPT)))
        if asked.transits:
            for lane in range(lanes):
                if get(space, ACCEPT, lane) > 0.0 and get(space, STATUS, lane) == STOPPED:
                    t = load(space.clock, TIME)
                    call(code.act, (shared, k, FLOW_TRANSIT + lane, t, t))


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


@entry(counts=False, seconds=10.0)
def march(handed, shared, first_row, last_row, reached, block):
    """Brings every world in some rows of `memory` to each of `times` in turn and copies its first cells, as many as the
    record is wide, to record[time, row] (where record is not empty). On the way each world makes its `writes`
    (stepping.timetable) at their times. reached[block] gets how many times every world has reached; fewer than asked
    for when a world stopped for an event or failed (STATUS in its clock says which), or when all these rows together
    have taken as many attempts as one call may. With no times it computes the rates at the current state.

    It knows nothing of what moves: it is compiled once for a number type. `handed` refers to what it works with, from
    `memory` to `writes`; `shared` to what the code of the flow does (model, memory, offsets, rules).
    """
    memory, offsets, rules, asked, times, record, writes = fetch(handed)
    rules, writes = reference(rules), reference(writes)
    together = 1 if offsets[SIDE_SECTION + 1] > offsets[SIDE_SECTION] else times.shape[0]
    first, left = 0, rules.control.max_attempts
    reached[block] = times.shape[0]
    while first < times.shape[0]:
        end = first + together
        least = end
        for k in range(first_row, last_row):
            space = reference(open_space(memory[k], offsets))
            t = load(space.clock, TIME)
            call(rules.code.act, (shared, k, FLOW_PREPARE, t, t))
            for lane in range(lanes_of(space.clock)):
                put(space, SAMPLE, lane, float(first))
            row = memory[k]
            left = march_row(shared, row, offsets, space, rules, asked, times, end, record, writes, k, left)
            least = min(least, samples_passed(space, end))
        if least < end:
            reached[block] = least
            return
        first = end
    if times.shape[0] == 0:
        for k in range(first_row, last_row):
            t = load(open_space(memory[k], offsets).clock, TIME)
            call(rules.code.act, (shared, k, FLOW_PREPARE, t, t))
            call(rules.code.act, (shared, k, FLOW_SOLVE, t, constant(t, 0.0)))


# ---------------------------------------------------------------- what is compiled for a flow
@function
def stay_stopped(model, motion, space, lane):
    """A flow without transitions: events wait for Python."""


def make_march(flow):
    """What the march calls of a flow, and what Python calls to begin it: compiled apart from the loop.

    rates(model, motion, t, h)   the rates of an opened row, of a flow whose code is apart
    hand_over(model, memory, offsets, rules, asked, times, record, writes, room)   lays down in a room what the march is
        handed and what the rest is: unpacked once for all threads that `start` it
    move(shared, k, count, watched)   attempts a step of row k
    act(shared, k, what, t, h)   does with row k what only the flow knows: SOLVE and PREPARE; SETTLE what there is to do
        after an attempt, where h > 0; see AHEAD what the speeds of a step's end may meet; TRANSIT + lane
    search(shared, k)   events in the step just taken, where there are boundaries
    """
    attempt, scan, open_motion = make_attempt(flow), make_scan(flow), flow.open
    prepare, solve, settle, evaluate = flow.prepare, flow.solve, flow.settle, make_evaluate(flow)
    _, begin_watch, found_reach, look_ahead = flow.watch or UNWATCHED
    transition = flow.transition or stay_stopped

    def rates(model, motion, t, h):
        solve(model, motion, t, h)

    def hand_over(model, memory, offsets, rules, asked, times, record, writes, room):
        keep(room, HANDED, (memory, offsets, rules, asked, times, record, writes))
        keep(room, SHARED, (model, memory, offsets, rules))

    def move(shared, k, count, watched):
        model, memory, offsets, rules = fetch(shared)
        rules = reference(rules)
        space = reference(open_space(memory[k], offsets))
        opened = open_motion(model, memory[k], offsets)
        own, motion = reference(opened[0]), reference(opened[1])
        t, h = load(space.clock, TIME), load(space.clock, TRY)
        store(space.clock, WRONG, attempt(own, motion, space, rules, t, h, count, watched))

    def act(shared, k, what, t, h):
        model, memory, offsets, rules = fetch(shared)
        rules = reference(rules)
        opened = open_motion(model, memory[k], offsets)
        own, motion = reference(opened[0]), reference(opened[1])
        if what == FLOW_SOLVE:
            evaluate(own, motion, rules, t, h)
        elif what == FLOW_PREPARE:
            prepare(own, motion)
        elif what == FLOW_SETTLE:
            settle(own, motion, t, h)
        elif what == FLOW_AHEAD:
            space = open_space(memory[k], offsets)
            copy_array(space.end, motion.state)
            begin_watch(own, motion, h, rules.control.fine, 2.0)
            look_ahead(own, motion, space.start, t)
            store(space.clock, STEP_REACH, minimum(load(space.clock, STEP_REACH), found_reach(own, motion)))
            begin_watch(own, motion, constant(h, 0.0), rules.control.fine, 2.0)  # the next evaluation need not look
            copy_array(motion.state, space.end)
        else:
            transition(own, motion, open_space(memory[k], offsets), what - FLOW_TRANSIT)

    def search(shared, k):
        model, memory, offsets, rules = fetch(shared)
        rules = reference(rules)
        space = reference(open_space(memory[k], offsets))
        opened = open_motion(model, memory[k], offsets)
        own, motion = reference(opened[0]), reference(opened[1])
        scan(own, motion, space, rules, load(space.clock, TIME), load(space.clock, TRY))

    compiled = (
        entry(function, recipe=flow.recipe, sources=(flow.module,), counts=False, seconds=seconds)
        for function, seconds in ((hand_over, 0.0), (rates, 10.0), (move, 6.0), (act, 6.0), (search, 8.0))
    )
    return March(flow, *compiled)


class March(NamedTuple):
    """A flow and its compiled code."""

    flow: Flow
    hand_over: Callable
    rates: Callable
    move: Callable
    act: Callable
    search: Callable

    def asked(self, model, rules) -> Asked:
        """What the flow wants done when it moves a model."""
        watched = self.flow.watch is not None and self.flow.watch.watches(model, rules.control.adaptive)
        single, old = rules.method.kind != EXPLICIT and not rules.method.doubling, rules.method.old_share
        return Asked(
            watched=watched and not (single and old == 0.0),  # by which speeds do positions move?
            ahead=watched and single and old < 1.0,
            settles=self.flow.settles(model),
            transits=self.flow.transition is not None,
            events=len(rules.directions) > 0,
        )

    def types(self, model, memory, offsets, rules, number) -> dict[str, tuple]:
        """What its code is compiled for, to take such arguments, by the names of FlowCode."""
        whole = types.int64
        kinds = [typeof(x) for x in (model, memory, offsets, rules)] if JIT_ON else []
        shared: Any = Reference(types.Tuple(kinds)) if JIT_ON else None
        opened = self.flow.views(model, memory[0], offsets) if self.flow.views else ()
        own = [Reference(typeof(x)) for x in opened] if JIT_ON else []
        return {
            **({"rates": (*own, number, number)} if opened else {}),
            "act": (shared, whole, whole, number, number),
            "move": (shared, whole, whole, types.boolean),
            "search": (shared, whole),
        }


def loop_types(memory, offsets, rules, times, record, writes) -> tuple:
    """The types that the loop is compiled for, to take such arguments."""
    order = (memory, offsets, rules, Asked(*[False] * len(Asked._fields)), times, record, writes)
    handed: Any = Reference(types.Tuple([typeof(x) for x in order])) if JIT_ON else None
    whole = types.int64
    return handed, types.voidptr, whole, whole, typeof(np.zeros(1, np.int64)), whole


def make_room(wanted: Iterable[tuple]) -> Any:
    """Room for what a march is handed; `wanted`: the types of its entries, which begin with references to it."""
    if not JIT_ON:
        return {}
    for own in wanted:
        free = SHARED if own[1] == types.voidptr else ROOM - SHARED
        assert words_of(own[0].to) <= free, "what a march is handed does not fit into its room"
    return np.zeros(ROOM, np.int64)
