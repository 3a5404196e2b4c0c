"""What contact must do: stick and slip, roll, bounce, carry stacks, and never pass over a fault in silence."""

import math
from pathlib import Path

import numpy as np
import pytest

from gambol import (
    MATERIALS,
    Body,
    BodyContact,
    Box,
    Capsule,
    Cylinder,
    Figure,
    Grid,
    GroundContact,
    Hull,
    Joint,
    Part,
    Placement,
    Simulation,
    Sphere,
    Stairs,
    Stepping,
    StickyContact,
    Surface,
    Terrain,
    Waves,
    World,
    WorldError,
    box_figure,
    material,
)
from gambol.forces.contact.surface import damping_ratio

G = 9.81
SIZE = (0.2, 0.2, 0.1)


def ball(radius=0.1, mass=1.0, name="ball"):
    return Figure(name, (Body(name, joint=Joint("free"), parts=(Part(Sphere(radius), mass=mass),)),))


# ---------------------------------------------------------------- on a slope
def block_on_slope(angle, surface):
    block = box_figure(SIZE, mass=1.0)
    contact = GroundContact.of_body(block.root, surface, name="corners")
    sim = Simulation(
        World(block, forces=contact, terrain=Terrain(slope_x=math.tan(angle))), stepping=Stepping(eps=1e-6)
    )
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    height = 0.5 * SIZE[2] - G * math.cos(angle) / 4 / surface.stiffness
    sim.reset([*(normal * height), math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0])
    return sim, np.array([math.cos(angle), 0.0, math.sin(angle)])


def test_a_block_sticks_on_a_slope():
    """It creeps: against the damper at the speed that carries the load, under "slide" at a share of `creep`."""
    angle, friction = math.radians(20.0), 0.5
    surface = Surface.bearing(G, points=4, sinkage=1e-4, friction=friction)
    sim, uphill = block_on_slope(angle, surface)
    sim.run(1.0)
    speed = -sim.v[3:] @ uphill
    assert speed == pytest.approx(G * math.sin(angle) / (4 * surface.grip), rel=1e-3)
    sliding = Surface(stiffness=surface.stiffness, damping=surface.damping, friction=friction, creep=1e-4)
    sim, uphill = block_on_slope(angle, sliding)
    sim.run(1.0)
    share = math.tan(angle) / friction
    assert -sim.v[3:] @ uphill == pytest.approx(1e-4 * share / math.sqrt(1 - share**2), rel=1e-2)
    assert np.linalg.norm(sim.q[:3]) < 0.051


@pytest.mark.parametrize("law", ("slide", "damper", "arctan"))
def test_a_block_slips_on_a_steeper_slope(law):
    angle, friction = math.radians(35.0), 0.5
    surface = Surface.bearing(G, points=4, sinkage=1e-4, friction=friction, law=law)
    sim, uphill = block_on_slope(angle, surface)
    sim.run(0.2)
    first = sim.v[3:] @ uphill
    sim.run(0.5)
    wanted = G * (math.sin(angle) - friction * math.cos(angle))
    assert (first - sim.v[3:] @ uphill) / 0.5 == pytest.approx(wanted, rel=2e-2 if law == "arctan" else 2e-3)


def test_books_of_a_sliding_block():
    """What gravity gave and the block did not keep went to the contact."""
    surface = Surface.bearing(G, points=4, sinkage=1e-3, friction=0.3, law="slide")
    block = box_figure(SIZE, mass=1.0)
    contact = GroundContact.of_body(block.root, surface)
    sim = Simulation(World(block, forces=contact), stepping=Stepping(method="rkf45", eps=1e-10))
    sim.reset([0, 0, 0.08, 1, 0, 0, 0], [0, 0, 0, 1.0, 0.2, 0])
    sim.run(0.5)
    books = sim.ledger()
    lost = books["kinetic"] + books["gravity"] - books["opening"]
    assert books["work of ground_contact"] == pytest.approx(lost, abs=1e-6) and lost < -0.5


# ---------------------------------------------------------------- rolling and bouncing
def test_sphere_slides_into_rolling():
    radius, friction = 0.1, 0.3
    surface = Surface(stiffness=G / 1e-4, damping=500.0, friction=friction, law="slide", creep=1e-4)
    contact = GroundContact(body="ball", points=((0, 0, 0),), radius=radius, surface=surface, name="ball")
    sim = Simulation(World(ball(radius), forces=(contact,)), stepping=Stepping(eps=1e-6))
    sim.reset([0, 0, radius - 1e-4, 1, 0, 0, 0], [0, 0, 0, 1.0, 0, 0])
    rolls = 2.0 / (7.0 * friction * G)
    sim.run(0.5 * rolls)
    assert sim.v[3] == pytest.approx(1.0 - friction * G * 0.5 * rolls, rel=1e-3)
    sim.run(3.0 * rolls)
    assert sim.v[3] == pytest.approx(5.0 / 7.0, rel=1e-3)
    assert sim.v[3] - radius * sim.v[1] == pytest.approx(0.0, abs=1e-4)
    assert sim.elements["ball"].report()["depth"][0] == pytest.approx(1e-4, rel=1e-3)


