"""The roach of 1990: *Blatta* in boxes, 33 bodies and 38 degrees of freedom, with its springs, ground and leg programs.

`data/roach_*.csv` are the tables of the source (bodies, links, joints, motor programs, legs). Angles in radians; the
roach faces +x, its left is +y. Constants of the joints are per kilogram of the mass beyond the joint, those of the
ground per kilogram of the whole figure.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

import numpy as np

from gambol.control.gait import PacemakerGait
from gambol.control.legs import Leg, LegProgram, Stroke
from gambol.control.walker import Walker
from gambol.figure import Body, Box, Figure, Joint, Part, Placement
from gambol.forces.element import Element
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.forces.ground_contact import GroundContact
from gambol.forces.joint_spring import JointSpring
from gambol.forces.sticky_contact import StickyContact
from gambol.forces.surface import Surface
from gambol.forces.terrain import Terrain
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

GRAVITY = 9.8  # [m/s²]
STEP_TIME = 0.05  # [s]
FRAME = 1 / 2400  # [s], the source's
MIDDLE_LEFT = -0.5  # rest angle of leg_ml1; printed -.05, but its mirror image is 0.5 and the step program ends at -0.5
STEPPING_LENGTH, STEPPING_TIME = 0.01, 1e-3  # [m], [s]: scales of the error norm
SHELL, BELLY, LIMB, FOOT = (0.42, 0.24, 0.13), (0.50, 0.30, 0.16), (0.55, 0.36, 0.20), (0.33, 0.20, 0.12)
SCALES = {"mass": "mass", "distalmass": "distal mass"}


def table(name: str) -> list[dict[str, str]]:
    """One of the source's tables."""
    text = files("gambol.models").joinpath(f"data/roach_{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def roach() -> Figure:
    """The figure at zero joint angles: 33 boxes, 2.18 g, 2.95 cm long."""
    links = {row["child"]: row for row in table("links")}
    return Figure("roach", tuple(_body(row, links.get(row["body"])) for row in table("bodies")))


def _body(row: dict[str, str], link: dict[str, str] | None) -> Body:
    low, high = ([float(row[f"box_{end}_{axis}_m"]) for axis in "xyz"] for end in ("lo", "hi"))
    size, centre = np.subtract(high, low), np.add(high, low) / 2
    colour = FOOT if row["body"][-1] in "34" else LIMB if row["body"].startswith("leg") else SHELL
    part = Part(Box(tuple(size)), Placement(tuple(centre)), density=float(row["density_kg_m3"]), colour=colour)
    if link is None:
        return Body(row["body"], joint=Joint("free"), parts=(part,))
    axis = np.array([float(link[f"axis_{a}"]) for a in "xyz"])
    place = _placement(link["placement_ops_in_order"])
    if link["axis_frame"] == "parent":
        axis = np.asarray(place.matrix).T @ axis
    return Body(row["body"], row["parent"], Joint("hinge", tuple(axis / np.linalg.norm(axis))), place, (part,))


def _placement(commands: str) -> Placement:
    """From "rotate x 90; move 0 1 0": each acts in the parent's axes on what the ones before it made."""
    place = Placement.at(0.0, 0.0, 0.0)
    for command in commands.split(";"):
        word, *rest = command.split()
        if word == "move":
            place = Placement.at(*(float(x) for x in rest)).compose(place)
        else:
            axis = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[rest[0]]
            place = Placement.about(axis, np.radians(float(rest[1]))).compose(place)
    return place


# ---------------------------------------------------------------- joints, ground, legs
def rest_angles() -> dict[str, float]:
    """Of every joint as the listing sets them, with the one misprint corrected."""
    angles = {row["body_joint"]: float(row["e_q_rest_rad"] or row["k_q_rest_rad"] or 0.0) for row in table("joints")}
    return angles | {"leg_ml1": MIDDLE_LEFT}


def joint_springs(*, linear: bool = False) -> list[Element]:
    """The springs of all joints, named after them. linear: springs of the same small-angle stiffness instead."""
    rest = rest_angles()
    springs: list[Element] = []
    for row in table("joints"):
        name, scale, damping = row["body_joint"], SCALES[row["springtype"]], float(row["b_damping"])
        common: dict[str, Any] = dict(name=name, joint=name, scaled_by=scale, damping=damping)
        common |= dict(rest=rest[name], line="joints")
        if row["ea_alpha"] and not linear:
            strength, rise = float(row["ea_alpha"]), float(row["eB_beta_per_rad"])
            springs.append(ExponentialSpring(strength=strength, rise=rise, **common))
        else:
            stiffness = row["k_linear"] or float(row["ea_alpha"]) * float(row["eB_beta_per_rad"])
            springs.append(JointSpring(stiffness=float(stiffness), **common))
    return springs


def ground(friction: float = 0.7, **changes: Any) -> Surface:
    """The source's ground: exponential, half of the energy back, all of it times the figure's mass."""
    surface = Surface(strength=17.5, rise=3000.0, restitution=0.5, deepest=0.01, friction=friction, scale=roach().mass)
    return replace(surface, **changes)


STICKY = dict(glue=0.3, glue_rise=1400.0, glue_restitution=0.0, glue_damping=0.01, breaks=4e-3)
STICKY_FRICTION = 0.85
"""Feet that stick, found by the search roach-sticky-search: glue per kilogram of the figure [N/kg], rise [1/m], damping
[N·s/m], where it lets go [m]; and the friction that goes with them."""


def corners(body: Body) -> list[tuple[float, float, float]]:
    """The eight corners of a body's box [m, body frame]."""
    part = body.parts[0]
    half = np.asarray(cast(Box, part.shape).size) / 2
    return [part.placement.apply(tuple(np.array(s) * half)) for s in itertools.product((-1, 1), repeat=3)]


def contacts(surface: Surface, sticky: dict[str, float] | None = None, figure: Figure | None = None) -> list[Element]:
    """Contact of the corners of every body with the ground; the last segment of each leg may stick."""
    found: list[Element] = []
    for body in (figure or roach()).bodies:
        common: dict[str, Any] = dict(name=f"{body.name} contact", body=body.name, points=tuple(corners(body)))
        common |= dict(surface=surface, line="ground")
        if sticky is not None and body.name.endswith("4"):
            glue: dict[str, Any] = dict(sticky) | {"glue": sticky["glue"] * roach().mass}
            found.append(StickyContact(**glue, **common))
        else:
            found.append(GroundContact(**common))
    return found


@cache
def roach_with_middle_legs_backwards() -> Figure:
    """The same figure with its middle legs mounted the wrong way round: by half a turn about the vertical."""
    figure = roach()
    half_turn = Placement.about((0.0, 0.0, 1.0), np.pi)
    for side, across in (("l", "r"), ("r", "l")):
        other, own = roach()[f"leg_m{across}0"], figure[f"leg_m{side}0"]
        place = half_turn.compose(Placement((0.0, 0.0, 0.0), other.placement.rotation))
        figure = figure.replace(own.name, placement=Placement(own.placement.position, place.rotation))
    return figure


def roach_world(
    *,
    figure: Figure | None = None,
    friction: float = 0.7,
    sticky: dict[str, float] | None = None,
    terrain: Terrain | None = None,
    linear: bool = False,
    surface: Surface | None = None,
    forces: Sequence[Element] = (),
) -> World:
    """The roach over a ground, with its joint springs. sticky: parameters of feet that stick (STICKY), or None."""
    body = figure or roach()
    return World(
        body,
        (0.0, 0.0, -GRAVITY),
        [*joint_springs(linear=linear), *contacts(surface or ground(friction), sticky, body), *forces],
        terrain=terrain or Terrain(),
    )


def stepping(eps: float = 1e-2, method: str = "implicit-pair") -> Stepping:
    """How the roach is stepped: errors measured in centimetres and milliseconds (the explicit pair: as the source)."""
    if method == "implicit-pair":
        return Stepping(method=method, eps=eps, length=STEPPING_LENGTH, time=STEPPING_TIME)
    return Stepping(method=method, eps=eps)


def standing_positions(height: float = 0.0175) -> np.ndarray:
    """Joint angles of the listing, the abdomen's centre at a height above the plane z = 0 [m]."""
    figure, angles = roach(), rest_angles()
    q = np.array([x for body in figure.bodies for x in body.joint.zero])
    for name, angle in angles.items():
        q[figure.position_slices[name]] = angle
    q[2] = height
    return q


# ---------------------------------------------------------------- legs and what they do
@cache
def legs() -> tuple[Leg, ...]:
    """The six legs: fl, fr, ml, mr, bl, br."""
    programs: dict[tuple[str, str], list[Stroke]] = {
        (row["leg_number"], row["program"]): [] for row in table("motor_programs")
    }
    for row in table("motor_programs"):
        stroke = Stroke(
            row["body_joint"],
            float(row["target_rest_angle_rad"]),
            start=float(row["start_fraction"]),
            duration=float(row["duration_fraction"]),
        )
        programs[row["leg_number"], row["program"]].append(stroke)
    return tuple(
        Leg(
            row["leg"],
            side=row["side"],
            rank=int(row["offset_rank"]),
            neighbours=tuple(row["neighbours"].split()),
            step=LegProgram(tuple(programs[row["leg_number"], "step"])),
            stance=LegProgram(tuple(programs[row["leg_number"], "stance"])),
            foot=f"leg_{row['leg']}4",
            shins=(f"leg_{row['leg']}3", f"leg_{row['leg']}2"),
        )
        for row in table("legs")
    )


def backward(leg: Leg) -> float:
    """Sign of the first joint's angle when the leg swings back."""
    return 1.0 if leg.side == "left" else -1.0


def upward(leg: Leg) -> float:
    """Sign of the second joint's angle when the leg is lifted."""
    return 1.0 if leg.side == "left" else -1.0


PRINTED = (0.0, 0.0, 0.0, 0.0, 0.0)
TUNED = (0.28, 0.578, 0.734, 0.232, -0.305)
"""Adjustments of the leg programs: the printed ones, and those found by the search of roach-speeds."""


def adjusted_legs(hind: float, middle: float, front: float, hind_lift: float, middle_lift: float) -> tuple[Leg, ...]:
    """Legs whose coxae swing by so much farther back, and stand by so much higher on their second joints [rad]."""
    swing = {"b": hind, "m": middle, "f": front}
    lift = {"b": hind_lift, "m": middle_lift, "f": 0.0}
    found = []
    for leg in legs():
        pair, first, second = leg.name[0], leg.joints[0], leg.joints[1]
        step = leg.step.shifted(first, swing[pair] * backward(leg))
        stance = leg.stance.shifted(first, swing[pair] * backward(leg)).shifted(second, lift[pair] * upward(leg))
        found.append(replace(leg, step=step, stance=stance))
    return tuple(found)


def walking_roach(
    world: World | None = None,
    *,
    cycle: float = 2 * STEP_TIME,
    limbs: Sequence[Leg] | None = None,
    eps: float = 1e-2,
    method: str = "implicit-pair",
    worlds: int = 1,
    settle: float = 0.3,
    steer: float = 0.0,
    height: float | Sequence[float] = 0.0175,
    dtype: Any = np.float64,
) -> Walker:
    """A roach (or many of them), dropped from a height [m], that has come to rest on its feet and is about to walk.

    walker = walking_roach(cycle=0.15, limbs=adjusted_legs(*TUNED))
    times, q = walker.run(2.0, every=1 / 100)
    """
    how = stepping(eps, method)
    sim = Simulation(world or roach_world(), stepping=how, worlds=worlds, ledger=False, dtype=dtype)
    heights = np.broadcast_to(height, worlds)
    sim.reset(standing_positions(heights[0]) if worlds == 1 else np.array([standing_positions(h) for h in heights]))
    sim.run(settle)
    gait = PacemakerGait(limbs or legs(), step_time=STEP_TIME, cycle=cycle, worlds=worlds)
    gait.reset(cycle, time=settle)
    return Walker(sim, gait, steer=steer)
