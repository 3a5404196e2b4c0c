"""Camera, lights and the settings of pictures."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gambol.corpus.scene import WHITE, Colour
from gambol.corpus.table import look_up
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.maps import TextureMap

Vector = tuple[float, float, float]


def vector(values: Iterable[float]) -> Vector:
    """Three numbers as a tuple."""
    x, y, z = map(float, values)
    return x, y, z


@dataclass
class ViewSettings:
    """The camera: where it stands [m], what it looks at, which way is up, and its lens."""

    eye: Vector = (1.0, 2.0, 1.0)
    target: Vector = (0.0, 0.0, 0.0)
    up: Vector = (0.0, 0.0, 1.0)
    roll: float = 0.0  # [degrees]
    fov: float = 45.0  # [degrees] across the height of the picture
    aspect: float | None = None  # width over height; None: that of the picture
    near: float = 1e-3
    far: float = 1e6
    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)  # centre and half size

    @property
    def direction(self) -> np.ndarray:
        """Unit vector from the eye to the target."""
        way = np.subtract(self.target, self.eye)
        length = np.linalg.norm(way)
        if not length > 0:
            raise CommandError("the eye and the point it looks at are the same")
        return way / length

    @property
    def axes(self) -> np.ndarray:
        """Rows: right, up and backward, in world axes."""
        forward = self.direction
        right = np.cross(forward, self.up)
        if np.linalg.norm(right) < 1e-9:
            raise CommandError("the camera looks along its up direction; change `up`, `eye` or `lookat`")
        right /= np.linalg.norm(right)
        over = np.cross(right, forward)
        angle = np.radians(self.roll)
        right, over = np.cos(angle) * right + np.sin(angle) * over, np.cos(angle) * over - np.sin(angle) * right
        return np.array([right, over, -forward])


@dataclass
class Light:
    """A light; `aim` and `angle` [degrees] make it a cone."""

    name: str
    position: Vector | None = None  # above the camera's shoulder
    colour: Colour = WHITE
    dimmer: float = 1.0
    on: bool = True
    default: bool = True
    aim: Vector | None = None
    angle: float = 180.0
    fade_angle: float = 0.0
    falloff: str = "constant"
    exponent: float = 1.0
    shadow_file: str | None = None  # its shadows are by a map, kept in this file
    shadow_density: float = 1.0  # 1: fully dark


@dataclass
class RenderSettings:
    """Everything that decides how a picture looks."""

    view: ViewSettings = field(default_factory=ViewSettings)
    lights: dict[str, Light] = field(default_factory=lambda: {"light.1": Light("light.1")})
    background: Colour = (0.0, 0.0, 0.0)
    line_colour: Colour = WHITE
    line_width: float = 1.0
    edge_colour: Colour | None = None
    mode: str = "solid"
    size: tuple[int, int] = (640, 480)
    antialias: bool = True
    scan_conversion: bool = False  # scan conversion, instead of polygons
    shadows: bool = False
    shadow_bias: tuple[float, float] = (0.0, 1.5)  # [m], in samples of the map
    shadow_size: tuple[int, int] = (512, 512)  # of a shadow map
    shadow_resolution: float = 1.0  # times that size
    shadow_least: float = 0.0  # what is smaller on the map [samples] casts no shadow
    maps: dict[str, "TextureMap"] = field(default_factory=dict)
    haze: tuple[float, float] = (0.0, 0.0)  # level, distance
    files: tuple[str, str, str] = ("", "", "")  # picture, alpha, depth
    auto_name: str = "frame"
    auto_number: int = 0
    enabled: bool = True
    verbose: bool = True
    picture_count: int = 0  # pictures so far
    clipped_count: int = 0  # polygons of the last picture that were cut off by the near and far planes

    def find_light(self, name: str) -> Light:
        """A light by its name."""
        return look_up(self.lights, name, "light")


def project(view: ViewSettings, points: np.ndarray) -> np.ndarray:
    """World points to (right, up, distance) with the height of the picture from -1 to 1."""
    seen = (np.asarray(points) - np.asarray(view.eye)) @ view.axes.T
    distance = -seen[..., 2]
    scale = 1.0 / (np.tan(np.radians(view.fov) / 2.0) * np.where(np.abs(distance) > 1e-12, distance, 1e-12))
    return np.stack([seen[..., 0] * scale, seen[..., 1] * scale, distance], axis=-1)
