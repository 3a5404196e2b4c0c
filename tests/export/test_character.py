"""Characters: the bones that animators expect stand, frame by frame, where the engine has the joints; cycles loop."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import Body, Box, Capsule, ExportError, Figure, Joint, Part, Placement
from gambol.cli.app import app
from gambol.export import Character, Clip, bvh_text, clip_of, export_file, find_cycle, looped, read_bvh
from gambol.models import person90
from gambol.models.person import person_of, walking_person

FPS, PERIOD = 30, 1.1
USUAL = """Hips Spine Spine1 Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand RightShoulder RightArm
RightForeArm RightHand LeftUpLeg LeftLeg LeftFoot LeftToeBase RightUpLeg RightLeg RightFoot RightToeBase""".split()
JOINTS = {"LeftUpLeg": "l_thigh1", "LeftLeg": "l_shank", "RightLeg": "r_shank", "LeftArm": "l_humerus1"}
JOINTS |= {"RightFoot": "r_hindfoot", "RightArm": "r_humerus1"}


def walk(figure: Figure, seconds: float = 3.5, turn: float = 0.0) -> Clip:
    """A made-up walk of known period that travels along an arc."""
    time = np.arange(round(seconds * FPS) + 1) / FPS
    q = np.tile(np.array(figure.zero), (len(time), 1))
    for k, t in enumerate(time):
        phase, heading = 2 * np.pi * t / PERIOD, turn * t
        step = 1.3 * (np.array([np.sin(heading), 1 - np.cos(heading)]) / turn if turn else np.array([t, 0.0]))
        sway = 0.02 * np.sin(phase)
        q[k, :3] = step[0] - sway * np.sin(heading), step[1] + sway * np.cos(heading), 0.02 * np.cos(2 * phase)
        q[k, 3:7] = (
            Placement.about((0, 0, 1), heading).compose(Placement.about((1, 0, 0), 0.03 * np.sin(phase))).rotation
        )
        for side, shift in (("l", 0.0), ("r", np.pi)):
            swing = {"thigh1": -0.4 * np.sin(phase + shift), "shank": 0.5 - 0.5 * np.cos(phase + shift)}
            for name, angle in (swing | {"talus": 0.2 * np.sin(phase + shift), "hindfoot": 0.1}).items():
                q[k, figure.position_slices[f"{side}_{name}"]] = angle
            q[k, figure.position_slices[f"{side}_humerus1"]] = 0.4 * np.sin(phase + shift)
    return Clip((figure,), 0.0, 1 / FPS, q)


@pytest.fixture(scope="module")
def clip():
    return walk(walking_person(), 1.0, turn=0.5)


def row(figure: Figure, body: str) -> int:
    return [b.name for b in figure.order].index(body)


# ---------------------------------------------------------------- bones
def test_the_walking_person_has_the_bones_of_a_humanoid(clip):
    character = Character.of(clip.figures[0])
    assert sorted(character.names) == sorted(USUAL)
    parent = {b.name: character.names[b.parent] if b.parent >= 0 else "" for b in character.bones}
    assert parent["Hips"] == "" and parent["Spine"] == "Hips" and parent["LeftForeArm"] == "LeftArm"
    heads = {b.name: b.head for b in character.bones}
    assert abs(heads["LeftHand"][2] - heads["LeftArm"][2]) < 0.05 and heads["LeftHand"][1] > 0.6  # arms out: a T
    assert all(np.linalg.norm(b.tail - b.head) > 0.02 for b in character.bones)
    np.testing.assert_allclose(heads["LeftLeg"] * [1, -1, 1], heads["RightLeg"], atol=1e-9)


def test_every_size_of_person_has_them():
    figure = person_of(1.6, 55.0, figure=walking_person())
    small, usual = Character.of(figure), Character.of(walking_person())
    for a, b in zip(small.bones, usual.bones):
        assert np.linalg.norm(a.head[2]) == pytest.approx(1.6 / 1.77 * b.head[2], abs=1e-6), a.name
    bare = Character.of(person90())
    assert sorted(bare.names) == sorted(USUAL)
    worn = sum(len(bone.skin) for bone in bare.bones)
    assert worn == sum(p.visible for b in person90().bodies for p in b.parts)


def test_hinges_on_one_another_are_one_joint_and_welded_bodies_stay():
    rod = Part(Capsule(0.03, 0.2), Placement.at(0, 0, -0.1), mass=1.0)
    hinge = lambda *axis: Joint("hinge", axis)
    bodies = (
        Body("trunk", None, Joint("free"), Placement.at(0, 0, 1), (Part(Box((0.2, 0.2, 0.2)), mass=2.0),)),
        Body("hip1", "trunk", hinge(1, 0, 0), Placement.at(0, 0.1, 0), mass=rod.mass_properties),
        Body("hip2", "hip1", hinge(0, 1, 0), parts=(rod,)),
        Body("boot", "hip2", Joint("fixed"), Placement.at(0, 0, -0.3), (rod,)),
        Body("rail", "trunk", Joint("slide", (1, 0, 0)), Placement.at(0, -0.1, 0), (rod,)),
    )
    figure = Figure("creature", bodies)
    character = Character.of(figure)
    assert character.names == ("trunk", "hip", "boot", "rail") and character.parents == (-1, 0, 1, 0)
    q = np.tile(np.array(figure.zero), (3, 1))
    q[:, 7:] = [[0, 0, 0], [0.3, -0.4, 0.1], [0.5, 1.0, 0.2]]
    made = Clip((figure,), 0.0, 0.1, q)
    heads, _ = character.world_motion(*made.poses[0])
    np.testing.assert_allclose(heads[:, 2], made.poses[0][0][:, row(figure, "boot")], atol=1e-12)
    shift, _ = character.motion(made)
    assert character.sliding(shift) == [True, False, False, True]


# ---------------------------------------------------------------- files
def test_bvh_of_a_character(clip, tmp_path):
    (tmp_path / "walk.bvh").write_text(bvh_text(clip, character=True))
    found = read_bvh(tmp_path / "walk.bvh")
    assert sorted(found.names) == sorted(USUAL)
    places, seen = clip.poses[0][0], found.world_positions()
    for bone, body in JOINTS.items():
        np.testing.assert_allclose(seen[:, found.names.index(bone)], places[:, row(clip.figures[0], body)], atol=1e-6)


def globals_of(gltf, blob):
    """World matrices (frames, nodes, 4, 4) of a glTF file, by its own numbers alone."""

    def array(number):
        made = gltf.accessors[number]
        view, width = gltf.bufferViews[made.bufferView], {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[made.type]
        kind = {5126: np.float32, 5125: np.uint32, 5123: np.uint16}[made.componentType]
        return np.frombuffer(blob, kind, made.count * width, view.byteOffset).reshape(made.count, width)

    frames = gltf.accessors[gltf.animations[0].samplers[0].input].count
    local = {}
    for k, node in enumerate(gltf.nodes):
        local[k, "translation"] = np.tile(node.translation or [0, 0, 0], (frames, 1))
        local[k, "rotation"] = np.tile(node.rotation or [0, 0, 0, 1], (frames, 1))
    for channel in gltf.animations[0].channels:
        sampler = gltf.animations[0].samplers[channel.sampler]
        local[channel.target.node, channel.target.path] = array(sampler.output)
    from scipy.spatial.transform import Rotation

    world = np.tile(np.eye(4), (frames, len(gltf.nodes), 1, 1))

    def walk_down(k, above):
        own = np.tile(np.eye(4), (frames, 1, 1))
        own[:, :3, :3] = Rotation.from_quat(local[k, "rotation"]).as_matrix()
        own[:, :3, 3] = local[k, "translation"]
        world[:, k] = above @ own
        for child in gltf.nodes[k].children:
            walk_down(child, world[:, k])

    for top in gltf.scenes[0].nodes:
        walk_down(top, np.eye(4))
    return world, array


def test_gltf_of_a_character_has_an_armature_with_a_skin(clip, tmp_path):
    pytest.importorskip("pygltflib")
    from pygltflib import GLTF2
    from scipy.spatial import cKDTree

    from gambol.export.gltf import solid

    export_file(clip, tmp_path / "walk.glb", character=True)
    gltf = GLTF2().load(str(tmp_path / "walk.glb"))
    world, array = globals_of(gltf, gltf.binary_blob())
    figure, (places, turns) = clip.figures[0], clip.poses[0]
    names = [node.name for node in gltf.nodes]
    for bone, body in JOINTS.items():
        seen = world[:, names.index(bone), :3, 3][:, [2, 0, 1]]  # Y up, Z forward
        np.testing.assert_allclose(seen, places[:, row(figure, body)], atol=2e-6)
    skin = gltf.skins[0]
    assert len(skin.joints) == len(USUAL) and gltf.nodes[names.index("walker skin")].skin == 0
    bind = array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    frame = 17
    moved, corners, between = [], [], []
    for primitive in gltf.meshes[0].primitives:
        points, joints = array(primitive.attributes.POSITION), array(primitive.attributes.JOINTS_0)[:, 0]
        assert np.allclose(array(primitive.attributes.WEIGHTS_0).sum(axis=1), 1.0)
        matrices = (world[frame, skin.joints] @ bind)[joints]
        moved.append(np.einsum("nij,nj->ni", matrices, np.c_[points, np.ones(len(points))])[:, [2, 0, 1]])
    for k, body in enumerate(figure.order):
        pose = Placement(tuple(places[frame, k]), tuple(turns[frame, k]))
        for part in body.parts:
            if part.visible:
                there = pose.compose(part.placement)
                own = (
                    between if body.name.endswith("talus") else corners
                )  # between two axes of one joint: with the foot
                own.append(solid(part)[0] @ there.matrix.T + there.position)
    moved, corners, between = (np.concatenate(rows) for rows in (moved, corners, between))
    assert len(moved) == len(corners) + len(between)
    assert cKDTree(moved).query(corners)[0].max() < 1e-5 and cKDTree(moved).query(between)[0].max() < 0.01
    assert np.sum(cKDTree(corners).query(moved)[0] > 1e-5) <= len(between)


def test_usd_of_a_character(clip, tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdSkel

    export_file(clip, tmp_path / "walk.usda", character=True)
    stage = Usd.Stage.Open(str(tmp_path / "walk.usda"))
    skeleton = next(p for p in stage.Traverse() if p.IsA(UsdSkel.Skeleton))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(skeleton.GetParent())
    cache.Populate(root, Usd.TraverseInstanceProxies())
    query = cache.GetSkelQuery(UsdSkel.Skeleton(skeleton))
    names = [str(joint).split("/")[-1] for joint in query.GetJointOrder()]
    assert sorted(names) == sorted(USUAL)
    for frame in (0, 9, 30):
        found = query.ComputeJointSkelTransforms(frame)
        above = UsdGeom.XformCache(frame).GetLocalToWorldTransform(skeleton)
        for bone, body in JOINTS.items():
            x, y, z = (found[names.index(bone)] * above).ExtractTranslation()
            np.testing.assert_allclose([-y, x, z], clip.poses[0][0][frame, row(clip.figures[0], body)], atol=1e-5)


# ---------------------------------------------------------------- cycles
@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_cycle_is_found_and_closes(turn):
    whole = walk(walking_person(), 3.6, turn)
    cycle = find_cycle(whole)
    assert cycle.period == pytest.approx(PERIOD, abs=0.5 / FPS) and cycle.seam < 5e-3
    assert cycle.speed == pytest.approx(1.3, abs=0.03) and cycle.travel[2] == pytest.approx(turn * PERIOD, abs=0.02)
    travelling, still = looped(whole, cycle), looped(whole, cycle, in_place=True)
    assert len(travelling) == cycle.frames + 1
    first, last = (still.poses[0][0][k] for k in (0, -1))
    np.testing.assert_allclose(last, first, atol=1e-9)
    assert np.ptp(still.q[:, 0]) < 0.06 and np.hypot(*(travelling.q[-1, :2] - travelling.q[0, :2])) > 1.0
    joints = slice(7, None)
    np.testing.assert_allclose(travelling.q[-1, joints], travelling.q[0, joints], atol=1e-12)
    speed = np.diff(still.poses[0][0], axis=0) * FPS
    assert np.abs(speed[0] - speed[-1]).max() < 0.5  # the seam is no jerk: neighbours differ as much elsewhere
    assert np.abs(speed[0] - speed[-1]).max() < 1.5 * np.abs(np.diff(speed, axis=0)).max()


def test_what_has_no_cycle_is_refused():
    figure = walking_person()
    short = walk(figure, 0.3)
    with pytest.raises(ExportError, match="too few"):
        find_cycle(short)
    still = Clip((figure,), 0.0, 1 / FPS, np.tile(np.array(figure.zero), (60, 1)))
    with pytest.raises(ExportError, match="nothing moves"):
        find_cycle(still)
    rising = np.tile(np.array(figure.zero), (60, 1))
    rising[:, figure.position_slices["l_shank"]] = np.linspace(0, 1.5, 60)[:, None]
    with pytest.raises(ExportError, match="does not come back"):
        find_cycle(Clip((figure,), 0.0, 1 / FPS, rising))
    with pytest.raises(ExportError, match="does not fit"):
        find_cycle(walk(figure, 3.0), period=9.0)
    assert find_cycle(walk(figure, 3.6), period=1.0).period == pytest.approx(PERIOD, abs=0.5 / FPS)
    assert len(clip_of(walk(figure, 1.0), fps=15)) == 16


def test_the_command_cuts_cycles_and_writes_characters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    import gambol.cli.export as command

    monkeypatch.setattr(command, "read_source", lambda model: walk(walking_person(), 3.6))
    run = lambda *words: CliRunner().invoke(app, ["export", "walk.gambol", *words])
    found = run("loop.bvh", "--loop", "--in-place", "--character", "--json", "l.json")
    assert found.exit_code == 0, found.output
    assert "cycle of 1.1 s" in found.output and json.loads((tmp_path / "l.json").read_text())["cycle"]["frames"] == 33
    assert sorted(read_bvh(tmp_path / "loop.bvh").names) == sorted(USUAL)
    for words, message in (
        (("a.csv", "--character"), "characters, cycles and surroundings are written as"),
        (("a.bvh", "--in-place"), "goes with --loop"),
        (("a.bvh", "--loop", "--period", "-1"), "must be positive"),
    ):
        found = run(*words)
        assert found.exit_code == 2 and message in found.output, found.output
