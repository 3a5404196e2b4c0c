"""Makes pictures of the pages anew, into docs/images: python scripts/page_pictures.py [NAME …]

What a page draws itself is drawn by its own code; the others are strips of shows.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from gambol.cli.view import motion_of
from gambol.draw import Camera, save_image, strip
from gambol.shows.registry import find_show

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COLOURS = 256
# The pages that draw, and what they draw: the file of theirs, and the picture that it becomes
DRAWN = {
    "tutorials/animator.md": {"walk": "animator_walk", "strong": "animator_strong", "tired": "animator_tired"},
    "howto/build_a_creature.md": {"lizard": "howto_lizard"},
}


def by_page(page: str) -> dict[str, Image.Image]:
    """The pictures that the code of a page draws."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    pieces = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    before, names = os.getcwd(), {"__name__": "__page__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for language, piece in pieces:
                if language == "yaml":  # a file, named in its first line
                    Path(piece.split("\n", 1)[0].removeprefix("# ")).write_text(piece, encoding="utf-8")
                elif language == "python":
                    exec(compile(piece, page, "exec"), names)
                if all(Path(f"{own}.png").exists() for own in DRAWN[page]):
                    break
            return {name: Image.open(f"{own}.png").copy() for own, name in DRAWN[page].items()}
        finally:
            os.chdir(before)


def of_show(show: str, times: np.ndarray, size: tuple[int, int], camera: Camera) -> Callable[[], Image.Image]:
    """Moments of a show [s]."""

    def make() -> Image.Image:
        source = find_show(show).make()
        motion = motion_of(source, float(times[-1]))
        return strip(motion, times=times, size=size, camera=camera, ground=source.ground, props=source.props)

    return make


STRIPS = {
    "hexapod_run": of_show(
        "hexapod-orbit", np.linspace(0.02, 2.1, 7), (250, 200), Camera(azimuth=-50.0, elevation=16.0)
    ),
    "person_step": of_show("person-step", np.linspace(0.0, 0.49, 7), (170, 230), Camera(azimuth=-75.0, elevation=8.0)),
}


def main(names: list[str]) -> None:
    for page, pictures in DRAWN.items():
        if not names or set(names) & set(pictures.values()):
            for name, picture in by_page(page).items():
                keep(picture, name)
    for name, make in STRIPS.items():
        if not names or name in names:
            keep(make(), name)


def keep(picture: Image.Image, name: str) -> None:
    path = save_image(picture.convert("RGB").quantize(COLOURS, kmeans=3), IMAGES / f"{name}.png")
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
