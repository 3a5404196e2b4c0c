"""Figures by formula: chains, boxes, and random trees for tests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure
from gambol.figure.joint import AXIS_FIELDS, Joint
from gambol.figure.joints import BUILT_IN_TYPES, PITCH, joint_type
from gambol.figure.mass import Mass
from gambol.figure.placement import Placement, Vector
from gambol.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Shape, Sphere
from gambol.limits import refuse_too_large

MOVING = tuple(name for name in BUILT_IN_TYPES if name not in ("fixed", "free"))


def chain(
    n: int,
    joint: str | Joint = "hinge",
    *,
    length: float = 1.0,
    radius: float = 0.05,
    mass: float = 1.0,
    axis: Sequence[float] = (0.0, 1.0, 0.0),
    root: str | Joint | None = None,
    name: str = "chain",
) -> Figure:
    """`n` round rods that hang from one another along −z, each of `length` [m], `radius` [m] and `mass` [kg].

    `joint` is a type (about `axis`) or a whole Joint; `root` is the joint of the first rod, by default the same.
    """

    def whole(given: str | Joint) -> Joint:
        if isinstance(given, Joint):
            return given
        return Joint(given, (axis[0], axis[1], axis[2])) if "axis" in joint_type(given).fields else Joint(given)

    refuse_too_large(f"chain: {n} bodies", 2000.0 * n)
    link = whole(joint)
    first = link if root is None else whole(root)
    rod = Part(Capsule(radius, length - 2.0 * radius), Placement((0.0, 0.0, -0.5 * length)), mass=mass)
    bodies = [Body(f"{name}_0", joint=first, parts=(rod,))]
    for i in range(1, n):
        hung = Placement((0.0, 0.0, -length))
        bodies.append(Body(f"{name}_{i}", f"{name}_{i - 1}", link, hung, (rod,)))
    return Figure(name, tuple(bodies))


def box_figure(
    size: Sequence[float] = (1.0, 1.0, 1.0),
    *,
    mass: float | None = None,
    density: float = 1000.0,
    joint: str = "free",
    name: str = "box",
) -> Figure:
    """One box centred at its frame: `size` [m], and `density` [kg/m³] or `mass` [kg]."""
    part = Part(Box((size[0], size[1], size[2])), density=density, mass=mass)
    return Figure(name, (Body(name, joint=Joint(joint), parts=(part,)),))


def random_figure(
    rng: np.random.Generator | int,
    bodies: int = 8,
    joints: Sequence[str] = MOVING,
    root: str = "free",
    *,
    shapes: bool = False,
    passive: bool = False,
    name: str = "random",
) -> Figure:
    """A random tree for tests: generic inertias, axes and placements, joint types drawn from `joints`.

    `shapes` makes bodies of parts instead of given masses; `passive` gives joints springs, dampers, armatures and
    ranges.
    """
    rng = np.random.default_rng(rng)
    made = []
    for i in range(bodies):
        type_ = root if i == 0 else str(rng.choice(list(joints)))
        made.append(
            Body(
                f"b{i}",
                None if i == 0 else f"b{rng.integers(i)}",
                random_joint(rng, type_, passive and i > 0),
                random_placement(rng),
                tuple(random_part(rng) for _ in range(rng.integers(1, 4))) if shapes else (),
                None if shapes else random_mass(rng),
            )
        )
    return Figure(name, tuple(made))


def random_joint(rng: np.random.Generator, type_: str, passive: bool = False) -> Joint:
    """A joint of the given type with generic axes."""
    joint, fields = Joint(type_, _unit(rng), _unit(rng)), joint_type(type_).fields
    drawn = {
        name: float(rng.normal(0.0, 0.1)) if role is PITCH else _unit(rng)
        for name, role in fields.items()
        if name not in AXIS_FIELDS
    }
    joint = joint.valued(drawn)
    if not passive or not joint.speeds:
        return joint
    stiffness, damping, armature = rng.uniform(0.0, (10.0, 1.0, 0.1)).tolist()
    rest, lower, upper = rng.uniform((-0.5, -2.0, 1.0), (0.5, -1.0, 2.0)).tolist()
    return replace(joint, stiffness=stiffness, damping=damping, armature=armature, rest=rest, range=(lower, upper))


def random_mass(rng: np.random.Generator) -> Mass:
    """A generic mass that a real body could have."""
    a = rng.normal(0.0, 0.3, (3, 3))
    mass = float(rng.uniform(0.5, 3.0))
    second = mass * a @ a.T
    # From a positive second moment ∫r rᵀ dm the tensor always satisfies the triangle inequality.
    return Mass.from_tensor(mass, tuple(rng.normal(0.0, 0.2, 3)), np.trace(second) * np.eye(3) - second)


def random_placement(rng: np.random.Generator, spread: float = 0.5) -> Placement:
    """A generic pose; `spread` [m] is the deviation of the position."""
    x, y, z = rng.normal(0.0, spread, 3).tolist()
    return Placement.about(rng.normal(size=3), float(rng.uniform(-np.pi, np.pi)), (x, y, z))


def random_part(rng: np.random.Generator) -> Part:
    """A part of any shape but a mesh."""
    a, b, c = rng.uniform(0.05, 0.4, 3).tolist()
    made: list[Shape] = [Box((a, b, c)), Sphere(a), Capsule(a, b), Cylinder(a, b), Ellipsoid((a, b, c))]
    made.append(Hull(tuple(map(tuple, rng.normal(0.0, 0.2, (8, 3)).tolist()))))
    return Part(made[rng.integers(len(made))], random_placement(rng, 0.1), density=float(rng.uniform(100.0, 2000.0)))


def random_positions(rng: np.random.Generator | int, figure: Figure, spread: float = 1.0) -> np.ndarray:
    """Generic positions of a figure: quaternions at unit norm, the rest of deviation `spread` [rad or m]."""
    rng = np.random.default_rng(rng)
    q = rng.normal(0.0, spread, figure.positions)
    for body in figure.order:
        for k in body.joint.kind.quaternions:
            first = figure.position_slices[body.name].start + k
            quaternion = rng.normal(size=4)
            q[first : first + 4] = quaternion / np.linalg.norm(quaternion)
    return q


def _unit(rng: np.random.Generator) -> Vector:
    x, y, z = rng.normal(size=3)
    norm = float(np.sqrt(x * x + y * y + z * z))
    return (float(x) / norm, float(y) / norm, float(z) / norm)
