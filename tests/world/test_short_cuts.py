"""Bodies whose mass lies in a simple way take short cuts through the kernels; they must not change what happens."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from gambol import Body, Figure, Joint, Mass, Placement, Simulation, World
from gambol.dynamics.workspace import DIAGONAL, FIRST_TO_ADD, HAS_CHILD_INERTIA, ROUND, SHARED_INERTIA
from trees import close, examples, seeds, tree

BALL = Mass(0.3, (0.0, 0.0, 0.0), (3e-4, 3e-4, 3e-4, 0.0, 0.0, 0.0))
SLENDER = Mass(0.5, (0.0, 0.0, 0.0), (4e-3, 5e-3, 2e-3, 0.0, 0.0, 0.0))


def some_simple(figure, rng):
    """The figure with about half of its bodies round about their joints or with diagonal tensors."""
    masses = {name: kind for name in figure.names if (kind := [None, BALL, SLENDER][rng.integers(3)])}
    bodies = tuple(replace(b, mass=masses.get(b.name, b.mass)) for b in figure.bodies)
    return replace(figure, bodies=bodies)


def moving(world, case, **options):
    sim = Simulation(world, stepping="rk4", ledger=False, **options)
    sim.reset(case.q, case.v)
    sim.command = case.tau
    return sim


@examples(60)
@given(seeds)
def test_simple_bodies_move_as_any_others(seed):
    """Closed, open to force elements, and with constants of their own: three ways through the kernels, one motion.

    The fourth is the mass matrix, from composite bodies.
    """
    case = tree(seed)
    case = replace(case, figure=some_simple(case.figure, case.rng))
    world = World(case.figure)
    closed = moving(world, case)
    flags = closed.model.flags
    accelerations = [closed.acceleration, moving(world, case, own_masses=True).acceleration]
    exposed = moving(world, case)
    exposed.model.flags[:] = exposed.layout.pass_flags(shared_inertia=True, own_masses=False)
    accelerations.append(exposed.acceleration)
    mechanics = closed.mechanics
    needed = case.tau - mechanics.bias(case.q, case.v)
    accelerations.append(np.linalg.solve(mechanics.mass_matrix(case.q), needed))
    assert not (flags[(flags & HAS_CHILD_INERTIA) == 0] & ROUND).any()
    scale = np.linalg.cond(mechanics.mass_matrix(case.q))
    for other in accelerations[1:]:
        close(other, accelerations[0], rel=1e-13 * max(scale, 1e3))


def chain_of(masses):
    bodies = [Body("base", mass=SLENDER)]
    for k, mass in enumerate(masses):
        parent = bodies[-1].name
        bodies.append(Body(f"link{k}", parent, Joint("hinge", (0, 1, 0)), Placement.at(0.1, 0.0, 0.0), mass=mass))
    return Figure("chain", tuple(bodies))


def test_who_takes_which_short_cut():
    turned = Mass(0.5, (0.0, 0.1, 0.0), (4e-3, 5e-3, 2e-3, 1e-4, 0.0, 0.0))
    sim = Simulation(World(chain_of([BALL, SLENDER, turned, BALL])), ledger=False)
    ways = [sim.model.flags[sim.layout.body(f"link{k}").link] & (ROUND | DIAGONAL) for k in range(4)]
    assert ways == [ROUND, DIAGONAL, 0, 0]  # the last bears nothing: its inertia is written nowhere else


def test_a_parent_is_opened_once_and_never_while_exposed():
    figure = chain_of([SLENDER] * 3)
    figure = replace(figure, bodies=(*figure.bodies, replace(figure.bodies[2], name="twin")))
    layout = World(figure).layout
    flags = layout.pass_flags(shared_inertia=False, own_masses=False)
    openers = [layout.parent[k] for k in range(1, len(flags)) if flags[k] & FIRST_TO_ADD]
    assert len(openers) == len(set(openers))
    assert {k for k in range(len(flags)) if flags[k] & HAS_CHILD_INERTIA} == set(openers)
    exposed = layout.pass_flags(shared_inertia=True, own_masses=False)
    assert (
        (exposed & SHARED_INERTIA).all() and (exposed & HAS_CHILD_INERTIA).all() and not (exposed & FIRST_TO_ADD).any()
    )


def test_worlds_with_masses_of_their_own_take_none():
    sim = Simulation(World(chain_of([BALL, SLENDER])), ledger=False, own_masses=True, worlds=8)
    assert not (sim.model.flags & (ROUND | DIAGONAL)).any()


@pytest.mark.parametrize("worlds, dtype, rel", ((8, np.float64, 1e-9), (16, np.float32, 2e-3)))
def test_packs_take_them_too(worlds, dtype, rel):
    figure = chain_of([BALL, SLENDER, BALL, Mass(0.5, (0.0, 0.1, 0.0), (9e-3, 5e-3, 8e-3, 1e-4, 0, 0))])
    rng = np.random.default_rng(0)
    q, v = rng.normal(0.0, 0.5, (worlds, 4)), rng.normal(size=(worlds, 4))
    many = Simulation(World(figure), worlds=worlds, dtype=dtype, ledger=False)
    many.reset(q, v)
    for k in (0, worlds - 1):
        one = Simulation(World(figure), ledger=False)
        one.reset(q[k], v[k])
        close(many.acceleration[k], one.acceleration, rel=rel)
