"""Film strips: a figure at several times, side by side, or all in one scene as in a chronophotograph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError
from gambol.figure import Figure, Part
from gambol.plot.scene import Placed, Viewpoint, draw, draw_ground, draw_shadow, placed_parts, triangles_of
from gambol.plot.style import INK, TEXT, canvas

if TYPE_CHECKING:
    from gambol.world.trajectory import Trajectory

MARGIN = 0.06  # of the scene's size, around it


def film_strip(
    what: Figure | Trajectory,
    *,
    times: int | Sequence[float] = 7,
    camera: Viewpoint | None = None,
    together: bool = False,
    props: Sequence[Part] = (),
    ground: bool = True,
    world: int = 0,
    title: str = "",
    width: float = 12.0,
) -> Canvas:
    """The figure at several times.

    what      a run, or a figure (drawn once, at zero position)
    times     how many times, evenly over the run, or which ones [s] (the nearest samples)
    together  one scene with every pose, instead of one panel for each time
    props     parts that stand in the world, such as a bar; their placements are in world axes
    world     which one, of several
    width     of the picture [inches]
    """
    camera = camera or Viewpoint()
    frames, labels = _frames(what, times, world)
    still = [(part, part.placement) for part in props]
    below = _points([placed for frame in frames for placed in frame]) if ground else None
    corners = [_corners(frame, camera, ground) for frame in frames]
    if together:
        box = _bounds(np.concatenate([*corners, *([_corners(still, camera, False)] if still else [])]))
        height = width * (box[3] - box[2]) / (box[1] - box[0])
        picture = canvas(width, min(max(height, 0.25 * width), 2.0 * width) + (0.35 if title else 0.0))
        axes = picture.subplots(1, 1)
        _scene(axes, frames, still, camera, box, below)
        _labels(axes, [float(camera.project(_middle(frame))[0]) for frame in frames], labels, box)
    else:
        box = _bounds(np.concatenate(corners))
        widths = [_bounds(corner) for corner in corners]
        span = max(*(b[1] - b[0] for b in widths), 0.4 * (box[3] - box[2]))
        each = width / len(frames)
        picture = canvas(width, min(each * (box[3] - box[2]) / span, 3.0 * width) + (0.65 if title else 0.35))
        panels = np.atleast_1d(picture.subplots(1, len(frames)))
        for axes, frame, label, own in zip(panels, frames, labels, widths):
            middle = 0.5 * (own[0] + own[1])
            _scene(axes, [frame], still, camera, (middle - 0.5 * span, middle + 0.5 * span, *box[2:]), below)
            axes.set_title(label, fontsize=TEXT, color=INK)
    if title:
        picture.suptitle(title, fontsize=TEXT + 2, color=INK)
    return picture


def _frames(what: Any, times: int | Sequence[float], world: int) -> tuple[list[list[Placed]], list[str]]:
    if isinstance(what, Figure):
        return [placed_parts(what, None)], [""]
    if not hasattr(what, "layout") or not hasattr(what, "q"):
        raise GambolError(f"a film strip is made of a Figure or a Trajectory, not of a {type(what).__name__}")
    if not len(what):
        raise GambolError("the trajectory is empty: nothing can be drawn")
    q = what.q if what.q.ndim == 2 else what.q[:, _checked(world, what.q.shape[1])]
    if isinstance(times, int):
        if times < 1:
            raise GambolError(f"a film strip needs at least one time, not {times}")
        samples = np.unique(np.linspace(0, len(what) - 1, times).round().astype(int))
    else:
        samples = np.array([int(np.argmin(np.abs(what.time - t))) for t in times])
    frames = [[placed for figure in what.layout.figures for placed in _placed(what, figure, q[s])] for s in samples]
    if not frames or not frames[0]:
        raise GambolError("there is nothing to draw: no part of the figures is visible, or no times were given")
    return frames, [f"{what.time[s]:.2f} s" for s in samples]


def _checked(world: int, worlds: int) -> int:
    if not 0 <= world < worlds:
        raise GambolError(f"there are {worlds} worlds, so world must be from 0 to {worlds - 1}, not {world}")
    return world


def _placed(path: Trajectory, figure: Figure, q: np.ndarray) -> list[Placed]:
    slices = path.layout.position_slices
    own = [q[slices[f"{figure.name}/{body.name}"]] for body in figure.order]
    return placed_parts(figure, np.concatenate(own))


def _points(parts: Sequence[Placed]) -> np.ndarray:
    """Corners of all triangles, world axes."""
    return np.concatenate([triangles_of(part, pose).reshape(-1, 3) for part, pose in parts])


def _corners(parts: Sequence[Placed], camera: Viewpoint, ground: bool) -> np.ndarray:
    """Where a frame is in the picture; with the spot of ground below it, so that the ground is always seen."""
    points = _points(parts)
    if ground and points[:, 2].min() > 0:
        low = points.mean(axis=0) * [1.0, 1.0, 0.0]
        points = np.vstack([points, low])
    return camera.project(points)[:, :2]


def _middle(frame: Sequence[Placed]) -> np.ndarray:
    return np.mean([pose.position for _, pose in frame], axis=0)


def _labels(axes: Any, places: Sequence[float], labels: Sequence[str], box) -> None:
    """Times under the poses; of those that would touch, the first is kept."""
    taken: list[float] = []
    for x, label in zip(places, labels):
        if all(abs(x - other) > 0.06 * (box[1] - box[0]) for other in taken):
            taken.append(x)
            y = box[2] + 0.015 * (box[3] - box[2])
            axes.text(x, y, label, ha="center", va="bottom", fontsize=TEXT, color=INK, zorder=9)


def _bounds(points: np.ndarray) -> tuple[float, float, float, float]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * float((high - low).max())
    return (low[0] - margin, high[0] + margin, low[1] - margin, high[1] + margin)


def _scene(axes: Any, frames, still, camera: Viewpoint, box, below: np.ndarray | None) -> None:
    """One panel: ground (under the points `below`) and shadows, then the poses, later ones stronger and on top."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal")
    axes.axis("off")
    last = len(frames) - 1
    fades = [0.55 * (1.0 - k / last) if last else 0.0 for k in range(len(frames))]
    if below is not None:
        draw_ground(axes, camera, below.mean(axis=0), float(np.ptp(below, axis=0).max()))
        for frame, fade in zip(frames, fades):
            draw_shadow(axes, frame, camera, fade=fade)
        if still:
            draw_shadow(axes, still, camera)
    for k, (frame, fade) in enumerate(zip(frames, fades)):
        draw(axes, [*frame, *still] if k == last else frame, camera, fade=fade, order=2.0 + 0.01 * k)
