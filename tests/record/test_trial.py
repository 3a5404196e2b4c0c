"""Files that HDF5 does not survive, or never comes to an end with, are refused: another process opens them first."""

import os
import re
import struct

import h5py
import numpy as np
import pytest

from gambol import Joint, Recorder, Recording, RecordingError, Simulation, World, chain
from gambol.record import trial

ARM = chain(2, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "a.gambol"
    sim = Simulation(World(ARM))
    with Recorder(sim, path, every=0.02, reports=False) as recorder:
        recorder.run(0.1)
    return path.read_bytes()


@pytest.fixture
def copy(content, tmp_path):
    path = tmp_path / "a.gambol"
    path.write_bytes(content)
    return path


def rest_of_the_heap(content):
    """Where the length of what is free in HDF5's heap of texts stands; the heap has no checksum."""
    at = content.index(b"GCOL") + 16
    while struct.unpack_from("<H", content, at)[0]:
        at += 16 + -(-struct.unpack_from("<Q", content, at + 8)[0] // 8) * 8
    return at + 8


def test_what_hdf5_never_ends_with_is_refused(copy, monkeypatch):
    """Two zeroed bytes: free room of length 0, which HDF5 goes round for ever."""
    monkeypatch.setattr(trial, "LIMIT", 0.5)
    damaged = bytearray(copy.read_bytes())
    at = rest_of_the_heap(damaged)
    assert any(damaged[at : at + 2]) and not any(damaged[at + 2 : at + 8])
    damaged[at : at + 2] = b"\0\0"
    copy.write_bytes(damaged)
    for _ in range(2):  # the next one is tried by another process
        with pytest.raises(RecordingError, match=r"is damaged: HDF5 did not come to an end with it within 0\.5"):
            Recording.open(copy)


def test_what_is_refused_there_is_not_looked_at_here(copy):
    """Where a link is seen the file is left: what else it holds, here a heap without end, nobody has tried."""
    with h5py.File(copy, "r+", libver="latest") as file:
        file["elsewhere"] = h5py.SoftLink("/q")
    damaged = bytearray(copy.read_bytes())
    at = rest_of_the_heap(damaged)
    damaged[at : at + 2] = b"\0\0"
    copy.write_bytes(damaged)
    with pytest.raises(RecordingError, match=r"a\.gambol is refused: /elsewhere is a link to something else"):
        Recording.open(copy)


def test_what_kills_a_process_is_refused(copy, monkeypatch):
    dies = "import os, sys; print('ready', flush=True); sys.stdin.readline(); os.abort()  # {path}"
    monkeypatch.setattr(trial, "SERVE", dies)
    trial._Tryer._present = None
    with pytest.raises(RecordingError, match=r"HDF5 does not survive it \(a process that opened it ended with -6\)"):
        Recording.open(copy)
    trial._Tryer._present = None


def test_good_files_are_tried_once_and_our_own_never(copy, tmp_path, monkeypatch):
    tried = []
    fate = trial._Tryer.fate
    monkeypatch.setattr(trial._Tryer, "fate", lambda self, path, where: tried.append(path) or fate(self, path, where))
    recording = Recording.open(copy)
    assert recording.read("q").shape == (6, 2) and recording.dataset and Recording.open(copy).rows == 6
    assert tried == [copy]
    os.utime(copy)  # another file, as far as anybody can tell
    Recording.open(copy)
    assert tried == [copy, copy]
    own = tmp_path / "own.gambol"
    with Recorder(Simulation(World(ARM)), own, every=0.02) as recorder:
        recorder.run(0.1)
        assert recorder.recording.rows == 6
    assert Recording.open(own).rows == 6 and tried == [copy, copy] and not trial.writing


def test_rare_filters_are_refused(copy):
    with h5py.File(copy, "r+", libver="latest") as file:
        file["run"].create_dataset("extra", data=np.zeros((8, 2), np.int32), chunks=(8, 2), scaleoffset=0)
    with pytest.raises(RecordingError, match=r"needs the foreign HDF5 filter 6"):
        Recording.open(copy)


def test_the_dataset_compares_checksums_too(copy):
    with h5py.File(copy) as file:
        chunk = file["q"].id.get_chunk_info(0)
    damaged = bytearray(copy.read_bytes())
    damaged[chunk.byte_offset + 9] ^= 4
    copy.write_bytes(damaged)
    with pytest.raises(RecordingError, match=r"samples \d+ to \d+ of 'q' have changed"):
        Recording.open(copy).dataset  # noqa: B018


@pytest.mark.parametrize(
    "executable, why",
    (("/no/such/python", "no other process can be started"), ("/bin/false", "did not come up (it ended with")),
)
def test_where_nobody_can_try_a_file_it_is_refused_unless_it_is_trusted(copy, monkeypatch, executable, why):
    """A process that cannot even import is no damage of the file."""
    monkeypatch.setattr(trial.sys, "executable", executable)
    monkeypatch.setattr(trial._Tryer, "_present", None)
    monkeypatch.setattr(trial, "_known", set())
    with pytest.raises(RecordingError, match=rf"is not opened: .*{re.escape(why)}.* set GAMBOL_UNTRIED=1"):
        Recording.open(copy)
    monkeypatch.setenv("GAMBOL_UNTRIED", "1")
    assert len(Recording.open(copy).time) == 6


def test_why_nobody_could_try_it_is_told(copy, monkeypatch):
    monkeypatch.setattr(trial, "SERVE", "import a_package_that_is_not_there  # {path}")
    monkeypatch.setattr(trial._Tryer, "_present", None)
    monkeypatch.setattr(trial, "_known", set())
    with pytest.raises(RecordingError, match=r"it ended with 1: ModuleNotFoundError: No module named 'a_package_that_"):
        Recording.open(copy)
