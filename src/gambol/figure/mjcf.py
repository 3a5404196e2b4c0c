"""Figures from MJCF, parsed and compiled by MuJoCo itself.

Bodies keep their names, but their frames move to their joints. Several joints on one body become a chain of
massless bodies named `body__joint`, in the order of the file; the last joint belongs to the body itself. Joint
positions are measured from MuJoCo's reference `qpos0`, so zero positions are the pose in which the file is
written; a free joint's pose is relative to that of its body in the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.foreign import typed_errors
from gambol.figure.imports import LeftOut, check_root, foreign_error, package
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.mjcf_audit import audit
from gambol.figure.mjcf_flags import switch_off
from gambol.figure.mjcf_left_out import body_leftovers, joint_leftovers, model_leftovers
from gambol.figure.mjcf_size import refuse_multitudes
from gambol.figure.mjcf_soft import soft_constraint
from gambol.figure.placement import Placement, Vector
from gambol.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from gambol.figure.texture import Texture

JOINTS = ("free", "ball", "slide", "hinge")  # mjtJoint
RGB = 1  # mjTEXROLE_RGB
PICTURE = 0  # mjTEXTURE_2D
DEFAULT_GREY = (0.5, 0.5, 0.5, 1.0)


class Kind(IntEnum):
    """mjtGeom, those that have a shape of ours."""

    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7


@dataclass
class MjcfModel:
    """A compiled MJCF file and the figures made of it.

    model     MuJoCo's, compiled; what its flags switch off is taken out
    spec      MuJoCo's description of the file
    figures   one for each body of the world below which something moves; what stands still is one more, called "world"
    bodies    MuJoCo's body number → name in the world ("figure/body") and MuJoCo's frame in ours
    joints    MuJoCo's joint number → name of the body that it moves
    parts     MuJoCo's geom number → name of its body and the part
    textures  MuJoCo's texture number → its pixels
    """

    model: Any
    file: str
    spec: Any = None
    figures: tuple[Figure, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    bodies: dict[int, tuple[str, Placement]] = field(default_factory=dict)
    joints: dict[int, str] = field(default_factory=dict)
    parts: dict[int, tuple[str, Part]] = field(default_factory=dict)
    textures: dict[int, np.ndarray] = field(default_factory=dict)


def read_mjcf(source: str | Path, root_body: str | None = None, root: str | None = None) -> Figure:
    """Read one figure of an MJCF file, or of MJCF text that starts with `<`.

    With several bodies in the world that move, `root_body` names the one to read, with all below it (`read_scene`
    takes all). `root` = "free" or "fixed" replaces the joint of the root. Whatever a figure cannot represent is named
    in one FigureImportWarning.
    """
    found = read_mjcf_figures(source, root_body, root)
    if len(found.figures) > 1:
        moving = [figure for figure in found.figures if figure.speeds]
        if len(moving) > 1:
            names = ", ".join(figure.name for figure in moving)
            message = f"{len(moving)} bodies of the world move: {names}; choose one with root_body=, or use read_scene"
            raise FigureError([Fault(message, found.file)])
        found.left_out.add("bodies that stand still", [b.name for f in found.figures if not f.speeds for b in f.bodies])
        found.figures = tuple(moving)
    audit(found.spec, found.left_out)
    model_leftovers(found.model, found.bodies.keys(), found.left_out)
    found.left_out.warn(found.file)
    return found.figures[0]


@typed_errors
def read_mjcf_figures(source: str | Path, root_body: str | None = None, root: str | None = None) -> MjcfModel:
    """Every figure of an MJCF file, with MuJoCo's model and where its things have gone; says nothing of the rest."""
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    file = "<mjcf>" if is_text else str(source)
    check_root(root)
    mujoco = package("mujoco", "MJCF")
    refuse_multitudes(source, is_text)
    try:
        spec = mujoco.MjSpec.from_string(source) if is_text else mujoco.MjSpec.from_file(str(source))
        model = spec.compile()
    except Exception as error:  # MuJoCo raises ValueError, mujoco.FatalError and others
        raise foreign_error(file, error) from error
    switch_off(model)
    found = MjcfModel(model, file, spec)
    tops = [i for i in range(1, model.nbody) if model.body_parentid[i] == 0]
    chosen = _chosen(model, tops, root_body, file)
    moving = [top for top in chosen if _moves(model, top)]
    still = [top for top in chosen if top not in moving]
    figures = []
    for top in moving:
        name = str(spec.modelname or "figure") if len(moving) == 1 else _name(model, top)
        figures.append(Figure(name, tuple(_tree(found, name, top, root))))
    name = "world" if all(figure.name != "world" for figure in figures) else "surroundings"
    bodies = list(_surroundings(found, name, still, whole=root_body is None))
    if bodies:
        figures.append(Figure(name, tuple(bodies)))
    if not figures:
        raise FigureError([Fault("there is no body and no shape in the world", file)])
    found.figures = tuple(figures)
    return found


