"""C3D: markers as motion capture stores them, read by the package `c3d` (extra `capture`)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, MotionError, nearest
from gambol.limits import refuse_too_large
from gambol.motion.data import LENGTHS, Markers, repeated


def read_c3d(path: Path) -> tuple[Markers, str]:
    """Markers, still in the file's axes, lengths in metres; and which axis is up ("y", "z", "" if it is not said)."""
    try:
        import c3d
    except ImportError:
        raise MotionError([Fault("C3D needs the package c3d: pip install 'gambol[capture]'", str(path))]) from None
    try:
        with path.open("rb") as stream, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            return _read(c3d.Reader(stream), path, caught)
    except OSError as error:
        raise _fault(path, f"cannot be read: {error.strerror or error}") from None
    except MotionError:
        raise
    except Exception as error:  # whatever the library makes of a damaged file
        raise _fault(path, f"is damaged, or no C3D file: {type(error).__name__}: {error}") from None


def _fault(path: Path, message: str) -> MotionError:
    return MotionError([Fault(message, str(path))])


def _read(reader: Any, path: Path, caught: list[Any]) -> tuple[Markers, str]:
    rate, count = float(reader.point_rate), int(reader.point_used)
    frames = int(reader.last_frame) - int(reader.first_frame) + 1
    if not (np.isfinite(rate) and rate > 0):
        raise _fault(path, f"the rate of frames must be positive, it is {rate:g}")
    if count < 1:
        raise _fault(path, "it has no markers")
    if frames < 1:
        raise _fault(path, "it has no frames")
    refuse_too_large(f"{path}: {frames} frames of {count} markers", 8.0 * 8 * frames * count)
    room = path.stat().st_size
    if frames * count * 8 > room:
        raise _fault(path, f"it says {frames} frames of {count} markers, and has {room} bytes")
    names = tuple(str(label).strip() for label in reader.point_labels)[:count]
    names = (*names, *(f"marker {k + 1}" for k in range(len(names), count)))
    if (name := repeated(names)) is not None:
        raise _fault(path, f"the marker {name!r} is there twice")
    rows = [points[:, :4].astype(float) for _, points, _ in reader.read_frames()]
    if len(rows) != frames:
        raise _fault(path, f"the file ends in frame {len(rows)} of {frames}")
    table = np.array(rows)
    places = LENGTHS[_unit(reader, path)] * table[..., :3]
    places[table[..., 3] < 0] = np.nan
    time = (np.arange(frames) + int(reader.first_frame) - 1) / rate
    return Markers(time, names, places), _up(reader)


def _unit(reader: Any, path: Path) -> str:
    found = reader.get("POINT:UNITS")
    unit = found.string_value.strip().lower() if found is not None else "mm"
    if unit not in LENGTHS:
        raise _fault(path, f"POINT:UNITS is {unit!r}{nearest(unit, LENGTHS)}")
    return unit


def _up(reader: Any) -> str:
    """POINT:Y_SCREEN says which axis is up on the screen."""
    found = reader.get("POINT:Y_SCREEN")
    word = found.string_value.strip().lower() if found is not None else ""
    return word[-1] if word in ("+y", "+z", "y", "z") else ""
