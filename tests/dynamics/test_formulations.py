"""Every formulation of forward dynamics gives the same accelerations."""

from dataclasses import replace

import numpy as np
from hypothesis import given

from gambol import Figure, Mechanics, PointForce, Simulation, World
from gambol.hinge_recursion import HingeSimulation
from trees import close, examples, seeds, tree

GRAVITY = (0.3, -1.7, -9.81)


@examples(40)
@given(seeds)
def test_hinge_recursion_equals_articulated_bodies(seed):
    """With one slow band a step (ν = 1), on trees of ball joints with a free root, torques and a push."""
    t = tree(seed, root="free", joints=("ball",))
    figure, name = t.figure, t.figure.name
    t.tau[:6] = 0.0  # the recursion has no force at its root but pushes
    body, point, force = t.body, tuple(t.rng.normal(0.0, 0.3, 3)), tuple(t.rng.normal(0.0, 5.0, 3))
    hinges = HingeSimulation(figure, positions=t.q, speeds=t.v, gravity=GRAVITY, ratio=1)
    for link in figure.names[1:]:
        hinges.command(link, t.tau[figure.speed_slices[link]])
    hinges.push(body, force, point)
    sim = Simulation(World(figure, GRAVITY, forces=(PointForce(body=body, point=point, force=force),)))
    sim.reset(t.q, t.v)
    sim.command = t.tau
    m, a = sim.mechanics, sim.acceleration
    linear, turning = hinges.accelerations()
    frames = m.frames(t.q)
    motions = [m.jacobian(t.q, b.name) @ a + m.bias_acceleration(t.q, t.v, b.name) for b in figure.order]
    close(linear, [motion[3:] for motion in motions], 1e-10)
    close(turning, [frames[f"{name}/{b.name}"].T @ motion[:3] for b, motion in zip(figure.order, motions)], 1e-10)
    energy, ours = hinges.energy(), m.energies(t.q, t.v)
    close(energy["kinetic"], ours["kinetic"])
    close(energy["gravitational"], ours["gravity"], scale=ours["kinetic"])
    close(np.concatenate(hinges.momentum()[::-1]), m.momentum(t.q, t.v))
    push = {body: [*np.cross(frames[f"{name}/{body}"] @ point, force), *force]}
    reactions = m.reactions(t.q, t.v, a, push)
    held = [-reactions[f"{name}/{b.name}"][3:] for b in figure.order]
    close(hinges.hinge_forces()[1:], np.reshape(held[1:], (-1, 3)), 1e-10)


@examples(40)
@given(seeds)
def test_dense_articulated_and_prescribed_motion_agree(seed):
    """Mass matrix solve = three passes = the same motion with every joint driven = one coordinate at a time."""
    t = tree(seed, bodies=1 + seed % 14)
    m = Mechanics(t.figure, GRAVITY)
    M, bias = m.mass_matrix(t.q), m.bias(t.q, t.v)
    condition = max(np.linalg.cond(M), 1e3)
    sim = Simulation(World(t.figure, GRAVITY))
    sim.reset(t.q, t.v)
    sim.command = t.tau
    a = sim.acceleration
    close(a, np.linalg.solve(M, t.tau - bias), 1e-14 * condition)
    driven = tuple(replace(b, joint=replace(b.joint, driven=True)) for b in t.figure.bodies)
    prescribed = Simulation(World(Figure(t.figure.name, driven), GRAVITY))
    prescribed.reset(t.q, t.v)
    prescribed.command = a
    close(prescribed.joint_force, t.tau, scale=np.abs(M).max() * np.abs(a).max())
    rest = sim.acceleration
    inverse = []
    for column in np.eye(m.speeds):
        sim.command = t.tau + column
        inverse.append(sim.acceleration - rest)
    close(np.array(inverse), np.linalg.inv(M), 1e-13 * condition, scale=np.abs(rest).max())
