"""Loops: reference motions, every joint type against a tree with that joint, projection, singular positions."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    Binding,
    Body,
    Closure,
    ConstraintError,
    Figure,
    HingeByPoints,
    Join,
    Joint,
    Placement,
    Simulation,
    Stepping,
    World,
    chain,
)
from gambol.figure.builders import random_mass
from gambol.models.linkages import four_bar, four_bar_start

TIGHT = Stepping(method="dormand-prince", eps=1e-11)
REFERENCE = {  # IFToMM A02, N = 2: the tip of the first crank
    1: (-0.195020301950, -0.980799205662),
    5: (-0.811310461003, -0.584615545352),
    10: (0.328458111536, 0.944518538180),
}
ENERGY = 35.835


def started(world, stepping=TIGHT, **more):
    sim = Simulation(world, stepping=stepping, **more)
    sim.reset(*four_bar_start(world))
    return sim


@pytest.mark.parametrize("joint", ["hinge", "ball", "cylindrical"])
def test_the_four_bar_to_the_digits_of_the_reference(joint):
    sim = started(four_bar(2, joint=joint), replace(TIGHT, eps=1e-9, max_step=1e-3))
    path = sim.run(10.0, every=1.0)
    angle = path.position("crank0")
    for second, place in REFERENCE.items():
        tip = np.sin(angle[second - 1]), np.cos(angle[second - 1])
        assert tip == pytest.approx(place, abs=1e-9)
    energy = [sum(sim.mechanics.energies(q, v).values()) for q, v in zip(path.q, path.v)]
    assert energy == pytest.approx([ENERGY] * 10, abs=1e-9)
    assert sim.constraints.counts["failed projections"] == 0
    assert sim.constraints.now().rank == 4


def test_a_step_that_ends_beside_the_flat_position_costs_little():
    """Where free steps end beside it is chance (and rounding): then many short steps follow, and digits are lost.

    Of 42 runs with eps from 0.8e-11 to 1.2e-11, half on code compiled in another way, the median was 2.5e-10, the worst
    1.6e-8.
    """
    world, off = four_bar(2), []
    for eps in np.linspace(0.8e-11, 1.2e-11, 9):
        angle = started(world, replace(TIGHT, eps=float(eps))).run(10.0, every=1.0).position("crank0")
        places = [(np.sin(angle[second - 1]), np.cos(angle[second - 1])) for second in REFERENCE]
        off.append(np.max(np.abs(np.subtract(places, list(REFERENCE.values())))))
    assert np.median(off) < 1e-8 and max(off) < 1e-7


def test_the_four_bar_by_steps_of_a_millisecond():
    sim = started(four_bar(2), Stepping(method="dormand-prince", eps=1e-9, max_step=1e-3))
    angle = sim.run(10.0, every=1.0).position("crank0")
    for second, place in REFERENCE.items():
        assert (np.sin(angle[second - 1]), np.cos(angle[second - 1])) == pytest.approx(place, abs=3e-11)


@pytest.mark.parametrize("loops, eps", [(2, 1e-12), (8, 1e-9)])
def test_steps_that_end_beside_the_singular_position_pass_it(loops, eps):
    """Samples every 20 ms put a step's end beside the flat position; so does a tight tolerance."""
    sim = started(four_bar(loops), Stepping(method="dormand-prince", eps=eps), ledger=False)
    path = sim.run(1.0, every=0.02)
    energy = [sum(sim.mechanics.energies(q, v).values()) for q, v in zip(path.q, path.v)]
    assert np.ptp(energy) < 1e-6
    for i in range(loops + 1):
        assert path.position(f"crank{i}") == pytest.approx(path.position("crank0"), abs=1e-6)


@pytest.mark.parametrize("threads", (1, 2))
def test_a_batch_moves_as_its_worlds_alone(threads):
    """To the bit, outside of packs; each has its own counts, and is switched for itself."""
    world = four_bar(2)
    q, v = four_bar_start(world)
    speeds = np.tile(v, (5, 1)) * np.array([1.0, 0.5, 0.8, 1.2, 0.0])[:, None]
    many = Simulation(world, stepping=TIGHT, worlds=5, threads=threads, lanes=0)
    many.reset(np.tile(q, (5, 1)), speeds)
    many.run(0.3)
    for k in range(5):
        one = Simulation(world, stepping=TIGHT, ledger=False)
        one.reset(q, speeds[k])
        one.run(0.3)
        assert np.array_equal(many.q[k], one.q) and np.array_equal(many.v[k], one.v)
        assert {name: values[k] for name, values in many.constraints.counts.items()} == one.constraints.counts
        assert many.constraints.now(k).force["loop0"] == pytest.approx(one.constraints.now().force["loop0"], rel=1e-12)
    many.constraints.switch("loop1", False, worlds=[2])
    assert many.constraints.on["loop1"].tolist() == [True, True, False, True, True]
    path = many.run(0.1, every=0.05)
    assert many.constraints.diagnose(path, world=2).force["loop1"] == pytest.approx(0.0)
    assert np.abs(many.constraints.diagnose(path, world=1).force["loop1"]).max() > 1e-3


