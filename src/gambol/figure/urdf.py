"""Figures from URDF, parsed by yourdfpy.

Links become bodies of the same name; a joint belongs to its child link, whose frame it shares, as with us. The
inertial element gives the body's mass; collision and visual elements become parts without mass of their own.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, FigureError, nearest, shortened
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.foreign import typed_errors
from gambol.figure.imports import LeftOut, check_root, foreign_error, package
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.placement import IDENTITY, Placement, Vector
from gambol.figure.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

READ = {  # elements, and their attributes; whatever else a file has is left out, and counted
    "robot": "name version",
    "link": "name",
    "inertial": "",
    "origin": "xyz rpy",
    "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "visual": "name",
    "collision": "name",
    "geometry": "",
    "box": "size",
    "cylinder": "radius length",
    "capsule": "radius length",
    "sphere": "radius",
    "mesh": "filename scale",
    "material": "name",
    "color": "rgba",
    "joint": "name type",
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity",
    "dynamics": "damping friction",
    "mimic": "joint multiplier offset",
}
LENGTHS = {  # of vectors, by element and attribute
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "box": {"size": 3},
    "mesh": {"scale": 3},
    "color": {"rgba": 4},
}
CAPSULE = "capsule "  # begins what takes the place of a file name


def read_urdf(source: str | Path, root: str | None = None, root_body: str | None = None) -> Figure:
    """Read one figure of a URDF file, or of URDF text that starts with `<`.

    `root` is the joint of the root link to the world: "free" or "fixed"; by default free, unless the link is called
    "world". With several links that no joint moves, `root_body` names the one to read (`read_scene` takes all).
    Whatever a figure cannot represent is named in one FigureImportWarning.
    """
    found = read_urdf_figures(source, root, root_body)
    if len(found.figures) > 1:
        names = ", ".join(figure.root.name for figure in found.figures)
        message = f"{len(found.figures)} links have no parent: {names}; choose one with root_body=, or use read_scene"
        raise FigureError([Fault(message, found.file)])
    for joint in found.joints:
        for what in ("effort", "velocity"):
            if joint.limit is not None and number_of(getattr(joint.limit, what), what, joint):
                found.left_out.add(f"{what} limits", [joint.name])
        if joint.mimic is not None:
            found.left_out.add("<mimic>", [joint.name])
    found.left_out.warn(found.file)
    return found.figures[0]


@dataclass
class UrdfModel:
    """A URDF file and the figures made of it: one for each link that no joint moves. `joints` are yourdfpy's."""

    file: str
    figures: tuple[Figure, ...]
    joints: list[Any]
    left_out: LeftOut


@typed_errors
def read_urdf_figures(source: str | Path, root: str | None = None, root_body: str | None = None) -> UrdfModel:
    """Every figure of a URDF file, and its joints; says nothing of what was left out."""
    check_root(root)
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    file = "<urdf>" if is_text else str(source)
    if not is_text and not str(source).strip():
        raise FigureError([Fault("the text is empty", "<urdf>")])
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
    if faults:
        raise FigureError(faults)
    look = _Look(_materials(robot), meshes, left_out)
    bodies = [_body(link, by_child.get(link.name), root, look) for link in robot.links]
    roots = [body.name for body in bodies if body.parent is None]
    if root_body is not None and root_body not in roots:
        raise FigureError([Fault(f"no link '{root_body}' is without a joint{nearest(root_body, roots)}", file)])
    chosen = roots if root_body is None else [root_body]
    trees = [bodies] if len(roots) < 2 else [_below(bodies, name) for name in chosen]
    if len(trees) > 1:
        if empty := [tree[0].name for tree in trees if _is_empty(tree)]:
            left_out.add("links with nothing in them", empty)
        trees = [tree for tree in trees if not _is_empty(tree)] or trees[:1]
    names = [robot.name or "figure"] if len(trees) == 1 else [tree[0].name for tree in trees]
    figures = tuple(Figure(name, tuple(_held(tree, left_out))) for name, tree in zip(names, trees))
    known = {body.name for figure in figures for body in figure.bodies}
    return UrdfModel(file, figures, [joint for joint in robot.joints if joint.child in known], left_out)


def _is_empty(tree: list[Body]) -> bool:
    return len(tree) == 1 and not tree[0].parts and not tree[0].mass_properties.mass > 0


def _below(bodies: list[Body], root: str) -> list[Body]:
    inside = {root}
    while more := {body.name for body in bodies if body.parent in inside} - inside:
        inside |= more
    return [body for body in bodies if body.name in inside]


