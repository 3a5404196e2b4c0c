"""Articulated figures as the commands build them; `Corpus.figure` turns one into a description of Gambol."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gambol.corpus import geometry
from gambol.corpus.joint_settings import JointSettings
from gambol.corpus.render_settings import vector
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import spelling
from gambol.errors import CommandError
from gambol.figure import Body, Figure, Joint, Mass, Part, Placement

GAMBOL_JOINT_TYPES = {"rotary": "hinge", "sliding": "slide"}
PART_FLAGS = ("inertial", "colliding", "convex", "separating")


@dataclass
class CorpusPart:
    """Geometry welded to a body. `to_body` leads from the object's points to the body's frame."""

    name: str
    obj: SceneObject
    to_body: np.ndarray
    density: float
    flags: dict[str, bool]
    _made: tuple[Any, Part] | None = field(default=None, repr=False)

    def part(self) -> Part:
        """As a part of a body; made once for as long as nothing about it changes."""
        appearance, shape = self.obj.appearance, self.obj.geometry
        key = (
            shape,
            self.to_body.tobytes(),
            self.density,
            tuple(self.flags.values()),
            appearance.shown,
            appearance.colour,
        )
        if self._made is None or self._made[0][0] is not shape or self._made[0][1:] != key[1:]:
            self._made = (key, self._part())
        return self._made[1]

    def _part(self) -> Part:
        solid = self.flags["inertial"] and self.density > 0
        return geometry.part_of(
            self.obj.geometry,
            self.to_body,
            convex=self.flags["convex"],
            density=self.density if solid else 1.0,
            inertial=solid,
            colliding=self.flags["colliding"],
            visible=self.obj.appearance.shown,
            name=self.name,
            colour=self.obj.appearance.colour,
        )

    def parts(self, *, touching: bool) -> list[Part]:
        """As parts of a body; those `touching` other bodies do so as they are, or with their convex hull."""
        own = self.part()
        if not (touching and own.colliding) or own.convex:
            return [own]
        return [replace(own, colliding=False), geometry.contact_hull(self.obj.geometry, self.to_body)]

    @property
    def mass(self) -> Mass:
        """Mass properties in the body's frame."""
        return self.part().mass_properties


@dataclass
class CorpusLink:
    """A body and the joint to its parent."""

    name: str
    obj: SceneObject
    to_body: np.ndarray
    axis: np.ndarray  # unit vector, in the body's frame
    kind: str  # rotary or sliding
    corpus: Corpus
    pieces: list[CorpusPart] = field(default_factory=list)
    parent: CorpusLink | None = None
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))  # in the parent's frame
    joint: JointSettings = field(default_factory=JointSettings)
    driven: bool = False
    ground: bool = True
    sticky: bool = False
    speed_limits: tuple[float, float] | None = None  # linear [m/s], angular [rad/s]
    q: float = 0.0
    dq: float = 0.0
    ddq: float = 0.0

    @property
    def full_name(self) -> str:
        """Figure and body, which no other body of the world has."""
        return f"{self.corpus.name}/{self.name}"

    @property
    def joint_transform(self) -> np.ndarray:
        """What the joint does, as a matrix, at its present position."""
        if self.kind == "rotary":
            return geometry.rotation(self.axis, np.degrees(self.q))
        return geometry.translation(self.q * self.axis)

    @property
    def local_pose(self) -> np.ndarray:
        """Pose in the parent's frame."""
        return self.placement @ self.joint_transform

    @property
    def pose(self) -> np.ndarray:
        """Pose in the world."""
        return self.corpus.pose if self.parent is None else self.parent.pose @ self.local_pose

    @property
    def displacement(self) -> np.ndarray:
        """The rigid motion of the object since it was made a body."""
        return self.obj.world_matrix @ np.linalg.inv(self.to_body)

    @property
    def mass(self) -> Mass:
        """Mass properties of all its pieces, in its frame."""
        return sum((piece.mass for piece in self.pieces), Mass(0.0))

    @property
    def children(self) -> list[CorpusLink]:
        """The links that hang from it."""
        return [link for link in self.corpus.links.values() if link.parent is self]

    @property
    def distal_mass(self) -> float:
        """Its mass and that of all beyond it [kg]."""
        return self.mass.mass + sum(child.distal_mass for child in self.children)

    def body(self, *, held: bool, touching: bool = False) -> Body:
        """As a description; `held` joints do not move."""
        parts = tuple(part for piece in self.pieces for part in piece.parts(touching=touching))
        parent = self.parent.name if self.parent else None
        if self.parent is None:
            return Body(self.name, None, *self.corpus.root_joint(held=held), parts)
        if held:
            return Body(self.name, parent, Joint("fixed"), geometry.placement_of(self.local_pose, self.name), parts)
        axis = vector(self.axis)
        joint = Joint(GAMBOL_JOINT_TYPES[self.kind], axis, driven=self.driven)
        return Body(self.name, parent, joint, geometry.placement_of(self.placement, self.name), parts)


