"""BVH: a skeleton and its joint angles, as motion capture knows it.

Y is up, Z forward, X left (the file's x, y, z are our y, z, x). Lengths are metres times `scale`. A joint that only
turns has three channels, one that slides too has six. Rotations are about Z, then X, then Y of the moving frame.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.errors import ExportError
from gambol.export.character import Character
from gambol.export.clip import Clip
from gambol.export.skeleton import Skeleton

PLACE, TURN = "Xposition Yposition Zposition", "Zrotation Xrotation Yrotation"
TO_FILE = np.array([1, 2, 0])  # which of our axes are the file's x, y, z


class Joints(NamedTuple):
    """What a BVH file says of a skeleton and its motion, in our axes.

    offsets   (joints, 3) [m] from the parent at rest; ends: where leaves end, from their joint
    shift     (frames, joints, 3) [m] and turn (frames, joints, 4) in the frame of the parent
    sliding   which joints have positions too
    """

    names: Sequence[str]
    parents: Sequence[int]
    offsets: np.ndarray
    ends: Sequence[np.ndarray]
    sliding: Sequence[bool]
    shift: np.ndarray
    turn: np.ndarray


def bvh_text(clip: Clip, *, figure: int = 0, scale: float = 1.0, character: bool = False) -> str:
    """The motion of one figure of a clip as BVH text; `character`: with the bones of a Character."""
    if not 0 <= figure < len(clip.figures):
        raise ExportError(f"the clip has {len(clip.figures)} figures; there is no number {figure}")
    if not scale > 0:
        raise ExportError(f"scale must be positive, it is {scale}")
    joints = _of_character(clip, figure) if character else _of_figure(clip, figure)
    order: list[int] = []
    lines = ["HIERARCHY"]
    for root in (k for k, parent in enumerate(joints.parents) if parent < 0):
        _joint(lines, order, joints, root, "", scale)
    columns = [block for k in order for block in _columns(joints, k, scale)]
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {len(clip)}", f"Frame Time: {clip.step:.12g}"]
    lines += [" ".join(f"{x:.9g}" for x in row) for row in rows]
    return "\n".join(lines) + "\n"


def _of_figure(clip: Clip, number: int) -> Joints:
    skeleton = Skeleton(clip.figures[number])
    bodies = skeleton.figure.order
    inner = set(skeleton.parents)
    ends = [np.zeros(3) if k in inner else skeleton.tip(body) for k, body in enumerate(bodies)]
    sliding = [p < 0 or body.joint.kind.translates(body.joint) for body, p in zip(bodies, skeleton.parents)]
    shift, turn = skeleton.motion(*clip.poses[number])
    names = [joint_name(body.name) for body in bodies]
    return Joints(names, skeleton.parents, skeleton.offsets, ends, sliding, shift, turn)


def _of_character(clip: Clip, number: int) -> Joints:
    made = Character.of(clip.figures[number])
    shift, turn = made.motion(clip, number)
    ends = [bone.tail - bone.head for bone in made.bones]
    names = [joint_name(name) for name in made.names]
    return Joints(names, made.parents, made.offsets, ends, made.sliding(shift), shift, turn)


def _joint(lines: list[str], order: list[int], joints: Joints, k: int, indent: str, scale: float) -> None:
    order.append(k)
    offset = np.zeros(3) if joints.parents[k] < 0 else joints.offsets[k]
    channels = f"6 {PLACE} {TURN}" if joints.sliding[k] else f"3 {TURN}"
    lines += [f"{indent}{'ROOT' if joints.parents[k] < 0 else 'JOINT'} {joints.names[k]}", f"{indent}{{"]
    lines += [f"{indent}\tOFFSET {_vector(offset, scale)}", f"{indent}\tCHANNELS {channels}"]
    children = [c for c, p in enumerate(joints.parents) if p == k]
    for child in children:
        _joint(lines, order, joints, child, f"{indent}\t", scale)
    if not children:
        end = _vector(joints.ends[k], scale)
        lines += [f"{indent}\tEnd Site", f"{indent}\t{{", f"{indent}\t\tOFFSET {end}", f"{indent}\t}}"]
    lines.append(f"{indent}}}")


def joint_name(body: str) -> str:
    """BVH names end at a blank."""
    return "_".join(body.split())


def _vector(vector: np.ndarray, scale: float) -> str:
    return " ".join(f"{x:.9g}" for x in scale * np.asarray(vector)[TO_FILE] + 0.0)


def _columns(joints: Joints, k: int, scale: float) -> list[np.ndarray]:
    turn = joints.turn[:, k]
    turned = np.concatenate([turn[:, :1], turn[:, 1:][:, TO_FILE]], axis=1)
    angles = Rotation.from_quat(turned, scalar_first=True).as_euler("ZXY")
    found = [np.degrees(np.unwrap(angles, axis=0))]
    if joints.sliding[k]:
        found.insert(0, scale * joints.shift[:, k][:, TO_FILE])
    return found
