"""Force elements of somebody else's, as docs/howto/add_a_force.md says: a law and a class, each about 25 lines."""

from dataclasses import dataclass

from gambol import JointElement, LineElement, PointElement, joint_kernel, line_kernel, point_kernel
from gambol.forces.push import isotropic
from gambol.math.scalar import sqrt
from gambol.math.vector import Vec3, dot, sym_outer


def hardening_law(q, v, t, stiffness, hardening, damping, rest):
    x = q - rest
    square = x * x
    force = -(stiffness + hardening * square) * x - damping * v
    return force, stiffness + 3.0 * hardening * square, damping, (0.5 * stiffness + 0.25 * hardening * square) * square


@dataclass(frozen=True, kw_only=True)
class HardeningSpring(JointElement):
    """force = -(stiffness + hardening x²) x - damping v, x = q - rest."""

    stiffness: float
    hardening: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    kernel = joint_kernel(hardening_law, ramps=("rest",))


def mooring_law(place, velocity, t, x, y, z, stiffness, hardening, drag):
    away = place - Vec3(x, y, z)
    square, speed = dot(away, away), sqrt(dot(velocity, velocity) + 1e-20)
    force = away * (-stiffness - hardening * square) - velocity * (drag * speed)
    K = isotropic(stiffness + hardening * square) + sym_outer(away, away) * (2.0 * hardening)
    B = isotropic(drag * speed) + sym_outer(velocity, velocity) * (drag / speed)
    return force, K, B, (0.5 * stiffness + 0.25 * hardening * square) * square


@dataclass(frozen=True, kw_only=True)
class Mooring(PointElement):
    """A hardening spring to the place (x, y, z) [m], and drag by the square of the speed."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    stiffness: float = 0.0
    hardening: float = 0.0
    drag: float = 0.0

    kernel = point_kernel(mooring_law)


def bungee_law(length, rate, t, stiffness, hardening, damping, rest):
    x = length - rest
    pull = (stiffness + hardening * x * x) * x + damping * rate
    return pull, stiffness + 3.0 * hardening * x * x, damping, (0.5 * stiffness + 0.25 * hardening * x * x) * x * x


@dataclass(frozen=True, kw_only=True)
class Bungee(LineElement):
    """tension = (stiffness + hardening x²) x + damping · rate, x = length - rest; it breaks at the length `breaks`."""

    stiffness: float
    hardening: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    breaks: float = 1e9

    kernel = line_kernel(bungee_law, ramps=("rest",), breaks=True)


TYPES = (HardeningSpring, Mooring, Bungee)
