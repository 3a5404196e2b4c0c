"""What of a scene a file does not hold, by count of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gambol.export.mjcf import EARTH
from gambol.forces.actuator import Actuator
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.terrain import Terrain
from gambol.forces.tendon import Tendon
from gambol.scene.scene import START_POSE, Scene
from gambol.scene.urdf import MIMICS

CONTACTS = (GroundContact, RoundContact, BodyContact)
MJCF, URDF = (".xml", ".mjcf"), (".urdf",)


def lost(scene: Scene, suffix: str) -> list[str]:
    """Nothing for what the format of a suffix holds, else how many there are of what it does not."""
    kinds = Counter(type(force).__name__ for force in scene.world.forces if not _is_held(force, suffix))
    kinds.update(type(constraint).__name__ for constraint in scene.world.constraints)
    return [*(f"{number} of kind {kind}" for kind, number in kinds.items()), *_others(scene, suffix)]


def _is_held(force: Any, suffix: str) -> bool:
    """Contacts of MJCF are told apart from the rest: geoms touch, but in MuJoCo's way."""
    if suffix in MJCF:
        return isinstance(force, (Actuator, *CONTACTS))
    motor = isinstance(force, Actuator) and not (force.stiffness or force.damping)
    return suffix in URDF and (motor or (isinstance(force, Tendon) and force.line == MIMICS))


def _others(scene: Scene, suffix: str) -> Iterator[str]:
    touching = sum(isinstance(force, CONTACTS) for force in scene.world.forces)
    if suffix in MJCF:
        if touching:
            yield f"friction, stiffness and partners of {touching} contacts: what collides touches in MuJoCo's way"
    else:
        if poses := len([name for name in scene.poses if name != START_POSE]):
            yield f"{poses} start poses"
        if scene.frames:
            yield f"{len(scene.frames)} sites"
        if touching and scene.world.terrain != Terrain():
            yield "the ground"
        if tuple(scene.world.gravity) != EARTH:
            yield "gravity"
    if scene.sensors:
        yield f"{len(scene.sensors)} sensors"
