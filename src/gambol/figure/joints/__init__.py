"""Joint types: one file each, which knows everything about its type.

The pose of a body in its parent is `body.placement ∘ J(q)`. J(q), for each type (axes in the body's frame at
zero position):

| type        | coordinates q                        | J(q)                                            |
|-------------|--------------------------------------|-------------------------------------------------|
| fixed       | none                                 | identity                                        |
| hinge       | angle [rad]                          | rotation about `axis`                           |
| slide       | distance [m]                         | displacement along `axis`                       |
| screw       | angle [rad]                          | rotation about, `pitch`·angle along `axis`      |
| cylindrical | distance [m], angle [rad]            | displacement along, rotation about `axis`       |
| universal   | angle, angle [rad]                   | rotation about `axis`, then about `axis2`       |
| planar      | distance, distance [m], angle [rad]  | displacement along u, v, rotation about `axis`  |
| ball        | quaternion (w, x, y, z)              | rotation                                        |
| free        | position [m], quaternion             | displacement, rotation                          |

Speeds are the rates of the positions, except that a ball joint has the angular velocity (body axes), and a free joint
the angular then the linear velocity (axes of its base).

A type is a subclass of `JointType`, decorated by `register`, here or in a file of your own. Those with a kernel of the
same name in `gambol.dynamics.joints` say of what steps their pose consists; all others are chains of these primitives,
and pose, mirror image, reversal, closure of loops and everything else follow from the chain. `universal.py` is the
shortest example. A field that `Joint` does not have is one of `Joint.parameters`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.placement import UNIT_TOLERANCE, Problem, Vector

if TYPE_CHECKING:
    from gambol.figure.joint import Joint

Z: Vector = (0.0, 0.0, 1.0)
ENTRY_POINTS = "gambol.joints"  # of installed packages: modules by the name of the type that they register


class Role(Enum):
    """What a field of a joint is: decides how it is checked, mirrored, reversed and scaled."""

    TURN = "axis turned about"
    SLIDE = "direction slid along"
    PITCH = "advance per turn [m/rad]"

    @property
    def vector(self) -> bool:
        """Is it a direction, not a number?"""
        return self is not Role.PITCH

    def mirrored(self, value: Any) -> Any:
        """In the plane y = 0: a direction is reflected, an axis of rotation is reflected and changes its sense."""
        if self is Role.PITCH:
            return -value
        x, y, z = value
        return (x, -y, z) if self is Role.SLIDE else (-x, y, -z)


TURN, SLIDE, PITCH = Role.TURN, Role.SLIDE, Role.PITCH


class Primitive(NamedTuple):
    """A joint with a kernel: its type (a name in gambol.dynamics.joints), axis in body axes, pitch [m/rad]."""

    type: str
    axis: Vector = Z
    pitch: float = 0.0


class PoseStep(NamedTuple):
    """One step of a pose, in the frame that the steps before it have made.

    kind   "turn" about `along` by q[first], "slide" along it by scale·q[first], "shift" by q[first : first + 3],
           "rotate" by the quaternion q[first : first + 4]
    """

    kind: str
    first: int
    along: Vector = Z
    scale: float = 1.0

    @property
    def axis(self) -> np.ndarray:
        """`along` as a unit vector: descriptions need be right to a millionth only."""
        return np.asarray(self.along) / np.linalg.norm(self.along)


MIRROR_SIGNS = {"shift": (1.0, -1.0, 1.0), "rotate": (1.0, -1.0, 1.0, -1.0)}


class JointType:
    """What there is to know about a type of joint. Methods take the `Joint` (or Primitive) with its axes.

    positions    names and units ("rad", "m"; "" for components of a quaternion); a single one may be called ""
    speeds       names and units; by default as the positions, per second
    fields       the fields of the joint that it uses, in the order in which the chain uses them
    springs      what stiffness, damping and range act on: every coordinate, its whole "rotation", or "nothing"
    mixes        seen from the other side its coordinates are mixed, so that only a spring about zero stays itself
    urdf, mjcf   its names there; mjcf is None for a kernel without a counterpart in MuJoCo
    """

    name: ClassVar[str]
    positions: ClassVar[dict[str, str]]
    speeds: ClassVar[dict[str, str]]
    fields: ClassVar[dict[str, Role]] = {}
    springs: ClassVar[str] = "coordinates"
    mixes: ClassVar[bool] = False
    urdf: ClassVar[tuple[str, ...]] = ()
    mjcf: ClassVar[str | None] = None
    zero: ClassVar[tuple[float, ...]]
    quaternions: ClassVar[tuple[int, ...]]
    """Where in the positions quaternions begin."""

    def __init_subclass__(cls) -> None:
        if "speeds" not in cls.__dict__:
            cls.speeds = {name: f"{unit}/s" for name, unit in cls.positions.items()}
        components = [k for k, unit in enumerate(cls.positions.values()) if unit == ""]
        cls.quaternions = tuple(components[::4])
        cls.zero = tuple(float(k in cls.quaternions) for k in range(len(cls.positions)))

    # ------------------------------------------------------------ what it is made of
    def primitives(self, joint: Any) -> Sequence[Primitive]:
        """The chain of primitive joints in coordinate order; by default it is one itself."""
        return (Primitive(self.name, joint.axis if "axis" in self.fields else Z, joint.pitch),)

    def pose_steps(self, joint: Any) -> list[PoseStep]:
        """The steps of its pose; by default those of its primitives one after the other."""
        links = self._links(joint)
        return [s._replace(first=at.start + s.first) for kind, link, at, _ in links for s in kind.pose_steps(link)]

    def _links(self, joint: Any) -> Iterator[tuple[JointType, Primitive, slice, slice]]:
        """The primitives with their types, and where their positions and speeds are."""
        at = by = slice(0, 0)
        for link in self.primitives(joint):
            kind = JOINT_TYPES[link.type]
            at, by = slice(at.stop, at.stop + len(kind.positions)), slice(by.stop, by.stop + len(kind.speeds))
            yield kind, link, at, by

    def translates(self, joint: Any) -> bool:
        """Does it move the origin of its body?"""
        return any(step.kind in ("slide", "shift") for step in self.pose_steps(joint))

    @property
    def plain(self) -> bool:
        """Are its positions plain numbers, whose rates are the speeds?"""
        return 0 < len(self.positions) == len(self.speeds)

    def labels(self) -> list[str]:
        """The positions for people: names and units, such as `angle [rad]`."""
        plain = {"rad": "angle", "m": "distance"}
        return [f"{name or plain[unit]} [{unit}]" if unit else name for name, unit in self.positions.items()]

    def faults(self, joint: Joint) -> Iterator[Problem]:
        """What is wrong with sound fields together."""
        axes = [name for name, role in self.fields.items() if role.vector]
        for one, two in zip(axes, axes[1:]):
            if np.linalg.norm(np.cross(joint[one], joint[two])) < UNIT_TOLERANCE:
                yield (two,), f"{one} and {two} of a {self.name} joint must not be parallel"

    # ------------------------------------------------------------ positions
    def displaced(self, joint: Any, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The positions reached from q by the tangent vector d (one entry a speed)."""
        if len(self.positions) == len(self.speeds):
            return q + d
        return np.concatenate([kind.displaced(link, q[at], d[by]) for kind, link, at, by in self._links(joint)])

    def coordinates(self, joint: Any, shift: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Positions (n, positions) whose poses come nearest to displacements (n, 3) [m] and quaternions (n, 4).

        By default sought; samples that follow one another are taken to be near.
        """
        from gambol.figure.joints.fitting import fitted

        return fitted(self, joint, shift, turn)

    # ------------------------------------------------------------ mirror image in the plane y = 0
    def mirrored(self, joint: Joint) -> Joint:
        """The joint of the mirror image."""
        return joint.valued({name: role.mirrored(joint[name]) for name, role in self.fields.items()})

    def mirror_signs(self, joint: Joint) -> np.ndarray:
        """The factors (1 or −1) of the positions in the mirror image."""
        signs = np.ones(len(self.positions))
        for own, image in zip(self.pose_steps(joint), self.pose_steps(self.mirrored(joint))):
            if own.kind in MIRROR_SIGNS:
                signs[own.first : own.first + len(MIRROR_SIGNS[own.kind])] = MIRROR_SIGNS[own.kind]
            else:
                wanted = np.asarray((TURN if own.kind == "turn" else SLIDE).mirrored(own.axis))
                signs[own.first] = -1.0 if own.scale * image.scale * (wanted @ image.axis) < 0 else 1.0
        return signs

    # ------------------------------------------------------------ seen from its other side
    def reversed(self, joint: Joint) -> Joint:
        """The joint with child and parent exchanged: J'(q') = J(q)⁻¹. By default its axes, reversed, last one first."""
        axes = [name for name, role in self.fields.items() if role.vector]
        values = [tuple(-x for x in joint[name]) for name in axes]
        return joint.valued(dict(zip(axes, values[::-1])))

    def reversed_positions(self, joint: Any, q: np.ndarray) -> np.ndarray:
        """The positions of the reversed joint; by default those of the primitives, last one first."""
        links = self._links(joint)
        blocks = [q[at] if kind is self else kind.reversed_positions(link, q[at]) for kind, link, at, _ in links]
        return np.concatenate(blocks[::-1])


JOINT_TYPES: dict[str, JointType] = {}
"""Every type by its name, in the order in which they were registered."""


def register(cls: type[JointType]) -> type[JointType]:
    """Class decorator: figures may use the type from now on. A type of your own is checked on the spot."""
    known, same = type(JOINT_TYPES.get(cls.name)), lambda a: (a.__module__, a.__qualname__)
    if cls.name in JOINT_TYPES and same(known) != same(cls):
        raise TypeError(f"there is a joint type {cls.name!r} already, {known.__module__}.{known.__qualname__}")
    JOINT_TYPES[cls.name] = cls()
    if not cls.__module__.startswith(f"{__name__}."):
        from gambol.figure.joints.checking import check_joint_type

        try:
            check_joint_type(JOINT_TYPES[cls.name])
        except BaseException:
            del JOINT_TYPES[cls.name]
            raise
    return cls


def joint_type(name: str) -> JointType:
    """The type of that name; installed packages may bring it (entry points `gambol.joints`)."""
    if isinstance(name, str) and name not in JOINT_TYPES:
        from importlib.metadata import entry_points

        for point in entry_points(group=ENTRY_POINTS, name=name):
            point.load()
    if not isinstance(name, str) or name not in JOINT_TYPES:
        raise FigureError([Fault(f"unknown joint type {name!r}{nearest(str(name), JOINT_TYPES)}")])
    return JOINT_TYPES[name]


from gambol.figure.joints import fixed, hinge, slide, screw, cylindrical, universal, planar, ball, free  # noqa: E402

BUILT_IN_TYPES = tuple(JOINT_TYPES)
"""The types of the published schema."""
