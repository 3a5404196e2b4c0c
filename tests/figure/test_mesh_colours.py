"""Colours that mesh files and materials bring along."""

import numpy as np
import pytest
import trimesh

from gambol import read_mjcf, read_urdf
from gambol.figure.mesh_file import load_coloured

RED, BLUE = [200, 20, 10, 255], [10, 40, 220, 255]


def coloured(box, colour):
    material = trimesh.visual.material.PBRMaterial(baseColorFactor=colour)
    box.visual = trimesh.visual.TextureVisuals(material=material)
    return box


def two_boxes(path):
    near, far = coloured(trimesh.creation.box((1, 1, 1)), RED), coloured(trimesh.creation.box((1, 2, 1)), BLUE)
    away = trimesh.transformations.translation_matrix((3, 0, 0))
    if path.suffix == ".dae":
        far.apply_transform(away)
        path.write_bytes(trimesh.exchange.dae.export_collada([near, far]))
    else:
        scene = trimesh.Scene([near])
        scene.add_geometry(far, transform=away)
        scene.export(path)


@pytest.mark.parametrize("suffix", ("dae", "glb"))
def test_each_material_is_a_part_of_a_urdf_visual(tmp_path, suffix):
    two_boxes(tmp_path / f"boxes.{suffix}")
    visual = f'<visual>{{}}<geometry><mesh filename="boxes.{suffix}" scale="0.1 0.1 0.1"/></geometry></visual>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f'<robot name="r"><link name="a">{mass}{visual}</link></robot>'
    (tmp_path / "r.urdf").write_text(text.format(""))
    parts = read_urdf(tmp_path / "r.urdf").bodies[0].parts
    assert {p.colour for p in parts} == {tuple(round(x / 255, 4) for x in colour) for colour in (RED, BLUE)}
    ends = sorted(max(x for x, _, _ in p.shape.vertices) for p in parts)
    np.testing.assert_allclose(ends, [0.05, 0.35], atol=1e-6)
    (tmp_path / "r.urdf").write_text(text.format('<material name="m"><color rgba="0 1 0 1"/></material>'))
    (part,) = read_urdf(tmp_path / "r.urdf").bodies[0].parts  # what the URDF says itself rules
    assert part.colour == (0.0, 1.0, 0.0, 1.0) and len(part.shape.faces) == 24


def test_colours_of_triangles_become_areas(tmp_path):
    box = trimesh.creation.box((1, 1, 1))
    box.visual = trimesh.visual.ColorVisuals(box, face_colors=[RED] * 4 + [BLUE] * 8)
    box.export(tmp_path / "box.ply")
    found = {colour: len(mesh.faces) for mesh, colour in load_coloured(tmp_path / "box.ply")}
    assert found == {tuple(round(x / 255, 4) for x in c): n for c, n in ((RED, 4), (BLUE, 8))}
    box.export(tmp_path / "box.stl")
    assert [colour for _, colour in load_coloured(tmp_path / "box.stl")] == [None]


@pytest.mark.filterwarnings("ignore::gambol.FigureImportWarning")
def test_a_texture_of_mjcf_gives_its_mean_colour():
    pytest.importorskip("mujoco")
    text = """<mujoco><asset>
      <texture name="tiles" type="2d" builtin="checker" width="8" height="8" rgb1="0 0.4 1" rgb2="1 0.4 0"/>
      <material name="tiled" texture="tiles" rgba="1 0.5 1 0.8"/></asset>
      <worldbody><body name="b"><joint/><geom size="0.1" material="tiled"/></body></worldbody></mujoco>"""
    (part,) = read_mjcf(text).bodies[0].parts
    assert part.colour == pytest.approx((0.5, 0.2, 0.5, 0.8), abs=0.01)
