"""Gravity, ground, collisions, attachments."""

from __future__ import annotations

import numpy as np

from gambol.corpus.corpora import Link
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Thing
from gambol.corpus.studio import vector
from gambol.corpus.table import command, number
from gambol.corpus.universe import COLLISION, GROUND, Attachment
from gambol.errors import CommandError

GROUP = "forces"
PRINTED = {"collisione": "collisone", "collisionea": "collisonea", "collisioneB": "collisoneB"}  # as some sources print
SIGNED = ("groundz",)


def _constant(name: str, help: str) -> None:
    @command(name, "[value:number]", help, group=GROUP, aliases=PRINTED.get(name, ""))
    def act(it: Interpreter, value: float | None) -> None:
        realm = it.universe.realm
        if value is None:
            it.say(f"{name}: {realm.numbers[name]:.12g}")
            return
        if value < 0 and name not in SIGNED:
            raise CommandError(f"{name} must not be negative, it is {value:g}")
        realm.numbers[name] = value
        realm.engine.rebuild()


for _name, (_, _help) in {**GROUND, **COLLISION}.items():
    _constant(_name, f"sets or prints: {_help}")


def _switch(name: str, field: str, help: str) -> None:
    @command(name, "switch:on|off", help, group=GROUP)
    def act(it: Interpreter, switch: str) -> None:
        setattr(it.universe.realm, field, switch == "on")
        it.universe.realm.engine.rebuild()


_switch("grav", "gravity_on", "uniform gravity")
_switch("Gravity", "attraction_on", "attraction between the pairs of Gattract")
_switch("ground", "ground_on", "contact with the ground")
_switch("groundmassscale", "mass_scaled_ground", "vertical reactions of the ground are multiplied by the figure's mass")
_switch("collision", "collisions_on", "contact between the pairs of collide")
_switch("collisionanalysis", "impulses_on", "impulses instead of springs when single bodies collide")


@command("setgrav", "value:number", "size of gravity, downwards [m/s²]", group=GROUP)
def setgrav(it: Interpreter, value: float) -> None:
    it.universe.realm.gravity = np.array([0.0, 0.0, -value])
    it.universe.realm.engine.rebuild()


@command(
    "setgvect",
    "x:number y:number z:number [rx:number ry:number rz:number]",
    "gravity as a vector [m/s²]; an angular part is not possible",
    group=GROUP,
)
def setgvect(it: Interpreter, x: float, y: float, z: float, *turning: float | None) -> None:
    if any(turning):
        raise CommandError("the angular part of gravity (rx ry rz) must be zero")
    it.universe.realm.gravity = np.array([x, y, z])
    it.universe.realm.engine.rebuild()


@command("SetG", "value:number", "the constant of attraction [N·m²/kg²]", group=GROUP)
def setg(it: Interpreter, value: float) -> None:
    it.universe.realm.attraction = value
    it.universe.realm.engine.rebuild()


@command("Gattract", "body1:body body2:body", "two bodies attract each other", group=GROUP)
def gattract(it: Interpreter, one: Link, two: Link) -> None:
    _pair(one, two)
    it.universe.realm.attracting.append((one, two))
    it.universe.realm.engine.rebuild()


def _pair(one: Link, two: Link) -> None:
    if one is two:
        raise CommandError(f"a pair needs two bodies, not twice {one.name!r}")


# ------------------------------------------------------------ ground
@command("groundtype", "type:flat|trigrid", "level ground, or the terrain of addtrigrid", group=GROUP)
def groundtype(it: Interpreter, kind: str) -> None:
    realm = it.universe.realm
    if kind == "trigrid" and realm.grid is None:
        raise CommandError("there is no terrain yet: addtrigrid makes it of an object")
    realm.ground_type = kind
    realm.engine.rebuild()


@command(
    "addtrigrid",
    "name object:object",
    "makes a terrain of an object whose points form a grid",
    group=GROUP,
    aliases="addrigrd",
)
def addtrigrid(it: Interpreter, name: str, thing: Thing) -> None:
    from gambol.corpus.contact_elements import grid_of

    grid_of(thing)
    realm = it.universe.realm
    realm.grid = thing
    realm.engine.rebuild()


