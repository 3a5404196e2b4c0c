"""Two points at a given distance.

parameters: point on a 3, point on b 3, length [m];  D = |p_a − p_b| − length
"""

from gambol.dynamics.constraints.row import point_state, state_row
from gambol.jit import outlined
from gambol.math.memory import load_vec3
from gambol.math.scalar import load, reciprocal, sqrt
from gambol.math.spatial import Spatial
from gambol.math.vector import cross, dot

KIND, NAME = 3, "distance"


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """A row: distance [m] between a point of either body, less the one wanted."""
    A, B = (
        point_state(constrained, a, load_vec3(model.params, p)),
        point_state(constrained, b, load_vec3(model.params, p + 3)),
    )
    gap, closing = A.place - B.place, A.speed - B.speed
    length = sqrt(dot(gap, gap))
    n = gap * reciprocal(length)
    along = dot(n, closing)
    state_row(
        model,
        constrained,
        row,
        a,
        Spatial(cross(A.arm, n), n),
        b,
        Spatial(-cross(B.arm, n), -n),
        length - load(model.params, p + 6),
        0.0,
        dot(n, A.inward - B.inward) + (dot(closing, closing) - along * along) / length,
    )
