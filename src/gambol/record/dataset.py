"""A recording as an xarray Dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

    from gambol.record.recording import Recording


def dataset(recording: Recording) -> xarray.Dataset:
    """Channels over time (world, labels); units as attributes; events along `event`; the report in `attrs`."""
    import xarray

    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {"time": ("time", recording.time, {"units": "s"})}
    with recording._file() as file:
        for name in recording.channels:
            channel = file[name]
            dims = [channel.dims[k].keys()[0].split("/")[-1] for k in range(channel.ndim)]
            attrs = {key: channel.attrs[key] for key in ("units", "long_name") if channel.attrs[key]}
            variables[name] = (dims, recording.read(name), attrs)
            for dim in dims[1:]:
                coords.setdefault(dim, (dim, _labels(file[dim][...])))
            if "entry_units" in channel.attrs:
                coords[f"{name}_unit"] = (dims[-1], json.loads(channel.attrs["entry_units"]))
    events = recording.events
    variables["event_time"] = ("event", np.array([e.time for e in events], float), {"units": "s"})
    variables["event_name"] = ("event", np.array([e.name for e in events], str))
    variables["event_world"] = ("event", np.array([e.world for e in events], int))
    report = recording.report
    attrs = {"title": report["title"], "what": report["what"], "outcome": report["outcome"]}
    return xarray.Dataset(variables, coords, attrs)


def _labels(values: np.ndarray) -> np.ndarray:
    return np.array([v.decode() for v in values]) if values.dtype.kind in "OS" else values
