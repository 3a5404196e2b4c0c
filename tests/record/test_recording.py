"""Recordings: what goes in comes out, with names and units; batches, equations, controllers; bad input."""

import warnings

import numpy as np
import pytest
import xarray

from gambol import (
    Anchor,
    Boundary,
    Channel,
    Controller,
    Crossing,
    ExponentialSpring,
    GaitController,
    Joint,
    JointMeter,
    JointSpring,
    Ode,
    OdeRun,
    PacemakerGait,
    Periodic,
    Recorder,
    Recording,
    RecordingError,
    Simulation,
    StepError,
    Stepping,
    World,
    chain,
)
from gambol.models import hang
from gambol.models.roach import STEP_TIME, legs, settled_roach

ARM = chain(3, Joint("hinge", (0, 1, 0), damping=0.05, stiffness=0.3), length=0.4, radius=0.03)


def arm(**options):
    sim = Simulation(World(ARM), **options)
    sim.reset(q=[1.2, 0.3, -0.5])
    return sim


def test_a_recording_is_the_run(tmp_path):
    sim, plain = arm(), arm()
    with Recorder(sim, tmp_path / "a.gambol", every=0.05, parameters={"start": 1.2}) as recorder:
        recorder.run(1.0)
    path = plain.run(times=0.05 * np.arange(1, 21))
    recording = Recording.open(tmp_path / "a.gambol")
    data = recording.dataset
    assert np.array_equal(data.q[1:], path.q) and np.array_equal(data.v[1:], path.v)
    assert np.array_equal(data.time[1:], path.time) and data.q[0].values.tolist() == [1.2, 0.3, -0.5]
    assert data.q.attrs["units"] == "rad" and data.v.attrs["units"] == "rad/s" and data.ledger.attrs["units"] == "J"
    assert data.q.sel(coordinate="chain/chain_1").shape == (21,)
    for line, joules in sim.ledger().items():
        assert float(data.ledger.sel(line=line)[-1]) == joules
    for body, place in sim.mechanics.origins(sim.q).items():
        np.testing.assert_allclose(data.position.sel(body=body)[-1], place, atol=1e-14)
    assert recording.figures == (ARM,)
    report = recording.report
    assert report["outcome"] == "complete" and report["parameters"] == {"start": 1.2} and report["rows"] == 21
    assert report["counts"]["steps"] == sim.counts["steps"] and report["versions"]["numba"]
    assert "complete" in report.text() and "3 degrees of freedom" in report.text()


def test_memory_and_file_are_the_same(tmp_path):
    made = []
    for path in (None, tmp_path / "a.gambol"):
        with Recorder(arm(), path, every=0.1, channels=["acceleration", "joint_force", "velocity"]) as recorder:
            recorder.run(0.5)
        made.append(recorder.recording.dataset)
    assert made[0].drop_attrs().identical(made[1].drop_attrs())
    # damping and spring are what acts: the recorded force is that of the elements
    expected = -0.05 * made[0].v - 0.3 * made[0].q.values
    np.testing.assert_allclose(made[0].joint_force, expected, atol=1e-12)


def test_other_readers_open_the_file(tmp_path):
    with Recorder(arm(), tmp_path / "a.gambol", every=0.1) as recorder:
        recorder.run(0.5)
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(tmp_path / "a.gambol", engine="h5netcdf") as foreign:
        assert foreign.q.shape == (6, 3) and foreign.q.dims == ("time", "coordinate")
        assert foreign.q.attrs["units"] == "rad" and np.array_equal(foreign.q, recorder.recording.dataset.q)


