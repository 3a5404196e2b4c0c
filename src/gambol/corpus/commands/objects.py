"""Objects: loading, transforms, hierarchy."""

from typing import Any

import numpy as np

from gambol.corpus.actions import calls, sets, sets_its, together
from gambol.corpus.geometry import BUILT_IN_OBJECTS, Geometry, built_in, built_in_name, rotation, scaling, translation
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.object_files import read_object
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import Point, in_group
from gambol.errors import CommandError

command = in_group("object")
VECTOR_SPEC = "x:number y:number z:number"


# ------------------------------------------------------------ loading and leaving
@command("get", "name file:text", "loads an object: get name [from] file; the unit objects are built in")
def get(interpreter: Interpreter, name: str, text: str) -> None:
    words = text.split()
    if words[0] == "from":
        words = words[1:]
    if len(words) != 1:
        raise CommandError(f"expected one file after `from`, not {' '.join(words)!r}")
    interpreter.scene.add(name, load(interpreter, words[0]))


def load(interpreter: Interpreter, file: str) -> Geometry:
    """The geometry of an object file, looked for along the search path, or of a built-in object."""
    for candidate in (file, f"{file}.asc", f"{file}.obj"):
        if path := interpreter.files.find(candidate):
            try:
                return read_object(path)
            except ValueError as error:
                raise CommandError(f"{file!r} cannot be read: {error}") from None
    if name := built_in_name(file):
        return built_in(name)
    raise CommandError(
        f"there is no object file {file!r}, and it is none of the built-in {', '.join(BUILT_IN_OBJECTS)}"
    )


command("closeobj", "object:object", "removes an object")(calls("scene.remove"))


@command("pushobj", "object:object", "objects loaded from now on are its children; its transform is remembered")
def pushobj(interpreter: Interpreter, obj: SceneObject) -> None:
    interpreter.scene.parent_stack.append(obj)
    interpreter.scene.saved_matrices[obj.name] = obj.matrix.copy()


@command("popobj", "[object:object]", "ends pushobj; with a name, the remembered transform comes back")
def popobj(interpreter: Interpreter, obj: SceneObject | None) -> None:
    if not interpreter.scene.parent_stack:
        raise CommandError("no pushobj is open")
    if obj is not None:
        if obj.name not in interpreter.scene.saved_matrices:
            raise CommandError(f"the transform of {obj.name!r} was not remembered by pushobj")
        obj.matrix = interpreter.scene.saved_matrices.pop(obj.name)
    interpreter.scene.parent_stack.pop()


@command("sharememory", "switch:on|off", "objects from the same file share their points until one is changed")
def sharememory(interpreter: Interpreter, switch: str) -> None:
    """Points are shared until they are changed in any case, so both settings look the same."""


# ------------------------------------------------------------ how transforms act
def _order(name: str, help: str, postmultiply: bool, centre: Any = (0.0, 0.0, 0.0)) -> None:
    @command(name, "", help)
    def act(interpreter: Interpreter) -> None:
        interpreter.scene.postmultiply, interpreter.scene.centre = postmultiply, centre


_order("premult", "new transforms act before the old ones", False)
_order("postmult", "new transforms act after the old ones", True)
_order("localxforms", "as postmult, but scaling and turning about the object's own centroid", True, "own")
command("xformcenter", VECTOR_SPEC, "the point about which objects are scaled and turned")(
    sets("scene.centre", together)
)


# ------------------------------------------------------------ transforms
def changed(interpreter: Interpreter, obj: SceneObject, matrix: np.ndarray, *, centred: bool = True) -> None:
    """Applies a transform to an object, in the order and about the centre that are set."""
    interpreter.scene.transform(obj, matrix, centred=centred)


command("init", "object:object", "takes the object's transform away")(sets_its("matrix", lambda: np.eye(4)))


@command("scale", f"object:object {VECTOR_SPEC}", "scales an object")
def scale(interpreter: Interpreter, obj: SceneObject, x: float, y: float, z: float) -> None:
    if 0.0 in (x, y, z):
        raise CommandError("an object cannot be scaled by zero")
    changed(interpreter, obj, scaling(x, y, z))


@command("rotate", "object:object axis:x|y|z degrees:number", "turns an object about a coordinate axis")
def rotate(interpreter: Interpreter, obj: SceneObject, axis: str, degrees: float) -> None:
    changed(interpreter, obj, rotation(np.eye(3)["xyz".index(axis)], degrees))


