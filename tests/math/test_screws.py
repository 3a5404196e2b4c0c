"""Spatial algebra on arrays: identities, and the same numbers as the mechanics of a figure."""

import numpy as np
import pytest

from gambol import (
    Mechanics,
    Placement,
    adjoint,
    chain,
    force_adjoint,
    force_cross,
    motion_cross,
    moved_inertia,
    rigid_shift,
    skew,
    spatial_inertia,
)

RNG = np.random.default_rng(4)
R, X = np.asarray(Placement.about((0.6, 0.0, 0.8), 0.7).matrix), np.array([0.3, -0.2, 0.5])
V, W, F = RNG.normal(size=(3, 6))


def test_identities():
    assert np.allclose(skew(V[:3]) @ W[:3], np.cross(V[:3], W[:3]))
    assert np.allclose(adjoint(R, X) @ adjoint(R.T, -R.T @ X), np.eye(6))
    assert np.allclose(force_adjoint(R, X), np.linalg.inv(adjoint(R, X)).T)
    assert (force_adjoint(R, X) @ F) @ (adjoint(R, X) @ V) == pytest.approx(F @ V)
    assert np.allclose(motion_cross(V) @ W, -motion_cross(W) @ V) and np.allclose(motion_cross(V) @ V, 0.0)
    assert np.allclose(force_cross(V), -motion_cross(V).T)
    a, b = RNG.normal(size=(2, 3))
    assert np.allclose(rigid_shift(a) @ rigid_shift(b), rigid_shift(a + b))


def test_the_kinetic_energy_of_a_figure():
    """½ Vᵀ M V of every link, at its own frame and moved to the world's origin."""
    figure = chain(3)
    mechanics = Mechanics(figure)
    q, v = np.array([0.4, -0.3, 0.8]), np.array([1.0, -2.0, 0.5])
    frames, origins, moving = mechanics.frames(q), mechanics.origins(q), mechanics.velocities(q, v)
    here, there = 0.0, 0.0
    for body in figure.bodies:
        own = body.mass_properties
        inertia = spatial_inertia(own.mass, own.centre, own.tensor)
        name = f"{figure.name}/{body.name}"
        turn, place = frames[name], origins[name]
        motion = adjoint(turn.T, np.zeros(3)) @ moving[name]
        here += 0.5 * motion @ inertia @ motion
        moved = adjoint(turn, place) @ motion
        there += 0.5 * moved @ moved_inertia(inertia, turn, place) @ moved
    assert here == pytest.approx(mechanics.kinetic_energy(q, v)) and there == pytest.approx(here)
