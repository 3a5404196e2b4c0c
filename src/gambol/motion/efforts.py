"""Inverse dynamics: the forces that a motion takes, and honestly, what somebody would have to hold the root with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gambol.figure.figure import Figure
from gambol.motion.curves import MotionCurve
from gambol.world.mechanics import Mechanics

TOUCHING = 0.05  # of the weight: below this upward force there is no centre of pressure to speak of


@dataclass(frozen=True)
class Efforts:
    """Forces over a motion.

    q, v, a   (frames, …) smooth positions, speeds, accelerations
    forces    (frames, speeds) generalised forces [N·m or N] that the motion takes; at a free root they are no muscle's
    root      (frames, 6) torque about the world's origin [N·m] and force [N] that the world must give to a free root,
              world axes; NaN without one. On the ground this is the ground reaction, as far as the ground can give it
    """

    figure: Figure
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    forces: np.ndarray
    root: np.ndarray
    weight: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of the speeds."""
        return tuple(f"{b.name} {name}".strip() for b in self.figure.order for name in b.joint.kind.speeds)

    @property
    def power(self) -> np.ndarray:
        """(frames, speeds) [W]."""
        return self.forces * self.v

    def joint_columns(self) -> list[int]:
        """Which speeds are of joints, not of a free root."""
        root = self.figure.root
        own = self.figure.speed_slices[root.name]
        loose = range(own.start, own.stop) if root.joint.type == "free" else ()
        return [k for k in range(self.figure.speeds) if k not in loose]

    def centre_of_pressure(self, level: float = 0.0) -> np.ndarray:
        """(frames, 2) [m]: where level ground at this height would have to press; NaN where it hardly does."""
        torque, force = self.root[:, :3], self.root[:, 3:]
        up = np.where(force[:, 2] > TOUCHING * self.weight, force[:, 2], np.nan)
        x = (-torque[:, 1] + level * force[:, 0]) / up
        y = (torque[:, 0] + level * force[:, 1]) / up
        return np.stack([x, y], axis=1)

    def summary(self) -> dict[str, float]:
        """The largest forces, and what the root takes, in numbers."""
        found = {}
        joints = self.joint_columns()
        if joints:
            k = int(np.abs(self.forces[:, joints]).max(axis=0).argmax())
            found["largest_joint_force"] = float(np.abs(self.forces[:, joints[k]]).max())
        if np.isfinite(self.root).all():
            force = self.root[:, 3:]
            found["root_force_mean_up_N"] = float(force[:, 2].mean())
            found["root_force_mean_up_over_weight"] = float(force[:, 2].mean() / self.weight) if self.weight else 0.0
            found["root_force_rms_level_N"] = float(np.sqrt((force[:, :2] ** 2).sum(axis=1).mean()))
            found["share_of_time_pulled_down"] = float((force[:, 2] < -TOUCHING * self.weight).mean())
        return found


def inverse_dynamics(
    figure: Figure,
    time: np.ndarray,
    q: np.ndarray,
    *,
    cutoff: float | None = None,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    external: Mapping[str, np.ndarray] | None = None,
) -> Efforts:
    """The forces that a motion takes.

    time, q    [s], (frames, positions)
    cutoff     [Hz] of a low-pass filter; measured motion needs one (6 Hz is usual for walking): accelerations are
               second differences, and noise of a millimetre becomes hundreds of newtons
    external   measured forces: (frames, 6) torque [N·m] and force [N] at the origin of a body, world axes, by name
    """
    curve = MotionCurve(figure, time, q, cutoff=cutoff)
    mechanics = Mechanics(figure, gravity)
    positions, v, a = curve.at(np.asarray(time, float))
    forces = np.zeros((len(positions), figure.speeds))
    root = np.full((len(positions), 6), np.nan)
    loose, base = figure.root.joint.type == "free", mechanics.layout.body(figure.root.name).name
    for k in range(len(positions)):
        pushes = {name: rows[k] for name, rows in (external or {}).items()}
        forces[k] = mechanics.inverse(positions[k], v[k], a[k], pushes)
        if loose:
            torque, force = np.split(mechanics.reactions(positions[k], v[k], a[k], pushes)[base], 2)
            origin = mechanics.point(positions[k], figure.root.name)
            root[k] = [*(torque + np.cross(origin, force)), *force]
    weight = figure.mass * float(np.linalg.norm(gravity))
    return Efforts(figure, np.asarray(time, float), positions, v, a, forces, root, weight)
