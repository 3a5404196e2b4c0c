"""The journal of a study: a line for every point that was done, so that nothing is lost and nothing is done twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import StudyError
from gambol.study.points import Point

if TYPE_CHECKING:
    import pandas

JOURNAL_FILE, TABLE_FILE = "journal.jsonl", "table.parquet"
OK, FAILED = "ok", "failed"
HEAD = {"target": str, "parameters": list}
ROW = {"point": dict, "values": dict, "outcome": str, "message": str, "seconds": int | float}
STATUS_COLUMNS = ("outcome", "message", "seconds")


class Journal:
    """The lines of `folder`/journal.jsonl; the first says what the study is of."""

    def __init__(self, folder: Path, target: str, parameters: list[str]):
        self.path = folder / JOURNAL_FILE
        self.rows: dict[str, dict[str, Any]] = {}
        head = {"target": target, "parameters": parameters}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._resume(head)
        else:
            self._append_line(head)

    def _resume(self, head: dict[str, Any]) -> None:
        lines = _lines_of(self.path)
        if lines and not lines[-1].endswith("\n"):  # cut short by a crash: that point is done again
            lines.pop()
            self.path.write_text("".join(lines), encoding="utf-8")
        found, self.rows = _parsed(lines, self.path)
        if found != head:
            message = f"{self.path} is of {found['target']} over {', '.join(found['parameters'])}"
            raise StudyError(f"{message}; choose another folder")

    def _append_line(self, data: Any) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(data, ensure_ascii=False) + "\n")

    def remaining(self, points: list[Point], *, retry: bool) -> list[Point]:
        """Those that are not done, each once; with `retry` also those that failed."""
        done = {k for k, row in self.rows.items() if row["outcome"] == OK or not retry}
        return [point for k, point in {point_key(p): p for p in points}.items() if k not in done]

    def add(self, row: dict[str, Any]) -> None:
        """Enters a point that was done."""
        self.rows[point_key(row["point"])] = row
        self._append_line(row)

    def table(self) -> pandas.DataFrame:
        """A row for every point: parameters, results, outcome, message, seconds."""
        return _frame(list(self.rows.values()))

    def write(self) -> Path:
        """Writes the table as parquet, beside the journal."""
        path = self.path.with_name(TABLE_FILE)
        part = path.with_name(f".{path.name}.part")
        self.table().to_parquet(part, index=False)
        part.replace(path)
        return path


def point_key(point: Point) -> str:
    """A text that is the same for equal points."""
    return json.dumps(point, sort_keys=True, ensure_ascii=False)


def _frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(
        [{**row["point"], **row["values"], **{name: row[name] for name in STATUS_COLUMNS}} for row in rows]
    )


def read_table(folder: str | Path) -> pandas.DataFrame:
    """The table of a study, from its journal: also of one that is running or was killed."""
    path = Path(folder) / JOURNAL_FILE
    if not path.is_file():
        raise StudyError(f"{folder} holds no study (no {JOURNAL_FILE})")
    _, rows = _parsed([line for line in _lines_of(path) if line.endswith("\n")], path)
    return _frame(list(rows.values()))


def _lines_of(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise StudyError(f"{path} is damaged: not UTF-8 text: {error.reason}") from None
    return re.findall(r"[^\n]*\n|[^\n]+", text)  # not at the other ends of lines, which stand inside texts


def _parsed(lines: list[str], path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The head of a journal and its rows by point; raises StudyError with the line that is no such thing."""
    rows: dict[str, dict[str, Any]] = {}
    head: dict[str, Any] = {}
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if number == 1:
            if not _fits(data, HEAD) or not all(isinstance(name, str) for name in data["parameters"]):
                raise StudyError(f"{path} is not a journal of a study; choose another folder")
            head = {name: data[name] for name in HEAD}
        elif not _fits(data, ROW):
            raise StudyError(f"{path}:{number}: damaged: not the row of a point; remove the line to do it again")
        else:
            rows[point_key(data["point"])] = data
    if not head:
        raise StudyError(f"{path} is not a journal of a study; choose another folder")
    return head, rows


def _fits(data: Any, kinds: dict[str, Any]) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(name), kind) for name, kind in kinds.items())
