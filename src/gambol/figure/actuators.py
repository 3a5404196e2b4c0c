"""What figures say of their motors and batteries: constants as name plates give them. What they do is in `forces`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from gambol.figure.placement import Problem, number_problem

DRIVES = ("voltage", "torque")


def _given(about: str, **default: Any) -> Any:
    return field(metadata={"about": about}, **default)


class Constants:
    """Numbers, texts and curves of a thing, each with its unit in `about` of the field."""

    POSITIVE: tuple[str, ...] = ()
    SIGNED: tuple[str, ...] = ()  # numbers that may be negative

    def problems(self) -> Iterator[Problem]:
        """Everything wrong with the numbers: (field,), and what."""
        for name, value in self.given().items():
            if isinstance(value, str | tuple) or value is None:
                continue
            if problem := number_problem(value):
                yield (name,), f"{name} {problem}"
            elif name in self.POSITIVE and not value > 0:
                yield (name,), f"{name} must be positive, it is {value:g}"
            elif value < 0 and name not in self.SIGNED:
                yield (name,), f"{name} must not be negative, it is {value:g}"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Fields that a figure gives."""
        return tuple(item.name for item in fields(cls) if "about" in item.metadata)  # type: ignore[arg-type]

    def given(self) -> dict[str, Any]:
        """Its constants by name."""
        return {name: getattr(self, name) for name in self.names()}


@dataclass(frozen=True, kw_only=True)
class MotorConstants(Constants):
    """A brushed DC motor with its gear at one coordinate of a joint; gear, gains and friction are seen at the joint.

    asked = command + position_gain (rest - q) + speed_gain (speed - v)

    is the voltage [V] of a `drive` by voltage, the torque [N·m] of one by torque (its amplifier rules the current);
    either is bounded by the voltage there is. Where the joint slides: N for N·m, m for rad, gear in rad/m.
    """

    torque_constant: float = _given("[N·m/A] at the shaft")
    resistance: float = _given("of the armature [Ω]")
    gear: float = _given("turns of the shaft per turn of the joint", default=1.0)
    back_emf: float | None = _given("[V·s/rad] at the shaft; left out: the torque constant", default=None)
    supply: float = _given("[V] that it has without a battery", default=0.0)
    battery: str = _given("name of the battery it draws from", default="")
    drive: str = _given("what is commanded: voltage or torque", default="voltage")
    command: float = _given("[V], or [N·m] of a drive by torque", default=0.0)
    position_gain: float = _given("[V/rad or N·m/rad]", default=0.0)
    speed_gain: float = _given("[V·s/rad or N·m·s/rad]", default=0.0)
    rest: float = _given("position asked for [rad]", default=0.0)
    speed: float = _given("speed asked for beside that of a ramped rest [rad/s]", default=0.0)
    current_limit: float | None = _given("[A]; left out: none", default=None)
    efficiency: float = _given("of the gear: the share of the torque that its friction leaves", default=1.0)
    friction: float = _given("dry, at the joint [N·m]", default=0.0)
    damping: float = _given("of gear and bearings, at the joint [N·m·s/rad]", default=0.0)
    creep: float = _given("speed over which friction changes sign [rad/s]", default=1e-3)
    rotor_inertia: float = _given("[kg·m²] at the shaft", default=0.0)
    coordinate: int = _given("which coordinate of the joint, from 0", default=0)

    POSITIVE = ("torque_constant", "resistance", "gear", "back_emf", "creep", "efficiency", "current_limit")
    SIGNED = ("command", "rest", "speed")

    def problems(self) -> Iterator[Problem]:
        """Also: an efficiency is a share, a drive one of two."""
        yield from super().problems()
        if self.drive not in DRIVES:
            yield ("drive",), f"drive is one of {' and '.join(DRIVES)}, not {self.drive!r}"
        if not number_problem(self.efficiency) and self.efficiency > 1:
            yield ("efficiency",), f"efficiency must not be above 1, it is {self.efficiency:g}"
        if not self.battery and not number_problem(self.supply) and self.supply == 0:
            yield ("supply",), "needs a battery or a supply [V]"

    @property
    def reflected_inertia(self) -> float:
        """Of its rotor, at the joint [kg·m²]."""
        return self.rotor_inertia * self.gear**2


@dataclass(frozen=True, kw_only=True)
class BatteryConstants(Constants):
    """A battery that motors share; in figures it has a name."""

    name: str = _given("what its motors call it", default="")
    voltage: float = _given("of the full battery without load [V]")
    resistance: float = _given("inner resistance [Ω]; 0: the voltage does not sag", default=0.0)
    droop: float = _given("share of the voltage lost when it is empty", default=0.0)
    lag: float = _given("time in which the voltage at the motors follows the load [s]", default=5e-3)
    capacity: float | None = _given("[A·h]; left out: it never runs empty", default=None)
    discharge: tuple[tuple[float, float], ...] = _given(
        "instead of a capacity: times to empty at constant currents, pairs of [A] and [s] in rising currents",
        default=(),
    )
    nominal: float = _given(
        "voltage [V] that the discharge curve belongs to: it drains in the ratio of the highest voltage of a motor to"
        " this one; 0: by the current alone",
        default=0.0,
    )
    used: float = _given("share drained at the start", default=0.0)

    POSITIVE = ("voltage", "lag", "capacity")

    def __post_init__(self) -> None:
        curve = tuple(tuple(map(float, pair)) for pair in self.discharge)
        object.__setattr__(self, "discharge", curve)

    def problems(self) -> Iterator[Problem]:
        """Also: the discharge curve."""
        yield from super().problems()
        if self.capacity is not None and self.discharge:
            yield ("discharge",), "a battery has a capacity or a discharge curve, not both"
        if self.discharge and not _is_curve(self.discharge):
            yield ("discharge",), "discharge must be at least two pairs of current [A] and time [s], currents rising"


def _is_curve(curve: Sequence[Sequence[float]]) -> bool:
    currents = [pair[0] for pair in curve]
    return len(curve) > 1 and all(len(p) == 2 and min(p) > 0 for p in curve) and sorted(set(currents)) == currents
