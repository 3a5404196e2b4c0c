"""Couplings in the implicit step: (M + Jᵀ Z J) a = …, by dense algebra; momentum, fall, moving frames, convergence."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    METHODS,
    Around,
    Attachment,
    BodyContact,
    Cable,
    GroundContact,
    Join,
    Muscle,
    NoticeWarning,
    PairGravity,
    Placement,
    PointForce,
    Pulley,
    Simulation,
    Stepping,
    Surface,
    Tendon,
    Via,
    World,
    box_figure,
    random_figure,
    random_positions,
)

SPACE = (0.0, 0.0, 0.0)
GRAVITY = (0.3, -1.7, -9.81)
SOFT = Surface(stiffness=2e4, friction=0.5)


def moving(seed, joints, bodies):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, bodies, joints, "free")
    return figure, random_positions(rng, figure, 1.0), rng.normal(size=figure.speeds)


# ---------------------------------------------------------------- the small system, by dense algebra
def pair_matrix(m, q, v, e, h):
    """Jᵀ Z J and the forces that the implicit step adds for an attachment with a linear law."""
    a, b = m.point(q, e.body, e.point), m.point(q, e.other, e.other_point)
    frames, origins = m.frames(q), m.origins(q)
    speeds = [m.jacobian(q, e.body, e.point)[3:] @ v, m.jacobian(q, e.other, e.other_point)[3:] @ v]
    length = np.linalg.norm(b - a)
    n = (b - a) / length
    pull = e.stiffness * (length - e.rest) + e.damping * n @ (speeds[1] - speeds[0])
    across = max(pull / length, 0.0)
    K = np.outer(n, n) * (e.stiffness - across) + across * np.eye(3)
    B = np.outer(n, n) * e.damping
    Z, middle = h * B + h * h * K, 0.5 * (a + b)
    names = [m.layout.body(x).name for x in (e.body, e.other)]
    at = [frames[x].T @ (middle - origins[x]) for x in names]
    J = m.jacobian(q, e.body, at[0])[3:] - m.jacobian(q, e.other, at[1])[3:]
    bias = m.bias_acceleration(q, v, e.body, at[0])[3:] - m.bias_acceleration(q, v, e.other, at[1])[3:]
    return J.T @ Z @ J, -J.T @ (h * K @ (J @ v) + Z @ bias)


def tendon_matrix(m, q, v, e, h):
    arms = np.zeros(m.speeds)
    for joint, arm in e.arms.items():
        arms[m.layout.speed_slices[m.layout.body(joint).name]] = arm
    Z = h * e.damping + h * h * e.stiffness
    return Z * np.outer(arms, arms), -arms * h * e.stiffness * (arms @ v)


def row_matrix(m, q, v, e, h):
    """A muscle's length is its only coordinate."""
    J, bias = np.zeros(m.speeds), 0.0
    places = [m.point(q, body, at) for body, at in e.path]
    for k, (body, at) in enumerate(e.path):
        u = np.zeros(3)
        for j in (k - 1, k + 1):
            if 0 <= j < len(places):
                u += (places[j] - places[k]) / np.linalg.norm(places[j] - places[k])
        J -= u @ m.jacobian(q, body, at)[3:]
        bias -= u @ m.bias_acceleration(q, v, body, at)[3:]
    Z = h * e.damping + h * h * e.stiffness
    return Z * np.outer(J, J), -J * (h * e.stiffness * (J @ v) + Z * bias)


