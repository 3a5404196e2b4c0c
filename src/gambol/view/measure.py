"""What looking costs: how fast a live run computes by itself and with its view served to a client, in turns."""

from __future__ import annotations

import subprocess
import sys
import time as clock
from dataclasses import dataclass
from statistics import median
from typing import Any

from gambol.view.motion import ViewError
from gambol.view.source import Live
from gambol.view.stage import FASTEST, Stage

BLOCK = 0.5  # [s] of each turn
# A client that takes what it is sent and counts it; in a process of its own, as browsers are.
CLIENT = """
import sys, viser
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=["viser-v" + viser.__version__], compression=None, max_size=None) as line:
    print("connected", flush=True)
    for message in line:
        pass
"""


@dataclass(frozen=True)
class Cost:
    """Simulated seconds a second alone and viewed, and pictures a second sent while viewed."""

    alone: float
    viewed: float
    pictures: float
    slower: float  # the share of the speed that looking takes: median over pairs of neighbouring turns

    def words(self) -> str:
        return (
            f"alone {self.alone:.3g} simulated s/s, viewed {self.viewed:.3g} ({100 * self.slower:+.1f} % slower),"
            f" {self.pictures:.0f} pictures/s"
        )


def cost(source: Live, *, turns: int = 16) -> Cost:
    """Measures it as fast as it can compute, `turns` times alone and viewed one after the other; medians."""
    from gambol.view.viewer import Viewer

    if not source.live:
        raise ViewError("only what computes can be slowed down by looking: give a live source")
    source.prepare()
    stage = Stage(source, speed=FASTEST)
    with Viewer(stage, port=0) as viewer, _client(viewer.port):
        rates: dict[bool, list[float]] = {True: [], False: []}
        pictures = []
        _turn(stage, viewer, shown=True)
        for _ in range(turns):
            for shown in (False, True):
                rate, painted = _turn(stage, viewer, shown=shown)
                rates[shown].append(rate)
                if shown:
                    pictures.append(painted)
    if source.fault:
        raise ViewError(f"the run ended while it was measured: {source.fault}")
    slower = 1.0 - median(viewed / alone for alone, viewed in zip(rates[False], rates[True]))
    return Cost(median(rates[False]), median(rates[True]), median(pictures), slower)


def _turn(stage: Stage, viewer: Any, *, shown: bool) -> tuple[float, float]:
    """Simulated seconds and pictures a second over one block."""
    viewer.painting = shown
    clock.sleep(0.1)
    began, time, painted = clock.perf_counter(), stage.source.last, viewer.painted
    clock.sleep(BLOCK)
    took = clock.perf_counter() - began
    return (stage.source.last - time) / took, (viewer.painted - painted) / took


class _client:
    """A client of the viewer, while it lasts."""

    def __init__(self, port: int):
        command = [sys.executable, "-c", CLIENT, f"ws://127.0.0.1:{port}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> None:
        assert self.process.stdout is not None
        if self.process.stdout.readline() != "connected\n":
            raise ViewError("the client that measures could not connect")

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
