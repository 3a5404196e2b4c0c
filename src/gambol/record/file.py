"""The file of a recording: HDF5, written so that whatever was committed survives the death of the writer.

    /                   attribute gambol = "recording/2"
    /time, /q, …        the channels; first axis time, then world (of several), then the channel's own axes
    /coordinate, …      the labels of the axes
    /run/event_time, /run/event_name, …             events; a name is its number among those in the checkpoint
    /run/jumps          changes of the state by hand, for the energy ledger
    /run/description    JSON: figures, gravity, stepping, units, names of the boundaries
    /run/report_0, /run/report_1, …                 what is replaced at every commit (gambol.record.slots)

The file is in single-writer-multiple-reader mode: readers may look while it grows. Rows count once a report that
names them was committed.
"""

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gambol.errors import RecordingError
from gambol.record.channel import Channel
from gambol.record.slots import Slots

FORMAT = "recording/2"
CHUNK = 65536  # [bytes] about, of a channel's chunk
MAX_PENDING = 1024  # rows that wait in memory at most
_memories = itertools.count()  # HDF5 wants a name for what is in memory, each its own
EVENT_COLUMNS = {"event_time": np.float64, "event_name": np.int32, "event_world": np.int32}


class RecordingFile:
    """A recording being written. path=None keeps it in memory."""

    def __init__(
        self,
        path: Path | None,
        channels: Sequence[Channel],
        description: Mapping[str, Any],
        *,
        worlds: int,
        dtype: Any,
        jump_size: int,
    ):
        self.path = path
        self.file = _created(path)
        self.file.attrs["gambol"] = FORMAT
        text = json.dumps(description, ensure_ascii=False).encode()
        inner = self.file.create_group("run")
        inner.create_dataset("description", data=np.frombuffer(text, np.uint8))
        self.rows = 0
        self._waiting: list[dict[str, np.ndarray]] = []
        self._axes(channels, worlds)
        self.channels = {c.name: self._channel(c, worlds, dtype) for c in channels}
        self.time = self.file["time"]
        self.events = [self._table(f"run/{name}", (), kind) for name, kind in EVENT_COLUMNS.items()]
        self.jumps = self._table("run/jumps", (jump_size,), np.float64)
        self.report, self.checkpoint = Slots(inner, "report"), Slots(inner, "checkpoint")
        if path is not None:
            self.file.swmr_mode = True

    # ------------------------------------------------------------ making it
    def _axes(self, channels: Sequence[Channel], worlds: int) -> None:
        time = self._table("time", (), np.float64)
        time.attrs["units"] = "s"
        time.make_scale("time")
        if worlds > 1:
            self.file.create_dataset("world", data=np.arange(worlds)).make_scale("world")
        for channel in channels:
            for dim in channel.dims:
                if dim not in self.file:
                    labels = [label.encode() for label in channel.labels[dim]]
                    text = h5py.string_dtype("utf-8", max(map(len, labels), default=1) or 1)
                    self.file.create_dataset(dim, data=np.array(labels, text)).make_scale(dim)

    def _channel(self, channel: Channel, worlds: int, dtype: Any) -> h5py.Dataset:
        several = ("world",) if worlds > 1 else ()
        shape = ((worlds,) if several else ()) + channel.shape
        made = self._table(channel.name, shape, dtype, "time", *several, *channel.dims)
        made.attrs["units"], made.attrs["long_name"] = channel.unit, channel.about
        if channel.units:
            made.attrs["entry_units"] = json.dumps(list(channel.units), ensure_ascii=False)
        return made

    def _table(self, name: str, shape: tuple[int, ...], dtype: Any, *dims: str) -> h5py.Dataset:
        size = max(1, int(np.prod(shape)) * np.dtype(dtype).itemsize)
        chunk = (int(min(max(CHUNK // size, 1), 4096)), *(max(1, n) for n in shape))
        made = self.file.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=chunk)
        for k, dim in enumerate(dims):
            made.dims[k].attach_scale(self.file[dim])
        return made

    # ------------------------------------------------------------ filling it
    def append(self, time: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
        """Rows of every channel; they wait in memory until there are many, or until a commit."""
        self._waiting.append({"time": time, **{name: np.asarray(block) for name, block in values.items()}})
        self.rows += len(time)
        if self.rows - len(self.time) >= MAX_PENDING:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        start = len(self.time)
        for name, dataset in {**self.channels, "time": self.time}.items():
            if waiting:
                _append(dataset, np.concatenate([block[name] for block in waiting]), start)

    def append_events(self, rows: Sequence[tuple[float, int, int]]) -> None:
        """Rows of (time [s], number of its name, world)."""
        start = len(self.events[0])
        for dataset, column in zip(self.events, zip(*rows)):
            _append(dataset, np.array(column), start)

    def append_jumps(self, rows: Sequence[np.ndarray]) -> None:
        """Rows of the jumps of the energy ledger."""
        _append(self.jumps, np.array(rows), len(self.jumps))

    def commit(self, report: Mapping[str, Any], checkpoint: bytes) -> None:
        """What was appended so far counts from here on."""
        self._write()
        self.file.flush()
        if checkpoint:
            self.checkpoint.write(checkpoint)
        self.report.write(json.dumps({**report, "rows": self.rows}, ensure_ascii=False).encode())
        self.file.flush()

    def close(self) -> None:
        """Closes the file; one in memory stays."""
        if self.file and self.path is not None:
            self.file.close()


def _append(dataset: h5py.Dataset, block: np.ndarray, start: int) -> None:
    if len(block):
        dataset.resize(start + len(block), axis=0)
        dataset[start:] = block


def _created(path: Path | None) -> h5py.File:
    try:
        if path is None:
            return h5py.File(f"memory {next(_memories)}", "w", libver="latest", driver="core", backing_store=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        return h5py.File(path, "w", libver="latest")
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(f"{path}: cannot be written: {reason}") from None
