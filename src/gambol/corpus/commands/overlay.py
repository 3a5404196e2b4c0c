"""Lines and rectangles over the picture."""

from __future__ import annotations

from gambol.corpus.commands.shading import RGB, colour
from gambol.corpus.frame_buffer import Pen
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import command
from gambol.errors import CommandError

GROUP = "lines"


@command("lineinit", "", "begins with a fresh pen", group=GROUP)
def lineinit(it: Interpreter) -> None:
    it.buffer.pen = Pen()


@command("linecolor", RGB, "colour of lines", group=GROUP)
def linecolor(it: Interpreter, r: float, g: float, b: float) -> None:
    it.buffer.pen.colour = colour(r, g, b)


@command("fill_color", RGB, "colour of rectangles", group=GROUP)
def fill_color(it: Interpreter, r: float, g: float, b: float) -> None:
    it.buffer.pen.fill = colour(r, g, b)


@command("linetrans", "value:number", "transparency, 0 being opaque", group=GROUP)
def linetrans(it: Interpreter, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"transparency goes from 0 to 1, it is {value:g}")
    it.buffer.pen.transparency = value


@command("lineclip", "x0:number y0:number x1:number y1:number", "nothing is drawn outside", group=GROUP)
def lineclip(it: Interpreter, x0: float, y0: float, x1: float, y1: float) -> None:
    it.buffer.pen.clip = (x0, y0, x1, y1)


@command("lineclipoff", "", "no more clipping", group=GROUP)
def lineclipoff(it: Interpreter) -> None:
    it.buffer.pen.clip = None


@command("linemove", "x:number y:number thickness:number", "moves the pen", group=GROUP)
def linemove(it: Interpreter, x: float, y: float, thickness: float) -> None:
    it.buffer.pen.at = (x, y, _thick(thickness))


@command("linedraw", "x:number y:number thickness:number", "draws a line from the pen to here", group=GROUP)
def linedraw(it: Interpreter, x: float, y: float, thickness: float) -> None:
    it.buffer.line(x, y, _thick(thickness))


@command("linedone", "", "takes the pen away", group=GROUP)
def linedone(it: Interpreter) -> None:
    it.buffer.pen.at = None


@command("rectangle", "x1:number y1:number x2:number y2:number", "a filled rectangle", group=GROUP)
def rectangle(it: Interpreter, x1: float, y1: float, x2: float, y2: float) -> None:
    it.buffer.rectangle(x1, y1, x2, y2)


def _thick(value: float) -> float:
    if not 0.0 < value <= 1000.0:
        raise CommandError(f"a line is up to 1000 pixels thick, not {value:g}")
    return value
