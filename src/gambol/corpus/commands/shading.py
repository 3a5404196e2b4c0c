"""How objects look."""

from collections.abc import Callable
from typing import Any

from gambol.corpus.actions import alone, always, is_on, sets, sets_its, together
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Appearance, Colour, SceneObject
from gambol.corpus.table import CommandFunction, fraction, in_group, integer
from gambol.errors import CommandError

command = in_group("shading")
RGB_SPEC = "r:number g:number b:number"
OBJECT_RGB_SPEC = f"object:object {RGB_SPEC}"
SHADE_SPEC = "diffuse:number specular:number exponent:number ambient:number"


def of_it(field: str, value: Callable[..., Any] = alone) -> CommandFunction:
    """Sets how an object looks."""
    return sets_its(f"appearance.{field}", value)


def of_new(field: str, value: Callable[..., Any] = alone) -> CommandFunction:
    """Sets how objects to come look."""
    return sets(f"scene.default_appearance.{field}", value)


def colour(r: float, g: float, b: float, full: float = 1.0) -> Colour:
    """A colour with parts from 0 to 1."""
    parts = (r / full, g / full, b / full)
    if not all(0.0 <= part <= 1.0 for part in parts):
        raise CommandError(f"the parts of a colour go from 0 to {full:g}, not {r:g} {g:g} {b:g}")
    return parts


def byte_colour(r: float, g: float, b: float) -> Colour:
    """A colour given with parts from 0 to 255."""
    return colour(r, g, b, 255.0)


def transparency(value: float) -> float:
    """A transparency, 0 being opaque."""
    return fraction(value, "transparency")


command("color", OBJECT_RGB_SPEC, "colour of an object, from 0 to 1")(of_it("colour", colour))
command("icolor", OBJECT_RGB_SPEC, "colour of an object, from 0 to 255")(of_it("colour", byte_colour))


def _default_colour(name: str, help: str, made: Callable[[float, float, float], Colour]) -> None:
    @command(name, f"object {RGB_SPEC}", help)
    def act(interpreter: Interpreter, name: str, r: float, g: float, b: float) -> None:
        scene = interpreter.scene
        appearance = scene.default_appearance if name == "**" else scene.find(name).appearance
        appearance.colour = made(r, g, b)


_default_colour("defaultcolor", "colour of objects to come", colour)
_default_colour("defaulticolor", "colour of objects to come, from 0 to 255", byte_colour)
command("defaultdefaultcolor", "", "objects to come are white again")(of_new("colour", always(Appearance().colour)))
command("specularcolor", OBJECT_RGB_SPEC, "colour of the highlight")(of_it("specular_colour", colour))
command("ispecularcolor", OBJECT_RGB_SPEC, "colour of the highlight, from 0 to 255")(
    of_it("specular_colour", byte_colour)
)
command("defaultspecularcolor", RGB_SPEC, "highlight of objects to come")(of_new("specular_colour", colour))
command("defaultispecularcolor", RGB_SPEC, "highlight of objects to come, from 0 to 255")(
    of_new("specular_colour", byte_colour)
)
command("defaultdefaultspecularcolor", "", "the highlight of objects to come is white again")(
    of_new("specular_colour", always(Appearance().specular_colour))
)
command("shadeparam", f"object:object {SHADE_SPEC}", "how the surface reflects")(of_it("shade", together))


@command("defaultshadeparam", "numbers:text", "[**] diffuse specular exponent ambient of objects to come")
def defaultshadeparam(interpreter: Interpreter, text: str) -> None:
    words = [word for word in text.split() if word != "**"]
    if len(words) != 4:
        raise CommandError(f"expected four numbers: {SHADE_SPEC.replace(':number', '')}; there are {len(words)}")
    try:
        diffuse, specular, exponent, ambient = map(float, words)
    except ValueError:
        raise CommandError(f"expected four numbers, not {text!r}") from None
    interpreter.scene.default_appearance.shade = (diffuse, specular, exponent, ambient)


command("defaultdefaultshadeparam", "", "back to .6 .4 30 .025")(of_new("shade", always(Appearance().shade)))
command("trans", "object:object value:number", "transparency, 0 being opaque")(of_it("transparency", transparency))


def _polygon(obj: SceneObject, index: int) -> int:
    if not 0 <= index < len(obj.geometry.faces):
        raise CommandError(f"{obj.name!r} has the polygons 0 to {len(obj.geometry.faces) - 1}; there is no {index}")
    return index


def _polygon_colour(name: str, help: str, made: Callable[[float, float, float], Colour]) -> None:
    @command(name, f"object:object polygon:integer {RGB_SPEC}", help)
    def act(interpreter: Interpreter, obj: SceneObject, index: int, r: float, g: float, b: float) -> None:
        obj.appearance.polygons[_polygon(obj, index)] = made(r, g, b)


_polygon_colour("polycolor", "colour of one polygon", colour)
_polygon_colour("polyicolor", "colour of one polygon, from 0 to 255", byte_colour)


@command("pcl", "object:object file:file", "colours of polygons from a file: rows of polygon r g b")
def pcl(interpreter: Interpreter, obj: SceneObject, file: str) -> None:
    for row in interpreter.files.text(file).splitlines():
        words = row.split()
        if not words:
            continue
        try:
            r, g, b = map(float, words[1:])
        except ValueError:
            raise CommandError(f"a row must be `polygon r g b`, not {row!r}") from None
        obj.appearance.polygons[_polygon(obj, integer(words[0], "the polygon"))] = colour(r, g, b)


command("shademodel", "object:object model:p|g|h", "Phong, Gouraud or third mode; pictures shade whole triangles")(
    of_it("model")
)
command("defaultshademodel", "model:p|g|h", "shading of objects to come")(of_new("model"))
command("cull", "object:object switch:on|off", "leaves out polygons that face away")(of_it("culled", is_on))


@command("concave", "object:object switch:on|off", "the object has concave polygons")
def concave(interpreter: Interpreter, obj: SceneObject, switch: str) -> None:
    """Polygons are drawn as fans of triangles either way; remembered for those who read it back."""
    obj.appearance.culled = obj.appearance.culled and switch == "off"


command("facet", "object:object", "flat shading")(of_it("faceted", always(True)))
command("smooth", "object:object", "smooth shading")(of_it("faceted", always(False)))
command("defaultfacet", "", "flat shading for objects to come")(of_new("faceted", always(True)))
command("defaultsmooth", "", "smooth shading for objects to come")(of_new("faceted", always(False)))
command("post", "object:object", "shows an object")(of_it("shown", always(True)))
command("unpost", "object:object", "hides an object")(of_it("shown", always(False)))
