"""Motor programs: joint constants on their way to a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gambol.corpus.joint_elements import set_constant, start_motor
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Link
    from gambol.corpus.engine import Engine


@dataclass
class Motor:
    """A joint constant on its way to a target."""

    link: Link
    parameter: str
    start: float
    target: float
    begun: float
    ends: float

    def value(self, time: float) -> float:
        if time >= self.ends or self.ends <= self.begun:
            return self.target
        return self.start + (self.target - self.start) * max(time - self.begun, 0.0) / (self.ends - self.begun)


class Motors:
    """The motor programs of a world, by body and constant."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.running: dict[tuple[str, str], Motor] = {}

    def start(self, link: Link, parameter: str, target: float, duration: float) -> None:
        """Begins a motor program; one that runs on the same constant is replaced."""
        if duration < 0:
            raise CommandError(f"the time of a motor program must not be negative, it is {duration:g} s")
        now = self.engine.realm.time
        motor = Motor(link, parameter, self.value(link, parameter), target, now, now + duration)
        self.running[link.full_name, parameter] = motor
        sim = self.engine.current
        if sim is not None and not start_motor(sim, motor, now):
            self.engine.rebuild()

    def value(self, link: Link, parameter: str) -> float:
        """A joint constant now."""
        motor = self.running.get((link.full_name, parameter))
        return motor.value(self.engine.realm.time) if motor else link.joint.numbers[parameter]

    def set_constant(self, link: Link, parameter: str, value: float) -> None:
        """Sets a joint constant; a motor program on it ends."""
        link.joint.numbers[parameter] = value
        moving = self.running.pop((link.full_name, parameter), None)
        sim = self.engine.current
        if sim is not None and (moving is not None or not set_constant(sim, link, parameter, value)):
            self.engine.rebuild()

    def follow(self) -> None:
        """The constants take the values that the programs have given them by now."""
        for motor in self.running.values():
            motor.link.joint.numbers[motor.parameter] = motor.value(self.engine.realm.time)

    def settle(self) -> None:
        """Forgets programs that have arrived, and those of bodies that are gone."""
        self.follow()
        now, here = self.engine.realm.time, {link.full_name for link in self.engine.realm.links()}
        self.running = {k: m for k, m in self.running.items() if m.ends > now and k[0] in here}

    def send(self) -> None:
        """Starts what is under way in a new simulation."""
        sim = self.engine.sim
        assert sim is not None
        for motor in self.running.values():
            start_motor(sim, motor, self.engine.realm.time)
