"""The ground: heights and slopes of every shape, and its faults."""

import numpy as np
import pytest

from gambol import (
    Body,
    Capsule,
    Ditch,
    Figure,
    Grid,
    GroundContact,
    Joint,
    Part,
    Rough,
    Simulation,
    Sphere,
    Stairs,
    Surface,
    Terrain,
    Waves,
    World,
    WorldError,
)

RNG = np.random.default_rng(5)
TABLE = tuple(tuple(row) for row in RNG.normal(0.0, 0.1, (6, 5)))
GROUNDS = {
    "plane": Terrain(level=0.3, slope_x=0.2, slope_y=-0.1),
    "waves": Waves(amplitude=0.2, length_x=0.7, length_y=1.3, slope_x=0.1),
    "wave": Waves(amplitude=0.2, length_x=0.7),
    "ditch": Ditch(start=-0.3, width=0.8, depth=0.4, edge=0.2, level=0.1),
    "stairs": Stairs(start=-0.2, length=0.3, rise=0.1, edge=0.05, slope_y=0.2),
    "rough": Rough(amplitude=0.1, length=1.0, octaves=4, roughness=0.6, seed=0.7),
    "grid": Grid(table=TABLE, cell=0.4, x0=-0.7, y0=-0.9, slope_x=0.1),
}


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.nojit
def test_slopes_are_the_derivatives_of_the_height(name):
    ground, step, checked = GROUNDS[name], 1e-5, 0
    for x, y in np.random.default_rng(6).uniform(-1.2, 1.2, (60, 2)):
        _, hx, hy = ground.ground(x, y)
        h = lambda dx, dy, x=x, y=y: ground.height(x + dx, y + dy)
        centre = h(0, 0)
        bent = abs(h(step, 0) + h(-step, 0) - 2 * centre) + abs(h(0, step) + h(0, -step) - 2 * centre)
        if bent > 1e-7:
            continue  # on an edge between two faces
        checked += 1
        assert (h(step, 0) - h(-step, 0)) / (2 * step) == pytest.approx(hx, abs=1e-6)
        assert (h(0, step) - h(0, -step)) / (2 * step) == pytest.approx(hy, abs=1e-6)
    assert checked > 50


def test_a_flight_ends_on_a_landing():
    flight, endless = (Stairs(start=1.0, length=0.3, rise=0.2, steps=steps) for steps in (3, 0))
    x = np.array([0.9, 1.1, 1.4, 1.7, 1.95, 9.0])
    points = np.column_stack([x, np.zeros(6)])
    assert flight.heights_at(points) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.6, 0.6])
    assert endless.heights_at(points)[:4] == pytest.approx([0.0, 0.2, 0.4, 0.6]) and endless.height(9.0, 0.0) > 5.0
    assert flight.ground(1.9, 0.0)[1] == 0.0 and flight.ground(1.6005, 0.0)[1] > 100.0


def test_heights():
    assert GROUNDS["plane"].height(1.0, 2.0) == pytest.approx(0.3)
    assert GROUNDS["waves"].height(0.175, 0.325) == pytest.approx(0.4 + 0.0175)
    ditch, stairs = GROUNDS["ditch"], GROUNDS["stairs"]
    assert [ditch.height(x, 0.0) for x in (-0.31, -0.2, 0.0, 0.29, 0.4, 0.51)] == pytest.approx(
        [0.1, -0.1, -0.3, -0.3, -0.1, 0.1]
    )
    assert [stairs.height(x, 0.0) for x in (-0.21, -0.14, 0.09, 0.125, 0.2)] == pytest.approx([0, 0.1, 0.1, 0.15, 0.2])
    first, last = GROUNDS["rough"].height(0.3, 0.4), Rough(amplitude=0.1, length=1.0, seed=1.7).height(0.3, 0.4)
    assert first != last


@pytest.mark.parametrize("name", GROUNDS)
def test_many_points_at_once(name):
    points = RNG.uniform(-2.0, 2.0, (20, 2))
    assert np.array_equal(GROUNDS[name].heights_at(points), [GROUNDS[name].height(x, y) for x, y in points])
    net = GROUNDS[name].heights_over(np.array([0.1, 0.7]), np.array([-0.2, 0.0, 0.3]))
    assert net.shape == (2, 3) and net[1, 2] == GROUNDS[name].height(0.7, 0.3)