TREE = moving(11, ("hinge", "slide"), 6)
DENSE = {
    "a pair on one tree": [Attachment(body="b1", other="b4", point=(0.1, 0.2, 0.0), other_point=(0.0, -0.1, 0.3),
                                      stiffness=400.0, damping=30.0, rest=0.1)],
    "parent and child": [Attachment(body="b0", other="b1", point=(0.3, 0.2, 0.0), stiffness=4e4, damping=3.0)],
    "two on the same pair, two that share a body": [
        Attachment(body="b1", other="b4", point=(0.1, 0.2, 0.0), stiffness=400.0, damping=30.0),
        Attachment(body="b4", other="b1", point=(0.0, -0.3, 0.1), other_point=(0.2, 0, 0), stiffness=9e2, damping=5.0),
        Attachment(body="b2", other="b4", point=(0.1, 0.0, 0.2), stiffness=1e5, damping=1.0),
        Attachment(body="b3", other="b0", point=(0.1, 0.0, 0.2), stiffness=10.0, damping=1e3),
    ],
    "a tendon": [Tendon(arms={"b1": 0.3, "b3": -0.2, "b4": 0.1}, stiffness=2e4, damping=30.0, pulls_only=False)],
    "a muscle": [Muscle(path=[("b1", (0.1, 0, 0.2)), ("b2", (0, 0.3, 0)), ("b4", (0.1, 0.1, 0))], stiffness=5e3,
                        damping=20.0)],
}  # fmt: skip
DENSE["all at once"] = [e for forces in DENSE.values() for e in forces]
MATRIX = {Attachment: pair_matrix, Tendon: tendon_matrix, Muscle: row_matrix}


def check_step(sim, forces, q, v, h):
    """One step of a simulation against dense algebra."""
    sim.reset(q, v)
    m, free = sim.mechanics, sim.acceleration
    M = m.mass_matrix(q)
    right, left = M @ free, M.copy()
    for e in forces:
        matrix, force = MATRIX[type(e)](m, q, v, e, h)
        left += matrix
        right += force
    sim.run(h)
    wanted = np.linalg.solve(left, right)
    assert (sim.v - v) / h == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())


@pytest.mark.nojit
@pytest.mark.parametrize("h", (1e-3, 0.05, 2.0))
@pytest.mark.parametrize("case", DENSE)
def test_the_step_is_that_of_dense_algebra(case, h):
    figure, q, v = TREE
    sim = Simulation(World(figure, GRAVITY, forces=DENSE[case]), stepping=Stepping(method="implicit-euler", step=h))
    check_step(sim, DENSE[case], q, v, h)


def attached(one, two, stiffness):
    point, other = (0.1, 0.2, 0.0), (0.0, -0.1, 0.3)
    return Attachment(body=one, other=two, point=point, other_point=other, stiffness=stiffness, damping=3.0, rest=0.1)


@pytest.mark.nojit
def test_islands_are_systems_of_their_own():
    """Seven figures in three islands whose elements are told one after the other; a muscle is over three of them.

    The second step has rows where the first had others.
    """
    rng = np.random.default_rng(3)
    figures = [replace(random_figure(rng, 2, ("hinge",), "free"), name=f"f{k}") for k in range(7)]
    forces = [
        attached("f0/b1", "f4/b0", 400.0),
        attached("f1/b1", "f5/b1", 4e4),
        attached("f6/b0", "f3/b1", 300.0),
        Tendon(arms={"f3/b1": 0.3}, stiffness=2e4, damping=30.0, pulls_only=False),
        attached("f4/b1", "f2/b1", 1e5),
        Muscle(path=[("f0/b1", (0.1, 0, 0.2)), ("f2/b0", (0, 0.3, 0)), ("f4/b1", (0.1, 0.1, 0))], stiffness=5e3,
               damping=20.0),
        attached("f5/b0", "f1/b0", 50.0),
        attached("f2/b0", "f0/b0", 900.0),
    ]  # fmt: skip
    sim = Simulation(World(figures, GRAVITY, forces=forces), stepping=Stepping(method="implicit-euler", step=0.05))
    for _ in range(2):
        q = np.concatenate([random_positions(rng, figure, 1.0) for figure in figures])
        check_step(sim, forces, q, rng.normal(size=sim.layout.nv), 0.05)


@pytest.mark.parametrize("h", (1e-3, 0.05))
def test_with_constraints_too(h):
    """The same, for the accelerations that the constraints allow."""
    figure, q, v = TREE
    forces = DENSE["two on the same pair, two that share a body"]
    hold = Join(body="b2", to="b5", rate=0.0)
    sim = Simulation(World(figure, GRAVITY, forces=forces, constraints=[hold]),
                     stepping=Stepping(method="implicit-euler", step=h))  # fmt: skip
    sim.reset(q, 0.0 * v)
    m = sim.mechanics
    plain = Simulation(World(figure, GRAVITY, forces=forces))
    plain.reset(q, 0.0 * v)
    M = m.mass_matrix(q)
    right, left = M @ plain.acceleration, M.copy()
    for e in forces:
        matrix, force = pair_matrix(m, q, 0.0 * v, e, h)
        left, right = left + matrix, right + force
    J = m.jacobian(q, "b2")[3:] - m.jacobian(q, "b5")[3:]
    K = np.block([[left, J.T], [J, np.zeros((3, 3))]])
    wanted = np.linalg.solve(K, np.concatenate([right, np.zeros(3)]))[: m.speeds]
    sim.run(h)
    assert sim.v / h == pytest.approx(wanted, rel=1e-8, abs=1e-8 * np.abs(wanted).max())


