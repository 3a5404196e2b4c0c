"""A motion as one HTML file that plays in any browser, without Python and without a network; and the live view's page.

The page holds the surfaces of the figures once, the pose of every body at every frame, and a player (player/*.js with
three.js, built by scripts/build-player). The live view's page holds one pose and gets the others as they are computed.
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

from gambol.draw.look import page_look
from gambol.draw.motion import Motion, Poses
from gambol.draw.render import Scene
from gambol.draw.solids import FINENESS, UNIT_BALL, UNIT_DRUM, rounded
from gambol.draw.terrain import OWN_GROUND, Ground, earth_over, seen_ground
from gambol.errors import ViewError
from gambol.figure import Part
from gambol.figure.placement import quaternions
from gambol.forces.contact.terrain import Terrain
from gambol.view.anatomy import Anatomy

TINY = FINENESS[-1][1]  # facets of the smallest round solids
# Facets with which round solids are drawn where there is no graphics card, by those that they have
COARSE = {(24, 12): (18, 9), (14, 8): (10, 6), TINY: (8, 4)}
FINEST = 32767.0  # quaternions are kept as 16-bit numbers
NEAR, LAND = 2.0, 24.0  # how far terrain reaches around the way, of the figures' size: finely, and until it fades
LAND_CELLS = 144  # along its longer side


def replay(what: Any, path: str | Path, **options: Any) -> Path:
    """Writes a page that plays a motion: turn it, stop it, scrub it, slow it down.

    Options are those of `page`: rate (frames a second), props, ground, title, speed at first, world, progress.
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
    ground: Ground = OWN_GROUND,
    title: str = "",
    speed: float = 1.0,
    world: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> str:
    """The text of the page."""
    return document(
        *played(what, rate=rate, props=props, ground=ground, title=title, speed=speed, world=world, progress=progress)
    )


