"""From what the commands say to force elements and terrain: everything that acts in a world."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gambol.corpus.contact_elements import collision_elements, ground_elements, ground_name, terrain
from gambol.corpus.joint_elements import SCALED_BY, joint_elements, joint_meters, muscle_elements

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.worlds import AttachmentSettings, ScriptWorld
    from gambol.forces.element import Element


def environment(world: ScriptWorld) -> dict[str, Any]:
    """What World takes besides figures and gravity."""
    forces: list[Element] = []
    for link in world.links():
        if _moves(link):
            forces += joint_elements(link.full_name, link.full_name, link.joint, SCALED_BY[link.joint.scale])
        if link.joint.sums and _moves(link):
            forces += joint_meters(link)
    for muscle in world.muscles.values():
        forces += muscle_elements(muscle)
    forces += ground_elements(world)
    forces += collision_elements(world)
    forces += [attachment_element(a) for a in world.attachments]
    forces += _pushes(world)
    forces += _attractions(world)
    summed = {ground_name(world.worlds.link(name)) for name in world.engine.measurements.contact_sums}
    summed |= {a.name for a in world.attachments if a.impulse is not None}
    forces += [meter for element in forces if element.name in summed for meter in force_meters(element)]
    return {"forces": forces, "terrain": terrain(world)}


def force_meters(element: Element) -> list[Element]:
    """What integrates the force of an element, by axes."""
    from gambol.forces.report_meter import ReportMeter

    return [ReportMeter(name=force_meter_name(element.name, x), of=element, what=f"force_{x}") for x in "xyz"]


def force_meter_name(element: str, axis: str) -> str:
    """The name of what integrates the force of an element along an axis."""
    return f"{element} force_{axis} meter"


def _moves(link: CorpusLink) -> bool:
    return link.parent is not None and link.corpus.ready and not link.corpus.held and not link.driven


def attachment_element(a: AttachmentSettings) -> Element:
    """The spring of an attachment."""

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
        restitution=a.e,
        damping=a.b,
        breaks=math.inf if a.breaks is None else a.breaks,
    )


def _pushes(world: ScriptWorld) -> list[Element]:
    from gambol.forces.point_force import PointForce

    return [
        PointForce(name=f"{name} push", body=name, force=force, point=point)
        for name, (force, point) in world.pushes.items()
    ]


def _attractions(world: ScriptWorld) -> list[Element]:
    from gambol.forces.pair_gravity import PairGravity

    if not world.attraction_on:
        return []
    return [
        PairGravity(name=f"attraction {i}", between=(a.full_name, b.full_name), G=world.attraction)
        for i, (a, b) in enumerate(world.attracting_pairs)
    ]
