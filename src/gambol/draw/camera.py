"""Where the picture is taken from: a camera that fits what it sees and follows what moves."""

import math
from dataclasses import dataclass

import numpy as np

from gambol.errors import ViewError

MARGIN = 1.12  # how much more than the figure the picture shows
CALM = 0.4  # [s] over which the followed path is smoothed
SAMPLES = 48  # moments looked at to fit a film


@dataclass(frozen=True)
class Camera:
    """A perspective camera.

    azimuth    where it stands, from x towards y [°]
    elevation  above level [°]
    field      vertical angle of view [°]
    distance   from the target [m]; None fits the figures
    target     what it looks at [m]; None: the middle of the figures
    follow     in films and strips, keeps the figures in the middle; otherwise shows the whole way at once
    """

    azimuth: float = -60.0
    elevation: float = 14.0
    field: float = 28.0
    distance: float | None = None
    target: tuple[float, float, float] | None = None
    follow: bool = True

    def __post_init__(self) -> None:
        if not -89.9 <= self.elevation <= 89.9:
            raise ViewError(f"the camera's elevation must be from -89.9° to 89.9°, not {self.elevation:g}°")
        if not 1.0 <= self.field <= 120.0:
            raise ViewError(f"the camera's field must be from 1° to 120°, not {self.field:g}°")
        if self.distance is not None and not self.distance > 0:
            raise ViewError(f"the camera's distance must be positive, not {self.distance:g} m")

    @property
    def axes(self) -> np.ndarray:
        """Rows: right, up and towards the viewer, in world axes."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        towards = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        return np.array([right, np.cross(towards, right), towards])

    def fitted(self, points: np.ndarray, target: np.ndarray, aspect: float) -> float:
        """The distance [m] from `target` at which all points [m, world] are in the picture."""
        seen = (points - target) @ self.axes.T
        half = math.tan(math.radians(0.5 * self.field))
        up = np.abs(seen[:, 1]) / half + seen[:, 2]
        across = np.abs(seen[:, 0]) / (half * aspect) + seen[:, 2]
        reach = float(np.linalg.norm(points - target, axis=1).max())
        return MARGIN * max(float(up.max()), float(across.max()), 0.3 * reach, 1e-6)


@dataclass(frozen=True)
class View:
    """A camera that has found its place: eye and target [m, world]."""

    camera: Camera
    target: np.ndarray
    distance: float

    @property
    def eye(self) -> np.ndarray:
        """Where the camera is [m, world]."""
        return self.target + self.distance * self.camera.axes[2]


def calm_path(times: np.ndarray, middles: np.ndarray) -> np.ndarray:
    """The path of the middle of the figures, smoothed so that the camera does not shake with every step."""
    from scipy.ndimage import gaussian_filter1d

    if len(times) < 3:
        return middles
    steps = CALM / max(float(np.median(np.diff(times))), 1e-9)
    room = min(len(times) - 1, int(4 * steps) + 1)
    longer = np.pad(middles, ((room, room), (0, 0)), mode="reflect", reflect_type="odd")  # goes on as it went
    return gaussian_filter1d(longer, steps, axis=0, mode="nearest")[room:-room]
