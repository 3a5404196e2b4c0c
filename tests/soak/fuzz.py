"""Reads mutants in child processes and counts what came of each.

held      read, or refused with a GambolError (or an OSError, which names the file)
bare      any other exception
changed   read without complaint, but with other numbers than were written
crashed   the process died
hung      it took longer than LIMIT
memory    it asked for more than ROOM

Troubles are those of the trial itself: a child that does not come up, a mutant that cannot be made, a lost worker. They
are counted and told beside the mutants, and no trial that had some has held.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import mmap
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .formats import FORMATS, Format

LIMIT = 5.0  # [s] for one mutant
ROOM = 2_000_000_000  # [bytes] beyond what the process had before
OPEN, HELD, NEXT = 0, 1, 2  # what a child shares: the mutant it reads, how many held, the first it has not begun
NONE = -1
KINDS = ("held", "bare", "changed", "crashed", "hung", "memory")
TROUBLE = "trouble"
TRIES = 3  # children that may end before a mutant until the rest of a piece is left
SHOWN = 5  # numbers of mutants that are kept of each fault


@dataclass
class Tally:
    """How often each thing happened, and the first seeds of what did not hold, by their kind and place."""

    counts: Counter = field(default_factory=Counter)
    faults: Counter = field(default_factory=Counter)  # by (kind, what)
    shown: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    reached: int = 0  # the first mutant that was not read

    def add(self, seed: int, kind: str, what: str) -> None:
        """Enters one mutant, or a trouble at it."""
        self.counts[kind] += 1
        if kind != "held":
            self.faults[kind, what] += 1
            self._show(kind, what, [seed])

    def take(self, other: Tally) -> None:
        """Enters all of another."""
        self.counts += other.counts
        self.faults += other.faults
        self.seconds += other.seconds
        for (kind, what), seeds in other.shown.items():
            self._show(kind, what, seeds)

    def _show(self, kind: str, what: str, seeds: list[int]) -> None:
        self.shown[kind, what] = (self.shown.get((kind, what), []) + seeds)[:SHOWN]

    @property
    def mutants(self) -> int:
        """All that were read."""
        return sum(self.counts[kind] for kind in KINDS)

    @property
    def failures(self) -> int:
        """Mutants that did not hold, and troubles."""
        return sum(self.counts.values()) - self.counts["held"]

    def summary(self) -> dict[str, Any]:
        """For a file; `read_summary` is its inverse."""
        counts = {"mutants": self.mutants} | {kind: self.counts[kind] for kind in (*KINDS, TROUBLE)}
        faults = [
            {"kind": kind, "what": what, "count": count, "such_as": self.shown[kind, what]}
            for (kind, what), count in self.faults.most_common()
        ]
        return counts | {"seconds": round(self.seconds, 1)} | ({"faults": faults} if faults else {})


def read_summary(found: dict[str, Any]) -> Tally:
    """The tally of a summary."""
    counts = Counter({kind: found[kind] for kind in (*KINDS, TROUBLE) if found[kind]})
    tally = Tally(counts, seconds=found["seconds"])
    for fault in found.get("faults", ()):
        key = fault["kind"], fault["what"]
        tally.faults[key], tally.shown[key] = fault["count"], fault["such_as"]
    return tally


def mutant(name: str, seed: int, seeds: Any = None) -> bytes:
    """The mutant of a format with this number."""
    chance = random.Random(f"{name} {seed}")
    form = FORMATS[name]
    return form.damage(chance.choice(form.seeds() if seeds is None else seeds), chance)


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _folder() -> str | None:
    """Where mutants are written: in memory, where the system has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _work(name: str, first: int, last: int, until: float, limit: float, cells: Any, pipe: Any) -> None:
    """In a child: reads mutants in turn; the cells hold how far it is, the pipe gets what did not hold."""
    try:
        _read_all(name, first, last, until, limit, cells, pipe)
    except BaseException as error:
        pipe.send((cells[NEXT], TROUBLE, f"{_place(error)}: {str(error)[:200]}"))
        pipe.close()
        os._exit(1)
    pipe.close()


