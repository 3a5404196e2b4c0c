"""The hexapod's gait controller: an oscillator for each leg starts its step, reflexes hasten or hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gambol.corpus.lines import Line
from gambol.corpus.lists import repeat
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Corpus, Link
    from gambol.corpus.interpreter import Interpreter

STANCE, POTENTIAL, STEP = "stance", "potential step", "step"
PEAK = 90.0  # [degrees] of phase at which a leg may step


@dataclass
class Leg:
    """One leg: even numbers are left, and the rank counts from the front."""

    number: int
    state: str = STANCE
    since: float = 0.0  # [s] in this state
    phase: float | None = None  # [degrees]
    step: list[Line] = field(default_factory=list)
    stance: list[Line] = field(default_factory=list)
    trigger: tuple[Link, float, str] | None = None
    load: tuple[Link, float] | None = None

    @property
    def rank(self) -> int:
        return self.number // 2

    @property
    def side(self) -> float:
        return 180.0 * (self.number % 2)


@dataclass
class Gait:
    """Times in seconds. Step time t_p = delay t_d = metabolism m, cycle T = 2 m × speed, stance = T − t_p."""

    name: str
    corpus: Corpus
    metabolism: float = 0.05
    speed: float = 1.0
    change: float = 0.0
    top: float = 1.0
    bottom: float = 1000.0
    step_time: float = 0.05
    stance_time: float = 0.05
    cycle_time: float = 0.1
    delay: float = 0.05
    master: float = 0.0  # [degrees]
    running: bool = False
    step_reflex: bool = False
    load_reflex: bool = False
    legs: dict[int, Leg] = field(default_factory=lambda: {n: Leg(n) for n in range(6)})

    def set_metabolism(self, value: float) -> None:
        if not value > 0:
            raise CommandError(f"the metabolism must be positive, it is {value:g}")
        self.metabolism = value
        self.step_time = self.delay = value
        self._retime()

    def set_speed(self, value: float) -> None:
        if not value > 0:
            raise CommandError(f"the speed must be positive, it is {value:g}")
        self.speed = value
        self._retime()

    def _retime(self) -> None:
        self.cycle_time = 2.0 * self.metabolism * self.speed
        self.stance_time = self.cycle_time - self.step_time

    def increase(self) -> None:
        """Changes the speed by the increment, within the limits (top is the smaller divisor)."""
        self.set_speed(min(max(self.speed + self.change, self.top), self.bottom))

    def initialise(self) -> None:
        """Every leg stands; the oscillators begin at zero."""
        self.master = 0.0
        self.running = True
        for leg in self.legs.values():
            leg.state, leg.since, leg.phase = STANCE, 0.0, None

    def phase_of(self, leg: Leg) -> float:
        return self.master + 360.0 * self.delay / self.cycle_time * leg.rank + leg.side

    def advance(self, it: Interpreter, time: float, dt: float) -> None:
        """One frame: ends steps first, then starts new ones."""
        if not self.running:
            return
        for leg in self.legs.values():
            leg.since += dt
            self._look(leg)
        for leg in self.legs.values():
            if leg.state == STEP and leg.since >= self.step_time - 1e-9:
                self._enter(it, leg, STANCE, leg.stance, self.stance_time)
        for leg in self.legs.values():
            if leg.state == POTENTIAL and not self._held(leg):
                self._enter(it, leg, STEP, leg.step, self.step_time)
        self.master += 360.0 * dt / self.cycle_time

    def _look(self, leg: Leg) -> None:
        """Has the leg's oscillator passed its peak, or its joint the trigger?"""
        phase = self.phase_of(leg)
        before, leg.phase = leg.phase, phase
        turns = (phase - PEAK) // 360.0
        peaked = before is not None and turns > (before - PEAK) // 360.0
        if leg.state == STANCE and (peaked or self._triggered(leg)):
            leg.state = POTENTIAL

    def _triggered(self, leg: Leg) -> bool:
        if not (self.step_reflex and leg.trigger):
            return False
        link, angle, sign = leg.trigger
        return link.q > angle if sign == "+" else link.q < angle

    def _held(self, leg: Leg) -> bool:
        if not (self.load_reflex and leg.load):
            return False
        link, force = leg.load
        return abs(link.joint.force) > force

    def _enter(self, it: Interpreter, leg: Leg, state: str, program: list[Line], span: float) -> None:
        leg.state, leg.since = state, 0.0
        before, it.span = it.span, span
        try:
            repeat(it, program, 1, f"leg {leg.number}")
        finally:
            it.span = before

    def leg(self, number: int) -> Leg:
        if number not in self.legs:
            raise CommandError(f"there is no leg {number}: legs are numbered from 0 to {len(self.legs) - 1}")
        return self.legs[number]
