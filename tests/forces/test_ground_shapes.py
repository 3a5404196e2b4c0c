"""Every shape against the ground: by closed forms, and what thinning a mesh loses."""

import math

import numpy as np
import pytest

from gambol import (
    Body,
    Box,
    Cone,
    Cylinder,
    Ellipsoid,
    Figure,
    GroundContact,
    Hull,
    Joint,
    Mass,
    Mesh,
    Part,
    Placement,
    RoundContact,
    Simulation,
    Sphere,
    Stepping,
    StickyContact,
    Surface,
    Terrain,
    Waves,
    World,
    WorldError,
)
from gambol.forces.contact.support_points import support_points

G = 9.81
IDENTITY, FLAT = Placement(), Terrain()
SIDEWAYS = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # z along -y


def lump(shape, mass=1.0, placement=IDENTITY):
    return Figure("lump", (Body("lump", joint=Joint("free"), parts=(Part(shape, placement, mass=mass),)),))


def on_ground(shape, surface, terrain=FLAT, eps=1e-7, gravity=(0, 0, -G), **stepping):
    figure = lump(shape)
    forces = GroundContact.of_body(figure.root, surface, name="touch")
    return Simulation(World(figure, gravity, forces, terrain=terrain), stepping=Stepping(eps=eps, **stepping))


def turned(axis, angle):
    return Placement.about(axis, angle).rotation


# ---------------------------------------------------------------- rolling and standing
@pytest.mark.parametrize("angle", (5.0, 20.0))
def test_a_cylinder_rolls_down_an_incline(angle):
    """Without slip a = 2/3 g sin; it sinks in by the weight over two points, and feels no corners on the way."""
    angle, radius = math.radians(angle), 0.1
    surface = Surface.bearing(G, points=2, sinkage=1e-5, friction=0.9)
    sim = on_ground(Cylinder(radius, 0.3), surface, Terrain(slope_x=-math.tan(angle)))
    normal, downhill = np.array([math.sin(angle), 0, math.cos(angle)]), np.array([math.cos(angle), 0, -math.sin(angle)])
    depth = G * math.cos(angle) / 2 / surface.stiffness
    sim.reset([*(normal * (radius - depth)), *SIDEWAYS])
    path = sim.run(1.0, every=0.01)
    speed, wanted = path.v[:, 3:] @ downhill, 2.0 / 3.0 * G * math.sin(angle)
    assert speed[-1] == pytest.approx(wanted, rel=2e-3)
    assert path.q[-1, :3] @ downhill == pytest.approx(0.5 * wanted, rel=2e-3)
    assert np.ptp(path.q[:, :3] @ normal) < 2e-7  # smooth: no bumps
    assert np.linalg.norm(path.v[-1, :3]) == pytest.approx(speed[-1] / radius, rel=1e-3)


def test_a_cylinder_stands_on_its_end():
    """On three points, whichever way it is turned; tilted by less than its edge takes, it comes back upright."""
    surface = Surface.bearing(G, points=3, sinkage=1e-4, friction=0.5)
    for spin, tilt in ((0.0, 0.0), (0.3, 0.0), (1.1, 0.05)):
        sim = on_ground(Cylinder(0.1, 0.3), surface)
        turn = Placement.about((0, 0, 1), spin).compose(Placement.about((1, 0, 0), tilt)).rotation
        sim.reset([0, 0, 0.15 - 1e-4 + 0.1 * math.sin(tilt), *turn])
        sim.run(3.0)
        assert sim.q[2] == pytest.approx(0.15 - 1e-4, abs=1e-6)
        told = sim.elements["touch"].report()
        assert sorted(told["force_z"])[-3:] == pytest.approx([G / 3] * 3, rel=1e-3)
        assert np.abs(sim.v).max() < 1e-4
    sim.reset([0, 0, 0.19, *turned((1, 0, 0), math.atan(0.2 / 0.3) + 0.1)])  # beyond its edge: it falls over
    sim.run(4.0)
    assert sim.q[2] == pytest.approx(0.1, abs=1e-3)


