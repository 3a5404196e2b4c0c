"""The person that walks and runs like a person: its figures, the ground under its soles, how it begins, its gaits."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from gambol.control.biped.adult_curves import curve_tables
from gambol.control.biped.gait import REFERENCE_SPEED, StrideGait, TunedWalk
from gambol.control.biped.goals_law import RUNS_FROM
from gambol.control.biped.sight import has_edges
from gambol.control.biped.stride_law import leg_angles
from gambol.control.biped.striding import ARM_JOINT, LEG_JOINTS, ROUGHEST, Stride
from gambol.errors import UnknownNameError, nearest
from gambol.figure import Figure
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.contact.terrain import PLANE, Terrain
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.forces.point_force import PointForce
from gambol.models.person.figure import HEIGHT, MASS, person90, positions, rigid_foot, sized, welded
from gambol.models.person.tables import is_foot_bone, standing_angles
from gambol.models.person.world import CHEST, GRAVITY, PUSH, contacts, joint_limits, joint_springs
from gambol.stepping.options import Stepping
from gambol.world.mechanics import Mechanics
from gambol.world.simulation import Simulation
from gambol.world.world import World

FEET = ("rigid", "toes", "complex")
WELDED: tuple[str, ...] = ("pelvis1", "pelvis2", "pelvis3", "head2")
WELDED += tuple(f"{s}_{j}" for s in "lr" for j in ("hand1", "hand2", "hand3"))
UPPER = {  # joints of arms and neck that hold still until they are told: stiffness [N·m/rad], damping [N·m·s/rad]
    "humerus2": (40.0, 4.0),
    "humerus3": (20.0, 2.0),
    "forearm": (25.0, 2.0),
    "head1": (60.0, 4.0),
    "head3": (40.0, 3.0),
}
WALK_STEPPING = Stepping(method="implicit-pair", eps=1e-2, length=0.1, time=0.01, max_step=5e-3)
SOLE = {  # spheres under a rigid left foot: radius, centres [m, frame of the hindfoot]
    "heel": (0.020, ((-0.043, 0.022, -0.034), (-0.043, -0.018, -0.034))),
    "ball": (0.015, ((0.125, -0.018, -0.033), (0.105, 0.022, -0.033), (0.085, 0.050, -0.033))),
    "toes": (0.010, ((0.195, -0.008, -0.037), (0.170, 0.032, -0.037))),
}
SOLE_GROUND = {  # what gives under them: stiffness [N/m], damping [N·s/m]; toes stand in for toes that bend
    "heel": (6.3e4, 4.5e3),
    "ball": (9.6e4, 4e3),
    "toes": (1e4, 600.0),
}
SEAT = ("l seat", "r seat")
SEAT_RADIUS, SEAT_PLACE = 0.075, (-0.03, 0.0, -0.015)  # [m] of the spheres it sits on; from the hips
SEAT_GROUND = Surface(stiffness=3e4, damping=2e3, ramp=0.02, friction=0.8, creep=4e-3)
START_PHASE = 0.28  # of the left leg: the middle of single support
ANKLE_HEIGHT = 0.0735  # [m] above the ground, with the sole sunk in
RUN_PHASE, RUN_HEIGHT, RUN_FALL = 0.46, 0.01, 0.5  # of the right leg, in the air; [m] of the left sole; [m/s] downward


@cache
def tuned_walk(feet: str = "rigid") -> TunedWalk:
    """The walk that comes with the model; one was found for rigid feet alone."""
    return _tuned("walk", feet)


@cache
def tuned_run(feet: str = "rigid") -> TunedWalk:
    """The run that comes with the model; one was found for rigid feet alone."""
    return _tuned("run", feet)


def _tuned(gait: str, feet: str) -> TunedWalk:
    _check_feet(feet)
    file = resources.files("gambol.models") / "data" / f"{gait}_{feet}.json"
    if not file.is_file():
        raise UnknownNameError(f"no {gait} was found for {feet} feet; there is one for rigid feet, and `shuffle`")
    given = json.loads(file.read_text(encoding="utf-8"))
    return TunedWalk(StrideGait(**given.pop("gait")), **given)


def _plain(name: str) -> str:
    """Without its side."""
    return name.removeprefix("l_").removeprefix("r_")


def _check_feet(feet: str) -> None:
    if feet not in FEET:
        raise UnknownNameError(f"a walking person has no feet {feet!r}{nearest(feet, FEET)}")


@cache
def walking_person(feet: str = "rigid", *, height: float = HEIGHT, mass: float = MASS, upper: bool = True) -> Figure:
    """A person whose legs have all their joints, with shoulders, elbows and a neck that nods and turns.

    feet    "rigid" (28 degrees of freedom), "toes" (the first joint of each toe bends: 38), "complex" (80)
    upper   do elbows, neck and all of the shoulders move? Without, arms only swing: 8 degrees of freedom less
    """
    _check_feet(feet)
    if feet == "rigid":
        figure = rigid_foot()
    else:
        figure = person90()
        bent = {f"{s}_phal{k}.2" for s in "lr" for k in range(1, 6)}
        if feet == "toes":
            figure = welded(figure, [n for n in figure.names if is_foot_bone(n) and n not in bent], standing_angles())
    names = WELDED if upper else (*WELDED, *(name for name in figure.names if _plain(name) in UPPER))
    return sized(replace(welded(figure, names, standing_angles()), name="walker"), height, mass)


def sole_contacts(feet: str, figure: Figure, heavy: float, long: float) -> list[Element]:
    """What of a walking person touches the ground: spheres under rigid feet, every vertex of the others' skin."""
    stiff, damp = heavy / long, heavy / math.sqrt(long)
    if feet != "rigid":
        surface = Surface(stiffness=1.5e4 * stiff, damping=60.0 * damp, ramp=5e-3 * long, friction=1.0, creep=1e-2)
        return contacts(figure, surface, feet_only=True)
    found: list[Element] = []
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for part, (radius, centres) in SOLE.items():
            points = [(long * x, long * sign * y, long * z) for x, y, z in centres]
            stiffness, damping = SOLE_GROUND[part]
            surface = Surface(
                stiffness=stiffness * stiff, damping=damping * damp, ramp=0.02 * long, friction=1.0, creep=4e-3
            )
            body = f"{side}_hindfoot"
            own = dict(body=body, points=points, surface=surface, radius=long * radius, line="ground")
            found.append(GroundContact(name=f"{side} {part}", **own))  # type: ignore[arg-type]
    return found


