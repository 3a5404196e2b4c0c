"""`gambol bench`: runs the cases, prints the table, writes the JSON."""

from __future__ import annotations

from pathlib import Path

from gambol.bench.cases import cases, select_cases
from gambol.bench.result import Result
from gambol.bench.table import remarks, result_table
from gambol.cli.console import USAGE, compiling_is_said, err, out, plain, progress_bar, reported, write_json


def bench(names: list[str], json: Path | None, rounds: int, only_list: bool) -> None:
    if only_list:
        for case in cases().values():
            plain(f"{case.name:<16} {case.description}")
        return
    with reported(USAGE):
        wanted = select_cases(names)
    results: list[Result] = []
    with reported(), compiling_is_said(), progress_bar("measuring", len(wanted) * rounds) as (bar, task):
        for index, case in enumerate(wanted):
            bar.update(task, description=f"{case.name}: {case.description}", completed=index * rounds)
            results += case.measure(rounds, lambda: bar.advance(task))
            if json:  # after every case, so that a run that is cut short leaves what it has
                write_json([r.data() for r in results], json)
    out.print(result_table(results))
    for line in remarks(results):
        out.print(line, soft_wrap=True)
    if json:
        err.print(f"written: {json}", markup=False, soft_wrap=True)
