"""Samples of contacts, with the law of surfaces written out once more."""

from dataclasses import replace
from itertools import product

import numpy as np
from laws import TIME, AtPoint, Sample, Whole, look, moving
from scipy.optimize import minimize_scalar

from gambol import (
    AnchoredContact,
    Body,
    BodyContact,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Figure,
    GroundContact,
    Joint,
    Mechanics,
    Part,
    Placement,
    RoundContact,
    Sphere,
    StickyContact,
    Surface,
    Terrain,
)

SLOPES = np.array([0.2, -0.1])
UP = np.array([*-SLOPES, 1.0]) / np.sqrt(1.0 + SLOPES @ SLOPES)
LINEAR = Surface(stiffness=300.0, damping=8.0)
CURVED = Surface(stiffness=100.0, strength=4.0, rise=3.0, damping=8.0, scale=1.5)


# ---------------------------------------------------------------- the law
def contact_law(s, normal, depth, speed):
    """Force of a surface on a point at a depth, moving at `speed` against it."""
    if depth <= 0:
        return np.zeros(3)
    out = speed @ normal
    along = speed - out * normal
    d = min(depth, s.deepest)
    spring = s.stiffness * d + s.strength * np.expm1(s.rise * d)
    factor = (1 + s.restitution) / 2 - (1 - s.restitution) / 2 * out / np.hypot(out, s.turn)
    push = s.scale * max(spring * factor - s.damping * min(depth / s.ramp, 1.0) * out, 0.0)
    v = np.linalg.norm(along)
    held = s.friction * push
    match s.law:
        case "slide":
            c = held / np.hypot(v, s.creep)
        case "damper":
            c = min(s.grip * s.scale, held / v) if v > 0 else s.grip * s.scale
        case "arctan":
            grip = s.grip * s.scale
            c = 2 * held / np.pi * np.arctan(np.pi * grip * v / (2 * held)) / v if held * v > 0 else 0.0
    return push * normal - c * along


def beneath(figure, q, places, more=0.05):
    """A sloping plane with all the places under it."""
    m = Mechanics(figure)
    points = [m.point(q, body, point) for body, point in places]
    level = max(p[2] - SLOPES @ p[:2] for p in points) + more
    return Terrain(level=float(level), slope_x=SLOPES[0], slope_y=SLOPES[1])


def depth_of(place, terrain):
    return float((terrain.level + SLOPES @ place[:2] - place[2]) * UP[2])


def touching(e, point):
    """The point of a sphere that touches the plane, in the body's frame."""
    return lambda frame, origin: np.asarray(point) - frame.T @ UP * e.radius


# ---------------------------------------------------------------- ground
def ground(surface, **options):
    figure, q, v = moving(15, ("hinge", "slide"))
    forces = (
        GroundContact(body="b1", points=((0.1, 0.0, 0.2), (0.0, -0.3, 0.1)), surface=surface),
        GroundContact(body="b3", points=((0.1, 0.2, 0.0),), surface=replace(surface, stiffness=150.0), radius=0.15),
    )
    terrain = beneath(figure, q, [(e.body, p) for e in forces for p in e.points])
    law = lambda e: lambda place, speed, frame, t: contact_law(e.surface, UP, depth_of(place, terrain), speed)
    laws = [AtPoint(e.body, touching(e, p), law(e)) for e in forces for p in e.points]

    def reports(e, m, q, v):
        seen = [look(m, e.body, touching(e, p), q, v) for p in e.points]
        force = np.array([law(e)(a.place, a.speed, a.frame, TIME) for a in seen]).T
        place = np.array([a.place for a in seen]).T
        names = ("x", "y", "z", "force_x", "force_y", "force_z")
        return {"depth": [depth_of(a.place, terrain) for a in seen]} | dict(zip(names, [*place, *force]))

    return Sample(figure, q, v, forces, tuple(laws), terrain=terrain, reports=reports, **options)