def seat_contacts(figure: Figure, heavy: float, long: float) -> list[Element]:
    """What a person sits on: a sphere behind each hip, over the ground."""
    mechanics, q = Mechanics(figure), positions(figure, standing_angles())
    root = figure.root.name
    origin, found = mechanics.point(q, root), []
    surface = replace(
        SEAT_GROUND,
        stiffness=SEAT_GROUND.stiffness * heavy / long,
        damping=SEAT_GROUND.damping * heavy / math.sqrt(long),
        ramp=SEAT_GROUND.ramp * long,
    )
    for name in SEAT:
        at = mechanics.point(q, f"{name[0]}_thigh1") - origin + long * np.array(SEAT_PLACE)
        own = dict(body=root, points=[tuple(map(float, at))], surface=surface, radius=SEAT_RADIUS * long, line="ground")
        found.append(GroundContact(name=name, **own))  # type: ignore[arg-type]
    return list(found)


def walking_world(
    feet: str = "rigid",
    *,
    seat: bool = False,
    terrain: Terrain | None = None,
    height: float = HEIGHT,
    mass: float = MASS,
    forces: Sequence[Element] = (),
) -> World:
    """A walking person (see `walking_person`) over the ground: springs to be driven, limits, soles, a "push".

    height, mass   of the person [m], [kg]: springs and ground are scaled with them
    seat           is there something under its hips that it can sit on?
    """
    figure, heavy, long = walking_person(feet, height=height, mass=mass), mass / MASS, height / HEIGHT
    scale = dict(effort=heavy * long, pace=long**0.5)
    driven = [f"{s}_{j}" for s in "lr" for j in (*LEG_JOINTS, ARM_JOINT)]
    made: list[Element] = [JointSpring(name=n, joint=n, stiffness=100.0, damping=5.0, line="joints") for n in driven]
    made += _upper_springs(figure, **scale)
    made += [spring for spring in joint_springs(figure, **scale) if is_foot_bone(spring.name)]
    made += joint_limits(figure, **scale)
    made += sole_contacts(feet, figure, heavy, long)
    made += seat_contacts(figure, heavy, long) if seat else []
    made.append(PointForce(name=PUSH, body=figure.root.name, point=CHEST, line="pushes"))
    return World((figure,), (0.0, 0.0, -GRAVITY), [*made, *forces], terrain=terrain or Terrain())


