"""What is looked at: figures, and where every body of theirs is at each moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import ViewError
from gambol.figure import Figure
from gambol.figure.body import Body
from gambol.forces.contact.terrain import Terrain


class Poses(NamedTuple):
    """Where the bodies are, world axes: origins [m] (bodies, 3) and rotation matrices (bodies, 3, 3)."""

    origins: np.ndarray
    frames: np.ndarray


Placer = Callable[[np.ndarray], Poses]


def bodies_of(figures: Sequence[Figure]) -> list[tuple[Figure, Body]]:
    """Every body in the order of the poses: figure by figure, parents first."""
    return [(figure, body) for figure in figures for body in figure.order]


def placer(figures: Sequence[Figure]) -> Placer:
    """Poses by the forward kinematics, compiled when first used; for threads too."""

    def place(q: np.ndarray) -> Poses:
        from gambol.figure.kinematics import Kinematics  # brings Numba

        if not made:
            made.append(Kinematics.of(figures))
        return Poses(*made[0].frames(q))

    made: list[Any] = []
    return place


@dataclass(frozen=True)
class Motion:
    """Figures and their positions at increasing times.

    time     (moments,) [s]
    q        (moments, coordinates), the figures one after the other, each in its own order
    terrain  the ground of their world, where it is known
    v        (moments, speeds) likewise, where they are known; world: the World, with its forces and constraints
    aside    (figures, 3) [m] by which each figure is shown beside where it is; default: not
    """

    figures: tuple[Figure, ...]
    time: Any
    q: Any
    title: str = ""
    terrain: Terrain | None = None
    v: Any = None
    world: Any = None
    aside: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", np.asarray(self.time, float))
        object.__setattr__(self, "q", np.asarray(self.q, float))
        if not len(self.time):
            raise ViewError("the motion is empty: there is nothing to show")
        coordinates = sum(figure.positions for figure in self.figures)
        if self.q.shape != (len(self.time), coordinates):
            raise ViewError(f"positions must have shape ({len(self.time)}, {coordinates}), not {self.q.shape}")
        if not np.all(np.isfinite(self.q)):
            bad = float(self.time[int(np.argmax(~np.isfinite(self.q).all(axis=1)))])
            raise ViewError(f"positions are not finite from t = {bad:g} s on: cut the motion there")

    @classmethod
    def of(cls, thing: Any, *, world: int = 0) -> Motion:
        """The motion of a Figure, Trajectory, Simulation or Recording; `world` is which one, of several."""
        match thing:
            case Motion():
                return thing
            case Figure():
                return cls((thing,), np.zeros(1), np.array([thing.zero]), thing.name)
        if hasattr(thing, "motion"):  # a recording
            thing = thing.motion(world)
        if not hasattr(thing, "layout") or not hasattr(thing, "q"):
            raise ViewError(
                f"a {type(thing).__name__} cannot be shown; a Figure, Trajectory, Simulation or Recording can"
            )
        figures = tuple(thing.layout.figures)
        q, v = np.asarray(thing.q, float), getattr(thing, "v", None)
        v = None if v is None else np.asarray(v, float)
        time = np.atleast_1d(np.asarray(thing.time, float))
        if hasattr(thing, "save"):  # a simulation: this moment
            one = [_checked(world, len(time))]
            time, q, v = time[one], np.atleast_2d(q)[one], None if v is None else np.atleast_2d(v)[one]
        elif q.ndim == 3:
            world = _checked(world, q.shape[1])
            q, v = q[:, world], None if v is None else v[:, world]
        return cls(figures, time, q, _title(figures), _terrain(thing), v, getattr(thing, "world", None))

    @classmethod
    def side_by_side(cls, motions: Sequence[Motion], *, spacing: float | None = None) -> Motion:
        """Several motions in one picture, at the moments of the first, beside each other along y.

        spacing   [m] from one to the next; default: one and a half times the size of the first
        """
        if not motions:
            raise ViewError("there is nothing to show side by side")
        first = motions[0]
        gap = 1.5 * _size(first) if spacing is None else float(spacing)
        places = gap * (0.5 * (len(motions) - 1) - np.arange(len(motions)))
        figures = [replace(f, name=f"{f.name} {k}") for k, motion in enumerate(motions) for f in motion.figures]
        aside = [(0.0, float(y), 0.0) for y, motion in zip(places, motions) for _ in motion.figures]
        q = np.concatenate([[motion.positions(t) for t in first.time] for motion in motions], axis=1)
        terrain = first.terrain if all(motion.terrain == first.terrain for motion in motions) else None
        return cls(tuple(figures), first.time, q, first.title, terrain, aside=np.array(aside))

    @property
    def duration(self) -> float:
        """[s]"""
        return float(self.time[-1] - self.time[0])

    def positions(self, time: float) -> np.ndarray:
        """Positions at a time [s]: those of the nearest moment at or before it."""
        return self.q[self.index(time)]

    def index(self, time: float) -> int:
        """Which moment is shown at a time [s]."""
        return int(np.clip(np.searchsorted(self.time, time + 1e-9, side="right") - 1, 0, len(self.time) - 1))

    def displaced(self, time: float, by: float) -> np.ndarray:
        """Positions that the speeds of a time [s] lead to in so short a time `by` [s]."""
        k, at, first = self.index(time), 0, 0
        out, rate = self.q[k].copy(), np.asarray(self.v[k], float)
        for figure in self.figures:
            for body in figure.bodies:
                place, speed = figure.position_slices[body.name], figure.speed_slices[body.name]
                here = slice(at + place.start, at + place.stop)
                own = rate[first + speed.start : first + speed.stop]
                out[here] = body.joint.kind.displaced(body.joint, self.q[k][here], by * own)
            at, first = at + figure.positions, first + figure.speeds
        return out

    def poses(self, time: float) -> Poses:
        """Where every body is at a time [s]."""
        return self.place(self.positions(time))

    @cached_property
    def place(self) -> Placer:
        """Poses at positions."""
        own = placer(self.figures)
        if self.aside is None:
            return own
        shifts = np.repeat(np.asarray(self.aside, float), [len(figure.bodies) for figure in self.figures], axis=0)
        return lambda q: Poses((found := own(q)).origins + shifts, found.frames)


def _checked(world: int, worlds: int) -> int:
    if not 0 <= world < worlds:
        raise ViewError(f"there are {worlds} worlds, so world must be from 0 to {worlds - 1}, not {world}")
    return world


def _terrain(thing: Any) -> Terrain | None:
    """The ground of a simulation, a trajectory or a recording; none where it does not say."""
    world = getattr(thing, "world", None)
    return getattr(world, "terrain", None) if world is not None else getattr(thing, "terrain", None)


def _size(motion: Motion) -> float:
    """How much room its bodies take at the first moment [m]."""
    return max(float(np.linalg.norm(np.ptp(motion.poses(float(motion.time[0])).origins, axis=0))), 1e-6)


def _title(figures: Sequence[Figure]) -> str:
    return ", ".join(figure.name for figure in figures)
