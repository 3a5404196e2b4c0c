"""GLB, BVH and USD, imported by Blender with its own settings, lie on one another and on the figure."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from gambol import Body, Box, Capsule, Figure, Joint, Part, Placement, World
from gambol.export import Clip, export_file
from gambol.models.person import walking_person

STEPS, FPS = 31, 30
IMPORT = """
import json, sys
import bpy

readers = {"glb": bpy.ops.import_scene.gltf, "bvh": bpy.ops.import_anim.bvh, "usda": bpy.ops.wm.usd_import}
found = {}
for kind, reader in readers.items():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 30
    reader(filepath=f"{sys.argv[1]}/walk.{kind}")
    places = found.setdefault(kind, {})
    for frame in range(0, 31, 6):
        scene.frame_set(frame + (kind == "bvh"))
        now = bpy.context.evaluated_depsgraph_get()
        for thing in bpy.data.objects:
            seen = thing.evaluated_get(now)
            for bone in seen.pose.bones if thing.type == "ARMATURE" else ():
                places.setdefault(bone.name, []).append(list(seen.matrix_world @ bone.head))
            places.setdefault(thing.name, []).append(list(seen.matrix_world.translation))
with open(f"{sys.argv[1]}/seen.json", "w") as file:
    json.dump(found, file)
"""


class Walk:
    """A figure that walks in an arc, swings a leg and turns an arm."""

    def __init__(self):
        rod = Part(Capsule(0.05, 0.4), Placement.at(0, 0, -0.2), mass=1.0)
        trunk = Part(Box((0.4, 0.2, 0.3)), mass=3.0, colour=(0.8, 0.3, 0.1))
        bodies = (
            Body("trunk", None, Joint("free"), Placement.about((0, 0, 1), 0.3, (0, 0, 1)), (trunk,)),
            Body("thigh", "trunk", Joint("hinge", (0, 1, 0)), Placement.at(0.1, 0.1, -0.15), (rod,)),
            Body("shin", "thigh", Joint("hinge", (0, 1, 0)), Placement.at(0, 0, -0.4), (rod,)),
            Body("arm", "trunk", Joint("ball"), Placement.at(0, -0.15, 0.1), (rod,)),
        )
        self.figure = Figure("walker", bodies)
        self.layout = World(self.figure).layout
        self.time = np.arange(STEPS) / FPS
        turn = lambda axis, angle: Placement.about(axis, angle).rotation
        rows = [
            [
                t,
                0.2 * t,
                0.1 * np.sin(3 * t),
                *turn((0, 0, 1), 0.4 * t),
                0.5 * np.sin(4 * t),
                -0.5 * t,
                *turn((1, 0, 0), t),
            ]
            for t in self.time
        ]
        self.q = np.array(rows)


def test_blender_sees_the_same_motion_in_all_three(tmp_path):
    walk = Walk()
    seen = seen_by_blender(walk, tmp_path)
    origins, _ = walk.figure.kinematics(walk.q[::6])
    for k, body in enumerate(walk.figure.order):
        expected = in_blender(origins[:, k])
        for kind in seen:
            np.testing.assert_allclose(seen[kind][body.name], expected, atol=1e-4, err_msg=f"{kind} {body.name}")


def test_blender_sees_characters_where_their_joints_are(tmp_path):
    """Armatures in all three formats, with the usual names."""
    figure = walking_person()
    q = np.tile(np.array(figure.zero), (STEPS, 1))
    time = np.arange(STEPS) / FPS
    q[:, 0], q[:, figure.position_slices["l_shank"].start] = time, 0.5 + 0.5 * np.sin(5 * time)
    q[:, figure.position_slices["l_thigh1"].start] = -0.5 * np.sin(5 * time)
    clip = Clip((figure,), 0.0, 1 / FPS, q)
    seen = seen_by_blender(clip, tmp_path, character=True)
    names = [body.name for body in figure.order]
    for kind, places in seen.items():
        assert {"Hips", "Spine", "LeftUpLeg", "RightHand"} <= set(places), kind
        for bone, body in (("LeftLeg", "l_shank"), ("LeftUpLeg", "l_thigh1"), ("LeftFoot", "l_hindfoot")):
            expected = in_blender(clip.poses[0][0][::6, names.index(body)])
            np.testing.assert_allclose(places[bone], expected, atol=2e-4, err_msg=f"{kind} {bone}")


def in_blender(places):
    """X forward is −Y there."""
    return np.stack([places[:, 1], -places[:, 0], places[:, 2]], axis=-1)


def seen_by_blender(walk, tmp_path, **options):
    """Places of objects and heads of bones by format and name, every sixth frame."""
    blender = os.environ.get("BLENDER_PYTHON", sys.executable)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if subprocess.run([blender, "-c", "import bpy"], check=False, capture_output=True, env=clean).returncode:
        pytest.skip("Blender as a module (bpy) is not installed; BLENDER_PYTHON may name a Python that has it")
    pytest.importorskip("pxr")
    pytest.importorskip("pygltflib")
    for kind in ("glb", "bvh", "usda"):
        export_file(walk, tmp_path / f"walk.{kind}", fps=FPS, **options)
    (tmp_path / "look.py").write_text(IMPORT)
    command = [blender, str(tmp_path / "look.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, env=clean)
    return json.loads((tmp_path / "seen.json").read_text())
