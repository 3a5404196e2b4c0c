"""A muscle along straight lines through points of several bodies: it pulls, never pushes.

Tension while longer than its rest: activation · (stiffness x + strength (e^(rise x) - 1)) + damping · rate, with
x = length - rest; `activation` and `rest` can be ramped. In an implicit step its impedance acts on its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gambol.forces.clipping import EXPONENT_MOST, count_clipped, grown_exponential
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import begin_tension, bias_of, point_of, push_end
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3
from gambol.math.scalar import any_positive, constant, load, maximum, reciprocal, sqrt, store, where_positive
from gambol.math.vector import dot, zero3

MOST = 4  # points
ENDS = MOST
INDICES, PARAMETERS = MOST + 1, 2 * RAMP + 5 + 3 * MOST
RAMPS = {"activation": 0, "rest": RAMP}
STIFFNESS, STRENGTH, RISE, DAMPING, CLIPPED, POINTS = range(2 * RAMP, 2 * RAMP + 6)
NUMBERS = {"stiffness": STIFFNESS, "strength": STRENGTH, "rise": RISE, "damping": DAMPING, "clipped": CLIPPED}
REPORTS = ("length", "tension")


@dataclass(frozen=True, kw_only=True)
class Muscle(Element):
    """A muscle through `path`: (body, point [m, body frame]) from origin to insertion, at most four; body "" is fixed.

    Two points make a straight muscle; points of three bodies one that spans two joints. stiffness [N/m], strength [N],
    rise [1/m], damping [N·s/m], rest [m], activation (a factor, 0 … 1).
    """

    path: Sequence[tuple[str, tuple[float, float, float]]] = ()
    stiffness: float = 0.0
    strength: float = 0.0
    rise: float = 1.0
    damping: float = 0.0
    rest: float = 0.0
    activation: float = 1.0

    def bodies(self) -> tuple[str, ...]:
        """Every body of its path."""
        return tuple(body for body, _ in self.path)

    def carried(self, welded, parent, there):
        """Points on welded bodies become points of the parent."""
        path = [(parent, there.apply(at)) if body and welded(body) else (body, at) for body, at in self.path]
        return replace(self, path=tuple(path))

    def rows(self, layout) -> list[Row]:
        """One kernel element; points that its path does not use stay empty."""
        if not 2 <= len(self.path) <= MOST:
            raise self.fail(f"a muscle's path has 2 to {MOST} points, not {len(self.path)}")
        links, points = [], []
        for body, point in self.path:
            link, place = layout_point(layout, body, point)
            links.append(link)
            points += place
        spare = MOST - len(links)
        numbers = [self.stiffness, self.strength, self.rise, self.damping, 0.0]
        params = [*held(self.activation), *held(self.rest), *(float(x) for x in numbers)]
        return [([len(links), *links, *[0] * spare], [*params, *points, *[0.0] * (3 * spare)])]


@function
def node(model, motion, i, p, j):
    """Point j of a path: body, arm, place and velocity."""
    body = model.indices[i + 1 + j]
    r, place, speed = point_of(motion, body, load_vec3(model.params, p + POINTS + 3 * j))
    return body, r, place, speed


@function
def course(model, motion, i, p):
    """Length of the path and the rate at which it grows."""
    _, _, last, last_speed = node(model, motion, i, p, 0)
    length, rate = constant(last.x, 0.0), constant(last.x, 0.0)
    for j in range(1, model.indices[i]):
        _, _, place, speed = node(model, motion, i, p, j)
        line = place - last
        size = sqrt(dot(line, line) + constant(length, 1e-18))
        length = length + size
        rate = rate + dot(line, speed - last_speed) / size
        last, last_speed = place, speed
    return length, rate


@function
def tension(model, motion, t, p, length, rate):
    """Tension, stiffness, damping, and by how much the exponential is cut off."""
    params = model.params
    active, _ = ramped(model, motion, p, t)
    rest, drift = ramped(model, motion, p + RAMP, t)
    one, zero = constant(length, 1.0), constant(length, 0.0)
    x = length - rest
    rise, strength = load(params, p + RISE), load(params, p + STRENGTH)
    exponent = rise * maximum(x, zero)
    grown = grown_exponential(exponent)
    k, b = load(params, p + STIFFNESS), load(params, p + DAMPING)
    pull = active * (k * x + strength * (grown - one)) + b * rate
    taut = where_positive(x, where_positive(pull, one, zero), zero)
    beyond = where_positive(strength, exponent - constant(x, EXPONENT_MOST), -one)
    return pull * taut, active * (k + strength * rise * grown) * taut, b * taut, drift, beyond


@function
def pull_at(model, motion, i, p, j):
    """Body and arm of point j, and the direction in which a unit of tension pulls it."""
    body, r, here, _ = node(model, motion, i, p, j)
    total = zero3(here.x)
    for k in range(max(j - 1, 0), min(j + 2, model.indices[i])):
        if k != j:
            line = node(model, motion, i, p, k)[2] - here
            total = total + line * reciprocal(sqrt(dot(line, line) + constant(here.x, 1e-18)))
    return body, r, total


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Pulls every point of each path towards its neighbours [N]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        length, rate = course(model, motion, i, p)
        pull, stiffness, damping, drift, beyond = tension(model, motion, t, p, length, rate)
        count_clipped(model.params, p + CLIPPED, beyond)
        soon, root = begin_tension(motion, h, pull, stiffness, damping, rate - drift)
        if any_positive(root):
            for j in range(model.indices[i]):
                body, r, u = pull_at(model, motion, i, p, j)
                soon = soon - root * root * dot(u, bias_of(model, motion, body, r))
        for j in range(model.indices[i]):
            body, r, u = pull_at(model, motion, i, p, j)
            push_end(model, motion, body, r, u, soon, root)
        if line >= 0:
            add_to(motion.zrate, line, -pull * rate)


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of muscles that are stretched [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        length, _ = course(model, motion, i, p)
        x = maximum(length - ramped(model, motion, p + RAMP, t)[0], constant(length, 0.0))
        rise = load(model.params, p + RISE)
        stored = load(model.params, p + STIFFNESS) * x * x * constant(x, 0.5)
        stored = stored + load(model.params, p + STRENGTH) * (
            (grown_exponential(rise * x) - constant(x, 1.0)) / rise - x
        )
        total = total + stored * ramped(model, motion, p, t)[0]
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m] and tension [N] of each muscle."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        length, rate = course(model, motion, i, p)
        store(out, first + 2 * k, length)
        store(out, first + 2 * k + 1, tension(model, motion, t, p, length, rate)[0])
