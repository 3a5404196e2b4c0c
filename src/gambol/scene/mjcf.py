"""A scene from MJCF: actuators, equality constraints, tendons, contacts, keyframes, sites and sensors of the file."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from gambol.dynamics.constraints.closure import Closure
from gambol.dynamics.constraints.descriptions import Constraint
from gambol.dynamics.constraints.points import Join
from gambol.figure.imports import LeftOut
from gambol.figure.joint import Joint
from gambol.figure.mjcf import MjcfModel, read_mjcf_figures, soft_constraint
from gambol.figure.mjcf_left_out import medium_is_still
from gambol.figure.placement import Placement
from gambol.forces.actuator import Actuator
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.forces.muscle import MOST as MOST_POINTS
from gambol.forces.muscle import Muscle
from gambol.forces.tendon import MOST as MOST_JOINTS
from gambol.forces.tendon import Tendon
from gambol.forces.tendon_actuator import MOST as MOST_DRIVEN
from gambol.forces.tendon_actuator import TendonActuator
from gambol.scene.mjcf_contact import contacts, ground_of
from gambol.scene.scene import START, Frame, Motor, Scene, StartPose
from gambol.world.simulation import Simulation
from gambol.world.world import World

NO_GRAVITY = 1 << 7  # mjDSBL_GRAVITY
FREE, BALL = 0, 1  # mjtJoint
JOINT_WRAP, SITE_WRAP = 1, 3  # mjtWrap
AT_JOINT, AT_JOINT_IN_PARENT, AT_TENDON = 0, 1, 3  # mjtTrn
FIXED_GAIN, NO_BIAS, AFFINE = 0, 0, 1  # mjtGain, mjtBias
BODY_OBJECT = 1  # mjtObj
LISTS = {"cameras": "ncam", "lights": "nlight", "skins": "nskin", "flexes": "nflex", "plugins": "nplugin"}


class Equality(IntEnum):
    """mjtEq, those that have a counterpart."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


class Sensor(IntEnum):
    """mjtSensor, those that have a counterpart."""

    JOINT_POSITION = 9
    JOINT_SPEED = 10
    PLACE = 26


def read_mjcf_scene(source: str | Path, root_body: str | None = None, root: str | None = None) -> Scene:
    """Everything of an MJCF file (or text that starts with `<`) that there is a counterpart for."""
    found = read_mjcf_figures(source, root_body, root)
    model, left_out = found.model, found.left_out
    reader = _Reader(found)
    motors, forces = reader.actuators()
    forces += reader.tendons()
    constraints, couplings = reader.equalities()
    terrain = ground_of(found)
    forces += [*couplings, *contacts(found)]
    for kind, count in LISTS.items():
        if number := int(getattr(model, count)):
            left_out.add(kind, [f"{kind[:-1]}_{k}" for k in range(number)])
    if not medium_is_still(model):
        left_out.add("air and wind")
    still = bool(model.opt.disableflags & NO_GRAVITY)
    gravity = (0.0, 0.0, 0.0) if still else tuple(float(x) for x in model.opt.gravity)
    world = World(found.figures, gravity, forces, terrain=terrain, constraints=constraints)
    return Scene(
        world,
        motors,
        reader.poses(world),
        reader.frames(),
        reader.sensors(world),
        float(model.opt.timestep),
        left_out.named(),
        tuple(outside_limits(world)),
    )


def outside_limits(world: World) -> list[str]:
    """A note where the zero pose is outside a joint's range."""
    odd = []
    for entry in world.layout.bodies:
        joint = entry.body.joint
        if joint.range and joint.kind.springs == "coordinates" and not joint.range[0] <= 0.0 <= joint.range[1]:
            odd.append(entry.name)
    if not odd:
        return []
    named = ", ".join(odd[:3]) + (", …" if len(odd) > 3 else "")
    return [f"zero positions are outside the range of {len(odd)} joints ({named}): their stops push from the start"]


