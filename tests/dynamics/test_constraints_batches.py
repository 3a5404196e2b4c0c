"""Constraints in packs, in float32, on threads and with masses of their own: the same as alone in float64."""

import numpy as np
import pytest
from test_constraints import CASES, name_of, tree

from gambol import (
    ArriveBy,
    Binding,
    Mass,
    Nail,
    Simulation,
    StepError,
    Stepping,
    World,
    box_figure,
    random_positions,
)
from gambol.models.linkages import four_bar, four_bar_start

PACKS = dict(worlds=5)  # the last pack has lanes to spare
TIGHT = Stepping(method="dormand-prince", eps=1e-11)
COARSE = Stepping(method="dormand-prince", eps=1e-3)


def relative(value, reference):
    return np.abs(value - reference).max() / max(1.0, np.abs(reference).max())


@pytest.fixture(scope="module")
def states():
    figure = tree()
    rng = np.random.default_rng(3)
    return figure, [(random_positions(rng, figure, 0.6), rng.normal(size=World(figure).layout.nv)) for _ in range(5)]


@pytest.mark.parametrize("constraint", CASES, ids=name_of)
def test_every_kind_as_one_world_alone(constraint, states):
    """Accelerations, forces and deviations of five states at once; how many digits are left, the spread of A says."""
    figure, starts = states
    world = World(figure, constraints=[constraint], binding=Binding(rate=3.0, check=False))
    one = Simulation(world, ledger=False)
    many, single = Simulation(world, **PACKS), Simulation(world, dtype=np.float32, worlds=5)
    for batch in (many, single):
        batch.reset(*(np.array(x) for x in zip(*starts)), time=0.2)
    found, coarse = many.acceleration, single.acceleration
    for k, (q, v) in enumerate(starts):
        one.reset(q, v, time=0.2)
        acceleration, moment = one.acceleration, one.constraints.now()
        spread = moment.singular_values[moment.rank - 1] / moment.singular_values[0]
        there, near = many.constraints.now(k), single.constraints.now(k)
        assert relative(found[k], acceleration) < 1e-11 / spread
        assert relative(coarse[k], acceleration) < 1e-4 / spread
        assert there.rank == near.rank == moment.rank
        for name, force in moment.force.items():
            assert relative(there.deviation[name], moment.deviation[name]) < 1e-12
            assert relative(near.deviation[name], moment.deviation[name]) < 1e-5
            assert relative(there.force[name], force) < 1e-11 / spread
        assert there.singular_values == pytest.approx(moment.singular_values, abs=1e-12 * moment.singular_values[0])


def swinging(speeds, stepping=TIGHT, **options):
    """The four-bar of two loops, one world for each factor of its speed."""
    world = four_bar(2)
    q, v = four_bar_start(world)
    sim = Simulation(world, stepping=stepping, worlds=len(speeds), **options)
    sim.reset(np.tile(q, (len(speeds), 1)), np.outer(speeds, v))
    return sim


SPEEDS = (1.0, 0.5, 0.8, 1.2, 0.0)


def test_loops_in_a_pack_move_as_alone_and_stay_closed():
    many = swinging(SPEEDS)
    path = many.run(0.3, every=0.1)
    assert many.lanes > 1
    for k, speed in enumerate(SPEEDS):
        one = swinging([speed], ledger=False)
        one.run(0.3, every=0.1)
        assert relative(many.q[k], one.q) < 1e-12 and relative(many.v[k], one.v) < 1e-11
        assert {name: values[k] for name, values in many.constraints.counts.items()} == one.constraints.counts
        log = many.constraints.diagnose(path, world=k)
        assert log.size(log.deviation, "loop0").max() < 1e-13
        energy = sum(many.mechanics.energies(many.q[k], many.v[k]).values())
        assert energy == pytest.approx(sum(one.mechanics.energies(one.q, one.v).values()), abs=1e-12)


def test_company_and_threads_do_not_matter():
    """To the bit: a world of a pack is what it is whoever is beside it, and whichever thread moves it."""
    speeds = np.linspace(0.0, 1.2, 16)
    paths = [swinging(s, threads=t).run(0.2, every=0.1) for s, t in ((speeds, 1), (speeds[::-1], 1), (speeds, 2))]
    assert paths[1].q[:, ::-1].tobytes() == paths[0].q.tobytes() == paths[2].q.tobytes()


