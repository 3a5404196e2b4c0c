"""State written to files and read back: text, one line a thing, numbers in full."""

from collections.abc import Iterator

import numpy as np

from gambol.corpus.commands.object_data import matrix_text
from gambol.corpus.corpora import Corpus, CorpusLink
from gambol.corpus.geometry import matrix_of, placement_from, placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.motors import MotorProgram
from gambol.corpus.table import in_group, number
from gambol.errors import CommandError

command = in_group("state")


def exact(values) -> str:
    """Numbers as a line of text that reads back to the same bits."""
    return " ".join(repr(float(x)) for x in values)


def _write(interpreter: Interpreter, file: str, rows: list[str]) -> None:
    interpreter.files.to_write(file).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def _rows(interpreter: Interpreter, file: str, kinds: dict[str, int]) -> Iterator[tuple[str, str, list[float]]]:
    """(kind, name, numbers) of each line of a state file."""
    for count, text in enumerate(interpreter.files.text(file).splitlines(), 1):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        kind = words[0]
        names = 0 if kind == "time" else 1
        if kind not in kinds or len(words) != 1 + names + kinds[kind]:
            expected = ", ".join(f"{k} ({n} numbers)" for k, n in kinds.items())
            raise CommandError(f"{file} line {count} is not one of: {expected}")
        yield kind, words[1] if names else "", [number(w, f"{file} line {count}") for w in words[1 + names :]]


def _joint(corpus: Corpus, name: str) -> CorpusLink:
    return corpus.find(name)


@command("dumps", "file:file", "writes the clock, the root's place and velocity and all joints")
def dumps(interpreter: Interpreter, file: str) -> None:
    corpus = interpreter.worlds.finished_corpus
    place = placement_of(corpus.pose, "the root")
    rows = [f"time {interpreter.worlds.current.time!r}"]
    rows.append(f"root {corpus.require_root().name} {exact((*place.position, *place.rotation, *corpus.velocity))}")
    rows += [f"joint {link.name} {exact((link.q, link.dq))}" for link in corpus.tree() if link.parent]
    _write(interpreter, file, rows)


@command("loads", "file:file", "reads what dumps wrote")
def loads(interpreter: Interpreter, file: str) -> None:
    corpus, world = interpreter.worlds.finished_corpus, interpreter.worlds.current
    for kind, name, numbers in list(_rows(interpreter, file, {"time": 1, "root": 13, "joint": 2})):
        if kind == "time":
            world.time = numbers[0]
        elif kind == "root":
            corpus.find(name)
            corpus.pose = matrix_of(placement_from(numbers[:7]))
            corpus.velocity = np.array(numbers[7:])
        else:
            link = _joint(corpus, name)
            link.q, link.dq = numbers
    corpus.place_objects()
    world.engine.invalidate()


@command("dumpQs", "file:file", "writes the joint forces")
def dumpqs(interpreter: Interpreter, file: str) -> None:
    engine = interpreter.worlds.current.engine
    rows = [
        f"force {k.name} {exact([engine.measurements.joint_force(k)])}"
        for k in interpreter.worlds.finished_corpus.tree()
        if k.parent
    ]
    _write(interpreter, file, rows)


@command("dumpas", "file:file", "writes the accelerations")
def dumpas(interpreter: Interpreter, file: str) -> None:
    sim = interpreter.worlds.current.engine.simulation()
    corpus, values = interpreter.worlds.finished_corpus, sim.acceleration
    rows = []
    for link in corpus.tree():
        own = values[sim.layout.speed_slices[link.full_name]]
        if link.parent is None:
            rows.append(f"root {link.name} {exact(own if len(own) else np.zeros(6))}")
        else:
            rows.append(f"joint {link.name} {exact(own if len(own) else [0.0])}")
    _write(interpreter, file, rows)


@command("loadas", "file:file", "reads accelerations, for joints and roots that are kinematic")
def loadas(interpreter: Interpreter, file: str) -> None:
    corpus = interpreter.worlds.finished_corpus
    for kind, name, numbers in list(_rows(interpreter, file, {"root": 6, "joint": 1})):
        if kind == "root":
            corpus.find(name)
            corpus.acceleration = np.array(numbers)
        else:
            _joint(corpus, name).ddq = numbers[0]
    interpreter.worlds.current.engine.invalidate_state()


@command("dumpmotors", "file:file", "writes the motor programs")
def dumpmotors(interpreter: Interpreter, file: str) -> None:
    motors = interpreter.worlds.current.engine.motors.running.values()
    rows = [f"{m.parameter} {m.link.name} {exact((m.start, m.target, m.start_time, m.end_time))}" for m in motors]
    _write(interpreter, file, rows)


@command("loadmotors", "file:file", "reads what dumpmotors wrote")
def loadmotors(interpreter: Interpreter, file: str) -> None:
    engine = interpreter.worlds.current.engine
    for parameter, name, numbers in list(_rows(interpreter, file, dict.fromkeys(("e_q", "ea", "k_q"), 4))):
        link = interpreter.worlds.link(name)
        motor = MotorProgram(link, parameter, *numbers)
        link.joint.constants[parameter] = motor.value(interpreter.worlds.current.time)
        engine.motors.running[link.full_name, parameter] = motor
    engine.invalidate()


@command("dumpmatcorpus", "file:file", "writes a script that puts every object where it is now")
def dumpmatcorpus(interpreter: Interpreter, file: str) -> None:
    corpus = interpreter.worlds.finished_corpus
    corpus.place_objects()
    rows = []
    for link in corpus.tree():
        for piece in link.pieces:
            rows += [f"setmatrix {piece.obj.name}", *matrix_text(piece.obj.matrix).split("\n")]
    _write(interpreter, file, rows)
