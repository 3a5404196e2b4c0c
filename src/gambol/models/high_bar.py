"""An acrobat: a person of fifteen capsules on ball joints and hinges, made to hang from a bar, swing and let go.

The proportions are an adult's (1.75 m, 59 kg at the density of water). Shoulders, hips, spine and neck are ball
joints with springs that pull towards the pose in which the figure is built and dampers; elbows, knees and ankles are
hinges with stops. Body frames stand at their joints, x forward, y left, z up; arms and legs hang along −z.
"""

import math
from dataclasses import dataclass

from gambol.figure import Body, Box, Capsule, Figure, Joint, Part, Placement
from gambol.forces.anchor import Anchor
from gambol.models.looks import SKIN, dressed, fist, garment, head, limb, shoe
from gambol.world.boundary import Boundary
from gambol.world.world import World

BAR = 2.6  # height of the bar above the ground [m]
GRIP = (20000.0, 400.0)  # stiffness [N/m] and damping [N·s/m] of a hand on the bar
SUIT, LEGS, SLIPPER = (0.80, 0.22, 0.25), (0.23, 0.29, 0.42), (0.90, 0.89, 0.87)
LET_GO = "let go"
PALM = (0.0, 0.0, -0.08)  # where a hand holds the bar, in its frame [m]


def acrobat() -> Figure:
    """The figure, standing upright with its arms hanging; the free root is the pelvis.

    32 degrees of freedom, 15 bodies, 58.9 kg.
    """
    bodies = [
        _body("pelvis", None, Joint("free"), (0.0, 0.0, 0.93), Capsule(0.1, 0.14), (0.0, 0.0, 0.02), across=True),
        _ball("chest", "pelvis", (0.0, 0.0, 0.12), 60.0, 6.0, Capsule(0.115, 0.27), (0.0, 0.0, 0.17)),
        _ball("head", "chest", (0.0, 0.0, 0.43), 12.0, 1.0, Capsule(0.08, 0.09), (0.01, 0.0, 0.13)),
    ]
    for side, y in (("l", 1.0), ("r", -1.0)):
        bodies += [
            _ball(f"{side}_arm", "chest", (0.0, 0.165 * y, 0.32), 2.0, 1.2, Capsule(0.042, 0.28), (0, 0, -0.14)),
            _hinge(f"{side}_forearm", f"{side}_arm", -0.29, (-2.5, 0.0), 0.4, Capsule(0.034, 0.25), -0.13),
            _hinge(f"{side}_hand", f"{side}_forearm", -0.26, (-1.0, 1.0), 0.1, Capsule(0.03, 0.08), -0.05),
            _ball(f"{side}_thigh", "pelvis", (0, 0.09 * y, -0.03), 12.0, 4.0, Capsule(0.07, 0.36), (0, 0, -0.2)),
            _hinge(f"{side}_shank", f"{side}_thigh", -0.42, (0.0, 2.5), 1.0, Capsule(0.047, 0.37), -0.2),
        ]
        sole = Part(Box((0.24, 0.08, 0.06)), Placement.at(0.06, 0.0, -0.04))
        ankle = Joint("hinge", (0.0, 1.0, 0.0), damping=0.3, stiffness=3.0, rest=0.6, range=(-0.6, 0.9))
        bodies.append(
            Body(
                f"{side}_foot",
                f"{side}_shank",
                ankle,
                Placement.at(0.0, 0.0, -0.41),
                dressed((sole,), shoe(SLIPPER, -0.07, finish="cloth")),
            )
        )
    return Figure("acrobat", tuple(bodies))


# Sections of the clothes: height, middle forward, middle left, half depth, half width [m, body frame]
HIPS = ((0.125, 0.0, 0.0, 0.070, 0.100), (0.110, 0.0, 0.0, 0.092, 0.128), (0.040, 0.0, 0.0, 0.104, 0.150),
        (-0.040, 0.0, 0.0, 0.110, 0.166), (-0.090, 0.0, 0.0, 0.1, 0.160), (-0.125, 0.0, 0.0, 0.060, 0.110))  # fmt: skip
VEST = ((-0.050, 0.0, 0.0, 0.070, 0.100), (-0.030, 0.0, 0.0, 0.090, 0.126), (0.060, 0.0, 0.0, 0.098, 0.134),
        (0.180, 0.004, 0.0, 0.116, 0.160), (0.270, 0.0, 0.0, 0.112, 0.182), (0.330, -0.006, 0.0, 0.086, 0.178),
        (0.368, -0.008, 0.0, 0.060, 0.110), (0.385, -0.008, 0.0, 0.040, 0.056))  # fmt: skip
