"""A scene from MJCF: actuators, equality constraints, tendons, contacts, keyframes, sites and sensors of the file."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from gambol.dynamics.constraints.closure import Closure
from gambol.dynamics.constraints.descriptions import Constraint
from gambol.dynamics.constraints.points import Join
from gambol.figure.joint import Joint
from gambol.figure.mjcf import read_mjcf_figures
from gambol.figure.mjcf_audit import audit
from gambol.figure.mjcf_flags import is_off
from gambol.figure.placement import Placement
from gambol.forces.element import Element
from gambol.scene.mjcf_bodies import BodyForceReader
from gambol.scene.mjcf_contact import contacts, ground_of
from gambol.scene.mjcf_names import MJ_BALL, MJ_FREE
from gambol.scene.mjcf_sensors import (
    OF_FRAMES,
    Reader,
    Sensor,
    read_cells,
    read_clock,
    read_position,
    read_speed,
)
from gambol.scene.scene import START_POSE, Frame, Scene, StartPose, unique
from gambol.world.world import World

BODY_OBJECT, SITE_OBJECT = 1, 6  # mjtObj
HINGE = 3  # mjtJoint
ASSETS = {1: ("hfield", "height fields that no part has"), 7: ("mesh", "meshes that no part has")}  # by mjtGeom
Ends = tuple[tuple[str, Placement], tuple[str, Placement]]  # of a constraint: body, and a frame in it
SKY = "textures of the sky and of what is not shown"
LISTS = {"camera": "cameras", "light": "lights", "skin": "skins", "flex": "flexes"}


class Equality(IntEnum):
    """mjtEq, those that have a counterpart."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


def read_mjcf_scene(source: str | Path, root_body: str | None = None, root: str | None = None) -> Scene:
    """Everything of an MJCF file (or text that starts with `<`) that there is a counterpart for."""
    found = read_mjcf_figures(source, root_body, root)
    model, left_out = found.model, found.left_out
    reader = SceneReader(found)
    motors, forces = reader.actuators()
    forces += reader.tendons()
    constraints, couplings = reader.equalities()
    terrain = ground_of(found)
    forces += [*couplings, *contacts(found)]
    reader.count_the_rest()
    forces += [*reader.drags(), *reader.held_up(), *reader.firm_stops()]
    still = is_off(model, "GRAVITY")
    gravity = (0.0, 0.0, 0.0) if still else tuple(float(x) for x in model.opt.gravity)
    names = unique(force.name for force in forces)  # actuators come first and keep theirs
    forces = [replace(force, name=name) if force.name else force for force, name in zip(forces, names)]
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


