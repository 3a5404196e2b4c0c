"""The command `fuzz`: mutants of many formats, over processes; cut short it goes on where it was (--json)."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

from .formats import FORMATS
from .fuzz import HEAD, TROUBLE, Tally, fuzz, read_summary, row
from .spreading import Lost, spread

PIECE = 1_000  # mutants that are read in one go: formats take turns, so that a budget serves all alike
KEEP = 5.0  # [s] between two writings of what was found
TELL = 60.0  # [s] between two words about it


def _piece(name: str, first: int, count: int, until: float) -> Tally:
    """In any process: some mutants of one format. `until` is of the wall clock, which processes share."""
    return fuzz(name, seed=first, count=count, budget=max(until - time.time(), 0.0))


class Found:
    """Tallies by format, and how far each piece was read."""

    def __init__(self, names: list[str], missing: list[str]):
        self.tallies = {name: Tally() for name in names}
        self.reached: dict[str, dict[int, int]] = {name: {} for name in names}  # by the first mutant of a piece
        self.missing = missing

    @property
    def whole(self) -> Tally:
        """All formats."""
        whole = Tally()
        for name, tally in self.tallies.items():
            whole.counts += tally.counts
            whole.seconds += tally.seconds
            for (kind, what), count in tally.faults.items():
                whole.faults[kind, f"{name}: {what}"] = count
                whole.shown[kind, f"{name}: {what}"] = tally.shown[kind, what]
        return whole

    def summary(self, asked: int) -> dict[str, Any]:
        """For a file; `asked`: mutants of each format."""
        whole, counts = self.whole, {name: tally.mutants for name, tally in self.tallies.items()}
        return {
            "held": not whole.failures and min(counts.values(), default=0) > 0,
            "ended": all(count >= asked for count in counts.values()),
            "all": whole.summary(),
            "formats": {name: tally.summary() for name, tally in self.tallies.items()},
            "reached": self.reached,
            "left_out": self.missing,
        }

    def go_on_from(self, earlier: dict[str, Any]) -> None:
        """Takes what was found before."""
        for name in self.tallies:
            if name in earlier["formats"]:
                self.tallies[name] = read_summary(earlier["formats"][name])
                self.reached[name] = {int(first): at for first, at in earlier["reached"][name].items()}

    def jobs(self, seed: int, last: int, until: float) -> list[tuple[str, int, int, float]]:
        """What is left of the pieces, formats in turn."""
        jobs = []
        for first in range(seed, last, PIECE):
            end = min(first + PIECE, last)
            for name, reached in self.reached.items():
                if (at := reached.get(first, first)) < end:
                    jobs.append((name, at, end - at, until))
        return jobs

    def take(self, job: tuple[str, int, int, float], result: Tally | Lost, seed: int) -> None:
        """Enters what came of a piece, or that nothing did."""
        name, at = job[:2]
        if isinstance(result, Lost):
            self.tallies[name].add(at, TROUBLE, f"a piece was lost: {result.why.strip().splitlines()[-1]}")
            print(f"{name} from {at}: {result.why}", flush=True)
            return
        self.tallies[name].take(result)
        self.reached[name][at - (at - seed) % PIECE] = result.reached


def mutants(given: Any) -> dict[str, Any]:
    """Counts by format, and what did not hold with numbers of mutants that show it."""
    wanted = given.formats or list(FORMATS)
    missing = [name for name in wanted if FORMATS[name].needs and find_spec(FORMATS[name].needs) is None]
    found = Found([name for name in wanted if name not in missing], missing)
    if earlier := given.report.earlier():
        found.go_on_from(earlier)
        print(f"goes on after {found.whole.mutants} mutants", flush=True)
    jobs = found.jobs(given.seed, given.seed + given.count, time.time() + given.budget)
    kept = told = time.monotonic()
    for done, (job, result) in enumerate(spread(_piece, jobs, given.processes), 1):
        found.take(job, result, given.seed)
        now = time.monotonic()
        if now - kept > KEEP:
            kept = now
            given.report.write(found.summary(given.count), ended=False)
        if now - told > TELL:
            told = now
            print(f"… {found.whole.mutants} mutants, {done} of {len(jobs)} pieces", flush=True)
    print(HEAD)
    for name, tally in found.tallies.items():
        print(row(name, tally))
    print(row("all", found.whole))
    for name in missing:
        print(f"{name}: left out, {FORMATS[name].needs} is not there")
    return found.summary(given.count)
