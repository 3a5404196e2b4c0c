"""An acrobat: a person of fifteen capsules on ball joints and hinges, made to hang from a bar, swing and let go.

The proportions are an adult's (1.75 m, 59 kg at the density of water). Shoulders, hips, spine and neck are ball
joints with springs that pull towards the pose in which the figure is built and dampers; elbows, knees and ankles are
hinges with stops. Body frames stand at their joints, x forward, y left, z up; arms and legs hang along −z.
"""

import math
from dataclasses import dataclass

from gambol.figure import Body, Box, Capsule, Figure, Joint, Part, Placement
from gambol.forces.anchor import Anchor
from gambol.models.acrobat_looks import looks
from gambol.models.looks import dressed
from gambol.world.boundary import Boundary
from gambol.world.world import World

BAR = 2.6  # height of the bar above the ground [m]
GRIP = (20000.0, 400.0)  # stiffness [N/m] and damping [N·s/m] of a hand on the bar
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
                dressed((sole,), looks("foot")),
            )
        )
    return Figure("acrobat", tuple(bodies))


def _body(name, parent, joint, place, shape, centre, across: bool = False) -> Body:
    turn = Placement.about((1, 0, 0), 0.5 * math.pi) if across else Placement()
    part = Part(shape, Placement(centre, turn.rotation))
    return Body(name, parent, joint, Placement(place), dressed((part,), looks(name)))


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
