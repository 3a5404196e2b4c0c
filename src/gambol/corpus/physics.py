"""From what the commands say to force elements and terrain: the only place where the two meet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.geometry import applied
from gambol.corpus.joint_settings import (
    ATTACH,
    BIAS,
    DAMPER,
    EXPONENTIAL,
    EXPONENTIAL_LIMITS,
    LIMITS,
    PULLEY,
    SPRING,
    TWO_JOINT,
    JointSettings,
    Muscle,
)
from gambol.corpus.table import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Link
    from gambol.corpus.engine import Motor
    from gambol.corpus.scene import Thing
    from gambol.corpus.universe import Attachment, Realm
    from gambol.forces.element import Element
    from gambol.forces.terrain import Terrain
    from gambol.world.simulation import Simulation

SCALED_BY = {"constant": "", "mass": "mass", "distalmass": "distal mass", "totalmass": "total mass"}
ENDLESS = 1e9  # [rad or m] the far side of a limit that has only one
PLACES = {  # joint constant: the element it belongs to, and its name there
    "b": ("spring", "damping"),
    "k": ("spring", "stiffness"),
    "k_q": ("spring", "rest"),
    "ea": ("exponential", "strength"),
    "eB": ("exponential", "rise"),
    "e_q": ("exponential", "rest"),
}
FEELER = 1e-9  # [N/m] of a contact that only looks who touches whom
BOXES = ("box", "bevelled")  # objects that touch with the corners of their box


def environment(realm: Realm) -> dict[str, Any]:
    """What World takes besides figures and gravity."""
    forces: list[Element] = []
    for link in realm.links():
        if _moves(link):
            forces += joint_elements(link.full_name, link.full_name, link.joint, SCALED_BY[link.joint.scale])
        if "Q" in link.joint.sums and link.parent is not None and not link.corpus.held:
            forces.append(_meter(link))
    for muscle in realm.muscles.values():
        forces += muscle_elements(muscle)
    forces += ground_elements(realm)
    forces += collision_elements(realm)
    forces += [attachment_element(a) for a in realm.attachments]
    forces += _pushes(realm)
    forces += _attractions(realm)
    return {"forces": forces, "terrain": terrain(realm)}


def _moves(link: Link) -> bool:
    return link.parent is not None and link.corpus.ready and not link.corpus.held and not link.driven


def joint_scale(link: Link) -> float:
    """The mass that a joint's constants are multiplied by."""
    match link.joint.scale:
        case "mass":
            return link.mass.mass
        case "distalmass":
            return link.distal_mass
        case "totalmass":
            return link.corpus.mass
    return 1.0


# ------------------------------------------------------------ joints
def joint_elements(name: str, joint: str, settings: JointSettings | Muscle, scaled_by: str) -> list[Element]:
    """The force laws that the bits of Q_type switch on."""
    from gambol.forces.exponential_spring import ExponentialSpring
    from gambol.forces.joint_force import JointForce
    from gambol.forces.joint_spring import JointSpring

    n = settings.numbers
    common: dict[str, Any] = {"joint": joint, "scaled_by": scaled_by}
    found: list[Element] = []
    if settings.has(DAMPER) or settings.has(SPRING):
        found.append(
            JointSpring(
                name=f"{name} spring",
                stiffness=n["k"] if settings.has(SPRING) else 0.0,
                damping=n["b"] if settings.has(DAMPER) else 0.0,
                rest=n["k_q"],
                **common,
            )
        )
    if settings.has(EXPONENTIAL):
        most = n["e_maxq"] or math.inf
        made = ExponentialSpring(
            name=f"{name} exponential", strength=n["ea"], rise=n["eB"], rest=n["e_q"], most=most, **common
        )
        found.append(made)
    if settings.has(BIAS):
        found.append(JointForce(name=f"{name} bias", joint=joint, force=settings.bias))
    return found + _limits(name, settings, common)


