"""Compiles a figure, torque functions and external forces into the arrays of the hinge recursion."""

from collections.abc import Mapping, Sequence

import numpy as np

import gambol.hinge_recursion.arrays as slot
from gambol.errors import Fault, FigureError, nearest
from gambol.figure import Body, Figure
from gambol.figure.placement import multiply
from gambol.hinge_recursion.arrays import HingeModel, HingeState
from gambol.hinge_recursion.external_forces import NEVER_FIRED, ConstantForce, Spike, SpringSupport
from gambol.hinge_recursion.false_inertia import EnlargedInertia, FalseInertia, enlarge_inertia
from gambol.hinge_recursion.torque import TorqueFunction, TorqueSchedule, triple
from gambol.math.pack import numbers, zeros

MIN_MOMENT_RATIO = 1e-9  # smallest ratio of a link's principal moments about its hinge that can be solved for
ExternalForce = Spike | ConstantForce | SpringSupport


class HingeLayout:
    """A figure as the source takes it: a free root, every other link on a ball hinge.

    `model` holds the arrays; `enlarged_inertias` reports false inertia; `notes` say what has no effect here.
    Joint stiffness and damping of the figure become torque functions and friction where none are given.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        torque_functions: Mapping[str, TorqueFunction | TorqueSchedule] | None = None,
        friction: Mapping[str, float | Sequence[float]] | float | None = None,
        external: Sequence[ExternalForce] = (),
        false_inertia: FalseInertia | None = None,
        dtype=np.float64,
    ):
        self.figure = figure
        self.names = tuple(body.name for body in figure.order)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.external = tuple(external)
        self.enlarged_inertias: tuple[EnlargedInertia, ...] = ()
        self.torque_functions = dict(torque_functions or {})
        frictions = {} if friction is None else friction
        if not isinstance(frictions, Mapping):
            frictions = dict.fromkeys(self.names[1:], frictions)
        faults = [fault for body in figure.order for fault in _joint_faults(body)]
        faults += self._naming_faults(frictions)
        faults += [fault for name, f in self.torque_functions.items() for fault in f.faults(name)]
        faults += [Fault(problem, force.link) for force in self.external for problem in force.problems()]
        rows, parents, more = self._links(frictions, false_inertia)
        faults += more
        if faults:
            raise FigureError(faults)
        self._add_joint_springs()
        self.notes = tuple(
            f"{b.name}: its joint's range has no effect here; give it a torque function"
            for b in figure.order
            if b.joint.range is not None and b.name not in self.torque_functions
        )
        self.model = HingeModel(
            parent=np.array(parents, np.int64),
            links=np.ascontiguousarray(np.array(rows).ravel(), dtype),
            gravity=np.array(gravity, dtype),
            **self._hinges(dtype),
            **self._forces(),
        )

    # ------------------------------------------------------------ building
    def _links(self, frictions, rule: FalseInertia | None) -> tuple[list[np.ndarray], list[int], list[Fault]]:
        rows, parents, reports, faults = [], [], [], []
        for body in self.figure.order:
            row, mass = np.zeros(slot.LINK_SIZE), body.mass_properties
            J = mass.tensor_about((0.0, 0.0, 0.0))
            if rule is not None:
                more, report = enlarge_inertia(body.name, mass.tensor, rule)
                J = J + more
                reports += [report] if report else []
            moments = np.linalg.eigvalsh(J)
            if mass.mass <= 0.0 or moments[0] <= MIN_MOMENT_RATIO * moments[2]:
                faults.append(Fault(_singular(mass.mass, moments), body.name))
            row[slot.LINK_ARM : slot.LINK_ARM + 3] = (0.0, 0.0, 0.0) if body.parent is None else body.placement.position
            row[slot.LINK_MASS] = mass.mass
            row[slot.LINK_MOMENT : slot.LINK_MOMENT + 3] = mass.mass * np.asarray(mass.centre)
            row[slot.LINK_TENSOR : slot.LINK_TENSOR + 6] = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
            row[slot.LINK_REST : slot.LINK_REST + 4] = body.placement.rotation
            row[slot.LINK_FRICTION : slot.LINK_FRICTION + 3] = triple(frictions.get(body.name, body.joint.damping))
            rows.append(row)
            parents.append(-1 if body.parent is None else self.index[body.parent])
        self.enlarged_inertias = tuple(reports)
        return rows, parents, faults

    def _naming_faults(self, frictions) -> list[Fault]:
        faults, hinged = [], self.names[1:]
        for what, names in (("torque function", self.torque_functions), ("friction", frictions)):
            for name in names:
                if name not in hinged:
                    reason = "the root has no hinge" if name == self.names[0] else "no such body"
                    faults.append(Fault(f"{what} given, but {reason}{nearest(name, hinged)}", name))
        for name, value in frictions.items():
            if min(triple(value)) < 0.0:
                faults.append(Fault(f"friction must not be negative, it is {value} N·m·s/rad", name))
        for force in self.external:
            if force.link not in self.index:
                kind = type(force).__name__
                faults.append(Fault(f"{kind} given, but no such body{nearest(force.link, self.names)}", force.link))
        return faults

    def _add_joint_springs(self) -> None:
        """The figure's own joint stiffness is a torque function without free play."""
        for body in self.figure.order[1:]:
            if body.joint.stiffness > 0.0 and body.name not in self.torque_functions:
                self.torque_functions[body.name] = TorqueFunction(body.joint.stiffness, body.joint.rest)

    def _hinges(self, dtype) -> dict[str, np.ndarray]:
        table: list[tuple[int, int, int]] = []
        keys: list[tuple[float, ...]] = []
        periods: list[float] = []
        for name in self.names:
            if name in self.torque_functions:
                given = self.torque_functions[name]
                own = given.keys()
                table.append((self.index[name], len(keys), len(own)))
                keys += own
                periods.append(given.period if isinstance(given, TorqueSchedule) else 0.0)
        return dict(
            hinges=np.array(table, np.int64).reshape(-1, slot.HINGE_COLUMNS),
            keys=np.array(keys, dtype).reshape(-1, slot.KEY_SIZE).ravel(),
            periods=np.array(periods, np.float64),
        )

    def _forces(self) -> dict[str, np.ndarray]:
        table, params = [], []
        for force in self.external:
            kind, test, row = force.row()
            table.append((kind, self.index[force.link], test))
            params.append(row)
        return dict(
            external=np.array(table, np.int64).reshape(-1, slot.EXTERNAL_COLUMNS),
            params=np.array(params, np.float64).reshape(-1, slot.FORCE_SIZE).ravel(),
        )

    def set_torque_function(self, name: str, function: TorqueFunction | TorqueSchedule) -> HingeModel:
        """The model after the torque function of one link changed."""
        if name not in self.names[1:]:
            raise FigureError([Fault(f"no hinge of that name{nearest(name, self.names[1:])}", name)])
        if faults := function.faults(name):
            raise FigureError(faults)
        self.torque_functions[name] = function
        self.model = self.model._replace(**self._hinges(self.model.keys.dtype))
        return self.model

    # ------------------------------------------------------------ states
    def state(self, positions=None, speeds=None, *, lanes: int = 0) -> HingeState:
        """A state at joint positions and speeds of the figure (default: zero, at rest), in `figure.order`.

        Speeds are those of `gambol.dynamics.joints`: a ball's relative angular velocity in body axes; the root's
        angular, then linear velocity in the axes of its placement.
        """
        n, dtype = len(self.names), self.model.links.dtype
        poses = self.figure.poses(positions)
        speeds = np.zeros(self.figure.speeds) if speeds is None else np.asarray(speeds, float)
        bands = n * slot.BAND_SIZE
        sizes = [3, 3, 4 * n, 3 * n, 3 * n, 6, bands, 3 * n, len(self.external)]  # up to last_fired
        sizes += (3 * n, 3 * n, 3 * n, 4 * n, 3 * n, 3, 3, 3 * n, 3, bands)  # up to next_band
        pushes = (np.zeros(0, np.int64), np.zeros(0 * slot.PUSH_SIZE))
        state = HingeState._make([*(zeros(size, dtype, lanes) for size in sizes), *pushes, np.zeros(1, np.int64)])
        turn, spin, spins = numbers(state.orientation), numbers(state.angular_velocity), {}
        for i, body in enumerate(self.figure.order):
            pose, own = poses[body.name], speeds[self.figure.speed_slices[body.name]]
            if body.parent is None:
                base = body.placement.matrix
                spins[body.name] = base @ own[:3]  # world axes
                _fill(state.position, pose.position)
                _fill(state.velocity, base @ own[3:])
            else:
                spins[body.name] = spins[body.parent] + pose.matrix @ own
            _fill(turn[4 * i : 4 * i + 4], pose.rotation)
            _fill(spin[3 * i : 3 * i + 3], pose.matrix.T @ spins[body.name])
        numbers(state.last_fired)[...] = NEVER_FIRED
        return state

    def positions(self, state: HingeState) -> np.ndarray:
        """Joint positions of the figure in a state of one world, for viewers and for other engines."""
        out, turn = [], state.orientation.reshape(-1, 4)
        for i, body in enumerate(self.figure.order):
            if body.parent is None:
                pose = body.placement.inverse()
                out += [*pose.apply(tuple(state.position.tolist())), *multiply(pose.rotation, tuple(turn[i]))]
            else:
                w, x, y, z = multiply(tuple(turn[self.model.parent[i]]), body.placement.rotation)
                out += multiply((w, -x, -y, -z), tuple(turn[i]))
        return np.array(out)


