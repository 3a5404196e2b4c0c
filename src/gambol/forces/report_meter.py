"""Integrates over time what another element reports, within the steps: the impulse of a contact, say."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault, nearest
from gambol.forces.element import Element, Row
from gambol.forces.kernel import ElementKernel, kernel_of
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.room import stack_room
from gambol.math.scalar import absolute, constant, load

INDICES = 5  # of the element it reads: first index, first parameter, rows; which report, whether its size is meant
MOST = 512  # numbers of reports that are looked at together
_told = stack_room(MOST)


@functools.cache
def meter_kernel(target: ElementKernel) -> ElementKernel:
    """What integrates reports of elements that a kernel moves."""
    tell, width = target.report, len(target.reports)
    indices, parameters = target.indices + (1 if target.states else 0), target.parameters

    @outlined
    def apply(model, motion, t, h, index, param, count, line):
        told = _told(motion.work)
        for k in range(count):
            i = index + INDICES * k
            of, numbers, rows = model.indices[i], model.indices[i + 1], model.indices[i + 2]
            done = 0
            while done < rows:
                some = min(rows - done, MOST // width)
                tell(model, motion, t, of + done * indices, numbers + done * parameters, some, told, 0)
                for j in range(some):
                    x = load(told, j * width + model.indices[i + 3])
                    add_to(motion.zrate, line, absolute(x) if model.indices[i + 4] > 0 else x)
                done += some

    @outlined
    def energy(model, motion, t, index, param, count):
        return constant(load(motion.work, 0), 0.0)

    home = __name__ if target.own else target.home
    name, sources = f"{target.name}_meter", (target.home,)
    return ElementKernel(home=home, sources=sources, name=name, apply=apply, energy=energy, indices=INDICES)


@dataclass(frozen=True, kw_only=True)
class ReportMeter(Element):
    """∫ report `what` of the element `of` dt, summed over its points: of a force an impulse [N·s].

    absolute   of the report's size. `Simulation.measured(name)` gives the integral; the difference of two over the time
    between is the average.
    """

    of: Element
    what: str
    absolute: bool = False

    measures = True
    ends = ()

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", self.name or f"{self.what} of {self.of.name}")
        object.__setattr__(self, "kernel", meter_kernel(kernel_of(self.of)))
        object.__setattr__(self, "reads", self.of.name)

    def faults(self) -> Iterator[Fault]:
        """Also: the element must have a name and report this."""
        yield from super().faults()
        known = kernel_of(self.of).reports
        if not self.of.name:
            yield Fault("the element that it measures needs a name", self.where)
        if self.what not in known:
            yield Fault(f"{self.of.where} does not report {self.what!r}{nearest(self.what, known)}", self.where)

    def rows(self, layout) -> list[Row]:
        """One kernel element; where that of the other lies is entered when all have their places."""
        return [([0, 0, 0, kernel_of(self.of).reports.index(self.what), int(self.absolute)], [])]
