"""Joints, muscles and motor programs."""

from __future__ import annotations

import math

from gambol.corpus.corpora import Link
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.joint_elements import joint_scale
from gambol.corpus.joint_settings import (
    BIAS,
    EXPONENTIAL,
    JOINT_BITS,
    MUSCLE_BITS,
    MUSCLE_NUMBERS,
    NUMBERS,
    SCALES,
    Muscle,
    checked_bits,
    checked_name,
)
from gambol.corpus.table import command, number
from gambol.errors import CommandError, nearest

GROUP = "dynamics"
MOTION = ("q", "dq", "ddq")
OTHERS = (*MOTION, "Q", "Q_type", "springtype")
TARGETS = {"etarget": "e_q", "eatarget": "ea", "ktarget": "k_q"}


@command(
    "joint",
    "body:body parameter [value]",
    "sets or prints a value of a joint: q dq ddq Q Q_type springtype b k k_q "
    "ea eB e_q e_maxq and jlim_ q1 q2 k1 k2 b1 b2 ea1 ea2 eB1 eB2",
    group=GROUP,
)
def joint(it: Interpreter, link: Link, parameter: str, value: str | None) -> None:
    checked_name(parameter, (*OTHERS, *NUMBERS))
    if value is None:
        it.say(shown(it, link, parameter))
        return
    engine = it.universe.realm.engine
    if parameter == "springtype":
        if value not in SCALES:
            raise CommandError(f"springtype cannot be {value!r}{nearest(value, SCALES)}")
        link.joint.scale = value
        engine.rebuild()
        return
    amount = number(value, parameter)
    if parameter in MOTION:
        setattr(link, parameter, amount)
        engine.rebuild() if link.corpus.held else engine.resend()
    elif parameter == "Q_type":
        link.joint.bits = checked_bits(amount, JOINT_BITS)
        engine.rebuild()
    elif parameter == "Q":
        link.joint.force = link.joint.bias = amount
        engine.rebuild()
    else:
        _check_constant(parameter, amount)
        engine.motors.set_constant(link, parameter, amount)


def _check_constant(parameter: str, amount: float) -> None:
    if amount < 0 and parameter.removeprefix("jlim_").rstrip("12") in ("b", "k", "ea", "eB", "e_maxq"):
        raise CommandError(f"{parameter} must not be negative, it is {amount:g}")


def shown(it: Interpreter, link: Link, parameter: str) -> str:
    """The present value, as text."""
    engine = it.universe.realm.engine
    match parameter:
        case "q" | "dq":
            return f"{getattr(link, parameter):.12g}"
        case "ddq":
            moving = link.parent is not None and link.corpus.ready
            return f"{engine.readings.acceleration(link) if moving else link.ddq:.12g}"
        case "Q":
            return f"{engine.readings.joint_force(link) if link.corpus.ready else link.joint.force:.12g}"
        case "Q_type":
            return str(link.joint.bits)
        case "springtype":
            return link.joint.scale
    return f"{engine.motors.value(link, parameter):.12g}"


@command("jointstatus", "body:body", "prints the main values of a joint", group=GROUP)
def jointstatus(it: Interpreter, link: Link) -> None:
    it.say(f"{link.name}: {link.kind} about " + " ".join(f"{x:.6g}" for x in link.axis))
    for parameter in (*MOTION, "Q", "Q_type", "springtype", "b", "k", "k_q", "ea", "eB", "e_q"):
        it.say(f"  {parameter} {shown(it, link, parameter)}")


@command(
    "jointmotion",
    "body:body mode:free|kinematic",
    "forces move the joint, or it keeps a given acceleration",
    group=GROUP,
)
def jointmotion(it: Interpreter, link: Link, mode: str) -> None:
    if link.parent is None:
        raise CommandError(f"{link.name!r} is the root; use rootmotion")
    link.driven = mode == "kinematic"
    it.universe.realm.engine.rebuild()


# ------------------------------------------------------------ motor programs
@command(
    "motor",
    "body:body what:etarget|eatarget|ktarget value:number duration:time",
    "moves the exponential rest position, its strength or the linear rest position to a value",
    group=GROUP,
)
def motor(it: Interpreter, link: Link, what: str, value: float, duration: float) -> None:
    it.universe.realm.engine.motors.start(link, TARGETS[what], value, duration)


@command(
    "motorfile",
    "file:file what:etarget|eatarget|ktarget duration:time",
    "motor programs for all joints that a file names: rows of body value, or those of dumpcontrol",
    group=GROUP,
)
def motorfile(it: Interpreter, file: str, what: str, duration: float) -> None:
    for row in it.files.text(file).splitlines():
        words = row.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise CommandError(f"a row must be `body value`, not {row!r}")
        link = it.universe.link(words[0])
        it.universe.realm.engine.motors.start(link, TARGETS[what], number(words[1], "the value"), duration)


