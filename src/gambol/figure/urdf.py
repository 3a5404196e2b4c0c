"""Figures from URDF, parsed by yourdfpy.

Links become bodies of the same name; a joint belongs to its child link, whose frame it shares, as with us. The
inertial element gives the body's mass; collision and visual elements become parts without mass of their own.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.foreign import typed_errors
from gambol.figure.imports import LeftOut, foreign_error, package
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.placement import IDENTITY, Placement, Vector
from gambol.figure.shapes import Box, Cylinder, Shape, Sphere

KNOWN = ("link", "joint", "material")


@typed_errors
def read_urdf(source: str | Path, root: str = "free") -> Figure:
    """Read a URDF file, or URDF text that starts with `<`.

    `root` is the joint of the root link to the world: "free" or "fixed". Whatever a figure cannot represent is
    named in one FigureImportWarning.
    """
    if root not in ("free", "fixed"):
        raise FigureError([Fault(f"unknown root joint {root!r}{nearest(str(root), ('free', 'fixed'))}")])
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    file = "<urdf>" if is_text else str(source)
    content = str(source).encode() if is_text else Path(source).read_bytes()
    left_out = LeftOut()
    robot, meshes = _parse(content, file, "." if is_text else str(Path(source).parent), left_out)
    by_child: dict[str, Any] = {}
    faults = []
    for joint in robot.joints:
        if by_child.setdefault(joint.child, joint) is not joint:
            faults.append(Fault(f"two joints move it: '{by_child[joint.child].name}' and '{joint.name}'", joint.child))
        if joint.child not in {link.name for link in robot.links}:
            faults.append(Fault(f"joint '{joint.name}' moves a link that is not there", joint.child))
    colours = {material.name: material for material in robot.materials}
    look = _Look(colours, meshes, left_out)
    bodies = [_body(link, by_child.get(link.name), root, look) for link in robot.links]
    if faults:
        raise FigureError(faults)
    figure = Figure(robot.name, tuple(bodies))
    left_out.warn(file)
    return figure


def _parse(content: bytes, file: str, folder: str, left_out: LeftOut) -> tuple[Any, Any]:
    yourdfpy = package("yourdfpy", "URDF")
    etree = package("lxml.etree", "URDF")
    try:
        # yourdfpy goes on with whatever it can make of broken XML; we do not.
        tree = etree.fromstring(content)
        parsed = yourdfpy.URDF.load(
            io.BytesIO(content), build_scene_graph=False, load_meshes=False, mesh_dir=str(Path(folder) / "here.urdf")
        )
    except Exception as error:  # lxml and yourdfpy raise many types
        raise foreign_error(file, error) from error
    for element in tree:
        if isinstance(element.tag, str) and element.tag not in KNOWN:
            left_out.add(f"<{element.tag}>", [element.get("name") or element.get("reference") or "unnamed"])
    return parsed.robot, parsed._filename_handler


def _placement(matrix: Any) -> Placement:
    return IDENTITY if matrix is None else Placement.from_matrix(matrix[:3, :3], tuple(matrix[:3, 3].tolist()))


@dataclass(frozen=True)
class _Look:
    """What the links of a file share."""

    colours: dict[str, Any]
    find: Callable[[str], str]
    left_out: LeftOut


def _body(link: Any, joint: Any, root: str, look: _Look) -> Body:
    moving = Joint(root) if joint is None else _joint(joint, look.left_out)
    parts = tuple(_parts(link, look))
    return Body(
        link.name,
        None if joint is None else joint.parent,
        moving,
        IDENTITY if joint is None else _placement(joint.origin),
        parts,
        _mass(link),
    )


def _mass(link: Any) -> Mass:
    inertial = link.inertial
    if inertial is None or inertial.mass is None:
        return Mass(0.0)
    tensor = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia
    return Mass.from_tensor(inertial.mass, (0.0, 0.0, 0.0), tensor).moved(_placement(inertial.origin))


def _joint(joint: Any, left_out: LeftOut) -> Joint:
    types = {name: kind for kind in JOINT_TYPES.values() for name in kind.urdf}
    kind = types.get(joint.type)
    if kind is None:
        raise FigureError([Fault(f"unknown joint type '{joint.type}'{nearest(str(joint.type), types)}", joint.name)])
    axis = _axis(joint) if "axis" in kind.fields else Joint.axis
    limits = None
    if joint.limit is not None:
        if joint.type in ("revolute", "prismatic"):
            limits = (_number(joint.limit.lower, "lower", joint), _number(joint.limit.upper, "upper", joint))
        for what in ("effort", "velocity"):
            if _number(getattr(joint.limit, what), what, joint):
                left_out.add(f"{what} limits", [joint.name])
    damping = 0.0
    if joint.dynamics is not None:
        damping = _number(joint.dynamics.damping, "damping", joint)
        if _number(joint.dynamics.friction, "friction", joint):
            left_out.add("joint friction", [joint.name])
    for what in ("mimic", "calibration", "safety_controller"):
        if getattr(joint, what) is not None:
            left_out.add(f"<{what}>", [joint.name])
    # The slides of a planar joint need a direction; the coordinate axis furthest from the normal will do.
    second = [0.0, 0.0, 0.0]
    second[int(np.argmin(np.abs(axis)))] = 1.0
    axis2 = (second[0], second[1], second[2]) if "axis2" in kind.fields else Joint.axis2
    return Joint(kind.name, axis, axis2, damping=damping, range=limits)


def _number(value: Any, what: str, joint: Any) -> float:
    """yourdfpy leaves some numbers as text, and None for what is not given."""
    try:
        return 0.0 if value is None else float(value)
    except ValueError:
        raise FigureError([Fault(f"{what} must be a number, not {value!r}", joint.name)]) from None


def _axis(joint: Any) -> Vector:
    axis = np.asarray((1.0, 0.0, 0.0) if joint.axis is None else joint.axis, dtype=float)
    norm = np.linalg.norm(axis)
    if axis.shape != (3,) or not np.isfinite(norm):
        raise FigureError([Fault(f"its axis must be 3 numbers, not {axis.tolist()}", joint.name)])
    if norm == 0.0:
        raise FigureError([Fault("its axis is zero", joint.name)])
    x, y, z = (axis / norm).tolist()
    return (x, y, z)


def _parts(link: Any, look: _Look) -> Iterator[Part]:
    for collision in link.collisions:
        shape = _shape(collision.geometry, link.name, look)
        if shape is not None:
            visible = not link.visuals
            place = _placement(collision.origin)
            yield Part(shape, place, inertial=False, visible=visible, name=collision.name or "")
    for visual in link.visuals:
        shape = _shape(visual.geometry, link.name, look)
        if shape is not None:
            colour = _colour(visual.material, look.colours)
            place = _placement(visual.origin)
            yield Part(shape, place, inertial=False, colliding=False, name=visual.name or "", colour=colour)


def _colour(material: Any, colours: dict[str, Any]) -> tuple[float, ...] | None:
    if material is not None and material.color is None:
        material = colours.get(material.name)
    return None if material is None or material.color is None else tuple(material.color.rgba)


def _shape(geometry: Any, link: str, look: _Look) -> Shape | None:
    if geometry.box is not None:
        x, y, z = (float(value) for value in geometry.box.size)
        return Box((x, y, z))
    if geometry.sphere is not None:
        return Sphere(geometry.sphere.radius)
    if geometry.cylinder is not None:
        return Cylinder(geometry.cylinder.radius, geometry.cylinder.length)
    if geometry.mesh is not None:
        from gambol.figure.mesh_file import load_mesh

        scale = 1.0 if geometry.mesh.scale is None else geometry.mesh.scale
        try:
            return load_mesh(look.find(geometry.mesh.filename), scale)
        except (OSError, ValueError) as error:
            look.left_out.add("meshes that could not be read", [f"{geometry.mesh.filename} of {link}: {error}"])
            return None
    look.left_out.add("geometry of an unknown kind", [link])
    return None
