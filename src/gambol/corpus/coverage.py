"""Which commands there are: what each does, or why it has no effect here."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gambol.corpus.table import all_commands


def coverage() -> list[dict[str, Any]]:
    """A row for every command."""
    import gambol.corpus.commands  # noqa: F401  (fills the table)

    return [
        {
            "command": entry.name,
            "group": entry.group,
            "usage": entry.usage,
            "aliases": list(entry.aliases),
            "status": "no effect" if entry.reason else "implemented",
            "help": entry.help,
            "reason": entry.reason,
        }
        for entry in all_commands()
    ]


def counts(rows: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """How many commands of each group are implemented, and how many have no effect."""
    table: dict[str, Counter[str]] = {}
    for row in rows:
        table.setdefault(row["group"], Counter())[row["status"]] += 1
    return table


def coverage_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """For people."""
    for row in rows:
        state = f"no effect: {row['reason']}" if row["reason"] else row["help"]
        yield f"{row['group']:<11} {row['usage']:<58} {state}"
    yield ""
    yield from count_lines(rows)


def count_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The count, as a table in Markdown."""
    yield "| group | implemented | no effect here |"
    yield "|---|---|---|"
    total: Counter[str] = Counter()
    for group, count in counts(rows).items():
        total += count
        yield f"| {group} | {count['implemented']} | {count['no effect']} |"
    yield f"| **all** | **{total['implemented']}** | **{total['no effect']}** |"


def reference(rows: list[dict[str, Any]]) -> str:
    """Every command by group, as a page in Markdown."""
    page = [
        "# Commands",
        "",
        "Made by `gambol corpus --commands --markdown`. How the language works: [corpus](corpus.md).",
        "",
    ]
    for group in counts(rows):
        page += [f"## {group}", "", "| command | what it does |", "|---|---|"]
        for row in rows:
            if row["group"] == group:
                also = f" (also `{'`, `'.join(row['aliases'])}`)" if row["aliases"] else ""
                state = f"no effect: {row['reason']}" if row["reason"] else row["help"]
                page.append(f"| `{_cell(row['usage'])}`{also} | {_cell(state)} |")
        page.append("")
    return "\n".join(page)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
