"""How objects look."""

from __future__ import annotations

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Colour, Look, Thing
from gambol.corpus.table import command, integer
from gambol.errors import CommandError

GROUP = "shading"
RGB = "r:number g:number b:number"
SHADE = "diffuse:number specular:number exponent:number ambient:number"


def colour(r: float, g: float, b: float, full: float = 1.0) -> Colour:
    """A colour with parts from 0 to 1."""
    parts = (r / full, g / full, b / full)
    if not all(0.0 <= part <= 1.0 for part in parts):
        raise CommandError(f"the parts of a colour go from 0 to {full:g}, not {r:g} {g:g} {b:g}")
    return parts


def targets(it: Interpreter, name: str) -> list[Look]:
    """The look of an object, or with ** that of objects to come."""
    return [it.scene.default] if name == "**" else [it.scene.find(name).look]


@command("color", f"object:object {RGB}", "colour of an object, from 0 to 1", group=GROUP)
def color(it: Interpreter, thing: Thing, r: float, g: float, b: float) -> None:
    thing.look.colour = colour(r, g, b)


@command("icolor", f"object:object {RGB}", "colour of an object, from 0 to 255", group=GROUP)
def icolor(it: Interpreter, thing: Thing, r: float, g: float, b: float) -> None:
    thing.look.colour = colour(r, g, b, 255.0)


@command("defaultcolor", f"object {RGB}", "colour of objects to come", group=GROUP)
def defaultcolor(it: Interpreter, name: str, r: float, g: float, b: float) -> None:
    for look in targets(it, name):
        look.colour = colour(r, g, b)


@command("defaulticolor", f"object {RGB}", "colour of objects to come, from 0 to 255", group=GROUP)
def defaulticolor(it: Interpreter, name: str, r: float, g: float, b: float) -> None:
    for look in targets(it, name):
        look.colour = colour(r, g, b, 255.0)


@command("defaultdefaultcolor", "", "objects to come are white again", group=GROUP)
def defaultdefaultcolor(it: Interpreter) -> None:
    it.scene.default.colour = Look().colour


@command("specularcolor", f"object:object {RGB}", "colour of the highlight", group=GROUP)
def specularcolor(it: Interpreter, thing: Thing, r: float, g: float, b: float) -> None:
    thing.look.specular_colour = colour(r, g, b)


@command("ispecularcolor", f"object:object {RGB}", "colour of the highlight, from 0 to 255", group=GROUP)
def ispecularcolor(it: Interpreter, thing: Thing, r: float, g: float, b: float) -> None:
    thing.look.specular_colour = colour(r, g, b, 255.0)


@command("defaultspecularcolor", RGB, "highlight of objects to come", group=GROUP)
def defaultspecularcolor(it: Interpreter, r: float, g: float, b: float) -> None:
    it.scene.default.specular_colour = colour(r, g, b)


@command("defaultispecularcolor", RGB, "highlight of objects to come, from 0 to 255", group=GROUP)
def defaultispecularcolor(it: Interpreter, r: float, g: float, b: float) -> None:
    it.scene.default.specular_colour = colour(r, g, b, 255.0)


@command("defaultdefaultspecularcolor", "", "the highlight of objects to come is white again", group=GROUP)
def defaultdefaultspecularcolor(it: Interpreter) -> None:
    it.scene.default.specular_colour = Look().specular_colour


@command("shadeparam", f"object:object {SHADE}", "how the surface reflects", group=GROUP)
def shadeparam(it: Interpreter, thing: Thing, diffuse: float, specular: float, exponent: float, ambient: float) -> None:
    thing.look.shade = (diffuse, specular, exponent, ambient)


@command("defaultshadeparam", "numbers:text", "[**] diffuse specular exponent ambient of objects to come", group=GROUP)
def defaultshadeparam(it: Interpreter, text: str) -> None:
    words = [word for word in text.split() if word != "**"]
    if len(words) != 4:
        raise CommandError(f"expected four numbers: {SHADE.replace(':number', '')}; there are {len(words)}")
    try:
        diffuse, specular, exponent, ambient = map(float, words)
    except ValueError:
        raise CommandError(f"expected four numbers, not {text!r}") from None
    it.scene.default.shade = (diffuse, specular, exponent, ambient)