# ---------------------------------------------------------------- two free bodies
PAIRS = {
    "attachment": Attachment(
        body="a", other="b", point=(0.1, 0.05, 0), other_point=(-0.1, 0, 0.1), stiffness=3e3, damping=20.0
    ),
    "stiff attachment": Attachment(body="a", other="b", stiffness=1e6, damping=1e3, rest=0.2),
    "muscle": Muscle(
        path=[("a", (0.1, 0, 0)), ("b", (0, 0.1, 0)), ("b", (-0.1, 0.1, 0.1))],
        stiffness=2e3, damping=30.0, strength=5.0, rise=4.0,
    ),
    "pulley": Pulley(
        body="a", point=(0, 0, 0.2), other="a", other_point=(0, 0, -0.2), pulley="b", centre=(0, 0, 0), axis=(0, 1, 0),
        radius=0.05, stiffness=2e3, damping=5.0,
    ),
    "cable": Cable(
        name="cable", path=(Via("a", (0.1, 0, 0)), Around("b", Placement(), 0.05), Via("b", (0.12, -0.01, 0))),
        stiffness=2e3, damping=30.0, taut=0.1, drive="muscle", strength=5.0, optimum=0.2, input=0.5,
    ),
    "gravity": PairGravity(between=("a", "b"), G=0.05),
    "contact": BodyContact(body="a", other="b", surface=SOFT),
}  # fmt: skip
SPAN = 0.05  # [s] of a run
DRIFT = np.array([3.0, -2.0, 1.0])  # [m/s] of a moving frame


def pair(name, gravity=SPACE, *, drift=SPACE, apart=(0.195, 0.03, 0.02), still=False, **options):
    """Two free boxes side by side, one turning and closing in, with one element between them."""
    figures = [box_figure((0.2, 0.2, 0.2), mass=mass, name=n) for n, mass in (("a", 1.0), ("b", 3.0))]
    sim = Simulation(World(figures, gravity, forces=[PAIRS[name]]), ledger=False, **options)
    q, v = sim.layout.zero.copy(), np.zeros(12)
    q[7:10] += apart
    if not still:
        v[:] = [0.3, -0.5, 0.8, 0.4, 0.1, 0.0, -0.2, 0.4, 0.1, -0.3, 0.0, 0.2]
    v[3:6] += drift
    v[9:12] += drift
    sim.reset(q, v)
    return sim


def momenta(sim):
    """Linear [N·s] and angular momentum about the world's origin [N·m·s]."""
    told = sim.mechanics.momentum(sim.q, sim.v)
    return told[3:], told[:3]


every_pair = pytest.mark.parametrize("name", PAIRS)


def fixed(method, step=1e-3):
    return Stepping(method=method, step=step, eps=None if not METHODS[method].adaptive else 1e-4)


@every_pair
@pytest.mark.parametrize("method", METHODS)
def test_linear_momentum_is_kept_to_rounding(name, method):
    """By every stepper, with any impedance and at any step; the bodies do act on one another."""
    for step in (1e-3, 1e-2) if method.startswith("implicit") else (2e-5,):
        sim = pair(name, stepping=fixed(method, step))
        before, q = momenta(sim)[0], sim.v.copy()
        sim.run(10 * step if step == 2e-5 else SPAN)
        assert np.abs(sim.v - q).max() > 1e-6
        assert momenta(sim)[0] == pytest.approx(before, abs=1e-12 * max(1.0, np.abs(sim.v).max()))


