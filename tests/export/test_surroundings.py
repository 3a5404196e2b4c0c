"""Ground, camera and sun around an exported motion, read by libraries that are not ours."""

import json

import numpy as np
import pytest

from gambol import Body, Box, ExportWarning, Figure, Joint, Part, Simulation, Terrain, Waves, World, chain
from gambol.export import export_file

ARM = chain(2, Joint("hinge", (0, 1, 0)), length=0.4, radius=0.03)


def swing(terrain):
    sim = Simulation(World(ARM, terrain=terrain))
    sim.reset(q=[0.5, 0.2])
    return sim.run(0.2, every=0.05)


def in_view(matrix, point):
    """Where a point of the scene is for what looks along −z: (right, up, ahead)."""
    x, y, z, _ = np.linalg.inv(matrix) @ (*point, 1.0)
    return x, y, -z


@pytest.mark.parametrize("terrain, height", [(Terrain(level=-0.9), -0.9), (Waves(level=-1.0, amplitude=0.1), None)])
def test_gltf_has_ground_camera_and_sun(tmp_path, terrain, height):
    trimesh, _ = pytest.importorskip("trimesh"), pytest.importorskip("pygltflib")
    path = swing(terrain)
    plain, full = tmp_path / "plain.glb", tmp_path / "full.gltf"
    export_file(path, plain)
    export_file(path, full, surroundings=True)
    assert "ground shape" not in trimesh.load(plain, force="scene").graph.nodes
    scene = trimesh.load(full, force="scene")
    ground = scene.geometry[scene.graph["ground shape"][1]]
    points = trimesh.transform_points(ground.vertices, scene.graph["ground shape"][0])
    if height is not None:
        np.testing.assert_allclose(points[:, 1], height, atol=1e-6)  # Y is up there
    else:
        assert np.ptp(points[:, 1]) > 0.05
    document = json.loads(full.read_text())
    assert document["extensionsUsed"] == ["KHR_lights_punctual"]
    nodes = {node["name"]: node for node in document["nodes"]}
    assert nodes["sun"]["extensions"]["KHR_lights_punctual"]["light"] == 0 and nodes["camera"]["camera"] == 0
    for name in ("camera", "sun"):
        place = trimesh.transformations.quaternion_matrix(np.roll(nodes[name]["rotation"], 1))
        place[:3, 3] = nodes[name]["translation"]
        right, up, ahead = in_view(place, np.zeros(3))
        assert ahead > 0.5 and abs(right) < 0.5 * ahead and abs(up) < 0.5 * ahead  # the figure is before it


def test_usd_has_ground_camera_and_sun_and_bvh_says_it_has_not(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    path = swing(Terrain(level=-0.9))
    export_file(path, tmp_path / "a.usda", surroundings=True)
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    kinds = {prim.GetName(): prim.GetTypeName() for prim in stage.Traverse()}
    assert (kinds["ground"], kinds["camera"], kinds["sun"]) == ("Mesh", "Camera", "DistantLight")
    for name in ("camera", "sun"):
        matrix = UsdGeom.Xformable(stage.GetPrimAtPath(f"/gambol/{name}")).ComputeLocalToWorldTransform(0)
        _, _, ahead = in_view(np.array(matrix).T, np.zeros(3))
        assert ahead > 0.5
    with pytest.warns(ExportWarning, match="ground, camera and sun, which BVH has no place for"):
        export_file(path, tmp_path / "a.bvh", surroundings=True)


def test_materials_and_parts_have_names(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdShade

    rod = Part(Box((0.1, 0.1, 0.4)), mass=1.0, colour=(1.0, 0.5, 0.0), name="handle")
    figure = Figure("tool", (Body("grip", None, Joint("free"), parts=(rod,)),))
    export_file(figure, tmp_path / "a.gltf")
    document = json.loads((tmp_path / "a.gltf").read_text())
    assert "grip handle shape" in {node["name"] for node in document["nodes"]}
    assert [material["name"] for material in document["materials"]] == ["colour_ff_80_00_ff"]
    export_file(figure, tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    part = stage.GetPrimAtPath("/gambol/tool/grip/handle")
    material, _ = UsdShade.MaterialBindingAPI(part).ComputeBoundMaterial()
    shader = UsdShade.Shader(stage.GetPrimAtPath(f"{material.GetPath()}/surface"))
    assert shader.GetIdAttr().Get() == "UsdPreviewSurface" and material.GetPrim().GetName() == "colour_ff_80_00_ff"