def test_the_redundant_rows_are_told():
    moment = started(four_bar(2)).constraints.now()
    assert (moment.rows, moment.rank) == (10, 4)
    assert {name for name, _ in moment.dropped} == {"loop0", "loop1"}
    assert moment.residual < 1e-12


def ring(**more):
    """Four rods hung at both ends."""
    ends = dict(place=Placement((0, 0, -1.0)), at=Placement((1.0, 0, -1.0)))
    loop = Closure(name="loop", body="chain_3", joint=Joint("ball"), **ends, **more)
    return World(chain(4), constraints=[loop])


def test_stabilised_loops_drift_less_with_shorter_steps():
    closed = Simulation(ring())
    closed.q = np.array([0.5, -0.8, -0.6, -0.9])
    closed.constraints.assemble()
    drift = []
    for step in (8e-3, 4e-3):
        sim = Simulation(ring(exact=False, rate=20.0), stepping=Stepping(method="rk4", step=step))
        sim.q = closed.q
        log = sim.constraints.diagnose(sim.run(0.6, every=0.05))
        drift.append(log.size(log.deviation, "loop").max())
    assert 8 < drift[0] / drift[1] < 40  # fourth order


TYPES = ("hinge", "ball", "slide", "cylindrical", "universal", "planar", "screw", "fixed")


@pytest.mark.parametrize("type_", TYPES)
def test_a_joint_by_constraint_moves_as_the_joint_itself(type_):
    """Two bodies joined by a joint of the tree, and the same two, both free, joined by a closure."""
    rng = np.random.default_rng(5)
    joint = Joint(type_, (0.0, 0.6, 0.8), (1.0, 0.0, 0.0), pitch=0.2 if type_ == "screw" else 0.0)
    masses = [random_mass(rng) for _ in range(2)]
    where = Placement.about((1.0, 0.5, 0.2), 0.8, (0.3, -0.2, 0.4))
    tree = Figure(
        "tree",
        (Body("a", joint=Joint("free"), mass=masses[0]), Body("b", "a", joint, where, mass=masses[1])),
    )
    apart = [Figure(n, (Body(n, joint=Joint("free"), mass=m),)) for n, m in zip("ab", masses)]
    loop = Closure(body="b/b", to="a/a", joint=joint, at=where)
    one = Simulation(World(tree), stepping=TIGHT)
    two = Simulation(World(apart, constraints=[loop]), stepping=TIGHT)
    one.v = rng.normal(size=one.layout.nv)
    poses = [one.mechanics.frames(one.q), one.mechanics.origins(one.q)]
    spins = one.mechanics.velocities(one.q, one.v)
    q, v = two.q.copy(), two.v.copy()
    for name, at in (("a", 0), ("b", 1)):
        place = Placement.from_matrix(poses[0][f"tree/{name}"], poses[1][f"tree/{name}"])
        q[7 * at : 7 * at + 7] = *place.position, *place.rotation
        v[6 * at : 6 * at + 6] = spins[f"tree/{name}"]
    two.reset(q, v)
    assert two.constraints.now().rank == 12 - one.layout.nv
    for sim in (one, two):
        sim.run(0.5)
    for name in "ab":
        point = (0.1, 0.2, 0.3)
        theirs = two.mechanics.point(two.q, f"{name}/{name}", point)
        assert theirs == pytest.approx(one.mechanics.point(one.q, f"tree/{name}", point), abs=1e-8)


def maximal_chain(n, *, by_points=True):
    """A hanging chain of free rods joined by constraints."""
    rod = chain(1).bodies[0]
    figures = [Figure(f"rod{i}", (Body("rod", joint=Joint("free"), parts=rod.parts),)) for i in range(n)]
    constraints = []
    for i in range(n):
        top, bottom = ((0.0, -0.1, 0.0), (0.0, 0.1, 0.0)), ((0.0, -0.1, -1.0), (0.0, 0.1, -1.0))
        to = f"rod{i - 1}/rod" if i else ""
        points = dict(body=f"rod{i}/rod", to=to, points=top, at=bottom if i else top)
        constraints.append(HingeByPoints(**points, exact=True))
    return World(figures, constraints=constraints)


