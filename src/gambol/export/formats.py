"""One function for every format, by the suffix of the file."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gambol.errors import ExportError, ExportWarning, UnknownNameError, nearest
from gambol.export.clip import Clip, clip_of
from gambol.figure import Figure, Mesh
from gambol.figure.files import file_name

MOTION_SUFFIXES = (".bvh", ".glb", ".gltf", ".usd", ".usda", ".usdc")
TABLE_SUFFIXES = (".csv", ".parquet")
MJCF = (".xml", ".mjcf")
DESCRIPTION_SUFFIXES = (*MJCF, ".urdf", ".yaml", ".yml")
EXPORT_SUFFIXES = (*MOTION_SUFFIXES, *TABLE_SUFFIXES, *DESCRIPTION_SUFFIXES)


def left_out(path: Path, things: Iterable[str]) -> None:
    """Warns once of everything that was left out."""
    names = list(things)
    if names:
        warnings.warn(ExportWarning(f"{path}: left out: {'; '.join(names)}"), stacklevel=3)


def export_file(
    source: Any,
    path: str | Path,
    *,
    fps: float | None = None,
    world: int = 0,
    scale: float = 1.0,
    channels: Sequence[str] | None = None,
    character: bool = False,
    surroundings: bool = False,
) -> list[Path]:
    """Writes a recording, a trajectory or a figure; returns the files that were written.

    fps       frames a second of animations; by default those of the samples
    world     which one, of several
    scale     of lengths in BVH (100: centimetres)
    channels  of tables; by default all. Tables need a recording
    character   of motion: the bones that animators expect (hinges on one another as one joint, usual names of people),
              with a skin in glTF and USD, instead of a node for every body
    surroundings   in glTF and USD: the ground of its world, a camera that sees it all, a sun
    BVH, URDF, YAML and MJCF hold one figure: of several, each gets a file of its own. A Scene is one MJCF file, with
    its ground, motors, sites and start poses; URDF has the limits of its motors, and joints that mimic others. What of
    a scene a format does not hold is counted in an ExportWarning.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in EXPORT_SUFFIXES:
        raise UnknownNameError(f"{path}: no format has the suffix '{suffix}'{nearest(suffix, EXPORT_SUFFIXES)}")
    if path.is_dir():
        raise ExportError(f"{path} is a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    if suffix in TABLE_SUFFIXES:
        from gambol.export.table import write_table

        return [write_table(source, path, world=world, channels=channels)]
    if suffix in DESCRIPTION_SUFFIXES:
        return _figures(source, path)
    clip = clip_of(source, fps=fps, world=world)
    if suffix == ".bvh":
        if surroundings:
            left_out(path, ["ground, camera and sun, which BVH has no place for"])
        return _bvh(clip, path, scale, character)
    around = _around(clip, source) if surroundings else None
    if suffix in (".glb", ".gltf"):
        from gambol.export.gltf import write_gltf

        return [write_gltf(clip, path, character=character, surroundings=around)]
    from gambol.export.usd import write_usd

    left_out(path, _textures(clip.figures))
    return [write_usd(clip, path, character=character, surroundings=around)]


def _around(clip: Clip, source: Any) -> Any:
    from gambol.export.surroundings import surroundings_of

    motion = source.motion(0) if hasattr(source, "motion") else source
    world = getattr(source, "world", None)
    return surroundings_of(clip, getattr(motion, "terrain", None) or getattr(world, "terrain", None))


def own_file(path: Path, figure: Figure, several: bool) -> Path:
    """The file of one figure of several."""
    return path.with_name(f"{path.stem}-{file_name(figure.name)}{path.suffix}") if several else path


def _bvh(clip: Clip, path: Path, scale: float, character: bool) -> list[Path]:
    from gambol.export.bvh_writer import bvh_text

    written = []
    for number, figure in enumerate(clip.figures):
        own = own_file(path, figure, len(clip.figures) > 1)
        own.write_text(bvh_text(clip, figure=number, scale=scale, character=character), encoding="utf-8")
        written.append(own)
    return written


def _figures(source: Any, path: Path) -> list[Path]:
    """Figures, each in a file, in the format of the suffix."""
    from gambol.scene.scene import Scene

    gravity = (0.0, 0.0, -9.81)
    figures = (source,) if isinstance(source, Figure) else getattr(source, "figures", None)
    if figures is None and hasattr(source, "layout"):
        figures, gravity = source.layout.figures, source.layout.gravity
    if not figures:
        raise ExportError(
            f"{path}: figures are written of a figure or of what has figures, not of a {type(source).__name__}"
        )
    if isinstance(source, Scene) and path.suffix.lower() in MJCF:
        from gambol.export.mjcf_scene import scene_mjcf
        from gambol.export.scene_losses import lost

        path.write_text(scene_mjcf(source), encoding="utf-8")
        changed = [name for figure in figures for name in _changed_in_mjcf(figure)]
        left_out(path, [*changed, *_textures(figures), *lost(source, path.suffix.lower())])
        return [path]
    forces = None
    if isinstance(source, Scene):
        from gambol.export.scene_losses import lost

        forces = source.world.forces
        left_out(path, lost(source, path.suffix.lower()))
    written = []
    for figure in figures:
        own = own_file(path, figure, len(figures) > 1)
        written += _figure(figure, own, gravity, forces)
    return written


def _figure(figure: Figure, path: Path, gravity: Any, forces: Any) -> list[Path]:
    """`forces` are those of a scene, None where there is none."""
    suffix = path.suffix.lower()
    if suffix in MJCF:
        from gambol.export.mjcf import mjcf_text

        path.write_text(mjcf_text(figure, gravity=gravity), encoding="utf-8")
        left_out(path, [*_changed_in_mjcf(figure), *_textures([figure])])
        return [path]
    if suffix == ".urdf":
        from gambol.export.urdf import FREELY, driven_by, dropped, write_urdf

        left_out(path, [*dropped(figure), *_textures([figure])])
        return write_urdf(figure, path, FREELY if forces is None else driven_by(forces, figure))
    return figure.write(path)


def _textures(figures: Sequence[Figure]) -> list[str]:
    """The textures, where a format is written without them."""
    parts = [part for figure in figures for body in figure.bodies for part in body.parts]
    count = sum(isinstance(part.shape, Mesh) and part.shape.texture is not None for part in parts)
    return [f"textures of {count} parts: their mean colour is written"] if count else []


def _changed_in_mjcf(figure: Figure) -> list[str]:
    from gambol.export.mjcf import unweighable

    motors = [f"the motor of {b.name}" for b in figure.bodies if b.joint.motor is not None]
    return [*motors, *(f"the inertia of {name}, which MuJoCo refuses: the nearest" for name in unweighable(figure))]