def supports(e):
    """What of a round shape touches the plane: functions of the body's frame, in the body's axes."""
    turn, middle = np.asarray(e.placement.matrix), np.asarray(e.placement.position)
    if isinstance(e.shape, Ellipsoid):
        squares = np.square(e.shape.radii)
        return [lambda frame, _: middle - turn @ (squares * (n := turn.T @ frame.T @ UP)) / np.sqrt(squares @ n**2)]
    tips = [0.5 * e.shape.length] if isinstance(e.shape, Cone) else []
    ends = [-0.5 * e.shape.length] + ([] if tips else [0.5 * e.shape.length])

    def on_rim(height, angle):
        def point(frame, origin):
            n = turn.T @ frame.T @ UP
            at = np.arctan2(-n[1], -n[0]) + angle
            return middle + turn @ [e.shape.radius * np.cos(at), e.shape.radius * np.sin(at), height]

        return point

    found = [on_rim(height, angle) for height in ends for angle in (0.0, 2 * np.pi / 3, -2 * np.pi / 3)]
    return found + [lambda frame, _, z=z: middle + turn @ [0.0, 0.0, z] for z in tips]


def rounds(surface, **options):
    """An ellipsoid, a cylinder and a cone, all points of each under ground."""
    figure, q, v = moving(15, ("hinge", "slide"))
    shapes = (Ellipsoid((0.3, 0.2, 0.1)), Cylinder(0.2, 0.3), Cone(0.2, 0.4))
    places = [Placement.euler(0.3, -0.5, 0.8, (0.1, 0.05 * k, -0.1)) for k in range(3)]
    forces = tuple(
        RoundContact(body=f"b{k + 1}", shape=shape, placement=place, surface=surface)
        for k, (shape, place) in enumerate(zip(shapes, places))
    )
    terrain = beneath(figure, q, [(e.body, (0.5, 0.0, 0.0)) for e in forces], 1.0)
    law = lambda e: lambda place, speed, frame, t: contact_law(e.surface, UP, depth_of(place, terrain), speed)
    laws = [AtPoint(e.body, point, law(e)) for e in forces for point in supports(e)]

    def reports(e, m, q, v):
        seen = [look(m, e.body, point, q, v) for point in supports(e)]
        force = np.array([law(e)(a.place, a.speed, a.frame, TIME) for a in seen]).T
        place = np.array([a.place for a in seen]).T
        names = ("x", "y", "z", "force_x", "force_y", "force_z")
        return {"depth": [depth_of(a.place, terrain) for a in seen]} | dict(zip(names, [*place, *force]))

    return Sample(figure, q, v, forces, tuple(laws), terrain=terrain, reports=reports, **options)


def rubbing(law, restitution=1.0):
    """With friction: its derivative is a secant."""
    surface = replace(CURVED, friction=0.7, law=law, grip=20.0, creep=0.4, restitution=restitution, turn=0.2)
    return ground(surface, approximate=None, stores=False, duration=0.05, damped=False)


def sticky(stuck, friction=0.5):
    figure, q, v = moving(16, ("hinge", "slide"))
    surface = replace(LINEAR, friction=friction, creep=0.4)
    glue = dict(glue=6.0, glue_rise=2.0, glue_damping=3.0, sticky=stuck)
    forces = (
        StickyContact(body="b1", points=((0.1, 0.0, 0.2),), surface=surface, name="e0", **glue),
        StickyContact(body="b3", points=((0.1, 0.2, 0.0),), surface=surface, name="e1", radius=0.1, **glue),
    )
    terrain = beneath(figure, q, [(e.body, p) for e in forces for p in e.points])
    m = Mechanics(figure)
    holds = {
        e.name: look(m, e.body, touching(e, e.points[0]), q, v).place + shift
        for e, shift in zip(forces, ((0.1, 0.05, -0.2), (-0.1, 0.2, 0.1)))
    }

    def setup(sim):
        for name, place in holds.items():
            sim.elements[name].set("stuck", float(stuck))
            for axis, x in zip("xyz", place):
                sim.elements[name].set(f"anchor_{axis}", float(x))

    def pushed(place, speed, frame, t):
        return contact_law(surface, UP, depth_of(place, terrain), speed)

    def held(e):
        def force(centre, speed, frame, t):
            line = holds[e.name] - (centre - e.radius * UP)
            x = np.linalg.norm(line)
            return stuck * (e.glue * np.expm1(e.glue_rise * x) * line / x - e.glue_damping * speed)

        return force

    def reports(e, m, q, v):
        at = look(m, e.body, touching(e, e.points[0]), q, v)
        centre = look(m, e.body, e.points[0], q, v)
        force = pushed(at.place, at.speed, at.frame, TIME) + held(e)(centre.place, centre.speed, centre.frame, TIME)
        numbers = [depth_of(at.place, terrain), *at.place, *force, float(stuck)]
        return dict(zip(("depth", "x", "y", "z", "force_x", "force_y", "force_z", "stuck"), numbers))

    laws = [AtPoint(e.body, touching(e, e.points[0]), pushed) for e in forces]
    laws += [AtPoint(e.body, e.points[0], held(e)) for e in forces]
    return Sample(
        figure, q, v, forces, tuple(laws), terrain=terrain, setup=setup, reports=reports,
        stores=stuck, approximate=None if friction else 1e-7, damped=stuck, duration=0.1,
    )  # fmt: skip


