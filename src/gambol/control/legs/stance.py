"""Where legs stand: feet put elsewhere than their programs put them, and feet that go straight back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.control.legs.leg import Leg, LegProgram
from gambol.errors import Fault, WorldError, nearest
from gambol.figure import Figure
from gambol.world.mechanics import Mechanics

SURE = 1e-3  # by its largest singular value, from which a leg can move its foot that way
MOST_MOVED = 0.5  # [rad] of a joint
REACHED, TRIES = 1e-6, 20  # [m] within which a foot is where it is wanted; steps of Newton to get there
SMALL = 1e-3  # [rad] by which a joint is turned to see what it does


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
    _check_names(legs, by)
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


@dataclass(frozen=True)
class FootPath:
    """Where a foot goes in its stance, in the axes of the trunk [m].

    by    (ahead, to the left, up) by which the middle of its stance is moved from where the leg's programs put it
    fall  how far it goes down on its way back: it presses more at the end
    lift  how much higher it is lifted in its step
    """

    by: Sequence[float] = (0.0, 0.0, 0.0)
    fall: float = 0.0
    lift: float = 0.0


def with_straight_strokes(
    figure: Figure, legs: Sequence[Leg], stride: float = 0.0, paths: Mapping[str, FootPath] | None = None
) -> tuple[Leg, ...]:
    """Legs whose feet go straight back in stance, along the trunk and all by the same way, as their rest angles say.

    Feet that are drawn together in stance, or swept by unlike ways, slip; friction that is spent on that holds nothing
    on a slope. No joint's angle is changed by more than half a radian, where a foot touches down or lifts off.

    stride   [m] from touchdown to lift-off; default: the mean of theirs
    paths    of feet by name of the leg, where they are to go elsewhere
    """
    paths = paths or {}
    _check_names(legs, paths)
    reach = _Reach(figure)
    middles = {leg.name: reach.foot(leg, reach.angles(leg, 0.5)) for leg in legs}
    if not stride:
        swings = [reach.foot(leg, reach.angles(leg, 0.0)) - reach.foot(leg, reach.angles(leg, 1.0)) for leg in legs]
        stride = float(np.mean(swings, axis=0)[0])
    found = []
    for leg in legs:
        path = paths.get(leg.name, FootPath())
        middle, half = middles[leg.name] + path.by, 0.5 * np.array([stride, 0.0, path.fall])
        first, last = (reach.bend(leg, share, place) for share, place in ((0.0, middle + half), (1.0, middle - half)))
        step, stance = leg.step, leg.stance
        for joint, ahead, back in zip(leg.joints, first.tolist(), last.tolist()):
            step, stance = step.shifted(joint, ahead), stance.shifted(joint, back)
        straight = replace(leg, step=step, stance=stance, straight=True)
        found.append(replace(straight, step=_lifted(straight, reach, path.lift)) if path.lift else straight)
    return tuple(found)


def _check_names(legs: Sequence[Leg], named: Mapping[str, object]) -> None:
    names = [leg.name for leg in legs]
    if unknown := [name for name in named if name not in names]:
        raise WorldError([Fault(f"no leg is called {n!r}{nearest(n, names)}", "feet") for n in unknown])


def _lifted(leg: Leg, reach: _Reach, lift: float) -> LegProgram:
    """Its step with the strokes that lift higher: those of a joint that are not its last. [m]"""
    raised, rest = [], reach.angles(leg, 0.5)
    for stroke in leg.step.strokes:
        by = 0.0
        if stroke.target != leg.step.last(stroke.joint):
            turned = rest + SMALL * np.eye(len(leg.joints))[leg.joints.index(stroke.joint)]
            climb = float((reach.foot(leg, turned) - reach.foot(leg, rest))[2]) / SMALL  # [m/rad]
            by = min(max(lift / climb, -MOST_MOVED), MOST_MOVED) if climb else 0.0
        raised.append(replace(stroke, target=stroke.target + by))
    return LegProgram(tuple(raised))


class _Reach:
    """Where the feet of a figure are when its joints are at some angles, and back; in the axes of its trunk."""

    def __init__(self, figure: Figure):
        self.figure, self.mechanics = figure, Mechanics(figure)
        self.zero = np.array([x for body in figure.bodies for x in body.joint.zero])

    def angles(self, leg: Leg, share: float) -> np.ndarray:
        """Rest angles at a share of its stance, (joints,) [rad]."""
        return np.array([(1.0 - share) * leg.step.last(j) + share * leg.stance.last(j) for j in leg.joints])

    def positions(self, leg: Leg, angles: np.ndarray) -> np.ndarray:
        """Of the whole figure, one leg bent so."""
        q = self.zero.copy()
        for joint, angle in zip(leg.joints, angles):
            q[self.figure.position_slices[joint]] = angle
        return q

    def foot(self, leg: Leg, angles: np.ndarray) -> np.ndarray:
        """Where its foot is [m]."""
        return np.asarray(self.mechanics.point(self.positions(leg, angles), leg.foot or leg.joints[-1]))

    def bend(self, leg: Leg, share: float, place: np.ndarray) -> np.ndarray:
        """By how much its joints turn from a share of its stance, that its foot comes as near to a place as it can."""
        was = self.angles(leg, share)
        found = was
        for _ in range(TRIES):
            off = place - self.foot(leg, found)
            if np.linalg.norm(off) < REACHED:
                break
            way = ways_of_feet(self.mechanics, self.positions(leg, found), np.eye(3), (leg,))[leg.name]
            found = np.clip(found + way @ off, was - MOST_MOVED, was + MOST_MOVED)
        return found - was