def _tree(found: MjcfModel, figure: str, top: int, root: str | None) -> Iterator[Body]:
    """The bodies of a tree of MuJoCo's, parents first."""
    inside = set()
    for index in range(top, found.model.nbody):
        if index == top or int(found.model.body_parentid[index]) in inside:
            inside.add(index)
            yield from _bodies(found, figure, index, root if index == top else None)


def _surroundings(found: MjcfModel, figure: str, still: list[int], whole: bool) -> Iterator[Body]:
    """What stands still: the geoms of the world itself, and the bodies below which nothing moves."""
    found.bodies[0] = ("", Placement())
    parts = tuple(_parts(found, 0, f"{figure}/world", Placement())) if whole else ()
    if not parts and not still:
        return
    yield Body("world", None, Joint(), Placement(), parts)
    for top in still:
        for body in _tree(found, figure, top, None):
            yield replace(body, parent="world") if body.parent is None else body


def _moves(model: Any, top: int) -> bool:
    return any(model.body_rootid[i] == top and model.body_jntnum[i] for i in range(top, model.nbody))


def _name(model: Any, index: int) -> str:
    return str(model.body(index).name) or f"body_{index}"


def _joint_name(model: Any, index: int) -> str:
    return str(model.joint(index).name) or f"joint_{index}"


def _chosen(model: Any, tops: list[int], wanted: str | None, file: str) -> list[int]:
    named = {_name(model, i): i for i in tops}
    if wanted is None:
        return tops
    if wanted not in named:
        raise FigureError([Fault(f"no body '{wanted}' stands in the world{nearest(wanted, named)}", file)])
    return [named[wanted]]


def _three(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _placement(position: Any, quaternion: Any) -> Placement:
    w, x, y, z = (float(value) for value in quaternion)
    return Placement(_three(position), (w, x, y, z))


def _back(anchor: Vector) -> Placement:
    """The pose of MuJoCo's body frame in ours, whose origin is the anchor of the last joint."""
    return Placement((-anchor[0], -anchor[1], -anchor[2]))


def _bodies(found: MjcfModel, figure: str, index: int, root: str | None) -> Iterator[Body]:
    """The body and, before it, a massless one for each joint but the last. Enters it into `found`."""
    model, left_out = found.model, found.left_out
    name = _name(model, index)
    above = int(model.body_parentid[index])
    full, frame = found.bodies[above] if above else ("", Placement())
    parent = full[len(figure) + 1 :] or None
    place = frame.compose(_placement(model.body_pos[index], model.body_quat[index]))
    first = int(model.body_jntadr[index])
    joints = range(first, first + int(model.body_jntnum[index])) if root is None else range(0)
    here: Vector = (0.0, 0.0, 0.0)
    moving = Joint() if root is None else Joint(root)
    for j in joints:
        there = _three(model.jnt_pos[j])
        place = place.compose(Placement((there[0] - here[0], there[1] - here[1], there[2] - here[2])))
        moving, here = _joint(model, j), there
        joint_leftovers(model, j, _joint_name(model, j), left_out)
        found.joints[j] = f"{figure}/{name}"
        if j != joints[-1]:
            own = _joint_name(model, j)
            between = own if own.startswith(f"{name}__") else f"{name}__{own}"  # as we write it
            found.joints[j] = f"{figure}/{between}"
            yield Body(between, parent, moving, place)
            parent, place = between, Placement()
    back = _back(here)
    found.bodies[index] = (f"{figure}/{name}", back)
    body_leftovers(model, index, name, left_out)
    parts = tuple(_parts(found, index, f"{figure}/{name}", back))
    yield Body(name, parent, moving, place, parts, _mass(model, index).moved(back).as_given())


def _mass(model: Any, index: int) -> Mass:
    """In MuJoCo's body frame."""
    xx, yy, zz = _three(model.body_inertia[index])
    principal = Mass(float(model.body_mass[index]), inertia=(xx, yy, zz, 0.0, 0.0, 0.0))
    return principal.moved(_placement(model.body_ipos[index], model.body_iquat[index]))


def _joint(model: Any, j: int) -> Joint:
    kind = next(kind for kind in JOINT_TYPES.values() if kind.mjcf == JOINTS[int(model.jnt_type[j])])
    if kind.springs == "nothing":
        return Joint(kind.name)
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
        friction=float(model.dof_frictionloss[v]) if plain else 0.0,
        range=limits,
        stop=limits and soft_constraint(model.jnt_solref[j], model.jnt_solimp[j], float(model.dof_invweight0[v])),
    )