# ---------------------------------------------------------------- bodies
def solid(name, shape):
    return Figure(name, (Body(name, joint=Joint("free"), parts=(Part(shape, mass=1.0),)),))


def pose(place, turn=(0.0, 0.0, 0.0)):
    half = np.asarray(turn) / 2
    angle = np.linalg.norm(half)
    return [*place, np.cos(angle), *(np.sinc(angle / np.pi) * half)]


def clearance(x, half):
    """Distance of a point from a box (inside: minus that to the nearest face), and its gradient."""
    beyond = np.maximum(np.abs(x) - half, 0.0)
    far = np.linalg.norm(beyond)
    if far > 0:
        return far, np.sign(x) * beyond / far
    face = np.argmax(np.abs(x) - half)
    return (np.abs(x) - half)[face], np.sign(x) * np.eye(3)[face]


def rounded(shape, rounding):
    radius = rounding * min(shape.size)
    return np.array(shape.size) / 2 - radius, radius


def probe_law(e, one, start, end, radius, two, half, round_):
    """A segment of body `one` with a radius against a rounded box of body `two`."""

    def contact(m, q, v):
        still = 0.0 * v
        a, b = look(m, one, start, q, still).place, look(m, one, end, q, still).place
        target = look(m, two, (0.0, 0.0, 0.0), q, v)
        local = lambda s: target.frame.T @ (a + s * (b - a) - target.place)
        s = minimize_scalar(lambda s: clearance(local(s), half)[0], bounds=(0, 1), method="bounded",
                            options={"xatol": 1e-12}).x if end != start else 0.0  # fmt: skip
        gap, slope = clearance(local(s), half)
        depth, normal = radius + round_ - gap, target.frame @ slope
        place = a + s * (b - a) - normal * (radius - depth / 2)
        first = look(m, one, lambda frame, origin: frame.T @ (place - origin), q, v)
        second = look(m, two, lambda frame, origin: frame.T @ (place - origin), q, v)
        force = contact_law(e.surface, normal, depth, first.speed - second.speed)
        return depth, place, force, (first.J - second.J)[3:].T @ force

    return contact


def body_sample(figures, q, forces, contacts, seed, sense, speed=0.3, **options):
    v = speed * np.random.default_rng(seed).normal(size=6 * len(figures))
    laws = tuple(Whole(lambda m, q, v, t, c=c: c(m, q, v)[3]) for c in contacts)

    def reports(e, m, q, v):
        k = int(e.name[1:])
        depth, place, force, _ = contacts[k](m, q, v)
        return dict(
            zip(("depth", "x", "y", "z", "force_x", "force_y", "force_z"), [depth, *place, *(sense[k] * force)])
        )

    return Sample(figures, np.array(q), v, forces, laws, approximate=None, reports=reports, **options)


def round_bodies():
    """A sphere between another sphere and a box."""
    box = Box((0.6, 0.8, 0.4))
    figures = (solid("ball", Sphere(0.3)), solid("other", Sphere(0.2)), solid("box", box))
    q = [*pose((0.0, 0.0, 0.0)), *pose((0.25, 0.3, 0.1)), *pose((-0.1, -0.2, -0.4), (0.3, -0.2, 0.5))]
    forces = (
        BodyContact(body="ball", other="other", surface=LINEAR),
        BodyContact(body="box", other="ball", surface=CURVED),  # the ball probes: the report is turned round
    )
    half, radius = rounded(box, 0.05)
    zero = (0.0, 0.0, 0.0)
    contacts = (
        probe_law(forces[0], "ball", zero, zero, 0.3, "other", np.zeros(3), 0.2),
        probe_law(forces[1], "ball", zero, zero, 0.3, "box", half, radius),
    )
    return body_sample(figures, q, forces, contacts, 17, (1, -1), duration=0.05)


