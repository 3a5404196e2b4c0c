"""Ground, terrain and contact: how they answer, and which points touch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.geometry import transform_points
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.scene import SceneObject
    from gambol.corpus.worlds import ScriptWorld
    from gambol.forces.contact.terrain import Terrain
    from gambol.forces.element import Element
    from gambol.world.simulation import Simulation

PROBE_STIFFNESS = 1e-9  # [N/m] of a contact that only looks who touches whom
BOX_KINDS = ("box", "bevelled")  # objects that touch with the corners of their box


def terrain(world: ScriptWorld) -> Terrain:
    """The ground of a world: level, or the heights of the object that addtrigrid named."""

    from gambol.forces.contact.terrain import Terrain

    if world.ground_type == "trigrid":
        return grid_of(world.grid)
    return Terrain(level=world.constants["groundz"])


def grid_of(obj: SceneObject) -> Terrain:
    """The heights of an object whose points stand on a regular grid."""
    from gambol.forces.contact.terrain import Grid

    points = np.round(obj.points, 9)
    xs, ys = np.unique(points[:, 0]), np.unique(points[:, 1])
    table = np.full((len(xs), len(ys)), np.nan)
    table[np.searchsorted(xs, points[:, 0]), np.searchsorted(ys, points[:, 1])] = points[:, 2]
    steps = np.concatenate([np.diff(xs), np.diff(ys)])
    if np.isnan(table).any() or not len(steps) or np.ptp(steps) > 1e-6 * steps.max():
        raise CommandError(f"the points of {obj.name!r} do not form a grid with square cells seen from above")
    rows = tuple(tuple(map(float, row)) for row in table)
    return Grid(table=rows, cell=float(steps.mean()), x0=float(xs[0]), y0=float(ys[0]))


def surface(world: ScriptWorld, what: str, *, scale: float = 1.0):
    """How the ground (or a body) answers; None when no spring is set."""
    from gambol.forces.contact.surface import Surface

    n = world.constants
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


def ground_elements(world: ScriptWorld) -> list[Element]:
    """The contacts of all bodies that the ground acts on."""

    from gambol.forces.contact.anchored_contact import AnchoredContact
    from gambol.forces.contact.ground_contact import GroundContact
    from gambol.forces.contact.sticky_contact import StickyContact

    if not world.ground_on:
        return []
    found: list[Element] = []
    for link in world.links():
        if not (link.ground and link.corpus.ready) or link.corpus.held:
            continue
        law = surface(world, "ground", scale=link.corpus.mass if world.mass_scaled_ground else 1.0)
        points = contact_points(link)
        if law is None or not len(points):
            continue
        common: dict[str, Any] = {"name": ground_name(link), "body": link.full_name, "points": points, "surface": law}
        n, mass = world.constants, link.corpus.mass if world.mass_scaled_ground else 1.0
        held = n["groundfric2"] * n["groundfric2k"]
        if n["groundstickeA"] and held:
            raise CommandError(
                "ground cannot be sticky (groundstickeA) and have the second friction (groundfric2) at once"
            )
        if held:
            common |= {"hold_stiffness": n["groundfric2k"] * mass, "hold_restitution": n["groundfric2e"]}
            found.append(AnchoredContact(hold=n["groundfric2"], **common))
        elif n["groundstickeA"]:
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


def ground_name(link: CorpusLink) -> str:
    """The name of a body's ground contact."""
    return f"{link.full_name} ground"


def set_sticky(sim: Simulation, link: CorpusLink) -> bool:
    """Switches the glue of a body in a running simulation; False when that needs a new one."""
    name = ground_name(link)
    if name not in sim.elements or "sticky" not in sim.elements[name].parameters:
        return False
    sim.elements[name].set("sticky", float(link.sticky))
    return True


STICKING_PARAMETERS = ("stuck", "anchor_x", "anchor_y", "anchor_z")


def sticking_points(sim: Simulation, link: CorpusLink) -> list[np.ndarray]:
    """Of every point of a sticky body: whether it sticks (0 or 1), and where [m, world axes]."""
    name = ground_name(link)
    if name not in sim.elements or "stuck" not in sim.elements[name].parameters:
        return []
    return list(np.column_stack([np.atleast_1d(sim.elements[name].get(which)) for which in STICKING_PARAMETERS]))


def set_sticking_points(sim: Simulation, link: CorpusLink, points: dict[int, list[float]]) -> None:
    """Sets which points of a sticky body stick, and where [m, world axes]."""
    now = np.array(sticking_points(sim, link))
    if any(index >= len(now) for index in points):
        raise CommandError(f"{link.name!r} has {len(now)} points that can stick")
    for index, values in points.items():
        now[index] = values
    for column, which in enumerate(STICKING_PARAMETERS):
        sim.elements[ground_name(link)].set(which, now[:, column])


def contact_points(link: CorpusLink) -> list[tuple[float, ...]]:
    """Corners of the boxes of box-like pieces, vertices of others; body frame."""
    found: list[tuple[float, ...]] = []
    for piece in link.pieces:
        if not piece.flags["colliding"]:
            continue
        vertices = piece.obj.geometry.vertices
        if piece.obj.geometry.kind in BOX_KINDS:
            low, high = vertices.min(axis=0), vertices.max(axis=0)
            vertices = np.array(
                [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
            )
        found += [tuple(map(float, p)) for p in transform_points(piece.to_body, vertices)]
    return found


def collision_elements(world: ScriptWorld) -> list[Element]:
    """The contacts of all pairs of bodies that `collide` named."""

    from gambol.forces.contact.body_contact import BodyContact
    from gambol.forces.contact.surface import Surface

    if not world.collisions_on:
        return []
    law = surface(world, "collision")
    found: list[Element] = []
    for a, b in world.colliding_pairs:
        own = Surface(stiffness=PROBE_STIFFNESS) if impulsive(world, a, b) else law
        if own is not None:
            found.append(BodyContact(name=pair_name(a, b), body=a.full_name, other=b.full_name, surface=own))
    return found


def pair_name(a: CorpusLink, b: CorpusLink) -> str:
    """The name of the contact of two bodies."""
    return f"{a.full_name} against {b.full_name}"


def impulsive(world: ScriptWorld, a: CorpusLink, b: CorpusLink) -> bool:
    """Do these two collide by impulses? Only single bodies do."""
    return world.impulses_on and len(a.corpus.links) == 1 and len(b.corpus.links) == 1


# what elements decided, and must not forget when a world is built anew
PERSISTENT_PARAMETERS = (*STICKING_PARAMETERS, "tied", "broken", "clipped")


def carry_over_persistent(old: Simulation, new: Simulation) -> None:
    """Takes what is stuck, broken and counted from a simulation to the one that replaces it."""
    for name, element in new.elements.items():
        before = old.elements[name] if name in old.elements else None
        if before is None or (before.parameters, len(before)) != (element.parameters, len(element)):
            continue
        for parameter in PERSISTENT_PARAMETERS:
            if parameter in element.parameters:
                element.set(parameter, before.get(parameter))
