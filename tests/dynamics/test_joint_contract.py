"""The contract of a joint module (gambol.dynamics.joints), for every one that is registered.

A new kernel is tested here by being there: it needs a joint type of the same name in gambol.figure.joints.
"""

import hashlib
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol import Figure, Mechanics, Simulation, World, WorldError, random_figure, random_positions
from gambol.dynamics.joints import (
    JOINTS,
    KINDS,
    POSITIONS_OF,
    SPEEDS_OF,
    TRANSLATES_OF,
    difference_joint,
    integrate_joint,
    tangent_rate_of,
)
from gambol.figure import JOINT_TYPES
from gambol.figure.builders import random_joint
from gambol.jit import entry
from trees import close, derivative

PARAMETERS = {
    "place": "model motion first count q v",
    "gather": "model motion first count v",
    "move": "model motion first count v",
    "motion_subspace": "model W i c",
    "integrate": "q k base d j",
    "tangent_rate": "out j d v s",
    "difference": "out j a b k",
}
pytestmark = pytest.mark.nojit
GRAVITY = (0.3, -1.7, -9.81)
every_joint = pytest.mark.parametrize("joint", JOINTS, ids=lambda m: m.NAME)
RECIPE = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


@entry(recipe=RECIPE)
def call_integrate(kind, q, k, base, d, j):
    integrate_joint(kind, q, k, base, d, j)


@entry(recipe=RECIPE)
def call_tangent_rate(kind, out, j, d, v, s):
    tangent_rate_of(kind, out, j, d, v, s)


@entry(recipe=RECIPE)
def call_difference(kind, out, j, a, b, k):
    difference_joint(kind, out, j, a, b, k)


PAD = 2  # coordinates before and after, which a joint must leave alone


def integrated(joint, base, d):
    """The joint's integrate as a function; it must write its own coordinates only."""
    q = np.full(2 * PAD + joint.POSITIONS, 7.0)
    padded = np.concatenate([np.zeros(PAD), base, np.zeros(PAD)])
    call_integrate(joint.KIND, q, PAD, padded, np.concatenate([np.zeros(PAD + 1), d]), PAD + 1)
    assert np.all(q[:PAD] == 7.0) and np.all(q[PAD + joint.POSITIONS :] == 7.0)
    return q[PAD : PAD + joint.POSITIONS]


def tangent_rate(joint, d, v):
    out = np.full(2 * PAD + joint.SPEEDS, 7.0)
    at = np.concatenate([np.zeros(PAD), d, np.zeros(PAD)])
    call_tangent_rate(joint.KIND, out, PAD, at, np.concatenate([np.zeros(PAD + 1), v]), PAD + 1)
    assert np.all(out[:PAD] == 7.0) and np.all(out[PAD + joint.SPEEDS :] == 7.0)
    return out[PAD : PAD + joint.SPEEDS]


def difference_of(joint, a, b):
    out = np.full(2 * PAD + joint.SPEEDS, 7.0)
    padded = [np.concatenate([np.zeros(PAD + 1), x]) for x in (a, b)]
    call_difference(joint.KIND, out, PAD, *padded, PAD + 1)
    assert np.all(out[:PAD] == 7.0) and np.all(out[PAD + joint.SPEEDS :] == 7.0)
    return out[PAD : PAD + joint.SPEEDS]


def positions_of(joint, rng):
    """Generic positions of one such joint, and of a figure that has only it."""
    figure = random_figure(rng, 1, root=joint.NAME)
    return random_positions(rng, figure), figure


def mechanism(joint, seed, *, armature=False):
    """Trees in which the joint is root, middle and end, next to others and to itself, in motion."""
    rng = np.random.default_rng(seed)
    types = (joint.NAME,) if seed % 2 else (joint.NAME, "hinge", "ball", "slide")
    figure = random_figure(rng, 7, types, joint.NAME if seed % 3 else "free")
    if armature:
        bodies = [
            b
            if b.joint.type in ("fixed", "free")
            else replace(b, joint=replace(b.joint, armature=float(rng.uniform(0.1, 1.0))))
            for b in figure.bodies
        ]
        figure = Figure("armed", tuple(bodies))
    if not figure.speeds:
        figure = random_figure(rng, 7, (*types, "hinge"), "hinge")
    return figure, random_positions(rng, figure), rng.normal(size=figure.speeds), rng