@command("defaultdefaultshadeparam", "", "back to .6 .4 30 .025", group=GROUP)
def defaultdefaultshadeparam(it: Interpreter) -> None:
    it.scene.default.shade = Look().shade


@command("trans", "object:object value:number", "transparency, 0 being opaque", group=GROUP)
def trans(it: Interpreter, thing: Thing, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"transparency goes from 0 to 1, it is {value:g}")
    thing.look.transparency = value


def _polygon(thing: Thing, index: int) -> int:
    if not 0 <= index < len(thing.geometry.faces):
        raise CommandError(f"{thing.name!r} has the polygons 0 to {len(thing.geometry.faces) - 1}; there is no {index}")
    return index


@command("polycolor", f"object:object polygon:integer {RGB}", "colour of one polygon", group=GROUP)
def polycolor(it: Interpreter, thing: Thing, index: int, r: float, g: float, b: float) -> None:
    thing.look.polygons[_polygon(thing, index)] = colour(r, g, b)


@command("polyicolor", f"object:object polygon:integer {RGB}", "colour of one polygon, from 0 to 255", group=GROUP)
def polyicolor(it: Interpreter, thing: Thing, index: int, r: float, g: float, b: float) -> None:
    thing.look.polygons[_polygon(thing, index)] = colour(r, g, b, 255.0)


@command("pcl", "object:object file:file", "colours of polygons from a file: rows of polygon r g b", group=GROUP)
def pcl(it: Interpreter, thing: Thing, file: str) -> None:
    for row in it.files.text(file).splitlines():
        words = row.split()
        if not words:
            continue
        try:
            r, g, b = map(float, words[1:])
        except ValueError:
            raise CommandError(f"a row must be `polygon r g b`, not {row!r}") from None
        thing.look.polygons[_polygon(thing, integer(words[0], "the polygon"))] = colour(r, g, b)


@command(
    "shademodel",
    "object:object model:p|g|h",
    "Phong, Gouraud or third mode; pictures shade whole triangles",
    group=GROUP,
)
def shademodel(it: Interpreter, thing: Thing, model: str) -> None:
    thing.look.model = model


@command("defaultshademodel", "model:p|g|h", "shading of objects to come", group=GROUP)
def defaultshademodel(it: Interpreter, model: str) -> None:
    it.scene.default.model = model


@command("cull", "object:object switch:on|off", "leaves out polygons that face away", group=GROUP)
def cull(it: Interpreter, thing: Thing, switch: str) -> None:
    thing.look.culled = switch == "on"


@command("concave", "object:object switch:on|off", "the object has concave polygons", group=GROUP)
def concave(it: Interpreter, thing: Thing, switch: str) -> None:
    """Polygons are drawn as fans of triangles either way; remembered for those who read it back."""
    thing.look.culled = thing.look.culled and switch == "off"


@command("facet", "object:object", "flat shading", group=GROUP)
def facet(it: Interpreter, thing: Thing) -> None:
    thing.look.faceted = True


@command("smooth", "object:object", "smooth shading", group=GROUP)
def smooth(it: Interpreter, thing: Thing) -> None:
    thing.look.faceted = False


@command("defaultfacet", "", "flat shading for objects to come", group=GROUP)
def defaultfacet(it: Interpreter) -> None:
    it.scene.default.faceted = True


@command("defaultsmooth", "", "smooth shading for objects to come", group=GROUP)
def defaultsmooth(it: Interpreter) -> None:
    it.scene.default.faceted = False


@command("post", "object:object", "shows an object", group=GROUP)
def post(it: Interpreter, thing: Thing) -> None:
    thing.look.shown = True


@command("unpost", "object:object", "hides an object", group=GROUP)
def unpost(it: Interpreter, thing: Thing) -> None:
    thing.look.shown = False