def bounce(surface, speed=2.0):
    """Speed out over speed in of a ball of one kilogram without weight."""
    contact = GroundContact(body="ball", points=((0, 0, 0),), radius=0.1, surface=surface)
    sim = Simulation(
        World(ball(), (0, 0, 0), forces=(contact,)), stepping=Stepping(method="rkf45", step=1e-7, eps=1e-10)
    )
    sim.reset([0, 0, 0.1, 1, 0, 0, 0], [0, 0, 0, 0, 0, -speed])
    sim.run(0.5)
    assert sim.q[2] > 0.1
    return sim.v[5] / speed


@pytest.mark.parametrize("wanted", (0.05, 0.3, 0.6, 0.9))
def test_restitution_of_a_bearing_surface(wanted):
    assert bounce(Surface.bearing(G, sinkage=1e-5, restitution=wanted)) == pytest.approx(wanted, rel=0.02, abs=2e-3)


def test_critical_damping_and_its_neighbours():
    ratios = [damping_ratio(e) for e in (0.999, 0.5, 0.2, math.exp(-2.0), 0.1, 0.01)]
    assert np.all(np.diff(ratios) > 0) and ratios[3] == pytest.approx(1.0, rel=1e-6)
    assert (damping_ratio(0.0), damping_ratio(1.0)) == (1.0, 0.0)
    assert "critical" in Surface.bearing(100.0, sinkage=1e-3).note


@pytest.mark.parametrize("factor", (0.25, 0.81))
def test_restitution_rule_multiplies_the_force_on_the_way_out(factor):
    """Energy is given back in this share, speed in its root."""
    surface = Surface(stiffness=1e5, restitution=factor, turn=1e-4)
    assert bounce(surface) == pytest.approx(math.sqrt(factor), rel=2e-3)


# ---------------------------------------------------------------- bodies on bodies
def stack(count, askew=0.0, rounding=0.05):
    names = [f"box{k}" for k in range(count)]
    boxes = [box_figure((0.3, 0.3, 0.2), mass=2.0, name=name) for name in names]
    surface = Surface.bearing(2.0 * G * count, points=4, sinkage=2e-4, friction=0.6)
    forces = list(GroundContact.of_body(boxes[0].root, surface))
    forces += [
        BodyContact(body=a, other=b, surface=surface, rounding=rounding, name=f"{a} {b}")
        for a, b in zip(names[1:], names)
    ]
    q = []
    for k in range(count):
        turn = 0.05 * askew * k
        q += [0.01 * askew * k, -0.015 * askew * k, 0.1 + 0.2 * k, math.cos(turn), 0, 0, math.sin(turn)]
    return World(boxes, forces=forces), np.array(q)


@pytest.mark.parametrize(("askew", "rounding", "creeps"), ((0.0, 0.05, 1e-4), (1.0, 0.01, 2e-3)))
def test_a_stack_of_three_boxes_stays_at_rest(askew, rounding, creeps):
    """One on the other, or each turned and shifted a little; over ten seconds they creep by no more than this [m]."""
    world, q = stack(3, askew, rounding)
    sim = Simulation(world, stepping=Stepping(method="implicit-pair", eps=1e-5))
    sim.reset(q)
    sim.run(1.0)
    settled = sim.q
    sim.run(9.0)
    moved = np.abs((sim.q - settled).reshape(3, 7))
    assert moved[:, :3].max() < creeps and moved[:, 3:].max() < 3 * creeps
    assert np.abs(sim.v).max() < 1e-3
    for k, weight in ((1, 4.0 * G), (2, 2.0 * G)):
        told = sim.elements[f"box{k} box{k - 1}"].report()
        assert told["force_z"].sum() == pytest.approx(weight, rel=2e-2)
    assert np.all(np.abs(settled.reshape(3, 7)[:, 2] - (0.1 + 0.2 * np.arange(3))) < 1e-3)


