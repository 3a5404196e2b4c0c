"""What a simulation asks of its constraints, and the answer where it has none: constrained ones load much more code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gambol.stepping.march import March
from gambol.world.memory import ConstraintCells


@dataclass(frozen=True)
class Breakage:
    """The boundary of a constraint that may break."""

    name: str
    direction: str = "falling"
    priority: int = 0


class Unconstrained:
    """What a simulation asks of its constraints, where it has none.

    model, march   what is marched, and by which compiled loop
    """

    breakable: tuple[Breakage, ...] = ()
    constraint_cells: ConstraintCells | None = None

    def __init__(self, model: Any, march: March):
        self.model, self.march = model, march

    def reset(self) -> None:
        """As described: all on, nothing counted."""

    def check(self) -> None:
        """Refuses to run where constraints are open or contradict one another."""

    def compile_own_kinds(self) -> None:
        """Compiles what somebody else has added."""

    def look(self, only: bool) -> None:
        """Before a call of the march: does it only look at the state, or move it?"""

    def heard(self, on_event: Callable | None) -> Callable | None:
        """`on_event` that first switches off what broke."""
        return on_event
