"""State written to files and read back: text, one line a thing, numbers in full."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.corpus.commands.object_data import matrix_text
from gambol.corpus.corpora import Corpus, Link
from gambol.corpus.geometry import matrix_of, placed, placement_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.motors import Motor
from gambol.corpus.table import command, number
from gambol.errors import CommandError

GROUP = "state"


def exact(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def _write(it: Interpreter, file: str, rows: list[str]) -> None:
    it.files.to_write(file).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def _rows(it: Interpreter, file: str, kinds: dict[str, int]) -> Iterator[tuple[str, str, list[float]]]:
    """(kind, name, numbers) of each line of a state file."""
    for count, text in enumerate(it.files.text(file).splitlines(), 1):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        kind = words[0]
        names = 0 if kind == "time" else 1
        if kind not in kinds or len(words) != 1 + names + kinds[kind]:
            expected = ", ".join(f"{k} ({n} numbers)" for k, n in kinds.items())
            raise CommandError(f"{file} line {count} is not one of: {expected}")
        yield kind, words[1] if names else "", [number(w, f"{file} line {count}") for w in words[1 + names :]]


def _joint(corpus: Corpus, name: str) -> Link:
    return corpus.find(name)


@command("dumps", "file:file", "writes the clock, the root's place and velocity and all joints", group=GROUP)
def dumps(it: Interpreter, file: str) -> None:
    corpus = it.universe.built
    place = placement_of(corpus.pose, "the root")
    rows = [f"time {it.universe.realm.time!r}"]
    rows.append(f"root {corpus.rooted().name} {exact((*place.position, *place.rotation, *corpus.velocity))}")
    rows += [f"joint {link.name} {exact((link.q, link.dq))}" for link in corpus.tree() if link.parent]
    _write(it, file, rows)


@command("loads", "file:file", "reads what dumps wrote", group=GROUP)
def loads(it: Interpreter, file: str) -> None:
    corpus, realm = it.universe.built, it.universe.realm
    for kind, name, numbers in list(_rows(it, file, {"time": 1, "root": 13, "joint": 2})):
        if kind == "time":
            realm.time = numbers[0]
        elif kind == "root":
            corpus.find(name)
            corpus.pose = matrix_of(placed(numbers[:7]))
            corpus.velocity = np.array(numbers[7:])
        else:
            link = _joint(corpus, name)
            link.q, link.dq = numbers
    corpus.place_objects()
    realm.engine.rebuild()


@command("dumpQs", "file:file", "writes the joint forces", group=GROUP)
def dumpqs(it: Interpreter, file: str) -> None:
    engine = it.universe.realm.engine
    rows = [f"force {k.name} {exact([engine.readings.joint_force(k)])}" for k in it.universe.built.tree() if k.parent]
    _write(it, file, rows)


@command("dumpas", "file:file", "writes the accelerations", group=GROUP)
def dumpas(it: Interpreter, file: str) -> None:
    sim = it.universe.realm.engine.ready()
    corpus, values = it.universe.built, sim.acceleration
    rows = []
    for link in corpus.tree():
        own = values[sim.layout.speed_slices[link.full_name]]
        if link.parent is None:
            rows.append(f"root {link.name} {exact(own if len(own) else np.zeros(6))}")
        else:
            rows.append(f"joint {link.name} {exact(own if len(own) else [0.0])}")
    _write(it, file, rows)


@command("loadas", "file:file", "reads accelerations, for joints and roots that are kinematic", group=GROUP)
def loadas(it: Interpreter, file: str) -> None:
    corpus = it.universe.built
    for kind, name, numbers in list(_rows(it, file, {"root": 6, "joint": 1})):
        if kind == "root":
            corpus.find(name)
            corpus.acceleration = np.array(numbers)
        else:
            _joint(corpus, name).ddq = numbers[0]
    it.universe.realm.engine.resend()


@command("dumpmotors", "file:file", "writes the motor programs", group=GROUP)
def dumpmotors(it: Interpreter, file: str) -> None:
    motors = it.universe.realm.engine.motors.running.values()
    rows = [f"{m.parameter} {m.link.name} {exact((m.start, m.target, m.begun, m.ends))}" for m in motors]
    _write(it, file, rows)


@command("loadmotors", "file:file", "reads what dumpmotors wrote", group=GROUP)
def loadmotors(it: Interpreter, file: str) -> None:
    engine = it.universe.realm.engine
    for parameter, name, numbers in list(_rows(it, file, dict.fromkeys(("e_q", "ea", "k_q"), 4))):
        link = it.universe.link(name)
        motor = Motor(link, parameter, *numbers)
        link.joint.numbers[parameter] = motor.value(it.universe.realm.time)
        engine.motors.running[link.full_name, parameter] = motor
    engine.rebuild()


@command("dumpmatcorpus", "file:file", "writes a script that puts every object where it is now", group=GROUP)
def dumpmatcorpus(it: Interpreter, file: str) -> None:
    corpus = it.universe.built
    corpus.place_objects()
    rows = []
    for link in corpus.tree():
        for piece in link.pieces:
            rows += [f"setmatrix {piece.thing.name}", *matrix_text(piece.thing.matrix).split("\n")]
    _write(it, file, rows)
