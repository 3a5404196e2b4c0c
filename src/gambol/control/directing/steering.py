"""What a director needs of a figure's legs: where it is, how fast it goes, and a way to ask for speed and heading.

A walk that a director can steer is a Steering: `GaitSteering` makes one of a GaitController (any number of legs),
`StrideSteering` of a person's Stride, `ClockSteering` of the compliant hexapod. One of your own is a class with the
same five members, given to Director.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Protocol

import numpy as np

from gambol.control.biped.gestures import HANDS
from gambol.control.biped.goals_law import GOAL_HEADING
from gambol.control.biped.standing_law import (
    LEG_REACH,
    MODE,
    RUN,
    SINCE,
    SITTING,
    STANDING_STILL,
    STRIDE_SPEED,
    TALL,
    WALKING,
)
from gambol.control.biped.striding import Stride
from gambol.control.directing.clock_steering import ClockSteering
from gambol.control.directing.footing import Footing
from gambol.control.directing.whereabouts import Trail, Whereabouts, wrapped
from gambol.control.legs.gait_controller import GaitController
from gambol.errors import Fault, WorldError
from gambol.hybrid.models.compliant_hexapod.model import CompliantHexapod
from gambol.hybrid.run import HybridRun
from gambol.world.simulation import Simulation

HOLD = 1e4  # [s] cycle of legs that stand still
OFF_ENOUGH, OFF_AGAIN = 0.08, 0.25  # [rad] off its heading within which a figure stops, and beyond which it turns again
ON_COURSE = 0.3  # [rad]
MOST_STEER = 0.6  # difference of the strokes of the sides of a figure at full speed; on the spot 1
SAME_HEADING = 0.12  # [rad] within which a person that walks keeps its heading
TURN_FROM, TURN_UNTIL = 0.5, 0.1  # [rad] off its heading between which a person turns by slow steps
TOP_WALK, TOP_RUN, USUAL = 1.6, 4.0, 1.1  # [m/s] of a person
RUN_BEND = 0.5  # share of its bend by which a person turns that runs
STEPPING = 0.06  # of the top speed: what a person that steps is said to have at least, as it does not stand
LONGEST_STROKE = 1.3  # times those of the programs
SETTLED = 1.2  # [s] on a seat until the trunk is upright
EXCESS_SHARE = 0.02  # of the speed that is lacking, added to the strokes at every tick
TRIM_SHARE = 0.01  # of the angle off its heading, added to the difference of the sides at every tick


class Steering(Protocol):
    """Legs that can be steered.

    top_speed   [m/s] it can be asked for; usual_speed: of orders that name none; least_speed: below which it stops
    curve       [m/s] at which it goes round a curve, by `turning` [rad/s] at most; 0: it turns on the spot
    near        [m] within which it has come to a place
    mark        [m] within which it stands on one; settle [s]: it goes there at the distance over this time
    world       of a batch, in which it is
    """

    world: int

    top_speed: float
    usual_speed: float
    least_speed: float
    curve: float
    turning: float
    near: float
    mark: float
    settle: float

    def start(self, run: Any) -> None:
        """Once, before it is asked for anything."""

    def look(self, run: Any) -> Whereabouts:
        """Where it is."""

    def steer(self, run: Any, speed: float, heading: float) -> None:
        """Asks for a speed [m/s] and a heading [rad]; called at every tick."""

    def save(self) -> Any:
        """What decides how it goes on."""

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)


def _check_world(world: int, run: Any) -> None:
    if not 0 <= world < run.worlds:
        raise WorldError([Fault(f"there is no world {world}: the simulation has {run.worlds}", "director")])


class GaitSteering:
    """Heading and speed of a figure on PacemakerGait legs, by closed loop: stroke lengths of the two sides.

    walk         the controller of its legs
    root         the body that is steered; default: the root of the first figure
    stride       [m] it goes ahead in a cycle at full strokes; default: learnt on the way
    slow_cycle   [s] of the pacemaker when it walks slowly or turns on the spot; default: four step times
    fast_cycle   [s] at its fastest; default: two step times
    brake        by how much of a stroke it is held back where a turn carries it on (0.6 for legs of unlike sides)
    lean, low    how feet are put on a slope (0.7, 0.1; on level ground 0): see Footing
    world        of a batch
    """

    keeps: ClassVar[tuple[str, ...]] = ("holding", "excess", "learnt_at", "drift", "trim", "stride")

    def __init__(
        self,
        walk: GaitController,
        *,
        root: str = "",
        stride: float = 0.0,
        slow_cycle: float = 0.0,
        fast_cycle: float = 0.0,
        turn_gain: float = 1.2,
        brake: float = 0.0,
        lean: float = 0.0,
        low: float = 0.0,
        world: int = 0,
    ):
        self.walk, self.root, self.stride, self.world = walk, root, stride, world
        self.footing = Footing(walk, lean=lean, low=low, world=world)
        step = walk.gait.step_time
        self.fast_cycle = fast_cycle or 2.0 * step
        self.slow_cycle = slow_cycle or 4.0 * step
        self.turn_gain, self.brake = turn_gain, brake
        self.least_speed, self.curve, self.turning = 0.0, 0.0, math.inf

    def start(self, run: Simulation) -> None:
        """Looks at how big it is."""
        _check_world(self.world, run)
        self.root = self.root or run.layout.figures[0].root.name
        joint = run.bodies[self.root].description.joint
        if joint.type != "free":
            raise WorldError([Fault(f"its joint is {joint.type}: what is steered must move freely", self.root)])
        if not self.stride:
            self.stride = self._reach(run)
        self.top_speed = 1.1 * self.stride / self.fast_cycle
        self.usual_speed = 0.5 * self.top_speed
        self.near, self.mark, self.settle = self.stride, 1.3 * self.stride, 2.0 * self.slow_cycle
        self.footing.start(run, self.root)
        self.holding, self.excess, self.learnt_at, self.drift, self.trim = True, 0.0, 0.0, 0.0, 0.0
        self.trail = Trail()
        self._tell(HOLD, 0.0, 0.0)

    def _reach(self, run: Simulation) -> float:
        """How far a foot swings ahead, by its leg's programs and length [m]."""
        found, q = [], np.atleast_2d(run.q)[self.world]
        for leg in self.walk.gait.legs:
            joint = leg.joints[0]
            swing = abs(leg.step.last(joint) - leg.stance.last(joint))
            hip, foot = (run.mechanics.point(q, body) for body in (joint, leg.foot or leg.joints[-1]))
            found.append(swing * float(np.linalg.norm(foot[:2] - hip[:2]) + 0.5 * abs(foot[2] - hip[2])))
        return float(np.mean(found))

    def look(self, run: Simulation) -> Whereabouts:
        """Speeds are those over the last cycle: a trunk sways with every step."""
        q = np.atleast_2d(run.q)[self.world, run.coordinates(self.root)]
        w, x, y, z = q[3:7]
        heading = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        cycle = min(self._cycle, self.slow_cycle)
        return self.trail.whereabouts(run.latest_time, float(q[0]), float(q[1]), heading, cycle)

    def steer(self, run: Simulation, speed: float, heading: float) -> None:
        """Strokes of both sides for the speed, their difference for the heading; a fast cycle only for fast walks."""
        seen = self.look(run)
        self.footing.tick(run)
        off = wrapped(heading - seen.heading)
        slow = abs(seen.speed) * self.slow_cycle < 0.3 * self.stride
        self.holding = speed == 0.0 and abs(off) < (OFF_AGAIN if self.holding else OFF_ENOUGH) and slow
        if self.holding:
            self.excess, self.drift = 0.0, 0.0
            self._tell(HOLD, 0.0, 0.0)
            return
        share = abs(speed) * self.slow_cycle / self.stride
        pace = max(share, 1.0 + min(2.0 * abs(off), 1.0))
        cycle = max(self.slow_cycle / pace, self.fast_cycle)
        self._learn(off, speed, (speed - seen.speed) * cycle / self.stride)
        more = self.excess * min(abs(speed) / self.learnt_at, 1.0) if self.learnt_at else 0.0
        longest = LONGEST_STROKE * math.cos(min(abs(off), 0.5 * math.pi)) ** 2  # or it would circle round a place
        drive = _within(speed * cycle / self.stride + more, longest) + self.drift
        spot = max(1.0 - min(share, longest), 0.0)  # how nearly it turns on the spot
        most = MOST_STEER + (1.0 - MOST_STEER) * spot
        turn = _within(-self.turn_gain * (1.0 + spot) * off - self.trim, most)
        self._tell(cycle, drive * max(1.0 - 0.5 * abs(turn), 0.2), turn)

    def _learn(self, off: float, speed: float, lacking: float) -> None:
        """What its strokes lack of the speed, in parts of a stroke, and what turns it off its heading [rad]."""
        if abs(off) < ON_COURSE:
            self.excess = _within(self.excess + EXCESS_SHARE * lacking, 0.6) if speed else 0.0
            self.trim = _within(self.trim + TRIM_SHARE * off, 0.4) if speed else 0.0
            self.learnt_at, self.drift = abs(speed), 0.0
        else:  # what a turn costs is not made up for, but it must not carry the figure on
            ahead = math.copysign(1.0, speed)
            self.drift = ahead * min(_within(ahead * (self.drift + EXCESS_SHARE * lacking), self.brake), 0.0)

    @property
    def _cycle(self) -> float:
        """Of its legs [s]."""
        return float(self.walk.gait.now.cycle[self.world, 0])

    def _tell(self, cycle: float, drive: float, steer: float) -> None:
        """Hands them on; the cycle where it changes by more than a fiftieth."""
        same = abs(self._cycle / cycle - 1.0) <= 0.02
        self.walk.tell(self.world, cycle=self._cycle if same else cycle, drive=drive, steer=steer)

    def save(self) -> Any:
        """Its loops."""
        own = {name: getattr(self, name) for name in self.keeps}
        return own | {"trail": self.trail.save(), "footing": self.footing.save()}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        self.footing.restore(state["footing"])
        self.trail.restore(state["trail"])
        for name in self.keeps:
            setattr(self, name, state[name])


