"""Recordings in the viewer, good and bad."""

import numpy as np
import pytest

from gambol import Grid, Joint, Recorder, Recording, RecordingError, Simulation, ViewError, Waves, World, chain
from gambol.draw import Motion, still
from gambol.record.ground import terrain_data, terrain_from
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


def test_the_terrain_is_in_the_recording(tmp_path):
    path, ground = tmp_path / "waves.gambol", Waves(amplitude=0.05, length_x=0.7, slope_x=0.1)
    sim = Simulation(World(chain(1, Joint("hinge", (0, 1, 0))), terrain=ground))
    with Recorder(sim, path, every=0.1) as recorder:
        recorder.run(0.2)
    motion = Motion.of(Recording.open(path))
    assert motion.terrain == ground and RecordedSource(motion).ground == ground
    grid = Grid(table=((0.0, 0.1), (0.2, 0.0)), cell=0.5)
    assert terrain_from(terrain_data(grid), "here") == grid
    assert terrain_from(None, "here") is None and terrain_from({"kind": "Moon"}, "here") is None
    wrong = ({"amplitude": 1.0}, {"kind": "Waves", "amplitude": "x"}, {"kind": "Rough"}, {"kind": "Grid", "table": 1})
    for data in wrong:
        with pytest.raises(RecordingError, match="here is damaged: its terrain"):
            terrain_from(data, "here")


def test_motions_side_by_side(recorded):
    path, _ = recorded
    motion = Motion.of(Recording.open(path))
    both = Motion.side_by_side([motion, motion, motion], spacing=2.0)
    assert [figure.name for figure in both.figures] == ["chain 0", "chain 1", "chain 2"]
    origins = both.poses(1.0).origins.reshape(3, -1, 3)
    alone = motion.poses(1.0).origins
    assert np.allclose(origins - alone, np.array([2.0, 0.0, -2.0])[:, None, None] * np.array([0.0, 1.0, 0.0]))
    assert still(both, 0.5, size=(80, 60)).size == (80, 60)
    assert "there are 1 worlds, from 0 to 0; 1 is none of them" in refused(path, "--worlds", "0,1")
    assert "--worlds is numbers with commas" in refused(path, "--worlds", "x")
    assert "--ghost is for the live view" in refused(path, "--ghost", path, "--out", "a.png", code=2)


def test_a_run_is_one_page(recorded, tmp_path):
    from html import unescape

    from typer.testing import CliRunner

    from gambol.cli.app import app

    path, _ = recorded
    out = tmp_path / "swing.html"
    assert CliRunner().invoke(app, ["plot", str(path), "report", "--out", str(out)]).exit_code == 0
    text = out.read_text()
    motion = unescape(text.split('srcdoc="')[1].split('"></iframe>')[0])
    assert '"frames": 31' in motion and "three.js" in motion, "the motion plays, at 30 pictures a second"
    for heading in ("Joint coordinates", "The energy ledger", "Where every joule went", "Phase portraits"):
        assert f"<h2>{heading}</h2><img" in text
    assert text.count("data:image/png;base64,") == text.count("<img") and "<img src=" not in text
    assert "Not drawn" in text and "Ground reaction:" in text.split("Not drawn")[1], "it touched no ground"
    assert CliRunner().invoke(app, ["plot", str(path), "report", "--out", str(tmp_path / "a.png")]).exit_code != 0
