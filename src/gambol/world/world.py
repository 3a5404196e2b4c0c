"""A world: figures, the forces between and upon them, and the events that are watched. Immutable data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from gambol.dynamics.constraints import Binding, Constraint
from gambol.dynamics.layout import BodyEntry, Layout
from gambol.errors import Fault, Notice, WorldError
from gambol.figure import Body, Figure
from gambol.forces.ball_limit import BallLimit
from gambol.forces.ball_spring import BallSpring
from gambol.forces.battery import Battery
from gambol.forces.contact.terrain import Terrain
from gambol.forces.dc_motor import DCMotor
from gambol.forces.element import Element
from gambol.forces.joint_friction import JointFriction
from gambol.forces.joint_limit import JointLimit
from gambol.forces.joint_spring import JointSpring
from gambol.stepping import given
from gambol.world.boundary import Boundary

EARTH = (0.0, 0.0, -9.81)
LIMIT_GIVE = 0.01  # [rad or m] by which the weight beyond a joint presses into its stop, where no file says how stiff
LIMIT_TIME = 5e-3  # [s] damping over stiffness of such a stop


@dataclass(frozen=True)
class World:
    """Figures (one or several), gravity [m/s², world axes], force elements, boundaries, the ground, constraints.

    `profiles` are tables for motor ramps by name: shares of the way at even times, the first 0 and the last 1.
    The passive springs, dampers, ranges and motors of the figures' joints become force elements; `elements` lists all
    of them, and `notes` says what was chosen where the description left it open.
    """

    figures: Sequence[Figure] | Figure
    gravity: Sequence[float] = EARTH
    forces: Sequence[Element] = ()
    boundaries: Sequence[Boundary] = ()
    terrain: Terrain = field(default_factory=Terrain)
    profiles: Mapping[str, Sequence[float]] = field(default_factory=dict)
    constraints: Sequence[Constraint] = ()
    binding: Binding = field(default_factory=Binding)
    notes: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        figures = (self.figures,) if isinstance(self.figures, Figure) else self.figures
        object.__setattr__(self, "figures", figures)
        for name, kind in (
            ("figures", Figure),
            ("forces", Element),
            ("boundaries", Boundary),
            ("constraints", Constraint),
        ):
            object.__setattr__(self, name, _all_of(getattr(self, name), kind, name))
        gravity = given.vector(self.gravity, "gravity", "world", unit="m/s², world axes", example="(0, 0, -9.81)")
        object.__setattr__(self, "gravity", gravity)
        faults = [fault for element in self.forces for fault in element.faults()]
        faults += [fault for boundary in self.boundaries for fault in boundary.faults()]
        if not isinstance(self.terrain, Terrain):
            raise WorldError([Fault(f"terrain must be a Terrain, not {self.terrain!r}", "world")])
        faults += self.terrain.faults()
        for name, values in self.profiles.items():
            if len(values) < 2 or values[0] != 0 or values[-1] != 1 or not np.all(np.isfinite(values)):
                faults.append(Fault("a profile is at least two finite numbers from 0 to 1", f"profile {name}"))
        faults += [fault for constraint in self.constraints for fault in constraint.faults()]
        names = [b.name for b in self.boundaries]
        faults += [Fault(f"two boundaries are called {n!r}") for n in sorted({n for n in names if names.count(n) > 1})]
        if faults:
            raise WorldError(faults)

    @cached_property
    def layout(self) -> Layout:
        """Its figures as arrays, with the rotors of motors among the armatures."""
        layout = Layout(cast(tuple[Figure, ...], self.figures), self.gravity)
        for element in (*_motors(layout), *self.forces):
            for speed, inertia in element.added_inertia(layout):
                layout.armature[speed] += inertia
        return layout

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The figures' own springs, dampers, stops, motors and batteries, then the forces given."""
        own = [element for entry in self.layout.bodies for element in self._passive(entry)]
        return (*own, *_motors(self.layout), *self.forces)

    def _passive(self, entry: BodyEntry) -> list[Element]:
        joint, name = entry.body.joint, entry.name
        if joint.driven or not entry.speeds:
            return []
        found: list[Element] = []
        springy = joint.stiffness or joint.damping
        if joint.kind.springs == "nothing":
            if springy or joint.range or joint.armature or joint.friction:
                what = "stiffness, damping, friction, armature or range"
                message = f"a {joint.type} joint takes no {what}; use an Anchor"
                raise WorldError([Fault(message, name)])
            return []
        if joint.kind.springs == "rotation":
            if joint.friction:
                raise WorldError([Fault(f"a {joint.type} joint takes no dry friction; use force elements", name)])
            if springy:
                found.append(BallSpring(joint=name, stiffness=joint.stiffness, damping=joint.damping, line="joints"))
            if joint.range:
                stiffness, damping = joint.stop or self._stop(entry, f"{joint.range[1]:g}")
                limit = joint.range[1]
                found.append(BallLimit(joint=name, limit=limit, stiffness=stiffness, damping=damping, line="stops"))
            return found
        if springy:
            spring = JointSpring(
                joint=name, stiffness=joint.stiffness, damping=joint.damping, rest=joint.rest, line="joints"
            )
            found.append(spring)
        if joint.friction:
            found.append(JointFriction(joint=name, limit=joint.friction, line="joints"))
        if joint.range:
            lower, upper = joint.range
            stiffness, damping = joint.stop or self._stop(entry, f"{lower:g} … {upper:g}")
            found.append(
                JointLimit(
                    joint=name,
                    lower=lower,
                    upper=upper,
                    stiffness=stiffness,
                    damping=damping,
                    pulls=False,
                    line="stops",
                )
            )
        return found

    def _stop(self, entry: BodyEntry, where: str) -> tuple[float, float]:
        """Stiffness and damping of a stop: what is beyond the joint, held out level, presses it in by LIMIT_GIVE."""
        turning = "rad/s" in entry.body.joint.kind.speeds.values()
        mass, moment = self.beyond[entry.name]
        unit = "rad" if turning else "m"
        stiffness = max(9.81 * (moment if turning else mass), 1e-9) / LIMIT_GIVE
        self.notes.append(
            f"{entry.name}: stop at {where} {unit} given stiffness {stiffness:.3g} and damping"
            f" {stiffness * LIMIT_TIME:.3g} (the weight beyond it, held out level, gives {LIMIT_GIVE:g} {unit} at most)"
        )
        return stiffness, stiffness * LIMIT_TIME

    @cached_property
    def beyond(self) -> dict[str, tuple[float, float]]:
        """For each joint, of its body and all beyond it: the mass [kg], and Σ mass · distance from the joint [kg·m].

        Where that is less, as of a wheel about its axle, Σ mass · radius of gyration.
        """
        found = {}
        for figure in self.layout.figures:
            poses = figure.poses()
            centres = {b.name: np.asarray(poses[b.name].apply(b.mass_properties.centre)) for b in figure.bodies}
            beyond: dict[str, list[Body]] = {}
            for body in reversed(figure.order):
                own = beyond.setdefault(body.name, [])
                own.append(body)
                here = np.asarray(poses[body.name].position)
                moments = [b.mass_properties.mass * float(np.linalg.norm(centres[b.name] - here)) for b in own]
                mass = sum(b.mass_properties.mass for b in own)
                spread = [0.5 * b.mass_properties.mass * float(np.trace(b.mass_properties.tensor)) for b in own]
                wide = float(np.sqrt(np.maximum(spread, 0.0)).sum())
                found[f"{figure.name}/{body.name}"] = (mass, max(sum(moments), wide, 1e-3 * mass))
                if body.parent:
                    beyond.setdefault(body.parent, []).extend(own)
        return found

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """What is suspicious in the description but no error: masses, densities, ranges (see gambol.Notice)."""
        from gambol.world.notices import description_notices

        return tuple(description_notices(self))

    @cached_property
    def size(self) -> float:
        """A length that says how large the figures are [m]: the farthest of a figure's bodies from its root, or the
        radius of gyration of a body when that is longer (a single body stands at its root)."""
        reach = 0.0
        for figure in self.layout.figures:
            poses = figure.poses()
            root = np.asarray(poses[figure.root.name].position)
            for body in figure.bodies:
                mass = body.mass_properties
                centre = np.asarray(poses[body.name].apply(mass.centre))
                gyration = float(np.sqrt(0.5 * np.trace(mass.tensor) / mass.mass)) if mass.mass > 0 else 0.0
                reach = max(reach, float(np.linalg.norm(centre - root)), gyration)
        return reach or 1.0

    def weld(self, body: str, at=None) -> World:
        """The same world with the joint of `body` welded (at joint position `at`, default zero).

        Forces and boundaries on the body act on what it has become part of; those of the joint go.
        """
        entry = self.layout.body(body)
        joint, parent = entry.body.joint, f"{self.layout.figures[entry.figure].name}/{entry.body.parent}"

        there = entry.body.placement.compose(joint.pose(joint.zero if at is None else at))

        def carried(item):
            return item.carried(lambda name: self.layout.body(name) is entry, parent, there)

        return self._edited(body, lambda figure, name: figure.weld(name, at), carried)

    def remove(self, body: str) -> World:
        """The same world without `body` and everything beyond it; forces and boundaries on them go too."""
        return self._edited(body, lambda figure, name: figure.remove(name))

    def _edited(self, body: str, edit, carried=lambda item: item) -> World:
        entry = self.layout.body(body)
        figures = list(self.layout.figures)
        figures[entry.figure] = edit(figures[entry.figure], entry.body.name)
        left = {f"{f.name}/{b.name}" for f in figures for b in f.bodies}
        if held := [c for c in self.constraints if any(self.layout.body(n).name not in left for n in c.bodies)]:
            message = f"is on a body that would go with {body!r}; take the constraint out first"
            raise WorldError([Fault(message, c.where) for c in held])
        moving = {f"{f.name}/{b.name}" for f in figures for b in f.bodies if b.joint.speeds}

        def stays(item) -> bool:
            used = [(name, left) for name in item.bodies() if name] + [(name, moving) for name in item.joints()]
            return all(self.layout.body(name).name in allowed for name, allowed in used)

        forces = [e for e in map(carried, self.forces) if stays(e)]
        boundaries = [b for b in map(carried, self.boundaries) if stays(b)]
        more = (self.terrain, self.profiles, self.constraints, self.binding)
        return World(figures, self.gravity, forces, boundaries, *more)


def _motors(layout: Layout) -> list[Element]:
    """The motors at the joints of the figures, and the batteries they share, called "figure/battery"."""
    found: list[Element] = []
    for entry in layout.bodies:
        if (motor := entry.body.joint.motor) is not None:
            found.append(DCMotor.of_figure(motor, layout.figures[entry.figure].name, entry.name))
    for figure in layout.figures:
        found += [Battery(**b.given() | {"name": f"{figure.name}/{b.name}"}) for b in figure.batteries]
    return found


def _all_of(items: object, kind: type, name: str) -> tuple:
    """A tuple of things of one kind; anything else is a WorldError."""
    try:
        found: tuple = tuple(items)  # type: ignore[arg-type]
    except TypeError:
        raise WorldError([Fault(f"{name} must be a sequence of {kind.__name__}, not {items!r}", "world")]) from None
    if odd := [item for item in found if not isinstance(item, kind)]:
        raise WorldError([Fault(f"{name}: {item!r} is no {kind.__name__}", "world") for item in odd])
    return found
