"""Sections of state space: a run stops where it crosses one, exactly, and the state there is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from gambol.errors import Fault, HybridError, nearest
from gambol.hybrid.compiled import jitted, packed_equation, parameter_unpacker
from gambol.hybrid.inputs import CHART
from gambol.hybrid.system import HybridSystem
from gambol.jit import address_of, code_digest, entry, function
from gambol.math.scalar import load, store
from gambol.stepping.ode import EQUATION
from gambol.stepping.run import DIRECTIONS

SECTION_PRIORITY = -1_000_000  # priority of sections: the state is looked at before a transition of the same instant


@dataclass(frozen=True)
class Section:
    """Where function(chart, t, x, p) is zero. For systems that run in packs it is written for packs.

    direction "falling", "rising" or "either"
    """

    name: str
    function: Callable
    _: KW_ONLY
    direction: str = "either"
    priority: int = SECTION_PRIORITY


def check_sections(sections: Sequence[Section], where: str) -> None:
    """An error for sections of one name, or with an unknown direction."""
    names = [s.name for s in sections]
    faults = [Fault(f"two sections are called {n!r}", where) for n in sorted({n for n in names if names.count(n) > 1})]
    for s in sections:
        if s.direction not in DIRECTIONS:
            faults.append(Fault(f"no direction {s.direction!r}{nearest(s.direction, DIRECTIONS)}", s.name))
    if faults:
        raise HybridError(faults)


def compile_sections(system: type[HybridSystem], sections: Sequence[Section], lanes: int = 0) -> int:
    """Where the machine code that fills in all sections lies; 0 for none."""
    if not sections:
        return 0
    named = parameter_unpacker(system.Parameters)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]
    scope: dict[str, Any] = {f"f{k}": jitted(s.function) for k, s in enumerate(sections)} | {"store": store}
    lines = "".join(f"    store(out, {k}, f{k}(chart, t, x, p))\n" for k in range(len(sections)))
    exec(f"def look(chart, t, x, p, out):\n{lines}", scope)
    look = function(scope["look"])

    def single(t, x, inputs, out):
        look(int(inputs[place]), t, x, named(inputs), out)

    def packed(t, x, inputs, out):
        look(load(inputs, place), t, x, named(inputs), out)

    chosen = packed if lanes else single
    fields = system.Parameters._fields  # type: ignore[attr-defined]
    recipe = " ".join(map(code_digest, (chosen, fields, *(s.function for s in sections))))
    ours = {s.function.__module__ for s in sections} | set(system.source_modules)
    made = entry(chosen, recipe=recipe, sources=tuple(m for m in ours if m.startswith("gambol.")), fast=False)
    return address_of(made, packed_equation(lanes) if lanes else EQUATION)
