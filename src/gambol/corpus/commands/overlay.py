"""Lines and rectangles over the picture."""

from __future__ import annotations

from gambol.corpus.commands.shading import RGB_SPEC, colour
from gambol.corpus.frame_buffer import Pen
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("lines")


@command("lineinit", "", "begins with a fresh pen")
def lineinit(interpreter: Interpreter) -> None:
    interpreter.buffer.pen = Pen()


@command("linecolor", RGB_SPEC, "colour of lines")
def linecolor(interpreter: Interpreter, r: float, g: float, b: float) -> None:
    interpreter.buffer.pen.colour = colour(r, g, b)


@command("fill_color", RGB_SPEC, "colour of rectangles")
def fill_color(interpreter: Interpreter, r: float, g: float, b: float) -> None:
    interpreter.buffer.pen.fill = colour(r, g, b)


@command("linetrans", "value:number", "transparency, 0 being opaque")
def linetrans(interpreter: Interpreter, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"transparency goes from 0 to 1, it is {value:g}")
    interpreter.buffer.pen.transparency = value


@command("lineclip", "x0:number y0:number x1:number y1:number", "nothing is drawn outside")
def lineclip(interpreter: Interpreter, x0: float, y0: float, x1: float, y1: float) -> None:
    interpreter.buffer.pen.clip = (x0, y0, x1, y1)


@command("lineclipoff", "", "no more clipping")
def lineclipoff(interpreter: Interpreter) -> None:
    interpreter.buffer.pen.clip = None


@command("linemove", "x:number y:number thickness:number", "moves the pen")
def linemove(interpreter: Interpreter, x: float, y: float, thickness: float) -> None:
    interpreter.buffer.pen.at = (x, y, _thick(thickness))


@command("linedraw", "x:number y:number thickness:number", "draws a line from the pen to here")
def linedraw(interpreter: Interpreter, x: float, y: float, thickness: float) -> None:
    interpreter.buffer.line(x, y, _thick(thickness))


@command("linedone", "", "takes the pen away")
def linedone(interpreter: Interpreter) -> None:
    interpreter.buffer.pen.at = None


@command("rectangle", "x1:number y1:number x2:number y2:number", "a filled rectangle")
def rectangle(interpreter: Interpreter, x1: float, y1: float, x2: float, y2: float) -> None:
    interpreter.buffer.rectangle(x1, y1, x2, y2)


def _thick(value: float) -> float:
    if not 0.0 < value <= 1000.0:
        raise CommandError(f"a line is up to 1000 pixels thick, not {value:g}")
    return value