def _limits(name: str, settings: JointSettings | Muscle, common: dict[str, Any]) -> list[Element]:
    from gambol.forces.joint_limit import JointLimit

    linear, exponential = settings.has(LIMITS), settings.has(EXPONENTIAL_LIMITS)
    if not (linear or exponential):
        return []
    n = settings.numbers
    if n["jlim_q1"] > n["jlim_q2"]:
        raise CommandError(f"{name}: the lower limit {n['jlim_q1']:g} is above the upper {n['jlim_q2']:g}")
    found: list[Element] = []
    for side in "12":
        lower, upper = (n["jlim_q1"], ENDLESS) if side == "1" else (-ENDLESS, n["jlim_q2"])
        found.append(
            JointLimit(
                name=f"{name} limit {side}",
                lower=lower,
                upper=upper,
                stiffness=n[f"jlim_k{side}"] if linear else 0.0,
                strength=n[f"jlim_ea{side}"] if exponential else 0.0,
                rise=n[f"jlim_eB{side}"],
                damping=n[f"jlim_b{side}"],
                **common,
            )
        )
    return found


def _meter(link: Link) -> Element:
    from gambol.forces.joint_meter import JointMeter

    return JointMeter(name=meter_name(link), joint=link.full_name)


def meter_name(link: Link) -> str:
    return f"{link.full_name} meter"


def start_motor(sim: Simulation, motor: Motor, now: float) -> bool:
    """Sends a motor program to a running simulation; False when the spring it drives does not act yet."""
    element, parameter = PLACES[motor.parameter]
    name = f"{motor.link.full_name} {element}"
    if name not in sim.elements.places:
        return False
    sim.ramp(name, parameter, motor.target, max(motor.ends - now, 0.0), profile="linear")
    return True


def set_constant(sim: Simulation, link: Link, parameter: str, value: float) -> bool:
    """Changes a joint constant of a running simulation; False when that needs a new one."""
    if parameter not in PLACES:
        return False
    element, name = PLACES[parameter]
    full = f"{link.full_name} {element}"
    bit = {"b": DAMPER, "k": SPRING, "k_q": SPRING}.get(parameter, EXPONENTIAL)
    if not link.joint.has(bit):
        return True  # the law does not act; the value is kept for when it does
    if full not in sim.elements.places:
        return False
    sim.set_parameter(full, name, value)
    return True


# ------------------------------------------------------------ muscles
def muscle_elements(muscle: Muscle) -> list[Element]:
    from gambol.forces.attachment import Attachment as Spring
    from gambol.forces.pulley import Pulley
    from gambol.forces.tendon import Tendon

    n = muscle.numbers
    found = joint_elements(f"muscle {muscle.name}", muscle.body, muscle, "")
    points: dict[str, Any] = {
        "body": muscle.body,
        "point": (n["attach_x1"], n["attach_y1"], n["attach_z1"]),
        "other": muscle.body2,
        "other_point": (n["attach_x2"], n["attach_y2"], n["attach_z2"]),
    }
    if muscle.has(TWO_JOINT):
        _needs_second(muscle, "a two-joint spring")
        arms = {muscle.body: _root(n["k2a"]), muscle.body2: _root(n["k2b"])}
        rest = arms[muscle.body] * n["k2a_q"] + arms[muscle.body2] * n["k2b_q"]
        found.append(Tendon(name=f"muscle {muscle.name} tendon", arms=arms, stiffness=1.0, rest=rest, pulls_only=False))
    if muscle.has(ATTACH):
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
    if muscle.has(PULLEY):
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


def _needs_second(muscle: Muscle, what: str) -> None:
    if not muscle.body2:
        raise CommandError(f"muscle {muscle.name!r}: {what} needs a second body: muscle {muscle.name} body2 …")


def _root(stiffness: float) -> float:
    """An arm whose square is the stiffness at its joint; the sign says which way the joint pulls."""
    return math.copysign(math.sqrt(abs(stiffness)), stiffness)


