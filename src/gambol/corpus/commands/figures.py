"""Worlds and figures as wholes."""

import numpy as np

from gambol.corpus.actions import calls, prints, sets, sets_its
from gambol.corpus.corpora import Corpus, CorpusLink
from gambol.corpus.geometry import matrix_of, placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group
from gambol.corpus.worlds import ScriptWorld
from gambol.errors import CommandError

command = in_group("dynamics")
TWIST_SPEC = "lx:number ly:number lz:number ax:number ay:number az:number"


@command("addworld", "name", "makes a world (gravity, ground, clock) and selects it")
def addworld(interpreter: Interpreter, name: str) -> None:
    if name in interpreter.worlds.by_name:
        raise CommandError(f"there is a world {name!r} already")
    interpreter.worlds.by_name[name] = interpreter.worlds.current = ScriptWorld(name, interpreter.worlds)


command("setworld", "world:world", "selects a world")(sets("worlds.current"))


@command("addcorpus", "name", "makes a figure in the current world and selects it")
def addcorpus(interpreter: Interpreter, name: str) -> None:
    corpora = interpreter.worlds.current.corpora
    if name in corpora:
        raise CommandError(f"there is a corpus {name!r} already")
    corpora[name] = interpreter.worlds.corpus = Corpus(name)


command("setcorpus", "corpus:corpus", "selects a figure")(sets("worlds.corpus"))


@command("setroot", "body:body", "says which body is the root")
def setroot(interpreter: Interpreter, link: CorpusLink) -> None:
    if link.corpus is not interpreter.worlds.corpus:
        raise CommandError(f"{link.name!r} belongs to corpus {link.corpus.name!r}")
    interpreter.worlds.corpus.root = link


@command("corpusinit", "", "finishes a figure, after all bodies, links and the root are given")
def corpusinit(interpreter: Interpreter) -> None:
    corpus = interpreter.worlds.corpus
    corpus.initialise()
    if ends := corpus.massless_ends():
        interpreter.warn(f"bodies without mass, to be given some before simulating: {', '.join(ends)}")
    interpreter.worlds.current.engine.invalidate()


@command(
    "rootmotion",
    "mode:fixed|free|kinematic|constrained",
    "holds the root, frees it, or moves it with given velocity and acceleration; `constrained`, of which the source has"
    " the name alone, is here the same as `kinematic`",
)
def rootmotion(interpreter: Interpreter, mode: str) -> None:
    corpus = interpreter.worlds.finished_corpus
    corpus.root_motion = mode
    if mode == "fixed":
        corpus.velocity = np.zeros(6)
    interpreter.worlds.current.engine.invalidate()


command("integrate", "corpus:corpus [switch:on|off]", "lets a figure move, or keeps it where it is")(
    sets_its("integrated", lambda switch: switch != "off", stale=True)
)


@command("setrootpos", "", "the present place of the root's object becomes that of the figure")
def setrootpos(interpreter: Interpreter) -> None:
    corpus = interpreter.worlds.finished_corpus
    corpus.adopt_root_pose()
    corpus.place_objects()
    _moved(interpreter, corpus)


def _moved(interpreter: Interpreter, corpus: Corpus) -> None:
    """A figure was put elsewhere; fixed roots are part of the description."""
    engine = interpreter.worlds.current.engine
    engine.invalidate() if corpus.root_motion == "fixed" or corpus.held else engine.invalidate_state()


@command("setrootmatrix", "", "the root's place in the world from four rows of numbers (row vectors)")
def setrootmatrix(interpreter: Interpreter) -> None:
    corpus = interpreter.worlds.finished_corpus
    corpus.pose = matrix_of(placement_of(np.array(interpreter.read_rows(4, 4)).T, "the root"))
    corpus.place_objects()
    _moved(interpreter, corpus)


command("xform", "", "moves the objects to where the joint positions put them")(
    calls("worlds.finished_corpus.place_objects")
)
command("updatev", "", "recomputes velocities from joint velocities", aliases="updateev")(
    calls("worlds.current.engine.invalidate_state")
)


# ------------------------------------------------------------ velocities
def _world_axis(link: CorpusLink) -> np.ndarray:
    return link.pose[:3, :3] @ link.axis


@command(
    "addv",
    f"body:body {TWIST_SPEC}",
    "adds a velocity (linear, angular; world axes); of it a joint takes what lies along its axis",
)
def addv(interpreter: Interpreter, link: CorpusLink, *six: float) -> None:
    linear, angular = np.asarray(six[:3]), np.asarray(six[3:])
    if link.parent is None:
        link.corpus.velocity = link.corpus.velocity + np.concatenate([angular, linear])
    else:
        link.dq += float(_world_axis(link) @ (angular if link.kind == "rotary" else linear))
    interpreter.worlds.current.engine.invalidate_state()


@command("setv", f"body:body [{TWIST_SPEC}]", "sets or prints the velocity (linear, angular; the body's own axes)")
def setv(interpreter: Interpreter, link: CorpusLink, *six: float | None) -> None:
    turn = link.pose[:3, :3]
    if six[0] is None:
        sim = interpreter.worlds.current.engine.simulation()
        found = sim.mechanics.velocities(sim.q, sim.v)[link.full_name]
        interpreter.print(
            f"{link.name}: " + " ".join(f"{x:.9g}" for x in (*(turn.T @ found[3:]), *(turn.T @ found[:3])))
        )
        return
    if link.parent is not None:
        raise CommandError(f"{link.name!r} is not the root; set its joint velocity with: joint {link.name} dq …")
    linear, angular = turn @ np.asarray(six[:3], float), turn @ np.asarray(six[3:], float)
    link.corpus.velocity = np.concatenate([angular, linear])
    interpreter.worlds.current.engine.invalidate_state()


command("rmsv", "", "prints the root mean square of all joint velocities")(
    prints(lambda interpreter: f"{_rms(interpreter.worlds.finished_corpus):.9g}")
)


def _rms(corpus: Corpus) -> float:
    speeds = [link.dq for link in corpus.links.values() if link.parent is not None]
    return float(np.sqrt(np.mean(np.square(speeds)))) if speeds else 0.0


@command("ifrmsv", "limit:number command:text", "runs a command when that value is below the limit", raw=True)
def ifrmsv(interpreter: Interpreter, limit: float, text: str) -> None:
    if _rms(interpreter.worlds.finished_corpus) < limit:
        interpreter.call(text)


@command("scalelengthv", "factor:number", "multiplies linear velocities, as when lengths are scaled")
def scalelengthv(interpreter: Interpreter, factor: float) -> None:
    corpus = interpreter.worlds.finished_corpus
    corpus.velocity[3:] *= factor
    for link in corpus.links.values():
        if link.kind == "sliding":
            link.dq *= factor
    interpreter.worlds.current.engine.invalidate_state()


@command("scaletimev", "factor:number", "divides all velocities, as when times are stretched")
def scaletimev(interpreter: Interpreter, factor: float) -> None:
    if factor == 0:
        raise CommandError("times cannot be stretched by zero")
    corpus = interpreter.worlds.finished_corpus
    corpus.velocity = corpus.velocity / factor
    for link in corpus.links.values():
        link.dq /= factor
    interpreter.worlds.current.engine.invalidate_state()
