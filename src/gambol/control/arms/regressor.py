"""Y(q, v, v_r, a_r) with Y a = M a_r + C v_r (+ g): the dynamics of an open chain, linear in its inertial parameters.

Each body has ten parameters in its own frame: mass, mass · centre (3), and the tensor about its origin (xx, yy, zz, xy,
xz, yz). C is the matrix of Christoffel's symbols (M' − 2C is skew): the force of a body is

    f = I A_r + ½ (V ×* I V_r + V_r ×* I V − I (V × V_r))

with V its velocity, V_r that of the reference speeds, A_r that of the reference accelerations plus what turning
columns give. The two-link arm of the source has four combinations of them, in closed form.
"""

import numpy as np

from gambol.dynamics.forward import locate_bodies, place_bodies
from gambol.dynamics.joints import SPEEDS_OF, motion_subspace_of
from gambol.dynamics.workspace import ARM, COINCIDENT, FRAME, MASSLESS, SLOTS
from gambol.errors import Fault, WorldError
from gambol.jit import entry, function, outlined
from gambol.math.memory import load_mat3, load_spatial, load_vec3, store_spatial
from gambol.math.spatial import Spatial, motion_at, power
from gambol.math.vector import Mat3, cross, outer, product, zero3
from gambol.world.mechanics import Mechanics

