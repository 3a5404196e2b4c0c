"""The scanned scripts of the sources, repaired by the list beside this file; they lie next to the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
SCRIPTS = HERE.parents[2] / "shared" / "corpus_scripts"
needs_scripts = pytest.mark.skipif(not SCRIPTS.is_dir(), reason="the scanned scripts are not beside the repository")


@dataclass(frozen=True)
class Repair:
    script: str
    kind: str
    line: int
    why: str
    old: str = ""
    new: str = ""


def repairs(script: str | None = None) -> list[Repair]:
    """Every repair, one a line of a script."""
    found = []
    for name, entries in yaml.safe_load((HERE / "repairs.yaml").read_text(encoding="utf-8")).items():
        for entry in entries:
            kind = next(k for k in ("join", "glue", "word", "drop", "insert") if k in entry)
            lines = entry["after"] if kind == "insert" else entry[kind]
            for line in lines if isinstance(lines, list) else [lines]:
                new = entry["insert"] if kind == "insert" else entry.get("to", "")
                found.append(Repair(name, kind, line, entry["why"], entry.get("from", ""), new))
    return [r for r in found if script in (None, r.script)]


def repaired(script: str) -> str:
    """The text of a script with its repairs; lines keep their numbers (joined and dropped ones become empty)."""
    lines = (SCRIPTS / f"{script}.corpus").read_text(encoding="utf-8").splitlines()
    own = repairs(script)
    for repair in own:
        index = repair.line - 1
        if repair.kind == "word":
            assert repair.old in lines[index], f"{script}:{repair.line} has no {repair.old!r}: {lines[index]!r}"
            lines[index] = lines[index].replace(repair.old, repair.new, 1)
    for repair in sorted((r for r in own if r.kind in ("join", "glue", "drop")), key=lambda r: -r.line):
        index = repair.line - 1
        if repair.kind != "drop":
            lines[index - 1] += ("" if repair.kind == "glue" else " ") + lines[index].strip()
        lines[index] = ""
    inserted = sorted((r for r in own if r.kind == "insert"), key=lambda r: -r.line)
    for repair in inserted:
        lines.insert(repair.line, repair.new)
    return "\n".join(lines) + "\n"
