"""Recordings in the viewer, good and bad."""

import numpy as np
import pytest

from gambol import Joint, Recorder, Recording, Simulation, ViewError, World, chain
from gambol.draw import Motion, still
from gambol.view import RecordedSource
from view.test_command import refused


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "swing.gambol"
    sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.05), length=0.4, radius=0.03)))
    sim.reset([1.0, 0.2, 0.0])
    with Recorder(sim, path, every=1 / 60) as recorder:
        recorder.run(1.0)
    return path, sim.q


def test_a_recording_is_a_motion(recorded):
    path, last = recorded
    motion = Motion.of(Recording.open(path))
    assert len(motion.time) == 61 and np.allclose(motion.q[-1], last) and motion.q[0, 0] == 1.0
    source = RecordedSource(motion)
    assert source.last == pytest.approx(1.0) and np.array_equal(source.at(1.0).q, motion.q[-1])
    assert still(Recording.open(path), 0.5, size=(80, 60)).size == (80, 60)
    with pytest.raises(ViewError, match="no 2 s"):
        still(Recording.open(path), 2.0)


def test_recordings_that_cannot_be_shown(recorded, tmp_path):
    path, _ = recorded
    whole = path.read_bytes()
    short = tmp_path / "short.gambol"
    short.write_bytes(whole[: len(whole) // 2])
    assert "short.gambol is cut short" in refused(short)
    short.write_bytes(b"")
    assert "short.gambol is not a recording" in refused(short)
    noise = tmp_path / "noise.gambol"
    noise.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    assert "noise.gambol" in refused(noise)
    assert "nothing.gambol: no such file" in refused(tmp_path / "nothing.gambol")
    assert "is a folder" in refused(tmp_path)
