"""Arms that reach and a head that looks, of a person whatever its legs do.

The hand is led by its own error: rest angles of shoulder and elbow go the way that brings the hand nearer to its
target (damped least squares), at a limited speed, until it is there. What gravity and the swaying trunk do to the hand
is made up for by the same loop. The head turns in the same way towards what it looks at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.figure import Figure
from gambol.forces.joint_spring import JointSpring
from gambol.world.simulation import Simulation

HANDS = ("left", "right")
ARM = ("humerus1", "humerus2", "humerus3", "forearm")
NECK = ("head1", "head3")
PALM = (-0.017, -0.027, -0.342)  # [m, frame of the left forearm]
ARM_RANGES = ((-2.9, 0.45), (0.0, 2.4), (-1.6, 1.15), (-2.4, -0.05))  # [rad] of a left arm
NECK_RANGES = ((-0.7, 0.8), (-1.25, 1.25))
ARM_GAIN, ARM_SPEED, BACK_SPEED = 5.0, 2.5, 1.2  # [1/s] of the error; [rad/s] at most, there and back
NECK_GAIN, NECK_SPEED = 6.0, 3.0
FARTHEST = 0.25  # [m] of the error that is acted on at once
DAMPED = 0.08  # [m] of the damped least squares
ELBOWS, RUN_ELBOW = [3, 7], -1.3  # places of the elbows among the joints; [rad] of one who runs
NEARLY = 0.02  # [rad] from where it hangs: the arm swings again
REACHING_STIFFNESS, REACHING_DAMPING = 60.0, 6.0  # of a shoulder that reaches [N·m/rad], [N·m·s/rad]


def _turned(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector turned by a quaternion."""
    across = np.cross(quaternion[1:], vector)
    return vector + 2.0 * (quaternion[0] * across + np.cross(quaternion[1:], across))


