"""The constraints of a running simulation: what they do, switching them, putting the figures together.

sim = Simulation(World(figure, constraints=[Nail(name="nail", body="rod", place=(0, 0, 1))]))
sim.constraints.assemble()          # exact ones at once
path = sim.run(2.0, every=0.01)
log = sim.constraints.diagnose(path)
log.force["nail"], log.deviation["nail"], log.residual, log.singular_values
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.dynamics.constraints.compiling import compile_constraints
from gambol.dynamics.constraints.tables import (
    ARRIVAL_BEGUN,
    ASSEMBLE,
    BLOCK_ADDRESS,
    CUT_SOLVES,
    CUTS,
    DEPENDENT,
    DETAIL,
    GROUP_CELLS,
    GROUP_ON,
    GROUP_STRENGTH,
    PROJECTED,
    RANK,
    READ_ONLY,
    RESIDUAL,
    SOFT,
    SOLVES,
    UNPROJECTED,
    ConstrainedModel,
)
from gambol.errors import ConstraintError, Fault, WorldError, nearest
from gambol.stepping.state import Event
from gambol.world.constrained_flow import (
    march_constrained_world,
    march_constrained_world_with_masses,
    measure_address,
    views_of_row,
)
from gambol.world.diagnosis import Diagnosis
from gambol.world.memory import ConstraintCells
from gambol.world.unconstrained import Breakage, Unconstrained

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.trajectory import Trajectory

# In float64, and more where roundings are larger: [m or rad] by which an exact constraint may be off at the start of a
# run; residual as a share of what the accelerations lack, above which rows contradict each other
OPEN, CONTRADICTION = 1e-6, 1e-6


@dataclass(frozen=True)
class Moment:
    """What the constraints do at one moment. Per constraint, by its name, one entry a row."""

    force: dict[str, np.ndarray]  # [N or N·m]
    deviation: dict[str, np.ndarray]  # [m or rad]
    rate: dict[str, np.ndarray]  # of the deviation
    residual: float  # ‖A F + B‖ [m/s²]
    rank: int
    rows: int
    cuts: int  # singular directions given up for the sake of a strength
    singular_values: np.ndarray  # of A [1/kg], falling
    dropped: tuple[tuple[str, int], ...]  # (constraint, row) left out because they depend on others


class Constraints(Unconstrained):
    """The constraints of one simulation."""

    constraint_cells: ConstraintCells

    def __init__(self, sim: Simulation, *, ledger: bool, own_masses: bool):
        self.sim, self.own_masses = sim, own_masses
        rounding = float(np.finfo(sim.dtype).eps)
        self._open_by, self._contradicts_by = max(OPEN, 100.0 * rounding), max(CONTRADICTION, 2e4 * rounding)
        line = sim.compiled.lines.index("constraints") if ledger else -1
        self.described, self.binding = tuple(sim.world.constraints), sim.world.binding
        couplings = sim.compiled.couplings.rows
        self.compiled = compile_constraints(
            self.described, sim.layout, self.binding, line=line, couplings=couplings, rounding=rounding
        )
        self.names = self.compiled.names
        super().__init__(
            ConstrainedModel(sim.model, self.compiled.tables, self.compiled.params),
            march_constrained_world_with_masses if own_masses else march_constrained_world,
        )
        self.breakable = tuple(Breakage(f"{self.names[g]} breaks") for g in self.compiled.watched)
        self.constraint_cells = ConstraintCells(
            params=self.compiled.params.size,
            groups=len(self.names),
            rows=self.compiled.count,
            speeds=sim.layout.nv + couplings,
            positions=sim.layout.nq,
        )

    def compile_own_kinds(self) -> None:
        """Compiles the kinds that are not this package's, each alone, for the rows of the simulation's memory."""
        for block, measure in enumerate(self.compiled.measures):
            if measure is not None:
                memory = self.sim.memory
                row = views_of_row(self.model, memory.array[0], memory.offsets, own_masses=self.own_masses)
                self.compiled.tables.table[block, BLOCK_ADDRESS] = measure_address(measure, *row)

    # ------------------------------------------------------------ cells
    def _read(self, part: str, world: int = 0) -> np.ndarray:
        return self.sim.memory.of(world)[self.constraint_cells.cells[part]]

    def _write(self, part: str, values: Any) -> None:
        self.sim.memory.write(self.constraint_cells.cells[part], values, part)

    def _set(self, part: str, index: int, value: float, worlds: Sequence[int] | None = None) -> None:
        self.sim.memory.write([self.constraint_cells.cells[part][index]], [value], part, worlds)

    def _alone(self, values: Sequence[Any]) -> Any:
        """What a single world has, or an array over the worlds of a batch."""
        return values[0] if self.sim.worlds == 1 else np.array(values)

    def _group(self, name: str) -> int:
        if name not in self.names:
            raise WorldError([Fault(f"no constraint is called {name!r}{nearest(name, self.names)}", "simulation")])
        return self.names.index(name)

    def reset(self) -> None:
        """As described: all on, nothing counted."""
        self._write("params", self.compiled.params)
        self._write("groups", self.compiled.groups.ravel())

    # ------------------------------------------------------------ switches
    @property
    def on(self) -> dict[str, Any]:
        """Which constraints act (in each world of a batch); one that broke does not."""
        groups = [self._read("groups", world).reshape(-1, GROUP_CELLS) for world in range(self.sim.worlds)]
        return {name: self._alone([bool(cells[g, GROUP_ON]) for cells in groups]) for g, name in enumerate(self.names)}

    def switch(self, name: str, on: bool, worlds: Sequence[int] | None = None) -> None:
        """Lets a constraint act or not, from now on, in all worlds or some; an arrival switched on begins anew."""
        group = self._group(name) * GROUP_CELLS
        self._set("groups", group + GROUP_ON, float(on), worlds)
        self._set("groups", group + ARRIVAL_BEGUN, 0.0, worlds)
        self.sim.memory.rearm_boundaries(range(self.sim.worlds) if worlds is None else worlds)

    def set_strength(self, name: str, strength: float, worlds: Sequence[int] | None = None) -> None:
        """Another strength [N or N·m] from now on, in all worlds or some."""
        if not strength > 0:
            raise WorldError([Fault(f"strength must be positive, it is {strength:g}", f"constraint {name}")])
        self._set("groups", self._group(name) * GROUP_CELLS + GROUP_STRENGTH, float(strength), worlds)

    def heard(self, on_event: Callable | None) -> Callable:
        """`on_event` that first switches off what broke."""
        breaks = {b.name: self.names[g] for b, g in zip(self.breakable, self.compiled.watched)}

        def handle(sim: Simulation, event: Event) -> bool | None:
            if event.name in breaks:
                self.switch(breaks[event.name], False, [event.world])
            return on_event(sim, event) if on_event else None

        return handle

    # ------------------------------------------------------------ this moment
    def _solve(self, *, detail: int = 1, assemble: bool = False) -> None:
        counts = self.sim.memory.read(self.constraint_cells.cells["counts"])
        self._set("report", DETAIL, float(detail))
        self._set("report", ASSEMBLE, float(assemble))
        self.sim._call(np.zeros(0), None)
        self._set("report", DETAIL, 0.0)
        self._set("report", ASSEMBLE, 0.0)
        self._write("counts", counts)  # looking is not running

    def look(self, only: bool) -> None:
        """Before a call of the march: does it only look at the state, or move it?"""
        self._set("report", READ_ONLY, float(only))

    def now(self, world: int = 0) -> Moment:
        """Forces, deviations and singular values at this moment, in one world."""
        self._solve(detail=2)
        return self._moment(world)

    def _moment(self, world: int) -> Moment:
        def by_name(part: str) -> dict[str, np.ndarray]:
            values = self._read(part, world)
            return {name: values[rows] for name, rows in zip(self.names, self.compiled.rows)}

        report, live = self._read("report", world), self._read("live", world) > 0
        dropped = []
        if self.binding.solver == "bounded":
            left_out = live & (self._read("inverse", world) == 0)
            for name, rows in zip(self.names, self.compiled.rows):
                dropped += [(name, int(k)) for k in np.flatnonzero(left_out[rows])]
        return Moment(
            force=by_name("force"),
            deviation=by_name("dev"),
            rate=by_name("rate"),
            residual=float(report[RESIDUAL]),
            rank=int(report[RANK]),
            rows=int(live.sum()),
            cuts=int(report[CUTS]),
            singular_values=self._read("values", world),
            dropped=tuple(dropped),
        )

    @property
    def counts(self) -> dict[str, Any]:
        """Over the run: evaluations, those with dependent rows, those a strength has cut, those in which
        constraints gave way a little (short steps near a singular position); projections, failed ones."""
        cells = [self._read("counts", world) for world in range(self.sim.worlds)]
        named = {"solves": SOLVES, "dependent": DEPENDENT, "cut": CUT_SOLVES, "soft": SOFT}
        named |= {"projections": PROJECTED, "failed projections": UNPROJECTED}
        return {name: self._alone([int(own[k]) for own in cells]) for name, k in named.items()}

    # ------------------------------------------------------------ putting together, checking
    def assemble(self) -> None:
        """Moves the figures (by the least change in the metric of mass) until every exact constraint holds."""
        before = self.sim.save()
        self._solve(assemble=True)
        open_ = self._open()
        if open_ or not np.all(np.isfinite(self.sim.q)):
            self.sim.restore(before)
            raise ConstraintError(
                [Fault(f"stays open by {size:.3g}: it cannot be met from this position", name) for name, size in open_]
                or [Fault("the figures could not be put together", "constraints")]
            )

    def _open(self) -> list[tuple[str, float]]:
        """Exact constraints that are on and do not hold, after a solve."""
        found = []
        for world in range(self.sim.worlds):
            values, groups = self._read("dev", world), self._read("groups", world).reshape(-1, GROUP_CELLS)
            for constraint, name, rows, cells in zip(self.described, self.names, self.compiled.rows, groups):
                size = float(np.abs(values[rows]).max())
                if constraint.exact and cells[GROUP_ON] and not size <= self._open_by:
                    found.append((f"constraint {name}" + self._in_world(world), size))
        return found

    def _in_world(self, world: int) -> str:
        return f" in world {world}" if self.sim.worlds > 1 else ""

    def check(self) -> None:
        """Refuses exact constraints that are open and, before the first step, ones that contradict one another.

        The state stays. On the way a singular position may look like a contradiction, so it is not asked again.
        """
        if not self.binding.check:
            return
        self._solve()
        if open_ := self._open():
            hint = "call sim.constraints.assemble(), or give it exact=False to let it close by itself"
            raise ConstraintError([Fault(f"is open by {size:.3g}; {hint}", name) for name, size in open_])
        if np.any(self.sim.counts["steps"]):
            return
        bounded = any(np.isfinite(c.strength) for c in self.described) or self.binding.solver == "damped"
        for world in range(0 if bounded else self.sim.worlds):
            moment, lack = self._moment(world), float(np.linalg.norm(self._read("B", world)))
            if moment.residual > self._contradicts_by * max(lack, 1.0):
                rows = sorted({f"constraint {name}" for name, _ in moment.dropped}) or ["constraints"]
                message = (
                    f"contradicts the others{self._in_world(world)}: of {moment.rows} rows {moment.rank} are"
                    f" independent, and {moment.residual:.3g} m/s² of {lack:.3g} cannot be met; take it out, or give"
                    " constraints a strength"
                )
                raise ConstraintError([Fault(message, name) for name in rows])

    # ------------------------------------------------------------ a whole run
    def diagnose(self, path: Trajectory, *, singular_values: bool = True, world: int = 0) -> Diagnosis:
        """Forces, deviations, residual, singular values and energies at every sample of a run of this simulation."""
        before = self.sim.memory.array.copy()
        moments = []
        try:
            for saved in path.record:
                self.sim.memory.array[:, : saved.shape[-1]] = saved
                self._solve(detail=1 + singular_values)
                moments.append(self._moment(world))
        finally:
            self.sim.memory.array[...] = before
        q, v = (x if self.sim.worlds == 1 else x[:, world] for x in (path.q, path.v))
        energies = [self.sim.mechanics.energies(at, speed, time=float(t)) for at, speed, t in zip(q, v, path.time)]
        return Diagnosis.of(path.time, moments, energies)
