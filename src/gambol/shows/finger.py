"""The finger and the boxer on show, computed by the hinge recursion as they are seen: `gambol view finger-taps`."""

from dataclasses import replace

from gambol import Box, Capsule, Ellipsoid, Figure, Mass, Part, Placement
from gambol.models import boxer as boxers
from gambol.models import finger
from gambol.shows.registry import show
from gambol.view.hinges import HingeSource

TABLE = 0.035  # [m] height at which the ground is drawn; nothing touches it
SKIN, NAIL, SLEEVE = (0.86, 0.66, 0.53), (0.93, 0.78, 0.72), (0.20, 0.32, 0.45)


@show("finger", also=("finger-taps", "finger-speed", "finger-pushed"))
def taps() -> HingeSource:
    """A finger that settles under gravity and taps every two seconds; pull it, bend its torque functions, set ν."""
    sim = finger.tapping_finger(step=finger.STEP)
    return HingeSource(
        sim, shown=drawn(finger.finger()), edited=finger.VISIBLE, props=hand(), ground=TABLE, title="finger"
    )


def drawn(figure: Figure) -> Figure:
    """The finger as it is drawn: of skin, with a nail; its anchor, a hundred times as heavy, is looked past."""
    for name in finger.VISIBLE:
        parts = tuple(replace(part, colour=SKIN, finish="skin") for part in figure[name].parts)
        if name == "distal":
            nail = Part(
                Ellipsoid((0.0065, 0.0055, 0.0015)),
                Placement.at(0.98 * finger.LENGTH, 0.0, 0.93 * finger.RADIUS),
                inertial=False,
                colour=NAIL,
            )
            parts = (*parts, nail)
        figure = figure.replace(name, parts=parts)
    return figure.replace("anchor", mass=Mass(1e-3 * finger.MASS, inertia=(1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0)))


def hand() -> list[Part]:
    """What the finger hangs from, to be seen: a knuckle and a sleeve behind it."""
    along = Placement.about((0.0, 1.0, 0.0), 1.5708, (-0.018, 0.0, finger.HEIGHT))
    cuff = Placement.at(-0.050, 0.0, finger.HEIGHT)
    return [
        Part(Capsule(0.0115, 0.030), along, colour=SKIN, finish="skin"),
        Part(Box((0.030, 0.034, 0.034)), cuff, colour=SLEEVE, finish="cloth"),
    ]


@show("boxer", also=("finger-punch",))
def boxer() -> HingeSource:
    """A human of 12 links of the hinge recursion, held up as a puppet, takes a punch; pull and push it."""
    sim = boxers.punched()
    sim.advance(boxers.PUNCH_START - 0.1)  # until then he stands still
    edited = ("head", "l_upper_arm", "r_upper_arm")
    return HingeSource(sim, edited=edited, ground=0.0, title="boxer")
