"""A direction of one body at a fixed angle to a direction of another.

parameters: direction u on a 3, direction w on b 3, value;  D = u · w − value
"""

from gambol.dynamics.constraints.row import frame_at, spin_of, state_row
from gambol.jit import function, outlined
from gambol.math.memory import load_vec3
from gambol.math.scalar import load
from gambol.math.spatial import Spatial
from gambol.math.vector import cross, dot, zero3

KIND, NAME = 1, "direction"


@function
def direction_terms(u, w, omega_a, omega_b):
    """w × u, about which b turning makes u · w grow, and the velocity terms of its second derivative."""
    about = cross(w, u)
    return about, dot(omega_b - omega_a, cross(cross(omega_b, w), u) + cross(w, cross(omega_a, u)))


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """A row: cosine of the angle between a direction of either body, less the one wanted."""
    u = frame_at(constrained, a) @ load_vec3(model.params, p)
    w = frame_at(constrained, b) @ load_vec3(model.params, p + 3)
    about, terms = direction_terms(u, w, spin_of(constrained, a), spin_of(constrained, b))
    still = zero3(u.x)
    state_row(
        model,
        constrained,
        row,
        a,
        Spatial(-about, still),
        b,
        Spatial(about, still),
        dot(u, w) - load(model.params, p + 6),
        0.0,
        terms,
    )
