"""Other programs: as a master of children that talk in text."""

from __future__ import annotations

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lines import Source, numbered
from gambol.corpus.lists import calling
from gambol.corpus.table import command

GROUP = "parser"


@command(
    "system",
    "command:text",
    "runs a shell command and prints what it says (only with --allow-system)",
    group=GROUP,
    raw=True,
)
def system(it: Interpreter, text: str) -> None:
    status, said = it.processes.system(it.substituted(text), str(it.files.folder))
    if said:
        it.say(said)
    if status:
        it.warn(f"the shell command ended with status {status}")


@command(
    "vfork",
    "command:text",
    "starts a shell command in the background (only with --allow-system)",
    group=GROUP,
    raw=True,
)
def vfork(it: Interpreter, text: str) -> None:
    it.processes.fork(it.substituted(text), str(it.files.folder))


@command("wait", "", "waits for what vfork started", group=GROUP)
def wait(it: Interpreter) -> None:
    for status in it.processes.wait():
        if status:
            it.warn(f"the shell command ended with status {status}")


@command(
    "ppopen",
    "name command:text",
    "starts a child program that is written to and read from (only with --allow-system)",
    group=GROUP,
    raw=True,
)
def ppopen(it: Interpreter, name: str, text: str) -> None:
    it.processes.open(name, it.substituted(text), str(it.files.folder))


@command("ppread", "name", "prints what a child has said", group=GROUP)
def ppread(it: Interpreter, name: str) -> None:
    for line in it.processes.read(name):
        it.say(line)


@command("ppwrite", "name text:text", "sends a line to a child", group=GROUP, raw=True)
def ppwrite(it: Interpreter, name: str, text: str) -> None:
    it.processes.write(name, it.carried(text))


@command("ppdo", "name", "executes what a child has said, as commands", group=GROUP)
def ppdo(it: Interpreter, name: str) -> None:
    said = "\n".join(it.processes.read(name))
    calling(it, lambda: it.play(Source(numbered(said, f"<{name}>"), name=name)))
