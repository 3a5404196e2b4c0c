"""The hexapod in a cycle: side views, and a diagram of which legs stand when."""

from pathlib import Path

import numpy as np

from gambol import HybridTrajectory
from gambol.hybrid.models.compliant_hexapod.model import body_rotation, hip_position
from gambol.hybrid.models.compliant_hexapod.parameters import BODY_POSITION, LEG_COUNT, LEG_NAMES, TOE_POSITION
from gambol.plot import CURVE_COLOURS, canvas, dress, save
from gambol.plot.style import INK, PALE

TRIPOD_ORDER = (0, 2, 4, 3, 5, 1)  # the first tripod, then the second


def side_view(axis, x: np.ndarray, chart: int, p, centre: float) -> None:
    """Body and legs seen from the right, forward to the right; legs in stance are bold."""
    R, r = body_rotation(x), x[BODY_POSITION : BODY_POSITION + 3]
    corners = np.array([r + R @ np.array([0.0, s * (p.hip_length + 0.05), h]) for s, h in ((-1, 0), (1, 0))])
    axis.plot(corners[:, 1] - centre, corners[:, 2], color=INK, lw=5, solid_capstyle="round", zorder=3)
    for i in range(LEG_COUNT):
        hip, toe = r + R @ hip_position(p, i), x[TOE_POSITION + 3 * i : TOE_POSITION + 3 * i + 3]
        stands = chart >> i & 1
        axis.plot(
            [hip[1] - centre, toe[1] - centre],
            [hip[2], toe[2]],
            color=CURVE_COLOURS[0 if i in TRIPOD_ORDER[:3] else 1],
            lw=2.4 if stands else 0.9,
            marker="o",
            markevery=[1],
            ms=3,
        )


def draw_gait(file: Path, path: HybridTrajectory, cycle: float, *, views: int = 6) -> None:
    """The last cycle of a path of one hexapod."""
    p = path.system.p
    last = path.time >= path.time[-1] - cycle
    time, x, chart = path.time[last] - path.time[last][0], path.x[last], path.chart[last]
    picture = canvas(11.0, 4.2)
    grid = picture.add_gridspec(2, views)
    for k in range(views):
        axis = picture.add_subplot(grid[0, k])
        at = int(np.searchsorted(time, k * cycle / views))
        side_view(axis, x[at], int(chart[at]), p, x[at, BODY_POSITION + 1])
        axis.axhline(0.0, color=PALE, lw=1.0)
        axis.set_xlim(-0.42, 0.42)
        axis.set_ylim(-0.03, 0.36)
        axis.set_aspect("equal")
        axis.axis("off")
        axis.set_title(f"{time[at]:.2f} s", fontsize=8)
    below = picture.add_subplot(grid[1, :])
    for line, i in enumerate(TRIPOD_ORDER):
        stands = (chart >> i & 1).astype(bool)
        below.fill_between(
            time,
            LEG_COUNT - line - 0.4,
            LEG_COUNT - line + 0.4,
            where=stands,
            step="post",
            color=CURVE_COLOURS[0 if line < 3 else 1],
        )
    below.set_yticks([LEG_COUNT - k for k in range(LEG_COUNT)], [LEG_NAMES[i] for i in TRIPOD_ORDER])
    dress(below, x="time [s]", title="legs in stance")
    save(picture, file)
