"""Texture, reflection and transparency maps, and the coordinates by which they lie on objects."""

from typing import Any

import numpy as np
from PIL import Image

from gambol.corpus.frame_buffer import checked_size, read_image
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.maps import find_map, flat_coordinates, map_of
from gambol.corpus.render_settings import project
from gambol.corpus.scene import NO_MAP, SceneObject, WornMaps
from gambol.corpus.table import fraction, in_group
from gambol.errors import CommandError

command = in_group("texture")
special = in_group("special")
shading = in_group("shading")


def _sized(interpreter: Interpreter, file: str, width: int, height: int) -> Image.Image:
    """A picture that has to be so large."""
    image = read_image(interpreter.files.to_read(file))
    if image.size != checked_size(width, height):
        raise CommandError(f"{file!r} is {image.width} by {image.height} pixels, not {width} by {height}")
    return image


def _write(interpreter: Interpreter, image: Image.Image, file: str) -> None:
    path = interpreter.files.to_write(file)
    try:
        image.save(path, format=path.suffix.lstrip(".").lower() or "png")
    except (KeyError, OSError, ValueError) as error:
        raise CommandError(f"{file!r} cannot be written as a picture: {error}") from None


# ------------------------------------------------------------ maps
def _getter(name: str, help: str, **how: bool) -> None:
    @command(
        name, "name from file:file w:integer h:integer x_repeat:number y_repeat:number", f"{help}, repeated so often"
    )
    def act(interpreter: Interpreter, name: str, word: str, file: str, w: int, h: int, *repeat: float) -> None:
        if word != "from":
            raise CommandError(f"expected `from` before the file, not {word!r}")
        if name.upper() == NO_MAP:
            raise CommandError(f"{NO_MAP} stands for no map and cannot be the name of one")
        if not min(repeat) > 0:
            raise CommandError(f"a map is repeated a positive number of times, not {min(repeat):g}")
        across, up = repeat
        interpreter.rendering.maps[name] = map_of(_sized(interpreter, file, w, h), (across, up), **how)


_getter("getmap", "loads a map in colours", grey=False, alpha=False)
_getter("getmapa", "loads a map in colours with alpha", grey=False, alpha=True)
_getter("getmapbw", "loads a grey map", grey=True, alpha=False)
_getter("getmapbwa", "loads a grey map with alpha", grey=True, alpha=True)


@command(
    "objmap",
    "object:object texture reflection own:number textured:number reflected:number",
    "winds a map around an object and mirrors another in it (NULL: none), with the shares of its own colour, of the "
    "texture and of the reflection",
)
def objmap(interpreter: Interpreter, obj: SceneObject, texture: str, reflection: str, *shares: float) -> None:
    worn = [NO_MAP if find_map(interpreter.rendering.maps, n) is None else n for n in (texture, reflection)]
    own, textured, reflected = (fraction(s, w) for s, w in zip(shares, ("own", "textured", "reflected")))
    obj.appearance.maps = WornMaps(worn[0], worn[1], own, textured, reflected)


@command("transmap", "object:object map", "thins an object by a map: white is clear (NULL: none)")
def transmap(interpreter: Interpreter, obj: SceneObject, name: str) -> None:
    obj.appearance.transparency_map = NO_MAP if find_map(interpreter.rendering.maps, name) is None else name


@command("mergergba", "rgb:file alpha:file w:integer h:integer out:file", "writes a picture with another as its alpha")
def mergergba(interpreter: Interpreter, rgb: str, alpha: str, w: int, h: int, out: str) -> None:
    image = _sized(interpreter, rgb, w, h).convert("RGBA")
    image.putalpha(_sized(interpreter, alpha, w, h).convert("L"))
    _write(interpreter, image, out)


def _mip(name: str, mode: str, help: str) -> None:
    @command(name, "file:file w:integer h:integer out:file dimension:integer", help)
    def act(interpreter: Interpreter, file: str, w: int, h: int, out: str, dimension: int) -> None:
        image = _sized(interpreter, file, w, h).convert(mode)
        _write(interpreter, image.resize(checked_size(dimension, dimension), Image.Resampling.BOX), out)


_mip("makemip", "RGB", "writes a picture as a square map of this size; coarser levels are made of it when it is drawn")
_mip("makemipa", "RGBA", "the same with alpha")
_mip("makemipbw", "L", "the same in grey")


# ------------------------------------------------------------ where maps lie
def _keep(interpreter: Interpreter, obj: SceneObject, uv: np.ndarray, file: str | None) -> None:
    obj.texture_points = uv
    if file:
        rows = "".join(f"{u:.9g} {v:.9g}\n" for u, v in uv)
        interpreter.files.to_write(file).write_text(rows, encoding="utf-8")


@special("objxyuv", "object:object [file:file]", "texture coordinates by the box about an object in its x and y")
def objxyuv(interpreter: Interpreter, obj: SceneObject, file: str | None) -> None:
    _keep(interpreter, obj, flat_coordinates(obj), file)


@special("renderuv", "object:object file:file", "texture coordinates by the picture, as a slide projector would")
def renderuv(interpreter: Interpreter, obj: SceneObject, file: str) -> None:
    rendering = interpreter.rendering
    seen = project(rendering.view, obj.points)
    if (seen[:, 2] <= rendering.view.near).any():
        raise CommandError(f"{obj.name!r} reaches behind the camera")
    cx, cy, hx, hy = rendering.view.window
    aspect = rendering.view.aspect or rendering.size[0] / rendering.size[1]
    u, v = (seen[:, 0] / aspect - cx + hx) / (2.0 * hx), (seen[:, 1] - cy + hy) / (2.0 * hy)
    _keep(interpreter, obj, np.column_stack([u, v]), file)


@special("objuv", "object:object file:file", "texture coordinates from a file: rows of u v, one for each vertex")
def objuv(interpreter: Interpreter, obj: SceneObject, file: str) -> None:
    rows = [row.split() for row in interpreter.files.text(file).splitlines() if row.strip()]
    count = len(obj.geometry.vertices)
    try:
        values = np.array(rows, float).reshape(-1, 2)
    except ValueError:
        raise CommandError(f"{file!r} must hold rows of two numbers, u and v") from None
    if len(values) != count or not np.isfinite(values).all():
        raise CommandError(f"{file!r} has {len(values)} rows of finite numbers, {obj.name!r} has {count} vertices")
    obj.texture_points = values


def _vertex(obj: SceneObject, index: int) -> int:
    if not 0 <= index < len(obj.geometry.vertices):
        raise CommandError(f"{obj.name!r} has the vertices 0 to {len(obj.geometry.vertices) - 1}; there is no {index}")
    return index


def _at_vertices(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    return np.zeros(shape) if values is None else values


@command("pointuv", "object:object vertex:integer u:number v:number", "texture coordinates of one vertex")
def pointuv(interpreter: Interpreter, obj: SceneObject, index: int, u: float, v: float) -> None:
    obj.texture_points = _at_vertices(obj.texture_points, (len(obj.geometry.vertices), 2))
    obj.texture_points[_vertex(obj, index)] = u, v


@shading("pointtrans", "object:object vertex:integer value:number", "transparency at one vertex, 0 being opaque")
def pointtrans(interpreter: Interpreter, obj: SceneObject, index: int, value: float) -> None:
    obj.clear_points = _at_vertices(obj.clear_points, (len(obj.geometry.vertices),))
    obj.clear_points[_vertex(obj, index)] = fraction(value, "transparency")
