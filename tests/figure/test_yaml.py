import json
import string
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
import trimesh
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import (
    Body,
    Box,
    Figure,
    FigureError,
    Hull,
    Joint,
    Mass,
    Mesh,
    Part,
    Placement,
    Sphere,
    chain,
    figure_schema,
    parse_yaml,
    random_figure,
    yaml_text,
)
from gambol.figure.yaml_writer import figure_data

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15, deadline=None, derandomize=True)
ALL = ("hinge", "slide", "screw", "cylindrical", "universal", "planar", "ball", "fixed", "free")

PENDULUM = """\
gambol: figure/1
name: pendulum
bodies:
  - name: rod
    joint: {type: hinge, axis: [0, 1, 0], damping: 0.1}
    placement: {position: [0, 0, 1], rotate: [[y, 90]]}
    parts:
      - capsule: {radius: 0.02, length: 1.0}
        placement: {position: [0, 0, -0.5]}
        density: 1000
"""


def test_the_example_of_the_manual():
    figure = parse_yaml(PENDULUM)
    rod = figure["rod"]
    assert figure.name == "pendulum" and rod.joint == Joint("hinge", (0, 1, 0), damping=0.1)
    np.testing.assert_allclose(rod.placement.turn((0, 0, 1)), (1, 0, 0), atol=1e-15)
    assert rod.placement.position == (0, 0, 1)


@few
@given(seeds, st.booleans(), st.booleans())
def test_round_trip_is_exact(seed, shapes, passive):
    figure = random_figure(seed, 7, ALL, shapes=shapes, passive=passive)
    assert parse_yaml(yaml_text(figure)) == figure


@few
@given(seeds, st.booleans())
def test_written_files_obey_the_schema(seed, shapes):
    text = yaml_text(random_figure(seed, 5, ALL, shapes=shapes, passive=True))
    jsonschema.Draft202012Validator(figure_schema()).validate(yaml.safe_load(text))


def test_round_trip_of_everything_else(tmp_path):
    cube = trimesh.creation.box((1, 1, 1))
    parts = [
        Part(Mesh(cube.vertices, cube.faces), name="no", colour=(0.1, 0.2, 0.3)),
        Part(Sphere(1e-7), mass=1e-5, inertial=True, colliding=False, convex=False, visible=False),
        Part(Box((1e20, 1e-300, 0.1)), density=1.5, inertial=False, colour=(1, 1, 1, 0)),
    ]
    figure = Figure(
        "null",
        [
            Body("true", joint=Joint("free", driven=True), parts=parts),
            Body("1e5", "true", Joint("hinge", range=(-1, 2.5)), mass=Mass(1.0, (0.1, 0, 0), (1, 1, 1, 0.1, 0, 0))),
            Body("été: #1", "1e5", placement=Placement((0, 0, 0), (0, 1, 0, 0)), mass=Mass.point(3.0)),
            Body("007", "été: #1", mass=Mass.point(1.0)),
        ],
    )
    path = tmp_path / "odd.yaml"
    figure.write(path)
    assert Figure.read(path) == figure
    jsonschema.validate(figure_data(figure), figure_schema())


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(st.sampled_from(string.printable + "äß→'\"\\"), min_size=1, max_size=8).filter(str.strip))
def test_any_name_survives(name):
    figure = Figure(name, [Body(name, mass=Mass.point(1.0))])
    assert parse_yaml(yaml_text(figure)) == figure


def test_published_schema_is_current():
    published = files("gambol.figure").joinpath("figure.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == figure_schema(), "publish it again: see gambol.figure.schema"


@pytest.mark.parametrize(
    "change",
    [
        {"gambol": "figure/2"},
        {"bodies": []},
        {"colour": "red"},
        {"bodies": [{"name": "a", "joint": {"type": "hing"}}]},
        {"bodies": [{"name": "a", "joint": {"axis": [0, 1]}}]},
        {"bodies": [{"name": "a", "parts": [{"density": 1}]}]},
        {"bodies": [{"name": "a", "parts": [{"box": {"size": [1, 1, 1]}, "sphere": {"radius": 1}}]}]},
        {"bodies": [{"name": "a", "placement": {"euler": [0, 0, 0], "quaternion": [1, 0, 0, 0]}}]},
        {"bodies": [{"name": "a", "placement": {"rotate": [["q", 3]]}}]},
    ],
)
def test_schema_refuses_what_the_reader_refuses(change):
    data = {"gambol": "figure/1", "name": "f", "bodies": [{"name": "a", "mass": {"mass": 1}}]}
    jsonschema.validate(data, figure_schema())
    parse_yaml(json.dumps(data))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**data, **change}, figure_schema())
    with pytest.raises(FigureError):
        parse_yaml(json.dumps({**data, **change}))


