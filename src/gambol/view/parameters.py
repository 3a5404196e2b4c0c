"""What can be turned while it runs: a declared list, shown as sliders and menus.

A controller declares its own in an attribute `parameters`: walking speed, gait, stride … `standard` gives those that
every simulation has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.forces import ball_spring, joint_spring
from gambol.view.motion import ViewError

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

STEEPEST = 30.0  # [°]


@dataclass(frozen=True)
class Parameter:
    """A number from `lower` to `upper`, or one of `choices`.

    `get` and `set` are called between steps, never during one.
    """

    label: str
    get: Callable[[], Any]
    set: Callable[[Any], None]
    lower: float = 0.0
    upper: float = 1.0
    choices: Sequence[str] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.choices and not self.lower < self.upper:
            raise ViewError(f"parameter {self.label!r}: {self.lower:g} must be below {self.upper:g}")

    @property
    def title(self) -> str:
        return f"{self.label} [{self.unit}]" if self.unit else self.label

    def checked(self, value: Any) -> Any:
        """The value, when it is allowed."""
        if self.choices:
            if value not in self.choices:
                raise ViewError(f"{self.label} must be one of {', '.join(self.choices)}, not {value!r}")
        elif not self.lower <= value <= self.upper:
            raise ViewError(f"{self.label} must be from {self.lower:g} to {self.upper:g}, not {value:g}")
        return value


def standard(sim: Simulation) -> list[Parameter]:
    """Slope and gravity; stiffness and damping of the joints, where they have springs."""
    found = _of_gravity(sim)
    rows = _spring_rows(sim)
    if len(rows):
        found.append(_factor(sim, "joint stiffness", rows))
        found.append(_factor(sim, "joint damping", rows + 1))
    return found


def _of_gravity(sim: Simulation) -> list[Parameter]:
    """Gravity is turned rather than the ground: uphill is along x, and the ledger counts a turn as a jump."""
    described = np.array(sim.world.gravity)
    size = float(np.linalg.norm(described))
    if size == 0 or described[0] or described[1]:
        return []
    now = {"slope": 0.0, "share": 1.0}

    def put(name: str, value: float) -> None:
        now[name] = float(value)
        angle, strength = math.radians(now["slope"]), size * now["share"]
        sim.model.gravity[:] = (-strength * math.sin(angle), 0.0, -strength * math.cos(angle))
        sim.mechanics.model.gravity[:] = sim.model.gravity

    return [
        Parameter("slope", lambda: now["slope"], lambda x: put("slope", x), -STEEPEST, STEEPEST, unit="°"),
        Parameter("gravity", lambda: now["share"], lambda x: put("share", x), 0.0, 2.0, unit="× earth's"),
    ]


def _spring_rows(sim: Simulation) -> np.ndarray:
    """Where, among the parameters, the stiffness of every joint spring is; its damping follows."""
    found = []
    for kind, count, _, first, _ in sim.elements.table:
        for module in (joint_spring, ball_spring):
            if kind == module.KIND:
                found += [first + module.PARAMETERS * k for k in range(count)]
    return np.array(found, int)


def _factor(sim: Simulation, label: str, rows: np.ndarray) -> Parameter:
    """One factor for many parameters of elements."""
    described = sim.elements.params[rows].copy()
    now = [1.0]

    def put(value: float) -> None:
        now[0] = float(value)
        cells = np.asarray(sim.memory.parameters)[rows]
        sim.memory.write(cells, described * now[0], "parameters")

    return Parameter(label, lambda: now[0], put, 0.0, 4.0, unit="× described")
