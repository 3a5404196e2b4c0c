"""What a walking figure sees of itself, over a batch of worlds: centre of mass, places of joints, trunk."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gambol.jit import entry
from gambol.math.memory import load_quat, load_vec3
from gambol.math.rotation import frame_of
from gambol.world.simulation import Simulation

AHEAD = 1e-6  # [s] by which the figure is moved on to see how fast its centre of mass moves
ROWS = 8


class Eyes:
    """Sees one figure of a simulation, the one that has the body `member`.

    see(sim) -> (worlds, 8, 3): centre of mass [m], its velocity [m/s], origins of the four bodies `marks` [m], angular
    velocity of the root [rad/s], its roll, pitch and yaw [rad]; world axes
    """

    def __init__(self, sim: Simulation, member: str, marks: Sequence[str]):
        layout = sim.layout
        prefix = member.rpartition("/")[0]
        own = layout.body(member).body
        self.figure = next(f for f in layout.figures if f.name == prefix or (not prefix and own in f.bodies))
        root = layout.body(f"{prefix}/{self.figure.root.name}" if prefix else self.figure.root.name).name
        self._positions = self.figure.positions
        self._first_q, self._first_v = layout.position_slices[root].start, layout.speed_slices[root].start
        order = [body.name for body in self.figure.order]
        self._marks = np.array([order.index(name) for name in marks], np.int64)
        self._mass = np.array([body.mass_properties.mass for body in self.figure.order])
        self._centre = np.array([body.mass_properties.centre for body in self.figure.order], float)
        self._single = [body.name for body in self.figure.order if body.parent and body.joint.speeds == 1]
        names = [f"{prefix}/{name}" if prefix else name for name in self._single]
        self._from_v = np.array([layout.speed_slices[layout.body(name).name].start for name in names])
        self._to_q = np.array([layout.position_slices[layout.body(name).name].start for name in names]) - self._first_q

    def see(self, sim: Simulation) -> np.ndarray:
        """What is so now."""
        q, v = np.atleast_2d(sim.q), np.atleast_2d(sim.v)
        both = np.empty((2 * len(q), self._positions))
        seen = np.empty((len(q), ROWS, 3))
        look_ahead(q, v, self._first_q, self._first_v, self._to_q, self._from_v, both, seen)
        look(*self.figure.kinematics(both), self._mass, self._centre, self._marks, seen)
        return seen


@entry
def look_ahead(q, v, first, fast, to_q, from_v, both, seen):
    """Positions of the figure now, and a moment later (the second half of the rows); how its root turns and stands."""
    worlds = q.shape[0]
    for n in range(worlds):
        now, later, own, speed = both[n], both[worlds + n], seen[n], v[n]
        for k in range(both.shape[1]):
            now[k] = later[k] = q[n, first + k]
        w, x, y, z = now[3], now[4], now[5], now[6]
        a, b, c = speed[fast], speed[fast + 1], speed[fast + 2]
        for k in range(3):
            later[k] += AHEAD * speed[fast + 3 + k]
        later[3] += 0.5 * AHEAD * (-a * x - b * y - c * z)
        later[4] += 0.5 * AHEAD * (a * w + b * z - c * y)
        later[5] += 0.5 * AHEAD * (b * w + c * x - a * z)
        later[6] += 0.5 * AHEAD * (c * w + a * y - b * x)
        for k in range(to_q.shape[0]):
            later[to_q[k]] += AHEAD * speed[from_v[k]]
        own[6, 0], own[6, 1], own[6, 2] = a, b, c
        own[7, 0] = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        own[7, 1] = math.asin(min(max(2.0 * (w * y - z * x), -1.0), 1.0))
        own[7, 2] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@entry
def look(origins, quaternions, mass, centre, marks, seen):
    """Centre of mass now and a moment later (the second half of the rows), and the origins of some bodies."""
    worlds, n = seen.shape[0], mass.shape[0]
    total = 0.0
    for i in range(n):
        total += mass[i]
    for w in range(2 * worlds):
        x, y, z = 0.0, 0.0, 0.0
        for i in range(n):
            frame = frame_of(load_quat(quaternions[w, i], 0))
            at = load_vec3(origins[w, i], 0) + frame @ load_vec3(centre[i], 0)
            share = mass[i] / total
            x, y, z = x + share * at.x, y + share * at.y, z + share * at.z
        if w < worlds:
            seen[w, 0, 0], seen[w, 0, 1], seen[w, 0, 2] = x, y, z
            for k in range(4):
                for j in range(3):
                    seen[w, 2 + k, j] = origins[w, marks[k], j]
        else:
            own = seen[w - worlds]
            own[1, 0], own[1, 1], own[1, 2] = (x - own[0, 0]) / AHEAD, (y - own[0, 1]) / AHEAD, (z - own[0, 2]) / AHEAD
