"""The force elements of a running simulation, by name: read, set and ramp their parameters, ask what they report.

    knee = sim.elements["knee spring"]
    knee.get("rest"), knee.set("stiffness", 3.0), knee.ramp("rest", 0.5, 0.2)
    knee.report()["force"]
    legs = sim.elements["hip", "knee", "ankle"]            # several at once: arrays over worlds × elements
    legs.set("rest", targets)
    sim.elements.of_type(GroundContact).set("friction", 0.4)

A value is one number for all worlds, or (worlds,), or (worlds, rows): an element has as many rows as it has points or
coordinates, several elements one after the other. In a single world the axis of worlds is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.contact import terrain
from gambol.forces.element import Element, layout_point
from gambol.forces.kernel import ElementKernel
from gambol.forces.ramp import DURATION, FROM, PROFILE, PROFILES, RAMP, START, TO, ramp_value, table_numbers
from gambol.forces.registry import ElementRow
from gambol.stepping import given
from gambol.stepping.memory import CellWriter

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

TERRAIN = "terrain"
TERRAIN_KERNEL = ElementKernel(home=terrain.__name__, numbers=terrain.NUMBERS, name=TERRAIN)  # its plane


def profile_tables(world: World) -> tuple[list[float], dict[str, int]]:
    """The tables of a world's profiles one after the other, and the number of each profile by name."""
    flat: list[float] = []
    numbers = {name: k for k, name in enumerate(PROFILES)}
    for name, values in world.profiles.items():
        numbers[name] = len(PROFILES) + len(flat)
        flat += table_numbers(values)
    return flat, numbers


