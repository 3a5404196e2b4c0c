"""Recordings: named channels with units, written while a run goes on, safe against a crash.

    with Recorder(sim, "walk.gambol", every=1 / 60) as recorder:
        recorder.run(10.0)
    recording = Recording.open("walk.gambol")
    recording.dataset, recording.figures, recording.events, recording.report

The file is HDF5, one unlimited dimension `time`; h5py, xarray (engine h5netcdf), MATLAB and Julia read it as it is.
"""

import importlib

_HOME = {
    "Channel": "channel",
    "Recorder": "recorder",
    "Recording": "recording",
    "Motion": "recording",
    "Report": "report",
    "standard_channels": "standard",
}
__all__ = ["Channel", "Motion", "Recorder", "Recording", "Report", "standard_channels"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.record.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.record' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
