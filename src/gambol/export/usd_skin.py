"""A character in USD: a UsdSkel skeleton, its animation, and meshes whose points each belong to a bone."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.export.character import Character
from gambol.export.clip import Clip
from gambol.export.gltf_skin import skin_arrays


def add_character(stage: Any, path: Any, clip: Clip, number: int, bind_look: Any, name_of: Any) -> None:
    """Adds the skeleton, its motion and its skin below `path`."""
    from pxr import Gf, UsdSkel, Vt

    character = Character.of(clip.figures[number])
    UsdSkel.Root.Define(stage, path)
    skeleton = UsdSkel.Skeleton.Define(stage, path.AppendChild("skeleton"))
    joints: list[str] = []
    for name, parent in zip(character.names, character.parents):
        joints.append(name_of(name) if parent < 0 else f"{joints[parent]}/{name_of(name)}")
    heads = [bone.head for bone in character.bones]
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([_moved(head) for head in heads]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([_moved(offset) for offset in character.offsets]))
    motion = UsdSkel.Animation.Define(stage, path.AppendChild("motion"))
    motion.CreateJointsAttr(joints)
    motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(joints)))
    places, turns = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    shift, turn = character.motion(clip, number)
    for frame in range(len(clip)):
        places.Set(Vt.Vec3fArray.FromNumpy(shift[frame].astype(np.float32)), frame)
        quats = [Gf.Quatf(float(w), float(x), float(y), float(z)) for w, x, y, z in turn[frame]]
        turns.Set(Vt.QuatfArray(quats), frame)
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    for count, ((colour, _), arrays) in enumerate(skin_arrays(character).items(), 1):
        own = path.AppendChild(f"skin_{count}")
        _mesh(stage, own, colour, arrays, skeleton.GetPath())
        bind_look(own, colour)


def _moved(place: np.ndarray) -> Any:
    from pxr import Gf

    return Gf.Matrix4d(1.0).SetTranslate(Gf.Vec3d(*map(float, place)))


def _mesh(stage: Any, path: Any, colour: tuple[float, ...], arrays: list[np.ndarray], skeleton: Any) -> None:
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    points, normals, faces, bones = arrays[:4]
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(normals.astype(np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(faces), 3))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDisplayColorAttr([Gf.Vec3f(*map(float, colour[:3]))])
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray.FromNumpy(bones.astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray.FromNumpy(np.ones(len(points), np.float32)))
    binding.CreateSkeletonRel().SetTargets([skeleton])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
