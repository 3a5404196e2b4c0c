"""A point of one body on a surface of second degree (plane, sphere, cylinder, cone, …) carried by another.

parameters: point on a 3, Q 6 (xx yy zz xy xz yz), g 3, c, in b's layout frame
D = ½ xᵀ Q x + g · x + c for the point x in b's frame
"""

from gambol.dynamics.constraints.row import frame_at, point_state, spin_of, state_row
from gambol.jit import outlined
from gambol.math.memory import load_sym3, load_vec3
from gambol.math.scalar import load
from gambol.math.spatial import Spatial
from gambol.math.vector import cross, dot, transposed_times, zero3

KIND, NAME = 4, "quadric"


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """A row: the quadric's value at the point, in the frame of the body that carries it; zero on the surface."""
    A, B = (
        point_state(constrained, a, load_vec3(model.params, p)),
        point_state(constrained, b, zero3(load(model.params, p))),
    )
    Q, g = load_sym3(model.params, p + 3), load_vec3(model.params, p + 9)
    frame, omega = frame_at(constrained, b), spin_of(constrained, b)
    gap, closing = A.place - B.place, A.speed - B.speed
    turning = cross(omega, gap)
    x, rate = transposed_times(frame, gap), transposed_times(frame, closing - turning)
    slope = Q @ x + g
    n = frame @ slope
    relative = A.inward - cross(omega, closing) * 2.0 + cross(omega, turning)
    state_row(
        model,
        constrained,
        row,
        a,
        Spatial(cross(A.arm, n), n),
        b,
        Spatial(-cross(gap, n), -n),
        0.5 * dot(x, Q @ x) + dot(g, x) + load(model.params, p + 12),
        0.0,
        dot(n, relative) + dot(rate, Q @ rate),
    )
