"""Runs experiments one after the other and keeps a report of what was found so far."""

from __future__ import annotations

import fnmatch
import json
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gambol.errors import UnknownNameError, nearest
from gambol.experiments.registry import Experiment, Finding, experiments

RESULTS, REPORT = "results.json", "report.html"


@dataclass
class Outcome:
    """What a series of experiments gave. `failures` maps ids to what went wrong."""

    asked: list[Experiment]
    findings: list[Finding] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Did everything that was asked for run?"""
        return not self.failures and len(self.done) == len(self.asked)


def chosen(names: Sequence[str], *, everything: bool = False) -> list[Experiment]:
    """The experiments of these ids or patterns ("finger-*"), each once, in the order of the registry."""
    known = experiments()
    wanted: set[str] = set(known) if everything else set()
    for name in names:
        matching = fnmatch.filter(known, name)
        if not matching:
            raise UnknownNameError(f"no experiment is called {name!r}{nearest(name, known)}")
        wanted.update(matching)
    return [experiment for id, experiment in known.items() if id in wanted]


def reproduce(
    asked: Sequence[Experiment],
    folder: Path,
    *,
    quick: bool = False,
    begin: Callable[[Experiment], None] = lambda experiment: None,
    say: Callable[[str], None] = lambda text: None,
    end: Callable[[Outcome], None] = lambda outcome: None,
) -> Outcome:
    """Performs the experiments into `folder`. An interruption (Ctrl-C) ends it and keeps what was found.

    One that fails is noted, and the next goes on. `begin` and `end` are told before and after each.
    """
    outcome = Outcome(list(asked))
    try:
        for experiment in asked:
            begin(experiment)
            found: list[Finding] = []
            try:
                experiment.perform(folder, quick=quick, say=say, found=found)
                outcome.done.append(experiment.id)
            except Exception as error:  # whatever it is, the other experiments still have their turn
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(where.filename).name}:{where.lineno}"
                outcome.failures[experiment.id] = f"{type(error).__name__}: {error} ({place})"
            finally:
                outcome.findings += found
            end(outcome)
    except KeyboardInterrupt:
        outcome.interrupted = True
        end(outcome)
    return outcome


def keep(outcome: Outcome, folder: Path) -> None:
    """Writes the results and the report into the folder."""
    from gambol.experiments.report import html

    folder.mkdir(parents=True, exist_ok=True)
    write(folder / RESULTS, json.dumps([f.as_row() for f in outcome.findings], indent=2, ensure_ascii=False) + "\n")
    write(folder / REPORT, html(outcome, folder))


def write(path: Path, text: str) -> None:
    """Replaces a file as a whole: whoever looks sees the old one or the new."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
