"""Edits of figures: weld, remove, rename, scale. Each returns a new figure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.joint import PASSIVE, Joint
from gambol.figure.joints import PITCH


def _not_root(figure: Figure, name: str, verb: str) -> Body:
    body = figure[name]
    if body.parent is None:
        raise FigureError([Fault(f"the root cannot be {verb}", name)])
    return body


def weld(figure: Figure, name: str, at: Sequence[float] | None) -> Figure:
    """Make a body part of its parent, at joint position `at`, default zero (`deletejoint`)."""
    body = _not_root(figure, name, "welded: it has no parent body")
    parent = figure[str(body.parent)]
    positions = body.joint.zero if at is None else tuple(at)
    if len(positions) != body.joint.positions:
        message = f"a {body.joint.type} joint has {body.joint.positions} position coordinates, not {len(positions)}"
        raise FigureError([Fault(message, name)])
    there = body.placement.compose(body.joint.pose(positions))
    parts = tuple(replace(part, placement=there.compose(part.placement)) for part in body.parts)
    mass = None
    if body.mass is not None or parent.mass is not None:
        mass = parent.mass_properties + body.mass_properties.moved(there)
    bodies = []
    for other in figure.bodies:
        if other is parent:
            bodies.append(replace(parent, parts=parent.parts + parts, mass=mass))
        elif other.parent == name:
            bodies.append(replace(other, parent=parent.name, placement=there.compose(other.placement)))
        elif other is not body:
            bodies.append(other)
    return replace(figure, bodies=tuple(bodies))


def remove(figure: Figure, name: str) -> Figure:
    """Take a body and all below it away (`killjoint`)."""
    _not_root(figure, name, "removed: nothing would be left")
    gone = {name, *(body.name for body in figure.descendants(name))}
    return replace(figure, bodies=tuple(body for body in figure.bodies if body.name not in gone))


def renamed(figure: Figure, mapping: Mapping[str, str] | str, name: str | None) -> Figure:
    """Give bodies other names, by a mapping or a prefix."""
    table = {old: mapping + old for old in figure.names} if isinstance(mapping, str) else dict(mapping)
    unknown = [old for old in table if old not in figure]
    if unknown:
        raise FigureError([Fault(f"no body {old!r} to rename{nearest(old, figure.names)}") for old in unknown])
    bodies = [
        replace(body, name=table.get(body.name, body.name), parent=body.parent and table.get(body.parent, body.parent))
        for body in figure.bodies
    ]
    return replace(figure, name=figure.name if name is None else name, bodies=tuple(bodies))


def scaled(figure: Figure, length: float, mass: float) -> Figure:
    """Lengths times `length`, masses times `mass`, joints for similar motion under the same gravity."""
    for what, factor in (("length", length), ("mass", mass)):
        if not (math.isfinite(factor) and factor > 0):
            raise FigureError([Fault(f"the {what} factor must be positive, it is {factor}")])
    faults = [Fault(message, body.name) for body in figure.bodies for message in _mixed(body.joint, length)]
    if faults:
        raise FigureError(faults)
    return replace(figure, bodies=tuple(_scaled_body(body, length, mass) for body in figure.bodies))


def resized(figure: Figure, factors: Mapping[str, float], mass: float | None) -> Figure:
    """Each body with the lengths of its own; what hangs on it moves along."""
    faults = [Fault(f"no body {name!r}{nearest(name, figure.names)}") for name in factors if name not in figure]
    faults += [
        Fault(f"the length factor must be positive, it is {factor}", name)
        for name, factor in factors.items()
        if not (math.isfinite(factor) and factor > 0)
    ]
    if mass is not None and not (math.isfinite(mass) and mass > 0):
        faults.append(Fault(f"the mass [kg] must be positive, it is {mass}"))
    own = {body.name: float(factors.get(body.name, 1.0)) for body in figure.bodies}
    faults += [Fault(text, body.name) for body in figure.bodies for text in _mixed(body.joint, own.get(body.name, 1.0))]
    if faults:
        raise FigureError(faults)
    grown = sum(own[body.name] ** 3 * body.mass_properties.mass for body in figure.bodies)
    dense = 1.0 if mass is None or not grown else mass / grown
    bodies = []
    for body in figure.bodies:
        length = own[body.name]
        made = _scaled_body(body, length, dense * length**3)
        bodies.append(replace(made, placement=body.placement.scaled(own[body.parent] if body.parent else length)))
    return replace(figure, bodies=tuple(bodies))


def _mixed(joint: Joint, length: float) -> Iterator[str]:
    """One number serves the slides and the turns of a mixed joint, but they scale differently; motors do not scale."""
    if joint.motor is not None:
        yield "its motor cannot be scaled: take it out (joint.motor) and give the scaled figure one of its own"
    if len(set(joint.kind.speeds.values())) < 2 or length == 1.0:
        return
    used = [name for name in ("rest", *PASSIVE, "range", "stop") if getattr(joint, name)]
    if used:
        yield f"{' and '.join(used)} of a {joint.type} joint cannot be scaled: it both slides and turns"


def _scaled_body(body: Body, length: float, mass: float) -> Body:
    return replace(
        body,
        joint=_scaled_joint(body.joint, length, mass),
        placement=body.placement.scaled(length),
        parts=tuple(_scaled_part(part, length, mass) for part in body.parts),
        mass=body.mass and body.mass.scaled(length, mass),
    )


def _scaled_part(part: Part, length: float, mass: float) -> Part:
    return replace(
        part,
        shape=part.shape.scaled(length),
        placement=part.placement.scaled(length),
        density=part.density * mass / length**3,
        mass=None if part.mass is None else part.mass * mass,
    )


def _scaled_joint(joint: Joint, length: float, mass: float) -> Joint:
    # Under the same gravity forces go as mass, times as √length; torques have one length more, angles none.
    coordinate = length if set(joint.kind.speeds.values()) == {"m/s"} else 1.0
    effort = mass * length / coordinate
    pitches = {name: joint[name] * length for name, role in joint.kind.fields.items() if role is PITCH}
    k = effort / coordinate
    return replace(
        joint.valued(pitches),
        stiffness=joint.stiffness * k,
        damping=joint.damping * k * math.sqrt(length),
        armature=joint.armature * k * length,
        friction=joint.friction * effort,
        rest=joint.rest * coordinate,
        range=joint.range and (joint.range[0] * coordinate, joint.range[1] * coordinate),
        stop=joint.stop and (k * joint.stop[0], k * math.sqrt(length) * joint.stop[1]),
    )
