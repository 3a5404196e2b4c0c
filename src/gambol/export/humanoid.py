"""The bones of the person, by the usual names of humanoid rigs, in a T pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gambol.export.character import Bone
from gambol.figure import Figure, Part
from gambol.figure.placement import Placement

Spot = tuple[float, float, float]
Poses = Mapping[str, Placement]


class Row(NamedTuple):
    """A bone: the one above it, the body of the whole person that it goes with, head and tail [m] in its frame."""

    name: str
    parent: str
    body: str
    head: Spot
    tail: Spot


MIDDLE = (
    Row("Hips", "", "pelvis3", (0.03, 0.0, -0.13), (0.0, 0.0, 0.0)),
    Row("Spine", "Hips", "abdomen", (-0.02, 0.0, -0.149), (-0.01, 0.0, 0.0)),
    Row("Spine1", "Spine", "abdomen", (-0.01, 0.0, 0.0), (-0.01, 0.0, 0.15)),
    Row("Spine2", "Spine1", "abdomen", (-0.01, 0.0, 0.15), (0.0, 0.0, 0.295)),
    Row("Neck", "Spine2", "head3", (0.0, 0.0, 0.0), (0.0, 0.0, 0.07)),
    Row("Head", "Neck", "head3", (0.0, 0.0, 0.07), (0.0, 0.0, 0.25)),
)
LEFT = (
    Row("Shoulder", "Spine2", "abdomen", (-0.01, 0.03, 0.2), (-0.01, 0.18, 0.185)),
    Row("Arm", "Shoulder", "l_humerus3", (0.0, 0.0, 0.0), (0.0, 0.0114, -0.328)),
    Row("ForeArm", "Arm", "l_forearm", (0.0, 0.0, 0.0), (0.0, 0.0, -0.258)),
    Row("Hand", "ForeArm", "l_hand3", (0.0, 0.0, 0.0), (0.0, 0.0, -0.18)),
    Row("UpLeg", "Hips", "l_thigh3", (0.0, 0.0, 0.0), (0.0, 0.0, -0.432)),
    Row("Leg", "UpLeg", "l_shank", (0.0, 0.0, 0.0), (0.0075, -0.01, -0.434)),
    Row("Foot", "Leg", "l_hindfoot", (0.0, 0.0, 0.0), (0.115, 0.015, -0.033)),
    Row("ToeBase", "Foot", "l_hindfoot", (0.115, 0.015, -0.033), (0.19, 0.01, -0.037)),
)
WEARS = {"abdomen": "Spine1", "head3": "Head", "l_hindfoot": "LeftFoot", "r_hindfoot": "RightFoot"}  # of several bones
ARMS_OUT = {"l_humerus2": math.pi / 2, "r_humerus2": -math.pi / 2}  # [rad]
NEEDED = ("abdomen", "l_shank", "r_shank", "l_humerus1", "r_humerus1")


def person_bones(figure: Figure) -> list[Bone] | None:
    """The bones of the person, of any size, whole or with joints welded as it stands; None for other figures."""
    from gambol.models.person.figure import person90, positions
    from gambol.models.person.tables import is_foot_bone, standing_angles

    whole = person90()
    known = sum(name in whole for name in figure.names)
    if any(name not in figure for name in NEEDED) or figure.root.name != "abdomen" or known < 0.9 * len(figure.names):
        return None
    angles = standing_angles()
    stand = whole.poses(positions(whole, angles))
    rest = whole.poses(positions(whole, {n: a for n, a in angles.items() if is_foot_bone(n)} | ARMS_OUT))
    here = figure.poses(positions(figure, angles))
    rows = _rows(figure)
    number = {row.name: k for k, row in enumerate(rows)}
    skins = _skins(figure, whole, stand, {row.body: WEARS.get(row.body, row.name) for row in rows})
    bones: list[Bone] = []
    frames: list[Placement] = []  # of the bodies of the bones, standing
    for row in rows:
        carrier, inside, size = _carried(figure, whole, stand, row.body)
        frame = here[carrier].compose(inside)
        place = inside.compose(Placement(_times(row.head, size)))
        head = np.array(frame.apply(_times(row.head, size)))
        above = number.get(row.parent, -1)
        if above >= 0:  # as far from the bone above as it stands, in the frame that that one has at rest
            parent, own = bones[above], frames[above]
            before = np.array(own.apply(_times(rows[above].head, _carried(figure, whole, stand, rows[above].body)[2])))
            there = own.inverse().turn(_plain(head - before))
            head = parent.head + np.array(Placement(rotation=parent.rest).turn(there))
        turn = rest[row.body].rotation
        along = _plain(size * (np.array(row.tail) - np.array(row.head)))
        tail = head + np.array(Placement(rotation=turn).turn(along))
        at = Placement(_plain(head), turn).compose(Placement(_times(row.head, -size))).compose(frame.inverse())
        worn = [(at.compose(here[body]).compose(part.placement), part) for body, part in skins.get(row.name, ())]
        bones.append(Bone(row.name, above, carrier, place, head, tail, turn, tuple(worn)))
        frames.append(frame)
    return bones


def _rows(figure: Figure) -> list[Row]:
    found = list(MIDDLE)
    for side, letter, sign in (("Left", "l", 1.0), ("Right", "r", -1.0)):
        for name, parent, body, (x, y, z), (u, v, w) in LEFT:
            above = parent if parent in ("Spine2", "Hips") else f"{side}{parent}"
            own = f"{letter}_{body[2:]}" if body.startswith("l_") else body
            toe = f"{letter}_phal2.2"  # bends with the others, where they do
            if name == "ToeBase" and toe in figure:
                found.append(Row(f"{side}{name}", above, toe, (0.0, 0.0, 0.0), (0.0415, 0.0, -0.004)))
            else:
                found.append(Row(f"{side}{name}", above, own, (x, sign * y, z), (u, sign * v, w)))
    return found


def _plain(vector: np.ndarray) -> Spot:
    return (float(vector[0]), float(vector[1]), float(vector[2]))


def _times(spot: Spot, factor: float) -> Spot:
    return (factor * spot[0], factor * spot[1], factor * spot[2])


def _carrier(figure: Figure, whole: Figure, body: str) -> str:
    """The body itself, or the one that it was welded to."""
    while body not in figure:
        body = str(whole[body].parent)
    return body


def _carried(figure: Figure, whole: Figure, stand: Poses, body: str) -> tuple[str, Placement, float]:
    """What carries a body of the whole person, where that has it, and how large it is beside the whole's."""
    carrier = _carrier(figure, whole, body)
    size = _size(figure, stand, carrier)
    inside = stand[carrier].inverse().compose(stand[body])
    return carrier, inside.scaled(size), size