# ------------------------------------------------------------ bodies against bodies
@command("collide", "body1:body body2:body", "two bodies are tested for contact", group=GROUP)
def collide(it: Interpreter, one: Link, two: Link) -> None:
    _pair(one, two)
    it.universe.realm.colliding.append((one, two))
    it.universe.realm.engine.rebuild()


@command("collisionlog", "file:file", "writes a line for each frame in which a pair touches", group=GROUP)
def collisionlog(it: Interpreter, file: str) -> None:
    it.files.to_write(file).write_text("", encoding="utf-8")
    it.universe.realm.log = file


# ------------------------------------------------------------ attachments and pushes
@command(
    "attach",
    "body1:body body2 numbers:text",
    "body1 body2 x1 y1 z1 x2 y2 z2 k ea eB e [break]: a spring between points of two bodies, or of a body and the "
    "ground (body2: ground)",
    group=GROUP,
)
def attach(it: Interpreter, one: Link, other: str, text: str) -> None:
    words = text.split()
    names = ("x1", "y1", "z1", "x2", "y2", "z2", "k", "ea", "eB", "e", "break")
    if len(words) not in (10, 11):
        raise CommandError(f"expected {' '.join(names[:10])} [break]: 10 or 11 numbers, there are {len(words)}")
    values = [number(word, name) for word, name in zip(words, names)]
    two = None if other == "ground" else it.universe.link(other)
    if two is not None:
        _pair(one, two)
    realm = it.universe.realm
    realm.attached += 1
    name = f"attach {realm.attached} {one.full_name}"
    breaks = values[10] if len(values) == 11 else None
    k, ea, rise, e = values[6:10]
    made = Attachment(name, one, two, vector(values[:3]), vector(values[3:6]), k, ea, rise, e, breaks)
    realm.attachments.append(made)
    realm.engine.rebuild()


def _attachments(it: Interpreter, link: Link) -> list[Attachment]:
    found = [a for a in it.universe.realm.attachments if link in (a.body1, a.body2)]
    if not found:
        raise CommandError(f"nothing is attached to {link.name!r}")
    return found


@command("attachb", "body:body value:number", "damper of a body's attachments [N·s/m]", group=GROUP)
def attachb(it: Interpreter, link: Link, value: float) -> None:
    if value < 0:
        raise CommandError(f"a damper must not be negative, it is {value:g}")
    for attachment in _attachments(it, link):
        attachment.b = value
    it.universe.realm.engine.rebuild()


@command("attachf", "body:body", "prints the force that a body's attachments exert on it [N]", group=GROUP)
def attachf(it: Interpreter, link: Link) -> None:
    for attachment in _attachments(it, link):
        force = it.universe.realm.engine.readings.attachment_force(attachment.name)
        it.say(" ".join(f"{x:.9g}" for x in (force if attachment.body1 is link else -force)))


@command(
    "attachfsum",
    "body:body [switch]",
    "integral of that force over time: 0 begins, off ends, nothing prints",
    group=GROUP,
)
def attachfsum(it: Interpreter, link: Link, switch: str | None) -> None:
    for attachment in _attachments(it, link):
        if switch is None:
            if attachment.sum is None:
                raise CommandError(f"nothing is summed for {link.name!r}; begin with: attachfsum {link.name} 0")
            it.say(" ".join(f"{x:.9g}" for x in attachment.sum))
        elif switch in ("0", "off"):
            attachment.sum = np.zeros(3) if switch == "0" else None
        else:
            raise CommandError(f"after the body comes 0 (begin), off, or nothing (print), not {switch!r}")


@command(
    "extbias",
    "body:body fx:number fy:number fz:number px:number py:number pz:number",
    "a constant force (world axes) at a point of a body (its own axes)",
    group="dynamics",
)
def extbias(it: Interpreter, link: Link, *numbers: float) -> None:
    it.universe.realm.pushes[link.full_name] = (vector(numbers[:3]), vector(numbers[3:]))
    it.universe.realm.engine.rebuild()
