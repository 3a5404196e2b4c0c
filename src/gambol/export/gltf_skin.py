"""A character in glTF: joints as nodes, one mesh whose vertices each belong to a bone, the motion of the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.export.character import Character
from gambol.export.clip import Clip
from gambol.export.quaternions import turned

if TYPE_CHECKING:
    from gambol.export.gltf import Builder


def add_character(built: Builder, clip: Clip, number: int) -> list[int]:
    """Adds the armature and the skinned mesh of a figure; their nodes."""
    lib = built.library
    character = Character.of(clip.figures[number])
    nodes = [
        built.node(name=name, translation=offset.tolist(), rotation=[0.0, 0.0, 0.0, 1.0])
        for name, offset in zip(character.names, character.offsets.astype(np.float32))
    ]
    for k, parent in enumerate(character.parents):
        if parent >= 0:
            built.gltf.nodes[nodes[parent]].children.append(nodes[k])
    roots = [nodes[k] for k, parent in enumerate(character.parents) if parent < 0]
    top = built.node(name=clip.figures[number].name, children=roots)
    _move(built, clip, number, character, nodes)
    primitives = _primitives(built, character)
    if not primitives:
        return [top]
    bind = np.tile(np.eye(4, dtype=np.float32), (len(nodes), 1, 1))
    bind[:, 3, :3] = [-bone.head for bone in character.bones]  # column by column
    skin = lib.Skin(inverseBindMatrices=built.accessor(bind.reshape(-1, 16), "MAT4"), joints=nodes, skeleton=roots[0])
    built.gltf.skins.append(skin)
    built.gltf.meshes.append(lib.Mesh(name=f"{clip.figures[number].name} skin", primitives=primitives))
    own = built.node(name=f"{clip.figures[number].name} skin", mesh=len(built.gltf.meshes) - 1)
    built.gltf.nodes[own].skin = len(built.gltf.skins) - 1
    return [top, own]


def _move(built: Builder, clip: Clip, number: int, character: Character, nodes: list[int]) -> None:
    if len(clip) < 2:
        return
    times = built.accessor(clip.times.astype(np.float32), "SCALAR", bounds=True)
    shift, turn = character.motion(clip, number)
    for k, sliding in enumerate(character.sliding(shift)):
        turning = np.roll(turn[:, k], -1, axis=-1).astype(np.float32)  # (x, y, z, w)
        if turning[0, 3] < 0:
            turning = -turning
        built.channel(nodes[k], "rotation", times, turning, "VEC4", np.array([0.0, 0.0, 0.0, 1.0]))
        if sliding:
            built.channel(nodes[k], "translation", times, shift[:, k].astype(np.float32), "VEC3", character.offsets[k])


def skin_arrays(character: Character) -> dict[tuple[tuple[float, ...], bytes], list[np.ndarray]]:
    """For every colour and texture (PNG, or nothing): points [m, world at rest], normals, triangles, the bone of each
    point, and where it lies on the texture."""
    from gambol.export.gltf import GREY, solid, texture_of

    found: dict[tuple[tuple[float, ...], bytes], list[list[np.ndarray]]] = {}
    for number, bone in enumerate(character.bones):
        for place, part in bone.skin:
            points, normals, faces = solid(part)
            turn = np.broadcast_to(place.rotation, (len(points), 4))
            colour = (*part.colour, 1.0)[:4] if part.colour else GREY
            texture = texture_of(part)
            rows = found.setdefault((tuple(colour), texture.image if texture else b""), [[], [], [], [], []])
            rows[2].append(faces + sum(map(len, rows[0])))
            rows[0].append(turned(turn, points) + np.array(place.position))
            rows[1].append(turned(turn, normals))
            rows[3].append(np.full(len(points), number))
            rows[4].append(np.array(texture.uv) if texture else np.zeros((len(points), 2)))
    return {look: [np.concatenate(parts) for parts in rows] for look, rows in found.items()}


def _primitives(built: Builder, character: Character) -> list[Any]:
    lib, made = built.library, []
    for (colour, picture), (points, normals, faces, bones, uv) in skin_arrays(character).items():
        joints, weights = np.zeros((len(points), 4), np.uint16), np.zeros((len(points), 4), np.float32)
        joints[:, 0], weights[:, 0] = bones, 1.0
        attributes = lib.Attributes(
            POSITION=built.accessor(points.astype(np.float32), "VEC3", bounds=True, target=34962),
            NORMAL=built.accessor(normals.astype(np.float32), "VEC3", target=34962),
            JOINTS_0=built.accessor(joints, "VEC4", target=34962),
            WEIGHTS_0=built.accessor(weights, "VEC4", target=34962),
        )
        if picture:
            attributes.TEXCOORD_0 = built.accessor(uv.astype(np.float32), "VEC2", target=34962)
        indices = built.accessor(faces.astype(np.uint32).ravel(), "SCALAR", target=34963)
        made.append(lib.Primitive(attributes=attributes, indices=indices, material=built.material(colour, picture)))
    return made
