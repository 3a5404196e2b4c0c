"""The hinge recursion on show: a figure that is taken, pulled and pushed, with torque functions and ν changed live."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.motion import Poses
from gambol.errors import GambolError
from gambol.figure import Figure
from gambol.hinge_recursion.torque import TorqueFunction
from gambol.view.history import Moment
from gambol.view.live import LiveRun
from gambol.view.parameters import CurveParameter, Parameter

if TYPE_CHECKING:
    from gambol.hinge_recursion.simulation import HingeSimulation

REACH = 0.25  # stretch at full strength, of the figure's size
SLOW = 0.1  # square of the spring's pace at the lightest link times the time between slow bands, at most
MOST_RATIO = 8  # ν, at the end of its slider
BEND = 1.6  # [rad] to which the curves are seen
AXES = ("twist", "bend", "sideways")


class HingePull:
    """A spring between a link and the mouse, anew at every moment; and pushes.

    strength  the largest force [N]
    body      what it holds
    The recursion takes external forces to vary slowly, and holds them from one slow band to the next: the spring is as
    soft as the lightest link needs for that, and its damper takes back what the delay would give.
    """

    tools = ("pull", "push")
    pinned = None

    def __init__(self, sim: HingeSimulation, figure: Figure, size: float):
        self.sim, self._size = sim, size
        self.weight = 9.81 * figure.mass
        self.strength = float(f"{0.5 * self.weight:.2g}")
        self._lightest = min(body.mass_properties.mass for body in figure.bodies if body.parts)
        self._before: tuple[float, np.ndarray] | None = None  # when and where the held point was [s, m]
        self.body: str | None = None
        self._at, self._target, self._push, self._until = np.zeros(3), np.zeros(3), np.zeros(3), math.inf

    def state(self) -> tuple:
        """What it holds, and where to."""
        return self.strength, self.body, self._at, self._target, self._push, self._until, self._before

    def load(self, state: tuple) -> None:
        """Back to that."""
        self.strength, self.body, self._at, self._target, self._push, self._until, self._before = state

    def grab(self, body: str, at: Any) -> None:
        """Takes hold of a link at a point `at` [m, link axes]."""
        self.release()
        self.body, self._at = body, np.asarray(at, float)
        self._target = self._here()

    def pull(self, target: Any) -> None:
        """Pulls the point towards `target` [m, world]."""
        self._target = np.asarray(target, float)

    def push(self, body: str, at: Any, force: Any, seconds: float) -> None:
        """Pushes a link at a point [m, link axes] with a force [N, world] for so many seconds."""
        self.body, self._at = body, np.asarray(at, float)
        self._push, self._until = np.asarray(force, float), self.sim.time + seconds

    @property
    def lasting(self) -> bool:
        """Does a push end by itself?"""
        return math.isfinite(self._until)

    def release(self) -> None:
        """Lets go."""
        self.body, self._until, self._push, self._before = None, math.inf, np.zeros(3), None
        self.sim.release()

    def act(self) -> None:
        """Gives the recursion the force of this moment."""
        self.sim.release()
        if self.body and self.sim.time >= self._until - 1e-9:
            self.release()
        if self.body:
            here, now = self._here(), self.sim.time
            force = self._force(here)
            if self._before is not None and now > self._before[0] and not self.lasting:
                speed = (here - self._before[1]) / (now - self._before[0])
                force = self._bounded(force - self.stiffness * self._span * speed)
            self._before = (now, here)
            self.sim.push(self._link, tuple(force), tuple(self._at))

    @property
    def _span(self) -> float:
        return self.sim.ratio * self.sim.step

    @property
    def stiffness(self) -> float:
        """[N/m]"""
        return min(self.strength / (REACH * self._size), SLOW * self._lightest / self._span**2)

    def _bounded(self, force: np.ndarray) -> np.ndarray:
        return force * min(1.0, self.strength / max(float(np.linalg.norm(force)), 1e-12))

    @property
    def _link(self) -> str:
        return (self.body or "").rsplit("/", 1)[-1]

    def _here(self) -> np.ndarray:
        return self.sim.point(self._link, tuple(self._at))

    def _force(self, here: np.ndarray) -> np.ndarray:
        if self.lasting:
            return self._push
        return self._bounded(self.stiffness * (self._target - here))

    def pulling(self, poses: Poses, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where it pulls [m, world] and its force [N], at given poses of the bodies called `names`."""
        if self.body is None:
            return np.zeros(3), np.zeros(3)
        row = list(names).index(self.body)
        here = poses.origins[row] + poses.frames[row] @ self._at
        return here, self._force(here)


