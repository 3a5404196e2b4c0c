"""Spatial motions, forces and inertias; angular part first, world axes, any reference point."""

from typing import NamedTuple

from gambol.jit import function, value
from gambol.math.vector import (
    Mat3,
    Sym3,
    Vec3,
    columns,
    cross,
    dot,
    inverse,
    outer,
    product,
    rows,
    sym_outer,
    sym_product,
    transposed_times,
    zero3,
)


@value
class Spatial(NamedTuple):
    """Angular and linear part of a motion (velocity, acceleration) or of a force (torque, force)."""

    ang: Vec3
    lin: Vec3

    def __add__(a, b: "Spatial"):
        return Spatial(a.ang + b.ang, a.lin + b.lin)

    def __sub__(a, b: "Spatial"):
        return Spatial(a.ang - b.ang, a.lin - b.lin)

    def __mul__(a, b: "number"):
        return Spatial(a.ang * b, a.lin * b)

    def __neg__(a):
        return Spatial(-a.ang, -a.lin)


@function
def zero6(like):
    """The spatial vector of zeros, of the number type of `like`."""
    return Spatial(zero3(like), zero3(like))


@function
def power(a, b):
    """Scalar product of a motion and a force."""
    return dot(a.ang, b.ang) + dot(a.lin, b.lin)


@function
def motion_at(a, r):
    """The motion a of a rigid body as seen at the point r."""
    return Spatial(a.ang, a.lin + cross(a.ang, r))


@function
def force_from(f, r):
    """The force f acting at r as seen at the origin."""
    return Spatial(f.ang + cross(r, f.lin), f.lin)


class Inertia(NamedTuple):
    """Articulated inertia [[I, H], [HT, M]]: maps acceleration to force."""

    I: Sym3
    H: Mat3
    M: Sym3


@function
def no_inertia(like):
    """The inertia of nothing, of the number type of `like`."""
    zero, none = zero3(like), zero3(like).x
    empty = Sym3(none, none, none, none, none, none)
    return Inertia(empty, Mat3(zero, zero, zero), empty)


@function
def add_inertias(a, b):
    """Inertia of two bodies that move as one, about the same point."""
    return Inertia(a.I + b.I, a.H + b.H, a.M + b.M)


@function
def inertia_times(A, a):
    """Force that the acceleration a needs."""
    return Spatial(A.I @ a.ang + A.H @ a.lin, transposed_times(A.H, a.ang) + A.M @ a.lin)


@function
def times_rotation(A, axis):
    """Force that a unit angular acceleration about axis needs."""
    return Spatial(A.I @ axis, transposed_times(A.H, axis))


@function
def times_translation(A, axis):
    """Force that a unit linear acceleration along axis needs."""
    return Spatial(A.H @ axis, A.M @ axis)


@function
def minus_outer(A, f, g):
    """A - f gT, where f and g are parallel."""
    return Inertia(A.I - sym_outer(f.ang, g.ang), A.H - outer(f.ang, g.lin), A.M - sym_outer(f.lin, g.lin))


@function
def inertia_from(A, r):
    """The inertia A of a body at r as seen at the origin.

    K = H + [r]x M  and  I' = I + [r]x HT - K [r]x
    """
    M = columns(A.M)
    K = A.H + Mat3(cross(r, M.x), cross(r, M.y), cross(r, M.z))
    h1, h2, h3 = rows(A.H)
    k1, k2, k3 = rows(K)
    h1, h2, h3 = cross(r, h1), cross(r, h2), cross(r, h3)  # columns of [r]x HT
    k1, k2, k3 = cross(r, k1), cross(r, k2), cross(r, k3)  # rows of -K [r]x
    moved = Sym3(h1.x + k1.x, h2.y + k2.y, h3.z + k3.z, h2.x + k1.y, h3.x + k1.z, h3.y + k2.z)
    return Inertia(A.I + moved, K, A.M)


@function
def free_acceleration(A, f):
    """The acceleration a with A a + f = 0, by the Schur complement of M."""
    Minv = columns(inverse(A.M))
    G = product(A.H, Minv)
    ang = inverse(A.I - sym_product(G, A.H)) @ (G @ f.lin - f.ang)
    lin = Minv @ (f.lin + transposed_times(A.H, ang))
    return Spatial(ang, -lin)


@function
def spin_matrix(w, alpha):
    """[alpha]x + [w]x [w]x: acceleration of the points of a turning body."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3(
        Vec3(-(yy + zz), xy + alpha.z, xz - alpha.y),
        Vec3(xy - alpha.z, -(xx + zz), yz + alpha.x),
        Vec3(xz + alpha.y, yz - alpha.x, -(xx + yy)),
    )
