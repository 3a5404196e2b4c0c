"""Figures from MJCF, parsed and compiled by MuJoCo itself.

Bodies keep their names, but their frames move to their joints. Several joints on one body become a chain of
massless bodies named `body__joint`, in the order of the file; the last joint belongs to the body itself. Joint
positions are measured from MuJoCo's reference `qpos0`, so zero positions are the pose in which the file is
written; a free joint's pose is relative to that of its body in the file.
"""

from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.foreign import typed_errors
from gambol.figure.imports import LeftOut, foreign_error, package
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.mjcf_left_out import body_leftovers, joint_leftovers, model_leftovers
from gambol.figure.placement import Placement, Vector
from gambol.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere

JOINTS = ("free", "ball", "slide", "hinge")  # mjtJoint
DEFAULT_GREY = (0.5, 0.5, 0.5, 1.0)


class Kind(IntEnum):
    """mjtGeom, those that have a shape of ours."""

    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7


@typed_errors
def read_mjcf(source: str | Path, root_body: str | None = None) -> Figure:
    """Read an MJCF file, or MJCF text that starts with `<`.

    With several bodies in the world, `root_body` names the one to read, with all below it. Whatever a figure
    cannot represent is named in one FigureImportWarning.
    """
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    file = "<mjcf>" if is_text else str(source)
    mujoco = package("mujoco", "MJCF")
    try:
        spec = mujoco.MjSpec.from_string(source) if is_text else mujoco.MjSpec.from_file(str(source))
        model = spec.compile()
    except Exception as error:  # MuJoCo raises ValueError, mujoco.FatalError and others
        raise foreign_error(file, error) from error
    root = _root(model, root_body, file)
    left_out = LeftOut()
    bodies: list[Body] = []
    frames: dict[int, tuple[str, Vector]] = {}
    for index in range(1, model.nbody):
        if index == root or int(model.body_parentid[index]) in frames:
            bodies += _bodies(model, index, frames, left_out)
    model_leftovers(model, frames.keys(), left_out)
    figure = Figure(str(spec.modelname or "figure"), tuple(bodies))
    left_out.warn(file)
    return figure


def _name(model: Any, index: int) -> str:
    return str(model.body(index).name) or f"body_{index}"


def _joint_name(model: Any, index: int) -> str:
    return str(model.joint(index).name) or f"joint_{index}"


def _root(model: Any, wanted: str | None, file: str) -> int:
    tops = {_name(model, i): i for i in range(1, model.nbody) if model.body_parentid[i] == 0}
    if wanted is not None:
        if wanted not in tops:
            raise FigureError([Fault(f"no body '{wanted}' stands in the world{nearest(wanted, tops)}", file)])
        return tops[wanted]
    if len(tops) != 1:
        named = f"{len(tops)} bodies stand in the world: {', '.join(tops)}; choose one with root_body="
        raise FigureError([Fault(named if tops else "there is no body in the world", file)])
    return next(iter(tops.values()))


