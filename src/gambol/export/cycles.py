"""Loopable cycles: one period of a walk, cut where it fits best, its seam blended, with or without its travel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import ExportError
from gambol.export.clip import Clip
from gambol.export.quaternions import CONJUGATE, product, turned
from gambol.figure import Figure

BLEND = 0.2  # of the period, before the seam, in which it is blended with the one before
SHORTEST = 6  # frames of a cycle
REPEATS = 0.35  # of the largest difference of poses: what comes back nearer than this is a cycle
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Cycle:
    """One period of a motion.

    first, frames   the frame it begins with, and how many it lasts
    period          [s]
    seam            [m] root of the mean square distance of the bodies' origins at its two ends, travel apart, as cut
    travel          (x, y) [m] of the root in the axes it begins with, and turn [rad] about the vertical, in a period
    """

    first: int
    frames: int
    period: float
    seam: float
    travel: tuple[float, float, float]

    @property
    def speed(self) -> float:
        """[m/s] over the ground."""
        return math.hypot(*self.travel[:2]) / self.period


def find_cycle(clip: Clip, *, period: float | None = None) -> Cycle:
    """The best cycle of a clip: two moments a period apart that are most alike, in pose and in speed.

    period   [s] about how long it is, if that is known; by default the shortest after which the motion comes back
    """
    number = _moving(clip)
    features, size = _features(clip, number)
    count = len(features)
    margin = SHORTEST
    longest = count - 1 - margin
    if longest < 2 * SHORTEST:
        raise ExportError(f"{count} frames are too few to find a cycle in: two periods are needed")
    lag = _lag(features, longest, None if period is None else period / clip.step, size)
    low, high = max(SHORTEST, int(0.93 * lag)), min(longest, math.ceil(1.07 * lag))
    best = (math.inf, 0, 0)
    for own in range(low, high + 1):
        begin = min(math.ceil(BLEND * own) + 1, count - 1 - own)
        away = np.sqrt(np.mean((features[own + begin :] - features[begin : count - own]) ** 2, axis=1))
        if len(away) and away.min() < best[0]:
            best = float(away.min()), begin + int(away.argmin()), own
    _, first, frames = best
    shift, turn = _travel(clip, number, first, first + frames)
    forward = turned(_yaw(_root_turn(clip, number, first)) * CONJUGATE, shift)
    travel = float(forward[0]), float(forward[1]), 2.0 * math.atan2(turn[3], turn[0])
    return Cycle(first, frames, frames * clip.step, _seam(clip, number, first, first + frames), travel)


def looped(clip: Clip, cycle: Cycle, *, in_place: bool = False) -> Clip:
    """The cycle alone: its last frame is its first, moved on by its travel; `in_place`: without the travel."""
    a, b = cycle.first, cycle.first + cycle.frames
    if not 0 <= a < b < len(clip):
        raise ExportError(f"the clip has {len(clip)} frames; the cycle goes from {a} to {b}")
    width = min(max(math.ceil(BLEND * cycle.frames), 1), a)
    rows, column = clip.q[a : b + 1].copy(), 0
    for number, figure in enumerate(clip.figures):
        own = slice(column, column + figure.positions)
        column += figure.positions
        shift, turn = _travel(clip, number, a, b) if figure.root.joint.type == "free" else (np.zeros(3), IDENTITY)
        for k in range(width + 1):  # towards the period before, moved on
            share = 1.0 - k / width if width else 1.0
            smooth = share * share * (3.0 - 2.0 * share)
            before = _moved(figure, clip.q[a - k, own], clip.q[a, own], shift, turn, 1.0)
            rows[cycle.frames - k, own] = _between(figure, clip.q[b - k, own], before, smooth)
        if in_place:
            for k in range(cycle.frames + 1):
                phase = -k / cycle.frames
                rows[k, own] = _moved(figure, rows[k, own], rows[0, own], shift, turn, phase)
    return replace(clip, q=rows, start=0.0)


# ---------------------------------------------------------------- likeness
def _moving(clip: Clip) -> int:
    """The first figure that can move."""
    found = [k for k, figure in enumerate(clip.figures) if figure.speeds]
    if not found:
        raise ExportError("nothing moves: there is no cycle to find")
    return found[0]


def _root_turn(clip: Clip, number: int, frame: int) -> np.ndarray:
    return clip.poses[number][1][frame, 0]


def _yaw(turn: np.ndarray) -> np.ndarray:
    """The part about the vertical."""
    kept = np.array(turn, float)
    kept[..., 1:3] = 0.0
    return kept / np.maximum(np.linalg.norm(kept, axis=-1, keepdims=True), 1e-12)


def _features(clip: Clip, number: int) -> tuple[np.ndarray, float]:
    """Of each frame: where the bodies are, seen from the root's place on the ground, and how that changes [m].

    Speeds count as much as places do, over the whole. Also how much the bodies move.
    """
    places, turns = clip.poses[number]
    arm = 0.2 * max(float(np.ptp(places[0], axis=0).max()), 1e-3)  # [m] so that bodies without children count too
    if clip.figures[number].root.joint.type == "free":
        base = places[:, :1] * [1.0, 1.0, 0.0]
        back = np.repeat(_yaw(turns[:, 0])[:, None] * CONJUGATE, places.shape[1], axis=1)
        places, turns = turned(back, places - base), product(back, turns)
    ends = [turned(turns, np.broadcast_to(arm * np.eye(3)[k], places.shape)) for k in (0, 2)]
    poses = np.concatenate([places, *ends], axis=-1).reshape(len(places), -1)
    rates = np.gradient(poses, clip.step, axis=0)
    spread = lambda x: float(np.sqrt(np.mean((x - np.median(x, axis=0)) ** 2)))
    size, fast = spread(poses), spread(rates)
    return np.concatenate([poses, rates * (size / fast if fast else 0.0)], axis=1), size


def _lag(features: np.ndarray, longest: int, wanted: float | None, size: float) -> int:
    """After how many frames the motion comes back: the first deep valley of the mean difference."""
    if size < 1e-6:
        raise ExportError("nothing moves: there is no cycle to find")
    lags = np.arange(1, longest + 1)
    apart = lambda k: np.sqrt(np.mean((features[k:] - features[:-k]) ** 2, axis=1))
    away = np.array([np.percentile(apart(k), 25) for k in lags])  # a start from rest does not count
    if wanted is not None:
        if not SHORTEST <= wanted <= longest:
            raise ExportError(f"a period of {wanted:g} frames does not fit: the clip allows {SHORTEST} … {longest}")
        near = np.abs(lags - wanted) <= 0.15 * wanted
        return int(lags[near][np.argmin(away[near])])
    top = float(away.max())
    for k in range(1, len(away) - 1):
        valley = away[k] <= away[k - 1] and away[k] <= away[k + 1]
        if valley and lags[k] >= SHORTEST and away[k] < REPEATS * top and away[:k].max() > 0.6 * top:
            return int(lags[k])
    raise ExportError(
        "the motion does not come back: no cycle was found; give a longer part of the walk, or its period"
    )


def _seam(clip: Clip, number: int, a: int, b: int) -> float:
    figure, first = clip.figures[number], sum(f.positions for f in clip.figures[:number])
    own = slice(first, first + figure.positions)
    shift, turn = _travel(clip, number, a, b) if figure.root.joint.type == "free" else (np.zeros(3), IDENTITY)
    moved = _moved(figure, clip.q[a, own], clip.q[a, own], shift, turn, 1.0)
    return float(np.sqrt(np.mean(np.sum((figure.kinematics(moved)[0] - clip.poses[number][0][b]) ** 2, axis=-1))))


# ---------------------------------------------------------------- travel
def _travel(clip: Clip, number: int, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """How the root goes over the ground from one frame to another: shift [m, level] and turn about the vertical."""
    places, turns = clip.poses[number]
    shift = (places[b, 0] - places[a, 0]) * [1.0, 1.0, 0.0]
    return shift, product(_yaw(turns[b, 0]), _yaw(turns[a, 0]) * CONJUGATE)


def _moved(figure: Figure, q: np.ndarray, origin: np.ndarray, shift: np.ndarray, turn: np.ndarray, share: float):
    """Positions with the free root moved over the ground by a share of a travel that begins at `origin`."""
    if figure.root.joint.type != "free":
        return q
    angle = 2.0 * math.atan2(turn[3], turn[0]) * share
    yaw = np.array([math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)])
    base = figure.root.placement
    turn_base, at = np.array(base.rotation), np.array(base.position)
    world = lambda p: at + turned(turn_base, p)
    where, pivot = world(q[:3]), world(origin[:3]) * [1.0, 1.0, 0.0]
    part = _part_of(shift, 2.0 * math.atan2(turn[3], turn[0]), abs(share))
    if share < 0:  # back along the way it came: first the shift, then the turn about where it began
        where = pivot + turned(yaw, where - part - pivot)
    else:
        where = pivot + turned(yaw, where - pivot) + part
    out = q.copy()
    out[:3] = turned(turn_base * CONJUGATE, where - at)
    out[3:7] = product(product(turn_base * CONJUGATE, product(yaw, turn_base)), q[3:7])
    return out


def _part_of(shift: np.ndarray, angle: float, share: float) -> np.ndarray:
    """Where a share of a travel leads, along the arc of a circle."""
    if abs(angle) < 1e-9:
        return share * shift
    bend = lambda a: complex(math.sin(a), 1.0 - math.cos(a)) / a
    there = complex(shift[0], shift[1]) * share * bend(share * angle) / bend(angle) if share else 0j
    return np.array([there.real, there.imag, 0.0])


def _between(figure: Figure, one: np.ndarray, two: np.ndarray, share: float) -> np.ndarray:
    """Positions between two poses; quaternions by the shorter way."""
    out = one + share * (two - one)
    for body in figure.order:
        first = figure.position_slices[body.name].start
        for k in body.joint.kind.quaternions:
            cells = slice(first + k, first + k + 4)
            near = two[cells] if one[cells] @ two[cells] >= 0 else -two[cells]
            mixed = (1.0 - share) * one[cells] + share * near
            out[cells] = mixed / np.linalg.norm(mixed)
    return out
