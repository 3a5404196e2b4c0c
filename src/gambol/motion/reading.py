"""`read_motion`: whatever measured motion a file holds, by its suffix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, MotionError, UnknownNameError, nearest
from gambol.export.bvh_reader import TargetMotion, read_bvh
from gambol.motion.c3d_file import read_c3d
from gambol.motion.data import Coordinates, Markers
from gambol.motion.text_tables import read_csv, read_storage, read_trc

MOTIONS = (".c3d", ".trc", ".mot", ".sto", ".csv", ".bvh")
KINDS = ("markers", "coordinates")
UPS = ("y", "z")


def read_motion(
    path: str | Path,
    *,
    kind: str | None = None,
    up: str | None = None,
    rate: float | None = None,
    scale: float = 1.0,
) -> Markers | Coordinates | TargetMotion:
    """Reads a file of measured motion.

    .c3d .trc        Markers
    .mot .sto        Coordinates
    .csv             Markers, where the columns are `NAME x`, `NAME y`, `NAME z`, else Coordinates
    .bvh             TargetMotion: a skeleton of its own

    kind    "markers" or "coordinates", of a CSV whose columns could be either
    up      "z" (X forward, Y left, as here) or "y" (X forward, Z right, as OpenSim has it): the axes of markers; by
            default "y" for .trc, what a C3D says, "z" for others
    rate    frames a second of a CSV without times
    scale   lengths in a BVH are metres times this (100: centimetres)
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in MOTIONS:
        raise UnknownNameError(f"{path}: no motion has the suffix {suffix!r}{nearest(suffix, MOTIONS)}")
    if kind is not None and kind not in KINDS:
        raise UnknownNameError(f"no kind of motion is called {kind!r}{nearest(kind, KINDS)}")
    if up is not None and up not in UPS:
        raise UnknownNameError(f"up is 'y' or 'z', not {up!r}")
    if rate is not None and not (rate > 0 and math.isfinite(rate)):
        raise MotionError([Fault(f"the rate of frames must be positive, it is {rate:g}", str(path))])
    found: Any
    said = ""
    if suffix == ".bvh":
        return read_bvh(path, scale=scale)
    if suffix == ".c3d":
        found, said = read_c3d(path)
    elif suffix == ".csv":
        found = read_csv(path, kind=kind, rate=rate)
    else:
        reader: Callable[[Path], Any] = read_trc if suffix == ".trc" else read_storage
        found = reader(path)
    if isinstance(found, Markers):
        return turned_up(found, up or said or ("y" if suffix == ".trc" else "z"))
    return found


def turned_up(markers: Markers, up: str) -> Markers:
    """Markers of other axes in ours: Z up, X forward, Y left."""
    if up == "z":
        return markers
    x, y, z = np.moveaxis(markers.positions, -1, 0)
    return replace(markers, positions=np.stack([x, -z, y], axis=-1))
