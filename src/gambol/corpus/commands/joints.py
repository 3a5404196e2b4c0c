"""Joints, muscles and motor programs."""

import math

from gambol.corpus import joint_settings as settings
from gambol.corpus.corpora import CorpusLink
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.joint_elements import joint_scale
from gambol.corpus.table import in_group, number
from gambol.errors import CommandError, nearest

command = in_group("dynamics")
MOTION_PARAMETERS = ("q", "dq", "ddq")
OTHER_PARAMETERS = (*MOTION_PARAMETERS, "Q", "Q_type", "springtype")
MOTOR_TARGETS = {"etarget": "e_q", "eatarget": "ea", "ktarget": "k_q"}


@command(
    "joint",
    "body:body parameter [value]",
    "sets or prints a value of a joint: q dq ddq Q Q_type springtype b k k_q "
    "ea eB e_q e_maxq and jlim_ q1 q2 k1 k2 b1 b2 ea1 ea2 eB1 eB2",
)
def joint(interpreter: Interpreter, link: CorpusLink, parameter: str, value: str | None) -> None:
    settings.checked_name(parameter, (*OTHER_PARAMETERS, *settings.JOINT_CONSTANTS))
    if value is None:
        interpreter.print(shown(interpreter, link, parameter))
        return
    engine = interpreter.worlds.current.engine
    if parameter == "springtype":
        if value not in settings.SPRING_SCALES:
            raise CommandError(f"springtype cannot be {value!r}{nearest(value, settings.SPRING_SCALES)}")
        link.joint.scale = value
        engine.invalidate()
        return
    amount = number(value, parameter)
    if parameter in MOTION_PARAMETERS:
        setattr(link, parameter, amount)
        engine.invalidate() if link.corpus.held else engine.invalidate_state()
    elif parameter == "Q_type":
        link.joint.bits = settings.checked_bits(amount, settings.JOINT_BITS)
        engine.invalidate()
    elif parameter == "Q":
        link.joint.force = link.joint.bias = amount
        engine.invalidate()
    else:
        _check_constant(parameter, amount)
        engine.motors.set_constant(link, parameter, amount)


def _check_constant(parameter: str, amount: float) -> None:
    if amount < 0 and parameter.removeprefix("jlim_").rstrip("12") in ("b", "k", "ea", "eB", "e_maxq"):
        raise CommandError(f"{parameter} must not be negative, it is {amount:g}")


def shown(interpreter: Interpreter, link: CorpusLink, parameter: str) -> str:
    """The present value, as text."""
    engine = interpreter.worlds.current.engine
    match parameter:
        case "q" | "dq":
            return f"{getattr(link, parameter):.12g}"
        case "ddq":
            moving = link.parent is not None and link.corpus.ready
            return f"{engine.measurements.acceleration(link) if moving else link.ddq:.12g}"
        case "Q":
            return f"{engine.measurements.joint_force(link) if link.corpus.ready else link.joint.force:.12g}"
        case "Q_type":
            return str(link.joint.bits)
        case "springtype":
            return link.joint.scale
    return f"{engine.motors.value(link, parameter):.12g}"


@command("jointstatus", "body:body", "prints the main values of a joint")
def jointstatus(interpreter: Interpreter, link: CorpusLink) -> None:
    interpreter.print(f"{link.name}: {link.kind} about " + " ".join(f"{x:.6g}" for x in link.axis))
    for parameter in (*MOTION_PARAMETERS, "Q", "Q_type", "springtype", "b", "k", "k_q", "ea", "eB", "e_q"):
        interpreter.print(f"  {parameter} {shown(interpreter, link, parameter)}")


@command("jointmotion", "body:body mode:free|kinematic", "forces move the joint, or it keeps a given acceleration")
def jointmotion(interpreter: Interpreter, link: CorpusLink, mode: str) -> None:
    if link.parent is None:
        raise CommandError(f"{link.name!r} is the root; use rootmotion")
    link.driven = mode == "kinematic"
    interpreter.worlds.current.engine.invalidate()


# ------------------------------------------------------------ motor programs
@command(
    "motor",
    "body:body what:etarget|eatarget|ktarget value:number duration:time",
    "moves the exponential rest position, its strength or the linear rest position to a value",
)
def motor(interpreter: Interpreter, link: CorpusLink, what: str, value: float, duration: float) -> None:
    interpreter.worlds.current.engine.motors.start(link, MOTOR_TARGETS[what], value, duration)


@command(
    "motorfile",
    "file:file what:etarget|eatarget|ktarget duration:time",
    "motor programs for all joints that a file names: rows of body value, or those of dumpcontrol",
)
def motorfile(interpreter: Interpreter, file: str, what: str, duration: float) -> None:
    for row in interpreter.files.text(file).splitlines():
        words = row.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise CommandError(f"a row must be `body value`, not {row!r}")
        link = interpreter.worlds.link(words[0])
        interpreter.worlds.current.engine.motors.start(
            link, MOTOR_TARGETS[what], number(words[1], "the value"), duration
        )


@command("dumpcontrol", "what:etarget|eatarget|ktarget file:file", "writes the targets of all joints, for motorfile")
def dumpcontrol(interpreter: Interpreter, what: str, file: str) -> None:
    engine = interpreter.worlds.current.engine
    rows = [
        f"{link.name} {engine.motors.value(link, MOTOR_TARGETS[what]):.17g}\n"
        for link in interpreter.worlds.finished_corpus.tree()
        if link.parent is not None
    ]
    interpreter.files.to_write(file).write_text("".join(rows), encoding="utf-8")


