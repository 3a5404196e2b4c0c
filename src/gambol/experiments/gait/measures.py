"""What is measured of a walk: a controller that writes down every tick, and what follows from it, cycle by cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gambol import Controller, GroundContact, Simulation
from gambol.control.biped.striding import SIDES, Stride
from gambol.stepping.controller import next_multiple

TOUCH = 25.0  # [N] on a foot that stands
SOFT = "toes"  # contacts that stand in for bending toes are not asked how deep they are
WAIT = 0.15  # [s] a foot must have been off the ground for its next touch to be a strike
MID_SWING = (0.25, 0.75)  # share of the swing in which the sole's clearance counts
FALLEN_HEIGHT, FALLEN_ANGLE = 0.65, 0.7  # [m] of the centre of mass above the lower ankle, [rad] of the trunk
LONGEST_CYCLE = 2.0  # [s]


def down(walk: Stride) -> np.ndarray:
    """Which worlds' persons have fallen, (worlds,)."""
    height = walk.seen[:, 0, 2] - walk.seen[:, 2:4, 2].min(1)
    return (height < FALLEN_HEIGHT * walk.size) | (np.abs(walk.seen[:, 7, :2]) > FALLEN_ANGLE).any(1)


def put_away(run: Simulation, worlds: np.ndarray) -> None:
    """Takes persons out of the way: what lies on the ground costs small steps."""
    if len(worlds):
        away = run.layout.zero.copy()
        away[2] = 1e5  # [m]: it does not come down within any run
        run.reset(away, time=run.latest_time, worlds=list(map(int, worlds)))


class GaitLog(Controller):
    """Writes down what a walking person senses, at every tick; notes worlds that have fallen, and puts them away.

    times [s]; seen, loads (ticks, worlds, …) as in Stride; joints (…, 14) [rad]; slip [m/s] and depth [m] of each foot
    (depths are negative above the ground), power [W]: of all driven joints, either sign; fallen: when each fell [s]
    """

    keeps: ClassVar[tuple[str, ...]] = ("due",)

    def __init__(self, walk: Stride, *, put_away: bool = False):
        self.walk, self.put_away = walk, put_away

    def start(self, run: Simulation) -> None:
        walk = self.walk
        self.due = run.latest_time + walk.period
        self.fallen = np.full(run.worlds, np.inf)
        self._rows: list[tuple[np.ndarray, ...]] = []
        self._times: list[float] = []
        self._feet = []
        for side in SIDES:
            firm = tuple(name for name in walk.soles[side] if SOFT not in name)
            self._feet.append((run.elements[walk.soles[side]], run.elements[firm]))
        self._creep = {e.name: e.surface.creep for e in run.world.elements if isinstance(e, GroundContact)}
        self.weight = run.mechanics.mass * 9.81

    def next_time(self, run: Simulation) -> float:
        return self.due

    def act(self, run: Simulation) -> bool | None:
        """Writes down; ends the run when every world has fallen."""
        self.due = next_multiple(self.due, self.walk.period)
        walk = self.walk
        q, v, reports = np.atleast_2d(run.q), np.atleast_2d(run.v), run.all_reports()
        slip, depth, height = (np.empty((run.worlds, 2)) for _ in range(3))
        for side, (sole, firm) in enumerate(self._feet):
            told = {name: np.atleast_2d(values) for name, values in sole.report(reports).items()}
            slip[:, side] = self._sliding(sole.names, told)
            height[:, side] = -told["depth"].max(1)
            depth[:, side] = np.atleast_2d(firm.report(reports)["depth"]).max(1)
        power = np.abs(walk.torques(run, reports) * v[:, walk.speed_places]).sum(1)
        joints = q[:, walk.position_places]
        self._rows.append((walk.seen, walk.loads, joints, slip, depth, height, power))
        self._times.append(run.latest_time)
        new = np.flatnonzero(down(walk) & np.isinf(self.fallen))
        self.fallen[new] = run.latest_time
        for world in new:
            run.note("fell", int(world))
        if self.put_away:
            put_away(run, new)
        return False if np.all(np.isfinite(self.fallen)) else None

    def _sliding(self, names: Sequence[str], told: Mapping[str, np.ndarray]) -> np.ndarray:
        """Sliding speed of the loaded points of a foot [m/s], by its friction: μ = 1, law "slide", level ground."""
        creep = self._creep[names[0]]
        normal = np.maximum(told["force_z"], 1e-9)
        share = np.minimum(np.hypot(told["force_x"], told["force_y"]) / normal, 0.99999)
        speed = creep * share / np.sqrt(1.0 - share * share)
        total = told["force_z"].sum(1)
        return np.where(total > 30.0, (speed * told["force_z"]).sum(1) / np.maximum(total, 30.0), 0.0)

    def finished(self) -> WalkRecord:
        """Everything that was written down."""
        return WalkRecord(self, np.array(self._times), *(np.array(rows) for rows in zip(*self._rows)))