def test_a_tilted_cylinder_wobbles_as_a_spring():
    """Small tilts on three springs: stiffness 3/2 k r² about any axis through its end, less the weight's lever."""
    radius, length, stiffness = 0.1, 0.1, 1e5
    surface = Surface(stiffness=stiffness)
    moment = Cylinder(radius, length).mass_properties(1.0 / (math.pi * radius**2 * length)).inertia[0]
    sink = G / (3 * stiffness)
    periods = []
    for direction in (0.0, 0.7):
        sim = on_ground(Cylinder(radius, length), surface, method="rkf45", eps=1e-11)
        axis = (math.cos(direction), math.sin(direction), 0.0)
        tilt = 0.1 * sink / radius
        sim.reset([0, 0, 0.5 * length - sink, *turned(axis, tilt)])
        path = sim.run(0.1, every=1e-4)
        rate = path.v[:, :3] @ axis
        crossings = np.nonzero(rate[:-1] * rate[1:] < 0)[0]
        periods.append(2 * np.mean(np.diff(path.time[crossings])))
    wanted = 2 * math.pi * math.sqrt(moment / (1.5 * stiffness * radius**2))
    assert periods == pytest.approx([wanted, wanted], rel=0.02)


def test_a_cone_rests_on_its_base_and_on_its_side():
    cone = Cone(0.1, 0.24)
    surface = Surface.bearing(G, points=3, sinkage=1e-5, friction=0.5)
    sim = on_ground(cone, surface)
    sim.reset([0, 0, 0.12 - 1e-5, 1, 0, 0, 0])
    sim.run(2.0)
    assert sim.q[2] == pytest.approx(0.12 - 1e-5, abs=1e-7) and np.abs(sim.v).max() < 1e-6
    half_angle = math.atan(0.1 / 0.24)  # on its side its axis falls by the half angle towards the tip
    turn = turned((0, 1, 0), math.pi / 2 + half_angle)
    place = 0.12 * math.sin(half_angle)  # its middle above the ground
    sim.reset([0, 0, place, *turn])
    sim.run(2.0)
    axis = Placement(rotation=tuple(sim.q[3:])).matrix[:, 2]
    assert axis[2] == pytest.approx(-math.sin(half_angle), abs=1e-3)
    assert sim.q[2] == pytest.approx(place, abs=1e-4) and np.abs(sim.v).max() < 1e-3
    told = sim.elements["touch"].report()
    touching = told["force_z"] > 0.1
    assert touching.sum() == 2 and touching[3]  # its tip, and one point of its rim
    # levers about the point of the rim: the centre is a quarter of the height up the axis
    slant = math.hypot(0.1, 0.24)
    share = (slant - 0.75 * 0.24 * math.cos(half_angle)) / slant
    assert told["force_z"][3] / G == pytest.approx(share, rel=1e-3)


# ---------------------------------------------------------------- ellipsoids
def test_height_of_an_ellipsoid_at_rest():
    """On its shortest axis it rests at that height; there it rocks as a body of these radii of curvature does."""
    radii = (0.3, 0.2, 0.1)
    surface = Surface.bearing(G, sinkage=1e-6, friction=0.9)
    sim = on_ground(Ellipsoid(radii), surface)
    sim.reset([0, 0, 0.1, *turned((1, 0, 0), 0.3)])
    highest = math.sqrt((0.2 * math.sin(0.3)) ** 2 + (0.1 * math.cos(0.3)) ** 2)
    assert sim.elements["touch"].report()["depth"][0] == pytest.approx(highest - 0.1, rel=1e-9)
    sim.reset([0, 0, 0.1 - 1e-6, *turned((0, 1, 0), 0.02)])
    path = sim.run(4.0, every=1e-3)
    assert path.q[-1, 2] == pytest.approx(0.1 - 1e-6, abs=1e-4)
    # rolling about the contact: m g (ρ - c) θ against I + m c², ρ = a²/c
    moment = 0.2 * (radii[0] ** 2 + radii[2] ** 2) + radii[2] ** 2
    wanted = 2 * math.pi * math.sqrt(moment / (G * (radii[0] ** 2 / radii[2] - radii[2])))
    rate = path.v[:, 1]
    crossings = np.nonzero(rate[:-1] * rate[1:] < 0)[0]
    assert 2 * np.mean(np.diff(path.time[crossings])) == pytest.approx(wanted, rel=5e-3)


