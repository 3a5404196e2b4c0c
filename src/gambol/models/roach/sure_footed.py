"""How a roach walks that slips on no slope: its feet go straight back, by quick steps, and downhill where it tilts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from gambol.control.legs.gait import PacemakerGait
from gambol.control.legs.leg import Leg
from gambol.control.legs.stance import FootPath, with_straight_strokes
from gambol.models.roach.figure import roach
from gambol.models.roach.leg_programs import TUNED, adjusted_legs

QUICK_STEP = 0.03  # [s]: in the 50 ms of the source a trunk falls as far as it is high


class QuickSteps(PacemakerGait):
    """Steps of 30 ms, whatever it is told."""

    def __post_init__(self) -> None:
        self.step_time = QUICK_STEP
        super().__post_init__()


class SureFooted(NamedTuple):
    """For `walking_roach`: the legs, and the kind of gait."""

    limbs: tuple[Leg, ...]
    gait: type[PacemakerGait] = QuickSteps


PATHS: dict[str, tuple[float, float, float, float, float]] = {
    "f": (-1.25, -0.5, 1.05, 1.2, 0.6),
    "m": (-1.3, -0.1, 1.9, 1.4, 1.6),
    "b": (-0.8, 0.0, 0.85, 1.35, 2.4),
}
"""By pair of legs, of its feet: how far ahead, aside and up the middle of the stance is, how far it goes down on its
way, how much higher it is lifted [mm]."""
STRIDE = 0.0056  # [m]
SURE_FOOTED_STEERING: dict[str, Any] = dict(lean=0.33, low=0.08, fast_cycle=0.092, slow_cycle=0.147, turn_gain=1.13)
"""Of GaitSteering. With the paths of the feet by CMA-ES for the time to places on a slope of 15° and on level ground
(gambol.experiments.direct.sure_footed)."""


def surer_legs(paths: Mapping[str, Sequence[float]], stride: float) -> tuple[Leg, ...]:
    """The tuned legs with straight strokes of a length [m], along paths by pair of legs as those of `PATHS`."""
    own = {}
    for leg in adjusted_legs(*TUNED):
        ahead, aside, up, fall, lift = (1e-3 * x for x in paths[leg.name[0]])
        own[leg.name] = FootPath((ahead, aside if leg.side == "left" else -aside, up), fall, lift)
    return with_straight_strokes(roach(), adjusted_legs(*TUNED), stride, own)


@cache
def sure_footed_walk() -> SureFooted:
    """The walk of a roach that is sent over slopes, with `SURE_FOOTED_STEERING`.

    With the programs of level ground middle and hind feet are drawn in by 2 and 6 mm in each stance, and the pairs are
    swept by 3 to 9 mm: all feet slip, and a middle foot spends half of what friction holds sideways. Uphill the same
    strokes then carry it a sixth as far. Here front and middle feet go straight back, all by one way, hind feet by 3 mm
    and 2 mm outward (their joints may be moved no further); they press a little more at the end; legs are lifted
    higher, or middle legs drag; and steps take 30 ms, which keeps more feet on the ground at the same speed.
    """
    return SureFooted(surer_legs(PATHS, STRIDE))
