"""Writes markers and coordinates as the text that OpenSim and spreadsheets read."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from gambol.errors import UnknownNameError, nearest
from gambol.figure.figure import Figure
from gambol.motion.data import ANGLES, LENGTHS, Coordinates, Markers

IN_DEGREES = "inDegrees=yes"  # in a comment of a CSV file: angles of columns without a unit are degrees
SUFFIXES = {Markers: (".csv", ".trc"), Coordinates: (".csv", ".mot", ".sto")}


def write_motion(motion: Markers | Coordinates, path: str | Path) -> Path:
    """Writes Markers (.trc, in mm, Y up; .csv, in m) or Coordinates (.mot, .sto, .csv); folders are made as needed."""
    path = Path(path)
    suffix, allowed = path.suffix.lower(), SUFFIXES[type(motion)]
    if suffix not in allowed:
        raise UnknownNameError(f"{path}: {type(motion).__name__} are written as {nearest(suffix, allowed)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    match motion, suffix:
        case Markers(), ".trc":
            path.write_text(trc_text(motion, path.name), encoding="utf-8")
        case Coordinates(), ".mot" | ".sto":
            path.write_text(storage_text(motion), encoding="utf-8")
        case Markers(), _:
            heads = [f"{name} {axis} [m]" for name in motion.names for axis in "xyz"]
            _write_csv(path, heads, motion.time, motion.positions.reshape(len(motion), -1))
        case _:
            heads = [f"{n} [{u}]" if u else n for n, u in zip(motion.names, motion.units)]
            _write_csv(path, heads, motion.time, motion.values, IN_DEGREES if _bare_degrees(motion) else "")
    return path


def coordinates_of(figure: Figure, time: np.ndarray, q: np.ndarray) -> Coordinates:
    """Positions (frames, positions) of a figure as columns with names and units."""
    names, units = [], []
    plain = {"rad": "angle", "m": "distance"}
    for body in figure.order:
        for name, unit in body.joint.kind.positions.items():
            names.append(f"{body.name} {name or plain[unit]}")
            units.append(unit)
    return Coordinates(time, tuple(names), q, tuple(units))


def _bare_degrees(motion: Coordinates) -> bool:
    """Are there columns without a unit whose angles are degrees?"""
    return motion.degrees and "" in motion.units


def _write_csv(path: Path, heads: list[str], time: np.ndarray, values: np.ndarray, above: str = "") -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        stream.write(f"# {above}\n" if above else "")
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["time [s]", *heads])
        table.writerows([repr(float(t)), *(_cell(x) for x in row)] for t, row in zip(time, values))


def _cell(x: float) -> str:
    return repr(float(x)) if np.isfinite(x) else ""


def trc_text(markers: Markers, name: str) -> str:
    """Markers as TRC: millimetres, Y up, Z right."""
    x, y, z = 1e3 * np.moveaxis(markers.positions, -1, 0)
    places = np.stack([x, z, -y], axis=-1).reshape(len(markers), -1)
    rate, count = f"{markers.rate:.10g}", len(markers)
    lines = [f"PathFileType\t4\t(X/Y/Z)\t{name}"]
    lines.append("DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames")
    lines.append(f"{rate}\t{rate}\t{count}\t{len(markers.names)}\tmm\t{rate}\t1\t{count}")
    lines.append("Frame#\tTime\t" + "\t\t\t".join(markers.names) + "\t\t")
    lines.append("\t\t" + "\t".join(f"{axis}{k}" for k in range(1, len(markers.names) + 1) for axis in "XYZ"))
    for k, (t, row) in enumerate(zip(markers.time, places), 1):
        lines.append("\t".join([str(k), repr(float(t)), *(_cell(x) for x in row)]))
    return "\n".join(lines) + "\n"


def storage_text(motion: Coordinates) -> str:
    """Coordinates as MOT or STO: metres, and radians, or degrees where all angles are in degrees.

    The file says it once for all columns: one without a unit may be an angle, and stays in what it is in.
    """
    angles = {unit for unit in motion.units if unit in ANGLES}
    degrees = _bare_degrees(motion) or (bool(angles) and "rad" not in angles and "" not in motion.units)
    lines = ["Coordinates", "version=1", f"nRows={len(motion)}", f"nColumns={len(motion.names) + 1}"]
    lines += [f"inDegrees={'yes' if degrees else 'no'}", "endheader"]
    lines.append("\t".join(["time", *(name.replace(" ", "/") for name in motion.names)]))
    turns = {"rad": np.degrees(1.0)} if degrees else ANGLES
    values = motion.values * [(LENGTHS | turns).get(unit, 1.0) for unit in motion.units]
    for t, row in zip(motion.time, values):
        lines.append("\t".join([repr(float(t)), *(repr(float(x)) for x in row)]))
    return "\n".join(lines) + "\n"
