"""Reading recordings."""

from __future__ import annotations

import json
import struct
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
from gambol.figure.yaml_reader import parse_yaml
from gambol.record.checkpoint import Checkpoint
from gambol.record.file import EVENT_COLUMNS, FORMAT
from gambol.record.report import Report
from gambol.record.slots import Slots
from gambol.stepping.run import Event
from gambol.world.mechanics import Mechanics
from gambol.world.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray

KINDS = {b"\x89PNG": "a PNG picture", b"PK\x03\x04": "a zip archive", b"glTF": "a glTF file", b"HIER": "a BVH file"}


class Recording:
    """A recording that was opened; its arrays are read when asked for. It may still be growing.

    description  how the run was made: figures, gravity, stepping, names
    report       what the run says about itself (Report)
    rows         samples that were committed
    """

    def __init__(self, source: Path | h5py.File, where: str):
        self._source, self.where = source, where
        with self._file() as file:
            if file.attrs.get("gambol") != FORMAT:
                raise RecordingError(f"{where} is an HDF5 file, but not a recording of Gambol ({FORMAT})")
            self.description: dict[str, Any] = json.loads(file["run/description"][...].tobytes())
            reports = Slots(file["run"], "report").read()
            if not reports:
                raise RecordingError(f"{where} holds nothing: its writer ended before the first commit")
            self.report = Report(json.loads(reports[0]))
            marks = Slots(file["run"], "checkpoint").read()
        self.rows: int = self.report["rows"]
        self._marks = marks

    @classmethod
    def open(cls, path: str | Path) -> Recording:
        """Opens a recording, also one whose writer was killed or is still at work."""
        path = Path(path)
        if not path.is_file():
            raise RecordingError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
        if not h5py.is_hdf5(path):
            head = path.read_bytes()[:4]
            kind = next((name for start, name in KINDS.items() if head.startswith(start)), "")
            raise RecordingError(f"{path} is not a recording{f' but {kind}' if kind else ''}")
        _refuse_truncated(path)
        return cls(path, str(path))

    @contextmanager
    def _file(self) -> Iterator[h5py.File]:
        if isinstance(self._source, h5py.File):
            yield self._source
            return
        try:
            with h5py.File(self._source, "r", libver="latest", swmr=_is_open(self._source)) as file:
                yield file
        except (OSError, KeyError, RuntimeError, ValueError) as error:
            raise RecordingError(f"{self.where} is damaged: {error}") from None

    # ------------------------------------------------------------ what is in it
    @property
    def channels(self) -> list[str]:
        """The names of the channels."""
        return list(self.report["channels"])

    def read(self, name: str, rows: slice | None = None) -> np.ndarray:
        """The array of a channel (or of a table of the file), committed rows only."""
        with self._file() as file:
            if name not in file:
                raise RecordingError(f"{self.where} has no channel {name!r}{nearest(name, self.channels)}")
            if rows is None:
                rows = slice(0, self.rows if name in (*self.channels, "time") else None)
            return file[name][rows]

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that ran; none for a differential equation."""
        return tuple(parse_yaml(text, self.where) for text in self.description.get("figures", ()))

    @cached_property
    def layout(self) -> Layout:
        """The rows of its figures."""
        if not self.figures:
            raise RecordingError(f"{self.where} is of a differential equation: it has no figures")
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
        columns = [self.read(f"run/{name}", slice(0, mark.events)) for name in EVENT_COLUMNS]
        return [Event(float(t), mark.event_names[k], int(world)) for t, k, world in zip(*columns)]

    @cached_property
    def checkpoint(self) -> Checkpoint | None:
        """The state at the last commit."""
        return Checkpoint.from_bytes(self._marks[0]) if self._marks else None

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything as an xarray Dataset, with units and labels."""
        from gambol.record.dataset import dataset

        return dataset(self)

    # ------------------------------------------------------------ motion
    def motion(self, world: int = 0) -> RecordedTrajectory:
        """The motion of one world, as plots, pictures and exports want it."""
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


# The superblock of an HDF5 file (version 3): flags at byte 11, address of the end of the file at byte 28.
FLAGS, END = 11, 28


def _is_open(path: Path) -> bool:
    """Was it not closed: is it being written, or was its writer killed?"""
    with path.open("rb") as stream:
        return stream.read(FLAGS + 1)[FLAGS] != 0


def _refuse_truncated(path: Path) -> None:
    """HDF5 would wait for the missing part of a file that looks as if it were being written."""
    with path.open("rb") as stream:
        head = stream.read(END + 8)
    (end,) = struct.unpack_from("<Q", head, END) if len(head) == END + 8 else (END + 8,)
    size = path.stat().st_size
    if size < end:
        raise RecordingError(f"{path} is cut short: {size} of {end} bytes are there; it was not copied whole")


class RecordedTrajectory(Trajectory):
    """One world of a recording, with everything that a Trajectory has: time, q, v, work, events, points(body)."""

    def __init__(self, recording: Recording, world: int = 0):
        if not 0 <= world < recording.worlds:
            raise RecordingError(f"{recording.where} has {recording.worlds} worlds; there is no number {world}")
        self.layout = recording.layout
        self.mechanics, self.terrain = Mechanics(self.layout), None  # recordings do not say
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
