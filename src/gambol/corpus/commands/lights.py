"""Lights."""

from __future__ import annotations

from gambol.corpus.commands.shading import RGB, colour
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Thing
from gambol.corpus.studio import Light, vector
from gambol.corpus.table import Point, command
from gambol.errors import CommandError

GROUP = "light"


def _new(it: Interpreter, name: str, *, default: bool) -> None:
    if name in it.studio.lights:
        raise CommandError(f"there is a light {name!r} already")
    it.studio.lights[name] = Light(name, default=default)


@command("lightmake", "name", "a new light for all objects", group=GROUP)
def lightmake(it: Interpreter, name: str) -> None:
    _new(it, name, default=True)


@command("lightmakeone", "name", "a new light for the objects that ask for it", group=GROUP)
def lightmakeone(it: Interpreter, name: str) -> None:
    _new(it, name, default=False)


@command("lightclose", "light:light", "removes a light", group=GROUP)
def lightclose(it: Interpreter, light: Light) -> None:
    del it.studio.lights[light.name]


@command("lighton", "light:light", "switches a light on", group=GROUP)
def lighton(it: Interpreter, light: Light) -> None:
    light.on = True


@command("lightoff", "light:light", "switches a light off", group=GROUP)
def lightoff(it: Interpreter, light: Light) -> None:
    light.on = False


@command("pointlight", "light:light", "shines in all directions", group=GROUP)
def pointlight(it: Interpreter, light: Light) -> None:
    light.aim = None


@command("lightcolor", f"light:light {RGB}", "colour, from 0 to 1", group=GROUP)
def lightcolor(it: Interpreter, light: Light, r: float, g: float, b: float) -> None:
    light.colour = colour(r, g, b)


@command("ilightcolor", f"light:light {RGB}", "colour, from 0 to 255", group=GROUP)
def ilightcolor(it: Interpreter, light: Light, r: float, g: float, b: float) -> None:
    light.colour = colour(r, g, b, 255.0)


@command("lightwhite", "light:light value:number", "a grey of this level", group=GROUP)
def lightwhite(it: Interpreter, light: Light, value: float) -> None:
    light.colour = colour(value, value, value)


@command("lightdimmer", "light:light value:number", "brightness", group=GROUP)
def lightdimmer(it: Interpreter, light: Light, value: float) -> None:
    if value < 0:
        raise CommandError(f"brightness must not be negative, it is {value:g}")
    light.dimmer = value


def _falloff(name: str, kind: str, help: str) -> None:
    @command(name, "light:light", help, group=GROUP)
    def act(it: Interpreter, light: Light) -> None:
        light.falloff = kind


_falloff("lightlinear", "linear", "weakens with the distance")
_falloff("lightconstant", "constant", "does not weaken with distance")
_falloff("lightexp", "exp", "weakens exponentially with the distance")


@command("lightexponent", "light:light value:number", "how fast an exponential light weakens [1/m]", group=GROUP)
def lightexponent(it: Interpreter, light: Light, value: float) -> None:
    light.exponent = value


@command("lightpos", "light:light where:place", "where it stands", group=GROUP)
def lightpos(it: Interpreter, light: Light, where: Point) -> None:
    light.position = vector(where)


@command("lightpoint", "light:light where:place", "what it is aimed at", group=GROUP)
def lightpoint(it: Interpreter, light: Light, where: Point) -> None:
    light.aim = vector(where)


@command("lightangle", "light:light degrees:number", "half angle of its cone", group=GROUP)
def lightangle(it: Interpreter, light: Light, degrees: float) -> None:
    light.angle = degrees


@command("lightdeltaangle", "light:light degrees:number", "over which the cone fades", group=GROUP)
def lightdeltaangle(it: Interpreter, light: Light, degrees: float) -> None:
    light.soft = degrees


@command("lightobj", "light:light object:object", "the object is lit by this light, and by those given so", group=GROUP)
def lightobj(it: Interpreter, light: Light, thing: Thing) -> None:
    thing.look.lights = [*(thing.look.lights or []), light.name]


@command("unlightobj", "light:light object:object", "takes the light from the object's own list", group=GROUP)
def unlightobj(it: Interpreter, light: Light, thing: Thing) -> None:
    if light.name not in (thing.look.lights or []):
        raise CommandError(f"{thing.name!r} was not given the light {light.name!r}")
    thing.look.lights = [name for name in thing.look.lights or [] if name != light.name]


@command("defaultlightobj", "object:object", "the object is lit by the default lights", group=GROUP)
def defaultlightobj(it: Interpreter, thing: Thing) -> None:
    thing.look.lights = None


@command("defaultlightallobj", "", "all objects are lit by the default lights", group=GROUP)
def defaultlightallobj(it: Interpreter) -> None:
    for thing in it.scene.things.values():
        thing.look.lights = None


@command("shadows", "switch:on|off", "shadows on level ground", group=GROUP)
def shadows(it: Interpreter, switch: str) -> None:
    it.studio.shadows = switch == "on"


@command("shadow", "object:object", "the object casts a shadow", group=GROUP)
def shadow(it: Interpreter, thing: Thing) -> None:
    thing.look.casts_shadow = True


@command("unshadow", "object:object", "the object casts no shadow", group=GROUP)
def unshadow(it: Interpreter, thing: Thing) -> None:
    thing.look.casts_shadow = False


@command("hazelevel", "value:number", "how much of the background far things take on, from 0 to 1", group=GROUP)
def hazelevel(it: Interpreter, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"haze goes from 0 to 1, it is {value:g}")
    it.studio.haze = (value, it.studio.haze[1])


@command("hazedistance", "value:number", "the distance of full haze [m]", group=GROUP, aliases="hazediatance")
def hazedistance(it: Interpreter, value: float) -> None:
    it.studio.haze = (it.studio.haze[0], value)