class _Reader:
    """What a compiled model says beside its bodies."""

    def __init__(self, found: MjcfModel):
        self.found, self.model = found, found.model
        self.left_out: LeftOut = found.left_out

    def name(self, accessor: str, index: int) -> str:
        return str(getattr(self.model, accessor)(index).name) or f"{accessor}_{index}"

    def zero(self, j: int) -> float:
        """MuJoCo's position of a plain joint at our zero."""
        return float(self.model.qpos0[self.model.jnt_qposadr[j]])

    def is_plain(self, j: int) -> bool:
        """Is it a hinge or a slide that was read?"""
        return j in self.found.joints and int(self.model.jnt_type[j]) not in (FREE, BALL)

    # ------------------------------------------------------------ motors
    def actuators(self) -> tuple[dict[str, Motor], list[Element]]:
        """Actuators at joints, by name; of the others, a count for each reason."""
        motors: dict[str, Motor] = {}
        forces: list[Element] = []
        model = self.model
        for k in range(model.nu):
            name = self.name("actuator", k)
            if reason := self._without_counterpart(k):
                self.left_out.add(f"actuators {reason}", [name])
                continue
            if model.actuator_dyntype[k]:
                self.left_out.add("activation dynamics of actuators (their input acts at once)", [name])
            motors[name], force = self._motor(k, name, self._transmission(k))
            forces.append(force)
        return motors, forces

    def _transmission(self, k: int) -> dict[int, float]:
        """The joints that an actuator drives, and by which gears; none where they are not plain ones, or too many."""
        model, target = self.model, int(self.model.actuator_trnid[k, 0])
        gear = float(model.actuator_gear[k, 0])
        found: dict[int, float] = {}
        if model.actuator_trntype[k] in (AT_JOINT, AT_JOINT_IN_PARENT):
            found = {target: gear}
        elif model.actuator_trntype[k] == AT_TENDON:
            found = {j: gear * arm for j, arm in (self._arms(target) or {}).items()}
        return found if len(found) <= MOST_DRIVEN and all(map(self.is_plain, found)) else {}

    def _without_counterpart(self, k: int) -> str:
        model = self.model
        if model.actuator_gaintype[k] != FIXED_GAIN or model.actuator_biastype[k] not in (NO_BIAS, AFFINE):
            return "that are muscles, or whose gain is not constant"
        bias = model.actuator_biasprm[k] if model.actuator_biastype[k] == AFFINE else np.zeros(3)
        if bias[1] > 0 or bias[2] > 0:
            return "that push away from where they are"
        if not self._transmission(k):
            spatial = f"on tendons through sites or over more than {MOST_DRIVEN} joints"
            kinds = {0: "at ball or free joints", 1: "at ball or free joints", 3: spatial}
            return kinds.get(int(model.actuator_trntype[k]), "at sites, slider-cranks or bodies")
        return ""

    def _motor(self, k: int, name: str, gears: dict[int, float]) -> tuple[Motor, Element]:
        """force = gear (gain · input + b₀ + b₁ gear q + b₂ gear v), with q as MuJoCo counts it.

        Over several joints the gears are moment arms, and the tendon's force has a gear of 1.
        """
        model = self.model
        gain = float(model.actuator_gainprm[k, 0])
        affine = model.actuator_biastype[k] == AFFINE
        b0, b1, b2 = (float(x) for x in model.actuator_biasprm[k, :3]) if affine else (0.0, 0.0, 0.0)
        low, high = model.actuator_ctrlrange[k].tolist() if model.actuator_ctrllimited[k] else (-math.inf, math.inf)
        (joint, gear), *others = gears.items()
        zero = self.zero(joint)
        if others:
            gear, zero = 1.0, sum(arm * self.zero(j) for j, arm in gears.items())
        stiffness, damping = -b1 * gear * gear, -b2 * gear * gear
        rest, command, speed = -zero, gear * b0, 0.0
        if b1 and math.isclose(gain, -b1):
            motor = Motor(name, "rest", 1.0 / gear, -zero, low, high)
            rest = motor.value(0.0)
        elif b2 and not b1 and math.isclose(gain, -b2):
            motor = Motor(name, "speed", 1.0 / gear, 0.0, low, high)
            speed = motor.value(0.0)
        else:
            motor = Motor(name, "command", gear * gain, gear * b0, low, high)
            command = motor.value(0.0)
        least, most = self._force_limits(k, None if others else joint, gear)
        numbers: dict[str, Any] = {"command": command, "rest": rest, "speed": speed, "least": least, "most": most}
        numbers |= {"name": name, "stiffness": stiffness, "damping": damping, "line": "motors"}
        if others:
            return motor, TendonActuator(arms=self._named(gears), **numbers)
        return motor, Actuator(joint=self.found.joints[joint], **numbers)

    def _named(self, arms: dict[int, float]) -> dict[str, float]:
        return {self.found.joints[j]: arm for j, arm in arms.items()}

    def _force_limits(self, k: int, j: int | None, gear: float) -> tuple[float, float]:
        model, least, most = self.model, -math.inf, math.inf
        if model.actuator_forcelimited[k]:
            least, most = sorted(gear * float(x) for x in model.actuator_forcerange[k])
        if j is not None and model.jnt_actfrclimited[j]:
            low, high = model.jnt_actfrcrange[j].tolist()
            least, most = max(least, low), min(most, high)
        return least, most

    # ------------------------------------------------------------ tendons
    def _arms(self, t: int) -> dict[int, float] | None:
        """Moment arms [m] of a fixed tendon by joint number; None for other tendons."""
        first = int(self.model.tendon_adr[t])
        path = range(first, first + int(self.model.tendon_num[t]))
        if any(self.model.wrap_type[w] != JOINT_WRAP for w in path):
            return None
        return {int(self.model.wrap_objid[w]): float(self.model.wrap_prm[w]) for w in path}

    def _sites(self, t: int) -> list[tuple[str, tuple[float, float, float]]] | None:
        """The path of a spatial tendon through sites; None where it wraps around things or has pulleys."""
        first = int(self.model.tendon_adr[t])
        path = range(first, first + int(self.model.tendon_num[t]))
        if any(self.model.wrap_type[w] != SITE_WRAP for w in path):
            return None
        frames = [self._site(int(self.model.wrap_objid[w])) for w in path]
        return None if None in frames else [(f.body, f.placement.position) for f in frames if f is not None]

    def tendons(self) -> list[Element]:
        """Springs, dampers and limits of tendons. One without any of these does nothing by itself."""
        found: list[Element] = []
        model = self.model
        for t in range(model.ntendon):
            name = self.name("tendon", t)
            slack, taut = (float(x) for x in model.tendon_lengthspring[t])
            k, b = float(np.ravel(model.tendon_stiffness[t])[0]), float(np.ravel(model.tendon_damping[t])[0])
            stop = soft_constraint(model.tendon_solref_lim[t], model.tendon_solimp_lim[t], model.tendon_invweight0[t])
            limits = model.tendon_range[t].tolist() if model.tendon_limited[t] and stop else None
            if model.tendon_frictionloss[t]:
                self.left_out.add("friction of tendons", [name])
            if not (k or b or limits):
                continue
            arms, path = self._arms(t), self._sites(t)
            plain = arms is not None and all(map(self.is_plain, arms))
            if arms is not None and plain and len(arms) > MOST_JOINTS and not limits and slack == taut:
                begin = sum(arm * self.zero(j) for j, arm in arms.items())
                spring: dict[str, Any] = {"stiffness": k, "damping": b, "rest": taut - begin}
                found.append(TendonActuator(name=name, arms=self._named(arms), **spring))
            elif arms is not None and plain and len(arms) <= MOST_JOINTS:
                found += self._fixed_tendon(name, arms, (k, b), (slack, taut), limits, stop)
            elif path is not None and 2 <= len(path) <= MOST_POINTS:
                found += self._spatial_tendon(name, path, (k, b), taut, limits, stop)
            else:
                self.left_out.add(f"tendons over more than {MOST_JOINTS} joints or points, or around things", [name])
        return found

    def _fixed_tendon(self, name, arms, spring, slack, limits, stop) -> list[Element]:
        own = self._named(arms)
        turned = {joint: -arm for joint, arm in own.items()}
        begin = sum(arm * self.zero(j) for j, arm in arms.items())  # its length at our zero
        found: list[Element] = []
        k, b = spring
        if (k or b) and slack[0] == slack[1]:
            found.append(Tendon(name=name, arms=own, stiffness=k, damping=b, rest=slack[0] - begin, pulls_only=False))
        elif k or b:
            found.append(Tendon(name=name, arms=own, stiffness=k, damping=b, rest=slack[1] - begin))
            found.append(Tendon(name=f"{name} short", arms=turned, stiffness=k, damping=b, rest=begin - slack[0]))
        if limits:
            k, b = stop
            ends = (("most", own, limits[1] - begin), ("least", turned, begin - limits[0]))
            found += [Tendon(name=f"{name} {e}", arms=a, rest=r, stiffness=k, damping=b) for e, a, r in ends]
        return found

    def _spatial_tendon(self, name, path, spring, rest, limits, stop) -> list[Element]:
        found: list[Element] = []
        if spring[0] or spring[1]:
            found.append(Muscle(name=name, path=path, stiffness=spring[0], damping=spring[1], rest=rest))
        if limits:
            found.append(Muscle(name=f"{name} most", path=path, stiffness=stop[0], damping=stop[1], rest=limits[1]))
            if limits[0] > 0:
                self.left_out.add("least lengths of spatial tendons", [name])
        return found

    # ------------------------------------------------------------ equality constraints
    def equalities(self) -> tuple[list[Constraint], list[Element]]:
        """Joined points, welds and coupled joints."""
        constraints: list[Constraint] = []
        couplings: list[Element] = []
        model = self.model
        for k in range(model.neq):
            name, kind = self.name("equality", k), int(model.eq_type[k])
            if not model.eq_active0[k]:
                self.left_out.add("equality constraints that are switched off", [name])
            elif kind == Equality.JOINT and (coupling := self._coupling(k, name)):
                couplings.append(coupling)
            elif kind == Equality.TENDON and (coupling := self._coupled_tendons(k, name)):
                couplings.append(coupling)
            elif kind in (Equality.CONNECT, Equality.WELD) and (constraint := self._constraint(k, name)):
                constraints.append(constraint)
            else:
                self.left_out.add("equality constraints of other kinds", [name])
        return constraints, couplings

    def _coupling(self, k: int, name: str) -> Element | None:
        model = self.model
        one, two = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        offset, ratio, *higher = (float(x) for x in model.eq_data[k, :5])
        if not self.is_plain(one) or (two >= 0 and not self.is_plain(two)):
            return None
        if any(higher):
            self.left_out.add("higher powers of coupled joints", [name])
        ease = float(model.dof_invweight0[model.jnt_dofadr[one]])
        if two >= 0:
            ease += ratio**2 * float(model.dof_invweight0[model.jnt_dofadr[two]])
        answer = soft_constraint(model.eq_solref[k], model.eq_solimp[k], ease)
        if answer is None:
            return None
        stiffness, damping = answer
        joint = self.found.joints[one]
        if two < 0:
            return JointSpring(name=name, joint=joint, stiffness=stiffness, damping=damping, rest=offset)
        arms = {joint: 1.0, self.found.joints[two]: -ratio}
        return Tendon(name=name, arms=arms, stiffness=stiffness, damping=damping, rest=offset, pulls_only=False)

    def _coupled_tendons(self, k: int, name: str) -> Element | None:
        """A stiff spring on the length of a tendon, or on the difference of two, measured from our zero."""
        model, one, two = self.model, int(self.model.eq_obj1id[k]), int(self.model.eq_obj2id[k])
        offset, ratio, *higher = (float(x) for x in model.eq_data[k, :5])
        arms = dict(self._arms(one) or {})
        ease = float(model.tendon_invweight0[one])
        if two >= 0:
            ease += ratio**2 * float(model.tendon_invweight0[two])
            for j, arm in (self._arms(two) or {-1: 0.0}).items():
                arms[j] = arms.get(j, 0.0) - ratio * arm
        answer = soft_constraint(model.eq_solref[k], model.eq_solimp[k], ease)
        if answer is None or not 1 <= len(arms) <= MOST_DRIVEN or not all(map(self.is_plain, arms)) or any(higher):
            return None
        return TendonActuator(
            name=name, arms=self._named(arms), stiffness=answer[0], damping=answer[1], rest=offset, line="couplings"
        )

    def _constraint(self, k: int, name: str) -> Constraint | None:
        model = self.model
        one, two = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        if model.eq_objtype[k] != BODY_OBJECT or one not in self.found.bodies or two not in self.found.bodies:
            return None
        (first, frame), (second, other) = self.found.bodies[one], self.found.bodies[two]
        rate = 1.0 / float(model.eq_solref[k, 0]) if model.eq_solref[k, 0] > 0 else None
        data = model.eq_data[k].tolist()
        if model.eq_type[k] == Equality.CONNECT:
            point, at = frame.apply(data[0:3]), other.apply(data[3:6])
            if not first:
                first, second, point, at = second, first, at, point
            return Join(name=name, body=first, to=second, point=point, at=at, rate=rate)
        inner = frame.compose(Placement(tuple(data[3:6]), tuple(data[6:10])))
        outer = other.compose(Placement(tuple(data[0:3])))
        if not second:
            first, second, inner, outer = second, first, outer, inner
        return Closure(name=name, joint=Joint(), body=second, to=first, place=outer, at=inner, exact=False, rate=rate)

    # ------------------------------------------------------------ poses and frames
    def poses(self, world: World) -> dict[str, StartPose]:
        """The pose the file is written in, and its keyframes."""
        model = self.model
        found = {START: self._pose(world, model.qpos0, np.zeros(model.nv), np.zeros(model.nu))}
        for k in range(model.nkey):
            found[self.name("key", k)] = self._pose(world, model.key_qpos[k], model.key_qvel[k], model.key_ctrl[k])
        return found

    def _pose(self, world: World, qpos: np.ndarray, qvel: np.ndarray, ctrl: np.ndarray) -> StartPose:
        layout, model = world.layout, self.model
        q, v = layout.zero.copy(), np.zeros(sum(b.body.joint.speeds for b in layout.bodies))
        positions, speeds = _places(layout)
        for j, name in self.found.joints.items():
            a, s, kind = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), int(model.jnt_type[j])
            own, fast = positions[name], speeds[name]
            if kind == FREE:
                w, x, y, z = qpos[a + 3 : a + 7].tolist()
                there = Placement(tuple(qpos[a : a + 3].tolist()), (w, x, y, z))
                base = layout.body(name).body.placement
                moved = base.inverse().compose(there)
                q[own] = [*moved.position, *moved.rotation]
                # MuJoCo has linear velocity in world axes, then angular in the body's; ours are in those of the base
                v[fast] = [*(base.matrix.T @ there.matrix @ qvel[s + 3 : s + 6]), *(base.matrix.T @ qvel[s : s + 3])]
            elif kind == BALL:
                q[own], v[fast] = qpos[a : a + 4], qvel[s : s + 3]
            else:
                q[own], v[fast] = qpos[a] - model.qpos0[a], qvel[s]
        names = [self.name("actuator", k) for k in range(model.nu)]
        inputs = {name: float(u) for name, u in zip(names, ctrl) if not self._without_counterpart(names.index(name))}
        return StartPose(q, v, inputs)

    def _site(self, s: int) -> Frame | None:
        model, body = self.model, int(self.model.site_bodyid[s])
        if body and body not in self.found.bodies:
            return None
        full, frame = self.found.bodies[body] if body else ("", Placement())
        w, x, y, z = model.site_quat[s].tolist()
        return Frame(full, frame.compose(Placement(tuple(model.site_pos[s].tolist()), (w, x, y, z))))

    def frames(self) -> dict[str, Frame]:
        """Sites by name."""
        found = {self.name("site", s): self._site(s) for s in range(self.model.nsite)}
        return {name: frame for name, frame in found.items() if frame is not None}

    def sensors(self, world: World) -> dict[str, tuple[str, Callable[[Simulation], Any]]]:
        """Joint positions and speeds, and places of bodies and sites."""
        found: dict[str, tuple[str, Callable[[Simulation], Any]]] = {}
        model = self.model
        positions, speeds = _places(world.layout)
        for k in range(model.nsensor):
            name, kind, thing = self.name("sensor", k), int(model.sensor_type[k]), int(model.sensor_objid[k])
            where = self._place_of(int(model.sensor_objtype[k]), thing)
            if kind in (Sensor.JOINT_POSITION, Sensor.JOINT_SPEED) and self.is_plain(thing):
                joint = self.found.joints[thing]
                turns = int(model.jnt_type[thing]) == 3
                at = kind == Sensor.JOINT_POSITION
                read = _read_position(positions[joint].start, self.zero(thing)) if at else _read_speed(speeds[joint])
                found[name] = (("rad" if turns else "m") + ("" if at else "/s"), read)
            elif kind == Sensor.PLACE and where is not None and model.sensor_refid[k] < 0:
                found[name] = ("m, world", _read_place(where))
            else:
                self.left_out.add("sensors of other kinds", [name])
        return found

    def _place_of(self, kind: int, index: int) -> Frame | None:
        if kind == 6:  # mjOBJ_SITE
            return self._site(index)
        if kind in (BODY_OBJECT, 2) and index in self.found.bodies:  # mjOBJ_XBODY
            full, frame = self.found.bodies[index]
            middle = Placement(tuple(self.model.body_ipos[index].tolist())) if kind == BODY_OBJECT else Placement()
            return Frame(full, frame.compose(middle))
        return None


def _places(layout: Any) -> tuple[dict[str, slice], dict[str, slice]]:
    """Where the positions and speeds of each joint stand, description order."""
    positions, speeds, p, s = {}, {}, 0, 0
    for entry in layout.bodies:
        joint = entry.body.joint
        positions[entry.name], speeds[entry.name] = slice(p, p + joint.positions), slice(s, s + joint.speeds)
        p, s = p + joint.positions, s + joint.speeds
    return positions, speeds


def _read_position(index: int, zero: float) -> Callable[[Simulation], Any]:
    return lambda sim: sim.q[..., index] + zero


def _read_speed(where: slice) -> Callable[[Simulation], Any]:
    return lambda sim: sim.v[..., where.start]


def _read_place(frame: Frame) -> Callable[[Simulation], Any]:
    if not frame.body:
        return lambda sim: np.array(frame.placement.position)
    return lambda sim: sim.bodies[frame.body].point(frame.placement.position)
