"""Command lists, saved lists, tracks and trees of commands."""

from gambol.corpus.actions import calls
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lists import PLACEHOLDER, SavedList, Track, repeat
from gambol.corpus.table import COMMAND_TABLE, in_group
from gambol.errors import CommandError

command = in_group("parser")
state_command = in_group("state")


@command(
    "commandlist",
    "name",
    "defines a list of commands, up to a full stop; called as name, name count, name param or name param count, with"
    " ** standing for the parameter",
    aliases="cl clist",
)
def commandlist(interpreter: Interpreter, name: str) -> None:
    lines = interpreter.read_block()
    if name in COMMAND_TABLE:
        raise CommandError(f"a command is called {name!r} already")
    interpreter.lists.commands[name] = lines


@command(
    "commandloop",
    "count:integer",
    "runs the lines that follow, up to a full stop, so many times",
    aliases="cloop clloop",
)
def commandloop(interpreter: Interpreter, count: int) -> None:
    lines = interpreter.read_block()
    if count < 0:
        raise CommandError(f"the count must not be negative, it is {count}")
    repeat(interpreter, lines, count, "loop")


@command("savelist", "name", "keeps the lines that follow, up to a full stop", aliases="sl")
def savelist(interpreter: Interpreter, name: str) -> None:
    lines = interpreter.read_block()
    interpreter.lists.saved[name] = SavedList([line for line in lines if line.text.strip()])


def _play(interpreter: Interpreter, saved: SavedList, index: int, preamble: str | None) -> None:
    line = saved.lines[index]
    interpreter.call(f"{preamble} {line.text}" if preamble else line.text, line)


@command(
    "playlist",
    "list:list [preamble:text]",
    "runs the next element of a list, after the preamble; starts over at the end",
    aliases="pl",
)
def playlist(interpreter: Interpreter, saved: SavedList, preamble: str | None) -> None:
    if not saved.lines:
        raise CommandError("the list is empty")
    index, saved.next = saved.next, (saved.next + 1) % len(saved.lines)
    _play(interpreter, saved, index, preamble)


@command("playlistn", "list:list index:integer [preamble:text]", "runs one element of a list (from 0)", aliases="pln")
def playlistn(interpreter: Interpreter, saved: SavedList, index: int, preamble: str | None) -> None:
    if not 0 <= index < len(saved.lines):
        raise CommandError(f"the list has the elements 0 to {len(saved.lines) - 1}; there is no {index}")
    _play(interpreter, saved, index, preamble)


@command("playlistfull", "list:list [preamble:text]", "runs every element of a list")
def playlistfull(interpreter: Interpreter, saved: SavedList, preamble: str | None) -> None:
    for index in range(len(saved.lines)):
        _play(interpreter, saved, index, preamble)


@command(
    "foreach", "list:list command:text", "runs a command for every element of a list, ** being the element", late=True
)
def foreach(interpreter: Interpreter, saved: SavedList, text: str) -> None:
    for line in list(saved.lines):
        interpreter.call(text.replace(PLACEHOLDER, line.text.strip()))


# ------------------------------------------------------------ tracks
@command("frame", "[n:integer]", "sets or prints the frame that tracks go by")
def frame(interpreter: Interpreter, n: int | None) -> None:
    if n is None:
        interpreter.print(str(interpreter.lists.frame))
    else:
        interpreter.lists.frame = n


command("trackflush", "", "forgets all tracks")(calls("lists.tracks.clear"))


def _track(mode: str, help: str) -> None:
    @command(mode, "start:integer end:integer command:text", help, raw=True)
    def add(interpreter: Interpreter, start: int, end: int, text: str) -> None:
        if end < start:
            raise CommandError(f"the track ends at frame {end}, before it starts at {start}")
        interpreter.lists.tracks.append(
            Track(mode, start, end, interpreter.current_line.with_text(interpreter.substitute_for_later(text)))
        )


_track("track", "a command for the frames from start to end; %A is the frame counted from start")
_track(
    "trackf", "a command for every frame, with the frame counted from start (kept between 0 and end - start) at its end"
)
_track("tracka", "a command for every frame; %A is the frame counted from start, kept between 0 and end - start")
_track("trackc", "a command for every frame; %A counts from start and begins again after end")


command("frametrack", "", "runs the tracks for the present frame", aliases="ft")(
    lambda interpreter: interpreter.lists.run_tracks(interpreter)
)


# ------------------------------------------------------------ a command for each link
def _for_links(interpreter: Interpreter, text: str, *, inward: bool = False) -> None:
    names = [link.name for link in interpreter.worlds.finished_corpus.tree()]
    for name in reversed(names) if inward else names:
        interpreter.call(text.replace(PLACEHOLDER, name))


@state_command(
    "commandtree", "command:text", "runs a command for every body of the figure, ** being its name", late=True
)
def commandtree(interpreter: Interpreter, text: str) -> None:
    """Calls a command for every link of the corpus, from the root outward."""
    _for_links(interpreter, text)


state_command("commandtreeout", "command:text", "the same, from the root outward", late=True)(_for_links)


@state_command("commandtreein", "command:text", "the same, from the ends to the root", late=True)
def commandtreein(interpreter: Interpreter, text: str) -> None:
    """Calls a command for every link of the corpus, from the tips inward."""
    _for_links(interpreter, text, inward=True)


@state_command("commandtreeparts", "command:text", "runs a command for every part of every body", late=True)
def commandtreeparts(interpreter: Interpreter, text: str) -> None:
    """Calls a command for every piece of every link."""
    for link in list(interpreter.worlds.finished_corpus.tree()):
        for piece in list(link.pieces):
            interpreter.call(text.replace(PLACEHOLDER, piece.name))
