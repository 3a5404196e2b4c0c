"""The peers on a figure of ours: MuJoCo steps it, Pinocchio computes its accelerations.

Each peer is set to the same state as ours and gives accelerations in our coordinates, so that the benchmark can check
that all of them do the same mechanics before it times them.
"""

import importlib.util
from collections.abc import Sequence

import numpy as np

from gambol import Fault, Figure, Placement, WorldError
from gambol.export import mjcf_text

PEER_PACKAGES = {"MuJoCo": "mujoco", "Pinocchio": "pinocchio"}
Coordinates = Sequence[float] | np.ndarray
HOW_TO_INSTALL = "pip install 'gambol[peers]'"


def missing() -> list[str]:
    """Peers that are not installed."""
    return [name for name, package in PEER_PACKAGES.items() if importlib.util.find_spec(package) is None]


class MuJoCo:
    """`mj_step` with the Euler integrator; everything but the smooth dynamics of the tree is off."""

    name = "MuJoCo"

    def __init__(self, figure: Figure, q: Coordinates, v: Coordinates, *, step: float):
        import mujoco

        self.mujoco, self.figure = mujoco, figure
        self.model = mujoco.MjModel.from_xml_string(mjcf_text(figure, step=step, bare=True))
        self.data = mujoco.MjData(self.model)
        self.base = figure.root.placement
        self._set(np.asarray(q, float), np.asarray(v, float))

    def _set(self, q: np.ndarray, v: np.ndarray) -> None:
        qpos, qvel = [], []
        for body in self._bodies():
            here, there = q[self.figure.position_slices[body.name]], v[self.figure.speed_slices[body.name]]
            if body.joint.type == "free":  # absolute pose; linear velocity in world axes, angular in the body's
                pose = self.base.compose(body.joint.pose(here))
                local = Placement(rotation=tuple(here[3:])).matrix.T @ there[:3]
                here = np.array([*pose.position, *pose.rotation])
                there = np.concatenate([self.base.matrix @ there[3:], local])
            qpos += list(here)
            qvel += list(there)
        self.start = (np.array(qpos), np.array(qvel))
        self.reset()

    def _bodies(self):
        """Our bodies in MuJoCo's order."""
        for index in range(1, self.model.nbody):
            name = self.mujoco.mj_id2name(self.model, self.mujoco.mjtObj.mjOBJ_BODY, index)
            yield self.figure[name]

    def reset(self) -> None:
        """Back to the start."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.start

    def run(self, steps: int) -> None:
        """Takes so many steps in one call."""
        self.mujoco.mj_step(self.model, self.data, nstep=steps)

    def acceleration(self) -> np.ndarray:
        """Accelerations at the start, in our coordinates."""
        self.reset()
        self.mujoco.mj_forward(self.model, self.data)
        qacc, found, first = self.data.qacc, np.zeros(len(self.start[1])), 0
        for body in self._bodies():
            here = qacc[first : first + body.joint.speeds]
            first += body.joint.speeds
            if body.joint.type == "free":
                turn = Placement(rotation=tuple(self.start[0][3:7])).matrix
                back = self.base.matrix.T
                here = np.concatenate([back @ turn @ here[3:], back @ here[:3]])
            found[self.figure.speed_slices[body.name]] = here
        return found


class Pinocchio:
    """`pinocchio.aba`, called from Python; moving the positions and speeds on is not counted against it."""

    name = "Pinocchio"
    AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}

    def __init__(self, figure: Figure, q: Coordinates, v: Coordinates, *, step: float = 0.0):
        import pinocchio

        self.pin, self.figure = pinocchio, figure
        self.model = pinocchio.Model()
        self.model.gravity = pinocchio.Motion(np.array([0.0, 0.0, -9.81]), np.zeros(3))
        self.joints: dict[str, int] = {}
        for body in figure.order:
            self._add(body)
        self.data = self.model.createData()
        self._set(np.asarray(q, float), np.asarray(v, float))
        self.tau = np.zeros(self.model.nv)

    def _add(self, body) -> None:
        pin = self.pin
        place = pin.SE3(np.array(body.placement.matrix), np.array(body.placement.position))
        parent = self.joints[body.parent] if body.parent else 0
        joint = self.model.addJoint(parent, self._joint(body), place, body.name)
        self.joints[body.name] = joint
        mass = body.mass_properties
        inertia = pin.Inertia(mass.mass, np.array(mass.centre), np.array(mass.tensor))
        self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())

    def _joint(self, body):
        pin, joint = self.pin, body.joint
        match joint.type:
            case "hinge":
                aligned = self.AXES.get(joint.axis)
                return (
                    getattr(pin, f"JointModelR{aligned}")()
                    if aligned
                    else pin.JointModelRevoluteUnaligned(np.array(joint.axis))
                )
            case "slide":
                return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
            case "ball":
                return pin.JointModelSpherical()
            case "free":
                return pin.JointModelFreeFlyer()
        raise WorldError([Fault(f"a {joint.type} joint is not compared with Pinocchio", body.name)])

    def _slots(self):
        for body in self.figure.order:
            joint = self.model.joints[self.joints[body.name]]
            yield body, slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)

    def _set(self, q: np.ndarray, v: np.ndarray) -> None:
        self.q, self.v = np.zeros(self.model.nq), np.zeros(self.model.nv)
        for body, at, by in self._slots():
            here, there = q[self.figure.position_slices[body.name]], v[self.figure.speed_slices[body.name]]
            if body.joint.type == "ball":  # quaternions (x, y, z, w)
                here = np.roll(here, -1)
            elif body.joint.type == "free":  # linear, then angular velocity in body axes
                turn = Placement(rotation=tuple(here[3:])).matrix
                here, there = (
                    np.concatenate([here[:3], np.roll(here[3:], -1)]),
                    np.concatenate([turn.T @ there[3:], turn.T @ there[:3]]),
                )
            self.q[at], self.v[by] = here, there

    def reset(self) -> None:
        """Nothing changes from call to call."""

    def run(self, steps: int) -> None:
        """Computes the accelerations so many times."""
        aba, model, data, q, v, tau = self.pin.aba, self.model, self.data, self.q, self.v, self.tau
        for _ in range(steps):
            aba(model, data, q, v, tau)

    def acceleration(self) -> np.ndarray:
        """Accelerations at the start, in our coordinates."""
        acc = self.pin.aba(self.model, self.data, self.q, self.v, self.tau)
        found = np.zeros(self.model.nv)
        for body, at, by in self._slots():
            here = acc[by]
            if body.joint.type == "free":
                linear, angular = self.v[by][:3], self.v[by][3:]
                turn = Placement(rotation=tuple(np.roll(self.q[at][3:], 1))).matrix
                here = np.concatenate([turn @ here[3:], turn @ (here[:3] + np.cross(angular, linear))])
            found[self.figure.speed_slices[body.name]] = here
        return found


PEERS = {peer.name: peer for peer in (MuJoCo, Pinocchio)}