def test_events_handlers_and_commands():
    start = hang()
    sim = Simulation(start.world)
    sim.reset(start.q)
    with Recorder(sim, every=1 / 60) as recorder:
        recorder.run(3.0, on_event=start.let_go, stop=start.landings)
    recording = recorder.recording
    assert recording.events[0].name == "let go" and recording.events == sim.events
    data = recording.dataset
    assert float(data.time[-1]) == sim.time and np.array_equal(data.q[-1], sim.q)
    assert data.event_name.values.tolist() == [e.name for e in sim.events]
    # once the hand is open the anchor works no more
    work = data.ledger.sel(line="work of grip")
    open_hand = work.where(data.time > sim.events[0].time, drop=True)
    assert np.ptp(open_hand.values) == 0.0 and np.ptp(work.values) > 0.0
    assert float(data.ledger.sel(line="stored")[-1]) == sim.ledger()["stored"]
    assert recording.report["events"]["let go"] == 1


def test_jumps_are_in_the_ledger(tmp_path):
    wall = Boundary(name="wall", watch="position", body="chain_0", value=0.0, direction="falling")
    sim = Simulation(World(ARM, boundaries=[wall]))
    sim.reset(q=[0.6, 0.0, 0.0])

    def bounce(sim, event):
        sim.v = -0.5 * sim.v

    with Recorder(sim, tmp_path / "b.gambol", every=0.05) as recorder:
        recorder.run(2.0, on_event=bounce)
    last = recorder.recording.dataset.ledger[-1]
    assert float(last.sel(line="jumps")) == sim.ledger()["jumps"] < 0
    assert float(last.sel(line="numerical")) == sim.ledger()["numerical"]


def test_batches(tmp_path):
    sim = Simulation(World(ARM), worlds=5)
    start = np.random.default_rng(0).normal(0, 0.4, (5, 3))
    sim.reset(q=start)
    with Recorder(sim, tmp_path / "b.gambol", every=0.1, channels=["clock"]) as recorder:
        recorder.run(0.5)
    recording = Recording.open(tmp_path / "b.gambol")
    data = recording.dataset
    assert data.q.dims == ("time", "world", "coordinate") and np.array_equal(data.q[0], start)
    assert np.array_equal(data.q[-1], sim.q) and data.clock.shape == (6, 5)
    motion = recording.motion(world=3)
    assert np.array_equal(motion.q, data.q[:, 3]) and motion.points("chain_2").shape == (6, 3)
    assert recording.poses(3)[0].shape == (6, 3, 3)
    with pytest.raises(RecordingError, match="there is no number 5"):
        recording.motion(world=5)


def falling(t, y, p, dy):
    dy[0], dy[1] = y[1], -p[0]


def floor(t, y, p, g):
    g[0] = y[0]


def test_equations(tmp_path):
    ball = Ode(falling, 2, boundaries=floor, events=[Crossing("floor", direction="falling")], parameters=[10.0],
               names=["height", "speed"])  # fmt: skip
    run = OdeRun(ball, [1.0, 0.0])
    with Recorder(run, tmp_path / "ball.gambol", every=0.1) as recorder:
        recorder.run(1.0, on_event=lambda run, event: run.jump([run.y[0], -0.5 * run.y[1]]))
    recording = Recording.open(tmp_path / "ball.gambol")
    height = recording.dataset.y.sel(variable="height")
    np.testing.assert_allclose(height[:5], 1.0 - 5.0 * height.time[:5] ** 2, atol=1e-9)
    assert recording.events[0].time == pytest.approx(np.sqrt(0.2), abs=1e-9)
    assert float(recording.dataset.p[-1, 0]) == 10.0 and recording.figures == ()
    with pytest.raises(RecordingError, match="has no figures"):
        recording.motion()


def test_a_controller_acts_after_the_sample_of_its_moment():
    def brake(sim):
        sim.command = -0.2 * sim.v

    sim, plain = arm(), arm()
    with Recorder(sim, every=0.02, channels=["joint_force"]) as recorder:
        recorder.run(1.0, controller=Periodic(0.02, brake))
    path = plain.run(1.0, every=0.02, controller=Periodic(0.02, brake), watch={"force": lambda sim: sim.joint_force})
    data = recorder.recording.dataset
    assert np.array_equal(data.q[1:], path.q) and np.array_equal(data.joint_force[1:], path.watched["force"])
    assert np.array_equal(data.command[0], np.zeros(3)) and np.array_equal(data.command[2], -0.2 * data.v[1])


