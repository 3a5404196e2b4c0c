"""Gravity, ground, collisions, attachments."""

import numpy as np

from gambol.corpus.actions import sets
from gambol.corpus.corpora import CorpusLink
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.render_settings import vector
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import in_group, number
from gambol.corpus.worlds import COLLISION_CONSTANTS, GROUND_CONSTANTS, AttachmentSettings
from gambol.errors import CommandError

command = in_group("forces")
dynamics_command = in_group("dynamics")
PRINTED_ALIASES = {
    "collisione": "collisone",
    "collisionea": "collisonea",
    "collisioneB": "collisoneB",
}  # as some sources print
MAY_BE_NEGATIVE = ("groundz",)


def _constant(name: str, help: str) -> None:
    @command(name, "[value:number]", help, aliases=PRINTED_ALIASES.get(name, ""))
    def act(interpreter: Interpreter, value: float | None) -> None:
        world = interpreter.worlds.current
        if value is None:
            interpreter.print(f"{name}: {world.constants[name]:.12g}")
            return
        if value < 0 and name not in MAY_BE_NEGATIVE:
            raise CommandError(f"{name} must not be negative, it is {value:g}")
        world.constants[name] = value
        world.engine.invalidate()


for _name, (_, _help) in {**GROUND_CONSTANTS, **COLLISION_CONSTANTS}.items():
    _constant(_name, f"sets or prints: {_help}")


def _switch(name: str, field: str, help: str) -> None:
    @command(name, "switch:on|off", help)
    def act(interpreter: Interpreter, switch: str) -> None:
        setattr(interpreter.worlds.current, field, switch == "on")
        interpreter.worlds.current.engine.invalidate()


_switch("grav", "gravity_on", "uniform gravity")
_switch("Gravity", "attraction_on", "attraction between the pairs of Gattract")
_switch("ground", "ground_on", "contact with the ground")
_switch("groundmassscale", "mass_scaled_ground", "vertical reactions of the ground are multiplied by the figure's mass")
_switch("collision", "collisions_on", "contact between the pairs of collide")
_switch("collisionanalysis", "impulses_on", "impulses instead of springs when single bodies collide")


command("setgrav", "value:number", "size of gravity, downwards [m/s²]")(
    sets("worlds.current.gravity", lambda value: np.array([0.0, 0.0, -value]), stale=True)
)


@command(
    "setgvect",
    "x:number y:number z:number [rx:number ry:number rz:number]",
    "gravity as a vector [m/s²]; an angular part is not possible",
)
def setgvect(interpreter: Interpreter, x: float, y: float, z: float, *turning: float | None) -> None:
    if any(turning):
        raise CommandError("the angular part of gravity (rx ry rz) must be zero")
    interpreter.worlds.current.gravity = np.array([x, y, z])
    interpreter.worlds.current.engine.invalidate()


command("SetG", "value:number", "the constant of attraction [N·m²/kg²]")(sets("worlds.current.attraction", stale=True))


def _check_pair(one: CorpusLink, two: CorpusLink) -> None:
    if one is two:
        raise CommandError(f"a pair needs two bodies, not twice {one.name!r}")


def _pairs(name: str, field: str, help: str) -> None:
    @command(name, "body1:body body2:body", help)
    def act(interpreter: Interpreter, one: CorpusLink, two: CorpusLink) -> None:
        _check_pair(one, two)
        getattr(interpreter.worlds.current, field).append((one, two))
        interpreter.worlds.current.engine.invalidate()


_pairs("Gattract", "attracting_pairs", "two bodies attract each other")
_pairs("collide", "colliding_pairs", "two bodies are tested for contact")


# ------------------------------------------------------------ ground
@command("groundtype", "type:flat|trigrid", "level ground, or the terrain of addtrigrid")
def groundtype(interpreter: Interpreter, kind: str) -> None:
    world = interpreter.worlds.current
    if kind == "trigrid" and world.grid is None:
        raise CommandError("there is no terrain yet: addtrigrid makes it of an object")
    world.ground_type = kind
    world.engine.invalidate()


