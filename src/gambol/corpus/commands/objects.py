"""Objects: loading, transforms, hierarchy."""

from __future__ import annotations

import numpy as np

from gambol.corpus.geometry import BUILT_IN, Geometry, built_in, built_in_name, rotation, scaling, translation
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.object_files import read_object
from gambol.corpus.scene import Thing
from gambol.corpus.table import Point, command
from gambol.errors import CommandError

GROUP = "object"
VECTOR = "x:number y:number z:number"


# ------------------------------------------------------------ loading and leaving
@command("get", "name file:text", "loads an object: get name [from] file; the unit objects are built in", group=GROUP)
def get(it: Interpreter, name: str, text: str) -> None:
    words = text.split()
    if words[0] == "from":
        words = words[1:]
    if len(words) != 1:
        raise CommandError(f"expected one file after `from`, not {' '.join(words)!r}")
    it.scene.add(name, load(it, words[0]))


def load(it: Interpreter, file: str) -> Geometry:
    for candidate in (file, f"{file}.asc", f"{file}.obj"):
        if path := it.files.find(candidate):
            try:
                return read_object(path)
            except ValueError as error:
                raise CommandError(f"{file!r} cannot be read: {error}") from None
    if name := built_in_name(file):
        return built_in(name)
    raise CommandError(f"there is no object file {file!r}, and it is none of the built-in {', '.join(BUILT_IN)}")


@command("closeobj", "object:object", "removes an object", group=GROUP)
def closeobj(it: Interpreter, thing: Thing) -> None:
    it.scene.remove(thing)


@command(
    "pushobj", "object:object", "objects loaded from now on are its children; its transform is remembered", group=GROUP
)
def pushobj(it: Interpreter, thing: Thing) -> None:
    it.scene.scopes.append(thing)
    it.scene.saved[thing.name] = thing.matrix.copy()


@command("popobj", "[object:object]", "ends pushobj; with a name, the remembered transform comes back", group=GROUP)
def popobj(it: Interpreter, thing: Thing | None) -> None:
    if not it.scene.scopes:
        raise CommandError("no pushobj is open")
    if thing is not None:
        if thing.name not in it.scene.saved:
            raise CommandError(f"the transform of {thing.name!r} was not remembered by pushobj")
        thing.matrix = it.scene.saved.pop(thing.name)
    it.scene.scopes.pop()


@command(
    "sharememory", "switch:on|off", "objects from the same file share their points until one is changed", group=GROUP
)
def sharememory(it: Interpreter, switch: str) -> None:
    """Points are shared until they are changed in any case, so both settings look the same."""


# ------------------------------------------------------------ how transforms act
@command("premult", "", "new transforms act before the old ones", group=GROUP)
def premult(it: Interpreter) -> None:
    it.scene.post, it.scene.centre = False, (0.0, 0.0, 0.0)


@command("postmult", "", "new transforms act after the old ones", group=GROUP)
def postmult(it: Interpreter) -> None:
    it.scene.post, it.scene.centre = True, (0.0, 0.0, 0.0)


@command("localxforms", "", "as postmult, but scaling and turning about the object's own centroid", group=GROUP)
def localxforms(it: Interpreter) -> None:
    it.scene.post, it.scene.centre = True, "own"


@command("xformcenter", VECTOR, "the point about which objects are scaled and turned", group=GROUP)
def xformcenter(it: Interpreter, x: float, y: float, z: float) -> None:
    it.scene.centre = (x, y, z)


# ------------------------------------------------------------ transforms
def changed(it: Interpreter, thing: Thing, matrix: np.ndarray, *, centred: bool = True) -> None:
    it.scene.transform(thing, matrix, centred=centred)


@command("init", "object:object", "takes the object's transform away", group=GROUP)
def init(it: Interpreter, thing: Thing) -> None:
    thing.matrix = np.eye(4)


@command("scale", f"object:object {VECTOR}", "scales an object", group=GROUP)
def scale(it: Interpreter, thing: Thing, x: float, y: float, z: float) -> None:
    if 0.0 in (x, y, z):
        raise CommandError("an object cannot be scaled by zero")
    changed(it, thing, scaling(x, y, z))


@command("rotate", "object:object axis:x|y|z degrees:number", "turns an object about a coordinate axis", group=GROUP)
def rotate(it: Interpreter, thing: Thing, axis: str, degrees: float) -> None:
    changed(it, thing, rotation(np.eye(3)["xyz".index(axis)], degrees))


@command("rotateaxis", f"object:object {VECTOR} degrees:number", "turns an object about an axis", group=GROUP)
def rotateaxis(it: Interpreter, thing: Thing, x: float, y: float, z: float, degrees: float) -> None:
    changed(it, thing, rotation((x, y, z), degrees))


