"""Pictures."""

from pathlib import Path

import numpy as np

from gambol.corpus.actions import always, is_on, sets
from gambol.corpus.commands.camera import screensize
from gambol.corpus.commands.shading import RGB_SPEC, colour
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("render")


def _picture(
    interpreter: Interpreter, image: Path | None, alpha: Path | None = None, depth: Path | None = None
) -> None:
    rendering = interpreter.rendering
    scanned = rendering.scan_conversion and rendering.mode == "solid"
    if scanned or alpha is not None or depth is not None:
        from gambol.corpus.scan import save_image, scan_convert

        made = scan_convert(interpreter.scene, rendering)
        count, what = made.triangles, "triangles"
        if alpha is not None:
            save_image(made.coverage, alpha)
        if depth is not None:
            with depth.open("wb") as stream:
                np.save(stream, made.distance.astype(np.float32))
        for name, shadow in made.shadow_maps.items():
            if file := rendering.lights[name].shadow_file:
                with interpreter.files.to_write(file).open("wb") as stream:
                    np.save(stream, shadow.distance.astype(np.float32))
        if scanned:
            interpreter.buffer.show(made.image)
            if image is not None:
                save_image(made.image, image)
    if not scanned:
        from gambol.corpus.picture import draw_scene

        _tell_of_maps(interpreter)

        colours, count = draw_scene(interpreter.scene, rendering, image)
        interpreter.buffer.show(colours)
        what = "polygons"
    rendering.picture_count += 1
    if rendering.verbose:
        name = f" to {image.name}" if image else ""
        interpreter.info(f"rendering...done: {count} {what}{name}")
    for obj in interpreter.scene.objects.values():
        if obj.appearance.shown and obj.texture_points is None and obj.needs_coordinates:
            interpreter.warn(f"{obj.name!r} has a map and no texture coordinates: objxyuv, renderuv, objuv, pointuv")
    if rendering.clipped_count:
        interpreter.warn(f"{rendering.clipped_count} {what} lie beyond the clipping distances and were left out")


def _tell_of_maps(interpreter: Interpreter) -> None:
    """Whole polygons have one colour each."""
    shown = [obj for obj in interpreter.scene.objects.values() if obj.appearance.shown]
    lights = interpreter.rendering.lights.values()
    by_map = interpreter.rendering.shadows and any(light.shadow_file is not None for light in lights)
    if by_map or any(obj.mapped or obj.clear_points is not None for obj in shown):
        interpreter.warn("maps are drawn by scan conversion alone: hardware off")


@command("render", "[switch:on|off]", "draws the scene (to the file that render2file named); off: render does nothing")
def render(interpreter: Interpreter, switch: str | None) -> None:
    if switch is not None:
        interpreter.rendering.enabled = switch == "on"
        return
    if interpreter.rendering.enabled:
        _picture(
            interpreter, *(interpreter.files.to_write(name) if name else None for name in interpreter.rendering.files)
        )


@command(
    "render2file",
    "[image:file] [alpha:file] [depth:file]",
    "pictures go to this file (PNG, or by the suffix), with coverage as PNG and distances as NumPy file; without a "
    "name, to none",
)
def render2file(interpreter: Interpreter, image: str | None, alpha: str | None, depth: str | None) -> None:
    for name in (image, alpha, depth):
        if name:
            interpreter.files.to_write(name)
    interpreter.rendering.files = (image or "", alpha or "", depth or "")


command("renderdisplay", "", "pictures go to no file")(sets("rendering.files", always(("", "", ""))))
command("autofilename", "name", "begins the names of numbered pictures")(sets("rendering.auto_name"))
command("autofilenumber", "n:integer", "the number of the next one")(sets("rendering.auto_number"))


@command("incrfilenumber", "", "the number after it")
def incrfilenumber(interpreter: Interpreter) -> None:
    interpreter.rendering.auto_number += 1


@command("autorender2file", "", "draws the next numbered picture")
def autorender2file(interpreter: Interpreter) -> None:
    path = interpreter.files.to_write(f"{interpreter.rendering.auto_name}{interpreter.rendering.auto_number:04d}.png")
    _picture(interpreter, path)
    interpreter.rendering.auto_number += 1


command("renderprint", "switch:on|off", "says when it draws")(sets("rendering.verbose", is_on))
command("renderwindowsize", "x:integer y:integer", "size of pictures in pixels")(screensize)
command("antialias", "switch:on|off", "smooth edges", aliases="aa")(sets("rendering.antialias", is_on))
command("backgroundcolor", RGB_SPEC, "colour behind everything")(sets("rendering.background", colour))


@command("setlinewidth", "pixels:number", "width of lines")
def setlinewidth(interpreter: Interpreter, pixels: float) -> None:
    if not pixels > 0:
        raise CommandError(f"a line is wider than nothing, not {pixels:g}")
    interpreter.rendering.line_width = pixels


command("setpencolor", RGB_SPEC, "colour of lines")(sets("rendering.line_colour", colour))
command("edgeson", RGB_SPEC, "draws the edges of triangles too")(sets("rendering.edge_colour", colour))
command("edgesoff", "", "no edges")(sets("rendering.edge_colour", always(None)))


def _mode(name: str, help: str, aliases: str = "") -> None:
    @command(name, "", help, aliases=aliases)
    def act(interpreter: Interpreter) -> None:
        interpreter.rendering.mode = name


_mode("solid", "draws filled triangles")
_mode("wireframe", "draws lines only", "wf")
_mode("outline", "draws lines only")
_mode("hollow", "draws lines only")
_mode("point", "draws corners only")


@command(
    "hardware",
    "switch:on|off",
    "on: whole polygons, far ones first, quickly; off: scan conversion with smooth shading",
    aliases="hw",
)
def hardware(interpreter: Interpreter, switch: str) -> None:
    interpreter.rendering.scan_conversion = switch == "off"
