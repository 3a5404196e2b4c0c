"""Draws models of others as one sheet: python scripts/model_pictures.py FOLDER [OUT.png] [NAME …]

FOLDER has the packages of the models, unpacked: `pip download --no-deps` of those in SHOWN, then `unzip`. Each model
stands at its keyframe (or as it is written) on level ground just below it: that of its file is often far below, or
through its feet.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gambol import read_scene
from gambol.draw import Camera, Motion
from gambol.draw.look import cell_of, length_words
from gambol.draw.picture import Studio
from gambol.draw.render import reach_of

SHEET = Path(__file__).parents[1] / "docs" / "images" / "models.png"
CELL, CAPTION, ACROSS, GAP = (288, 240), 40, 5, 6  # [pixels]
INK, PALE, PAPER = (43, 48, 56), (96, 103, 113), "white"


class Shown(NamedTuple):
    """A model: its package in the registry, the end of its file's path, the keyframe, its unit of length [m]."""

    package: str
    file: str
    pose: str = "start"
    unit: float = 1.0


SHOWN = {
    "dog": Shown("dm_control", "walkers/assets/dog_v2/dog.xml"),
    "rodent": Shown("dm_control", "walkers/assets/rodent.xml"),
    "fruit fly": Shown("dm_control", "walkers/assets/fruitfly_v2/fruitfly.xml", unit=0.01),
    "quadruped": Shown("dm_control", "suite/quadruped.xml"),
    "ANYmal C": Shown("example-robot-data", "anymal_c_simple_description/urdf/anymal.urdf"),
    "Talos": Shown("example-robot-data", "talos_data/robots/talos_full_v2.urdf"),
    "B1": Shown("example-robot-data", "b1_description/urdf/b1.urdf"),
    "Fetch": Shown("gymnasium-robotics", "assets/fetch/reach.xml"),
    "Shadow hand": Shown("gymnasium-robotics", "assets/hand/reach.xml"),
    "legs, one of them a prosthesis": Shown("myo_sim", "legacy/osl/myolegs_osl.xml", "stand"),
}


def found(folder: Path, shown: Shown) -> Path:
    """Its file, wherever its package was unpacked."""
    files = sorted(folder.rglob(f"**/{shown.file}"))
    if not files:
        raise SystemExit(f"{folder} has no …/{shown.file}: unpack {shown.package} there")
    return files[0]


def picture(file: Path, shown: Shown) -> tuple[Image.Image, str]:
    """One model, and how large the squares of its ground are."""
    scene = read_scene(file, ground="under", pose=shown.pose)
    figure = scene.figures[0]  # others are targets and props
    q = scene.pose(shown.pose).q[None, : figure.positions]
    motion = Motion((figure,), np.zeros(1), q, terrain=scene.world.terrain)
    studio = Studio(motion, size=CELL, camera=Camera(azimuth=-50.0, elevation=14.0))
    return Image.fromarray(studio.frame(0.0)[..., :3]), length_words(shown.unit * cell_of(reach_of(studio.view(0.0))))


def main() -> None:
    folder, *more = sys.argv[1:]
    out = Path(more.pop(0)) if more and more[0].endswith(".png") else SHEET
    warnings.simplefilter("ignore")
    names = more or list(SHOWN)
    rows, wide, high = -(-len(names) // ACROSS), CELL[0] + GAP, CELL[1] + CAPTION
    sheet = Image.new("RGB", (min(len(names), ACROSS) * wide - GAP, rows * high), PAPER)
    pen, large, small = ImageDraw.Draw(sheet), ImageFont.load_default(16), ImageFont.load_default(13)
    for k, name in enumerate(names):
        x, y = (k % ACROSS) * wide, (k // ACROSS) * high
        made, squares = picture(found(Path(folder), SHOWN[name]), SHOWN[name])
        sheet.paste(made, (x, y))
        pen.text((x + 4, y + CELL[1] + 2), name, INK, large)
        pen.text((x + 4, y + CELL[1] + 20), f"{SHOWN[name].package}; squares of {squares}", PALE, small)
        print(name, flush=True)
    sheet.quantize(256, kmeans=3).save(out, optimize=True)  # means keep rare colours what they are


if __name__ == "__main__":
    main()
