"""What holds a figure that would fall: strings at its root, springs at its joints."""

from typing import Any

import numpy as np

from gambol.figure import Figure
from gambol.forces.anchor import Anchor
from gambol.forces.ball_spring import BallSpring
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.view.source import LiveSource
from gambol.world.world import World

SAG = 0.01  # by how much of its size the figure's weight stretches the strings that hold it
YIELD = 0.08  # [rad or m per m] by which the weight beyond a joint bends its posture spring
SETTLING = 0.15  # [s] damping over stiffness of posture springs and strings


def strings(figure: Figure, q: Any = None) -> list[Anchor]:
    """Three strings that hold the free root of a figure where it is, upright; none for a root that is not free."""
    root = figure.root
    if root.joint.type != "free":
        return []
    pose = figure.poses(q)[root.name]
    size = max(World(figure).size, 1e-6)
    stiffness = 9.81 * figure.mass / (3.0 * SAG * size)
    made = []
    for k, angle in enumerate(2.0 * np.pi * np.arange(3) / 3.0):
        point = (0.3 * size * np.cos(angle), 0.3 * size * np.sin(angle), 0.0)
        made.append(
            Anchor(
                name=f"{figure.name} string {k}",
                line="strings",
                body=f"{figure.name}/{root.name}",
                point=point,
                place=pose.apply(point),
                stiffness=stiffness,
                damping=SETTLING * stiffness,
            )
        )
    return made


def posture(figure: Figure, q: Any = None) -> list[Element]:
    """Springs that hold every hinge, slide and ball at its place in `q`, strong enough for the weight beyond it."""
    positions = np.asarray(figure.zero if q is None else q, float)
    made: list[Element] = []
    for body in figure.order:
        if body.joint.stiffness or body.joint.driven:
            continue
        reach = max(_reach(figure, body.name), 1e-3)
        stiffness = 9.81 * figure.distal_mass(body.name) * reach / YIELD
        joint, damping = f"{figure.name}/{body.name}", SETTLING * stiffness
        if body.joint.kind.springs == "rotation":
            made.append(BallSpring(joint=joint, line="posture", stiffness=stiffness, damping=damping))
        elif body.joint.kind.plain and body.joint.positions == 1:
            rest = float(positions[figure.position_slices[body.name].start])
            made.append(JointSpring(joint=joint, line="posture", rest=rest, stiffness=stiffness, damping=damping))
    return made


def _reach(figure: Figure, name: str) -> float:
    """How far from a joint the mass beyond it is [m]."""
    poses = figure.poses()
    origin = np.asarray(poses[name].position)
    beyond = (figure[name], *figure.descendants(name))
    return max(
        float(np.linalg.norm(np.subtract(poses[b.name].apply(b.mass_properties.centre), origin))) for b in beyond
    )


def held(figure: Figure, q: Any = None, *, ground: float | None = 0.0) -> LiveSource:
    """A figure that holds its posture, hung on strings by its root."""
    world = World(figure, forces=[*posture(figure, q), *strings(figure, q)])
    return LiveSource.of(world, q=q, ground=ground)
