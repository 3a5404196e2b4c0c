"""Inverse kinematics: the positions of a figure that come nearest to measured markers and joint coordinates.

Every frame is a least-squares problem over the joint coordinates, solved by Levenberg and Marquardt's method with the
Jacobians of the engine, from the frame before. Coordinates stay within the ranges of their joints: those at an end that
would go beyond are held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gambol.errors import Fault, MotionError
from gambol.figure.figure import Figure
from gambol.figure.placement import Placement
from gambol.motion.data import Coordinates, Markers, refuse
from gambol.motion.places import MarkerPlace, check_places
from gambol.motion.turning import continuous_positions
from gambol.world.mechanics import Mechanics
from gambol.world.world import World

ENOUGH = 1e-12  # [rad or m] a step that ends the search
BEST = 1e-15  # of the cost, a change that counts as none
DAMPING = 1e-3  # to begin with, of the largest entry of the normal matrix
LEAST_DAMPING = 1e-9  # keeps coordinates that nothing determines where they are


@dataclass(frozen=True)
class FittedMotion:
    """What inverse kinematics found.

    q           (frames, positions) of the figure
    distances   (frames, markers) [m] from where a marker was seen to where the figure has it; NaN where it was not seen
    errors      (frames, targets) of joint coordinates that were given as targets [rad or m], by `targets`
    rounds      of each frame; a frame that took `most` of them has not settled
    """

    figure: Figure
    time: np.ndarray
    q: np.ndarray
    markers: tuple[str, ...] = ()
    distances: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    targets: tuple[str, ...] = ()
    errors: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    rounds: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    unsettled: int = 0
    unused: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def layout(self) -> Any:
        """Of the figure alone; with it the motion can be drawn and exported as a trajectory can."""
        return World(self.figure).layout

    @property
    def rms(self) -> float:
        """Of all distances [m]."""
        seen = self.distances[np.isfinite(self.distances)]
        return float(np.sqrt(np.mean(seen**2))) if len(seen) else 0.0

    def residuals(self) -> dict[str, dict[str, float]]:
        """For each marker: root of the mean square and largest distance [m], and the share of frames it is seen in."""
        found = {}
        for k, name in enumerate(self.markers):
            own = self.distances[:, k]
            seen = own[np.isfinite(own)]
            root, most = (float(np.sqrt(np.mean(seen**2))), float(seen.max())) if len(seen) else (np.nan, np.nan)
            found[name] = {"rms_m": root, "max_m": most, "seen": len(seen) / len(own)}
        return found


def inverse_kinematics(
    figure: Figure,
    markers: Markers | None = None,
    places: Mapping[str, MarkerPlace] | None = None,
    *,
    coordinates: Coordinates | None = None,
    names: Mapping[str, str] | None = None,
    weight: float = 0.1,
    start: Sequence[float] | np.ndarray | None = None,
    limits: bool = True,
    most: int = 100,
) -> FittedMotion:
    """Fits a figure to markers, to joint coordinates, or to both.

    places        where markers sit on the figure, by name; markers without a place are not used, and named in `unused`
    coordinates   joint coordinates to come near to, at the times of the markers (interpolated); `names` maps columns
    weight        of an error of 1 rad (or 1 m) of a coordinate, beside 1 m of a marker of weight 1
    start         positions to search the first frame from; by default zero, the root laid on the markers
    limits        keep joints within their ranges
    most          rounds for a frame
    """
    if markers is None and coordinates is None:
        raise refuse("markers or coordinates are needed to fit a figure to")
    goal = _Goal.of(figure, markers, dict(places or {}), coordinates, names, weight)
    mechanics = Mechanics(figure)
    bounds = position_bounds(figure) if limits else None
    q = _first(figure, goal, start)
    if bounds is not None:
        q = np.clip(q, *bounds)
    rows, rounds = np.empty((len(goal.time), figure.positions)), np.zeros(len(goal.time), int)
    for frame in range(len(goal.time)):
        q, rounds[frame] = _settle(mechanics, goal, frame, q, bounds, most if frame else 3 * most)
        rows[frame] = q
    rows = continuous_positions(figure, rows)
    distances = np.full((len(rows), len(goal.names)), np.nan)
    for frame, own in enumerate(rows):
        seen, there = goal.seen[frame], goal.places(mechanics, own)
        distances[frame, seen] = np.linalg.norm(goal.wanted[frame, seen] - there[seen], axis=1)
    errors = rows[:, goal.cells] - goal.values if len(goal.cells) else np.zeros((len(rows), 0))
    late = int(np.sum(rounds[1:] >= most)) + int(rounds[0] >= 3 * most)
    unused = tuple(name for name in (markers.names if markers else ()) if name not in goal.names)
    return FittedMotion(figure, goal.time, rows, goal.names, distances, goal.targets, errors, rounds, late, unused)


@dataclass(frozen=True)
class _Goal:
    """What is wanted in every frame."""

    time: np.ndarray
    names: tuple[str, ...]
    bodies: tuple[str, ...]
    points: np.ndarray
    weights: np.ndarray
    wanted: np.ndarray
    seen: np.ndarray
    targets: tuple[str, ...]
    cells: np.ndarray
    speeds: np.ndarray
    values: np.ndarray
    weight: float

    @classmethod
    def of(cls, figure, markers, places, coordinates, names, weight) -> _Goal:
        """Checked."""
        time = markers.time if markers is not None else coordinates.time
        used: tuple[str, ...] = ()
        if markers is not None:
            check_places(figure, places)
            used = tuple(name for name in markers.names if name in places)
            if not used:
                first = next(iter(places), "")
                hint = f"markers are placed for {', '.join(list(places)[:8])}" if first else "no marker has a place"
                raise refuse(f"{hint}; the motion has {', '.join(markers.names[:8])}: name the bodies they sit on")
        wanted = markers.chosen(used).positions if markers is not None else np.zeros((len(time), 0, 3))
        seen: np.ndarray = np.asarray(np.isfinite(wanted).all(axis=-1))
        never = [name for k, name in enumerate(used) if not seen[:, k].any()]
        if used and len(never) == len(used):
            raise refuse("no marker that has a place is ever seen")
        cells, values = np.zeros(0, int), np.zeros((len(time), 0))
        if coordinates is not None:
            given = coordinates.placed(figure, names)
            cells = np.array(sorted(given), int)
            columns = [np.interp(time, coordinates.time, given[c]) for c in cells]
            values = np.stack(columns, axis=1)
        speeds, targets = _speeds_of(figure, cells)
        chosen = [places[name] for name in used]
        return cls(
            time, used, tuple(p.body for p in chosen), np.array([p.point for p in chosen]).reshape(-1, 3),
            np.array([p.weight for p in chosen]), np.where(seen[..., None], wanted, 0.0), seen,
            targets, cells, speeds, values, weight,
        )  # fmt: skip

    def places(self, mechanics: Mechanics, q: np.ndarray) -> np.ndarray:
        """Where the figure has the markers [m]."""
        if not self.names:
            return np.zeros((0, 3))
        return mechanics.point_jacobians(q, self.bodies, self.points)[0]

    def residual(self, mechanics: Mechanics, frame: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is missing, weighted, and how the figure changes with the speeds."""
        parts, rows = [], []
        seen = np.flatnonzero(self.seen[frame])
        if len(seen):
            there, J = mechanics.point_jacobians(q, [self.bodies[k] for k in seen], self.points[seen])
            root = np.sqrt(self.weights[seen])[:, None]
            parts.append((root * (self.wanted[frame, seen] - there)).ravel())
            rows.append((root[..., None] * J).reshape(-1, J.shape[-1]))
        if len(self.cells):
            parts.append(self.weight * (self.values[frame] - q[self.cells]))
            own = np.zeros((len(self.cells), mechanics.speeds))
            own[np.arange(len(self.cells)), self.speeds] = self.weight
            rows.append(own)
        if not parts:
            return np.zeros(0), np.zeros((0, mechanics.speeds))
        return np.concatenate(parts), np.concatenate(rows)


