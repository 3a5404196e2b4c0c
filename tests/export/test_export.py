"""Exports, read back by readers that are not ours: bvhio, trimesh, pygltflib, VTK, usd-core, MuJoCo, pandas."""

from dataclasses import replace

import numpy as np
import pandas
import pytest
from scipy.optimize import linear_sum_assignment

from gambol import (
    Body,
    Box,
    Capsule,
    ExportError,
    Figure,
    Hull,
    Joint,
    Mechanics,
    Mesh,
    Part,
    Placement,
    Recorder,
    Simulation,
    UnknownNameError,
    World,
    chain,
    random_figure,
    random_positions,
)
from gambol.export import Clip, bvh_text, clip_of, export_file, mjcf_text, read_bvh
from gambol.models import acrobat

TO_Y_UP = [1, 2, 0]  # the file's x, y, z are our y, z, x


def wild_clip(seed=0, bodies=8, frames=6, **options):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, bodies, root="free", **options)
    return Clip((figure,), 0.0, 1 / 50, np.array([random_positions(rng, figure) for _ in range(frames)]))


def waving():
    """An acrobat that turns, rises and bends its knee, over a second."""
    figure = acrobat()
    q = np.tile(np.array(figure.zero, float), (31, 1))
    for k, s in enumerate(np.linspace(0.0, 1.0, 31)):
        q[k, figure.position_slices["pelvis"]] = (0.5 * s, -0.2 * s, 0.1 * s, *Placement.about((0, 0, 1), s).rotation)
        q[k, figure.position_slices["l_shank"]] = 1.5 * s
        q[k, figure.position_slices["r_arm"]] = Placement.about((1, 0, 0), -2.0 * s).rotation
    return Clip((figure,), 0.0, 1 / 30, q)


def poses_of(clip):
    (places, turns), names = clip.poses[0], [b.name for b in clip.figures[0].order]
    return {name: (places[:, k], turns[:, k]) for k, name in enumerate(names)}


# ---------------------------------------------------------------- BVH
@pytest.mark.parametrize("seed", range(3))
def test_bvh_is_the_same_motion_to_another_reader(seed, tmp_path):
    bvhio = pytest.importorskip("bvhio")
    clip = wild_clip(seed)
    (tmp_path / "a.bvh").write_text(bvh_text(clip, scale=100.0))
    container = bvhio.readAsBvh(str(tmp_path / "a.bvh"))
    assert container.FrameCount == len(clip) and container.FrameTime == pytest.approx(1 / 50)
    root = bvhio.readAsHierarchy(str(tmp_path / "a.bvh"))
    wanted = poses_of(clip)
    assert {joint.Name for joint, _, _ in root.layout()} >= set(wanted)
    for frame in range(len(clip)):
        root.loadPose(frame)
        for joint, _, _ in root.layout():
            if joint.Name in wanted:
                place = 100.0 * wanted[joint.Name][0][frame][TO_Y_UP]
                np.testing.assert_allclose(np.array(joint.PositionWorld), place, atol=2e-3)  # it counts in float32


