"""Constraints as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gambol.dynamics.constraints.descriptions import SOLVERS, Binding, Constraint, RowBlock
from gambol.dynamics.constraints.motions import ArriveBy
from gambol.dynamics.constraints.tables import (
    ARRIVAL_END,
    BLOCK_COLUMNS,
    CUTOFF,
    GROUP_CELLS,
    GROUP_DAMPING,
    GROUP_EXACT,
    GROUP_ON,
    GROUP_RATE,
    GROUP_REACH,
    GROUP_STIFFNESS,
    GROUP_STRENGTH,
    LEDGER_LINE,
    MAX_ROUNDS,
    OPTIONS,
    RHO,
    ROUNDING,
    SOFT_STEP,
    SOLVER,
    TOLERANCE,
    ConstraintTables,
)
from gambol.dynamics.joints import SPEEDS_OF
from gambol.errors import Fault, WorldError

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout


# In roundings of the number type: what is left of a row's inertia, and of a displacement, that can be told from noise
LEAST_CUTOFF, LEAST_TOLERANCE = 100.0, 30.0


@dataclass(frozen=True)
class CompiledConstraints:
    """Arrays for the kernels, and what leads back to the descriptions (groups, in their order)."""

    tables: ConstraintTables
    params: np.ndarray
    groups: np.ndarray  # (groups, GROUP_CELLS) as they begin
    names: tuple[str, ...]
    rows: tuple[slice, ...]  # of each group
    watched: tuple[int, ...]  # groups that may break
    measures: tuple[Callable | None, ...]  # of each block whose kind is somebody else's

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.rows[-1].stop


def compile_constraints(
    constraints: Sequence[Constraint],
    layout: Layout,
    binding: Binding,
    *,
    line: int = -1,
    couplings: int = 0,
    rounding: float = float(np.finfo(float).eps),
) -> CompiledConstraints:
    """Every fault of the constraints at once, or their arrays. Rows of `couplings` count as speeds of every path.

    rounding   of the number type, below which no cut-off and no tolerance has a meaning
    """
    names = named(constraints)
    compiled, faults = [], []
    for constraint, name in zip(constraints, names):
        try:
            compiled.append(constraint.row_blocks(layout))
        except WorldError as error:
            faults += [Fault(f.message, f"constraint {name}") for f in error.faults]
    if faults:
        raise WorldError(faults)
    joints = layout.joint_rows
    table, rows = [], []
    measures: list[Callable | None] = []
    params: list[float] = []
    paths: list[int] = []
    spans = []
    row = 0
    for g, (constraint, blocks) in enumerate(zip(constraints, compiled)):
        rows.append(slice(row, row + sum(b.rows for b in blocks)))
        for block in blocks:
            path = [*path_of(layout, joints, block), *range(layout.nv, layout.nv + couplings)]
            table.append([block.number, block.a, block.b, row, block.rows, len(params), len(paths), len(path), g])
            table[-1] += [constraint.law, 0]
            measures.append(block.kind if callable(block.kind) else None)
            params += block.params
            paths += path
            spans += [(g, frozenset(path))] * block.rows
            row += block.rows
    options = np.zeros(OPTIONS)
    options[[SOLVER, RHO, ROUNDING]] = SOLVERS[binding.solver], binding.damping, rounding
    options[CUTOFF] = max(binding.cutoff, LEAST_CUTOFF * rounding)
    options[TOLERANCE] = max(binding.tolerance, LEAST_TOLERANCE * rounding)
    options[[MAX_ROUNDS, SOFT_STEP, LEDGER_LINE]] = binding.max_rounds, binding.soft_step, line
    watched = tuple(g for g, c in enumerate(constraints) if np.isfinite(c.reach))
    return CompiledConstraints(
        ConstraintTables(
            table=np.array(table, np.int64).reshape(-1, BLOCK_COLUMNS),
            paths=np.array(paths, np.int64),
            first=first_shared([s for _, s in spans]),
            group=np.array([g for g, _ in spans], np.int64),
            island=islands([s for _, s in spans]),
            watched=np.array(watched, np.int64),
            joints=joints.ravel(),
            options=options,
        ),
        np.array(params, float),
        np.array([group_cells(c, binding) for c in constraints]),
        names,
        tuple(rows),
        watched,
        tuple(measures),
    )


def named(constraints: Sequence[Constraint]) -> tuple[str, ...]:
    """The given names; others are called after their type and bodies. Two alike are refused."""
    names: list[str] = []
    for constraint in constraints:
        name = constraint.name or " ".join([type(constraint).__name__, *constraint.bodies])
        number = 2
        while not constraint.name and name in names:
            name = " ".join([type(constraint).__name__, *constraint.bodies, str(number)])
            number += 1
        names.append(name)
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise WorldError([Fault(f"two constraints are called {n!r}", "world") for n in twice])
    return tuple(names)


def path_of(layout: Layout, joints: np.ndarray, block: RowBlock) -> list[int]:
    """The speeds between the block's bodies and the world, each once."""
    found: dict[int, None] = {}
    for end in (block.a, block.b):
        body = end
        while body > 0:
            kind, first = joints[body, 0], joints[body, 1]
            found |= dict.fromkeys(range(first, first + SPEEDS_OF[kind]))
            body = layout.parent[body]
    return list(found)


def first_shared(paths: Sequence[frozenset[int]]) -> np.ndarray:
    """For each row the first that shares a speed with it: A is zero before."""
    owner: dict[int, int] = {}
    first = []
    for i, path in enumerate(paths):
        for s in path:
            owner.setdefault(s, i)
        first.append(min((owner[s] for s in path), default=i))
    return np.array(first, np.int64)


def islands(paths: Sequence[frozenset[int]]) -> np.ndarray:
    """Numbers that are the same for rows coupled through shared speeds."""
    label: dict[int, int] = {}  # of each speed
    found = np.zeros(len(paths), np.int64)
    for i, path in enumerate(paths):
        met = {label[s] for s in path if s in label}
        for s, old in label.items():
            if old in met:
                label[s] = i
        label |= dict.fromkeys(path, i)
        found[np.isin(found, list(met)) & (np.arange(len(paths)) < i)] = i
        found[i] = i
    return found


def group_cells(constraint: Constraint, binding: Binding) -> np.ndarray:
    """Numbers of one constraint for the kernels: whether it is on, rate [1/s], strength, reach, penalty, end [s]."""
    cells = np.zeros(GROUP_CELLS)
    rate = constraint.rate
    if rate is None:
        rate = 0.0 if constraint.exact else binding.rate
    cells[[GROUP_ON, GROUP_RATE, GROUP_STRENGTH, GROUP_REACH, GROUP_EXACT]] = (
        1.0,
        rate,
        constraint.strength,
        constraint.reach,
        constraint.exact,
    )
    if constraint.penalty:
        cells[[GROUP_STIFFNESS, GROUP_DAMPING]] = constraint.penalty
    if isinstance(constraint, ArriveBy):
        cells[ARRIVAL_END] = constraint.time
    return cells
