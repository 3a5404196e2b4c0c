"""Identities that hold for every mechanism: random trees of 1 to 40 bodies, every joint type and root."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gambol import (
    Anchor,
    Boundary,
    Figure,
    FigureError,
    JointSpring,
    Mechanics,
    Placement,
    PointForce,
    Simulation,
    Stepping,
    World,
    chain,
    mirror_positions,
    random_figure,
    random_positions,
    reroot_positions,
)
from trees import close, derivative, examples, gradient, seeds, tree

GRAVITY = np.array([0.3, -1.7, -9.81])
FINE = 1e-8  # against finite differences


def moved(mechanics, q, v):
    """The path of positions along which the speeds are v for ever."""
    return lambda t: mechanics.displaced(q, t * v)


def acceleration(world, q, v, command):
    sim = Simulation(world)
    sim.reset(q, v)
    sim.command = command
    return sim.acceleration


# ---------------------------------------------------------------- mass matrix and energy
@examples(60)
@given(seeds)
def test_mass_matrix(seed):
    """½vᵀMv is the kinetic energy; M is the matrix of inverse dynamics, symmetric and positive definite."""
    t = tree(seed, passive=True)
    m = Mechanics(t.figure, GRAVITY)
    M = m.mass_matrix(t.q)
    energy = m.energies(t.q, t.v)["kinetic"]
    close(0.5 * t.v @ M @ t.v, energy)
    armature = np.array([m.layout.armature[k] for k in m.layout.speed_order])
    close(m.kinetic_energy(t.q, t.v), energy - 0.5 * t.v @ (armature * t.v))
    rest = m.inverse(t.q)
    columns = np.array([m.inverse(t.q, None, e) - rest for e in np.eye(m.speeds)]).T
    close(columns, M, scale=np.abs(rest).max())
    close(M, M.T, 1e-15)
    assert np.linalg.eigvalsh(M).min() > 0.0


@examples(60)
@given(seeds)
def test_inverse_and_forward_dynamics_are_inverse(seed):
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    M, bias = m.mass_matrix(t.q), m.bias(t.q, t.v)
    scale = max(np.abs(bias).max(), np.abs(M).max() * np.abs(a).max())
    close(m.inverse(t.q, t.v, a), t.tau, scale=scale)
    close(M @ a + bias, t.tau, scale=scale)
    close(a, np.linalg.solve(M, t.tau - bias), 1e-14 * max(np.linalg.cond(M), 1e4))


@examples(60)
@given(seeds)
def test_inertia_changes_as_the_coriolis_forces_say(seed):
    """Ṁ = C + Cᵀ, that is, Ṁ − 2C is skew, where C v + gravity is the bias."""
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    frames, velocities = m.frames(t.q), m.velocities(t.q, t.v)
    C = np.zeros((m.speeds, m.speeds))
    for body in t.figure.bodies:
        mass, name = body.mass_properties, f"{t.figure.name}/{body.name}"
        I = frames[name] @ mass.tensor @ frames[name].T
        J, rate = m.jacobian(t.q, body.name, mass.centre), m.jacobian_rate(t.q, t.v, body.name, mass.centre)
        turn = np.cross(velocities[name][:3], I, axisb=0, axisc=0)  # [ω]× I
        C += mass.mass * J[3:].T @ rate[3:] + J[:3].T @ (I @ rate[:3] + turn @ J[:3])
    close(C @ t.v + m.gravity_torque(t.q), m.bias(t.q, t.v))
    path, scale = moved(m, t.q, t.v), np.abs(m.mass_matrix(t.q)).max()
    change = derivative(lambda s: m.mass_matrix(path(s)))
    close(change, C + C.T, FINE, scale)
    skew = change - 2.0 * C
    close(skew, -skew.T, FINE, scale)
    close(t.v @ skew @ t.v, 0.0, FINE, scale * (t.v @ t.v))


@examples(80)
@given(seeds)
def test_gravity_torque_is_the_gradient_of_potential_energy(seed):
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    slope = gradient(lambda d: m.potential_energy(m.displaced(t.q, d)), m.speeds)
    close(m.gravity_torque(t.q), slope, FINE)
    close(m.potential_energy(t.q), -m.mass * GRAVITY @ m.centre_of_mass(t.q))


# ---------------------------------------------------------------- kinematics
@examples(80)
@given(seeds)
def test_point_velocity_and_acceleration(seed):
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    body, at = t.body, t.rng.normal(size=3)
    path = moved(m, t.q, t.v)
    J, rate = m.jacobian(t.q, body, at), m.jacobian_rate(t.q, t.v, body, at)
    there = m.velocities(t.q, t.v)[f"{t.figure.name}/{body}"]
    arm = m.frames(t.q)[f"{t.figure.name}/{body}"] @ at
    close(J @ t.v, [*there[:3], *(there[3:] + np.cross(there[:3], arm))])
    close(J[3:] @ t.v, derivative(lambda s: m.point(path(s), body, at)), FINE)
    turn = (
        derivative(lambda s: m.frames(path(s))[f"{t.figure.name}/{body}"]) @ m.frames(t.q)[f"{t.figure.name}/{body}"].T
    )
    close(J[:3] @ t.v, [turn[2, 1], turn[0, 2], turn[1, 0]], FINE)
    scale = np.abs(rate).max()
    close(derivative(lambda s: m.jacobian(path(s), body, at)), rate, FINE, scale)
    close(rate @ t.v, m.bias_acceleration(t.q, t.v, body, at), scale=scale)


@examples(60)
@given(seeds)
def test_frames_are_those_of_the_figure(seed):
    t = tree(seed)
    m = Mechanics(t.figure)
    poses, frames, origins = t.figure.poses(t.q), m.frames(t.q), m.origins(t.q)
    for name, pose in poses.items():
        close(frames[f"{t.figure.name}/{name}"], pose.matrix, 1e-12)
        close(origins[f"{t.figure.name}/{name}"], pose.position, 1e-12, scale=1.0)
    whole = t.figure.mass_properties(t.q)
    close(m.centre_of_mass(t.q), whole.centre, 1e-12, scale=1.0)
    close(m.mass, whole.mass)


@examples(60)
@given(seeds)
def test_centre_of_mass_carries_the_momentum(seed):
    t = tree(seed)
    m = Mechanics(t.figure)
    J, path = m.centre_of_mass_jacobian(t.q), moved(m, t.q, t.v)
    close(J @ t.v, m.momentum(t.q, t.v)[3:] / m.mass)
    close(J @ t.v, derivative(lambda s: m.centre_of_mass(path(s))), FINE)


# ---------------------------------------------------------------- balance of momentum and energy
@examples(80)
@given(seeds)
def test_momentum_and_energy_change_by_what_acts(seed):
    """Rate of momentum = gravity + external wrenches + reactions; rate of energy = their power and the joints'."""
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    acc = t.rng.normal(size=m.speeds)
    outside = {name: t.rng.normal(0.0, 5.0, 6) for name in {t.body, t.body}}
    path = moved(m, t.q, t.v)
    rate = derivative(lambda s: m.momentum(path(s), t.v)) + m.momentum(t.q, acc)
    origins, velocities = m.origins(t.q), m.velocities(t.q, t.v)
    root = f"{t.figure.name}/{t.figure.root.name}"
    reactions = m.reactions(t.q, t.v, acc, outside)
    total = np.zeros(6)
    power = t.v @ m.inverse(t.q, t.v, acc, outside)
    for name, wrench in (*outside.items(), (None, reactions[root])):
        full = root if name is None else f"{t.figure.name}/{name}"
        total += [*(wrench[:3] + np.cross(origins[full], wrench[3:])), *wrench[3:]]
        power += wrench @ velocities[full] if name else 0.0
    weight = m.mass * GRAVITY
    total += [*np.cross(m.centre_of_mass(t.q), weight), *weight]
    scale = max(np.abs(total).max(), np.abs(weight).max())
    close(rate, total, FINE, scale)

    def energy(s):
        return m.kinetic_energy(path(s), t.v + s * acc) + m.potential_energy(path(s))

    close(derivative(energy), power, FINE, scale=max(abs(energy(0.0)), np.abs(m.bias(t.q, t.v)).max()))


