"""Pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.corpus.commands.shading import RGB, colour
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import command
from gambol.errors import CommandError

GROUP = "render"


def _picture(it: Interpreter, image: Path | None, alpha: Path | None = None, depth: Path | None = None) -> None:
    studio = it.studio
    scanned = studio.software and studio.mode == "solid"
    if scanned or alpha is not None or depth is not None:
        from gambol.corpus.scan import save, scan

        made = scan(it.scene, studio)
        count, what = made.triangles, "triangles"
        if alpha is not None:
            save(made.coverage, alpha)
        if depth is not None:
            with depth.open("wb") as stream:
                np.save(stream, made.distance.astype(np.float32))
        if scanned:
            it.buffer.show(made.image)
            if image is not None:
                save(made.image, image)
    if not scanned:
        from gambol.corpus.picture import draw

        colours, count = draw(it.scene, studio, image)
        it.buffer.show(colours)
        what = "polygons"
    studio.drawn += 1
    if studio.chatty:
        name = f" to {image.name}" if image else ""
        it.note(f"rendering...done: {count} {what}{name}")
    if studio.dropped:
        it.warn(f"{studio.dropped} {what} lie beyond the clipping distances and were left out")


@command(
    "render",
    "[switch:on|off]",
    "draws the scene (to the file that render2file named); off: render does nothing",
    group=GROUP,
)
def render(it: Interpreter, switch: str | None) -> None:
    if switch is not None:
        it.studio.on = switch == "on"
        return
    if it.studio.on:
        _picture(it, *(it.files.to_write(name) if name else None for name in it.studio.files))


@command(
    "render2file",
    "[image:file] [alpha:file] [depth:file]",
    "pictures go to this file (PNG, or by the suffix), with coverage as PNG and distances as NumPy file; without a "
    "name, to none",
    group=GROUP,
)
def render2file(it: Interpreter, image: str | None, alpha: str | None, depth: str | None) -> None:
    for name in (image, alpha, depth):
        if name:
            it.files.to_write(name)
    it.studio.files = (image or "", alpha or "", depth or "")


@command("renderdisplay", "", "pictures go to no file", group=GROUP)
def renderdisplay(it: Interpreter) -> None:
    it.studio.files = ("", "", "")


@command("autofilename", "name", "begins the names of numbered pictures", group=GROUP)
def autofilename(it: Interpreter, name: str) -> None:
    it.studio.auto_name = name


@command("autofilenumber", "n:integer", "the number of the next one", group=GROUP)
def autofilenumber(it: Interpreter, n: int) -> None:
    it.studio.auto_number = n


@command("incrfilenumber", "", "the number after it", group=GROUP)
def incrfilenumber(it: Interpreter) -> None:
    it.studio.auto_number += 1


@command("autorender2file", "", "draws the next numbered picture", group=GROUP)
def autorender2file(it: Interpreter) -> None:
    path = it.files.to_write(f"{it.studio.auto_name}{it.studio.auto_number:04d}.png")
    _picture(it, path)
    it.studio.auto_number += 1


@command("renderprint", "switch:on|off", "says when it draws", group=GROUP)
def renderprint(it: Interpreter, switch: str) -> None:
    it.studio.chatty = switch == "on"


@command("renderwindowsize", "x:integer y:integer", "size of pictures in pixels", group=GROUP)
def renderwindowsize(it: Interpreter, x: int, y: int) -> None:
    from gambol.corpus.commands.camera import screensize

    screensize(it, x, y)


@command("antialias", "switch:on|off", "smooth edges", group=GROUP, aliases="aa")
def antialias(it: Interpreter, switch: str) -> None:
    it.studio.smooth = switch == "on"


@command("backgroundcolor", RGB, "colour behind everything", group=GROUP)
def backgroundcolor(it: Interpreter, r: float, g: float, b: float) -> None:
    it.studio.background = colour(r, g, b)


@command("setlinewidth", "pixels:number", "width of lines", group=GROUP)
def setlinewidth(it: Interpreter, pixels: float) -> None:
    if not pixels > 0:
        raise CommandError(f"a line is wider than nothing, not {pixels:g}")
    it.studio.line_width = pixels


@command("setpencolor", RGB, "colour of lines", group=GROUP)
def setpencolor(it: Interpreter, r: float, g: float, b: float) -> None:
    it.studio.pen = colour(r, g, b)


@command("edgeson", RGB, "draws the edges of triangles too", group=GROUP)
def edgeson(it: Interpreter, r: float, g: float, b: float) -> None:
    it.studio.edges = colour(r, g, b)


@command("edgesoff", "", "no edges", group=GROUP)
def edgesoff(it: Interpreter) -> None:
    it.studio.edges = None


def _mode(name: str, help: str, aliases: str = "") -> None:
    @command(name, "", help, group=GROUP, aliases=aliases)
    def act(it: Interpreter) -> None:
        it.studio.mode = name


_mode("solid", "draws filled triangles")
_mode("wireframe", "draws lines only", "wf")
_mode("outline", "draws lines only")
_mode("hollow", "draws lines only")
_mode("point", "draws corners only")


@command(
    "hardware",
    "switch:on|off",
    "on: whole polygons, far ones first, quickly; off: scan conversion with smooth shading",
    group=GROUP,
    aliases="hw",
)
def hardware(it: Interpreter, switch: str) -> None:
    it.studio.software = switch == "off"
