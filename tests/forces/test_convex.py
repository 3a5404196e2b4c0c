"""Convex solids: distance, depth, normal and points of contact, by closed forms, by sampling and against a peer."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from gambol import Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Placement, Sphere
from gambol.forces.contact.convex.manifold import meeting_of
from gambol.forces.contact.convex.solids import Solid

HOME = Placement()
KINDS = ("box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "hull")


def solid(shape, rounding=0.0, **options):
    return Solid.of(shape, HOME, rounding, **options)


def meet(one, two, at=HOME, other_at=HOME, rounding=0.0):
    return meeting_of(solid(one, rounding), solid(two, rounding), at, other_at)


def turned(axis, angle, place=(0.0, 0.0, 0.0)):
    return Placement.about(axis, angle, place)


def random_shape(rng, kind):
    a, b, c = rng.uniform(0.1, 0.4, 3)
    shapes = {
        "box": Box((a, b, c)),
        "sphere": Sphere(a),
        "capsule": Capsule(a / 2, b),
        "cylinder": Cylinder(a, b),
        "cone": Cone(a, b),
        "ellipsoid": Ellipsoid((a, b, c)),
        "hull": Hull(tuple(map(tuple, rng.normal(0.0, 0.15, (12, 3))))),
    }
    return shapes[kind]


def random_place(rng, spread=0.3):
    turn = rng.normal(size=4)
    return Placement(tuple(rng.uniform(-spread, spread, 3)), tuple(turn / np.linalg.norm(turn)))


def width(shape, d):
    """The support function, written out once more."""
    across = np.hypot(d[0], d[1])
    match shape:
        case Box():
            return 0.5 * np.abs(d) @ shape.size
        case Sphere():
            return shape.radius
        case Capsule():
            return shape.radius + 0.5 * shape.length * abs(d[2])
        case Cylinder():
            return shape.radius * across + 0.5 * shape.length * abs(d[2])
        case Cone():
            return max(shape.radius * across - 0.5 * shape.length * d[2], 0.5 * shape.length * d[2])
        case Ellipsoid():
            return np.linalg.norm(np.multiply(shape.radii, d))
        case Hull():
            return (np.asarray(shape.points) @ d).max()


def separation(one, two, at, other_at, d):
    """How far two shapes are apart along a direction; the distance is the largest of all directions, also when < 0."""
    d = d / np.linalg.norm(d)
    a, b = np.asarray(at.matrix), np.asarray(other_at.matrix)
    off = np.subtract(at.position, other_at.position)
    return d @ off - width(one, -(a.T @ d)) - width(two, b.T @ d)


def overlap(along, d):
    return -along(d)


# ---------------------------------------------------------------- closed forms
def test_spheres():
    for gap in (0.1, -0.05, -0.3):
        found = meet(Sphere(0.3), Sphere(0.2), turned((1, 0, 0), 0.7, (0.0, 0.3 * (0.5 + gap), 0.4 * (0.5 + gap) * 2)))
        far = math.hypot(0.3 * (0.5 + gap), 0.8 * (0.5 + gap))
        assert found.distance == pytest.approx(far - 0.5, abs=1e-15)
        assert found.normal == pytest.approx([0, 0.3 * (0.5 + gap) / far, 0.8 * (0.5 + gap) / far])
        assert len(found.depths) == (found.distance < 0)
    same = meet(Sphere(0.3), Sphere(0.2))  # one in the other: any way out is as good
    assert same.distance == pytest.approx(-0.5) and np.linalg.norm(same.normal) == pytest.approx(1.0)


@pytest.mark.parametrize("rounding", (0.0, 0.05, 0.1))
def test_faces_of_boxes(rounding):
    """Depth and normal of faces do not depend on the rounding; the points are the corners of the flat part."""
    found = meet(Box((0.2, 0.3, 0.2)), Box((1, 1, 0.2)), Placement((0.1, 0, 0.199)), rounding=rounding)
    assert found.distance == pytest.approx(-1e-3, abs=1e-14) and found.normal == pytest.approx([0, 0, 1], abs=1e-9)
    assert found.depths == pytest.approx([1e-3] * 4, abs=1e-14) and found.counts == pytest.approx([1.0] * 4)
    flat = np.array([0.1, 0.15]) - rounding * 0.2
    corners = sorted((0.1 + s * flat[0], t * flat[1], 0.0995) for s in (-1, 1) for t in (-1, 1))
    assert np.array(sorted(map(tuple, found.points.round(9).tolist()))) == pytest.approx(np.array(corners), abs=1e-8)


def test_a_box_turned_on_another():
    """Eight points at 45°, and no jump of what they carry on the way there."""
    totals, turns = [], np.linspace(0.0, math.pi / 4, 91)
    for angle in turns:
        found = meet(Box((0.4, 0.4, 0.2)), Box((0.4, 0.4, 0.2)), turned((0, 0, 1), angle, (0, 0, 0.199)), rounding=0.05)
        assert found.depths == pytest.approx([1e-3] * len(found.depths), abs=1e-12)
        totals.append(found.counts.sum())
        middle = found.counts @ found.points / found.counts.sum()
        assert middle == pytest.approx([0, 0, 0.0995], abs=1e-9)
    assert len(found.depths) == 8 and np.ptp(totals) < 1e-9 and totals[0] == pytest.approx(4.0)


def test_a_tilted_box_carries_where_it_is_deep():
    """Depth falls along the tilt; with more of it only an edge is left."""
    for tilt in (1e-3, 0.02, 0.15):
        half = 0.1
        height = half * math.cos(tilt) + half * math.sin(tilt) - 1e-3
        found = meet(Box((0.2, 0.2, 0.2)), Box((1, 1, 0.2)), turned((0, 1, 0), tilt, (0, 0, 0.1 + height)))
        assert found.distance == pytest.approx(-1e-3, abs=1e-12) and found.normal == pytest.approx([0, 0, 1], abs=1e-9)
        deep = np.sort(found.depths)[::-1]
        assert deep[:2] == pytest.approx([1e-3] * 2) and deep[2:] == pytest.approx([1e-3 - 0.2 * math.sin(tilt)] * 2)
    height = 0.1 + 0.1 * (math.cos(0.5) + math.sin(0.5)) - 1e-3
    steep = meet(Box((0.2, 0.2, 0.2)), Box((1, 1, 0.2)), turned((0, 1, 0), 0.5, (0, 0, height)))
    assert steep.depths == pytest.approx([1e-3] * 2)


def test_corner_of_a_box_on_a_face():
    """Sharp, it is √3/2 of the side below the centre; rounded by r it is (√3 - 1) r less."""
    stand = turned((1, -1, 0), math.acos(1 / math.sqrt(3)))
    for rounding in (0.0, 0.05):
        low = 0.1 * math.sqrt(3) - (math.sqrt(3) - 1) * rounding * 0.2
        found = meet(
            Box((0.2, 0.2, 0.2)), Box((1, 1, 0.2)),
            Placement((0.05, 0.02, 0.1 + low - 1e-3), stand.rotation), rounding=rounding,
        )  # fmt: skip
        assert found.distance == pytest.approx(-1e-3, abs=1e-12) and found.normal == pytest.approx([0, 0, 1], abs=1e-7)
        assert found.depths == pytest.approx([1e-3]) and found.points[0][:2] == pytest.approx([0.05, 0.02], abs=1e-7)


def test_capsules():
    """Flat on a box at both ends, overhanging up to the edge; crossed at one point; side by side at two."""
    lying = turned((0, 1, 0), math.pi / 2, (0.1, 0.05, 0.149))
    found = meet(Capsule(0.05, 0.4), Box((1, 1, 0.2)), lying)
    assert found.depths == pytest.approx([1e-3] * 2) and found.counts == pytest.approx([1.0] * 2)
    assert sorted(found.points[:, 0]) == pytest.approx([-0.1, 0.3])
    over = meet(Capsule(0.05, 0.4), Box((0.5, 0.5, 0.2)), turned((0, 1, 0), math.pi / 2, (0.2, 0, 0.149)))
    assert sorted(over.points[:, 0]) == pytest.approx([0.0, 0.25], abs=1e-6)
    crossed = meet(Capsule(0.05, 0.4), Capsule(0.05, 0.4), turned((1, 0, 0), math.pi / 2, (0.09, 0.05, 0.0)))
    assert crossed.distance == pytest.approx(-0.01) and crossed.normal == pytest.approx([1, 0, 0], abs=1e-9)
    assert crossed.counts.sum() == pytest.approx(1.0)
    assert crossed.depths == pytest.approx([0.01] * len(crossed.depths), rel=5e-3)
    along = meet(Capsule(0.05, 0.4), Capsule(0.05, 0.4), Placement((0.09, 0.0, 0.1)))
    assert along.counts == pytest.approx([1.0] * 2) and sorted(along.points[:, 2]) == pytest.approx([-0.1, 0.2])


def test_cylinders_and_cones_on_a_table():
    table = Box((1, 1, 0.2))
    for rounding in (0.0, 0.05):
        stands = meet(Cylinder(0.1, 0.4), table, turned((0, 0, 1), 0.3, (0, 0, 0.299)), rounding=rounding)
        assert stands.depths == pytest.approx([1e-3] * 8, abs=1e-12) and stands.counts == pytest.approx([0.5] * 8)
        assert stands.counts @ stands.points / 4 == pytest.approx([0, 0, 0.0995], abs=1e-6)
        lies = meet(Cylinder(0.1, 0.4), table, turned((0, 1, 0), math.pi / 2, (0, 0, 0.199)), rounding=rounding)
        assert lies.depths == pytest.approx([1e-3] * 2, abs=1e-12)
        assert sorted(lies.points[:, 0]) == pytest.approx([-0.2 + rounding * 0.2, 0.2 - rounding * 0.2], abs=1e-6)
        base = meet(Cone(0.1, 0.24), table, Placement((0, 0, 0.219)), rounding=rounding)
        assert base.distance == pytest.approx(-1e-3, abs=1e-12) and len(base.depths) == 8
        side = math.atan(0.1 / 0.24)
        place = turned((0, 1, 0), math.pi / 2 + side, (0, 0, 0.1 + 0.12 * math.sin(side) - 1e-3))
        lying = meet(Cone(0.1, 0.24), table, place, rounding=rounding)
        assert lying.distance == pytest.approx(-1e-3, abs=1e-9) and lying.depths == pytest.approx([1e-3] * 2, abs=1e-9)
    tilted = turned((1, 0, 0), 0.05, (0, 0, 0.1 + 0.2 * math.cos(0.05) + 0.1 * math.sin(0.05) - 1e-3))
    found = meet(Cylinder(0.1, 0.4), table, tilted)
    assert found.depths.max() == pytest.approx(1e-3, abs=1e-10)  # the lowest point of its rim is among them


def test_ellipsoids():
    """Against a plane in closed form; two, of which one is a ball."""
    radii, turn = (0.3, 0.2, 0.1), Placement.euler(0.4, 0.7, 0.2)
    low = np.linalg.norm(np.asarray(turn.matrix)[2] * radii)
    found = meet(Ellipsoid(radii), Box((2, 2, 0.2)), Placement((0, 0, 0.1 + low - 1e-3), turn.rotation))
    assert found.distance == pytest.approx(-1e-3, abs=1e-10) and found.normal == pytest.approx([0, 0, 1], abs=1e-5)
    assert found.points[0][:2] == pytest.approx(
        -(np.asarray(turn.matrix) @ (np.square(radii) * np.asarray(turn.matrix)[2]) / low)[:2], abs=1e-5
    )
    ball = meet(Ellipsoid((0.2, 0.2, 0.2)), Sphere(0.1), Placement((0.1, 0.2, 0.15)))
    assert ball.distance == pytest.approx(math.sqrt(0.0725) - 0.3, abs=1e-10)


def test_tetrahedra_apart_with_boxes_that_overlap():
    corner = Hull(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    opposite = Hull(tuple((0.9 - x, 0.9 - y, 0.9 - z) for x, y, z in corner.points))
    far = (2.7 - 2.0) / math.sqrt(3)
    for rounding in (0.0, 0.05):
        found = meet(corner, opposite, rounding=rounding)
        assert found.distance == pytest.approx(far, abs=1e-12) and len(found.depths) == 0
        closer = meet(corner, opposite, other_at=Placement((-0.25, -0.25, -0.25)), rounding=rounding)
        assert closer.distance == pytest.approx(far - 0.25 * math.sqrt(3), abs=1e-12)
        assert closer.normal == pytest.approx(np.full(3, -1 / math.sqrt(3)), abs=1e-8)
        assert (
            closer.depths == pytest.approx([0.25 * math.sqrt(3) - far] * len(closer.depths)) and len(closer.depths) >= 3
        )


def test_a_mesh_is_its_hull():
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(5).normal(size=(400, 3))
    points = 0.3 * points / np.linalg.norm(points, axis=1)[:, None]
    mesh = Mesh(tuple(map(tuple, points)), tuple(map(tuple, ConvexHull(points).simplices.tolist())))
    whole, thinned = solid(mesh, most=400), solid(mesh, most=40)
    assert len(whole.points) == 400 and not whole.note and len(thinned.points) == 40 and "40 of 400" in thinned.note
    table = solid(Box((2, 2, 0.2)))
    exact = meeting_of(whole, table, Placement((0, 0, 0.4)))
    assert exact.distance == pytest.approx(0.4 + points[:, 2].min() - 0.1, abs=1e-12)
    lost = meeting_of(thinned, table, Placement((0, 0, 0.4))).distance - exact.distance
    assert 0 <= lost < 0.03


# ---------------------------------------------------------------- against sampling
@pytest.mark.parametrize("kinds", list(itertools.combinations_with_replacement(KINDS, 2)), ids="-".join)
def test_no_direction_separates_better(kinds):
    """The distance, negative or not, is the largest separation of all directions, and that along the normal is it."""
    rng = np.random.default_rng(len(kinds[0]) * 31 + len(kinds[1]))
    directions = rng.normal(size=(300, 3))
    for _ in range(8):
        one, two = (random_shape(rng, kind) for kind in kinds)
        at, other_at = random_place(rng), random_place(rng)
        found = meet(one, two, at, other_at)
        assert separation(one, two, at, other_at, found.normal) == pytest.approx(
            found.distance, abs=2e-4 if found.distance < 0 else 1e-6
        )
        along = functools.partial(separation, one, two, at, other_at)
        best = max(directions, key=along)
        fine = {"xatol": 1e-7, "fatol": 1e-9}
        sharper = minimize(functools.partial(overlap, along), best, method="Nelder-Mead", options=fine)
        assert -sharper.fun <= found.distance + 1e-7
        assert np.all(found.depths <= -found.distance + 1e-6) and len(found.depths) <= 8
        assert (found.distance < 0) == (found.depths.max(initial=-1.0) > 0)


def test_random_hulls_by_their_differences():
    """Distance and depth of random hulls, from the hull of all differences of their corners."""
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(60):
        one, two = random_shape(rng, "hull"), random_shape(rng, "hull")
        at, other_at = random_place(rng, 0.25), random_place(rng, 0.25)
        found = meet(one, two, at, other_at)
        a = np.array([at.apply(p) for p in one.points])
        b = np.array([other_at.apply(p) for p in two.points])
        planes = ConvexHull((a[:, None] - b[None]).reshape(-1, 3)).equations
        out = planes[:, 3].max()  # the origin beyond the planes
        if out < 0:
            inside += 1
            assert found.distance == pytest.approx(out, abs=1e-12)
        else:
            assert found.distance >= out - 1e-12
    assert 10 < inside < 50


# ---------------------------------------------------------------- against a peer
def test_against_coal():
    coal = pytest.importorskip("coal")

    def theirs(shape):
        match shape:
            case Box():
                return coal.Box(*shape.size)
            case Sphere():
                return coal.Sphere(shape.radius)
            case Capsule() | Cylinder() | Cone():
                return getattr(coal, type(shape).__name__)(shape.radius, shape.length)
            case Ellipsoid():
                return coal.Ellipsoid(*shape.radii)
        points = coal.StdVec_Vec3s()
        for point in shape.points:
            points.append(np.array(point))
        return coal.Convex.convexHull(points, True, "")

    def frame(place):
        return coal.Transform3s(np.asarray(place.matrix), np.array(place.position))

    rng, errors = np.random.default_rng(0), []
    for kinds in itertools.product(KINDS, repeat=2):
        for _ in range(10):
            one, two = (random_shape(rng, kind) for kind in kinds)
            at, other_at = random_place(rng), random_place(rng)
            request, result = coal.DistanceRequest(), coal.DistanceResult()
            request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 500
            request.epa_tolerance, request.epa_max_iterations = 1e-9, 500
            told = coal.distance(theirs(one), frame(at), theirs(two), frame(other_at), request, result)
            found = meet(one, two, at, other_at)
            if told < found.distance - 1e-4 and found.distance < 0:
                # it gave up (coal does, on some round shapes): ours is a way out, and shorter
                assert separation(one, two, at, other_at, found.normal) == pytest.approx(found.distance, abs=2e-4)
                continue
            errors.append(found.distance - told)
    assert len(errors) > 400 and np.abs(errors).max() < 1e-4 and np.mean(np.abs(errors) < 1e-8) > 0.95


def test_nothing_jumps_as_bodies_turn():
    """Force of springs along a path on which faces, edges and corners take turns: finer steps, smaller changes."""
    rng = np.random.default_rng(11)
    shapes = (Box((0.3, 0.2, 0.25)), Cylinder(0.12, 0.3), random_shape(rng, "hull"), Cone(0.15, 0.3))
    table = solid(Box((1, 1, 0.2)), 0.05)
    for shape in shapes:
        own, axis = solid(shape, 0.05), rng.normal(size=3)
        jumps = []
        for steps in (500, 5000):
            forces = []
            for angle in np.linspace(0.0, 1.0, steps + 1):
                turn = turned(axis, angle)
                low = meeting_of(own, table, Placement((0, 0, 2.0), turn.rotation)).distance
                found = meeting_of(own, table, Placement((0, 0, 2.0 - low - 1e-3), turn.rotation))
                assert found.distance == pytest.approx(-1e-3, abs=1e-8)
                forces.append(found.counts @ np.maximum(found.depths, 0.0))
            jumps.append(np.abs(np.diff(forces)).max())
        assert jumps[1] < 1.5e-4 and jumps[1] < 0.3 * jumps[0], (type(shape).__name__, jumps)
