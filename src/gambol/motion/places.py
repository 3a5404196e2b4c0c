"""Where markers sit on the bodies of a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.errors import Fault, MotionError, nearest, shortened
from gambol.figure.document import read
from gambol.figure.figure import Figure
from gambol.figure.placement import IDENTITY, Placement
from gambol.scene.scene import Frame

FIELDS = ("body", "at", "weight")


@dataclass(frozen=True)
class MarkerPlace:
    """A marker sits at `point` [m] in the frame of `body`; `weight` is how much it counts beside others."""

    body: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: float = 1.0


def check_places(figure: Figure, places: Mapping[str, MarkerPlace]) -> None:
    """All faults at once: bodies that are not there, weights that are not positive."""
    faults = [
        Fault(f"no body {place.body!r} in {figure.name!r}{nearest(place.body, figure.names)}", f"marker {name}")
        for name, place in places.items()
        if place.body not in figure
    ]
    faults += [
        Fault(f"the weight must be positive, it is {place.weight:g}", f"marker {name}")
        for name, place in places.items()
        if not place.weight > 0
    ]
    if faults:
        raise MotionError(faults)


def read_places(path: str | Path) -> dict[str, MarkerPlace]:
    """Reads a YAML file of markers: `LASI: {body: pelvis, at: [0.1, 0.12, 0.05], weight: 1}`, lengths in metres."""
    try:
        document = read(path)
    except OSError as error:
        raise MotionError([Fault(f"cannot be read: {error.strerror}", file=str(path), line=1)]) from None
    faults = document.faults
    found: dict[str, MarkerPlace] = {}
    if not faults and (not isinstance(document.data, dict) or not document.data):
        document.add("markers are wanted: NAME: {body: …, at: [x, y, z]}", 1)
    for name, given in document.data.items() if isinstance(document.data, dict) else ():
        try:
            found[name] = _place(given)
        except ValueError as error:
            document.add(f"marker {shortened(name)!r}: {error}", document.line((name,)))
    if faults:
        raise MotionError(faults)
    return found


def _place(given: Any) -> MarkerPlace:
    if isinstance(given, str):
        return MarkerPlace(given)
    if not isinstance(given, dict) or not isinstance(given.get("body"), str):
        raise ValueError("a body is wanted, as in {body: pelvis, at: [0.1, 0.12, 0.05]}")
    if unknown := [key for key in given if key not in FIELDS]:
        raise ValueError(f"no field {shortened(unknown[0])!r}{nearest(unknown[0], FIELDS)}")
    at, weight = given.get("at", [0.0, 0.0, 0.0]), given.get("weight", 1.0)
    plain = lambda x: isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e6
    if not isinstance(at, list) or len(at) != 3 or not all(map(plain, at)):
        raise ValueError(f"'at' are three numbers [m], not {shortened(repr(at))}")
    if not plain(weight) or not weight > 0:
        raise ValueError(f"'weight' is a positive number, not {shortened(repr(weight))}")
    x, y, z = map(float, at)
    return MarkerPlace(given["body"], (x, y, z), float(weight))


def marker_places(
    figure: Figure, names: tuple[str, ...], frames: Mapping[str, Frame] | None = None
) -> dict[str, MarkerPlace]:
    """Where markers sit that need no list: at sites of the model, on the person, at origins of bodies of their name.

    frames   of a Scene: its sites
    """
    found: dict[str, MarkerPlace] = {}
    known = person_markers(figure)
    for name in names:
        frame = (frames or {}).get(name)
        body = frame.body.rsplit("/", 1)[-1] if frame is not None else ""
        if frame is not None and body in figure:
            found[name] = MarkerPlace(body, frame.placement.position)
        elif name in figure:
            found[name] = MarkerPlace(name)
        elif name in known:
            found[name] = known[name]
    return found


# ---------------------------------------------------------------- the person
MIDDLE = {
    "C7": ("abdomen", (-0.085, 0.0, 0.275)),
    "T10": ("abdomen", (-0.115, 0.0, 0.02)),
    "CLAV": ("abdomen", (0.065, 0.0, 0.225)),
    "STRN": ("abdomen", (0.105, 0.0, 0.06)),
    "SACR": ("pelvis3", (-0.10, 0.0, -0.08)),
}
LEFT = {  # names as in the Plug-in Gait set, with the medial ones of OpenSim's
    "FHD": ("head3", (0.085, 0.065, 0.14)),
    "BHD": ("head3", (-0.085, 0.065, 0.14)),
    "SHO": ("abdomen", (-0.01, 0.18, 0.235)),
    "UPA": ("l_humerus3", (0.0, 0.05, -0.16)),
    "ELB": ("l_humerus3", (0.0, 0.05, -0.325)),
    "FRM": ("l_forearm", (0.0, 0.04, -0.13)),
    "WRA": ("l_forearm", (0.03, 0.0, -0.25)),
    "WRB": ("l_forearm", (-0.03, 0.0, -0.25)),
    "FIN": ("l_hand3", (0.0, 0.02, -0.09)),
    "THU": ("l_hand3", (0.05, 0.0, -0.05)),
    "ASI": ("pelvis3", (0.115, 0.12, -0.095)),
    "PSI": ("pelvis3", (-0.09, 0.05, -0.085)),
    "THI": ("l_thigh3", (0.0, 0.085, -0.22)),
    "KNE": ("l_thigh3", (0.0, 0.055, -0.432)),
    "KNEM": ("l_thigh3", (0.0, -0.055, -0.432)),
    "TIB": ("l_shank", (0.0, 0.05, -0.22)),
    "ANK": ("l_shank", (0.0075, 0.03, -0.434)),
    "ANKM": ("l_shank", (0.0075, -0.045, -0.434)),
    "HEE": ("l_hindfoot", (-0.065, 0.0, -0.015)),
    "TOE": ("l_hindfoot", (0.13, -0.005, -0.01)),
    "MT5": ("l_hindfoot", (0.10, 0.045, -0.02)),
}


def person_markers(figure: Figure) -> dict[str, MarkerPlace]:
    """Markers of gait laboratories (LASI, RKNE, C7, …) on the person, or on one with joints welded; else none.

    They sit where the names say, to a centimetre or two: `scale_to_markers` sizes the person, residuals tell the rest.
    """
    from gambol.models.person.figure import person90, positions
    from gambol.models.person.tables import standing_angles

    whole = person90()
    if figure.root.name not in whole or sum(name in whole for name in figure.names) < 0.9 * len(figure.names):
        return {}
    where = whole.poses(positions(whole, standing_angles()))
    found = {name: _kept(figure, whole, where, body, point) for name, (body, point) in MIDDLE.items()}
    for name, (body, (x, y, z)) in LEFT.items():
        found[f"L{name}"] = _kept(figure, whole, where, body, (x, y, z))
        found[f"R{name}"] = _kept(figure, whole, where, body.replace("l_", "r_", 1), (x, -y, z))
    return {name: place for name, place in found.items() if place is not None}


def _kept(
    figure: Figure, whole: Figure, where: Mapping[str, Placement], body: str, point: tuple[float, float, float]
) -> MarkerPlace | None:
    """A place on a body, or on the one that it was welded to."""
    own: str | None = body
    while own is not None and own not in figure:
        own = whole[own].parent
    if own is None:
        return None
    there = IDENTITY if own == body else where[own].inverse().compose(where[body])
    return MarkerPlace(own, there.apply(point))
