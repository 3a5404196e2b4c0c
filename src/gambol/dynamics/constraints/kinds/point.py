"""A point of one body at a point of another, along one to three directions of the latter, or of the world.

parameters: point on a 3, point on b 3, directions 9, velocity and acceleration of the place 6, turning with b (0, 1)
D_k = n_k · (p_a − p_b − m(t)),   m = velocity t + acceleration t²/2

Directions that turn with b see its turning as motion of the gap, so the force on b acts at a's point; directions of
the world put it at b's own (the source's point-to-point constraint).
"""

from gambol.dynamics.constraints.row import frame_at, point_state, spin_of, state_row
from gambol.dynamics.couplings import count_at
from gambol.jit import outlined
from gambol.math.memory import load_vec3
from gambol.math.scalar import load
from gambol.math.spatial import Spatial
from gambol.math.vector import cross, dot, identity3, zero3

KIND, NAME = 0, "point"


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """A row for each axis held: where a point of one body is from that of the other [m], world axes or the other's."""
    A, B = (
        point_state(constrained, a, load_vec3(model.params, p)),
        point_state(constrained, b, load_vec3(model.params, p + 3)),
    )
    velocity, acceleration = load_vec3(model.params, p + 15), load_vec3(model.params, p + 18)
    turns = load(model.params, p + 21)
    frame, omega = identity3(A.place.x), zero3(A.place.x)
    if count_at(model.params, p + 21) > 0:
        frame, omega = frame_at(constrained, b), spin_of(constrained, b)
    gap, closing = A.place - B.place, A.speed - B.speed
    moved = velocity * t + acceleration * (0.5 * t * t)
    moving = velocity + acceleration * t
    for k in range(rows):
        local = load_vec3(model.params, p + 6 + 3 * k)
        n = frame @ local
        turning = cross(omega, n)
        terms = (
            dot(n, A.inward - B.inward)
            + 2.0 * dot(turning, closing)
            + dot(cross(omega, turning), gap)
            - dot(local, acceleration)
        )
        state_row(
            model,
            constrained,
            row + k,
            a,
            Spatial(cross(A.arm, n), n),
            b,
            Spatial(-cross(B.arm + gap * turns, n), -n),
            dot(n, gap) - dot(local, moved),
            -dot(local, moving),
            terms,
        )
