import numpy as np
import pytest
import trimesh

from gambol import Box, Capsule, Cone, Cylinder, Ellipsoid, FigureError, Hull, Mesh, Part, Placement, Sphere

CUBE = trimesh.creation.box((1.0, 2.0, 3.0))


def mesh_of(solid):
    return Mesh(solid.vertices, solid.faces)


def moments_on_a_grid(inside, half, steps=121):
    """Volume and second moments by the midpoint rule: independent of every formula."""
    axes = [(np.arange(steps) + 0.5) / steps * 2 * h - h for h in half]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    cell = np.prod([2 * h / steps for h in half])
    w = inside(x, y, z) * cell
    volume = w.sum()
    return volume, [(w * (y**2 + z**2)).sum(), (w * (x**2 + z**2)).sum(), (w * (x**2 + y**2)).sum()]


@pytest.mark.parametrize(
    "shape, inside, half",
    [
        (Box((0.4, 0.6, 0.8)), lambda x, y, z: np.ones_like(x), (0.2, 0.3, 0.4)),
        (Sphere(0.3), lambda x, y, z: x**2 + y**2 + z**2 < 0.09, (0.3,) * 3),
        (Cylinder(0.2, 0.5), lambda x, y, z: x**2 + y**2 < 0.04, (0.2, 0.2, 0.25)),
        (
            Capsule(0.2, 0.5),
            lambda x, y, z: x**2 + y**2 + np.maximum(abs(z) - 0.25, 0) ** 2 < 0.04,
            (0.2, 0.2, 0.45),
        ),
        (
            Ellipsoid((0.2, 0.3, 0.4)),
            lambda x, y, z: (x / 0.2) ** 2 + (y / 0.3) ** 2 + (z / 0.4) ** 2 < 1,
            (0.2, 0.3, 0.4),
        ),
    ],
)
def test_closed_forms_against_the_integral(shape, inside, half):
    volume, moments = moments_on_a_grid(inside, half)
    mass = shape.mass_properties(2.0)
    assert mass.mass == pytest.approx(2.0 * volume, rel=4e-3)
    np.testing.assert_allclose(mass.inertia[:3], 2.0 * np.asarray(moments), rtol=6e-3)
    assert mass.centre == (0, 0, 0) and mass.inertia[3:] == (0, 0, 0)
    assert shape.volume == pytest.approx(mass.mass / 2.0)


def test_a_cone_is_the_limit_of_pyramids():
    exact = Cone(0.3, 0.8).mass_properties(2.0)
    angles = 2.0 * np.pi * np.arange(2000) / 2000
    rim = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.full(2000, -0.4)])
    mass = Hull(((0, 0, 0.4), *map(tuple, rim))).mass_properties(2.0)
    assert exact.mass == pytest.approx(mass.mass, rel=1e-5) and exact.centre == pytest.approx(mass.centre, abs=1e-9)
    np.testing.assert_allclose(exact.inertia, mass.inertia, rtol=1e-5, atol=1e-9)


def test_mesh_of_a_sphere_converges_to_the_sphere():
    exact = Sphere(0.5).mass_properties(1.0)
    errors = []
    for level in (1, 2, 3):
        mass = mesh_of(trimesh.creation.icosphere(level, 0.5)).mass_properties(1.0)
        errors.append((1 - mass.mass / exact.mass, 1 - mass.inertia[0] / exact.inertia[0]))
    coarse, fine = np.asarray(errors[:-1]), np.asarray(errors[1:])
    # Chords miss the sphere by the square of the edge, so each level must win a factor of 4.
    np.testing.assert_allclose(coarse / fine, 4.0, rtol=0.1)


def test_limits_of_the_round_shapes_agree():
    ball = Sphere(0.3).mass_properties(5.0).inertia
    np.testing.assert_allclose(Capsule(0.3, 0.0).mass_properties(5.0).inertia, ball)
    np.testing.assert_allclose(Ellipsoid((0.3, 0.3, 0.3)).mass_properties(5.0).inertia, ball)


def test_mesh_and_hull_of_a_box_are_the_box():
    exact = Box((1, 2, 3)).mass_properties(3.0)
    for shape in (mesh_of(CUBE), Hull(CUBE.vertices)):
        mass = shape.mass_properties(3.0)
        assert mass.mass == pytest.approx(exact.mass)
        np.testing.assert_allclose(mass.tensor, exact.tensor, atol=1e-9)
        np.testing.assert_allclose(mass.centre, 0, atol=1e-12)


def test_offset_mesh_has_its_centre_there():
    moved = CUBE.copy()
    moved.apply_translation((0.1, 0.2, 0.3))
    mass = mesh_of(moved).mass_properties(1.0)
    np.testing.assert_allclose(mass.centre, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(mass.tensor, Box((1, 2, 3)).mass_properties(1.0).tensor, atol=1e-9)


def test_stl_soup_is_merged():
    soup = Mesh(CUBE.triangles.reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert soup.volume == pytest.approx(6.0)


def test_open_mesh_is_refused_unless_it_is_only_shown():
    shell = Mesh(CUBE.vertices, CUBE.faces[1:])
    with pytest.raises(FigureError, match="not watertight"):
        shell.mass_properties(1.0)
    assert [path for path, _ in Part(shell).faults()] == [("mesh",)]
    assert not list(Part(shell, inertial=False).faults())


@pytest.mark.parametrize("flip", [slice(None), slice(0, 5)])
def test_inverted_winding_is_repaired_and_told(flip):
    faces = CUBE.faces.copy()
    faces[flip] = faces[flip][:, ::-1]
    with pytest.warns(UserWarning, match="wound inside out"):
        mass = Mesh(CUBE.vertices * (1.0 + 0.01 * len(faces[flip])), faces).mass_properties(1.0)
    assert mass.mass > 0 and min(mass.inertia[:3]) > 0


def test_mass_instead_of_density():
    part = Part(Box((1, 2, 3)), Placement((1, 0, 0)), mass=12.0)
    assert part.mass_properties.mass == pytest.approx(12.0)
    assert part.mass_properties.centre == (1, 0, 0)
    assert part.mass_properties.inertia[0] == pytest.approx(12.0 / 12.0 * 13.0)


@pytest.mark.parametrize(
    "shape, path",
    [
        (Box((1, 0, 1)), ("size",)),
        (Box((1, 1)), ("size",)),
        (Sphere(-1.0), ("radius",)),
        (Sphere(float("nan")), ("radius",)),
        (Cylinder(1.0, 0.0), ("length",)),
        (Cone(0.0, 1.0), ("radius",)),
        (Capsule(1.0, -0.1), ("length",)),
        (Capsule("wide", 0.1), ("radius",)),
        (Ellipsoid((1, 1, float("inf"))), ("radii",)),
        (Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), ("points",)),
        (Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), ("points",)),
        (Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], []), ("faces",)),
        (Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 3)]), ("faces", 0)),
    ],
)
def test_bad_sizes(shape, path):
    assert [found for found, _ in shape.faults()] == [path]


def test_shapes_are_hashable_and_scale():
    rods = (Capsule(0.2, 1), Cylinder(0.2, 1), Cone(0.2, 1))
    for shape in (Box((1, 2, 3)), Sphere(0.4), *rods, Ellipsoid((1, 2, 3)), mesh_of(CUBE)):
        assert hash(shape) == hash(shape.scaled(1.0))
        assert shape.scaled(2.0).volume == pytest.approx(8.0 * shape.volume)
        assert shape.mirrored().mirrored() == shape
        assert shape.mirrored().volume == pytest.approx(shape.volume)