# ---------------------------------------------------------------- what the module has
@every_joint
def test_module_has_the_contract(joint):
    assert JOINTS[joint.KIND] is joint and KINDS[joint.NAME] == joint.KIND
    assert joint.NAME == joint.__name__.rsplit(".", maxsplit=1)[-1]
    assert isinstance(joint.TRANSLATES, bool)
    assert (POSITIONS_OF[joint.KIND], SPEEDS_OF[joint.KIND]) == (joint.POSITIONS, joint.SPEEDS)
    assert TRANSLATES_OF[joint.KIND] is joint.TRANSLATES
    assert joint.NAME in JOINT_TYPES, f"gambol.figure.joints has no type {joint.NAME!r}, so nobody can use this joint"
    described = JOINT_TYPES[joint.NAME]
    assert (len(described.positions), len(described.speeds)) == (joint.POSITIONS, joint.SPEEDS)
    one = random_joint(np.random.default_rng(0), joint.NAME)
    assert described.translates(one) is joint.TRANSLATES
    assert [link.type for link in described.primitives(one)] == [joint.NAME]
    for name, parameters in PARAMETERS.items():
        loop = getattr(joint, name, None)
        assert callable(loop), f"{joint.NAME} has no {name}"
        function = getattr(loop, "py_func", loop)
        wanted = parameters.split()
        assert list(inspect.signature(function).parameters) == wanted, f"{joint.NAME}.{name} takes other arguments"


# ---------------------------------------------------------------- displacements
@every_joint
@pytest.mark.parametrize("size", (1e-9, 1e-4, 0.02, 0.3, 1.5))
def test_integrate_then_difference_is_the_identity(joint, size):
    rng = np.random.default_rng(7)
    for _ in range(5):
        base, figure = positions_of(joint, rng)
        d = size * rng.uniform(-1.0, 1.0, joint.SPEEDS)
        q = integrated(joint, base, d)
        close(difference_of(joint, q, base), d, 1e-13, scale=1.0)
        close(difference_of(joint, base, q), -d, 1e-13, scale=1.0)
        close(q, Mechanics(figure).displaced(base, d), 1e-14, scale=1.0)
        close(integrated(joint, base, np.zeros(joint.SPEEDS)), base, 1e-15, scale=1.0)
        if joint.POSITIONS != joint.SPEEDS:
            close(np.linalg.norm(q[-4:]), 1.0, 1e-15)


@every_joint
@pytest.mark.parametrize("size", (0.0, 1e-6, 5e-3, 2e-2, 0.5, 2.0))
def test_rate_is_that_of_the_displacement(joint, size):
    """At q = base displaced by d and speeds v: base displaced by d + s·rate and q by s·v part as s²."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        base, _ = positions_of(joint, rng)
        d, v = size * rng.uniform(-1.0, 1.0, joint.SPEEDS), rng.normal(size=joint.SPEEDS)
        rate, q = tangent_rate(joint, d, v), integrated(joint, base, d)
        apart = derivative(
            lambda s, q=q, d=d, v=v, base=base, rate=rate: difference_of(
                joint, integrated(joint, base, d + s * rate), integrated(joint, q, s * v)
            )
        )
        close(apart, np.zeros(joint.SPEEDS), 1e-7, scale=1.0)


# ---------------------------------------------------------------- kinematics
@every_joint
@pytest.mark.parametrize("seed", range(4))
def test_columns_and_bias_are_derivatives_of_the_pose(joint, seed):
    figure, q, v, rng = mechanism(joint, seed)
    m = Mechanics(figure)
    path = lambda s: m.displaced(q, s * v)
    for body in figure.bodies:
        at, name = rng.normal(size=3), f"{figure.name}/{body.name}"
        J = m.jacobian(q, body.name, at)
        close(J[3:] @ v, derivative(lambda s, b=body.name, at=at: m.point(path(s), b, at)), 1e-8, scale=1.0)
        turn = derivative(lambda s, n=name: m.frames(path(s))[n]) @ m.frames(q)[name].T
        close(J[:3] @ v, (turn[2, 1], turn[0, 2], turn[1, 0]), 1e-8, scale=1.0)
        velocity = m.velocities(q, v)[name]
        close(m.jacobian(q, body.name) @ v, velocity, 1e-12, scale=1.0)
        change = derivative(lambda s, b=body.name, at=at: m.jacobian(path(s), b, at) @ v)
        close(m.bias_acceleration(q, v, body.name, at), change, 1e-8, scale=1.0)


# ---------------------------------------------------------------- the three passes
@every_joint
@pytest.mark.parametrize("armature", (False, True))
@pytest.mark.parametrize("seed", range(6))
def test_passes_agree_with_the_dense_solve(joint, seed, armature):
    figure, q, v, rng = mechanism(joint, seed, armature=armature)
    tau = rng.normal(0.0, 5.0, figure.speeds)
    sim = Simulation(World(figure, GRAVITY), stepping="rkf45")
    sim.reset(q, v)
    sim.command = tau
    M, bias = sim.mechanics.mass_matrix(q), sim.mechanics.bias(q, v)
    dense = np.linalg.solve(M, tau - bias)
    close(sim.acceleration, dense, 1e-14 * max(np.linalg.cond(M), 1e3))


def test_free_joint_takes_no_armature():
    """It would have to be refused or obeyed; it is refused, with the name of the body."""
    figure = random_figure(1, 2)
    armed = figure.replace("b0", joint=replace(figure.root.joint, armature=0.1))
    with pytest.raises(WorldError, match=r"random/b0: a free joint takes no .*armature"):
        Simulation(World(armed))
