"""Ctrl-C in every command: how long it takes to end, with which exit code, and what is left of what it did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INTERRUPTED = 130
LIMIT = 1.0  # [s] from Ctrl-C to the end
PATIENCE = 120.0  # [s] after which nobody waits any longer
FIGURE = """gambol: figure/1
name: pendulum
bodies:
  - name: rod
    joint: {type: hinge, axis: [0, 1, 0]}
    placement: {position: [0, 0, 1.5]}
    parts: [{capsule: {radius: 0.02, length: 1.0}, density: 1000.0}]
"""
TARGETS = """import time
from gambol import Joint, Simulation, World, chain
def asleep(x):
    time.sleep(0.02 if x < 3 else 60)
    return {"z": x}
def busy(x):
    sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0)))))
    sim.reset(q=[1.0, 0.5, 0.2])
    sim.run(1e-3 if x < 3 else 1e9)
    return {"z": x}
"""
BATCH = """from gambol import Joint, Simulation, World, chain
sim = Simulation(World(chain(6, Joint("hinge", (0, 1, 0)))), worlds=256)
sim.reset(q=[[1.0, 0.5, 0.2, 0.1, 0.0, 0.3]] * 256)
sim.run(0.01)
print("ready", flush=True)
try:
    sim.run(1e9, every=1e4)
except KeyboardInterrupt as error:
    assert error.trajectory is not None
    raise SystemExit(130)