class Elements(Mapping[str, "ElementHandle"]):
    """The force elements of a simulation by name, and its "terrain"; unnamed ones by their type (`of_type`)."""

    def __init__(self, sim: Simulation, profiles: dict[str, int]):
        self.sim, self.profiles = sim, profiles
        self._rows: dict[str, tuple[ElementRow, ...]] = {}
        for element, rows in zip(sim.world.elements, sim.compiled.rows):
            if element.name:
                self._rows[element.name] = rows
        self._rows[TERRAIN] = (ElementRow(TERRAIN_KERNEL),)
        self._ahead: Foreseen | None = None
        self._ramped = False  # has anything been ramped since the simulation was made?

    def __getitem__(self, name: str | tuple[str, ...]) -> ElementHandle:
        """The element called `name`; given several names, all of them as one."""
        names = (name,) if isinstance(name, str) else tuple(name)
        rows: list[ElementRow] = []
        for own in names:
            if own not in self._rows:
                raise WorldError([Fault(f"no element is called {own!r}{nearest(str(own), self._rows)}", "simulation")])
            rows += self._rows[own]
        return ElementHandle(self, names, rows, single=isinstance(name, str) and len(rows) == 1)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def of_type(self, *types: type[Element]) -> ElementHandle:
        """All elements of these types, named or not, as one (it may be empty)."""
        chosen = [(e, own) for e, own in zip(self.sim.world.elements, self.sim.compiled.rows) if isinstance(e, types)]
        return ElementHandle(self, [e.name for e, _ in chosen], [row for _, own in chosen for row in own])

    def reporting(self, *reports: str) -> ElementHandle:
        """All elements, named or not, that report all of these, as one."""
        chosen = [
            (element, [row for row in own if set(reports) <= set(row.kernel.reports)])
            for element, own in zip(self.sim.world.elements, self.sim.compiled.rows)
        ]
        return ElementHandle(self, [e.name for e, own in chosen if own], [row for _, own in chosen for row in own])

    def at_joints(self) -> tuple[ElementHandle, list[tuple[str, int]]]:
        """All elements at joints that report a force, as one; and of each the body of its joint, and how many rows."""
        layout = self.sim.layout
        chosen = [
            (element, own, layout.body(joint).name)
            for element, own in zip(self.sim.world.elements, self.sim.compiled.rows)
            if isinstance(joint := getattr(element, "joint", None), str) and own and "force" in own[0].kernel.reports
        ]
        handle = ElementHandle(self, [e.name for e, _, _ in chosen], [row for _, own, _ in chosen for row in own])
        return handle, [(body, len(own)) for _, own, body in chosen]

    def clipped(self) -> dict[str, float]:
        """How often elements were evaluated beyond what their laws are good for, by name (unnamed ones by type)."""
        sim, found = self.sim, dict[str, float]()
        for element, rows in zip(sim.world.elements, sim.compiled.rows):
            if rows and "clipped" in rows[0].kernel.numbers:
                count = float(np.sum(ElementHandle(self, [element.name], rows).get("clipped")))
                if count > 0:
                    name = element.name or element.type_name()
                    found[name] = found.get(name, 0.0) + count
        return found

    # ------------------------------------------------------------ cells
    @property
    def _first(self) -> int:
        return int(self.sim.memory.parameters[0])

    def _write(self, cells: np.ndarray, values: np.ndarray, worlds: np.ndarray | None, what: str) -> None:
        """At once."""
        self._ahead = None
        self.sim.memory.write(self._first + cells, values, what, worlds)

    def shift_ramps(self, by: float) -> None:
        """Ramps begin so much later [s]."""
        if not self._ramped:
            return
        cells = self._first + self._ramps + START
        self.sim.memory.write(cells, self.sim.memory.read(cells) + self.sim.dtype(by), "starts of ramps")
        self.forget_ahead()

    def forget_ahead(self) -> None:
        """Forgets what timed writes will leave: they were changed."""
        self._ahead = None

    @cached_property
    def _ramps(self) -> np.ndarray:
        """Where the ramps of all elements begin among the parameters."""
        rows = [row for own in (*self._rows.values(), *self.sim.compiled.rows) for row in own]
        several = {id(row): row for row in rows}.values()
        return np.array([r.param + r.kernel.places[name] for r in several for name in r.kernel.ramps], np.int64)

    def _numbers_at(self, cells: np.ndarray, times: np.ndarray) -> np.ndarray:
        """What cells will hold, (worlds, cells), when the timed writes up to `times` are made."""
        table, first = self.sim.timetable, float(np.min(times))
        if self._ahead is None or self._ahead.version != table.version:
            last = table.last_time
            if first < last:
                return table.planned(self._first + cells, times)
            self._ahead = Foreseen(self.sim, last)
            self._ahead.numbers_of((self._ramps[:, None] + np.arange(RAMP)).ravel())
        if first < self._ahead.time:
            return table.planned(self._first + cells, times)
        return self._ahead.numbers_of(cells)

    def _write_later(self, times: np.ndarray, cells: np.ndarray, values: np.ndarray, worlds: np.ndarray | None) -> None:
        """Timed writes; what they will leave is remembered, so that the next ones need not look it up."""
        table, first, ahead = self.sim.timetable, float(np.min(times)), self._ahead
        known = ahead is not None and ahead.version == table.version and first >= ahead.time
        table.add(times, self._first + cells, values, worlds)
        if ahead is not None and known:
            ahead.enter(worlds, cells, values, float(np.max(times)))
        else:
            self._ahead = None


class ParameterWriter:
    """Sets a parameter of some elements in all worlds, to (worlds, rows) finite numbers of their type."""

    def __init__(self, elements: Elements, cells: CellWriter):
        self._elements, self._cells = elements, cells

    def __call__(self, values: np.ndarray) -> None:
        """Now."""
        self._elements.forget_ahead()
        self._cells(values)

    def take(self, room: np.ndarray, first: int, factor: np.ndarray, offset: np.ndarray) -> None:
        """To columns of a room (Rows.column_room) from `first` on, each times its factor plus its offset."""
        self._elements.forget_ahead()
        self._cells.take(room, first, factor, offset)


