"""External forces: spikes, supports and pushes. They enter the slow band as f_E and g_E (21), (22).

The source takes external forces to vary slowly. A spike does not, so the slow band uses its average over the time
until the next slow band: its impulse is exact for every ν.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import gambol.hinge_recursion.arrays as slot
from gambol.hinge_recursion.rotation_vector import rotation_vector
from gambol.jit import function, outlined
from gambol.math.memory import add_vec3, load_mat3, load_quat, load_vec3
from gambol.math.rotation import conjugate, quat_product
from gambol.math.scalar import constant, load, maximum, minimum, sqrt, store, where_positive
from gambol.math.vector import cross, dot

NEVER_FIRED = -1e9  # [s]


@dataclass(frozen=True)
class SpikeCondition:
    """When a spike may begin: `quantity` of a point of a link passes `below` or `above`.

    The quantity is the "height" of the spike's point above the world's origin [m], or its "speed" [m/s].
    """

    quantity: str
    below: float | None = None
    above: float | None = None


@dataclass(frozen=True)
class Spike:
    """A short force and torque (world axes) on a link, at times or on a condition.

    `force` [N] acts at `point` [m] of the link's frame for `duration` [s]. It begins at `start` [s] and then every
    `period` [s] (0: once). With a `when`, it begins whenever that holds, not before `start`, and not before
    `wait` [s] have passed since it last ended.
    """

    link: str
    force: Sequence[float] = (0.0, 0.0, 0.0)
    duration: float = 0.1
    start: float = 0.0
    period: float = 0.0
    point: Sequence[float] = (0.0, 0.0, 0.0)
    torque: Sequence[float] = (0.0, 0.0, 0.0)
    when: SpikeCondition | None = None
    wait: float = 0.0

    def row(self) -> tuple[int, int, np.ndarray]:
        """Kind, condition and parameters."""
        row = np.zeros(slot.FORCE_SIZE)
        (
            row[slot.FORCE_POINT : slot.FORCE_POINT + 3],
            row[slot.FORCE_VECTOR : slot.FORCE_VECTOR + 3],
            row[slot.FORCE_TORQUE : slot.FORCE_TORQUE + 3],
        ) = self.point, self.force, self.torque
        row[[slot.FORCE_START, slot.FORCE_DURATION, slot.FORCE_PERIOD, slot.FORCE_WAIT]] = (
            self.start,
            self.duration,
            self.period,
            self.wait,
        )
        if self.when is None:
            return slot.SPIKE_KIND, slot.NO_CONDITION, row
        above = self.when.above is not None
        row[slot.CONDITION_LEVEL], row[slot.CONDITION_SIGN] = (
            (self.when.above, 1.0) if above else (self.when.below, -1.0)
        )
        return (
            slot.SPIKE_KIND,
            {"height": slot.HEIGHT_CONDITION, "speed": slot.SPEED_CONDITION}[self.when.quantity],
            row,
        )

    def problems(self) -> list[str]:
        """What is wrong with it."""
        found = []
        if self.duration <= 0:
            found.append(f"a spike's duration must be positive, it is {self.duration} s")
        if self.period and self.period < self.duration:
            found.append(f"a spike of {self.duration} s cannot come every {self.period} s")
        if self.when is not None:
            if self.when.quantity not in ("height", "speed"):
                found.append(f"unknown quantity {self.when.quantity!r} of a condition (allowed: height, speed)")
            if (self.when.below is None) == (self.when.above is None):
                found.append("a condition needs either 'below' or 'above'")
        return found


@dataclass(frozen=True)
class ConstantForce:
    """Support by a steady force [N] on one link, in world axes, at `point` [m] of the link's frame."""

    link: str
    force: Sequence[float]
    point: Sequence[float] = (0.0, 0.0, 0.0)

    def row(self) -> tuple[int, int, np.ndarray]:
        """Kind, condition and parameters."""
        row = np.zeros(slot.FORCE_SIZE)
        row[slot.FORCE_POINT : slot.FORCE_POINT + 3], row[slot.FORCE_VECTOR : slot.FORCE_VECTOR + 3] = (
            self.point,
            self.force,
        )
        return slot.CONSTANT_FORCE_KIND, slot.NO_CONDITION, row

    def problems(self) -> list[str]:
        """What is wrong with it."""
        return []


