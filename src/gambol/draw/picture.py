"""Stills, film strips and contact sheets of motions, drawn without a screen."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gambol.draw.camera import SAMPLES, Camera, View, calm_path
from gambol.draw.look import DARK, DAY, SCALE_FROM, cell_of, length_words
from gambol.draw.motion import Motion
from gambol.draw.overlays import check_overlays, draw_marks, marks
from gambol.draw.render import BEYOND, Scene, reach_of
from gambol.draw.terrain import OWN_GROUND, Ground, seen_ground
from gambol.errors import ViewError
from gambol.figure import Part

PICTURE_SIZE = (960, 540)  # [pixels]
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class Studio:
    """A motion with its scene, and a camera that was fitted to all of it.

    props        things that stand in the world
    ground       "own" (that of the motion's world), a height [m], a Terrain, or None for none
    transparent  the solids alone: pictures have a fourth channel
    dark         on dark ground under a dark sky
    overlays     lines over the picture: "springs", "nails" (where constraints hold), "velocities" (of the bodies)
    """

    def __init__(
        self,
        what: Any,
        *,
        camera: Camera | None = None,
        size: tuple[int, int] = PICTURE_SIZE,
        props: Sequence[Part] = (),
        ground: Ground = OWN_GROUND,
        transparent: bool = False,
        dark: bool = False,
        moments: Sequence[float] | None = None,
        world: int = 0,
        overlays: Sequence[str] = (),
    ):
        self.motion = Motion.of(what, world=world)
        self.overlays = (overlays,) if isinstance(overlays, str) else tuple(overlays)
        check_overlays(self.motion, self.overlays)
        self.camera, self.size, self.transparent = camera or Camera(), _checked_size(size), transparent
        self.dark, self.tones = dark, DARK if dark else DAY
        drawn = None if transparent else seen_ground(ground, self.motion.terrain)
        self.scene = Scene(self.motion.figures, props=props, ground=drawn)
        times = self.motion.time if moments is None else np.asarray(moments, float)
        self._times = times[np.unique(np.linspace(0, len(times) - 1, SAMPLES).round().astype(int))]
        self._fit()

    def _fit(self) -> None:
        aspect = self.size[0] / self.size[1]
        clouds = [self.scene.moving(self.scene.corners(self.motion.poses(t))[0]) for t in self._times]
        boxes = np.array([[cloud.min(axis=0), cloud.max(axis=0)] for cloud in clouds])
        middles = boxes.mean(axis=1)
        if self.camera.target is not None:
            self._path = np.broadcast_to(np.asarray(self.camera.target, float), middles.shape)
        elif self.camera.follow:
            self._path = calm_path(self._times, middles)
        else:
            whole = 0.5 * (boxes[:, 0].min(axis=0) + boxes[:, 1].max(axis=0))
            self._path = np.broadcast_to(whole, middles.shape)
        fits = [self.camera.fitted(cloud, target, aspect) for cloud, target in zip(clouds, self._path)]
        self.distance = self.camera.distance or max(fits)
        reach = reach_of(View(self.camera, self._path[0], self.distance))
        self.scene.lay_terrain(self._path.min(axis=0) - reach, self._path.max(axis=0) + reach, BEYOND * reach)

    def view(self, time: float) -> View:
        """Where the camera is at a time [s]."""
        target = np.array([np.interp(time, self._times, self._path[:, k]) for k in range(3)])
        return View(self.camera, target, self.distance)

    def frame(self, time: float) -> np.ndarray:
        """The picture at a time [s], (height, width, 3) bytes; (height, width, 4) where it is transparent."""
        view = self.view(time)
        pixels = self.scene.draw(self.motion.poses(time), view, *self.size, clear=self.transparent, dark=self.dark)
        if self.overlays:
            pixels = draw_marks(pixels, marks(self.motion, time, self.overlays), view)
        if self.scene.ground is None or self.size[0] < SCALE_FROM:
            return pixels
        return _with_scale(pixels, f"squares of {length_words(cell_of(reach_of(view)))}", self.tones.ink)

    def frames(self, times: Sequence[float] | np.ndarray) -> Iterator[np.ndarray]:
        """Pictures (height, width, 3) of these times [s], one after the other."""
        for time in times:
            yield self.frame(float(time))


def _with_scale(pixels: np.ndarray, words: str, ink: tuple[int, ...]) -> np.ndarray:
    """Says in the corner how large the squares of the ground are."""
    made = Image.fromarray(pixels)
    font = ImageFont.load_default(size=max(11, round(0.013 * made.width)))
    place = (made.width - 12, made.height - 10)
    ImageDraw.Draw(made).text(place, words, ink, font, anchor="rs")
    return np.asarray(made)


def still(what: Any, time: float | None = None, **options: Any) -> Image.Image:
    """One moment [s] of a motion (default: its last). Options are those of `Studio`."""
    motion = Motion.of(what, world=options.pop("world", 0))
    time = float(motion.time[-1] if time is None else time)
    _inside(motion, [time])
    return Image.fromarray(Studio(motion, moments=[time], **options).frame(time))


def strip(
    what: Any, *, times: int | Sequence[float] = 7, size: tuple[int, int] = (320, 360), **options: Any
) -> Image.Image:
    """Moments side by side, with their times; `times` is how many, or which ones [s]; `size` is of each picture."""
    return sheet(what, times=times, columns=0, size=size, **options)


def sheet(
    what: Any,
    *,
    times: int | Sequence[float] = 20,
    columns: int = 5,
    size: tuple[int, int] = (320, 240),
    title: str = "",
    **options: Any,
) -> Image.Image:
    """A contact sheet: moments in rows of `columns` (0: one row), each with its time."""
    motion = Motion.of(what, world=options.pop("world", 0))
    moments = moments_of(motion, times)
    studio = Studio(motion, size=size, moments=moments, **options)
    across = columns or len(moments)
    down = math.ceil(len(moments) / across)
    across = min(across, len(moments))
    head, foot, gap = (34 if title else 0), 22, 4
    wide, high = size
    ink, paper = studio.tones.ink, studio.tones.paper
    canvas = (across * (wide + gap) - gap, head + down * (high + foot))
    made = Image.new("RGBA", canvas, (*paper, 0)) if studio.transparent else Image.new("RGB", canvas, paper)
    pen, font = ImageDraw.Draw(made), ImageFont.load_default(size=14)
    if title:
        pen.text((made.width // 2, head // 2), title, ink, ImageFont.load_default(size=18), anchor="mm")
    for k, time in enumerate(moments):
        x, y = (k % across) * (wide + gap), head + (k // across) * (high + foot)
        made.paste(Image.fromarray(studio.frame(time)), (x, y))
        pen.text((x + wide // 2, y + high + foot // 2), f"{time:.2f} s", ink, font, anchor="mm")
    return made


def save_image(picture: Image.Image, path: str | Path) -> Path:
    """Writes a picture, by the suffix of `path`; folders are made as needed."""
    path = Path(path)
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise ViewError(f"{path}: pictures are written as {', '.join(PICTURE_SUFFIXES)}")
    if picture.mode == "RGBA" and path.suffix.lower() in (".jpg", ".jpeg"):
        raise ViewError(f"{path}: a JPEG is never transparent; a .png or .webp can be")
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return path


def moments_of(motion: Motion, times: int | Sequence[float]) -> list[float]:
    """Which moments [s]: so many, evenly spread, or those that are told."""
    if isinstance(times, int):
        if times < 1:
            raise ViewError(f"at least one time is needed, not {times}")
        return [float(t) for t in np.linspace(motion.time[0], motion.time[-1], times if motion.duration else 1)]
    moments = [float(t) for t in times]
    if not moments:
        raise ViewError("no times were given")
    _inside(motion, moments)
    return moments


def _inside(motion: Motion, moments: Sequence[float]) -> None:
    first, last = float(motion.time[0]), float(motion.time[-1])
    slack = 1e-6 + (motion.duration / len(motion.time))
    outside = [t for t in moments if not first - slack <= t <= last + slack]
    if outside:
        raise ViewError(f"the motion is from {first:g} to {last:g} s; there is no {outside[0]:g} s")


def _checked_size(size: tuple[int, int]) -> tuple[int, int]:
    wide, high = size
    if not (16 <= wide <= 8192 and 16 <= high <= 8192):
        raise ViewError(f"a picture must be from 16 to 8192 pixels wide and high, not {wide} × {high}")
    return int(wide), int(high)
