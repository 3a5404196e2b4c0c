"""The tables of the person: joints, bones and motor programs of the source, as data.

joint_table()     every joint: poses, spring, damper, limits (Table 11, and the build script's values)
bone_table()      the blocks of the skeleton, left side and middle (Script 18)
programs(script)  motor programs of Scripts 4, 5 and 6: rest angles and times by name
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from gambol.errors import Fault, FigureError, nearest

PARAMETERS = ("table", "script")
SIDES = ("l", "r")


def read_table(name: str) -> list[dict[str, str]]:
    """Rows of one of the model's data files."""
    text = files("gambol.models").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@dataclass(frozen=True)
class Spring:
    """An exponential spring and damper: strength [N·m], rise [1/rad], damping [N·m·s/rad]."""

    strength: float
    rise: float
    damping: float


@dataclass(frozen=True)
class Stop:
    """Exponential limits of a joint [rad], with a damper beyond them."""

    lower: float
    upper: float
    strength: float
    rise: float
    damping: float


@dataclass(frozen=True)
class JointRow:
    """A joint of the person. Angles [rad]; `stop` is None where the source has no limit springs."""

    name: str
    anatomical: float
    standing: float
    rest: float
    table: Spring
    script: Spring
    stop: Stop | None

    def spring(self, parameters: str) -> Spring:
        """After Table 11 ("table", the calibrated state) or the build script ("script")."""
        if parameters not in PARAMETERS:
            raise FigureError([Fault(f"no parameters {parameters!r}{nearest(parameters, PARAMETERS)}", self.name)])
        return self.table if parameters == "table" else self.script

    @property
    def in_foot(self) -> bool:
        """Is it below the ankle's two joints?"""
        return is_foot_bone(self.name)


def is_foot_bone(name: str) -> bool:
    """Is it one of the 26 bones a side below the hindfoot?"""
    return any(word in name for word in ("nav", "cuboid", "metat", "phal", "toe"))


@cache
def joint_table() -> Mapping[str, JointRow]:
    """The 84 joints by name, parents first."""
    return {row["joint"]: _joint(row) for row in read_table("person_joints")}


def _joint(row: dict[str, str]) -> JointRow:
    number = lambda key: float(row[key] or 0.0)
    stop = None
    if row["lower_rad"]:
        limits = ("lower_rad", "upper_rad", "limit_strength", "limit_rise", "limit_damping")
        stop = Stop(*(number(key) for key in limits))
    return JointRow(
        row["joint"],
        number("anatomical_rad"),
        number("standing_rad"),
        number("rest_rad"),
        Spring(number("strength"), number("rise"), number("damping")),
        Spring(number("script_strength"), number("script_rise"), number("script_damping")),
        stop,
    )


@dataclass(frozen=True)
class Bone:
    """A block of the skeleton: a unit cube shifted, scaled to `size` [m], turned in order, then moved [m]."""

    size: tuple[float, float, float]
    shift: tuple[float, float, float]
    turns: tuple[tuple[str, float], ...]  # (axis, degrees), each about the body's axes
    move: tuple[float, float, float]


@cache
def bone_table() -> Mapping[str, Bone]:
    """Blocks by body, left side and middle; right ones are mirror images."""
    found = {}
    for row in read_table("person_bones"):
        turns = tuple((t[0], float(t[1:])) for t in row["turns_deg"].split(";") if t)
        found[row["bone"]] = Bone(_three(row, "size_{}_m"), _three(row, "shift_{}"), turns, _three(row, "move_{}_m"))
    return found


def _three(row: dict[str, str], keys: str) -> tuple[float, float, float]:
    return (float(row[keys.format("x")]), float(row[keys.format("y")]), float(row[keys.format("z")]))


@dataclass(frozen=True)
class Program:
    """Rest angles [rad] to go to, and how long each takes [s]."""

    rest: Mapping[str, float]
    duration: float


@cache
def programs(script: int) -> Mapping[str, Program]:
    """Motor programs of Script 4 (exercise), 5 (toe wiggle) or 6 (toe raise) by name."""
    rows = [row for row in read_table("person_programs") if int(row["script"]) == script]
    found = {}
    for name in dict.fromkeys(row["program"] for row in rows):
        own = [row for row in rows if row["program"] == name]
        rest = {row["joint"]: float(row["rest_rad"]) for row in own}
        found[name] = Program(rest, float(own[0]["duration_s"]))
    return found


def standing_angles() -> dict[str, float]:
    """Joint angles of the standing posture (Table 11) [rad]."""
    return {name: row.standing for name, row in joint_table().items()}


def anatomical_angles() -> dict[str, float]:
    """Joint angles of the anatomical posture (Script 3); the feet as they stand (Table 11) [rad]."""
    return {name: row.standing if row.in_foot else row.anatomical for name, row in joint_table().items()}


def rest_angles() -> dict[str, float]:
    """Rest angles of the springs that stand, as printed (Table 11) [rad]."""
    return {name: row.rest for name, row in joint_table().items()}