def _upper_springs(figure: Figure, *, effort: float, pace: float) -> list[Element]:
    """Springs that hold arms and neck as they stand."""
    angles, found = standing_angles(), []
    for name in figure.names:
        own = UPPER.get(_plain(name))
        if own:
            options = dict(stiffness=effort * own[0], damping=effort * pace * own[1], rest=angles[name])
            found.append(JointSpring(name=name, joint=name, line="joints", **options))  # type: ignore[arg-type]
    return list(found)


def soles_of(world: World) -> dict[str, tuple[str, ...]]:
    """Names of the ground contacts of the left and the right foot."""
    found = [e for e in world.elements if isinstance(e, GroundContact)]
    return {side: tuple(e.name for e in found if e.body.startswith(f"{side}_")) for side in "lr"}


def known_roughness(terrain: Terrain) -> float:
    """What a person that looks ahead knows of the ground [m]: is it even, or not? Between edges it is."""
    return 0.0 if terrain.shape == PLANE or has_edges(terrain) else ROUGHEST


def walking_start(figure: Figure, gait: StrideGait, *, speed: float = REFERENCE_SPEED, long: float = 1.0) -> Any:
    """Positions and speeds in the middle of a step: left foot flat on the ground, the right leg swinging through."""
    mechanics, values = Mechanics(figure), gait.numbers()
    q, v = positions(figure, standing_angles()), np.zeros(mechanics.speeds)
    legs = np.zeros((2, 2, 3))
    for side, phase in enumerate((START_PHASE, START_PHASE + 0.5)):
        leg_angles(*(table[0] for table in curve_tables()), values, phase, legs[side])
    legs[:, 1] /= gait.cycle * math.sqrt(long)
    legs[:, :, 0] *= -1.0
    legs[0, :, 2] = -legs[0, :, 0] - legs[0, :, 1] - [0.02, 0.0]  # foot flat
    where, fast = figure.position_slices, mechanics.layout.speed_slices
    for side, name in enumerate("lr"):
        q[where[f"{name}_thigh2"]] = -0.05 * (1 - 2 * side)
        for k, joint in enumerate(("thigh1", "shank", "talus")):
            q[where[f"{name}_{joint}"]] = legs[side, 0, k]
            v[fast[mechanics.layout.body(f"{name}_{joint}").name]] = legs[side, 1, k]
    q[2] -= mechanics.point(q, "l_talus")[2] - ANKLE_HEIGHT * long
    v[3:6] -= (mechanics.jacobian(q, "l_talus") @ v)[3:] * [1.0, 0.0, 1.0]
    v[3] += 0.8 * (speed - mechanics.momentum(q, v)[3] / mechanics.mass)
    return q, v


