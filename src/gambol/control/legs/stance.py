"""Where legs stand: feet put elsewhere than their programs put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gambol.control.legs.leg import Leg
from gambol.errors import Fault, WorldError, nearest
from gambol.figure import Figure
from gambol.world.mechanics import Mechanics

SURE = 1e-3  # by its largest singular value, from which a leg can move its foot that way
MOST_MOVED = 0.5  # [rad] of a joint


def ways_of_feet(mechanics: Mechanics, q: np.ndarray, axes: np.ndarray, legs: Sequence[Leg]) -> dict[str, np.ndarray]:
    """By leg: what its joints do to move its foot, (joints, 3) [rad/m], in some axes (their columns in the world)."""
    ways = {}
    for leg in legs:
        columns = [mechanics.layout.speed_slices[mechanics.layout.body(joint).name].start for joint in leg.joints]
        by_joints = axes.T @ mechanics.jacobian(q, leg.foot or leg.joints[-1])[3:, columns]
        ways[leg.name] = np.linalg.pinv(by_joints, rcond=SURE)
    return ways


def with_feet_moved(figure: Figure, legs: Sequence[Leg], by: Mapping[str, Sequence[float]]) -> tuple[Leg, ...]:
    """Legs whose feet stand elsewhere by (ahead, to the left, up) [m], by name of the leg.

    Both programs of a leg are shifted by the same angles, those that move the foot so in the middle of its stroke, of
    half a radian at most.
    """
    names = [leg.name for leg in legs]
    if unknown := [name for name in by if name not in names]:
        raise WorldError([Fault(f"no leg is called {n!r}{nearest(n, names)}", "feet") for n in unknown])
    mechanics = Mechanics(figure)
    q = np.array([x for body in figure.bodies for x in body.joint.zero])
    for leg in legs:
        for joint in leg.joints:
            q[figure.position_slices[joint]] = 0.5 * (leg.step.last(joint) + leg.stance.last(joint))
    ways, found = ways_of_feet(mechanics, q, np.eye(3), legs), []
    for leg in legs:
        turned = np.clip(ways[leg.name] @ by.get(leg.name, (0.0, 0.0, 0.0)), -MOST_MOVED, MOST_MOVED)
        step, stance = leg.step, leg.stance
        for joint, angle in zip(leg.joints, map(float, turned)):
            step, stance = step.shifted(joint, angle), stance.shifted(joint, angle)
        found.append(replace(leg, step=step, stance=stance))
    return tuple(found)