class StrideSteering:
    """A person's walk: its Stride holds speed and heading by itself; off its heading it slows down and walks a curve.

    top_speed        [m/s]; default: 1.6, or 4 where it can run
    bend             [rad/s] by which it turns where it walks fast
    curve, turning   speed [m/s] and turning [rad/s] of a curve, where it is further off its heading
    slow             [m/s] at most of slow steps, by which it turns where it does not walk
    world            of a batch
    """

    least_speed = 0.0

    def __init__(
        self,
        walk: Stride,
        *,
        top_speed: float = 0.0,
        bend: float = 0.4,
        curve: float = 1.0,
        turning: float = 0.6,
        slow: float = 0.4,
        world: int = 0,
    ):
        self.walk, self.slow, self.curve, self.world = walk, slow * walk.pace, curve * walk.pace, world
        self.bend, self.turning = bend / walk.pace, turning / walk.pace
        self.turns = False
        self.held: float | None = None
        self.top_speed = (top_speed or (TOP_RUN if walk.runs else TOP_WALK)) * walk.pace
        self.usual_speed = USUAL * walk.pace
        self.near, self.mark, self.settle = 0.4 * walk.size, 0.1 * walk.size, 1.5 * walk.pace

    def start(self, run: Simulation) -> None:
        """A person that walks already is looked at as it is."""
        _check_world(self.world, run)

    def look(self, run: Simulation) -> Whereabouts:
        """As it senses itself."""
        seen, walk = self.walk.seen[self.world], self.walk
        heading = float(walk.goals[self.world, GOAL_HEADING])
        return Whereabouts(float(seen[0, 0]), float(seen[0, 1]), heading, self._speed(), 0.0)

    def _speed(self) -> float:
        """Ahead, smoothed [m/s]; 0 is for a person that stands, and for no other."""
        state = self.walk.state[self.world]
        return (
            0.0
            if state[MODE] in (STANDING_STILL, SITTING)
            else max(float(state[STRIDE_SPEED] * self.walk.pace), STEPPING * self.top_speed)
        )

    def steer(self, run: Simulation, speed: float, heading: float) -> None:
        """Hands both on; off its heading it goes as slowly as a curve wants, or turns by slow steps."""
        off = abs(wrapped(heading - float(self.walk.goals[self.world, GOAL_HEADING])))
        self.turns = off > (TURN_UNTIL if self.turns else TURN_FROM)
        walks = self.walk.state[self.world, MODE] <= WALKING
        if self.held is None or not walks or abs(wrapped(heading - self.held)) > SAME_HEADING:
            self.held = heading  # a walk keeps to a straight line rather than to a place that it sways by
        most = (self.curve if walks else self.slow) if self.turns else self.top_speed
        turning = self.turning if self.turns else self.bend
        if self.walk.state[self.world, MODE] == RUN:
            turning = RUN_BEND * self.bend
        speed = min(max(speed, -self.slow), most)
        if speed != 0.0:
            self.walk.tell(self.world, crouch=0.0, sits=0.0)
        self.walk.tell(self.world, speed=speed, heading=self.held, turning=turning)

    def crouch(self, depth: float) -> float:
        """Asks a person that stands to lower its hips [m]; by how much they are lowered now."""
        self.walk.tell(self.world, crouch=depth, sits=0.0)
        return float(LEG_REACH - self.walk.state[self.world, TALL]) * self.walk.size

    @property
    def can_sit(self) -> bool:
        """Does anything under its hips touch a seat?"""
        return bool(self.walk.seat)

    def sit(self, depth: float) -> bool | None:
        """Asks a person that stands to lower its hips [m] on to a seat; does it sit upright? None: on none yet."""
        self.walk.tell(self.world, crouch=depth, sits=1.0)
        state = self.walk.state[self.world]
        return bool(state[SINCE] > SETTLED) if state[MODE] == SITTING else None

    def reach(self, run: Simulation, hand: str, point: tuple[float, float, float] | None) -> float:
        """Leads a hand to a point [m, world], or lets it hang (None); how far it is from that [m], [rad]."""
        return self.walk.gestures.reach(run, self.world, HANDS.index(hand), point)

    def look_at(self, run: Simulation, point: tuple[float, float, float] | None) -> float:
        """Turns the head to a point [m, world], or ahead (None); by how much its gaze is off [rad]."""
        return self.walk.gestures.look(run, self.world, point)

    def save(self) -> Any:
        """Does it turn by slow steps, and the heading it keeps."""
        return [self.turns, self.held]

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        self.turns, self.held = state


def steering_of(run: Any) -> Steering:
    """What steers the first walk among the controllers of a simulation, or the clock of a compliant hexapod."""
    for controller in run.controllers:
        if isinstance(controller, GaitController):
            return GaitSteering(controller)
        if isinstance(controller, Stride):
            return StrideSteering(controller)
    if isinstance(run, HybridRun) and isinstance(run.system, CompliantHexapod):
        return ClockSteering()
    names = ", ".join(type(c).__name__ for c in run.controllers) or "none"
    message = f"nothing walks here that a director can steer (GaitController, Stride, a CompliantHexapod); \
its controllers: {names}"
    raise WorldError([Fault(message, "director")])