def long_bodies():
    """A capsule lies across a box's edge; a corner of another box stands on its far side."""
    box, small = Box((0.6, 0.8, 0.4)), Box((0.3, 0.3, 0.3))
    figures = (solid("rod", Capsule(0.05, 1.0)), solid("box", box), solid("small", small))
    half, radius = rounded(box, 0.05)
    core, round_ = rounded(small, 0.05)
    q = [*pose((0.28, 0.0, 0.22), (0.0, -0.8, 0.1)), *pose((0.0, 0.0, 0.0))]
    q += [*pose((-0.05, -0.1, -0.4), (0.4, -0.5, 0.2))]
    forces = (
        BodyContact(body="rod", other="box", surface=replace(LINEAR, ramp=1e-3)),
        BodyContact(body="small", other="box", surface=replace(CURVED, ramp=1e-3)),
    )
    m = Mechanics(figures)
    corners = [tuple(core * signs) for signs in product((-1, 1), repeat=3)]
    corner = max(corners, key=lambda c: m.point(np.array(q), "small", c)[2])
    q[16] += -0.18 - round_ - m.point(np.array(q), "small", corner)[2]  # 0.02 m into the box
    contacts = (
        probe_law(forces[0], "rod", (0, 0, -0.5), (0, 0, 0.5), 0.05, "box", half, radius),
        probe_law(forces[1], "small", corner, corner, round_, "box", half, radius),
    )
    return body_sample(
        figures, q, forces, contacts, 18, (1, 1), speed=0.05, duration=0.01, precision=1e-3, stores=False
    )


def anchored(restitution):
    """Held by springs along the ground, within what friction can hold."""
    figure, q, v = moving(16, ("hinge", "slide"))
    spring = dict(hold_stiffness=40.0, hold_restitution=restitution, surface=LINEAR)
    forces = (
        AnchoredContact(body="b1", points=((0.1, 0.0, 0.2),), name="e0", hold=9.0, **spring),
        AnchoredContact(body="b3", points=((0.1, 0.2, 0.0),), name="e1", hold=5.0, **spring),
    )
    terrain = beneath(figure, q, [(e.body, p) for e in forces for p in e.points])
    m = Mechanics(figure)
    ties = {
        e.name: look(m, e.body, touching(e, e.points[0]), q, v).place + shift
        for e, shift in zip(forces, ((0.1, 0.05, -0.2), (-0.1, 0.2, 0.1)))
    }

    def setup(sim):
        for name, place in ties.items():
            sim.elements[name].set("tied", 1.0)
            for axis, x in zip("xyz", place):
                sim.elements[name].set(f"anchor_{axis}", float(x))

    def law(e):
        def force(place, speed, frame, t):
            pushed = contact_law(LINEAR, UP, depth_of(place, terrain), speed)
            x = place - ties[e.name]
            x = x - (x @ UP) * UP
            far = np.sqrt(x @ x + 1e-24)
            away = x @ speed / far
            factor = (1 + restitution) / 2 + (1 - restitution) / 2 * away / np.hypot(away, LINEAR.turn)
            return pushed - x * min(e.hold_stiffness * factor, e.hold * (pushed @ UP) / far)

        return force

    def reports(e, m, q, v):
        at = look(m, e.body, touching(e, e.points[0]), q, v)
        numbers = [depth_of(at.place, terrain), *at.place, *law(e)(at.place, at.speed, at.frame, TIME), 1.0]
        return dict(zip(("depth", "x", "y", "z", "force_x", "force_y", "force_z", "tied"), numbers))

    laws = tuple(AtPoint(e.body, touching(e, e.points[0]), law(e)) for e in forces)
    secant = {} if restitution == 1 else dict(approximate=None, stores=False, passive=False)
    return Sample(figure, q, v, forces, laws, terrain=terrain, setup=setup, reports=reports, duration=0.02, **secant)


SAMPLES = {
    "ground_contact": (
        lambda: ground(LINEAR),
        lambda: ground(CURVED, duration=0.05),
        lambda: rubbing("slide"),
        lambda: rubbing("damper"),
        lambda: rubbing("arctan", 0.5),
    ),
    "round_contact": (
        lambda: rounds(LINEAR, duration=0.05),
        lambda: rounds(replace(LINEAR, friction=0.5, creep=0.4), approximate=None, stores=False, duration=0.02),
    ),
    "sticky_contact": (lambda: sticky(True, 0.0), lambda: sticky(True), lambda: sticky(False)),
    "anchored_contact": (lambda: anchored(1.0), lambda: anchored(0.5)),
    "body_contact": (round_bodies, long_bodies),
}
