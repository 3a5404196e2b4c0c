"""Mechanics of figures at one moment: the quantities of the textbooks, by name, in description order.

Vectors and matrices are in world axes unless said otherwise. Generalised coordinates are those of the description:
`q` positions, `v` speeds (see gambol.figure.joints for what each joint's coordinates are).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gambol.dynamics.joints import IN_BASE_AXES_OF, KINDS, SPEEDS_OF
from gambol.dynamics.layout import Layout
from gambol.dynamics.workspace import (
    ACCEL,
    ALPHA,
    LOCATED,
    OMEGA,
    RUN_COUNT,
    RUN_FIRST,
    RUN_KIND,
    RUN_VELOCITY,
    SLOTS,
    SPARE_NUMBERS,
    Motion,
)
from gambol.errors import Fault, WorldError
from gambol.figure import Figure
from gambol.figure.kinematics import Kinematics
from gambol.forces.programs import PROGRAM_ENERGY, program_addresses
from gambol.forces.registry import NO_ELEMENTS, Compiled
from gambol.world.mechanics_kernels import (
    TOTAL_CENTRE,
    TOTAL_KINETIC,
    TOTAL_MASS,
    TOTAL_MOMENTUM,
    TOTAL_POTENTIAL,
    TOTALS,
    MechanicsResult,
    evaluate_world,
)
from gambol.world.model import kernel_model


class Mechanics:
    """Kinematics and dynamics of one or several figures, without forces other than those given."""

    def __init__(
        self,
        figures: Figure | Sequence[Figure] | Layout,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        *,
        elements: Compiled | None = None,
    ):
        if isinstance(figures, Layout):
            self.layout = figures
        else:
            self.layout = Layout([figures] if isinstance(figures, Figure) else figures, gravity)
        layout = self.layout
        self.kinematics = Kinematics.of(layout.figures)
        self.model = kernel_model(layout, elements=elements.arrays if elements else NO_ELEMENTS)
        self._calls = elements.calls if elements else ()
        self._states = elements.states if elements else np.zeros(0)
        n, nq, nv = len(layout.parent), layout.nq, layout.nv
        z = np.zeros
        room = z(n * SLOTS), z(n * LOCATED), z(SPARE_NUMBERS)
        integrals = z(len(elements.lines) + len(elements.meters) + len(self._states) if elements else 0)
        self._motion = Motion(z(0), z(nq), z(nv), integrals, z(nv), z(nv), z(nv), z(nv), z(0), *room)
        self._result = MechanicsResult(z(nv * 6), z(n * 6), z(nv), z(0), z(TOTALS), z(len(self.model.elements)))
        self._still, self._nothing = z(nv), z(n * 6)
        self._joints = joint_table(layout)
        self._names = {b.name: k for k, b in enumerate(layout.bodies)}
        self._weightless = self.model._replace(gravity=np.zeros(3))
        self._owner = np.zeros(nv, np.int64)
        self._movers: dict[int, np.ndarray] = {}
        for i in range(1, n):
            first = self._joints[i, 1]
            self._owner[first : first + SPEEDS_OF[self._joints[i, 0]]] = i

    # ------------------------------------------------------------ coordinates
    @property
    def positions(self) -> int:
        """Number of position coordinates of all figures."""
        return self.layout.nq

    @property
    def speeds(self) -> int:
        """Number of speed coordinates of all figures."""
        return self.layout.nv

    def _put_positions(self, q: Any) -> np.ndarray:
        out = np.empty(self.layout.nq)
        out[self.layout.position_order] = _sized(q, self.layout.nq, "positions")
        return out

    def _put_speeds(self, v: Any) -> np.ndarray:
        out = np.zeros(self.layout.nv)
        if v is not None:
            out[self.layout.speed_order] = _sized(v, self.layout.nv, "speeds")
        return out

    def _evaluate(
        self, q, v=None, acc=None, external=None, *, gravity=True, matrix=False, stored=False, time=0.0, parameters=None
    ) -> MechanicsResult:
        self._motion.q[:] = self._put_positions(q)
        self._motion.v[:] = self._put_speeds(v)
        model = self.model if gravity else self._weightless
        if parameters is not None:
            model = model._replace(params=np.ascontiguousarray(parameters, float))
        if stored:
            model = model._replace(programs=self._energy_program)
        if matrix and not self._result.mass_matrix.size:  # when first wanted: it is quadratic in the speeds
            self._result = self._result._replace(mass_matrix=np.zeros(self.layout.nv**2))
        evaluate_world(
            model,
            self._motion,
            float(time),
            self._joints,
            self._put_speeds(acc),
            self._wrenches(external),
            self._result,
            matrix,
        )
        return self._result

    @cached_property
    def _energy_program(self) -> np.ndarray:
        return program_addresses(self._calls, self.model, self._motion, which=(PROGRAM_ENERGY,))

    def _wrenches(self, external: Mapping[str, Sequence[float]] | None) -> np.ndarray:
        """Wrenches by body name (torque, force; world axes; at the body's origin) as a kernel array."""
        if not external:
            return self._nothing
        out = np.zeros((len(self.layout.parent), 6))
        for name, wrench in external.items():
            out[self.layout.body(name).link] += _sized(wrench, 6, f"wrench on {name}")
        return out.ravel()

    # ------------------------------------------------------------ kinematics
    def frames(self, q) -> dict[str, np.ndarray]:
        """Rotation matrix of every body's frame, by name."""
        return dict(zip(self._names, self._poses(q)[1]))

    def origins(self, q) -> dict[str, np.ndarray]:
        """Position of every body's origin [m]."""
        return dict(zip(self._names, self._poses(q)[0]))

    def _poses(self, q) -> tuple[np.ndarray, np.ndarray]:
        return self.kinematics.frames(_sized(q, self.layout.nq, "positions"))

    def velocities(self, q, v) -> dict[str, np.ndarray]:
        """Angular [rad/s] and linear [m/s] velocity of every body, the linear one of its origin."""
        self._evaluate(q, v)
        spot = self._motion.located.reshape(-1, LOCATED)
        omega = self._motion.work.reshape(-1, SLOTS)[:, OMEGA : OMEGA + 3]
        return {b.name: np.concatenate([omega[b.link], spot[b.link, 3:]]) for b in self.layout.bodies}

    def point(self, q, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Position of a body's point `at` [m, body frame]."""
        k, (origins, frames) = self._names[self.layout.body(body).name], self._poses(q)
        return origins[k] + frames[k] @ _sized(at, 3, "point")

    def jacobian(self, q, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """6 × speeds: angular and linear velocity of a body's point `at` [m, body frame] for each speed."""
        self._evaluate(q)
        return self._jacobian(self.layout.body(body).link, self.point(q, body, at))[:, self.layout.speed_order]

    def _jacobian(self, link: int, point: np.ndarray) -> np.ndarray:
        columns = self._result.columns.reshape(-1, 6)
        origins = self._motion.located.reshape(-1, LOCATED)[self._owner, :3]
        J = np.zeros((6, self.layout.nv))
        J[:3] = columns[:, :3].T
        J[3:] = (columns[:, 3:] + np.cross(columns[:, :3], point - origins)).T
        J[:, ~self._moving(link)] = 0.0
        return J

    def _moving(self, link: int) -> np.ndarray:
        """Which speeds move a link."""
        if link not in self._movers:
            self._movers[link] = _at_or_above(self.layout, link)[self._owner]
        return self._movers[link]

    def point_jacobians(self, q, bodies: Sequence[str], points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n, 3) [m] of points (n, 3) [m, frames of their bodies], and their Jacobians (n, 3, speeds)."""
        points = np.asarray(points, float).reshape(len(bodies), 3)
        entries = [self.layout.body(name) for name in bodies]
        rows = [self._names[entry.name] for entry in entries]
        origins, frames = self._poses(q)
        places = origins[rows] + np.einsum("nij,nj->ni", frames[rows], points)
        self._evaluate(q)
        columns = self._result.columns.reshape(-1, 6)
        pivots = self._motion.located.reshape(-1, LOCATED)[self._owner, :3]
        reach = places[:, None] - pivots[None]
        J = columns[None, :, 3:] + np.cross(columns[None, :, :3], reach)
        J[~np.array([self._moving(entry.link) for entry in entries])] = 0.0
        return places, J[:, self.layout.speed_order].swapaxes(1, 2)

    def jacobian_rate(self, q, v, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Time derivative of `jacobian` while the figure moves at the speeds v."""
        self._evaluate(q, v)
        link = self.layout.body(body).link
        point = self.point(q, body, at)
        spot, work = self._motion.located.reshape(-1, LOCATED), self._motion.work.reshape(-1, SLOTS)
        omega = work[:, OMEGA : OMEGA + 3]
        columns = self._result.columns.reshape(-1, 6)
        # a column is fixed in its body, or in the frame before the joint, which turns with the parent
        based = np.array(IN_BASE_AXES_OF)[self._joints[self._owner, 0]]
        turning = np.where(based[:, None], omega[self.layout.parent[self._owner]], omega[self._owner])
        ang, lin = columns[:, :3], columns[:, 3:]
        velocity = spot[link, 3:] + np.cross(omega[link], point - spot[link, :3])
        reach, reach_rate = point - spot[self._owner, :3], velocity - spot[self._owner, 3:]
        ang_rate, lin_rate = np.cross(turning, ang), np.cross(turning, lin)
        J = np.zeros((6, self.layout.nv))
        J[:3] = ang_rate.T
        J[3:] = (lin_rate + np.cross(ang_rate, reach) + np.cross(ang, reach_rate)).T
        J[:, ~self._moving(link)] = 0.0
        return J[:, self.layout.speed_order]

    def bias_acceleration(self, q, v, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Angular and linear acceleration of a body's point at zero joint accelerations: jacobian_rate times v."""
        self._evaluate(q, v, gravity=False)
        entry = self.layout.body(body)
        row = self._motion.work.reshape(-1, SLOTS)[entry.link]
        r = self.point(q, body, at) - self._motion.located.reshape(-1, LOCATED)[entry.link, :3]
        omega, alpha, accel = (row[k : k + 3] for k in (OMEGA, ALPHA, ACCEL))
        return np.concatenate([alpha, accel + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))])

    # ------------------------------------------------------------ mass and energy
    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(sum(figure.mass for figure in self.layout.figures))

    def centre_of_mass(self, q) -> np.ndarray:
        """Centre of mass of all figures together [m]."""
        totals = self._evaluate(q).totals
        return totals[TOTAL_CENTRE : TOTAL_CENTRE + 3] / totals[TOTAL_MASS]

    def centre_of_mass_jacobian(self, q) -> np.ndarray:
        """3 × speeds: velocity of the centre of mass for each speed."""
        self._evaluate(q)
        total = np.zeros((3, self.layout.nv))
        mass = 0.0
        for b, origin, frame in zip(self.layout.bodies, *self._poses(q)):
            m = b.body.mass_properties
            total += m.mass * self._jacobian(b.link, origin + frame @ np.asarray(m.centre))[3:]
            mass += m.mass
        return total[:, self.layout.speed_order] / mass

    def momentum(self, q, v) -> np.ndarray:
        """Angular momentum about the world's origin [N·m·s] and linear momentum [N·s]."""
        return self._evaluate(q, v).totals[TOTAL_MOMENTUM : TOTAL_MOMENTUM + 6].copy()

    def kinetic_energy(self, q, v) -> float:
        """[J]; without the armature's share."""
        return float(self._evaluate(q, v).totals[TOTAL_KINETIC])

    def potential_energy(self, q) -> float:
        """Energy in the uniform gravity field [J], zero at the world's origin."""
        return float(self._evaluate(q).totals[TOTAL_POTENTIAL])

    def energies(self, q, v, time: float = 0.0, parameters=None, states=None) -> dict[str, float]:
        """kinetic (with the armature's share), gravity and stored (in force elements) energy [J].

        parameters, states   of the elements, if they are not those described
        """
        if len(self._states):
            self._motion.z[-len(self._states) :] = self._states if states is None else states
        result = self._evaluate(q, v, stored=True, time=time, parameters=parameters)
        speeds = self._motion.v
        kinetic = float(result.totals[TOTAL_KINETIC]) + 0.5 * float(speeds @ (self.layout.armature * speeds))
        return {
            "kinetic": kinetic,
            "gravity": float(result.totals[TOTAL_POTENTIAL]),
            "stored": float(result.stored.sum()),
        }

    def displaced(self, q, d) -> np.ndarray:
        """Positions reached from q by the tangent vector d (one entry a speed): sums for plain coordinates, turns
        by rotation vectors for ball and free joints."""
        q, d = _sized(q, self.positions, "positions"), _sized(d, self.speeds, "displacement")
        out = q.copy()
        for b in self.layout.bodies:
            at, by = self.layout.position_slices[b.name], self.layout.speed_slices[b.name]
            out[at] = b.body.joint.kind.displaced(b.body.joint, q[at], d[by])
        return out

    # ------------------------------------------------------------ dynamics
    def mass_matrix(self, q) -> np.ndarray:
        """speeds × speeds, armature included."""
        nv = self.layout.nv
        matrix = self._evaluate(q, matrix=True).mass_matrix.reshape(nv, nv)
        return matrix[np.ix_(self.layout.speed_order, self.layout.speed_order)]

    def inverse(self, q, v=None, acc=None, external: Mapping[str, Sequence[float]] | None = None) -> np.ndarray:
        """Generalised forces that the accelerations `acc` need (gravity and `external` wrenches accounted for)."""
        return self._evaluate(q, v, acc, external).tau[self.layout.speed_order]

    def bias(self, q, v) -> np.ndarray:
        """Generalised forces at zero acceleration: gyroscopic, centrifugal and gravity terms."""
        return self.inverse(q, v)

    def gravity_torque(self, q) -> np.ndarray:
        """Generalised forces that hold the figure against gravity at rest: the gradient of the potential energy."""
        return self.inverse(q)

    def reactions(self, q, v=None, acc=None, external=None) -> dict[str, np.ndarray]:
        """Wrench (torque, force) that every body receives through its joint, at its origin."""
        wrench = self._evaluate(q, v, acc, external).wrench.reshape(-1, 6)
        return {b.name: wrench[b.link].copy() for b in self.layout.bodies}

    def power(self, v, tau) -> float:
        """Power of generalised forces [W]."""
        return float(np.dot(_sized(v, self.speeds, "speeds"), _sized(tau, self.speeds, "forces")))


def joint_table(layout: Layout) -> np.ndarray:
    """int[n, 2]: joint kind and first speed of each layout body (the world's row is a fixed joint)."""
    table = np.zeros((len(layout.parent), 2), np.int64)
    table[0, 0] = KINDS["fixed"]
    for run in layout.runs:
        for k in range(run[RUN_COUNT]):
            table[run[RUN_FIRST] + k] = run[RUN_KIND], run[RUN_VELOCITY] + k * SPEEDS_OF[run[RUN_KIND]]
    return table


def _at_or_above(layout: Layout, link: int) -> np.ndarray:
    """bool[n]: which bodies are this one, or between it and the world?"""
    found = np.zeros(len(layout.parent), bool)
    while link > 0:
        found[link] = True
        link = layout.parent[link]
    return found


def _sized(values: Any, size: int, what: str) -> np.ndarray:
    array = np.asarray(values, float)
    if array.shape != (size,):
        raise WorldError([Fault(f"{what} must have shape ({size},), not {array.shape}")])
    return array
