"""The journal of a study: a line for every point that was done, so that nothing is lost and nothing is done twice.

Lines are made by the workers and come in blocks; here they are only written. What a study holds in memory of a point
that is done is its key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import StudyError
from gambol.study.points import Point
from gambol.study.quantities import UNITS, checked_units
from gambol.study.target import in_table
from gambol.study.work import FAILED, OK, point_key

if TYPE_CHECKING:
    import pandas

JOURNAL_FILE, TABLE_FILE, LOCK_FILE = "journal.jsonl", "table.parquet", ".lock"
SHARDS, TOKEN_FILE = "shards", ".token"  # files of workers that see the folder, and how they know that they do
HEAD = {"target": str, "parameters": list}
ROW = {"point": dict, "values": dict, "outcome": str, "message": str, "seconds": int | float}
STATUS_COLUMNS = ("outcome", "message", "seconds")
RESULT = "{} (result)"  # a result that is called like a parameter
RUN_COLUMN = "{} (run)"  # of the status columns, where a parameter is called so
__all__ = ["FAILED", "JOURNAL_FILE", "OK", "STATUS_COLUMNS", "TABLE_FILE", "Journal", "point_key", "read_table"]


class Journal:
    """The lines of `folder`/journal.jsonl; the first says what the study is of. One study at a time has a folder.

    Units, by the name of a parameter or a result, stand in the first line too. They are no part of what the study is: a
    journal without them, or with others, goes on and has these from then on.
    """

    def __init__(self, folder: Path, head: dict[str, Any], units: Mapping[str, str] | None = None):
        self.path = folder / JOURNAL_FILE
        self.units = dict(units or {})
        self.done: dict[str, str] = {}  # outcome by key
        self._read: dict[Path, int] = {}  # bytes of each shard that were read
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        try:
            if self.path.exists():
                self._resume(head)
                self.read_shards()
            else:
                self._replace([_head_line(head, self.units)])
            self._stream = self.path.open("a", encoding="utf-8")
        except BaseException:
            self._lock.close()
            raise

    def _resume(self, head: dict[str, Any]) -> None:
        lines = _lines_of(self.path)
        if cut := bool(lines) and not lines[-1].endswith("\n"):  # by a crash: that point is done again
            lines.pop()
        found, rows = _parsed(lines, self.path)
        units = found.pop(UNITS, {})
        if found != head:
            message = f"{self.path} is of {found.get('target')} over {', '.join(found.get('parameters', []))}"
            if (found.get("target"), found.get("parameters")) == (head["target"], head["parameters"]):
                differing = [key for key in {*found, *head} if found.get(key) != head.get(key)]
                message = f"{self.path} is of another study ({', '.join(sorted(differing))} differ)"
            raise StudyError(f"{message}; choose another folder")
        if cut or units != self.units:
            self._replace([_head_line(head, self.units), *lines[1:]])
        self.done = {key: row["outcome"] for key, row in rows.items()}

    def _replace(self, lines: list[str]) -> None:
        part = self.path.with_name(f".{self.path.name}.part")
        part.write_text("".join(lines), encoding="utf-8")
        part.replace(self.path)

    def remaining(self, points: Iterable[Point], *, retry: bool) -> list[Point]:
        """Those that are not done, each once; with `retry` also those that failed."""
        left = {point_key(p): p for p in points}
        return [point for k, point in left.items() if k not in self.done or (retry and self.done[k] != OK)]

    def add(self, lines: Iterable[str], keys: Iterable[str], outcomes: Iterable[str]) -> None:
        """Enters points that were done, all in one write."""
        self._stream.write("".join(lines))
        self._stream.flush()
        self.done.update(zip(keys, outcomes))

    def read_shards(self) -> None:
        """What workers have written since the last look: after a start, and after one was lost."""
        for shard in _shards(self.path):
            with shard.open("rb") as stream:
                stream.seek(self._read.get(shard, 0))
                block = stream.read()
            whole = block[: block.rfind(b"\n") + 1]
            self._read[shard] = self._read.get(shard, 0) + len(whole)
            for data in _shard_rows(_split(whole.decode("utf-8", "replace")), shard):
                self.done[point_key(data["point"])] = data["outcome"]

    def rows(self) -> dict[str, dict[str, Any]]:
        """Every line by the key of its point; of a point that was run again the last one."""
        self._stream.flush()
        return _entries(self.path)[1]

    def table(self) -> pandas.DataFrame:
        """A row for every point: parameters, results, outcome, message, seconds."""
        return _frame(list(self.rows().values()), self.units)

    def write(self, table: pandas.DataFrame | None = None) -> Path:
        """Writes the table as parquet, beside the journal."""
        path = self.path.with_name(TABLE_FILE)
        part = path.with_name(f".{path.name}.part")
        (self.table() if table is None else table).to_parquet(part, index=False)
        part.replace(path)
        return path

    @contextmanager
    def tabled(self) -> Iterator[None]:
        """Writes the table when what is within has failed; not by Ctrl-C, when nobody waits: the journal has it all."""
        try:
            yield
        except Exception:
            self.write()
            raise

    def close(self) -> None:
        """Others may have the folder."""
        self._stream.close()
        if self._lock is not None:
            self._lock.close()


def _locked(folder: Path) -> Any:
    """Holds the folder's lock, which ends with the process, however it ends."""
    stream = (folder / LOCK_FILE).open("w")
    try:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # no such locks on this system
        return stream
    except OSError:
        stream.close()
        raise StudyError(f"another study is running in {folder}; wait for it, or choose another folder") from None
    return stream


