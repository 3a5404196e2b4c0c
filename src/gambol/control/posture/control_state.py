"""Control states: rest angles (and strengths) of springs by name; applied, moved to, mixed, saved, loaded.

Springs are exponential springs called like their joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from gambol.errors import Fault, WorldError, shortened
from gambol.figure.document import read
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.world.simulation import Simulation
from gambol.world.world import World


@dataclass(frozen=True)
class ControlState:
    """Rest angles [rad] of springs by name, and strengths [N·m] of those that are to change."""

    rest: Mapping[str, float]
    strength: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, sim: Simulation, joints: Iterable[str] | None = None) -> ControlState:
        """The state that a single world's springs are in now."""
        names = list(joints) if joints is not None else springs_of(sim.world)
        return cls({name: float(sim.elements[name].get("rest")) for name in names})

    def apply(self, sim: Simulation) -> None:
        """At once."""
        for parameter, values in (("rest", self.rest), ("strength", self.strength)):
            for name, value in values.items():
                sim.elements[name].set(parameter, value)

    def move(self, sim: Simulation, duration: float, *, profile: str = "linear") -> None:
        """By motor programs of `duration` [s]."""
        for parameter, values in (("rest", self.rest), ("strength", self.strength)):
            for name, value in values.items():
                sim.elements[name].ramp(parameter, value, duration, profile=profile)

    def mixed(self, other: ControlState, share: float) -> ControlState:
        """On the way to another state: 0 is this one, 1 the other."""
        return ControlState(_mixed(self.rest, other.rest, share), _mixed(self.strength, other.strength, share))

    def changed(self, **rest: float) -> ControlState:
        """With other rest angles of some joints."""
        return replace(self, rest={**self.rest, **rest})

    def write(self, path: str | Path) -> None:
        """As YAML."""
        Path(path).write_text(yaml.safe_dump({"rest": dict(self.rest), "strength": dict(self.strength)}))

    @classmethod
    def read(cls, path: str | Path) -> ControlState:
        """A state written by `write`."""
        document = read(path)
        data = document.data if isinstance(document.data, dict) else {}
        parts = {key: data.get(key) for key in ("rest", "strength")}
        for key, values in parts.items() if not document.faults else ():
            if not isinstance(values, dict) and (key == "rest" or values is not None):
                document.add(f"{key} is wanted as {{JOINT: number, …}}", document.line((key,)))
            for name, value in values.items() if isinstance(values, dict) else ():
                if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                    document.add(f"{key} of {shortened(name)!r} must be a finite number", document.line((key, name)))
        if document.faults:
            raise WorldError([replace(f, message=f"not a control state: {f.message}") for f in document.faults])
        return cls(*({str(k): float(v) for k, v in (values or {}).items()} for values in parts.values()))


def _mixed(a: Mapping[str, float], b: Mapping[str, float], share: float) -> dict[str, float]:
    if set(a) != set(b):
        odd = sorted(set(a) ^ set(b))
        raise WorldError([Fault(f"two control states of different joints cannot be mixed: {', '.join(odd[:5])}")])
    return {name: (1.0 - share) * value + share * b[name] for name, value in a.items()}


def springs_of(world: World) -> list[str]:
    """Names of the exponential springs that are called like their joints."""
    return [e.name for e in world.elements if isinstance(e, ExponentialSpring) and e.name == e.joint]
