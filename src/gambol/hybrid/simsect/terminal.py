"""A run as text, for terminals: the bodies of a model's display from the side, and what it is doing."""

import numpy as np

from gambol.hybrid.run import HybridRun

WIDTH, HEIGHT = 72, 14  # [characters]
SPAN = 1.2  # [m] across the picture, unless the bodies lie farther apart
ASPECT = 2.0  # a character is twice as high as wide


def forward_axis(axes: str) -> int:
    """Which of the axes points forward, from the words that say so."""
    words = [part.split() for part in axes.split(",")]
    return next((k for k, part in enumerate(words) if part[-1:] == ["forward"]), 0)


def side_view(transforms: dict[str, np.ndarray], axes: str) -> list[str]:
    """Lines of text: each body as the first letter of its last word, seen from its right; ground at height 0."""
    ahead = forward_axis(axes)
    points = {name: (float(t[ahead, 3]), float(t[2, 3])) for name, t in transforms.items()}
    across = np.array([p[0] for p in points.values()])
    span = max(SPAN, 1.3 * float(np.ptp(across)))
    left = float(np.mean([across.min(), across.max()])) - 0.5 * span
    metre = (WIDTH - 1) / span
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    floor = HEIGHT - 2
    for k in range(WIDTH):  # marks every tenth of a metre that stay on the ground as it goes past
        edge = np.floor((left + k / metre) * 10) != np.floor((left + (k + 1) / metre) * 10)
        rows[floor][k] = "+" if edge else "-"
    for name, (x, z) in points.items():
        row, column = floor - round(z * metre / ASPECT), round((x - left) * metre)
        if 0 <= row < HEIGHT and 0 <= column < WIDTH:
            rows[row][column] = name.split()[-1][0].upper() if len(name.split()) > 1 else "O"
    return ["".join(row).rstrip() for row in rows]


def frame(run: HybridRun, end: float) -> str:
    """One picture of a run: a line of numbers, and the side view where the model has a display."""
    system = run.system
    head = f"{system.name}  t = {float(run.time):8.3f} of {end:g} s  chart '{run.chart_name}'"
    lines = [head, f"{run.change_count} chart changes, {len(run.events)} section crossings"]
    if system.display is not None:
        shown = type(system).display(int(run.chart), float(run.time), run.x, system.p)  # type: ignore[misc]
        lines += side_view(shown, system.axes)
    else:
        states = zip(system.charts[int(run.chart)].states, run.x)
        lines += [f"  {name:<24s} {value: .6g}" for name, value in list(states)[:HEIGHT]]
    return "\n".join(lines)
