"""Nothing committed is lost, nobody writes over another, and what changed on the disk is noticed."""

import errno
import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from gambol import Joint, Recorder, Recording, RecordingError, RecordingWarning, Simulation, World, chain
from gambol.record.file import creating_path
from gambol.record.lock import is_being_written, lock_path
from gambol.record.opening import lookup3

ARM = chain(2, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)
LIMIT = 120.0


def swinging():
    sim = Simulation(World(ARM))
    sim.reset(q=[0.5, 0.2])
    return sim


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "a.gambol"
    with Recorder(swinging(), path, every=0.02) as recorder:
        recorder.run(0.4)
    return path


@pytest.fixture
def copy(good, tmp_path):
    path = tmp_path / "a.gambol"
    path.write_bytes(good.read_bytes())
    return path


def in_child(code, **options):
    head = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_reliable import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", head + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


# ------------------------------------------------------------ one writer
def test_a_second_writer_is_refused_and_told_who_writes(tmp_path):
    path = tmp_path / "a.gambol"
    with Recorder(swinging(), path, every=0.02) as recorder:
        recorder.run(0.1)
        for attempt in (lambda: Recorder(swinging(), path, overwrite=True), lambda: Recorder.resume(swinging(), path)):
            with pytest.raises(
                RecordingError, match=rf"is being written by process {os.getpid()} of \S+ on \S+, since"
            ):
                attempt()
        assert is_being_written(path)
        recorder.run(0.1)
    assert not is_being_written(path) and not lock_path(path).exists()
    assert Recording.open(path).rows == 11
    with Recorder.resume(swinging(), path) as recorder:
        recorder.run(0.1)
    assert Recording.open(path).rows == 16


def test_the_lock_of_the_dead_is_taken_over_and_that_of_another_host_is_not(copy):
    owner = {"user": "ann", "host": "elsewhere", "process": 7, "since": "2026-01-01T00:00:00+00:00"}
    lock_path(copy).write_text(json.dumps(owner))
    with pytest.raises(
        RecordingError, match=r"process 7 of ann on elsewhere, since 2026.*; if it is not, remove \S+lock"
    ):
        Recorder.resume(swinging(), copy)
    lock_path(copy).write_text("rubbish")
    with Recorder.resume(swinging(), copy) as recorder:
        recorder.run(0.1)
    assert Recording.open(copy).rows == 26


def test_a_failed_start_leaves_no_lock(copy):
    with pytest.raises(RecordingError, match="another run"):
        Recorder.resume(Simulation(World(chain(3))), copy)
    with pytest.raises(RecordingError):
        Recorder(swinging(), copy, overwrite=True, channels=["nonsense"])
    assert not lock_path(copy).exists() and Recording.open(copy).rows == 21


# ------------------------------------------------------------ disks
FULL = """
import resource
recorder = Recorder(swinging(), {path!r}, every=1e-3, keep_running={keep})
recorder.run(0.1)
recorder.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize({path!r}) + 30_000, resource.RLIM_INFINITY))
try:
    with recorder:
        recorder.run(20.0)
    print("to the end", recorder.subject.time)
except RecordingError as error:
    print(error)
"""


@pytest.mark.parametrize("keep", [False, True])
def test_a_full_disk_keeps_what_was_committed(tmp_path, keep):
    path = tmp_path / "a.gambol"
    child = in_child(FULL.format(path=str(path), keep=keep))
    out, err = child.communicate(timeout=LIMIT)
    assert child.returncode == 0, err
    recording = Recording.open(path)
    assert recording.rows >= 101 and np.all(np.isfinite(recording.read("q")))
    lost = f"File too large; {recording.rows} samples up to t = {recording.time[-1]:g} s were committed and are kept"
    assert lost in (err if keep else out)
    assert out.startswith("to the end 20.1" if keep else str(path)), out
    assert ("the run goes on unrecorded" in err) == keep and not lock_path(path).exists()


@pytest.mark.parametrize("gone", ["file", "folder", "replaced"])
def test_a_file_that_goes_away(tmp_path, gone):
    path = tmp_path / "in" / "a.gambol"
    recorder = Recorder(swinging(), path, every=0.02)
    recorder.run(0.1)
    recorder.flush()
    if gone == "folder":
        (tmp_path / "in").rename(tmp_path / "out")
    else:
        path.unlink()
    if gone == "replaced":
        path.write_text("another")
    with pytest.raises(RecordingError, match=r"was (removed|replaced by another file) while it was written"), recorder:
        recorder.run(0.1)
    with pytest.raises(RecordingError, match="while it was written"):
        recorder.run(0.1)


