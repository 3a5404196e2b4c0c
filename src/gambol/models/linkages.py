"""Linkages with loops: the four-bar mechanism of N loops, and a walker of Jansen's legs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gambol.dynamics.constraints import Closure
from gambol.figure import Body, Box, Capsule, Figure, Joint, Mass, Part, Placement
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.world.world import World

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

PIVOT = Joint("hinge", (0.0, 1.0, 0.0))


# ---------------------------------------------------------------- N-four-bar (IFToMM A02)
def four_bar(loops: int = 2, *, joint: str = "hinge", length: float = 1.0, mass: float = 1.0) -> World:
    """`loops` + 1 upright cranks joined by `loops` couplers, all slender rods; in the plane y = 0, swinging about y.

    Each crank carries the coupler to the next; `joint` closes the loops ("hinge", "ball", "cylindrical", …).
    """
    moment = mass * length**2 / 12.0
    upright = Mass.from_tensor(mass, (0.0, 0.0, 0.5 * length), np.diag([moment, moment, 0.0]))
    level = Mass.from_tensor(mass, (0.5 * length, 0.0, 0.0), np.diag([0.0, moment, moment]))
    tip = Placement((0.0, 0.0, length))
    figures = []
    for i in range(loops + 1):
        bodies = [Body(f"crank{i}", None, PIVOT, Placement((i * length, 0.0, 0.0)), (_rod_up(length),), upright)]
        if i < loops:
            bodies.append(Body(f"coupler{i}", f"crank{i}", PIVOT, tip, (_rod_along(length),), level))
        figures.append(Figure(f"stand{i}", tuple(bodies)))
    axis = Joint("ball") if joint == "ball" else Joint(joint, (0.0, 1.0, 0.0))
    closures = [
        Closure(
            name=f"loop{i}",
            body=f"coupler{i}",
            to=f"crank{i + 1}",
            joint=axis,
            place=Placement((length, 0.0, 0.0)),
            at=tip,
        )
        for i in range(loops)
    ]
    return World(figures, constraints=closures)


def four_bar_start(world: World, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Cranks up, their tips moving at `speed` [m/s] along +x: positions and speeds."""
    layout = world.layout
    v = np.zeros(layout.nv)
    for entry in layout.bodies:
        rate = speed if entry.body.name.startswith("crank") else -speed
        v[layout.speed_slices[entry.name]] = rate
    return layout.zero.copy(), v


def _rod_up(length: float) -> Part:
    return Part(Capsule(0.03 * length, 0.94 * length), Placement((0.0, 0.0, 0.5 * length)))


def _rod_along(length: float) -> Part:
    turn = Placement.about((0.0, 1.0, 0.0), 0.5 * math.pi, (0.5 * length, 0.0, 0.0))
    return Part(Capsule(0.03 * length, 0.94 * length), turn)


# ---------------------------------------------------------------- Jansen's walker
JANSEN = dict(a=38.0, b=41.5, c=39.3, d=40.1, e=55.8, f=39.4, g=36.7, h=65.7, i=49.0, j=50.0, k=61.9, l=7.8, m=15.0)


def meet(p: np.ndarray, r: float, q: np.ndarray, s: float, side: float) -> np.ndarray:
    """The point at distance r from p and s from q, left (+1) or right (−1) of the way from p to q."""
    d = float(np.linalg.norm(q - p))
    along = (r * r - s * s + d * d) / (2.0 * d)
    across = math.sqrt(r * r - along * along)
    e = (q - p) / d
    return p + along * e + side * across * np.array([-e[1], e[0]])


def jansen_points(angle: float, scale: float, mirrored: bool) -> dict[str, np.ndarray]:
    """Joints of one leg (x, z) about the crank's centre [m], with the crank at `angle` from +x towards +z [rad].

    The leg stands on the side of −x; a mirrored one on the side of +x.
    """
    n = {name: scale * value for name, value in JANSEN.items()}
    sign = -1.0 if mirrored else 1.0
    turn = math.pi - angle if mirrored else angle
    crank = n["m"] * np.array([math.cos(turn), math.sin(turn)])
    pivot = np.array([-n["a"], -n["l"]])
    top = meet(pivot, n["b"], crank, n["j"], +1.0)
    low = meet(pivot, n["c"], crank, n["k"], -1.0)
    out = meet(pivot, n["d"], top, n["e"], +1.0)
    knee = meet(out, n["f"], low, n["g"], -1.0)
    foot = meet(knee, n["h"], low, n["i"], -1.0)
    points = dict(crank=crank, pivot=pivot, top=top, low=low, out=out, knee=knee, foot=foot)
    return {name: np.array([sign * p[0], p[1]]) for name, p in points.items()}


