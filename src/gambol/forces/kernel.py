"""What moves the force elements of one type: compiled functions over a run of them, and where their numbers lie.

    apply(model, motion, t, h, index, param, count, line)   adds forces; for h > 0 also their implicit impedance
    energy(model, motion, t, index, param, count)           stored energy [J]
    report(model, motion, t, index, param, count, out, first)   `reports` of each element (if it has any)
    settle(model, motion, t, moved, index, param, count)    optional: after an accepted step, changes what is discrete
                                                            (broken, stuck) where `moved` > 0
The indices of the elements begin at model.indices[index], their parameters at model.params[param].

`apply` sees bodies placed and located. With h = 0 it adds plain forces; with h > 0 it also adds the impedance of the
linearly implicit step, h·damping + h²·stiffness, through `push_joint`, `push_point` and, between two bodies that both
move, `push_pair` (forces.push), and the power it delivers goes to ledger line `line` where that is not negative.

An element with integrated `states` has one index more than its description gives, the last: the place of its first
state in motion.z. `apply` adds their rates to motion.zrate at the same place. One that works on the states of another
(a motor on its battery's) names it by `Element.partner`, and has their place in its index number `partner`; elements
that measure act last and see what all have added.

An element that things may pass unseen, or touch too late, is `watched`: asked how much of a step is still to come, its
`apply` says for how long nothing new can touch (forces.watch).

Elements that act at known times have a parameter number `switch` and a plain function
    switched(numbers, time, rounding)   its value at a time and when it changes next [s], for arrays of parameters
and no step passes such a time.

Most kernels are made of a law by a factory (forces.factories). Where these do not fit, a module has jitted functions
of these names and the constants INDICES, PARAMETERS, NUMBERS, RAMPS, REPORTS, STATES, WEIGHTS, PARTNER, TABLED,
SWITCH, POINT, PUSHES, PAIRS, ENDS, WATCHED beside the class.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gambol.jit import code_digest

if TYPE_CHECKING:
    from gambol.forces.element import Element, Row

PACKAGE = __name__.split(".", maxsplit=1)[0]
TABLE_PLACE = 2  # which of the whole numbers that `arrange` gives is the place of its numbers in the tables


@dataclass(eq=False, kw_only=True)
class ElementKernel:
    """The compiled functions of one type of force element (see above), and what each element has.

    home         the module that its law or its functions are from; sources: others that these depend on
    indices      how many a description gives for an element
    parameters   how many numbers an element has
    numbers      places of its single parameters by name, ramps: of its ramped ones (forces.ramp)
    reports      names of what an element can say of itself at a moment, such as its force
    states       names of its integrated states; weights: of each in the error of a step, 1 unless told
    partner      which of its indices is the place of its partner's states; -1 there where it has none
    counters     parameters that its description does not give: they begin at zero
    pushes       which of its indices are bodies that it pushes with impedance; None: any body may be
    pairs        how many pairs of bodies it pushes (`push_pair`), ends: of a row of its own (`push_end`)
    watched      THROUGH or TOUCHDOWN (forces.watch), where it bounds the step
    tabled       which of its indices are places in its description's `table`, which worlds share
    arrange      what a run of its rows needs as a whole: whole numbers, which lie behind the run's indices, and numbers
                 in the tables, whose place becomes the whole number TABLE_PLACE of those
    point        where, among its parameters, the point of its body is, if it may be bound to another body
    """

    home: str
    apply: Callable | None = None
    energy: Callable | None = None
    indices: int = 0
    parameters: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    ramps: Mapping[str, int] = field(default_factory=dict)
    reports: tuple[str, ...] = ()
    report: Callable | None = None
    settle: Callable | None = None
    states: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    partner: int = -1
    counters: tuple[str, ...] = ()
    tabled: tuple[int, ...] = ()
    arrange: Callable[[list[Row]], tuple[list[int], list[float]]] | None = None
    switch: int = -1
    switched: Callable | None = None
    point: int | None = None
    pushes: tuple[int, ...] | None = None
    pairs: int = 0
    ends: int = 0
    watched: int = 0
    name: str = ""
    sources: tuple[str, ...] = ()

    def __set_name__(self, owner: type[Element], attribute: str) -> None:
        self.name = self.name or owner.type_name()
        if owner.__module__.split(".")[0] != PACKAGE:
            self.home = owner.__module__

    @property
    def own(self) -> bool:
        """Is it one of this package? These are compiled together, others each alone."""
        return self.home.split(".")[0] == PACKAGE

    @functools.cached_property
    def recipe(self) -> str:
        """What its compiled code is kept under."""
        if self.own:
            return f"{self.home}.{self.name}"
        return code_digest(self.apply, self.energy, self.report, self.settle)

    @property
    def places(self) -> dict[str, int]:
        """Where its parameters lie, ramped ones too."""
        return {**self.numbers, **self.ramps}


@functools.cache
def kernel_of_module(module: ModuleType) -> ElementKernel:
    """The kernel that a module's functions and constants make."""
    constants = (
        "indices parameters numbers ramps reports states weights partner tabled switch point pushes pairs ends watched"
    )
    functions = ("apply", "energy", "report", "settle", "switched", "arrange")
    names = {name: name.upper() for name in (*constants.split(), "watched")} | {name: name for name in functions}
    found: dict[str, Any] = {own: getattr(module, given) for own, given in names.items() if hasattr(module, given)}
    return ElementKernel(home=module.__name__, name=module.__name__.rpartition(".")[2], **found)


def kernel_of_type(kind: type[Element]) -> ElementKernel | None:
    """The kernel of a class of elements, or that of the module of its class or of one it derives from."""
    if kind.kernel is not None:
        return kind.kernel
    for cls in kind.__mro__:
        module = sys.modules[cls.__module__]
        if all(hasattr(module, name) for name in ("INDICES", "PARAMETERS", "apply", "energy")):
            return kernel_of_module(module)
    return None


def kernel_of(element: Element) -> ElementKernel:
    """What moves an element."""
    found = element.kernel or kernel_of_type(type(element))
    if found is None:
        raise element.fail("nothing says how it acts: give its class a `kernel` (see gambol.forces.factories)")
    return found