def _size(figure: Figure, stand: Poses, body: str) -> float:
    """How much longer a body is than the whole person's: by where its children are joined to it; else its parent's."""
    for child in figure.children(body):
        if child.name in stand:
            long = math.dist(stand[child.name].position, stand[body].position)
            if long > 0.02:
                return math.hypot(*child.placement.position) / long
    parent = figure[body].parent
    return _size(figure, stand, parent) if parent is not None else 1.0


def _skins(figure: Figure, whole: Figure, stand: Poses, bones: Mapping[str, str]) -> dict[str, list[tuple[str, Part]]]:
    """Visible parts of the figure, and their bodies, by the bone of the body of the whole that they were made for."""
    made: dict[str, list[tuple[str, np.ndarray, Part]]] = {}
    for body in whole.order:
        carrier, inside, size = _carried(figure, whole, stand, body.name)
        own = body.name
        while own not in bones:
            below = [child.name for child in whole.children(own)]
            own = below[0] if len(below) == 1 and below[0] in bones else str(whole[own].parent)
        for part in body.parts:
            spot = inside.compose(part.placement.scaled(size)).position
            made.setdefault(carrier, []).append((bones[own], np.array(spot), part))
    found: dict[str, list[tuple[str, Part]]] = {}
    for body in figure.order:
        for part in body.parts:
            if part.visible:
                place = np.array(part.placement.position)
                options = [m for m in made.get(body.name, ()) if m[2].name == part.name] or made.get(body.name, [])
                nearest = min(options, key=lambda m: float(np.linalg.norm(m[1] - place)), default=None)
                bone = nearest[0] if nearest else bones.get(body.name, "Hips")
                found.setdefault(bone, []).append((body.name, part))
    return found
