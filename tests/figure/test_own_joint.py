"""A joint type from outside the package: the file that ARCHITECTURE.md prints, taken through everything there is."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import (
    Body,
    Capsule,
    Closure,
    Figure,
    FigureError,
    Joint,
    Mechanics,
    Part,
    Placement,
    Recorder,
    Recording,
    Simulation,
    World,
    WorldError,
    mirror_positions,
    parse_yaml,
    random_figure,
    random_positions,
    reroot_positions,
    yaml_text,
)
from gambol.cli.app import app
from gambol.draw import Motion, still
from gambol.export import bvh_text, clip_of, export_file, mjcf_text, read_bvh
from gambol.figure import JOINT_TYPES
from gambol.figure.joints import SLIDE, TURN, JointType, Primitive, register
from trees import close, derivative

ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"
AXES = ((0.0, 0.6, 0.8), (1.0, 0.0, 0.0), (0.0, -0.8, 0.6))


@pytest.fixture(scope="module", autouse=True)
def gimbal(tmp_path_factory):
    """The file as printed, imported from a folder that has nothing else."""
    blocks = ARCHITECTURE.read_text(encoding="utf-8").split("```python\n")[1:]
    (text,) = (block.split("```")[0] for block in blocks if "class Gimbal" in block)
    assert len(text.splitlines()) < 20
    file = tmp_path_factory.mktemp("own") / "gimbal.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("gimbal", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del JOINT_TYPES["gimbal"]


def wrist(axes=AXES, **more):
    return Joint("gimbal", *axes[:2], parameters={"axis3": axes[2]}, **more)


def rod(length):
    return Part(Capsule(0.03, length), Placement((0.02, 0.01, -0.5 * length)), colour=(0.8, 0.2, 0.2))


def crane(root="fixed", **more):
    """A trunk with an arm that ends in gimbals, one on the other, and a hinge beside them."""
    place = Placement.about((1.0, 2.0, 0.5), 0.7, (0.1, 0.05, -0.3))
    return Figure(
        "crane",
        (
            Body("trunk", joint=Joint(root), parts=(rod(0.4),)),
            Body("l_upper", "trunk", wrist(**more), place, (rod(0.3),)),
            Body("l_lower", "l_upper", wrist(AXES[::-1]), place, (rod(0.2),)),
            Body("tail", "trunk", Joint("hinge", (0.0, 1.0, 0.0)), Placement((-0.1, 0.0, 0.0)), (rod(0.25),)),
        ),
    )


def explicit(figure):
    """The same with three hinges and two massless bodies in place of every gimbal."""
    bodies = []
    for body in figure.order:
        if body.joint.type != "gimbal":
            bodies.append(body)
            continue
        axes = (body.joint.axis, body.joint.axis2, body.joint["axis3"])
        parent, place = body.parent, body.placement
        for k, axis in enumerate(axes):
            name = body.name if k == 2 else f"{body.name} {k}"
            parts = body.parts if k == 2 else ()
            joint = replace(body.joint, type="hinge", axis=axis, parameters={})
            bodies.append(Body(name, parent, joint, place, parts))
            parent, place = name, Placement()
    return Figure("explicit", tuple(bodies))


# ------------------------------------------------------------ files
def test_yaml_and_check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    figure = crane("free", stiffness=2.0, range=(-1.0, 2.0))
    assert parse_yaml(yaml_text(figure)) == figure and hash(parse_yaml(yaml_text(figure))) == hash(figure)
    figure.write("crane.yaml")
    assert Figure.read("crane.yaml") == figure
    found = CliRunner().invoke(app, ["check", "crane.yaml"])
    assert found.exit_code == 0 and "gimbal" in found.stdout, found.output
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml_text(figure).replace("axis3", "axis4", 1).replace("gimbal", "gimbel", 1))
    found = CliRunner().invoke(app, ["check", "wrong.yaml"])
    assert found.exit_code == 1 and "did you mean 'gimbal'?" in found.stdout
    file.write_text(yaml_text(figure).replace("axis3", "axis4", 1))
    lines = CliRunner().invoke(app, ["check", "wrong.yaml"]).stdout.splitlines()
    assert len(lines) == 2 and all(line.startswith("wrong.yaml:") for line in lines)
    assert any("needs the parameter 'axis3'" in line for line in lines)
    assert any("has no parameter 'axis4' (allowed: axis3)" in line for line in lines)


def test_the_command_runs_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    crane().write("crane.yaml")
    arguments = ["run", "crane.yaml", "--time", "0.2", "--set", "l_upper=0.3,0.2,-0.1", "--out", "o"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 0, found.output
    header = (tmp_path / "o" / "positions.csv").read_text().splitlines()[0]
    assert "l_upper yaw [rad],l_upper pitch [rad],l_upper roll [rad]" in header
    assert all((tmp_path / "o" / name).stat().st_size > 2000 for name in ("film_strip.png", "curves.png"))


# ------------------------------------------------------------ edits
@pytest.mark.parametrize("seed", range(5))
def test_mirrored(seed):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 9, ("gimbal", "hinge", "cylindrical"), root="gimbal" if seed % 2 else "free")
    q, image = random_positions(rng, figure), figure.mirror()
    seen = image.poses(mirror_positions(figure, q))
    for name, pose in figure.poses(q).items():
        close(seen[name].position, pose.mirrored().position, 1e-12, scale=1.0)
        close(seen[name].matrix, pose.mirrored().matrix, 1e-12, scale=1.0)
    assert image.mirror() == figure
    assert np.array_equal(mirror_positions(image, mirror_positions(figure, q)), q)


def test_names_change_sides_and_springs_stay():
    image = crane(stiffness=3.0, rest=0.2, range=(-0.5, 1.0)).mirror()
    joint = image["r_upper"].joint
    assert (joint.stiffness, joint.rest, joint.range) == (3.0, 0.2, (-0.5, 1.0))
    assert joint["axis3"] == (0.0, -0.8, -0.6)


def test_rerooted():
    """The same bodies at the same places, and the same kinetic energy: M = Tᵀ M' T."""
    rng = np.random.default_rng(2)
    figure = crane("free")
    new = figure.reroot("l_lower")
    assert new["trunk"].joint.type == "gimbal" and new["l_upper"].joint.axis == pytest.approx((-0.0, -0.6, -0.8))
    q = random_positions(rng, figure)
    mapped = lambda q: reroot_positions(figure, "l_lower", q)
    before, after = figure.poses(q), new.poses(mapped(q))
    for body in figure.bodies:
        here, there = figure[body.name].mass_properties, new[body.name].mass_properties
        close(there.moved(after[body.name]).centre, here.moved(before[body.name]).centre, 1e-12, scale=1.0)
        close(there.moved(after[body.name]).tensor, here.moved(before[body.name]).tensor, 1e-12, scale=1.0)
    old = Mechanics(figure)
    T = np.zeros((new.speeds, figure.speeds))
    for k, v in enumerate(np.eye(figure.speeds)):
        plain = derivative(lambda s, v=v: mapped(old.displaced(q, s * v)))
        T[:6, k] = old.velocities(q, v)["crane/l_lower"]
        T[6:, k] = plain[7:]
    close(T.T @ Mechanics(new).mass_matrix(mapped(q)) @ T, old.mass_matrix(q), 1e-8)