def test_float32_holds_a_loop_to_its_digits():
    many = swinging(SPEEDS, COARSE, dtype=np.float32)
    path = many.run(1.0, every=0.25)
    exact = swinging(SPEEDS)
    exact.run(1.0)
    assert np.abs(many.q - exact.q).max() < 2e-3
    for k in range(len(SPEEDS)):
        log = many.constraints.diagnose(path, world=k, singular_values=False)
        assert log.size(log.deviation, "loop0").max() < 2e-6
        assert log.rank.tolist() == [4] * 4
    assert not np.any(many.constraints.counts["failed projections"])


@pytest.mark.parametrize("options", ({}, dict(dtype=np.float32, stepping=COARSE)), ids=("64", "32"))
def test_a_saved_batch_goes_on_to_the_bit(options):
    sim = swinging(SPEEDS, **options)
    sim.run(0.1)
    saved = sim.save()
    sim.run(0.1)
    once = sim.save()
    sim.restore(saved)
    sim.run(0.1)
    assert sim.save().same(once)


def hung(**options):
    """A box on a nail that gives way at its reach, and on its way to another place."""
    nail = Nail(name="nail", body="box", place=(0.0, 0.0, 0.0), strength=5.0, reach=0.1)
    return Simulation(World(box_figure(mass=1.0), constraints=[nail]), worlds=5, **options)


def test_each_world_has_its_strength_and_breaks_for_itself():
    sim = hung()
    sim.constraints.set_strength("nail", 100.0, worlds=[1, 3])
    heard = []
    sim.run(0.5, on_event=lambda s, e: heard.append((e.world, e.time)))
    assert sorted(world for world, _ in heard) == [0, 2, 4]
    assert [t for _, t in heard] == pytest.approx([np.sqrt(0.2 / 9.81)] * 3, abs=1e-9)
    assert sim.constraints.on["nail"].tolist() == [False, True, False, True, False]
    assert sim.q[[1, 3], 2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert sim.q[[0, 2, 4], 2] == pytest.approx([-0.5 * 9.81 * 0.25] * 3, abs=1e-7)
    assert (sim.constraints.counts["cut"] > 0).tolist() == [True, False, True, False, True]


def test_masses_of_their_own():
    sim = hung(own_masses=True)
    sim.constraints.set_strength("nail", 1e3)
    for world, mass in enumerate((1.0, 2.0, 3.0, 0.5, 4.0)):
        sim.bodies["box"].set_mass(Mass(mass, (0.0, 0.0, 0.0), (mass, mass, mass, 0.0, 0.0, 0.0)), worlds=[world])
    forces = [sim.constraints.now(k).force["nail"][2] for k in range(5)]
    assert forces == pytest.approx(9.81 * np.array([1.0, 2.0, 3.0, 0.5, 4.0]), rel=1e-12)


def test_arrivals_begin_where_each_world_is():
    world = World(box_figure(mass=2.0), constraints=[ArriveBy(body="box", place=(1.0, 2.0, 0.5), time=1.0)])
    sim = Simulation(world, **PACKS)
    speeds = np.zeros((5, 6))
    speeds[:, 4] = np.linspace(-1.0, 1.0, 5)
    sim.v = speeds
    sim.run(1.0)
    assert sim.q[:, :3] == pytest.approx(np.tile([1.0, 2.0, 0.5], (5, 1)), abs=1e-6)
    assert sim.v[:, 3:] == pytest.approx(np.zeros((5, 3)), abs=1e-5)


def test_a_world_that_is_no_number_harms_no_other_of_its_pack():
    sims = [swinging(SPEEDS) for _ in range(2)]
    for sim, bad in zip(sims, (0.0, np.nan)):
        command = np.zeros((5, sim.layout.nv))
        command[2] = bad
        sim.memory.write(sim.memory.commands, command, "commands")
    sims[0].run(until=0.2)
    with pytest.raises(StepError, match="world 2"):
        sims[1].run(until=0.2)
    others = np.array([0, 1, 3, 4])
    for _ in range(100):
        if np.min(sims[1].time[others]) >= 0.2:
            break
        with pytest.raises(StepError, match="world 2"):
            sims[1].run(until=0.2)
    assert relative(sims[1].q[others], sims[0].q[others]) < 1e-9
