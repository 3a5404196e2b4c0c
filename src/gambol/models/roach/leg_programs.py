"""The six legs of the roach: their motor programs, printed and tuned."""

from dataclasses import replace
from functools import cache

from gambol.control.legs.leg import Leg, LegProgram, Stroke
from gambol.models.roach.figure import table

STEP_TIME = 0.05  # [s]


@cache
def legs() -> tuple[Leg, ...]:
    """The six legs: fl, fr, ml, mr, bl, br."""
    programs: dict[tuple[str, str], list[Stroke]] = {
        (row["leg_number"], row["program"]): [] for row in table("motor_programs")
    }
    for row in table("motor_programs"):
        stroke = Stroke(
            row["body_joint"],
            float(row["target_rest_angle_rad"]),
            start=float(row["start_fraction"]),
            duration=float(row["duration_fraction"]),
        )
        programs[row["leg_number"], row["program"]].append(stroke)
    return tuple(
        Leg(
            row["leg"],
            side=row["side"],
            rank=int(row["offset_rank"]),
            neighbours=tuple(row["neighbours"].split()),
            step=LegProgram(tuple(programs[row["leg_number"], "step"])),
            stance=LegProgram(tuple(programs[row["leg_number"], "stance"])),
            foot=f"leg_{row['leg']}4",
            shins=(f"leg_{row['leg']}3", f"leg_{row['leg']}2"),
        )
        for row in table("legs")
    )


def backward(leg: Leg) -> float:
    """Sign of the first joint's angle when the leg swings back."""
    return 1.0 if leg.side == "left" else -1.0


def upward(leg: Leg) -> float:
    """Sign of the second joint's angle when the leg is lifted."""
    return 1.0 if leg.side == "left" else -1.0


PRINTED = (0.0, 0.0, 0.0, 0.0, 0.0)
TUNED = (0.28, 0.578, 0.734, 0.232, -0.305)
"""Adjustments of the leg programs: the printed ones, and those found by the search of roach-speeds."""


def adjusted_legs(hind: float, middle: float, front: float, hind_lift: float, middle_lift: float) -> tuple[Leg, ...]:
    """Legs whose coxae swing by so much farther back, and stand by so much higher on their second joints [rad]."""
    swing = {"b": hind, "m": middle, "f": front}
    lift = {"b": hind_lift, "m": middle_lift, "f": 0.0}
    found = []
    for leg in legs():
        pair, first, second = leg.name[0], leg.joints[0], leg.joints[1]
        step = leg.step.shifted(first, swing[pair] * backward(leg))
        stance = leg.stance.shifted(first, swing[pair] * backward(leg)).shifted(second, lift[pair] * upward(leg))
        found.append(replace(leg, step=step, stance=stance))
    return tuple(found)
