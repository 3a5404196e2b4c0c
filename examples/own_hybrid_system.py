"""A hybrid system of one's own: a ball between two plates that move apart and together.

    python examples/own_hybrid_system.py [--out gambol-out/plates.png]

The upper plate oscillates; the ball gains and loses speed at it. Draws the motion and the return map of impacts.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

from gambol import Chart, ChartBoundary, HybridRun, HybridSystem
from gambol.plot import CURVE_COLOURS, canvas, dress, save


class Plates(HybridSystem):
    class Parameters(NamedTuple):
        gap: float = 1.0  # [m]
        stroke: float = 0.05  # [m]
        rate: float = 3.0  # [rad/s]

    charts = (
        Chart(
            "between",
            states=("height", "speed"),
            boundaries=(ChartBoundary("lower plate"), ChartBoundary("upper plate")),
        ),
    )
    outputs = ("plate",)

    @staticmethod
    def flow(chart, t, x, p, dx):
        dx[0], dx[1] = x[1], 0.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        h[0], h[1] = x[0], p.gap + p.stroke * math.sin(p.rate * t) - x[0]

    @staticmethod
    def transition(chart, t, x, p, fired):
        plate = p.stroke * p.rate * math.cos(p.rate * t) if fired[1] > 0 else 0.0
        x[1] = 2.0 * plate - x[1]
        return chart

    @staticmethod
    def observe(chart, t, x, p, out):
        out[0] = p.gap + p.stroke * math.sin(p.rate * t)

    @staticmethod
    def start(p):
        return "between", (0.5, 0.7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("gambol-out/plates.png"))
    out = parser.parse_args().out
    run = HybridRun(Plates(), stop_at=["upper plate"])
    impacts: list[tuple[float, float]] = []
    path = run.run(300.0, every=0.02, on_event=lambda run, event: impacts.append((3.0 * run.time, run.x[1])))
    picture = canvas(9.0, 3.2)
    left, right = picture.subplots(1, 2)
    early = path.time < 12
    left.plot(path.time[early], path["height"][early], color=CURVE_COLOURS[0])
    left.plot(path.time[early], path["plate"][early], color=CURVE_COLOURS[1])
    dress(left, x="time [s]", y="height [m]")
    right.plot([p % (2 * math.pi) for p, _ in impacts], [-v for _, v in impacts], ".", ms=3, color=CURVE_COLOURS[0])
    dress(right, x="phase of the plate [rad]", y="speed after the impact [m/s]")
    save(picture, out)
    print(f"{run.change_count} impacts in {run.time:g} s; picture: {out}")


if __name__ == "__main__":
    main()
