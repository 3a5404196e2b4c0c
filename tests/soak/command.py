"""The command line of the long trials."""

from __future__ import annotations

import argparse
from typing import Any


def main() -> None:
    """Runs one trial and prints what it found; the exit code is 1 when something did not hold."""
    parser = argparse.ArgumentParser("python -m tests.soak", description=__doc__)
    trials = parser.add_subparsers(dest="trial", required=True)
    fuzzing = trials.add_parser("fuzz", help="mutants of every format")
    fuzzing.add_argument("--seed", type=int, default=0)
    fuzzing.add_argument("--count", type=int, default=10_000, help="mutants a format")
    fuzzing.add_argument("--budget", type=float, default=600.0, help="[s] of all formats together")
    fuzzing.add_argument("--formats", nargs="*", default=None)
    for name, usual, what in (
        ("kills", 100, "kill -9 at random moments"),
        ("made", 10_000, "simulations made and dropped"),
        ("cold", 2, "the process that compiles against those that load"),
        ("views", 500, "viewers opened and closed"),
        ("clients", 100, "websockets at one viewer"),
        ("sweep", 100_000, "points of a sweep"),
    ):
        trial = trials.add_parser(name, help=what)
        trial.add_argument("--count", type=int, default=usual)
        trial.add_argument("--seed", type=int, default=0)
    stops = trials.add_parser("interrupts", help="Ctrl-C in every command")
    stops.add_argument("names", nargs="*")
    hours = trials.add_parser("long", help="simulated hours of figures")
    hours.add_argument("--hours", type=float, default=24.0, help="of each figure, all worlds together")
    hours.add_argument("--worlds", type=int, default=64)
    hours.add_argument("--figures", nargs="*", default=None)
    hours.add_argument("--budget", type=float, default=1e9, help="[s] of the wall clock for each figure")
    hours.add_argument("--account", type=float, default=600.0, help="[s] of one world with its energy ledger")
    bumps = trials.add_parser("ridges", help="bodies against ridges of uneven ground")
    bumps.add_argument("--speeds", type=float, nargs="*", default=None, help="[m/s]")
    given = parser.parse_args()
    raise SystemExit(not perform(given))


def perform(given: Any) -> bool:
    """One trial; whether everything held."""
    from . import running

    match given.trial:
        case "fuzz":
            from .formats import FORMATS
            from .fuzz import HEAD, Tally, fuzz, row

            names, whole = given.formats or list(FORMATS), Tally()
            print(HEAD, flush=True)
            for name in names:
                tally = fuzz(name, seed=given.seed, count=given.count, budget=given.budget / len(names))
                print(row(name, tally), flush=True)
                whole.counts += tally.counts
                whole.seconds += tally.seconds
            print(row("all", whole))
            return not whole.failures
        case "interrupts":
            from .interrupts import interrupts

            return interrupts(given.names)
        case "ridges":
            from .ridges import ridges

            return ridges(given.speeds)
        case "kills":
            return running.kills(given.count, given.seed)
        case "long":
            from .hours import hours

            return hours(given.hours, given.worlds, given.figures, given.account, given.budget)
        case trial:
            return getattr(running, trial)(given.count)
