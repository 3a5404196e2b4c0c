"""A person's walk: adult joint curves and moments over a phase that heel strikes reset, feet placed by feedback.

    walk = Stride(tuned, soles={"l": left, "r": right})      # names of the contacts of each foot
    sim.run(10.0, controller=walk)
    walk.speed, walk.heading = 1.0, 0.5                     # goals [m/s], [rad]; ramped

Every joint of a leg is a linear spring and damper (a JointSpring called like its joint). Its rest angle is the adult's
angle at the leg's phase, plus what the damper would brake and the adult's moment, over the stiffness: so the spring
carries what the joint of an adult carries. The loaded hip holds the trunk, abductors carry the pelvis ahead of the
load, the swing leg goes where the centre of mass will want it. What is tuned is in `StrideGait`, what is done at a tick
in `stride_law`, compiled, for one world or a batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from gambol.control.behaviour import Behaviour
from gambol.control.biped import standing_law as states
from gambol.control.biped import stride_law as law
from gambol.control.biped.adult_curves import curve_tables
from gambol.control.biped.gait import REFERENCE_SPEED, TunedWalk
from gambol.control.biped.seeing import Eyes
from gambol.errors import Fault, WorldError
from gambol.world.simulation import Simulation

SIDES = ("l", "r")
LEG_JOINTS = ("thigh1", "thigh2", "thigh3", "shank", "talus", "hindfoot")
ARM_JOINT = "humerus1"
SHORT = 0.2  # [m] steps shorter than this say nothing of the slope
TURN_SHARE = 0.03  # of the turning that is taken on at a tick
GOAL_SPEEDS = (0.6, 1.7)  # [m/s] between which a walk was tuned
WALKS_FROM = 0.68  # [m/s] below which it takes slow steps
BACKWARD = -0.3  # [m/s]
STEP_TURNING = 0.5  # [rad/s] by which it turns at least where it takes slow steps
STRAY_TIME = 1.5  # [s] in which the line of a walk that turns follows the person aside
TURN_AT, TURNED = 0.12, 0.03  # [rad] off its heading from which it turns on the spot, and until which
UPHILL, STEEPEST = 1.5, 0.15  # share of the speed that it gives up by the rise; the steepest that is believed
BRAKING = 1.5  # times the acceleration, when it is told to stand
MODES = ("walks", "steps", "stands", "sets off")
TRIM_RATE, MOST_TRIM = 0.2, 0.3  # [1/s], [m/s]: what the walk falls short of its speed is added to the goal, slowly
SLOPE_SHARE = 0.4  # of the slope felt at a step that is believed at once


class Strike(NamedTuple):
    """A foot came down: when [s], which ("l" or "r"), where its ankle was [m], in which world."""

    time: float
    side: str
    place: tuple[float, float, float]
    world: int = 0


class Stride(Behaviour):
    """Walks, without end, in one world or in a batch.

    walk           a TunedWalk, or one a world
    soles          names of the ground contacts of each foot, by side
    slope          of the ground it begins on, rise by run ahead; later it feels it, from strike to strike
    figure         the name of its figure, where the world has several
    height, mass   of the person in parts of the reference's (1.77 m, 68 kg): lengths, times and forces are scaled
    stance, phase  the leg it begins on, and the phase of that leg
    seen, loads, reports   what it sensed at the last tick: see Eyes; loads of the feet (worlds, 2) [N]; all reports
    speed          [m/s] it begins with and keeps; `heading` [rad] from x to y. Both may be changed: the goals follow at
                   `acceleration` [m/s²] and `turning` [rad/s]. At speed 0 it comes to stand, and stands until it is
                   given another; `modes` says what it does. Each change of mode is noted as an event.
    crouch         [m] by which its hips are lowered where it stands (0.35 at most); may be changed
    standing       does it begin standing?
    """

    keeps: ClassVar[tuple[str, ...]] = (
        "done",
        "due",
        "state",
        "goals",
        "speed",
        "heading",
        "crouch",
        "strikes",
        "slope",
        "trim",
        "_last",
    )

    def __init__(
        self,
        walk: TunedWalk | Sequence[TunedWalk],
        soles: Mapping[str, Sequence[str]],
        *,
        height: float = 1.0,
        mass: float = 1.0,
        stance: str = "l",
        phase: float = 0.28,
        standing: bool = False,
        speed: float | np.ndarray = REFERENCE_SPEED,
        heading: float | np.ndarray = 0.0,
        slope: float | np.ndarray = 0.0,
        acceleration: float = 0.3,
        turning: float | np.ndarray = 0.4,
        figure: str = "",
    ):
        self.walks = (walk,) if isinstance(walk, TunedWalk) else tuple(walk)
        self.soles = {side: tuple(soles[side]) for side in SIDES}
        self.size, self.weight, self.pace = height, mass, math.sqrt(height)
        self.stance, self.phase, self._stands = stance, phase, standing
        self.speed, self.heading = speed, heading
        self.crouch: float | np.ndarray = 0.0
        self.acceleration, self.turning, self._first_slope = acceleration, turning, slope
        self.figure = f"{figure}/" if figure else ""
        self.period = 5e-3 * self.pace
        self.strikes: list[Strike] = []

    # ------------------------------------------------------------ what a run asks of a controller
    def start(self, run: Simulation) -> None:
        """Takes over the springs; the goals begin at what was given."""
        super().start(run)
        worlds = run.worlds
        if len(self.walks) not in (1, worlds):
            raise WorldError([Fault(f"{len(self.walks)} walks are given for {worlds} worlds", "walk")])
        names = [f"{self.figure}{side}_{joint}" for side in SIDES for joint in LEG_JOINTS]
        names += [f"{self.figure}{side}_{ARM_JOINT}" for side in SIDES]
        self._eyes = Eyes(run, names[0], [f"{side}_talus" for side in SIDES] + [f"{side}_thigh1" for side in SIDES])
        self._springs = run.elements[tuple(names)]
        places = [[run.coordinates(name).start, run.speed_coordinates(name).start] for name in names]
        self._order = np.array(places, np.int64)
        hips = [side * law.JOINTS_OF_LEG + joint for side in range(2) for joint in range(2)]
        self._hips = self._order[hips, 1]
        self.position_places, self.speed_places = self._order.T  # of the driven joints, in q and v
        self._contacts = run.elements[(*self.soles["l"], *self.soles["r"])]
        self._left = len(run.elements[self.soles["l"]])
        self._numbers = np.array([walk.numbers() for walk in self.walks]).swapaxes(0, 1)
        self._tables = curve_tables()
        shape = (worlds, law.SPRINGS)
        self._rest, self._stiffness, self._damping = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._torque, self._struck = np.zeros((worlds, 4)), np.zeros(worlds, np.int64)
        self.state = np.zeros((worlds, law.STATE))
        self.state[:, states.PHASE] = self.phase
        self.state[:, states.STANCE_SIDE] = standing = SIDES.index(self.stance)
        self.state[:, states.SHARE + standing] = 1.0
        self.state[:, states.STRIDE_SPEED] = np.asarray(self.speed) / self.pace
        if self._stands:
            self.state[:, states.MODE], self.state[:, states.STRIDE_SPEED] = states.STANDING_STILL, 0.0
            self.state[:, states.SHARE : states.SHARE + 2] = 0.5
            self.state[:, states.TALL] = states.LEG_REACH
        self.goals = np.zeros((worlds, law.GOALS))
        self.slope = np.broadcast_to(np.asarray(self._first_slope, float), worlds).copy()
        self.trim = np.zeros(worlds)
        self._last = np.full((worlds, 3), np.nan)
        self.goals[:, law.GOAL_SPEED], self.goals[:, law.GOAL_HEADING] = self.speed, self.heading
        if self._stands:
            self.goals[:, law.GOAL_SPEED] = 0.0
        self.tick(run)

    def tick(self, run: Simulation) -> bool:
        """Senses, decides, sets springs and hip torques."""
        self.seen, self.reports = self._eyes.see(run), run.all_reports()
        self.loads = self._foot_loads()
        self._move_goals(self.seen)
        size, pace, weight = self.size, self.pace, self.weight
        seen, loads = self.seen.copy(), self.loads / weight
        q, v = np.atleast_2d(run.q), np.atleast_2d(run.v)
        seen[:, [0, 2, 3, 4, 5]] /= size
        seen[:, 1] /= pace
        seen[:, 6] *= pace
        goals = self.goals / (pace, 1.0, size, size, 1.0 / pace, 1.0, 1.0, size)
        params = self._params(goals)
        before = self.state[:, states.MODE].copy()
        outputs = (self._rest, self._stiffness, self._damping, self._torque, self._struck)
        period = self.period / pace
        law.stride_tick(
            period, params, *self._tables, goals, self.state, q, pace * v, seen, loads, self._order, *outputs
        )
        one = run.worlds == 1
        self._springs.set("rest", self._rest[0] if one else self._rest)
        effort = weight * size
        self._springs.set("stiffness", effort * (self._stiffness[0] if one else self._stiffness))
        self._springs.set("damping", effort * pace * (self._damping[0] if one else self._damping))
        command = np.array(np.atleast_2d(run.command))
        command[:, self._hips] = effort * self._torque
        run.command = command[0] if one else command
        for world in np.flatnonzero(self._struck >= 0):
            side = int(self._struck[world])
            x, y, z = map(float, self.seen[world, 2 + side])
            self._feel_slope(int(world), np.array([x, y, z]))
            self.strikes.append(Strike(run.latest_time, SIDES[side], (x, y, z), int(world)))
            run.note(f"{SIDES[side]} foot strikes", int(world))
        for world in np.flatnonzero(self.state[:, states.MODE] != before):
            run.note(MODES[int(self.state[world, states.MODE])], int(world))
        return False

    @property
    def modes(self) -> list[str]:
        """What it does, in each world: one of MODES."""
        return [MODES[int(mode)] for mode in self.state[:, states.MODE]]

    def _params(self, goals: np.ndarray) -> np.ndarray:
        """The numbers of the gait as they are now: by speed, slope and turning."""
        params, by_fast, by_slow, by_rise, by_fall, by_turn = self._numbers
        faster = goals[:, :1] - REFERENCE_SPEED
        params = params + np.maximum(faster, 0.0) * by_fast + np.minimum(faster, 0.0) * by_slow
        slope = goals[:, law.GOAL_SLOPE, None]
        params = params + np.maximum(slope, 0.0) * by_rise + np.maximum(-slope, 0.0) * by_fall
        return params + np.abs(goals[:, law.GOAL_TURNING, None]) * by_turn

    # ------------------------------------------------------------ what it senses and wants
    def _foot_loads(self) -> np.ndarray:
        """Vertical force of the ground on the left and the right foot, (worlds, 2) [N]."""
        force = np.atleast_2d(self._contacts.report(self.reports)["force_z"])
        return np.add.reduceat(force, [0, self._left], axis=1)

    def torques(self, run: Simulation) -> np.ndarray:
        """Of the driven joints, springs and commands together, (worlds, 14) [N·m]: legs left, right, then shoulders."""
        springs = np.atleast_2d(self._springs.report(self.reports)["force"])
        return springs + np.atleast_2d(run.command)[:, self.speed_places]

    def _move_goals(self, seen: np.ndarray) -> None:
        """Goals go to what is wanted at their rates; while it turns, the line to walk on goes through the person."""
        goals, most = self.goals, self.acceleration * self.period
        wanted_speed = self.speed * (1.0 - UPHILL * np.clip(self.slope, 0.0, STEEPEST))
        mode = self.state[:, states.MODE]
        afoot, walks = mode < states.STANDING_STILL, mode == states.WALKING
        slowest, fastest = (self.pace * speed for speed in GOAL_SPEEDS)
        apart = np.asarray(self.heading - goals[:, law.GOAL_HEADING])
        apart = apart - 2.0 * np.pi * np.round(apart / (2.0 * np.pi))
        going = (wanted_speed != 0.0) | (np.abs(apart) > np.where(mode == states.STANDING_STILL, TURN_AT, TURNED))
        fast_enough = wanted_speed >= self.pace * WALKS_FROM
        goals[:, law.GOAL_GO] = np.where(fast_enough, states.TO_WALK, np.where(going, states.TO_STEP, 0.0))
        goals[:, law.GOAL_SLOPE] = self.slope
        goals[:, law.GOAL_CROUCH] = np.where(goals[:, law.GOAL_GO] == states.TO_STAND, self.crouch, 0.0)
        lacking = TRIM_RATE * self.period * (wanted_speed - self.pace * self.state[:, states.STRIDE_SPEED])
        trims = walks & (goals[:, law.GOAL_GO] == states.TO_WALK)
        self.trim = np.where(trims, np.clip(self.trim + lacking, -MOST_TRIM, MOST_TRIM), 0.0)
        least = np.where(walks | (goals[:, law.GOAL_GO] == states.TO_WALK), slowest, BACKWARD * self.pace)
        most_now = np.where(walks, fastest, self.pace * (states.WALK_FROM + 0.03))  # until it walks
        wanted = np.minimum(np.clip(wanted_speed + self.trim, least, fastest), most_now)
        slower = np.where(fast_enough, -most, -BRAKING * most)
        step = np.clip(wanted - goals[:, law.GOAL_SPEED], slower, most)
        goals[:, law.GOAL_SPEED] = np.where(afoot, goals[:, law.GOAL_SPEED] + step, 0.0)
        apart = np.where(afoot, apart, 0.0)
        slowing = walks & (goals[:, law.GOAL_GO] < states.TO_WALK)  # first slow, then turn
        widest = (
            np.where(slowing, 0.0, 1.0)
            * np.where(walks, self.turning, np.maximum(self.turning, STEP_TURNING / self.pace))
            * self.period
        )
        turn = np.clip(apart, -widest, widest)
        goals[:, law.GOAL_HEADING] += turn
        goals[:, law.GOAL_TURNING] += TURN_SHARE * (turn / self.period - goals[:, law.GOAL_TURNING])
        self._move_line(seen, np.abs(apart) > 1e-9, mode == states.STANDING_STILL)

    def _move_line(self, seen: np.ndarray, turning: np.ndarray, standing: np.ndarray) -> None:
        """While it turns the line goes with the person, but slowly aside: or it would drift away."""
        goals = self.goals
        ahead = np.stack([np.cos(goals[:, law.GOAL_HEADING]), np.sin(goals[:, law.GOAL_HEADING])], 1)
        way = seen[:, 0, :2] - goals[:, law.GOAL_X : law.GOAL_Y + 1]
        along = (way * ahead).sum(1, keepdims=True) * ahead
        share = np.where(standing, 1.0, np.where(turning, self.period / STRAY_TIME, 0.0))[:, None]
        moved = np.where((turning | standing)[:, None], along, 0.0) + share * (way - along)
        goals[:, law.GOAL_X : law.GOAL_Y + 1] += moved

    def _feel_slope(self, world: int, place: np.ndarray) -> None:
        """The ground from the last strike to this one, smoothed over a few."""
        way = place - self._last[world]
        self._last[world] = place
        heading = self.goals[world, law.GOAL_HEADING]
        run = way[0] * math.cos(heading) + way[1] * math.sin(heading)
        if run > SHORT * self.size and self.state[world, states.MODE] == states.WALKING:
            self.slope[world] += SLOPE_SHARE * (min(max(way[2] / run, -STEEPEST), STEEPEST) - self.slope[world])

    def walk_along(self, x: float, y: float, heading: float) -> None:
        """From now on along the line through (x, y) [m] in the direction `heading` [rad]."""
        self.heading = heading
        self.goals[:, law.GOAL_X : law.GOAL_Y + 1] = x, y
