"""Tasks ready to learn: functions that give a Task, each part of which can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from gambol.errors import Fault, TaskError, nearest
from gambol.figure import Figure
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.contact.terrain import Rough, Terrain
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.forces.point_force import PointForce
from gambol.learn.actions import GaitNumbers, ServoTargets
from gambol.learn.changes import Commands, Pushes, Randomise, StartNoise
from gambol.learn.hybrids import compliant_velocity
from gambol.learn.observations import (
    AngularVelocity,
    Commanded,
    GravityDirection,
    HeightScan,
    JointPositions,
    JointSpeeds,
    LastAction,
    LinearVelocity,
    Points,
)
from gambol.learn.parts import Change, Observation
from gambol.learn.rewards import (
    ActionRate,
    Alive,
    Bounce,
    Forward,
    JointMotion,
    Low,
    Near,
    Tilt,
    Tilted,
    TrackTurn,
    TrackVelocity,
)
from gambol.learn.task import Task, TaskParts
from gambol.learn.walking import StridePhase, StrideResiduals
from gambol.stepping.options import Stepping
from gambol.world.world import World

STANDING = 0.15  # [m] of the hexapod's trunk above the ground where its root is placed
SERVO_STIFFNESS, SERVO_DAMPING = 15.0, 0.3  # [N·m/rad], [N·m·s/rad]
ARM_STIFFNESS, ARM_DAMPING = 60.0, 6.0


def hexapod_world(terrain: Terrain | None = None) -> tuple[World, np.ndarray]:
    """The six-legged robot of 30 DOF with a servo at every joint, on the tips of its legs; where it stands."""
    from gambol.models.hexapod import SEGMENTS, hexapod30, stance

    robot = hexapod30(height=STANDING)
    q = np.array(stance(robot))
    length, radius = SEGMENTS["tarsus"][:2]
    surface = Surface.bearing(9.81 * robot.mass, points=6, sinkage=1e-3)
    forces: list[Element] = []
    for body in robot.bodies[1:]:
        rest = float(q[robot.position_slices[body.name].start])
        servo = dict(stiffness=SERVO_STIFFNESS, damping=SERVO_DAMPING, rest=rest)
        forces.append(JointSpring(name=body.name, joint=body.name, **servo))  # type: ignore[arg-type]
    for body in robot.bodies[1:]:
        if body.name.endswith("tarsus"):
            tip = ((length - 0.5 * radius, 0.0, 0.0),)
            forces.append(
                GroundContact(name=f"{body.name} contact", body=body.name, points=tip, radius=radius, surface=surface)
            )
    return World(robot, forces=forces, terrain=terrain or Terrain()), q


def hexapod_velocity(
    *, forward: tuple[float, float] = (0.0, 0.6), turn: float = 0.5, terrain: Terrain | None = None, rough: bool = False
) -> Task:
    """The hexapod of 30 DOF walks as fast, and turns as quickly, as it is told, by the targets of its 24 servos.

    forward   range of the commanded velocity [m/s], turn: of the commanded turning [rad/s], both ways
    rough     noise, delay, pushes, and other frictions and servos in every world
    """
    world, q = hexapod_world(terrain)
    noise, late = (1.0, 1) if rough else (0.0, 0)
    changes: list[Change] = [
        Commands(low=(forward[0], 0.0, -turn), high=(forward[1], 0.0, turn), every=5.0),
        StartNoise(positions=0.05, speeds=0.2),
    ]
    if rough:
        changes += [
            Pushes(speed=0.3, every=4.0),
            Randomise(GroundContact, "friction", 0.5, 1.3),
            Randomise([b.name for b in world.layout.figures[0].bodies[1:]], "stiffness", 0.8, 1.2, together=False),
        ]
    return Task(
        name="hexapod velocity",
        world=world,
        start=q,
        observations=[
            AngularVelocity(scale=0.25, noise=0.1 * noise),
            GravityDirection(noise=0.03 * noise),
            Commanded(),
            JointPositions(noise=0.01 * noise, delay=late),
            JointSpeeds(scale=0.1, noise=0.3 * noise, delay=late),
            LastAction(),
        ],
        actions=[ServoTargets(reach=0.6)],
        rewards=[
            TrackVelocity(weight=1.0, width=0.2),
            TrackTurn(weight=0.5, width=0.5),
            Bounce(weight=-0.5),
            Tilt(weight=-1.0),
            ActionRate(weight=-0.01),
            JointMotion(weight=-2e-4),
        ],
        terminations=[Tilted(angle=0.8), Low(height=-0.10)],
        changes=changes,
    )


def hexapod_gait() -> Task:
    """The hexapod walks by five numbers of a tripod gait (frequency, stride, lift, lag, turn), as far as it can."""
    world, q = hexapod_world()
    legs = [b.name.removesuffix("_coxa") for b in world.layout.figures[0].bodies if b.name.endswith("coxa")]
    gait = GaitNumbers(
        swing=[f"{leg}_coxa" for leg in legs],
        lift=[f"{leg}_femur" for leg in legs],
        group=[int(leg in ("l_front", "r_middle", "l_hind")) for leg in legs],
        side=[1.0 if leg.startswith("l") else -1.0 for leg in legs],
    )
    return Task(
        name="hexapod gait",
        world=world,
        start=q,
        observations=[AngularVelocity(), GravityDirection(), JointPositions(), LastAction()],
        actions=[gait],
        rewards=[Forward()],
        terminations=[Tilted(angle=0.8), Low(height=-0.10)],
        episode=2.0,
    )


def roach_rough_ground(*, amplitude: float = 2e-3, length: float = 0.06, scan: bool = True) -> Task:
    """The roach of 38 DOF crosses rough ground, waves `amplitude` high and `length` long [m], by its joint springs."""
    from gambol.models.roach import roach_world, standing_positions

    world = roach_world(terrain=Rough(amplitude=amplitude, length=length))
    legs = [name for name in (f.name for f in world.forces) if name.startswith("leg_") and "contact" not in name]
    moved = [name for name in legs if not name.endswith("4")]
    seen: list[Observation] = [
        AngularVelocity(scale=0.1),
        GravityDirection(),
        JointPositions(moved),
        JointSpeeds(moved, scale=0.02),
        LastAction(),
    ]
    if scan:
        seen.append(HeightScan(ahead=(0.0, 0.02, 0.04), left=(-0.01, 0.01), scale=50.0))
    return Task(
        name="roach over rough ground",
        world=world,
        start=standing_positions(0.0175 + amplitude),
        observations=seen,
        actions=[ServoTargets(moved, reach=0.4)],
        rewards=[Forward(weight=10.0, most=0.3), Tilt(weight=-1.0), ActionRate(weight=-0.005)],
        terminations=[Tilted(angle=1.0)],
        changes=[StartNoise(positions=0.02, speeds=0.0), Randomise(GroundContact, "friction", 0.7, 1.3)],
        tick=0.01,
        episode=5.0,
        settle=0.25,
    )


def person_balance(*, push: float = 0.3, every: float = 2.0) -> Task:
    """A person of 38 DOF keeps its feet while its trunk is pushed, by up to `push` [m/s] about every so often [s]."""
    from gambol.models.person import person_world, posture, rigid_foot, stand

    figure = rigid_foot()
    whole = person_world(figure)
    standing = stand(whole, posture(wide=True))
    forces = [
        replace(cast(Any, f), rest=standing.state.rest[f.name])
        if f.name in standing.state.rest and hasattr(f, "rest")
        else f
        for f in whole.forces
        if not isinstance(f, PointForce)
    ]
    moved = [f"{side}_{joint}" for side in "lr" for joint in ("thigh1", "thigh2", "shank", "talus", "hindfoot")]
    return Task(
        name="person balance",
        world=World(figure, whole.gravity, forces),
        start=standing.analysis.q,
        observations=[
            AngularVelocity(scale=0.5),
            GravityDirection(scale=3.0),
            JointPositions(moved, scale=3.0),
            JointSpeeds(moved, scale=0.3),
            LastAction(),
        ],
        actions=[ServoTargets(moved, reach=0.2, pace=4.0)],
        rewards=[Alive(weight=1.0), Tilt(weight=-5.0), Bounce(weight=-0.5), ActionRate(weight=-0.01)],
        terminations=[Tilted(angle=0.6), Low(height=-0.3)],
        changes=[Pushes(speed=push, every=every)],
        episode=10.0,
        settle=0.0,
    )


def person_walking(*, forward: tuple[float, float] = (1.0, 1.5), push: float = 0.0, every: float = 3.0) -> Task:
    """A person of 38 DOF walks as fast as it is told: a stride controller walks, actions move what its joints aim at.

    forward   range of the commanded velocity [m/s], between 0.6 and 1.7
    push      pushes of its trunk, by up to so much [m/s] about `every` so often [s]
    """
    from gambol.models.person import tuned_walk
    from gambol.models.person.walking import soles_of, walking_start, walking_world

    whole, walk = walking_world(), tuned_walk()
    pushed = [force for force in whole.forces if not isinstance(force, PointForce)]
    world = World(whole.layout.figures, whole.gravity, pushed)
    q, v = walking_start(world.layout.figures[0], walk.gait)
    moved = [f"{side}_{joint}" for side in "lr" for joint in ("thigh1", "thigh2", "shank", "talus")]
    changes: list[Change] = [Commands(low=(forward[0], 0.0), high=(forward[1], 0.0), every=5.0)]
    if push:
        changes.append(Pushes(speed=push, every=every))
    return Task(
        name="person walking",
        world=world,
        start=q,
        speeds=v,
        observations=[
            AngularVelocity(scale=0.5),
            GravityDirection(scale=3.0),
            LinearVelocity(),
            JointPositions(moved, scale=2.0),
            JointSpeeds(moved, scale=0.2),
            StridePhase(),
            Commanded(names=("forward", "left"), units=("m/s", "m/s")),
            LastAction(),
        ],
        actions=[StrideResiduals(walk=walk, soles=soles_of(world))],
        rewards=[
            TrackVelocity(weight=1.0, width=0.3),
            Alive(weight=0.5),
            Tilt(weight=-2.0),
            ActionRate(weight=-0.01),
        ],
        terminations=[Tilted(angle=0.6), Low(height=-0.3)],
        changes=changes,
        drives=4,
        episode=10.0,
        settle=0.0,
        stepping=Stepping(method="implicit-euler", step=1.25e-3),
    )


def arm_reaching() -> Task:
    """A spatial arm of six hinges brings its hand to places that are told, by the targets of its servos."""
    from gambol.models.arms import six_link_arm

    arm = six_link_arm()
    start = np.array(arm.zero, float)
    names = [body.name for body in arm.bodies]
    servo: dict[str, Any] = dict(stiffness=ARM_STIFFNESS, damping=ARM_DAMPING)
    forces: list[Element] = [JointSpring(name=name, joint=name, **servo) for name in names]
    hand = ("hand", (0.0, 0.0, -0.18))
    return Task(
        name="arm reaching",
        world=World(arm, forces=forces),
        start=start,
        observations=[
            JointPositions(),
            JointSpeeds(scale=0.2),
            Points([hand], to_command=True, scale=2.0),
            LastAction(),
        ],
        actions=[ServoTargets(reach=1.5, pace=6.0)],
        rewards=[
            Near(body=hand[0], point=hand[1], width=0.4),
            Near(body=hand[0], point=hand[1], width=0.08),
            ActionRate(weight=-0.02),
        ],
        changes=[Commands(low=(-0.4, -0.4, -0.8), high=(0.4, 0.4, -0.3), every=2.0)],
        episode=6.0,
        settle=0.2,
    )


def figure_task(
    file: str | Path | Figure,
    *,
    start: Sequence[float] | None = None,
    feet: Sequence[str] = (),
    stiffness: float = SERVO_STIFFNESS,
    damping: float = SERVO_DAMPING,
) -> Task:
    """A figure of your own (a file, or a Figure) gets servos at all its joints of one coordinate, and moves along x.

    feet       bodies that touch the ground, at the lowest points of their shapes; default: those without children
    stiffness, damping   of the servos [N·m/rad], [N·m·s/rad]
    """
    from gambol.loading import load

    figure = file if isinstance(file, Figure) else load(file, Figure)
    if figure.root.joint.type != "free":
        raise TaskError([Fault("only a figure whose root joint is free can walk", figure.root.name)])
    q = np.array(figure.zero if start is None else start, float)
    parents = {body.parent for body in figure.bodies}
    soles = list(feet) or [body.name for body in figure.bodies if body.name not in parents]
    surface = Surface.bearing(9.81 * figure.mass, points=len(soles), sinkage=1e-3)
    forces: list[Element] = []
    for body in figure.bodies[1:]:
        if body.joint.kind.plain and body.joint.positions == 1 and not body.joint.driven:
            rest = float(q[figure.position_slices[body.name].start])
            servo: dict[str, Any] = dict(stiffness=stiffness, damping=damping, rest=rest)
            forces.append(JointSpring(name=body.name, joint=body.name, **servo))
    moved = [force.name for force in forces]
    if not moved:
        raise TaskError([Fault("no joint of one coordinate can be moved", figure.name)])
    for name in soles:
        points = tuple(_lowest_points(figure, name, q))
        forces.append(GroundContact(name=f"{name} contact", body=name, points=points, surface=surface))
    return Task(
        name=figure.name,
        world=World(figure, forces=forces),
        start=q,
        observations=[AngularVelocity(), GravityDirection(), JointPositions(moved), JointSpeeds(moved), LastAction()],
        actions=[ServoTargets(moved)],
        rewards=[Forward(), Alive(weight=0.2), ActionRate(weight=-0.01)],
        terminations=[Tilted(angle=1.0)],
        changes=[StartNoise()],
        episode=10.0,
    )


def _lowest_points(figure: Figure, name: str, q: np.ndarray) -> list[tuple[float, ...]]:
    """Points of a body [m, body frame] that are lowest at positions q: of the surfaces of its shapes, or its origin."""
    from gambol.plot.surfaces import surface

    body = next((b for b in figure.bodies if b.name == name), None)
    if body is None:
        raise TaskError([Fault(f"there is no body called {name!r}{nearest(name, figure.names)}", figure.name)])
    found = [part.placement.apply(tuple(p)) for part in body.parts for p in surface(part.shape).reshape(-1, 3)]
    cloud = np.array(found or [(0.0, 0.0, 0.0)], float)
    pose = figure.poses(q)[name]
    height = np.array([pose.apply(tuple(p))[2] for p in cloud])
    low = cloud[height < height.min() + 1e-3]
    return [tuple(map(float, p)) for p in np.unique(low.round(6), axis=0)[:: max(len(low) // 4, 1)]]


TASKS: dict[str, Callable[..., TaskParts]] = {
    task.__name__: task
    for task in (
        hexapod_velocity,
        compliant_velocity,
        hexapod_gait,
        roach_rough_ground,
        person_balance,
        person_walking,
        arm_reaching,
        figure_task,
    )
}
"""By the names of their functions."""