class Gestures:
    """What hands and head of each world are to do; rest angles of their joints.

    names       of the joints: both arms, then the neck; the first of each arm is the walk's own, which swings it
    targets     (worlds, 2, 3) [m, world] of the palms, gaze (worlds, 3); not a number: none
    rest        (worlds, joints) [rad]
    led         (worlds, 2): is the arm led (or on its way back), or does it swing?
    """

    keeps = ("targets", "gaze", "rest", "led", "looking")

    def __init__(self, run: Simulation, figure: Figure, prefix: str, size: float):
        short = [f"{side[0]}_{joint}" for side in HANDS for joint in ARM] + list(NECK)
        order = [body.name for body in figure.order]
        self.names = tuple(prefix + name for name in short)
        self._bodies = [order.index(name) for name in short]
        self._axes = np.array([figure.order[k].joint.axis for k in self._bodies], float)
        first = run.coordinates(prefix + figure.root.name).start
        self._own = slice(first, first + figure.positions)
        self._places = np.array([run.coordinates(name).start for name in self.names])
        self._figure = figure
        self._palms = [size * np.array([PALM[0], (1 - 2 * hand) * PALM[1], PALM[2]]) for hand in range(2)]
        described = {e.name: e.rest for e in run.world.elements if isinstance(e, JointSpring)}
        self._hanging = np.array([described[name] for name in self.names])
        low, high = np.array((*ARM_RANGES, *ARM_RANGES, *NECK_RANGES)).T
        for k, joint in enumerate(ARM):  # to the right abduction and rotation are the other way round
            if joint in ("humerus2", "humerus3"):
                low[4 + k], high[4 + k] = -high[k], -low[k]
        self._low, self._high = low, high
        worlds = run.worlds
        self.targets, self.gaze = np.full((worlds, 2, 3), np.nan), np.full((worlds, 3), np.nan)
        self.rest = np.tile(self._hanging, (worlds, 1))
        self.led, self.looking = np.zeros((worlds, 2), bool), np.zeros(worlds, bool)
        self._moves, self._ran = True, np.zeros(worlds, bool)  # may anything have to move? who ran at the last tick
        self._springs = run.elements[tuple(name for name in self.names if not name.endswith(ARM[0]))]
        self._held = [k for k, name in enumerate(self.names) if not name.endswith(ARM[0])]

    # ------------------------------------------------------------ what is asked
    def reach(self, run: Simulation, world: int, hand: int, point: tuple[float, float, float] | None) -> float:
        """Leads a hand to a point [m, world], or back (None); how far it is from there [m], on its way back [rad]."""
        arm, self._moves = slice(4 * hand, 4 * hand + 4), True
        if point is None:
            self.targets[world, hand] = np.nan
            return float(np.abs(self.rest[world, arm] - self._hanging[arm]).max()) if self.led[world, hand] else 0.0
        if not self.led[world, hand]:
            self.rest[world, arm] = np.atleast_2d(run.q)[world, self._places[arm]]
            self.led[world, hand] = True
        self.targets[world, hand] = point
        palm, _ = self._palm(run, world, hand)
        return float(np.linalg.norm(np.asarray(point) - palm))

    def look(self, run: Simulation, world: int, point: tuple[float, float, float] | None) -> float:
        """Turns the head to a point [m, world], or ahead (None); by how much it is off [rad]."""
        self.looking[world] = self._moves = True
        self.gaze[world] = np.nan if point is None else point
        if point is None:
            return float(np.abs(self.rest[world, -2:] - self._hanging[-2:]).max())
        return float(np.hypot(*self._off(run, world)))

    # ------------------------------------------------------------ what is done
    def tick(self, run: Simulation, dt: float, running: np.ndarray) -> np.ndarray | None:
        """Moves the rest angles on; those of the shoulders' flexion (worlds, 2), nan where they swing; or None.

        running   (worlds,): who runs, and bends elbows that do nothing else
        """
        if not self._moves and np.array_equal(running, self._ran):
            return None
        self._ran = running
        elbows = np.where(running[:, None], RUN_ELBOW, self._hanging[ELBOWS]) - self.rest[:, ELBOWS]
        elbows = np.where(self.led, 0.0, np.clip(elbows, -ARM_SPEED * dt, ARM_SPEED * dt))
        self._moves = bool(self.led.any() or self.looking.any() or elbows.any())
        if not self._moves:
            return None
        self.rest[:, ELBOWS] += elbows
        for world, hand in zip(*np.nonzero(self.led)):
            self._lead(run, int(world), int(hand), dt)
        for world in np.flatnonzero(self.looking):
            self._turn_head(run, int(world), dt)
        self.rest = np.clip(self.rest, self._low, self._high)
        held = self.rest[:, self._held]
        self._springs.set("rest", held[0] if len(held) == 1 else held)
        return np.where(self.led, self.rest[:, [0, 4]], np.nan)

    def _frames(self, run: Simulation, world: int) -> tuple[np.ndarray, np.ndarray]:
        q = np.atleast_2d(run.q)[world : world + 1, self._own]
        origins, quaternions = self._figure.kinematics(q)
        return origins[0], quaternions[0]

    def _palm(self, run: Simulation, world: int, hand: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the palm is [m], and its Jacobian by the joints of the arm."""
        origins, quaternions = self._frames(run, world)
        chain = self._bodies[4 * hand : 4 * hand + 4]
        palm = origins[chain[-1]] + _turned(quaternions[chain[-1]], self._palms[hand])
        jacobian = np.empty((3, 4))
        for k, body in enumerate(chain):
            axis = _turned(quaternions[body], self._axes[4 * hand + k])
            jacobian[:, k] = np.cross(axis, palm - origins[body])
        return palm, jacobian

    def _lead(self, run: Simulation, world: int, hand: int, dt: float) -> None:
        arm = slice(4 * hand, 4 * hand + 4)
        rest, target = self.rest[world, arm], self.targets[world, hand]
        if np.isnan(target[0]):
            back = self._hanging[arm] - rest
            self.rest[world, arm] = rest + np.clip(back, -BACK_SPEED * dt, BACK_SPEED * dt)
            self.led[world, hand] = bool(np.abs(back).max() > NEARLY)
            return
        palm, jacobian = self._palm(run, world, hand)
        error = target - palm
        error *= min(1.0, FARTHEST / max(float(np.linalg.norm(error)), 1e-9))
        square = jacobian @ jacobian.T + DAMPED**2 * np.eye(3)
        rate = ARM_GAIN * (jacobian.T @ np.linalg.solve(square, error))
        rate *= min(1.0, ARM_SPEED / max(float(np.abs(rate).max()), 1e-9))
        self.rest[world, arm] = rest + dt * rate

    def _off(self, run: Simulation, world: int) -> tuple[float, float]:
        """By which angles (down, to the left) [rad] what it looks at is off its gaze."""
        origins, quaternions = self._frames(run, world)
        head = self._bodies[-1]
        own = _turned(quaternions[head] * (1.0, -1.0, -1.0, -1.0), self.gaze[world] - origins[head])
        return -float(np.arctan2(own[2], np.hypot(own[0], own[1]))), float(np.arctan2(own[1], own[0]))

    def _turn_head(self, run: Simulation, world: int, dt: float) -> None:
        if np.isnan(self.gaze[world, 0]):
            rate = NECK_GAIN * (self._hanging[-2:] - self.rest[world, -2:])
        else:
            rate = NECK_GAIN * np.array(self._off(run, world))
        self.rest[world, -2:] += dt * np.clip(rate, -NECK_SPEED, NECK_SPEED)

    # ------------------------------------------------------------ its state
    def save(self) -> Any:
        """A copy of what decides how it goes on."""
        return {name: getattr(self, name).copy() for name in self.keeps}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        self._moves = True
        for name, value in state.items():
            setattr(self, name, value.copy())