def _held(bodies: list[Body], left_out: LeftOut) -> list[Body]:
    """Joints beyond which there is no mass are driven: no force could say how they move; a root stands still then."""
    heavy = {body.name for body in bodies if body.mass_properties.mass > 0}
    if not heavy and bodies[0].joint.type == "free":
        left_out.add("motion of roots without any mass: they stand still", [bodies[0].name])
        bodies = [replace(bodies[0], joint=Joint()), *bodies[1:]]
    parents = {body.name: body.parent for body in bodies}
    carries: set[str | None] = set()
    for name in heavy:
        here: str | None = name
        while here is not None and here not in carries:
            carries.add(here)
            here = parents.get(here)
    light = [b.name for b in bodies if b.joint.speeds and b.parent is not None and b.name not in carries]
    if light:
        left_out.add("motion by forces of joints that carry no mass: they are driven", light)
    driven = set(light)
    return [_driven(body) if body.name in driven else body for body in bodies]


def _driven(body: Body) -> Body:
    return replace(body, joint=replace(body.joint, driven=True, motor=None))


def _materials(robot: Any) -> dict[str, Any]:
    """Materials by name; one that is defined in a link serves the others too."""
    found = {material.name: material for material in robot.materials}
    for link in robot.links:
        for visual in link.visuals:
            if visual.material is not None and visual.material.color is not None and visual.material.name:
                found.setdefault(visual.material.name, visual.material)
    return found


def _parse(content: bytes, file: str, folder: str, left_out: LeftOut) -> tuple[Any, Any]:
    yourdfpy = package("yourdfpy", "URDF")
    etree = package("lxml.etree", "URDF")
    try:
        # yourdfpy goes on with whatever it can make of broken XML; we do not.
        tree = etree.fromstring(content)
        _refuse_wrong_lengths(tree, file)
        _count_the_rest(tree, left_out)
        _made_readable(tree)
        content = etree.tostring(tree)
        parsed = yourdfpy.URDF.load(
            io.BytesIO(content), build_scene_graph=False, load_meshes=False, mesh_dir=str(Path(folder) / "here.urdf")
        )
    except FigureError:
        raise
    except Exception as error:  # lxml and yourdfpy raise many types
        raise foreign_error(file, error) from error
    return parsed.robot, parsed._filename_handler


def _refuse_wrong_lengths(tree: Any, file: str) -> None:
    """yourdfpy takes the first three numbers of four without a word."""
    faults = []
    for element in tree.iter(*LENGTHS):
        for name, length in LENGTHS[element.tag].items():
            words = (element.get(name) or "").split()
            if words and len(words) != length:
                message = f"<{element.tag}> {name} must be {length} numbers, not {shortened(element.get(name), 60)!r}"
                faults.append(Fault(message, _owner(element), file, element.sourceline))
    if faults:
        raise FigureError(faults)


def _owner(element: Any) -> str:
    """The link or joint in which something stands."""
    return next((above.get("name") for above in element.iterancestors("link", "joint") if above.get("name")), "")


def _count_the_rest(element: Any, left_out: LeftOut) -> None:
    """Counts elements and attributes that are not read; what is inside such an element goes with it."""
    name = element.get("name") or element.get("reference") or _owner(element) or "unnamed"
    for attribute in element.attrib:
        if attribute not in READ.get(element.tag, "").split():
            left_out.add(f"{attribute} of <{element.tag}>", [name])
    for child in element.iterchildren("*"):
        if child.tag in READ:
            _count_the_rest(child, left_out)
        else:
            own = child.get("name") or child.get("reference") or child.getparent().get("name") or _owner(child)
            left_out.add(f"<{child.tag}>", [own or "unnamed"])


def _made_readable(tree: Any) -> None:
    """Gives a nameless robot a name, and writes capsules, which yourdfpy does not know, as meshes of a like name."""
    if tree.get("name") is None:
        tree.set("name", "figure")
    for capsule in tree.iter("capsule"):
        capsule.tag = "mesh"
        capsule.set("filename", f"{CAPSULE}{capsule.get('radius')} {capsule.get('length')}")


def _placement(matrix: Any) -> Placement:
    return IDENTITY if matrix is None else Placement.from_matrix(matrix[:3, :3], tuple(matrix[:3, 3].tolist()))


@dataclass(frozen=True)
class _Look:
    """What the links of a file share."""

    colours: dict[str, Any]
    find: Callable[[str], str]
    left_out: LeftOut


def _body(link: Any, joint: Any, root: str | None, look: _Look) -> Body:
    own = root or ("fixed" if link.name == "world" else "free")
    moving = Joint(own) if joint is None else _joint(joint, look.left_out)
    parts = tuple(_parts(link, look))
    return Body(
        link.name,
        None if joint is None else joint.parent,
        moving,
        IDENTITY if joint is None else _placement(joint.origin),
        parts,
        _mass(link, look.left_out),
    )


