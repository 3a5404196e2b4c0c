"""The rest angles that hold a posture.

analyse(world, q)       hybrid analysis: the figure locked in a posture settles; what do its joints carry?
calibrate(world, q)     the control state whose springs carry just that (inverse control)
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.control.posture.control_state import ControlState
from gambol.control.posture.support import Support, support
from gambol.errors import Fault, WorldError, nearest
from gambol.forces.exponential_spring import ExponentialSpring, inverse_rest
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

SETTLED = 1e-8  # [m/s, rad/s] root mean square change of speeds between looks at a figure at rest; it may creep
STILL = 0.05  # [s] between looks


@dataclass(frozen=True)
class Analysis:
    """A figure that was locked in a posture and came to rest.

    q        positions at rest; torque: mean force that each joint has to give [N·m]
    support  what carried it then; speed: at which it still crept (root mean square) [m/s, rad/s]
    """

    q: np.ndarray
    torque: Mapping[str, float]
    support: Support
    speed: float


def locked(world: World, free: Iterable[str] = ()) -> World:
    """The same world with the motion of every joint given (at rest until commanded), except those named."""
    left = set(free)
    figures = []
    for figure in world.layout.figures:
        bodies = [
            replace(body, joint=replace(body.joint, driven=True))
            if body.parent is not None and body.joint.speeds and body.name not in left
            else body
            for body in figure.bodies
        ]
        figures.append(replace(figure, bodies=tuple(bodies)))
    kept = [e for e in world.forces if all(name in left for name in e.joints())]
    return World(figures, world.gravity, kept, (), world.terrain, world.profiles)


def analyse(
    world: World,
    q: np.ndarray,
    *,
    stepping: Stepping | None = None,
    settle: float = 60.0,
    average: float = 1.0,
    prepare: Callable[[Simulation], Any] | None = None,
) -> Analysis:
    """Locks a posture, lets it settle on the ground, and averages what its joints carry.

    q         positions: joint angles as they are to be, the root near where it will rest
    settle    [s] most to wait until it is at rest; average [s] over which forces are averaged
    prepare   is given the simulation first (to push it, say)
    """
    sim = Simulation(locked(world), stepping=stepping, ledger=False)
    sim.reset(q)
    if prepare:
        prepare(sim)
    _settle(sim, settle)
    samples = max(1, round(average / STILL))
    total = np.zeros(sim.layout.nv)
    for _ in range(samples):
        sim.advance(float(sim.time) + average / samples)
        total += sim.joint_force
    mean = total / samples
    torque = {}
    for entry in sim.layout.bodies:
        if entry.body.joint.driven:
            torque[entry.body.name] = float(mean[sim.layout.speed_slices[entry.name]][0])
    return Analysis(sim.q, torque, support(sim), _rms(sim.v))


def _settle(sim: Simulation, most: float) -> None:
    """Until the speeds have not changed in two looks in a row."""
    quiet, before = 0, sim.v
    while quiet < 2:
        if float(sim.time) > most:
            raise WorldError([Fault(f"the posture does not come to rest in {most:g} s", "posture")])
        sim.advance(float(sim.time) + STILL)
        quiet = quiet + 1 if _rms(sim.v - before) < SETTLED else 0
        before = sim.v


def _rms(speeds: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(speeds))))


def calibrate(world: World, q: np.ndarray, **options: Any) -> tuple[ControlState, Analysis]:
    """The control state that holds a posture: lock, settle, average, invert the springs (Eq. 82). See `analyse`."""
    analysis = analyse(world, q, **options)
    return inverted(world, analysis), analysis


def inverted(world: World, analysis: Analysis) -> ControlState:
    """Rest angles at which the springs of a world carry what an analysis found."""
    springs = {e.name: e for e in world.elements if isinstance(e, ExponentialSpring)}
    rest = {}
    for joint, torque in analysis.torque.items():
        if joint not in springs:
            raise WorldError([Fault(f"no spring is called {joint!r}{nearest(joint, springs)}", "posture")])
        spring = springs[joint]
        angle = float(analysis.q[world.layout.position_slices[world.layout.body(joint).name]][0])
        scale = spring.scale(world.layout)
        rest[joint] = inverse_rest(angle, torque, strength=spring.strength, rise=spring.rise, scale=scale)
    return ControlState(rest)
