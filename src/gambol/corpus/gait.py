"""The roach's gait controller: an oscillator for each leg starts its step, reflexes hasten or hold it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gambol.corpus.lines import Line
from gambol.corpus.lists import repeat
from gambol.errors import CommandError
from gambol.stepping.controller import Controller

if TYPE_CHECKING:
    from gambol.corpus.corpora import Corpus, CorpusLink
    from gambol.corpus.worlds import ScriptWorld


class LegState(StrEnum):
    """What a leg does; a potential step waits until its load allows it."""

    STANCE = "stance"
    POTENTIAL = "potential step"
    STEP = "step"


STEP_PHASE = 90.0  # [degrees] of phase at which a leg may step


@dataclass
class GaitLeg:
    """One leg: even numbers are left, and the rank counts from the front."""

    number: int
    state: LegState = LegState.STANCE
    since: float = 0.0  # [s] in this state
    phase: float | None = None  # [degrees]
    step: list[Line] = field(default_factory=list)
    stance: list[Line] = field(default_factory=list)
    trigger: tuple[CorpusLink, float, str] | None = None
    load: tuple[CorpusLink, float] | None = None

    @property
    def rank(self) -> int:
        """0 in front, 1 in the middle, 2 behind."""
        return self.number // 2

    @property
    def side(self) -> float:
        """Phase of its side [degrees]: 0 on the left, 180 on the right."""
        return 180.0 * (self.number % 2)


@dataclass(eq=False)
class GaitController(Controller):
    """Acts once a frame, as in the source. Times in seconds.

    Step time t_p = delay t_d = metabolism m, cycle T = 2 m × speed, stance = T − t_p.
    """

    name: str
    corpus: Corpus
    world: ScriptWorld
    frame: int = -1  # the frame in which it acted last
    metabolism: float = 0.05
    speed: float = 1.0
    speed_increment: float = 0.0
    top_speed: float = 1.0
    bottom_speed: float = 1000.0
    step_time: float = 0.05
    stance_time: float = 0.05
    cycle_time: float = 0.1
    leg_delay: float = 0.05
    master_phase: float = 0.0  # [degrees]
    running: bool = False
    step_reflex: bool = False
    load_reflex: bool = False
    legs: dict[int, GaitLeg] = field(default_factory=lambda: {n: GaitLeg(n) for n in range(6)})

    def set_metabolism(self, value: float) -> None:
        """Sets the time of a step and the delay between the legs of a side [s]."""
        if not value > 0:
            raise CommandError(f"the metabolism must be positive, it is {value:g}")
        self._retime(value, self.speed, value)
        self.leg_delay = value

    def set_speed(self, value: float) -> None:
        """Sets the divisor of the speed: 1 is the fastest gait."""
        if not value > 0:
            raise CommandError(f"the speed must be positive, it is {value:g}")
        self._retime(self.metabolism, value, self.step_time)

    def _retime(self, metabolism: float, speed: float, step_time: float) -> None:
        cycle = 2.0 * metabolism * speed
        if not cycle > step_time:
            least = step_time / (2.0 * metabolism)
            raise CommandError(
                f"a speed of {speed:g} leaves no time to stand: a cycle of {cycle:g} s, a step of {step_time:g} s;"
                f" 1 is top speed and larger is slower, it must be more than {least:g}"
            )
        self.metabolism, self.speed, self.step_time = metabolism, speed, step_time
        self.cycle_time, self.stance_time = cycle, cycle - step_time

    def increase(self) -> None:
        """Changes the speed by the increment, within the limits (top is the smaller divisor)."""
        self.set_speed(min(max(self.speed + self.speed_increment, self.top_speed), self.bottom_speed))

    def initialise(self) -> None:
        """Every leg stands; the oscillators begin at zero."""
        self.master_phase = 0.0
        self.running = True
        for leg in self.legs.values():
            leg.state, leg.since, leg.phase = LegState.STANCE, 0.0, None

    def phase_of(self, leg: GaitLeg) -> float:
        """The phase of a leg's oscillator [degrees]."""
        return self.master_phase + 360.0 * self.leg_delay / self.cycle_time * leg.rank + leg.side

    # ------------------------------------------------------------ the contract of controllers
    def next_time(self, run: Any) -> float:
        """At the beginning of every frame of its world."""
        return run.latest_time if self.running and self.frame != self.world.frame else math.inf

    def act(self, run: Any) -> bool | None:
        """One frame; ends the run where a leg's commands have changed what is simulated."""
        self.frame = self.world.frame
        self.advance()
        engine = self.world.engine
        return False if engine.stale or engine.state_stale else None

    def save(self) -> Any:
        """Its clock, and what every leg does."""
        legs = {leg.number: (leg.state, leg.since, leg.phase) for leg in self.legs.values()}
        return {"master_phase": self.master_phase, "frame": self.frame, "legs": legs}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        self.master_phase, self.frame = state["master_phase"], state["frame"]
        for number, did in state["legs"].items():
            leg = self.legs[number]
            leg.state, leg.since, leg.phase = did

    def advance(self) -> None:
        """One frame: ends steps first, then starts new ones."""
        dt = self.world.dt
        for leg in self.legs.values():
            leg.since += dt
            self._look(leg)
        for leg in self.legs.values():
            if leg.state == LegState.STEP and leg.since >= self.step_time - 1e-9:
                self._enter(leg, LegState.STANCE, leg.stance, self.stance_time)
        for leg in self.legs.values():
            if leg.state == LegState.POTENTIAL and not self._held(leg):
                self._enter(leg, LegState.STEP, leg.step, self.step_time)
        self.master_phase += 360.0 * dt / self.cycle_time

    def _look(self, leg: GaitLeg) -> None:
        """Has the leg's oscillator passed its peak, or its joint the trigger?"""
        phase = self.phase_of(leg)
        before, leg.phase = leg.phase, phase
        turns = (phase - STEP_PHASE) // 360.0
        peaked = before is not None and turns > (before - STEP_PHASE) // 360.0
        if leg.state == LegState.STANCE and (peaked or self._triggered(leg)):
            leg.state = LegState.POTENTIAL

    def _triggered(self, leg: GaitLeg) -> bool:
        if not (self.step_reflex and leg.trigger):
            return False
        link, angle, sign = leg.trigger
        return link.q > angle if sign == "+" else link.q < angle

    def _held(self, leg: GaitLeg) -> bool:
        if not (self.load_reflex and leg.load):
            return False
        link, force = leg.load
        return abs(self.world.engine.measurements.joint_force(link)) > force

    def _enter(self, leg: GaitLeg, state: LegState, program: list[Line], span: float) -> None:
        leg.state, leg.since = state, 0.0
        interpreter = self.world.worlds.interpreter
        before, interpreter.program_duration = interpreter.program_duration, span
        try:
            repeat(interpreter, program, 1, f"leg {leg.number}")
        finally:
            interpreter.program_duration = before

    def leg(self, number: int) -> GaitLeg:
        """A leg by its number."""
        if number not in self.legs:
            raise CommandError(f"there is no leg {number}: legs are numbered from 0 to {len(self.legs) - 1}")
        return self.legs[number]
