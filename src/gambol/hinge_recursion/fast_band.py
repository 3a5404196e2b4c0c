"""The fast band: hinge torques in, accelerations out, every δt (23)–(33).

With h = g_Σ + Σ l × f″ (all Q a_c terms came from the slow band), (24) is d = T h, and (25) becomes
f′ = f_Σ + Σ f″ + Kᵀ h, because (m c̃ − Σ Q l̃) d = Aᵀ T h = Kᵀ h.
"""

import gambol.hinge_recursion.arrays as slot
from gambol.hinge_recursion.torque import add_torque_functions
from gambol.jit import function, outlined
from gambol.math.memory import add_vec3, load_mat3, load_sym3, load_vec3, store_vec3
from gambol.math.scalar import constant, load
from gambol.math.vector import Vec3, cross, inverse, transposed_times


@outlined
def begin_torques(model, state):
    """Hinge torques start from commands and friction; the sums of the inward pass start from the slow parts."""
    W = state.band
    for i in range(model.parent.shape[0]):
        b, p = i * slot.BAND_SIZE, model.parent[i]
        torque = load_vec3(state.command, 3 * i)
        if p >= 0:
            beta = load_vec3(model.links, i * slot.LINK_SIZE + slot.LINK_FRICTION)
            carried = transposed_times(load_mat3(W, b + slot.TO_PARENT), load_vec3(state.angular_velocity, 3 * p))
            slip = load_vec3(state.angular_velocity, 3 * i) - carried
            torque = torque - Vec3(slip.x * beta.x, slip.y * beta.y, slip.z * beta.z)
        store_vec3(W, b + slot.HINGE_TORQUE, torque)
        store_vec3(W, b + slot.INNER_TORQUE, load_vec3(W, b + slot.TORQUE_SLOW))
        store_vec3(W, b + slot.INNER_FORCE, load_vec3(W, b + slot.FORCE_SLOW))


@outlined
def gather_forces(model, state):
    """Inward: d and f′ of each link, f″ and the hinge's reaction into its parent's sums (23)–(26)."""
    W = state.band
    for i in range(model.parent.shape[0] - 1, -1, -1):
        b, p = i * slot.BAND_SIZE, model.parent[i] * slot.BAND_SIZE
        torque = load_vec3(W, b + slot.HINGE_TORQUE)  # −g
        h = load_vec3(W, b + slot.INNER_TORQUE) + torque  # (23)
        force = load_vec3(W, b + slot.INNER_FORCE) + transposed_times(load_mat3(W, b + slot.BAND_K), h)  # f′ (25)
        store_vec3(W, b + slot.BAND_D, load_sym3(W, b + slot.BAND_T) @ h)  # (24)
        store_vec3(W, b + slot.FORCE_FREE, force)
        if i > 0:
            R = load_mat3(W, b + slot.TO_PARENT)
            handed = R @ force  # f″ (26)
            add_vec3(W, p + slot.INNER_FORCE, handed)
            add_vec3(
                W,
                p + slot.INNER_TORQUE,
                cross(load_vec3(model.links, i * slot.LINK_SIZE + slot.LINK_ARM), handed) - R @ torque,
            )


@outlined
def accelerate_links(model, state):
    """Outward: a and ω̇ (27)–(30)."""
    W = state.band
    a = -(inverse(load_sym3(W, slot.BAND_M)) @ load_vec3(W, slot.FORCE_FREE))  # (27)
    store_vec3(W, slot.HINGE_ACCELERATION, a)
    store_vec3(W, slot.SPIN_RATE, load_mat3(W, slot.BAND_K) @ a + load_vec3(W, slot.BAND_D))  # (28)
    for i in range(1, model.parent.shape[0]):
        b, p = i * slot.BAND_SIZE, model.parent[i] * slot.BAND_SIZE
        l = load_vec3(model.links, i * slot.LINK_SIZE + slot.LINK_ARM)
        a = (
            load_vec3(W, b + slot.CENTRIPETAL)
            + load_vec3(W, p + slot.HINGE_ACCELERATION)
            - cross(l, load_vec3(W, p + slot.SPIN_RATE))
        )
        a = transposed_times(load_mat3(W, b + slot.TO_PARENT), a)  # (29)
        store_vec3(W, b + slot.HINGE_ACCELERATION, a)
        store_vec3(W, b + slot.SPIN_RATE, load_mat3(W, b + slot.BAND_K) @ a + load_vec3(W, b + slot.BAND_D))  # (30)


@function
def fast_band(model, state):
    """Accelerations at the present hinge torques."""
    begin_torques(model, state)
    add_torque_functions(model, state)
    gather_forces(model, state)
    accelerate_links(model, state)


@outlined
def advance_links(model, state, dt):
    """ω and δu (32), (33), new ω first; the root's share of (37), (38) gathers in its own axes meanwhile."""
    W = state.band
    h = constant(load(W, 0), dt)
    for i in range(model.parent.shape[0]):
        omega = load_vec3(state.angular_velocity, 3 * i) + load_vec3(W, i * slot.BAND_SIZE + slot.SPIN_RATE) * h
        store_vec3(state.angular_velocity, 3 * i, omega)
        add_vec3(state.small_rotation, 3 * i, omega * h)
    gained = load_vec3(state.root_change, 0) + load_vec3(W, slot.HINGE_ACCELERATION) * h
    store_vec3(state.root_change, 0, gained)
    add_vec3(state.root_change, 3, gained * h)


@function
def hinge_force(W, i):
    """The force that a link exerts on its parent, link axes (31)."""
    b = i * slot.BAND_SIZE
    return load_sym3(W, b + slot.BAND_M) @ load_vec3(W, b + slot.HINGE_ACCELERATION) + load_vec3(W, b + slot.FORCE_FREE)
