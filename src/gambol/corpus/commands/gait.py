"""The roach's gait controller."""

from gambol.corpus.actions import calls, is_on, sets
from gambol.corpus.corpora import CorpusLink
from gambol.corpus.gait import GaitController
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("gait")


@command("addroach", "name", "makes a gait controller for the current figure and selects it")
def addroach(interpreter: Interpreter, name: str) -> None:
    if name in interpreter.worlds.gaits:
        raise CommandError(f"there is a gait controller {name!r} already")
    interpreter.worlds.gaits[name] = interpreter.worlds.gait = GaitController(
        name, interpreter.worlds.corpus, interpreter.worlds.current
    )


command("setroach", "roach:roach", "selects a gait controller")(sets("worlds.gait"))
command("metabolism", "time:number", "step time = leg delay = this, cycle = twice this × speed, stance = the rest")(
    calls("worlds.gait.set_metabolism")
)
command("speed", "value:number", "1 is top speed, 2 half of it")(calls("worlds.gait.set_speed"))


def _value(name: str, field: str, help: str, aliases: str = "") -> None:
    @command(name, "value:number", help, aliases=aliases)
    def act(interpreter: Interpreter, value: float) -> None:
        if not value > 0 and field != "speed_increment":
            raise CommandError(f"{name} must be positive, it is {value:g}")
        setattr(interpreter.worlds.gait, field, value)


_value("deltaspeed", "speed_increment", "by which incrspeed changes the speed")
_value("topspeed", "top_speed", "the smallest value incrspeed goes to (the fastest gait)")
_value("bottomspeed", "bottom_speed", "the largest value incrspeed goes to (the slowest gait)")
_value("prottime", "step_time", "time of a step [s]", "protime")
_value("rettime", "stance_time", "time of a stance [s]")
_value("cycletime", "cycle_time", "period of the oscillators [s]")
_value("dlegtime", "leg_delay", "delay between the legs of a side [s]")


command("incrspeed", "", "changes the speed by deltaspeed")(calls("worlds.gait.increase"))
command("gaitinit", "", "puts all legs on the ground and the oscillators to their start")(
    calls("worlds.gait.initialise")
)


@command("gaitgo", "", "advances the controller by one frame, without simulating")
def gaitgo(interpreter: Interpreter) -> None:
    interpreter.worlds.gait.running = True
    interpreter.worlds.gait.advance()


def _program(name: str, phase: str, begins: str) -> None:
    @command(name, "leg:integer", f"the commands, up to a full stop, that a leg runs when it begins {begins}")
    def act(interpreter: Interpreter, number: int) -> None:
        lines = interpreter.read_block()
        setattr(interpreter.worlds.gait.leg(number), phase, lines)


_program("procom", "step", "a step")
_program("retcom", "stance", "its stance")


command("stepreflex", "switch:on|off", "a leg steps when its joint passes its trigger")(
    sets("worlds.gait.step_reflex", is_on)
)


@command("legstepreflex", "leg:integer body:body angle:number direction:+|-", "the trigger of a leg")
def legstepreflex(interpreter: Interpreter, number: int, link: CorpusLink, angle: float, direction: str) -> None:
    interpreter.worlds.gait.leg(number).trigger = (link, angle, direction)


command("loadreflex", "switch:on|off", "a leg does not step while its joint is loaded")(
    sets("worlds.gait.load_reflex", is_on)
)


@command("legloadreflex", "leg:integer body:body force:number", "the joint and the force that hold a leg")
def legloadreflex(interpreter: Interpreter, number: int, link: CorpusLink, force: float) -> None:
    interpreter.worlds.gait.leg(number).load = (link, force)


@command("legstatus", "leg:integer", "prints what a leg does")
def legstatus(interpreter: Interpreter, number: int) -> None:
    leg = interpreter.worlds.gait.leg(number)
    phase = interpreter.worlds.gait.phase_of(leg) % 360.0
    interpreter.print(f"leg {number}: {leg.state} for {leg.since:.6g} s, phase {phase:.6g} degrees")
