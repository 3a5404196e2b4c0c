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

from gambol.errors import ViewError
from gambol.forces.programs import COUNT, PARAM, TYPE
from gambol.forces.ramp import FROM, TO

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
    """Slope and gravity; friction of what touches; stiffness and damping of the joints' springs."""
    friction = _cells(sim, ("ground_contact", "sticky_contact", "body_contact"), "friction")
    found = _of_ground(sim) if len(friction) else []
    found += _of_gravity(sim, slope=not found)
    if len(friction):
        found.append(_all_alike(sim, "friction", friction))
    springs = ("joint_spring", "ball_spring")
    for what in ("stiffness", "damping"):
        cells = _cells(sim, springs, what)
        if sim.compiled.params[cells].any():
            found.append(_factor(sim, f"joint {what}", cells))
    return found


def _of_ground(sim: Simulation) -> list[Parameter]:
    """The slope of the ground: uphill is along x."""

    def get() -> float:
        return math.degrees(math.atan(sim.elements["terrain"].get("slope_x")))

    def put(value: float) -> None:
        sim.elements["terrain"].set("slope_x", math.tan(math.radians(value)))

    return [Parameter("slope", get, put, -STEEPEST, STEEPEST, unit="°")]


def _of_gravity(sim: Simulation, *, slope: bool) -> list[Parameter]:
    """Gravity; where there is no ground, a slope turns it. The ledger counts a change as what the stepper made."""
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

    turned = Parameter("slope", lambda: now["slope"], lambda x: put("slope", x), -STEEPEST, STEEPEST, unit="°")
    strength = Parameter("gravity", lambda: now["share"], lambda x: put("share", x), 0.0, 2.0, unit="× earth's")
    return [turned, strength] if slope else [strength]


def _cells(sim: Simulation, modules: Sequence[str], what: str) -> np.ndarray:
    """Where, among the parameters, `what` of all elements of these types is; both ends of what can be ramped."""
    found = []
    for row in sim.compiled.table:
        module = sim.compiled.modules[row[TYPE]]
        if module.__name__.rsplit(".", 1)[-1] in modules:
            starts = int(row[PARAM]) + module.PARAMETERS * np.arange(int(row[COUNT]))
            if what in module.RAMPS:
                found += [*(starts + module.RAMPS[what] + FROM), *(starts + module.RAMPS[what] + TO)]
            else:
                found += [*(starts + module.NUMBERS[what])]
    return np.array(found, int)


def _all_alike(sim: Simulation, label: str, cells: np.ndarray) -> Parameter:
    """One value for a parameter of many elements."""
    here = np.asarray(sim.memory.parameters)[cells]

    def put(value: float) -> None:
        sim.memory.write(here, np.full(len(here), float(value)), label)

    return Parameter(label, lambda: float(np.median(sim.memory.read(here))), put, 0.0, 2.0)


def _factor(sim: Simulation, label: str, cells: np.ndarray) -> Parameter:
    """One factor for a parameter of many elements."""
    here, described = np.asarray(sim.memory.parameters)[cells], sim.compiled.params[cells].copy()
    largest = int(np.argmax(np.abs(described)))

    def get() -> float:
        return float(sim.memory.read(here)[largest] / described[largest])

    def put(value: float) -> None:
        sim.memory.write(here, described * float(value), label)

    return Parameter(label, get, put, 0.0, 4.0, unit="× described")