def test_crossed_edges_hold():
    """A box on its edge across the edge of another."""
    half = math.radians(22.5)
    lower = Figure(
        "lower",
        (
            Body(
                "lower",
                joint=Joint("fixed"),
                placement=Placement((0, 0, 0), (math.cos(half), math.sin(half), 0, 0)),
                parts=(Part(Box((0.4, 0.2, 0.2)), mass=1.0),),
            ),
        ),
    )
    lift = 0.2 * math.sqrt(2.0) - 2 * 0.01 * (math.sqrt(2.0) - 1.0)  # rounded edges lie lower
    place = Placement((0, 0, lift), (math.cos(half), 0, math.sin(half), 0))
    upper = Figure(
        "upper",
        (
            Body(
                "upper",
                joint=Joint("slide", (-math.sqrt(0.5), 0, math.sqrt(0.5))),
                placement=place,
                parts=(Part(Box((0.2, 0.4, 0.2)), mass=1.0),),
            ),
        ),
    )
    surface = Surface.bearing(G, sinkage=5e-4, friction=0.0)
    touch = BodyContact(body="upper", other="lower", surface=surface, name="touch")
    sim = Simulation(World((lower, upper), forces=(touch,)))
    axis = sim.mechanics.jacobian(sim.q, "upper")[3:, 0]
    assert axis == pytest.approx([0, 0, axis[2]], abs=1e-12)
    sim.run(2.0)
    told = sim.elements["touch"].report()
    assert told["force_z"].sum() == pytest.approx(G, rel=2e-3)
    assert told["depth"][np.abs(told["force_z"]) > 1.0] == pytest.approx(5e-4, rel=2e-2)
    assert sim.q[0] * axis[2] == pytest.approx(-5e-4, rel=1e-2)


def test_a_capsule_lies_flat_on_a_box():
    """Both its ends carry."""
    table = box_figure((1.0, 1.0, 0.2), mass=1.0, name="table", joint="fixed")
    rod = Figure("rod", (Body("rod", joint=Joint("free"), parts=(Part(Capsule(0.05, 0.4), mass=1.0),)),))
    surface = Surface.bearing(G, points=2, sinkage=1e-3)
    sim = Simulation(World((table, rod), forces=(BodyContact(body="rod", other="table", surface=surface, name="rod"),)))
    turned = [math.sqrt(0.5), 0, math.sqrt(0.5), 0]
    sim.reset([0.1, 0.05, 0.149, *turned])
    sim.run(1.0)
    told = sim.elements["rod"].report()
    assert sorted(told["force_z"])[-2:] == pytest.approx([G / 2, G / 2], rel=1e-3)
    assert np.abs(sim.v).max() < 1e-6 and sim.q[2] == pytest.approx(0.149, abs=1e-5)


# ---------------------------------------------------------------- what is cut off, and what is refused
def test_the_guard_of_the_exponential_counts():
    surface = Surface(strength=1e-3, rise=2000.0, damping=10.0)
    contact = GroundContact(body="ball", points=((0, 0, 0),), radius=0.1, surface=surface, name="foot")
    sim = Simulation(World(ball(), forces=(contact,)), stepping=Stepping(method="rk4", step=1e-7))
    sim.reset([0, 0, 0.099, 1, 0, 0, 0])
    sim.run(1e-5)
    assert sim.elements["foot"].get("clipped") == 0.0 and sim.elements.clipped() == {}
    sim.reset([0, 0, 0.07, 1, 0, 0, 0])  # e^60
    sim.run(1e-7)
    assert sim.elements.clipped() == {"foot": 4.0}  # four stages of a step
    force = sim.elements["foot"].report()["force_z"][0]
    assert np.isfinite(force) and force == pytest.approx(1e-3 * math.expm1(35.0), rel=1e-6)


def test_a_surface_no_deeper_than_allowed():
    surface = Surface(stiffness=1000.0, deepest=0.01)
    contact = GroundContact(body="ball", points=((0, 0, 0),), radius=0.1, surface=surface, name="foot")
    sim = Simulation(World(ball(), forces=(contact,)))
    sim.reset([0, 0, 0.07, 1, 0, 0, 0])
    assert sim.elements["foot"].report()["force_z"][0] == pytest.approx(10.0)
    assert sim.elements["foot"].get("clipped") == 0  # looking counts nothing
    sim.run(1e-4)
    assert sim.elements["foot"].get("clipped") > 0