@dataclass
class Cycle:
    """From a strike of a foot to its next, at 101 phases: angles [°], vertical force [weights]."""

    seconds: float
    hip: np.ndarray
    knee: np.ndarray
    ankle: np.ndarray
    arm: np.ndarray
    force: np.ndarray
    slip: float  # [m]
    duty: float
    clearance: float  # [m]


class WalkRecord:
    """Ticks of a walk as arrays (ticks, worlds, …)."""

    def __init__(self, log: GaitLog, time, seen, loads, joints, slip, depth, height, power):
        self.log, self.time, self.seen, self.loads, self.joints = log, time, seen, loads, joints
        self.slip, self.depth, self.height, self.power = slip, depth, height, power
        self.tick = log.walk.period

    def strikes(self, world: int, side: int, first: int, last: int) -> list[int]:
        """Ticks at which a foot comes down."""
        on, wait = self.loads[:, world, side] > TOUCH, round(WAIT / self.tick)
        return [k for k in range(max(first, 1), last) if on[k] and not on[max(0, k - wait) : k].any()]

    def cycles(self, world: int, first: int, last: int) -> list[Cycle]:
        """Whole cycles of both feet."""
        found = []
        for side in range(2):
            strikes = self.strikes(world, side, first, last)
            for a, b in zip(strikes, strikes[1:]):
                if (b - a) * self.tick < LONGEST_CYCLE:
                    found.append(self._cycle(world, side, a, b))
        return found

    def _cycle(self, world: int, side: int, a: int, b: int) -> Cycle:
        at, own = np.linspace(a, b, 101), np.arange(a, b + 1)

        def over(values: np.ndarray) -> np.ndarray:
            return np.interp(at, own, values[a : b + 1])

        leg, load = self.joints[:, world, 6 * side :], self.loads[:, world, side]
        on = load[a:b] > TOUCH
        off = np.flatnonzero(~on)
        middle = off[int(MID_SWING[0] * len(off)) : max(int(MID_SWING[1] * len(off)), 1)] + a
        return Cycle(
            seconds=(b - a) * self.tick,
            hip=-np.degrees(over(leg[:, 0])),
            knee=np.degrees(over(leg[:, 3])),
            ankle=-np.degrees(over(leg[:, 4])),
            arm=-np.degrees(over(self.joints[:, world, 12 + side])),
            force=over(load) / self.log.weight,
            slip=float(self.slip[a:b, world, side].sum() * self.tick),
            duty=float(on.mean()),
            clearance=float(self.height[middle, world, side].min()) if len(middle) else 0.0,
        )

    def measure(self, world: int = 0, *, after: float = 2.0, until: float = np.inf) -> dict[str, Any]:
        """All measures of ADULT_RANGES between two times [s], with "alive" [s] and "distance" [m].

        Where there are not three whole cycles, only these two.
        """
        begin = float(self.time[0])
        alive = float(min(self.log.fallen[world], self.time[-1]))
        first, last = np.searchsorted(self.time, [begin + after, min(until, alive)])
        course = self.seen[:, world, 0]
        found: dict[str, Any] = {"alive": alive - begin, "distance": float(course[max(last - 1, 0), 0] - course[0, 0])}
        cycles = self.cycles(world, first, last) if last - first > 1.2 / self.tick else []
        if len(cycles) < 3:
            return found
        strikes = sorted((k, side) for side in range(2) for k in self.strikes(world, side, first, last))
        way = course[last - 1] - course[first]
        seconds = float(self.time[last - 1] - self.time[first])
        speed = float(np.hypot(way[0], way[1]) / seconds)
        cadence = 60.0 * (len(strikes) - 1) / ((strikes[-1][0] - strikes[0][0]) * self.tick)
        trunk = np.degrees(self.seen[first:last, world, 7])
        ankles = self.seen[:, world, 2:4, 1]
        width = [ankles[k, 0] - ankles[k, 1] for k, _ in strikes]
        return found | {
            "speed": speed,
            "cadence": cadence,
            "step_length": 60.0 * speed / cadence,
            "walk_ratio": 60.0 * speed / cadence**2,
            "alternate": float(np.mean([a[1] != b[1] for a, b in zip(strikes, strikes[1:])])),
            "trunk_pitch": float(np.abs(trunk[:, 1]).max()),
            "trunk_roll": float(np.abs(trunk[:, 0]).max()),
            "trunk_yaw": float(np.abs(trunk[:, 2]).max()),
            "step_width": float(np.mean(width)),
            "drift": float(abs(way[1]) / max(0.5, abs(way[0]))),
            "cost": float(self.power[first:last, world].mean() / (self.log.weight * max(speed, 0.1))),
            "depth": 1e3 * float(self.depth[first:last, world].max()),
            "strikes": len(strikes),
            "flight": float((self.loads[first:last, world].max(1) < TOUCH).mean()),
            "bounce": 1e3
            * float(np.mean([np.ptp(course[a : b + 1, 2]) for (a, _), (b, _) in zip(strikes, strikes[1:])])),
            **of_cycles(cycles),
        }


