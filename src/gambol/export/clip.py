"""A clip: figures in motion at even times, as animation formats want it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gambol.errors import ExportError
from gambol.export.quaternions import CONJUGATE, product, turned
from gambol.figure import Figure
from gambol.scene.scene import Scene


@dataclass(frozen=True)
class Clip:
    """Frames of one or several figures, `step` [s] apart, from `start` [s].

    q    (frames, positions) of all figures, description order
    """

    figures: tuple[Figure, ...]
    start: float
    step: float
    q: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    @property
    def times(self) -> np.ndarray:
        """Of the frames, from 0 [s]."""
        return self.step * np.arange(len(self))

    @cached_property
    def poses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each figure, origins (frames, bodies, 3) [m] and quaternions (frames, bodies, 4), `figure.order`."""
        found, first = [], 0
        for figure in self.figures:
            found.append(figure.kinematics(self.q[:, first : first + figure.positions]))
            first += figure.positions
        return found

    def local_poses(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The same of one figure, each body in the frame of its parent; quaternions continuous in time."""
        figure, (places, turns) = self.figures[number], self.poses[number]
        place, turn = places.copy(), turns.copy()
        row = {body.name: k for k, body in enumerate(figure.order)}
        for k, body in enumerate(figure.order):
            if body.parent is not None:
                p = row[body.parent]
                back = turns[:, p] * CONJUGATE
                place[:, k] = turned(back, places[:, k] - places[:, p])
                turn[:, k] = product(back, turns[:, k])
        return place, continuous(turn)


def continuous(turns: np.ndarray) -> np.ndarray:
    """Quaternions (frames, …, 4) with signs such that neighbours are near."""
    flips = np.sum(turns[1:] * turns[:-1], axis=-1) < 0.0
    signs = np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)
    return np.concatenate([turns[:1], turns[1:] * signs[..., None]])


def clip_of(source: Any, *, fps: float | None = None, world: int = 0) -> Clip:
    """The clip of a recording, a trajectory, another clip, or a figure or a scene at rest (one frame).

    fps   frames a second; by default as the samples are, where they are even (a last sample off the grid is left out)
    """
    if isinstance(source, Clip):
        if fps is None or abs(fps * source.step - 1.0) < 1e-9:
            return source
        wanted = np.arange(int(np.floor((len(source) - 1) * source.step * fps + 1e-6)) + 1) / fps
        return Clip(source.figures, source.start, 1.0 / fps, resampled(source.figures, source.times, source.q, wanted))
    if isinstance(source, Figure | Scene):
        figures = (source,) if isinstance(source, Figure) else source.figures
        q = source.zero if isinstance(source, Figure) else source.pose().q
        return Clip(tuple(figures), 0.0, 1.0 / (fps or 60.0), np.array([q], float))
    if hasattr(source, "motion"):
        source = source.motion(world)
    if not hasattr(source, "layout") or not hasattr(source, "q"):
        raise ExportError(f"a recording, a trajectory or a figure can be exported, not a {type(source).__name__}")
    q = np.asarray(source.q, float)
    q = q if q.ndim == 2 else q[:, world]
    time = np.asarray(source.time, float)
    if not len(time):
        raise ExportError("there is nothing to export: the motion has no samples")
    if fps is not None and not fps > 0:
        raise ExportError(f"fps must be positive, it is {fps}")
    figures = tuple(source.layout.figures)
    step = 1.0 / fps if fps else float(np.median(np.diff(time))) if len(time) > 1 else 1.0 / 60.0
    count = int(np.floor((time[-1] - time[0]) / step + 1e-6)) + 1
    wanted = time[0] + step * np.arange(count)
    even = len(time) >= count and np.allclose(time[:count], wanted, atol=1e-6 * step)
    rows = q[:count] if even else resampled(figures, time, q, wanted)
    return Clip(figures, float(time[0]), step, rows)


def resampled(figures: Sequence[Figure], time: np.ndarray, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Positions at other times: straight lines, and the shortest turns of quaternions."""
    out = np.stack([np.interp(wanted, time, column) for column in q.T], axis=-1) if q.shape[1] else q[: len(wanted)]
    first = 0
    for figure in figures:
        for body in figure.order:
            for k in body.joint.kind.quaternions:
                begin = first + figure.position_slices[body.name].start + k
                cells = slice(begin, begin + 4)
                out[:, cells] = _turned_between(time, q[:, cells], wanted)
        first += figure.positions
    return out


def _turned_between(time: np.ndarray, turns: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation, Slerp

    if len(time) == 1:
        return np.repeat(turns, len(wanted), axis=0)
    made = Slerp(time, Rotation.from_quat(turns, scalar_first=True))(np.clip(wanted, time[0], time[-1]))
    return made.as_quat(scalar_first=True)