def _mass(link: Any, left_out: LeftOut) -> Mass:
    inertial = link.inertial
    if inertial is None or inertial.mass is None:
        return Mass(0.0)
    tensor = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia
    mass = Mass.from_tensor(inertial.mass, (0.0, 0.0, 0.0), tensor).moved(_placement(inertial.origin)).as_given()
    if mass.unphysical:
        left_out.add("inertias that no real body has, kept as they are", [f"{link.name}: {mass.oddity()}"])
    return mass


def _joint(joint: Any, left_out: LeftOut) -> Joint:
    types = {name: kind for kind in JOINT_TYPES.values() for name in kind.urdf}
    kind = types.get(joint.type)
    if kind is None:
        raise FigureError([Fault(f"unknown joint type '{joint.type}'{nearest(str(joint.type), types)}", joint.name)])
    axis = _axis(joint) if "axis" in kind.fields else Joint.axis
    limits = None
    if joint.limit is not None:
        if joint.type in ("revolute", "prismatic"):
            limits = (number_of(joint.limit.lower, "lower", joint), number_of(joint.limit.upper, "upper", joint))
            if limits[0] > limits[1]:
                left_out.add("limits whose lower end is above the upper", [joint.name])
                limits = None
        elif joint.type in ("planar", "floating") and (joint.limit.lower or joint.limit.upper):
            left_out.add("limits of planar and floating joints", [joint.name])
    damping = friction = 0.0
    if joint.dynamics is not None:
        damping = number_of(joint.dynamics.damping, "damping", joint)
        friction = number_of(joint.dynamics.friction, "friction", joint)
    if kind.springs == "nothing" and (damping or friction):
        left_out.add("damping and friction of joints that have none here", [joint.name])
        damping = friction = 0.0
    if min(damping, friction) < 0.0:
        left_out.add("damping and friction below zero, taken as none", [joint.name])
    # The slides of a planar joint need a direction; the coordinate axis furthest from the normal will do.
    second = [0.0, 0.0, 0.0]
    second[int(np.argmin(np.abs(axis)))] = 1.0
    axis2 = (second[0], second[1], second[2]) if "axis2" in kind.fields else Joint.axis2
    return Joint(kind.name, axis, axis2, damping=max(damping, 0.0), friction=max(friction, 0.0), range=limits)


def number_of(value: Any, what: str, joint: Any) -> float:
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
        place, told = _placement(visual.origin), _colour(visual.material, look.colours)
        for shape, own in _pieces(visual.geometry, link.name, look, told):
            yield Part(shape, place, inertial=False, colliding=False, name=visual.name or "", colour=told or own)


def _pieces(geometry: Any, link: str, look: _Look, told: Any) -> list[tuple[Shape, tuple[float, ...] | None]]:
    """A visual in pieces of one colour, where the URDF says none and a mesh file has some."""
    if told is None and geometry.mesh is not None and not geometry.mesh.filename.startswith(CAPSULE):
        from gambol.figure.mesh_file import load_coloured

        scale = 1.0 if geometry.mesh.scale is None else geometry.mesh.scale
        try:
            return list(load_coloured(look.find(geometry.mesh.filename), scale, look.left_out.add))
        except (OSError, ValueError):
            pass  # told below, with the reason
    shape = _shape(geometry, link, look)
    return [] if shape is None else [(shape, None)]


def _colour(material: Any, colours: dict[str, Any]) -> tuple[float, ...] | None:
    if material is not None and material.color is None:
        material = colours.get(material.name)
    return None if material is None or material.color is None else tuple(material.color.rgba)


def _shape(geometry: Any, link: str, look: _Look) -> Shape | None:
    shape = _described(geometry, link, look)
    if shape is not None and not isinstance(shape, Mesh) and any(shape.faults()):
        look.left_out.add("shapes of no size", [link])
        return None
    return shape


def _described(geometry: Any, link: str, look: _Look) -> Shape | None:
    if geometry.box is not None:
        x, y, z = (float(value) for value in geometry.box.size)
        return Box((x, y, z))
    if geometry.sphere is not None:
        return Sphere(geometry.sphere.radius)
    if geometry.cylinder is not None:
        return Cylinder(geometry.cylinder.radius, geometry.cylinder.length)
    if geometry.mesh is not None and geometry.mesh.filename.startswith(CAPSULE):
        radius, length = geometry.mesh.filename.removeprefix(CAPSULE).split()
        return Capsule(float(radius), float(length))
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
