"""A simulation that is computed as it is shown (a motion that is known is in `recorded`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.terrain import is_plane
from gambol.errors import GambolError
from gambol.figure import Part
from gambol.view.anatomy import Anatomy
from gambol.view.external_forces import ExternalForces
from gambol.view.history import NO_FORCES, NO_TORQUES, Moment
from gambol.view.joint_torques import JointTorques
from gambol.view.lines import Drawn
from gambol.view.live import MOST_EVENTS, LiveRun
from gambol.view.mouse_spring import NAME, MouseSpring, with_mouse_spring
from gambol.view.parameters import Parameter, standard
from gambol.view.pilot import Pilot

if TYPE_CHECKING:
    from gambol.control.legs.gait_controller import GaitController
    from gambol.forces.contact.terrain import Terrain
    from gambol.world.simulation import Simulation
    from gambol.world.world import World


class LiveSource(LiveRun):
    """A simulation that is computed as it is shown, with its controllers.

    speed       at which it is best seen: 1 is real time
    strength    of the mouse spring [N]; default half the figures' weight
    parameters  what can be turned, besides the standard ones
    on_event, stop   as in Simulation.run
    ground      height above the terrain's level at which the ground is drawn [m]; None draws none
    pilot       what arrow keys and clicks on the ground direct
    field       arrows of a force field, (n, 2, 3) [m, world], asked for at every picture
    legs        a GaitController whose oscillators and steps are shown beside the figure
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float = 1.0,
        parameters: Sequence[Parameter] = (),
        on_event: Callable[[Any, Any], bool | None] | None = None,
        stop: Sequence[str] = (),
        props: Sequence[Part] = (),
        ground: float | None = 0.0,
        title: str = "",
        strength: float | None = None,
        pilot: Pilot | None = None,
        legs: GaitController | None = None,
        field: Callable[[], np.ndarray] | None = None,
    ):
        self.sim, self.pilot, self.legs, self.field = sim, pilot, legs, field
        self.mouse = MouseSpring(sim) if NAME in sim.elements else None
        if self.mouse:
            self.mouse.strength = self.mouse.strength if strength is None else strength
            sim.attach((*sim.controllers, self.mouse))
        self._on_event, self._stop = on_event, tuple(stop)
        self._forces, self._torques = ExternalForces(sim), JointTorques(sim, tuple(sim.layout.figures))
        self.lines = Drawn(sim, Anatomy(tuple(sim.layout.figures)).names)
        super().__init__(
            sim.layout.figures,
            speed=speed,
            parameters=(*parameters, *standard(sim), *self._pull_strength()),
            props=props,
            ground=self._seen_ground(ground),
            title=title,
        )

    @classmethod
    def of(
        cls, world: World, *, q: Any = None, v: Any = None, stepping: Any = None, controller: Any = (), **options: Any
    ) -> LiveSource:
        """A world in motion, from positions and speeds given (default: zero, at rest), with a mouse spring.

        controller   one or several, as in Simulation.run
        """
        from gambol.world.simulation import Simulation

        sim = Simulation(with_mouse_spring(world), stepping=stepping)
        sim.reset(q, v)
        sim.attach(controller)
        return cls(sim, **options)

    def _seen_ground(self, ground: float | None) -> float | Terrain | None:
        """The ground as the world has it: a level [m], or the terrain itself where it is not level."""
        terrain = self.sim.world.terrain
        if ground is None:
            return None
        return ground + terrain.level if is_plane(terrain) else terrain

    def _pull_strength(self) -> list[Parameter]:
        mouse = self.mouse
        if mouse is None:
            return []

        def put(value: float) -> None:
            mouse.strength = float(value)

        return [Parameter("pull strength", lambda: mouse.strength, put, 0.0, 4.0 * mouse.strength, unit="N")]

    @property
    def slope(self) -> float:  # type: ignore[override]
        """Rise over run of the ground along x."""
        return float(self.sim.elements["terrain"].get("slope_x"))

    @property
    def events(self) -> list[tuple[float, str]]:
        """Boundaries that were crossed, and what controllers noted."""
        return [(float(event.time), str(event.name)) for event in self.sim.events[-MOST_EVENTS:]]

    def now(self) -> float:
        """Its time [s]."""
        return float(self.sim.time)

    def present(self) -> Moment:
        """The moment it has reached."""
        return Moment(self.now(), np.array(self.sim.q), np.array(self.sim.v), **self._acting())

    def _acting(self) -> dict[str, Any]:
        """What is worked out of a moment only where somebody looks at it."""
        if self.fault:
            return {}
        return {
            "forces": self._forces() if self.show_forces else NO_FORCES,
            "torques": self._torques() if self.show_torques else NO_TORQUES,
            "activations": self.lines.activations() if self.show_muscles else NO_TORQUES,
        }

    def computed(self, times: np.ndarray) -> list[Moment]:
        """Moments at these times; what a fault leaves is kept, and its words."""
        path: Any
        try:
            path = self.sim.run(times=times, on_event=self._on_event, stop=self._stop)
        except GambolError as error:
            path, self.fault = getattr(error, "trajectory", None), str(error)
        acting = self._acting()
        return [] if path is None else [Moment(float(t), q, v, **acting) for t, q, v in zip(path.time, path.q, path.v)]

    def bend(self, body: str, by: float) -> None:
        """Turns (or shifts) the hinge (or slide) of a body by hand [rad or m]; other joints stay, and so do loops."""
        where = self.sim.coordinates(body)
        if where.stop - where.start == 1 and not self.sim.world.constraints:
            q = np.array(self.sim.q)
            q[where] += by
            self.sim.q = q
            self.amend()

    def saved(self) -> Any:
        """The state of the simulation."""
        return self.sim.save()

    def load(self, state: Any) -> None:
        """Back to a state of the simulation."""
        self.sim.restore(state)

    def halt(self) -> None:
        """Also in the middle of a long march."""
        self.sim.pieces.halted = True
