"""Continuous controllers: laws that act at every stage of every step, with integrated states of their own.

    def law(t, q, v, x, p):
        return (p.size * sin(x.phase),), (p.rate,)

    beat = ContinuousController(
        name="beat", law=law, coordinates=("knee",), states={"phase": 0.0}, parameters={"size": 2.0, "rate": 6.0}
    )
    sim = Simulation(World(figure, forces=[beat]))
    sim.elements["beat"].states, sim.elements["beat"].set("rate", 7.0), sim.elements["beat"].report()

Nothing is sampled: what a source integrates (an adaptive law, an oscillator) is integrated here, under the error
control of the motion. What acts at times of its own, in Python, is a Controller (gambol.stepping.controller).
"""

import functools
import keyword
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gambol.dynamics.layout import Layout
from gambol.errors import Fault, nearest
from gambol.forces.element import Element, Row
from gambol.forces.factories import Parameters, generated, jitted
from gambol.forces.kernel import ElementKernel
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load


@dataclass(frozen=True, kw_only=True)
class ContinuousController(Element):
    """A law evaluated at every stage of every step: a force element, given with World(forces=…).

    law(t, q, v, x, p) -> (forces…), (rates of states…)

    t            [s]
    q, v         positions [rad or m] and speeds of the coordinates, tuples
    x, p         states and parameters by name: x.phase, p.gain
    coordinates  joints with one coordinate by name ("knee"), others with its number (("hip", 1))
    states       what each begins with; parameters: their values; ramps: names of those that can be ramped

    It gives a tuple with the force [N·m or N] at each coordinate and one with the rate of each state; functions of
    numbers are those of gambol.math.scalar (see gambol.forces.factories). The error of a state counts as that of an
    angle; states move explicitly, in implicit steps too.
    """

    law: Callable
    coordinates: Sequence[str | tuple[str, int]]
    states: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    ramps: Sequence[str] = ()

    @property
    def kernel(self) -> ElementKernel:  # type: ignore[override]
        """What moves it; one for all controllers of this law and these names."""
        return controller_kernel(
            self.law, len(self.coordinates), tuple(self.states), tuple(self.parameters), tuple(self.ramps)
        )

    def faults(self) -> Iterator[Fault]:
        for name in (*self.states, *self.parameters):
            if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
                yield Fault(f"a state or parameter cannot be called {name!r}: it must be a plain name", self.where)
                return
        if unknown := [name for name in self.ramps if name not in self.parameters]:
            yield Fault(f"no parameter {unknown[0]!r}{nearest(unknown[0], self.parameters)}", self.where)
        elif isinstance(self.coordinates, str) or not self.coordinates:
            yield Fault("coordinates are a list with at least one name", self.where)
        else:
            yield from super().faults()

    def joints(self) -> tuple[str, ...]:
        return tuple(name if isinstance(name, str) else name[0] for name in self.coordinates)

    def initial_states(self) -> list[float]:
        return [float(x) for x in self.states.values()]

    def rows(self, layout: Layout) -> list[Row]:
        places = [place for name in self.coordinates for place in self._coordinate(layout, name)]
        return [(places, self.law_numbers(**self.parameters))]

    def _coordinate(self, layout: Layout, given: str | tuple[str, int]) -> tuple[int, int]:
        """Where the position and the speed of a coordinate are."""
        joint, number = (given, 0) if isinstance(given, str) else given
        entry = layout.body(joint)
        count = len(entry.speeds)
        if len(entry.positions) != count or not count:
            raise self.fail(f"joint {joint!r} is a {entry.body.joint.type} joint: it has no plain coordinates")
        if not 0 <= number < count or (count > 1 and isinstance(given, str)):
            raise self.fail(f"joint {joint!r} has {count} coordinates: say which, as ({joint!r}, 0)")
        return entry.positions[number], entry.speeds[number]