@every_pair
def test_angular_momentum_is_kept_to_the_order_of_the_step(name):
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        sim = pair(name, stepping=Stepping(method="implicit-euler", step=step))
        before = momenta(sim)[1]
        sim.run(SPAN)
        errors.append(np.abs(momenta(sim)[1] - before).max())
    assert errors[0] < 0.02
    assert errors[1] < 0.65 * errors[0] + 1e-12 and errors[2] < 0.65 * errors[1] + 1e-12, errors


@every_pair
@pytest.mark.parametrize("method", [name for name in METHODS if name != "implicit-euler"])
def test_every_stepper_keeps_angular_momentum_to_its_order(name, method):
    """Of fixed steps their order, less a half (of contact two at most: touching is a kink); else a tolerance."""
    adaptive, errors = METHODS[method].adaptive, []
    for fine in (1e-6, 1e-8) if adaptive else (1e-4, 5e-5):
        given = {"eps": fine, "length": 1.0, "time": 0.999} if adaptive else {"step": fine}
        sim = pair(name, stepping=Stepping(method=method, **given))
        before = momenta(sim)[1]
        sim.run(0.02)
        errors.append(np.abs(momenta(sim)[1] - before).max())
    if adaptive:
        assert errors[0] < 1e-4 and errors[1] < 1e-6
    else:
        order = min(METHODS[method].order, 2 if name == "contact" else 9)
        assert errors[0] < 2e-3 and errors[1] < 2.0 ** (0.5 - order) * errors[0] + 1e-9, errors


@every_pair
@pytest.mark.parametrize("method", METHODS)
def test_a_joined_pair_falls_like_one_body(name, method):
    """Their centre of mass does what a stone does."""
    sim = pair(name, (0.0, 0.0, -9.81), stepping=fixed(method))
    m = sim.mechanics
    sim.run(SPAN)
    free = pair(name, stepping=fixed(method))
    free.run(SPAN)
    gained = (momenta(sim)[0] - momenta(free)[0]) / m.mass
    assert gained == pytest.approx([0.0, 0.0, -9.81 * SPAN], abs=1e-11)


@every_pair
@pytest.mark.parametrize("method", METHODS)
def test_the_same_motion_in_a_moving_frame(name, method):
    adaptive = METHODS[method].adaptive
    step = 1e-3 if method.startswith("implicit") else 1e-4
    stepping = Stepping(method=method, step=step, eps=1e-6 if adaptive else None)
    rest, moved = pair(name, stepping=stepping), pair(name, stepping=stepping, drift=DRIFT)
    rest.run(SPAN)
    moved.run(SPAN)
    seen = moved.q.copy()
    for first in (0, 7):
        seen[first : first + 3] -= DRIFT * SPAN
    assert seen == pytest.approx(rest.q, abs=1e-6 if adaptive else 1e-11)