@examples(60)
@given(seeds)
def test_reactions_hold_every_body(seed):
    """Newton and Euler for every body: its reaction, less its children's, gravity and pushes make its motion."""
    t = tree(seed)
    m = Mechanics(t.figure, GRAVITY)
    acc, name = t.rng.normal(size=m.speeds), t.figure.name
    outside = {t.body: t.rng.normal(0.0, 5.0, 6)}
    reactions = m.reactions(t.q, t.v, acc, outside)
    origins, frames, velocities = m.origins(t.q), m.frames(t.q), m.velocities(t.q, t.v)
    tau = m.inverse(t.q, t.v, acc, outside)
    for body in t.figure.bodies:
        full, mass = f"{name}/{body.name}", body.mass_properties
        bias = m.bias_acceleration(t.q, t.v, body.name, mass.centre)
        motion = m.jacobian(t.q, body.name, mass.centre) @ acc + bias
        I, omega = frames[full] @ mass.tensor @ frames[full].T, velocities[full][:3]
        force = mass.mass * (motion[3:] - GRAVITY)
        arm = frames[full] @ np.asarray(mass.centre)
        torque = I @ motion[:3] + np.cross(omega, I @ omega) + np.cross(arm, force)
        given_ = reactions[full] + outside.get(body.name, 0.0)
        for child in t.figure.children(body.name):
            wrench = reactions[f"{name}/{child.name}"]
            reach = origins[f"{name}/{child.name}"] - origins[full]
            given_ = given_ - [*(wrench[:3] + np.cross(reach, wrench[3:])), *wrench[3:]]
        close(given_, [*torque, *force], scale=max(np.abs(r).max() for r in reactions.values()))
        own = m.layout.speed_slices[full]
        columns = m.jacobian(t.q, body.name)[:, own]
        close(columns.T @ reactions[full], tau[own], scale=np.abs(reactions[full]).max())


