"""Force elements at joints: the laws of Q_type, motor programs, meters, muscles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gambol.corpus import joint_settings as laws
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.motors import MotorProgram
    from gambol.forces.element import Element
    from gambol.world.simulation import Simulation

SCALED_BY = {"constant": "", "mass": "mass", "distalmass": "distal mass", "totalmass": "total mass"}
UNLIMITED = 1e9  # [rad or m] the far side of a limit that has only one
ELEMENT_PARAMETERS = {  # joint constant: the element it belongs to, and its name there
    "b": ("spring", "damping"),
    "k": ("spring", "stiffness"),
    "k_q": ("spring", "rest"),
    "ea": ("exponential", "strength"),
    "eB": ("exponential", "rise"),
    "e_q": ("exponential", "rest"),
}


def joint_scale(link: CorpusLink) -> float:
    """The mass that a joint's constants are multiplied by."""
    match link.joint.scale:
        case "mass":
            return link.mass.mass
        case "distalmass":
            return link.distal_mass
        case "totalmass":
            return link.corpus.mass
    return 1.0


def joint_elements(
    name: str, joint: str, settings: laws.JointSettings | laws.MuscleSettings, scaled_by: str
) -> list[Element]:
    """The force laws that the bits of Q_type switch on."""
    from gambol.forces.exponential_spring import ExponentialSpring
    from gambol.forces.joint_force import JointForce
    from gambol.forces.joint_spring import JointSpring

    n = settings.constants
    common: dict[str, Any] = {"joint": joint, "scaled_by": scaled_by}
    found: list[Element] = []
    if settings.has(laws.DAMPER_BIT) or settings.has(laws.SPRING_BIT):
        found.append(
            JointSpring(
                name=f"{name} spring",
                stiffness=n["k"] if settings.has(laws.SPRING_BIT) else 0.0,
                damping=n["b"] if settings.has(laws.DAMPER_BIT) else 0.0,
                rest=n["k_q"],
                **common,
            )
        )
    if settings.has(laws.EXPONENTIAL_BIT):
        most = n["e_maxq"] or math.inf
        made = ExponentialSpring(
            name=f"{name} exponential", strength=n["ea"], rise=n["eB"], rest=n["e_q"], most=most, **common
        )
        found.append(made)
    if settings.has(laws.BIAS_BIT):
        found.append(JointForce(name=f"{name} bias", joint=joint, force=settings.bias))
    return found + _limits(name, joint, settings)


def _limits(name: str, joint: str, settings: laws.JointSettings | laws.MuscleSettings) -> list[Element]:
    from gambol.forces.joint_limit import JointLimit

    linear, exponential = settings.has(laws.LIMITS_BIT), settings.has(laws.EXPONENTIAL_LIMITS_BIT)
    if not (linear or exponential):
        return []
    n = settings.constants
    if n["jlim_q1"] > n["jlim_q2"]:
        raise CommandError(f"{name}: the lower limit {n['jlim_q1']:g} is above the upper {n['jlim_q2']:g}")
    found: list[Element] = []
    for side in "12":
        lower, upper = (n["jlim_q1"], UNLIMITED) if side == "1" else (-UNLIMITED, n["jlim_q2"])
        found.append(
            JointLimit(
                name=f"{name} limit {side}",
                joint=joint,
                lower=lower,
                upper=upper,
                stiffness=n[f"jlim_k{side}"] if linear else 0.0,
                strength=n[f"jlim_ea{side}"] if exponential else 0.0,
                rise=n[f"jlim_eB{side}"],
                damping=n[f"jlim_b{side}"],
            )
        )
    return found


def joint_meters(link: CorpusLink) -> list[Element]:
    """The elements that integrate the force at a link's joint, and its size."""

    from gambol.forces.joint_meter import JointMeter
    from gambol.forces.report_meter import ReportMeter

    force = JointMeter(name=meter_name(link, "Q"), joint=link.full_name)
    return [force, ReportMeter(name=meter_name(link, "abs"), of=force, what="force", absolute=True)]