def test_chains_by_constraints_by_joints_and_by_the_hinge_recursion():
    """Three ways to the same motion of a chain of hinges."""
    n = 3
    joints = Simulation(World(chain(n)), stepping=TIGHT)
    joints.reset(np.array([0.4, 0.3, -0.5]), np.array([1.0, -0.5, 0.2]))
    bound = Simulation(maximal_chain(n), stepping=TIGHT)
    frames, origins = joints.mechanics.frames(joints.q), joints.mechanics.origins(joints.q)
    spins = joints.mechanics.velocities(joints.q, joints.v)
    q, v = bound.q.copy(), bound.v.copy()
    for i in range(n):
        place = Placement.from_matrix(frames[f"chain/chain_{i}"], origins[f"chain/chain_{i}"])
        q[7 * i : 7 * i + 7] = *place.position, *place.rotation
        v[6 * i : 6 * i + 6] = spins[f"chain/chain_{i}"]
    bound.reset(q, v)
    moment = bound.constraints.now()
    assert (moment.rows, moment.rank) == (6 * n, 5 * n)
    for sim in (joints, bound):
        sim.run(1.0)
    tip = joints.mechanics.point(joints.q, f"chain_{n - 1}", (0, 0, -1.0))
    assert bound.mechanics.point(bound.q, f"rod{n - 1}/rod", (0, 0, -1.0)) == pytest.approx(tip, abs=1e-9)


def test_an_open_loop_is_refused_or_assembled():
    sim = Simulation(ring())
    sim.q = np.array([0.5, -0.8, -0.6, -0.9])
    before = sim.save()
    with pytest.raises(ConstraintError, match="constraint loop: is open by"):
        sim.run(1.0)
    assert sim.save().same(before)
    sim.constraints.assemble()
    assert sim.mechanics.point(sim.q, "chain_3", (0, 0, -1.0)) == pytest.approx([1.0, 0, -1.0], abs=1e-12)
    sim.run(1.0)
    assert sim.mechanics.point(sim.q, "chain_3", (0, 0, -1.0)) == pytest.approx([1.0, 0, -1.0], abs=1e-12)


def test_a_loop_that_cannot_close_keeps_the_state():
    there = Placement((5.0, 0, 0))
    far = Closure(name="far", body="chain_1", joint=Joint("ball"), place=Placement((0, 0, -1.0)), at=there)
    sim = Simulation(World(chain(2), constraints=[far]))
    sim.q = np.array([0.5, -0.8])
    before = sim.save()
    with pytest.raises(ConstraintError, match=r"far: stays open by .*cannot be met"):
        sim.constraints.assemble()
    assert sim.save().same(before)


def test_two_chains_and_a_free_body_in_one_solve():
    """A plank carried by two pendulums: linear momentum sideways is kept but for the pivots, energy is kept."""
    left = chain(1, name="left")
    swing = Body(
        "right_0", joint=Joint("hinge", (0, 1, 0)), placement=Placement((2.0, 0, 0)), parts=left.bodies[0].parts
    )
    right = Figure("right", (swing,))
    plank = chain(1, joint="free", name="plank")
    bodies = [left, right, plank]
    joins = [
        Join(body="left_0", to="plank_0", point=(0, 0, -1.0), at=(0, 0, 0), exact=True),
        Join(body="right_0", to="plank_0", point=(0, 0, -1.0), at=(0, 0, -2.0), exact=True),
    ]
    sim = Simulation(World(bodies, constraints=joins), stepping=Stepping(method="dormand-prince", eps=1e-11))
    q = sim.q.copy()
    q[sim.coordinates("plank_0")] = 0, 0, -1.0, *Placement.about((0, 1, 0), -np.pi / 2).rotation
    sim.reset(q)
    v = np.zeros(sim.layout.nv)
    v[0] = v[1] = 1.0
    sim.v = v
    sim.constraints.assemble()
    start = sum(sim.mechanics.energies(sim.q, sim.v).values())
    sim.run(2.0)
    assert sum(sim.mechanics.energies(sim.q, sim.v).values()) == pytest.approx(start, abs=1e-8)
    for side, at in (("left_0", (0, 0, 0)), ("right_0", (0, 0, -2.0))):
        hand = sim.mechanics.point(sim.q, side, (0, 0, -1.0))
        assert sim.mechanics.point(sim.q, "plank_0", at) == pytest.approx(hand, abs=1e-12)


def test_the_damped_solver_also_passes_the_flat_position():
    world = four_bar(1)
    soft = World(
        world.figures, constraints=world.constraints, binding=Binding(solver="damped", damping=1e-9, check=False)
    )
    sim = started(soft, Stepping(method="dormand-prince", eps=1e-8))
    path = sim.run(3.0, every=0.5)
    energy = [sum(sim.mechanics.energies(q, v).values()) for q, v in zip(path.q, path.v)]
    assert np.ptp(energy) < 1e-3
