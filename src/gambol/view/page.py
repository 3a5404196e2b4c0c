"""A motion as one HTML file that plays in any browser, without Python and without a network.

The page holds the surfaces of the figures once, the pose of every body at every frame, and a player (player/player.js
with three.js, built by scripts/build-player).
"""

import base64
import gzip
import html
import json
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from gambol.draw.motion import Motion
from gambol.draw.render import Scene
from gambol.errors import ViewError
from gambol.figure import Part
from gambol.figure.placement import quaternions
from gambol.view.anatomy import Anatomy

FINEST = 32767.0  # quaternions are kept as 16-bit numbers
STYLE = """html, body { margin: 0; height: 100%; background: #f4f6f8; font: 14px system-ui, sans-serif; color: #2b3038 }
#stage { position: relative; width: 100%; height: 100%; overflow: hidden }
canvas { display: block }
h1 { position: absolute; left: 16px; top: 10px; margin: 0; font-size: 16px; font-weight: 600; z-index: 1 }
.bar { position: absolute; left: 0; right: 0; bottom: 0; display: flex; gap: 12px; align-items: center;
  padding: 8px 16px; background: rgb(255 255 255 / 85%) }
.bar button { width: 36px; height: 28px }
.bar span { min-width: 64px; font-variant-numeric: tabular-nums }
.bar input[type=range] { flex: 1 }"""


def replay(what: Any, path: str | Path, **options: Any) -> Path:
    """Writes a page that plays a motion: turn it, stop it, scrub it, slow it down.

    Options are those of `page`: rate (frames a second), props, ground, title, world, progress.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ViewError(f"{path}: a page is written as .html")
    text = page(what, **options)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def page(
    what: Any,
    *,
    rate: float = 60.0,
    props: Sequence[Part] = (),
    ground: float | None = 0.0,
    title: str = "",
    world: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> str:
    """The text of the page."""
    if not rate > 0:
        raise ViewError(f"rate must be positive, not {rate:g}")
    motion = Motion.of(what, world=world)
    scene = Scene(motion.figures, props=props, level=ground)
    arrays = _surfaces(scene) | _poses(motion, rate, progress)
    frames, bodies = arrays["places"].shape[:2]
    corners = scene.moving(scene.corners(motion.poses(float(motion.time[0])))[0])
    about = {
        "title": title or motion.title,
        "rate": rate,
        "frames": frames,
        "bodies": bodies,
        "start": float(motion.time[0]),
        "size": float(np.linalg.norm(np.ptp(corners, axis=0))),
        "level": ground,
        "batches": [{"count": len(batch.bodies)} for batch in scene.batches],
        "layout": [[name, array.dtype.str[1:], array.size] for name, array in arrays.items()],
    }
    packed = base64.b64encode(gzip.compress(b"".join(a.tobytes() for a in arrays.values()), mtime=0)).decode("ascii")
    return _document(about, packed)


def _surfaces(scene: Scene) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for k, batch in enumerate(scene.batches):
        local = np.zeros((len(batch.bodies), 4, 4))
        local[:, :3, :3] = batch.turns * batch.scales[:, None, :]
        local[:, :3, 3], local[:, 3, 3] = batch.places, 1.0
        found |= {
            f"vertices{k}": batch.surface.vertices.astype("<f4"),
            f"normals{k}": batch.surface.normals.astype("<f4"),
            f"faces{k}": batch.surface.faces.astype("<u4"),
            f"bodies{k}": batch.bodies.astype("<i4"),
            f"colours{k}": batch.colours.astype("<f4"),
            f"locals{k}": np.ascontiguousarray(local.transpose(0, 2, 1)).astype("<f4"),  # by columns
        }
    return found


def _poses(motion: Motion, rate: float, progress: Callable[[int, int], None]) -> dict[str, np.ndarray]:
    """Places and turns of every body at every frame, and the middle of the masses."""
    times = motion.time[0] + np.arange(round(motion.duration * rate) + 1) / rate
    anatomy = Anatomy(motion.figures)
    masses = np.bincount(anatomy.owners, anatomy.masses) + 1e-12
    places, turns, middles = [], [], []
    for k, time in enumerate(times):
        poses = motion.poses(float(time))
        places.append(poses.origins)
        turns.append(quaternions(poses.frames))
        middles.append(np.average(anatomy.centres(poses), axis=0, weights=masses))
        progress(k + 1, len(times))
    return {
        "places": np.array(places).astype("<f4"),
        "turns": np.round(np.array(turns) * FINEST).astype("<i2"),
        "middles": np.array(middles).astype("<f4"),
    }


def _document(about: dict[str, Any], packed: str) -> str:
    player = resources.files("gambol.view").joinpath("player/player.min.js").read_text(encoding="utf-8")
    player = player.replace("</script", "<\\/script")
    name, settings = html.escape(about["title"]), json.dumps(about).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>
{STYLE}
</style>
</head>
<body>
<div id="stage"><h1>{name}</h1></div>
<script type="application/json" id="about">{settings}</script>
<script type="text/plain" id="motion">{packed}</script>
<script type="module">{player}</script>
</body>
</html>
"""
