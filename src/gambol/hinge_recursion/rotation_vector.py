"""The logarithm of the rotation group, by arithmetic alone, so that packs take it too."""

from gambol.jit import function
from gambol.math.scalar import constant, reciprocal, sqrt, where_positive
from gambol.math.vector import Mat3, Vec3

ARCTAN_SERIES = tuple((-1.0) ** k / (2 * k + 1) for k in range(12))  # of arctan


@function
def _log_scale(w, square):
    """θ / sin(θ/2) from cos(θ/2) = w ≥ 0 and its sine squared.

    tan(θ/4) = sin/(1 + w) ≤ 1; two more halvings bring it under 0.2, where twelve terms of arctan's series are
    exact to rounding. The sine cancels, so there is nothing special about small turns.
    """
    one = constant(w, 1.0)
    first = reciprocal(one + w)
    t = square * first * first
    second = reciprocal(one + sqrt(one + t))
    t = t * second * second
    third = reciprocal(one + sqrt(one + t))
    t = t * third * third
    series = constant(w, ARCTAN_SERIES[11])
    for k in range(10, -1, -1):
        series = series * t + constant(w, ARCTAN_SERIES[k])
    return constant(w, 16.0) * first * second * third * series


@function
def rotation_vector(q):
    """The rotation vector [rad] of a unit quaternion, at most half a turn."""
    sign = where_positive(q.w, constant(q.w, 1.0), constant(q.w, -1.0))
    scale = sign * _log_scale(q.w * sign, q.x * q.x + q.y * q.y + q.z * q.z)
    return Vec3(q.x * scale, q.y * scale, q.z * scale)


@function
def rate_matrix(q):
    """E with ṙ = E ω: the rate of the rotation vector r of q that turns at ω in its own axes.

    E = 1 + ½ r̃ + c r̃², c = (1 − (θ/2) cot(θ/2)) / θ², near zero 1/12 + θ²/720 + θ⁴/30240.
    """
    one, half = constant(q.w, 1.0), constant(q.w, 0.5)
    sign = where_positive(q.w, one, -one)
    w, square = q.w * sign, q.x * q.x + q.y * q.y + q.z * q.z
    scale = _log_scale(w, square)
    angle2 = scale * scale * square
    near = constant(w, 1.0 / 12.0) + angle2 * (constant(w, 1.0 / 720.0) + angle2 * constant(w, 1.0 / 30240.0))
    small = constant(w, 1e-4)
    far = (one - half * scale * w) / where_positive(angle2 - small, angle2, one)
    c = where_positive(angle2 - small, far, near)
    x, y, z = q.x * sign * scale, q.y * sign * scale, q.z * sign * scale
    hx, hy, hz = x * half, y * half, z * half
    diagonal = one - c * angle2
    xy, xz, yz = c * x * y, c * x * z, c * y * z
    return Mat3(
        Vec3(diagonal + c * x * x, xy + hz, xz - hy),
        Vec3(xy - hz, diagonal + c * y * y, yz + hx),
        Vec3(xz + hy, yz - hx, diagonal + c * z * z),
    )
