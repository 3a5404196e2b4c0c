"""What Python calls: the two-band schedule over many steps, the solution at one instant, and readings of a state."""

from gambol.hinge_recursion.arrays import (
    ARM,
    BAND,
    ELASTIC,
    FORCE,
    GRAVITATIONAL,
    HELD,
    HINGE_LINK,
    KIND,
    KINETIC,
    LIFT,
    LINK,
    MASS,
    MOMENT,
    MOMENTUM,
    ON_LINK,
    PARAMS,
    PLACE,
    POINT,
    READ,
    SPEED_OF,
    SPIKE,
    SPIN_MOMENTUM,
    STIFFNESS,
    TARGET,
    TARGET_TURN,
    TENSOR,
    TO_WORLD,
    TOTALS,
    TURN_STIFFNESS,
)
from gambol.hinge_recursion.fast_band import advance_links, fast_band, hinge_force
from gambol.hinge_recursion.group import rotation_vector
from gambol.hinge_recursion.outside import point_motion
from gambol.hinge_recursion.slow_band import place_links, slow_band, turn_links
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
            turn_links(model, state, ratio * dt)


@entry
def settle(model, state, dt, ratio):
    """Brings rotations and the root up to date between two slow bands; for a copy that will only be looked at."""
    done = state.clock[0] % ratio
    if done > 0:
        turn_links(model, state, done * dt)


@entry
def solve(model, state, time, span, forces):
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
        c, p = i * LINK, model.parent[i]
        x, v = load_vec3(state.position, 0), load_vec3(state.velocity, 0)
        if p >= 0:
            R, l = load_mat3(W, p * BAND + TO_WORLD), load_vec3(model.links, c + ARM)
            x = load_vec3(places, p * READ + PLACE) + R @ l
            v = load_vec3(places, p * READ + SPEED_OF) + R @ cross(load_vec3(state.spin, 3 * p), l)
        store_vec3(places, i * READ + PLACE, x)
        store_vec3(places, i * READ + SPEED_OF, v)
        R, omega = load_mat3(W, i * BAND + TO_WORLD), load_vec3(state.spin, 3 * i)
        m, moment = load(model.links, c + MASS), load_vec3(model.links, c + MOMENT)
        Jw = load_sym3(model.links, c + TENSOR) @ omega
        swing = cross(omega, moment)  # momentum of the turning about the hinge
        impulse = v * m + R @ swing
        local = transposed_times(R, v)
        add_to(totals, KINETIC, (dot(v, v) * m + dot(omega, Jw)) * half + dot(local, swing))
        add_to(totals, GRAVITATIONAL, -(dot(x, gravity) * m + dot(R @ moment, gravity)))
        add_vec3(totals, MOMENTUM, impulse)
        add_vec3(totals, SPIN_MOMENTUM, cross(x, impulse) + R @ (Jw + cross(moment, local)))


@function
def held_energy(model, state, e):
    """Energy of a support [J]: what a hold stores, or a lift's force times minus its height."""
    P, k, i = model.params, e * PARAMS, model.outside[e, ON_LINK]
    x, _, _ = point_motion(model, state, i, load_vec3(P, k + POINT))
    if model.outside[e, KIND] == LIFT:
        return -dot(x, load_vec3(P, k + FORCE))
    off = x - load_vec3(P, k + TARGET)
    turn = rotation_vector(quat_product(conjugate(load_quat(P, k + TARGET_TURN)), load_quat(state.turn, 4 * i)))
    return dot(off, off) * (0.5 * P[k + STIFFNESS]) + dot(turn, turn) * (0.5 * P[k + TURN_STIFFNESS])


@entry
def read_motion(model, state, time, places, totals):
    """Positions and velocities of the hinges, energies [J], momentum and angular momentum about the world's origin."""
    zero = constant(load(state.band, 0), 0.0)
    place_links(model, state)
    set_zones(model, state, time)
    set_angles(model, state)
    for k in range(TOTALS):
        store(totals, k, zero)
    read_links(model, state, places, totals)
    for h in range(model.hinges.shape[0]):
        add_to(totals, ELASTIC, stored_energy(state.band, model.hinges[h, HINGE_LINK] * BAND))
    for e in range(model.outside.shape[0]):
        if model.outside[e, KIND] != SPIKE:
            add_to(totals, HELD, held_energy(model, state, e))
