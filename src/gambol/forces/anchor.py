"""A spring and damper between a point of a body and a place in the world."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import isotropic, point_of, push_point
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import constant, load
from gambol.math.vector import dot

INDICES, PARAMETERS = 1, 8
NUMBERS = {"x": 3, "y": 4, "z": 5, "stiffness": 6, "damping": 7}
RAMPS: dict[str, int] = {}
REPORTS = ("x", "y", "z", "force_x", "force_y", "force_z")
POINT = 0  # where, among its parameters, the point of the body is


@dataclass(frozen=True, kw_only=True)
class Anchor(Element):
    """force = -stiffness (position - place) - damping · velocity at `point` [m, body frame] of `body`.

    `place` [m, world], stiffness [N/m], damping [N·s/m].
    """

    body: str
    place: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def rows(self, layout) -> list[Row]:
        """One kernel element: its body, then point, place, stiffness and damping."""
        link, point = layout_point(layout, self.body, self.point)
        place = [float(x) for x in self.place]
        return [([link], [*point, *place, float(self.stiffness), float(self.damping)])]


@function
def law(model, motion, i, p):
    """Arm and velocity of the point, force on it, stiffness and damping."""
    like = constant(load(motion.work, 0), 0.0)
    stiffness, damping = like + load(model.params, p + 6), like + load(model.params, p + 7)
    r, place, speed = point_of(motion, i, load_vec3(model.params, p))
    force = (place - load_vec3(model.params, p + 3)) * (-stiffness) - speed * damping
    return r, speed, force, stiffness, damping


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds −stiffness · stretch − damping · speed at each point [N]."""
    for k in range(count):
        i = model.indices[index + k]
        r, speed, force, stiffness, damping = law(model, motion, i, param + 8 * k)
        push_point(model, motion, h, i, r, speed, force, isotropic(stiffness), isotropic(damping))
        if line >= 0:
            add_to(motion.zrate, line, dot(force, speed))


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of the anchors [J]."""
    total = constant(load(motion.work, 0), 0.0)
    half = constant(total, 0.5)
    for k in range(count):
        i, p = model.indices[index + k], param + 8 * k
        _, place, _ = point_of(motion, i, load_vec3(model.params, p))
        stretch = place - load_vec3(model.params, p + 3)
        total = total + load(model.params, p + 6) * dot(stretch, stretch) * half
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Place of the point [m] and force on the body [N], world axes."""
    for k in range(count):
        i, p = model.indices[index + k], param + 8 * k
        store_vec3(out, first + 6 * k, point_of(motion, i, load_vec3(model.params, p))[1])
        store_vec3(out, first + 6 * k + 3, law(model, motion, i, p)[2])