def test_going_on_without_a_file(tmp_path):
    path = tmp_path / "a.gambol"
    sim = swinging()
    with Recorder(sim, path, every=0.02, keep_running=True) as recorder:
        recorder.run(0.1)
        path.unlink()
        with pytest.warns(RecordingWarning, match="the run goes on unrecorded"):
            recorder.flush()
        recorder.run(0.1)
    assert sim.time == pytest.approx(0.2)


@pytest.mark.parametrize("code", [errno.EROFS, errno.EDQUOT, errno.EIO])
def test_a_disk_that_takes_no_more(tmp_path, monkeypatch, code):
    """Mounted read-only, its quota used up, broken: what the system says when data are handed to it."""
    path, sim = tmp_path / "a.gambol", swinging()
    recorder = Recorder(sim, path, every=0.02)
    recorder.run(0.1)
    recorder.flush()

    def refused(handle):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("gambol.record.file.os.fsync", refused)
    words = f"cannot be written: {os.strerror(code)}; 6 samples up to t = 0.1 s were committed and are kept"
    with pytest.raises(RecordingError, match=words), recorder:
        recorder.run(0.1)
    monkeypatch.undo()
    assert Recording.open(path).rows == 6 and not lock_path(path).exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is read-only for the administrator")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(RecordingError, match="Permission denied"):
        Recorder(swinging(), tmp_path / "a.gambol")


# ------------------------------------------------------------ killed
def test_killed_before_the_first_commit(copy):
    """A file that is being made does not touch the one that is there."""
    recorder = Recorder(swinging(), copy, every=0.02, overwrite=True)
    assert creating_path(copy).exists() and Recording.open(copy).rows == 21
    recorder.run(0.1)
    assert not creating_path(copy).exists()
    recorder.close()
    assert Recording.open(copy).rows == 6
    copy.rename(creating_path(copy))
    with pytest.raises(RecordingError, match="holds nothing: its writer ended before the first commit"):
        Recording.open(copy)


# ------------------------------------------------------------ what changed on the disk
def committed(path):
    recording = Recording.open(path)
    return {name: recording.read(name).tobytes() for name in ("time", *recording.channels)}


def test_no_number_changes_unseen(copy):
    """Every byte of a channel's samples, turned over one by one, is either refused or not read."""
    with h5py.File(copy) as file:
        places = [file["q"].id.get_chunk_info(0), file["time"].id.get_chunk_info(0)]
    whole, before = copy.read_bytes(), committed(copy)
    chance = np.random.default_rng(1)
    for chunk in places:
        for at in chance.integers(chunk.byte_offset, chunk.byte_offset + 160, 12):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << int(chance.integers(8))
            copy.write_bytes(damaged)
            with pytest.raises(RecordingError, match=r"is damaged: samples \d+ to \d+ of '(q|time)' have changed"):
                committed(copy)
    copy.write_bytes(whole)
    assert committed(copy) == before


def test_parts_of_a_channel_are_compared_too(copy):
    recording = Recording.open(copy)
    whole = recording.read("q")
    assert len(recording._ends) > 1
    for rows in (slice(0, 0), slice(0, 1), slice(3, 9), slice(20, 21), slice(None), slice(-3, None), slice(0, 21, 5)):
        assert recording.read("q", rows).tobytes() == whole[rows].tobytes(), rows


def test_a_damaged_file_that_was_not_closed_does_not_hang(copy):
    """HDF5 tries for minutes to read metadata of a growing file whose checksum is wrong."""
    damaged = bytearray(copy.read_bytes())
    damaged[11] = 5
    damaged[44:48] = struct.pack("<I", lookup3(bytes(damaged[:44])))
    copy.write_bytes(damaged)
    assert Recording.open(copy).rows == 21  # as of a writer that was killed
    with h5py.File(copy.with_name("b.h5"), "w"):
        pass
    root = struct.unpack_from("<Q", damaged, 36)[0]
    damaged[root + 10 : root + 12] = b"\0\0"
    copy.write_bytes(damaged)
    began = time.process_time()
    with pytest.raises(RecordingError, match="is damaged"):
        Recording.open(copy)
    assert time.process_time() - began < 60.0


def test_lookup3():
    assert lookup3(b"\0" * 44) == lookup3(b"\0" * 44) != lookup3(b"\1" + b"\0" * 43)


