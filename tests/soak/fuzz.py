"""Reads mutants in child processes and counts what came of each.

held      read, or refused with a GambolError (or an OSError, which names the file)
bare      any other exception
changed   read without complaint, but with other numbers than were written
crashed   the process died
hung      it took longer than LIMIT
memory    it asked for more than ROOM
"""

from __future__ import annotations

import contextlib
import faulthandler
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
OPEN, HELD = 0, 1  # what a child shares: the number of the mutant it reads, and how many held
NONE = -1
KINDS = ("held", "bare", "changed", "crashed", "hung", "memory")


@dataclass
class Tally:
    """How often each thing happened, and the first seeds of what did not hold, by their kind and place."""

    counts: Counter = field(default_factory=Counter)
    found: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, seed: int, kind: str, what: str) -> None:
        """Enters one mutant."""
        self.counts[kind] += 1
        if kind != "held":
            self.found.setdefault((kind, what), []).append(seed)

    def take(self, other: Tally) -> None:
        """Enters all of another."""
        self.counts += other.counts
        self.seconds += other.seconds
        for key, seeds in other.found.items():
            self.found.setdefault(key, []).extend(seeds)

    @property
    def failures(self) -> int:
        """Mutants that did not hold."""
        return sum(self.counts.values()) - self.counts["held"]


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
    """In a child: reads mutants in turn; the cells hold which one is open and how many held, the pipe what did not."""
    form = FORMATS[name]
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
            if time.monotonic() > until:
                break
            content = mutant(name, seed, seeds)
            file.write_bytes(content)
            cells[OPEN] = seed
            signal.setitimer(signal.ITIMER_REAL, limit)
            kind, what = _outcome(form, file, good)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if kind == "held":
                cells[HELD] += 1
            else:
                pipe.send((seed, kind, what))
            cells[OPEN] = NONE
    pipe.close()


def _outcome(form: Format, file: Path, good: list[Any]) -> tuple[str, str]:
    from gambol import GambolError

    try:
        read = form.read(file)
    except (GambolError, OSError):
        return "held", ""
    except MemoryError:
        return "memory", "MemoryError"
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return "bare", f"{type(error).__name__} in {Path(last.filename).name}:{last.name}"
    return ("changed", "other numbers") if form.exact and read not in good else ("held", "")


def fuzz(name: str, *, seed: int = 0, count: int = 1000, budget: float = 1e9, limit: float = LIMIT) -> Tally:
    """Reads `count` mutants of a format, or as many as `budget` seconds allow, from number `seed` on."""
    tally = Tally()
    began = time.monotonic()
    until, at, last = began + budget, seed, seed + count
    FORMATS[name].seeds()
    context = multiprocessing.get_context("fork")
    with mmap.mmap(-1, mmap.PAGESIZE) as shared, memoryview(shared).cast("q") as cells:
        while at < last and time.monotonic() < until:
            cells[OPEN], cells[HELD] = NONE, 0
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_work, args=(name, at, last, until, limit, cells, sender))
            child.start()
            sender.close()
            with contextlib.suppress(EOFError):
                while True:
                    tally.add(*receiver.recv())
            child.join()
            tally.counts += Counter(held=cells[HELD])  # which keeps no zero
            if cells[OPEN] != NONE:
                hung = child.exitcode == -signal.SIGALRM
                word = "" if hung else signal.Signals(-child.exitcode).name if child.exitcode < 0 else "exit"
                tally.add(cells[OPEN], "hung" if hung else "crashed", word)
                at = cells[OPEN] + 1
            elif child.exitcode != 0:
                raise RuntimeError(f"the child for {name} ended with {child.exitcode} before a mutant")
            else:
                break
    tally.seconds = time.monotonic() - began
    return tally


HEAD = f"{'format':<11}{'mutants':>9}" + "".join(f"{kind:>9}" for kind in KINDS) + f"{'s':>8}{'a second':>10}"


def row(name: str, tally: Tally) -> str:
    """Counts of a format, then what did not hold with numbers of mutants that show it."""
    total = sum(tally.counts.values())
    counts = "".join(f"{tally.counts[kind]:>9}" for kind in KINDS)
    lines = [f"{name:<11}{total:>9}{counts}{tally.seconds:>8.1f}{total / max(tally.seconds, 1e-9):>10.0f}"]
    for (kind, what), seeds in sorted(tally.found.items(), key=lambda item: -len(item[1])):
        lines.append(f"  {name}: {kind} {what}: {len(seeds)}, such as {', '.join(map(str, seeds[:3]))}")
    return "\n".join(lines)
