"""Lights."""

from __future__ import annotations

from gambol.corpus.commands.shading import RGB_SPEC, colour
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.render_settings import Light, vector
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import Point, in_group
from gambol.errors import CommandError

command = in_group("light")


def _new(interpreter: Interpreter, name: str, *, default: bool) -> None:
    if name in interpreter.rendering.lights:
        raise CommandError(f"there is a light {name!r} already")
    interpreter.rendering.lights[name] = Light(name, default=default)


@command("lightmake", "name", "a new light for all objects")
def lightmake(interpreter: Interpreter, name: str) -> None:
    _new(interpreter, name, default=True)


@command("lightmakeone", "name", "a new light for the objects that ask for it")
def lightmakeone(interpreter: Interpreter, name: str) -> None:
    _new(interpreter, name, default=False)


@command("lightclose", "light:light", "removes a light")
def lightclose(interpreter: Interpreter, light: Light) -> None:
    del interpreter.rendering.lights[light.name]


@command("lighton", "light:light", "switches a light on")
def lighton(interpreter: Interpreter, light: Light) -> None:
    light.on = True


@command("lightoff", "light:light", "switches a light off")
def lightoff(interpreter: Interpreter, light: Light) -> None:
    light.on = False


@command("pointlight", "light:light", "shines in all directions")
def pointlight(interpreter: Interpreter, light: Light) -> None:
    light.aim = None


@command("lightcolor", f"light:light {RGB_SPEC}", "colour, from 0 to 1")
def lightcolor(interpreter: Interpreter, light: Light, r: float, g: float, b: float) -> None:
    light.colour = colour(r, g, b)


@command("ilightcolor", f"light:light {RGB_SPEC}", "colour, from 0 to 255")
def ilightcolor(interpreter: Interpreter, light: Light, r: float, g: float, b: float) -> None:
    light.colour = colour(r, g, b, 255.0)


@command("lightwhite", "light:light value:number", "a grey of this level")
def lightwhite(interpreter: Interpreter, light: Light, value: float) -> None:
    light.colour = colour(value, value, value)


@command("lightdimmer", "light:light value:number", "brightness")
def lightdimmer(interpreter: Interpreter, light: Light, value: float) -> None:
    if value < 0:
        raise CommandError(f"brightness must not be negative, it is {value:g}")
    light.dimmer = value


def _falloff(name: str, kind: str, help: str) -> None:
    @command(name, "light:light", help)
    def act(interpreter: Interpreter, light: Light) -> None:
        light.falloff = kind


_falloff("lightlinear", "linear", "weakens with the distance")
_falloff("lightconstant", "constant", "does not weaken with distance")
_falloff("lightexp", "exp", "weakens exponentially with the distance")


@command("lightexponent", "light:light value:number", "how fast an exponential light weakens [1/m]")
def lightexponent(interpreter: Interpreter, light: Light, value: float) -> None:
    light.exponent = value


@command("lightpos", "light:light where:place", "where it stands")
def lightpos(interpreter: Interpreter, light: Light, where: Point) -> None:
    light.position = vector(where)


@command("lightpoint", "light:light where:place", "what it is aimed at")
def lightpoint(interpreter: Interpreter, light: Light, where: Point) -> None:
    light.aim = vector(where)


@command("lightangle", "light:light degrees:number", "half angle of its cone")
def lightangle(interpreter: Interpreter, light: Light, degrees: float) -> None:
    light.angle = degrees


@command("lightdeltaangle", "light:light degrees:number", "over which the cone fades")
def lightdeltaangle(interpreter: Interpreter, light: Light, degrees: float) -> None:
    light.fade_angle = degrees


@command("lightobj", "light:light object:object", "the object is lit by this light, and by those given so")
def lightobj(interpreter: Interpreter, light: Light, obj: SceneObject) -> None:
    obj.appearance.lights = [*(obj.appearance.lights or []), light.name]


@command("unlightobj", "light:light object:object", "takes the light from the object's own list")
def unlightobj(interpreter: Interpreter, light: Light, obj: SceneObject) -> None:
    if light.name not in (obj.appearance.lights or []):
        raise CommandError(f"{obj.name!r} was not given the light {light.name!r}")
    obj.appearance.lights = [name for name in obj.appearance.lights or [] if name != light.name]


@command("defaultlightobj", "object:object", "the object is lit by the default lights")
def defaultlightobj(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.lights = None


@command("defaultlightallobj", "", "all objects are lit by the default lights")
def defaultlightallobj(interpreter: Interpreter) -> None:
    for obj in interpreter.scene.objects.values():
        obj.appearance.lights = None


@command("shadows", "switch:on|off", "shadows on level ground")
def shadows(interpreter: Interpreter, switch: str) -> None:
    interpreter.rendering.shadows = switch == "on"


@command("shadow", "object:object", "the object casts a shadow")
def shadow(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.casts_shadow = True


@command("unshadow", "object:object", "the object casts no shadow")
def unshadow(interpreter: Interpreter, obj: SceneObject) -> None:
    obj.appearance.casts_shadow = False


@command("hazelevel", "value:number", "how much of the background far things take on, from 0 to 1")
def hazelevel(interpreter: Interpreter, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"haze goes from 0 to 1, it is {value:g}")
    interpreter.rendering.haze = (value, interpreter.rendering.haze[1])


@command("hazedistance", "value:number", "the distance of full haze [m]", aliases="hazediatance")
def hazedistance(interpreter: Interpreter, value: float) -> None:
    interpreter.rendering.haze = (interpreter.rendering.haze[0], value)