@pytest.mark.parametrize("last", [0.2, 0.21])
def test_a_controller_ends_the_run(last):
    """Between samples, or at one, wherever the pieces of the recording end."""

    def enough(sim):
        if sim.time >= last:
            sim.note("enough")
            return False

    sim = arm()
    with Recorder(sim, every=0.02) as recorder:
        recorder.run(5.0, controller=Periodic(0.01, enough))
    recording = recorder.recording
    assert sim.time == recording.time[-1] == pytest.approx(last) and [e.name for e in recording.events] == ["enough"]


class Plain(Controller):
    """Keeps whatever it is given."""

    keeps = ("kept",)

    def __init__(self, kept=None):
        self.kept = kept


def test_what_controllers_keep_comes_back_as_it_was(tmp_path):
    rng = np.random.default_rng(3)
    rng.normal(size=5)
    kept = {
        "text": "höher", "none": None, "yes": True, "large": 2**200, "inf": np.inf, "nested": [1, (2.5, [0.1])],
        ("tuple", 3): {4: np.arange(3, dtype=np.int8)}, "single": np.float32(0.1), "zero": np.zeros(()), "rng": rng,
    }  # fmt: skip
    with Recorder(arm(), tmp_path / "a.gambol") as recorder:
        recorder.run(0.1, controller=Plain(kept))
    again = Plain()
    Recorder.resume(arm(), tmp_path / "a.gambol", controller=again).close()
    found = again.kept
    assert found.pop("rng").normal() == kept.pop("rng").normal()
    array, own = found[("tuple", 3)].pop(4), kept[("tuple", 3)].pop(4)
    assert array.dtype == own.dtype and np.array_equal(array, own)
    assert found == kept and list(map(type, found.values())) == list(map(type, kept.values()))
    for odd in (lambda: 0, {1, 2}, np.array([None])):
        with pytest.raises(RecordingError, match=r"Plain saves a \w+, which cannot be stored; what can: None, truth"):
            Recorder(arm(), tmp_path / "b.gambol", overwrite=True).run(0.1, controller=Plain({"odd": [odd]}))
    Recorder(arm()).run(0.1, controller=Plain(lambda: 0))  # in memory: nobody resumes it


def test_channels_of_controllers():
    class Counting(Plain):
        def channels(self, run):
            yield Channel("count", "", lambda sim: float(self.kept))

    with Recorder(arm(), every=0.1) as recorder:
        recorder.run(0.2, controller=Counting(3))
        with pytest.raises(RecordingError, match="before the first sample"):
            recorder.run(0.2, controller=[])
    assert recorder.recording.dataset["count"].values.tolist() == [3.0] * 3


def test_gravity_and_bound_bodies_are_resumed(tmp_path):
    def pulled():
        pull = Anchor(name="pull", body="chain_0", point=(0, 0, -0.4), place=(0.5, 0, -0.8), stiffness=40.0)
        sim = Simulation(World(ARM, forces=[pull]))
        sim.reset(q=[1.2, 0.3, -0.5])
        return sim

    def change(sim):
        sim.gravity = (1.0, 0.0, -5.0)
        sim.elements["pull"].bind("chain_2", (0.0, 0.0, -0.4))

    straight = pulled()
    change(straight)
    straight.run(1.0, every=0.1)
    first = pulled()
    change(first)
    with Recorder(first, tmp_path / "a.gambol", every=0.1) as recorder:
        recorder.run(0.5)
    second = pulled()
    with Recorder.resume(second, tmp_path / "a.gambol") as recorder:
        recorder.run(until=1.0)
    assert second.save().same(straight.save())


