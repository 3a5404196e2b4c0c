"""Taking motion and figures to other tools.

    export_file(recording, "walk.bvh")     BVH: skeleton and joint angles
    export_file(recording, "walk.glb")     glTF with meshes and animation, for Blender and the web (also .gltf)
    export_file(recording, "walk.usda")    USD (extra `usd`; also .usd, .usdc)
    export_file(recording, "walk.csv")     every channel as columns with units (also .parquet)
    export_file(figure, "walk.xml")        MJCF, for MuJoCo
    read_bvh("walk.bvh")                   a motion to follow: TargetMotion

What a format cannot hold is warned of (ExportWarning), by name.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.export.bvh_reader import TargetMotion as TargetMotion, read_bvh as read_bvh
    from gambol.export.bvh_writer import bvh_text as bvh_text
    from gambol.export.character import Bone as Bone, Character as Character
    from gambol.export.clip import Clip as Clip, clip_of as clip_of
    from gambol.export.cycles import Cycle as Cycle, find_cycle as find_cycle, looped as looped
    from gambol.export.formats import export_file as export_file
    from gambol.export.mjcf import mjcf_text as mjcf_text
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