def running_start(figure: Figure, gait: StrideGait, *, speed: float, long: float = 1.0) -> Any:
    """Positions and speeds in the air, the left foot about to come down."""
    mechanics, values = Mechanics(figure), gait.numbers()
    q, v = positions(figure, standing_angles()), np.zeros(mechanics.speeds)
    legs = np.zeros((2, 2, 3))
    for side, phase in enumerate((RUN_PHASE + 0.5, RUN_PHASE)):
        leg_angles(*(table[1] for table in curve_tables()), values, phase, legs[side])
    legs[:, 1] /= gait.cycle * math.sqrt(long)
    legs[:, :, 0] *= -1.0
    where, fast = figure.position_slices, mechanics.layout.speed_slices
    for side, name in enumerate("lr"):
        for k, joint in enumerate(("thigh1", "shank", "talus")):
            q[where[f"{name}_{joint}"]] = legs[side, 0, k]
            v[fast[mechanics.layout.body(f"{name}_{joint}").name]] = legs[side, 1, k]
    soles = [(radius, (x, y, z)) for radius, centres in SOLE.values() for x, y, z in centres]
    lowest = min(
        mechanics.point(q, "l_hindfoot", tuple(long * np.array(centre)))[2] - long * radius for radius, centre in soles
    )
    q[2] += RUN_HEIGHT * long - lowest
    moving = mechanics.momentum(q, v)[3:] / mechanics.mass
    v[3:6] += np.array([speed, 0.0, -RUN_FALL * math.sqrt(long)]) - moving
    return q, v


def standing_start(figure: Figure, *, long: float = 1.0) -> Any:
    """Positions and speeds of a walking person that stands, feet side by side."""
    mechanics = Mechanics(figure)
    q = positions(figure, standing_angles())
    q[2] -= mechanics.point(q, "l_talus")[2] - ANKLE_HEIGHT * long
    return q, np.zeros(mechanics.speeds)


def walking_simulation(
    feet: str = "rigid",
    *,
    world: World | None = None,
    walk: TunedWalk | None = None,
    run: TunedWalk | None = None,
    speed: float | None = None,
    standing: bool = False,
    seat: bool = False,
    stepping: Stepping = WALK_STEPPING,
    terrain: Terrain | None = None,
    height: float = HEIGHT,
    mass: float = MASS,
) -> Simulation:
    """A walking person in the middle of a step, with the controller that lets it go on attached.

    world      of `walking_world`, with more in it
    speed      [m/s] it walks at; default: 1.25; from 2.1 on it runs
    seat       it can sit: see walking_world
    standing   it stands instead, until its walk is given a speed (`walk_of(sim).speed`), here or later
    """
    walk, run, long = walk or tuned_walk(feet), run or tuned_run(feet), height / HEIGHT
    made = world or walking_world(feet, seat=seat, terrain=terrain, height=height, mass=mass)
    sim = Simulation(made, stepping=stepping, ledger=False)
    figure = made.layout.figures[0]
    if standing:
        speed = speed or 0.0
        sim.reset(*standing_start(figure, long=long))
    else:
        speed = REFERENCE_SPEED if speed is None else speed
    running = not standing and speed >= RUNS_FROM * math.sqrt(long)
    begin = dict(stance="r", phase=RUN_PHASE) if running else {}
    if running:
        sim.reset(*running_start(figure, run.gait, speed=speed, long=long))
    elif not standing:
        sim.reset(*walking_start(figure, walk.gait, speed=speed, long=long))
    ground = dict(slope=made.terrain.slope_x, rough=known_roughness(made.terrain))
    options = dict(speed=speed, height=long, mass=mass / MASS, **ground)
    own = tuple(name for name in SEAT if name in {element.name for element in made.elements})
    sim.attach(Stride(walk, soles_of(made), run=run, seat=own, standing=standing, running=running, **options, **begin))  # type: ignore[arg-type]
    return sim


def walk_of(sim: Simulation) -> Stride:
    """The walk among the controllers of a simulation."""
    return next(controller for controller in sim.controllers if isinstance(controller, Stride))
