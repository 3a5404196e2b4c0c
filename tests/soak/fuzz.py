"""Reads mutants in child processes and counts what came of each.

held      read, or refused with a GambolError (or an OSError, which names the file)
bare      any other exception
changed   read without complaint, but with other numbers than were written
crashed   the process died
hung      it took longer than LIMIT
memory    it asked for more than ROOM
"""

from __future__ import annotations

import faulthandler
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


def _work(name: str, first: int, last: int, until: float, limit: float, pipe: Any) -> None:
    """In a child: reads mutants in turn and tells of each."""
    form = FORMATS[name]
    faulthandler.disable()
    sys.setrecursionlimit(1000)
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    os.dup2(devnull, 1)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"mutant{form.suffix}"
        seeds = form.seeds()
        good = []
        for content in seeds:
            file.write_bytes(content)
            good.append(form.read(file))
        resource.setrlimit(resource.RLIMIT_AS, (_memory() + ROOM, resource.RLIM_INFINITY))
        for seed in range(first, last):
            if time.monotonic() > until:
                break
            content = mutant(name, seed, seeds)
            pipe.send((seed, "begun", ""))
            file.write_bytes(content)
            signal.setitimer(signal.ITIMER_REAL, limit)
            kind, what = _outcome(form, file, good)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            pipe.send((seed, kind, what))
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
    while at < last and time.monotonic() < until:
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(name, at, last, until, limit, sender))
        child.start()
        sender.close()
        open_seed = None
        try:
            while True:
                number, kind, what = receiver.recv()
                at = number + 1
                open_seed = number if kind == "begun" else None
                if kind != "begun":
                    tally.add(number, kind, what)
        except EOFError:
            child.join()
        if open_seed is not None:
            hung = child.exitcode == -signal.SIGALRM
            name_of = "" if hung else signal.Signals(-child.exitcode).name if child.exitcode < 0 else "exit"
            tally.add(open_seed, "hung" if hung else "crashed", name_of)
        elif child.exitcode != 0:
            raise RuntimeError(f"the child for {name} ended with {child.exitcode} before a mutant")
        else:
            break
    tally.seconds = time.monotonic() - began
    return tally


def table(tallies: dict[str, Tally]) -> str:
    """Counts by format, then what did not hold with seeds that show it."""
    lines = [f"{'format':<11}{'mutants':>9}" + "".join(f"{kind:>9}" for kind in KINDS) + f"{'s':>8}"]
    for name, tally in tallies.items():
        total = sum(tally.counts.values())
        counts = "".join(f"{tally.counts[kind]:>9}" for kind in KINDS)
        lines.append(f"{name:<11}{total:>9}{counts}{tally.seconds:>8.1f}")
    for name, tally in tallies.items():
        for (kind, what), seeds in sorted(tally.found.items(), key=lambda item: -len(item[1])):
            lines.append(f"  {name}: {kind} {what}: {len(seeds)}, such as {', '.join(map(str, seeds[:3]))}")
    return "\n".join(lines)
