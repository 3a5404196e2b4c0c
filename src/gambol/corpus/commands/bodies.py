"""Bodies, parts and links."""

from __future__ import annotations

import numpy as np

from gambol.corpus.corpora import Link, Piece, flags_of
from gambol.corpus.geometry import placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Thing
from gambol.corpus.table import command
from gambol.errors import CommandError

GROUP = "dynamics"
AXIS = "ax:number ay:number az:number"
KIND = "type:rotary|sliding"
FLAGS = "[inertial:integer] [colliding:integer] [convex:integer] [velnormaltest:integer]"


def unit(axis) -> np.ndarray:
    vector = np.asarray(axis, float)
    if not np.linalg.norm(vector) > 0:
        raise CommandError("the axis of a joint must not be zero")
    return vector / np.linalg.norm(vector)


def _open(it: Interpreter) -> None:
    if it.universe.corpus.ready:
        raise CommandError(f"corpus {it.universe.corpus.name!r} is finished; bodies are added before corpusinit")


def _density(value: float) -> float:
    if value < 0:
        raise CommandError(f"density must not be negative, it is {value:g} kg/m³")
    return value


@command(
    "addbody",
    f"body object:object {AXIS} {KIND} density:number {FLAGS}",
    "makes a body of an object, whose joint is at the origin; what moves the object afterwards places the body in "
    "its parent",
    group=GROUP,
)
def addbody(it: Interpreter, name: str, thing: Thing, ax, ay, az, kind: str, density: float, *flags) -> None:
    _open(it)
    corpus = it.universe.corpus
    if name in corpus.links:
        raise CommandError(f"corpus {corpus.name!r} has a body {name!r} already")
    if thing.users:
        raise CommandError(f"object {thing.name!r} is part of body {thing.users[0].name!r} already")
    frozen = thing.world_matrix.copy()
    link = Link(name, thing, frozen, unit((ax, ay, az)), kind, corpus)
    piece = Piece(name, thing, frozen, _density(density), flags_of(list(flags)))
    link.pieces.append(piece)
    thing.users += [link, piece]
    corpus.links[name] = link


@command(
    "addpart", f"part object:object body:body density:number {FLAGS}", "welds a further object to a body", group=GROUP
)
def addpart(it: Interpreter, name: str, thing: Thing, link: Link, density: float, *flags) -> None:
    if thing.users:
        raise CommandError(f"object {thing.name!r} is part of body {thing.users[0].name!r} already")
    frozen = np.linalg.inv(link.pose if link.corpus.ready else link.moved) @ thing.world_matrix
    piece = Piece(name, thing, frozen, _density(density), flags_of(list(flags)))
    link.pieces.append(piece)
    thing.users.append(piece)
    it.universe.realm.engine.rebuild()


@command("linkbodies", "parent:body child:body", "joins a body to its parent, where its object now is", group=GROUP)
def linkbodies(it: Interpreter, parent: Link, child: Link) -> None:
    _open(it)
    if child.parent is not None:
        raise CommandError(f"{child.name!r} hangs from {child.parent.name!r} already")
    above: Link | None = parent
    while above is not None:
        if above is child:
            raise CommandError(f"{child.name!r} would hang from itself: {parent.name!r} is below it")
        above = above.parent
    placement_of(child.moved, f"{child.name!r}")
    child.parent, child.placement = parent, child.moved


def _set_axis(it: Interpreter, link: Link, axis: np.ndarray, kind: str | None) -> None:
    if kind is not None and kind not in ("rotary", "sliding"):
        raise CommandError(f"a joint is rotary or sliding, not {kind!r}")
    link.axis, link.kind = axis, kind or link.kind
    it.universe.realm.engine.rebuild()


@command("setjoint", f"body:body {AXIS} [type]", "gives a joint another axis, in the body's frame", group=GROUP)
def setjoint(it: Interpreter, link: Link, ax: float, ay: float, az: float, kind: str | None) -> None:
    _set_axis(it, link, unit((ax, ay, az)), kind)


@command("setjointp", f"body:body {AXIS} [type]", "gives a joint another axis, in the parent's frame", group=GROUP)
def setjointp(it: Interpreter, link: Link, ax: float, ay: float, az: float, kind: str | None) -> None:
    _set_axis(it, link, link.placement[:3, :3].T @ unit((ax, ay, az)), kind)


@command(
    "jointalign", f"body:body object:object {AXIS}", "lays a joint's axis along a direction of an object", group=GROUP
)
def jointalign(it: Interpreter, link: Link, thing: Thing, ax: float, ay: float, az: float) -> None:
    pose = link.pose if link.corpus.ready else link.moved
    direction = thing.world_matrix[:3, :3] @ unit((ax, ay, az))
    _set_axis(it, link, unit(pose[:3, :3].T @ direction), None)


@command("deletejoint", "body:body", "welds a body to its parent where it stands", group=GROUP)
def deletejoint(it: Interpreter, link: Link) -> None:
    link.corpus.weld(link)
    _forget(it, [link.name])


@command("killjoint", "body:body", "takes a body and all beyond it away", group=GROUP)
def killjoint(it: Interpreter, link: Link) -> None:
    gone = link.corpus.remove(link)
    _forget(it, gone)


def _forget(it: Interpreter, names: list[str]) -> None:
    """Pairs, attachments and muscles of bodies that are no more go with them, and it is said."""
    realm = it.universe.realm
    here = set(map(id, realm.links()))

    def stays(*links: Link | None) -> bool:
        return all(link is None or id(link) in here for link in links)

    before = len(realm.colliding) + len(realm.attachments) + len(realm.attracting) + len(realm.muscles)
    realm.colliding = [pair for pair in realm.colliding if stays(*pair)]
    realm.attracting = [pair for pair in realm.attracting if stays(*pair)]
    realm.attachments = [a for a in realm.attachments if stays(a.body1, a.body2)]
    full = {link.full_name for link in realm.links()}
    realm.muscles = {k: m for k, m in realm.muscles.items() if m.body in full and (not m.body2 or m.body2 in full)}
    realm.pushes = {k: p for k, p in realm.pushes.items() if k in full}
    lost = before - len(realm.colliding) - len(realm.attachments) - len(realm.attracting) - len(realm.muscles)
    if lost:
        it.warn(f"{lost} pairs, attachments or muscles of {', '.join(names)} went with it")
    realm.engine.rebuild()


@command("bodygroundstick", "body:body switch:on|off", "the body sticks to the ground it touches", group=GROUP)
def bodygroundstick(it: Interpreter, link: Link, switch: str) -> None:
    link.sticky = switch == "on"
    it.universe.realm.engine.readings.switch_glue(link)


@command("bodygroundtest", "body:body switch:on|off", "the ground acts on the body", group=GROUP)
def bodygroundtest(it: Interpreter, link: Link, switch: str) -> None:
    link.ground = switch == "on"
    it.universe.realm.engine.rebuild()


@command(
    "maxv", "body:body linear:number angular:number", "limits the speed of a body; what is cut is counted", group=GROUP
)
def maxv(it: Interpreter, link: Link, linear: float, angular: float) -> None:
    if linear < 0 or angular < 0:
        raise CommandError("speed limits must not be negative")
    link.fastest = (linear, angular)
