"""The camera."""

import numpy as np

from gambol.corpus.actions import sets
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.render_settings import vector
from gambol.corpus.table import Point, in_group
from gambol.errors import CommandError

command = in_group("camera")


def shown(vector) -> str:
    """Numbers as a line of text."""
    return " ".join(f"{x:g}" for x in vector)


def _point(name: str, field: str, help: str) -> None:
    @command(name, "[where:place]", help)
    def act(interpreter: Interpreter, where: Point | None) -> None:
        if where is None:
            interpreter.print(f"{name}: {shown(getattr(interpreter.rendering.view, field))}")
        else:
            setattr(interpreter.rendering.view, field, vector(where))


_point("eye", "eye", "sets or prints where the camera stands")
_point("lookat", "target", "sets or prints the point it looks at")


def _along(interpreter: Interpreter, distance: float) -> None:
    view = interpreter.rendering.view
    x, y, z = np.asarray(view.eye) + distance * view.direction
    view.eye = (float(x), float(y), float(z))


command("forward", "distance:number", "moves the camera along its view")(_along)
command("back", "distance:number", "moves the camera backwards")(
    lambda interpreter, distance: _along(interpreter, -distance)
)
command("roll", "degrees:number", "rolls the camera")(sets("rendering.view.roll"))


@command("up", "x:number y:number z:number", "which way is up")
def up(interpreter: Interpreter, x: float, y: float, z: float) -> None:
    if not any((x, y, z)):
        raise CommandError("the up direction must not be zero")
    interpreter.rendering.view.up = (x, y, z)


@command("uprel", "where:text", "[object] x y z: up is the direction from the eye to this point (of the object)")
def uprel(interpreter: Interpreter, text: str) -> None:
    words = text.split()
    base = np.asarray(interpreter.rendering.view.eye)
    if len(words) == 4:
        base = interpreter.scene.find(words.pop(0)).centroid
    try:
        x, y, z = map(float, words)
    except ValueError:
        raise CommandError(f"expected [object] x y z, not {text!r}") from None
    way = np.asarray((x, y, z)) + base - np.asarray(interpreter.rendering.view.eye)
    interpreter.rendering.view.up = vector(way)


def _fov(interpreter: Interpreter, degrees: float) -> None:
    if not 0.0 < degrees < 180.0:
        raise CommandError(f"the field of view goes from 0 to 180 degrees, it is {degrees:g}")
    interpreter.rendering.view.fov = degrees


command("fov", "degrees:number", "field of view across the height of the picture")(_fov)


def _aspect(interpreter: Interpreter, value: float) -> None:
    if not value > 0:
        raise CommandError(f"the aspect ratio must be positive, it is {value:g}")
    interpreter.rendering.view.aspect = value


command("aspectratio", "value:number", "width of the picture over its height", aliases="ar apectratio")(_aspect)


def _nearfar(interpreter: Interpreter, near: float, far: float) -> None:
    if not 0.0 < near < far:
        raise CommandError(f"clipping distances must be 0 < near < far, they are {near:g} and {far:g}")
    interpreter.rendering.view.near, interpreter.rendering.view.far = near, far


command("nearfar", "near:number far:number", "nothing nearer or farther is drawn", aliases="nf")(_nearfar)


@command("perspective", "fov:number aspect:number near:number far:number", "the lens, at once")
def perspective(interpreter: Interpreter, fov: float, aspect: float, near: float, far: float) -> None:
    _fov(interpreter, fov)
    _aspect(interpreter, aspect)
    _nearfar(interpreter, near, far)


@command("windowsize", "cx:number cy:number hx:number hy:number", "the part of the view that is drawn")
def windowsize(interpreter: Interpreter, cx: float, cy: float, hx: float, hy: float) -> None:
    if not (hx > 0 and hy > 0):
        raise CommandError("the half sizes of the window must be positive")
    interpreter.rendering.view.window = (cx, cy, hx, hy)


@command("windowcenter", "cx:number cy:number", "centre of that part")
def windowcenter(interpreter: Interpreter, cx: float, cy: float) -> None:
    windowsize(interpreter, cx, cy, *interpreter.rendering.view.window[2:])


@command("windowhalfsize", "hx:number hy:number", "half its size")
def windowhalfsize(interpreter: Interpreter, hx: float, hy: float) -> None:
    windowsize(interpreter, *interpreter.rendering.view.window[:2], hx, hy)


@command("viewdistance", "value:number", "stands so far from the point it looks at", aliases="vd")
def viewdistance(interpreter: Interpreter, value: float) -> None:
    view = interpreter.rendering.view
    if not value > 0:
        raise CommandError(f"the distance must be positive, it is {value:g}")
    view.eye = vector(np.asarray(view.target) - value * view.direction)


@command("screensize", "x:integer y:integer", "size of pictures in pixels")
def screensize(interpreter: Interpreter, x: int, y: int) -> None:
    if not (0 < x <= 10000 and 0 < y <= 10000):
        raise CommandError(f"a picture has 1 to 10000 pixels each way, not {x} by {y}")
    interpreter.rendering.size = (x, y)


def camera_text(interpreter: Interpreter) -> str:
    """The camera as the commands that set it."""
    view = interpreter.rendering.view
    rows = [
        f"eye {shown(view.eye)}",
        f"lookat {shown(view.target)}",
        f"up {shown(view.up)}",
        f"roll {view.roll:g}",
        f"fov {view.fov:g}",
        f"nearfar {view.near:g} {view.far:g}",
        f"windowsize {shown(view.window)}",
    ]
    return "\n".join(rows + ([f"aspectratio {view.aspect:g}"] if view.aspect else []))


@command("dumpcam", "[file:file]", "writes the camera as commands")
def dumpcam(interpreter: Interpreter, file: str | None) -> None:
    interpreter.print_to(file, camera_text(interpreter))


@command("dumpcambob", "[file:file]", "the same, with the aspect as height over width in a comment")
def dumpcambob(interpreter: Interpreter, file: str | None) -> None:
    width, height = interpreter.rendering.size
    aspect = interpreter.rendering.view.aspect or width / height
    interpreter.print_to(file, f"{camera_text(interpreter)}\n# height over width {1.0 / aspect:g}")


command("vdcam", "where:place", "stands there and keeps looking at the same point")(sets("rendering.view.eye", vector))


@command(
    "holoshear", "frame:integer", "view n of a stereogram of 100: the eye moves sideways by up to half its distance"
)
def holoshear(interpreter: Interpreter, frame: int) -> None:
    if not 0 <= frame < 100:
        raise CommandError(f"a stereogram has the views 0 to 99, not {frame}")
    view = interpreter.rendering.view
    shift = (frame - 49.5) / 99.0
    distance = float(np.linalg.norm(np.subtract(view.target, view.eye)))
    right = view.axes[0] * shift * distance
    view.eye = vector(np.asarray(view.eye) + right)
    half = np.tan(np.radians(view.fov) / 2.0)
    view.target = vector(np.asarray(view.target) + right)
    view.window = (-shift / half, *view.window[1:])