def _head_line(head: dict[str, Any], units: dict[str, str]) -> str:
    return json.dumps({**head, UNITS: units} if units else head, ensure_ascii=False) + "\n"


def _entries(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    head, rows = _parsed([line for line in _lines_of(path) if line.endswith("\n")], path)
    for shard in _shards(path):
        for data in _shard_rows(_lines_of(shard), shard):
            key = point_key(data["point"])
            if data["outcome"] == OK or rows.get(key, data)["outcome"] != OK:
                rows[key] = data
    return head, rows


def _shards(journal: Path) -> list[Path]:
    return sorted((journal.parent / SHARDS).glob("*.jsonl"))


def _shard_rows(lines: Iterable[str], shard: Path) -> Iterator[dict[str, Any]]:
    """The rows of a shard; a line that was cut short, as its worker died, is a point that is done again."""
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        if not _fits(data, ROW):
            raise StudyError(f"{shard}:{number}: damaged: not the row of a point; remove the line to do it again")
        yield data


def _frame(rows: list[dict[str, Any]], units: Mapping[str, str]) -> pandas.DataFrame:
    import pandas

    made = []
    for row in rows:
        point = row["point"]
        status = {RUN_COLUMN.format(name) if name in point else name: row[name] for name in STATUS_COLUMNS}
        taken = point.keys() | status.keys()
        values = {RESULT.format(name) if name in taken else name: value for name, value in row["values"].items()}
        made.append({**{name: in_table(value) for name, value in point.items()}, **values, **status})
    table = pandas.DataFrame(made)
    for name in table.columns:
        if table[name].dtype == object:
            there = table[name].notna()
            kinds = {type(value) for value in table[name][there]}
            if len(kinds) > 1 and not kinds <= {int, float}:  # a column of a table has one type
                table[name] = table[name][there].map(str).reindex(table.index)
    declared = {RESULT.format(name): unit for name, unit in units.items()} | dict(units)
    if known := {name: declared[name] for name in table.columns if name in declared}:
        table.attrs[UNITS] = known
    return table


def done_points(folder: str | Path) -> set[str]:
    """Keys of the points that a study has done."""
    return set(_entries(Path(folder) / JOURNAL_FILE)[1])


def read_table(folder: str | Path) -> pandas.DataFrame:
    """The table of a study, from its journal: also of one that is running or was killed."""
    path = Path(folder) / JOURNAL_FILE
    if not path.is_file():
        raise StudyError(f"{folder} holds no study (no {JOURNAL_FILE})")
    head, rows = _entries(path)
    return _frame(list(rows.values()), head.get(UNITS, {}))


def _lines_of(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise StudyError(f"{path} is damaged: not UTF-8 text: {error.reason}") from None
    return _split(text)


def _split(text: str) -> list[str]:
    """Lines with their ends: not at the other ends of lines that Unicode has, which stand inside texts."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


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
            try:
                checked_units(data.get(UNITS, {}))
            except StudyError as error:
                raise StudyError(f"{path}: damaged: {error}; take {UNITS!r} out of its first line") from None
            head = data
        elif not _fits(data, ROW):
            raise StudyError(f"{path}:{number}: damaged: not the row of a point; remove the line to do it again")
        else:
            rows[point_key(data["point"])] = data
    if not head:
        raise StudyError(f"{path} is not a journal of a study; choose another folder")
    return head, rows


def _fits(data: Any, kinds: dict[str, Any]) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(name), kind) for name, kind in kinds.items())