def _read_all(name: str, first: int, last: int, until: float, limit: float, cells: Any, pipe: Any) -> None:
    form, parent = FORMATS[name], os.getppid()
    faulthandler.disable()
    sys.setrecursionlimit(1000)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        file = Path(folder) / f"mutant{form.suffix}"
        seeds = form.seeds()
        good = []
        for content in seeds:
            file.write_bytes(content)
            good.append(form.read(file))
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 2)
        os.dup2(devnull, 1)
        resource.setrlimit(resource.RLIMIT_AS, (_memory() + ROOM, resource.RLIM_INFINITY))
        for seed in range(first, last):
            if time.monotonic() > until or os.getppid() != parent:
                break
            cells[NEXT] = seed + 1
            try:
                file.write_bytes(mutant(name, seed, seeds))
            except Exception as error:
                pipe.send((seed, TROUBLE, f"it cannot be made: {_place(error)}: {str(error)[:200]}"))
                continue
            cells[OPEN] = seed
            signal.setitimer(signal.ITIMER_REAL, limit)
            kind, what = _outcome(form, file, good)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if kind == "held":
                cells[HELD] += 1
            else:
                pipe.send((seed, kind, what))
            cells[OPEN] = NONE


def _place(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.name}"


def _outcome(form: Format, file: Path, good: list[Any]) -> tuple[str, str]:
    from gambol import GambolError

    try:
        read = form.read(file)
    except (GambolError, OSError):
        return "held", ""
    except MemoryError:
        return "memory", "MemoryError"
    except BaseException as error:
        return "bare", _place(error)
    return ("changed", "other numbers") if form.exact and read not in good else ("held", "")


@functools.cache
def _load(name: str) -> None:
    """Good files, read here once, so that children find loaded what their reader imports; faults are theirs to tell."""
    form = FORMATS[name]
    seeds = form.seeds()
    with tempfile.TemporaryDirectory(dir=_folder()) as folder, contextlib.suppress(Exception):
        file = Path(folder) / f"mutant{form.suffix}"
        file.write_bytes(seeds[0])
        form.read(file)


def fuzz(name: str, *, seed: int = 0, count: int = 1000, budget: float = 1e9, limit: float = LIMIT) -> Tally:
    """Reads `count` mutants of a format, or as many as `budget` seconds allow, from number `seed` on."""
    tally = Tally()
    began = time.monotonic()
    until, at, last, tries = began + budget, seed, seed + count, TRIES
    _load(name)
    context = multiprocessing.get_context("fork")
    with mmap.mmap(-1, mmap.PAGESIZE) as shared, memoryview(shared) as view, view.cast("q") as cells:
        while at < last and tries and time.monotonic() < until:
            cells[OPEN], cells[HELD], cells[NEXT] = NONE, 0, at
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_work, args=(name, at, last, until, limit, cells, sender))
            child.start()
            sender.close()
            with contextlib.suppress(EOFError, OSError):
                while True:
                    tally.add(*receiver.recv())
            child.join()
            receiver.close()
            tally.counts += Counter(held=cells[HELD])  # which keeps no zero
            code, at = child.exitcode or 0, cells[NEXT]
            if cells[OPEN] != NONE:
                hung = code == -signal.SIGALRM
                tally.add(cells[OPEN], "hung" if hung else "crashed", "" if hung else _ending(code))
            elif code:
                tries -= 1
                if code != 1:  # which would have told
                    tally.add(at, TROUBLE, f"the child ended by {_ending(code)} between two mutants")
    tally.seconds, tally.reached = time.monotonic() - began, at
    return tally


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


HEAD = f"{'format':<11}" + "".join(f"{word:>9}" for word in ("mutants", *KINDS, TROUBLE)) + f"{'s':>8}{'a second':>10}"


def row(name: str, tally: Tally) -> str:
    """Counts of a format, then what did not hold with numbers of mutants that show it."""
    total = tally.mutants
    counts = "".join(f"{tally.counts[kind]:>9}" for kind in (*KINDS, TROUBLE))
    lines = [f"{name:<11}{total:>9}{counts}{tally.seconds:>8.1f}{total / max(tally.seconds, 1e-9):>10.0f}"]
    for (kind, what), count in tally.faults.most_common():
        such = ", ".join(map(str, tally.shown[kind, what][:3]))
        lines.append(f"  {name}: {kind} {what}: {count}, such as {such}")
    return "\n".join(lines)