def _first(value: Any) -> float:
    """Newer models keep polynomials, lowest order first."""
    return float(value.flat[0]) if hasattr(value, "flat") else float(value)


def _parts(found: MjcfModel, index: int, full: str, back: Placement) -> Iterator[Part]:
    model = found.model
    first = int(model.body_geomadr[index])
    own = range(first, first + int(model.body_geomnum[index]))
    uncovered = _below_skin(model, index, own)
    for g in own:
        name = str(model.geom(g).name)
        shape = _shape(model, g)
        if shape is None:
            if index:
                found.left_out.add("geoms of a body that are planes, height fields or others", [name or f"geom_{g}"])
            continue
        shape, colour = _textured(found, g, shape, _colour(model, g))
        if g in uncovered:
            colour = (*colour[:3], 1.0)
        part = Part(
            shape,
            back.compose(_placement(model.geom_pos[g], model.geom_quat[g])),
            inertial=False,
            colliding=bool(model.geom_contype[g] or model.geom_conaffinity[g]),
            visible=g in uncovered or _is_seen(model, g),
            name=name,
            colour=colour,
        )
        found.parts[g] = (full, part)
        yield part


def _below_skin(model: Any, index: int, own: Sequence[int]) -> list[int]:
    """Geoms of a body that only a skin hides, which is not drawn: what collides, or where nothing does, all of them."""
    hidden = [g for g in own if not _is_seen(model, g)]
    bare = model.nskin > 0 and len(hidden) == len(own)
    if not bare and index not in model.skin_bonebodyid:
        return []
    touching = [g for g in hidden if model.geom_contype[g] or model.geom_conaffinity[g]]
    return touching or (hidden if bare else [])


def _is_seen(model: Any, g: int) -> bool:
    """Is it in a group that is shown unasked, and not transparent?"""
    return bool(model.geom_group[g] <= 2 and _colour(model, g)[3] > 0)


def _colour(model: Any, g: int) -> tuple[float, ...]:
    # MuJoCo holds single precision; six digits bring back what was written.
    colour = tuple(round(float(value), 6) for value in model.geom_rgba[g])
    material = int(model.geom_matid[g])
    if colour == DEFAULT_GREY and material >= 0:
        colour = tuple(round(float(value), 6) for value in model.mat_rgba[material])
    return tuple(min(max(value, 0.0), 1.0) for value in colour)


def _textured(found: MjcfModel, g: int, shape: Shape, colour: tuple[float, ...]) -> tuple[Shape, tuple[float, ...]]:
    """A shape and its colour with the texture of its material: laid over a mesh that says how, else its mean colour."""
    model, material = found.model, int(found.model.geom_matid[g])
    number = int(model.mat_texid[material, RGB]) if material >= 0 else -1
    if number < 0:
        return shape, colour
    if number not in found.textures:
        found.textures[number] = _pixels(model, number)
    uv = _corners(model, g, material)
    if isinstance(shape, Mesh) and uv is not None and model.tex_type[number] == PICTURE:
        from PIL import Image

        texture = Texture.of(Image.fromarray(found.textures[number]), uv, [255.0 * c for c in colour])
        return replace(shape, texture=texture), (*texture.mean, colour[3])
    found.left_out.add("textures (their mean colour is shown)", [str(model.tex(number).name) or f"texture_{number}"])
    shade = found.textures[number].mean(axis=(0, 1)) / 255.0
    return shape, (*(round(float(c * t), 6) for c, t in zip(colour, shade)), colour[3])


def _pixels(model: Any, texture: int) -> np.ndarray:
    """(rows, columns, 3) bytes."""
    first, channels = int(model.tex_adr[texture]), int(model.tex_nchannel[texture])
    shape = (int(model.tex_height[texture]), int(model.tex_width[texture]), channels)
    pixels = model.tex_data[first : first + int(np.prod(shape))].reshape(shape)
    return np.ascontiguousarray(pixels[..., :3] if channels >= 3 else np.repeat(pixels[..., :1], 3, axis=2))


def _corners(model: Any, g: int, material: int) -> np.ndarray | None:
    """Where the corners of the triangles of a geom's mesh lie on its texture; None where the mesh does not say."""
    m = int(model.geom_dataid[g]) if int(model.geom_type[g]) == Kind.MESH else -1
    if m < 0 or model.mesh_texcoordadr[m] < 0:
        return None
    first, count = int(model.mesh_texcoordadr[m]), int(model.mesh_texcoordnum[m])
    face, faces = int(model.mesh_faceadr[m]), int(model.mesh_facenum[m])
    places = model.mesh_texcoord[first : first + count].astype(float) * model.mat_texrepeat[material]
    return places[model.mesh_facetexcoord[face : face + faces]]


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
