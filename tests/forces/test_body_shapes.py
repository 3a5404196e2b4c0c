"""Every shape against every other, in motion: what rests, rolls and stays apart; self-collision in one line."""

import math

import numpy as np
import pytest

from gambol import (
    Body,
    BodyContact,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Figure,
    Hull,
    Joint,
    Mesh,
    Part,
    Placement,
    Simulation,
    Sphere,
    Stepping,
    Surface,
    World,
    WorldError,
)

G = 9.81
CORNER = Hull(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
SHAPES = (
    (Sphere(0.1), 0.1),
    (Capsule(0.1, 0.2), 0.2),
    (Box((0.2, 0.3, 0.2)), 0.1),
    (Cylinder(0.1, 0.3), 0.15),
    (Cone(0.1, 0.24), 0.12),
    (Ellipsoid((0.3, 0.2, 0.1)), 0.1),
    (Hull(tuple((0.1 * x, 0.15 * y, 0.1 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))), 0.1),
)


def lump(name, shape, joint="free", mass=1.0, **options):
    return Figure(name, (Body(name, joint=Joint(joint), parts=(Part(shape, mass=mass, **options),)),))


def pair(one, two, surface, gravity=(0, 0, 0), joint="free", eps=1e-6, **options):
    figures = lump("one", one), lump("two", two, joint)
    contact = BodyContact(body="one", other="two", surface=surface, name="touch", **options)
    return Simulation(World(figures, gravity, (contact,)), stepping=Stepping(eps=eps))


def test_tetrahedra_that_do_not_touch_feel_nothing():
    """0.58 m apart, though their boxes are one; moved together they bounce."""
    surface = Surface.bearing(G, sinkage=1e-3, restitution=0.7)
    opposite = Hull(tuple((1 - x, 1 - y, 1 - z) for x, y, z in CORNER.points))
    sim = pair(CORNER, opposite, surface)
    sim.reset()
    sim.run(1.0)
    assert np.all(sim.v == 0.0) and sim.elements["touch"].report()["depth"].max() <= 0.0
    gap = 1.0 / math.sqrt(3)
    away = np.full(3, 1 / math.sqrt(3))
    sim.reset(sim.layout.zero, np.r_[np.zeros(3), away, np.zeros(3), -away])  # two metres a second at one another
    sim.run(0.5 * gap - 1e-3)
    assert sim.v[3:6] == pytest.approx(away, abs=1e-12)
    sim.run(0.5)
    assert (sim.v[3:6] - sim.v[9:12]) @ away < -0.1  # they bounced
    assert sim.v[3:6] + sim.v[9:12] == pytest.approx(np.zeros(3), abs=1e-9)


def test_every_shape_rests_on_a_table():
    """At its own height less the sinkage, carried in full. One world for all."""
    surface = Surface.bearing(G, points=4, sinkage=1e-3, friction=0.5)
    figures, forces, q, heights = [lump("table", Box((8, 1, 0.2)), "fixed")], [], [], []
    for k, (shape, height) in enumerate(SHAPES):
        figures.append(lump(f"b{k}", shape))
        forces.append(BodyContact(body=f"b{k}", other="table", surface=surface, name=f"b{k}"))
        q += [k - 3.0, 0, 0.1 + height - 1e-3, 1, 0, 0, 0]
        heights.append(0.1 + height)
    sim = Simulation(World(figures, forces=forces), stepping=Stepping(eps=1e-6))
    sim.reset(q)
    sim.run(1.0)
    found = sim.q.reshape(-1, 7)[:, 2]
    points = np.array([1, 1, 4, 4, 4, 1, 4])
    sink = 4e-3 / points
    upright = [0, 2, 3, 4, 5, 6]  # the capsule stands on its end, which does not last
    assert found[upright] == pytest.approx((np.array(heights) - sink)[upright], abs=2e-5)
    for k in upright:
        assert sim.elements[f"b{k}"].report()["force_z"].sum() == pytest.approx(G, rel=1e-3)


def test_a_cylinder_rolls_down_a_board():
    """a = 2/3 g sin, on a fixed board that is tilted; the mean over the way."""
    angle = math.radians(10.0)
    surface = Surface.bearing(G, points=2, sinkage=1e-4, friction=0.9)
    gravity = (G * math.sin(angle), 0, -G * math.cos(angle))
    sim = pair(Cylinder(0.1, 0.3), Box((8, 1, 0.2)), surface, gravity, "fixed")
    depth = G * math.cos(angle) / 2 / surface.stiffness
    sim.reset([-2, 0, 0.2 - depth, math.sqrt(0.5), math.sqrt(0.5), 0, 0])
    sim.run(1.0)
    assert sim.v[3] == pytest.approx(2 / 3 * G * math.sin(angle), rel=3e-3)
    assert sim.v[1] == pytest.approx(sim.v[3] / 0.1, rel=3e-3) and abs(sim.q[1]) < 1e-6


def ring(count=8, radius=0.2, thick=0.02):
    """Capsules end to end around the z axis; the hole is radius - thick."""
    length, parts = 2 * radius * math.tan(math.pi / count), []
    for angle in 2 * math.pi * np.arange(count) / count:
        turn = Placement.about((0, 0, 1), angle).compose(Placement.about((1, 0, 0), math.pi / 2)).rotation
        place = Placement((radius * math.cos(angle), radius * math.sin(angle), 0), turn)
        parts.append(Part(Capsule(thick, length), place, mass=1.0))
    return Figure("ring", (Body("ring", joint=Joint("fixed"), parts=tuple(parts)),))


@pytest.mark.parametrize("speed", (1.0, 300.0))
def test_a_sphere_goes_through_a_ring_of_capsules_or_comes_back(speed):
    """Smaller than the hole it feels nothing; larger it turns back, however fast."""
    for radius, through in ((0.15, True), (0.2, False)):
        contact = BodyContact(body="ball", other="ring", surface=Surface(stiffness=1e8))
        world = World((lump("ball", Sphere(radius)), ring()), (0, 0, 0), (contact,))
        sim = Simulation(world, stepping=Stepping(eps=1e-3))
        sim.reset([0, 0, 0.5, 1, 0, 0, 0], [0, 0, 0, 0, 0, -speed])
        sim.run(1.0 / speed)
        if through:
            assert sim.v[5] == pytest.approx(-speed, rel=1e-12) and sim.q[2] == pytest.approx(-0.5, abs=1e-9)
        else:
            assert sim.q[2] > 0.0 and sim.v[5] == pytest.approx(speed, rel=0.02)


@pytest.mark.parametrize("x, stays", ((0.195, True), (0.201, False)))
def test_a_cylinder_across_an_edge_stays_or_falls(x, stays):
    """Its centre 5 mm inside the edge of a table, or 1 mm outside."""
    surface = Surface.bearing(G, points=2, sinkage=1e-5, friction=0.8)
    sim = pair(Cylinder(0.05, 0.3), Box((0.4, 0.6, 0.2)), surface, (0, 0, -G), "fixed", eps=1e-5, rounding=0.0)
    sim.reset([x, 0, 0.15 - 1e-5, math.sqrt(0.5), math.sqrt(0.5), 0, 0])
    sim.run(1.0)
    assert sim.q[2] == pytest.approx(0.15, abs=1e-3) if stays else sim.q[2] < -0.5


def test_a_stack_of_five_carries_what_is_above():
    """After 5 s, to 1 %, and nothing has crept by a millimetre; in a pack the same."""
    surface = Surface.bearing(3 * G, points=4, sinkage=2e-4, friction=0.6)
    figures = [lump(f"s{k}", Box((0.2, 0.2, 0.1))) for k in range(5)] + [lump("table", Box((1, 1, 0.2)), "fixed")]
    lower = ("table", "s0", "s1", "s2", "s3")
    forces = [BodyContact(body=f"s{k}", other=lower[k], surface=surface, name=f"c{k}") for k in range(5)]
    q = np.tile([0.0, 0, 0, 1, 0, 0, 0], (5, 1))
    q[:, 2] = 0.15 + 0.1 * np.arange(5)
    ends = []
    for options in ({}, {"worlds": 2}):
        sim = Simulation(World(figures, forces=forces), stepping=Stepping(eps=1e-4), **options)
        sim.reset(q.ravel() if not options else np.tile(q.ravel(), (2, 1)))
        sim.run(5.0)
        ends.append(np.atleast_2d(sim.q)[0].reshape(5, 7))
        carried = [np.atleast_2d(sim.elements[f"c{k}"].report()["force_z"])[0].sum() for k in range(5)]
        assert carried == pytest.approx(G * np.arange(5, 0, -1), rel=0.01)
    assert np.abs(ends[0][:, :2]).max() < 1e-3 and ends[1] == pytest.approx(ends[0], abs=1e-6)


def test_worlds_of_a_pack_see_their_own_pairs():
    """Random poses of every pair of shapes: packs feel what single worlds feel, equal and opposite."""
    rng = np.random.default_rng(4)
    shapes = [shape for shape, _ in SHAPES]
    figures = [lump(f"b{k}", shape) for k, shape in enumerate(shapes)]
    contacts = BodyContact.of_figures(figures, Surface(stiffness=1e4, damping=10.0, friction=0.5))
    world = World(figures, (0, 0, 0), contacts)
    many = Simulation(world, worlds=11)
    turns = rng.normal(size=(11, 7, 4))
    turns /= np.linalg.norm(turns, axis=2)[..., None]
    q = np.concatenate([rng.uniform(-0.2, 0.2, (11, 7, 3)), turns], axis=2).reshape(11, -1)
    v = rng.normal(size=(11, 42))
    many.reset(q, v)
    one = Simulation(world)
    touched = 0
    for k in range(11):
        one.reset(q[k], v[k])
        assert many.acceleration[k] == pytest.approx(one.acceleration, rel=1e-9, abs=1e-6)
        total = one.acceleration.reshape(7, 6)[:, 3:] - 0.0
        mass_centres = [figure.root.mass_properties.centre for figure in figures]
        level = [i for i, c in enumerate(mass_centres) if not np.any(c)]
        touched += int(np.abs(total[level]).max() > 0)
        for contact in contacts:
            told = one.elements[contact.name].report()
            assert np.all(told["depth"] < 0.5)
    assert touched == 11


def limb():
    """A trunk with two arms of two links, all in one place."""
    links = [Body("trunk", joint=Joint("free"), parts=(Part(Box((0.3, 0.2, 0.4)), mass=5.0),))]
    rod, ball = Part(Capsule(0.04, 0.2), Placement((0, 0, -0.1)), mass=1.0), Part(Sphere(0.05), mass=0.5)
    for side, y in (("left", 0.2), ("right", -0.2)):
        shoulder, wrist = Placement((0, y, 0.1)), Placement((0, 0, -0.25))
        links.append(Body(f"{side}_arm", "trunk", Joint("hinge", (0, 1, 0)), shoulder, parts=(rod,)))
        links.append(Body(f"{side}_hand", f"{side}_arm", Joint("hinge", (1, 0, 0)), wrist, parts=(ball,)))
    return Figure("limb", tuple(links))


def names(found):
    return {tuple(sorted(part.split("/")[1] for part in e.name.split(" against "))) for e in found}


def test_self_collision_in_one_line():
    surface = Surface(stiffness=1e4)
    every = BodyContact.of_figures(limb(), surface)
    assert names(every) == {
        ("left_hand", "trunk"),
        ("right_hand", "trunk"),
        ("left_arm", "right_arm"),
        ("left_arm", "right_hand"),
        ("left_hand", "right_arm"),
        ("left_hand", "right_hand"),
    }
    assert len(BodyContact.of_figures(limb(), surface, neighbours=2)) == 3
    assert len(BodyContact.of_figures(limb(), surface, neighbours=0)) == 10
    arms = ("left_arm", "left_hand"), ("right_arm", "right_hand")
    assert names(BodyContact.of_figures(limb(), surface, groups=[sum(arms, ())])) == {
        ("left_hand", "trunk"),
        ("right_hand", "trunk"),
    }
    assert len(BodyContact.of_figures(limb(), surface, without=[("left_hand", "trunk")])) == 5
    assert names(BodyContact.of_figures(limb(), surface, bodies=("left_hand", "right_hand"))) == {
        ("left_hand", "right_hand")
    }
    with pytest.raises(WorldError, match="there is no body 'left_hnad'; did you mean 'left_hand'"):
        BodyContact.of_figures(limb(), surface, without=[("left_hnad", "trunk")])
    two = limb(), Figure("other", limb().bodies)
    assert len(BodyContact.of_figures(two, surface)) == 2 * 6 + 25
    with pytest.raises(WorldError, match="several figures have a body 'trunk': limb/trunk, other/trunk"):
        BodyContact.of_figures(two, surface, bodies=("trunk",))


def test_what_is_refused_says_why():
    surface = Surface(stiffness=1.0)
    bare = Figure("bare", (Body("bare", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=1.0, colliding=False),)),))
    world = World((bare, lump("two", Sphere(0.1))), forces=[BodyContact(body="bare", other="two", surface=surface)])
    with pytest.raises(WorldError, match="'bare' has no colliding shape; give one"):
        Simulation(world)
    cube = Mesh(CORNER.points, ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
    contact = BodyContact(body="one", other="two", surface=surface)
    open_mesh = World((lump("one", cube, convex=False), lump("two", Sphere(0.1))), forces=[contact])
    with pytest.raises(WorldError, match="not to be taken for its hull"):
        Simulation(open_mesh)
    with pytest.raises(WorldError, match="rounding must lie between"):
        World(bare, forces=[BodyContact(body="bare", other="two", surface=surface, rounding=0.5)])
