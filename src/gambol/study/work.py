"""What a worker does: points in, lines of the journal out. The same in processes and on a cluster."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gambol.study.points import Point
from gambol.study.target import Target

OK, FAILED = "ok", "failed"
PROCESS_DIED, TOO_LONG = "its process died", "it took longer than the limit"


def journal_line(point: Point, outcome: str, values: dict[str, Any], message: str, seconds: float) -> str:
    """A line of the journal: made by the workers, so that whoever gathers them only writes."""
    row = {"outcome": outcome, "point": point, "values": values, "message": message, "seconds": round(seconds, 6)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def outcome_of(line: str) -> str:
    """Of a line of the journal, without reading all of it."""
    return OK if line.startswith(f'{{"outcome": "{OK}"') else FAILED


def point_key(point: Point) -> str:
    """A text that is the same for equal points."""
    return json.dumps(point, sort_keys=True, ensure_ascii=False)


def run_points(target: Target, points: list[Point], folder: Path) -> Iterator[str]:
    """The line of each point, as it is done; of a batched target all at once."""
    if target.batched:
        yield from _run_batch(target, points)
        return
    for point in points:
        began = time.perf_counter()
        try:
            values = target(point, folder / "files" / _point_name(point))
            yield journal_line(point, OK, values, "", time.perf_counter() - began)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever it is, sys.exit too, belongs to this point alone
            yield journal_line(point, FAILED, {}, _message(error), time.perf_counter() - began)


def _run_batch(target: Target, points: list[Point]) -> Iterator[str]:
    began = time.perf_counter()
    try:
        found = target.of_many(points)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        seconds = (time.perf_counter() - began) / len(points)
        yield from (journal_line(point, FAILED, {}, _message(error), seconds) for point in points)
        return
    seconds = (time.perf_counter() - began) / len(points)
    yield from (journal_line(point, OK, values, "", seconds) for point, values in zip(points, found))


def _message(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _point_name(point: Point) -> str:
    return ",".join(f"{name}={value}" for name, value in point.items()).replace("/", "_")[:200] or "point"
