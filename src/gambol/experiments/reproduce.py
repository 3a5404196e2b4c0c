"""Runs experiments, one after the other or side by side, and keeps a report of what was found so far."""

import fnmatch
import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gambol import UnknownNameError
from gambol.errors import nearest
from gambol.experiments.findings import Finding
from gambol.experiments.registry import Experiment, experiments, load_experiments
from gambol.experiments.side_by_side import CUT_SHORT, perform_side_by_side

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
    jobs: int = 1,
    files: Sequence[Path] = (),
    expected: Mapping[str, float] | None = None,
) -> Reproduction:
    """Performs the experiments into `folder`. An interruption (Ctrl-C) ends it and keeps what was found.

    One that fails is noted, and the next goes on. `begin` and `end` are told before and after each.

    jobs              how many at once, in processes; those that measure time run alone all the same
    files, expected   see perform_side_by_side
    """
    outcome = Reproduction(list(requested))
    place = {experiment.id: k for k, experiment in enumerate(requested)}

    def ended(experiment: Experiment, found: list[Finding], fault: str) -> None:
        outcome.findings += found
        outcome.findings.sort(key=lambda finding: place[finding.id])
        if not fault:
            outcome.done.append(experiment.id)
        elif fault == CUT_SHORT:
            outcome.interrupted = True
        else:
            outcome.failures[experiment.id] = fault
        on_end(outcome)

    try:
        if jobs > 1:
            options = dict(files=files, quick=quick, expected=expected, on_begin=on_begin, log=log, on_end=ended)
            perform_side_by_side(requested, folder, jobs, **options)  # type: ignore[arg-type]
        else:
            for experiment in requested:
                on_begin(experiment)
                found: list[Finding] = []
                fault = CUT_SHORT
                try:
                    experiment.perform(folder, quick=quick, log=log, found=found)
                    fault = ""
                except Exception as error:  # whatever it is, the other experiments still have their turn
                    fault = what_went_wrong(error)
                finally:
                    ended(experiment, found, fault)
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


def what_went_wrong(error: Exception) -> str:
    """An error in one line, with its place."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"


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
