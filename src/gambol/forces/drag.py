"""What still or flowing air or water does to a body, taken for the box that has its inertia.

Force and torque about the centre of mass, along and about each axis of the box, are minus

    (½ density · width · height |v| + 3π mean · viscosity) v
    (density · length (width⁴ + height⁴) |ω| / 64 + π mean³ · viscosity) ω

where v is the velocity against the flow, length the side along the axis, and mean that of the three sides. There is no
lift, and no water is carried along. It is what MuJoCo does with `density` and `viscosity`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from gambol.dynamics.workspace import ALPHA, FORCE, FRAME, INERTIA, OMEGA, SLOTS
from gambol.errors import Fault
from gambol.figure.placement import Placement
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import isotropic, point_of, push_point
from gambol.jit import function, outlined
from gambol.math.memory import add_inertia, add_spatial, add_to, load_mat3, load_vec3, store_vec3
from gambol.math.scalar import absolute, any_positive, constant, load
from gambol.math.spatial import Inertia, Spatial
from gambol.math.vector import Mat3, dot, sym_outer, zero3

CENTRE, AXES, SIZE, DENSITY, VISCOSITY, WIND = 0, 3, 12, 15, 16, 17
INDICES, PARAMETERS = 1, 20
PUSHES = (0,)
NUMBERS = {"density": DENSITY, "viscosity": VISCOSITY, "wind_x": WIND, "wind_y": WIND + 1, "wind_z": WIND + 2}
RAMPS: dict[str, int] = {}
REPORTS = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")


@dataclass(frozen=True, kw_only=True)
class Drag(Element):
    """Drag on `body`, taken for a box of `size` [m] that stands at `place` in its frame.

    density [kg/m³] and viscosity [Pa·s] of what it moves through, wind [m/s, world]. `box_of_inertia` gives the size of
    the box that has a body's mass and moments.
    """

    body: str
    place: Placement = field(default_factory=Placement)
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    density: float = 0.0
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def faults(self) -> Iterator[Fault]:
        """Also: nothing of it may be negative."""
        yield from super().faults()
        if min(*self.size, self.density, self.viscosity) < 0:
            yield Fault("size, density and viscosity must not be negative", self.where)

    def carried(self, welded: Callable[[str], bool], parent: str, there: Placement) -> Element:
        """What was on a welded body is on the parent."""
        if not welded(self.body):
            return self
        return replace(self, body=parent, place=there.compose(self.place))

    def rows(self, layout) -> list[Row]:
        """One kernel element."""
        link, centre = layout_point(layout, self.body, self.place.position)
        axes = [x for column in self.place.matrix.T.tolist() for x in layout_point(layout, self.body, column)[1]]
        numbers = [*self.size, self.density, self.viscosity, *self.wind]
        return [([link], [*centre, *axes, *(float(x) for x in numbers)])]


def box_of_inertia(mass: float, principal: tuple[float, float, float]) -> tuple[float, float, float]:
    """Sides [m] of the box of this mass [kg] that has these principal moments [kg·m²]."""
    xx, yy, zz = principal
    sides = (yy + zz - xx, xx + zz - yy, xx + yy - zz)
    x, y, z = (math.sqrt(max(6.0 * side / mass, 0.0)) if mass > 0 else 0.0 for side in sides)
    return x, y, z


@function
def along(params, p, k, axis, velocity, spin):
    """Force and torque along one axis, and their derivatives by speed; k: which side of the box lies along it."""
    length, width, height = (
        load(params, p + SIZE + k),
        load(params, p + SIZE + (k + 1) % 3),
        load(params, p + SIZE + (k + 2) % 3),
    )
    density, viscosity = load(params, p + DENSITY), load(params, p + VISCOSITY)
    mean = (length + width + height) * constant(length, 1.0 / 3.0)
    v, w = dot(axis, velocity), dot(axis, spin)
    flat, thin = constant(v, 0.5) * density * width * height, constant(v, 3.0 * math.pi) * mean * viscosity
    fourth = width * width * width * width + height * height * height * height
    broad = density * length * fourth * constant(v, 1.0 / 64.0)
    slow = constant(v, math.pi) * mean * mean * mean * viscosity
    twice = constant(v, 2.0)
    force, torque = -(flat * absolute(v) + thin) * v, -(broad * absolute(w) + slow) * w
    return force, torque, twice * flat * absolute(v) + thin, twice * broad * absolute(w) + slow


@function
def look(model, motion, i, p):
    """Arm, velocity against the flow, force, torque, and their derivatives, world axes."""
    params = model.params
    frame = load_mat3(motion.work, i * SLOTS + FRAME)
    r, _, speed = point_of(motion, i, load_vec3(params, p + CENTRE))
    velocity = speed - load_vec3(params, p + WIND)
    spin = load_vec3(motion.work, i * SLOTS + OMEGA)
    zero, nothing = zero3(r.x), isotropic(constant(r.x, 0.0))
    force, torque, damping, turning = zero, zero, nothing, nothing
    for k in range(3):
        axis = frame @ load_vec3(params, p + AXES + 3 * k)
        push, turn, brake, slow = along(params, p, k, axis, velocity, spin)
        force, torque = force + axis * push, torque + axis * turn
        square = sym_outer(axis, axis)
        damping, turning = damping + square * brake, turning + square * slow
    return r, speed, spin, force, torque, damping, turning


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds force and torque of the flow [N, N·m]."""
    for k in range(count):
        i, p = model.indices[index + k], param + PARAMETERS * k
        r, speed, spin, force, torque, damping, turning = look(model, motion, i, p)
        push_point(model, motion, h, i, r, speed, force, isotropic(constant(r.x, 0.0)), damping)
        push_turn(motion, h, i, torque, turning)
        if line >= 0:
            add_to(motion.zrate, line, dot(force, speed) + dot(torque, spin))


@function
def push_turn(motion, h, i, torque, damping):
    """Adds a torque on body i; damping = -∂torque/∂spin."""
    zero, nothing = zero3(torque.x), isotropic(constant(torque.x, 0.0))
    if any_positive(h):
        Z = damping * h
        torque = torque - Z @ load_vec3(motion.work, i * SLOTS + ALPHA)
        add_inertia(motion.work, i * SLOTS + INERTIA, Inertia(Z, Mat3(zero, zero, zero), nothing))
    add_spatial(motion.work, i * SLOTS + FORCE, Spatial(-torque, zero))


@outlined
def energy(model, motion, t, index, param, count):
    """It stores none."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force [N, world] and torque [N·m, world] of each."""
    for k in range(count):
        found = look(model, motion, model.indices[index + k], param + PARAMETERS * k)
        store_vec3(out, first + 6 * k, found[3])
        store_vec3(out, first + 6 * k + 3, found[4])