# ---------------------------------------------------------------- what must not matter
@examples(60)
@given(seeds)
def test_listing_order_does_not_matter(seed):
    t = tree(seed)
    shuffled = Figure("shuffled", tuple(t.rng.permutation(np.array(t.figure.bodies, object))))

    def mapped(values, old, new):
        out = np.empty_like(values)
        for name, where in old.items():
            out[new[name]] = values[where]
        return out

    q = mapped(t.q, t.figure.position_slices, shuffled.position_slices)
    v, tau = (mapped(x, t.figure.speed_slices, shuffled.speed_slices) for x in (t.v, t.tau))
    here, there = Mechanics(t.figure, GRAVITY), Mechanics(shuffled, GRAVITY)
    close(here.kinetic_energy(t.q, t.v), there.kinetic_energy(q, v))
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    b = acceleration(World(shuffled, GRAVITY), q, v, tau)
    close(mapped(a, t.figure.speed_slices, shuffled.speed_slices), b)


@examples(60)
@given(seeds)
def test_root_does_not_matter(seed):
    """The same mechanism hung from another link: speeds v' = T v, M = Tᵀ M' T, and every body accelerates alike."""
    t = tree(seed, root="free")
    name = t.body
    other = t.figure.reroot(name)
    q = reroot_positions(t.figure, name, t.q)
    here, there = Mechanics(t.figure, GRAVITY), Mechanics(other, GRAVITY)

    def centres(m, figure, positions, what):
        return np.concatenate([what(m, positions, b.name, b.mass_properties.centre) for b in figure.bodies])

    jacobian = lambda m, positions, *point: m.jacobian(positions, *point)
    J, J2 = centres(here, t.figure, t.q, jacobian), centres(there, other, q, jacobian)
    T = np.linalg.lstsq(J2, J, rcond=None)[0]
    close(J2 @ T, J, 1e-9)
    v, tau = T @ t.v, np.linalg.solve(T.T, t.tau)
    close(T.T @ there.mass_matrix(q) @ T, here.mass_matrix(t.q))
    close(here.momentum(t.q, t.v), there.momentum(q, v))
    close(here.centre_of_mass(t.q), there.centre_of_mass(q), scale=1.0)
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    a2 = acceleration(World(other, GRAVITY), q, v, tau)
    bias = centres(here, t.figure, t.q, lambda m, x, *point: m.bias_acceleration(x, t.v, *point))
    bias2 = centres(there, other, q, lambda m, x, *point: m.bias_acceleration(x, v, *point))
    close(J @ a + bias, J2 @ a2 + bias2, 1e-8)


@examples(60)
@given(seeds)
def test_direction_of_the_world_does_not_matter(seed):
    """Root placement and gravity turned together: the same coordinates accelerate alike, and momentum turns."""
    t = tree(seed)
    turn = Placement.about(t.rng.normal(size=3), t.rng.uniform(-3.0, 3.0), t.rng.normal(size=3))
    root = t.figure.root
    turned = t.figure.replace(root.name, placement=turn.compose(root.placement))
    gravity = turn.turn(GRAVITY)
    here, there = Mechanics(t.figure, GRAVITY), Mechanics(turned, gravity)
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    close(a, acceleration(World(turned, gravity), t.q, t.v, t.tau))
    close(here.mass_matrix(t.q), there.mass_matrix(t.q))
    close(turn.matrix @ here.momentum(t.q, t.v)[3:], there.momentum(t.q, t.v)[3:])
    close(here.gravity_torque(t.q), there.gravity_torque(t.q))


