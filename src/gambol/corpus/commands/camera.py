"""The camera."""

from __future__ import annotations

import numpy as np

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.studio import vector
from gambol.corpus.table import Point, command
from gambol.errors import CommandError

GROUP = "camera"


def shown(vector) -> str:
    return " ".join(f"{x:g}" for x in vector)


@command("eye", "[where:place]", "sets or prints where the camera stands", group=GROUP)
def eye(it: Interpreter, where: Point | None) -> None:
    if where is None:
        it.say(f"eye: {shown(it.studio.view.eye)}")
    else:
        it.studio.view.eye = vector(where)


@command("lookat", "[where:place]", "sets or prints the point it looks at", group=GROUP)
def lookat(it: Interpreter, where: Point | None) -> None:
    if where is None:
        it.say(f"lookat: {shown(it.studio.view.target)}")
    else:
        it.studio.view.target = vector(where)


def _along(it: Interpreter, distance: float) -> None:
    view = it.studio.view
    x, y, z = np.asarray(view.eye) + distance * view.towards
    view.eye = (float(x), float(y), float(z))


@command("forward", "distance:number", "moves the camera along its view", group=GROUP)
def forward(it: Interpreter, distance: float) -> None:
    _along(it, distance)


@command("back", "distance:number", "moves the camera backwards", group=GROUP)
def back(it: Interpreter, distance: float) -> None:
    _along(it, -distance)


@command("roll", "degrees:number", "rolls the camera", group=GROUP)
def roll(it: Interpreter, degrees: float) -> None:
    it.studio.view.roll = degrees


@command("up", "x:number y:number z:number", "which way is up", group=GROUP)
def up(it: Interpreter, x: float, y: float, z: float) -> None:
    if not any((x, y, z)):
        raise CommandError("the up direction must not be zero")
    it.studio.view.up = (x, y, z)


@command(
    "uprel", "where:text", "[object] x y z: up is the direction from the eye to this point (of the object)", group=GROUP
)
def uprel(it: Interpreter, text: str) -> None:
    words = text.split()
    base = np.asarray(it.studio.view.eye)
    if len(words) == 4:
        base = it.scene.find(words.pop(0)).centroid
    try:
        x, y, z = map(float, words)
    except ValueError:
        raise CommandError(f"expected [object] x y z, not {text!r}") from None
    way = np.asarray((x, y, z)) + base - np.asarray(it.studio.view.eye)
    it.studio.view.up = vector(way)


def _fov(it: Interpreter, degrees: float) -> None:
    if not 0.0 < degrees < 180.0:
        raise CommandError(f"the field of view goes from 0 to 180 degrees, it is {degrees:g}")
    it.studio.view.fov = degrees


@command("fov", "degrees:number", "field of view across the height of the picture", group=GROUP)
def fov(it: Interpreter, degrees: float) -> None:
    _fov(it, degrees)


def _aspect(it: Interpreter, value: float) -> None:
    if not value > 0:
        raise CommandError(f"the aspect ratio must be positive, it is {value:g}")
    it.studio.view.aspect = value


@command("aspectratio", "value:number", "width of the picture over its height", group=GROUP, aliases="ar apectratio")
def aspectratio(it: Interpreter, value: float) -> None:
    _aspect(it, value)


def _nearfar(it: Interpreter, near: float, far: float) -> None:
    if not 0.0 < near < far:
        raise CommandError(f"clipping distances must be 0 < near < far, they are {near:g} and {far:g}")
    it.studio.view.near, it.studio.view.far = near, far


@command("nearfar", "near:number far:number", "nothing nearer or farther is drawn", group=GROUP, aliases="nf")
def nearfar(it: Interpreter, near: float, far: float) -> None:
    _nearfar(it, near, far)


@command("perspective", "fov:number aspect:number near:number far:number", "the lens, at once", group=GROUP)
def perspective(it: Interpreter, fov: float, aspect: float, near: float, far: float) -> None:
    _fov(it, fov)
    _aspect(it, aspect)
    _nearfar(it, near, far)


@command("windowsize", "cx:number cy:number hx:number hy:number", "the part of the view that is drawn", group=GROUP)
def windowsize(it: Interpreter, cx: float, cy: float, hx: float, hy: float) -> None:
    if not (hx > 0 and hy > 0):
        raise CommandError("the half sizes of the window must be positive")
    it.studio.view.window = (cx, cy, hx, hy)


@command("windowcenter", "cx:number cy:number", "centre of that part", group=GROUP)
def windowcenter(it: Interpreter, cx: float, cy: float) -> None:
    windowsize(it, cx, cy, *it.studio.view.window[2:])


@command("windowhalfsize", "hx:number hy:number", "half its size", group=GROUP)
def windowhalfsize(it: Interpreter, hx: float, hy: float) -> None:
    windowsize(it, *it.studio.view.window[:2], hx, hy)


@command("viewdistance", "value:number", "stands so far from the point it looks at", group=GROUP, aliases="vd")
def viewdistance(it: Interpreter, value: float) -> None:
    view = it.studio.view
    if not value > 0:
        raise CommandError(f"the distance must be positive, it is {value:g}")
    view.eye = vector(np.asarray(view.target) - value * view.towards)


@command("screensize", "x:integer y:integer", "size of pictures in pixels", group=GROUP)
def screensize(it: Interpreter, x: int, y: int) -> None:
    if not (0 < x <= 10000 and 0 < y <= 10000):
        raise CommandError(f"a picture has 1 to 10000 pixels each way, not {x} by {y}")
    it.studio.size = (x, y)


def camera_text(it: Interpreter) -> str:
    view = it.studio.view
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


def _dump(it: Interpreter, file: str | None, text: str) -> None:
    if file is None:
        it.say(text)
    else:
        it.files.to_write(file).write_text(f"{text}\n", encoding="utf-8")


@command("dumpcam", "[file:file]", "writes the camera as commands", group=GROUP)
def dumpcam(it: Interpreter, file: str | None) -> None:
    _dump(it, file, camera_text(it))


@command("dumpcambob", "[file:file]", "the same, with the aspect as height over width in a comment", group=GROUP)
def dumpcambob(it: Interpreter, file: str | None) -> None:
    width, height = it.studio.size
    aspect = it.studio.view.aspect or width / height
    _dump(it, file, f"{camera_text(it)}\n# height over width {1.0 / aspect:g}")


@command("vdcam", "where:place", "stands there and keeps looking at the same point", group=GROUP)
def vdcam(it: Interpreter, where: Point) -> None:
    it.studio.view.eye = vector(where)


@command(
    "holoshear",
    "frame:integer",
    "view n of a stereogram of 100: the eye moves sideways by up to half its distance",
    group=GROUP,
)
def holoshear(it: Interpreter, frame: int) -> None:
    if not 0 <= frame < 100:
        raise CommandError(f"a stereogram has the views 0 to 99, not {frame}")
    view = it.studio.view
    shift = (frame - 49.5) / 99.0
    distance = float(np.linalg.norm(np.subtract(view.target, view.eye)))
    right = view.axes[0] * shift * distance
    view.eye = vector(np.asarray(view.eye) + right)
    half = np.tan(np.radians(view.fov) / 2.0)
    view.target = vector(np.asarray(view.target) + right)
    view.window = (-shift / half, *view.window[1:])
