"""How objects look."""

from __future__ import annotations

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Appearance, Colour, SceneObject
from gambol.corpus.table import in_group, integer
from gambol.errors import CommandError

command = in_group("shading")
RGB_SPEC = "r:number g:number b:number"
SHADE_SPEC = "diffuse:number specular:number exponent:number ambient:number"


def colour(r: float, g: float, b: float, full: float = 1.0) -> Colour:
    """A colour with parts from 0 to 1."""
    parts = (r / full, g / full, b / full)
    if not all(0.0 <= part <= 1.0 for part in parts):
        raise CommandError(f"the parts of a colour go from 0 to {full:g}, not {r:g} {g:g} {b:g}")
    return parts


def targets(interpreter: Interpreter, name: str) -> list[Appearance]:
    """The appearance of an object, or with ** that of objects to come."""
    return [interpreter.scene.default_appearance] if name == "**" else [interpreter.scene.find(name).appearance]


@command("color", f"object:object {RGB_SPEC}", "colour of an object, from 0 to 1")
def color(interpreter: Interpreter, obj: SceneObject, r: float, g: float, b: float) -> None:
    obj.appearance.colour = colour(r, g, b)


@command("icolor", f"object:object {RGB_SPEC}", "colour of an object, from 0 to 255")
def icolor(interpreter: Interpreter, obj: SceneObject, r: float, g: float, b: float) -> None:
    obj.appearance.colour = colour(r, g, b, 255.0)


@command("defaultcolor", f"object {RGB_SPEC}", "colour of objects to come")
def defaultcolor(interpreter: Interpreter, name: str, r: float, g: float, b: float) -> None:
    for appearance in targets(interpreter, name):
        appearance.colour = colour(r, g, b)


@command("defaulticolor", f"object {RGB_SPEC}", "colour of objects to come, from 0 to 255")
def defaulticolor(interpreter: Interpreter, name: str, r: float, g: float, b: float) -> None:
    for appearance in targets(interpreter, name):
        appearance.colour = colour(r, g, b, 255.0)


@command("defaultdefaultcolor", "", "objects to come are white again")
def defaultdefaultcolor(interpreter: Interpreter) -> None:
    interpreter.scene.default_appearance.colour = Appearance().colour


@command("specularcolor", f"object:object {RGB_SPEC}", "colour of the highlight")
def specularcolor(interpreter: Interpreter, obj: SceneObject, r: float, g: float, b: float) -> None:
    obj.appearance.specular_colour = colour(r, g, b)


@command("ispecularcolor", f"object:object {RGB_SPEC}", "colour of the highlight, from 0 to 255")
def ispecularcolor(interpreter: Interpreter, obj: SceneObject, r: float, g: float, b: float) -> None:
    obj.appearance.specular_colour = colour(r, g, b, 255.0)


@command("defaultspecularcolor", RGB_SPEC, "highlight of objects to come")
def defaultspecularcolor(interpreter: Interpreter, r: float, g: float, b: float) -> None:
    interpreter.scene.default_appearance.specular_colour = colour(r, g, b)


@command("defaultispecularcolor", RGB_SPEC, "highlight of objects to come, from 0 to 255")
def defaultispecularcolor(interpreter: Interpreter, r: float, g: float, b: float) -> None:
    interpreter.scene.default_appearance.specular_colour = colour(r, g, b, 255.0)


@command("defaultdefaultspecularcolor", "", "the highlight of objects to come is white again")
def defaultdefaultspecularcolor(interpreter: Interpreter) -> None:
    interpreter.scene.default_appearance.specular_colour = Appearance().specular_colour


@command("shadeparam", f"object:object {SHADE_SPEC}", "how the surface reflects")
def shadeparam(
    interpreter: Interpreter, obj: SceneObject, diffuse: float, specular: float, exponent: float, ambient: float
) -> None:
    obj.appearance.shade = (diffuse, specular, exponent, ambient)


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


@command("defaultdefaultshadeparam", "", "back to .6 .4 30 .025")
def defaultdefaultshadeparam(interpreter: Interpreter) -> None:
    interpreter.scene.default_appearance.shade = Appearance().shade


@command("trans", "object:object value:number", "transparency, 0 being opaque")
def trans(interpreter: Interpreter, obj: SceneObject, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"transparency goes from 0 to 1, it is {value:g}")
    obj.appearance.transparency = value


def _polygon(obj: SceneObject, index: int) -> int:
    if not 0 <= index < len(obj.geometry.faces):
        raise CommandError(f"{obj.name!r} has the polygons 0 to {len(obj.geometry.faces) - 1}; there is no {index}")
    return index


@command("polycolor", f"object:object polygon:integer {RGB_SPEC}", "colour of one polygon")
def polycolor(interpreter: Interpreter, obj: SceneObject, index: int, r: float, g: float, b: float) -> None:
    obj.appearance.polygons[_polygon(obj, index)] = colour(r, g, b)


@command("polyicolor", f"object:object polygon:integer {RGB_SPEC}", "colour of one polygon, from 0 to 255")
def polyicolor(interpreter: Interpreter, obj: SceneObject, index: int, r: float, g: float, b: float) -> None:
    obj.appearance.polygons[_polygon(obj, index)] = colour(r, g, b, 255.0)


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


@command("shademodel", "object:object model:p|g|h", "Phong, Gouraud or third mode; pictures shade whole triangles")
def shademodel(interpreter: Interpreter, obj: SceneObject, model: str) -> None:
    obj.appearance.model = model


@command("defaultshademodel", "model:p|g|h", "shading of objects to come")
def defaultshademodel(interpreter: Interpreter, model: str) -> None:
    interpreter.scene.default_appearance.model = model


@command("cull", "object:object switch:on|off", "leaves out polygons that face away")
def cull(interpreter: Interpreter, obj: SceneObject, switch: str) -> None:
    obj.appearance.culled = switch == "on"


@command("concave", "object:object switch:on|off", "the object has concave polygons")
def concave(interpreter: Interpreter, obj: SceneObject, switch: str) -> None:
    """Polygons are drawn as fans of triangles either way; remembered for those who read it back."""
    obj.appearance.culled = obj.appearance.culled and switch == "off"


@command("facet", "object:object", "flat shading")
def facet(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.faceted = True


@command("smooth", "object:object", "smooth shading")
def smooth(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.faceted = False


@command("defaultfacet", "", "flat shading for objects to come")
def defaultfacet(interpreter: Interpreter) -> None:
    interpreter.scene.default_appearance.faceted = True


@command("defaultsmooth", "", "smooth shading for objects to come")
def defaultsmooth(interpreter: Interpreter) -> None:
    interpreter.scene.default_appearance.faceted = False


@command("post", "object:object", "shows an object")
def post(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.shown = True


@command("unpost", "object:object", "hides an object")
def unpost(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.shown = False
