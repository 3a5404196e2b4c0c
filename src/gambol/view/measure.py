"""What looking costs: how fast a live run computes by itself and with its view served to a client, in turns.

Time in which the computing thread had no processor because other programs had them all does not count; time in which it
waits for the thread that draws does.
"""

import subprocess
import sys
import time as clock
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from gambol.errors import ViewError
from gambol.view.playback import FASTEST, Player
from gambol.view.source import LiveSource

TURN, PAUSE = 0.15, 0.02  # [s] of each turn, short against what else the machine does; and before it
# A client that takes what it is sent and counts it; in a process of its own, as browsers are.
CLIENT = """
import sys, viser
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=["viser-v" + viser.__version__], compression=None, max_size=None) as line:
    print("connected", flush=True)
    for message in line:
        pass
"""


ORDER = (False, True, True, False)  # alone, viewed, viewed, alone: what drifts evenly falls out of a round


@dataclass(frozen=True)
class Cost:
    """What looking took, by rounds of four turns; medians over the rounds.

    alone, viewed  simulated seconds a second
    pictures       sent a second while viewed
    shares         of each round: the share of the speed that looking took
    """

    alone: float
    viewed: float
    pictures: float
    shares: tuple[float, ...]

    @property
    def slower(self) -> float:
        """Median share of the speed that looking takes."""
        return median(self.shares)

    @property
    def spread(self) -> tuple[float, float]:
        """Between which the middle half of the rounds lies."""
        low, _, high = quantiles(self.shares, n=4, method="inclusive")
        return low, high

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which the median lies with 95 % confidence, whatever the distribution (its order statistics)."""
        ordered, half = sorted(self.shares), 0.98 * len(self.shares) ** 0.5
        middle = 0.5 * (len(ordered) - 1)
        return ordered[max(0, floor(middle - half))], ordered[min(len(ordered) - 1, ceil(middle + half))]

    def words(self) -> str:
        """Both speeds [simulated s/s], pictures a second, and the share with its confidence, for people."""
        low, high, least, most = (100 * share for share in (*self.bounds, *self.spread))
        return (
            f"alone {self.alone:.3g} simulated s/s, viewed {self.viewed:.3g}, {self.pictures:.0f} pictures/s\n"
            f"  looking takes {100 * self.slower:.1f} % of the speed: median of {len(self.shares)} rounds, {low:.1f} to"
            f" {high:.1f} % with 95 % confidence; half of the rounds lie between {least:.1f} and {most:.1f} %"
        )


def cost(source: LiveSource, *, rounds: int = 50) -> Cost:
    """Measures it as fast as it can compute, in rounds of turns alone and viewed; 0.7 s a round."""
    from gambol.view.viewer import Viewer

    if not source.live:
        raise ViewError("only what computes can be slowed down by looking: give a live source")
    if rounds < 2:
        raise ViewError(f"a spread needs two rounds or more, not {rounds}")
    source.prepare()
    player = Player(source, speed=FASTEST)
    rates: dict[bool, list[float]] = {True: [], False: []}
    pictures: list[float] = []
    with Viewer(player, port=0) as viewer, _client(viewer.address):
        _turn(player, viewer, shown=True)
        for _ in range(rounds):
            turns = [(shown, *_turn(player, viewer, shown=shown)) for shown in ORDER]
            for way, kept in rates.items():
                kept.append(sum(rate for shown, rate, _ in turns if shown == way) / 2)
            pictures.append(sum(painted for shown, _, painted in turns if shown) / 2)
    if source.fault:
        raise ViewError(f"the run ended while it was measured: {source.fault}")
    shares = tuple(1.0 - viewed / alone for alone, viewed in zip(rates[False], rates[True]))
    return Cost(median(rates[False]), median(rates[True]), median(pictures), shares)


def _turn(player: Player, viewer: Any, *, shown: bool) -> tuple[float, float]:
    """Simulated seconds and pictures a second over one turn, which lasts until something was computed."""
    viewer.painting = shown
    clock.sleep(PAUSE)
    began, time, painted = clock.perf_counter(), player.source.last, viewer.painted
    waited = _waited(player.native_id)
    clock.sleep(TURN)
    while player.source.last == time and not player.source.fault:
        clock.sleep(TURN)
    took = clock.perf_counter() - began
    own = took - (_waited(player.native_id) - waited)
    return (player.source.last - time) / max(own, 1e-3), (viewer.painted - painted) / took


def _waited(thread: int | None) -> float:
    """How long a thread was ready and had no processor [s]; 0 where the system does not say (it is Linux that does)."""
    try:
        return 1e-9 * float(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0


class _client:
    """A client of the viewer, while it lasts."""

    def __init__(self, address: str):
        command = [sys.executable, "-c", CLIENT, address.replace("http://", "ws://")]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> None:
        assert self.process.stdout is not None
        if self.process.stdout.readline() != "connected\n":
            raise ViewError("the client that measures could not connect")

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
