"""Benchmark results for people."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from gambol.bench.cases import MAX_LINEARITY_RATIO, linearity
from gambol.bench.result import Result

FLOOR_MARKS = {True: Text("✔", "green"), False: Text("✘", "red"), None: Text("?", "yellow")}


def result_table(results: Sequence[Result]) -> Table:
    """Ours, each peer, the ratio, what is asked and whether it is met."""
    made = Table(title="Gambol and its peers, best of several turns")
    made.add_column("case", no_wrap=True)
    made.add_column("Gambol", justify="right", no_wrap=True)
    made.add_column("peers")  # the one that gives way in a narrow window: a peer a line
    made.add_column("ratio", justify="right", no_wrap=True)
    made.add_column("asked", justify="right", no_wrap=True)
    made.add_column("", no_wrap=True)
    for r in results:
        peers = "\n".join(f"{name} {format_amount(value, r.unit)}" for name, value in r.peers.items()) or "—"
        ratio = "—" if r.ratio is None else f"{r.ratio:.2f}"
        made.add_row(r.case, format_amount(r.ours, r.unit), peers, ratio, format_floor(r), floor_mark(r))
    return made


def format_amount(value: float, unit: str) -> str:
    """A number with its unit, as people read it."""
    if unit == "1/s":
        return f"{value / 1e6:.3g} M/s" if value >= 1e5 else f"{value:,.0f}/s"
    return f"{value:.3g} {unit}"


def format_floor(result: Result) -> str:
    """What is asked of a case; empty where nothing is."""
    if result.floor is None:
        return ""
    if result.floor.of == "ours":
        return f"≤ {format_amount(result.floor.value, result.unit)}"
    return f"≥ {result.floor.value:g}"


def floor_mark(result: Result) -> str | Text:
    """Whether it is met."""
    return "" if result.floor is None else FLOOR_MARKS[result.floor.met(result)]


def remarks(results: Sequence[Result]) -> list[Text]:
    """What belongs under the table: the metrics, missing peers, linearity in the number of joints."""
    metrics: dict[str, list[str]] = {}
    for r in results:
        metrics.setdefault(r.metric, []).append(r.case)
    lines = [Text(f"{_short(names)}: {metric}", "dim") for metric, names in metrics.items()]
    if (found := linearity(results)) is not None:
        ratio, met = found
        words = f"cost per joint, chain of 256 over chain of 32: {ratio:.2f} (asked: ≤ {MAX_LINEARITY_RATIO}) "
        lines.append(Text.assemble(words, FLOOR_MARKS[met]))
    lines += [Text(note, "yellow") for note in dict.fromkeys(note for r in results for note in r.notes)]
    return lines


def _short(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return ", ".join(unique) if len(unique) <= 3 else f"{unique[0]} … {unique[-1]}"
