"""A person's walk and run: joint curves and moments of adults over a phase that strikes reset, feet placed by feedback.

    walk = Stride(tuned, soles={"l": left, "r": right})      # names of the contacts of each foot
    sim.run(10.0, controller=walk)
    walk.speed, walk.heading = 1.0, 0.5                     # goals [m/s], [rad]; ramped
    walk.tell(3, speed=0.8)                                 # of one world of a batch

Every joint of a leg is a linear spring and damper (a JointSpring called like its joint). Its rest angle is the adult's
angle at the leg's phase, plus what the damper would brake and the adult's moment, over the stiffness: so the spring
carries what the joint of an adult carries. The loaded hip holds the trunk, abductors carry the pelvis ahead of the
load, the swing leg goes where the centre of mass will want it. What is tuned is in `StrideGait`, what is done at a tick
in `stride_law`, compiled, for one world or a batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gambol.control.behaviour import Behaviour
from gambol.control.biped import goals_law as aims
from gambol.control.biped import standing_law as states
from gambol.control.biped import stride_law as law
from gambol.control.biped.adult_curves import curve_tables
from gambol.control.biped.gait import GAIT_NUMBERS, REFERENCE_SPEED, TunedWalk
from gambol.control.biped.gestures import REACHING_DAMPING, REACHING_STIFFNESS, Gestures
from gambol.control.biped.goals_law import STEEPEST
from gambol.control.biped.seeing import Eyes
from gambol.control.biped.sight import Sight
from gambol.errors import Fault, WorldError
from gambol.stepping.controller import next_multiple
from gambol.world.simulation import Simulation

SIDES = ("l", "r")
LEG_JOINTS = ("thigh1", "thigh2", "thigh3", "shank", "talus", "hindfoot")
ARM_JOINT = "humerus1"
SHORT = 0.2  # [m] steps shorter than this say nothing of the slope
MODES = ("runs", "walks", "steps", "stands", "sets off", "sits")
TREAD_SPEED, SLOWING, SLOW_FROM = 0.5, 0.35, 0.8  # [m/s] over edges, [m/s²], [m]: for an edge ahead it slows down
EASING = 0.7  # the same where the ground turns out less steep: leaning as on the rise, it falls over its crest
SLIGHT = 0.03  # a slope that feet that sink in may feel on level ground
SLOPE_SHARE = 0.4  # of the slope felt at a step that is believed at once
ROUGHEST = 0.015  # [m] from foot to foot: more is walked over as this is


class Strike(NamedTuple):
    """A foot came down: when [s], which ("l" or "r"), where its ankle was [m], in which world."""

    time: float
    side: str
    place: tuple[float, float, float]
    world: int = 0


class Stride(Behaviour):
    """Walks, without end, in one world or in a batch.

    walk           a TunedWalk, or one a world; run: the same of running, without which it never runs
    soles          names of the ground contacts of each foot, by side
    seat           names of the contacts it sits on; without them it cannot
    slope          of the ground it begins on, rise by run ahead; later it feels it, from strike to strike
    rough          [m] by which it knows the ground to be uneven from foot to foot; may be changed
    figure         the name of its figure, where the world has several
    height, mass   of the person in parts of the reference's (1.77 m, 68 kg): lengths, times and forces are scaled
    stance, phase  the leg it begins on, and the phase of that leg
    seen, loads    what it sensed at the last tick: see Eyes; loads of the feet and the seat
                   (worlds, 3) [N]
    speed          [m/s] it begins with and keeps; `heading` [rad] from x to y. Both may be changed: the goals follow at
                   `acceleration` [m/s²] and `turning` [rad/s]. At speed 0 it comes to stand, and stands until it is
                   given another; `modes` says what it does. Each change of mode is noted as an event.
    crouch         [m] by which its hips are lowered where it stands (0.35 at most); may be changed
    sits           1: what its hips are lowered to is a seat; it sits as soon as that carries. 0: it rises from it
    standing       does it begin standing? running: does it begin running?
    """

    keeps: ClassVar[tuple[str, ...]] = (
        "done",
        "due",
        "state",
        "goals",
        "speed",
        "heading",
        "crouch",
        "sits",
        "turning",
        "strikes",
        "slope",
        "rough",
        "trim",
        "_last",
    )

    def __init__(
        self,
        walk: TunedWalk | Sequence[TunedWalk],
        soles: Mapping[str, Sequence[str]],
        *,
        run: TunedWalk | Sequence[TunedWalk] | None = None,
        seat: Sequence[str] = (),
        height: float = 1.0,
        mass: float = 1.0,
        stance: str = "l",
        phase: float = 0.28,
        standing: bool = False,
        running: bool = False,
        speed: float | np.ndarray = REFERENCE_SPEED,
        heading: float | np.ndarray = 0.0,
        slope: float | np.ndarray = 0.0,
        rough: float = 0.0,
        acceleration: float = 0.3,
        turning: float | np.ndarray = 0.4,
        figure: str = "",
    ):
        self.walks = (walk,) if isinstance(walk, TunedWalk) else tuple(walk)
        self.runs = (run,) if isinstance(run, TunedWalk) else tuple(run or ())
        self.soles = {side: tuple(soles[side]) for side in SIDES}
        self.seat = tuple(seat)
        self.size, self.weight, self.pace = height, mass, math.sqrt(height)
        self.stance, self.phase, self._stands, self._begins_running = stance, phase, standing, running
        self.speed, self.heading = speed, heading
        self.crouch: float | np.ndarray = 0.0
        self.sits: float | np.ndarray = 0.0
        self.acceleration, self.turning, self._first_slope = acceleration, turning, slope
        self.rough = rough
        self.figure = f"{figure}/" if figure else ""
        self.period = 5e-3 * self.pace
        size, pace = self.size, self.pace  # what is seen and wanted, by those of the reference
        self._scale = np.array([size, pace, size, size, size, size, 1.0 / pace, 1.0])[:, None]
        self._goal_scale = np.array([pace, 1.0, size, size, 1.0 / pace, 1.0, 1.0, size, size, 1.0])
        self.strikes: list[Strike] = []

    # ------------------------------------------------------------ what a run asks of a controller
    def start(self, run: Simulation) -> None:
        """Takes over the springs; the goals begin at what was given."""
        super().start(run)
        worlds = run.worlds
        for name, given in (("walk", self.walks), ("run", self.runs)):
            if given and len(given) not in (1, worlds):
                raise WorldError([Fault(f"{len(given)} {name}s are given for {worlds} worlds", name)])
        names = [f"{self.figure}{side}_{joint}" for side in SIDES for joint in LEG_JOINTS]
        names += [f"{self.figure}{side}_{ARM_JOINT}" for side in SIDES]
        self._eyes = Eyes(run, names[0], [f"{side}_talus" for side in SIDES] + [f"{side}_thigh1" for side in SIDES])
        self._springs = run.elements[tuple(names)]
        self._writers = [self._springs.writer(name) for name in ("rest", "stiffness", "damping")]
        self.gestures = Gestures(run, self._eyes.figure, self.figure, self.size)
        places = [[run.coordinates(name).start, run.speed_coordinates(name).start] for name in names]
        self._order = np.array(places, np.int64)
        hips = [side * law.JOINTS_OF_LEG + joint for side in range(2) for joint in range(2)]
        self._hips = self._order[hips, 1]
        self.position_places, self.speed_places = self._order.T  # of the driven joints, in q and v
        groups = [self.soles["l"], self.soles["r"], *([self.seat] if self.seat else [])]
        self._contacts = run.elements[tuple(name for group in groups for name in group)]
        self._groups = np.cumsum([0, *(len(run.elements[group]) for group in groups[:-1])])
        self._numbers = []
        for given in (self.walks, self.runs):
            if given:
                own = np.array([walk.numbers() for walk in given]).swapaxes(0, 1)
                self._numbers.append((np.ascontiguousarray(own), np.array([walk.speed for walk in given])))
        self._params, self._wanted = np.zeros((worlds, len(GAIT_NUMBERS))), np.zeros((worlds, aims.WANTED))
        self._tables = curve_tables()
        shape = (worlds, law.SPRINGS)
        self._rest, self._stiffness, self._damping = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._torque, self._struck = np.zeros((worlds, 4)), np.zeros(worlds, np.int64)
        self.state = np.zeros((worlds, law.STATE))
        self.state[:, states.MODE] = states.RUN if self._begins_running else states.WALKING
        self.state[:, states.PHASE] = self.phase
        self.state[:, states.STANCE_SIDE] = standing = SIDES.index(self.stance)
        self.state[:, states.SHARE + standing] = 1.0
        self.state[:, states.STRIDE_SPEED] = np.asarray(self.speed) / self.pace
        if self._stands:
            self.state[:, states.MODE], self.state[:, states.STRIDE_SPEED] = states.STANDING_STILL, 0.0
            self.state[:, states.SHARE : states.SHARE + 2] = 0.5
            self.state[:, states.TALL] = states.LEG_REACH
        self.goals = np.zeros((worlds, aims.GOALS))
        self._sight = Sight(run.world.terrain, worlds, self.size)
        self.slope = np.broadcast_to(np.asarray(self._first_slope, float), worlds).copy()
        self.trim = np.zeros(worlds)
        self._last = np.full((worlds, 3), np.nan)
        self.goals[:, aims.GOAL_SPEED], self.goals[:, aims.GOAL_HEADING] = self.speed, self.heading
        root = run.coordinates(self.figure + self._eyes.figure.root.name).start
        self.goals[:, aims.GOAL_X : aims.GOAL_Y + 1] = np.atleast_2d(run.q)[:, root : root + 2]
        if self._stands:
            self.goals[:, aims.GOAL_SPEED] = 0.0
        self.tick(run)

    def act(self, run: Simulation) -> bool | None:
        """At multiples of its period, as whoever watches or directs it: then a run stops once for all of them."""
        self.due = next_multiple(self.due, self.period)
        self.done = self.tick(run)
        return None

    def tick(self, run: Simulation) -> bool:
        """Senses, decides, sets springs and hip torques."""
        self.seen, self.loads = self._eyes.see(run), self._foot_loads()
        self.ground = self._sight.look(self.seen, self.goals, self.state)
        self._move_goals()
        size, pace, weight = self.size, self.pace, self.weight
        q, v = np.atleast_2d(run.q), np.atleast_2d(run.v)
        seen, goals, loads = self.seen / self._scale, self.goals / self._goal_scale, self.loads / weight
        for which, (numbers, reference) in enumerate(self._numbers):
            aims.gait_now(which == 1, numbers, reference, goals, self.state, self.ground.descends, self._params)
        before = self.state[:, states.MODE].copy()
        outputs = (self._rest, self._stiffness, self._damping, self._torque, self._struck)
        period = self.period / pace
        known = seen, loads, self.ground.heights, self.ground.since
        law.stride_tick(
            period, self._params, *self._tables, goals, self.state, q, pace * v, *known, self._order, *outputs
        )
        arms = self.gestures.tick(run, self.period, self.state[:, states.MODE] == states.RUN)
        if arms is not None:
            led = np.isfinite(arms)
            for values, own in (
                (self._rest, arms),
                (self._stiffness, REACHING_STIFFNESS),
                (self._damping, REACHING_DAMPING),
            ):
                values[:, -2:] = np.where(led, own, values[:, -2:])
        effort = weight * size
        scaled = (self._rest, effort * self._stiffness, effort * pace * self._damping)
        for write, values in zip(self._writers, scaled):
            write(values)
        command = np.array(np.atleast_2d(run.command))
        command[:, self._hips] = effort * self._torque
        run.command = command[0] if run.worlds == 1 else command
        for world in np.flatnonzero(self._struck >= 0):
            side = int(self._struck[world])
            x, y, z = map(float, self.seen[world, 2 + side])
            self._feel_slope(int(world), np.array([x, y, z]))
            self.strikes.append(Strike(run.latest_time, SIDES[side], (x, y, z), int(world)))
            run.note(f"{SIDES[side]} foot strikes", int(world))
        for world in np.flatnonzero(self.state[:, states.MODE] != before):
            run.note(MODES[int(self.state[world, states.MODE])], int(world))
        return False

    def save(self) -> Any:
        """Its own state, and that of hands and head."""
        return [super().save(), self.gestures.save() if hasattr(self, "gestures") else None]

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        own, gestures = state
        super().restore(own)
        if gestures is not None:
            self.gestures.restore(gestures)

    @property
    def modes(self) -> list[str]:
        """What it does, in each world: one of MODES."""
        return [MODES[int(mode)] for mode in self.state[:, states.MODE]]

    def tell(self, world: int = 0, **goals: float) -> None:
        """Gives one world of a batch its speed [m/s], heading [rad], turning [rad/s], crouch [m], sits."""
        for name, value in goals.items():
            own = getattr(self, name)
            if np.shape(own) != (len(self.state),):
                own = np.full(len(self.state), own, float)
                setattr(self, name, own)
            own[world] = value

    # ------------------------------------------------------------ what it senses and wants
    def _foot_loads(self) -> np.ndarray:
        """Vertical force on the left and the right foot, and on what it sits on, (worlds, 3) [N]."""
        force = np.atleast_2d(self._contacts.contact_report("force_z"))
        found = np.zeros((len(force), 3))
        found[:, : len(self._groups)] = np.add.reduceat(force, self._groups, axis=1)
        return found

    def torques(self, run: Simulation, reports: np.ndarray | None = None) -> np.ndarray:
        """Of the driven joints, springs and commands together, (worlds, 14) [N·m]: legs left, right, then shoulders.

        reports   run.all_reports() of this moment, where several ask
        """
        springs = np.atleast_2d(self._springs.report(reports)["force"])
        return springs + np.atleast_2d(run.command)[:, self.speed_places]

    def _move_goals(self) -> None:
        """Goals go to what is wanted at their rates."""
        wanted = self._wanted
        wanted[:, aims.WANT_SPEED], wanted[:, aims.WANT_HEADING] = self.speed, self.heading
        wanted[:, aims.WANT_TURNING], wanted[:, aims.WANT_CROUCH] = self.turning, self.crouch
        wanted[:, aims.WANT_SIT] = self.sits
        wanted[:, aims.WANT_SLOPE], wanted[:, aims.WANT_ROUGH] = self.slope, min(self.rough, ROUGHEST * self.size)
        slow = self.pace * np.sqrt(TREAD_SPEED**2 + 2.0 * SLOWING * np.maximum(self.ground.edge - SLOW_FROM, 0.0))
        slow = np.where(np.isnan(self.ground.since), slow, self.pace * TREAD_SPEED)
        wanted[:, aims.WANT_SPEED] = np.minimum(wanted[:, aims.WANT_SPEED], slow)
        rates = (self.period, self.pace, self.acceleration, bool(self.runs))
        aims.move_goals(*rates, wanted, self.seen, self.state, self.trim, self.goals)

    def _feel_slope(self, world: int, place: np.ndarray) -> None:
        """The ground from the last strike to this one, smoothed over a few."""
        if self._sight.sees:
            return
        way = place - self._last[world]
        self._last[world] = place
        heading = self.goals[world, aims.GOAL_HEADING]
        run = way[0] * math.cos(heading) + way[1] * math.sin(heading)
        if run > SHORT * self.size and self.state[world, states.MODE] <= states.WALKING:
            felt = min(max(way[2] / run, -STEEPEST), STEEPEST)
            eases = abs(felt) < abs(self.slope[world]) > SLIGHT
            share = EASING if eases else SLOPE_SHARE
            self.slope[world] += share * (felt - self.slope[world])

    def walk_along(self, x: float, y: float, heading: float) -> None:
        """From now on along the line through (x, y) [m] in the direction `heading` [rad]."""
        self.heading = heading
        self.goals[:, aims.GOAL_X : aims.GOAL_Y + 1] = x, y