def test_the_normal_is_that_where_it_touches():
    """A large ball as an ellipsoid on waves: its depth is that of the sphere's lowest point along the local normal."""
    terrain = Waves(amplitude=0.05, length_x=2.0)
    surface = Surface(stiffness=1e4)
    ball = Ellipsoid((0.3, 0.3, 0.3))
    contact = RoundContact(body="lump", shape=ball, surface=surface, name="e")
    sim = Simulation(World(lump(ball), forces=(contact,), terrain=terrain))
    x = 0.3
    for height in (0.3, 0.34):
        sim.reset([x, 0, height, 1, 0, 0, 0])
        told = sim.elements["e"].report()
        grid = np.linspace(x - 0.3, x + 0.3, 4001)
        ground = np.array([terrain.height(u, 0.0) for u in grid])
        nearest = np.hypot(grid - x, ground - height).min()
        assert told["depth"][0] == pytest.approx(0.3 - nearest, abs=2e-3)
        assert told["x"][0] > x + 0.01  # the slope rises ahead


def test_shapes_are_passed_over_only_when_clear():
    """The motion feels what the report shows, in packs and on slopes."""
    shapes = (Cylinder(0.1, 0.6), Cone(0.2, 0.5), Ellipsoid((0.3, 0.2, 0.1)))
    rng = np.random.default_rng(3)
    for shape in shapes:
        for terrain in (Terrain(slope_x=0.6, slope_y=-0.3), Waves(amplitude=0.05, length_x=0.5, length_y=0.4)):
            figure = lump(shape, 2.0, Placement((0, 0, -shape.mass_properties(1.0).centre[2])))
            forces = GroundContact.of_body(figure.root, Surface(stiffness=500.0, friction=0.5), name="touch")
            sim = Simulation(World(figure, (0, 0, 0), forces, terrain=terrain), worlds=64)
            turns = rng.normal(size=(64, 4))
            places = rng.uniform((-0.6, -0.6, -0.1), (0.6, 0.6, 0.6), (64, 3))
            sim.reset(np.hstack([places, turns / np.linalg.norm(turns, axis=1)[:, None]]))
            told = sim.elements["touch"].report()
            force = np.stack([told[f"force_{axis}"].sum(axis=1) for axis in "xyz"], axis=1)
            assert 5 < (told["depth"] > 0).any(axis=1).sum() < 60
            assert 2.0 * sim.acceleration[:, 3:] == pytest.approx(force, abs=1e-9)


# ---------------------------------------------------------------- hulls and meshes
def sphere_points(count, radius=0.5):
    k = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * k / count), math.pi * (1 + math.sqrt(5)) * k
    return radius * np.column_stack([np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)])


def test_thinned_points_tell_what_they_lose():
    points = sphere_points(3000)
    found = [support_points(points, most) for most in (16, 64, 256)]
    assert [len(f.points) for f in found] == [16, 64, 256]
    assert found[0].lost > found[1].lost > found[2].lost > 0
    for thinned in found:
        directions = sphere_points(2000, 1.0)
        loss = (points @ directions.T).max(axis=0) - (thinned.points @ directions.T).max(axis=0)
        assert 0.5 * thinned.lost < loss.max() <= thinned.lost + 1e-12
    assert found[1].lost < 0.06 * 0.5 and found[2].lost < 0.02 * 0.5
    with pytest.raises(ValueError, match="at least 4"):
        support_points(points, 3)


def test_inner_points_do_not_count():
    cube = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    inner = np.random.default_rng(1).uniform(0.1, 0.9, (500, 3))
    found = support_points([*cube, *map(tuple, inner)])
    assert sorted(map(tuple, found.points.tolist())) == sorted(map(tuple, np.array(cube, float).tolist()))
    assert (found.given, found.corners, found.lost, found.note("mesh")) == (508, 8, 0.0, "")


def test_flat_meshes_are_thinned_too():
    plate = [(0.01 * i, 0.01 * j, 0.0) for i in range(30) for j in range(30)]
    found = support_points(plate, 20)
    assert len(found.points) == 20 and 0 < found.lost < 0.1


def test_a_mesh_of_thousands_of_points_rests():
    points = sphere_points(4000)
    from scipy.spatial import ConvexHull

    mesh = Mesh(tuple(map(tuple, points)), tuple(map(tuple, ConvexHull(points).simplices.tolist())))
    body = Body(
        "ball", joint=Joint("free"), parts=(Part(mesh, inertial=False), Part(Sphere(0.4), mass=1.0, colliding=False))
    )
    (contact,) = GroundContact.of_body(body, Surface.bearing(G, sinkage=1e-3), name="ball", most=100)
    assert len(contact.points) == 100 and "mesh of 4000 points: 100 of" in contact.note
    sim = Simulation(World(Figure("ball", (body,)), forces=(contact,)))
    sim.reset([0, 0, 0.5, 1, 0, 0, 0])
    sim.run(2.0)
    lost = support_points(points, 100).lost
    assert 0.5 - lost - 2e-3 < sim.q[2] < 0.5


