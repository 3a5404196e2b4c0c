"""Steers the compliant hexapod, whose legs follow a clock: each side sweeps by a share of its own, forward or back."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gambol.control.directing.whereabouts import Trail, Whereabouts, wrapped
from gambol.errors import Fault, WorldError
from gambol.hybrid.models.compliant_hexapod.gait import attitude_of
from gambol.hybrid.models.compliant_hexapod.model import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.parameters import BODY_POSITION
from gambol.hybrid.run import HybridRun

STILL_CYCLE = 1e4  # [s] of a clock that stands still
ARRIVED, AGAIN = 0.08, 0.25  # [rad] off its heading within which it stands, and beyond which it turns again
ON_COURSE = 0.3  # [rad] within which it makes up for speed that is lacking
AT_REST = 0.15  # of the top speed: slower than this it may stand
SLEW = 4.0  # [1/s] by which shares change
MADE_UP, MOST_MADE_UP = 0.03, 0.4  # of the speed that is lacking, added at every tick; in all
SLOWEST = 0.5  # of the clock's usual pace: a slow walk takes slower steps, then shorter ones
LEAST_TURN = 0.25  # share on the spot: of less, springy legs give as much back
LEAST_SHARE = 1e-6  # a share keeps its sign, which says to which side legs swing over the top


class ClockSteering:
    """A compliant hexapod: speed by the shares of both sides, heading by their difference, on the spot by opposites.

    Its top speed is that of its clock as it is when the director takes over. It stands on all six legs, its clock
    stopped as they come under their hips; on three where its duty is below a half. Places and headings are in the axes
    of figures (x ahead, y to the left), as `figure_positions` turns them.
    """

    keeps: ClassVar[tuple[str, ...]] = ("left", "right", "stands", "made_up", "time")
    world = 0
    least_speed, curve, turning = 0.0, 0.0, math.inf

    def __init__(self, *, turn_gain: float = 1.2):
        self.turn_gain = turn_gain

    def start(self, run: HybridRun) -> None:
        """Looks at its clock."""
        if not (isinstance(run, HybridRun) and isinstance(run.system, CompliantHexapod)):
            raise WorldError([Fault("this steers a HybridRun of a CompliantHexapod", "director")])
        if run.worlds != 1:
            raise WorldError([Fault("a director steers a single hexapod", "director")])
        now = {name: float(run.get_parameter(name)) for name in run.system.p._fields}
        self.stands = now["cycle"] == STILL_CYCLE  # another director has let it stand
        self.cycle, self.duty, self.size = now["cycle"], now["duty"], now["hip_length"]
        if self.stands:
            self.cycle = run.system.p.cycle
        self.top_speed = now["sweep"] * now["rest_length"] / (self.duty * self.cycle)
        self.usual_speed = 0.8 * self.top_speed
        self.near, self.mark, self.settle = 0.75 * self.size, 0.25 * self.size, 2.0 * self.cycle
        self.left, self.right = now["left_share"], now["right_share"]
        self.made_up, self.trail, self.time = 0.0, Trail(), run.latest_time

    def look(self, run: HybridRun) -> Whereabouts:
        """Speeds are those over the last cycle."""
        right, ahead = run.x[BODY_POSITION : BODY_POSITION + 2]
        cycle = min(float(run.get_parameter("cycle")), self.cycle / SLOWEST)
        return self.trail.whereabouts(run.latest_time, float(ahead), -float(right), attitude_of(run.x)[0], cycle)

    def steer(self, run: HybridRun, speed: float, heading: float) -> None:
        """Shares go to what speed and heading want; where these want nothing it stands."""
        seen = self.look(run)
        elapsed, self.time = run.latest_time - self.time, run.latest_time
        off = wrapped(heading - seen.heading)
        at_rest = abs(seen.speed) < AT_REST * self.top_speed
        left = right = 0.0
        pace = SLOWEST
        if speed or abs(off) > (AGAIN if self.stands else ARRIVED) or not at_rest:
            left, right, pace = self._shares(speed, off, seen)
        else:
            self.made_up = 0.0
        if self.stands and (left or right):
            self.stands = False
        if not self.stands:
            self._set_clock(run, self.cycle / pace, self._cycles(run))
        before = self.left, self.right
        turned = self._may_turn_round(run, elapsed)
        self.left, self.right = (
            slewed(now, wanted, SLEW * elapsed, turned) for now, wanted in ((self.left, left), (self.right, right))
        )
        if before != (self.left, self.right):
            run.set_parameter("left_share", self.left)
            run.set_parameter("right_share", self.right)
        if not (self.stands or left or right) and max(abs(self.left), abs(self.right)) <= LEAST_SHARE and turned:
            self.stands = True
            self._set_clock(run, STILL_CYCLE, self._nearest_rest(run))

    def _shares(self, speed: float, off: float, seen: Whereabouts) -> tuple[float, float, float]:
        """Of the left and of the right, the larger at most 1; the pace of the clock, of its usual one."""
        if abs(off) < ON_COURSE and speed:
            lacking = (speed - seen.speed) / self.top_speed
            self.made_up = float(np.clip(self.made_up + MADE_UP * lacking, -MOST_MADE_UP, MOST_MADE_UP))
        drive = (speed / self.top_speed + (self.made_up if speed else 0.0)) * max(math.cos(off), 0.0)
        turn = float(np.clip(self.turn_gain * off, -1.0, 1.0))
        if not speed and abs(off) > ARRIVED:
            turn = math.copysign(max(abs(turn), LEAST_TURN), off)
        larger = max(abs(drive) + abs(turn), SLOWEST)
        return (drive - turn) / larger, (drive + turn) / larger, min(larger, 1.0)

    def _nearest_rest(self, run: HybridRun) -> float:
        """The moment of its clock [cycles] at which all legs are under their hips if they do not sweep.

        Where the duty is below a half there is none: then one tripod is, and the other at the top.
        """
        rest = 0.25 if self.duty >= 0.5 else 0.0
        return rest + 0.5 * round((self._cycles(run) - rest) / 0.5)

    def _may_turn_round(self, run: HybridRun, elapsed: float) -> bool:
        """May legs begin to swing to the other side? In mid-swing they would go through the ground."""
        past, both = self._cycles(run) - self._nearest_rest(run), 0.5 * max(self.duty - 0.5, 0.0)
        return -0.5 * both <= past <= max(1.1 * elapsed / self.cycle, both)

    def _cycles(self, run: HybridRun) -> float:
        """What its clock says [cycles]."""
        return run.latest_time / float(run.get_parameter("cycle")) + float(run.get_parameter("phase"))

    def _set_clock(self, run: HybridRun, cycle: float, cycles: float) -> None:
        """Lets its clock go on from so many cycles, at a cycle [s]; one that is nearly the same is kept."""
        if abs(float(run.get_parameter("cycle")) / cycle - 1.0) < 0.02:
            return
        run.set_parameter("cycle", cycle)
        run.set_parameter("phase", math.remainder(cycles - run.latest_time / cycle, 1.0))

    def save(self) -> Any:
        """Its loops."""
        return {name: getattr(self, name) for name in self.keeps} | {"trail": self.trail.save()}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        for name in self.keeps:
            setattr(self, name, state[name])
        self.trail.restore(state["trail"])


def slewed(now: float, wanted: float, most: float, may_turn: bool) -> float:
    """A share on its way to another, by a step at most; it does not change its sign unless it may."""
    found = now + float(np.clip(wanted - now, -most, most))
    sign = math.copysign(1.0, found if may_turn and found else now)
    return sign * max(sign * found, LEAST_SHARE)
