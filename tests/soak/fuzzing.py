"""The command `fuzz`: mutants of many formats, over processes."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

from .formats import FORMATS
from .fuzz import HEAD, KINDS, Tally, fuzz, row
from .spreading import spread

PIECE = 2_000  # mutants that are read in one go: formats take turns, so that a budget serves all alike


def _piece(name: str, first: int, count: int, until: float) -> tuple[str, Tally]:
    """In any process: some mutants of one format. `until` is of the wall clock, which processes share."""
    return name, fuzz(name, seed=first, count=count, budget=max(until - time.time(), 0.0))


def _pieces(names: list[str], given: Any, until: float) -> list[tuple[str, int, int, float]]:
    last = given.seed + given.count
    return [(n, a, min(PIECE, last - a), until) for a in range(given.seed, last, PIECE) for n in names]


def fuzz_all(names: list[str], given: Any) -> dict[str, Tally]:
    """Tallies by format."""
    found = {name: Tally() for name in names}
    jobs = _pieces(names, given, time.time() + given.budget)
    told, done = time.monotonic(), 0
    for name, tally in spread(_piece, jobs, given.processes):
        found[name].take(tally)
        done += 1
        if time.monotonic() - told > 60.0:
            told = time.monotonic()
            total = sum(sum(t.counts.values()) for t in found.values())
            print(f"… {total} mutants, {done} of {len(jobs)} pieces", flush=True)
    return found


def _summary(tally: Tally) -> dict[str, Any]:
    worst = sorted(tally.found.items(), key=lambda item: -len(item[1]))
    counts = {"mutants": sum(tally.counts.values())} | {kind: tally.counts[kind] for kind in KINDS}
    faults = [{"kind": kind, "what": what, "count": len(s), "such_as": s[:5]} for (kind, what), s in worst]
    return counts | {"seconds": round(tally.seconds, 1)} | ({"faults": faults} if faults else {})


def mutants(given: Any) -> dict[str, Any]:
    """Counts by format, and what did not hold with numbers of mutants that show it."""
    wanted = given.formats or list(FORMATS)
    missing = [name for name in wanted if FORMATS[name].needs and find_spec(FORMATS[name].needs) is None]
    names = [name for name in wanted if name not in missing]
    found = fuzz_all(names, given)
    whole = Tally()
    print(HEAD)
    for name, tally in found.items():
        print(row(name, tally))
        whole.counts += tally.counts
        whole.seconds += tally.seconds
    print(row("all", whole))
    for name in missing:
        print(f"{name}: left out, {FORMATS[name].needs} is not there")
    formats = {name: _summary(tally) for name, tally in found.items()}
    held = not whole.failures and all(sum(t.counts.values()) > 0 for t in found.values())
    return {"held": held, "all": _summary(whole), "formats": formats, "left_out": missing}