@dataclass(frozen=True)
class SpringSupport:
    """Support of an anchor: a force that grows with the distance of a point of the link from `target` [m] (world).

    `stiffness` [N/m], `damping` [N·s/m]. With `turn_stiffness` [N·m/rad] and `turn_damping` [N·m·s/rad] a torque
    also keeps the link's orientation near `target_turn` (quaternion in the world).
    """

    link: str
    target: Sequence[float]
    stiffness: float
    damping: float = 0.0
    point: Sequence[float] = (0.0, 0.0, 0.0)
    turn_stiffness: float = 0.0
    turn_damping: float = 0.0
    target_turn: Sequence[float] = (1.0, 0.0, 0.0, 0.0)

    def row(self) -> tuple[int, int, np.ndarray]:
        """Kind, condition and parameters."""
        row = np.zeros(slot.FORCE_SIZE)
        row[slot.FORCE_POINT : slot.FORCE_POINT + 3], row[slot.SUPPORT_TARGET : slot.SUPPORT_TARGET + 3] = (
            self.point,
            self.target,
        )
        row[[slot.SUPPORT_STIFFNESS, slot.SUPPORT_DAMPING]] = self.stiffness, self.damping
        row[[slot.SUPPORT_TURN_STIFFNESS, slot.SUPPORT_TURN_DAMPING]] = self.turn_stiffness, self.turn_damping
        row[slot.SUPPORT_TARGET_TURN : slot.SUPPORT_TARGET_TURN + 4] = np.asarray(self.target_turn) / np.linalg.norm(
            self.target_turn
        )
        return slot.SUPPORT_KIND, slot.NO_CONDITION, row

    def problems(self) -> list[str]:
        """What is wrong with it."""
        names = ("stiffness", "damping", "turn_stiffness", "turn_damping")
        return [f"{n} must not be negative, it is {getattr(self, n)}" for n in names if getattr(self, n) < 0]


# ---------------------------------------------------------------- kernels
@outlined
def hinge_motion(model, state, link):
    """Position and velocity of a link's hinge in world axes, from the chain of links that leads to it."""
    place, speed = load_vec3(state.position, 0), load_vec3(state.velocity, 0)
    i = link
    while model.parent[i] >= 0:
        l = load_vec3(model.links, i * slot.LINK_SIZE + slot.LINK_ARM)
        i = model.parent[i]
        R = load_mat3(state.band, i * slot.BAND_SIZE + slot.TO_WORLD)
        place = place + R @ l
        speed = speed + R @ cross(load_vec3(state.angular_velocity, 3 * i), l)
    return place, speed


@function
def point_motion(model, state, link, point):
    """Position and velocity of a point of a link (link axes) in world axes, and the arm to it from the hinge."""
    place, speed = hinge_motion(model, state, link)
    R = load_mat3(state.band, link * slot.BAND_SIZE + slot.TO_WORLD)
    arm = R @ point
    return place + arm, speed + R @ cross(load_vec3(state.angular_velocity, 3 * link), point), arm


@function
def covered_share(begin, duration, time, span):
    """The part of the interval [time, time + span] that [begin, begin + duration] covers."""
    zero = begin * 0.0
    late, early = minimum(begin + duration, zero + (time + span)), maximum(begin, zero + time)
    return maximum((late - early) / span, zero)


@function
def spike_share_of_step(model, state, e, time, span):
    """How much of a spike falls into the coming slow step, from 0 to 1."""
    P, k = model.params, e * slot.FORCE_SIZE
    like = load(state.last_fired, e)
    if model.external[e, slot.EXTERNAL_CONDITION] != slot.NO_CONDITION:
        return covered_share(
            like, constant(like, P[k + slot.FORCE_DURATION]), constant(like, time), constant(like, span)
        )
    begin, period = P[k + slot.FORCE_START], P[k + slot.FORCE_PERIOD]
    share = 0.0
    if period > 0.0:
        begin = begin + period * max(np.floor((time + span - begin) / period), 0.0)
        if begin > P[k + slot.FORCE_START]:
            share = covered_share(begin - period, P[k + slot.FORCE_DURATION], time, span)
    return constant(like, share + covered_share(begin, P[k + slot.FORCE_DURATION], time, span))


