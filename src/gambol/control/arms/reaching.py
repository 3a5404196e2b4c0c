"""Reaching: postures formed by springs that pull, learnt as control states, performed on a cue.

Training, once for each target: without gravity and without the forces of the reaching joints, first-order dynamics
lets a spring pull the hand to the target and a second one pull the gaze there, against the springs of the neck. At
the posture found, inverse dynamics under gravity and inverse control give the rest angles that hold it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

from gambol.control.posture.control_state import ControlState
from gambol.forces.attachment import Attachment
from gambol.forces.element import Element
from gambol.forces.exponential_spring import ExponentialSpring, inverse_rest
from gambol.world.simulation import Simulation
from gambol.world.world import World

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Reach:
    """Who reaches with what.

    hand, tip    body and its point [m] that is to arrive; eyes, gaze: body and a point before it that turns to targets
    joints       that reach; the springs of all others (the neck's) stay on while a posture forms
    pull, look   stiffness of the two springs [N/m]
    """

    hand: str
    tip: Point
    eyes: str
    gaze: Point
    joints: tuple[str, ...]
    pull: float = 200.0
    look: float = 150.0


@dataclass(frozen=True)
class Lesson:
    """A target [m, world], the posture that reaches it, the control state that holds it, and what is missing [m]."""

    target: Point
    q: np.ndarray
    state: ControlState
    error: float


def train(world: World, reach: Reach, targets: Sequence[Point], *, seconds: float = 8.0) -> list[Lesson]:
    """A lesson for each target; `seconds` of first-order dynamics each."""
    return [_lesson(world, reach, target, seconds) for target in targets]


def rest_lesson(world: World, reach: Reach, q: np.ndarray) -> Lesson:
    """The posture q as a lesson of its own (where the hand goes when there is no cue)."""
    sim = Simulation(world, ledger=False)
    tip = sim.mechanics.point(q, reach.hand, reach.tip)
    return Lesson((float(tip[0]), float(tip[1]), float(tip[2])), np.asarray(q), _held(world, sim, q), 0.0)


def _lesson(world: World, reach: Reach, target: Point, seconds: float) -> Lesson:
    sim = Simulation(_forming(world, reach, target), ledger=False)
    q = formed(sim, seconds)
    error = float(np.linalg.norm(sim.mechanics.point(q, reach.hand, reach.tip) - np.asarray(target)))
    return Lesson(target, q, _held(world, sim, q), error)


def formed(sim: Simulation, seconds: float) -> np.ndarray:
    """Positions after `seconds` of first-order dynamics, by a method for stiff equations; for plain coordinates."""
    start = sim.q

    def rate(_, moved):
        sim.q = start + moved
        return sim.first_order_velocity()

    path = solve_ivp(rate, (0.0, seconds), np.zeros(len(start)), method="BDF", rtol=1e-5, atol=1e-7)
    sim.q = start + path.y[:, -1]
    return sim.q


def _forming(world: World, reach: Reach, target: Point) -> World:
    """No gravity, no springs at the reaching joints, two springs to the target."""
    forces: list[Element] = [
        replace(e, strength=1e-9) if isinstance(e, ExponentialSpring) and e.joint in reach.joints else e
        for e in world.forces
    ]
    forces.append(Attachment(name="pull", body=reach.hand, point=reach.tip, other_point=target, stiffness=reach.pull))
    forces.append(Attachment(name="look", body=reach.eyes, point=reach.gaze, other_point=target, stiffness=reach.look))
    return World(world.figures, (0.0, 0.0, 0.0), forces, (), world.terrain, world.profiles)


def _held(world: World, sim: Simulation, q: np.ndarray) -> ControlState:
    """Rest angles at which the springs of a world hold posture q against gravity."""
    mechanics = Simulation(world, ledger=False).mechanics
    torque = mechanics.gravity_torque(q)
    rest = {}
    for spring in world.elements:
        if isinstance(spring, ExponentialSpring) and spring.name == spring.joint:
            at = float(q[sim.coordinates(spring.joint)][0])
            force = float(torque[sim.speed_coordinates(spring.joint)][0])
            rest[spring.name] = inverse_rest(at, force, strength=spring.strength, rise=spring.rise)
    return ControlState(rest)
