"""A figure as URDF: links, joints and shapes; hulls, cones, ellipsoids and meshes as STL files in a folder beside it.

Every coordinate is a joint of its own; joints of several have links without mass between them, called "body.1", …, and
a ball joint is three hinges. A root that is not free hangs from a link called "world". URDF has no springs. Of a scene
the limits of its motors and joints that mimic others are written too.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from gambol.figure import Body, Box, Capsule, Cylinder, Figure, Part, Placement, Sphere
from gambol.figure.joints import Primitive
from gambol.figure.placement import IDENTITY
from gambol.forces.actuator import Actuator
from gambol.forces.element import Element
from gambol.forces.tendon import Tendon
from gambol.plot.surfaces import surface
from gambol.scene.urdf import MIMICS

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
EFFORT = SPEED = 1e9  # URDF wants limits of both; these limit nothing


@dataclass(frozen=True)
class Driven:
    """What drives the joints of a figure, by body: efforts [N·m or N], and (other body, ratio, offset) of mimics."""

    efforts: dict[str, float] = field(default_factory=dict)
    mimics: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    usual: float = EFFORT  # effort of the others


FREELY = Driven()


def driven_by(forces: Sequence[Element], figure: Figure) -> Driven:
    """The motors and mimics among force elements, as URDF has them; a joint without a motor has an effort of 0."""
    efforts: dict[str, float] = {}
    mimics: dict[str, tuple[str, float, float]] = {}
    for force in forces:
        if isinstance(force, Actuator) and (name := _own(force.joint, figure)):
            efforts[name] = efforts.get(name, 0.0) + min(force.most, EFFORT)
        elif isinstance(force, Tendon) and force.line == MIMICS:
            (joint, _), (other, ratio) = force.arms.items()
            if (name := _own(joint, figure)) and (onto := _own(other, figure)):
                mimics[name] = (onto, -float(ratio), float(force.rest))
    return Driven(efforts, mimics, 0.0)


def _own(full: str, figure: Figure) -> str:
    """The body of a figure that is called so in a world; nothing for one of another figure."""
    owner, _, name = full.rpartition("/")
    return name if owner in ("", figure.name) and name in figure.names else ""


def write_urdf(figure: Figure, path: Path, driven: Driven = FREELY) -> list[Path]:
    """Writes a figure; returns the file and those of its meshes."""
    folder = path.with_name(f"{path.stem}_meshes")
    meshes: dict[str, Part] = {}
    lines = [f"<robot name={quoteattr(figure.name)}>"]
    if figure.root.joint.type != "free":
        lines.append('<link name="world"/>')
    for body in figure.order:
        lines += _joints(body, driven)
        lines += _link(body, folder, meshes)
    path.write_text("\n".join((*lines, "</robot>\n")), encoding="utf-8")
    written = [path]
    for name, part in meshes.items():
        folder.mkdir(exist_ok=True)
        written.append(_stl(folder / name, part))
    return written


def dropped(figure: Figure) -> list[str]:
    """What of a figure URDF has no place for."""
    joints = [(body.name, body.joint) for body in figure.bodies]
    found = {
        "springs": [name for name, joint in joints if joint.stiffness],
        "armatures": [name for name, joint in joints if joint.armature],
        "motors": [name for name, joint in joints if joint.motor is not None],
        "ball joints, which are three hinges now": [name for name, joint in joints if joint.type == "ball"],
        "pitches of screws, which are hinges now": [name for name, joint in joints if joint.type == "screw"],
    }
    return [f"{kind} of {', '.join(names[:3])}{', …' * (len(names) > 3)}" for kind, names in found.items() if names]


def _links(body: Body) -> list[Primitive]:
    """The hinges and slides of its joint."""
    found: list[Primitive] = []
    for link in body.joint.kind.primitives(body.joint) if body.joint.speeds else ():
        found += [Primitive("hinge", axis) for axis in AXES] if link.type == "ball" else [link]
    return found


def _joints(body: Body, driven: Driven) -> Iterator[str]:
    parent = body.parent or "world"
    if body.joint.type == "free":
        if body.parent is not None:
            yield _joint(body.name, "floating", parent, body.name, body.placement)
        return
    links = _links(body)
    if not links:
        yield _joint(body.name, "fixed", parent, body.name, body.placement)
    for k, link in enumerate(links):
        last = k == len(links) - 1
        child = body.name if last else f"{body.name}.{k + 1}"
        if not last:
            yield f"<link name={quoteattr(child)}/>"
        slides = link.type == "slide"
        limits = body.joint.range if body.joint.kind.springs == "coordinates" else None
        kind = "prismatic" if slides else "revolute" if limits else "continuous"
        inner = f'<axis xyz="{_text(link.axis)}"/>'
        if slides and not limits:
            limits = (-EFFORT, EFFORT)
        effort = driven.efforts.get(body.name, driven.usual) if last else driven.usual
        ends = f'lower="{limits[0]!r}" upper="{limits[1]!r}" ' if limits else ""
        if limits or effort not in (0.0, EFFORT):
            inner += f'<limit {ends}effort="{effort!r}" velocity="{SPEED:g}"/>'
        if last and body.name in driven.mimics:
            other, ratio, offset = driven.mimics[body.name]
            inner += f'<mimic joint={quoteattr(other)} multiplier="{ratio!r}" offset="{offset!r}"/>'
        inner += f'<dynamics damping="{body.joint.damping!r}" friction="{body.joint.friction!r}"/>'
        name = body.name if len(links) == 1 else child if not last else f"{body.name}.{k + 1}"
        yield _joint(name, kind, parent, child, body.placement if k == 0 else IDENTITY, inner)
        parent = child


def _joint(name: str, kind: str, parent: str, child: str, place: Placement, inner: str = "") -> str:
    ends = f"<parent link={quoteattr(parent)}/><child link={quoteattr(child)}/>{_origin(place)}"
    return f'<joint name={quoteattr(name)} type="{kind}">{ends}{inner}</joint>'


def _link(body: Body, folder: Path, meshes: dict[str, Part]) -> Iterator[str]:
    mass = body.mass_properties
    yield f"<link name={quoteattr(body.name)}>"
    if mass.mass > 0 or any(mass.inertia):
        xx, yy, zz, xy, xz, yz = (repr(x) for x in mass.inertia)
        tensor = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"'
        yield f'<inertial>{_origin(Placement(mass.centre))}<mass value="{mass.mass!r}"/><inertia {tensor}/></inertial>'
    for k, part in enumerate(body.parts):
        for place, geometry in _geometries(body, k, part, folder, meshes):
            inner = f"{_origin(place)}<geometry>{geometry}</geometry>"
            if part.visible:
                yield f"<visual>{inner}{_material(part)}</visual>"
            if part.colliding:
                yield f"<collision>{inner}</collision>"
    yield "</link>"


def _material(part: Part) -> str:
    if part.colour is None:
        return ""
    colour = (*part.colour, 1.0)[:4]
    name = "colour_" + "_".join(f"{round(255 * c):02x}" for c in colour)
    return f'<material name="{name}"><color rgba="{_text(colour)}"/></material>'


def _geometries(
    body: Body, k: int, part: Part, folder: Path, meshes: dict[str, Part]
) -> Iterator[tuple[Placement, str]]:
    place = part.placement
    match part.shape:
        case Box(size=size):
            yield place, f'<box size="{_text(size)}"/>'
        case Sphere(radius=radius):
            yield place, f'<sphere radius="{radius!r}"/>'
        case Cylinder(radius=radius, length=length):
            yield place, f'<cylinder radius="{radius!r}" length="{length!r}"/>'
        case Capsule(radius=radius, length=length):
            if length > 0:
                yield place, f'<cylinder radius="{radius!r}" length="{length!r}"/>'
            for end in (-0.5, 0.5):
                yield place.compose(Placement.at(0.0, 0.0, end * length)), f'<sphere radius="{radius!r}"/>'
        case _:
            name = "".join(c if c.isalnum() else "_" for c in f"{body.name}_{k + 1}") + ".stl"
            meshes[name] = part
            yield place, f'<mesh filename="{folder.name}/{name}"/>'


def _stl(path: Path, part: Part) -> Path:
    import trimesh

    triangles = np.asarray(surface(part.shape)).reshape(-1, 3)
    faces = np.arange(len(triangles)).reshape(-1, 3)
    trimesh.Trimesh(triangles, faces, process=False).export(str(path))
    return path


def _origin(place: Placement) -> str:
    roll, pitch, yaw = _angles(place.matrix)
    return f'<origin xyz="{_text(place.position)}" rpy="{roll!r} {pitch!r} {yaw!r}"/>'


def _angles(r: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] about fixed axes."""
    flat = math.hypot(r[0, 0], r[1, 0])
    if flat > 1e-9:
        return math.atan2(r[2, 1], r[2, 2]), math.atan2(-r[2, 0], flat), math.atan2(r[1, 0], r[0, 0])
    return math.atan2(-r[1, 2], r[1, 1]), math.atan2(-r[2, 0], flat), 0.0


def _text(values) -> str:
    return " ".join(repr(float(value)) for value in values)