class Foreseen:
    """Parameters as they will be after all timed writes, of those that were asked for; looked up once.

    time      [s] of the last of those writes: from then on it holds
    version   of the timetable that it holds for
    """

    def __init__(self, sim: Simulation, time: float):
        self._table, self._parameters = sim.timetable, sim.memory.parameters
        self._place = np.full(len(self._parameters), -1)
        self._numbers: np.ndarray = np.empty((0, sim.worlds), sim.dtype)  # worlds side by side
        self.time, self.version = time, self._table.version

    def numbers_of(self, cells: np.ndarray) -> np.ndarray:
        """(worlds, cells)."""
        new = np.unique(cells[self._place[cells] < 0])
        if len(new):
            self._place[new] = len(self._numbers) + np.arange(len(new))
            found = self._table.planned(self._parameters[new], np.inf)
            self._numbers = np.concatenate([self._numbers, found.T])
        return self._numbers[self._place[cells]].T

    def enter(self, worlds: np.ndarray | None, cells: np.ndarray, values: np.ndarray, time: float) -> None:
        """One more write, which the timetable has just taken."""
        known = self._place[cells] >= 0
        places, numbers = self._place[cells[known]], np.atleast_2d(values).T[known]
        self._numbers[places if worlds is None else np.ix_(places, worlds)] = numbers
        self.time, self.version = time, self._table.version