def _speeds_of(figure: Figure, cells: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Which speed belongs to each position, and its name; positions of quaternions have none."""
    found, names = [], []
    owner = {}
    for body in figure.order:
        first, speed = figure.position_slices[body.name].start, figure.speed_slices[body.name].start
        for k, label in enumerate(body.joint.kind.positions):
            if body.joint.kind.plain:
                owner[first + k] = speed + k, f"{body.name} {label}".strip()
            elif body.joint.type == "free" and k < 3:
                owner[first + k] = speed + 3 + k, f"{body.name} {label}"
    for cell in cells:
        if int(cell) not in owner:
            raise refuse("components of quaternions cannot be targets: take markers, or `positions_of` as they are")
        found.append(owner[int(cell)][0])
        names.append(owner[int(cell)][1])
    return np.array(found, int), tuple(names)


def position_bounds(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest positions that the ranges of the joints allow."""
    low, high = np.full(figure.positions, -np.inf), np.full(figure.positions, np.inf)
    for body in figure.order:
        if body.joint.range is not None and body.joint.kind.springs == "coordinates":
            at = figure.position_slices[body.name]
            low[at], high[at] = body.joint.range
    return low, high


def _first(figure: Figure, goal: _Goal, start: Any) -> np.ndarray:
    """Where the first search begins."""
    if start is not None:
        q = np.array(start, float)
        if q.shape != (figure.positions,):
            raise MotionError([Fault(f"start must have shape ({figure.positions},), not {q.shape}", figure.name)])
        return q
    q = np.array(figure.zero, float)
    if len(goal.cells):
        q[goal.cells] = goal.values[0]
    frames = np.flatnonzero(goal.seen.sum(axis=1) >= 3)
    if figure.root.joint.type != "free" or not len(frames):
        return q
    frame = int(frames[0])
    seen = goal.seen[frame]
    q[figure.position_slices[figure.root.name]] = _laid(figure, q, goal, frame, seen)
    return q


def _laid(figure: Figure, q: np.ndarray, goal: _Goal, frame: int, seen: np.ndarray) -> np.ndarray:
    """The free root's positions that lay the figure, stiff as it is, on the markers."""
    from scipy.spatial.transform import Rotation

    mechanics = Mechanics(figure)
    there, here = goal.wanted[frame, seen], goal.places(mechanics, q)[seen]
    middle, own = there.mean(axis=0), here.mean(axis=0)
    if np.linalg.matrix_rank(here - own, tol=1e-6) < 2:
        turn = Rotation.identity()
    else:
        turn = Rotation.align_vectors(there - middle, here - own)[0]
    placed = figure.poses(q)[figure.root.name]
    w, x, y, z = (turn * Rotation.from_quat(placed.rotation, scalar_first=True)).as_quat(scalar_first=True)
    moved = middle + turn.apply(np.asarray(placed.position) - own)
    wanted = Placement((float(moved[0]), float(moved[1]), float(moved[2])), (float(w), float(x), float(y), float(z)))
    local = figure.root.placement.inverse().compose(wanted)
    return np.array([*local.position, *local.rotation])


def _settle(mechanics, goal: _Goal, frame: int, q, bounds, most: int) -> tuple[np.ndarray, int]:
    """One frame: damped steps until nothing gets better."""
    residual, J = goal.residual(mechanics, frame, q)
    if not len(residual):
        return q, 0
    cost, damping = float(residual @ residual), DAMPING
    for round_ in range(1, most + 1):
        gradient = J.T @ residual
        free = _free(mechanics, q, gradient, bounds)
        normal = J[:, free].T @ J[:, free]
        size = max(float(np.diag(normal).max(initial=0.0)), 1e-300)
        step = np.zeros(mechanics.speeds)
        step[free] = np.linalg.solve(normal + damping * size * np.eye(len(free)), gradient[free])
        tried = mechanics.displaced(q, step)
        if bounds is not None:
            tried = np.clip(tried, *bounds)
        new, new_J = goal.residual(mechanics, frame, tried)
        new_cost = float(new @ new)
        if new_cost <= cost:
            done = np.abs(tried - q).max() < ENOUGH or (cost - new_cost <= BEST * cost and damping <= LEAST_DAMPING)
            q, residual, J, cost = tried, new, new_J, new_cost
            damping = max(0.1 * damping, LEAST_DAMPING)
            if done:
                return q, round_
        elif damping > 1e6 or np.abs(step).max() < ENOUGH:
            return q, round_
        else:
            damping = max(8.0 * damping, 1e-12)
    return q, most


def _free(mechanics: Mechanics, q: np.ndarray, gradient: np.ndarray, bounds: Any) -> np.ndarray:
    """Speeds that may move: all but those at an end of their range that would go beyond."""
    held = np.zeros(mechanics.speeds, bool)
    if bounds is not None:
        for entry in mechanics.layout.bodies:
            joint = entry.body.joint
            if joint.range is not None and joint.kind.springs == "coordinates":
                at, by = mechanics.layout.position_slices[entry.name], mechanics.layout.speed_slices[entry.name]
                low, high, push = bounds[0][at], bounds[1][at], gradient[by]
                held[by] = ((q[at] <= low) & (push < 0)) | ((q[at] >= high) & (push > 0))
    return np.flatnonzero(~held)