def test_the_rest_pose_of_a_bvh_is_the_zero_pose(tmp_path):
    bvhio = pytest.importorskip("bvhio")
    (tmp_path / "a.bvh").write_text(bvh_text(clip_of(acrobat())))
    root = bvhio.readAsHierarchy(str(tmp_path / "a.bvh"))
    root.loadRestPose()
    zero = acrobat().poses()
    hips = np.array(zero["pelvis"].position)
    for joint, _, _ in root.layout():
        there = np.array(zero[joint.Name].position) - hips
        here = np.array(joint.PositionWorld) - np.array(root.PositionWorld)
        np.testing.assert_allclose(here, there[TO_Y_UP], atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_bvh_read_back_is_a_target(seed, tmp_path):
    clip = wild_clip(seed)
    (tmp_path / "a.bvh").write_text(bvh_text(clip, scale=100.0))
    target = read_bvh(tmp_path / "a.bvh", scale=100.0)
    assert target.step == pytest.approx(clip.step) and len(target) == len(clip)
    figure = clip.figures[0]
    q = target.positions(figure)
    places, turns = figure.kinematics(q)
    np.testing.assert_allclose(places, clip.poses[0][0], atol=1e-6)
    np.testing.assert_allclose(np.abs(np.sum(turns * clip.poses[0][1], axis=-1)), 1.0, atol=1e-9)


def test_a_target_of_other_names_and_other_joints(tmp_path):
    (tmp_path / "a.bvh").write_text(bvh_text(waving()))
    target = read_bvh(tmp_path / "a.bvh")
    knee = Figure("knee", (Body("leg", joint=Joint("hinge", (0, 1, 0)), parts=(Part(Capsule(0.05, 0.3)),)),))
    np.testing.assert_allclose(target.positions(knee, {"leg": "l_shank"})[:, 0], 1.5 * np.linspace(0, 1, 31), atol=1e-6)
    with pytest.raises(ExportError, match="no body of 'knee' has the name of a joint"):
        target.positions(knee)
    with pytest.raises(ExportError, match="did you mean 'l_shank'"):
        target.positions(knee, {"leg": "l_shanks"})


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda t: t.replace("HIERARCHY", "HIER"), r"a.bvh:1: 'HIERARCHY' is wanted here, not 'HIER'"),
        (lambda t: t.replace("Zrotation", "Wrotation", 1), "no channel 'Wrotation'"),
        (lambda t: t[: len(t) // 2], "ends too early"),
        (lambda t: t.replace("Frame Time: 0.02", "Frame Time: fast"), "a number is wanted"),
        (lambda t: "", "ends too early"),
    ],
)
def test_broken_bvh_files(change, words, tmp_path):
    (tmp_path / "a.bvh").write_text(change(bvh_text(wild_clip())))
    with pytest.raises(ExportError, match=words):
        read_bvh(tmp_path / "a.bvh")


# ---------------------------------------------------------------- glTF
def test_gltf_is_the_right_tree(tmp_path):
    pygltflib = pytest.importorskip("pygltflib")
    import trimesh

    clip = waving()
    for name in ("a.glb", "a.gltf"):
        export_clip(clip, tmp_path / name)
        scene = trimesh.load(tmp_path / name)
        low, high = scene.bounds
        assert high[1] == pytest.approx(1.73, abs=1e-3) and abs(low[1]) < 0.06  # metres to the top of its hair, Y up
        assert np.all(np.array(scene.extents) < 2.0) and len(scene.geometry) >= 6
    gltf = pygltflib.GLTF2().load(str(tmp_path / "a.glb"))
    names = [node.name for node in gltf.nodes]
    knee, thigh = names.index("l_shank"), names.index("l_thigh")
    assert knee in gltf.nodes[thigh].children
    (animation,) = gltf.animations
    moved = {(names[c.target.node], c.target.path) for c in animation.channels}
    assert moved == {("pelvis", "translation"), ("pelvis", "rotation"), ("l_shank", "rotation"), ("r_arm", "rotation")}
    times = gltf.accessors[animation.samplers[0].input]
    assert times.count == 31 and times.max == [pytest.approx(1.0)]


def export_clip(clip, path):
    from gambol.export.gltf import write_gltf

    return write_gltf(clip, path)


def test_gltf_moves_and_is_seen(tmp_path):
    pytest.importorskip("pygltflib")
    vtk = pytest.importorskip("vtk")
    clip = waving()
    export_clip(clip, tmp_path / "a.glb")
    reader = vtk.vtkGLTFImporter()
    reader.SetFileName(str(tmp_path / "a.glb"))
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(200, 200)
    reader.SetRenderWindow(window)
    reader.Update()
    assert reader.GetNumberOfAnimations() == 1
    reader.EnableAnimation(0)
    view = window.GetRenderers().GetFirstRenderer()
    for frame in (0, 12, 30):
        reader.UpdateAtTimeValue(frame / 30)
        centres = np.array([a.GetCenter() for a in actors(view)])
        apart = np.linalg.norm(centres[:, None] - np.array(list(middles(clip, frame))), axis=2)
        assert apart.shape[0] == apart.shape[1] and apart[linear_sum_assignment(apart)].max() < 2e-3
    view.SetBackground(1, 1, 1)
    view.AddLight(vtk.vtkLight())
    view.ResetCamera()
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.Update()
    from vtk.util.numpy_support import vtk_to_numpy

    pixels = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
    seen = np.any(pixels != 255, axis=1).mean()
    reds = np.mean((pixels[:, 0] > pixels[:, 2].astype(int) + 40) & (pixels[:, 1] < 90))  # the acrobat's suit
    assert 0.02 < seen < 0.6 and reds > 0.002


