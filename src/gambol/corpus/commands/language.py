"""The language itself: scripts, variables, conditions, output."""

import re

from gambol.corpus.actions import always, prints, sets
from gambol.corpus.interpreter import Exit, Interpreter
from gambol.corpus.lines import LineSource, numbered_lines
from gambol.corpus.lists import add_call_site
from gambol.corpus.table import COMMAND_TABLE, all_commands, in_group, spelling
from gambol.errors import CommandError
from gambol.version import __version__

command = in_group("parser")
CONDITION = re.compile(r"^(\S+?)\s*([=<>#])\s*(\S+)\s+(.*)$")
LEVELS = "silent|basic|extra|super|detailed"


@command("#", "[text:text]", "a comment, to the end of the line")
@command("!", "[text:text]", "prints the rest of the line; not in silent mode")
@command("@", "[text:text]", "prints the rest of the line, in silent mode too")
@command("*x", "number:number", "in procom and retcom: a time of x times the program's duration")
@command(">", "file:file", "command > file: what the command prints goes to a file")
@command(">>", "file:file", "command >> file: what the command prints is appended to a file")
@command("%V=", "value:integer", "gives variable V (one letter) a value; %V elsewhere stands for it")
@command("%V+", "[value:integer]", "adds 1, or the value, to variable V")
@command("%V-", "[value:integer]", "takes 1, or the value, from variable V")
@command("%V*", "value:integer", "multiplies variable V")
@command("%V/", "value:integer", "divides variable V, towards zero")
@command("%V#", "value:integer", "remainder of variable V")
def syntax(interpreter: Interpreter, *arguments) -> None:
    """Marks that are part of other commands; alone they are a fault."""
    raise CommandError("this mark has a meaning only where the help says")


@command(".", "", "ends the block of commandlist, commandloop, savelist, write, procom and retcom")
def full_stop(interpreter: Interpreter) -> None:
    raise CommandError("a full stop ends a block, and none is open")


@command("quit", "", "leaves the program")
def quit_(interpreter: Interpreter) -> None:
    raise Exit("program")


@command("dostop", "", "ends the script that runs")
def dostop(interpreter: Interpreter) -> None:
    raise Exit("script")


@command("toplevel", "", "ends all scripts and returns to the prompt")
def toplevel(interpreter: Interpreter) -> None:
    raise Exit("scripts")


command("version", "", "prints which program this is")(prints(lambda interpreter: f"gambol {__version__}"))


@command("searchpath", "paths:text", "folders in which files are looked for")
def searchpath(interpreter: Interpreter, paths: str) -> None:
    interpreter.files.search_path = [".", *re.split(r"[:\s]+", paths.strip())]


@command("do", "file:file [off] [count:integer]", "runs a script file, so many times")
def do(interpreter: Interpreter, file: str, off: str | None, count: int | None) -> None:
    if off is not None and off != "off":
        try:
            count = int(off)
        except ValueError:
            raise CommandError(f"after the file comes `off` or a count, not {off!r}") from None
    text = interpreter.files.text(file)
    name = str(interpreter.files.to_read(file))
    for _ in range(1 if count is None else count):
        add_call_site(
            interpreter,
            lambda: interpreter.execute_source(LineSource(numbered_lines(text, name), name=name, is_file=True)),
        )


@command("if", "condition:text", "if v1 {=,<,>,#} v2 command; # compares v1 modulo blocksize", raw=True)
def if_(interpreter: Interpreter, text: str) -> None:
    found = CONDITION.match(text)
    if not found:
        raise CommandError("expected: if v1 = v2 command (or <, >, #)")
    first, sign, second, rest = found.groups()
    try:
        a, b = int(interpreter.substitute(first)), int(interpreter.substitute(second))
    except ValueError:
        raise CommandError(f"conditions compare whole numbers, not {first!r} and {second!r}") from None
    if {"=": a == b, "<": a < b, ">": a > b, "#": a % interpreter.blocksize == b}[sign]:
        interpreter.call(rest)


@command("blocksize", "n:integer", "the divisor of the condition #")
def blocksize(interpreter: Interpreter, n: int) -> None:
    if n < 1:
        raise CommandError(f"the block size must be at least 1, it is {n}")
    interpreter.blocksize = n


@command("set", "variable value:integer", "gives a variable (one letter) a value")
def set_(interpreter: Interpreter, name: str, value: int) -> None:
    letter = name.removeprefix("%")
    if len(letter) != 1 or not letter.isalpha():
        raise CommandError(f"a variable has a single letter, not {name!r}")
    interpreter.variables[letter] = value


command("verbose", f"level:{LEVELS}", "how much is said about each frame that is simulated")(sets("verbosity"))
command("silent", "[switch:on|off]", "prints only what is asked for")(sets("silent", lambda switch: switch != "off"))
command("unsilent", "", "ends silent mode")(sets("silent", always(False)))


@command("write", "file:file", "writes the lines that follow, up to a full stop, to a file")
def write(interpreter: Interpreter, file: str) -> None:
    lines = interpreter.read_block()
    path = interpreter.files.to_write(file)
    path.write_text("".join(f"{line.text}\n" for line in lines), encoding="utf-8")


@command("help", "[name]", "lists the commands, or explains one")
def help_(interpreter: Interpreter, name: str | None) -> None:
    if name is None:
        for entry in all_commands():
            interpreter.print(f"{entry.usage:<60} {entry.help}")
        return
    if name not in COMMAND_TABLE:
        raise CommandError(f"no command is called {name!r}{spelling(name, COMMAND_TABLE)}")
    entry = COMMAND_TABLE[name]
    interpreter.print(entry.usage)
    interpreter.print(f"  {entry.help}")
    if entry.aliases:
        interpreter.print(f"  also: {', '.join(entry.aliases)}")
    if entry.reason:
        interpreter.print(f"  no effect here: {entry.reason}")
