"""The roach's gait controller: an oscillator for each leg starts its step, reflexes hasten or hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from gambol.corpus.lines import Line
from gambol.corpus.lists import repeat
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Corpus, CorpusLink
    from gambol.corpus.interpreter import Interpreter


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


@dataclass
class GaitController:
    """Times in seconds. Step time t_p = delay t_d = metabolism m, cycle T = 2 m × speed, stance = T − t_p."""

    name: str
    corpus: Corpus
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
        self.metabolism = value
        self.step_time = self.leg_delay = value
        self._retime()

    def set_speed(self, value: float) -> None:
        """Sets the divisor of the speed: 1 is the fastest gait."""
        if not value > 0:
            raise CommandError(f"the speed must be positive, it is {value:g}")
        self.speed = value
        self._retime()

    def _retime(self) -> None:
        self.cycle_time = 2.0 * self.metabolism * self.speed
        self.stance_time = self.cycle_time - self.step_time

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

    def advance(self, interpreter: Interpreter, time: float, dt: float) -> None:
        """One frame: ends steps first, then starts new ones."""
        if not self.running:
            return
        for leg in self.legs.values():
            leg.since += dt
            self._look(leg)
        for leg in self.legs.values():
            if leg.state == LegState.STEP and leg.since >= self.step_time - 1e-9:
                self._enter(interpreter, leg, LegState.STANCE, leg.stance, self.stance_time)
        for leg in self.legs.values():
            if leg.state == LegState.POTENTIAL and not self._held(leg):
                self._enter(interpreter, leg, LegState.STEP, leg.step, self.step_time)
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
        return abs(link.joint.force) > force

    def _enter(self, interpreter: Interpreter, leg: GaitLeg, state: LegState, program: list[Line], span: float) -> None:
        leg.state, leg.since = state, 0.0
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