def test_rotations_agree():
    def rotation(text):
        body = f"gambol: figure/1\nname: f\nbodies: [{{name: a, mass: {{mass: 1}}, placement: {{{text}}}}}]"
        return parse_yaml(body).root.placement.matrix

    np.testing.assert_allclose(rotation("euler: [10, 20, 30]"), rotation("rotate: [[z, 30], [y, 20], [x, 10]]"))
    half = "quaternion: [0.7071067811865476, 0, 0, 0.7071067811865476]"
    np.testing.assert_allclose(rotation("rotate: [[[0, 0, 2], 90]]"), rotation(half), atol=1e-15)
    np.testing.assert_allclose(rotation("rotate: []"), np.eye(3))


def test_anchors_and_merge_keys():
    text = """\
gambol: figure/1
name: f
bodies:
  - name: a
    mass: &one {mass: 1, centre: [0, 0, 1]}
  - name: b
    parent: a
    mass: *one
  - name: c
    parent: a
    joint: {type: hinge}
    mass: {<<: *one, mass: 2e0}
"""
    figure = parse_yaml(text)
    assert figure["b"].mass == figure["a"].mass
    assert figure["c"].mass == Mass(2.0, (0, 0, 1))


def test_mesh_files(tmp_path):
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "box.stl")
    for kind in ("mesh", "hull"):
        shape = f"{kind}: {{file: box.stl, scale: 0.1}}"
        (tmp_path / "f.yaml").write_text(PENDULUM.replace("capsule: {radius: 0.02, length: 1.0}", shape))
        assert Figure.read(tmp_path / "f.yaml").mass == pytest.approx(6.0)


def test_shapes_of_many_points_stand_in_files_beside_the_text(tmp_path):
    """Each once, to the last digit and in their order; text that stands alone carries them."""
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.1)
    mesh = Mesh(tuple(map(tuple, ball.vertices.tolist())), tuple(map(tuple, ball.faces.tolist())))
    hull = Hull(mesh.vertices[::-1])
    parts = (Part(mesh), Part(mesh, Placement((0, 0, 1))), Part(hull, name="../odd name"), Part(Box((1, 1, 1))))
    figure = Figure("ball", (Body("b", None, Joint(), Placement(), parts),))
    written = figure.write(tmp_path / "ball.yaml")
    names = [path.relative_to(tmp_path).as_posix() for path in written]
    assert names == ["ball.yaml", "ball_meshes/b_0.obj", "ball_meshes/.._odd_name.obj"]
    assert len(written[0].read_text()) < 600 < len(yaml_text(figure))
    assert Figure.read(tmp_path / "ball.yaml") == figure == parse_yaml(yaml_text(figure))
    assert len(trimesh.load_mesh(str(written[1])).faces) == 80  # other programs read them too
    written[1].write_text(written[1].read_text() + "l 1 2\n")
    with pytest.raises(FigureError, match=r"cannot read the mesh file 'ball_meshes/b_0.obj': 'l 1 2' is neither"):
        Figure.read(tmp_path / "ball.yaml")


def test_files_by_suffix(tmp_path):
    chain(2).write(tmp_path / "a.yml")
    assert Figure.read(str(tmp_path / "a.yml")) == chain(2)
    with pytest.raises(FigureError, match="figures are written as YAML"):
        chain(2).write(tmp_path / "a.urdf")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(FigureError, match=r"unknown suffix '.txt' \(allowed: .yaml, .yml, .urdf, .xml, .mjcf\)"):
        Figure.read(tmp_path / "a.txt")
    with pytest.raises(FigureError, match="no such file"):
        Figure.read(tmp_path / "none.yaml")
