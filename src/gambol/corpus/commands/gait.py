"""The hexapod's gait controller."""

from __future__ import annotations

from gambol.corpus.corpora import Link
from gambol.corpus.gait import Gait
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import command
from gambol.errors import CommandError

GROUP = "gait"


@command("addroach", "name", "makes a gait controller for the current figure and selects it", group=GROUP)
def addroach(it: Interpreter, name: str) -> None:
    if name in it.universe.gaits:
        raise CommandError(f"there is a gait controller {name!r} already")
    it.universe.gaits[name] = it.universe.gait = Gait(name, it.universe.corpus)


@command("setroach", "roach:roach", "selects a gait controller", group=GROUP)
def setroach(it: Interpreter, gait: Gait) -> None:
    it.universe.gait = gait


@command(
    "metabolism",
    "time:number",
    "step time = leg delay = this, cycle = twice this × speed, stance = the rest",
    group=GROUP,
)
def metabolism(it: Interpreter, time: float) -> None:
    it.universe.gait.set_metabolism(time)


@command("speed", "value:number", "1 is top speed, 2 half of it", group=GROUP)
def speed(it: Interpreter, value: float) -> None:
    it.universe.gait.set_speed(value)


def _value(name: str, field: str, help: str, aliases: str = "") -> None:
    @command(name, "value:number", help, group=GROUP, aliases=aliases)
    def act(it: Interpreter, value: float) -> None:
        if not value > 0 and field != "change":
            raise CommandError(f"{name} must be positive, it is {value:g}")
        setattr(it.universe.gait, field, value)


_value("deltaspeed", "change", "by which incrspeed changes the speed")
_value("topspeed", "top", "the smallest value incrspeed goes to (the fastest gait)")
_value("bottomspeed", "bottom", "the largest value incrspeed goes to (the slowest gait)")
_value("prottime", "step_time", "time of a step [s]", "protime")
_value("rettime", "stance_time", "time of a stance [s]")
_value("cycletime", "cycle_time", "period of the oscillators [s]")
_value("dlegtime", "delay", "delay between the legs of a side [s]")


@command("incrspeed", "", "changes the speed by deltaspeed", group=GROUP)
def incrspeed(it: Interpreter) -> None:
    it.universe.gait.increase()


@command("gaitinit", "", "puts all legs on the ground and the oscillators to their start", group=GROUP)
def gaitinit(it: Interpreter) -> None:
    it.universe.gait.initialise()


@command("gaitgo", "", "advances the controller by one frame, without simulating", group=GROUP)
def gaitgo(it: Interpreter) -> None:
    realm = it.universe.realm
    it.universe.gait.running = True
    it.universe.gait.advance(it, realm.time, realm.dt)


@command("procom", "leg:integer", "the commands, up to a full stop, that a leg runs when it begins a step", group=GROUP)
def procom(it: Interpreter, number: int) -> None:
    lines = it.collect()
    it.universe.gait.leg(number).step = lines


@command(
    "retcom", "leg:integer", "the commands, up to a full stop, that a leg runs when it begins its stance", group=GROUP
)
def retcom(it: Interpreter, number: int) -> None:
    lines = it.collect()
    it.universe.gait.leg(number).stance = lines


@command("stepreflex", "switch:on|off", "a leg steps when its joint passes its trigger", group=GROUP)
def stepreflex(it: Interpreter, switch: str) -> None:
    it.universe.gait.step_reflex = switch == "on"


@command("legstepreflex", "leg:integer body:body angle:number direction:+|-", "the trigger of a leg", group=GROUP)
def legstepreflex(it: Interpreter, number: int, link: Link, angle: float, direction: str) -> None:
    it.universe.gait.leg(number).trigger = (link, angle, direction)


@command("loadreflex", "switch:on|off", "a leg does not step while its joint is loaded", group=GROUP)
def loadreflex(it: Interpreter, switch: str) -> None:
    it.universe.gait.load_reflex = switch == "on"


@command("legloadreflex", "leg:integer body:body force:number", "the joint and the force that hold a leg", group=GROUP)
def legloadreflex(it: Interpreter, number: int, link: Link, force: float) -> None:
    it.universe.gait.leg(number).load = (link, force)


@command("legstatus", "leg:integer", "prints what a leg does", group=GROUP)
def legstatus(it: Interpreter, number: int) -> None:
    leg = it.universe.gait.leg(number)
    phase = it.universe.gait.phase_of(leg) % 360.0
    it.say(f"leg {number}: {leg.state} for {leg.since:.6g} s, phase {phase:.6g} degrees")