@command(
    "addtrigrid", "name object:object", "makes a terrain of an object whose points form a grid", aliases="addrigrd"
)
def addtrigrid(interpreter: Interpreter, name: str, obj: SceneObject) -> None:
    from gambol.corpus.contact_elements import grid_of

    grid_of(obj)
    world = interpreter.worlds.current
    world.grid = obj
    world.engine.invalidate()


# ------------------------------------------------------------ bodies against bodies
@command("collisionlog", "file:file", "writes a line for each frame in which a pair touches")
def collisionlog(interpreter: Interpreter, file: str) -> None:
    interpreter.files.to_write(file).write_text("", encoding="utf-8")
    interpreter.worlds.current.collision_log = file


# ------------------------------------------------------------ attachments and pushes
@command(
    "attach",
    "body1:body body2 numbers:text",
    "body1 body2 x1 y1 z1 x2 y2 z2 k ea eB e [break]: a spring between points of two bodies, or of a body and the "
    "ground (body2: ground)",
)
def attach(interpreter: Interpreter, one: CorpusLink, other: str, text: str) -> None:
    words = text.split()
    names = ("x1", "y1", "z1", "x2", "y2", "z2", "k", "ea", "eB", "e", "break")
    if len(words) not in (10, 11):
        raise CommandError(f"expected {' '.join(names[:10])} [break]: 10 or 11 numbers, there are {len(words)}")
    values = [number(word, name) for word, name in zip(words, names)]
    two = None if other == "ground" else interpreter.worlds.link(other)
    if two is not None:
        _check_pair(one, two)
    world = interpreter.worlds.current
    world.attachment_count += 1
    name = f"attach {world.attachment_count} {one.full_name}"
    breaks = values[10] if len(values) == 11 else None
    k, ea, rise, e = values[6:10]
    made = AttachmentSettings(name, one, two, vector(values[:3]), vector(values[3:6]), k, ea, rise, e, breaks)
    world.attachments.append(made)
    world.engine.invalidate()


def _attachments(interpreter: Interpreter, link: CorpusLink) -> list[AttachmentSettings]:
    found = [a for a in interpreter.worlds.current.attachments if link in (a.body1, a.body2)]
    if not found:
        raise CommandError(f"nothing is attached to {link.name!r}")
    return found


@command("attachb", "body:body value:number", "damper of a body's attachments [N·s/m]")
def attachb(interpreter: Interpreter, link: CorpusLink, value: float) -> None:
    if value < 0:
        raise CommandError(f"a damper must not be negative, it is {value:g}")
    for attachment in _attachments(interpreter, link):
        attachment.b = value
    interpreter.worlds.current.engine.invalidate()


@command("attachf", "body:body", "prints the force that a body's attachments exert on it [N]")
def attachf(interpreter: Interpreter, link: CorpusLink) -> None:
    for attachment in _attachments(interpreter, link):
        force = interpreter.worlds.current.engine.measurements.attachment_force(attachment.name)
        interpreter.print(" ".join(f"{x:.9g}" for x in (force if attachment.body1 is link else -force)))


@command("attachfsum", "body:body [switch]", "integral of that force over time: 0 begins, off ends, nothing prints")
def attachfsum(interpreter: Interpreter, link: CorpusLink, switch: str | None) -> None:
    for attachment in _attachments(interpreter, link):
        if switch is None:
            if attachment.impulse is None:
                raise CommandError(f"nothing is summed for {link.name!r}; begin with: attachfsum {link.name} 0")
            interpreter.print(" ".join(f"{x:.9g}" for x in attachment.impulse))
        elif switch in ("0", "off"):
            attachment.impulse = np.zeros(3) if switch == "0" else None
            interpreter.worlds.current.engine.invalidate()
        else:
            raise CommandError(f"after the body comes 0 (begin), off, or nothing (print), not {switch!r}")


@dynamics_command(
    "extbias",
    "body:body fx:number fy:number fz:number px:number py:number pz:number",
    "a constant force (world axes) at a point of a body (its own axes)",
)
def extbias(interpreter: Interpreter, link: CorpusLink, *numbers: float) -> None:
    """A lasting force [N] and torque [N·m] on a link, world axes."""
    interpreter.worlds.current.pushes[link.full_name] = (vector(numbers[:3]), vector(numbers[3:]))
    interpreter.worlds.current.engine.invalidate()
