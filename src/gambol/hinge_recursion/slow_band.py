"""The slow band: what changes slowly, computed once every ν fast steps (15)–(22), and the rotation update (34)–(38).

Sums over the children of a link are gathered by the children: each adds its share to its parent. With
A = Σ W − m c̃ the source's (19) and (20) read K = T A and M = Σ Q − m 1 + Aᵀ K, because Q is symmetric and
hence Q l̃ = −Wᵀ.
"""

import gambol.hinge_recursion.arrays as slot
from gambol.hinge_recursion.external_forces import gather_external_forces, trigger_spikes
from gambol.hinge_recursion.torque import set_angles, set_zones
from gambol.jit import function, outlined
from gambol.math.memory import (
    add_sym3,
    add_vec3,
    load_mat3,
    load_quat,
    load_sym3,
    load_vec3,
    store_mat3,
    store_quat,
    store_sym3,
    store_vec3,
)
from gambol.math.rotation import frame_of, turned_locally
from gambol.math.scalar import constant, load, store
from gambol.math.vector import (
    Mat3,
    Sym3,
    columns,
    cross,
    dot,
    inverse,
    product,
    rotated,
    skew,
    transposed_times,
    zero3,
)


@function
def transposed_product(a, b):
    """aᵀ b."""
    return Mat3(transposed_times(a, b.x), transposed_times(a, b.y), transposed_times(a, b.z))


@function
def tilde_times(l, a):
    """l̃ a."""
    return Mat3(cross(l, a.x), cross(l, a.y), cross(l, a.z))


@outlined
def set_link_frames(model, state, first, last):
    """Outward: rotation matrices (36), a_c (15); clears what the inward pass and the external forces add to."""
    W = state.band
    zero = constant(load(W, 0), 0.0)
    for i in range(first, last):
        b, p = i * slot.BAND_SIZE, model.parent[i]
        frame = frame_of(load_quat(state.orientation, 4 * i))
        store_mat3(W, b + slot.TO_WORLD, frame)
        for k in range(slot.SUM_WLL, slot.EXTERNAL_TORQUE + 3):
            store(W, b + k, zero)
        if p >= 0:
            store_mat3(
                W, b + slot.TO_PARENT, transposed_product(load_mat3(W, p * slot.BAND_SIZE + slot.TO_WORLD), frame)
            )  # (36)
            omega, l = (
                load_vec3(state.angular_velocity, 3 * p),
                load_vec3(model.links, i * slot.LINK_SIZE + slot.LINK_ARM),
            )
            store_vec3(W, b + slot.CENTRIPETAL, cross(omega, cross(omega, l)))  # (15)


@outlined
def set_slow_parts(model, state, first, last):
    """Slow parts of g_Σ (21) and f_Σ (22); with zero ω, what is left is weight and what acts from outside."""
    W = state.band
    gravity = load_vec3(model.gravity, 0)
    for i in range(first, last):
        b, c = i * slot.BAND_SIZE, i * slot.LINK_SIZE
        frame, omega = load_mat3(W, b + slot.TO_WORLD), load_vec3(state.angular_velocity, 3 * i)
        moment = load_vec3(model.links, c + slot.LINK_MOMENT)
        fall = transposed_times(frame, gravity)
        store_vec3(
            W,
            b + slot.TORQUE_SLOW,
            transposed_times(frame, load_vec3(W, b + slot.EXTERNAL_TORQUE))
            + cross(moment, fall)
            - cross(omega, load_sym3(model.links, c + slot.LINK_TENSOR) @ omega),
        )  # (21)
        store_vec3(
            W,
            b + slot.FORCE_SLOW,
            transposed_times(frame, load_vec3(W, b + slot.EXTERNAL_FORCE))
            + fall * load(model.links, c + slot.LINK_MASS)
            - cross(omega, cross(omega, moment)),
        )  # (22)