class SceneReader(BodyForceReader):
    """What a compiled model says beside its bodies."""

    def count_the_rest(self) -> None:
        """What is there and has no counterpart: whole kinds, assets that nothing here shows, single settings."""
        model = self.model
        for kind, several in LISTS.items():
            if names := [str(thing.name) or f"{kind}_{k}" for k, thing in enumerate(getattr(self.found.spec, several))]:
                self.left_out.add(several, names)
        used = {kind: {int(m) for t, m in zip(model.geom_type, model.geom_dataid) if t == kind} for kind in ASSETS}
        unseen = [(called, self.name(what, k)) for kind, (what, called) in ASSETS.items()
                  for k in range(getattr(model, f"n{what}")) if k not in used[kind]]  # fmt: skip
        unseen += [(SKY, self.name("tex", k)) for k in range(model.ntex) if k not in self.found.textures]
        for called, name in unseen:
            self.left_out.add(called, [name])
        audit(self.found.spec, self.left_out)

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
            elif kind == Equality.JOINT and (coupling := self.coupling(k, name)):
                couplings.append(coupling)
            elif kind == Equality.TENDON and (coupling := self.coupled_tendons(k, name)):
                couplings.append(coupling)
            elif kind in (Equality.CONNECT, Equality.WELD) and (constraint := self._constraint(k, name)):
                constraints.append(constraint)
            else:
                self.left_out.add("equality constraints of other kinds", [name])
        return constraints, couplings

    def _constraint(self, k: int, name: str) -> Constraint | None:
        model = self.model
        one, two = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        rate = 1.0 / float(model.eq_solref[k, 0]) if model.eq_solref[k, 0] > 0 else None
        ends = self._site_ends(one, two) if model.eq_objtype[k] == SITE_OBJECT else self._body_ends(k, one, two)
        if ends is None:
            return None
        (first, inner), (second, outer) = ends
        if model.eq_type[k] == Equality.CONNECT:
            point, at = inner.position, outer.position
            if not first:
                first, second, point, at = second, first, at, point
            return Join(name=name, body=first, to=second, point=point, at=at, rate=rate)
        if not second:
            first, second, inner, outer = second, first, outer, inner
        return Closure(name=name, joint=Joint(), body=second, to=first, place=outer, at=inner, exact=False, rate=rate)

    def _site_ends(self, one: int, two: int) -> Ends | None:
        ends = self.site(one), self.site(two)
        return None if None in ends else tuple((end.body, end.placement) for end in ends if end)  # type: ignore[return-value]

    def _body_ends(self, k: int, one: int, two: int) -> Ends | None:
        """Of what is connected the points, of what is welded the frames that are to lie on one another."""
        model, data = self.model, self.model.eq_data[k].tolist()
        if model.eq_objtype[k] != BODY_OBJECT or one not in self.found.bodies or two not in self.found.bodies:
            return None
        (first, frame), (second, other) = self.found.bodies[one], self.found.bodies[two]
        if model.eq_type[k] == Equality.CONNECT:
            places = Placement(tuple(data[0:3])), Placement(tuple(data[3:6]))
        else:
            places = Placement(tuple(data[3:6]), tuple(data[6:10])), Placement(tuple(data[0:3]))
        return (first, frame.compose(places[0])), (second, other.compose(places[1]))

    # ------------------------------------------------------------ poses and frames
    def poses(self, world: World) -> dict[str, StartPose]:
        """The pose the file is written in, and its keyframes."""
        model = self.model
        found = {START_POSE: self.pose(world, model.qpos0, np.zeros(model.nv), np.zeros(model.nu), np.zeros(model.na))}
        for k in range(model.nkey):
            numbers = (model.key_qpos[k], model.key_qvel[k], model.key_ctrl[k], model.key_act[k])
            found[self.name("key", k)] = self.pose(world, *numbers)
        return found

    def pose(self, world: World, qpos: np.ndarray, qvel: np.ndarray, ctrl: np.ndarray, act: np.ndarray) -> StartPose:
        """MuJoCo's numbers of a moment as ours."""
        layout, model = world.layout, self.model
        q, v = layout.zero.copy(), np.zeros(sum(b.body.joint.speeds for b in layout.bodies))
        positions, speeds = places(layout)
        for j, name in self.found.joints.items():
            a, s, kind = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), int(model.jnt_type[j])
            own, fast = positions[name], speeds[name]
            if kind == MJ_FREE:
                w, x, y, z = qpos[a + 3 : a + 7].tolist()
                there = Placement(tuple(qpos[a : a + 3].tolist()), (w, x, y, z))
                base = layout.body(name).body.placement
                moved = base.inverse().compose(there)
                q[own] = [*moved.position, *moved.rotation]
                # MuJoCo has linear velocity in world axes, then angular in the body's; ours are in those of the base
                v[fast] = [*(base.matrix.T @ there.matrix @ qvel[s + 3 : s + 6]), *(base.matrix.T @ qvel[s : s + 3])]
            elif kind == MJ_BALL:
                q[own], v[fast] = qpos[a : a + 4], qvel[s : s + 3]
            else:
                q[own], v[fast] = qpos[a] - model.qpos0[a], qvel[s]
        inputs, activations = {}, {}
        for k in range(self.actuator_count):
            if not self.without_counterpart(k):
                name = self.name("actuator", k)
                inputs[name] = float(ctrl[self.input_number(k)])
                if model.actuator_actnum[k]:
                    activations[name] = float(act[model.actuator_actadr[k]])
        return StartPose(q, v, inputs, activations)

    def frames(self) -> dict[str, Frame]:
        """Sites by name."""
        found = {self.name("site", s): self.site(s) for s in range(self.model.nsite)}
        return {name: frame for name, frame in found.items() if frame is not None}

    def sensors(self, world: World) -> dict[str, tuple[str, Reader]]:
        """Those of joints and clocks, and of frames of bodies and sites that are not measured from another frame."""
        found: dict[str, tuple[str, Reader]] = {}
        model = self.model
        positions, speeds = places(world.layout)
        for k in range(model.nsensor):
            name, kind, thing = self.name("sensor", k), int(model.sensor_type[k]), int(model.sensor_objid[k])
            joint = self.found.joints.get(thing)
            if kind in (Sensor.JOINT_POSITION, Sensor.JOINT_SPEED) and self.is_plain(thing) and joint:
                unit = "rad" if int(model.jnt_type[thing]) == HINGE else "m"
                at = kind == Sensor.JOINT_POSITION
                read = read_position(positions[joint].start, self.zero(thing)) if at else read_speed(speeds[joint])
                found[name] = (unit if at else f"{unit}/s", read)
            elif kind in (Sensor.BALL_ROTATION, Sensor.BALL_VELOCITY) and joint:
                turned = kind == Sensor.BALL_ROTATION
                unit, where = ("quaternion", positions[joint]) if turned else ("rad/s, body", speeds[joint])
                found[name] = (unit, read_cells("q" if turned else "v", where))
            elif kind == Sensor.CLOCK:
                found[name] = ("s", read_clock)
            elif kind in OF_FRAMES and model.sensor_refid[k] < 0 and (frame := self._frame_of(k)) is not None:
                unit, make = OF_FRAMES[Sensor(kind)]
                found[name] = (unit, make(frame))
            else:
                self.left_out.add("sensors of other kinds", [name])
        return found

    def _frame_of(self, k: int) -> Frame | None:
        """What a sensor of frames is at."""
        return self._place_of(int(self.model.sensor_objtype[k]), int(self.model.sensor_objid[k]))

    def _place_of(self, kind: int, index: int) -> Frame | None:
        if kind == SITE_OBJECT:
            return self.site(index)
        if kind in (BODY_OBJECT, 2) and index in self.found.bodies:  # mjOBJ_XBODY
            full, frame = self.found.bodies[index]
            own = self.model.body_ipos[index].tolist(), self.model.body_iquat[index].tolist()
            inner = Placement(tuple(own[0]), tuple(own[1])) if kind == BODY_OBJECT else Placement()
            return Frame(full, frame.compose(inner))
        return None


def places(layout: Any) -> tuple[dict[str, slice], dict[str, slice]]:
    """Where the positions and speeds of each joint stand, description order."""
    positions, speeds, p, s = {}, {}, 0, 0
    for entry in layout.bodies:
        joint = entry.body.joint
        positions[entry.name], speeds[entry.name] = slice(p, p + joint.positions), slice(s, s + joint.speeds)
        p, s = p + joint.positions, s + joint.speeds
    return positions, speeds
