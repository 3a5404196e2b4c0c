"""The file of a recording: HDF5, written so that whatever was committed survives the death of the writer.

    /                   attribute gambol = "recording/4"
    /time, /q, …        the channels; first axis time, then world (of several), then the channel's own axes
    /coordinate, …      the labels of the axes
    /run/event_time, /run/event_name, …             events; a name is its number among those in the checkpoint
    /run/jumps          changes of the state by hand, for the energy ledger
    /run/blocks         a row for every block of samples that was written: the row it ends before, then checksums of
                        the block (CRC-32 of its bytes) in /time and in each channel
    /run/description    JSON: figures, gravity, stepping, units, names of the boundaries
    /run/report_0, /run/report_1, …                 what is replaced at every commit (gambol.record.slots)

The file is in single-writer-multiple-reader mode: readers may look while it grows. Rows count once a report that
names them was committed, and have then been handed to the disk. A file comes to its name with its first commit; until
then it is called NAME.creating. (Blocks have checksums of our own because HDF5's are of chunks, which are written
again and again as they fill: a torn write would make committed rows unreadable. What is written once has HDF5's.)
"""

import contextlib
import itertools
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gambol.errors import RecordingError
from gambol.record.channel import Channel
from gambol.record.slots import Slots
from gambol.record.trial import file_key, trust, writing

FORMAT = "recording/4"
CHUNK = 65536  # [bytes] about, of a channel's chunk
CACHE = 1 << 20  # [bytes] of chunks that HDF5 keeps of each channel: only the last one is written again
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
        self.path, self._placed = path, path is None
        self.file = _created(None if path is None else creating_path(path))
        self.file.attrs["gambol"] = FORMAT
        text = json.dumps(description, ensure_ascii=False).encode()
        inner = self.file.create_group("run")
        inner.create_dataset("description", data=np.frombuffer(text, np.uint8), fletcher32=True)
        self.rows = self.blocks = 0
        self.checks = dict.fromkeys((*EVENT_COLUMNS, "jumps"), 0)  # checksums of the tables so far
        self._waiting: list[dict[str, np.ndarray]] = []
        self._axes(channels, worlds)
        self.channels = {c.name: self._channel(c, worlds, dtype) for c in channels}
        self.time = self.file["time"]
        self.events = [self._table(f"run/{name}", (), kind) for name, kind in EVENT_COLUMNS.items()]
        self.jumps = self._table("run/jumps", (jump_size,), np.float64)
        self._blocks = self._table("run/blocks", (2 + len(channels),), np.uint64)
        self.report, self.checkpoint = Slots(inner, "report"), Slots(inner, "checkpoint")
        if path is not None:
            self.file.swmr_mode = True
            writing.add(file_key(creating_path(path)))

    # ------------------------------------------------------------ making it
    def _axes(self, channels: Sequence[Channel], worlds: int) -> None:
        time = self._table("time", (), np.float64)
        time.attrs["units"] = "s"
        time.make_scale("time")
        if worlds > 1:
            self.file.create_dataset("world", data=np.arange(worlds), fletcher32=True).make_scale("world")
        for channel in channels:
            for dim in channel.dims:
                if dim not in self.file:
                    labels = [label.encode() for label in channel.labels[dim]]
                    text = h5py.string_dtype("utf-8", max(map(len, labels), default=1) or 1)
                    made = self.file.create_dataset(dim, data=np.array(labels, text), fletcher32=bool(labels))
                    made.make_scale(dim)

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
        if not waiting:
            return
        start, checks = len(self.time), []
        for name, dataset in {"time": self.time, **self.channels}.items():
            block = np.concatenate([block[name] for block in waiting]).astype(dataset.dtype, copy=False)
            _append(dataset, block, start)
            checks.append(checksum(block))
        _append(self._blocks, np.array([[self.rows, *checks]], np.uint64), self.blocks)
        self.blocks += 1

    def append_events(self, rows: Sequence[tuple[float, int, int]]) -> None:
        """Rows of (time [s], number of its name, world)."""
        start = len(self.events[0])
        for dataset, name, column in zip(self.events, EVENT_COLUMNS, zip(*rows)):
            block = np.array(column, dataset.dtype)
            _append(dataset, block, start)
            self.checks[name] = checksum(block, self.checks[name])

    def append_jumps(self, rows: Sequence[np.ndarray]) -> None:
        """Rows of the jumps of the energy ledger."""
        block = np.array(rows, self.jumps.dtype)
        _append(self.jumps, block, len(self.jumps))
        self.checks["jumps"] = checksum(block, self.checks["jumps"])

    def commit(self, report: Mapping[str, Any], checkpoint: bytes) -> None:
        """What was appended so far counts from here on."""
        self._write()
        self._hand_over()
        if checkpoint:
            self.checkpoint.write(checkpoint)
        numbers = {"rows": self.rows, "blocks": self.blocks}
        self.report.write(json.dumps({**report, **numbers}, ensure_ascii=False).encode())
        self._hand_over()
        if self._placed:
            self._check_place()
        elif self.path is not None:
            os.replace(creating_path(self.path), self.path)
            self._placed = True

    def _hand_over(self) -> None:
        """To the disk, not only to the system."""
        self.file.flush()
        if self.path is not None:
            os.fsync(self.file.id.get_vfd_handle())

    def _check_place(self) -> None:
        """A file that was removed takes what is written, and nobody finds it again."""
        if self.path is None:
            return
        try:
            same = os.path.samestat(os.fstat(self.file.id.get_vfd_handle()), self.path.stat())
        except FileNotFoundError:
            raise RecordingError(f"{self.path} was removed while it was written: what it held is gone") from None
        if not same:
            raise RecordingError(f"{self.path} was replaced by another file while it was written: what it held is gone")

    def abandon(self) -> None:
        """Closes a file that can no longer be written; what was committed stays.

        HDF5 does not get over a write that fails, not even when it closes: what it still has goes nowhere.
        """
        if self.file and self.path is not None:
            self._ours_no_more()
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, self.file.id.get_vfd_handle())
            os.close(nowhere)
            with contextlib.suppress(OSError, RuntimeError):
                self.file.close()
            if not self._placed:
                creating_path(self.path).unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the file; one in memory stays."""
        if self.file and self.path is not None:
            self._ours_no_more()
            self.file.close()
            if self._placed:
                with contextlib.suppress(OSError):
                    trust(self.path)

    def _ours_no_more(self) -> None:
        status = os.fstat(self.file.id.get_vfd_handle())
        writing.discard((status.st_dev, status.st_ino))


def creating_path(path: Path) -> Path:
    """Where a recording is until its first commit."""
    return path.with_name(f"{path.name}.creating")


def checksum(block: np.ndarray, before: int = 0) -> int:
    """CRC-32 of the numbers of a block as they lie in the file, going on from that of what came before."""
    return zlib.crc32(np.ascontiguousarray(block).tobytes(), before)


def _append(dataset: h5py.Dataset, block: np.ndarray, start: int) -> None:
    if len(block):
        dataset.resize(start + len(block), axis=0)
        dataset[start:] = block


def _created(path: Path | None) -> h5py.File:
    try:
        if path is None:
            return h5py.File(f"memory {next(_memories)}", "w", libver="latest", driver="core", backing_store=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        return h5py.File(path, "w", libver="latest", rdcc_nbytes=CACHE)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(f"{path}: cannot be written: {reason}") from None
