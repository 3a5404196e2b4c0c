"""Reading recordings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from gambol.dynamics.layout import Layout
from gambol.errors import RecordingError, nearest
from gambol.figure import Figure
from gambol.figure.kinematics import Kinematics
from gambol.figure.yaml_reader import figure_from_data
from gambol.limits import refuse_too_large
from gambol.record.checkpoint import Checkpoint
from gambol.record.file import EVENT_COLUMNS, FORMAT, checksum, creating_path
from gambol.record.ground import terrain_from
from gambol.record.opening import SIGNATURE, damage_named, is_open, opened, refuse_foreign, refuse_truncated
from gambol.record.report import Report
from gambol.record.slots import Slots
from gambol.stepping.state import Event
from gambol.world.mechanics import Mechanics
from gambol.world.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray

NOTHING = "{} holds nothing: its writer ended before the first commit"
KINDS = {b"\x89PNG": "a PNG picture", b"PK\x03\x04": "a zip archive", b"glTF": "a glTF file", b"HIER": "a BVH file"}


class Recording:
    """A recording that was opened; its arrays are read when asked for. It may still be growing.

    description  how the run was made: figures, gravity, stepping, names
    report       what the run says about itself (Report)
    rows         samples that were committed
    """

    description: dict[str, Any]
    report: Report

    def __init__(self, source: Path | h5py.File, where: str):
        from gambol.record.contents import description_from, report_from

        self._source, self.where = source, where
        with self._file() as file:
            if isinstance(source, Path):
                refuse_foreign(file, where)
            if (found := file.attrs.get("gambol")) != FORMAT:
                own = f"its format is {found!r}, not {FORMAT!r}" if found else f"not a recording of Gambol ({FORMAT})"
                raise RecordingError(f"{where} is an HDF5 file, but {own}")
            self.description = description_from(file["run/description"][...].tobytes(), where)
            report, state = Slots(file["run"], "report"), Slots(file["run"], "checkpoint")
            reports, self._marks = report.read(), state.read()
            if (report.torn or state.torn) and isinstance(source, Path) and not is_open(source):
                raise RecordingError(f"{where} is damaged: its last commit has changed")  # a crash leaves it open
            if not reports:
                raise RecordingError(NOTHING.format(where))
            self.report = Report(report_from(reports[0], where))
            self.rows: int = self.report["rows"]
            self._check_channels(file)
            self._ends, self._checks = self._read_blocks(file)

    def _check_channels(self, file: h5py.File) -> None:
        """Every channel is there, a table of numbers with as many rows as were committed."""
        for name in ("time", *self.channels):
            table = file.get(name)
            if not isinstance(table, h5py.Dataset) or not table.ndim or table.dtype.kind not in "fiu":
                raise RecordingError(f"{self.where} is damaged: the channel {name!r} is no table of numbers")
            if file.swmr_mode:
                table.id.refresh()  # it may have grown since the file was opened
            if len(table) < self.rows:
                raise RecordingError(
                    f"{self.where} is damaged: {len(table)} of {self.rows} samples of {name!r} are there"
                )

    def _read_blocks(self, file: h5py.File) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The row before which each block ends, and its checksums in each channel."""
        names, table = ("time", *self.channels), file["run/blocks"]
        if file.swmr_mode:
            table.id.refresh()
        if table.ndim != 2 or table.shape[1] != 1 + len(names) or table.dtype != np.uint64:
            raise RecordingError(f"{self.where} is damaged: its checksums are not those of its channels")
        blocks = table[...]
        ends = np.concatenate([[0], blocks[:, 0].astype(np.int64)])
        sound = int(np.argmin(np.append(np.diff(ends) > 0, False)))  # those after a gap were not written whole
        if ends[: sound + 1].max() < self.rows:
            raise RecordingError(f"{self.where} is damaged: checksums are missing")
        return ends[: sound + 1], {name: blocks[:sound, 1 + k] for k, name in enumerate(names)}

    @classmethod
    def open(cls, path: str | Path) -> Recording:
        """Opens a recording, also one whose writer was killed or is still at work."""
        path = Path(path)
        if not _is_file(path):
            if creating_path(path).is_file():
                raise RecordingError(NOTHING.format(path))
            raise RecordingError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
        with path.open("rb") as stream:
            head = stream.read(len(SIGNATURE))
        if head != SIGNATURE:
            kind = next((name for start, name in KINDS.items() if head.startswith(start)), "")
            raise RecordingError(f"{path} is not a recording{f' but {kind}' if kind else ''}")
        refuse_truncated(path)
        return cls(path, str(path))

    @contextmanager
    def _file(self) -> Iterator[h5py.File]:
        if isinstance(self._source, h5py.File):
            yield self._source
            return
        with opened(self._source, self.where) as file:
            yield file

    # ------------------------------------------------------------ what is in it
    @property
    def channels(self) -> list[str]:
        """The names of the channels."""
        return list(self.report["channels"])

    def read(self, name: str, rows: slice | None = None) -> np.ndarray:
        """The array of a channel (or of a table of the file), committed rows only."""
        with self._file() as file:
            if name not in ("time", *self.channels) and name not in file:
                raise RecordingError(f"{self.where} has no channel {name!r}{nearest(name, self.channels)}")
            table = file[name]
            if rows is None:
                rows = slice(0, self.rows if name in (*self.channels, "time") else None)
            refuse_too_large(f"{self.where}: {name}", _bytes_of(table, rows))
            return self._verified(table, name, rows) if name in self._checks else table[rows]

    def _verified(self, table: h5py.Dataset, name: str, rows: slice) -> np.ndarray:
        """Rows of a channel; the blocks in which they lie are compared with their checksums."""
        first, last, step = rows.indices(len(table))
        if last <= first or step < 1:
            return table[rows]
        low, high = np.searchsorted(self._ends, [first, last], side="right") - [1, 0]
        high = int(high) if self._ends[min(high, len(self._ends)) - 1] < last else int(high) - 1
        if high >= len(self._ends):
            raise RecordingError(f"{self.where} is damaged: checksums are missing")
        start = int(self._ends[low])
        found = table[start : int(self._ends[high])]
        for k in range(low, high):
            block = found[self._ends[k] - start : self._ends[k + 1] - start]
            if checksum(block) != self._checks[name][k]:
                between = f"{self._ends[k]} to {self._ends[k + 1] - 1}"
                raise RecordingError(f"{self.where} is damaged: samples {between} of {name!r} have changed")
        return found[first - start : last - start : step]

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that ran; none for a differential equation."""
        with damage_named(self.where):
            return tuple(figure_from_data(data, self.where) for data in self.description.get("figures", ()))

    @cached_property
    def layout(self) -> Layout:
        """The rows of its figures."""
        if not self.figures:
            raise RecordingError(f"{self.where} is of a differential equation: it has no figures")
        with damage_named(self.where):
            return Layout(self.figures, self.description["gravity"])

    @property
    def worlds(self) -> int:
        """How many worlds were recorded."""
        return self.description["worlds"]

    @cached_property
    def time(self) -> np.ndarray:
        """Of the samples [s]."""
        return self.read("time")

    @cached_property
    def events(self) -> list[Event]:
        """What happened on the way, committed events only."""
        mark = self.checkpoint
        if mark is None:
            return []
        columns = [self._table(name, mark.events) for name in EVENT_COLUMNS]
        with damage_named(self.where):
            return [Event(float(t), mark.event_names[k], int(world)) for t, k, world in zip(*columns)]

    @cached_property
    def jumps(self) -> np.ndarray:
        """Changes of the state by hand that were committed, all but the last (gambol.record.checkpoint.jump_row)."""
        return self._table("jumps", 0 if self.checkpoint is None else self.checkpoint.jumps)

    def _table(self, name: str, rows: int) -> np.ndarray:
        """The first rows of a table, compared with its checksum."""
        assert self.checkpoint is not None
        with damage_named(self.where):
            found = self.read(f"run/{name}", slice(0, rows))
        if len(found) < rows or checksum(found) != self.checkpoint.checks.get(name, checksum(found)):
            raise RecordingError(f"{self.where} is damaged: {name} is not as it was written")
        return found

    @cached_property
    def checkpoint(self) -> Checkpoint | None:
        """The state at the last commit."""
        with damage_named(self.where):
            return Checkpoint.from_bytes(self._marks[0]) if self._marks else None

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything as an xarray Dataset, with units and labels."""
        from gambol.record.dataset import dataset

        with damage_named(self.where):
            return dataset(self)

    # ------------------------------------------------------------ motion
    def motion(self, world: int = 0) -> RecordedTrajectory:
        """The motion of one world, as plots, pictures and exports want it."""
        with damage_named(self.where):
            return RecordedTrajectory(self, world)

    def poses(self, world: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Origin [m] (samples, bodies, 3) and quaternion (samples, bodies, 4) of every body, in layout order."""
        return Kinematics.of(self.layout.figures)(self.motion(world).q)

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"<Recording {self.where}: {self.report['what']}, {self.rows} samples>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.report.text())}</pre>{self.dataset._repr_html_()}"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise RecordingError(f"{path}: {error.strerror}") from None


def _bytes_of(table: h5py.Dataset, rows: slice) -> float:
    size = float(np.prod(table.shape[1:], dtype=float)) * table.dtype.itemsize
    return size * len(range(*rows.indices(len(table)))) if table.ndim else size


class RecordedTrajectory(Trajectory):
    """One world of a recording, with everything that a Trajectory has: time, q, v, work, events, points(body)."""

    def __init__(self, recording: Recording, world: int = 0):
        if not 0 <= world < recording.worlds:
            raise RecordingError(f"{recording.where} has {recording.worlds} worlds; there is no number {world}")
        self.layout = recording.layout
        self.mechanics = Mechanics(self.layout)
        self.terrain = terrain_from(recording.description.get("terrain"), recording.where)
        pick = (slice(None), world) if recording.worlds > 1 else (slice(None),)
        self.time = recording.time
        self.q = recording.read("q")[pick].astype(float)
        self.v = recording.read("v")[pick].astype(float)
        self.work = _work(recording)
        self.clock = self.time
        self.events = [e for e in recording.events if e.world == world]


def _work(recording: Recording) -> np.ndarray:
    """Work of the lines of the ledger (samples, lines) [J]; no lines where they are not kept."""
    if "ledger" not in recording.channels:
        return np.zeros((recording.rows, 0))
    data = recording.dataset.ledger
    return data.isel(line=[str(name).startswith("work of ") for name in data.line.values]).values