# ---------------------------------------------------------------- whole figures
def zoo():
    tip = lambda name, parent, parts, x: Body(
        name, parent, Joint("hinge", (0, 1, 0)), Placement((x, 0, 0)), parts=tuple(Part(s, mass=0.5) for s in parts)
    )
    bodies = (
        Body("trunk", joint=Joint("free"), parts=(Part(Box((0.4, 0.2, 0.1)), mass=2.0),)),
        tip("wheel", "trunk", (Cylinder(0.1, 0.05),), 0.3),
        tip("nose", "trunk", (Cone(0.05, 0.1), Ellipsoid((0.1, 0.05, 0.05)), Sphere(0.03)), -0.3),
        tip("tail", "nose", (Hull(((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))),), -0.2),
        Body("ghost", "trunk", Joint("hinge", (0, 1, 0)), parts=(Part(Sphere(0.01), mass=0.1, colliding=False),)),
    )
    return Figure("zoo", bodies)


def test_one_line_gives_a_figure_ground_contact():
    surface = Surface.bearing(4 * G, points=8, sinkage=1e-3)
    found = GroundContact.of_figure(zoo(), surface)
    assert {e.body for e in found} == {"zoo/trunk", "zoo/wheel", "zoo/nose", "zoo/tail"}
    names = [e.name for e in found]
    assert "zoo/nose ground" in names and "zoo/nose ground 3" in names and len(set(names)) == len(names) == 6
    sim = Simulation(World(zoo(), forces=found))
    sim.reset([0, 0, 0.4, 1, 0, 0, 0, *np.zeros(sim.q.size - 7)])
    sim.run(3.0)
    weight = sum(sim.elements[name].report()["force_z"].sum() for name in names)
    assert weight == pytest.approx(zoo().mass * G, rel=0.05)
    assert {e.body for e in GroundContact.of_figure(zoo(), surface, bodies=("wheel", "tail"))} == {
        "zoo/wheel",
        "zoo/tail",
    }
    assert "zoo/wheel" not in {e.body for e in GroundContact.of_figure(zoo(), surface, without=("wheel",))}
    assert all(e.line == "floor" for e in GroundContact.of_figure(zoo(), surface, line="floor"))


def test_a_figure_twice_in_a_world():
    from dataclasses import replace

    first, second = zoo(), replace(zoo(), name="other")
    surface = Surface.bearing(4 * G, points=8, sinkage=1e-3)
    world = World(
        (first, second), forces=[*GroundContact.of_figure(first, surface), *GroundContact.of_figure(second, surface)]
    )
    assert len(world.elements) == 12
    Simulation(world).run(1e-3)


def test_what_is_refused_says_why():
    surface = Surface(stiffness=1.0)
    with pytest.raises(WorldError, match=r"'zoo' has no body 'whel'.*did you mean 'wheel'"):
        GroundContact.of_figure(zoo(), surface, bodies=("whel",))
    with pytest.raises(WorldError, match="no colliding shape"):
        GroundContact.of_figure(zoo(), surface, bodies=("ghost",))
    with pytest.raises(WorldError, match="none of its bodies has a colliding shape"):
        GroundContact.of_figure(Figure("bare", (Body("bare", joint=Joint("free"), mass=Mass(1.0)),)), surface)
    with pytest.raises(WorldError, match="where it happens to be lowest"):
        StickyContact.of_figure(zoo(), surface, bodies=("wheel",))
    with pytest.raises(WorldError, match="one of cylinder, cone, ellipsoid, not a box"):
        World(zoo(), forces=[RoundContact(body="wheel", shape=Box((1, 1, 1)), surface=surface)])


def test_welded_shapes_go_with_their_parent():
    surface = Surface(stiffness=1e4)
    world = World(zoo(), forces=GroundContact.of_figure(zoo(), surface))
    welded = world.weld("wheel")
    rounds = [e for e in welded.forces if isinstance(e, RoundContact) and e.name == "zoo/wheel ground"]
    assert rounds[0].placement.position == pytest.approx((0.3, 0, 0))