@outlined
def trigger_spikes(model, state, time):
    """Begins the conditional spikes whose condition holds."""
    P = model.params
    for e in range(model.external.shape[0]):
        test, k = model.external[e, slot.EXTERNAL_CONDITION], e * slot.FORCE_SIZE
        if test == slot.NO_CONDITION or time < P[k + slot.FORCE_START]:
            continue
        x, v, _ = point_motion(model, state, model.external[e, slot.EXTERNAL_LINK], load_vec3(P, k + slot.FORCE_POINT))
        quantity = x.z
        if test == slot.SPEED_CONDITION:
            quantity = sqrt(dot(v, v))
        last = load(state.last_fired, e)
        holds = (quantity - constant(last, P[k + slot.CONDITION_LEVEL])) * constant(last, P[k + slot.CONDITION_SIGN])
        now = constant(last, time)
        rested = now - last - constant(last, P[k + slot.FORCE_DURATION] + P[k + slot.FORCE_WAIT] - 1e-9)
        store(state.last_fired, e, where_positive(rested, where_positive(holds, now, last), last))


@outlined
def gather_external_forces(model, state, time, span):
    """f_E and g_E of the links on which something acts from outside; the others' were cleared."""
    W, P = state.band, model.params
    like = load(W, 0)
    for e in range(model.external.shape[0]):
        i, k = model.external[e, slot.EXTERNAL_LINK], e * slot.FORCE_SIZE
        point = load_vec3(P, k + slot.FORCE_POINT) * constant(like, 1.0)
        if model.external[e, slot.EXTERNAL_KIND] == slot.SUPPORT_KIND:
            x, v, arm = point_motion(model, state, i, point)
            off = x - load_vec3(P, k + slot.SUPPORT_TARGET)
            force = -(
                off * constant(like, P[k + slot.SUPPORT_STIFFNESS]) + v * constant(like, P[k + slot.SUPPORT_DAMPING])
            )
            off = rotation_vector(
                quat_product(conjugate(load_quat(P, k + slot.SUPPORT_TARGET_TURN)), load_quat(state.orientation, 4 * i))
            )
            off = off * constant(like, P[k + slot.SUPPORT_TURN_STIFFNESS])
            spin = load_vec3(state.angular_velocity, 3 * i) * constant(like, P[k + slot.SUPPORT_TURN_DAMPING])
            add_vec3(
                W,
                i * slot.BAND_SIZE + slot.EXTERNAL_TORQUE,
                -(load_mat3(W, i * slot.BAND_SIZE + slot.TO_WORLD) @ (off + spin)),
            )
        else:
            share = constant(like, 1.0)
            if model.external[e, slot.EXTERNAL_KIND] == slot.SPIKE_KIND:
                share = spike_share_of_step(model, state, e, time, span)
            arm = load_mat3(W, i * slot.BAND_SIZE + slot.TO_WORLD) @ point
            force = load_vec3(P, k + slot.FORCE_VECTOR) * share
            add_vec3(W, i * slot.BAND_SIZE + slot.EXTERNAL_TORQUE, load_vec3(P, k + slot.FORCE_TORQUE) * share)
        add_vec3(W, i * slot.BAND_SIZE + slot.EXTERNAL_FORCE, force)
        add_vec3(W, i * slot.BAND_SIZE + slot.EXTERNAL_TORQUE, cross(arm, force))
    for p in range(state.push_links.shape[0]):
        i, k = state.push_links[p], p * slot.PUSH_SIZE
        begin = load(state.pushes, k + slot.PUSH_UNTIL)
        if time < begin:
            force = load_vec3(state.pushes, k + slot.PUSH_FORCE) * constant(like, 1.0)
            arm = load_mat3(W, i * slot.BAND_SIZE + slot.TO_WORLD) @ load_vec3(state.pushes, k + slot.PUSH_POINT)
            add_vec3(W, i * slot.BAND_SIZE + slot.EXTERNAL_FORCE, force)
            add_vec3(W, i * slot.BAND_SIZE + slot.EXTERNAL_TORQUE, cross(arm, force))
