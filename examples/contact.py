"""Blocks of three kinds of friction on a slope, a ball that slides into rolling, and a stack that stands.

    python examples/contact.py

Each prints what happened beside what the textbook says.
"""

from __future__ import annotations

import math

import numpy as np

from gambol import (
    Body,
    BodyContact,
    Figure,
    GroundContact,
    Joint,
    Part,
    Simulation,
    Sphere,
    Stepping,
    Surface,
    Terrain,
    World,
    box_figure,
)

G = 9.81


def slope(degrees: float, friction: float = 0.5) -> None:
    """How fast blocks slide down after a second."""
    angle = math.radians(degrees)
    for law in ("slide", "damper", "arctan"):
        block = box_figure((0.2, 0.2, 0.1), mass=1.0)
        surface = Surface.bearing(G, points=4, sinkage=1e-4, friction=friction, law=law)
        contact = GroundContact.of_body(block.root, surface)
        world = World(block, forces=contact, terrain=Terrain(slope_x=math.tan(angle)))
        sim = Simulation(world, stepping=Stepping(eps=1e-5))
        height = 0.05 - G * math.cos(angle) / 4 / surface.stiffness
        place = (-height * math.sin(angle), 0.0, height * math.cos(angle))
        sim.reset([*place, math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0])
        sim.run(1.0)
        wanted = max(G * (math.sin(angle) - friction * math.cos(angle)), 0.0)
        print(f"{degrees:4.0f}° {law:7s} {np.linalg.norm(sim.v[3:]):8.4f} m/s, without creep {wanted:.4f} m/s")


def roll() -> None:
    """A ball that is thrown without spin rolls in the end at 5/7 of its speed."""
    ball = Figure("ball", (Body("ball", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=1.0),)),))
    surface = Surface(stiffness=1e5, damping=500.0, friction=0.3, creep=1e-4)
    sim = Simulation(World(ball, forces=GroundContact.of_body(ball.root, surface)), stepping=Stepping(eps=1e-5))
    sim.reset([0, 0, 0.1 - G / 1e5, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0])
    path = sim.run(0.3, every=0.05)
    for time, v in zip(path.time, path.v):
        print(f"{time:5.2f} s  {v[3]:.4f} m/s, slips at {v[3] - 0.1 * v[1]:.4f} m/s")
    print(f"rolling: 5/7 = {5 / 7:.4f} m/s")


def stack(count: int = 3) -> None:
    """Boxes on boxes."""
    names = [f"box{k}" for k in range(count)]
    boxes = [box_figure((0.3, 0.3, 0.2), mass=2.0, name=name) for name in names]
    surface = Surface.bearing(2.0 * G * count, points=4, sinkage=2e-4, friction=0.6)
    forces = [*GroundContact.of_body(boxes[0].root, surface)]
    forces += [BodyContact(name=b, body=b, other=a, surface=surface) for a, b in zip(names, names[1:])]
    sim = Simulation(World(boxes, forces=forces), stepping=Stepping(eps=1e-5))
    sim.reset([x for k in range(count) for x in (0.0, 0.0, 0.1 + 0.2 * k, 1, 0, 0, 0)])
    sim.run(1.0)
    start = sim.q
    sim.run(9.0)
    print(f"after 10 s in {sim.counts['steps']:.0f} steps the boxes have moved by {np.abs(sim.q - start).max():.1e} m")
    for k, name in enumerate(names[1:], 1):
        carried, weight = sim.elements[name].report()["force_z"].sum(), (count - k) * 2.0 * G
        print(f"{name} is carried by {carried:.2f} N; it and what lies on it weigh {weight:.2f} N")


if __name__ == "__main__":
    slope(20.0)
    slope(35.0)
    roll()
    stack()