# ------------------------------------------------------------ ground and contact
def terrain(realm: Realm) -> Terrain:
    from gambol.forces.terrain import Terrain

    if realm.ground_type == "trigrid":
        return grid_of(realm.grid)
    return Terrain(level=realm.numbers["groundz"])


def grid_of(thing: Thing) -> Terrain:
    """The heights of an object whose points stand on a regular grid."""
    from gambol.forces.terrain import Grid

    points = np.round(thing.points, 9)
    xs, ys = np.unique(points[:, 0]), np.unique(points[:, 1])
    table = np.full((len(xs), len(ys)), np.nan)
    table[np.searchsorted(xs, points[:, 0]), np.searchsorted(ys, points[:, 1])] = points[:, 2]
    steps = np.concatenate([np.diff(xs), np.diff(ys)])
    if np.isnan(table).any() or not len(steps) or np.ptp(steps) > 1e-6 * steps.max():
        raise CommandError(f"the points of {thing.name!r} do not form a grid with square cells seen from above")
    rows = tuple(tuple(map(float, row)) for row in table)
    return Grid(table=rows, cell=float(steps.mean()), x0=float(xs[0]), y0=float(ys[0]))


def surface(realm: Realm, what: str, *, scale: float = 1.0):
    """How the ground (or a body) answers; None when no spring is set."""
    from gambol.forces.surface import Surface

    n = realm.numbers
    stiffness, strength = n[f"{what}k"], n[f"{what}ea"]
    if not (stiffness or strength):
        return None
    damping = n[f"{what}b"] + n.get(f"{what}krf", 0.0)
    grip = n[f"{what}fricb"]
    return Surface(
        stiffness=stiffness,
        strength=strength,
        rise=n[f"{what}eB"],
        damping=damping,
        deepest=n[f"{what}emaxz"] or math.inf,
        restitution=1.0 if damping else n[f"{what}e"],  # two ways to lose energy; the damper is the later one
        friction=n[f"{what}fric"],
        law="damper" if grip else "slide",
        grip=grip or 100.0,
        scale=scale,
    )


def ground_elements(realm: Realm) -> list[Element]:
    from gambol.forces.ground_contact import GroundContact
    from gambol.forces.sticky_contact import StickyContact

    if not realm.ground_on:
        return []
    found: list[Element] = []
    for link in realm.links():
        if not (link.ground and link.corpus.ready) or link.corpus.held:
            continue
        law = surface(realm, "ground", scale=link.corpus.mass if realm.mass_scaled_ground else 1.0)
        points = contact_points(link)
        if law is None or not len(points):
            continue
        common = {"name": ground_name(link), "body": link.full_name, "points": points, "surface": law}
        n = realm.numbers
        if n["groundstickeA"]:
            mass = link.corpus.mass if realm.mass_scaled_ground else 1.0
            found.append(
                StickyContact(
                    glue=n["groundstickeA"] * mass,
                    glue_rise=n["groundstickeB"],
                    glue_restitution=n["groundsticke"],
                    breaks=n["groundstickemaxz"] or math.inf,
                    sticky=link.sticky,
                    **common,
                )
            )
        else:
            found.append(GroundContact(**common))
    return found


def ground_name(link: Link) -> str:
    return f"{link.full_name} ground"


def set_sticky(sim: Simulation, link: Link) -> bool:
    """Switches the glue of a body in a running simulation; False when that needs a new one."""
    name = ground_name(link)
    if name not in sim.elements.places or "sticky" not in sim.elements.places[name].module.NUMBERS:
        return False
    sim.set_parameter(name, "sticky", float(link.sticky))
    return True


STUCK = ("stuck", "anchor_x", "anchor_y", "anchor_z")
LASTING = (*STUCK, "broken", "clipped")  # what elements decided, and must not forget when a world is built anew


