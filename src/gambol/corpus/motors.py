"""Motor programs: joint constants on their way to a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gambol.corpus.joint_elements import set_constant, start_motor
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.engine import Engine


@dataclass
class MotorProgram:
    """A joint constant on its way to a target."""

    link: CorpusLink
    parameter: str
    start: float
    target: float
    start_time: float
    end_time: float

    def value(self, time: float) -> float:
        """The constant at a time [s], on a straight line from its start to its target."""
        if time >= self.end_time or self.end_time <= self.start_time:
            return self.target
        return self.start + (self.target - self.start) * max(time - self.start_time, 0.0) / (
            self.end_time - self.start_time
        )


class MotorPrograms:
    """The motor programs of a world, by body and constant."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.running: dict[tuple[str, str], MotorProgram] = {}

    def start(self, link: CorpusLink, parameter: str, target: float, duration: float) -> None:
        """Begins a motor program; one that runs on the same constant is replaced."""
        if duration < 0:
            raise CommandError(f"the time of a motor program must not be negative, it is {duration:g} s")
        now = self.engine.world.time
        motor = MotorProgram(link, parameter, self.value(link, parameter), target, now, now + duration)
        self.running[link.full_name, parameter] = motor
        sim = self.engine.current
        if sim is not None and not start_motor(sim, motor, now):
            self.engine.invalidate()

    def value(self, link: CorpusLink, parameter: str) -> float:
        """A joint constant now."""
        motor = self.running.get((link.full_name, parameter))
        return motor.value(self.engine.world.time) if motor else link.joint.constants[parameter]

    def set_constant(self, link: CorpusLink, parameter: str, value: float) -> None:
        """Sets a joint constant; a motor program on it ends."""
        link.joint.constants[parameter] = value
        moving = self.running.pop((link.full_name, parameter), None)
        sim = self.engine.current
        if sim is not None and (moving is not None or not set_constant(sim, link, parameter, value)):
            self.engine.invalidate()

    def update_constants(self) -> None:
        """The constants take the values that the programs have given them by now."""
        for motor in self.running.values():
            motor.link.joint.constants[motor.parameter] = motor.value(self.engine.world.time)

    def drop_finished(self) -> None:
        """Forgets programs that have arrived, and those of bodies that are gone."""
        self.update_constants()
        now, here = self.engine.world.time, {link.full_name for link in self.engine.world.links()}
        self.running = {k: m for k, m in self.running.items() if m.end_time > now and k[0] in here}

    def start_all(self) -> None:
        """Starts what is under way in a new simulation."""
        sim = self.engine.sim
        assert sim is not None
        for motor in self.running.values():
            start_motor(sim, motor, self.engine.world.time)
