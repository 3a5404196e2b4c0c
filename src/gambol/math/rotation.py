"""Unit quaternions and the rotation group: exponential, logarithm, and the inverse of its differential."""

from typing import NamedTuple

from gambol.jit import function
from gambol.math.scalar import absolute, arctan, constant, maximum, reciprocal, sincos, sqrt, where_positive
from gambol.math.vector import Mat3, Vec3, cross, dot


class Quat(NamedTuple):
    """Unit quaternion; turns body axes into parent axes."""

    w: float
    x: float
    y: float
    z: float


@function
def frame_of(q):
    """Rotation matrix of a unit quaternion."""
    one = constant(q.w, 1.0)
    x, y, z = q.x + q.x, q.y + q.y, q.z + q.z
    return Mat3(
        Vec3(one - q.y * y - q.z * z, q.x * y + q.w * z, q.x * z - q.w * y),
        Vec3(q.x * y - q.w * z, one - q.x * x - q.z * z, q.y * z + q.w * x),
        Vec3(q.x * z + q.w * y, q.y * z - q.w * x, one - q.x * x - q.y * y),
    )


@function
def quat_product(a, b):
    """The turn b, then the turn a (Hamilton's product)."""
    return Quat(
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    )


@function
def conjugate(q):
    """The turn back."""
    return Quat(q.w, -q.x, -q.y, -q.z)


@function
def normalised(q):
    """The quaternion at length 1."""
    scale = reciprocal(sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))
    return Quat(q.w * scale, q.x * scale, q.y * scale, q.z * scale)


@function
def quat_exp(r):
    """The turn by the rotation vector r [rad]; exact for every size of r."""
    square = dot(r, r)
    tiny = constant(square, 1e-8)
    angle = sqrt(maximum(square, tiny))
    sin, cos = sincos(angle * constant(square, 0.5))
    small = square - tiny  # below: series, exact to rounding for angles under 1e-4
    eighth = constant(square, 0.125)
    scale = where_positive(small, sin / angle, constant(square, 0.5) - square * constant(square, 1.0 / 48.0))
    w = where_positive(small, cos, constant(square, 1.0) - square * eighth)
    return Quat(w, r.x * scale, r.y * scale, r.z * scale)


@function
def turned(q, r):
    """q after the turn by the rotation vector r in outer (parent) axes."""
    return normalised(quat_product(quat_exp(r), q))


@function
def turned_locally(q, r):
    """q after the turn by the rotation vector r in its own axes."""
    return normalised(quat_product(q, quat_exp(r)))


@function
def exp_rate(r, omega):
    """Rate of the rotation vector r while exp(r) turns at omega in outer axes: the inverse differential of exp.

    For omega in the turning body's own axes, pass -r and negate nothing: exp_rate(-r, omega) serves both.
    """
    square = dot(r, r)
    tiny = constant(square, 1e-4)
    angle = sqrt(maximum(square, tiny))
    half = constant(square, 0.5)
    sin, cos = sincos(angle * half)
    # (1 - (θ/2) cot(θ/2)) / θ², and its series 1/12 + θ²/720 + θ⁴/30240 near zero
    far = (constant(square, 1.0) - half * angle * cos / sin) / (angle * angle)
    near = constant(square, 1.0 / 12.0) + square * (
        constant(square, 1.0 / 720.0) + square * constant(square, 1.0 / 30240.0)
    )
    c = where_positive(square - tiny, far, near)
    across = cross(r, omega)
    return omega - across * half + cross(r, across) * c


@function
def rotation_vector(q):
    """The rotation vector of a unit quaternion, of length up to π; the inverse of quat_exp."""
    sign = where_positive(q.w, constant(q.w, 1.0), constant(q.w, -1.0))
    square = q.x * q.x + q.y * q.y + q.z * q.z
    tiny = constant(square, 1e-12)
    sin = sqrt(maximum(square, tiny))
    w = absolute(q.w)
    # 4 atan(s / (1 + w)) is the whole angle and keeps its digits near half a turn
    angle = constant(square, 4.0) * arctan(sin / (constant(square, 1.0) + w))
    scale = sign * where_positive(square - tiny, angle / sin, constant(square, 2.0) + square * constant(square, 1 / 3))
    return Vec3(q.x * scale, q.y * scale, q.z * scale)
