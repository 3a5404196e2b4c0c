"""The passive step of the person: its figure, its start, and the rules that switch its few springs on.

Left leg stance. Waist, neck, wrists are welded, hips and shoulders flex only; the stance knee is locked, the stance hip
and the left elbow turn at constant speed, everything else is left to itself. The source prints no initial conditions;
these were found by search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from scipy.optimize import brentq

from gambol.control.behaviour import Do, Then, Until
from gambol.control.posture.support import support
from gambol.figure import Figure
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.models.person.figure import HEIGHT, MASS, person90, positions, sized, welded
from gambol.models.person.tables import is_foot_bone, joint_table, standing_angles
from gambol.models.person.world import STEPPING, WEAK, person_world
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

WELDED: tuple[str, ...] = ("pelvis1", "pelvis2", "pelvis3", "head1", "head2", "head3")
WELDED += tuple(
    f"{s}_{j}" for s in "lr" for j in ("thigh2", "thigh3", "humerus2", "humerus3", "hand1", "hand2", "hand3")
)
DRIVEN = ("l_shank", "l_thigh1", "l_forearm")
LIMP = ("r_thigh1", "r_shank", "r_talus", "l_talus", "l_humerus1", "r_humerus1", "r_forearm")
DAMPING = {"r_talus": 1.0}  # [N·m·s/rad]; else WEAK_DAMPING
WEAK_DAMPING = 0.1
RULE_PERIOD = 2e-3  # [s] between looks at whether a rule applies
KNEE_CAUGHT, KNEE_REST, KNEE_DAMPING = 0.12, 0.03, 2.0  # [rad], [rad], [N·m·s/rad]


@dataclass(frozen=True)
class StepStart:
    """How a step begins: angles [rad], rates [rad/s], pitch of the trunk [rad] and its angular velocity [rad/s]."""

    pitch: float = 0.0128
    angles: Mapping[str, float] = field(
        default_factory=lambda: {
            "l_thigh1": -0.243,
            "l_talus": 0.230,
            "r_thigh1": -0.118,
            "r_shank": 0.782,
            "r_talus": -0.4045,
            "r_humerus1": -0.282,
            "l_humerus1": 0.282,
        }
    )
    rates: Mapping[str, float] = field(
        default_factory=lambda: {
            "l_thigh1": 1.236,
            "l_talus": -1.310,
            "r_thigh1": -3.640,
            "r_shank": 5.381,
            "r_humerus1": 1.712,
            "l_humerus1": -1.712,
            "l_forearm": -0.5,
        }
    )
    turning: tuple[float, float, float] = (-0.0916, 0.0736, -0.0574)

    def without_arms(self) -> StepStart:
        """The same with arms that hang still."""
        still = {name: 0.0 for name in ("r_humerus1", "l_humerus1", "l_forearm")}
        angles = dict(self.angles) | {"r_humerus1": 0.05, "l_humerus1": 0.05}
        return replace(self, angles=angles, rates=dict(self.rates) | still)

    def without_sway(self) -> StepStart:
        """The same without motion to the side."""
        return replace(self, turning=(0.0, self.turning[1], self.turning[2]))


@cache
def stepping_person(
    *, rigid: bool = False, removed: tuple[str, ...] = (), height: float = HEIGHT, mass: float = MASS
) -> Figure:
    """The person for the passive step: 64 joints, or 12 with rigid feet; bones in `removed` are taken off."""
    figure = person90()
    for name in removed:
        figure = figure.remove(name)
    names = [n for n in figure.names if n in WELDED or (rigid and is_foot_bone(n))]
    figure = welded(figure, names, standing_angles())
    for name in DRIVEN:
        figure = figure.replace(name, joint=replace(figure[name].joint, driven=True))
    return sized(replace(figure, name="stepper"), height, mass)


def step_world(figure: Figure, *, height: float = HEIGHT, mass: float = MASS) -> World:
    """With springs off at the limp joints, and weak dampers there."""
    world = person_world(figure, height=height, mass=mass)
    forces = [_limp(e) if isinstance(e, ExponentialSpring) and e.joint in LIMP else e for e in world.forces]
    return World(world.figures, world.gravity, forces, (), world.terrain)


def _limp(spring: ExponentialSpring) -> ExponentialSpring:
    return replace(spring, strength=WEAK, damping=DAMPING.get(spring.joint, WEAK_DAMPING))


def started(figure: Figure, start: StepStart | None = None, *, stepping: Stepping = STEPPING) -> Simulation:
    """A simulation at the beginning of the step: the left ankle at rest, the ground carrying the weight."""
    start = start or StepStart()
    sim = Simulation(step_world(figure), stepping=replace(stepping, max_step=2e-3), ledger=False)
    q = positions(figure, standing_angles() | dict(start.angles))
    q[3:7] = np.cos(0.5 * start.pitch), 0.0, np.sin(0.5 * start.pitch), 0.0
    v = np.zeros(sim.layout.nv)
    for name, rate in start.rates.items():
        v[sim.speed_coordinates(name)] = rate
    v[:3] = start.turning
    q[2] += _height(sim, q)
    v[3:6] -= (sim.mechanics.jacobian(q, "l_talus") @ v)[3:]
    sim.reset(q, v)
    return sim


def _height(sim: Simulation, q: np.ndarray) -> float:
    """How much to lift the figure so that the ground carries its weight [m]."""
    weight = sim.mechanics.mass * 9.81

    def excess(lift: float) -> float:
        moved = q.copy()
        moved[2] += lift
        sim.reset(moved)
        return support(sim).load - weight

    low = float(min(sim.mechanics.point(q, name)[2] for name in ("l_talus", "r_talus")))
    return float(brentq(excess, -low, 0.3 - low))


def leg_is_vertical(sim: Simulation) -> bool:
    """Is the stance hip above or before the ankle?"""
    hip, ankle = (sim.mechanics.point(sim.q, name) for name in ("l_thigh1", "l_talus"))
    return bool(hip[0] >= ankle[0])


def knee_is_straight(sim: Simulation) -> bool:
    """Is the swing knee nearly extended and still extending?"""
    angle, rate = sim.q[sim.coordinates("r_shank")][0], sim.v[sim.speed_coordinates("r_shank")][0]
    return bool(angle < KNEE_CAUGHT and rate < 0.0)


def swing_load(sim: Simulation) -> float:
    """What the ground carries of the swing foot [N]."""
    return support(sim).loads(lambda body: "swing" if body.startswith("r_") else None).get("swing", 0.0)


def catch_ankle(sim: Simulation) -> None:
    """The stance ankle's spring comes on where it is."""
    sim.elements["l_talus"].set("rest", float(sim.q[sim.coordinates("l_talus")][0]))
    sim.elements["l_talus"].set("strength", joint_table()["l_talus"].table.strength)


def catch_knee(sim: Simulation) -> None:
    """The swing knee's spring comes on and holds it."""
    for parameter, value in (
        ("rest", KNEE_REST),
        ("strength", joint_table()["r_shank"].table.strength),
        ("damping", KNEE_DAMPING),
    ):
        sim.elements["r_shank"].set(parameter, value)


def step_rules() -> tuple[Then, Then]:
    """The two rules of the source, to be performed together."""
    ankle = Then(Until(leg_is_vertical, "leg vertical", period=RULE_PERIOD), Do(catch_ankle))
    straight = Until(lambda sim: sim.latest_time > 0.15 and knee_is_straight(sim), "knee extended", period=RULE_PERIOD)
    knee = Then(straight, Do(catch_knee))
    return ankle, knee
