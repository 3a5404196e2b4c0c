"""Feet on the ground: a posture put down on a plane, a slope or uneven ground."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.optimize import brentq

from gambol.errors import PoseError
from gambol.figure import Figure, Placement
from gambol.forces.contact.terrain import Terrain
from gambol.models.person.figure import positions
from gambol.models.person.tables import is_foot_bone
from gambol.models.person.world import lowest_point

FOOT = 0.1  # [m] over which the slope of the ground below a foot is taken
MOST_BEND = 1.4  # [rad] by which a knee may bend to stand on uneven ground
ROUNDS, CLOSE = 8, 1e-6  # of Newton's method for the ankles; [rad] within which a sole lies on the ground


def is_level(terrain: Terrain) -> bool:
    """Is it the plane z = 0?"""
    return type(terrain) is Terrain and not (terrain.slope_x or terrain.slope_y or terrain.height(0.0, 0.0))


def set_down(
    figure: Figure, angles: Mapping[str, float], terrain: Terrain | None, *, pitch: float = 0.0, roll: float = 0.0
) -> np.ndarray:
    """Positions with these angles, trunk pitched forward, rolled right [rad], the lowest vertex on the ground."""
    q = positions(figure, angles)
    if pitch or roll:
        turn = Placement.about((0.0, 1.0, 0.0), pitch).compose(Placement.about((1.0, 0.0, 0.0), roll))
        q[3:7] = turn.rotation
    q[2] -= lowest_point(figure, q, terrain=terrain)
    return q


def fitted(
    figure: Figure, angles: Mapping[str, float], terrain: Terrain, *, pitch: float = 0.0, roll: float = 0.0
) -> dict[str, float]:
    """The angles with both soles laid on a terrain.

    Talus and hindfoot turn each sole by the slope of the ground below it; then the knee of the leg under which the
    ground is higher bends, its thigh and talus by half of that the other way, so that the sole stays as it lies.
    """
    found = dict(angles)
    sides = [s for s in "lr" if all(f"{s}_{bone}" in figure for bone in ("thigh1", "shank", "talus", "hindfoot"))]
    down: Callable[[], np.ndarray] = lambda: set_down(figure, found, terrain, pitch=pitch, roll=roll)
    flat = {side: lie_of(figure, down(), side) for side in sides}
    for side in sides:
        _lay_sole(figure, found, side, flat[side], terrain, down)
    if len(sides) == 2:
        _bend_knee(figure, found, terrain, down)
        for side in sides:
            _lay_sole(figure, found, side, flat[side], terrain, down)
    return found


def lie_of(figure: Figure, q: np.ndarray, side: str) -> np.ndarray:
    """How steeply a foot rises along its length, and across it to the left [rad]."""
    frame = np.asarray(figure.poses(q)[f"{side}_hindfoot"].matrix)
    return np.arcsin(np.clip(frame[2, :2], -1.0, 1.0))


def _lay_sole(
    figure: Figure, found: dict[str, float], side: str, flat: np.ndarray, terrain: Terrain, down: Callable
) -> None:
    """Turns the ankle until the foot is steeper by the slope of the ground than it is on a level floor (`flat`)."""
    joints = (f"{side}_talus", f"{side}_hindfoot")
    x, y, _ = figure.poses(down())[f"{side}_hindfoot"].position
    wanted = flat + slope_at(terrain, x, y)
    lies = lambda: lie_of(figure, down(), side)
    for _ in range(ROUNDS):
        miss = lies() - wanted
        if np.abs(miss).max() < CLOSE:
            return
        columns = []
        for joint in joints:
            found[joint] = found.get(joint, 0.0) + 1e-5
            columns.append((lies() - wanted - miss) / 1e-5)
            found[joint] -= 1e-5
        turn = np.linalg.lstsq(np.column_stack(columns), -miss, rcond=None)[0]
        for joint, by in zip(joints, turn):
            found[joint] += float(by)


def slope_at(terrain: Terrain, x: float, y: float) -> np.ndarray:
    """Angles [rad] at which the ground rises forward and to the left, over the length of a foot."""
    half = 0.5 * FOOT
    ahead = terrain.height(x + half, y) - terrain.height(x - half, y)
    across = terrain.height(x, y + half) - terrain.height(x, y - half)
    return np.arctan(np.array([ahead, across]) / FOOT)


def _bend_knee(figure: Figure, found: dict[str, float], terrain: Terrain, down: Callable) -> None:
    """Shortens the leg on the higher ground until both feet touch."""
    base = dict(found)

    def gap(side: str) -> float:
        own = lambda name: name.startswith(f"{side}_") and (is_foot_bone(name) or "hindfoot" in name)
        return lowest_point(figure, down(), terrain=terrain, of=own)

    high = min("lr", key=gap)
    low = "r" if high == "l" else "l"

    def apart(bend: float) -> float:
        for joint, share in (("thigh1", -0.5), ("shank", 1.0), ("talus", -0.5)):
            found[f"{high}_{joint}"] = base.get(f"{high}_{joint}", 0.0) + share * bend
        return gap(low) - gap(high)

    if apart(0.0) <= 1e-6:
        return
    if apart(MOST_BEND) > 0.0:
        step = apart(0.0)
        found |= base
        raise PoseError(f"the ground under the feet differs by {step:.2f} m: no knee bends that far")
    apart(float(brentq(apart, 0.0, MOST_BEND, xtol=1e-5)))
