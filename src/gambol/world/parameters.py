"""Named parameters of a running simulation: set, ramp and read them, of every world alike or one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.contact import terrain
from gambol.forces.programs import COUNT, PARAM, TYPE
from gambol.forces.ramp import PROFILES, RAMP, ramp_value, table_numbers
from gambol.forces.registry import Place

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

TERRAIN = "terrain"


def profile_tables(world: World) -> tuple[list[float], dict[str, int]]:
    """The tables of a world's profiles one after the other, and the number of each profile by name."""
    flat: list[float] = []
    numbers = {name: k for k, name in enumerate(PROFILES)}
    for name, values in world.profiles.items():
        numbers[name] = len(PROFILES) + len(flat)
        flat += table_numbers(values)
    return flat, numbers


class Parameters:
    """The parameters of the force elements of a simulation, and of its terrain, in its memory."""

    def __init__(self, sim: Simulation, profiles: dict[str, int]):
        self.sim, self.profiles = sim, profiles
        self.places = sim.elements.places | {TERRAIN: Place(terrain, [0], [])}

    def cells(self, element: str, parameter: str) -> tuple[np.ndarray, bool]:
        """First cell of a parameter in each of an element's rows, and whether it can be ramped."""
        place = self.place(element)
        numbers, ramps = place.module.NUMBERS, place.module.RAMPS
        if parameter not in numbers and parameter not in ramps:
            hint = nearest(parameter, [*numbers, *ramps])
            raise WorldError([Fault(f"{element!r} has no parameter {parameter!r}{hint}", "simulation")])
        offset = ramps.get(parameter, numbers.get(parameter))
        first = int(self.sim.memory.parameters[0])
        return first + offset + np.array(place.params, np.int64), parameter in ramps

    def place(self, element: str) -> Place:
        if element not in self.places:
            hint = nearest(element, self.places)
            raise WorldError([Fault(f"no element is called {element!r}{hint}", "simulation")])
        return self.places[element]

    def read(self, element: str, parameter: str) -> Any:
        """The value now: a number, or an array over worlds, and over the element's rows where it has several."""
        sim = self.sim
        cells, can_ramp = self.cells(element, parameter)
        if can_ramp:
            block = sim.memory.read((cells[:, None] + np.arange(RAMP)).ravel())
            block = block.reshape(*block.shape[:-1], len(cells), RAMP)
            now = np.asarray(sim.time)
            values = ramp_value(block, now[..., None] if now.ndim else now, sim.elements.tables)
        else:
            values = sim.memory.read(cells)
        values = values[..., 0] if len(cells) == 1 else values
        return float(values) if np.ndim(values) == 0 else values

    def write(self, element: str, parameter: str, values: Any, at: Any = None) -> None:
        """Sets a parameter of all rows of an element, now or `at` a time [s]; a ramp that was under way ends."""
        cells, can_ramp = self.cells(element, parameter)
        column = self._column(values)
        if at is not None:
            size = RAMP if can_ramp else 1
            ended = np.concatenate([column, column, np.zeros((*column.shape[:-1], 3))], axis=-1)[..., :size]
            for cell in cells:
                self.sim.timetable.add(at, cell + np.arange(size), ended)
        elif can_ramp:
            none = np.zeros_like(column)
            self._write_ramp(cells, [column, column, none, none, none])
        else:
            for cell in cells:
                self.sim.memory.write([cell], column, parameter)

    def ramp(
        self,
        element: str,
        parameter: str,
        to: Any,
        duration: Any,
        profile: str = "linear",
        start: Any = None,
        at: Any = None,
    ) -> None:
        """Drives a parameter from where it is now to a value over `duration` [s], from now or from `start` [s].

        With `at` [s], one time or one a world: from where it will be then, whatever is under way until then.
        """
        cells, can_ramp = self.cells(element, parameter)
        if not can_ramp:
            allowed = sorted(self.place(element).module.RAMPS)
            hint = f"those that can: {', '.join(allowed)}" if allowed else "it has none that can"
            raise WorldError([Fault(f"{parameter!r} of {element!r} cannot be ramped; {hint}", "simulation")])
        if profile not in self.profiles:
            raise WorldError([Fault(f"no profile {profile!r}{nearest(profile, self.profiles)}", "simulation")])
        if np.any(np.asarray(duration) < 0):
            raise WorldError([Fault(f"a ramp cannot take {duration} s", "simulation")])
        if at is not None:
            if start is not None:
                raise WorldError([Fault("give a ramp either `start` or `at`", "simulation")])
            self._ramp_later(cells, at, to, duration, self.profiles[profile])
            return
        begin = np.asarray(self.sim.time if start is None else start, float)
        now = self.read(element, parameter)
        for k, cell in enumerate(cells):
            own = np.asarray(now)[..., k] if len(cells) > 1 else now
            numbers = [self._column(x) for x in (own, to, begin, duration, self.profiles[profile])]
            self._write_ramp(np.array([cell]), numbers)

    def _ramp_later(self, cells: np.ndarray, at: Any, to: Any, duration: Any, profile: int) -> None:
        table, times = self.sim.timetable, np.asarray(at, self.sim.dtype)
        for cell in cells:
            own = cell + np.arange(RAMP)
            numbers = table.planned(own, times)
            new = np.empty_like(numbers)
            new[:, 0] = ramp_value(numbers, times, self.sim.elements.tables)
            new[:, 1], new[:, 2], new[:, 3], new[:, 4] = to, times, duration, profile
            table.add(times, own, new)

    def _column(self, values: Any) -> np.ndarray:
        return np.asarray(values, self.sim.dtype).reshape(-1, 1) if np.ndim(values) else np.array([values], float)

    def _write_ramp(self, cells: np.ndarray, numbers: list[np.ndarray]) -> None:
        for cell in cells:
            for k, column in enumerate(numbers):
                self.sim.memory.write([cell + k], column, "ramp")

    def ramp_ends(self, element: str, parameter: str) -> Any:
        """When the ramp of a parameter is (or was) over [s]: of the first row, over worlds."""
        cells, _ = self.cells(element, parameter)
        block = self.sim.memory.read(cells[0] + np.arange(RAMP))
        ends = block[..., 2] + block[..., 3]
        return float(ends) if np.ndim(ends) == 0 else ends

    def clipped(self) -> dict[str, float]:
        """How often elements were evaluated beyond what their laws are good for, by name (unnamed ones by type)."""
        elements, first = self.sim.elements, int(self.sim.memory.parameters[0])
        names = {start: name for name, place in elements.places.items() for start in place.params}
        found: dict[str, float] = {}
        for row in elements.table:
            module = elements.modules[row[TYPE]]
            if "clipped" not in module.NUMBERS:
                continue
            starts = row[PARAM] + module.PARAMETERS * np.arange(row[COUNT])
            counts = np.atleast_2d(self.sim.memory.read(first + starts + module.NUMBERS["clipped"])).sum(axis=0)
            for start, count in zip(starts.tolist(), counts.tolist()):
                if count > 0:
                    name = names.get(start, module.__name__.rsplit(".", maxsplit=1)[-1])
                    found[name] = found.get(name, 0.0) + count
        return found
