"""How fast what an element holds swings on it: for the notice of springs that are far too stiff."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.forces.ball_limit import BallLimit
from gambol.forces.ball_spring import BallSpring
from gambol.forces.cable import Cable
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.touchdown import mass_of
from gambol.forces.element import JointElement, PointElement
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.forces.muscle import Muscle
from gambol.forces.pulley import Pulley
from gambol.forces.routing import Via
from gambol.forces.tendon import Tendon
from gambol.forces.tendon_actuator import TendonActuator

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

FULL_TURN = 2 * math.pi
CONTACTS = (GroundContact, RoundContact, BodyContact)
AT_JOINT, OVER_JOINTS = (JointElement, BallSpring, BallLimit), (Tendon, TendonActuator, Cable)
SPRINGS = (*AT_JOINT, *OVER_JOINTS, PointElement, Muscle, Pulley)
RIGID = 0.1  # a contact may be so much faster than a spring: what bounces on it touches it seldom


def stiffness_of(element: Any) -> float:
    """[N/m, N·m/rad] of a spring, or of a surface where it begins to be touched; 0 where it has none."""
    if isinstance(element, CONTACTS):
        surface = element.surface
        return float((surface.stiffness + surface.strength * surface.rise) * surface.scale)
    if isinstance(element, ExponentialSpring):
        return float(element.strength * element.rise)
    found = getattr(element, "stiffness", 0.0)
    if isinstance(element, Cable):
        found += element.stop_stiffness
    return float(found) if isinstance(element, SPRINGS) and np.ndim(found) == 0 else 0.0


def shortest_swings(sim: Simulation) -> list[tuple[Any, float]]:
    """The elements that swing, each with the time [s] of a swing of an inertia as small as one can be here."""
    masses = [entry.body.mass_properties.mass for entry in sim.layout.bodies]
    least = min((mass for mass in masses if mass > 0), default=1.0)
    small = min(1.0, 0.01 * sim.world.size) ** 2  # what turns may be this much lighter
    return [
        (element, FULL_TURN * math.sqrt(_lightest(sim, element, least, small) / stiffness))
        for element in sim.world.elements
        if (stiffness := stiffness_of(element)) > 0
    ]


def _lightest(sim: Simulation, element: Any, least: float, small: float) -> float:
    if isinstance(element, OVER_JOINTS):
        arms = max((abs(arm) for arm in _arms(element).values()), default=0.0)
        turning = least * small / arms**2 if arms > 0 else math.inf
        return min(turning, least) if isinstance(element, Cable) and element.path else turning
    if not isinstance(element, AT_JOINT):
        return least
    turns = "rad/s" in sim.layout.body(element.joint).body.joint.kind.speeds.values()
    return least * small if turns else least


def patience(element: Any) -> float:
    """How much faster than a spring it may be."""
    return RIGID if isinstance(element, CONTACTS) else 1.0


def swing(sim: Simulation, element: Any, mobility: np.ndarray, q: np.ndarray) -> float:
    """[s] of a swing of what an element holds, on it alone; mobility: inverse of the mass matrix."""
    easy = ease(sim, element, mobility, q) * stiffness_of(element)
    return FULL_TURN / math.sqrt(easy) if easy > 0 else math.inf


def ease(sim: Simulation, element: Any, mobility: np.ndarray, q: np.ndarray) -> float:
    """How easily the ends of an element move [1/kg, or 1/(kg·m²)]."""
    layout = sim.layout
    if isinstance(element, AT_JOINT):
        cells = layout.speed_slices[layout.body(element.joint).name]
        scale = element.scale(layout) if isinstance(element, JointElement) else 1.0
        return float(np.max(np.diagonal(mobility)[cells], initial=0.0)) * scale
    if isinstance(element, CONTACTS):
        bodies = [element.body, element.other] if isinstance(element, BodyContact) else [element.body]
        return sum(1.0 / mass_of(layout, body, 1) for body in bodies)
    if isinstance(element, (*OVER_JOINTS, Muscle)):
        row = _stretching(sim, q, element)
        return float(row @ mobility @ row)
    columns = _end(sim, q, element.body, element.point)[1]
    return float(np.linalg.norm(columns @ mobility @ columns.T, 2))


def _arms(element: Any) -> dict[str, float]:
    """[m] of each joint that it runs over: of a polynomial what there is at zero."""
    return {joint: float(np.atleast_1d(arm)[0]) for joint, arm in (element.arms or {}).items()}


def _stretching(sim: Simulation, q: np.ndarray, element: Any) -> np.ndarray:
    """How its length grows with each speed; a cable's as if nothing were in its way."""
    layout, row = sim.layout, np.zeros(sim.layout.nv)
    if isinstance(element, OVER_JOINTS):
        for joint, arm in _arms(element).items():
            row[layout.speed_slices[layout.body(joint).name]] = arm
    path = getattr(element, "path", ())
    if isinstance(element, Cable):
        path = [(stop.body, stop.point) for stop in path if isinstance(stop, Via)]
    ends = [_end(sim, q, body, at) for body, at in path]
    for (a, one), (b, other) in zip(ends, ends[1:]):
        row += (b - a) / max(float(np.linalg.norm(b - a)), 1e-12) @ (other - one)
    return row


def _end(sim: Simulation, q: np.ndarray, body: str, at: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where a point of a body (of the world: "") is [m], and how it moves with each speed."""
    if not body:
        return np.asarray(at, float), np.zeros((3, sim.layout.nv))
    return sim.mechanics.point(q, body, at), sim.mechanics.jacobian(q, body, at)[-3:]
