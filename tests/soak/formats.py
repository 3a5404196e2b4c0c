"""The formats that are tried: for each, good contents, how they are damaged, and what reads them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import archives, recordings, texts
from .mutants import byte_mutant, json_mutant, text_mutant


@dataclass(frozen=True)
class Format:
    """seeds() gives good contents; damage(content, chance) a mutant; read(file) uses it all and says what it holds."""

    suffix: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Path], Any]
    damage: Callable[[bytes, random.Random], bytes]
    exact: bool = False  # whatever is read must be what was in the seed
    needs: str = ""  # a package beyond the usual ones


def _as_text(content: bytes, chance: random.Random) -> bytes:
    return text_mutant(content.decode(), chance).encode("utf-8", "surrogatepass")


def _as_json(content: bytes, chance: random.Random) -> bytes:
    more = [
        math.nan,
        math.inf,
        -math.inf,
        1e12,
        1e-320,
        2**70,
        [0, 0],
        [1e12, -1e12, 1e12],
        ["1", "2", "3"],
        [math.nan] * 3,
    ]
    return json_mutant(content.decode(), chance, more).encode("utf-8", "surrogatepass")


def _text(suffix: str, read: Callable[[Path], Any], *contents: str, needs: str = "") -> Format:
    return Format(suffix, lambda: [content.encode() for content in contents], read, _as_text, needs=needs)


FORMATS = {
    "yaml": Format(".yaml", texts.figures, texts.read_figure, _as_text),
    "urdf": _text(".urdf", texts.read_figure, texts.URDF, needs="yourdfpy"),
    "mjcf": _text(".xml", texts.read_figure, texts.MJCF, needs="mujoco"),
    "bvh": _text(".bvh", texts.read_bvh_file, texts.BVH),
    "simsect": _text(".cfg", texts.read_simsect, texts.SIMSECT),
    "script": _text(".corpus", texts.read_script, texts.SCRIPT),
    "journal": Format(".jsonl", texts.journals, texts.read_journal, _as_text),
    "recording": Format(".gambol", recordings.recordings, recordings.read_recording, byte_mutant, exact=True),
    "edited": Format(".gambol", recordings.recordings, recordings.read_recording, recordings.edited),
    "motors": _text(".yaml", texts.read_scene_file, texts.MOTORS),
    "scene": _text(".xml", texts.read_scene_file, texts.SCENE, needs="mujoco"),
    "robot": _text(".urdf", texts.read_scene_file, texts.URDF, needs="yourdfpy"),
    "trc": _text(".trc", texts.read_motion_file, texts.TRC),
    "mot": _text(".mot", texts.read_motion_file, texts.MOT),
    "csv": _text(".csv", texts.read_motion_file, texts.MARKER_TABLE, texts.COORDINATE_TABLE),
    "c3d": Format(".c3d", archives.captures, texts.read_motion_file, archives.head_first, needs="c3d"),
    "places": _text(".yaml", texts.read_places_file, texts.PLACES),
    "directions": _text(".yaml", texts.read_directions_file, texts.DIRECTIONS),
    "control": _text(".yaml", texts.read_control_state, texts.CONTROL),
    "section": _text(".cfg", texts.read_sections, texts.SECTIONS),
    "policy": Format(".npz", archives.policies, archives.read_policy, archives.other_arrays),
    "message": Format(".json", lambda: texts.MESSAGES, texts.read_message, _as_json, needs="websockets"),
    "lock": _text(".lock", texts.read_lock, texts.LOCK),
    "shard": Format(".jsonl", texts.shards, texts.read_shard, _as_text),
    "object": _text(".asc", texts.read_object_file, texts.OBJECT),
    "obj": _text(".obj", texts.read_mesh_file, texts.OBJ),
    "stl": Format(".stl", archives.stl_files, texts.read_mesh_file, byte_mutant),
    "picture": Format(".png", archives.pictures, archives.read_picture, archives.other_picture),
}