@command(
    "move", "object:object where:place", "moves an object by x y z, or its centroid to that of another", group=GROUP
)
def move(it: Interpreter, thing: Thing, where: Point) -> None:
    by = np.asarray(where) - thing.centroid if where.named else np.asarray(where)
    changed(it, thing, translation(by), centred=False)


@command("movely", f"object:object other:object {VECTOR}", "moves an object by a point of another's frame", group=GROUP)
def movely(it: Interpreter, thing: Thing, other: Thing, x: float, y: float, z: float) -> None:
    changed(it, thing, translation((other.matrix @ (x, y, z, 1.0))[:3]), centred=False)


@command("transscale", f"object:object {VECTOR}", "scales the place of an object, not its size", group=GROUP)
def transscale(it: Interpreter, thing: Thing, x: float, y: float, z: float) -> None:
    thing.matrix[:3, 3] *= (x, y, z)


@command("center", "object:object", "moves the centroid to the origin", group=GROUP)
def center(it: Interpreter, thing: Thing) -> None:
    thing.matrix = translation(-thing.own_centroid) @ thing.matrix


def _placed(it: Interpreter, thing: Thing, axis: int, value: float) -> None:
    shift = np.zeros(3)
    shift[axis] = value - thing.own_centroid[axis]
    thing.matrix = translation(shift) @ thing.matrix


@command("placex", "object:object x:number", "moves the centroid to this x", group=GROUP)
def placex(it: Interpreter, thing: Thing, x: float) -> None:
    _placed(it, thing, 0, x)


@command("placey", "object:object y:number", "moves the centroid to this y", group=GROUP)
def placey(it: Interpreter, thing: Thing, y: float) -> None:
    _placed(it, thing, 1, y)


@command("placez", "object:object z:number", "moves the centroid to this z", group=GROUP)
def placez(it: Interpreter, thing: Thing, z: float) -> None:
    _placed(it, thing, 2, z)


@command(
    "align",
    "object:object ax:number ay:number az:number bx:number by:number bz:number",
    "turns an object so that direction a comes to lie along b",
    group=GROUP,
)
def align(it: Interpreter, thing: Thing, *numbers: float) -> None:
    a, b = (np.asarray(v, float) for v in (numbers[:3], numbers[3:]))
    if not (a.any() and b.any()):
        raise CommandError("a direction must not be zero")
    a, b = (v / np.abs(v).max() for v in (a, b))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    if np.linalg.norm(axis) < 1e-12:
        axis = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    changed(it, thing, rotation(axis, np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))))


@command(
    "shear",
    "object:object ax:number ay:number az:number s0:number slope:number",
    "tapers across an axis by s0 + slope × (coordinate along it); changes the points",
    group=GROUP,
)
def shear(it: Interpreter, thing: Thing, ax: float, ay: float, az: float, base: float, slope: float) -> None:
    thing.taper((ax, ay, az), None, base, slope)


@command(
    "shear1d",
    "object:object ax:number ay:number az:number ux:number uy:number uz:number s0:number slope:number",
    "tapers along axis × up only; changes the points",
    group=GROUP,
)
def shear1d(it: Interpreter, thing: Thing, *numbers: float) -> None:
    thing.taper(numbers[:3], numbers[3:6], *numbers[6:])


@command("harden", "object:object", "makes the transform part of the points", group=GROUP)
def harden(it: Interpreter, thing: Thing) -> None:
    thing.harden()


@command("interpolateobj", "one:object two:object t:number result:object", "points between two objects", group=GROUP)
def interpolateobj(it: Interpreter, one: Thing, two: Thing, t: float, result: Thing) -> None:
    if not len(one.geometry.vertices) == len(two.geometry.vertices) == len(result.geometry.vertices):
        raise CommandError("the three objects must have the same number of points")
    points = (1.0 - t) * one.points + t * two.points
    result.geometry = Geometry(points, result.geometry.faces)
    result.matrix = np.eye(4)


@command(
    "filtermat",
    "object:object filtered:object scale:number",
    "moves a second object towards where the first is going: last place + scale × last motion",
    group=GROUP,
)
def filtermat(it: Interpreter, thing: Thing, other: Thing, scale: float) -> None:
    before = it.scene.saved.get(f"filter {other.name}", thing.matrix)
    it.scene.saved[f"filter {other.name}"] = thing.matrix.copy()
    other.matrix = thing.matrix.copy()
    other.matrix[:3, 3] += scale * (thing.matrix[:3, 3] - before[:3, 3])
