"""Draws models of others as one sheet: python scripts/model_pictures.py OUT.png NAME=FILE[:POSE] …

Each stands at its keyframe (or as it is written) on the ground of its file, or just above one.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gambol import read_scene
from gambol.draw import Camera, Motion, still

CELL, ACROSS, INK = (232, 200), 5, (43, 48, 56)


def picture(file: str, pose: str) -> Image.Image:
    """One model."""
    scene = read_scene(file)
    if pose not in scene.poses:
        pose = "start"
    if not any(f.type_name().endswith("contact") for f in scene.world.forces):
        scene = read_scene(file, ground="under", pose=pose)
    figure = scene.figures[0]  # others are targets and props
    q = scene.pose(pose).q[None, : figure.positions]
    motion = Motion((figure,), np.zeros(1), q, terrain=scene.world.terrain)
    made = still(motion, size=(2 * CELL[0], 2 * CELL[1]), camera=Camera(azimuth=-50.0, elevation=14.0))
    return Image.fromarray(np.asarray(made)[..., :3]).resize(CELL, Image.Resampling.LANCZOS)


def main() -> None:
    out, *models = sys.argv[1:]
    warnings.simplefilter("ignore")
    rows = -(-len(models) // ACROSS)
    sheet = Image.new("RGB", (ACROSS * CELL[0], rows * (CELL[1] + 18)), "white")
    for k, word in enumerate(models):
        name, _, where = word.partition("=")
        file, _, pose = where.partition(":")
        x, y = (k % ACROSS) * CELL[0], (k // ACROSS) * (CELL[1] + 18)
        sheet.paste(picture(file, pose), (x, y))
        ImageDraw.Draw(sheet).text((x + 6, y + CELL[1] + 2), name, INK, ImageFont.load_default(12))
        print(name, flush=True)
    sheet.quantize(256, kmeans=3).save(Path(out), optimize=True)  # means keep rare colours what they are


if __name__ == "__main__":
    main()
