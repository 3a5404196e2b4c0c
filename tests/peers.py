"""The same figure in other simulators, and the way between their coordinates and ours.

    peer = PinocchioPeer(figure, gravity)         # or MujocoPeer
    peer.mass_matrix(q), peer.bias(q, v), peer.acceleration(q, v, tau)     # in our coordinates
    peer.model, peer.positions(q), peer.speeds(q, v), peer.forces(q, tau)  # in theirs, to call them directly

Our speeds v and theirs u are related by u = T(q) v with orthogonal T, so forces go the same way, and accelerations
by u̇ = T v̇ + Ṫ v (`drift`). Only free joints make T other than a permutation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from gambol import Body, Figure, Placement
from gambol.figure.joints.planar import slides

EARTH = (0.0, 0.0, -9.81)


class Peer(ABC):
    """A figure in another simulator. Coordinates are ours unless a method says otherwise."""

    def __init__(self, figure: Figure, gravity: Sequence[float] = EARTH):
        self.figure, self.gravity = figure, np.asarray(gravity, float)

    # ------------------------------------------------------------ coordinates
    @abstractmethod
    def positions(self, q: np.ndarray) -> np.ndarray:
        """Their positions."""

    @abstractmethod
    def speed_map(self, q: np.ndarray) -> np.ndarray:
        """T with their speeds = T times ours."""

    def drift(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ṫ v: their accelerations where ours are zero."""
        return np.zeros(len(v))

    def speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Their speeds."""
        return self.speed_map(q) @ v

    def forces(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Their generalised forces: of equal power, and T is orthogonal."""
        return self.speed_map(q) @ tau

    # ------------------------------------------------------------ dynamics, theirs
    @abstractmethod
    def their_mass_matrix(self, positions: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def their_bias(self, positions: np.ndarray, speeds: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def their_acceleration(self, positions: np.ndarray, speeds: np.ndarray, forces: np.ndarray) -> np.ndarray: ...

    # ------------------------------------------------------------ dynamics, in our coordinates
    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        T = self.speed_map(q)
        return T.T @ self.their_mass_matrix(self.positions(q)) @ T

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Forces at zero acceleration (ours)."""
        T, x = self.speed_map(q), self.positions(q)
        return T.T @ (self.their_bias(x, T @ v) + self.their_mass_matrix(x) @ self.drift(q, v))

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        T = self.speed_map(q)
        theirs = self.their_acceleration(self.positions(q), T @ v, T @ tau)
        return T.T @ (theirs - self.drift(q, v))


class PinocchioPeer(Peer):
    """A figure as a pinocchio.Model. Fixed bodies become part of their parents' inertia.

    Every joint type; joints of several coordinates are composites of revolute and prismatic ones, universal joints
    with perpendicular axes are JointModelUniversal. No armature at free joints, whose axes differ.
    """

    def __init__(self, figure: Figure, gravity: Sequence[float] = EARTH):
        super().__init__(figure, gravity)
        self.model, self.joints = pinocchio_model(figure, gravity)
        self.data = self.model.createData()
        self.moving = [body for body in figure.order if body.joint.speeds]

    def positions(self, q):
        out = np.empty(self.model.nq)
        for body in self.moving:
            x = q[self.figure.position_slices[body.name]]
            if body.joint.type in ("ball", "free"):  # quaternions are (x, y, z, w)
                x = np.array([*x[:-4], *x[-3:], x[-4]])
            start = self.model.joints[self.joints[body.name]].idx_q
            out[start : start + len(x)] = x
        return out

    def _turn(self, body: Body, q: np.ndarray) -> np.ndarray:
        return body.joint.pose(q[self.figure.position_slices[body.name]]).matrix

    def speed_map(self, q):
        T = np.zeros((self.model.nv, self.model.nv))
        for body in self.moving:
            own = self.figure.speed_slices[body.name]
            start = self.model.joints[self.joints[body.name]].idx_v
            if body.joint.type == "free":  # linear then angular, in body axes
                back = self._turn(body, q).T
                T[start : start + 3, own.start + 3 : own.stop] = back
                T[start + 3 : start + 6, own.start : own.start + 3] = back
            else:
                T[start : start + body.joint.speeds, own] = np.eye(body.joint.speeds)
        return T

    def drift(self, q, v):
        out = np.zeros(self.model.nv)
        for body in self.moving:
            if body.joint.type == "free":  # d/dt (Rᵀ v) = Rᵀ v̇ − ω × Rᵀ v
                start, back = self.model.joints[self.joints[body.name]].idx_v, self._turn(body, q).T
                own = v[self.figure.speed_slices[body.name]]
                out[start : start + 3] = -np.cross(back @ own[:3], back @ own[3:])
        return out

    def their_mass_matrix(self, positions):
        import pinocchio as pin

        upper = np.triu(pin.crba(self.model, self.data, positions))
        return upper + np.triu(upper, 1).T

    def their_bias(self, positions, speeds):
        import pinocchio as pin

        return pin.nonLinearEffects(self.model, self.data, positions, speeds).copy()

    def their_acceleration(self, positions, speeds, forces):
        import pinocchio as pin

        return pin.aba(self.model, self.data, positions, speeds, forces).copy()


def pinocchio_model(figure: Figure, gravity: Sequence[float] = EARTH):
    """The pinocchio.Model of a figure, and the number of each moving body's joint by name."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.asarray(gravity, float)
    armature: list[float] = []
    place = {None: (0, Placement())}  # joint that carries a body, and the body's frame in that joint's
    for body in _depth_first(figure, figure.root):  # Pinocchio's mass matrix needs subtrees in one piece
        carrier, frame = place[body.parent]
        there = frame.compose(body.placement)
        if body.joint.speeds:
            joint = model.addJoint(carrier, _pinocchio_joint(body.joint), _se3(there), body.name)
            there = Placement()
            armature += [body.joint.armature] * body.joint.speeds
            if body.joint.type == "free" and body.joint.armature:
                raise ValueError(f"{body.name}: the armature of a free joint has other axes in Pinocchio")
        else:
            joint = carrier
        place[body.name] = (joint, there)
        mass = body.mass_properties
        inertia = pin.Inertia(mass.mass, np.array(mass.centre), mass.tensor.copy())
        model.appendBodyToJoint(joint, inertia, _se3(there))
    model.armature = np.array(armature)
    return model, {body.name: place[body.name][0] for body in figure.order if body.joint.speeds}


def _depth_first(figure: Figure, body: Body):
    yield body
    for child in figure.children(body.name):
        yield from _depth_first(figure, child)


def _se3(placement: Placement):
    import pinocchio as pin

    return pin.SE3(placement.matrix.copy(), np.array(placement.position))


def _pinocchio_joint(joint):
    import pinocchio as pin

    turn, move = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    axis, axis2 = np.array(joint.axis), np.array(joint.axis2)
    match joint.type:
        case "hinge":
            return turn(axis)
        case "slide":
            return move(axis)
        case "screw":
            return pin.JointModelHelicalUnaligned(axis, joint.pitch)
        case "ball":
            return pin.JointModelSpherical()
        case "free":
            return pin.JointModelFreeFlyer()
        case "universal" if abs(axis @ axis2) < 1e-15:
            return pin.JointModelUniversal(axis, axis2)
        case "universal":
            chain = [turn(axis), turn(axis2)]
        case "cylindrical":
            chain = [move(axis), turn(axis)]
        case "planar":
            chain = [*(move(np.array(slide)) for slide in slides(joint)), turn(axis)]
        case other:
            raise ValueError(f"no joint of Pinocchio for {other!r}")
    composite = pin.JointModelComposite()
    for link in chain:
        composite.addJoint(link)
    return composite


class MujocoPeer(Peer):
    """A figure in MuJoCo, through MJCF text. No screws; free joints only at the root."""

    def __init__(self, figure: Figure, gravity: Sequence[float] = EARTH):
        import mujoco

        super().__init__(figure, gravity)
        self.model = mujoco.MjModel.from_xml_string(mjcf(figure, gravity))
        self.data = mujoco.MjData(self.model)
        self._q, self._v = self._addresses()

    def _addresses(self) -> tuple[dict[str, int], dict[str, int]]:
        """First position and first speed of each moving body in the model."""
        import mujoco

        first_q, first_v = {}, {}
        for body in self.figure.order:
            if body.joint.speeds:
                j = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, f"{body.name}.0")
                first_q[body.name] = int(self.model.jnt_qposadr[j])
                first_v[body.name] = int(self.model.jnt_dofadr[j])
        return first_q, first_v

    def positions(self, q):
        out = np.empty(self.model.nq)
        for name, start in self._q.items():
            body, x = self.figure[name], q[self.figure.position_slices[name]]
            if body.joint.type == "free":  # the pose in the world
                pose = body.placement.compose(body.joint.pose(x))
                x = np.array([*pose.position, *pose.rotation])
            out[start : start + len(x)] = x
        return out

    def speed_map(self, q):
        T = np.zeros((self.model.nv, self.model.nv))
        for name, start in self._v.items():
            body, own = self.figure[name], self.figure.speed_slices[name]
            if body.joint.type == "free":  # linear in world axes, then angular in body axes
                T[start : start + 3, own.start + 3 : own.stop] = body.placement.matrix
                turn = body.joint.pose(q[self.figure.position_slices[name]]).matrix
                T[start + 3 : start + 6, own.start : own.start + 3] = turn.T
            else:
                T[start : start + body.joint.speeds, own] = np.eye(body.joint.speeds)
        return T

    def _set(self, positions, speeds=None, forces=None):
        import mujoco

        self.data.qpos[:] = positions
        self.data.qvel[:] = 0.0 if speeds is None else speeds
        self.data.qfrc_applied[:] = 0.0 if forces is None else forces
        mujoco.mj_forward(self.model, self.data)

    def their_mass_matrix(self, positions):
        import mujoco

        self._set(positions)
        M = np.zeros((self.model.nv, self.model.nv))
        try:
            mujoco.mj_fullM(self.model, self.data, M)
        except TypeError:  # before MuJoCo 4
            mujoco.mj_fullM(self.model, M, self.data.qM)
        return M

    def their_bias(self, positions, speeds):
        self._set(positions, speeds)
        return self.data.qfrc_bias.copy()

    def their_acceleration(self, positions, speeds, forces):
        self._set(positions, speeds, forces)
        return self.data.qacc.copy()


def mjcf(figure: Figure, gravity: Sequence[float] = EARTH, *, timestep: float = 0.001, passive: bool = False) -> str:
    """MJCF text of a figure: bodies, joints and inertias, no geometry. `passive` writes springs and dampers too."""
    lines = [
        f'<mujoco model="{figure.name}">',
        '<compiler angle="radian" inertiafromgeom="false" boundmass="0" boundinertia="0"/>',
        f'<option gravity="{_text(gravity)}" timestep="{timestep!r}">',
        '<flag contact="disable" constraint="disable"/></option>',
        "<worldbody>",
        *_mjcf_body(figure, figure.root, passive),
        "</worldbody></mujoco>",
    ]
    return "\n".join(lines)


def _text(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def _mjcf_body(figure: Figure, body: Body, passive: bool):
    place, mass = body.placement, body.mass_properties
    yield f'<body name="{body.name}" pos="{_text(place.position)}" quat="{_text(place.rotation)}">'
    for k, (kind, axis) in enumerate(_mjcf_joints(body)):
        name = f'name="{body.name}.{k}"'
        if kind == "free":
            yield f"<freejoint {name}/>"
            continue
        more = f' armature="{body.joint.armature!r}"'
        if passive:
            more += f' stiffness="{body.joint.stiffness!r}" damping="{body.joint.damping!r}"'
            more += f' springref="{body.joint.rest!r}"'
        yield f'<joint {name} type="{kind}" axis="{_text(axis)}"{more}/>'
    if mass.mass > 0.0:
        yield f'<inertial pos="{_text(mass.centre)}" mass="{mass.mass!r}" fullinertia="{_text(mass.inertia)}"/>'
    for child in figure.children(body.name):
        yield from _mjcf_body(figure, child, passive)
    yield "</body>"


def _mjcf_joints(body: Body):
    joint = body.joint
    match joint.type:
        case "fixed":
            return []
        case "hinge" | "slide" | "ball":
            return [(joint.type, joint.axis)]
        case "free" if body.parent is None:
            return [("free", joint.axis)]
        case "universal":
            return [("hinge", joint.axis), ("hinge", joint.axis2)]
        case "cylindrical":
            return [("slide", joint.axis), ("hinge", joint.axis)]
        case "planar":
            return [*(("slide", slide) for slide in slides(joint)), ("hinge", joint.axis)]
    raise ValueError(f"{body.name}: MuJoCo has no {joint.type} joint here")
