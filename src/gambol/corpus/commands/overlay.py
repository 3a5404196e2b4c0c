"""Lines and rectangles over the picture."""

from gambol.corpus.actions import always, calls, sets, together
from gambol.corpus.commands.shading import RGB_SPEC, colour, transparency
from gambol.corpus.frame_buffer import Pen
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("lines")


command("lineinit", "", "begins with a fresh pen")(sets("buffer.pen", Pen))
command("linecolor", RGB_SPEC, "colour of lines")(sets("buffer.pen.colour", colour))
command("fill_color", RGB_SPEC, "colour of rectangles")(sets("buffer.pen.fill", colour))
command("linetrans", "value:number", "transparency, 0 being opaque")(sets("buffer.pen.transparency", transparency))
command("lineclip", "x0:number y0:number x1:number y1:number", "nothing is drawn outside")(
    sets("buffer.pen.clip", together)
)
command("lineclipoff", "", "no more clipping")(sets("buffer.pen.clip", always(None)))
command("linemove", "x:number y:number thickness:number", "moves the pen")(
    sets("buffer.pen.at", lambda x, y, wide: (x, y, _thick(wide)))
)
command("linedraw", "x:number y:number thickness:number", "draws a line from the pen to here")(
    lambda interpreter, x, y, wide: interpreter.buffer.line(x, y, _thick(wide))
)
command("linedone", "", "takes the pen away")(sets("buffer.pen.at", always(None)))
command("rectangle", "x1:number y1:number x2:number y2:number", "a filled rectangle")(calls("buffer.rectangle"))


def _thick(value: float) -> float:
    if not 0.0 < value <= 1000.0:
        raise CommandError(f"a line is up to 1000 pixels thick, not {value:g}")
    return value