def of_cycles(cycles: Sequence[Cycle]) -> dict[str, Any]:
    """Measures of single cycles, averaged, with the mean curves and their spread."""

    def mean(of) -> float:
        return float(np.mean([of(c) for c in cycles]))

    curves = {name: np.mean([getattr(c, name) for c in cycles], axis=0) for name in ("hip", "knee", "ankle", "force")}
    spread = sum(float(np.std([getattr(c, name) for c in cycles], axis=0).mean()) for name in ("hip", "knee", "ankle"))
    duty = mean(lambda c: c.duty)
    end = int(100 * duty)
    half = max(3, end // 2)
    late = slice(half, max(half + 2, end + 3))
    force = curves["force"]
    tops = int(np.argmax(force[:half])), half + int(np.argmax(force[half : max(half + 2, end)]))
    return {
        "duty": duty,
        "first_peak": mean(lambda c: c.force[:half].max()),
        "second_peak": mean(lambda c: c.force[late].max()),
        "peak": mean(lambda c: c.force.max()),
        "largest_force": float(max(c.force.max() for c in cycles)),
        "valley": float(force[tops[0] : tops[1] + 1].min()),
        "knee_swing": mean(lambda c: c.knee[50:].max()),
        "knee_loading": mean(lambda c: c.knee[3:30].max()),
        "knee_landing": mean(lambda c: c.knee[0]),
        "push_off": mean(lambda c: -c.ankle[45:80].min()),
        "dorsiflexion": mean(lambda c: c.ankle[20:60].max()),
        "hip_flexion": mean(lambda c: c.hip.max()),
        "hip_extension": mean(lambda c: -c.hip.min()),
        "arm_swing": mean(lambda c: np.ptp(c.arm)),
        "slip": 1e3 * mean(lambda c: c.slip),
        "clearance": 1e3 * mean(lambda c: c.clearance),
        "curves": curves,
        "spread": spread,
    }