# ------------------------------------------------------------ strangers' files
def test_nothing_outside_the_file_is_followed(copy, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"\x40" * 400)
    whole = copy.read_bytes()

    def external(file):
        del file["q"]
        file.create_dataset("q", (21, 2), "f8", external=[(str(secret), 0, h5py.h5f.UNLIMITED)])

    def virtual(file):
        del file["q"]
        layout = h5py.VirtualLayout((21, 2), "f8")
        layout[:] = h5py.VirtualSource(str(secret), "q", (21, 2))
        file.create_virtual_dataset("q", layout)

    def external_link(file):
        del file["q"]
        file["q"] = h5py.ExternalLink(str(secret), "q")

    def soft_link(file):
        del file["q"]
        file["q"] = h5py.SoftLink("/v")

    def loop(file):
        file["run/again"] = file["/"]

    for change, words in (
        (external, "the numbers of /q lie in other files"),
        (virtual, "the numbers of /q lie in other files"),
        (external_link, "/q is a link"),
        (soft_link, "/q is a link"),
        (loop, "a loop of them"),
    ):
        copy.write_bytes(whole)
        with h5py.File(copy, "r+", libver="latest") as file:
            change(file)
        with pytest.raises(RecordingError, match=words):
            Recording.open(copy)
        with pytest.raises(RecordingError, match=words):
            Recorder.resume(swinging(), copy)


def test_a_figure_in_a_recording_reads_no_files(copy):
    with h5py.File(copy, "r+", libver="latest") as file:
        text = json.loads(file["run/description"][...].tobytes())
        body = {"name": "a", "parts": [{"mesh": {"file": "/etc/passwd"}}]}
        text["figures"] = [{"gambol": "figure/1", "name": "f", "bodies": [body]}]
        del file["run/description"]
        file["run"].create_dataset("description", data=np.frombuffer(json.dumps(text).encode(), np.uint8))
    with pytest.raises(Exception, match="'/etc/passwd' is not read: this text stands alone"):
        _ = Recording.open(copy).figures


def test_more_samples_than_there_is_room_for(copy):
    with h5py.File(copy, "r+", libver="latest") as file:
        file["run"].create_dataset("huge", (10**9, 10**6), "f8", chunks=(1, 1024))
    with pytest.raises(Exception, match=r"huge would take 8e\+03 TB of memory, and \S+ \wB are free"):
        Recording.open(copy).read("run/huge")


# ------------------------------------------------------------ Ctrl-C
LONG = """
import time
from gambol import Stepping
stepping = Stepping(method="rk4", step=1e-9, max_attempts=10**12)
sim = Simulation(World(ARM), stepping=stepping, worlds={worlds}, threads={threads})
sim.reset(q=[0.5, 0.2])
sim.run(1e-6)
print("begun", flush=True)
try:
    {run}
except KeyboardInterrupt as error:
    print("stopped", time.time(), flush=True)
"""


@pytest.mark.parametrize(
    ("worlds", "threads", "run"),
    [
        (1, 1, "sim.run(1e6)"),
        (9, 2, "sim.run(1e6)"),
        (1, 1, "Recorder(sim, every=1e5).run(1e6)"),
    ],
)
def test_ctrl_c_is_heard_inside_compiled_code(worlds, threads, run):
    child = in_child(LONG.format(worlds=worlds, threads=threads, run=run))
    assert child.stdout.readline() == "begun\n", child.stderr.read()
    time.sleep(0.5)
    asked = time.time()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT)
    assert out.startswith("stopped "), err
    assert float(out.split()[1]) - asked < 30.0  # about 0.1 s on an idle machine


def test_what_was_reached_before_ctrl_c_is_kept(tmp_path, monkeypatch):
    path, sim = tmp_path / "a.gambol", swinging()

    def progress(now):
        if now > 0.2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), Recorder(sim, path, every=0.02) as recorder:
        recorder.run(1e9, progress=progress)
    kept = Recording.open(path)
    assert kept.report["outcome"] == "interrupted" and kept.time[-1] > 0.2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    other = swinging()
    with Recorder.resume(other, path) as recorder:
        recorder.run(0.3)
    straight = swinging()
    with Recorder(straight, every=0.02) as whole:
        whole.run(until=other.time)
    assert whole.recording.read("q").tobytes() == Recording.open(path).read("q").tobytes()


def test_pieces_change_nothing(monkeypatch):
    """One attempt a call, or all of them in one: the same bits, counts included."""
    from gambol.stepping.pieces import Pieces

    found = []
    for attempts in (1, 7, 10**9):
        sim = Simulation(World(ARM), worlds=3)
        sim.reset(q=[[0.5, 0.2], [1.0, 0.0], [-2.0, 0.7]])
        monkeypatch.setattr("gambol.stepping.pieces.FIRST_ATTEMPTS", attempts)
        monkeypatch.setattr("gambol.stepping.pieces.PIECE_TIME", 1e-12 if attempts < 10**9 else 1e9)
        sim.pieces.attempts = attempts
        path = sim.run(1.0, every=0.1)
        found.append((path.q.tobytes(), sim.save().data.tobytes()))
    assert found[0] == found[1] == found[2]
    assert isinstance(sim.pieces, Pieces)