@examples(40)
@given(seeds)
def test_pose_of_a_free_root_only_turns_its_motion(seed):
    t = tree(seed, root="free")
    figure = t.figure.replace("b0", placement=Placement())
    R = Rotation.from_quat(t.rng.normal(size=4), scalar_first=True)
    q, v, tau = t.q.copy(), t.v.copy(), t.tau.copy()
    q[:3] = R.apply(q[:3]) + t.rng.normal(size=3)
    q[3:7] = (R * Rotation.from_quat(q[3:7], scalar_first=True)).as_quat(scalar_first=True)
    for x in (v, tau):
        x[:6] = R.apply(x[:6].reshape(2, 3)).ravel()
    a = acceleration(World(figure, GRAVITY), t.q, t.v, t.tau).copy()
    b = acceleration(World(figure, R.apply(GRAVITY)), q, v, tau)
    a[:6] = R.apply(a[:6].reshape(2, 3)).ravel()
    close(a, b)


def mirror_signs(figure):
    """Signs of the speeds in the mirror image."""
    signs = {"cylindrical": (-1, 1), "ball": (-1, 1, -1), "free": (-1, 1, -1, 1, -1, 1)}
    return np.array([s for b in figure.order for s in signs.get(b.joint.type, (1,) * b.joint.speeds)], float)


@examples(60)
@given(seeds)
def test_mirror_image_moves_as_the_mirror_image(seed):
    t = tree(seed)
    image = t.figure.mirror()
    signs, gravity = mirror_signs(t.figure), GRAVITY * (1, -1, 1)
    q = mirror_positions(t.figure, t.q)
    here, there = Mechanics(t.figure, GRAVITY), Mechanics(image, gravity)
    close(here.mass_matrix(t.q) * np.outer(signs, signs), there.mass_matrix(q))
    close(here.potential_energy(t.q), there.potential_energy(q), scale=1.0)
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    close(signs * a, acceleration(World(image, gravity), q, signs * t.v, signs * t.tau))


def powers_of_length(figure):
    """1 for coordinates that are lengths, else 0: of positions, and of speeds."""
    positions = {"slide": (1,), "cylindrical": (1, 0), "planar": (1, 1, 0), "free": (1, 1, 1, 0, 0, 0, 0)}
    speeds = {**positions, "free": (0, 0, 0, 1, 1, 1)}
    one = [x for b in figure.order for x in positions.get(b.joint.type, (0,) * b.joint.positions)]
    two = [x for b in figure.order for x in speeds.get(b.joint.type, (0,) * b.joint.speeds)]
    return np.array(one, float), np.array(two, float)


@examples(60)
@given(seeds, st.sampled_from((0.1, 3.0)), st.sampled_from((0.5, 20.0)))
def test_froude_scaling(seed, length, mass):
    """Lengths × λ, masses × μ, times × √λ: accelerations of lengths are the same, of angles 1/λ."""
    t = tree(seed)
    scaled = t.figure.scaled(length, mass)
    lengths, moves = powers_of_length(t.figure)
    q, v = t.q * length**lengths, t.v * length ** (moves - 0.5)
    tau = t.tau * mass * length ** (1.0 - moves)
    a = acceleration(World(t.figure, GRAVITY), t.q, t.v, t.tau)
    close(a, acceleration(World(scaled, GRAVITY), q, v, tau) * length ** (1.0 - moves))
    energy = Mechanics(t.figure, GRAVITY).energies(t.q, t.v)
    for name, value in Mechanics(scaled, GRAVITY).energies(q, v).items():
        close(value, energy[name] * mass * length, scale=mass * length)