def jansen_walker(*, phases: int = 3, size: float = 1.0, frame_mass: float = 6.0, rod_mass: float = 0.1) -> World:
    """A walker on the ground: `phases` pairs of mirrored legs on one driven axle, moving in the plane y = 0.

    `size` [m] is about its height; masses [kg] of the frame and of each of a leg's six members. The axle turns once
    the simulation is started by jansen_start. Every leg has three loops, closed by hinges.
    """
    scale = 0.01 * size
    stand = 0.92 * size  # the lowest foot 2 mm (of 1 m) above the ground
    box = Part(Box((0.9 * size, 0.1 * size, 0.12 * size)), Placement((0.0, 0.0, 0.12 * size)), mass=frame_mass)
    root = Joint("planar", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    axle = Joint("hinge", (0.0, 1.0, 0.0), driven=True)
    wheel = Part(Box((0.3 * size, 0.05 * size, 0.05 * size)), mass=rod_mass)
    bodies = [
        Body("frame", joint=root, placement=Placement((0.0, 0.0, stand)), parts=(box,)),
        Body("axle", "frame", axle, parts=(wheel,)),
    ]
    closures, contacts = [], []
    legs = [(k, mirrored) for k in range(phases) for mirrored in (False, True)]
    surface = Surface.bearing(9.81 * (frame_mass + 6 * len(legs) * rod_mass), points=2, sinkage=0.002 * size)
    for k, mirrored in legs:
        name = f"{'front' if mirrored else 'rear'}{k}"
        points = jansen_points(2.0 * math.pi * k / phases, scale, mirrored)
        bodies += _leg_bodies(name, points, rod_mass)
        closures += _leg_closures(name, points)
        foot = points["foot"] - points["low"]
        sole = GroundContact(
            name=f"{name} sole", body=f"{name}_shin", points=((foot[0], 0.0, foot[1]),), surface=surface
        )
        contacts.append(sole)
    return World(Figure("walker", tuple(bodies)), forces=contacts, constraints=closures)


def _leg_bodies(name: str, p: dict[str, np.ndarray], mass: float) -> list[Body]:
    """Rods and triangles of a leg, each at the joint nearest to the frame, unturned where the leg is drawn."""

    def at(point: np.ndarray, origin: np.ndarray | float = 0.0) -> Placement:
        x, z = point - origin
        return Placement((float(x), 0.0, float(z)))

    def rods(origin: str, *ends: tuple[str, str]) -> tuple[Part, ...]:
        return tuple(_rod(p[a] - p[origin], p[b] - p[origin], mass / len(ends)) for a, b in ends)

    low_out = p["crank"]
    return [
        Body(f"{name}_upper", "axle", PIVOT, at(low_out), rods("crank", ("crank", "top"))),
        Body(f"{name}_lower", "axle", PIVOT, at(low_out), rods("crank", ("crank", "low"))),
        Body(
            f"{name}_thigh",
            "frame",
            PIVOT,
            at(p["pivot"]),
            rods("pivot", ("pivot", "top"), ("top", "out"), ("out", "pivot")),
        ),
        Body(f"{name}_link", f"{name}_thigh", PIVOT, at(p["out"], p["pivot"]), rods("out", ("out", "knee"))),
        Body(f"{name}_strut", "frame", PIVOT, at(p["pivot"]), rods("pivot", ("pivot", "low"))),
        Body(
            f"{name}_shin",
            f"{name}_strut",
            PIVOT,
            at(p["low"], p["pivot"]),
            rods("low", ("low", "knee"), ("knee", "foot"), ("foot", "low")),
        ),
    ]


def _leg_closures(name: str, p: dict[str, np.ndarray]) -> list[Closure]:
    def close(what: str, body: str, origin: str, to: str, other: str) -> Closure:
        ends = [p[what] - p[origin], p[what] - p[other]]
        place, at = (Placement((float(e[0]), 0.0, float(e[1]))) for e in ends)
        return Closure(name=f"{name} {what}", body=f"{name}_{body}", to=f"{name}_{to}", joint=PIVOT, place=place, at=at)

    return [
        close("top", "upper", "crank", "thigh", "pivot"),
        close("low", "lower", "crank", "strut", "pivot"),
        close("knee", "link", "out", "shin", "low"),
    ]


def _rod(a: np.ndarray, b: np.ndarray, mass: float) -> Part:
    """A round rod between two points of the plane (x, z)."""
    way = b - a
    length = float(np.linalg.norm(way))
    turn = math.atan2(way[0], way[1])
    middle = 0.5 * (a + b)
    place = Placement.about((0.0, 1.0, 0.0), turn, (float(middle[0]), 0.0, float(middle[1])))
    return Part(Capsule(0.012 * max(length, 0.1), 0.97 * length), place, mass=mass)


def jansen_start(sim: Simulation, turn_rate: float = 3.0) -> None:
    """Sets the axle turning [rad/s], and the rest moving as little as its loops allow."""
    v = np.zeros(sim.layout.nv)
    v[sim.speed_coordinates("axle")] = turn_rate
    sim.reset(v=v)
    if sim.constraints is not None:
        sim.constraints.assemble()