def test_welded():
    rng = np.random.default_rng(3)
    figure = crane()
    q = random_positions(rng, figure)
    at = figure.position_slices["l_upper"]
    stiff = figure.weld("l_upper", q[at])
    poses, welded = figure.poses(q), stiff.poses(np.delete(q, range(at.start, at.stop)))
    close(welded["l_lower"].position, poses["l_lower"].position, 1e-12, scale=1.0)
    close(stiff.mass_properties(np.delete(q, range(at.start, at.stop))).tensor, figure.mass_properties(q).tensor, 1e-12)
    sim = Simulation(World(figure))
    sim.reset(q)
    point = sim.mechanics.point(q, "l_lower", (0.0, 0.0, -0.2))
    sim = sim.weld("l_upper")
    close(sim.mechanics.point(sim.q, "l_lower", (0.0, 0.0, -0.2)), point, 1e-12, scale=1.0)


def test_scaled_and_renamed():
    figure = crane(stiffness=2.0, damping=0.1).scaled(2.0)
    assert figure["l_upper"].joint.stiffness == pytest.approx(2.0 * 16.0)
    assert figure.renamed("a_")["a_l_upper"].joint == figure["l_upper"].joint


# ------------------------------------------------------------ motion
def test_moves_as_three_hinges():
    rng = np.random.default_rng(4)
    figure = crane("free", stiffness=3.0, damping=0.05, rest=0.1, armature=0.01)
    chain = explicit(figure)
    q, v = random_positions(rng, figure), rng.normal(size=figure.speeds)
    one, two = (Simulation(World(each), stepping="rkf45") for each in (figure, chain))
    for sim in (one, two):
        sim.reset(q, v)
        sim.command = np.linspace(-1.0, 1.0, figure.speeds)
    close(one.acceleration, two.acceleration, 1e-12)
    close(one.mechanics.mass_matrix(q), two.mechanics.mass_matrix(q), 1e-12)
    close(one.mechanics.bias(q, v), two.mechanics.bias(q, v), 1e-12)
    ends = [sim.run(0.5, every=0.1).q[-1] for sim in (one, two)]
    close(*ends, 1e-9)


