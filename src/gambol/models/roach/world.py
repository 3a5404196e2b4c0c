"""The roach's joint springs, its ground and its world.

Constants of the joints are per kilogram of the mass beyond the joint, those of the ground per kilogram of the whole
figure.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gambol.figure import Figure
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.sticky_contact import StickyContact
from gambol.forces.contact.surface import Surface
from gambol.forces.contact.terrain import Terrain
from gambol.forces.element import Element
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.forces.joint_spring import JointSpring
from gambol.models.roach.figure import corners, rest_angles, roach, table
from gambol.stepping.options import Stepping
from gambol.world.world import World

GRAVITY = 9.8  # [m/s²]
FRAME = 1 / 2400  # [s], the source's
STEPPING_LENGTH, STEPPING_TIME = 0.01, 1e-3  # [m], [s]: scales of the error norm
SCALES = {"mass": "mass", "distalmass": "distal mass"}


def joint_springs(*, linear: bool = False, figure: Figure | None = None) -> list[Element]:
    """The springs of all joints of the figure (the whole roach), named after them. linear: springs of the same
    small-angle stiffness instead."""
    rest = rest_angles()
    there = {body.name for body in (figure or roach()).bodies}
    springs: list[Element] = []
    for row in table("joints"):
        if row["body_joint"] not in there:
            continue
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
    """The roach over a ground, with its joint springs. sticky: parameters of feet that stick (STICKY), or None.

    figure  another than `roach()`: `roach_without("ml")`, or one of your own with the same bodies or some of them
    """
    body = figure or roach()
    return World(
        body,
        (0.0, 0.0, -GRAVITY),
        [*joint_springs(linear=linear, figure=body), *contacts(surface or ground(friction), sticky, body), *forces],
        terrain=terrain or Terrain(),
    )


def stepping(eps: float = 1e-2, method: str = "implicit-pair") -> Stepping:
    """How the roach is stepped: errors measured in centimetres and milliseconds (the explicit pair: as the source)."""
    if method == "implicit-pair":
        return Stepping(method=method, eps=eps, length=STEPPING_LENGTH, time=STEPPING_TIME)
    return Stepping(method=method, eps=eps)