def actors(view):
    found = view.GetActors()
    found.InitTraversal()
    return [found.GetNextActor() for _ in range(found.GetNumberOfItems())]


def middles(clip, frame):
    """Centre of each part that is seen, of the box around it in its own axes; in glTF's axes."""
    from gambol.plot.surfaces import surface

    poses = clip.figures[0].poses(clip.q[frame])
    for body in clip.figures[0].order:
        for part in (part for part in body.parts if part.visible):
            pose = poses[body.name].compose(part.placement)
            corners = surface(part.shape).reshape(-1, 3)
            yield np.array(pose.apply(0.5 * (corners.min(axis=0) + corners.max(axis=0))))[TO_Y_UP]


# ---------------------------------------------------------------- USD
def test_usd_is_the_same_motion_to_its_own_library(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    from gambol.export.usd import write_usd

    clip = wild_clip(2)
    for name in ("a.usda", "a.usdc"):
        write_usd(clip, tmp_path / name)
        stage = Usd.Stage.Open(str(tmp_path / name))
        assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
        assert stage.GetTimeCodesPerSecond() == pytest.approx(50) and stage.GetEndTimeCode() == len(clip) - 1
        prims = {p.GetName(): p for p in stage.Traverse() if p.IsA(UsdGeom.Xform)}
        for body, (places, turns) in poses_of(clip).items():
            for frame in (0, 3, 5):
                matrix = UsdGeom.Xformable(prims[body]).ComputeLocalToWorldTransform(frame)
                x, y, z = places[frame]
                np.testing.assert_allclose(matrix.ExtractTranslation(), (y, -x, z), atol=1e-9)  # −Y is forward
                q = matrix.ExtractRotationQuat()
                turned = (
                    Placement.about((0, 0, 1), -np.pi / 2).compose(Placement(rotation=tuple(turns[frame]))).rotation
                )
                assert abs(np.dot([q.GetReal(), *q.GetImaginary()], turned)) == pytest.approx(1.0, abs=1e-9)


# ---------------------------------------------------------------- MJCF
@pytest.mark.parametrize("seed", range(4))
def test_mjcf_moves_alike_in_mujoco(seed):
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    kinds = ("hinge", "slide", "ball", "universal", "cylindrical", "planar", "fixed")
    figure = random_figure(rng, 8, kinds, root="free")
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
    data = mujoco.MjData(model)
    mechanics = Mechanics(figure)
    assert model.nq == figure.positions and model.nv == figure.speeds
    assert model.body_subtreemass[0] == pytest.approx(figure.mass)
    q = random_positions(rng, figure)
    # MuJoCo lists bodies depth first
    names = [model.body(k).name for k in range(1, model.nbody)]
    data.qpos[:] = np.concatenate([mujoco_positions(figure, name, q) for name in names])
    mujoco.mj_forward(model, data)
    origins = mechanics.origins(q)
    for name in names:
        np.testing.assert_allclose(data.body(name).xpos, origins[f"{figure.name}/{name}"], atol=1e-9)


def mujoco_positions(figure, name, q):
    """MuJoCo's free joint holds the place in the world, ours from the body's placement."""
    own = q[figure.position_slices[name]]
    if figure[name].joint.type != "free":
        return own
    pose = figure[name].placement.compose(figure[name].joint.pose(own))
    return np.array([*pose.position, *pose.rotation])


def test_mjcf_keeps_springs_ranges_and_shapes():
    mujoco = pytest.importorskip("mujoco")
    from gambol import read_mjcf

    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    joint = Joint("hinge", (0, 1, 0), stiffness=3.0, damping=0.2, rest=0.1, range=(-1.0, 0.5), armature=0.01)
    figure = Figure(
        "toy",
        (
            Body(
                "base", joint=Joint("free"), parts=(Part(Box((0.1, 0.2, 0.3)), colour=(1, 0, 0)), Part(Hull(corners)))
            ),
            Body("arm", "base", joint, Placement.at(0, 0, 0.2), (Part(Mesh(corners, faces), colliding=False),)),
        ),
    )
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
    assert model.ngeom == 3 and model.joint("arm").range.tolist() == [-1.0, 0.5]
    assert model.joint("arm").stiffness[0] == 3.0 and model.joint("arm").damping[0] == 0.2
    assert model.geom(0).rgba.tolist() == [1.0, 0.0, 0.0, 1.0] and model.geom(2).contype[0] == 0
    np.testing.assert_allclose(model.geom(0).size, [0.05, 0.1, 0.15])
    again = read_mjcf(mjcf_text(figure))
    assert replace(again["arm"].joint, stop=None) == joint and again.mass == pytest.approx(figure.mass)


# ---------------------------------------------------------------- clips and tables
def test_clips_are_even():
    class Path:
        layout = World(chain(2, "ball")).layout
        time = np.array([0.0, 0.1, 0.2, 0.25])
        q = np.array([[*Placement.about((0, 1, 0), a).rotation, 1, 0, 0, 0] for a in (0.0, 0.3, 0.6, 0.7)])

    clip = clip_of(Path())
    assert len(clip) == 3 and clip.step == pytest.approx(0.1) and np.array_equal(clip.q, Path.q[:3])
    finer = clip_of(Path(), fps=40)
    assert len(finer) == 11
    np.testing.assert_allclose(2 * np.arccos(finer.q[2, 0]), 0.15, atol=1e-9)  # half of the first turn
    with pytest.raises(ExportError, match="fps must be positive"):
        clip_of(Path(), fps=0.0)
    with pytest.raises(ExportError, match="not a str"):
        clip_of("walk")


@pytest.fixture(scope="module")
def recording():
    sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.05), length=0.4, radius=0.03)))
    sim.reset(q=[1.2, 0.3, -0.5])
    with Recorder(sim, every=0.1) as recorder:
        recorder.run(1.0)
    return recorder.recording