@functools.cache
def controller_kernel(
    law: Callable, count: int, states: tuple[str, ...], parameters: tuple[str, ...], ramps: tuple[str, ...]
) -> ElementKernel:
    """The kernel of a law at `count` coordinates. Its indices: position and speed of each, then the first state."""
    own, first_state = Parameters(parameters, ramps=ramps), 2 * count
    size, stride = own.size, 2 * count + bool(states)
    look = _look(law, count, states, parameters, own.read)
    numbers = [f"number_like(v[0], forces[{k}])" for k in range(count)]
    act = generated(
        "act",
        "model, motion, i, v, forces, rates",
        [
            *(f"add_to(motion.tau, model.indices[i + {2 * k + 1}], {numbers[k]})" for k in range(count)),
            *(
                f"add_to(motion.zrate, model.indices[i + {first_state}] + {k}, number_like(v[0], rates[{k}]))"
                for k in range(len(states))
            ),
            "return " + " + ".join(f"{numbers[k]} * v[{k}]" for k in range(count)),
        ],
    )
    tell = generated(
        "tell",
        "model, motion, i, v, forces, out, first",
        [
            *(f"store(out, first + {k}, {numbers[k]})" for k in range(count)),
            *(
                f"store(out, first + {count + k}, load(motion.z, model.indices[i + {first_state}] + {k}))"
                for k in range(len(states))
            ),
        ],
    )
    told = count + len(states)

    @outlined
    def apply(model, motion, t, h, index, param, rows, line):
        for k in range(rows):
            i = index + stride * k
            v, forces, rates = look(model, motion, t, i, param + size * k)
            power = act(model, motion, i, v, forces, rates)
            if line >= 0:
                add_to(motion.zrate, line, power)

    @outlined
    def energy(model, motion, t, index, param, rows):
        return constant(load(motion.work, 0), 0.0)

    @outlined
    def report(model, motion, t, index, param, rows, out, first):
        """Force at each coordinate [N·m or N], then the states."""
        for k in range(rows):
            i = index + stride * k
            v, forces, _ = look(model, motion, t, i, param + size * k)
            tell(model, motion, i, v, forces, out, first + told * k)

    return ElementKernel(
        home=law.__module__,
        name=" ".join((law.__qualname__, str(count), *states, "|", *parameters, "|", *ramps)),
        indices=2 * count,
        parameters=size,
        numbers=own.numbers,
        ramps=own.ramps,
        reports=(*(f"force_{k}" for k in range(count)), *states) if count > 1 else ("force", *states),
        states=states,
        apply=apply,
        energy=energy,
        report=report,
    )


def _look(law: Callable, count: int, states: tuple[str, ...], parameters: tuple[str, ...], read: Any) -> Any:
    """look(model, motion, t, i, p) -> speeds of the coordinates, their forces, rates of the states."""
    each, last = range(count), 2 * count
    given = "".join(f"given[{k}], " for k in range(len(parameters)))
    integrated = "".join(f"load(motion.z, model.indices[i + {last}] + {k}), " for k in range(len(states)))
    lines = [
        "given = read(model, motion, t, p)[1]",
        "q = (" + "".join(f"load(motion.q, model.indices[i + {2 * k}]), " for k in each) + ")",
        "v = (" + "".join(f"load(motion.v, model.indices[i + {2 * k + 1}]), " for k in each) + ")",
        f"x = States({integrated})" if states else "x = ()",
        f"forces, rates = law(t, q, v, x, Parameters({given}))" if given else "forces, rates = law(t, q, v, x, ())",
        "".join(f"f{k}, " for k in each) + "= forces",  # as many as there are, or it is not compiled
        *(["".join(f"r{k}, " for k in range(len(states))) + "= rates"] if states else []),
        "return v, forces, rates",
    ]
    names = {"States": namedtuple("States", states), "Parameters": namedtuple("Parameters", parameters)}
    return generated("look", "model, motion, t, i, p", lines, law=jitted(law), read=read, **names)
