"""The state of a run as bytes, exact to the bit: what a recording needs to go on."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.errors import RecordingError
from gambol.stepping.run import Event, State
from gambol.stepping.timetable import Writes
from gambol.world.ledger import Jump


@dataclass
class Checkpoint:
    """Where a recording stands: the rows it has, the next sample, and the state of the run and of what is kept with it.

    `due` are the times [s] of what was to be done; the actions themselves cannot be saved. `writes` are those of the
    timetable (stepping.timetable.Writes), in its order. Events and all jumps but
    the last lie in tables of the file; here are their numbers. `kept` holds what the objects given as `keep` saved:
    plain data, or arrays.
    """

    rows: int
    events: int
    jumps: int
    next_sample: int
    origin: float
    data: np.ndarray
    last_jump: np.ndarray
    due: list[float] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    writes: Writes | None = None

    def to_bytes(self) -> bytes:
        """As bytes of an NPZ file, without pickles."""
        arrays: dict[str, np.ndarray] = {"data": self.data, "last_jump": self.last_jump}
        if self.writes is not None:
            arrays |= {f"writes_{name}": array for name, array in self.writes._asdict().items()}
        plain = _packed(self.kept, arrays)
        head = {name: getattr(self, name) for name in ("rows", "events", "jumps", "next_sample", "origin", "due")}
        stream = io.BytesIO()
        np.savez(stream, head=np.array(json.dumps({**head, "kept": plain})), **arrays)  # type: ignore[arg-type]
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Checkpoint:
        """From what `to_bytes` gave."""
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            head = json.loads(str(arrays["head"]))
            kept = _unpacked(head.pop("kept"), arrays)
            writes = None
            if f"writes_{Writes._fields[0]}" in arrays:
                writes = Writes(*(arrays[f"writes_{name}"] for name in Writes._fields))
            return cls(data=arrays["data"], last_jump=arrays["last_jump"], kept=kept, writes=writes, **head)


def _packed(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Plain data with arrays taken out into `arrays`."""
    if isinstance(value, np.ndarray):
        name = f"kept{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, Mapping):
        return {"map": {str(key): _packed(item, arrays) for key, item in value.items()}}
    if isinstance(value, list | tuple):
        return [_packed(item, arrays) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise RecordingError(f"a checkpoint keeps numbers, texts, lists, maps and arrays, not a {type(value).__name__}")


def _unpacked(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if isinstance(value, dict):
        if "array" in value:
            return arrays[value["array"]]
        return {key: _unpacked(item, arrays) for key, item in value["map"].items()}
    return [_unpacked(item, arrays) for item in value] if isinstance(value, list) else value


# ---------------------------------------------------------------- jumps of the books, as rows of numbers
def jump_row(jump: Jump) -> np.ndarray:
    """time, steps, whether it has a state before, then q, v before and q, v after."""
    after = np.concatenate(jump.after)
    before = np.zeros_like(after) if jump.before is None else np.concatenate(jump.before)
    return np.concatenate([[jump.time, jump.steps, jump.before is not None], before, after])


def jump_from(row: np.ndarray, positions: int, dtype: Any) -> Jump:
    """The jump of a row; positions: how many numbers of a state are q."""
    states = row[3:].astype(dtype).reshape(2, -1)
    split = lambda state: (state[:positions].copy(), state[positions:].copy())
    return Jump(float(row[0]), float(row[1]), split(states[0]) if row[2] else None, split(states[1]))


def state_of(checkpoint: Checkpoint, events: list[Event], jumps: np.ndarray, run: Any) -> State:
    """The State to restore; `jumps` are the rows of the table, without the last."""
    rows = [*jumps, checkpoint.last_jump] if len(checkpoint.last_jump) else list(jumps)
    books = tuple(jump_from(row, run.layout.nq, run.dtype) for row in rows) if rows else ()
    return State(checkpoint.data, tuple(events), books, writes=checkpoint.writes)
