"""Objects as numbers: transforms written and read, questions, and object files."""

from functools import partial

import numpy as np

from gambol.corpus.actions import prints
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.object_files import object_text
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import in_group, look_up, number
from gambol.errors import CommandError

command = in_group("object")
shading_command = in_group("shading")


# ------------------------------------------------------------ matrices in and out
def matrix_text(matrix: np.ndarray) -> str:
    """A transform as four rows of numbers."""
    return "\n".join(" ".join(f"{x:.12g}" for x in row) for row in matrix.T)  # rows as the sources write them


@command("setmatrix", "object:object", "sets the transform from four rows of numbers (row vectors)")
def setmatrix(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.matrix = np.array(interpreter.read_rows(4, 4)).T


def _dump(name: str, help: str, *, matrix: str = "matrix", mode: str = "w") -> None:
    @command(name, "object:object [file:file]", help)
    def act(interpreter: Interpreter, obj: SceneObject, file: str | None) -> None:
        interpreter.print_to(file, f"setmatrix {obj.name}\n{matrix_text(getattr(obj, matrix))}", mode)


_dump("dumpmatrix", "writes the transform, as setmatrix reads it")
_dump("dumpmatrixa", "appends the transform to a file", mode="a")
_dump("dumpmatrixwsp", "writes the transform to the world", matrix="world_matrix")


@command("bolidump", "", "prints all transforms")
def bolidump(interpreter: Interpreter) -> None:
    for obj in interpreter.scene.objects.values():
        interpreter.print(f"setmatrix {obj.name}\n{matrix_text(obj.matrix)}")


@command("mcopy", "source:object target:object", "copies a transform")
def mcopy(interpreter: Interpreter, source: SceneObject, target: SceneObject) -> None:
    target.matrix = source.matrix.copy()


@command("mcopywsp", "source:object target:object", "copies the transform to the world")
def mcopywsp(interpreter: Interpreter, source: SceneObject, target: SceneObject) -> None:
    above = target.parent.world_matrix if target.parent else np.eye(4)
    target.matrix = np.linalg.inv(above) @ source.world_matrix


# ------------------------------------------------------------ questions
@command("whereis", "object:object", "prints the centroid in the world")
def whereis(interpreter: Interpreter, obj: SceneObject) -> None:
    interpreter.print(f"{obj.name}: " + " ".join(f"{x + 0.0:.6g}" for x in np.round(obj.centroid, 12)))


def _polygons(interpreter: Interpreter, *, hidden: bool) -> str:
    counted = [obj for obj in interpreter.scene.objects.values() if hidden or obj.appearance.shown]
    return str(sum(len(obj.geometry.faces) for obj in counted))


command("countpolys", "", "prints the number of polygons")(prints(partial(_polygons, hidden=True)))
command("countpostedpolys", "", "prints the number of polygons that are shown")(
    prints(partial(_polygons, hidden=False))
)


# ------------------------------------------------------------ lists of matrices
state_command = in_group("state")


@state_command("initmatlist", "name", "begins a list of transforms")
def initmatlist(interpreter: Interpreter, name: str) -> None:
    """An empty list of transforms."""
    interpreter.scene.matrix_lists[name] = []


def _matrices(interpreter: Interpreter, name: str) -> list[np.ndarray]:
    return look_up(interpreter.scene.matrix_lists, name, "list of transforms")


@state_command("addmatlist", "name object:object", "adds the transform of an object to a list")
def addmatlist(interpreter: Interpreter, name: str, obj: SceneObject) -> None:
    """Adds the transform of an object to a list."""
    _matrices(interpreter, name).append(obj.matrix.copy())


@state_command("setmatlist", "name index:integer object:object", "gives an object a transform of a list")
def setmatlist(interpreter: Interpreter, name: str, index: int, obj: SceneObject) -> None:
    """Gives an object the transform of this number in a list."""
    matrices = _matrices(interpreter, name)
    if not 0 <= index < len(matrices):
        raise CommandError(f"the list has the transforms 0 to {len(matrices) - 1}; there is no {index}")
    obj.matrix = matrices[index].copy()


@state_command("loadmatlist", "name file:file", "reads a list of transforms: four rows of four numbers each")
def loadmatlist(interpreter: Interpreter, name: str, file: str) -> None:
    """Reads a list of transforms: four rows of four numbers each."""
    rows = [
        line.split()
        for line in interpreter.files.text(file).splitlines()
        if line.strip() and not line.startswith("setmatrix")
    ]
    if len(rows) % 4 or any(len(row) != 4 for row in rows):
        raise CommandError(f"{file!r} must have four rows of four numbers for each transform")
    numbers = np.array([[number(word, "an element") for word in row] for row in rows])
    interpreter.scene.matrix_lists[name] = [block.T for block in numbers.reshape(-1, 4, 4)]


# ------------------------------------------------------------ objects cut and written
special_command = in_group("special")


def _write_object(interpreter: Interpreter, obj: SceneObject, keep, file: str) -> None:
    """Writes the polygons all of whose corners are kept."""
    faces = [face for face in obj.geometry.faces if keep(obj.points[list(face)])]
    interpreter.files.to_write(file).write_text(object_text(obj.points, faces), encoding="utf-8")


RECTANGLE_SPEC = "object:object x1:number y1:number x2:number y2:number file:file"


@special_command("objbound", RECTANGLE_SPEC, "writes the polygons inside a rectangle")
def objbound(interpreter: Interpreter, obj: SceneObject, *corners_and_file) -> None:
    """Writes the faces of an object that lie wholly within a rectangle of x and y."""
    *corners, file = corners_and_file
    _write_object(interpreter, obj, lambda p: _within(p, *corners).all(), file)


@special_command("objibound", RECTANGLE_SPEC, "writes the polygons outside a rectangle")
def objibound(interpreter: Interpreter, obj: SceneObject, *corners_and_file) -> None:
    """Writes the faces of an object that lie wholly outside a rectangle of x and y."""
    *corners, file = corners_and_file
    _write_object(interpreter, obj, lambda p: not _within(p, *corners).any(), file)


def _within(points: np.ndarray, x1: float, y1: float, x2: float, y2: float) -> np.ndarray:
    x, y = points[:, 0], points[:, 1]
    return (x >= min(x1, x2)) & (x <= max(x1, x2)) & (y >= min(y1, y2)) & (y <= max(y1, y2))


@special_command(
    "objzlimit", "object:object low:number high:number file:file", "writes an object with z kept between two heights"
)
def objzlimit(interpreter: Interpreter, obj: SceneObject, low: float, high: float, file: str) -> None:
    """Writes an object with its heights cut to a range."""
    points = obj.points
    points[:, 2] = np.clip(points[:, 2], low, high)
    interpreter.files.to_write(file).write_text(object_text(points, obj.geometry.faces), encoding="utf-8")


@shading_command("joinall", "file:file", "writes all objects as one")
def joinall(interpreter: Interpreter, file: str) -> None:
    """Writes all objects as one."""
    points: list[np.ndarray] = []
    faces: list[tuple[int, ...]] = []
    for obj in interpreter.scene.objects.values():
        first = sum(map(len, points))
        points.append(obj.points)
        faces += [tuple(first + c for c in face) for face in obj.geometry.faces]
    if not points:
        raise CommandError("there are no objects")
    interpreter.files.to_write(file).write_text(object_text(np.concatenate(points), faces), encoding="utf-8")
