"""The command line of the long trials.

Each takes --seed, --budget [s], --processes and --json FILE, which gets what was found and how it was asked for. It is
written as a trial goes, and `fuzz` goes on from it where it was cut short.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from .report import Report

FOREVER = 1e9  # [s]
# name: module and function, usual count, usual budget [s] of the wall clock, what it is
TRIALS: dict[str, tuple[str, int | None, float, str]] = {
    "fuzz": ("fuzzing.mutants", 10_000, 600.0, "mutants of every format; --count: of each"),
    "kills": ("kills.kills", 100, FOREVER, "kill -9 at random moments"),
    "made": ("lasting.made", 10_000, FOREVER, "simulations made and dropped"),
    "cold": ("lasting.cold", 2, FOREVER, "the process that compiles against those that load"),
    "views": ("viewing.views", 500, FOREVER, "viewers opened and closed"),
    "clients": ("viewing.clients", 100, FOREVER, "websockets at one viewer"),
    "sweep": ("lasting.sweep", 100_000, FOREVER, "points of a sweep"),
    "nodes": ("thousand.nodes", 1_000_000, FOREVER, "points of a sweep on a thousand nodes that take no time"),
    "day": ("lasting.day", None, FOREVER, "a long recording; --hours of it"),
    "interrupts": ("interrupts.interrupts", None, FOREVER, "Ctrl-C in every command; names of cases"),
    "long": ("hours.hours", None, FOREVER, "simulated hours of figures; --budget: of each figure"),
    "ridges": ("ridges.ridges", None, FOREVER, "bodies against ridges of uneven ground"),
}
MORE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "fuzz": [("--formats", {"nargs": "*", "default": None})],
    "interrupts": [("names", {"nargs": "*"}), ("--rounds", {"type": int, "default": 1})],
    "day": [
        ("--hours", {"type": float, "default": 24.0}),
        ("--every", {"type": float, "default": 0.01, "help": "[s] between samples"}),
    ],
    "long": [
        ("--hours", {"type": float, "default": 24.0, "help": "of each figure, all worlds of all processes together"}),
        ("--worlds", {"type": int, "default": 64, "help": "of each process"}),
        ("--figures", {"nargs": "*", "default": None}),
        ("--account", {"type": float, "default": 600.0, "help": "[s] of single worlds with their energy ledger"}),
    ],
    "ridges": [("--speeds", {"type": float, "nargs": "*", "default": None, "help": "[m/s]"})],
}


def main() -> None:
    """Runs one trial and prints what it found; the exit code is 1 when something did not hold."""
    parser = argparse.ArgumentParser("python -m tests.soak", description=__doc__)
    trials = parser.add_subparsers(dest="trial", required=True)
    for name, (_, count, budget, what) in TRIALS.items():
        trial = trials.add_parser(name, help=what)
        if count is not None:
            trial.add_argument("--count", type=int, default=count)
        trial.add_argument("--seed", type=int, default=0)
        trial.add_argument("--budget", type=float, default=budget, help="[s] of the wall clock")
        trial.add_argument("--processes", type=int, default=1)
        trial.add_argument("--json", type=Path, help="file for what was found")
        for flag, options in MORE.get(name, ()):
            trial.add_argument(flag, **options)
    given = parser.parse_args()
    raise SystemExit(not perform(given)["held"])


def perform(given: Any) -> dict[str, Any]:
    """One trial: what it found; `held` says whether everything did."""
    module, _, function = TRIALS[given.trial][0].partition(".")
    act = getattr(import_module(f".{module}", __package__), function)
    given.report = Report(given)
    found: dict[str, Any] = act(given)
    seconds = given.report.write(found, ended=True)
    print("everything held" if found["held"] else "NOT everything held", f"({seconds} s)")
    return found
