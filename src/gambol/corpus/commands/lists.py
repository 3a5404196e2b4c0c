"""Command lists, saved lists, tracks and trees of commands."""

from __future__ import annotations

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lists import HOLE, SavedList, Track, repeat
from gambol.corpus.table import COMMANDS, command
from gambol.errors import CommandError

GROUP = "parser"
TREE = "state"


@command(
    "commandlist",
    "name",
    "defines a list of commands, up to a full stop; called as name, name count, name param or name param count, with"
    " ** standing for the parameter",
    group=GROUP,
    aliases="cl clist",
)
def commandlist(it: Interpreter, name: str) -> None:
    lines = it.collect()
    if name in COMMANDS:
        raise CommandError(f"a command is called {name!r} already")
    it.lists.commands[name] = lines


@command(
    "commandloop",
    "count:integer",
    "runs the lines that follow, up to a full stop, so many times",
    group=GROUP,
    aliases="cloop clloop",
)
def commandloop(it: Interpreter, count: int) -> None:
    lines = it.collect()
    if count < 0:
        raise CommandError(f"the count must not be negative, it is {count}")
    repeat(it, lines, count, "loop")


@command("savelist", "name", "keeps the lines that follow, up to a full stop", group=GROUP, aliases="sl")
def savelist(it: Interpreter, name: str) -> None:
    lines = it.collect()
    it.lists.saved[name] = SavedList([line for line in lines if line.text.strip()])


def _play(it: Interpreter, saved: SavedList, index: int, preamble: str | None) -> None:
    line = saved.lines[index]
    it.call(f"{preamble} {line.text}" if preamble else line.text, line)


@command(
    "playlist",
    "list:list [preamble:text]",
    "runs the next element of a list, after the preamble; starts over at the end",
    group=GROUP,
    aliases="pl",
)
def playlist(it: Interpreter, saved: SavedList, preamble: str | None) -> None:
    if not saved.lines:
        raise CommandError("the list is empty")
    index, saved.next = saved.next, (saved.next + 1) % len(saved.lines)
    _play(it, saved, index, preamble)


@command(
    "playlistn",
    "list:list index:integer [preamble:text]",
    "runs one element of a list (from 0)",
    group=GROUP,
    aliases="pln",
)
def playlistn(it: Interpreter, saved: SavedList, index: int, preamble: str | None) -> None:
    if not 0 <= index < len(saved.lines):
        raise CommandError(f"the list has the elements 0 to {len(saved.lines) - 1}; there is no {index}")
    _play(it, saved, index, preamble)


@command("playlistfull", "list:list [preamble:text]", "runs every element of a list", group=GROUP)
def playlistfull(it: Interpreter, saved: SavedList, preamble: str | None) -> None:
    for index in range(len(saved.lines)):
        _play(it, saved, index, preamble)


@command(
    "foreach",
    "list:list command:text",
    "runs a command for every element of a list, ** being the element",
    group=GROUP,
    late=True,
)
def foreach(it: Interpreter, saved: SavedList, text: str) -> None:
    for line in list(saved.lines):
        it.call(text.replace(HOLE, line.text.strip()))


# ------------------------------------------------------------ tracks
@command("frame", "[n:integer]", "sets or prints the frame that tracks go by", group=GROUP)
def frame(it: Interpreter, n: int | None) -> None:
    if n is None:
        it.say(str(it.lists.frame))
    else:
        it.lists.frame = n


@command("trackflush", "", "forgets all tracks", group=GROUP)
def trackflush(it: Interpreter) -> None:
    it.lists.tracks.clear()


def _track(mode: str, help: str) -> None:
    @command(mode, "start:integer end:integer command:text", help, group=GROUP, raw=True)
    def add(it: Interpreter, start: int, end: int, text: str) -> None:
        if end < start:
            raise CommandError(f"the track ends at frame {end}, before it starts at {start}")
        it.lists.tracks.append(Track(mode, start, end, it.place.saying(it.carried(text))))


_track("track", "a command for the frames from start to end; %A is the frame counted from start")
_track(
    "trackf", "a command for every frame, with the frame counted from start (kept between 0 and end - start) at its end"
)
_track("tracka", "a command for every frame; %A is the frame counted from start, kept between 0 and end - start")
_track("trackc", "a command for every frame; %A counts from start and begins again after end")


@command("frametrack", "", "runs the tracks for the present frame", group=GROUP, aliases="ft")
def frametrack(it: Interpreter) -> None:
    it.lists.run_tracks(it)


# ------------------------------------------------------------ a command for each link
def _for_links(it: Interpreter, text: str, *, inward: bool = False) -> None:
    names = [link.name for link in it.universe.built.tree()]
    for name in reversed(names) if inward else names:
        it.call(text.replace(HOLE, name))


@command(
    "commandtree",
    "command:text",
    "runs a command for every body of the figure, ** being its name",
    group=TREE,
    late=True,
)
def commandtree(it: Interpreter, text: str) -> None:
    _for_links(it, text)


@command("commandtreeout", "command:text", "the same, from the root outward", group=TREE, late=True)
def commandtreeout(it: Interpreter, text: str) -> None:
    _for_links(it, text)


@command("commandtreein", "command:text", "the same, from the ends to the root", group=TREE, late=True)
def commandtreein(it: Interpreter, text: str) -> None:
    _for_links(it, text, inward=True)


@command("commandtreeparts", "command:text", "runs a command for every part of every body", group=TREE, late=True)
def commandtreeparts(it: Interpreter, text: str) -> None:
    for link in list(it.universe.built.tree()):
        for piece in list(link.pieces):
            it.call(text.replace(HOLE, piece.name))
