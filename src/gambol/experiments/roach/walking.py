"""What the experiments of the roach share: making it walk, and measuring how it does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from gambol import Controller, Footfalls, GaitController, Simulation, World
from gambol.models import walking_roach
from gambol.models.roach import corners

LEG_ORDER = ("bl", "ml", "fl", "br", "mr", "fr")
TRUNK_BODIES = ("abdomen", "thorax", "head")
NORMAL_EPS, TIGHT_EPS = 1e-2, 1e-3  # tolerances of the implicit pair
START_HEIGHTS = 0.0175, 0.0185  # [m] from which the starts of an ensemble are dropped


@dataclass(frozen=True)
class RoachWalk:
    """A walk: times [s], positions, joint by joint, and the footfalls."""

    time: np.ndarray
    q: np.ndarray
    footfalls: Footfalls
    sim: Simulation
    gait: GaitController

    @property
    def layout(self):
        """The layout that its positions are in, for pictures."""
        return self.sim.layout

    def __len__(self) -> int:
        return len(self.time)

    @property
    def heading(self) -> np.ndarray:
        """Yaw of the abdomen [rad], unwrapped."""
        w, x, y, z = self.q[:, 3:7].T
        return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    def late(self, after: float) -> slice:
        """The samples from `after` [s] on."""
        return slice(int(np.searchsorted(self.time, self.time[0] + after)), None)

    def speed(self, after: float = 0.0) -> float:
        """Mean speed along its own heading [m/s]."""
        part = self.late(after)
        step, course = np.diff(self.q[part, :2], axis=0), self.heading[part][:-1]
        span = self.time[part][-1] - self.time[part][0]
        return float((step[:, 0] * np.cos(course) + step[:, 1] * np.sin(course)).sum() / span)

    def skid(self, after: float = 0.0) -> float:
        """Mean speed across its own heading [m/s], to the left."""
        part = self.late(after)
        step, course = np.diff(self.q[part, :2], axis=0), self.heading[part][:-1]
        span = self.time[part][-1] - self.time[part][0]
        return float((step[:, 1] * np.cos(course) - step[:, 0] * np.sin(course)).sum() / span)

    def distance(self) -> float:
        """As the crow flies, along +x [m]."""
        return float(self.q[-1, 0] - self.q[0, 0])

    def turning(self, after: float = 0.0) -> float:
        """Mean rate of turning [rad/s]."""
        part = self.late(after)
        return float(np.polyfit(self.time[part], self.heading[part], 1)[0])

    def clearance(self, after: float = 0.0) -> float:
        """Lowest point of the trunk above the ground [m]."""
        figure, terrain = self.sim.layout.figures[0], self.sim.world.terrain
        lowest = np.inf
        for q in self.q[self.late(after)][::4]:
            for name in TRUNK_BODIES:
                for corner in corners(figure[name]):
                    place = self.sim.mechanics.point(q, name, corner)
                    lowest = min(lowest, place[2] - terrain.height(place[0], place[1]))
        return float(lowest)

    def upright(self) -> bool:
        """Is its back still on top?"""
        _, x, y, _ = self.q[-1, 3:7]
        return bool(1 - 2 * (x * x + y * y) > 0.3)

    def wobble(self, after: float = 0.0) -> tuple[float, float]:
        """Strongest frequency [Hz] of the yaw about its trend, and its amplitude [rad]."""
        part = self.late(after)
        time, yaw = self.time[part], self.heading[part]
        rest = yaw - np.polyval(np.polyfit(time, yaw, 2), time)
        spectrum = np.abs(np.fft.rfft(rest * np.hanning(len(rest))))
        frequency = np.fft.rfftfreq(len(rest), time[1] - time[0])
        best = int(np.argmax(spectrum[1:])) + 1
        return float(frequency[best]), float(2.0 * spectrum[best] / np.hanning(len(rest)).sum())


def walk(
    world: World | Simulation | None = None,
    *,
    seconds: float = 1.0,
    every: float = 0.005,
    eps: float = NORMAL_EPS,
    method: str = "implicit-pair",
    others: Sequence[Controller] = (),
    watch: Mapping[str, Callable[[Simulation], Any]] | None = None,
    **options: Any,
) -> RoachWalk:
    """Lets the roach come to rest and walk; `others` act beside its gait. Options are those of walking_roach."""
    made: dict[str, Any] = {} if isinstance(world, Simulation) else dict(eps=eps, method=method)
    sim = walking_roach(world, **made, **options)
    (gait,) = sim.controllers
    path = sim.run(seconds, every=every, include_start=True, controller=[gait, *others], watch=watch)
    return RoachWalk(path.time, path.q, cast(GaitController, gait).footfalls(), sim, cast(GaitController, gait))


def starts(count: int) -> list[dict[str, Any]]:
    """So many starts: heights of the drop spread evenly, the two sides leading in turn."""
    heights = np.linspace(*START_HEIGHTS, count)
    return [{"height": float(h), "lead": ("left", "right")[k % 2]} for k, h in enumerate(heights)]


def draw_strip(
    walk_: RoachWalk, path, *, times: int | Sequence[float] | np.ndarray = 7, size=(300, 260), azimuth: float = -60.0
) -> None:
    """A film strip of the roach."""
    from gambol.draw.camera import Camera
    from gambol.draw.picture import save_image, strip

    chosen = times if isinstance(times, int) else [float(t) for t in times]
    save_image(strip(walk_, times=chosen, size=size, camera=Camera(azimuth=azimuth, elevation=18.0)), path)


def draw_paths(walks: Mapping[str, RoachWalk], path, *, title: str = "") -> None:
    """Where the abdomen went, seen from above, and how its heading changed."""
    from gambol.plot.style import CURVE_COLOURS, canvas, dress, save

    picture = canvas(9.0, 3.2)
    above, course = picture.subplots(1, 2)
    for colour, (name, run) in zip(CURVE_COLOURS, walks.items()):
        above.plot(run.q[:, 0] * 100, run.q[:, 1] * 100, color=colour, linewidth=1.2, label=name)
        course.plot(run.time - run.time[0], np.degrees(run.heading), color=colour, linewidth=1.0)
    dress(above, x="x [cm]", y="y [cm]", title=title or "path of the abdomen")
    dress(course, x="time [s]", y="heading [°]")
    above.set_aspect("equal", adjustable="datalim")
    if len(walks) > 1:
        above.legend(fontsize=7, frameon=False)
    save(picture, path)