def test_a_walk_is_recorded_and_resumed_to_the_bit(tmp_path):
    def walk():
        sim = settled_roach()
        return sim, GaitController(PacemakerGait(legs(), step_time=STEP_TIME, cycle=0.15))

    whole, gait = walk()
    path = whole.run(0.5, every=0.02, controller=gait)
    part, first = walk()
    with Recorder(part, tmp_path / "walk.gambol", every=0.02, reports=False) as recorder:
        recorder.run(0.2, controller=first)
    again, second = walk()
    with Recorder.resume(again, tmp_path / "walk.gambol", controller=second, reports=False) as recorder:
        recorder.run(until=whole.time)
    assert again.save().same(whole.save()) and np.array_equal(recorder.recording.read("q")[1:], path.q)
    assert str(second.footfalls()) == str(gait.footfalls()) and len(gait.footfalls().steps[0]) > 2


def test_channels_of_ones_own():
    class Sensors:
        def channels(self, run):
            labels = {"foot": ["left", "right"], "axis": "xyz"}
            yield Channel("pressure", "N", lambda sim: np.full((2, 3), sim.time), ("foot", "axis"), labels)

    height = Channel("height", "m", lambda sim: sim.mechanics.centre_of_mass(sim.q)[2], about="of the centre of mass")
    with Recorder(arm(), every=0.1, channels=[height], sources=[Sensors()]) as recorder:
        recorder.run(0.3)
    data = recorder.recording.dataset
    assert data.pressure.sel(foot="left", axis="z").values.tolist() == data.time.values.tolist()
    assert data.height.attrs == {"units": "m", "long_name": "of the centre of mass"}


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Channel("a b", "m", lambda sim: 0.0), "letters, digits"),
        (lambda: Channel("time", "m", lambda sim: 0.0), "none of time"),
        (lambda: Channel("x", "m"), "give `read` or `derive`"),
        (lambda: Channel("x", "m", lambda sim: 0.0, ("foot",)), "every axis has labels"),
        (lambda: Recorder(arm(), channels=["velocty"]), "did you mean 'velocity'"),
        (lambda: Recorder(arm(), every=0.0), "positive time"),
        (lambda: Recorder(arm(), channels=[Channel("q", "m", lambda sim: 0.0)]), "two channels are called 'q'"),
        (lambda: Recorder(object()), "can be recorded, not a object"),
        (lambda: Recorder(arm(), channels=[Channel("x", "m", lambda sim: np.zeros(2))]).run(0.1), "shape"),
    ],
)
def test_wrong_channels_are_refused(make, words):
    with pytest.raises(RecordingError, match=words):
        make()


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "a.gambol").write_text("precious")
    with pytest.raises(RecordingError, match="exists"):
        Recorder(arm(), tmp_path / "a.gambol")
    assert (tmp_path / "a.gambol").read_text() == "precious"
    Recorder(arm(), tmp_path / "a.gambol", overwrite=True).close()
    assert Recording.open(tmp_path / "a.gambol").rows == 1


def test_files_that_are_no_recordings(tmp_path):
    import h5py

    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n")
    with h5py.File(tmp_path / "other.h5", "w", libver="latest"):
        pass
    for name, words in (
        ("none.gambol", "no such file"),
        (".", "is a folder"),
        ("p.png", "a PNG picture"),
        ("other.h5", "not a recording of Gambol"),
    ):
        with pytest.raises(RecordingError, match=words):
            Recording.open(tmp_path / name)
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be written"):
        Recorder(arm(), tmp_path / "file" / "a.gambol")


@pytest.mark.parametrize("part", [0.98, 0.5, 0.01])
def test_truncated_recordings_are_refused_at_once(tmp_path, part):
    with Recorder(arm(), tmp_path / "a.gambol", every=0.01) as recorder:
        recorder.run(2.0)
    content = (tmp_path / "a.gambol").read_bytes()
    (tmp_path / "cut.gambol").write_bytes(content[: int(part * len(content))])
    with pytest.raises(RecordingError, match=f"cut short: {int(part * len(content))} of {len(content)} bytes"):
        Recording.open(tmp_path / "cut.gambol")