def _fill(array: np.ndarray, values) -> None:
    """Numbers into an array of numbers or packs; every lane gets the same."""
    plain = numbers(array)
    plain[...] = np.reshape(values, (-1,) + (1,) * (plain.ndim - 1))


def _joint_faults(body: Body) -> list[Fault]:
    wanted = "free" if body.parent is None else "ball"
    role = "the root" if body.parent is None else "a link"
    joint, faults = body.joint, []
    if joint.type != wanted:
        faults.append(
            Fault(f"joint type {joint.type!r}: in the hinge recursion {role} needs (allowed: {wanted})", body.name)
        )
    if joint.driven:
        faults.append(Fault("a driven joint: the hinge recursion moves every joint by forces", body.name))
    if joint.armature > 0.0:
        faults.append(Fault("joint armature: not part of the hinge recursion; use false inertia", body.name))
    if body.parent is None and (joint.stiffness > 0.0 or joint.damping > 0.0):
        faults.append(Fault("stiffness or damping of the root's joint: use a SpringSupport instead", body.name))
    return faults


def _singular(mass: float, moments: np.ndarray) -> str:
    if mass <= 0.0:
        return "has no mass: every link of the hinge recursion needs some"
    shown = ", ".join(f"{m:.3g}" for m in moments)
    return f"moments of inertia about its hinge {shown} kg·m² cannot be solved for; give false inertia with a floor"
