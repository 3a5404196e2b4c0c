"""Runs experiments one after the other and keeps a report of what was found so far."""

import fnmatch
import json
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gambol import UnknownNameError
from gambol.errors import nearest
from gambol.experiments.findings import Finding
from gambol.experiments.registry import Experiment, experiments, load_experiments

RESULTS_FILE, REPORT_FILE = "results.json", "report.html"


@dataclass
class Reproduction:
    """What a series of experiments gave. `failures` maps ids to what went wrong."""

    requested: list[Experiment]
    findings: list[Finding] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Did everything that was asked for run?"""
        return not self.failures and len(self.done) == len(self.requested)


def select_experiments(names: Sequence[str], *, everything: bool = False) -> list[Experiment]:
    """The experiments of these ids, patterns ("finger-*") or files ("mine.py"), each once, in the registry's order."""
    own = {name: load_experiments(Path(name)) for name in names if name.endswith(".py")}
    known = experiments()
    wanted: set[str] = set(known) if everything else set()
    for name in names:
        matching = own.get(name) or fnmatch.filter(known, name)
        if not matching:
            raise UnknownNameError(f"no experiment is called {name!r}{nearest(name, known)}")
        wanted.update(matching)
    return [experiment for id, experiment in known.items() if id in wanted]


def reproduce(
    requested: Sequence[Experiment],
    folder: Path,
    *,
    quick: bool = False,
    on_begin: Callable[[Experiment], None] = lambda experiment: None,
    log: Callable[[str], None] = lambda text: None,
    on_end: Callable[[Reproduction], None] = lambda outcome: None,
) -> Reproduction:
    """Performs the experiments into `folder`. An interruption (Ctrl-C) ends it and keeps what was found.

    One that fails is noted, and the next goes on. `begin` and `end` are told before and after each.
    """
    outcome = Reproduction(list(requested))
    try:
        for experiment in requested:
            on_begin(experiment)
            found: list[Finding] = []
            try:
                experiment.perform(folder, quick=quick, log=log, found=found)
                outcome.done.append(experiment.id)
            except Exception as error:  # whatever it is, the other experiments still have their turn
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(where.filename).name}:{where.lineno}"
                outcome.failures[experiment.id] = f"{type(error).__name__}: {error} ({place})"
            finally:
                outcome.findings += found
            on_end(outcome)
    except KeyboardInterrupt:
        outcome.interrupted = True
        on_end(outcome)
    return outcome


def write_results(outcome: Reproduction, folder: Path) -> None:
    """Writes the results and the report into the folder."""
    from gambol.experiments.report import report_html

    folder.mkdir(parents=True, exist_ok=True)
    replace_file(
        folder / RESULTS_FILE, json.dumps([f.as_row() for f in outcome.findings], indent=2, ensure_ascii=False) + "\n"
    )
    replace_file(folder / REPORT_FILE, report_html(outcome, folder))


def replace_file(path: Path, text: str) -> None:
    """Replaces a file as a whole: whoever looks sees the old one or the new."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