class ElementHandle:
    """One element, or several as one: their parameters and reports. Made by `sim.elements[…]`."""

    def __init__(self, elements: Elements, names: Sequence[str], rows: Sequence[ElementRow], *, single: bool = False):
        self._elements, self._sim, self._rows, self._single = elements, elements.sim, tuple(rows), single
        self.names = tuple(names)
        self._cells: dict[str, tuple[np.ndarray, bool]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that all of them have."""
        common = [row.kernel.places for row in self._rows]
        return tuple(name for name in (common[0] if common else ()) if all(name in own for own in common))

    @property
    def report_names(self) -> tuple[str, ...]:
        """Names of what all of them report."""
        first = self._rows[0].kernel.reports if self._rows else ()
        return tuple(name for name in first if all(name in row.kernel.reports for row in self._rows))

    # ------------------------------------------------------------ parameters
    def get(self, parameter: str) -> Any:
        """The value now, ramps included."""
        sim = self._sim
        cells, can_ramp = self._places(parameter)
        if can_ramp:
            block = sim.memory.read((self._elements._first + cells[:, None] + np.arange(RAMP)).ravel())
            block = block.reshape(*block.shape[:-1], len(cells), RAMP)
            now = np.asarray(sim.time)
            values = ramp_value(block, now[..., None] if now.ndim else now, sim.compiled.tables)
        else:
            values = sim.memory.read(self._elements._first + cells)
        return self._plain(values)

    def described(self, parameter: str) -> Any:
        """The value that the description gave."""
        cells, _ = self._places(parameter)
        return self._plain(np.broadcast_to(self._sim.compiled.params[cells], (len(cells),)), batch=False)

    def set(self, parameter: str, values: Any, *, at: Any = None, worlds: Any = None) -> None:
        """Sets a parameter, now or when a world reaches the time `at` [s] (one, or one a world); ends a ramp.

        worlds   numbers of the worlds that are meant; default all
        """
        cells, can_ramp = self._places(parameter)
        chosen = None if worlds is None else self._sim.memory.chosen(worlds)
        block = self._block(values, parameter, chosen)
        if can_ramp:
            ended = np.zeros((*block.shape, RAMP))
            ended[..., FROM] = ended[..., TO] = block
            cells = (cells[:, None] + np.arange(RAMP)).ravel()
            block = ended.reshape(*block.shape[:-1], len(cells))
        if at is None:
            self._elements._write(cells, block, chosen, parameter)
        else:
            self._elements._write_later(self._times(at), cells, block, chosen)

    def writer(self, parameter: str) -> ParameterWriter:
        """What sets a parameter in all worlds again and again: it looks nothing up and checks nothing.

        It ends ramps now, and nothing may ramp the parameter afterwards.
        """
        self.set(parameter, self.get(parameter))
        cells, can_ramp = self._places(parameter)
        first = self._elements._first
        places = [first + cells + FROM, first + cells + TO] if can_ramp else [first + cells]
        return ParameterWriter(self._elements, self._sim.memory.writer(places, parameter))

    def ramp(
        self,
        parameter: str,
        to: Any,
        duration: Any,
        *,
        profile: str | Sequence[str] = "linear",
        start: float | None = None,
        at: Any = None,
        worlds: Any = None,
    ) -> None:
        """Drives a parameter from where it is to a value over `duration` [s], from now or from `start` [s] on.

        With `at` [s], one time or one a world: from where it will be then, whatever is under way until then. Profiles
        are linear, smooth (minimum jerk), or one of the world's tables; duration and profile may be one a row.
        """
        cells, can_ramp = self._places(parameter)
        if not can_ramp:
            allowed = sorted(self._rows[0].kernel.ramps)
            hint = f"those that can: {', '.join(allowed)}" if allowed else "it has none that can"
            raise self._fail(f"{parameter!r} of {self._who} cannot be ramped; {hint}")
        profiles = (profile,) if isinstance(profile, str) else profile
        if unknown := [name for name in profiles if name not in self._elements.profiles]:
            raise self._fail(f"no profile {unknown[0]!r}{nearest(unknown[0], self._elements.profiles)}")
        lengths = self._finite(duration, "the duration [s] of a ramp")
        if np.any(lengths < 0):
            raise self._fail(f"the duration of a ramp of {self._who} must not be negative, it is {duration} s")
        if start is not None:
            start = given.number(start, f"the start of a ramp of {self._who}", "simulation", allowed="a time [s]")
        if at is not None and start is not None:
            raise self._fail("give a ramp either `start` or `at`")
        sim = self._sim
        self._elements._ramped = True
        chosen = None if worlds is None else sim.memory.chosen(worlds)
        own = slice(None) if chosen is None else chosen
        each = (cells[:, None] + np.arange(RAMP)).ravel()
        now = np.broadcast_to(np.atleast_1d(sim.time), sim.worlds) if at is None else self._times(at)
        if at is None:
            numbers = np.atleast_2d(sim.memory.read(self._elements._first + each))
        else:
            numbers = self._elements._numbers_at(each, now)
        numbers = numbers.reshape(sim.worlds, len(cells), RAMP)[own]
        times = np.broadcast_to(now, sim.worlds)[own]
        new = np.empty_like(numbers)
        new[..., FROM] = ramp_value(numbers, times[:, None], sim.compiled.tables)
        new[..., TO] = self._block(to, parameter, chosen)
        new[..., START] = times[:, None] if start is None else start
        new[..., DURATION] = self._block(duration, "duration", chosen)
        new[..., PROFILE] = [self._elements.profiles[name] for name in profiles]
        if at is None:
            self._elements._write(each, new.reshape(len(new), -1), np.arange(sim.worlds)[own], parameter)
        else:
            self._elements._write_later(now, each, new.reshape(len(new), -1), chosen)

    def cancel(self, parameter: str) -> None:
        """Forgets what was to be set or ramped later (`at`)."""
        cells, can_ramp = self._places(parameter)
        each = cells[:, None] + np.arange(RAMP if can_ramp else 1)
        self._sim.timetable.drop(self._elements._first + each.ravel())

    def ramp_ends(self, parameter: str) -> Any:
        """When the ramp of a parameter is (or was) over [s]."""
        cells, can_ramp = self._places(parameter)
        if not can_ramp:
            raise self._fail(f"{parameter!r} of {self._who} cannot be ramped")
        start = self._sim.memory.read(self._elements._first + cells + START)
        return self._plain(start + self._sim.memory.read(self._elements._first + cells + DURATION))

    def bind(self, body: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Makes an element that holds one body hold another from now on, at a point [m, body frame], in all worlds."""
        sim = self._sim
        for row in self._rows:
            if row.kernel.point is None:
                raise self._fail(f"{self._who} cannot be bound to another body (an Anchor can)")
            link, place = layout_point(sim.layout, body, point)
            sim.model.indices[row.first_index] = link
            self._elements._write(row.param + row.kernel.point + np.arange(3), np.array(place), None, "point")

    # ------------------------------------------------------------ reports
    def report(self, reports: np.ndarray | None = None) -> dict[str, Any]:
        """What they say of themselves now (force, depth, length …): an array over rows by name of the report.

        reports   sim.all_reports() of this moment, where several ask
        """
        values = self._sim.all_reports() if reports is None else reports
        return {name: values[..., columns] for name, columns in self._report_columns.items()}

    def contact_report(self, name: str) -> np.ndarray:
        """One report of contacts with the ground now, in a fraction of the time that `report` takes."""
        return self._sim.reports.of(self._programs)[..., self._report_columns[name]]

    @cached_property
    def _report_columns(self) -> dict[str, np.ndarray]:
        return {
            name: np.array([row.report + row.kernel.reports.index(name) for row in self._rows], int)
            for name in self.report_names
        }

    @cached_property
    def _programs(self) -> list[int]:
        kernels = {row.kernel for row in self._rows}
        return [place for place, call in enumerate(self._sim.compiled.calls) if call.kernel in kernels]

    # ------------------------------------------------------------ states
    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of their integrated states, row by row."""
        return tuple(name for row in self._rows for name in row.kernel.states)

    @property
    def states(self) -> np.ndarray:
        """Their integrated states, (states,) or (worlds, states): a read-only copy; assign the whole array."""
        values = self._sim.memory.read(self._state_cells)
        values.flags.writeable = False
        return values

    @states.setter
    def states(self, values: Any) -> None:
        if not np.all(np.isfinite(values)):
            raise self._fail(f"states of {self._who} must be finite, not {values}")
        self._sim.memory.write(self._state_cells, values, f"states of {self._who}")

    @property
    def _state_cells(self) -> np.ndarray:
        places = [row.state + k for row in self._rows for k in range(len(row.kernel.states))]
        return self._sim.memory.states[places]

    # ------------------------------------------------------------ shapes
    @property
    def _who(self) -> str:
        return ", ".join(repr(name) for name in self.names if name) or "the element"

    def _fail(self, message: str) -> WorldError:
        return WorldError([Fault(message, "simulation")])

    def _places(self, parameter: str) -> tuple[np.ndarray, bool]:
        """First cell of a parameter in each row, among the parameters, and whether it can be ramped."""
        if parameter in self._cells:
            return self._cells[parameter]
        cells, ramps = [], set()
        for row in self._rows:
            names = row.kernel.places
            if parameter not in names:
                raise self._fail(f"{self._who} has no parameter {parameter!r}{nearest(parameter, names)}")
            cells.append(row.param + names[parameter])
            ramps.add(parameter in row.kernel.ramps)
        if len(ramps) > 1:
            raise self._fail(f"{parameter!r} can be ramped in some of {self._who} only")
        self._cells[parameter] = np.array(cells, np.int64), True in ramps
        return self._cells[parameter]

    def _times(self, at: Any) -> np.ndarray:
        return self._finite(at, "the time `at` [s]")

    def _finite(self, values: Any, what: str) -> np.ndarray:
        """As an array of finite numbers."""
        try:
            array: np.ndarray = np.asarray(values, self._sim.dtype)
        except (TypeError, ValueError):
            raise self._fail(f"{what} of {self._who} must be numbers, not {values!r}") from None
        if not np.all(np.isfinite(array)):
            raise self._fail(f"{what} of {self._who} must be finite, not {values}")
        return array

    def _block(self, values: Any, what: str, chosen: np.ndarray | None) -> np.ndarray:
        """Values as (rows,) or (worlds, rows): one number, one a world, one a row of a single world, or all."""
        array = self._finite(values, what)
        rows, worlds = len(self._rows), self._sim.worlds if chosen is None else len(chosen)
        if array.ndim == 0:
            return np.full(rows, array)
        if array.shape == (worlds, rows):
            return array
        if array.shape == (worlds,) and (rows == 1 or self._sim.worlds > 1):
            return np.repeat(array[:, None], rows, axis=1)
        if array.shape == (rows,) and self._sim.worlds == 1:
            return array
        shapes = f"(), ({worlds},) or ({worlds}, {rows})" if self._sim.worlds > 1 else f"() or ({rows},)"
        raise self._fail(f"{what} of {self._who} must have shape {shapes}, not {array.shape}")

    def _plain(self, values: np.ndarray, *, batch: bool = True) -> Any:
        """Without the axis of rows where there is one row of one element; a plain number in a single world."""
        if self._single:
            values = values[..., 0]
        return float(values) if np.ndim(values) == 0 else values
