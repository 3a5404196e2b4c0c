"""A spring and damper between a point of a body and a place in the world."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import PointElement
from gambol.forces.factories import point_kernel
from gambol.math.scalar import constant
from gambol.math.vector import Vec3, dot


def law(place, velocity, t, x, y, z, stiffness, damping):
    """Force, stiffness, damping, energy."""
    stretch = place - Vec3(x, y, z)
    force = stretch * (-stiffness) - velocity * damping
    return force, stiffness, damping, stiffness * dot(stretch, stretch) * constant(x, 0.5)


@dataclass(frozen=True, kw_only=True)
class Anchor(PointElement):
    """force = -stiffness (position - place) - damping · velocity at `point` [m, body frame] of `body`.

    `place` [m, world], stiffness [N/m], damping [N·s/m].
    """

    place: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0

    kernel = point_kernel(law)

    def law_numbers(self, **given: float) -> list[float]:
        x, y, z = self.place
        return super().law_numbers(x=float(x), y=float(y), z=float(z))
