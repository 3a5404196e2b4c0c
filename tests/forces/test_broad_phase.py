"""The search for pairs that may touch decides nothing: motion is the same to the bit as with every pair looked at."""

import numpy as np
import pytest

from gambol import BodyContact, Box, Simulation, Sphere, Stepping, Surface, World, box_figure
from gambol.bench.heap import heap
from gambol.forces.contact import broad_phase
from gambol.forces.contact.body_contact import arrange
from gambol.forces.contact.broad_phase import BODIES, GROUPS, every_pair, search_tables

LOOSE = Stepping(method="implicit-pair", eps=1e-2)


def both(seconds, **options):
    found = heap(27, bricks=True, **options)
    with every_pair():
        every = heap(27, bricks=True, **options)
    for sim in (found, every):
        sim.run(seconds)
    return found, every


@pytest.mark.parametrize("stepping", ("rkf45", LOOSE), ids=("explicit", "implicit"))
def test_a_heap_moves_to_the_bit_as_with_every_pair(stepping):
    found, every = both(0.15, stepping=stepping)
    assert found.q.tobytes() == every.q.tobytes() and found.v.tobytes() == every.v.tobytes()
    assert found.counts == every.counts
    assert np.abs(found.v).max() > 0.1
    names = [contact.name for contact in found.world.forces if isinstance(contact, BodyContact)]
    assert any(np.any(found.elements[name].report()["depth"] > 0.0) for name in names)


def test_packs_search_for_all_their_worlds():
    sims = both(0.0, stepping=LOOSE, worlds=3)
    speeds = np.random.default_rng(2).normal(size=(3, 162))
    for sim in sims:
        sim.v = speeds
        sim.run(0.03)
    assert sims[0].q.tobytes() == sims[1].q.tobytes()


def test_a_body_that_is_nowhere_does_not_hide_the_others():
    sims = both(0.0, stepping="rk4")
    found = []
    for sim in sims:
        q = sim.q.copy()
        q[7 * 5] = np.nan
        sim.memory.write(sim.memory.positions, q, "positions")
        found.append(sim.acceleration)
    assert np.array_equal(found[0], found[1], equal_nan=True)
    assert np.isfinite(found[0]).sum() >= 6 * 26


def boxes(count):
    return [box_figure((0.1, 0.1, 0.1), mass=1.0, name=f"b{k}") for k in range(count)]


def test_several_contacts_of_one_pair_are_all_found():
    """Two elements between the same bodies, with shapes of their own."""
    figures, surface = boxes(9), Surface(stiffness=1e3)
    pairs = BodyContact.of_figures(figures, surface)
    more = BodyContact(body="b1", other="b0", surface=surface, shape=Sphere(0.2), other_shape=Box((0.3, 0.3, 0.3)))
    sims = [Simulation(World(figures, (0, 0, 0), [*pairs, more]), ledger=False)]
    with every_pair():
        sims.append(Simulation(World(figures, (0, 0, 0), [*pairs, more]), ledger=False))
    for sim in sims:
        q = sim.q.copy().reshape(9, 7)
        q[:, 0] = 0.095 * np.arange(9)
        sim.reset(q.ravel())
    assert np.array_equal(sims[0].acceleration, sims[1].acceleration)
    without = Simulation(World(figures, (0, 0, 0), pairs), ledger=False)
    without.reset(sims[0].q)
    assert not np.array_equal(without.acceleration, sims[0].acceleration)


def test_few_bodies_and_too_many_are_not_searched(monkeypatch):
    assert search_tables([(1, 2)], [(0.1, 0.1)], [1])[0] == [0, 0, 0]
    ends = [(i, j) for i in range(1, 12) for j in range(i + 1, 12)]
    tables, radii = search_tables(ends, [(0.1, 0.2)] * len(ends), [2] * len(ends))
    assert (tables[BODIES], tables[GROUPS]) == (11, 55) and radii == [0.1, *[0.2] * 10]
    monkeypatch.setattr(broad_phase, "MOST", 10)
    assert search_tables(ends, [(0.1, 0.2)] * len(ends), [2] * len(ends)) == ([0, 0, 0], [])
    figures = boxes(3)
    layout = World(figures).layout
    rows = [row for contact in BodyContact.of_figures(figures, Surface(stiffness=1.0)) for row in contact.rows(layout)]
    assert arrange(rows)[0][BODIES] == 0
