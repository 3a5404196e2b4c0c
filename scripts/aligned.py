"""For the reference of the site: lists that docstrings align in columns become tables; indices are no links."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

ENTRY = re.compile(r"^(\S(?:.*?\S)?) {2,}(\S.*)$")


class AlignedLists(Extension):
    """Lines such as `every      time between samples [s]`, two or more of them, continued by indented lines."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring:
            plain = obj.docstring.value.replace("][", "]\\[")  # an index, not a link
            obj.docstring.value = tabled(plain)


def tabled(text: str) -> str:
    """The docstring with its aligned lists as tables."""
    out: list[str] = []
    rows: list[list[str]] = []

    def close() -> None:
        if rows:
            table = ["| | |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in rows)]
            out.extend(["", *table, ""])
            rows.clear()

    for line in text.splitlines():
        found = ENTRY.match(line)
        if found:
            rows.append([found[1], found[2].replace("|", "\\|")])
        elif rows and line.startswith("    ") and line.strip():
            rows[-1][1] += " " + line.strip().replace("|", "\\|")
        else:
            close()
            out.append(line)
    close()
    return "\n".join(out)
