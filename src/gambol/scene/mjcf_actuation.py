"""Actuators, tendons and coupled joints of an MJCF file as force elements.

What is simple has an element of its own (`Actuator` at a joint, `Tendon` and `TendonActuator` over a few); all else is
a `Cable`: muscles, activation that lags, tendons through sites and around things, polynomials of joints.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any

import numpy as np

from gambol.figure.mjcf_flags import is_off
from gambol.figure.mjcf_soft import soft_constraint
from gambol.forces.actuator import Actuator
from gambol.forces.cable import Cable
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.forces.routing import MOST_BODIES, POWERS, Around, Branch, Polynomial, Stop, Via
from gambol.forces.tendon import TENDON_JOINTS as MOST_JOINTS
from gambol.forces.tendon import Tendon
from gambol.forces.tendon_actuator import MOST_TRANSMISSIONS as MOST_DRIVEN
from gambol.forces.tendon_actuator import TendonActuator
from gambol.scene.mjcf_names import MjcfReader
from gambol.scene.scene import Motor

AT_JOINT, AT_JOINT_IN_PARENT, AT_TENDON = 0, 1, 3  # mjtTrn
ELSEWHERE = {0: "at ball or free joints", 1: "at ball or free joints", 2: "of slider-cranks", 4: "at sites"}
LAGS = {0: "none", 1: "integral", 2: "lag", 3: "lag", 4: "muscle"}  # mjtDyn
TENDON_EQUALITY = 3  # mjtEq
LEAST = 1e-15  # mjMINVAL


class Wrap(IntEnum):
    """mjtWrap."""

    JOINT = 1
    PULLEY = 2
    SITE = 3
    SPHERE = 4
    CYLINDER = 5


class Law(IntEnum):
    """mjtGain; mjtBias has none in place of the first."""

    FIXED = 0
    AFFINE = 1
    MUSCLE = 2


def _law_name(kind: str, number: int) -> str:
    """MuJoCo's name of a law: dcmotor, pid, so3, user."""
    import mujoco

    return str(getattr(mujoco, f"mjt{kind.title()}")(number).name).partition("_")[2].lower()


