"""The slow band in ν parts, one beside each fast step, so that every step takes as long as the others (§3).

While the fast steps of a cycle use the coefficients that are there, those of the next cycle are found piece by piece;
at its end they come into use. They are found for where the figure will be by then, as foreseen when the cycle begins:
links turn on as they turn, the root moves on as it moves, and velocities change as they changed over the cycle before.
Without that, coefficients, supports and weights would be a cycle late. What was foreseen wrongly the hinge angles
follow, as they follow the small rotations; impulses stay exact.
"""

import gambol.hinge_recursion.arrays as slot
from gambol.hinge_recursion.external_forces import gather_external_forces, trigger_spikes
from gambol.hinge_recursion.slow_band import gather_links, move_root, set_link_frames, set_slow_parts, turn_links
from gambol.hinge_recursion.torque import set_angles, set_zones
from gambol.jit import function, outlined
from gambol.math.memory import load_quat, load_vec3, store_quat, store_vec3
from gambol.math.rotation import turned_locally
from gambol.math.scalar import constant, load, store

# What a piece costs, in units of about 4 ns: per link, but for hinges and external forces
TURN_UNITS, FRAME_UNITS, HINGE_UNITS, PART_UNITS, GATHER_UNITS, FORCE_UNITS = 4, 4, 10, 2, 8, 6


@function
def slow_units(model):
    """The whole work of a slow band."""
    links = model.parent.shape[0]
    forces = 1 + model.external.shape[0]
    return (
        links * (TURN_UNITS + FRAME_UNITS + PART_UNITS + GATHER_UNITS)
        + model.hinges.shape[0] * HINGE_UNITS
        + forces * FORCE_UNITS
    )


@function
def pieces_before(done, offset, units, count):
    """How many pieces of a stage, which begins at `offset`, are finished when `done` units of work are."""
    return min(max((done - offset) // units, 0), count)


@outlined
def slow_part(model, state, ahead, time, span, begin, end):
    """The work from one unit to another, for the cycle of `span` [s] that begins at `time` [s]."""
    links, hinges = model.parent.shape[0], model.hinges.shape[0]
    first, last = pieces_before(begin, 0, TURN_UNITS, links), pieces_before(end, 0, TURN_UNITS, links)
    turn_links(state, state.late_rotation, first, last)
    for i in range(first, last):
        foreseen = load_vec3(state.foreseen_rotation, 3 * i)
        store_quat(ahead.orientation, 4 * i, turned_locally(load_quat(state.orientation, 4 * i), foreseen))
    at = links * TURN_UNITS
    first, last = pieces_before(begin, at, FRAME_UNITS, links), pieces_before(end, at, FRAME_UNITS, links)
    set_link_frames(model, ahead, first, last)
    at += links * FRAME_UNITS
    whole = (1 + model.external.shape[0]) * FORCE_UNITS
    if pieces_before(end, at, whole, 1) > pieces_before(begin, at, whole, 1):
        trigger_spikes(model, ahead, time)
        gather_external_forces(model, ahead, time, span)
    at += whole
    first, last = pieces_before(begin, at, HINGE_UNITS, hinges), pieces_before(end, at, HINGE_UNITS, hinges)
    set_zones(model, ahead, time, first, last)
    set_angles(model, ahead, first, last)
    at += hinges * HINGE_UNITS
    first, last = pieces_before(begin, at, PART_UNITS, links), pieces_before(end, at, PART_UNITS, links)
    set_slow_parts(model, ahead, first, last)
    at += links * PART_UNITS
    first, last = pieces_before(begin, at, GATHER_UNITS, links), pieces_before(end, at, GATHER_UNITS, links)
    gather_links(model, ahead, first, last)


@function
def turned_links(model, done, ratio):
    """How many links were turned to the beginning of the cycle, `done` steps into it."""
    return pieces_before(done * slow_units(model) // ratio, 0, TURN_UNITS, model.parent.shape[0])


@outlined
def begin_cycle(model, state, span):
    """Foresees where the figure will be when the cycle ends."""
    h = constant(load(state.band, 0), span)
    half = constant(h, 0.5)
    for i in range(model.parent.shape[0]):
        now = load_vec3(state.angular_velocity, 3 * i)
        gained = now - load_vec3(state.last_spin, 3 * i)
        store_vec3(state.last_spin, 3 * i, now)
        store_vec3(state.foreseen_rotation, 3 * i, (now + gained * half) * h)
        store_vec3(state.next_spin, 3 * i, now + gained)
    v = load_vec3(state.velocity, 0)
    gained = v - load_vec3(state.last_velocity, 0)
    store_vec3(state.last_velocity, 0, v)
    store_vec3(state.next_velocity, 0, v + gained)
    store_vec3(state.next_position, 0, load_vec3(state.position, 0) + (v + gained * half) * h)


@outlined
def begin_run(model, state):
    """Nothing was before."""
    for i in range(model.parent.shape[0]):
        store_vec3(state.last_spin, 3 * i, load_vec3(state.angular_velocity, 3 * i))
    store_vec3(state.last_velocity, 0, load_vec3(state.velocity, 0))


@outlined
def end_cycle(model, state, span):
    """The root moves, the small rotations are handed on to be worked in, the new coefficients come into use."""
    move_root(state, span)
    zero = constant(load(state.band, 0), 0.0)
    for k in range(3 * model.parent.shape[0]):
        turned = load(state.small_rotation, k)
        store(state.late_rotation, k, turned)
        store(state.lag_rotation, k, turned - load(state.foreseen_rotation, k))
        store(state.small_rotation, k, zero)
    for i in range(model.parent.shape[0]):
        for k in range(i * slot.BAND_SIZE, i * slot.BAND_SIZE + slot.SLOW_SIZE):
            store(state.band, k, load(state.next_band, k))
