"""A hook of the site (mkdocs.yml): the cards of docs/gallery.md, from docs/gallery/results.json, and motions that play,
from docs/motion."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from gambol.experiments.findings import VERDICTS
from gambol.experiments.registry import Experiment, experiments
from gambol.experiments.report import FAMILY_TITLES, format_value
from gambol.view.page import document

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
MOTION = GALLERY.parent / "motion"
MARK, PLAYS = "<!-- cards -->", "<!-- plays -->"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    if page.file.src_uri != "gallery.md":
        return markdown
    return markdown.replace(MARK, cards()).replace(PLAYS, players())


def on_post_build(*, config: Any, **_: Any) -> None:
    """Writes a page that plays for each motion that was kept (by scripts/pictures)."""
    for path in motions():
        with np.load(path, allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files if name != "about"}
            text = document(json.loads(str(kept["about"])), arrays)
        (Path(config["site_dir"]) / "motion" / f"{path.stem}.html").write_text(text, encoding="utf-8")


def motions() -> list[Path]:
    return sorted(MOTION.glob("*.npz"))


def players() -> str:
    frames = (
        f'<iframe class="plays" loading="lazy" title="{path.stem}" src="../motion/{path.stem}.html"></iframe>'
        for path in motions()
    )
    return "\n\n".join(frames)


def cards() -> str:
    """Every experiment of the registry, family by family; one that was not run says how to."""
    kept = {entry["id"]: entry for entry in json.loads((GALLERY / "results.json").read_text(encoding="utf-8"))}
    lines = [summary(kept), differing(kept)]
    for family, title in FAMILY_TITLES.items():
        own = [e for e in experiments().values() if e.id.startswith(f"{family}-")]
        if own:
            lines += [f"## {title}", '<div class="grid cards" markdown>']
            lines += [card(e, kept.get(e.id)) for e in own]
            lines.append("</div>")
    return "\n\n".join(lines)


def summary(kept: dict[str, Any]) -> str:
    findings = [f for entry in kept.values() for f in entry["findings"]]
    counts = Counter(f["verdict"] for f in findings)
    words = ", ".join(f"{counts[v]} {v}" for v in VERDICTS)
    return f"{len(kept)} of {len(experiments())} experiments, {len(findings)} statements: {words}."


def differing(kept: dict[str, Any]) -> str:
    """What the sources say and these runs do not show, with what is known of the reason."""
    rows = ["| experiment | the source says | limit | ours | why |", "|---|---|---|---|---|"]
    for id, entry in kept.items():
        for f in entry["findings"]:
            if f["verdict"] == "differs" and f["kind"] in ("printed", "derived"):
                cells = [
                    f"[{id}](#{id})",
                    with_small(f["statement"], f["where"]),
                    cell(format_value(f["limit"], f["unit"])),
                    with_small(format_value(short(f["ours"]), f["unit"]), ensemble(f)),
                    cell(f["reason"]),
                ]
                rows.append(f"| {' | '.join(cells)} |")
    title = f"What the sources say and these runs do not show, and why: {len(rows) - 2} statements"
    return f'??? note "{title}"\n\n' + indented("\n".join(rows))


def card(experiment: Experiment, entry: dict[str, Any] | None) -> str:
    """A card: picture, title, source, the statement that says most, and the others folded away."""
    head = [f"**{experiment.title}**{{ #{experiment.id} }}", f"`{experiment.id}` · {experiment.source}"]
    if entry is None:
        return item([*head, f"Not run yet: `gambol reproduce {experiment.id}`"])
    shown = [f"![{experiment.title}](gallery/{entry['picture']}){{ loading=lazy }}"] if entry["picture"] else []
    if entry["quick"]:
        head.append("Short measurements (`--quick`).")
    first = foremost(entry["findings"])
    others = [f for f in entry["findings"] if f is not first]
    folded = [f'??? note "{len(others)} more"\n\n' + indented(table(others))] if others else []
    return item([*shown, *head, table([first]), *folded])


def foremost(findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The first that has a printed number to compare with; else one with printed words; else the first."""
    numbers = [f for f in findings if isinstance(f["printed"], int | float)]
    return next(iter([*numbers, *(f for f in findings if f["printed"] is not None), *findings]))


def table(findings: list[dict[str, Any]]) -> str:
    rows = ["| statement | source | limit | ours | verdict |", "|---|---|---|---|---|"]
    for f in findings:
        said = format_value(short(f["printed"]), f["unit"]) if f["printed"] is not None else f["kind"]
        cells = [
            with_small(f["statement"], f["reason"]),
            with_small(said, f"{f['kind']}, {f['where']}" if f["where"] else ""),
            with_small(format_value(f["limit"], f["unit"]), f["why"]),
            with_small(format_value(short(f["ours"]), f["unit"]), ensemble(f)),
        ]
        rows.append(f"| {' | '.join(cells)} | {f['verdict']} |")
    return "\n".join(rows)


def ensemble(f: dict[str, Any]) -> str:
    """Counts, interval and seeds."""
    parts = [f["counted"]] if f["counted"] else []
    if f["interval"]:
        parts.append(f"95 %: {f['interval'][0]:.3g} to {f['interval'][1]:.3g}")
    return "; ".join([*parts, *([f"seed {f['seed']}"] if f["seed"] else [])])


def with_small(text: str, small: str) -> str:
    return cell(text) + (f"<br><small>{cell(small)}</small>" if small else "")


def short(number: Any) -> Any:
    return float(f"{number:.4g}") if isinstance(number, float) else number


def cell(text: str) -> str:
    """Words that are words in a table: nothing in them is markup."""
    plain = escape(text, quote=False)
    for sign in "|*_`$[]~^":
        plain = plain.replace(sign, f"&#{ord(sign)};")
    return plain


def item(paragraphs: list[str]) -> str:
    return "-   " + indented("\n\n".join(paragraphs)).lstrip()


def indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
