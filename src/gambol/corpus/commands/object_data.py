"""Objects as numbers: transforms written and read, questions, and object files."""

from __future__ import annotations

import numpy as np

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.object_files import object_text
from gambol.corpus.scene import Thing
from gambol.corpus.table import command, number
from gambol.errors import CommandError

GROUP = "object"


# ------------------------------------------------------------ matrices in and out
def matrix_text(matrix: np.ndarray) -> str:
    return "\n".join(" ".join(f"{x:.12g}" for x in row) for row in matrix.T)  # rows as the sources write them


@command("setmatrix", "object:object", "sets the transform from four rows of numbers (row vectors)", group=GROUP)
def setmatrix(it: Interpreter, thing: Thing) -> None:
    thing.matrix = np.array(it.rows(4, 4)).T


def _dump(it: Interpreter, text: str, file: str | None, mode: str = "w") -> None:
    if file is None:
        it.say(text)
    else:
        with it.files.to_write(file).open(mode, encoding="utf-8") as stream:
            stream.write(f"{text}\n")


@command("dumpmatrix", "object:object [file:file]", "writes the transform, as setmatrix reads it", group=GROUP)
def dumpmatrix(it: Interpreter, thing: Thing, file: str | None) -> None:
    _dump(it, f"setmatrix {thing.name}\n{matrix_text(thing.matrix)}", file)


@command("dumpmatrixa", "object:object [file:file]", "appends the transform to a file", group=GROUP)
def dumpmatrixa(it: Interpreter, thing: Thing, file: str | None) -> None:
    _dump(it, f"setmatrix {thing.name}\n{matrix_text(thing.matrix)}", file, "a")


@command("dumpmatrixwsp", "object:object [file:file]", "writes the transform to the world", group=GROUP)
def dumpmatrixwsp(it: Interpreter, thing: Thing, file: str | None) -> None:
    _dump(it, f"setmatrix {thing.name}\n{matrix_text(thing.world_matrix)}", file)


@command("bolidump", "", "prints all transforms", group=GROUP)
def bolidump(it: Interpreter) -> None:
    for thing in it.scene.things.values():
        it.say(f"setmatrix {thing.name}\n{matrix_text(thing.matrix)}")


@command("mcopy", "source:object target:object", "copies a transform", group=GROUP)
def mcopy(it: Interpreter, source: Thing, target: Thing) -> None:
    target.matrix = source.matrix.copy()


@command("mcopywsp", "source:object target:object", "copies the transform to the world", group=GROUP)
def mcopywsp(it: Interpreter, source: Thing, target: Thing) -> None:
    above = target.parent.world_matrix if target.parent else np.eye(4)
    target.matrix = np.linalg.inv(above) @ source.world_matrix


# ------------------------------------------------------------ questions
@command("whereis", "object:object", "prints the centroid in the world", group=GROUP)
def whereis(it: Interpreter, thing: Thing) -> None:
    it.say(f"{thing.name}: " + " ".join(f"{x + 0.0:.6g}" for x in np.round(thing.centroid, 12)))


@command("countpolys", "", "prints the number of polygons", group=GROUP)
def countpolys(it: Interpreter) -> None:
    it.say(str(sum(len(thing.geometry.faces) for thing in it.scene.things.values())))


@command("countpostedpolys", "", "prints the number of polygons that are shown", group=GROUP)
def countpostedpolys(it: Interpreter) -> None:
    it.say(str(sum(len(thing.geometry.faces) for thing in it.scene.things.values() if thing.look.shown)))


# ------------------------------------------------------------ lists of matrices
STATE = "state"


@command("initmatlist", "name", "begins a list of transforms", group=STATE)
def initmatlist(it: Interpreter, name: str) -> None:
    it.scene.matrices[name] = []


def _matrices(it: Interpreter, name: str) -> list[np.ndarray]:
    from gambol.corpus.interpreter import found

    return found(it.scene.matrices, name, "list of transforms")


@command("addmatlist", "name object:object", "adds the transform of an object to a list", group=STATE)
def addmatlist(it: Interpreter, name: str, thing: Thing) -> None:
    _matrices(it, name).append(thing.matrix.copy())


@command("setmatlist", "name index:integer object:object", "gives an object a transform of a list", group=STATE)
def setmatlist(it: Interpreter, name: str, index: int, thing: Thing) -> None:
    matrices = _matrices(it, name)
    if not 0 <= index < len(matrices):
        raise CommandError(f"the list has the transforms 0 to {len(matrices) - 1}; there is no {index}")
    thing.matrix = matrices[index].copy()


@command("loadmatlist", "name file:file", "reads a list of transforms: four rows of four numbers each", group=STATE)
def loadmatlist(it: Interpreter, name: str, file: str) -> None:
    rows = [
        line.split() for line in it.files.text(file).splitlines() if line.strip() and not line.startswith("setmatrix")
    ]
    if len(rows) % 4 or any(len(row) != 4 for row in rows):
        raise CommandError(f"{file!r} must have four rows of four numbers for each transform")
    numbers = np.array([[number(word, "an element") for word in row] for row in rows])
    it.scene.matrices[name] = [block.T for block in numbers.reshape(-1, 4, 4)]


# ------------------------------------------------------------ objects cut and written
SPECIAL = "special"


def _write_object(it: Interpreter, thing: Thing, keep, file: str) -> None:
    """Writes the polygons all of whose corners are kept."""
    faces = [face for face in thing.geometry.faces if keep(thing.points[list(face)])]
    it.files.to_write(file).write_text(object_text(thing.points, faces), encoding="utf-8")


BOUNDS = "object:object x1:number y1:number x2:number y2:number file:file"


@command("objbound", BOUNDS, "writes the polygons inside a rectangle", group=SPECIAL)
def objbound(it: Interpreter, thing: Thing, x1: float, y1: float, x2: float, y2: float, file: str) -> None:
    _write_object(it, thing, lambda p: _within(p, x1, y1, x2, y2).all(), file)


@command("objibound", BOUNDS, "writes the polygons outside a rectangle", group=SPECIAL)
def objibound(it: Interpreter, thing: Thing, x1: float, y1: float, x2: float, y2: float, file: str) -> None:
    _write_object(it, thing, lambda p: not _within(p, x1, y1, x2, y2).any(), file)


def _within(points: np.ndarray, x1: float, y1: float, x2: float, y2: float) -> np.ndarray:
    x, y = points[:, 0], points[:, 1]
    return (x >= min(x1, x2)) & (x <= max(x1, x2)) & (y >= min(y1, y2)) & (y <= max(y1, y2))


@command(
    "objzlimit",
    "object:object low:number high:number file:file",
    "writes an object with z kept between two heights",
    group=SPECIAL,
)
def objzlimit(it: Interpreter, thing: Thing, low: float, high: float, file: str) -> None:
    points = thing.points
    points[:, 2] = np.clip(points[:, 2], low, high)
    it.files.to_write(file).write_text(object_text(points, thing.geometry.faces), encoding="utf-8")


@command("joinall", "file:file", "writes all objects as one", group="shading")
def joinall(it: Interpreter, file: str) -> None:
    points: list[np.ndarray] = []
    faces: list[tuple[int, ...]] = []
    for thing in it.scene.things.values():
        first = sum(map(len, points))
        points.append(thing.points)
        faces += [tuple(first + c for c in face) for face in thing.geometry.faces]
    if not points:
        raise CommandError("there are no objects")
    it.files.to_write(file).write_text(object_text(np.concatenate(points), faces), encoding="utf-8")