def carry_over(old: Simulation, new: Simulation) -> None:
    """Takes what is stuck, broken and counted from a simulation to the one that replaces it."""
    for name, place in new.elements.places.items():
        before = old.elements.places.get(name)
        if before is None or before.module is not place.module or len(before.params) != len(place.params):
            continue
        for parameter in LASTING:
            if parameter in place.module.NUMBERS:
                write_rows(new, name, parameter, np.atleast_1d(old.parameter(name, parameter)))


def write_rows(sim: Simulation, name: str, parameter: str, values: np.ndarray) -> None:
    """Sets a parameter of each row of an element."""
    cells, _ = sim.parameters.cells(name, parameter)
    sim.memory.write(cells, values, parameter)


def stuck_points(sim: Simulation, link: Link) -> list[np.ndarray]:
    name = ground_name(link)
    if name not in sim.elements.places or "stuck" not in sim.elements.places[name].module.NUMBERS:
        return []
    return list(np.column_stack([np.atleast_1d(sim.parameter(name, which)) for which in STUCK]))


def set_stuck(sim: Simulation, link: Link, points: dict[int, list[float]]) -> None:
    now = np.array(stuck_points(sim, link))
    if any(index >= len(now) for index in points):
        raise CommandError(f"{link.name!r} has {len(now)} points that can stick")
    for index, values in points.items():
        now[index] = values
    for column, which in enumerate(STUCK):
        write_rows(sim, ground_name(link), which, now[:, column])


def metered(sim: Simulation, link: Link) -> float:
    """The integral of the joint force since the simulation was built."""
    return float(sim.measured(meter_name(link)))


def contact_points(link: Link) -> list[tuple[float, ...]]:
    """Corners of the boxes of box-like pieces, vertices of others; body frame."""
    found: list[tuple[float, ...]] = []
    for piece in link.pieces:
        if not piece.flags["colliding"]:
            continue
        vertices = piece.thing.geometry.vertices
        if piece.thing.geometry.kind in BOXES:
            low, high = vertices.min(axis=0), vertices.max(axis=0)
            vertices = np.array(
                [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
            )
        found += [tuple(map(float, p)) for p in applied(piece.frozen, vertices)]
    return found


def collision_elements(realm: Realm) -> list[Element]:
    from gambol.forces.body_contact import BodyContact
    from gambol.forces.surface import Surface

    if not realm.collisions_on:
        return []
    law = surface(realm, "collision")
    found: list[Element] = []
    for a, b in realm.colliding:
        own = Surface(stiffness=FEELER) if impulsive(realm, a, b) else law
        if own is not None:
            found.append(BodyContact(name=pair_name(a, b), body=a.full_name, other=b.full_name, surface=own))
    return found


def pair_name(a: Link, b: Link) -> str:
    return f"{a.full_name} against {b.full_name}"


def impulsive(realm: Realm, a: Link, b: Link) -> bool:
    """Do these two collide by impulses? Only single bodies do."""
    return realm.impulses_on and len(a.corpus.links) == 1 and len(b.corpus.links) == 1


# ------------------------------------------------------------ attachments, pushes, attraction
def attachment_element(a: Attachment) -> Element:
    from gambol.forces.attachment import Attachment as Spring

    return Spring(
        name=a.name,
        body=a.body1.full_name,
        point=a.point1,
        other=a.body2.full_name if a.body2 else "",
        other_point=a.point2,
        stiffness=a.k,
        strength=a.ea,
        rise=a.eB,
        restitution=a.e if a.e else 1.0,
        damping=a.b,
        breaks=math.inf if a.breaks is None else a.breaks,
    )


def _pushes(realm: Realm) -> list[Element]:
    from gambol.forces.point_force import PointForce

    return [
        PointForce(name=f"{name} push", body=name, force=force, point=point)
        for name, (force, point) in realm.pushes.items()
    ]


def _attractions(realm: Realm) -> list[Element]:
    from gambol.forces.pair_gravity import PairGravity

    if not realm.attraction_on:
        return []
    return [
        PairGravity(name=f"attraction {i}", between=(a.full_name, b.full_name), G=realm.attraction)
        for i, (a, b) in enumerate(realm.attracting)
    ]
