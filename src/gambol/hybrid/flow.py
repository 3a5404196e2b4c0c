"""How hybrid systems move: the flow that the stepper marches (contract in stepping.workspace).

The nested iterators of the hybrid simulator of the source are here one compiled loop: the march steps within a chart
(flow iterator), closes in on crossings (stopping iterator) with attempts of its method (Runge–Kutta iterator), and
`change_chart` below takes a world to its next chart (chart iterator) without leaving it.
"""

from typing import NamedTuple

import numpy as np

import gambol.stepping.workspace as slot
from gambol.hybrid.inputs import CHANGE_COUNT, CHANGE_LIMIT, CHART, CHART_INPUTS, TRANSITION_FAULT
from gambol.jit import call, entry, function, outlined
from gambol.math.scalar import lanes_of, load, load_lane, store, store_lane
from gambol.stepping.march import make_march
from gambol.stepping.vectors import copy_array
from gambol.stepping.workspace import Flow

FLOW_CODE, BOUNDARY_CODE, SECTION_CODE, TRANSITION_CODE, VALID_CODE = range(5)  # places in HybridModel.addresses
LOG_ENTRY_SIZE = 4  # cells of an entry of the log: time, chart before, chart after, which boundaries (bits)


class HybridModel(NamedTuple):
    """What the kernels know of a system. The last three are space for one world at its event."""

    addresses: np.ndarray
    identity: np.ndarray  # (charts, slots): hybrid.boundary_slots
    directions: np.ndarray  # of the slots
    stops: np.ndarray  # (charts, slots): 1 where a world waits for Python after the transition
    x: np.ndarray
    inputs: np.ndarray
    fired: np.ndarray


class HybridMotion(NamedTuple):
    """One row in motion. `log`: how many chart changes it holds, then the changes."""

    state: np.ndarray
    inputs: np.ndarray
    rate: np.ndarray
    log: np.ndarray
    clock: np.ndarray


@function
def _open(model, row, offsets):
    n = offsets[slot.CLOCK_SECTION] - offsets[slot.STATE]
    return model, HybridMotion(
        row[offsets[slot.STATE] : offsets[slot.CLOCK_SECTION]],
        row[offsets[slot.INPUTS] : offsets[slot.SCRATCH]],
        row[offsets[slot.SCRATCH] : offsets[slot.SCRATCH] + n],
        row[offsets[slot.SCRATCH] + n : offsets[slot.START_SECTION]],
        row[offsets[slot.CLOCK_SECTION] : offsets[slot.SIDE_SECTION]],
    )


@function
def _prepare(model, motion):
    """Nothing to do."""


@function
def _shift(model, motion, base, d):
    for k in range(d.shape[0]):
        store(motion.state, k, load(base, k) + load(d, k))


@function
def _tangent(model, motion, d, out):
    copy_array(out, motion.rate)


@function
def _difference(model, motion, a, b, out):
    for k in range(out.shape[0]):
        store(out, k, load(a, k) - load(b, k))


@function
def _take_step(model, motion, base, d, h, old):
    for k in range(d.shape[0]):
        store(d, k, load(motion.rate, k) * h)
        store(motion.state, k, load(base, k) + load(d, k))


@outlined
def _solve(model, motion, t, h):
    call(model.addresses[FLOW_CODE], (t, motion.state, motion.inputs, motion.rate))


@outlined
def _slopes(model, motion, t, h, jump, d, out):
    call(model.addresses[FLOW_CODE], (t, motion.state, motion.inputs, out))


@outlined
def _boundaries(model, motion, t, g):
    own = model.identity.shape[1]
    if own > 0:
        call(model.addresses[BOUNDARY_CODE], (t, motion.state, motion.inputs, g[:own]))
    if g.shape[0] > own:
        call(model.addresses[SECTION_CODE], (t, motion.state, motion.inputs, g[own:]))


def _settles(model):
    return bool(model.addresses[VALID_CODE])


@outlined
def _settle(model, motion, t, moved):
    """Stops a world whose step ended where its chart is not valid. At an event the transition is asked first: on the
    edge itself rounding decides."""
    fault = model.inputs.shape[0] - CHART_INPUTS + TRANSITION_FAULT
    for lane in range(lanes_of(motion.clock)):
        moves = load_lane(motion.clock, slot.ACCEPT, lane) > 0.0
        if not moves or load_lane(motion.clock, slot.STATUS, lane) != slot.RUNNING:
            continue
        for k in range(model.x.shape[0]):
            model.x[k] = load_lane(motion.state, k, lane)
        for k in range(model.inputs.shape[0]):
            model.inputs[k] = load_lane(motion.inputs, k, lane)
        now = load_lane(motion.clock, slot.TIME, lane)
        call(model.addresses[VALID_CODE], (now, model.x, model.inputs, model.fired))
        if model.inputs[fault] > 0.0:
            store_lane(motion.inputs, fault, lane, model.inputs[fault])
            store_lane(motion.clock, slot.STATUS, lane, slot.STOPPED)


