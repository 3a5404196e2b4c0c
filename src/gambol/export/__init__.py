"""Taking motion and figures to other tools.

    export(recording, "walk.bvh")     BVH: skeleton and joint angles
    export(recording, "walk.glb")     glTF with meshes and animation, for Blender and the web (also .gltf)
    export(recording, "walk.usda")    USD (extra `usd`; also .usd, .usdc)
    export(recording, "walk.csv")     every channel as columns with units (also .parquet)
    export(figure, "walk.xml")        MJCF, for MuJoCo
    read_bvh("walk.bvh")              a motion to follow: TargetMotion

What a format cannot hold is warned of (ExportWarning), by name.
"""

import importlib

_HOME = {
    "Clip": "clip",
    "clip_of": "clip",
    "export": "formats",
    "ExportWarning": "formats",
    "mjcf_text": "mjcf",
    "bvh_text": "bvh_writer",
    "read_bvh": "bvh_reader",
    "TargetMotion": "bvh_reader",
}
__all__ = ["Clip", "ExportWarning", "TargetMotion", "bvh_text", "clip_of", "export", "mjcf_text", "read_bvh"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.export.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.export' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
