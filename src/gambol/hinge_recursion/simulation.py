"""A figure in motion by the hinge recursion, with pushes from outside while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.errors import Fault, FigureError, StepError, nearest
from gambol.figure import Figure
from gambol.hinge_recursion.arrays import (
    ACCEL,
    BAND,
    ELASTIC,
    GRAVITATIONAL,
    HELD,
    KINETIC,
    MOMENTUM,
    READ,
    SPIN_MOMENTUM,
    SPIN_RATE,
    TO_WORLD,
    TOTALS,
    HingeState,
)
from gambol.hinge_recursion.layout import HingeLayout
from gambol.hinge_recursion.stepping import read_motion, run_steps, settle, solve
from gambol.hinge_recursion.torque import Moving, TorqueFunction
from gambol.math.pack import numbers, zeros


@dataclass
class HingeRecording:
    """Time series of a run, one row a frame; links in the order of `links`."""

    links: tuple[str, ...]
    time: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [s]
    position: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # hinges in the world [m]
    turn: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 4)))  # unit quaternions, link to world
    spin: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # link axes [rad/s]
    energy: dict[str, np.ndarray] = field(default_factory=dict)  # kinetic, gravitational, elastic, held, total [J]
    force: np.ndarray | None = None  # on the parent at each hinge, world axes [N]

    def point(self, link: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """The path [m] of a point of a link (link axes) in the world, one row a frame."""
        i = self.links.index(link)
        w, v = self.turn[:, i, :1], self.turn[:, i, 1:]
        p = np.broadcast_to(np.asarray(point, float), v.shape)
        t = 2.0 * np.cross(v, p)
        return self.position[:, i] + p + w * t + np.cross(v, t)


class HingeSimulation:
    """Runs a figure with step `step` (δt) [s] and one slow band every `ratio` (ν) steps.

    `options` go to `HingeLayout`: gravity, torque_functions, friction, outside, false_inertia, dtype. `positions`
    and `speeds` are joint coordinates of the figure. With `lanes`, one run advances a pack of worlds; readings then
    have one more, last axis, and recordings are not made.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        step: float = 0.01,
        ratio: int = 1,
        positions: Sequence[float] | None = None,
        speeds: Sequence[float] | None = None,
        lanes: int = 0,
        **options,
    ):
        if not step > 0.0 or ratio != int(ratio) or ratio < 1:
            raise ValueError(f"step must be positive and ratio a whole number from 1, not {step} and {ratio}")
        self.step, self.ratio, self.lanes = float(step), int(ratio), lanes
        self.layout = HingeLayout(figure, **options)
        self.state = self.layout.state(positions, speeds, lanes=lanes)

    # ------------------------------------------------------------ running
    @property
    def time(self) -> float:
        """Time [s]."""
        return int(self.state.clock[0]) * self.step

    def advance(self, duration: float) -> None:
        """Runs for `duration` [s], a whole number of steps."""
        run_steps(self.layout.model, self.state, self.step, self.ratio, self._steps(duration, "duration"))

    def run(self, duration: float, *, every: float | None = None, forces: bool = False) -> HingeRecording:
        """Runs for `duration` [s] and records `every` so often (default: each step), first and last state included.

        With `forces`, the constraint forces at the hinges (31) are recorded too. Frames do not change the motion.
        """
        steps = self._steps(duration, "duration")
        stride = 1 if every is None else self._steps(every, "every")
        frames = [self._frame(forces)]
        while steps > 0:
            run_steps(self.layout.model, self.state, self.step, self.ratio, min(stride, steps))
            steps -= min(stride, steps)
            frames.append(self._frame(forces))
        columns = [np.array(column) for column in zip(*frames)]
        totals = columns[4]
        parts = dict(kinetic=KINETIC, gravitational=GRAVITATIONAL, elastic=ELASTIC, held=HELD)
        energy = {name: totals[:, k] for name, k in parts.items()}
        energy["total"] = sum(energy.values(), np.zeros(len(totals)))
        time, position, turn, spin = columns[:4]
        return HingeRecording(self.layout.names, time, position, turn, spin, energy, columns[5] if forces else None)

    def _steps(self, duration: float, name: str) -> int:
        steps = round(duration / self.step)
        if steps < (name == "every") or abs(steps * self.step - duration) > 1e-6 * self.step * max(steps, 1):
            raise ValueError(f"{name} must be a whole number of steps of {self.step} s, not {duration} s")
        return steps

    def _frame(self, forces: bool):
        if self.lanes:
            raise ValueError("a pack of worlds is not recorded: use advance and the readings")
        now = self._settled()
        places, totals = self._read(now)
        if not np.all(np.isfinite(places)) or not np.all(np.isfinite(now.spin)):
            self._complain(now, places)
        n = len(self.layout.names)
        force = self._solved(now)[2] if forces else None
        return self.time, places.reshape(n, READ)[:, :3], now.turn.reshape(n, 4), now.spin.reshape(n, 3), totals, force

    def _complain(self, now: HingeState, places: np.ndarray) -> None:
        bad = ~np.isfinite(np.concatenate([places.reshape(-1, READ), now.spin.reshape(-1, 3)], axis=1)).all(axis=1)
        link = self.layout.names[int(np.argmax(bad))]
        remedy = f"the step {self.step} s (slow band {self.ratio * self.step} s) must be several times shorter than the"
        raise StepError(
            f"the motion of {link!r} is not a number any more", time=self.time, remedy=f"{remedy} shortest period"
        )

    # ------------------------------------------------------------ from outside
    def push(
        self, link: str, force: Sequence[float], point: Sequence[float] = (0.0, 0.0, 0.0), duration: float | None = None
    ) -> None:
        """Pushes a link at `point` [m] (link axes) with `force` [N] (world axes), for `duration` [s] or until released.

        It acts from the next slow band on. Several pushes add.
        """
        until = np.inf if duration is None else self.time + duration
        kept = self.state.pushes.reshape(-1, 7)
        alive = kept[:, 6] > self.time
        self.state = self.state._replace(
            push_links=np.append(self.state.push_links[alive], self._link(link)),
            pushes=np.append(kept[alive], [[*force, *point, until]], axis=0).ravel(),
        )

    def release(self, link: str | None = None) -> None:
        """Ends the pushes on a link, or all."""
        keep = np.zeros(len(self.state.push_links), bool) if link is None else self.state.push_links != self._link(link)
        pushes = self.state.pushes.reshape(-1, 7)[keep].ravel()
        self.state = self.state._replace(push_links=self.state.push_links[keep], pushes=pushes)

    def command(self, link: str, torque: Sequence[float]) -> None:
        """The torque [N·m] (link axes) that a controller exerts on a link at its hinge, from the next step on."""
        i = self._link(link)
        numbers(self.state.command)[3 * i : 3 * i + 3] = np.reshape(torque, (3,) + (1,) * bool(self.lanes))

    def set_torque_function(self, link: str, function: TorqueFunction | Moving) -> None:
        """Changes a torque function from the next slow band on."""
        self.layout.with_torque_function(link, function)

    def restore(self, state: HingeState) -> None:
        """Back to a saved `state.copy()`."""
        self.state = state.copy()

    def _link(self, name: str) -> int:
        if name not in self.layout.index:
            raise FigureError([Fault(f"no such link{nearest(name, self.layout.names)}", name)])
        return self.layout.index[name]

    # ------------------------------------------------------------ readings
    def _settled(self) -> HingeState:
        """A copy of the state with rotations and root up to date, to be looked at."""
        now = self.state.copy()
        settle(self.layout.model, now, self.step, self.ratio)
        return now

    def _read(self, now: HingeState) -> tuple[np.ndarray, np.ndarray]:
        places = zeros(len(self.layout.names) * READ, self.layout.model.links.dtype, self.lanes)
        totals = zeros(TOTALS, self.layout.model.links.dtype, self.lanes)
        read_motion(self.layout.model, now, self.time, places, totals)
        return numbers(places), numbers(totals)

    def _solved(self, now: HingeState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations of the hinges (world axes), ω̇ (link axes), forces on the parents (world axes)."""
        n, scratch = len(self.layout.names), now.copy()
        forces = zeros(3 * n, self.layout.model.links.dtype, self.lanes)
        solve(self.layout.model, scratch, self.time, self.ratio * self.step, forces)
        band = numbers(scratch.band).reshape(n, BAND, *((self.lanes,) if self.lanes else ()))
        frames = band[:, TO_WORLD : TO_WORLD + 9].reshape(n, 3, 3, *band.shape[2:])  # columns first
        turned = lambda vectors: np.einsum("nji...,nj...->ni...", frames, vectors)
        own = numbers(forces).reshape(n, 3, *band.shape[2:])
        return turned(band[:, ACCEL : ACCEL + 3]), band[:, SPIN_RATE : SPIN_RATE + 3].copy(), turned(own)

    def positions(self) -> np.ndarray:
        """Joint positions of the figure, in `figure.order`."""
        return self.layout.positions(self._settled())

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations of the hinges [m/s²] (world axes) and ω̇ [rad/s²] (link axes), one row a link."""
        return self._solved(self._settled())[:2]

    def hinge_forces(self) -> np.ndarray:
        """The force [N] that each link exerts on its parent at its hinge, world axes (31); zero for the root."""
        return self._solved(self._settled())[2]

    def hinge_places(self) -> np.ndarray:
        """Where the hinges are in the world [m], one row a link."""
        places, _ = self._read(self._settled())
        return places.reshape(len(self.layout.names), READ, *places.shape[1:])[:, :3]

    def energy(self) -> dict[str, np.ndarray]:
        """Energies [J]: kinetic, gravitational, elastic (torque functions), held (supports), and their total."""
        _, totals = self._read(self._settled())
        parts = dict(kinetic=KINETIC, gravitational=GRAVITATIONAL, elastic=ELASTIC, held=HELD)
        found = {name: totals[k] for name, k in parts.items()}
        return {**found, "total": sum(found.values())}

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Momentum [kg·m/s] and angular momentum about the world's origin [kg·m²/s], world axes."""
        _, totals = self._read(self._settled())
        return totals[MOMENTUM : MOMENTUM + 3].copy(), totals[SPIN_MOMENTUM : SPIN_MOMENTUM + 3].copy()
