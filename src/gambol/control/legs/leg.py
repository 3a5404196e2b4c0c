"""Legs as data: which side and row they are in, and the motor programs of their step and their stance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace

from gambol.errors import Fault, WorldError, nearest


@dataclass(frozen=True)
class Stroke:
    """One motor of a leg program: drive the rest angle of `joint` to `target` [rad].

    `start` and `duration` are shares of the time that the program takes (that of the step, or of the stance).
    """

    joint: str
    target: float
    start: float = 0.0
    duration: float = 1.0
    profile: str = "linear"


@dataclass(frozen=True)
class LegProgram:
    """What a leg does in one phase: strokes, in the order of their starts."""

    strokes: tuple[Stroke, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "strokes", tuple(sorted(self.strokes, key=lambda s: s.start)))

    def scaled(self, joint: str, about: float, factor: float) -> LegProgram:
        """The same program with the targets of one joint moved to `about` + factor · (target - about)."""
        strokes = [
            replace(s, target=about + factor * (s.target - about)) if s.joint == joint else s for s in self.strokes
        ]
        return LegProgram(tuple(strokes))

    def shifted(self, joint: str, by: float) -> LegProgram:
        """The same program with the targets of one joint moved by an angle [rad]."""
        return LegProgram(tuple(replace(s, target=s.target + by) if s.joint == joint else s for s in self.strokes))

    def last(self, joint: str) -> float:
        """Where the program leaves a joint [rad]."""
        return [s.target for s in self.strokes if s.joint == joint][-1]


@dataclass(frozen=True)
class Leg:
    """A leg: `side` "left" or "right", `rank` 0 for the front pair, 1 for the next, …

    `foot` is the body that touches the ground, `shins` those before it that may bump into things. Legs that must not
    step while this one does are its neighbours. `straight`: its foot goes straight back in stance, and all its joints
    (not the first alone) swing by as much as strokes are made longer or shorter.
    """

    name: str
    _: KW_ONLY
    side: str
    rank: int
    step: LegProgram
    stance: LegProgram
    neighbours: tuple[str, ...] = ()
    foot: str = ""
    shins: tuple[str, ...] = ()
    straight: bool = False

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints its programs drive, from the body outward."""
        return tuple(dict.fromkeys(s.joint for s in (*self.step.strokes, *self.stance.strokes)))


def check_legs(legs: Sequence[Leg]) -> None:
    """An error that lists everything wrong with a set of legs."""
    names = [leg.name for leg in legs]
    faults = [Fault(f"two legs are called {n!r}") for n in sorted({n for n in names if names.count(n) > 1})]
    faults += [fault for leg in legs for fault in _faults(leg, names)]
    if not legs:
        faults.append(Fault("a gait needs at least one leg"))
    if faults:
        raise WorldError(faults)


def _faults(leg: Leg, names: list[str]) -> Iterator[Fault]:
    where = f"leg {leg.name}"
    if leg.side not in ("left", "right"):
        yield Fault(f"side must be 'left' or 'right', not {leg.side!r}", where)
    for other in leg.neighbours:
        if other not in names:
            yield Fault(f"no leg is called {other!r}{nearest(other, names)}", where)
    for stroke in (*leg.step.strokes, *leg.stance.strokes):
        if not (0.0 <= stroke.start <= 1.0 and 0.0 <= stroke.duration <= 1.0):
            yield Fault(f"start and duration of a stroke are shares from 0 to 1, not {stroke}", where)
