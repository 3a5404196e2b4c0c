"""A killed process loses only what was not committed; going on is bitwise the run that was never interrupted."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gambol import (
    Boundary,
    Channel,
    Controller,
    Joint,
    Periodic,
    Recorder,
    Recording,
    RecordingError,
    Simulation,
    World,
    chain,
)

ARM = chain(3, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)
FOLDER = str(Path(__file__).parent)
KICK = Boundary(name="low", watch="position", body="chain_0", value=0.0)
# The process that compiles the march steps with other last bits than those that load it from the cache. So whatever is
# compared to the bit runs in processes that load it.
CHILD = """
import sys
sys.path.insert(0, {folder!r})
from test_crash import Noise, bouncing, bounce
from gambol import Recorder
recorder = Recorder(bouncing(), {path!r}, every=0.02)
recorder.run(1e9, controller=Noise(7), on_event=bounce, progress=lambda now: print(now, flush=True))
"""


class Noise(Controller):
    """Pushes at random, and notes hard ones."""

    keeps = ("count", "last", "rng")

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def start(self, run):
        self.count, self.last = 0, 0.0

    def next_time(self, run):
        return 0.02 * self.count

    def act(self, run):
        self.count += 1
        self.last = float(self.rng.normal())
        run.command = [0.1 * self.last, 0.0, 0.0]
        if self.last > 2.0:
            run.note(f"push of {self.last:.1f}")

    def channels(self, run):
        yield Channel("noise", "", lambda sim: self.last)


def bouncing():
    sim = Simulation(World(ARM, boundaries=[KICK]))
    sim.reset(q=[0.5, 0.2, 0.1])
    return sim


def bounce(sim, event):
    sim.v = 0.999 * sim.v


def python(code, **options):
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, **options)


def elsewhere(call):
    """Calls a function of this module in another process."""
    code = f"import sys; sys.path.insert(0, {FOLDER!r}); import test_crash; test_crash.{call}"
    child = python(code, stderr=subprocess.PIPE)
    _, errors = child.communicate()
    assert child.returncode == 0, errors


def killed(path, rows, later=0):
    """Starts a run that never ends and kills it, so many pieces after this many rows were committed."""
    child = python(CHILD.format(folder=FOLDER, path=str(path)))
    for _ in child.stdout:
        if Recording.open(path).rows >= rows:
            break
    for _ in range(later):
        child.stdout.readline()
    child.kill()
    child.communicate()


@pytest.fixture(scope="module")
def wreck(tmp_path_factory):
    path = tmp_path_factory.mktemp("wreck") / "run.gambol"
    elsewhere("warm_up()")
    killed(path, 300, 3)
    return path


def test_a_kill_loses_nothing_that_was_committed(wreck):
    recording = Recording.open(wreck)
    assert recording.rows >= 300 and recording.report["outcome"] == "unfinished"
    np.testing.assert_allclose(np.diff(recording.time), 0.02, atol=1e-9)
    assert np.all(np.isfinite(recording.dataset.q)) and np.all(np.any(recording.dataset.q != 0.0, axis=1))


def test_no_sample_waits_longer_than_a_second(tmp_path, monkeypatch):
    """By a clock that goes on with the samples."""

    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    monkeypatch.setattr("gambol.record.recorder.clock", clock := Clock())
    path, made = tmp_path / "a.gambol", []

    def pass_time(sim):
        clock.now += 0.07

    def look(now):
        made.append((clock.now, now))
        committed = Recording.open(path).time[-1]
        assert all(time <= committed for moment, time in made if moment <= clock.now - 1.0)

    with Recorder(bouncing(), path, every=0.02) as recorder:
        recorder.run(1.0, controller=Periodic(0.02, pass_time), progress=look)
    assert clock.now > 3.0


def warm_up():
    """Compiles everything that the others use."""
    with Recorder(bouncing(), every=0.02) as recorder:
        recorder.run(0.1, on_event=bounce, controller=Noise(7))


def go_on_and_compare(path):
    end = Recording.open(path).time[-1] + 1.0
    sim = bouncing()
    with Recorder.resume(sim, path, controller=Noise(0)) as recorder:
        assert 0 < sim.time <= end - 1.0 + 1e-9
        recorder.run(until=end, on_event=bounce)
    whole = bouncing()
    with Recorder(whole, every=0.02) as straight:
        straight.run(until=end, on_event=bounce, controller=Noise(7))
    assert sim.save().same(whole.save()) and sim.events == whole.events and sim.ledger() == whole.ledger()
    a, b = Recording.open(path), straight.recording
    assert {"low"} < {event.name for event in a.events} and a.events == b.events and len(a.report["resumed_at_s"]) == 1
    for name in ("time", *a.channels):
        assert a.read(name).tobytes() == b.read(name).tobytes(), name
    assert a.report["outcome"] == "complete"


def test_going_on_is_bitwise(wreck, tmp_path):
    path = tmp_path / "run.gambol"
    path.write_bytes(wreck.read_bytes())
    elsewhere(f"go_on_and_compare({str(path)!r})")


def test_many_kills_leave_readable_files(tmp_path):
    for trial in range(4):
        path = tmp_path / f"{trial}.gambol"
        killed(path, 2, trial)
        recording = Recording.open(path)
        assert recording.rows > 1 and np.all(np.diff(recording.time) > 0) and recording.checkpoint is not None


def test_a_reader_may_look_while_it_is_written(tmp_path):
    sim = bouncing()
    recorder = Recorder(sim, tmp_path / "a.gambol", every=0.02)
    recorder.run(0.5)
    recorder.flush()
    seen = Recording.open(tmp_path / "a.gambol")
    assert seen.rows == 26
    recorder.run(0.5)
    recorder.close()
    assert seen.rows == 26 and Recording.open(tmp_path / "a.gambol").rows == 51


def test_resume_refuses_another_run(tmp_path):
    with Recorder(bouncing(), tmp_path / "a.gambol", every=0.02) as recorder:
        recorder.run(0.2)
    other = Simulation(World(chain(2)))
    with pytest.raises(RecordingError, match=r"another run: boundaries.*figures"):
        Recorder.resume(other, tmp_path / "a.gambol")
    with pytest.raises(RecordingError, match="has the channels"):
        Recorder.resume(bouncing(), tmp_path / "a.gambol", channels=["velocity"])
    with pytest.raises(RecordingError, match="with the controllers none; given as controller=… are Noise"):
        Recorder.resume(bouncing(), tmp_path / "a.gambol", controller=Noise(0))
    before = Recording.open(tmp_path / "a.gambol").rows
    with Recorder.resume(bouncing(), tmp_path / "a.gambol") as recorder:
        recorder.run(0.2)
    assert before == 11 and Recording.open(tmp_path / "a.gambol").rows == 21
    with pytest.raises(RecordingError, match="closed"):
        recorder.run(0.1)