def test_many_worlds_in_packs():
    rng = np.random.default_rng(5)
    figure = crane(damping=0.1, range=(-2.0, 2.0))
    starts = np.array([random_positions(rng, figure, 0.3) for _ in range(5)])
    many = Simulation(World(figure), worlds=5)
    many.reset(starts)
    many.run(0.3)
    for k, q in enumerate(starts):
        one = Simulation(World(figure))
        one.reset(q)
        one.run(0.3)
        close(many.q[k], one.q, 1e-9)


def test_saved_and_restored():
    sim = Simulation(World(crane(damping=0.1)))
    sim.reset(random_positions(6, crane()))
    sim.run(0.1)
    kept = sim.save()
    sim.run(0.2)
    first = sim.q
    sim.restore(kept)
    sim.run(0.2)
    assert np.array_equal(sim.q, first)


def test_closes_a_loop_as_a_ball_does():
    ends = dict(body="l_lower", place=Placement((0.0, 0.0, -0.2)))
    figure = crane()
    at = Placement(figure.poses()["l_lower"].apply((0.0, 0.0, -0.2)))
    paths = []
    for joint in (wrist(), Joint("ball")):
        sim = Simulation(World(figure, constraints=[Closure(joint=joint, at=at, **ends)]), stepping="rk4")
        path = sim.run(0.2, every=0.05)
        close(sim.mechanics.point(sim.q, "l_lower", (0.0, 0.0, -0.2)), at.position, 1e-6, scale=1.0)
        paths.append(path.q)
    close(*paths, 1e-10)


# ------------------------------------------------------------ recorded, shown, exported
@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    file = tmp_path_factory.mktemp("run") / "crane.gambol"
    sim = Simulation(World(crane(damping=0.02)))
    sim.reset(random_positions(7, crane(), 0.4))
    with Recorder(sim, file, every=0.02) as recorder:
        recorder.run(0.4)
    return Recording.open(file)


def test_recorded(recorded):
    assert list(recorded.dataset.coordinate.values[:3]) == [f"crane/l_upper.{a}" for a in ("yaw", "pitch", "roll")]
    assert recorded.dataset.q.attrs["units"] == "rad" and recorded.dataset.v.attrs["units"] == "rad/s"
    motion = recorded.motion()
    for k in (0, 10, 20):
        for body, pose in crane().poses(motion.q[k]).items():
            assert np.array_equal(recorded.dataset.position[k].sel(body=f"crane/{body}"), pose.position)
            assert np.array_equal(recorded.dataset.rotation[k].sel(body=f"crane/{body}"), pose.rotation)


def test_shown(recorded):
    from gambol.plot import plot_joints, plot_trajectory
    from gambol.view import RecordedSource
    from gambol.view.anatomy import Anatomy
    from gambol.view.channels import channels_of

    motion = Motion.of(recorded)
    poses = motion.poses(0.2)
    assert np.array_equal(poses.origins[2], crane().poses(motion.positions(0.2))["l_lower"].position)
    picture = np.asarray(still(motion, time=0.2, size=(160, 120)))
    assert (picture[..., 0].astype(int) - picture[..., 1] > 60).mean() > 0.01  # the red rods are there
    anatomy = Anatomy(motion.figures)
    assert anatomy.axes(poses, 0.1).shape == (3 + 3 + 1, 2, 3)
    assert "l_lower: roll [rad]" in channels_of(RecordedSource(motion), anatomy)
    assert plot_trajectory(recorded.motion()).axes[0].get_legend_handles_labels()[1][:2] == [
        "l_upper yaw",
        "l_upper pitch",
    ]
    assert plot_joints(recorded, joints=["l_upper"]).axes


