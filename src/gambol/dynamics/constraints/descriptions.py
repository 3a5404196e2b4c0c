"""What people write: constraints on points and directions of bodies, and how they are solved.

Every constraint is on `body`, relative to the body `to` (default: the world). Points and directions are in the frames
of their bodies, places in the frame of `to`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from gambol.dynamics.constraints.kinds import KIND_NUMBERS
from gambol.dynamics.constraints.tables import (
    BOUNDED,
    BY_ADDRESS,
    DAMPED,
    DIRECT,
    LAW_PENALTY,
    LAW_POSITION,
    TRUNCATED,
)
from gambol.errors import Fault, WorldError, nearest

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SOLVERS = {"bounded": BOUNDED, "direct": DIRECT, "truncated": TRUNCATED, "damped": DAMPED}


class RowBlock(NamedTuple):
    """Up to three rows of one kind between two bodies: layout rows of the bodies, parameters in layout axes."""

    kind: str | Callable  # its name among the kinds, or the jitted `measure` of one of your own
    a: int
    b: int
    rows: int
    params: list[float]

    @property
    def number(self) -> int:
        """Of the kind; BY_ADDRESS for one of somebody else's."""
        return KIND_NUMBERS[self.kind] if isinstance(self.kind, str) else BY_ADDRESS


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """What all constraints have.

    rate       [1/s] λ of the critically damped law; None: that of the Binding, or 0 where `exact`
    strength   [N, or N·m for turns] the largest force it can give. It does not clip that force: where the solution
               would pass it, whole singular directions of the equations are given up, smallest singular value first,
               until every force fits. What is left may be far below the strength, even nothing, and constraints that
               share a body give up the same directions; solver="bounded" alone looks at it
    reach      [m or rad] beyond this deviation it breaks, once it has been within
    exact      positions and speeds are put back on it after every step
    penalty    (stiffness, damping): a spring and damper [N/m, N·s/m] in place of a constraint force
    """

    name: str = ""
    rate: float | None = None
    strength: float = math.inf
    reach: float = math.inf
    exact: bool = False
    penalty: tuple[float, float] | None = None
    order: ClassVar[int] = LAW_POSITION

    @property
    def where(self) -> str:
        """How messages call it: its name, or its type."""
        return f"constraint {self.name or type(self).__name__}"

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies it is on."""
        return tuple(name for name in (getattr(self, "body", ""), getattr(self, "to", "")) if name)

    @property
    def law(self) -> int:
        """Number of the law its rows follow: that of penalties, or the order of its approach."""
        return LAW_PENALTY if self.penalty else self.order

    def row_blocks(self, layout: Layout) -> list[RowBlock]:
        """The blocks of rows that the kernels solve for."""
        raise TypeError(f"{type(self).__name__} does not say how it is compiled: define row_blocks(layout)")

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with its numbers."""
        for entry in fields(self):
            for value in _numbers(getattr(self, entry.name)):
                if math.isnan(value) or (math.isinf(value) and entry.name not in ("strength", "reach")):
                    yield Fault(f"{entry.name} must be finite, it is {value}", self.where)
        for name in ("strength", "reach"):
            if not getattr(self, name) > 0:
                what = "a constraint without strength holds nothing; leave it out" if name == "strength" else ""
                message = f"{name} must be positive, it is {getattr(self, name):g}"
                yield Fault(f"{message}: {what}" if what else message, self.where)
        if self.rate is not None and self.rate < 0:
            yield Fault(f"rate must not be negative, it is {self.rate:g}", self.where)
        if self.penalty and (len(self.penalty) != 2 or min(self.penalty) < 0):
            yield Fault(f"penalty must be (stiffness, damping), neither negative, not {self.penalty}", self.where)
        if self.exact and (self.penalty or self.order != LAW_POSITION or self.strength < math.inf):
            yield Fault("an exact constraint is on positions, unbounded in strength, and no penalty", self.where)


def _numbers(value) -> Iterator[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _numbers(item)


@dataclass(frozen=True, kw_only=True)
class Binding:
    """How constraints are solved.

    solver     "bounded" (dependent rows left out, strengths respected), "direct" (the equations as they stand),
               "truncated" (all singular values above `cutoff`) or "damped" (damped least squares with `damping` ρ
               [1/kg]); only "bounded" looks at strengths
    rate       [1/s] λ of constraints that do not say
    cutoff     rows (singular values) whose share of inertia left is below this depend on others
    tolerance  [m or rad] exact constraints are projected until a round displaces by less (what is left is its square),
               in at most `max_rounds` a step
    soft_step  [s] in steps shorter than this, as near a singular position, constraints give way a little
    check      refuse to begin a run whose constraints contradict one another or whose loops are open
    """

    solver: str = "bounded"
    rate: float = 20.0
    cutoff: float = 1e-11
    damping: float = 0.0
    tolerance: float = 1e-8
    max_rounds: int = 4
    soft_step: float = 1e-6
    check: bool = True

    def __post_init__(self) -> None:
        faults = []
        if self.solver not in SOLVERS:
            faults.append(Fault(f"no solver {self.solver!r}{nearest(self.solver, SOLVERS)}", "binding"))
        for name in ("cutoff", "tolerance", "max_rounds"):
            if not getattr(self, name) > 0:
                faults.append(Fault(f"{name} must be positive, it is {getattr(self, name)}", "binding"))
        for name in ("rate", "damping", "soft_step"):
            if not getattr(self, name) >= 0:
                faults.append(Fault(f"{name} must not be negative, it is {getattr(self, name)}", "binding"))
        if (self.solver == "damped") != (self.damping > 0):
            faults.append(Fault("damping goes with solver='damped', and must be positive there", "binding"))
        if faults:
            raise WorldError(faults)


# ---------------------------------------------------------------- places on bodies, in layout axes
def row_and_turn(layout: Layout, body: str) -> tuple[int, np.ndarray]:
    """Layout row of a body (the world for ""), and the turn of its layout frame."""
    if not body:
        return 0, np.eye(3)
    entry = layout.body(body)
    return entry.link, entry.turn


def on(layout: Layout, body: str, *vectors: Sequence[float]) -> tuple[int, list[float]]:
    """Layout row of a body (the world for ""), and vectors of its frame in layout axes, one after the other."""
    link, turn = row_and_turn(layout, body)
    return link, [float(x) for v in vectors for x in turn.T @ np.asarray(v, float)]


def frame_on(layout: Layout, body: str, matrix: np.ndarray) -> tuple[int, list[float]]:
    """Layout row of a body, and a frame of it by columns in layout axes."""
    return on(layout, body, *np.asarray(matrix, float).T)


def point_rows(
    layout, body, to, point, at, directions=AXES, *, velocity=ZERO, acceleration=ZERO, turning=True
) -> RowBlock:
    """Point of `body` at `at` of `to` along `directions` of `to`, or of the world where they do not turn with it."""
    a, own = on(layout, body, point)
    b, there = on(layout, to, at)
    filled = [*directions, *([ZERO] * (3 - len(directions)))]
    _, along = on(layout, to if turning else "", *filled, velocity, acceleration)
    return RowBlock("point", a, b, len(directions), [*own, *there, *along, float(turning)])