@command("jointmatchexp", "body:body", "the exponential rest position becomes the present one, and its spring acts")
def jointmatchexp(interpreter: Interpreter, link: CorpusLink) -> None:
    engine = interpreter.worlds.current.engine
    engine.motors.set_constant(link, "e_q", link.q)
    if not link.joint.has(settings.EXPONENTIAL_BIT):
        link.joint.bits |= settings.EXPONENTIAL_BIT
        engine.invalidate()


@command("jointmatchqtoexp", "body:body", "the joint goes to its exponential rest position")
def jointmatchqtoexp(interpreter: Interpreter, link: CorpusLink) -> None:
    engine = interpreter.worlds.current.engine
    link.q = engine.motors.value(link, "e_q")
    engine.invalidate_state()


# ------------------------------------------------------------ joint forces
def _summed(name: str, kind: str, help: str) -> None:
    @command(name, "body:body [switch]", help)
    def act(interpreter: Interpreter, link: CorpusLink, switch: str | None) -> None:
        sums = link.joint.sums
        if switch is None:
            if kind not in sums:
                raise CommandError(f"nothing is summed for {link.name!r}; begin with: {name} {link.name} 0")
            interpreter.print(f"{sums[kind]:.12g}")
        elif switch == "0":
            sums[kind], link.joint.since[kind] = 0.0, 0.0
            interpreter.worlds.current.engine.invalidate()
        elif switch == "off":
            sums.pop(kind, None)
        else:
            raise CommandError(f"after the body comes 0 (begin), off, or nothing (print), not {switch!r}")


_summed("jointQsum", "Q", "integral of the joint force over time: 0 begins, off ends, nothing prints")
_summed("jointQabssum", "abs", "integral of its size over time: 0 begins, off ends, nothing prints")


@command("jointQsumtoQ", "body:body", "the mean joint force since jointQsum began becomes Q")
def jointqsumtoq(interpreter: Interpreter, link: CorpusLink) -> None:
    if not link.joint.since.get("Q", 0.0) > 0 or "Q" not in link.joint.sums:
        raise CommandError(f"no time has been summed for {link.name!r}; begin with: jointQsum {link.name} 0")
    link.joint.force = link.joint.sums["Q"] / link.joint.since["Q"]


def _forces(interpreter: Interpreter) -> None:
    """Joint forces as they are now, except where a mean was taken."""
    engine = interpreter.worlds.current.engine
    for link in interpreter.worlds.finished_corpus.tree():
        if link.parent is not None and "Q" not in link.joint.sums:
            engine.measurements.joint_force(link)


@command("QtoQbias", "", "joint forces become bias forces")
def qtoqbias(interpreter: Interpreter) -> None:
    _forces(interpreter)
    for link in interpreter.worlds.finished_corpus.tree():
        link.joint.bias = link.joint.force
    interpreter.worlds.current.engine.invalidate()


@command("QbiastoQ", "", "bias forces are taken for the joint forces")
def qbiastoq(interpreter: Interpreter) -> None:
    for link in interpreter.worlds.finished_corpus.tree():
        link.joint.force = link.joint.bias


@command("QtoE_q", "", "inverse control: rest positions at which the exponential springs give the joint forces")
def qtoeq(interpreter: Interpreter) -> None:
    _forces(interpreter)
    engine = interpreter.worlds.current.engine
    for link in interpreter.worlds.finished_corpus.tree():
        if link.parent is None:
            continue
        strength = engine.motors.value(link, "ea") * joint_scale(link)
        rise = engine.motors.value(link, "eB")
        force = link.joint.force
        if force and not (strength > 0 and rise > 0):
            raise CommandError(f"{link.name!r} has no exponential spring (ea, eB) to give {force:.6g}")
        shift = math.copysign(math.log1p(abs(force) / strength) / rise, force) if force else 0.0
        engine.motors.set_constant(link, "e_q", link.q + shift)


# ------------------------------------------------------------ muscles
MUSCLE_WORDS = ("body2", "pulley_body", "Q", "Q_type")


@command("addmuscle", "name body:body", "a further force generator on a body")
def addmuscle(interpreter: Interpreter, name: str, link: CorpusLink) -> None:
    muscles = interpreter.worlds.current.muscles
    if name in muscles:
        raise CommandError(f"there is a muscle {name!r} already")
    muscles[name] = settings.MuscleSettings(name, link.full_name)


@command(
    "muscle",
    "muscle:muscle parameter [value]",
    "sets or prints a value of a muscle: those of a joint, body2, k2a k2b k2a_q k2b_q, attach_… and pulley_…",
)
def muscle(interpreter: Interpreter, item: settings.MuscleSettings, parameter: str, value: str | None) -> None:
    settings.checked_name(parameter, (*MUSCLE_WORDS, *settings.MUSCLE_CONSTANTS))
    if value is None:
        known = {"body2": item.body2, "pulley_body": item.pulley_body, "Q": item.bias, "Q_type": item.bits}
        interpreter.print(str(known[parameter] if parameter in known else f"{item.constants[parameter]:.12g}"))
        return
    if parameter in ("body2", "pulley_body"):
        setattr(item, parameter, interpreter.worlds.link(value).full_name)
    elif parameter == "Q_type":
        item.bits = settings.checked_bits(number(value, parameter), settings.MUSCLE_BITS)
    elif parameter == "Q":
        item.bias = number(value, parameter)
        item.bits |= settings.BIAS_BIT
    else:
        item.constants[parameter] = number(value, parameter)
    interpreter.worlds.current.engine.invalidate()
