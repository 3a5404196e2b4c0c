"""Recorders killed at random moments: what was committed is read, and resumed."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from .spreading import Lost, spread

MOST_LOST = 1.0  # [s] of wall time
CHILD = """
import sys, time
from gambol import Joint, Recorder, Simulation, World, chain
sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
sim.reset(q=[0.5, 0.2, 0.1])
print("begin", flush=True)
recorder = Recorder(sim, sys.argv[1], every=1e-3, overwrite=True)
recorder.run(1e9, progress=lambda now: print(now, time.time(), flush=True))
"""


def kills(given: Any) -> dict[str, Any]:
    """Kills a recorder at random moments: every file opens or holds nothing, and resumes; how much time was lost."""
    until = time.time() + given.budget
    outcomes: Counter[str] = Counter()
    worst, good = 0.0, True
    for _, result in spread(_kill, [(given.seed, k, until) for k in range(given.count)], given.processes):
        outcome, lost, fine = (f"trial lost: {result.why}", 0.0, False) if isinstance(result, Lost) else result
        if outcome:
            outcomes[outcome] += 1
            worst, good = max(worst, lost), good and fine
            given.report.write({"kills": outcomes, "most_lost_s": worst})
    print(f"{outcomes.total()} kills: {dict(outcomes)}; at most {worst:.2f} s of wall time lost")
    return {"held": good and worst <= MOST_LOST and outcomes.total() > 0, "kills": outcomes, "most_lost_s": worst}


def _kill(seed: int, trial: int, until: float) -> tuple[str, float, bool]:
    """What was found, how much wall time [s] was lost, and whether that is as it should be; nothing after `until`."""
    if time.time() > until:
        return "", 0.0, True
    from gambol import Joint, Recorder, Recording, RecordingError, Simulation, World, chain

    chance = random.Random(f"{seed} {trial}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{trial}.gambol"
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.choice((chance.uniform(0.0, 0.3), chance.uniform(0.3, 3.0))))
        child.kill()
        killed = time.time()
        told = [line.split() for line in child.stdout.read().splitlines() if line.count(" ") == 1]
        child.wait()
        try:
            recording = Recording.open(path)
            recording.read("q")
            last = float(recording.time[-1])
            after = [float(moment) for now, moment in told if float(now) > last + 1e-9]
            lost = killed - after[0] if after else 0.0
            if trial % 5:
                return "read", lost, True
            sim = Simulation(World(chain(3, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
            with Recorder.resume(sim, path) as recorder:
                recorder.run(0.1)
            return "read and resumed", lost, True
        except RecordingError as error:
            nothing = "holds nothing" in str(error) or "no such file" in str(error)
            return ("held nothing yet", 0.0, True) if nothing else (f"damaged: {error}", 0.0, False)
