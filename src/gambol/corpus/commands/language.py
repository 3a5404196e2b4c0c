"""The language itself: scripts, variables, conditions, output."""

from __future__ import annotations

import re

from gambol.corpus.interpreter import Interpreter, Leave
from gambol.corpus.lines import Source, numbered
from gambol.corpus.lists import calling
from gambol.corpus.table import COMMANDS, command, entries
from gambol.errors import CommandError, nearest
from gambol.version import __version__

GROUP = "parser"
CONDITION = re.compile(r"^(\S+?)\s*([=<>#])\s*(\S+)\s+(.*)$")
LEVELS = "silent|basic|extra|super|detailed"


@command("#", "[text:text]", "a comment, to the end of the line", group=GROUP)
@command("!", "[text:text]", "prints the rest of the line; not in silent mode", group=GROUP)
@command("@", "[text:text]", "prints the rest of the line, in silent mode too", group=GROUP)
@command("*x", "number:number", "in procom and retcom: a time of x times the program's duration", group=GROUP)
@command(">", "file:file", "command > file: what the command prints goes to a file", group=GROUP)
@command(">>", "file:file", "command >> file: what the command prints is appended to a file", group=GROUP)
@command("%V=", "value:integer", "gives variable V (one letter) a value; %V elsewhere stands for it", group=GROUP)
@command("%V+", "[value:integer]", "adds 1, or the value, to variable V", group=GROUP)
@command("%V-", "[value:integer]", "takes 1, or the value, from variable V", group=GROUP)
@command("%V*", "value:integer", "multiplies variable V", group=GROUP)
@command("%V/", "value:integer", "divides variable V, towards zero", group=GROUP)
@command("%V#", "value:integer", "remainder of variable V", group=GROUP)
def syntax(it: Interpreter, *arguments) -> None:
    raise CommandError("this mark has a meaning only where the help says")


@command(".", "", "ends the block of commandlist, commandloop, savelist, write, procom and retcom", group=GROUP)
def full_stop(it: Interpreter) -> None:
    raise CommandError("a full stop ends a block, and none is open")


@command("quit", "", "leaves the program", group=GROUP)
def quit_(it: Interpreter) -> None:
    raise Leave("program")


@command("dostop", "", "ends the script that runs", group=GROUP)
def dostop(it: Interpreter) -> None:
    raise Leave("script")


@command("toplevel", "", "ends all scripts and returns to the prompt", group=GROUP)
def toplevel(it: Interpreter) -> None:
    raise Leave("scripts")


@command("version", "", "prints which program this is", group=GROUP)
def version(it: Interpreter) -> None:
    it.say(f"gambol {__version__}")


@command("searchpath", "paths:text", "folders in which files are looked for", group=GROUP)
def searchpath(it: Interpreter, paths: str) -> None:
    it.files.searched = [".", *re.split(r"[:\s]+", paths.strip())]


@command("do", "file:file [off] [count:integer]", "runs a script file, so many times", group=GROUP)
def do(it: Interpreter, file: str, off: str | None, count: int | None) -> None:
    if off is not None and off != "off":
        try:
            count = int(off)
        except ValueError:
            raise CommandError(f"after the file comes `off` or a count, not {off!r}") from None
    text = it.files.text(file)
    name = str(it.files.to_read(file))
    for _ in range(1 if count is None else count):
        calling(it, lambda: it.play(Source(numbered(text, name), name=name, is_file=True)))


@command("if", "condition:text", "if v1 {=,<,>,#} v2 command; # compares v1 modulo blocksize", group=GROUP, raw=True)
def if_(it: Interpreter, text: str) -> None:
    found = CONDITION.match(text)
    if not found:
        raise CommandError("expected: if v1 = v2 command (or <, >, #)")
    first, sign, second, rest = found.groups()
    try:
        a, b = int(it.substituted(first)), int(it.substituted(second))
    except ValueError:
        raise CommandError(f"conditions compare whole numbers, not {first!r} and {second!r}") from None
    if {"=": a == b, "<": a < b, ">": a > b, "#": a % it.blocksize == b}[sign]:
        it.call(rest)


@command("blocksize", "n:integer", "the divisor of the condition #", group=GROUP)
def blocksize(it: Interpreter, n: int) -> None:
    if n < 1:
        raise CommandError(f"the block size must be at least 1, it is {n}")
    it.blocksize = n


@command("set", "variable value:integer", "gives a variable (one letter) a value", group=GROUP)
def set_(it: Interpreter, name: str, value: int) -> None:
    letter = name.removeprefix("%")
    if len(letter) != 1 or not letter.isalpha():
        raise CommandError(f"a variable has a single letter, not {name!r}")
    it.variables[letter] = value


@command("verbose", f"level:{LEVELS}", "how much is said about each frame that is simulated", group=GROUP)
def verbose(it: Interpreter, level: str) -> None:
    it.verbosity = level


@command("silent", "[switch:on|off]", "prints only what is asked for", group=GROUP)
def silent(it: Interpreter, switch: str | None) -> None:
    it.silent = switch != "off"


@command("unsilent", "", "ends silent mode", group=GROUP)
def unsilent(it: Interpreter) -> None:
    it.silent = False


@command("write", "file:file", "writes the lines that follow, up to a full stop, to a file", group=GROUP)
def write(it: Interpreter, file: str) -> None:
    lines = it.collect()
    path = it.files.to_write(file)
    path.write_text("".join(f"{line.text}\n" for line in lines), encoding="utf-8")


@command("help", "[name]", "lists the commands, or explains one", group=GROUP)
def help_(it: Interpreter, name: str | None) -> None:
    if name is None:
        for entry in entries():
            it.say(f"{entry.usage:<60} {entry.help}")
        return
    if name not in COMMANDS:
        raise CommandError(f"no command is called {name!r}{nearest(name, COMMANDS).partition(' (allowed')[0]}")
    entry = COMMANDS[name]
    it.say(entry.usage)
    it.say(f"  {entry.help}")
    if entry.aliases:
        it.say(f"  also: {', '.join(entry.aliases)}")
    if entry.reason:
        it.say(f"  no effect here: {entry.reason}")
