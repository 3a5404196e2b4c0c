"""How a roach walks that has lost a leg: when the five that are left step, and where they stand."""

from typing import Any, NamedTuple

from gambol.control.legs.gait import PacemakerGait
from gambol.control.legs.leg import Leg
from gambol.control.legs.stance import with_feet_moved
from gambol.errors import Fault, FigureError, nearest
from gambol.models.roach.figure import roach_without
from gambol.models.roach.leg_programs import TUNED, adjusted_legs
from gambol.models.roach.sure_footed import SURE_FOOTED_STEERING, QuickSteps, sure_footed_walk


class FiveLegs(NamedTuple):
    """For `walking_roach`: the legs that are left, their phases in turns, and the kind of gait."""

    limbs: tuple[Leg, ...]
    phases: dict[str, float]
    gait: type[PacemakerGait] = QuickSteps


BRAKE = 0.6
FIVE_LEG_STEERING: dict[str, Any] = dict(fast_cycle=0.12, slow_cycle=0.2, brake=BRAKE)
"""Of GaitSteering, without a middle or hind leg: cycles [s], and how it is held back as it turns: three legs push
harder than two."""
LEG_LOSS: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "ml": {
        "fl": (0.00, -1.4, 1.0, 0.0),
        "fr": (0.43, -1.3, -0.4, 0.0),
        "mr": (0.18, -2.3, -0.4, 0.0),
        "bl": (0.58, -0.9, -1.7, 0.0),
        "br": (0.78, -0.5, 0.8, 0.0),
    },
    "bl": {
        "fl": (0.00, -0.5, 0.3, 0.0),
        "fr": (0.49, -0.8, 0.0, 0.0),
        "ml": (0.57, -1.1, 0.4, 0.0),
        "mr": (0.22, -1.5, -0.1, 0.0),
        "br": (0.81, -0.5, -0.3, 0.0),
    },
}
"""By the left leg that is lost, behind the front pair, of each that is left: its phase [turns], and by how much its
foot stands ahead, to the left and up of where it would [mm]. From the best of all 24 orders, evenly spaced, by CMA-ES
for the time to four places (gambol.experiments.direct.leg_loss)."""


def walk_without(lost: str) -> FiveLegs:
    """The walk of a roach without one leg ("fl", "fr", "ml", "mr", "bl", "br").

    With the programs and phases of six, a roach without a middle leg falls whenever the leg behind the gap steps: its
    centre of mass is then outside the line from the front foot to the hind foot across, and the springs of the leg
    that it falls on throw it up and round. So steps are quicker, one after the other, and feet stand farther back.
    With a right leg lost all is the mirror image. Without a front leg its head drags; on feet that go straight back, as
    those of `sure_footed_walk`, the middle leg behind the gap holds it up, at the phases of six.
    """
    known = [pair + side for pair in "fmb" for side in "lr"]
    if lost not in known:
        raise FigureError([Fault(f"no leg {lost!r}{nearest(lost, known)}", "roach")])
    if lost[0] == "f":
        return FiveLegs(tuple(leg for leg in sure_footed_walk().limbs if leg.name != lost), {})
    mirrored = lost[1] == "r"
    found = {
        _across(leg) if mirrored else leg: own for leg, own in LEG_LOSS[_across(lost) if mirrored else lost].items()
    }
    legs = [leg for leg in adjusted_legs(*TUNED) if leg.name in found]
    aside = -1e-3 if mirrored else 1e-3
    feet = {leg: (1e-3 * x, aside * y, 1e-3 * z) for leg, (_, x, y, z) in found.items()}
    phases = {leg: phase for leg, (phase, *_) in found.items()}
    return FiveLegs(with_feet_moved(roach_without(lost), legs, feet), phases)


def steering_without(lost: str) -> dict[str, Any]:
    """Of GaitSteering, for `walk_without`."""
    return SURE_FOOTED_STEERING | {"brake": BRAKE} if lost[0] == "f" else FIVE_LEG_STEERING


def _across(leg: str) -> str:
    return leg[0] + ("r" if leg[1] == "l" else "l")
