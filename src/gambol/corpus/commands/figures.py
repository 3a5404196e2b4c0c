"""Worlds and figures as wholes."""

from __future__ import annotations

import numpy as np

from gambol.corpus.corpora import Corpus, Link
from gambol.corpus.geometry import matrix_of, placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import command
from gambol.corpus.universe import Realm
from gambol.errors import CommandError

GROUP = "dynamics"
SIX = "lx:number ly:number lz:number ax:number ay:number az:number"


@command("addworld", "name", "makes a world (gravity, ground, clock) and selects it", group=GROUP)
def addworld(it: Interpreter, name: str) -> None:
    if name in it.universe.realms:
        raise CommandError(f"there is a world {name!r} already")
    it.universe.realms[name] = it.universe.realm = Realm(name, it.universe)


@command("setworld", "world:world", "selects a world", group=GROUP)
def setworld(it: Interpreter, realm: Realm) -> None:
    it.universe.realm = realm


@command("addcorpus", "name", "makes a figure in the current world and selects it", group=GROUP)
def addcorpus(it: Interpreter, name: str) -> None:
    corpora = it.universe.realm.corpora
    if name in corpora:
        raise CommandError(f"there is a corpus {name!r} already")
    corpora[name] = it.universe.corpus = Corpus(name)


@command("setcorpus", "corpus:corpus", "selects a figure", group=GROUP)
def setcorpus(it: Interpreter, corpus: Corpus) -> None:
    it.universe.corpus = corpus


@command("setroot", "body:body", "says which body is the root", group=GROUP)
def setroot(it: Interpreter, link: Link) -> None:
    if link.corpus is not it.universe.corpus:
        raise CommandError(f"{link.name!r} belongs to corpus {link.corpus.name!r}")
    it.universe.corpus.root = link


@command("corpusinit", "", "finishes a figure, after all bodies, links and the root are given", group=GROUP)
def corpusinit(it: Interpreter) -> None:
    corpus = it.universe.corpus
    corpus.initialise()
    if ends := corpus.massless_ends():
        it.warn(f"bodies without mass, to be given some before simulating: {', '.join(ends)}")
    it.universe.realm.engine.rebuild()


@command(
    "rootmotion",
    "mode:fixed|free|kinematic|constrained",
    "holds the root, frees it, or moves it with given velocity and acceleration",
    group=GROUP,
)
def rootmotion(it: Interpreter, mode: str) -> None:
    corpus = it.universe.built
    corpus.root_motion = mode
    if mode == "fixed":
        corpus.velocity = np.zeros(6)
    it.universe.realm.engine.rebuild()


@command("integrate", "corpus:corpus [switch:on|off]", "lets a figure move, or keeps it where it is", group=GROUP)
def integrate(it: Interpreter, corpus: Corpus, switch: str | None) -> None:
    corpus.integrated = switch != "off"
    it.universe.realm.engine.rebuild()


@command("setrootpos", "", "the present place of the root's object becomes that of the figure", group=GROUP)
def setrootpos(it: Interpreter) -> None:
    corpus = it.universe.built
    corpus.adopt_root_pose()
    corpus.place_objects()
    _moved(it, corpus)


def _moved(it: Interpreter, corpus: Corpus) -> None:
    """A figure was put elsewhere; fixed roots are part of the description."""
    engine = it.universe.realm.engine
    engine.rebuild() if corpus.root_motion == "fixed" or corpus.held else engine.resend()


@command("setrootmatrix", "", "the root's place in the world from four rows of numbers (row vectors)", group=GROUP)
def setrootmatrix(it: Interpreter) -> None:
    corpus = it.universe.built
    corpus.pose = matrix_of(placement_of(np.array(it.rows(4, 4)).T, "the root"))
    corpus.place_objects()
    _moved(it, corpus)


@command("xform", "", "moves the objects to where the joint positions put them", group=GROUP)
def xform(it: Interpreter) -> None:
    it.universe.built.place_objects()


@command("updatev", "", "recomputes velocities from joint velocities", group=GROUP, aliases="updateev")
def updatev(it: Interpreter) -> None:
    it.universe.realm.engine.resend()


# ------------------------------------------------------------ velocities
def _world_axis(link: Link) -> np.ndarray:
    return link.pose[:3, :3] @ link.axis


@command(
    "addv",
    f"body:body {SIX}",
    "adds a velocity (linear, angular; world axes); of it a joint takes what lies along its axis",
    group=GROUP,
)
def addv(it: Interpreter, link: Link, *six: float) -> None:
    linear, angular = np.asarray(six[:3]), np.asarray(six[3:])
    if link.parent is None:
        link.corpus.velocity = link.corpus.velocity + np.concatenate([angular, linear])
    else:
        link.dq += float(_world_axis(link) @ (angular if link.kind == "rotary" else linear))
    it.universe.realm.engine.resend()


@command(
    "setv", f"body:body [{SIX}]", "sets or prints the velocity (linear, angular; the body's own axes)", group=GROUP
)
def setv(it: Interpreter, link: Link, *six: float | None) -> None:
    turn = link.pose[:3, :3]
    if six[0] is None:
        sim = it.universe.realm.engine.ready()
        found = sim.mechanics.velocities(sim.q, sim.v)[link.full_name]
        it.say(f"{link.name}: " + " ".join(f"{x:.9g}" for x in (*(turn.T @ found[3:]), *(turn.T @ found[:3]))))
        return
    if link.parent is not None:
        raise CommandError(f"{link.name!r} is not the root; set its joint velocity with: joint {link.name} dq …")
    linear, angular = turn @ np.asarray(six[:3], float), turn @ np.asarray(six[3:], float)
    link.corpus.velocity = np.concatenate([angular, linear])
    it.universe.realm.engine.resend()


@command("rmsv", "", "prints the root mean square of all joint velocities", group=GROUP)
def rmsv(it: Interpreter) -> None:
    it.say(f"{_rms(it.universe.built):.9g}")


def _rms(corpus: Corpus) -> float:
    speeds = [link.dq for link in corpus.links.values() if link.parent is not None]
    return float(np.sqrt(np.mean(np.square(speeds)))) if speeds else 0.0


@command(
    "ifrmsv", "limit:number command:text", "runs a command when that value is below the limit", group=GROUP, raw=True
)
def ifrmsv(it: Interpreter, limit: float, text: str) -> None:
    if _rms(it.universe.built) < limit:
        it.call(text)


@command("scalelengthv", "factor:number", "multiplies linear velocities, as when lengths are scaled", group=GROUP)
def scalelengthv(it: Interpreter, factor: float) -> None:
    corpus = it.universe.built
    corpus.velocity[3:] *= factor
    for link in corpus.links.values():
        if link.kind == "sliding":
            link.dq *= factor
    it.universe.realm.engine.resend()


@command("scaletimev", "factor:number", "divides all velocities, as when times are stretched", group=GROUP)
def scaletimev(it: Interpreter, factor: float) -> None:
    if factor == 0:
        raise CommandError("times cannot be stretched by zero")
    corpus = it.universe.built
    corpus.velocity = corpus.velocity / factor
    for link in corpus.links.values():
        link.dq /= factor
    it.universe.realm.engine.resend()