PARAMETERS = 10
NAMES = ("mass", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
VELOCITY, REFERENCE, ACCELERATION, CELLS = 0, 6, 12, 18  # of a body


@function
def motion_cross(a, b):
    """Rate of the motion b carried by a body that moves at a."""
    return Spatial(cross(a.ang, b.ang), cross(a.ang, b.lin) + cross(a.lin, b.ang))


@function
def force_cross(a, f):
    """Rate of the force f carried by a body that moves at a."""
    return Spatial(cross(a.ang, f.ang) + cross(a.lin, f.lin), cross(a.ang, f.lin))


@function
def tensor_basis(k, R):
    """Tensor in world axes whose entry k in the frame R is one: e eᵀ, or e fᵀ + f eᵀ."""
    if k == 0:
        return outer(R.x, R.x)
    if k == 1:
        return outer(R.y, R.y)
    if k == 2:
        return outer(R.z, R.z)
    if k == 3:
        return add(outer(R.x, R.y), outer(R.y, R.x))
    if k == 4:
        return add(outer(R.x, R.z), outer(R.z, R.x))
    return add(outer(R.y, R.z), outer(R.z, R.y))


@function
def add(a, b):
    """a + b of two 3×3 matrices."""
    return Mat3(a.x + b.x, a.y + b.y, a.z + b.z)


@function
def momentum(k, R, w):
    """I w for the unit inertia of parameter k, at the body's origin, world axes; R is the body's frame."""
    if k == 0:
        return Spatial(zero3(0.0), w.lin)
    if k <= 3:
        h = R.x if k == 1 else (R.y if k == 2 else R.z)
        return Spatial(cross(h, w.lin), cross(w.ang, h))
    return Spatial(tensor_basis(k - 4, R) @ w.ang, zero3(0.0))


@outlined
def carry(model, motion, joints, v, v_r, a_r, body):
    """Velocities and reference accelerations of all bodies, at their origins, world axes; from the world outward."""
    W = motion.work
    g = load_vec3(model.gravity, 0)
    rest = zero3(0.0)
    store_spatial(body, VELOCITY, Spatial(rest, rest))
    store_spatial(body, REFERENCE, Spatial(rest, rest))
    store_spatial(body, ACCELERATION, Spatial(rest, rest - g))
    for i in range(1, model.parent.shape[0]):
        p = model.parent[i] * CELLS
        V, R = load_spatial(body, p + VELOCITY), load_spatial(body, p + REFERENCE)
        A = load_spatial(body, p + ACCELERATION)
        if not model.flags[i] & COINCIDENT:
            arm = load_vec3(W, i * SLOTS + ARM)
            V, R, A = motion_at(V, arm), motion_at(R, arm), motion_at(A, arm)
        kind, first = joints[i, 0], joints[i, 1]
        for c in range(SPEEDS_OF[kind]):
            V = V + motion_subspace_of(kind, model, W, i, c) * v[first + c]
        for c in range(SPEEDS_OF[kind]):
            S = motion_subspace_of(kind, model, W, i, c)
            R = R + S * v_r[first + c]
            A = A + S * a_r[first + c] + motion_cross(V, S) * v_r[first + c]
        store_spatial(body, i * CELLS + VELOCITY, V)
        store_spatial(body, i * CELLS + REFERENCE, R)
        store_spatial(body, i * CELLS + ACCELERATION, A)


@outlined
def fill(model, motion, joints, turns, number, body, Y):
    """Every body's ten columns, at the speeds between it and the world."""
    W = motion.work
    for i in range(1, model.parent.shape[0]):
        if number[i] < 0:
            continue
        V, R = load_spatial(body, i * CELLS + VELOCITY), load_spatial(body, i * CELLS + REFERENCE)
        A = load_spatial(body, i * CELLS + ACCELERATION)
        frame = product(load_mat3(W, i * SLOTS + FRAME), load_mat3(turns, 9 * i))
        for k in range(PARAMETERS):
            gyro = force_cross(V, momentum(k, frame, R)) + force_cross(R, momentum(k, frame, V))
            f = momentum(k, frame, A) + (gyro - momentum(k, frame, motion_cross(V, R))) * 0.5
            j = i
            while j > 0:
                kind, first = joints[j, 0], joints[j, 1]
                for c in range(SPEEDS_OF[kind]):
                    Y[first + c, PARAMETERS * number[i] + k] = power(motion_subspace_of(kind, model, W, j, c), f)
                if not model.flags[j] & COINCIDENT:
                    arm = load_vec3(W, j * SLOTS + ARM)
                    f = Spatial(f.ang + cross(arm, f.lin), f.lin)
                j = model.parent[j]


@entry
def regress(model, motion, joints, turns, number, body, q, v, v_r, a_r, Y):
    """Y (worlds, speeds, parameters) for each world's row of q, v, v_r, a_r, all in layout order."""
    for w in range(q.shape[0]):
        motion.q[:] = q[w]
        motion.v[:] = v[w]
        place_bodies(model, motion)
        locate_bodies(model, motion)
        carry(model, motion, joints, v[w], v_r[w], a_r[w], body)
        fill(model, motion, joints, turns, number, body, Y[w])


class ChainRegressor:
    """Y of any open chain whose root does not float: hinges, slides, screws, balls and what is made of them.

    With `gravity` the weight is part of Y a; without, it is left to feedback. Call it with (worlds, joints) arrays.
    """

    def __init__(self, mechanics: Mechanics, *, gravity: bool = True):
        layout = self.layout = mechanics.layout
        if floating := [b.name for b in layout.bodies if b.body.joint.type == "free"]:
            raise WorldError([Fault("a free joint floats; a regressor is of chains with a fixed root", floating[0])])
        self._mechanics = mechanics
        self._model = mechanics.model if gravity else mechanics.model._replace(gravity=np.zeros(3))
        n = len(layout.parent)
        self._number, self._turns = np.full(n, -1, np.int64), np.zeros(9 * n)
        self.bodies = [b for b in layout.bodies if not layout.flags[b.link] & MASSLESS]
        for k, entry_ in enumerate(self.bodies):
            self._number[entry_.link] = k
            self._turns[9 * entry_.link : 9 * entry_.link + 9] = entry_.turn.ravel()  # columns of its transpose
        self._body = np.zeros(n * CELLS)

    @property
    def names(self) -> list[str]:
        """What each parameter is."""
        return [f"{b.name} {name}" for b in self.bodies for name in NAMES]

    @property
    def truth(self) -> np.ndarray:
        """The parameters of the figures as they are."""
        values = []
        for b in self.bodies:
            m = b.body.mass_properties
            T = m.tensor_about((0.0, 0.0, 0.0))
            values += [m.mass, *(m.mass * np.asarray(m.centre))]
            values += [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]]
        return np.array(values)

    def __call__(self, q, v, v_r, a_r) -> np.ndarray:
        layout = self.layout
        worlds = len(q)
        order, out = layout.speed_order, np.zeros((worlds, layout.nv, PARAMETERS * len(self.bodies)))
        rows = [np.empty((worlds, layout.nq)), *(np.empty((worlds, layout.nv)) for _ in range(3))]
        rows[0][:, layout.position_order] = q
        for row, given in zip(rows[1:], (v, v_r, a_r)):
            row[:, order] = given
        joints = self._mechanics._joints
        regress(self._model, self._mechanics._motion, joints, self._turns, self._number, self._body, *rows, out)
        return out[:, order]


def two_link_regressor(q, v, v_r, a_r) -> np.ndarray:
    """Y of a planar two-link arm in the four parameters of the source (§4.6), (worlds, 2, 4)."""
    c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
    z = v[:, 1] * v_r[:, 0] + v[:, 0] * v_r[:, 1] + v[:, 1] * v_r[:, 1]
    u = 2.0 * a_r[:, 0] + a_r[:, 1]
    zero = np.zeros_like(c)
    first = [a_r[:, 0], a_r[:, 1], u * c - z * s, u * s + z * c]
    turn = v[:, 0] * v_r[:, 0]
    second = [zero, a_r[:, 0] + a_r[:, 1], a_r[:, 0] * c + turn * s, a_r[:, 0] * s - turn * c]
    return np.stack([np.stack(first, 1), np.stack(second, 1)], 1)
