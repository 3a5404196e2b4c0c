"""A channel: one named quantity of a run, with its unit and the labels of its axes.

Whatever has something to record says so with channels: force elements and controllers that have a method
`channels(run)`, and whoever makes a Recorder.

    tension = Channel("tension", "N", lambda sim: rope.tension(sim), about="force in the rope")
    pressure = Channel("pressure", "N", soles, dims=("foot", "axis"), labels={"foot": FEET, "axis": "xyz"})
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gambol.errors import RecordingError

RESERVED = ("time", "world", "event", "run")


@dataclass(frozen=True)
class Piece:
    """Samples of a run one after the other, as (samples, …) or (samples, worlds, …) arrays.

    state    of a Simulation: q, v, work (of the ledger's lines, then of meters), command; of an OdeRun: y
    watched  what channels have read at every sample, by their names
    cells    of a Simulation: everything that was saved at every sample (world.memory)
    """

    run: Any
    time: np.ndarray
    state: Mapping[str, np.ndarray]
    watched: Mapping[str, np.ndarray]
    cells: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Channel:
    """One quantity of a run.

    name    unique in a recording; letters, digits and _
    unit    such as "N·m"; "" for a pure number
    read    function of the run that gives the value at this moment: shape of `dims`, with worlds in front for several
    dims    names of its axes beyond time and world
    labels  the names along each axis of `dims`
    about   what it is, in a few words
    derive  for what follows from the state: function of a Piece that gives all samples at once. Given beside `read`, it
            takes its place while nothing acts on the run
    units   the unit of every entry along the last axis, where they are not the same
    """

    name: str
    unit: str
    read: Callable[[Any], Any] | None = None
    dims: tuple[str, ...] = ()
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    about: str = ""
    derive: Callable[[Piece], np.ndarray] | None = None
    units: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", tuple(self.dims))
        problem = self._problem()
        if problem:
            raise RecordingError(f"channel {self.name!r}: {problem}")
        object.__setattr__(self, "labels", {dim: tuple(map(str, self.labels[dim])) for dim in self.dims})

    def _problem(self) -> str:
        if not self.name.replace("_", "").isalnum() or self.name in RESERVED:
            return f"a name has letters, digits and _, and is none of {', '.join(RESERVED)}"
        if self.read is None and self.derive is None:
            return "give `read` or `derive`"
        if set(self.dims) != set(self.labels) or set(self.dims) & set(RESERVED):
            return f"every axis has labels, and no axis is called {', '.join(RESERVED)}; axes are {self.dims}"
        if self.units and (not self.dims or len(self.units) != len(self.labels[self.dims[-1]])):
            return "`units` has one entry for each label of the last axis"
        return ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample of one world."""
        return tuple(len(self.labels[dim]) for dim in self.dims)

    def values(self, piece: Piece, worlds: int) -> np.ndarray:
        """All samples of a piece; a wrong shape is an error that says which."""
        watched = self.derive is None or self.name in piece.watched
        got = np.asarray(piece.watched[self.name] if watched else self.derive(piece))  # type: ignore[misc]
        own = (len(piece), *((worlds,) if worlds > 1 else ()), *self.shape)
        if got.shape != own:
            raise RecordingError(f"channel {self.name!r} gave an array of shape {got.shape[1:]}, not {own[1:]}")
        return got


@runtime_checkable
class Source(Protocol):
    """Whatever has channels of its own."""

    def channels(self, run: Any) -> Iterable[Channel]:
        """Its channels for this run."""


def checked(channels: Iterable[Channel]) -> list[Channel]:
    """The channels, each name once, and every axis with the same labels wherever it is used."""
    found: dict[str, Channel] = {}
    axes: dict[str, tuple[str, ...]] = {}
    for channel in channels:
        if channel.name in found:
            raise RecordingError(f"two channels are called {channel.name!r}")
        found[channel.name] = channel
        for dim in channel.dims:
            if axes.setdefault(dim, tuple(channel.labels[dim])) != tuple(channel.labels[dim]):
                raise RecordingError(f"channel {channel.name!r}: the axis {dim!r} has other labels than elsewhere")
            if dim in found:
                raise RecordingError(f"{dim!r} is the name of an axis and of a channel")
    return list(found.values())
