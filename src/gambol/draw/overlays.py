"""Lines over pictures: springs, the places where constraints hold, velocities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from gambol.draw.camera import View
from gambol.draw.motion import bodies_of
from gambol.draw.render import projected
from gambol.errors import ViewError, nearest

if TYPE_CHECKING:
    from gambol.draw.motion import Motion, Poses

SPRING, NAIL, VELOCITY = (0, 121, 107), (200, 50, 30), (30, 80, 200)
ARROW = 0.15  # [s] that an arrow of a velocity shows the way of
COILS = 7
INSTANT = 1e-5  # [s] over which velocities are taken
STILL = 1e-3  # of the largest: slower bodies have no arrow


class Mark(NamedTuple):
    """A line from one place to another [m, world], to be drawn as a spring, a nail or an arrow."""

    kind: str
    start: np.ndarray
    end: np.ndarray


def check_overlays(motion: Motion, names: Sequence[str]) -> None:
    """ViewError for overlays that there are none of, or that the motion does not know enough for."""
    for name in names:
        if name not in OVERLAYS:
            raise ViewError(f"no overlay {name!r}{nearest(name, OVERLAYS)}")
    if "velocities" in names and motion.v is None:
        raise ViewError("this motion has no speeds: velocities are those of a Trajectory, Simulation or Recording")
    if motion.world is None and {"springs", "nails"} & set(names):
        raise ViewError("this motion knows no world: springs and nails are those of a Trajectory or Simulation")


def marks(motion: Motion, time: float, names: Sequence[str]) -> list[Mark]:
    """What the overlays show at a time [s]."""
    poses = motion.poses(time)
    found: list[Mark] = []
    for name in names:
        found += OVERLAYS[name](motion, time, poses)
    return found


def _place(motion: Motion, poses: Poses, body: str, point: Sequence[float]) -> np.ndarray:
    """A point of a body, or of the world ("")."""
    if not body:
        return np.asarray(point, float)
    for k, (figure, own) in enumerate(bodies_of(motion.figures)):
        if body in (own.name, f"{figure.name}/{own.name}"):
            return poses.origins[k] + poses.frames[k] @ np.asarray(point, float)
    raise ViewError(f"no body {body!r} in the motion")


def _springs(motion: Motion, time: float, poses: Poses) -> Iterator[Mark]:
    """Elements along a line between two points, and anchors."""
    for element in motion.world.forces:
        if hasattr(element, "other_point"):
            ends = (element.body, element.point), (element.other, element.other_point)
        elif hasattr(element, "place") and hasattr(element, "stiffness") and hasattr(element, "body"):
            ends = (element.body, element.point), ("", element.place)
        else:
            continue
        yield Mark("spring", *(_place(motion, poses, *end) for end in ends))


def _nails(motion: Motion, time: float, poses: Poses) -> Iterator[Mark]:
    """Constraints of points: from the point that is held to where it should be."""
    for constraint in motion.world.constraints:
        body = getattr(constraint, "body", "")
        held = [getattr(constraint, "point", None)] if hasattr(constraint, "point") else []
        wanted = [getattr(constraint, "place", getattr(constraint, "at", None))]
        if hasattr(constraint, "points"):
            held, wanted = list(constraint.points), list(getattr(constraint, "at", constraint.points))
        for point, place in zip(held, wanted):
            if point is None:
                continue
            start = _place(motion, poses, body, point)
            moved = np.zeros(3)
            if hasattr(constraint, "velocity") and hasattr(constraint, "place"):
                moved = np.multiply(constraint.velocity, time) + 0.5 * np.multiply(constraint.acceleration, time**2)
            there = start if place is None else _place(motion, poses, getattr(constraint, "to", ""), place) + moved
            yield Mark("nail", start, there)


def _velocities(motion: Motion, time: float, poses: Poses) -> Iterator[Mark]:
    """Of the centre of mass of every body, as far as it goes in ARROW."""
    ahead = motion.place(motion.displaced(time, INSTANT))
    centres = []
    for k, (_, body) in enumerate(bodies_of(motion.figures)):
        middle = np.asarray(body.mass_properties.centre, float)
        was, is_ = (p.origins[k] + p.frames[k] @ middle for p in (poses, ahead))
        centres.append((was, (is_ - was) / INSTANT))
    largest = max((np.linalg.norm(v) for _, v in centres), default=0.0)
    for place, velocity in centres:
        if np.linalg.norm(velocity) > STILL * largest > 0.0:
            yield Mark("velocity", place, place + ARROW * velocity)


OVERLAYS = {"springs": _springs, "nails": _nails, "velocities": _velocities}


# ---------------------------------------------------------------- drawing
def draw_marks(pixels: np.ndarray, found: Sequence[Mark], view: View) -> np.ndarray:
    """The picture with the marks over it, whatever stands before them."""
    made = Image.fromarray(pixels)
    pen = ImageDraw.Draw(made)
    width = max(1, round(made.height / 240))
    for mark in found:
        points, _, _ = projected(np.array([mark.start, mark.end]), view, made.width, made.height)
        if (points[:, 2] <= 0.0).any():
            continue
        DRAWN[mark.kind](pen, points[0, :2], points[1, :2], width)
    return np.asarray(made)


def _line(pen: Any, points: np.ndarray, colour: tuple[int, int, int], width: int) -> None:
    pen.line([tuple(map(float, p)) for p in points], fill=colour, width=width)


def _spring(pen: Any, a: np.ndarray, b: np.ndarray, width: int) -> None:
    along = b - a
    across = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9) * 4.0 * width
    share = np.linspace(0.2, 0.8, 2 * COILS)
    coils = [a + s * along + (1 if k % 2 else -1) * across for k, s in enumerate(share)]
    _line(pen, np.array([a, a + 0.18 * along, *coils, a + 0.82 * along, b]), SPRING, width)


def _nail(pen: Any, a: np.ndarray, b: np.ndarray, width: int) -> None:
    r = 5.0 * width
    for way in ((1, 1), (1, -1)):
        _line(pen, np.array([b - np.multiply(way, r), b + np.multiply(way, r)]), NAIL, width)
    steps = np.linspace(0.0, 1.0, 21)
    for first, last in zip(steps[::2], steps[1::2]):
        _line(pen, np.array([a + first * (b - a), a + last * (b - a)]), NAIL, width)


def _velocity(pen: Any, a: np.ndarray, b: np.ndarray, width: int) -> None:
    _line(pen, np.array([a, b]), VELOCITY, width)
    length = float(np.linalg.norm(b - a))
    if length < 1.0:
        return
    along = (b - a) / length * min(7.0 * width, 0.5 * length)
    across = 0.45 * np.array([-along[1], along[0]])
    pen.polygon([tuple(map(float, p)) for p in (b, b - along + across, b - along - across)], fill=VELOCITY)


DRAWN = {"spring": _spring, "nail": _nail, "velocity": _velocity}
