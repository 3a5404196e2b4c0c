"""Gravity between bodies, by pairs: G m M / r² along the line of their centres of mass."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import add_force, point_of
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3
from gambol.math.scalar import constant, load, sqrt, store
from gambol.math.vector import dot

INDICES, PARAMETERS = 2, 8
STRENGTH, CORE = 6, 7
NUMBERS = {"strength": STRENGTH, "core": CORE}
RAMPS: dict[str, int] = {}
REPORTS = ("force",)
NEWTON = 6.673e-11  # [m³/(kg·s²)], as the sources have it


@dataclass(frozen=True, kw_only=True)
class PairGravity(Element):
    """Attraction between each two of the bodies `between`; G [m³/(kg·s²)]; softened within the distance `core` [m]."""

    between: Sequence[str]
    G: float = NEWTON
    core: float = 1e-6

    def faults(self) -> Iterator[Fault]:
        """Also: there must be two bodies."""
        yield from super().faults()
        if len(self.between) < 2:
            yield Fault(f"gravity acts between at least two bodies, not {len(self.between)}", self.where)

    def bodies(self) -> tuple[str, ...]:
        """The bodies that attract each other."""
        return tuple(self.between)

    def weighs(self, layout):
        """The bodies that attract each other."""
        return [layout.body(name).name for name in self.between]

    def carried(self, welded, parent, there):
        """Refuses: a body welded to another has no attraction of its own."""
        if not any(map(welded, self.between)):
            return self
        raise self.fail(f"a body that attracts others cannot be welded to {parent!r}: remove the attraction first")

    def rows(self, layout) -> list[Row]:
        """One kernel element a pair of bodies, between their centres of mass."""
        rows: list[Row] = []
        for one, two in itertools.combinations(self.between, 2):
            ends = []
            mass = 1.0
            for name in (one, two):
                properties = layout.body(name).body.mass_properties
                mass *= properties.mass
                ends.append(layout_point(layout, name, properties.centre))
            (i, a), (j, b) = ends
            rows.append(([i, j], [*a, *b, self.G * mass, float(self.core)]))
        return rows


@function
def attraction(model, motion, i, p):
    """Arms of both, force on the first, relative velocity of the second, distance."""
    r, place, speed = point_of(motion, model.indices[i], load_vec3(model.params, p))
    s, other, other_speed = point_of(motion, model.indices[i + 1], load_vec3(model.params, p + 3))
    line, core = other - place, load(model.params, p + CORE)
    far = sqrt(dot(line, line) + core * core)
    return r, s, line * (load(model.params, p + STRENGTH) / (far * far * far)), speed, other_speed, far


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Pulls the two bodies of each pair together [N]."""
    for k in range(count):
        i = index + 2 * k
        r, s, force, speed, other_speed, _ = attraction(model, motion, i, param + PARAMETERS * k)
        add_force(motion, model.indices[i], r, force)
        add_force(motion, model.indices[i + 1], s, -force)
        if line >= 0:
            add_to(motion.zrate, line, dot(force, speed - other_speed))


@outlined
def energy(model, motion, t, index, param, count):
    """Negative: what it takes to draw the bodies apart."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        far = attraction(model, motion, index + 2 * k, p)[5]
        total = total - load(model.params, p + STRENGTH) / far
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Size of the attraction [N]."""
    for k in range(count):
        force = attraction(model, motion, index + 2 * k, param + PARAMETERS * k)[2]
        store(out, first + k, sqrt(dot(force, force)))