def test_exported(recorded, tmp_path):
    clip = clip_of(recorded)
    (tmp_path / "crane.bvh").write_text(bvh_text(clip))
    target = read_bvh(tmp_path / "crane.bvh")
    q = target.positions(crane())
    origins, _ = crane().kinematics(q)
    np.testing.assert_allclose(origins, clip.poses[0][0], atol=1e-6)
    pytest.importorskip("pygltflib")
    export_file(recorded, tmp_path / "crane.glb")
    assert (tmp_path / "crane.glb").stat().st_size > 1000


def test_the_same_mass_matrix_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(8)
    figure = crane()
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure, bare=True))
    data = mujoco.MjData(model)
    q = random_positions(rng, figure)
    data.qpos[:] = q  # the bodies are listed depth first, as in MuJoCo
    mujoco.mj_forward(model, data)
    M, column = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    for k, e in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, column, e)
        M[:, k] = column
    close(M, Mechanics(figure).mass_matrix(q), 1e-10)


# ------------------------------------------------------------ what does not fit
def test_a_type_that_does_not_fit_is_refused_on_the_spot():
    def made(**parts):
        return type("Odd", (JointType,), {"name": "odd", "positions": {"a": "rad"}, **parts})

    one = lambda self, joint: [Primitive("hinge", joint.axis)]
    crooked = lambda self, joint: [Primitive("hinge", joint.axis2)]
    behind = lambda self, joint: [Primitive("hinge", joint.axis), Primitive("slide", joint.axis2)]
    pair = {"a": "rad", "b": "m"}
    for wrong, message in [
        (dict(name="hinge"), "there is a joint type 'hinge' already"),
        (dict(), "define primitives, the chain it is made of, or pose_steps"),
        (
            dict(primitives=one, positions=pair),
            r"positions have the units \['rad', 'm'\], those of its chain \['rad'\]",
        ),
        (dict(primitives=one, springs="none"), "springs must be one of coordinates, rotation, nothing"),
        (dict(primitives=lambda self, joint: [Primitive("hing")]), "'hing' in its chain is no joint type"),
        (dict(primitives=crooked, fields={"axis": TURN}), "define mirrored: its image moves otherwise"),
        (dict(primitives=behind, positions=pair, fields={"axis": TURN, "axis2": SLIDE}), "define reversed"),
    ]:
        with pytest.raises(TypeError, match=message):
            register(made(**wrong))
        assert "odd" not in JOINT_TYPES
    with pytest.raises(FigureError, match="unknown joint type 'odd'"):
        Joint("odd").pose([])


def test_installed_packages_bring_types(monkeypatch):
    """An entry point of the group `gambol.joints` is loaded when a figure names a type that is not there."""
    asked = []

    class Brought(JointType):
        name, positions, fields = "brought", {"a": "rad"}, {"axis": TURN}

        def primitives(self, joint):
            return [Primitive("hinge", joint.axis)]

    def entry_points(*, group, name):
        asked.append((group, name))
        return [SimpleNamespace(load=lambda: register(Brought))] if name == "brought" else []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    monkeypatch.delitem(JOINT_TYPES, "brought", raising=False)
    assert parse_yaml(yaml_text(Figure("f", (Body("a", joint=Joint("brought"), parts=(rod(1.0),)),)))).positions == 1
    assert asked == [("gambol.joints", "brought")]
    del JOINT_TYPES["brought"]


def test_joints_of_it_that_are_wrong():
    for joint, message in [
        (Joint("gimbal"), "a gimbal joint needs the parameter 'axis3'"),
        (Joint("hinge", parameters={"axis3": AXES[2]}), "a hinge joint has no parameter 'axis3'"),
        (wrist((*AXES[:2], (0.0, 2.0, 0.0))), r"axis3 must be a unit vector, its norm is 2"),
        (wrist((*AXES[:2], "up")), "axis3 must be 3 numbers, not 'up'"),
        (wrist((*AXES[:2], AXES[1])), "axis2 and axis3 of a gimbal joint must not be parallel"),
    ]:
        assert message in next(problem for _, problem in joint.faults())
        with pytest.raises(FigureError):
            Figure("wrong", (Body("a", joint=joint, parts=(rod(1.0),)),))
    figure = crane()
    loop = Closure(body="l_lower", joint=Joint("gimbal"))
    with pytest.raises(WorldError, match="needs the parameter 'axis3'"):
        World(figure, constraints=[loop])
