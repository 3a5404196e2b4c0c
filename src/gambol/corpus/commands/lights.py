"""Lights."""

from gambol.corpus.actions import always, is_on, sets, sets_its
from gambol.corpus.commands.shading import RGB_SPEC, byte_colour, colour
from gambol.corpus.frame_buffer import checked_size
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.render_settings import Light, vector
from gambol.corpus.scene import NO_MAP, SceneObject
from gambol.corpus.table import fraction, in_group, not_negative
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


command("lighton", "light:light", "switches a light on")(sets_its("on", always(True)))
command("lightoff", "light:light", "switches a light off")(sets_its("on", always(False)))
command("pointlight", "light:light", "shines in all directions")(sets_its("aim", always(None)))
command("lightcolor", f"light:light {RGB_SPEC}", "colour, from 0 to 1")(sets_its("colour", colour))
command("ilightcolor", f"light:light {RGB_SPEC}", "colour, from 0 to 255")(sets_its("colour", byte_colour))
command("lightwhite", "light:light value:number", "a grey of this level")(
    sets_its("colour", lambda grey: colour(grey, grey, grey))
)
command("lightdimmer", "light:light value:number", "brightness")(
    sets_its("dimmer", lambda value: not_negative(value, "brightness"))
)


def _falloff(name: str, kind: str, help: str) -> None:
    @command(name, "light:light", help)
    def act(interpreter: Interpreter, light: Light) -> None:
        light.falloff = kind


_falloff("lightlinear", "linear", "weakens with the distance")
_falloff("lightconstant", "constant", "does not weaken with distance")
_falloff("lightexp", "exp", "weakens exponentially with the distance")


command("lightexponent", "light:light value:number", "how fast an exponential light weakens [1/m]")(
    sets_its("exponent")
)
command("lightpos", "light:light where:place", "where it stands")(sets_its("position", vector))
command("lightpoint", "light:light where:place", "what it is aimed at")(sets_its("aim", vector))
command("lightangle", "light:light degrees:number", "half angle of its cone")(sets_its("angle"))
command("lightdeltaangle", "light:light degrees:number", "over which the cone fades")(sets_its("fade_angle"))


@command("lightobj", "light:light object:object", "the object is lit by this light, and by those given so")
def lightobj(interpreter: Interpreter, light: Light, obj: SceneObject) -> None:
    obj.appearance.lights = [*(obj.appearance.lights or []), light.name]


@command("unlightobj", "light:light object:object", "takes the light from the object's own list")
def unlightobj(interpreter: Interpreter, light: Light, obj: SceneObject) -> None:
    if light.name not in (obj.appearance.lights or []):
        raise CommandError(f"{obj.name!r} was not given the light {light.name!r}")
    obj.appearance.lights = [name for name in obj.appearance.lights or [] if name != light.name]


command("defaultlightobj", "object:object", "the object is lit by the default lights")(
    sets_its("appearance.lights", always(None))
)


@command("defaultlightallobj", "", "all objects are lit by the default lights")
def defaultlightallobj(interpreter: Interpreter) -> None:
    for obj in interpreter.scene.objects.values():
        obj.appearance.lights = None


command("shadows", "switch:on|off", "shadows: of the first light on level ground, or by maps where lights have one")(
    sets("rendering.shadows", is_on)
)
command("shadow", "object:object", "the object casts a shadow")(sets_its("appearance.casts_shadow", always(True)))
command("unshadow", "object:object", "the object casts no shadow")(sets_its("appearance.casts_shadow", always(False)))


@command(
    "lightshadow",
    "light:light [file:file]",
    "the light casts shadows on everything, by a map that is kept in the file (distances, NumPy); NULL: not any more; "
    "drawn by scan conversion (hardware off) while shadows are on",
)
def lightshadow(interpreter: Interpreter, light: Light, file: str | None) -> None:
    if file and file.upper() != NO_MAP:
        interpreter.files.to_write(file)
    light.shadow_file = None if file and file.upper() == NO_MAP else file or ""


@command("shadowbias", "b1:number b2:number", "how much nearer than a shadow map says a point may lie: [m], samples")
def shadowbias(interpreter: Interpreter, first: float, second: float) -> None:
    interpreter.rendering.shadow_bias = (not_negative(first, "bias"), not_negative(second, "bias"))


@command("shadowres", "factor:number", "size of shadow maps, times shadowmapsize")
def shadowres(interpreter: Interpreter, factor: float) -> None:
    _check_map(factor, interpreter.rendering.shadow_size)
    interpreter.rendering.shadow_resolution = factor


@command("shadowmapsize", "w:integer h:integer", "samples of a shadow map")
def shadowmapsize(interpreter: Interpreter, width: int, height: int) -> None:
    _check_map(interpreter.rendering.shadow_resolution, (width, height))
    interpreter.rendering.shadow_size = (width, height)


def _check_map(factor: float, size: tuple[int, int]) -> None:
    checked_size(*(round(factor * side) for side in size))


@command("shadowminsize", "samples:number", "what is smaller on a shadow map casts no shadow")
def shadowminsize(interpreter: Interpreter, samples: float) -> None:
    interpreter.rendering.shadow_least = not_negative(samples, "the least size")


@command("shadowlightdensity", "light:light density:number", "darkness of a light's shadows by its map, 1: fully dark")
def shadowlightdensity(interpreter: Interpreter, light: Light, density: float) -> None:
    light.shadow_density = fraction(density, "density")


@command("hazelevel", "value:number", "how much of the background far things take on, from 0 to 1")
def hazelevel(interpreter: Interpreter, value: float) -> None:
    interpreter.rendering.haze = (fraction(value, "haze"), interpreter.rendering.haze[1])


@command("hazedistance", "value:number", "the distance of full haze [m]", aliases="hazediatance")
def hazedistance(interpreter: Interpreter, value: float) -> None:
    interpreter.rendering.haze = (interpreter.rendering.haze[0], value)