@command("rotateaxis", f"object:object {VECTOR_SPEC} degrees:number", "turns an object about an axis")
def rotateaxis(interpreter: Interpreter, obj: SceneObject, x: float, y: float, z: float, degrees: float) -> None:
    changed(interpreter, obj, rotation((x, y, z), degrees))


@command("move", "object:object where:place", "moves an object by x y z, or its centroid to that of another")
def move(interpreter: Interpreter, obj: SceneObject, where: Point) -> None:
    by = np.asarray(where) - obj.centroid if where.named else np.asarray(where)
    changed(interpreter, obj, translation(by), centred=False)


@command("movely", f"object:object other:object {VECTOR_SPEC}", "moves an object by a point of another's frame")
def movely(interpreter: Interpreter, obj: SceneObject, other: SceneObject, x: float, y: float, z: float) -> None:
    changed(interpreter, obj, translation((other.matrix @ (x, y, z, 1.0))[:3]), centred=False)


@command("transscale", f"object:object {VECTOR_SPEC}", "scales the place of an object, not its size")
def transscale(interpreter: Interpreter, obj: SceneObject, x: float, y: float, z: float) -> None:
    obj.matrix[:3, 3] *= (x, y, z)


@command("center", "object:object", "moves the centroid to the origin")
def center(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.matrix = translation(-obj.local_centroid) @ obj.matrix


def _place(axis: int, letter: str) -> None:
    @command(f"place{letter}", f"object:object {letter}:number", f"moves the centroid to this {letter}")
    def act(interpreter: Interpreter, obj: SceneObject, value: float) -> None:
        shift = np.zeros(3)
        shift[axis] = value - obj.local_centroid[axis]
        obj.matrix = translation(shift) @ obj.matrix


for _axis, _letter in enumerate("xyz"):
    _place(_axis, _letter)


@command(
    "align",
    "object:object ax:number ay:number az:number bx:number by:number bz:number",
    "turns an object so that direction a comes to lie along b",
)
def align(interpreter: Interpreter, obj: SceneObject, *numbers: float) -> None:
    a, b = (np.asarray(v, float) for v in (numbers[:3], numbers[3:]))
    if not (a.any() and b.any()):
        raise CommandError("a direction must not be zero")
    a, b = (v / np.abs(v).max() for v in (a, b))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    if np.linalg.norm(axis) < 1e-12:
        axis = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    changed(interpreter, obj, rotation(axis, np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))))


@command(
    "shear",
    "object:object ax:number ay:number az:number s0:number slope:number",
    "tapers across an axis by s0 + slope × (coordinate along it); changes the points",
)
def shear(
    interpreter: Interpreter, obj: SceneObject, ax: float, ay: float, az: float, base: float, slope: float
) -> None:
    obj.taper((ax, ay, az), None, base, slope)


@command(
    "shear1d",
    "object:object ax:number ay:number az:number ux:number uy:number uz:number s0:number slope:number",
    "tapers along axis × up only; changes the points",
)
def shear1d(interpreter: Interpreter, obj: SceneObject, *numbers: float) -> None:
    obj.taper(numbers[:3], numbers[3:6], *numbers[6:])


command("harden", "object:object", "makes the transform part of the points")(lambda interpreter, obj: obj.harden())


@command("interpolateobj", "one:object two:object t:number result:object", "points between two objects")
def interpolateobj(interpreter: Interpreter, one: SceneObject, two: SceneObject, t: float, result: SceneObject) -> None:
    if not len(one.geometry.vertices) == len(two.geometry.vertices) == len(result.geometry.vertices):
        raise CommandError("the three objects must have the same number of points")
    points = (1.0 - t) * one.points + t * two.points
    result.geometry = Geometry(points, result.geometry.faces)
    result.matrix = np.eye(4)


@command(
    "filtermat",
    "object:object filtered:object scale:number",
    "moves a second object towards where the first is going: last place + scale × last motion",
)
def filtermat(interpreter: Interpreter, obj: SceneObject, other: SceneObject, scale: float) -> None:
    before = interpreter.scene.saved_matrices.get(f"filter {other.name}", obj.matrix)
    interpreter.scene.saved_matrices[f"filter {other.name}"] = obj.matrix.copy()
    other.matrix = obj.matrix.copy()
    other.matrix[:3, 3] += scale * (obj.matrix[:3, 3] - before[:3, 3])
