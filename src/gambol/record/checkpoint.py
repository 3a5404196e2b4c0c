"""The state of a run as bytes, exact to the bit: what a recording needs to go on.

What controllers save is stored as plain data: None, truth values, numbers, texts, lists, tuples, dicts, arrays and
random generators. Nothing else is taken in, and nothing is executed when it is read.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.errors import RecordingError
from gambol.record.arrays import read_arrays
from gambol.stepping.run import Run
from gambol.stepping.state import Event, State
from gambol.stepping.timetable import Writes
from gambol.world.ledger import Jump

STORABLE = "None, truth values, numbers, texts, lists, tuples, dicts, arrays and random generators"
GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


@dataclass
class Checkpoint:
    """Where a recording stands: the rows it has, the next sample, and the state of the run.

    Events and all jumps but the last lie in tables of the file; here are their numbers, and the names of events in the
    order of their first occurrence.

    due          times [s] of scheduled actions; the actions themselves cannot be stored
    writes       those of the timetable (stepping.timetable.Writes)
    shared       what all worlds share (stepping.run.State)
    controllers  type and saved state of each that is attached
    checks       checksums of the tables of events and jumps
    """

    rows: int
    events: int
    event_names: list[str]
    jumps: int
    next_sample: int
    origin: float
    data: np.ndarray
    last_jump: np.ndarray
    due: list[float]
    writes: tuple[np.ndarray, ...] | None
    shared: tuple[np.ndarray, ...]
    controllers: list[tuple[str, Any]]
    checks: dict[str, int] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """As bytes of an NPZ file, without pickles."""
        arrays: dict[str, np.ndarray] = {}
        plain = {name: _pack(value, arrays, name) for name, value in vars(self).items() if name != "controllers"}
        plain["controllers"] = [[name, _pack(state, arrays, name)] for name, state in self.controllers]
        stream = io.BytesIO()
        np.savez(stream, head=np.array(json.dumps(plain)), **arrays)  # type: ignore[arg-type]
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Checkpoint:
        """From what `to_bytes` gave."""
        try:
            arrays = read_arrays(content)
            found = cls(**{name: _unpack(value, arrays) for name, value in json.loads(str(arrays["head"])).items()})
        except RecursionError as error:
            raise ValueError(f"its state cannot be read: {error}") from None
        found.check()
        return found

    def check(self) -> None:
        """Raises ValueError where it cannot be what `to_bytes` wrote."""
        counts = (self.rows, self.events, self.jumps, self.next_sample)
        if not all(isinstance(count, int) and count >= 0 for count in counts):
            raise ValueError("its state counts what cannot be counted")
        lists = (self.event_names, self.due, self.controllers, [*self.checks])
        arrays = (self.data, self.last_jump, *self.shared, *(self.writes or ()))
        if not all(isinstance(x, list) for x in lists) or not all(isinstance(x, np.ndarray) for x in arrays):
            raise ValueError("its state is not made of lists and arrays")
        if not all(isinstance(name, str) for name in self.event_names) or not math.isfinite(self.origin):
            raise ValueError("its state has names that are no text, or no origin")

    def state(self, run: Run, events: list[Event], jumps: np.ndarray) -> State:
        """The State that `run`, with its controllers attached, restores; `jumps` are those in the file."""
        rows = [*jumps, self.last_jump] if len(self.last_jump) else list(jumps)
        ledger = tuple(jump_from(row, run.layout.nq, run.memory.dtype) for row in rows)  # type: ignore[attr-defined]
        writes = None if self.writes is None else Writes(*self.writes)
        controllers = tuple(zip(run.controllers, (saved for _, saved in self.controllers)))
        return State(self.data, tuple(events), ledger, (), writes, self.shared, controllers)


# ---------------------------------------------------------------- plain data as JSON, with its arrays apart
def _pack(value: Any, arrays: dict[str, np.ndarray], owner: str) -> Any:
    inner = lambda item: _pack(item, arrays, owner)
    match value:
        case None | bool() | int() | float() | str():
            return value
        case np.ndarray() | np.generic() if not value.dtype.hasobject:
            name = f"array{len(arrays)}"
            arrays[name] = np.asarray(value)
            return {"array" if isinstance(value, np.ndarray) else "number": name}
        case np.random.Generator():
            return {"generator": inner(value.bit_generator.state)}
        case list():
            return [inner(item) for item in value]
        case tuple():
            return {"tuple": [inner(item) for item in value]}
        case dict():
            return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
    raise RecordingError(f"{owner} saves a {type(value).__name__}, which cannot be stored; what can: {STORABLE}")


def _unpack(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    inner = lambda item: _unpack(item, arrays)
    match value:
        case list():
            return [inner(item) for item in value]
        case {"array": name}:
            return arrays[name]
        case {"number": name}:
            return arrays[name][()]
        case {"generator": state}:
            return _generator(inner(state))
        case {"tuple": items}:
            return tuple(inner(item) for item in items)
        case {"dict": items}:
            return {inner(key): inner(item) for key, item in items}
    return value


def _generator(state: dict[str, Any]) -> np.random.Generator:
    kind = state["bit_generator"]
    if kind not in GENERATORS:
        raise RecordingError(f"no random generator is called {kind!r}; there are {', '.join(GENERATORS)}")
    bits = getattr(np.random, kind)()
    bits.state = state
    return np.random.Generator(bits)


# ---------------------------------------------------------------- jumps of the energy ledger, as rows of numbers
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
