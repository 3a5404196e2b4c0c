"""Whatever is typed, faults come out as ScriptError with a place, never as an accident of the program."""

import random

import pytest

import gambol.corpus.commands  # noqa: F401  (fills the table)
from gambol import ScriptError
from gambol.corpus import Interpreter, all_commands

SCENE = """
addworld w
grav off
ground off
addcorpus c
get a from unit_cube
get b from unit_cubeb
get s from sphere
addbody a a 0 0 1 rotary 1000
addbody b b 0 0 1 rotary 1000
linkbodies a b
setroot a
corpusinit
addroach r
addmuscle m b
savelist l
@ one
.
cl t
@ **
.
screensize 20 20
"""
WORDS = [
    "a",
    "b",
    "s",
    "c",
    "w",
    "m",
    "r",
    "l",
    "t",
    "light.1",
    "0",
    "1",
    "-1",
    ".5",
    "2",
    "1e9",
    "*.5",
    "x",
    "on",
    "off",
]
WORDS += ["q", "e_q", "rotary", "etarget", "f.txt", "ground", "**", "%n", "@", "fixed", ">", "#", "=", "", "nan", "é"]
FITTING = {
    "object": ["a", "b", "s"],
    "body": ["a", "b"],
    "place": ["s", "1 2 3", "0 0 0"],
    "number": ["0", "1", "-1", ".5", "1e-9", "1e9", "-1e300"],
    "time": ["0", "1", "-1", ".5"],
    "integer": ["0", "1", "2", "-1", "7"],
    "file": ["f.txt", "g.png", "../h", "f.txt"],
    "text": ["@ said", "0 0 1", "joint b q", "1 2 3 4 5 6 7 8 9 10", "a 1 0 0", "get z from sphere"],
    "light": ["light.1"],
    "corpus": ["c"],
    "world": ["w"],
    "list": ["l"],
    "muscle": ["m"],
    "roach": ["r"],
    "part": ["a", "b"],
    "word": ["q", "e_q", "z", "n", "0", "off", "k", "Q_type", "body2"],
}
SKIPPED = {"quit", "toplevel", "dostop", "vfork", "system", "ppopen"}  # they leave, or reach other programs


def session(folder):
    interpreter = Interpreter(folder, out=lambda line: None)
    interpreter.run_text(SCENE)
    return interpreter


def attempt(interpreter, text):
    try:
        interpreter.run_text(text)
    except ScriptError as error:
        assert all(fault.file and fault.line for fault in error.faults), text


@pytest.mark.parametrize("group", sorted({entry.group for entry in all_commands()}))
def test_every_command_with_any_words(group, tmp_path):
    chance = random.Random(group)
    interpreter = session(tmp_path)
    for entry in all_commands():
        if entry.group != group or entry.name in SKIPPED:
            continue
        for count in range(10):
            words = [chance.choice(WORDS) for _ in range(chance.choice((count, len(entry.arguments))))]
            attempt(interpreter, " ".join([entry.name, *words]))
        for _ in range(12):
            given = [chance.choice(a.choices or FITTING[a.kind]) for a in entry.arguments]
            kept = given[: max(len(entry.required), chance.randrange(len(given) + 1))]
            attempt(interpreter, " ".join([entry.name, *kept]) + "\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n.\n")


def test_any_text_at_all(tmp_path):
    chance = random.Random(7)
    interpreter = session(tmp_path)
    for _ in range(500):
        attempt(
            interpreter, "".join(chance.choice("ab %@!#.*><=+-/01 \t\"'\\é\n") for _ in range(chance.randrange(30)))
        )


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "noise.corpus").write_bytes(bytes(range(256)))
    with pytest.raises(ScriptError, match="cannot be read"):
        Interpreter(tmp_path).run_file(tmp_path / "noise.corpus")
    with pytest.raises(ScriptError, match="is not a text file"):
        Interpreter(tmp_path).run_text("do noise.corpus")