@every_pair
def test_implicit_pair_converges_to_the_explicit_answer(name):
    """Of the second order."""
    exact = pair(name, stepping=Stepping(method="dormand-prince", eps=1e-11))
    exact.run(0.02)
    errors = []
    for steps in (64, 128, 256):
        sims = [pair(name, stepping=Stepping(method="implicit-euler", step=0.02 / n)) for n in (steps, 2 * steps)]
        for sim in sims:
            sim.run(0.02)
        errors.append(np.abs(2 * sims[1].v - sims[0].v - exact.v).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    least = 1.4 if name == "contact" else 1.6  # sliding friction has kinks
    assert np.all(orders > least) or max(errors) < 1e-8, (errors, orders)


def all_pairs(**options):
    """Every pair in one world, far from the others: one mix of elements for every number type."""
    figures, forces = [], []
    for k, element in enumerate(PAIRS.values()):
        ends = {"a": f"a{k}", "b": f"b{k}"}
        figures += [box_figure((0.2, 0.2, 0.2), mass=m, name=ends[n]) for n, m in (("a", 1.0), ("b", 3.0))]
        changed = {x: ends[getattr(element, x)] for x in ("body", "other", "pulley") if hasattr(element, x)}
        if isinstance(element, Muscle):
            changed = {"path": [(ends[body], at) for body, at in element.path]}
        if isinstance(element, Cable):
            changed = {"path": tuple(replace(stop, body=ends[stop.body]) for stop in element.path)}
        if isinstance(element, PairGravity):
            changed = {"between": tuple(ends.values())}
        forces.append(replace(element, **changed))
    sim = Simulation(World(figures, SPACE, forces=forces), ledger=False, **options)
    alone = pair("attachment")
    q, v = np.tile(alone.q, len(PAIRS)), np.tile(alone.v, len(PAIRS))
    for k in range(len(PAIRS)):
        q[14 * k : 14 * k + 3] += (0.0, 5.0 * k, 0.0)
        q[14 * k + 7 : 14 * k + 10] += (0.0, 5.0 * k, 0.0)
    return sim, q, v


def test_packs_single_precision_and_saved_runs():
    stepping = Stepping(method="implicit-pair", eps=1e-3)
    one, q, v = all_pairs(stepping=stepping)
    one.reset(q, v)
    saved = one.save()
    one.run(0.02)
    first = one.save()
    one.restore(saved)
    one.run(0.02)
    assert one.save().same(first)
    for dtype, digits in ((np.float64, 1e-10), (np.float32, 1e-3)):
        many, _, _ = all_pairs(stepping=stepping, worlds=3, dtype=dtype)
        many.reset(np.tile(q, (3, 1)), np.array([0.5 * v, v, -v]))
        many.run(0.02)
        assert many.v[1] == pytest.approx(one.v, abs=digits * max(1.0, np.abs(one.v).max()))


def test_more_couplings_than_there_is_room_for_are_told():
    """A wall of dampers, each between two bodies of one figure: those beyond the capacity act, without impedance."""
    figure, q, v = moving(3, ("hinge",), 12)
    names = figure.names
    forces = [Attachment(body=a, other=b, damping=1.0) for i, a in enumerate(names) for b in names[:i]]
    sim = Simulation(World(figure, SPACE, forces=forces), stepping=Stepping(method="implicit-euler", step=1e-3))
    sim.reset(q, 0.1 * v)
    with pytest.warns(NoticeWarning, match="couplings"):
        sim.run(0.12)
    assert sim.notices[-1].numbers["left_out"] > 0


# ---------------------------------------------------------------- what people met
@pytest.mark.parametrize("damping", (100.0, 1e4, 1e6))
def test_a_damper_between_two_boxes_does_not_brake_them(damping):
    figures = [box_figure((0.2, 0.2, 0.2), mass=1.0, name=n) for n in "ab"]
    forces = [Attachment(body="a", other="b", damping=damping), PointForce(body="a", force=(1, 0, 0))]
    sim = Simulation(World(figures, SPACE, forces=forces))
    sim.run(1.0)
    assert momenta(sim)[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)  # 0.506 and 0.0011 once


def test_two_boxes_tied_together_fall_like_stones():
    figures = [box_figure((0.2, 0.2, 0.2), mass=1.0, name=n) for n in "ab"]
    sim = Simulation(World(figures, forces=[Attachment(body="a", other="b", stiffness=1e4)]))
    sim.run(1.0)
    assert sim.v[[5, 11]] == pytest.approx(-9.81, abs=1e-12)  # -10.19 once


def test_a_parcel_on_a_crate_on_ice():
    """40 N for half a second on the crate: friction takes the parcel along."""
    crate, parcel = (
        box_figure((0.6, 0.6, 0.4), mass=30.0, name="crate"),
        box_figure((0.3, 0.3, 0.2), mass=4.0, name="parcel"),
    )
    ice = Surface(stiffness=2e5, damping=2e3)
    rough = Surface(stiffness=5e4, damping=500.0, friction=0.6)
    forces = [
        *GroundContact.of_body(crate.bodies[0], ice),
        BodyContact(body="parcel", other="crate", surface=rough),
        PointForce(body="crate", force=(40.0, 0.0, 0.0), duration=0.5),
    ]
    sim = Simulation(World([crate, parcel], forces=forces))
    sim.reset({"crate": (0, 0, 0.2, 1, 0, 0, 0), "parcel": (0, 0, 0.5, 1, 0, 0, 0)})
    sim.run(0.5)
    assert momenta(sim)[0][0] == pytest.approx(20.0, abs=1e-6)
    assert sim.v[[3, 9]] == pytest.approx(20.0 / 34.0, abs=0.02)  # 0.056 once