def _three(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _placement(position: Any, quaternion: Any) -> Placement:
    w, x, y, z = (float(value) for value in quaternion)
    return Placement(_three(position), (w, x, y, z))


def _back(anchor: Vector) -> Placement:
    """The pose of MuJoCo's body frame in ours, whose origin is the anchor of the last joint."""
    return Placement((-anchor[0], -anchor[1], -anchor[2]))


def _bodies(model: Any, index: int, frames: dict[int, tuple[str, Vector]], left_out: LeftOut) -> Iterator[Body]:
    """The body and, before it, a massless one for each joint but the last. Enters it into `frames`."""
    name = _name(model, index)
    parent, anchor = frames.get(int(model.body_parentid[index]), (None, (0.0, 0.0, 0.0)))
    place = _back(anchor).compose(_placement(model.body_pos[index], model.body_quat[index]))
    first = int(model.body_jntadr[index])
    joints = range(first, first + int(model.body_jntnum[index]))
    here: Vector = (0.0, 0.0, 0.0)
    moving = Joint()
    for j in joints:
        there = _three(model.jnt_pos[j])
        place = place.compose(Placement((there[0] - here[0], there[1] - here[1], there[2] - here[2])))
        moving, here = _joint(model, j), there
        joint_leftovers(model, j, _joint_name(model, j), left_out)
        if j != joints[-1]:
            between = f"{name}__{_joint_name(model, j)}"
            yield Body(between, parent, moving, place)
            parent, place = between, Placement()
    frames[index] = (name, here)
    body_leftovers(model, index, name, left_out)
    parts = tuple(_parts(model, index, _back(here), left_out))
    yield Body(name, parent, moving, place, parts, _mass(model, index).moved(_back(here)))


def _mass(model: Any, index: int) -> Mass:
    """In MuJoCo's body frame."""
    xx, yy, zz = _three(model.body_inertia[index])
    principal = Mass(float(model.body_mass[index]), inertia=(xx, yy, zz, 0.0, 0.0, 0.0))
    return principal.moved(_placement(model.body_ipos[index], model.body_iquat[index]))


def _joint(model: Any, j: int) -> Joint:
    kind = next(kind for kind in JOINT_TYPES.values() if kind.mjcf == JOINTS[int(model.jnt_type[j])])
    q, v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    plain = "axis" in kind.fields
    zero = float(model.qpos0[q]) if plain else 0.0
    limits = None
    if model.jnt_limited[j]:
        lower, upper = (float(value) for value in model.jnt_range[j])
        limits = (lower - zero, upper - zero) if plain else (-upper, upper)
    return Joint(
        kind.name,
        _three(model.jnt_axis[j]) if plain else Joint.axis,
        stiffness=_first(model.jnt_stiffness[j]),
        damping=_first(model.dof_damping[v]),
        rest=float(model.qpos_spring[q]) - zero if plain else 0.0,
        armature=_first(model.dof_armature[v]),
        range=limits,
    )


def _first(value: Any) -> float:
    """Newer models keep polynomials, lowest order first."""
    return float(value.flat[0]) if hasattr(value, "flat") else float(value)


def _parts(model: Any, index: int, back: Placement, left_out: LeftOut) -> Iterator[Part]:
    first = int(model.body_geomadr[index])
    for g in range(first, first + int(model.body_geomnum[index])):
        name = str(model.geom(g).name)
        shape = _shape(model, g)
        if shape is None:
            left_out.add("geoms of a body that are planes, height fields or others", [name or f"geom_{g}"])
            continue
        colour = _colour(model, g)
        yield Part(
            shape,
            back.compose(_placement(model.geom_pos[g], model.geom_quat[g])),
            inertial=False,
            colliding=bool(model.geom_contype[g] or model.geom_conaffinity[g]),
            visible=bool(model.geom_group[g] <= 2 and colour[3] > 0),
            name=name,
            colour=colour,
        )


def _colour(model: Any, g: int) -> tuple[float, ...]:
    # MuJoCo holds single precision; six digits bring back what was written.
    colour = tuple(round(float(value), 6) for value in model.geom_rgba[g])
    material = int(model.geom_matid[g])
    if colour == DEFAULT_GREY and material >= 0:
        colour = tuple(round(float(value), 6) for value in model.mat_rgba[material])
    return tuple(min(max(value, 0.0), 1.0) for value in colour)


def _shape(model: Any, g: int) -> Shape | None:
    a, b, c = _three(model.geom_size[g])
    match int(model.geom_type[g]):
        case Kind.SPHERE:
            return Sphere(a)
        case Kind.CAPSULE:
            return Capsule(a, 2.0 * b)
        case Kind.ELLIPSOID:
            return Ellipsoid((a, b, c))
        case Kind.CYLINDER:
            return Cylinder(a, 2.0 * b)
        case Kind.BOX:
            return Box((2.0 * a, 2.0 * b, 2.0 * c))
        case Kind.MESH:
            return _mesh(model, int(model.geom_dataid[g]))
    return None


def _mesh(model: Any, m: int) -> Mesh:
    """A compiled mesh; MuJoCo moves it to its principal frame and the geom's pose accordingly."""
    vertex, vertices = int(model.mesh_vertadr[m]), int(model.mesh_vertnum[m])
    face, faces = int(model.mesh_faceadr[m]), int(model.mesh_facenum[m])
    points = model.mesh_vert[vertex : vertex + vertices].astype(float).tolist()
    return Mesh(tuple(map(tuple, points)), tuple(map(tuple, model.mesh_face[face : face + faces].tolist())))
