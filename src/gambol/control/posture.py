"""Postures: where the weight is, what carries it, and the rest angles that hold it.

    support(sim)            the convex region of the ground contacts, with the margin of the centre of mass in it
    ControlState            rest angles (and strengths) of springs by name: applied, moved to, mixed, saved, loaded
    analyse(world, q)       hybrid analysis: the figure locked in a posture settles; what do its joints carry?
    calibrate(world, q)     the control state whose springs carry just that (inverse control)

Springs are exponential springs called like their joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.exponential_spring import ExponentialSpring, inverse_rest
from gambol.forces.ground_contact import GroundContact
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

SETTLED = 1e-8  # [m/s, rad/s] root mean square change of speeds between looks at a figure at rest; it may creep
STILL = 0.05  # [s] between looks


# ---------------------------------------------------------------- what carries the weight
@dataclass(frozen=True)
class Support:
    """Ground contacts of a moment, world axes.

    points    (n, 3) [m]; forces (n, 3) [N]; bodies: whose each point is
    hull      corners of their convex region, anticlockwise (k, 2) [m]
    centre    centre of mass [m]; margin: its distance inside the region's border [m], negative outside
    pressure  centre of pressure (2,) [m]
    """

    points: np.ndarray
    forces: np.ndarray
    bodies: tuple[str, ...]
    hull: np.ndarray
    centre: np.ndarray
    margin: float

    @property
    def load(self) -> float:
        """Vertical force of the ground [N]."""
        return float(self.forces[:, 2].sum()) if len(self.forces) else 0.0

    @property
    def pressure(self) -> np.ndarray:
        weight = self.forces[:, 2]
        return (self.points[:, :2] * weight[:, None]).sum(axis=0) / weight.sum()

    def loads(self, region: Callable[[str], str | None]) -> dict[str, float]:
        """Vertical force [N] by region; `region` gives a body's, or None for those that do not count."""
        found: dict[str, float] = {}
        for body, force in zip(self.bodies, self.forces):
            own = region(body)
            if own is not None:
                found[own] = found.get(own, 0.0) + float(force[2])
        return found


def support(sim: Simulation) -> Support:
    """What carries a single world's figures now."""
    points, forces, bodies = [], [], []
    everything = sim.reports()
    for element in sim.world.elements:
        if isinstance(element, GroundContact):
            rows = np.asarray(sim.parameters.place(element.name).reports, int)
            block = everything[np.add.outer(rows, np.arange(7))]
            touching = block[:, 0] > 0.0
            points.append(block[touching, 1:4])
            forces.append(block[touching, 4:7])
            bodies += [element.body] * int(touching.sum())
    where = np.concatenate(points) if points else np.zeros((0, 3))
    centre = sim.mechanics.centre_of_mass(sim.q)
    hull = convex_hull(where[:, :2])
    push = np.concatenate(forces) if forces else np.zeros((0, 3))
    return Support(where, push, tuple(bodies), hull, centre, margin_in(hull, centre[:2]))


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points in the plane, anticlockwise; of fewer than three, the points."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return np.asarray(points, float).reshape(-1, 2)
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # all in one line
        along = points[np.argsort(points @ (points[-1] - points[0]))]
        return along[[0, -1]]


def margin_in(hull: np.ndarray, point: np.ndarray) -> float:
    """Shortest distance of a point from the border of a convex region [m]; negative outside it."""
    if len(hull) == 0:
        return -np.inf
    if len(hull) < 3:
        return -float(min(_to_segment(point, hull[0], hull[-1]), *np.linalg.norm(hull - point, axis=1)))
    ends = np.roll(hull, -1, axis=0)
    edges = ends - hull
    inward = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1)[:, None]
    inside = float(np.min(np.sum(inward * (point - hull), axis=1)))
    return inside if inside >= 0.0 else -min(_to_segment(point, a, b) for a, b in zip(hull, ends))


def _to_segment(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    line = b - a
    share = np.clip(np.dot(point - a, line) / max(float(line @ line), 1e-30), 0.0, 1.0)
    return float(np.linalg.norm(point - a - share * line))


# ---------------------------------------------------------------- rest angles
@dataclass(frozen=True)
class ControlState:
    """Rest angles [rad] of springs by name, and strengths [N·m] of those that are to change."""

    rest: Mapping[str, float]
    strength: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, sim: Simulation, joints: Iterable[str] | None = None) -> ControlState:
        """The state that a single world's springs are in now."""
        names = list(joints) if joints is not None else springs_of(sim.world)
        return cls({name: float(sim.parameter(name, "rest")) for name in names})

    def apply(self, sim: Simulation) -> None:
        """At once."""
        for parameter, values in (("rest", self.rest), ("strength", self.strength)):
            for name, value in values.items():
                sim.set_parameter(name, parameter, value)

    def move(self, sim: Simulation, duration: float, *, profile: str = "linear") -> None:
        """By motor programs of `duration` [s]."""
        for parameter, values in (("rest", self.rest), ("strength", self.strength)):
            for name, value in values.items():
                sim.ramp(name, parameter, value, duration, profile=profile)

    def mixed(self, other: ControlState, share: float) -> ControlState:
        """On the way to another state: 0 is this one, 1 the other."""
        return ControlState(_mixed(self.rest, other.rest, share), _mixed(self.strength, other.strength, share))

    def changed(self, **rest: float) -> ControlState:
        """With other rest angles of some joints."""
        return replace(self, rest={**self.rest, **rest})

    def write(self, path: str | Path) -> None:
        """As YAML."""
        Path(path).write_text(yaml.safe_dump({"rest": dict(self.rest), "strength": dict(self.strength)}))

    @classmethod
    def read(cls, path: str | Path) -> ControlState:
        """A state written by `write`."""
        try:
            found = yaml.safe_load(Path(path).read_text())
            parts = {key: {str(k): float(v) for k, v in (found.get(key) or {}).items()} for key in ("rest", "strength")}
        except (yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
            raise WorldError([Fault(f"not a control state: {error}", str(path))]) from None
        return cls(**parts)


def _mixed(a: Mapping[str, float], b: Mapping[str, float], share: float) -> dict[str, float]:
    if set(a) != set(b):
        odd = sorted(set(a) ^ set(b))
        raise WorldError([Fault(f"two control states of different joints cannot be mixed: {', '.join(odd[:5])}")])
    return {name: (1.0 - share) * value + share * b[name] for name, value in a.items()}


def springs_of(world: World) -> list[str]:
    """Names of the exponential springs that are called like their joints."""
    return [e.name for e in world.elements if isinstance(e, ExponentialSpring) and e.name == e.joint]


# ---------------------------------------------------------------- hybrid analysis
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
