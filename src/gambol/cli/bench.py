"""`gambol bench`: runs the cases, prints the table, writes the JSON."""

from pathlib import Path

from gambol.bench.cases import cases, select_cases
from gambol.bench.result import Result
from gambol.bench.table import remarks, result_table
from gambol.cli import console


def bench(names: list[str], json: Path | None, rounds: int, only_list: bool) -> None:
    """Measures the cases of these names or patterns, all without any; `only_list` lists them."""
    if only_list:
        for case in cases().values():
            console.plain(f"{case.name:<16} {case.description}")
        return
    with console.report_errors():
        wanted = select_cases(names)
    results: list[Result] = []
    interrupted = False
    with (
        console.report_errors(),
        console.announce_compilation(),
        console.progress_bar("measuring", len(wanted) * rounds) as (bar, task),
    ):
        try:
            for index, case in enumerate(wanted):
                bar.update(task, description=f"{case.name}: {case.description}", completed=index * rounds)
                results += case.measure(rounds, lambda: bar.advance(task))
                if json:  # after every case, so that a run that is cut short leaves what it has
                    console.write_json([r.data() for r in results], json)
        except KeyboardInterrupt:
            interrupted = True
    console.out.print(result_table(results))
    for line in remarks(results):
        console.out.print(line, soft_wrap=True)
    if json:
        console.err.print(f"written: {json}", soft_wrap=True)
    if interrupted:
        console.stop_interrupted(f"{len(results)} results were measured")