THROAT = ((0.350, -0.008, 0.0, 0.050, 0.052), (0.420, 0.0, 0.0, 0.048, 0.049), (0.480, 0.008, 0.0, 0.044, 0.044))


def _looks(name: str) -> list[Part]:
    """What is seen of a body: a gymnast in a vest, holding on with both hands."""
    match name.removeprefix("l_").removeprefix("r_"):
        case "pelvis":
            return [garment(HIPS, LEGS)]
        case "chest":
            return [garment(VEST, SUIT), garment(THROAT, SKIN, square=2.0, finish="skin")]
        case "head":
            return head(0.02)
        case "arm":
            return [limb((0.052, 0.050, 0.045, 0.039, 0.036), 0.29, SUIT, finish="cloth")]
        case "forearm":
            return [limb((0.036, 0.040, 0.036, 0.030, 0.026), 0.26, SKIN)]
        case "hand":
            return fist(low=PALM[2] + 0.01)
        case "thigh":
            return [limb((0.082, 0.084, 0.076, 0.065, 0.056), 0.42, LEGS, finish="cloth")]
    return [limb((0.055, 0.061, 0.055, 0.043, 0.038), 0.41, LEGS, finish="cloth")]


def _body(name, parent, joint, place, shape, centre, across: bool = False) -> Body:
    turn = Placement.about((1, 0, 0), 0.5 * math.pi) if across else Placement()
    part = Part(shape, Placement(centre, turn.rotation))
    return Body(name, parent, joint, Placement(place), dressed((part,), _looks(name)))


def _ball(name, parent, place, stiffness, damping, shape, centre) -> Body:
    return _body(name, parent, Joint("ball", stiffness=stiffness, damping=damping), place, shape, centre)


def _hinge(name, parent, z, limits, damping, shape, centre) -> Body:
    joint = Joint("hinge", (0.0, 1.0, 0.0), damping=damping, range=limits)
    return _body(name, parent, joint, (0.0, 0.0, z), shape, (0.0, 0.0, centre))


@dataclass(frozen=True)
class Hanging:
    """A world with the acrobat on the bar, and the positions in which it starts."""

    world: World
    q: list[float]

    @property
    def landings(self) -> list[str]:
        """The names of the boundaries at the ground."""
        return [b.name for b in self.world.boundaries if b.name != LET_GO]

    def let_go(self, sim, event=None) -> None:
        """Opens the hand: the grip's stiffness and damping become zero. Serves as `on_event` of a run."""
        if event is None or event.name == LET_GO:
            sim.elements["grip"].set("stiffness", 0.0)
            sim.elements["grip"].set("damping", 0.0)


def hang(*, swing: float = 2.0, release: float = 1.8, hand: str = "r_hand") -> Hanging:
    """The acrobat holding the bar with one hand, its body turned by `swing` [rad] about the bar from hanging straight.

    The hand is held by an Anchor called "grip". Boundaries: "let go", when the pelvis rises through the height
    `release` [m], and one for each foot, hand and the head coming down to the ground (z = 0).
    """
    figure = acrobat()
    arm = hand.replace("hand", "arm")
    q = list(figure.zero)
    q[figure.position_slices[arm]] = Placement.about((0, 1, 0), math.pi).rotation  # arm up beside the head
    for thigh, angle in (("l_thigh", 0.25), ("r_thigh", -0.1)):
        q[figure.position_slices[thigh]] = Placement.about((0, 1, 0), angle).rotation
    turned = Placement.about((0, 1, 0), swing)
    palm = figure.poses(q)[hand].apply(PALM)
    root = figure.poses(q)["pelvis"].position
    reach = turned.turn([r - p for r, p in zip(root, palm)])
    zero = figure.root.placement.position
    bar = (0.0, 0.0, BAR)
    q[figure.position_slices["pelvis"]] = (*(b + r - z for b, r, z in zip(bar, reach, zero)), *turned.rotation)
    grip = Anchor(name="grip", line="grip", body=hand, point=PALM, place=bar, stiffness=GRIP[0], damping=GRIP[1])
    touching = {"l_foot": (0.0, 0.0, -0.07), "r_foot": (0.0, 0.0, -0.07), "head": (0.01, 0.0, 0.255),
                "l_hand": (0.0, 0.0, -0.12), "r_hand": (0.0, 0.0, -0.12)}  # fmt: skip
    ground = [
        Boundary(name=f"{body} on the ground", watch="height", body=body, point=point, direction="falling")
        for body, point in touching.items()
    ]
    letting_go = Boundary(name=LET_GO, watch="height", body="pelvis", value=release, direction="rising")
    return Hanging(World(figure, forces=[grip], boundaries=[letting_go, *ground]), q)
