"""What Python calls: the two-band schedule over many steps, the solution at one instant, and readings of a state."""

import gambol.hinge_recursion.arrays as slot
from gambol.hinge_recursion.external_forces import point_motion
from gambol.hinge_recursion.fast_band import advance_links, fast_band, hinge_force
from gambol.hinge_recursion.rotation_vector import rotation_vector
from gambol.hinge_recursion.slow_band import (
    forget_rotations,
    integrate_rotations,
    set_link_frames,
    slow_band,
    turn_links,
)
from gambol.hinge_recursion.spreading import begin_cycle, begin_run, end_cycle, slow_part, slow_units, turned_links
from gambol.hinge_recursion.torque import set_angles, set_zones, stored_energy
from gambol.jit import entry, function, outlined
from gambol.math.memory import add_to, add_vec3, load_mat3, load_quat, load_sym3, load_vec3, store_vec3
from gambol.math.rotation import conjugate, quat_product
from gambol.math.scalar import constant, load, store
from gambol.math.vector import cross, dot, transposed_times


@entry
def run_steps(model, state, dt, ratio, steps):
    """Takes `steps` fast steps of `dt` [s]; the slow band runs whenever `ratio` (ν) of them have passed."""
    for _ in range(steps):
        now = state.clock[0]
        if now % ratio == 0:
            slow_band(model, state, now * dt, ratio * dt, True)
        fast_band(model, state)
        advance_links(model, state, dt)
        state.clock[0] = now + 1
        if (now + 1) % ratio == 0:
            integrate_rotations(model, state, ratio * dt)


@entry
def run_spread_steps(model, state, ahead, dt, ratio, steps):
    """As `run_steps`, with a ν-th part of the slow band beside every fast step.

    `ahead` is the state that is foreseen for the cycle to come, with the coefficients in the making for its own.
    """
    units, span = slow_units(model), ratio * dt
    for _ in range(steps):
        now = state.clock[0]
        done = now % ratio
        if now == 0:
            slow_band(model, state, 0.0, span, True)
            begin_run(model, state)
        if done == 0:
            begin_cycle(model, state, span)
        fast_band(model, state)
        advance_links(model, state, dt)
        time = (now - done) * dt + span
        slow_part(model, state, ahead, time, span, done * units // ratio, (done + 1) * units // ratio)
        state.clock[0] = now + 1
        if done + 1 == ratio:
            end_cycle(model, state, span)


@entry
def bring_up_to_date(model, state, dt, ratio, spread):
    """Brings rotations and the root up to date between two slow bands; for a copy that will only be looked at."""
    done = state.clock[0] % ratio
    if spread:
        turn_links(state, state.late_rotation, turned_links(model, done, ratio), model.parent.shape[0])
        forget_rotations(state.late_rotation)
        forget_rotations(state.lag_rotation)
    if done > 0:
        integrate_rotations(model, state, done * dt)


@entry
def solve_bands(model, state, time, span, forces):
    """Both bands once, no motion: accelerations in the band, hinge forces (31) in `forces` (link axes, on the parent).

    Spikes count as far as they cover the `span` [s] after `time` [s].
    """
    slow_band(model, state, time, span, False)
    fast_band(model, state)
    for i in range(model.parent.shape[0]):
        store_vec3(forces, 3 * i, hinge_force(state.band, i))


@outlined
def read_links(model, state, places, totals):
    """Hinge positions and velocities; kinetic energy, energy in gravity, momentum, angular momentum."""
    W, gravity = state.band, load_vec3(model.gravity, 0)
    half = constant(load(W, 0), 0.5)
    for i in range(model.parent.shape[0]):
        c, p = i * slot.LINK_SIZE, model.parent[i]
        x, v = load_vec3(state.position, 0), load_vec3(state.velocity, 0)
        if p >= 0:
            R, l = load_mat3(W, p * slot.BAND_SIZE + slot.TO_WORLD), load_vec3(model.links, c + slot.LINK_ARM)
            x = load_vec3(places, p * slot.HINGE_MOTION_SIZE + slot.HINGE_POSITION) + R @ l
            v = load_vec3(places, p * slot.HINGE_MOTION_SIZE + slot.HINGE_VELOCITY) + R @ cross(
                load_vec3(state.angular_velocity, 3 * p), l
            )
        store_vec3(places, i * slot.HINGE_MOTION_SIZE + slot.HINGE_POSITION, x)
        store_vec3(places, i * slot.HINGE_MOTION_SIZE + slot.HINGE_VELOCITY, v)
        R, omega = load_mat3(W, i * slot.BAND_SIZE + slot.TO_WORLD), load_vec3(state.angular_velocity, 3 * i)
        m, moment = load(model.links, c + slot.LINK_MASS), load_vec3(model.links, c + slot.LINK_MOMENT)
        Jw = load_sym3(model.links, c + slot.LINK_TENSOR) @ omega
        swing = cross(omega, moment)  # momentum of the turning about the hinge
        impulse = v * m + R @ swing
        local = transposed_times(R, v)
        add_to(totals, slot.KINETIC_ENERGY, (dot(v, v) * m + dot(omega, Jw)) * half + dot(local, swing))
        add_to(totals, slot.GRAVITATIONAL_ENERGY, -(dot(x, gravity) * m + dot(R @ moment, gravity)))
        add_vec3(totals, slot.LINEAR_MOMENTUM, impulse)
        add_vec3(totals, slot.ANGULAR_MOMENTUM, cross(x, impulse) + R @ (Jw + cross(moment, local)))


@function
def support_energy(model, state, e):
    """Energy of a support [J]: what a hold stores, or a lift's force times minus its height."""
    P, k, i = model.params, e * slot.FORCE_SIZE, model.external[e, slot.EXTERNAL_LINK]
    x, _, _ = point_motion(model, state, i, load_vec3(P, k + slot.FORCE_POINT))
    if model.external[e, slot.EXTERNAL_KIND] == slot.CONSTANT_FORCE_KIND:
        return -dot(x, load_vec3(P, k + slot.FORCE_VECTOR))
    off = x - load_vec3(P, k + slot.SUPPORT_TARGET)
    turn = rotation_vector(
        quat_product(conjugate(load_quat(P, k + slot.SUPPORT_TARGET_TURN)), load_quat(state.orientation, 4 * i))
    )
    return dot(off, off) * (0.5 * P[k + slot.SUPPORT_STIFFNESS]) + dot(turn, turn) * (
        0.5 * P[k + slot.SUPPORT_TURN_STIFFNESS]
    )


@entry
def read_motion(model, state, time, places, totals):
    """Positions and velocities of the hinges, energies [J], momentum and angular momentum about the world's origin."""
    zero = constant(load(state.band, 0), 0.0)
    set_link_frames(model, state, 0, model.parent.shape[0])
    set_zones(model, state, time, 0, model.hinges.shape[0])
    set_angles(model, state, 0, model.hinges.shape[0])
    for k in range(slot.TOTALS_SIZE):
        store(totals, k, zero)
    read_links(model, state, places, totals)
    for h in range(model.hinges.shape[0]):
        add_to(
            totals, slot.ELASTIC_ENERGY, stored_energy(state.band, model.hinges[h, slot.HINGE_LINK] * slot.BAND_SIZE)
        )
    for e in range(model.external.shape[0]):
        if model.external[e, slot.EXTERNAL_KIND] != slot.SPIKE_KIND:
            add_to(totals, slot.SUPPORT_ENERGY, support_energy(model, state, e))