class HingeSource(LiveRun):
    """A figure of the hinge recursion.

    shown     the figure as it is drawn, with the same bodies; what its links weigh says where it is looked at
    edited    names of the hinges whose torque functions can be bent by the mouse
    """

    def __init__(
        self, sim: HingeSimulation, *, shown: Figure | None = None, edited: Sequence[str] = (), **options: Any
    ):
        self.sim = sim
        figure = shown or sim.layout.figure
        places = sim.hinge_positions()
        size = max(float(np.linalg.norm(np.ptp(places, axis=0))), 1e-6)
        self.mouse = HingePull(sim, figure, size)
        self.every = sim.step
        super().__init__(
            [figure],
            parameters=(*options.pop("parameters", ()), *self._standard(), *self._curves(edited)),
            ground=options.pop("ground", None),
            **options,
        )

    def finer(self, seconds: float) -> float:
        """There is nothing between its steps."""
        return self.every

    def _standard(self) -> list[Parameter]:
        sim, mouse = self.sim, self.mouse

        def strength(value: float) -> None:
            mouse.strength = float(value)

        def ratio(value: float) -> None:
            sim.set_ratio(round(value))

        return [
            Parameter("ν, steps to a slow band", lambda: sim.ratio, ratio, 1, MOST_RATIO, step=1),
            Parameter("pull strength", lambda: mouse.strength, strength, 0.0, 4.0 * mouse.strength, unit="N"),
        ]

    def _curves(self, edited: Sequence[str]) -> list[Parameter]:
        found: list[Parameter] = []
        for k in (1, 0, 2):
            most = max(self._function(name).slope[k] for name in edited) if edited else 1.0  # type: ignore[index]
            for name in edited:
                found.append(
                    CurveParameter(
                        f"{name}, {AXES[k]}",
                        lambda name=name, k=k: self._curve(name, k),  # type: ignore[misc]
                        lambda value, name=name, k=k: self._bend(name, k, value),  # type: ignore[misc]
                        -BEND,
                        BEND,
                        unit="N·m",
                        most=0.5 * most * BEND,
                        group=AXES[k],
                        angle=self._angle(name, k),
                    )
                )
        return found

    def _function(self, name: str) -> TorqueFunction:
        return self.sim.layout.torque_functions[name].at(self.sim.time)

    def _curve(self, name: str, k: int) -> tuple[float, float, float]:
        own = self._function(name)
        return own.centre[k], own.zone[k], own.slope[k]  # type: ignore[index]

    def _bend(self, name: str, k: int, value: Sequence[float]) -> None:
        own = self._function(name)
        parts = {}
        for word, x in zip(("centre", "zone", "slope"), value):
            parts[word] = [*getattr(own, word)]
            parts[word][k] = float(x)
        self.sim.set_torque_function(name, TorqueFunction(**parts))

    def _angle(self, name: str, k: int) -> Any:
        place = self.sim.layout.figure.position_slices[name]

        def angle(moment: Moment) -> float:
            w, *v = moment.q[place]
            sine = float(np.linalg.norm(v))
            return 0.0 if sine < 1e-12 else float(2.0 * math.atan2(sine, abs(w)) * math.copysign(1.0, w) * v[k] / sine)

        return angle

    # ------------------------------------------------------------ the engine
    def now(self) -> float:
        """Its time [s]."""
        return self.sim.time

    def present(self) -> Moment:
        """The moment it has reached."""
        return Moment(self.sim.time, self.sim.positions(), np.zeros(0))

    def computed(self, times: np.ndarray) -> list[Moment]:
        """Moments at these times; one step too many for the recursion ends it, in words."""
        found = []
        for time in times:
            self.mouse.act()
            try:
                self.sim.advance(round((time - self.sim.time) / self.sim.step) * self.sim.step)
                self.sim.check()
            except GambolError as error:
                self.fault = str(error)
                break
            found.append(self.present())
        return found

    def saved(self) -> Any:
        """The state, ν, the torque functions and what is held."""
        return self.sim.save(), self.mouse.state()

    def load(self, state: Any) -> None:
        """Back to that."""
        motion, held = state
        self.sim.load(motion)
        self.mouse.load(held)