def test_a_foot_on_a_triangle_grid_is_a_foot_on_its_plane():
    slope, level, cell = (0.3, -0.2), 0.05, 0.25
    rows = [[level + slope[0] * (cell * i - 2) + slope[1] * (cell * j - 2) for j in range(17)] for i in range(17)]
    plane = Terrain(level=level, slope_x=slope[0], slope_y=slope[1])
    grid = Grid(table=tuple(map(tuple, rows)), cell=cell, x0=-2.0, y0=-2.0)
    block = box_figure(SIZE, mass=1.0)
    contact = GroundContact.of_body(block.root, Surface.bearing(G, points=4, sinkage=1e-3, friction=0.2))
    ends = []
    for terrain in (plane, grid):
        sim = Simulation(
            World(block, forces=contact, terrain=terrain), stepping=Stepping(method="implicit-euler", step=1e-3)
        )
        sim.reset([0.03, 0.04, 0.2, 1, 0, 0, 0], [0.5, 0.2, 0.1, 0.3, 0.1, 0])
        sim.run(0.5)
        ends.append(np.concatenate([sim.q, sim.v]))
    assert np.abs(ends[0] - ends[1]).max() < 1e-9
    assert np.abs(ends[0][:2]).max() > 0.1  # it went over several cells


def test_contacts_of_a_body():
    parts = (
        Part(Box((0.2, 0.2, 0.2)), mass=1.0),
        Part(Sphere(0.1), Placement((0, 0, 1)), mass=1.0),
        Part(Capsule(0.1, 0.4), mass=1.0),
        Part(Hull(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))), mass=1.0),
        Part(Sphere(0.5), mass=1.0, colliding=False),
    )
    surface = Surface(stiffness=1.0)
    flat, round_ = GroundContact.of_body(Body("b", joint=Joint("free"), parts=parts), surface, name="b")
    assert (flat.radius, len(flat.points), flat.name) == (0.0, 12, "b")
    assert (round_.radius, len(round_.points), round_.name) == (0.1, 3, "b 2")
    assert (0.0, 0.0, 1.0) in round_.points
    with pytest.raises(WorldError, match="a cylinder touches where it happens to be lowest"):
        StickyContact.of_body(Body("b", parts=(Part(Cylinder(0.1, 0.2), mass=1.0),)), surface)
    with pytest.raises(WorldError, match="no colliding shape"):
        GroundContact.of_body(Body("b"), surface)


def test_faults_of_surfaces_are_named():
    surface = Surface(friction=-1.0, law="slid", creep=0.0)
    with pytest.raises(WorldError) as error:
        World(ball(), forces=(GroundContact(body="ball", points=(), surface=surface),))
    text = str(error.value)
    for words in (
        "friction must not be negative",
        "did you mean 'slide'",
        "creep must be positive",
        "needs a stiffness",
        "at least one point",
    ):
        assert words in text
    with pytest.raises(WorldError, match="sinkage must be positive"):
        Surface.bearing(1.0, sinkage=0.0)


def test_materials_are_those_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "forces.md").read_text()
    for name, (sinkage, restitution, friction) in MATERIALS.items():
        assert f"| {name} | {sinkage * 1e3:g} | {restitution:g} | {friction:g} |" in page
        surface = material(name, 100.0, points=4, size=0.5)
        assert surface.stiffness == pytest.approx(25.0 / (0.5 * sinkage)) and surface.friction == friction
    with pytest.raises(WorldError, match="did you mean 'sand'"):
        material("sandy", 1.0)


@pytest.mark.parametrize(
    "terrain",
    [
        Terrain(level=0.02),
        Terrain(slope_x=0.6, slope_y=-0.3),
        Waves(amplitude=0.05, length_x=0.5, length_y=0.4),
        Stairs(start=0.0, length=0.3, rise=0.1, edge=0.02),
    ],
)
@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_no_point_that_touches_is_passed_over(terrain, radius):
    """Whole bodies and single points are passed over where they are clear: the motion feels what the report shows."""
    box = Part(Box((0.6, 0.1, 0.2)), mass=2.0)
    figure = Figure("box", (Body("box", joint=Joint("free"), parts=(box,)),))
    corners = [(0.3 * x, 0.05 * y, 0.1 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    surface = Surface(stiffness=500.0, damping=3.0, friction=0.5)
    contact = GroundContact(body="box", points=corners, surface=surface, radius=radius, name="contact")
    sim = Simulation(World(figure, (0.0, 0.0, 0.0), [contact], terrain=terrain), worlds=64)
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(64, 4))
    places = rng.uniform((-0.6, -0.6, -0.1), (0.6, 0.6, 0.6), (64, 3))
    sim.reset(np.hstack([places, turns / np.linalg.norm(turns, axis=1)[:, None]]), rng.normal(size=(64, 6)))
    report = sim.elements["contact"].report()
    force = np.stack([report[f"force_{axis}"].sum(axis=1) for axis in "xyz"], axis=1)
    touching = (report["depth"] > 0).any(axis=1)
    assert 5 < touching.sum() < 60
    assert 2.0 * sim.acceleration[:, 3:] == pytest.approx(force, abs=1e-9)