def test_froude_scaling_of_a_run_with_springs():
    t = tree(4, 6, "hinge", ("hinge", "slide", "universal", "ball"), passive=True)
    length = 4.0
    figure = Figure("bare", tuple(replace(b, joint=replace(b.joint, range=None)) for b in t.figure.bodies))
    scaled = figure.scaled(length, 3.0)
    lengths, moves = powers_of_length(figure)
    stepping = Stepping(method="rkf45", eps=1e-11)
    small, large = (Simulation(World(f), stepping=stepping) for f in (figure, scaled))
    small.reset(t.q, t.v)
    large.reset(t.q * length**lengths, t.v * length ** (moves - 0.5))
    small.run(0.3)
    large.run(0.3 * np.sqrt(length))
    close(small.q * length**lengths, large.q, 1e-8)
    close(small.v * length ** (moves - 0.5), large.v, 1e-8)


def test_shift_of_time_does_not_matter():
    t = tree(5, 6, "free")
    ends = []
    for start in (0.0, 12.5):
        push = PointForce(body="b3", force=(30.0, 0.0, 10.0), start=start + 0.0203, duration=0.05, period=0.1101)
        sim = Simulation(World(t.figure, forces=(push,)), stepping=Stepping(method="rk4", step=1e-3))
        sim.reset(t.q, t.v, time=start)
        sim.run(0.2)
        assert sim.time == pytest.approx(start + 0.2, abs=1e-12)
        ends.append((sim.q, sim.v))
    close(ends[0][0], ends[1][0], 1e-10)
    close(ends[0][1], ends[1][1], 1e-10)
    still = Simulation(World(t.figure), stepping=Stepping(method="rk4", step=1e-3))
    still.reset(t.q, t.v)
    still.run(0.2)
    assert np.abs(still.v - ends[0][1]).max() > 1e-2  # the push was felt


@examples(30)
@given(seeds)
def test_figures_in_one_world_move_as_each_alone(seed):
    parts = [tree(seed + k, bodies=1 + (seed + 5 * k) % 12) for k in range(3)]
    figures = [Figure(f"figure{k}", t.figure.bodies) for k, t in enumerate(parts)]
    q, v, tau = (np.concatenate([getattr(t, x) for t in parts]) for x in ("q", "v", "tau"))
    a = acceleration(World(figures, GRAVITY), q, v, tau)
    alone = [acceleration(World(f, GRAVITY), t.q, t.v, t.tau) for f, t in zip(figures, parts)]
    close(a, np.concatenate(alone))
    together = Mechanics(figures, GRAVITY)
    M = together.mass_matrix(q)
    start = 0
    for figure, t in zip(figures, parts):
        own = slice(start, start + t.figure.speeds)
        close(M[own, own], Mechanics(figure, GRAVITY).mass_matrix(t.q))
        assert not M[own, own.stop :].any()
        start = own.stop
    close(together.mass, sum(f.mass for f in figures))


# ---------------------------------------------------------------- weld and remove
@examples(60)
@given(seeds)
def test_weld_is_a_joint_held_still(seed):
    """Forces on the welded body go on acting."""
    t = tree(seed, bodies=2 + seed % 12)
    name = str(t.rng.choice([b.name for b in t.figure.bodies if b.parent]))
    v, command = t.v.copy(), t.tau.copy()
    own = t.figure.speed_slices[name]
    v[own] = command[own] = 0.0
    held = t.figure.replace(name, joint=replace(t.figure[name].joint, driven=True))
    forces = (
        PointForce(body=name, force=(1.0, 2.0, 3.0), point=(0.1, 0.2, 0.3), axes="body"),
        PointForce(body=name, force=(-2.0, 1.0, 5.0), point=(0.3, 0.0, -0.1)),
        Anchor(body=name, place=(0.1, 0.5, 0.0), stiffness=30.0, damping=2.0, point=(-0.2, 0.1, 0.1)),
    )
    original = Simulation(World(t.figure, GRAVITY, forces=forces))
    original.reset(t.q, v)
    original.command = command
    welded = original.weld(name)
    assert name not in welded.world.figures[0] and len(welded.v) == len(v) - (own.stop - own.start)
    if not len(welded.v):
        return
    driven = acceleration(World(held, GRAVITY, forces=forces), t.q, v, command)
    close(welded.acceleration, np.delete(driven, own))
    M = original.mechanics.mass_matrix(t.q)
    close(welded.mechanics.mass_matrix(welded.q), np.delete(np.delete(M, own, 0), own, 1))
    close(welded.mechanics.momentum(welded.q, welded.v), original.mechanics.momentum(t.q, v))


