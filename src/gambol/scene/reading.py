"""`gambol.read_scene`: a model file of any format as a world to run."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.errors import Fault, FigureError, FigureImportWarning
from gambol.figure.figure import Figure
from gambol.figure.files import MJCF, YAML
from gambol.figure.imports import check_root
from gambol.figure.joint import Joint
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.terrain import Terrain
from gambol.scene.ground import ground_contacts, ground_level
from gambol.scene.mjcf import outside_limits, read_mjcf_scene
from gambol.scene.scene import START_POSE, Scene, StartPose
from gambol.scene.urdf import read_urdf_scene
from gambol.world.world import World

NONE = "none"


def read_scene(
    source: str | Path | Figure,
    *,
    root: str | None = None,
    root_body: str | None = None,
    ground: str | float | None = None,
    pose: str = START_POSE,
) -> Scene:
    """Reads a figure file (.yaml, .urdf, .xml, .mjcf), or MJCF or URDF text, with all that a world can hold of it.

    A Figure becomes a scene in the same way.

    root       "free" or "fixed": the joint of the roots, in place of what the file says
    root_body  of several trees, the one whose root is called this
    ground     a height [m], "under" (just below the lowest point of the pose) or "none", in place of the file's ground
    pose       of the keyframes, the one under which `ground="under"` is laid

    What has no counterpart is counted in `scene.left_out`; nothing is warned of.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FigureImportWarning)
        scene = _read(source, root, root_body)
    scene.pose(pose)
    return scene if ground is None else _on_ground(scene, str(ground), pose)


def _read(source: str | Path | Figure, root: str | None, root_body: str | None) -> Scene:
    if isinstance(source, Figure):
        return _figure_scene(source, root, root_body)
    if isinstance(source, str) and source.lstrip().startswith("<"):
        reader = read_urdf_scene if "<robot" in source else read_mjcf_scene
        return reader(source, root_body, root)
    path = Path(source)
    if not path.is_file():
        raise FigureError([Fault("no such file", str(path))])
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        return read_urdf_scene(path, root_body, root)
    if suffix in MJCF:
        return read_mjcf_scene(path, root_body, root)
    return _yaml_scene(path, root, root_body)


def _yaml_scene(path: Path, root: str | None, root_body: str | None) -> Scene:
    figure = Figure.read(path)
    return _figure_scene(figure, root, root_body if path.suffix.lower() in YAML else None)


def _figure_scene(figure: Figure, root: str | None, root_body: str | None) -> Scene:
    check_root(root)
    if root_body is not None:
        figure = figure.reroot(root_body)
    if root is not None:
        figure = figure.replace(figure.root.name, joint=Joint(root))
    world = World(figure)
    start = StartPose(world.layout.zero, np.zeros(figure.speeds))
    return Scene(world, poses={START_POSE: start}, notes=tuple(outside_limits(world)))


def _on_ground(scene: Scene, asked: str, pose: str) -> Scene:
    """With the ground that is asked for, and contacts with it."""
    ground = (GroundContact, RoundContact)
    if asked == NONE:
        forces = [f for f in scene.world.forces if not isinstance(f, ground)]
        return replace(scene, world=replace(scene.world, forces=forces, terrain=Terrain()))
    level = ground_level(asked, scene.figures, scene.pose(pose).q)
    own = [] if any(isinstance(f, ground) for f in scene.world.forces) else ground_contacts(scene.figures)
    world = replace(scene.world, forces=[*scene.world.forces, *own], terrain=Terrain(level=level))
    touching = [f.surface for f in own if isinstance(f, ground)]
    notes = [f"ground at {level:.4g} m", *dict.fromkeys(surface.note for surface in touching if surface.note)]
    return replace(scene, world=world, notes=(*scene.notes, *notes))