def test_a_grid_on_triangles():
    grid = GROUNDS["grid"]
    for i, j in ((0, 0), (3, 2), (5, 4)):
        x, y = -0.7 + 0.4 * i, -0.9 + 0.4 * j
        assert grid.height(x, y) == pytest.approx(TABLE[i][j] + 0.1 * x)
    a, b, c, d = TABLE[2][1], TABLE[3][1], TABLE[2][2], TABLE[3][2]  # a cell; its diagonal goes from a to d
    x, y = -0.7 + 0.8, -0.9 + 0.4
    assert grid.height(x + 0.2, y + 0.2) == pytest.approx((a + d) / 2 + 0.1 * (x + 0.2))
    assert grid.height(x + 0.3, y + 0.1) == pytest.approx(a + 0.75 * (b - a) + 0.25 * (d - b) + 0.1 * (x + 0.3))
    assert grid.height(x + 0.1, y + 0.3) == pytest.approx(a + 0.75 * (c - a) + 0.25 * (d - c) + 0.1 * (x + 0.1))
    assert grid.height(50.0, -50.0) == pytest.approx(TABLE[5][0] + 5.0)  # its edge goes on level
    assert grid.ground(50.0, -50.0)[1:] == pytest.approx((0.1, 0.0))


def test_every_world_on_its_own_ground():
    """The terrain's numbers are parameters: a ball in each of three worlds, on three slopes, on a grid and a plane."""
    ball = Figure("ball", (Body("ball", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=1.0),)),))
    foot = GroundContact(body="ball", points=((0, 0, 0),), radius=0.1, surface=Surface(stiffness=1e3, damping=30.0))
    for terrain in (Terrain(), GROUNDS["grid"]):
        world = World(ball, forces=(foot,), terrain=terrain)
        many = Simulation(world, worlds=3)
        many.reset([0, 0, 0.3, 1, 0, 0, 0])
        many.elements["terrain"].set("slope_x", [0.0, 0.2, -0.4])
        many.run(0.5)
        for k, slope in enumerate((0.0, 0.2, -0.4)):
            one = Simulation(world)
            one.reset([0, 0, 0.3, 1, 0, 0, 0])
            one.elements["terrain"].set("slope_x", slope)
            one.run(0.5)
            assert many.q[k] == pytest.approx(one.q, abs=1e-9)
        assert len({round(x, 6) for x in many.q[:, 0]}) == 3


def test_a_long_body_on_a_steep_slope_set_later():
    """Whether anything can touch is judged by the slope as it is now."""
    rod = Figure("rod", (Body("rod", joint=Joint("free"), parts=(Part(Capsule(0.01, 2.0), mass=1.0),)),))
    sim = Simulation(World(rod, forces=GroundContact.of_body(rod.root, Surface(stiffness=1e3), name="ends")))
    sim.reset([0, 0, 2.5, np.sqrt(0.5), 0, np.sqrt(0.5), 0])
    assert sim.acceleration[5] == pytest.approx(-9.81)
    sim.elements["terrain"].set("slope_x", 3.0)
    assert sim.elements["ends"].report()["depth"].max() > 0.1
    assert sim.acceleration[5] > 0.0


@pytest.mark.parametrize(
    ("terrain", "words"),
    (
        (Stairs(start=0.0, length=0.0, rise=0.1), "length must be positive"),
        (Stairs(start=0.0, length=0.3, rise=0.1, steps=-1), "steps must be a whole number"),
        (Ditch(start=0.0, width=1.0, depth=0.1, edge=0.0), "edge must be positive"),
        (Terrain(level=float("nan")), "level must be finite"),
        (Grid(table=((0.0, 1.0), (1.0,)), cell=0.1), "equally long"),
        (Grid(table=((0.0, 1.0),), cell=0.1), "at least 2 × 2"),
        (Grid(table=((0.0, 1.0), (float("inf"), 0.0)), cell=0.1), "must be finite"),
        (Grid(table=((0.0, 1.0), (1.0, 0.0)), cell=0.0), "cell must be positive"),
    ),
)
def test_faults_of_terrain(terrain, words):
    with pytest.raises(WorldError, match=words):
        World(Figure("f", (Body("b", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=1.0),)),)), terrain=terrain)
