"""The picture that is shown, and bitmaps to lay over it. x goes to the right, y up from the lower left corner."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gambol.corpus.scene import Colour
from gambol.corpus.table import look_up
from gambol.errors import CommandError

MAX_PIXELS = 10000  # pixels each way
Box = tuple[int, int, int, int]


@dataclass
class Pen:
    """How lines are drawn."""

    colour: Colour = (1.0, 1.0, 1.0)
    fill: Colour = (1.0, 1.0, 1.0)
    transparency: float = 0.0
    clip: tuple[float, float, float, float] | None = None
    at: tuple[float, float, float] | None = None  # x, y, thickness


@dataclass
class FrameBuffer:
    """The last picture, and bitmaps by name (all RGBA)."""

    picture: Image.Image | None = None
    bitmaps: dict[str, Image.Image] = field(default_factory=dict)
    pen: Pen = field(default_factory=Pen)

    def show(self, colours: np.ndarray) -> None:
        """Takes a picture, colours from 0 to 1, rows from the top."""
        flat = (255.0 * np.clip(colours[..., :3], 0.0, 1.0)).round().astype(np.uint8)
        self.picture = Image.fromarray(flat).convert("RGBA")

    @property
    def shown(self) -> Image.Image:
        """The picture; an error when there is none."""
        if self.picture is None:
            raise CommandError("there is no picture yet: render or glopen makes one")
        return self.picture

    def find(self, name: str) -> Image.Image:
        """A bitmap by its name."""
        return look_up(self.bitmaps, name, "bitmap")

    def open(self, width: int, height: int) -> None:
        """Begins a black picture of this size [pixels]."""
        self.picture = Image.new("RGBA", checked_size(width, height), (0, 0, 0, 255))

    def paste(self, image: Image.Image, x: int, y: int) -> None:
        """Lays an image over the picture by its alpha, its lower left corner at (x, y)."""
        layer = Image.new("RGBA", self.shown.size, (0, 0, 0, 0))
        layer.paste(image, (x, self.shown.height - y - image.height))
        self.picture = Image.alpha_composite(self.shown, layer)

    def region(self, x: int, y: int, width: int, height: int) -> Box:
        """A part of the picture, as Pillow counts it; it must lie inside."""
        return region_of(self.shown, x, y, width, height)

    def change(self, x: int, y: int, width: int, height: int, edit: Callable[[Image.Image], Image.Image]) -> None:
        """Replaces a part of the picture by an edited one of the same size."""
        box = self.region(x, y, width, height)
        edited = edit(self.shown.crop(box)).resize((width, height))
        self.shown.paste(edited, box[:2])

    # ------------------------------------------------------------ drawing over the picture
    def line(self, x: float, y: float, thickness: float) -> None:
        """From where the pen is to (x, y)."""
        if self.pen.at is None:
            raise CommandError("the pen is nowhere yet: linemove comes first")
        x0, y0, thick = self.pen.at
        width = max(1, round(0.5 * (thick + thickness)))
        self._drawn(lambda pencil, ink: pencil.line([self._down(x0, y0), self._down(x, y)], fill=ink, width=width))
        self.pen.at = (x, y, thickness)

    def rectangle(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Fills the rectangle between two corners [pixels]."""
        (a, b), (c, d) = self._down(x1, y1), self._down(x2, y2)
        corners = [min(a, c), min(b, d), max(a, c), max(b, d)]
        self._drawn(lambda pencil, ink: pencil.rectangle(corners, fill=ink), self.pen.fill)

    def text(self, x: float, y: float, size: float, text: str) -> None:
        """Writes with the foot of the letters at (x, y)."""
        font = ImageFont.load_default(size)
        self._drawn(lambda pencil, ink: pencil.text(self._down(x, y), text, fill=ink, font=font, anchor="ls"))

    def _down(self, x: float, y: float) -> tuple[float, float]:
        if not (abs(x) <= 10 * MAX_PIXELS and abs(y) <= 10 * MAX_PIXELS):
            raise CommandError(f"({x:g}, {y:g}) is far outside any picture")
        return x, self.shown.height - 1 - y

    def _drawn(self, act: Callable, colour: Colour | None = None) -> None:
        size = self.shown.size
        layer = Image.new("RGBA", size, (0, 0, 0, 0))
        ink = (*(round(255 * c) for c in colour or self.pen.colour), round(255 * (1.0 - self.pen.transparency)))
        act(ImageDraw.Draw(layer), ink)
        if self.pen.clip is not None:
            x0, y0, x1, y1 = self.pen.clip
            mask = Image.new("L", size, 0)
            top, low = size[1] - 1 - max(y0, y1), size[1] - 1 - min(y0, y1)
            ImageDraw.Draw(mask).rectangle([min(x0, x1), top, max(x0, x1), low], fill=255)
            layer = Image.composite(layer, Image.new("RGBA", size, (0, 0, 0, 0)), mask)
        self.picture = Image.alpha_composite(self.shown, layer)


def checked_size(width: int, height: int) -> tuple[int, int]:
    """A size in pixels; an error when it is out of range."""
    if not (0 < width <= MAX_PIXELS and 0 < height <= MAX_PIXELS):
        raise CommandError(f"a bitmap has 1 to {MAX_PIXELS} pixels each way, not {width} by {height}")
    return width, height


def region_of(image: Image.Image, x: int, y: int, width: int, height: int) -> Box:
    """A part of an image, as Pillow counts it; it must lie inside."""
    checked_size(width, height)
    if x < 0 or y < 0 or x + width > image.width or y + height > image.height:
        raise CommandError(
            f"the region {x} {y} {width} {height} does not lie inside the picture of {image.width} by {image.height}"
        )
    top = image.height - y - height
    return x, top, x + width, top + height


def read_image(path: Path) -> Image.Image:
    """An image file as RGBA."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # `checked_size` says what is too large
            with Image.open(path) as found:
                checked_size(*found.size)
                return found.convert("RGBA")
    except CommandError as error:
        raise CommandError(f"{path.name} is not read: {error}") from None
    except Exception as error:  # decoders raise anything at all about damaged files
        raise CommandError(f"{path.name} is not a picture: {error}") from None


def brightened(image: Image.Image, factor: float) -> Image.Image:
    """Colours times a factor; alpha stays."""
    return _mapped(image, lambda value: value * factor)


def gamma(image: Image.Image, power: float) -> Image.Image:
    """Colours to the power 1/power; alpha stays."""
    if not power > 0:
        raise CommandError(f"gamma must be positive, it is {power:g}")
    return _mapped(image, lambda value: value ** (1.0 / power))


def _mapped(image: Image.Image, law: Callable[[np.ndarray], np.ndarray]) -> Image.Image:
    values = np.asarray(image, float) / 255.0
    values[..., :3] = np.clip(law(values[..., :3]), 0.0, 1.0)
    return Image.fromarray((255.0 * values).round().astype(np.uint8))
