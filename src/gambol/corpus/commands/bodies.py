"""Bodies, parts and links."""

import numpy as np

from gambol.corpus.actions import is_on, sets_its
from gambol.corpus.corpora import CorpusLink, CorpusPart, flags_of
from gambol.corpus.geometry import placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("dynamics")
AXIS_SPEC = "ax:number ay:number az:number"
JOINT_KIND_SPEC = "type:rotary|sliding"
FLAGS_SPEC = "[inertial:integer] [colliding:integer] [convex:integer] [velnormaltest:integer]"


def unit(axis) -> np.ndarray:
    """A direction of length 1; an error for the zero vector."""
    vector = np.asarray(axis, float)
    if not np.linalg.norm(vector) > 0:
        raise CommandError("the axis of a joint must not be zero")
    return vector / np.linalg.norm(vector)


def _open(interpreter: Interpreter) -> None:
    if interpreter.worlds.corpus.ready:
        raise CommandError(f"corpus {interpreter.worlds.corpus.name!r} is finished; bodies are added before corpusinit")


def _density(value: float) -> float:
    if value < 0:
        raise CommandError(f"density must not be negative, it is {value:g} kg/m³")
    return value


@command(
    "addbody",
    f"body object:object {AXIS_SPEC} {JOINT_KIND_SPEC} density:number {FLAGS_SPEC}",
    "makes a body of an object, whose joint is at the origin; what moves the object afterwards places the body in "
    "its parent",
)
def addbody(
    interpreter: Interpreter, name: str, obj: SceneObject, ax, ay, az, kind: str, density: float, *flags
) -> None:
    _open(interpreter)
    corpus = interpreter.worlds.corpus
    if name in corpus.links:
        raise CommandError(f"corpus {corpus.name!r} has a body {name!r} already")
    if obj.users:
        raise CommandError(f"object {obj.name!r} is part of body {obj.users[0].name!r} already")
    to_body = obj.world_matrix.copy()
    link = CorpusLink(name, obj, to_body, unit((ax, ay, az)), kind, corpus)
    piece = CorpusPart(name, obj, to_body, _density(density), flags_of(list(flags)))
    link.pieces.append(piece)
    obj.users += [link, piece]
    corpus.links[name] = link


@command("addpart", f"part object:object body:body density:number {FLAGS_SPEC}", "welds a further object to a body")
def addpart(interpreter: Interpreter, name: str, obj: SceneObject, link: CorpusLink, density: float, *flags) -> None:
    if obj.users:
        raise CommandError(f"object {obj.name!r} is part of body {obj.users[0].name!r} already")
    to_body = np.linalg.inv(link.pose if link.corpus.ready else link.displacement) @ obj.world_matrix
    piece = CorpusPart(name, obj, to_body, _density(density), flags_of(list(flags)))
    link.pieces.append(piece)
    obj.users.append(piece)
    interpreter.worlds.current.engine.invalidate()


@command("linkbodies", "parent:body child:body", "joins a body to its parent, where its object now is")
def linkbodies(interpreter: Interpreter, parent: CorpusLink, child: CorpusLink) -> None:
    _open(interpreter)
    if child.parent is not None:
        raise CommandError(f"{child.name!r} hangs from {child.parent.name!r} already")
    above: CorpusLink | None = parent
    while above is not None:
        if above is child:
            raise CommandError(f"{child.name!r} would hang from itself: {parent.name!r} is below it")
        above = above.parent
    placement_of(child.displacement, f"{child.name!r}")
    child.parent, child.placement = parent, child.displacement


def _set_axis(interpreter: Interpreter, link: CorpusLink, axis: np.ndarray, kind: str | None) -> None:
    if kind is not None and kind not in ("rotary", "sliding"):
        raise CommandError(f"a joint is rotary or sliding, not {kind!r}")
    link.axis, link.kind = axis, kind or link.kind
    interpreter.worlds.current.engine.invalidate()


@command("setjoint", f"body:body {AXIS_SPEC} [type]", "gives a joint another axis, in the body's frame")
def setjoint(interpreter: Interpreter, link: CorpusLink, ax: float, ay: float, az: float, kind: str | None) -> None:
    _set_axis(interpreter, link, unit((ax, ay, az)), kind)


@command("setjointp", f"body:body {AXIS_SPEC} [type]", "gives a joint another axis, in the parent's frame")
def setjointp(interpreter: Interpreter, link: CorpusLink, ax: float, ay: float, az: float, kind: str | None) -> None:
    _set_axis(interpreter, link, link.placement[:3, :3].T @ unit((ax, ay, az)), kind)


@command("jointalign", f"body:body object:object {AXIS_SPEC}", "lays a joint's axis along a direction of an object")
def jointalign(interpreter: Interpreter, link: CorpusLink, obj: SceneObject, ax: float, ay: float, az: float) -> None:
    pose = link.pose if link.corpus.ready else link.displacement
    direction = obj.world_matrix[:3, :3] @ unit((ax, ay, az))
    _set_axis(interpreter, link, unit(pose[:3, :3].T @ direction), None)


@command("deletejoint", "body:body", "welds a body to its parent where it stands")
def deletejoint(interpreter: Interpreter, link: CorpusLink) -> None:
    link.corpus.weld(link)
    _forget(interpreter, [link.name])


@command("killjoint", "body:body", "takes a body and all beyond it away")
def killjoint(interpreter: Interpreter, link: CorpusLink) -> None:
    gone = link.corpus.remove(link)
    _forget(interpreter, gone)


def _forget(interpreter: Interpreter, names: list[str]) -> None:
    """Pairs, attachments and muscles of bodies that are no more go with them, and it is said."""
    world = interpreter.worlds.current
    here = set(map(id, world.links()))

    def stays(*links: CorpusLink | None) -> bool:
        return all(link is None or id(link) in here for link in links)

    before = len(world.colliding_pairs) + len(world.attachments) + len(world.attracting_pairs) + len(world.muscles)
    world.colliding_pairs = [pair for pair in world.colliding_pairs if stays(*pair)]
    world.attracting_pairs = [pair for pair in world.attracting_pairs if stays(*pair)]
    world.attachments = [a for a in world.attachments if stays(a.body1, a.body2)]
    full = {link.full_name for link in world.links()}
    world.muscles = {k: m for k, m in world.muscles.items() if m.body in full and (not m.body2 or m.body2 in full)}
    world.pushes = {k: p for k, p in world.pushes.items() if k in full}
    lost = (
        before - len(world.colliding_pairs) - len(world.attachments) - len(world.attracting_pairs) - len(world.muscles)
    )
    if lost:
        interpreter.warn(f"{lost} pairs, attachments or muscles of {', '.join(names)} went with it")
    world.engine.invalidate()


@command("bodygroundstick", "body:body switch:on|off", "the body sticks to the ground it touches")
def bodygroundstick(interpreter: Interpreter, link: CorpusLink, switch: str) -> None:
    link.sticky = switch == "on"
    interpreter.worlds.current.engine.measurements.update_sticky(link)


command("bodygroundtest", "body:body switch:on|off", "the ground acts on the body")(
    sets_its("ground", is_on, stale=True)
)


@command("maxv", "body:body linear:number angular:number", "limits the speed of a body; what is cut is counted")
def maxv(interpreter: Interpreter, link: CorpusLink, linear: float, angular: float) -> None:
    if linear < 0 or angular < 0:
        raise CommandError("speed limits must not be negative")
    link.speed_limits = (linear, angular)
