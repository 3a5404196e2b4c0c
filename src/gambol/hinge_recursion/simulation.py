"""A figure in motion by the hinge recursion, with pushes while it runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import gambol.hinge_recursion.arrays as slot
from gambol.errors import Fault, FigureError, StepError, nearest
from gambol.figure import Figure
from gambol.hinge_recursion.arrays import HingeState
from gambol.hinge_recursion.layout import HingeLayout
from gambol.hinge_recursion.stepping import bring_up_to_date, read_motion, run_spread_steps, run_steps, solve_bands
from gambol.hinge_recursion.torque import TorqueFunction, TorqueSchedule
from gambol.math.pack import numbers, zeros

ENERGY_PARTS = {
    "kinetic": slot.KINETIC_ENERGY,
    "gravitational": slot.GRAVITATIONAL_ENERGY,
    "elastic": slot.ELASTIC_ENERGY,
    "support": slot.SUPPORT_ENERGY,
}


RUN_AWAY = 1e9  # [m], [m/s], [rad/s]: no motion is so large


@dataclass
class HingeRecording:
    """Time series of a run, one row a frame; links in the order of `links`."""

    links: tuple[str, ...]
    time: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [s]
    position: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # hinges in the world [m]
    orientation: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 4)))  # unit quaternions, link to world
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # link axes [rad/s]
    energy: dict[str, np.ndarray] = field(default_factory=dict)  # kinetic, gravitational, elastic, support, total [J]
    force: np.ndarray | None = None  # on the parent at each hinge, world axes [N]

    def point(self, link: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """The path [m] of a point of a link (link axes) in the world, one row a frame."""
        i = self.links.index(link)
        w, v = self.orientation[:, i, :1], self.orientation[:, i, 1:]
        p = np.broadcast_to(np.asarray(point, float), v.shape)
        t = 2.0 * np.cross(v, p)
        return self.position[:, i] + p + w * t + np.cross(v, t)


class HingeSimulation:
    """Runs a figure with step `step` (δt) [s] and one slow band every `ratio` (ν) steps.

    With `spread` a ν-th part of the slow band is done beside every fast step, so that all steps take equally long; it
    is done for where the figure will be a cycle later, as foreseen.

    `options` go to `HingeLayout`: gravity, torque_functions, friction, external, false_inertia, dtype. `positions`
    and `speeds` are joint coordinates of the figure. With `lanes`, one run advances a pack of worlds; readings then
    have one more, last axis, and recordings are not made.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        step: float = 0.01,
        ratio: int = 1,
        spread: bool = False,
        positions: Sequence[float] | None = None,
        speeds: Sequence[float] | None = None,
        lanes: int = 0,
        **options,
    ):
        if not step > 0.0 or ratio != int(ratio) or ratio < 1:
            raise ValueError(f"step must be positive and ratio a whole number from 1, not {step} and {ratio}")
        self.step, self.ratio, self.spread, self.lanes = float(step), int(ratio), bool(spread), lanes
        self._single = 0  # steps with a slow band each, until the bands of another ratio begin
        self.layout = HingeLayout(figure, **options)
        self.state = self.layout.state(positions, speeds, lanes=lanes)

    # ------------------------------------------------------------ running
    @property
    def time(self) -> float:
        """Time [s]."""
        return int(self.state.clock[0]) * self.step

    def advance(self, duration: float) -> None:
        """Runs for `duration` [s], a whole number of steps."""
        self.take_steps(self._steps(duration, "duration"))

    def take_steps(self, steps: int) -> None:
        """Takes so many fast steps."""
        if self.spread:
            now = self.state
            ahead = now._replace(
                position=now.next_position,
                velocity=now.next_velocity,
                orientation=now.next_orientation,
                angular_velocity=now.next_spin,
                band=now.next_band,
            )
            run_spread_steps(self.layout.model, self.state, ahead, self.step, self.ratio, steps)
        else:
            single = min(self._single, steps)
            self._single -= single
            for ratio, count in ((1, single), (self.ratio, steps - single)):
                if count:
                    run_steps(self.layout.model, self.state, self.step, ratio, count)

    def set_ratio(self, ratio: int) -> None:
        """Changes ν from now on: up to the next multiple of it, every step has a slow band of its own."""
        if ratio != int(ratio) or ratio < 1:
            raise ValueError(f"ratio must be a whole number from 1, not {ratio}")
        if self.spread:
            raise ValueError("a slow band that is spread over the steps keeps its ratio")
        bring_up_to_date(self.layout.model, self.state, self.step, self._bands, False)
        self.ratio = int(ratio)
        self._single = -int(self.state.clock[0]) % self.ratio

    @property
    def _bands(self) -> int:
        return 1 if self._single else self.ratio

    def check(self) -> None:
        """StepError when the motion has run away: long before its numbers overflow."""
        now = self._up_to_date()
        places, _ = self._read(now)
        if not (np.all(np.abs(places) < RUN_AWAY) and np.all(np.abs(now.angular_velocity) < RUN_AWAY)):
            self._raise_divergence(now, places)

    def run(self, duration: float, *, every: float | None = None, forces: bool = False) -> HingeRecording:
        """Runs for `duration` [s] and records `every` so often (default: each step), first and last state included.

        With `forces`, the constraint forces at the hinges (31) are recorded too. Frames do not change the motion.
        """
        steps = self._steps(duration, "duration")
        stride = 1 if every is None else self._steps(every, "every")
        frames = [self._frame(forces)]
        while steps > 0:
            self.take_steps(min(stride, steps))
            steps -= min(stride, steps)
            frames.append(self._frame(forces))
        columns = [np.array(column) for column in zip(*frames)]
        totals = columns[4]
        energy = {name: totals[:, k] for name, k in ENERGY_PARTS.items()}
        energy["total"] = np.sum(list(energy.values()), axis=0)
        time, position, orientation, angular_velocity = columns[:4]
        force = columns[5] if forces else None
        return HingeRecording(self.layout.names, time, position, orientation, angular_velocity, energy, force)

    def _steps(self, duration: float, name: str) -> int:
        steps = round(duration / self.step)
        if steps < (name == "every") or abs(steps * self.step - duration) > 1e-6 * self.step * max(steps, 1):
            raise ValueError(f"{name} must be a whole number of steps of {self.step} s, not {duration} s")
        return steps

    def _frame(self, forces: bool):
        if self.lanes:
            raise ValueError("a pack of worlds is not recorded: use advance and the readings")
        self.check()
        now = self._up_to_date()
        places, totals = self._read(now)
        n = len(self.layout.names)
        force = self._solved(now)[2] if forces else None
        return (
            self.time,
            places.reshape(n, slot.HINGE_MOTION_SIZE)[:, :3],
            now.orientation.reshape(n, 4),
            now.angular_velocity.reshape(n, 3),
            totals,
            force,
        )

    def _raise_divergence(self, now: HingeState, places: np.ndarray) -> None:
        motion = np.concatenate(
            [places.reshape(-1, slot.HINGE_MOTION_SIZE), now.angular_velocity.reshape(-1, 3)], axis=1
        )
        bad = ~(np.abs(motion) < RUN_AWAY).all(axis=1)
        link = self.layout.names[int(np.argmax(bad))]
        remedy = f"the step {self.step} s (slow band {self.ratio * self.step} s) must be several times shorter than the"
        raise StepError(f"the motion of {link!r} has run away", time=self.time, remedy=f"{remedy} shortest period")

    # ------------------------------------------------------------ pushes and commands
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

    def set_torque_function(self, link: str, function: TorqueFunction | TorqueSchedule) -> None:
        """Changes a torque function from the next slow band on."""
        self.layout.set_torque_function(link, function)

    def restore(self, state: HingeState) -> None:
        """Back to a saved `state.copy()`."""
        self.state = state.copy()

    def save(self) -> tuple[HingeState, int, int, dict[str, TorqueFunction | TorqueSchedule]]:
        """Everything that decides how it goes on, ν and torque functions included; for `load`."""
        return self.state.copy(), self.ratio, self._single, dict(self.layout.torque_functions)

    def load(self, saved: tuple[HingeState, int, int, dict[str, TorqueFunction | TorqueSchedule]]) -> None:
        """Back to what `save` gave."""
        state, self.ratio, self._single, functions = saved
        self.restore(state)
        for name, function in functions.items():
            if self.layout.torque_functions[name] != function:
                self.set_torque_function(name, function)

    def _link(self, name: str) -> int:
        if name not in self.layout.index:
            raise FigureError([Fault(f"no such link{nearest(name, self.layout.names)}", name)])
        return self.layout.index[name]

    # ------------------------------------------------------------ readings
    def _up_to_date(self) -> HingeState:
        """A copy of the state with rotations and root up to date, to be looked at."""
        now = self.state.copy()
        bring_up_to_date(self.layout.model, now, self.step, self._bands, self.spread)
        return now

    def _read(self, now: HingeState) -> tuple[np.ndarray, np.ndarray]:
        places = zeros(len(self.layout.names) * slot.HINGE_MOTION_SIZE, self.layout.model.links.dtype, self.lanes)
        totals = zeros(slot.TOTALS_SIZE, self.layout.model.links.dtype, self.lanes)
        read_motion(self.layout.model, now, self.time, places, totals)
        return numbers(places), numbers(totals)

    def _solved(self, now: HingeState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations of the hinges (world axes), ω̇ (link axes), forces on the parents (world axes)."""
        n, scratch = len(self.layout.names), now.copy()
        forces = zeros(3 * n, self.layout.model.links.dtype, self.lanes)
        solve_bands(self.layout.model, scratch, self.time, self._bands * self.step, forces)
        band = numbers(scratch.band).reshape(n, slot.BAND_SIZE, *((self.lanes,) if self.lanes else ()))
        frames = band[:, slot.TO_WORLD : slot.TO_WORLD + 9].reshape(n, 3, 3, *band.shape[2:])  # columns first
        turned = lambda vectors: np.einsum("nji...,nj...->ni...", frames, vectors)
        own = numbers(forces).reshape(n, 3, *band.shape[2:])
        return (
            turned(band[:, slot.HINGE_ACCELERATION : slot.HINGE_ACCELERATION + 3]),
            band[:, slot.SPIN_RATE : slot.SPIN_RATE + 3].copy(),
            turned(own),
        )

    def positions(self) -> np.ndarray:
        """Joint positions of the figure, in `figure.order`."""
        return self.layout.positions(self._up_to_date())

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations of the hinges [m/s²] (world axes) and ω̇ [rad/s²] (link axes), one row a link."""
        return self._solved(self._up_to_date())[:2]

    def hinge_forces(self) -> np.ndarray:
        """The force [N] that each link exerts on its parent at its hinge, world axes (31); zero for the root."""
        return self._solved(self._up_to_date())[2]

    def hinge_positions(self) -> np.ndarray:
        """Where the hinges are in the world [m], one row a link."""
        places, _ = self._read(self._up_to_date())
        return places.reshape(len(self.layout.names), slot.HINGE_MOTION_SIZE, *places.shape[1:])[:, :3]

    def point(self, link: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Where a point [m] of a link (link axes) is in the world [m]."""
        i, now = self._link(link), self._up_to_date()
        places, _ = self._read(now)
        w, x, y, z = now.orientation.reshape(-1, 4)[i]
        v, p = np.array([x, y, z]), np.asarray(at, float)
        turned = 2.0 * np.cross(v, p)
        return places.reshape(-1, slot.HINGE_MOTION_SIZE)[i, :3] + p + w * turned + np.cross(v, turned)

    def energy(self) -> dict[str, np.ndarray]:
        """Energies [J]: kinetic, gravitational, elastic (torque functions), support, and their total."""
        _, totals = self._read(self._up_to_date())
        found = {name: totals[k] for name, k in ENERGY_PARTS.items()}
        return {**found, "total": np.sum(list(found.values()), axis=0)}

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Momentum [kg·m/s] and angular momentum about the world's origin [kg·m²/s], world axes."""
        _, totals = self._read(self._up_to_date())
        return totals[slot.LINEAR_MOMENTUM : slot.LINEAR_MOMENTUM + 3].copy(), totals[
            slot.ANGULAR_MOMENTUM : slot.ANGULAR_MOMENTUM + 3
        ].copy()
