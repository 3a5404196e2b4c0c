"""The search that finds a person's walk: CMA-ES over a batch of worlds, every candidate through the same courses.

    python -m gambol.experiments.gait.search STAGE --out walk.json [--walk start.json] [--feet rigid] [--seed 1]
                                             [--minutes 8] [--generations N] [--sigma 0.5]

Stages: `level` (all numbers of the gait, on level ground, with pushes and turns), `slow` and `fast` (what speed adds to
them), `rise` and `fall` (what slopes add), `rough` (what rough ground adds), `turn` (circles), `course` (from heading
to heading, as a director asks), `start` (from standing to standing), and of running `run` and `run-fast`, `run-slow`.
A search that was interrupted goes on from `walk.json.search`.
Written is the mean of the distribution, not the best of all trials: the best is the luckiest.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol import Rough
from gambol.control.biped.adult_curves import ANKLE, GROUND_FORCE, HIP, KNEE, adult_curve
from gambol.control.biped.gait import GAIT_NUMBERS, REFERENCE_SPEED, RUNNING_SPEED, StrideGait, TunedWalk
from gambol.experiments.gait.courses import Course, going_round, walk_courses
from gambol.experiments.gait.measures import WalkRecord
from gambol.experiments.gait.ranges import ADULT_RANGES, RUN_RANGES
from gambol.models.person.walking import tuned_walk

SCALES = {  # how far a number is moved at first, and where it must stay [rad, s, m, N·m/rad]
    "cycle": (0.06, 0.8, 1.3), "hip_offset": (0.07, -0.26, 0.26), "hip_scale": (0.15, 0.2, 1.6),
    "hip_reach": (0.07, -0.3, 0.4), "hip_land": (0.07, -0.3, 0.3), "knee_load": (0.09, -0.3, 0.35),
    "knee_swing": (0.1, -0.35, 0.7), "knee_land": (0.07, -0.14, 0.26), "knee_delay": (0.02, -0.06, 0.1),
    "knee_lift": (0.1, -0.26, 0.7), "ankle_offset": (0.05, -0.2, 0.2), "push": (0.2, 0.2, 2.5),
    "ankle_delay": (0.02, -0.08, 0.06), "ankle_push": (0.1, -0.35, 0.5), "ankle_swing": (0.05, -0.14, 0.25),
    "ankle_slap": (0.05, -0.2, 0.2), "knee_moment": (0.3, 0.0, 2.5), "hip_stiffness": (60, 80, 700),
    "knee_stiffness": (80, 120, 900), "knee_swing_stiffness": (30, 25, 300), "ankle_stiffness": (60, 80, 700),
    "ankle_swing_stiffness": (15, 12, 150), "heel_stiffness": (0.25, 0.1, 2.0), "hip_damping": (0.02, 0.02, 0.2),
    "knee_damping": (0.015, 0.015, 0.15), "ankle_damping": (0.01, 0.008, 0.1), "trunk_stiffness": (150, 200, 2000),
    "trunk_damping": (0.03, 0.03, 0.3), "lean": (0.03, -0.1, 0.14), "pelvis_stiffness": (200, 200, 2500),
    "abductor": (0.01, 0.0, 0.16), "sharing": (0.2, 0.0, 1.2), "place_gain": (0.2, -1.0, 2.5),
    "place_speed": (0.15, -1.0, 1.5), "place_offset": (0.05, -0.3, 0.3), "aside_gain": (0.1, 0.2, 2.0),
    "aside_offset": (0.008, -0.02, 0.08), "course": (0.03, 0.02, 0.15), "push_by_speed": (0.5, -1.0, 5.0),
    "lean_by_speed": (0.05, -0.35, 0.35), "lag": (0.005, 0.005, 0.05), "arm": (0.05, 0.1, 0.7),
    "bank_feet": (0.3, -1.0, 2.0), "bank_trunk": (0.3, 0.0, 2.0), "yaw_stance": (0.3, 0.0, 3.0),
    "yaw_swing": (0.2, 0.0, 1.5), "trunk_lead": (0.1, -0.5, 0.8), "foot_lead": (0.15, -0.5, 1.2),
    "shift_ahead": (0.03, -0.02, 0.1), "shift_inside": (0.008, 0.0, 0.04), "step_time": (0.06, 0.4, 0.75),
    "step_width": (0.03, 0.08, 0.22), "step_landing": (0.012, -0.02, 0.06), "step_hurry": (0.05, 0.15, 0.45),
    "step_yaw": (0.4, 0.0, 4.0), "step_lift": (0.01, 0.03, 0.09), "step_course": (0.05, 0.0, 0.3),
    "step_hold": (0.3, 0.1, 2.0), "leave": (0.015, 0.3, 0.66), "hurry": (0.3, 0.0, 2.0),
    "place_yaw": (0.3, -0.5, 1.5), "yaw_follow": (0.3, -0.2, 1.0), "tread_time": (0.04, 0.5, 0.9),
    "tread_width": (0.02, 0.09, 0.2), "tread_landing": (0.01, -0.02, 0.06), "tread_hips": (0.01, 0.77, 0.85),
    "tread_centre": (0.01, -0.01, 0.05), "tread_hold": (0.3, 0.2, 3.0), "tread_hurry": (0.2, 1.0, 2.5),
    "tread_firm": (0.4, 1.0, 4.0), "tread_lift": (0.01, 0.03, 0.09), "tread_yaw": (50, 0, 500),
    "tread_lean": (0.03, -0.05, 0.25), "tread_push": (0.01, 0.0, 0.08),
    "tread_climb": (0.05, 0.2, 0.8), "ankle_aside": (0.3, 0.0, 3.0), "ankle_tip": (0.008, 0.0, 0.08),
    "ankle_sway": (0.03, -0.1, 0.3), "ankle_free": (0.004, 0.0, 0.03),
}  # fmt: skip
RUN_GUESS = dict(
    cycle=0.72, hip_offset=0.0, hip_scale=0.8, hip_reach=0.0, hip_land=0.0, knee_load=0.0, knee_swing=0.0,
    knee_land=0.0, knee_delay=0.0, knee_lift=0.0, ankle_offset=0.0, push=1.0, ankle_delay=0.0, ankle_push=0.0,
    ankle_swing=0.0, ankle_slap=0.0, knee_moment=1.0, hip_stiffness=500.0, knee_stiffness=600.0,
    knee_swing_stiffness=240.0, ankle_stiffness=450.0, ankle_swing_stiffness=40.0, heel_stiffness=0.9, hip_damping=0.08,
    knee_damping=0.03, ankle_damping=0.02, trunk_stiffness=900.0, trunk_damping=0.15, lean=0.1, pelvis_stiffness=1300.0,
    abductor=0.12, sharing=0.7, place_gain=0.0, place_speed=0.15, place_offset=0.0, aside_gain=1.0, aside_offset=0.01,
    course=0.05, push_by_speed=0.5, lean_by_speed=0.05, lag=0.006, arm=0.5, leave=0.38,
)  # fmt: skip
"""Where the search for a run begins: the adult curves and moments as they are."""
WALKING = ("shift_ahead", "shift_inside", "step_time", "step_width", "step_landing", "step_hurry", "step_yaw",
           "step_lift", "step_course", "step_hold", "bank_feet", "bank_trunk", "yaw_stance", "yaw_swing",
           "trunk_lead", "foot_lead", "ankle_aside", "ankle_tip", "ankle_sway", "ankle_free")  # fmt: skip
"""What a run is not searched for."""
BY_SPEED = ("cycle", "hip_offset", "hip_scale", "hip_reach", "hip_land", "knee_load", "knee_land", "knee_lift", "push",
            "ankle_offset", "ankle_push", "ankle_swing", "ankle_slap", "knee_moment", "knee_stiffness",
            "heel_stiffness", "lean", "place_gain", "place_offset", "place_speed", "aside_gain", "aside_offset",
            "arm")  # fmt: skip
BY_SLOPE = ("cycle", "hip_offset", "hip_scale", "hip_reach", "hip_land", "knee_load", "knee_land", "knee_lift",
            "ankle_offset", "push", "ankle_push", "ankle_swing", "ankle_slap", "knee_moment", "lean", "place_gain",
            "place_offset", "knee_stiffness")  # fmt: skip
AT_START = ("shift_ahead", "shift_inside", "step_time", "step_width", "step_landing", "step_hurry", "step_yaw",
            "step_lift", "step_course", "step_hold")  # fmt: skip
IN_TURNS = ("yaw_stance", "yaw_swing", "trunk_lead", "foot_lead", "bank_feet", "bank_trunk", "place_yaw", "yaw_follow",
            "hurry")  # fmt: skip
ON_COURSE = (*IN_TURNS, "aside_gain", "aside_offset", "course", "place_gain", "place_offset", "place_speed",
             "pelvis_stiffness", "abductor", "trunk_stiffness", "trunk_damping", "sharing", "push_by_speed",
             "lean_by_speed", "hip_damping", "hip_stiffness")  # fmt: skip
BY_ROUGH = ("cycle", "hip_offset", "hip_scale", "hip_reach", "hip_land", "knee_load", "knee_swing", "knee_land",
            "knee_lift", "ankle_offset", "push", "ankle_push", "ankle_swing", "ankle_slap", "knee_moment",
            "hip_stiffness", "knee_stiffness", "knee_swing_stiffness", "ankle_stiffness", "ankle_swing_stiffness",
            "trunk_stiffness", "trunk_damping", "lean", "pelvis_stiffness", "sharing", "place_gain", "place_speed",
            "place_offset", "aside_gain", "aside_offset", "push_by_speed", "lean_by_speed", "hurry", "ankle_aside",
            "ankle_sway", "ankle_free")  # fmt: skip
BY_TURN = ("cycle", "hip_offset", "hip_reach", "push", "knee_load", "lean", "place_gain", "place_offset", "aside_gain",
           "aside_offset", "pelvis_stiffness")  # fmt: skip


def bends(name: str, fast: float, slow: float, turning: float, *headings: tuple[float, float]) -> Course:
    """A walk that slows down for every new heading [(s, rad)], and goes on fast when it has turned."""
    speeds, last = [(0.0, 1.25)], 0.0
    for at, heading in headings:
        speeds += [(at, slow), (at + abs(heading - last) / turning, fast)]
        last = heading
    return Course(name, speeds=tuple(speeds), headings=headings, turning=turning)


SPEED_UNIT, SLOPE_UNIT = 0.5, 0.08  # [m/s], rise by run: over so much, what is added may change a number by its scale
TURN_UNIT, ROUGH_UNIT = 0.6, 0.02  # [rad/s], [m]
TUNING_GROUNDS = tuple(Rough(amplitude=0.0107, length=1.5, octaves=4, seed=seed) for seed in (3.0, 5.0, 7.0))
LOOSE = ("speed", "cadence", "step_length")  # judged by the course, not by the range
CURVE_WEIGHTS = {"hip": (HIP, 8.0), "knee": (KNEE, 10.0), "ankle": (ANKLE, 7.0), "force": (GROUND_FORCE, 0.06)}
PUSHES = ((6.0, 60.0, 0.0), (8.0, 0.0, 60.0), (10.0, -60.0, 0.0), (12.0, 0.0, -60.0))
COURSES = {
    "level": (
        Course("pushed", pushes=PUSHES, measured=(2.0, 6.0)),
        Course("turns", headings=((2.0, 1.57), (8.0, 0.0))),
    ),
    "slow": (
        Course("0.6 m/s", speeds=((0.0, 1.25), (0.5, 0.6)), measured=(5.0, np.inf)),
        Course("0.8 m/s", speeds=((0.0, 1.25), (0.5, 0.8)), pushes=((4.0, 0.0, 40.0),), measured=(6.0, np.inf)),
        Course("0.7 m/s, turning", speeds=((0.0, 1.25), (0.5, 0.7)), headings=((4.0, 1.2),), turning=0.4),
    ),
    "fast": tuple(
        Course(f"{v:g} m/s", speeds=((0.0, 1.25), (0.5, v)), measured=(5.0, np.inf)) for v in (1.45, 1.65, 1.85)
    ),
    "rise": tuple(Course(f"{100 * s:+.0f} %", slope=s) for s in (0.03, 0.06, 0.1)),
    "fall": tuple(Course(f"{100 * s:+.0f} %", slope=s) for s in (-0.03, -0.06, -0.1)),
    "start": (
        *(
            Course(f"{v:g} m/s", speeds=((0.0, 0.0), (0.7, v), (stop, 0.0), (stop + 5.5, 0.95)))
            for v, stop in ((0.9, 5.93), (1.1, 6.21), (1.3, 6.47), (1.15, 6.72), (0.3, 6.3))
        ),
        Course("turns", speeds=((0.0, 0.0), (12.0, 0.95)), headings=((1.0, 1.2),), turning=0.5),
    ),
    "course": (
        Course("pushed", pushes=((2.3, 0.0, 60.0), (4.6, 0.0, -60.0), (7.1, 0.0, 60.0), (9.45, 0.0, -60.0))),
        bends("left", 1.25, 1.1, 0.5, (1.6, 1.7), (6.2, 0.2), (10.3, 1.3)),
        bends("right", 1.25, 1.0, 0.6, (2.25, -1.2), (5.4, -2.8), (9.2, -1.6)),
        bends("there and back", 1.25, 1.1, 0.5, (1.83, -1.75), (6.6, -0.1), (11.05, -1.2)),
        bends("tight", 1.1, 0.9, 0.75, (2.07, 1.6), (5.35, 0.0), (8.8, -1.5)),
    ),
    "rough": tuple(Course("rough", place=(57.3 * k, -31.7 * k)) for k in range(1, 8)),
    "run": (
        Course("3 m/s", speeds=((0.0, 3.0),)),
        Course("3 m/s, pushed", speeds=((0.0, 3.0),), pushes=((3.0, 0.0, 40.0), (4.5, -40.0, 0.0), (6.0, 0.0, -40.0))),
    ),
    "run-fast": tuple(
        Course(f"{v:g} m/s", speeds=((0.0, 3.0), (1.0, v)), measured=(4.5, np.inf)) for v in (3.0, 3.5, 4.0)
    ),
    "run-slow": tuple(
        Course(f"from a walk to {v:g} m/s", speeds=((0.0, 1.25), (at, v)), measured=(6.0, np.inf))
        for at, v in ((1.5, 3.0), (1.8, 3.0), (2.13, 2.5))
    ),
    "turn": (
        Course("pushed", pushes=((2.3, 0.0, 60.0), (4.6, 0.0, -60.0), (7.1, 0.0, 60.0)), measured=(0.0, np.inf)),
        *(
            Course(f"{r:g} rad/s", speeds=((0.0, 1.25), (0.5, v)), headings=going_round(r, 2.0, 9.0), turning=abs(r))
            for v, r in ((1.25, 0.45), (1.0, -0.6), (0.9, 0.75))
        ),
        Course("about", speeds=((0.0, 1.25), (0.3, 0.9)), headings=((2.0, 1.5), (5.2, -0.3)), turning=0.75),
    ),
}
SECONDS = {"level": 14.0, "slow": 10.0, "fast": 10.0, "rise": 10.0, "fall": 8.0, "start": 17.0, "turn": 9.0,
           "course": 14.0, "rough": 12.0, "run": 8.0, "run-fast": 8.0, "run-slow": 10.0}  # fmt: skip
GUESSES = {  # where a search begins that has nothing to begin with: feet and trunk as the ground slopes
    "rise": {"ankle_offset": 0.8, "lean": 0.6, "hip_offset": 0.4, "push": 3.0, "knee_moment": 4.0, "hip_reach": 0.8},
    "turn": {"lean": -0.02},
    "rough": {"ankle_swing": 3.5, "knee_swing": 5.0, "hip_offset": 2.0, "knee_lift": 4.0},
    "fall": {"ankle_offset": -0.8, "lean": -0.3, "push": -2.0, "knee_load": 1.0},
}


@dataclass(frozen=True)
class Space:
    """What a stage varies: names with their group ("gait", "by_slow", …), as numbers of about one."""

    stage: str
    start: TunedWalk

    @property
    def variables(self) -> list[tuple[str, str, float]]:
        """(group, name, scale)."""
        if self.stage == "level":
            return [("gait", name, scale) for name, (scale, _, _) in SCALES.items()]
        if self.stage == "run":
            return [("gait", name, scale) for name, (scale, _, _) in SCALES.items() if name not in WALKING]
        if self.stage in ("slow", "fast", "run-slow", "run-fast"):
            return [(f"by_{self.stage[-4:]}", name, SCALES[name][0] / SPEED_UNIT) for name in BY_SPEED]
        if self.stage == "start":
            return [("gait", name, SCALES[name][0]) for name in AT_START]
        if self.stage in ("turn", "course"):
            names = IN_TURNS if self.stage == "turn" else ON_COURSE
            own = [("gait", name, SCALES[name][0]) for name in names]
            return own + [("by_turn", name, SCALES[name][0] / TURN_UNIT) for name in BY_TURN]
        if self.stage == "rough":
            return [("by_rough", name, SCALES[name][0] / ROUGH_UNIT) for name in BY_ROUGH]
        return [(f"by_{self.stage}", name, SCALES[name][0] / SLOPE_UNIT) for name in BY_SLOPE]

    def walk(self, x: np.ndarray, found: str = "") -> TunedWalk:
        """The walk of a point of the search."""
        start, guesses = self.start, {} if self.stage.startswith("run") else GUESSES
        groups: dict[str, dict[str, float]] = {
            "gait": asdict(start.gait),
            "by_fast": dict(start.by_fast),
            "by_slow": dict(start.by_slow),
            "by_rise": dict(start.by_rise or guesses.get("rise", {})),
            "by_fall": dict(start.by_fall or guesses.get("fall", {})),
            "by_turn": dict(start.by_turn),
            "by_rough": dict(start.by_rough or guesses.get("rough", {})),
            "by_descent": dict(start.by_descent),
        }
        for value, (group, name, scale) in zip(x, self.variables):
            groups[group][name] = groups[group].get(name, 0.0) + scale * float(value)
        for name, (_, low, high) in SCALES.items():
            if name != "cycle" or not self.stage.startswith("run"):
                groups["gait"][name] = min(max(groups["gait"][name], low), high)
        return TunedWalk(StrideGait(**groups.pop("gait")), **groups, found=found, speed=start.speed)


def cost_of(measured: Mapping[str, Any], course: Course, seconds: float) -> float:
    """How far a walk through a course is from what is wanted: survival first, then ranges, then curves."""
    cost = 20.0 * (1.0 - measured["alive"] / seconds)
    if "speed" not in measured:
        return cost + 30.0 + max(0.0, 5.0 - 0.8 * max(measured["distance"], 0.0))
    wanted = course.speeds[-1][1]
    level = course.slope == 0.0 and not course.headings
    slower = 0.04 + 2.5 * max(course.slope, -course.slope)
    if not course.headings:
        weight = 3.0 if wanted > REFERENCE_SPEED else 1.0  # ranges alone would rather be slow
        cost += weight * _beyond(measured["speed"], wanted - slower, wanted + 0.06, 0.05)
    cost += 10.0 * (1.0 - measured["alternate"])
    for name, own in ADULT_RANGES.items():
        if name in LOOSE and (name == "speed" or wanted != 1.25):
            continue
        if not level and name not in ("largest_force", "trunk_pitch", "trunk_roll", "knee_swing", "step_width"):
            continue
        if name == "drift" and course.headings:
            continue
        inward = 0.1 * (own.most - own.least)
        apart = _beyond(measured[name], own.least + inward, own.most - inward, own.scale)
        cost += apart if level else 2.0 * apart
    if level and wanted == 1.25:
        phases = np.linspace(0.0, 1.0, 101)
        for name, (adult, scale) in CURVE_WEIGHTS.items():
            apart = measured["curves"][name] - adult_curve(adult, phases)
            if name == "hip":
                apart = apart - apart.mean()
            cost += 0.7 * float(np.sqrt(np.mean(apart**2))) / scale
    return cost + 0.15 * measured["spread"]


def start_cost(record: WalkRecord, world: int, course: Course, seconds: float) -> float:
    """Of a walk that sets off and comes to stand: survival, standing still, way, posture, forces."""
    alive = min(float(record.log.fallen[world]), float(record.time[-1]))
    cost = 20.0 * (1.0 - alive / seconds)
    upto = record.time < alive
    speed = np.hypot(*record.seen[:, world, 1, :2].T)
    for (begin, wanted), (end, _) in zip(course.speeds, (*course.speeds[1:], (seconds, 0.0))):
        late = (record.time > end - 0.5) & (record.time < end)
        if end < alive and begin > 0.0:
            got = float(speed[late].mean())
            cost += 3.0 * min(1.0, got / 0.1) if wanted == 0.0 else _beyond(got, wanted - 0.2, wanted + 0.2, 0.2)
    roll, pitch = np.degrees(np.abs(record.seen[upto, world, 7, :2])).max(0)
    forces = np.sort(record.loads[upto, world].max(1))[int(-0.01 * upto.sum()) - 1] / record.log.weight
    cost += _beyond(pitch, 0.0, 8.0, 4.0) + _beyond(roll, 0.0, 4.0, 4.0) + _beyond(forces, 0.0, 1.6, 0.4)
    return cost + 0.3 * float(np.abs(record.seen[upto, world, 7, 2]).std() / 0.1)


def turn_cost(record: WalkRecord, world: int, course: Course, seconds: float) -> float:
    """Of a walk in circles: survival, speed along the way, trunk and way in the direction that was asked for."""
    measured = record.measure(world)
    cost = 20.0 * (1.0 - measured["alive"] / seconds)
    if measured["alive"] < 6.0:
        return cost + 8.0
    late = (record.time > 4.0) & (record.time < measured["alive"])
    seen = record.seen[late, world]
    speed = float(np.hypot(*seen[:, 1, :2].T).mean())
    since, first = course.headings[0]
    if len(course.headings) == 2:  # there and back again
        return cost + float(abs(np.angle(np.exp(1j * (seen[-1, 7, 2] - course.headings[1][1])))) / 0.2)
    wanted = math.copysign(course.turning, first) * (record.time[late] - since)
    off = np.degrees(np.abs(np.angle(np.exp(1j * (seen[:, 7, 2] - wanted)))))
    astray = np.angle(np.mean(np.exp(1j * (np.arctan2(seen[:, 1, 1], seen[:, 1, 0]) - wanted))))
    cost += _beyond(speed, course.speeds[-1][1] - 0.15, course.speeds[-1][1] + 0.1, 0.1) + float(off.mean()) / 10.0
    pitch = float(np.degrees(np.abs(seen[:, 7, 1])).max())
    return cost + abs(float(np.degrees(astray))) / 15.0 + _beyond(pitch, 0.0, 8.0, 4.0)


def course_cost(record: WalkRecord, world: int, course: Course, seconds: float) -> float:
    """Of a walk from heading to heading: survival, where it heads at the end, how upright it is."""
    alive = min(float(record.log.fallen[world]), float(record.time[-1]))
    cost = 20.0 * (1.0 - alive / seconds)
    upto = record.time < alive - 0.5
    roll, pitch = np.degrees(np.abs(record.seen[upto, world, 7, :2])).max(0)
    cost += _beyond(pitch, 0.0, 8.0, 4.0) + _beyond(roll, 0.0, 6.0, 4.0)
    if alive < seconds - 0.1:
        return cost + 6.0
    late = record.time > seconds - 1.0
    off = np.angle(np.exp(1j * (record.seen[late, world, 7, 2] - course.headings[-1][1])))
    speed = np.hypot(*record.seen[late, world, 1, :2].T).mean()
    return cost + abs(float(off.mean())) / 0.2 + _beyond(float(speed), course.speeds[-1][1] - 0.15, 9.0, 0.15)


def rough_cost(record: WalkRecord, world: int, course: Course, seconds: float) -> float:
    """Of a walk over rough ground: survival, speed, how upright it is."""
    measured = record.measure(world)
    cost = 20.0 * (1.0 - measured["alive"] / seconds) + (3.0 if measured["alive"] < seconds - 0.1 else 0.0)
    if "speed" not in measured:
        return cost + 2.0
    cost += _beyond(measured["speed"], course.speeds[-1][1] - 0.15, course.speeds[-1][1] + 0.1, 0.1)
    return cost + 0.3 * _beyond(measured["trunk_pitch"], 0.0, 10.0, 5.0) + 0.1 * (1.0 - measured["alternate"])


def run_cost(measured: Mapping[str, Any], course: Course, seconds: float) -> float:
    """Of a run: survival, speed, the ranges of running adults."""
    cost = 20.0 * (1.0 - measured["alive"] / seconds)
    if "speed" not in measured:
        return cost + 30.0 + max(0.0, 5.0 - 0.4 * max(measured["distance"], 0.0))
    wanted = course.speeds[-1][1]
    cost += 2.0 * _beyond(measured["speed"], wanted - 0.1, wanted + 0.1, 0.1) + 10.0 * (1.0 - measured["alternate"])
    for name, own in RUN_RANGES.items():
        inward = 0.1 * (own.most - own.least)
        cost += _beyond(measured[name], own.least + inward, own.most - inward, own.scale)
    return cost + 0.1 * measured["spread"] + _beyond(measured["drift"], 0.0, 0.05, 0.1)


OWN_COSTS = {"start": start_cost, "turn": turn_cost, "course": course_cost, "rough": rough_cost}
FOR_ALL = ("start", "rough")  # stages all of whose courses have a cost of their own


def _beyond(value: float, least: float, most: float, scale: float) -> float:
    apart = max(0.0, least - value, value - most) / scale
    return float(apart if apart < 1.0 else np.sqrt(apart))


def evaluate(walks: Sequence[TunedWalk], stage: str, *, feet: str) -> np.ndarray:
    """The cost of each walk: the mean over the courses of a stage."""
    courses, seconds = COURSES[stage], SECONDS[stage]
    each = [(walk, course) for walk in walks for course in courses]
    given = [w for w, _ in each]
    runs = stage.startswith("run")
    walking = [tuned_walk(feet)] * len(given) if runs else given
    costs = []
    for terrain in TUNING_GROUNDS if stage == "rough" else (None,):
        all_courses = [c for _, c in each]
        record = walk_courses(walking, all_courses, seconds, runs=given if runs else (), feet=feet, terrain=terrain)
        costs.append([_cost(stage, record, world, course, seconds) for world, course in enumerate(all_courses)])
    return np.array(costs).reshape(-1, len(walks), len(courses)).mean((0, 2))


def _cost(stage: str, record: WalkRecord, world: int, course: Course, seconds: float) -> float:
    """By the law of its stage."""
    if stage in OWN_COSTS and (course.headings or stage in FOR_ALL):
        return OWN_COSTS[stage](record, world, course, seconds)
    since, until = course.measured
    measured = record.measure(world, after=since, until=until)
    return (run_cost if stage.startswith("run") else cost_of)(measured, course, seconds)


def search(
    stage: str,
    start: TunedWalk,
    out: Path,
    *,
    feet: str = "rigid",
    seed: int = 1,
    minutes: float = 8.0,
    generations: int = 10**6,
    sigma: float = 0.5,
    population: int = 16,
) -> TunedWalk:
    """Searches until the time is up; the walk that was found is written to `out` at every generation."""
    import cma

    kept = out.with_name(out.name + ".search")
    if kept.exists():
        space, strategy = pickle.loads(kept.read_bytes())
    else:
        space = Space(stage, start)
        options = {"popsize": population, "seed": seed, "verbose": -9, "bounds": [-4.0, 4.0]}
        strategy = cma.CMAEvolutionStrategy(np.zeros(len(space.variables)), sigma, options)
    begin = time.monotonic()
    walk = start
    while time.monotonic() - begin < 60.0 * minutes and strategy.countiter < generations:
        points = strategy.ask()
        costs = evaluate([space.walk(x) for x in points], stage, feet=feet)
        strategy.tell(points, costs)
        print(f"{strategy.countiter:4d} best {costs.min():7.3f} median {np.median(costs):7.3f} σ {strategy.sigma:.3f}",
              flush=True)  # fmt: skip
        told = f"{start.found}; gait.search {stage} --feet {feet} --seed {seed} --sigma {sigma:g}"
        told += f" --population {population} --generations {strategy.countiter}"
        walk = space.walk(strategy.result.xfavorite, told.lstrip("; "))  # the mean, within the bounds
        out.write_text(json.dumps(asdict(walk), indent=1) + "\n")
        kept.write_bytes(pickle.dumps((space, strategy)))
    return walk


def read_walk(path: Path) -> TunedWalk:
    """A walk as `search` writes it."""
    given = json.loads(path.read_text())
    return TunedWalk(StrideGait(**given.pop("gait")), **given)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="gambol.experiments.gait.search", description=__doc__)
    parser.add_argument("stage", choices=tuple(COURSES))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--walk", type=Path, help="where to begin; default: the walk that comes with the feet")
    parser.add_argument("--feet", default="rigid")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--generations", type=int, default=10**6)
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--population", type=int, default=16)
    given = vars(parser.parse_args(arguments))
    path = given.pop("walk")
    if given["stage"].startswith("run"):
        guess = TunedWalk(StrideGait(**RUN_GUESS), speed=RUNNING_SPEED)
        start = read_walk(path) if path else guess
    else:
        start = read_walk(path) if path else tuned_walk(given["feet"])
    search(given.pop("stage"), start, given.pop("out"), **given)


if __name__ == "__main__":
    assert set(SCALES) == set(GAIT_NUMBERS)
    main()