@command(
    "dumpcontrol",
    "what:etarget|eatarget|ktarget file:file",
    "writes the targets of all joints, for motorfile",
    group=GROUP,
)
def dumpcontrol(it: Interpreter, what: str, file: str) -> None:
    engine = it.universe.realm.engine
    rows = [
        f"{link.name} {engine.motors.value(link, TARGETS[what]):.17g}\n"
        for link in it.universe.built.tree()
        if link.parent is not None
    ]
    it.files.to_write(file).write_text("".join(rows), encoding="utf-8")


@command(
    "jointmatchexp",
    "body:body",
    "the exponential rest position becomes the present one, and its spring acts",
    group=GROUP,
)
def jointmatchexp(it: Interpreter, link: Link) -> None:
    engine = it.universe.realm.engine
    engine.motors.set_constant(link, "e_q", link.q)
    if not link.joint.has(EXPONENTIAL):
        link.joint.bits |= EXPONENTIAL
        engine.rebuild()


@command("jointmatchqtoexp", "body:body", "the joint goes to its exponential rest position", group=GROUP)
def jointmatchqtoexp(it: Interpreter, link: Link) -> None:
    engine = it.universe.realm.engine
    link.q = engine.motors.value(link, "e_q")
    engine.resend()


# ------------------------------------------------------------ joint forces
def _summed(name: str, kind: str, help: str) -> None:
    @command(name, "body:body [switch]", help, group=GROUP)
    def act(it: Interpreter, link: Link, switch: str | None) -> None:
        sums = link.joint.sums
        if switch is None:
            if kind not in sums:
                raise CommandError(f"nothing is summed for {link.name!r}; begin with: {name} {link.name} 0")
            it.say(f"{sums[kind]:.12g}")
        elif switch == "0":
            sums[kind], link.joint.since[kind] = 0.0, 0.0
        elif switch == "off":
            sums.pop(kind, None)
        else:
            raise CommandError(f"after the body comes 0 (begin), off, or nothing (print), not {switch!r}")


_summed("jointQsum", "Q", "integral of the joint force over time: 0 begins, off ends, nothing prints")
_summed("jointQabssum", "abs", "integral of its size over time: 0 begins, off ends, nothing prints")


@command("jointQsumtoQ", "body:body", "the mean joint force since jointQsum began becomes Q", group=GROUP)
def jointqsumtoq(it: Interpreter, link: Link) -> None:
    if not link.joint.since.get("Q", 0.0) > 0 or "Q" not in link.joint.sums:
        raise CommandError(f"no time has been summed for {link.name!r}; begin with: jointQsum {link.name} 0")
    link.joint.force = link.joint.sums["Q"] / link.joint.since["Q"]


def _forces(it: Interpreter) -> None:
    """Joint forces as they are now, except where a mean was taken."""
    engine = it.universe.realm.engine
    for link in it.universe.built.tree():
        if link.parent is not None and "Q" not in link.joint.sums:
            engine.readings.joint_force(link)


@command("QtoQbias", "", "joint forces become bias forces", group=GROUP)
def qtoqbias(it: Interpreter) -> None:
    _forces(it)
    for link in it.universe.built.tree():
        link.joint.bias = link.joint.force
    it.universe.realm.engine.rebuild()


@command("QbiastoQ", "", "bias forces are taken for the joint forces", group=GROUP)
def qbiastoq(it: Interpreter) -> None:
    for link in it.universe.built.tree():
        link.joint.force = link.joint.bias


@command(
    "QtoE_q", "", "inverse control: rest positions at which the exponential springs give the joint forces", group=GROUP
)
def qtoeq(it: Interpreter) -> None:
    _forces(it)
    engine = it.universe.realm.engine
    for link in it.universe.built.tree():
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


@command("addmuscle", "name body:body", "a further force generator on a body", group=GROUP)
def addmuscle(it: Interpreter, name: str, link: Link) -> None:
    muscles = it.universe.realm.muscles
    if name in muscles:
        raise CommandError(f"there is a muscle {name!r} already")
    muscles[name] = Muscle(name, link.full_name)


@command(
    "muscle",
    "muscle:muscle parameter [value]",
    "sets or prints a value of a muscle: those of a joint, body2, k2a k2b k2a_q k2b_q, attach_… and pulley_…",
    group=GROUP,
)
def muscle(it: Interpreter, item: Muscle, parameter: str, value: str | None) -> None:
    checked_name(parameter, (*MUSCLE_WORDS, *MUSCLE_NUMBERS))
    if value is None:
        known = {"body2": item.body2, "pulley_body": item.pulley_body, "Q": item.bias, "Q_type": item.bits}
        it.say(str(known[parameter] if parameter in known else f"{item.numbers[parameter]:.12g}"))
        return
    if parameter in ("body2", "pulley_body"):
        setattr(item, parameter, it.universe.link(value).full_name)
    elif parameter == "Q_type":
        item.bits = checked_bits(number(value, parameter), MUSCLE_BITS)
    elif parameter == "Q":
        item.bias = number(value, parameter)
        item.bits |= BIAS
    else:
        item.numbers[parameter] = number(value, parameter)
    it.universe.realm.engine.rebuild()