def meter_name(link: CorpusLink, kind: str) -> str:
    """The name of what integrates the force at a link's joint ("Q") or its size ("abs")."""
    return f"{link.full_name} {kind} meter"


def start_motor(sim: Simulation, motor: MotorProgram, now: float) -> bool:
    """Sends a motor program to a running simulation; False when the spring it drives does not act yet."""
    element, parameter = ELEMENT_PARAMETERS[motor.parameter]
    name = f"{motor.link.full_name} {element}"
    if name not in sim.elements:
        return False
    sim.elements[name].ramp(parameter, motor.target, max(motor.end_time - now, 0.0), profile="linear")
    return True


def set_constant(sim: Simulation, link: CorpusLink, parameter: str, value: float) -> bool:
    """Changes a joint constant of a running simulation; False when that needs a new one."""
    if parameter not in ELEMENT_PARAMETERS:
        return False
    element, name = ELEMENT_PARAMETERS[parameter]
    full = f"{link.full_name} {element}"
    bit = {"b": laws.DAMPER_BIT, "k": laws.SPRING_BIT, "k_q": laws.SPRING_BIT}.get(parameter, laws.EXPONENTIAL_BIT)
    if not link.joint.has(bit):
        return True  # the law does not act; the value is kept for when it does
    if full not in sim.elements:
        return False
    sim.elements[full].set(name, value)
    return True


# ------------------------------------------------------------ muscles
def muscle_elements(muscle: laws.MuscleSettings) -> list[Element]:
    """The force laws that a muscle's bits of Q_type switch on."""

    from gambol.forces.attachment import Attachment as Spring
    from gambol.forces.pulley import Pulley
    from gambol.forces.tendon import Tendon

    n = muscle.constants
    found = joint_elements(f"muscle {muscle.name}", muscle.body, muscle, "")
    points: dict[str, Any] = {
        "body": muscle.body,
        "point": (n["attach_x1"], n["attach_y1"], n["attach_z1"]),
        "other": muscle.body2,
        "other_point": (n["attach_x2"], n["attach_y2"], n["attach_z2"]),
    }
    if muscle.has(laws.TWO_JOINT_BIT):
        _needs_second(muscle, "a two-joint spring")
        arms = {muscle.body: _root(n["k2a"]), muscle.body2: _root(n["k2b"])}
        rest = arms[muscle.body] * n["k2a_q"] + arms[muscle.body2] * n["k2b_q"]
        found.append(Tendon(name=f"muscle {muscle.name} tendon", arms=arms, stiffness=1.0, rest=rest, pulls_only=False))
    if muscle.has(laws.ATTACH_BIT):
        found.append(
            Spring(
                name=f"muscle {muscle.name} attach",
                stiffness=n["k"],
                strength=n["ea"],
                rise=n["eB"],
                damping=n["b"],
                restitution=n["attach_e"],
                breaks=n["attach_break"] or math.inf,
                **points,
            )
        )
    if muscle.has(laws.PULLEY_BIT):
        _needs_second(muscle, "a pulley")
        if not muscle.pulley_body:
            raise CommandError(
                f"muscle {muscle.name!r} needs the body of its pulley: muscle {muscle.name} pulley_body …"
            )
        found.append(
            Pulley(
                name=f"muscle {muscle.name} pulley",
                pulley=muscle.pulley_body,
                centre=(n["pulley_x"], n["pulley_y"], n["pulley_z"]),
                axis=(n["pulley_ax"], n["pulley_ay"], n["pulley_az"]),
                radius=n["pulley_radius"],
                stiffness=n["k"],
                damping=n["b"],
                rest=n["k_q"],
                **points,
            )
        )
    return found


def _needs_second(muscle: laws.MuscleSettings, what: str) -> None:
    if not muscle.body2:
        raise CommandError(f"muscle {muscle.name!r}: {what} needs a second body: muscle {muscle.name} body2 …")


def _root(stiffness: float) -> float:
    """An arm whose square is the stiffness at its joint; the sign says which way the joint pulls."""
    return math.copysign(math.sqrt(abs(stiffness)), stiffness)