def test_tables(recording, tmp_path):
    export_file(recording, tmp_path / "a.csv")
    export_file(recording, tmp_path / "a.parquet", channels=["q", "ledger"])
    table = pandas.read_csv(tmp_path / "a.csv")
    assert np.array_equal(table["q chain/chain_1 [rad]"], recording.dataset.q[:, 1])
    assert np.array_equal(table["time [s]"], recording.time)
    assert "position chain/chain_2 z [m]" in table and "ledger kinetic [J]" in table
    short = pandas.read_parquet(tmp_path / "a.parquet")
    assert [c.split()[0] for c in short] == ["time", "q", "q", "q", *["ledger"] * len(recording.dataset.line)]
    with pytest.raises(UnknownNameError, match="did you mean 'ledger'"):
        export_file(recording, tmp_path / "b.csv", channels=["ledgers"])


def test_wrong_exports(recording, tmp_path):
    with pytest.raises(UnknownNameError, match=r"no format has the suffix '.fbx'"):
        export_file(recording, tmp_path / "a.fbx")
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(ExportError, match="is a folder"):
        export_file(recording, tmp_path / "folder.bvh")
    with pytest.raises(ExportError, match="tables are written of recordings"):
        export_file(acrobat(), tmp_path / "a.csv")


def test_several_figures_get_files_of_their_own(tmp_path):
    pair = (chain(2), chain(3).renamed({}, name="other"))
    clip = Clip(pair, 0.0, 0.1, np.zeros((3, 5)))

    class Source:
        layout = World(pair).layout
        time, q = clip.times, clip.q

    written = export_file(Source(), tmp_path / "a.bvh")
    assert [path.name for path in written] == ["a-chain.bvh", "a-other.bvh"]
    assert len(read_bvh(written[1]).names) == 3
