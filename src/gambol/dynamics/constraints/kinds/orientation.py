"""A frame of one body parallel to a frame of another.

parameters: frame on a 9, frame on b 9 (columns, layout axes of their bodies)
D = 2 sin(θ/2) · axis of the turn from b's frame to a's, in b's axes: it grows up to half a turn.
"""

import math

from gambol.dynamics.constraints.row import frame_at, spin_of, state_row
from gambol.jit import function, outlined
from gambol.math.memory import load_mat3
from gambol.math.spatial import Spatial
from gambol.math.vector import Vec3, cross, dot, product, transposed_times, zero3

KIND, NAME = 2, "orientation"


@function
def relative_quaternion(A, B):
    """(w, vector) of the turn that takes frame B to frame A, in B's axes, w ≥ 0; by its largest component."""
    x, y, z = transposed_times(B, A.x), transposed_times(B, A.y), transposed_times(B, A.z)
    w4 = 1.0 + x.x + y.y + z.z
    x4, y4, z4 = 1.0 + x.x - y.y - z.z, 1.0 - x.x + y.y - z.z, 1.0 - x.x - y.y + z.z
    if w4 >= x4 and w4 >= y4 and w4 >= z4:
        w = 0.5 * math.sqrt(w4)
        v = Vec3(y.z - z.y, z.x - x.z, x.y - y.x) * (0.25 / w)
    elif x4 >= y4 and x4 >= z4:
        s = 0.5 * math.sqrt(x4)
        w, v = (y.z - z.y) * 0.25 / s, Vec3(s, (x.y + y.x) * 0.25 / s, (x.z + z.x) * 0.25 / s)
    elif y4 >= z4:
        s = 0.5 * math.sqrt(y4)
        w, v = (z.x - x.z) * 0.25 / s, Vec3((x.y + y.x) * 0.25 / s, s, (y.z + z.y) * 0.25 / s)
    else:
        s = 0.5 * math.sqrt(z4)
        w, v = (x.y - y.x) * 0.25 / s, Vec3((x.z + z.x) * 0.25 / s, (y.z + z.y) * 0.25 / s, s)
    if w < 0.0:
        return -w, -v
    return w, v


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
    still = zero3(0.0)
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