def test_weld_keeps_watching_heights_and_forgets_the_joint():
    """What was on the body moves to its parent; springs and boundaries of the joint go with it."""
    boundaries = (
        Boundary(name="low", watch="height", body="chain_2", point=(0.0, 0.0, -1.0), value=-2.5, direction="falling"),
        Boundary(name="bent", watch="position", body="chain_2", value=0.5),
        Boundary(name="knee", watch="position", body="chain_1", value=-9.0),
    )
    spring = JointSpring(joint="chain_2", stiffness=1.0)
    sim = Simulation(World(chain(3), forces=(spring,), boundaries=boundaries))
    sim.reset((1.0, 0.0, 0.4))
    welded = sim.weld("chain_2")
    assert [b.name for b in welded.world.boundaries] == ["low", "knee"] and not welded.world.forces
    here, there = sim.world.boundaries[0], welded.world.boundaries[0]
    close(sim.mechanics.point(sim.q, here.body, here.point), welded.mechanics.point(welded.q, there.body, there.point))
    path = welded.run(1.0, stop=("low",))
    assert [e.name for e in path.events] == ["low"]
    assert welded.mechanics.point(welded.q, there.body, there.point)[2] == pytest.approx(-2.5, abs=1e-9)
    with pytest.raises(FigureError, match="1 position coordinates, not 2"):
        sim.world.weld("chain_2", (0.1, 0.2))
    with pytest.raises(FigureError, match="root"):
        sim.world.weld("chain_0")


@examples(30)
@given(seeds)
def test_remove_leaves_the_rest_as_it_was(seed):
    t = tree(seed, bodies=2 + seed % 12, root="free")
    name = str(t.rng.choice([b.name for b in t.figure.bodies if b.parent]))
    sim = Simulation(World(t.figure, GRAVITY, forces=(PointForce(body=name, force=(1.0, 2.0, 3.0)),)))
    sim.reset(t.q, t.v)
    sim.command = t.tau
    rest = sim.remove(name)
    gone = {name, *(b.name for b in t.figure.descendants(name))}
    figure = Figure("left", tuple(b for b in t.figure.bodies if b.name not in gone))
    assert rest.world.figures[0].names == figure.names and not rest.world.forces
    keep = np.concatenate([np.arange(len(t.v))[t.figure.speed_slices[b.name]] for b in figure.order])
    keep_q = np.concatenate([np.arange(len(t.q))[t.figure.position_slices[b.name]] for b in figure.order])
    close(rest.q, t.q[keep_q], 0.0)
    close(rest.v, t.v[keep], 0.0)
    close(rest.acceleration, acceleration(World(figure, GRAVITY), t.q[keep_q], t.v[keep], t.tau[keep]))


# ---------------------------------------------------------------- number types
@examples(8)
@given(seeds)
def test_pack_of_worlds_and_single_precision(seed):
    t = tree(seed)
    rng, count = t.rng, 5
    q = np.array([random_positions(rng, t.figure) for _ in range(count)])
    v, tau = rng.normal(size=(count, t.figure.speeds)), rng.normal(size=(count, t.figure.speeds))
    many = Simulation(World(t.figure, GRAVITY), worlds=count)
    many.reset(q, v)
    many.command = tau
    single = np.array([acceleration(World(t.figure, GRAVITY), *row) for row in zip(q, v, tau)])
    close(many.acceleration, single)
    condition = max(np.linalg.cond(Mechanics(t.figure).mass_matrix(row)) for row in q)
    rough = Simulation(World(t.figure, GRAVITY), worlds=count, dtype=np.float32)
    rough.reset(q, v)
    rough.command = tau
    assert rough.acceleration.dtype == np.float32
    close(rough.acceleration, single, 1e-6 * max(condition, 100.0))
    one = Simulation(World(t.figure, GRAVITY), dtype=np.float32)
    one.reset(q[0], v[0])
    one.command = tau[0]
    close(one.acceleration, single[0], 1e-6 * max(condition, 100.0))


def test_figure_without_freedom():
    figure = random_figure(3, 1, root="fixed")
    m = Mechanics(figure, GRAVITY)
    assert m.mass_matrix([]).shape == (0, 0) and m.kinetic_energy([], []) == 0.0
    close(m.centre_of_mass([]), figure.mass_properties().centre, scale=1.0)
    held = m.reactions([])[f"{figure.name}/b0"]
    close(held[3:], -figure.mass * GRAVITY)
    sim = Simulation(World(figure))
    sim.run(0.1)
    assert sim.time == 0.1 and sim.acceleration.shape == (0,)
