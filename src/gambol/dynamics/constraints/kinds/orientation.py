"""A frame of one body parallel to a frame of another.

parameters: frame on a 9, frame on b 9 (columns, layout axes of their bodies)
D = 2 sin(θ/2) · axis of the turn from b's frame to a's, in b's axes: it grows up to half a turn.
"""

from gambol.dynamics.constraints.row import frame_at, spin_of, state_row
from gambol.jit import function, outlined
from gambol.math.memory import load_mat3
from gambol.math.scalar import constant, sqrt, where_positive
from gambol.math.spatial import Spatial
from gambol.math.vector import Vec3, cross, dot, product, transposed_times, zero3

KIND, NAME = 2, "orientation"


@function
def relative_quaternion(A, B):
    """(w, vector) of the turn that takes frame B to frame A, in B's axes, w ≥ 0; by its largest component."""
    x, y, z = transposed_times(B, A.x), transposed_times(B, A.y), transposed_times(B, A.z)
    one = constant(x.x, 1.0)
    most, w, v = one + x.x + y.y + z.z, one + x.x + y.y + z.z, Vec3(y.z - z.y, z.x - x.z, x.y - y.x)
    yz, zx, xy = y.z + z.y, z.x + x.z, x.y + y.x
    x4, y4, z4 = one + x.x - y.y - z.z, one - x.x + y.y - z.z, one - x.x - y.y + z.z
    most, w, v = by_larger(x4, Vec3(x4, xy, zx), v.x, most, w, v)
    most, w, v = by_larger(y4, Vec3(xy, y4, yz), z.x - x.z, most, w, v)
    most, w, v = by_larger(z4, Vec3(zx, yz, z4), x.y - y.x, most, w, v)
    size = constant(most, 0.5) / sqrt(most)
    size = where_positive(-w, -size, size)
    return w * size, v * size


@function
def by_larger(square, v, w, most, w_before, v_before):
    """The quaternion by this component, where it is the larger one; each is twice the largest component too long."""
    more = square - most
    vector = Vec3(
        where_positive(more, v.x, v_before.x),
        where_positive(more, v.y, v_before.y),
        where_positive(more, v.z, v_before.z),
    )
    return where_positive(more, square, most), where_positive(more, w, w_before), vector


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """Rows: twice the vector of the quaternion [rad, nearly] that takes b's axes to a's, in b's axes."""
    A = product(frame_at(constrained, a), load_mat3(model.params, p))
    B = product(frame_at(constrained, b), load_mat3(model.params, p + 9))
    w, v = relative_quaternion(A, B)
    omega_b = spin_of(constrained, b)
    turning = spin_of(constrained, a) - omega_b
    omega = transposed_times(B, turning)
    w_rate = -0.5 * dot(omega, v)
    v_rate = (omega * w + cross(omega, v)) * 0.5
    still = zero3(w)
    for k in range(rows):
        e = Vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        about = B @ (e * w + cross(v, e))
        terms = dot(e * w_rate + cross(v_rate, e), omega) - dot(about, cross(omega_b, turning))
        state_row(
            model,
            constrained,
            row + k,
            a,
            Spatial(about, still),
            b,
            Spatial(-about, still),
            2.0 * dot(e, v),
            0.0,
            terms,
        )