@dataclass
class Corpus:
    """One articulated figure or single body."""

    name: str
    links: dict[str, CorpusLink] = field(default_factory=dict)
    root: CorpusLink | None = None
    removed_bodies: dict[str, str] = field(default_factory=dict)  # bodies that were welded or removed, and how
    ready: bool = False
    root_motion: str = "free"
    integrated: bool = True
    pose: np.ndarray = field(default_factory=lambda: np.eye(4))  # of the root
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(6))  # of the root: angular, linear; world axes
    acceleration: np.ndarray = field(default_factory=lambda: np.zeros(6))

    def find(self, name: str) -> CorpusLink:
        """A body by its name."""
        if name not in self.links:
            raise CommandError(f"corpus {self.name!r} has no body {name!r}{spelling(name, self.links)}")
        return self.links[name]

    @property
    def held(self) -> bool:
        """Does nothing of it move?"""
        return not self.integrated

    def root_joint(self, *, held: bool) -> tuple[Joint, Placement]:
        """The joint of the root to the world, and where it is."""
        if held or self.root_motion == "fixed":
            return Joint("fixed"), geometry.placement_of(self.pose, "the root")
        return Joint("free", driven=self.root_motion != "free"), Placement()

    def tree(self) -> Iterator[CorpusLink]:
        """Parents before children, as linked."""
        pending = [self.require_root()]
        while pending:
            link = pending.pop(0)
            yield link
            pending = [*link.children, *pending]

    def require_root(self) -> CorpusLink:
        """The root; an error when none is set."""
        if self.root is None:
            raise CommandError(f"corpus {self.name!r} has no root: setroot says which body it is")
        return self.root

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return sum(link.mass.mass for link in self.links.values())

    @property
    def centre(self) -> np.ndarray:
        """Centre of mass in the world [m]."""
        total, moment = 0.0, np.zeros(3)
        for link in self.links.values():
            own = link.mass
            total += own.mass
            moment += own.mass * geometry.transform_points(link.pose, np.asarray(own.centre))
        if not total > 0:
            raise CommandError(f"corpus {self.name!r} has no mass")
        return moment / total

    def massless_ends(self) -> list[str]:
        """Bodies that move and carry no mass: they cannot be simulated."""
        return [link.name for link in self.links.values() if not link.distal_mass > 0]

    def initialise(self) -> None:
        """Checks the tree and takes the root's place."""
        root = self.require_root()
        if root.parent is not None:
            raise CommandError(f"the root {root.name!r} hangs from {root.parent.name!r}")
        loose = set(self.links) - {link.name for link in self.tree()}
        if loose:
            raise CommandError(f"not linked to the root {root.name!r}: {', '.join(sorted(loose))}")
        self.ready = True
        self.adopt_root_pose()
        self.place_objects()

    def adopt_root_pose(self) -> None:
        """The present place of the root's object becomes that of the figure."""
        root = self.require_root()
        self.pose = geometry.matrix_of(geometry.placement_of(root.displacement, f"the root {root.name!r}"))

    def place_objects(self) -> None:
        """Moves the objects to where the bodies are."""
        poses: dict[str, np.ndarray] = {}
        for link in self.tree():
            poses[link.name] = self.pose if link.parent is None else poses[link.parent.name] @ link.local_pose
            for piece in link.pieces:
                above = piece.obj.parent.world_matrix if piece.obj.parent else np.eye(4)
                piece.obj.matrix = np.linalg.inv(above) @ poses[link.name] @ piece.to_body

    def weld(self, link: CorpusLink) -> None:
        """Makes a link part of its parent where it stands."""
        if link.parent is None:
            raise CommandError(f"{link.name!r} is the root: it has no joint")
        there = link.local_pose
        for piece in link.pieces:
            piece.to_body = there @ piece.to_body
            link.parent.pieces.append(piece)
        for child in link.children:
            child.parent, child.placement = link.parent, there @ child.placement
        del self.links[link.name]
        self.removed_bodies[link.name] = f"it was welded to {link.parent.name!r}"

    def remove(self, link: CorpusLink) -> list[str]:
        """Takes a link and all beyond it away; their names."""
        if link.parent is None:
            raise CommandError(f"{link.name!r} is the root: nothing would be left")
        gone = [link.name]
        for child in link.children:
            gone += self.remove(child)
        for piece in link.pieces:
            piece.obj.users.remove(piece)
        del self.links[link.name]
        self.removed_bodies[link.name] = "it was removed"
        return gone

    def figure(self, touching: Collection[str] = ()) -> Figure:
        """The description of this figure; the bodies `touching` (full names) touch others."""
        if not self.ready:
            raise CommandError(f"corpus {self.name!r} is not finished: corpusinit is missing")
        return Figure(
            self.name, tuple(link.body(held=self.held, touching=link.full_name in touching) for link in self.tree())
        )


def flags_of(values: list[Any]) -> dict[str, bool]:
    """The four flags of bodies and parts; missing ones are set."""
    found = {}
    for name, value in zip(PART_FLAGS, values):
        if value not in (None, 0, 1):
            raise CommandError(f"the flag {name} must be 0 or 1, it is {value}")
        found[name] = value != 0
    return found