def played(
    what: Any,
    *,
    rate: float = 60.0,
    props: Sequence[Part] = (),
    ground: Ground = OWN_GROUND,
    title: str = "",
    speed: float = 1.0,
    world: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a page that plays a motion holds besides its player: what is known of the scene, and arrays."""
    if not rate > 0:
        raise ViewError(f"rate must be positive, not {rate:g}")
    if not speed > 0:
        raise ViewError(f"speed must be positive, not {speed:g}")
    motion = Motion.of(what, world=world)
    scene = Scene(motion.figures, props=props, ground=seen_ground(ground, motion.terrain))
    first = motion.poses(float(motion.time[0]))
    about = about_scene(scene, first, title or motion.title, Anatomy(motion.figures).middle(first))
    poses = _poses(motion, rate, progress)
    frames, bodies = poses["places"].shape[:2]
    about |= {"rate": rate, "speed": speed, "frames": frames, "bodies": bodies, "start": float(motion.time[0])}
    arrays = surfaces(scene) | poses
    if isinstance(scene.ground, Terrain):
        way = poses["middles"][:, :2]
        arrays |= land_over(scene.ground, way.min(axis=0), way.max(axis=0), about["size"])
        about["earth"] = True
    return about, arrays


def about_scene(scene: Scene, poses: Poses, title: str, middle: np.ndarray) -> dict[str, Any]:
    """What the player must know of a scene besides its arrays: sizes, ground, look. `middle` is that of the masses."""
    corners = scene.moving(scene.corners(poses)[0])
    low, high = float(corners[:, 2].min()), float(corners[:, 2].max())
    size = max(float(np.linalg.norm(np.ptp(corners, axis=0))), 1e-6)
    below = float(scene.ground) if isinstance(scene.ground, float) and 0 < low - scene.ground < size else low
    return {
        "title": title,
        "look": page_look(),
        "bodies": len(poses.origins),
        "size": size,
        "lift": 0.5 * (below + high) - float(middle[2]),
        "level": scene.ground if isinstance(scene.ground, float) else None,
        "earth": False,
        "batches": about_solids(scene),
    }


def land_over(terrain: Terrain, low: np.ndarray, high: np.ndarray, size: float) -> dict[str, np.ndarray]:
    """Terrain around the way of figures, from `low` to `high` (x, y) [m], as arrays."""
    near = NEAR * size
    earth = earth_over(terrain, low - near, high + near, LAND_CELLS, room=LAND * size)
    return {
        "earth_vertices": earth.vertices.astype("<f4"),
        "earth_normals": earth.normals.astype("<f4"),
        "earth_faces": earth.faces.astype("<u4"),
    }


def about_solids(scene: Scene) -> list[dict[str, Any]]:
    """What the player must know of the batches of a scene besides their arrays."""
    pictures = _pictures(scene)
    return [
        {
            "count": len(b.bodies),
            "finish": b.finishes[0].tolist(),
            "closed": b.closed,
            "tiny": b.facets == TINY,
            "picture": -1 if b.texture is None else pictures.index(b.texture.image),
        }
        for b in scene.batches
    ]


def _pictures(scene: Scene) -> list[bytes]:
    """The textures of a scene, each once."""
    return list(dict.fromkeys(batch.texture.image for batch in scene.batches if batch.texture is not None))


def surfaces(scene: Scene) -> dict[str, np.ndarray]:
    """The solids of a scene as arrays, batch by batch."""
    found = {f"picture{k}": np.frombuffer(image, "<u1") for k, image in enumerate(_pictures(scene))}
    for k, batch in enumerate(scene.batches):
        local = np.zeros((len(batch.bodies), 4, 4))
        local[:, :3, :3] = batch.turns * batch.scales[:, None, :]
        local[:, :3, 3], local[:, 3, 3] = batch.places, 1.0
        found |= {
            f"vertices{k}": batch.surface.vertices.astype("<f4"),
            f"normals{k}": batch.surface.normals.astype("<f4"),
            f"faces{k}": batch.surface.faces.astype("<u4"),
            f"bodies{k}": batch.bodies.astype("<i4"),
            f"colours{k}": (batch.colours if batch.texture is None else np.ones_like(batch.colours)).astype("<f4"),
            f"locals{k}": np.ascontiguousarray(local.transpose(0, 2, 1)).astype("<f4"),  # by columns
        }
        if batch.surface.uv is not None:
            found[f"uv{k}"] = batch.surface.uv.astype("<f4")
        if batch.facets in COARSE and (batch.shape is UNIT_BALL or batch.shape is UNIT_DRUM):
            coarse = rounded(batch.shape, COARSE[batch.facets])
            found |= {
                f"coarse_vertices{k}": coarse.vertices.astype("<f4"),
                f"coarse_normals{k}": coarse.normals.astype("<f4"),
                f"coarse_faces{k}": coarse.faces.astype("<u4"),
            }
    return found


def _poses(motion: Motion, rate: float, progress: Callable[[int, int], None]) -> dict[str, np.ndarray]:
    """Places and turns of every body at every frame, and the middle of the masses."""
    times = motion.time[0] + np.arange(round(motion.duration * rate) + 1) / rate
    anatomy = Anatomy(motion.figures)
    places, turns, middles = [], [], []
    for k, time in enumerate(times):
        poses = motion.poses(float(time))
        places.append(poses.origins)
        turns.append(quaternions(poses.frames))
        middles.append(anatomy.middle(poses))
        progress(k + 1, len(times))
    return {
        "places": np.array(places).astype("<f4"),
        "turns": np.round(np.array(turns) * FINEST).astype("<i2"),
        "middles": np.array(middles).astype("<f4"),
    }


def document(about: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """The page: what is known of the scene, its arrays, and the player."""
    about = about | {"layout": [[name, array.dtype.str[1:], array.size] for name, array in arrays.items()]}
    packed = base64.b64encode(gzip.compress(b"".join(a.tobytes() for a in arrays.values()), 6, mtime=0)).decode("ascii")
    own = resources.files("gambol.view").joinpath("player")
    player = own.joinpath("player.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    name, settings = html.escape(about["title"]), json.dumps(about).replace("<", "\\u003c")
    heading = "" if about.get("live") else f"<h1>{name}</h1>"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{name}</title>
<style>
{own.joinpath("player.css").read_text(encoding="utf-8")}
</style>
</head>
<body>
<div id="stage">{heading}</div>
<script type="application/json" id="about">{settings}</script>
<script type="text/plain" id="motion">{packed}</script>
<script type="module">{player}</script>
</body>
</html>
"""
