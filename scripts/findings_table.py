"""Writes docs/findings.md: every finding of the cards in docs/gallery, with kind, limit, value, verdict, seed or rate.

    python scripts/findings_table.py

scripts/gallery.py does so too whenever it has made cards. A test compares the page with the cards.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from gallery_page import cell, ensemble, short

from gambol.experiments.findings import VERDICTS
from gambol.experiments.report import FAMILY_TITLES, format_value

DOCS = Path(__file__).parents[1] / "docs"
PAGE, CARDS = DOCS / "findings.md", DOCS / "gallery" / "results.json"
KINDS = ("printed", "derived", "ours", "beyond")
HEAD = """---
hide: [navigation]
---

# Every finding

What the experiments state, the limit that was declared before the run, and what came out: the cards of the
[gallery](gallery.md) as one table, written by `python scripts/findings_table.py`. *Printed*: the source says it;
*derived*: it follows from what the source prints; *ours*: a check or a trial of our own; *beyond*: goes beyond the
source. Rates have Wilson's interval, means Student's, both at 95 %. Names in *italics* are of quick runs. The rules are
on the page [published experiments](reproductions.md).
"""


def main() -> None:
    PAGE.write_text(page(read_cards()), encoding="utf-8")
    print(f"{PAGE.relative_to(DOCS.parent)} written")


def read_cards() -> list[dict[str, Any]]:
    """The cards of the gallery."""
    return list(json.loads(CARDS.read_text(encoding="utf-8")))


def page(cards: list[dict[str, Any]]) -> str:
    """The whole page."""
    parts = [HEAD, counted([f for card in cards for f in card["findings"]])]
    for family, title in FAMILY_TITLES.items():
        own = [card for card in cards if card["id"].startswith(f"{family}-")]
        if own:
            parts.append(f"## {title}\n")
            parts.append(
                "| finding | kind | statement | limit | value | verdict | seed or rate |\n|---|---|---|---|---|---|---|"
            )
            parts[-1] += "".join(f"\n{row(card, finding)}" for card in own for finding in card["findings"]) + "\n"
    return "\n".join(parts)


def counted(findings: list[dict[str, Any]]) -> str:
    """How many there are of each kind and verdict."""
    counts = Counter((f["kind"], f["verdict"]) for f in findings)
    lines = [f"| | {' | '.join(VERDICTS)} | all |", f"|---|{'---|' * (len(VERDICTS) + 1)}"]
    for kind in KINDS:
        each = [counts[kind, verdict] for verdict in VERDICTS]
        lines.append(f"| {kind} | {' | '.join(map(str, [*each, sum(each)]))} |")
    all_of = [sum(counts[kind, verdict] for kind in KINDS) for verdict in VERDICTS]
    lines.append(f"| **all** | {' | '.join(map(str, [*all_of, len(findings)]))} |")
    return "\n".join(lines) + "\n"


def row(card: dict[str, Any], finding: dict[str, Any]) -> str:
    """A line of the table."""
    name = f"{card['id']} {finding['key']}"
    where = f" ({cell(finding['where'])})" if finding["where"] else ""
    cells = [
        f"*{name}*" if card["quick"] else name,
        finding["kind"] + where,
        cell(finding["statement"]),
        cell(format_value(finding["limit"], finding["unit"])) if finding["limit"] else "–",
        cell(format_value(short(finding["ours"]), finding["unit"])),
        finding["verdict"],
        cell(ensemble(finding)) or "–",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
