"""A figure as a character: the bones that animators expect, moved exactly as the bodies move.

Hinges that lie on one another (a hip of three) are one joint; bodies welded to others stay bones; people have the usual
names (Hips, Spine, LeftUpLeg, …). Every bone stands parallel to the world's axes in the rest pose, as in BVH.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.export.clip import Clip, continuous
from gambol.export.quaternions import CONJUGATE, product, turned
from gambol.figure import Body, Figure, Part
from gambol.figure.placement import IDENTITY, Placement
from gambol.plot.surfaces import surface

STILL = 1e-6  # [m] a bone whose head moves less in its parent only turns
TOUCHING = 1e-9  # [m] joints nearer than this lie on one another


@dataclass(frozen=True)
class Bone:
    """A bone of a character.

    parent   number of the bone above, −1 for the root
    body     what carries it in the figure that moves, and `place`: its frame in that body's
    head     [m, world] in the rest pose; tail: where it ends
    rest     turn of its frame in the rest pose
    skin     parts that it moves, with their poses in the world at rest
    """

    name: str
    parent: int
    body: str
    place: Placement
    head: np.ndarray
    tail: np.ndarray
    rest: tuple[float, float, float, float]
    skin: tuple[tuple[Placement, Part], ...] = ()


@dataclass(frozen=True)
class Character:
    """The bones of a figure, parents first."""

    figure: Figure
    bones: tuple[Bone, ...]

    @classmethod
    def of(cls, figure: Figure) -> Character:
        """The character of a figure: a person with the usual names, or any other with names of its own."""
        from gambol.export.humanoid import person_bones

        person = person_bones(figure)
        return cls(figure, tuple(person if person is not None else creature_bones(figure)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the bones."""
        return tuple(bone.name for bone in self.bones)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Numbers of the bones above, −1 for the root."""
        return tuple(bone.parent for bone in self.bones)

    @cached_property
    def offsets(self) -> np.ndarray:
        """From the head of the parent to the head of each bone, at rest [m]; the root's from the world's origin."""
        return np.array([b.head - (self.bones[b.parent].head if b.parent >= 0 else 0.0) for b in self.bones])

    def world_motion(self, places: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heads (frames, bones, 3) [m] and turns from rest (frames, bones, 4), from poses of the figure's bodies."""
        row = {body.name: k for k, body in enumerate(self.figure.order)}
        rows = [row[bone.body] for bone in self.bones]
        at = np.array([bone.place.position for bone in self.bones])
        fixed = np.array([product(np.array(b.place.rotation), np.array(b.rest) * CONJUGATE) for b in self.bones])
        heads = places[:, rows] + turned(turns[:, rows], np.broadcast_to(at, (len(places), *at.shape)))
        return heads, product(turns[:, rows], np.broadcast_to(fixed, (len(places), *fixed.shape)))

    def motion(self, clip: Clip, number: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Positions and turns of the bones in the frames of their parents, continuous in time."""
        heads, frames = self.world_motion(*clip.poses[number])
        shift, turn = heads.copy(), frames.copy()
        for k, p in enumerate(self.parents):
            if p >= 0:
                back = frames[:, p] * CONJUGATE
                shift[:, k] = turned(back, heads[:, k] - heads[:, p])
                turn[:, k] = product(back, frames[:, k])
        return shift, continuous(turn)

    def sliding(self, shift: np.ndarray) -> list[bool]:
        """Which bones move their heads in their parents: the root, sliding joints, axes that miss one another."""
        return [p < 0 or bool(np.abs(shift[:, k] - self.offsets[k]).max() > STILL) for k, p in enumerate(self.parents)]


# ---------------------------------------------------------------- any creature
def creature_bones(figure: Figure) -> list[Bone]:
    """A bone for every body, but for those whose joint another one's lies on: they are one."""
    last: dict[str, str] = {}
    for body in reversed(figure.order):
        last[body.name] = _merged_into(figure, body, last)
    kept = [body for body in figure.order if last[body.name] == body.name]
    where = figure.poses()
    names = _short_names(figure, last)
    number = {body.name: k for k, body in enumerate(kept)}
    bones = []
    for body in kept:
        first = body
        while first.parent is not None and last[first.parent] == body.name:
            first = figure[first.parent]
        parent = -1 if first.parent is None else number[last[first.parent]]
        own = [other for other in figure.order if last[other.name] == body.name]
        skin = [(where[o.name].compose(p.placement), p) for o in own for p in o.parts if p.visible]
        head = np.array(where[body.name].position)
        ends = [np.array(where[c.name].position) for c in figure.children(body.name)]
        tail = np.mean(ends, axis=0) if ends else tip(head, skin)
        bones.append(
            Bone(names[body.name], parent, body.name, IDENTITY, head, tail, where[body.name].rotation, tuple(skin))
        )
    return bones


def _merged_into(figure: Figure, body: Body, last: Mapping[str, str]) -> str:
    """The body whose bone it is part of: its only child, where that turns about the same point."""
    children = figure.children(body.name)
    if body.parent is None or len(children) != 1 or not body.joint.speeds:
        return body.name
    child = children[0]
    near = math.hypot(*child.placement.position) < TOUCHING
    turning = child.joint.speeds and not child.joint.kind.translates(child.joint)
    return last[child.name] if near and turning else body.name


def _short_names(figure: Figure, last: Mapping[str, str]) -> dict[str, str]:
    """Bones of several hinges lose the number behind their names, where that leaves them different."""
    merged = {own for name, own in last.items() if own != name}
    short = {name: re.sub(r"[\W_]*\d+$", "", name) if name in merged else name for name in set(last.values())}
    count = {value: list(short.values()).count(value) for value in short.values()}
    return {name: value if value and count[value] == 1 and value not in last else name for name, value in short.items()}


def tip(head: np.ndarray, skin: Sequence[tuple[Placement, Part]]) -> np.ndarray:
    """The far end of what a bone carries."""
    points = [points_of(place, part) for place, part in skin]
    if not points:
        return head - np.array([0.0, 0.0, 0.05])
    every = np.concatenate(points)
    return every[np.argmax(np.linalg.norm(every - head, axis=1))]


def points_of(place: Placement, part: Part) -> np.ndarray:
    corners = surface(part.shape).reshape(-1, 3)
    return turned(np.broadcast_to(place.rotation, (len(corners), 4)), corners) + np.array(place.position)