# ---------------------------------------------------------------- transitions
@function
def entered_side(direction):
    """The side of a boundary when its chart is entered: an edge of a patch (falling) is armed as from inside, so that
    being outside fires at once; others look where they stand."""
    return slot.DUE if direction < 0 else slot.FRESH


@outlined
def arm_slots(model, space, before, after, moved, lane):
    """Sides of the boundaries after a transition.

    One that stays and has not fired is armed anew if the state jumped. One that fired and whose system was put
    elsewhere is treated as entered; after an identity it has been left for good.
    """
    own = model.identity.shape[1]
    for i in range(own):
        side = load_lane(space.side, i, lane)
        direction = model.directions[i]
        if model.identity[before, i] != model.identity[after, i]:
            side = entered_side(direction)
        elif abs(side) == slot.LEFT:
            side = slot.DUE if moved and direction < 0 else side
        elif abs(side) == 1.0 and moved:
            side = slot.DUE if direction < 0 and side > 0.0 else slot.FRESH
        store_lane(space.side, i, lane, side)
    for i in range(own, space.side.shape[0]):
        if moved and abs(load_lane(space.side, i, lane)) == 1.0:
            store_lane(space.side, i, lane, slot.FRESH)


@outlined
def log_change(model, motion, space, t, before, after, lane):
    """Notes a chart change; False when the log is full."""
    count = int(load_lane(motion.log, 0, lane))
    first = 1 + LOG_ENTRY_SIZE * count
    which = 0.0
    for i in range(model.identity.shape[1]):
        if model.fired[i] > 0.0:
            which += 2.0**i
    store_lane(motion.log, first, lane, t)
    store_lane(motion.log, first + 1, lane, float(before))
    store_lane(motion.log, first + 2, lane, float(after))
    store_lane(motion.log, first + 3, lane, which)
    store_lane(motion.log, 0, lane, count + 1.0)
    return first + 2 * LOG_ENTRY_SIZE <= motion.log.shape[0]


@outlined
def change_chart(model, motion, space, lane):
    """Takes one world through the transition of the boundaries that fired; a section alone leaves it stopped."""
    own, n, m = model.identity.shape[1], model.x.shape[0], model.inputs.shape[0]
    crossed, waits = False, False
    chart = int(load_lane(motion.inputs, m - CHART_INPUTS + CHART, lane))
    for i in range(own):
        model.fired[i] = load_lane(space.fired, i, lane)
        crossed |= model.fired[i] > 0.0
        waits |= model.fired[i] > 0.0 and model.stops[chart, i] > 0
    if not crossed or load_lane(motion.inputs, m - CHART_INPUTS + TRANSITION_FAULT, lane) > 0.0:
        return
    for k in range(n):
        model.x[k] = load_lane(motion.state, k, lane)
    for k in range(m):
        model.inputs[k] = load_lane(motion.inputs, k, lane)
    after_parameters = m - CHART_INPUTS
    t = load_lane(space.clock, slot.TIME, lane)
    call(model.addresses[TRANSITION_CODE], (t, model.x, model.inputs, model.fired))
    model.inputs[after_parameters + CHANGE_COUNT] += 1.0
    after = int(model.inputs[after_parameters + CHART])
    moved = False
    for k in range(n):
        moved |= model.x[k] != load_lane(motion.state, k, lane)
        store_lane(motion.state, k, lane, model.x[k])
    for k in range(after_parameters, m):
        store_lane(motion.inputs, k, lane, model.inputs[k])
    room_left = log_change(model, motion, space, t, chart, after, lane)
    if model.inputs[after_parameters + TRANSITION_FAULT] > 0.0:
        return
    arm_slots(model, space, chart, after, moved, lane)
    within = model.inputs[after_parameters + CHANGE_COUNT] < model.inputs[after_parameters + CHANGE_LIMIT]
    if room_left and within and not waits:
        store_lane(space.clock, slot.STATUS, lane, slot.RUNNING)


march_hybrid = make_march(
    Flow(
        recipe="hybrid",
        module=__name__,
        open=_open,
        prepare=_prepare,
        solve=_solve,
        shift=_shift,
        tangent=_tangent,
        difference=_difference,
        slopes=_slopes,
        rates_are_slopes=True,
        take_step=_take_step,
        boundaries=_boundaries,
        settles=_settles,
        settle=_settle,
        transition=change_chart,
    )
)


@entry
def evaluate(address, t, x, inputs, out):
    """An equation at many moments: out[k] at (t[k], x[k], inputs[k])."""
    for k in range(t.shape[0]):
        call(address, (t[k], x[k], inputs[k], out[k]))