def test_a_run_that_fails_is_kept(tmp_path):
    stiff = chain(1, Joint("hinge", (0, 1, 0), stiffness=1e9), length=1.0)
    sim = Simulation(World(stiff), stepping=Stepping(method="euler", step=0.01))
    sim.reset(q=[1.0])
    with pytest.raises(StepError), Recorder(sim, tmp_path / "a.gambol", every=0.01) as recorder:
        recorder.run(2.0)
    recording = Recording.open(tmp_path / "a.gambol")
    assert recording.report["outcome"].startswith("failed: the motion is no longer finite")
    assert recording.rows >= 1 and recording.time[-1] < 2.0


def test_warnings_and_what_was_left_out_are_reported():
    with pytest.warns(UserWarning, match="thin ice"), Recorder(arm(), every=0.1) as recorder:
        warnings.warn("thin ice", stacklevel=1)
        recorder.count_left_out("step clipped", 3)
        recorder.run(0.2)
    report = recorder.recording.report
    assert report["warnings"] == ["thin ice"] and report["left_out"] == {"step clipped": 3}
    assert "3 × step clipped" in report.text()


def test_notebooks_show_recordings():
    with Recorder(arm(), every=0.1) as recorder:
        recorder.run(0.2)
    assert "degrees of freedom" in recorder.recording._repr_html_()


def test_elements_and_meters_report():
    forces = [
        Anchor(name="string", body="chain_2", point=(0, 0, -0.4), place=(0.5, 0, -0.8), stiffness=40.0),
        JointSpring(name="motor", joint="chain_0", stiffness=2.0, rest=0.3),
        JointMeter(name="work", joint="chain_0"),
    ]
    sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0)), length=0.4), forces=forces))
    sim.reset(q=[1.2, 0.3, -0.5])
    with Recorder(sim, every=0.1) as recorder:
        recorder.run(0.5)
    data = recorder.recording.dataset
    tip = np.array([sim.mechanics.point(q, "chain_2", (0, 0, -0.4)) for q in data.q.values])
    pull = data.anchor.sel(anchor_part="string", anchor_report=["force_x", "force_y", "force_z"]).values
    np.testing.assert_allclose(pull, 40.0 * (np.array([0.5, 0.0, -0.8]) - tip), atol=1e-9)
    np.testing.assert_allclose(data.joint_spring[:, 0, 0], 2.0 * (0.3 - data.q[:, 0]), atol=1e-12)
    assert (
        float(data.meter[-1, 0]) == sim.measured("work") and data.anchor_unit.values.tolist() == ["m"] * 3 + ["N"] * 3
    )
    for line, joules in sim.ledger().items():
        assert float(data.ledger.sel(line=line)[-1]) == joules


def test_scheduled_actions_cannot_be_resumed(tmp_path):
    sim = arm()
    sim.at(5.0, lambda sim: None)
    Recorder(sim, tmp_path / "a.gambol").close()
    with pytest.raises(RecordingError, match=r"scheduled for t = \[5.0\] s, and cannot be stored; let a controller"):
        Recorder.resume(arm(), tmp_path / "a.gambol")


def test_forces_cut_off_beyond_their_laws_are_in_the_report(tmp_path):
    """Of named and of unnamed elements."""
    figure = chain(2)
    names = [body.name for body in figure.bodies]
    springs = [
        ExponentialSpring(name="knee", joint=names[0], strength=1.0, rise=5.0, most=0.5, rest=2.0),
        ExponentialSpring(joint=names[1], strength=1.0, rise=5.0, most=0.5, rest=2.0),
    ]
    sim = Simulation(World(figure, forces=springs))
    with Recorder(sim, tmp_path / "a.gambol", every=0.01) as recorder:
        recorder.run(0.02)
    left_out = Recording.open(tmp_path / "a.gambol").report["left_out"]
    assert left_out["force of knee cut off beyond its law"] > 0
    assert left_out["force of exponential_spring cut off beyond its law"] > 0