@outlined
def gather_links(model, state, first, last):
    """Inward: T, K, M of each link, and Q, W into its parent's sums (16)–(20); counted from the last link."""
    W, C = state.band, model.links
    zero = constant(load(W, 0), 0.0)
    end = model.parent.shape[0] - 1
    for i in range(end - first, end - last, -1):
        b, c, p = i * slot.BAND_SIZE, i * slot.LINK_SIZE, model.parent[i] * slot.BAND_SIZE
        m = zero + load(C, c + slot.LINK_MASS)
        turning = inverse(load_sym3(C, c + slot.LINK_TENSOR) + load_sym3(W, b + slot.SUM_WLL))  # T (18)
        A = load_mat3(W, b + slot.SUM_W) - skew(load_vec3(C, c + slot.LINK_MOMENT), zero)
        gain = product(columns(turning), A)  # K (19)
        AK = Sym3(
            dot(A.x, gain.x), dot(A.y, gain.y), dot(A.z, gain.z), dot(A.x, gain.y), dot(A.x, gain.z), dot(A.y, gain.z)
        )
        mass = load_sym3(W, b + slot.SUM_Q) - Sym3(m, m, m, zero, zero, zero) + AK  # M (20)
        store_sym3(W, b + slot.BAND_T, turning)
        store_mat3(W, b + slot.BAND_K, gain)
        store_sym3(W, b + slot.BAND_M, mass)
        if i > 0:
            l = load_vec3(C, c + slot.LINK_ARM)
            Q = rotated(load_mat3(W, b + slot.TO_PARENT), mass)  # (16)
            WQ = tilde_times(l, columns(Q))  # (17)
            # W l̃ is symmetric: its rows are those of W crossed with l
            x, y, z = WQ.x, WQ.y, WQ.z
            add_sym3(
                W,
                p + slot.SUM_WLL,
                Sym3(
                    y.x * l.z - z.x * l.y,
                    z.y * l.x - x.y * l.z,
                    x.z * l.y - y.z * l.x,
                    z.x * l.x - x.x * l.z,
                    x.x * l.y - y.x * l.x,
                    x.y * l.y - y.y * l.x,
                ),
            )
            add_vec3(W, p + slot.SUM_W, WQ.x)
            add_vec3(W, p + slot.SUM_W + 3, WQ.y)
            add_vec3(W, p + slot.SUM_W + 6, WQ.z)
            add_sym3(W, p + slot.SUM_Q, Q)
            # The terms in Q a_c of (24) and (25) belong to the slow band.
            carried = Q @ load_vec3(W, b + slot.CENTRIPETAL)
            add_vec3(W, p + slot.FORCE_SLOW, carried)
            add_vec3(W, p + slot.TORQUE_SLOW, cross(l, carried))


@function
def slow_band(model, state, time, span, arming):
    """Everything that the fast steps of the coming `span` [s] need; with `arming`, conditional spikes may begin."""
    links, hinges = model.parent.shape[0], model.hinges.shape[0]
    set_link_frames(model, state, 0, links)
    if arming:
        trigger_spikes(model, state, time)
    gather_external_forces(model, state, time, span)
    set_zones(model, state, time, 0, hinges)
    set_angles(model, state, 0, hinges)
    set_slow_parts(model, state, 0, links)
    gather_links(model, state, 0, links)


@outlined
def turn_links(state, rotation, first, last):
    """Rotation update on the group by small rotations (34), (35): the exponential replaces 1 + δũ and
    orthonormalisation."""
    for i in range(first, last):
        turn = load_vec3(rotation, 3 * i)
        store_quat(state.orientation, 4 * i, turned_locally(load_quat(state.orientation, 4 * i), turn))


@outlined
def move_root(state, span):
    """The root's velocity and position (37), (38).

    Its accelerations were found in its axes at the slow band, so those axes take δv to the world.
    """
    zero = zero3(load(state.angular_velocity, 0))
    frame = load_mat3(state.band, slot.TO_WORLD)
    v, h = load_vec3(state.velocity, 0), constant(zero.x, span)
    store_vec3(state.position, 0, load_vec3(state.position, 0) + v * h + frame @ load_vec3(state.root_change, 3))
    store_vec3(state.velocity, 0, v + frame @ load_vec3(state.root_change, 0))
    store_vec3(state.root_change, 0, zero)
    store_vec3(state.root_change, 3, zero)


@outlined
def forget_rotations(rotation):
    """Small rotations begin anew."""
    zero = constant(load(rotation, 0), 0.0)
    for k in range(rotation.shape[0]):
        store(rotation, k, zero)


@function
def integrate_rotations(model, state, span):
    """After the fast steps: the root moves and every link turns (34)–(38)."""
    move_root(state, span)
    turn_links(state, state.small_rotation, 0, model.parent.shape[0])
    forget_rotations(state.small_rotation)
