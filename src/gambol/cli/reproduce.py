"""`gambol reproduce`: runs published experiments and writes one report."""

import json as jsonlib
from collections import Counter
from pathlib import Path

import typer

from gambol import ExperimentError
from gambol.cli import console
from gambol.experiments.registry import Experiment
from gambol.experiments.report import format_ensemble, format_value
from gambol.experiments.reproduce import REPORT_FILE, RESULTS_FILE, Reproduction, select_experiments, write_results
from gambol.experiments.reproduce import reproduce as perform

COLOURS = {"matches": "green", "differs": "yellow", "beyond": "cyan", "reported": "dim"}


def reproduce(
    ids: list[str], everything: bool, only_list: bool, folder: Path, json: Path | None, quick: bool, jobs: int = 1
) -> None:
    """Runs experiments into a folder, with a report; `only_list` lists them."""
    with console.report_errors(console.USAGE):
        if not ids and not everything and not only_list:
            raise ExperimentError("say which experiments: ids or patterns such as 'finger-*', or --all, or --list")
        asked = select_experiments(ids, everything=everything or (only_list and not ids))
    if only_list:
        print_list(asked, json)
        return
    with console.report_errors(), console.announce_compilation():
        weights = expected_times(asked, folder)
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"  # an unwritable folder is found before the work, not after it
        probe.touch()
        probe.unlink()
        with console.progress_bar("reproducing", round(1000 * sum(weights.values()))) as (bar, task):

            def begin(experiment: Experiment) -> None:
                bar.update(task, description=f"{experiment.id}: {experiment.title}")

            def end(outcome: Reproduction) -> None:
                write_results(outcome, folder)
                if json:
                    console.write_json([f.as_row() for f in outcome.findings], json)
                bar.update(task, completed=round(1000 * sum(weights[e.id] for e in reached(outcome))))

            say = lambda text: bar.update(task, description=text)
            own = [Path(name) for name in ids if name.endswith(".py")]
            more = dict(jobs=jobs, files=own, expected=weights)
            outcome = perform(asked, folder, quick=quick, on_begin=begin, log=say, on_end=end, **more)  # type: ignore[arg-type]
    print_summary(outcome, folder, json)
    if outcome.interrupted:
        console.stop_interrupted("what was found is kept")
    if not outcome.complete:
        raise typer.Exit(console.FAULT)


def reached(outcome: Reproduction) -> list[Experiment]:
    """Those that have had their turn."""
    return [e for e in outcome.requested if e.id in outcome.done or e.id in outcome.failures]


def print_list(asked: list[Experiment], json: Path | None) -> None:
    """The experiments, a line each."""
    for experiment in asked:
        console.plain(f"{experiment.id:<24} {experiment.title}  ({experiment.source})")
    if json:
        rows = [
            {
                "id": e.id,
                "source": e.source,
                "title": e.title,
                "states": [s.key for s in e.states],
                "parameters": {name: parameter.meaning for name, parameter in e.parameters.items()},
            }
            for e in asked
        ]
        with console.report_errors():
            console.write_json(rows, json)


def expected_times(asked: list[Experiment], folder: Path) -> dict[str, float]:
    """How long each took last time in this folder [s]; others count as the middle of those."""
    known: dict[str, float] = {}
    try:
        known = {row["id"]: float(row["seconds"]) for row in jsonlib.loads((folder / RESULTS_FILE).read_text("utf-8"))}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    usual = sorted(known.values())[len(known) // 2] if known else 1.0
    return {e.id: max(known.get(e.id, usual), 1e-3) for e in asked}


def print_summary(outcome: Reproduction, folder: Path, json: Path | None) -> None:
    """Every finding, what failed, and where the report is."""
    for f in outcome.findings:
        said = f.stated
        console.styled((f.verdict, COLOURS[f.verdict]), "  ", (f"{f.id} {f.key}", "bold"), f"  {said.statement}")
        limit = f"limit {format_value(str(said.limit), said.unit)} ({said.limit.why})" if said.limit else "no limit"
        where = f", {said.where}" if said.where else ""
        ensemble = f" [{format_ensemble(f)}]" if format_ensemble(f) else ""
        console.plain(
            f"          {said.kind}{where}: {format_value(said.value, said.unit)}; ours"
            f" {format_value(f.value, said.unit)}{ensemble}; {limit}"
        )
        if f.reason:
            console.plain(f"          {f.reason}")
    for id, message in outcome.failures.items():
        console.complain(f"{id} failed: {message}")
    counts: Counter[str] = Counter(f.verdict for f in outcome.findings)
    words = ", ".join(f"{counts[v]} {v}" for v in COLOURS if counts[v]) or "nothing found"
    console.plain(f"{len(outcome.done)} of {len(outcome.requested)} experiments ran: {words}")
    console.plain(f"  {folder / REPORT_FILE}")
    console.plain(f"  {json or folder / RESULTS_FILE}")