class ActuationReader(MjcfReader):
    """What pulls and drives."""

    # ------------------------------------------------------------ transmissions
    def arms(self, t: int) -> dict[int, float] | None:
        """Moment arms [m] of a fixed tendon by joint number; None for other tendons."""
        path = self._wraps(t)
        if any(self.model.wrap_type[w] != Wrap.JOINT for w in path):
            return None
        return {int(self.model.wrap_objid[w]): float(self.model.wrap_prm[w]) for w in path}

    def _wraps(self, t: int) -> range:
        first = int(self.model.tendon_adr[t])
        return range(first, first + int(self.model.tendon_num[t]))

    def route(self, t: int) -> dict[str, Any] | None:
        """Where a tendon runs, as a Cable has it; None where it runs over things that were not read."""
        arms = self.arms(t)
        if arms is not None:
            return self.over(arms) if all(map(self.is_plain, arms)) else None
        stops = [self._stop(w) for w in self._wraps(t)]
        path = [stop for stop in stops if stop is not None]
        touched = {stop.body for stop in path if not isinstance(stop, Branch)}
        return {"path": tuple(path)} if len(path) == len(stops) and len(touched) <= MOST_BODIES else None

    def over(self, arms: dict[int, float]) -> dict[str, Any]:
        """A route over plain joints, as long as MuJoCo has it."""
        return {"arms": self.named(arms), "offset": sum(arm * self.zero(j) for j, arm in arms.items())}

    def _stop(self, w: int) -> Stop | None:
        model, kind, thing = self.model, int(self.model.wrap_type[w]), int(self.model.wrap_objid[w])
        if kind == Wrap.PULLEY:
            return Branch(float(model.wrap_prm[w]))
        if kind == Wrap.SITE:
            return self._via(thing)
        if kind not in (Wrap.SPHERE, Wrap.CYLINDER):
            return None
        place = self.frame_on(
            int(model.geom_bodyid[thing]), model.geom_pos[thing].tolist(), model.geom_quat[thing].tolist()
        )
        beside = round(float(model.wrap_prm[w]))
        side = self._via(beside) if beside >= 0 else None
        if place is None or (beside >= 0 and side is None):
            return None
        radius = float(model.geom_size[thing, 0])
        return Around(place.body, place.placement, radius, cylinder=kind == Wrap.CYLINDER, side=side)

    def _via(self, site: int) -> Via | None:
        frame = self.site(site)
        return None if frame is None else Via(frame.body, frame.placement.position)

    def _joints_of(self, k: int) -> dict[int, float]:
        """The joints that an actuator drives, and by which gears; none where they are not plain ones, or too many."""
        model, target = self.model, int(self.model.actuator_trnid[k, 0])
        gear = float(model.actuator_gear[k, 0])
        found: dict[int, float] = {}
        if model.actuator_trntype[k] in (AT_JOINT, AT_JOINT_IN_PARENT):
            found = {target: gear}
        elif model.actuator_trntype[k] == AT_TENDON:
            found = {j: gear * arm for j, arm in (self.arms(target) or {}).items()}
        return found if len(found) <= MOST_DRIVEN and all(map(self.is_plain, found)) else {}

    def _route_of(self, k: int) -> dict[str, Any] | None:
        model, target = self.model, int(self.model.actuator_trnid[k, 0])
        if model.actuator_trntype[k] in (AT_JOINT, AT_JOINT_IN_PARENT):
            return self.over({target: 1.0}) if self.is_plain(target) else None
        return self.route(target) if model.actuator_trntype[k] == AT_TENDON else None

    # ------------------------------------------------------------ motors
    def actuators(self) -> tuple[dict[str, Motor], list[Element]]:
        """Actuators by name; of those without a counterpart, a count for each reason."""
        motors: dict[str, Motor] = {}
        forces: list[Element] = []
        for k in range(self.actuator_count):
            name = self.name("actuator", k)
            if reason := self.without_counterpart(k):
                self.left_out.add(f"actuators {reason}", [name])
                continue
            motors[name], force = self._motor(k, name) if self._is_simple(k) else self._cable(k, name)
            forces.append(force)
        return motors, forces

    def without_counterpart(self, k: int) -> str:
        """Why an actuator is left out; nothing where it is not."""
        model = self.model
        group = int(model.actuator_group[k])
        if is_off(model, "ACTUATION") or (0 <= group < 31 and model.opt.disableactuator & 1 << group):
            return "that are switched off"
        for kind, known in (("gain", Law), ("bias", Law), ("dyn", LAGS)):
            if (law := int(getattr(model, f"actuator_{kind}type")[k])) not in tuple(known):
                return f"of a law of their own ({_law_name(kind, law)})"
        if (model.actuator_gaintype[k] == Law.MUSCLE) != (model.actuator_biastype[k] == Law.MUSCLE):
            return "that are half a muscle"
        if self._route_of(k) is None:
            at, target = int(model.actuator_trntype[k]), int(model.actuator_trnid[k, 0])
            if at == AT_TENDON or (at in (AT_JOINT, AT_JOINT_IN_PARENT) and target not in self.found.joints):
                return "on what was not read"
            return ELSEWHERE.get(at, "of bodies (adhesion)")
        return ""

    def _is_simple(self, k: int) -> bool:
        """Constant gain, at most a spring and a damper, no activation, at joints?"""
        model = self.model
        bias = model.actuator_biasprm[k] if model.actuator_biastype[k] == Law.AFFINE else np.zeros(3)
        plain = model.actuator_gaintype[k] == Law.FIXED and model.actuator_biastype[k] in (Law.FIXED, Law.AFFINE)
        at_once = not model.actuator_dyntype[k]
        return bool(plain and at_once and bias[1] <= 0 and bias[2] <= 0 and self._joints_of(k))

    def _inputs(self, k: int) -> tuple[float, float]:
        model, at = self.model, self.input_number(k)
        low, high = model.actuator_ctrlrange[at].tolist() if model.actuator_ctrllimited[at] else (-math.inf, math.inf)
        return low, high

    def _motor(self, k: int, name: str) -> tuple[Motor, Element]:
        """force = gear (gain · input + b₀ + b₁ gear q + b₂ gear v), with q as MuJoCo counts it.

        Over several joints the gears are moment arms, and the tendon's force has a gear of 1.
        """
        model, gears = self.model, self._joints_of(k)
        gain = float(model.actuator_gainprm[k, 0])
        affine = model.actuator_biastype[k] == Law.AFFINE
        b0, b1, b2 = (float(x) for x in model.actuator_biasprm[k, :3]) if affine else (0.0, 0.0, 0.0)
        low, high = self._inputs(k)
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
        least, most = sorted(gear * x for x in self._force_limits(k, gear))
        numbers: dict[str, Any] = {"command": command, "rest": rest, "speed": speed, "least": least, "most": most}
        numbers |= {"name": name, "stiffness": stiffness, "damping": damping, "line": "motors"}
        if others:
            return motor, TendonActuator(arms=self.named(gears), **numbers)
        return motor, Actuator(joint=self.found.joints[joint], **numbers)

    def _force_limits(self, k: int, gear: float) -> tuple[float, float]:
        """Of the force before the gear, those of the joint among them."""
        model, least, most = self.model, -math.inf, math.inf
        if model.actuator_forcelimited[k]:
            least, most = model.actuator_forcerange[k].tolist()
        target = int(model.actuator_trnid[k, 0])
        if model.actuator_trntype[k] in (AT_JOINT, AT_JOINT_IN_PARENT) and model.jnt_actfrclimited[target] and gear:
            low, high = sorted(x / gear for x in model.jnt_actfrcrange[target].tolist())
            least, most = max(least, low), min(most, high)
        return least, most

    def _cable(self, k: int, name: str) -> tuple[Motor, Element]:
        """An actuator with an activation, of a muscle, or on any tendon."""
        model = self.model
        gear = float(model.actuator_gear[k, 0])
        low, high = self._inputs(k)
        motor = Motor(name, "input", 1.0, 0.0, low, high)
        weakest, strongest = self._force_limits(k, gear)
        numbers: dict[str, Any] = {"gear": gear, "weakest": weakest, "strongest": strongest, "input": motor.value(0.0)}
        numbers |= self._muscle(k) if model.actuator_gaintype[k] == Law.MUSCLE else self._affine(k)
        follows = LAGS[int(model.actuator_dyntype[k])]
        times = model.actuator_dynprm[k]
        if follows == "muscle":
            numbers |= {"rise_time": float(times[0]), "fall_time": float(times[1]), "smoothing": float(times[2])}
        elif follows == "lag":
            numbers |= {"rise_time": max(float(times[0]), LEAST)}
        if model.actuator_actlimited[k]:
            numbers |= dict(zip(("lowest", "highest"), model.actuator_actrange[k].tolist()))
        route = self._route_of(k) or {}
        return motor, Cable(name=name, follows=follows, line="motors", **numbers, **route)  # type: ignore[arg-type]

    def _affine(self, k: int) -> dict[str, Any]:
        model = self.model
        gain, bias = model.actuator_gainprm[k, :3].tolist(), model.actuator_biasprm[k, :3].tolist()
        gain = gain if model.actuator_gaintype[k] == Law.AFFINE else [gain[0], 0.0, 0.0]
        bias = bias if model.actuator_biastype[k] == Law.AFFINE else [0.0, 0.0, 0.0]
        names = ("gain", "gain_length", "gain_rate", "bias", "bias_length", "bias_rate")
        return {"drive": "affine"} | dict(zip(names, (*gain, *bias)))

    def _muscle(self, k: int) -> dict[str, Any]:
        """MuJoCo's muscle: its operating range of fibre lengths lies over the range of its actuator's length."""
        model = self.model
        begin, end, force, scale, shortest, longest, fastest, passive, eccentric = model.actuator_gainprm[
            k, :9
        ].tolist()
        low, high = model.actuator_lengthrange[k].tolist()
        optimum = max((high - low) / max(end - begin, LEAST), LEAST)
        strength = force if force >= 0 else scale / max(float(model.actuator_acc0[k]), LEAST)
        found = {"optimum": optimum, "tendon": low - begin * optimum, "strength": strength, "shortest": shortest}
        return {
            "drive": "muscle",
            "longest": longest,
            "fastest": fastest,
            "passive": passive,
            "eccentric": eccentric,
        } | found

    # ------------------------------------------------------------ tendons
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
            if model.tendon_limited[t] and not stop:
                self.left_out.add("limits of tendons that move nothing in the pose of the file", [name])
            if model.tendon_frictionloss[t]:
                self.left_out.add("friction of tendons", [name])
            if np.any(getattr(model, "tendon_armature", np.zeros(model.ntendon))[t]):
                self.left_out.add("armature of tendons", [name])
            if not (k or b or limits):
                if not self._is_used(t):
                    self.left_out.add("tendons that neither pull nor are pulled", [name])
                continue
            arms, route = self.arms(t), self.route(t)
            if route is None:
                self.left_out.add("tendons on what was not read", [name])
            elif arms is not None and len(arms) <= MOST_JOINTS and slack == taut and not limits:
                rest = taut - route["offset"]
                found.append(Tendon(name=name, arms=route["arms"], stiffness=k, damping=b, rest=rest, pulls_only=False))
            else:
                numbers: dict[str, Any] = {"stiffness": k, "damping": b, "slack": slack, "taut": taut}
                if limits and stop:
                    numbers |= {
                        "stop_stiffness": stop[0],
                        "stop_damping": stop[1],
                        "least": limits[0],
                        "most": limits[1],
                    }
                found.append(Cable(name=name, line="tendons", **numbers, **route))
        return found

    def _is_used(self, t: int) -> bool:
        """Does an actuator or a constraint act on a tendon?"""
        model, held = self.model, self.model.eq_type == TENDON_EQUALITY
        at = (model.actuator_trntype == AT_TENDON) & (model.actuator_trnid[:, 0] == t)
        return bool(at.any() or (held & ((model.eq_obj1id == t) | (model.eq_obj2id == t))).any())

    # ------------------------------------------------------------ couplings
    def coupling(self, k: int, name: str) -> Element | None:
        """One joint held to a polynomial of another, both measured from our zero, by a stiff spring."""
        model = self.model
        one, two = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        offset, ratio, *higher = (float(x) for x in model.eq_data[k, : POWERS + 1])
        if not self.is_plain(one) or (two >= 0 and not self.is_plain(two)):
            return None
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
        other = self.found.joints[two]
        spring: dict[str, Any] = {"name": name, "stiffness": stiffness, "damping": damping}
        if any(higher):
            arms: dict[str, Polynomial] = {joint: 1.0, other: tuple(-x for x in (ratio, *higher))}
            return Cable(arms=arms, slack=offset, taut=offset, line="couplings", **spring)
        return Tendon(arms={joint: 1.0, other: -ratio}, rest=offset, pulls_only=False, **spring)

    def coupled_tendons(self, k: int, name: str) -> Element | None:
        """A stiff spring on the length of a tendon, or on the difference of two, measured from our zero."""
        model, one, two = self.model, int(self.model.eq_obj1id[k]), int(self.model.eq_obj2id[k])
        offset, ratio, *higher = (float(x) for x in model.eq_data[k, : POWERS + 1])
        arms = dict(self.arms(one) or {})
        ease = float(model.tendon_invweight0[one])
        if two >= 0:
            ease += ratio**2 * float(model.tendon_invweight0[two])
            for j, arm in (self.arms(two) or {-1: 0.0}).items():
                arms[j] = arms.get(j, 0.0) - ratio * arm
        answer = soft_constraint(model.eq_solref[k], model.eq_solimp[k], ease)
        if answer is None or not arms or not all(map(self.is_plain, arms)) or any(higher):
            return None
        spring: dict[str, Any] = {"stiffness": answer[0], "damping": answer[1], "line": "couplings", "name": name}
        if len(arms) <= MOST_DRIVEN:
            return TendonActuator(arms=self.named(arms), rest=offset, **spring)
        return Cable(arms=self.named(arms), slack=offset, taut=offset, **spring)