"""
LOOP = "addworld w\ncloop 100000000\n%n= 1\n.\n"
GAMBOL = (sys.executable, "-m", "gambol")


@dataclass(frozen=True)
class Case:
    """A command; `ready` says from its folder and what it printed when Ctrl-C comes, `after` [s] later.

    kept   is true of its folder when what was computed is still there
    cold   with a cache of compiled code of its own, which is empty
    """

    command: tuple[str, ...]
    ready: Callable[[Path, str], bool] = lambda folder, said: True
    after: float = 0.3
    kept: Callable[[Path], bool] = lambda folder: True
    cold: bool = False


def _recorded(name: str) -> Callable[[Path], bool]:
    def kept(folder: Path) -> bool:
        from gambol import Recording

        return Recording.open(folder / name).rows > 0

    return kept


def _lines(name: str, count: int) -> Callable[..., bool]:
    def there(folder: Path, *_: str) -> bool:
        file = folder / name
        return file.exists() and len(file.read_text().splitlines()) >= count

    return there


def _exists(name: str) -> Callable[[Path, str], bool]:
    return lambda folder, said: (folder / name).exists()


def _said(word: str) -> Callable[[Path, str], bool]:
    return lambda folder, said: word in said


def study(command: str, function: str, *more: str) -> Case:
    """A study of which some points are done when it is stopped, and one never would be."""
    folder = f"{command}-{function}"
    journal = f"{folder}/journal.jsonl"
    words = (*GAMBOL, command, f"targets.py:{function}", *more, "--workers", "2", "--out", folder)
    return Case(words, _lines(journal, 4), 0.5, _lines(journal, 4))


CASES = {
    "imports": Case((*GAMBOL, "info"), after=0.35),
    "run": Case((*GAMBOL, "run", "a.yaml", "--time", "1e9", "--out", "o"), _exists("o/pendulum.gambol"), 1.0,
                _recorded("o/pendulum.gambol")),
    "batch of worlds": Case((sys.executable, "batch.py"), _said("ready"), 1.0),
    "sweep, asleep": study("sweep", "asleep", "--grid", "x=0:9:10"),
    "sweep, compiled": study("sweep", "busy", "--grid", "x=0:9:10"),
    "optimise": study("optimise", "asleep", "--parameter", "x=0:4", "--objective", "z:min", "--budget", "1000"),
    "view": Case((*GAMBOL, "view", "a.yaml", "--port", "0"), _said("http://"), 1.0),
    "view of a roach": Case((*GAMBOL, "view", "roach", "--port", "0"), _said("http://"), 1.0),
    "film": Case((*GAMBOL, "view", "a.yaml", "--out", "a.mp4", "--time", "100"), after=6.0),
    "corpus, loop": Case((*GAMBOL, "corpus", "loop.corpus"), after=2.0),
    "corpus, go": Case((*GAMBOL, "corpus", "go.corpus"), after=6.0),
    "bench": Case((*GAMBOL, "bench", "aba-hexapod", "--rounds", "100000", "--json", "b.json"), after=8.0),
    "reproduce": Case((*GAMBOL, "reproduce", "finger-*", "--out", "r"), after=4.0),
    "simsect": Case((*GAMBOL, "simsect", "-c", "ball.cfg"), after=4.0),
    "export": Case((*GAMBOL, "export", "long.gambol", "long.glb"), after=1.5),
    "plot": Case((*GAMBOL, "plot", "long.gambol", "joints"), after=1.5),
    "demo": Case((*GAMBOL, "demo", "--out", "d"), _exists("d/roach.gambol"), 0.5),
    "warm, compiling": Case((*GAMBOL, "warm"), after=8.0, cold=True),
    "run, compiling": Case((*GAMBOL, "run", "a.yaml", "--out", "c"), _said("compiling"), 6.0, cold=True),
}  # fmt: skip


def prepare(folder: Path) -> None:
    """The files that the commands read."""
    from gambol import Joint, Recorder, Simulation, World, chain

    (folder / "a.yaml").write_text(FIGURE)
    (folder / "targets.py").write_text(TARGETS)
    (folder / "batch.py").write_text(BATCH)
    (folder / "loop.corpus").write_text(LOOP)
    (folder / "go.corpus").write_text("addworld w\naddcorpus c\nget a from unit_cube\naddbody a a 0 0 1 rotary 1000\n"
                                      "setroot a\ncorpusinit\ngo 100000000\n")  # fmt: skip
    (folder / "ball.cfg").write_text('finalTime = 1e6; dataBaseName = "ball";\n')
    sim = Simulation(World(chain(4, Joint("hinge", (0, 1, 0)), length=0.4, radius=0.03)))
    sim.reset(q=[0.5, 0.2, 0.1, 0.0])
    with Recorder(sim, folder / "long.gambol", every=1e-3, reports=False) as recorder:
        recorder.run(20.0)


def prepare_copy(source: Path, folder: Path) -> None:
    """A folder of its own for each stop, with the same files."""
    for file in source.iterdir():
        if file.is_file():
            (folder / file.name).hardlink_to(file)


def _worked(process: int) -> float:
    """[s] of processor time of a process and of those it has waited for."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def interrupt(case: Case, folder: Path) -> tuple[float, float, int, str]:
    """[s] from Ctrl-C to the end of a command, [s] of them that it worked, its exit code, and what it said.

    On a busy machine the first is longer than it would be; what it worked is not.
    """
    environment = dict(os.environ)
    if case.cold:
        environment["NUMBA_CACHE_DIR"] = str(folder / "cold")
    said = folder / "said.txt"
    with said.open("w") as stream:
        child = subprocess.Popen(case.command, cwd=folder, stdout=stream, stderr=stream, env=environment)
    try:
        while not case.ready(folder, said.read_text(errors="replace")):
            if child.poll() is not None:
                return -1.0, 0.0, child.returncode, said.read_text(errors="replace")
            time.sleep(0.02)
        time.sleep(case.after)
        if child.poll() is not None:
            return -1.0, 0.0, child.returncode, said.read_text(errors="replace")
        asked, before = time.monotonic(), _worked(child.pid)
        child.send_signal(signal.SIGINT)
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() - asked > PATIENCE:
                return PATIENCE, _worked(child.pid) - before, -1, said.read_text(errors="replace")
            time.sleep(0.005)
        took, worked = time.monotonic() - asked, _worked(child.pid) - before
        return took, worked, child.wait(), said.read_text(errors="replace")
    finally:
        child.kill()
        child.wait()


def interrupts(given: Any) -> dict[str, Any]:
    """Stops every command: each is to end within LIMIT with 130, without a traceback, and keep its work."""
    found: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as place:
        prepare(Path(place))
        for name in [*(given.names or CASES)] * given.rounds:
            folder = Path(tempfile.mkdtemp(dir=place))
            prepare_copy(Path(place), folder)
            took, worked, code, said = interrupt(CASES[name], folder)
            kept = CASES[name].kept(folder)
            fine = 0.0 <= took <= LIMIT and code == INTERRUPTED and "Traceback" not in said and kept
            stop = {"seconds": round(took, 3), "worked_s": round(worked, 2), "code": code, "kept": kept, "held": fine}
            found.setdefault(name, []).append(stop)
            last = said.strip().splitlines()[-1:] or [""]
            row = f"{name:<18}{took:>7.2f} s ({worked:.2f} s of work)  {code:>4}  {'kept' if kept else 'LOST'}"
            print(f"{row}  {last[0][:80]}", flush=True)
            if "Traceback" in said:
                print(said)
            given.report.write({"cases": found})
    worst = max(stop["seconds"] for stops in found.values() for stop in stops)
    return {"held": all(s["held"] for stops in found.values() for s in stops), "worst_s": worst, "cases": found}
