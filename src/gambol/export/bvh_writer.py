"""BVH: a skeleton and its joint angles, as motion capture knows it.

Y is up, Z forward, X left (the file's x, y, z are our y, z, x). Lengths are metres times `scale`. A joint that only
turns has three channels, one that slides too has six. Rotations are about Z, then X, then Y of the moving frame.
"""

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.errors import ExportError
from gambol.export.clip import Clip
from gambol.export.skeleton import Skeleton

PLACE, TURN = "Xposition Yposition Zposition", "Zrotation Xrotation Yrotation"
TO_FILE = np.array([1, 2, 0])  # which of our axes are the file's x, y, z


def bvh_text(clip: Clip, *, figure: int = 0, scale: float = 1.0) -> str:
    """The motion of one figure of a clip as BVH text."""
    if not 0 <= figure < len(clip.figures):
        raise ExportError(f"the clip has {len(clip.figures)} figures; there is no number {figure}")
    if not scale > 0:
        raise ExportError(f"scale must be positive, it is {scale}")
    skeleton = Skeleton(clip.figures[figure])
    order: list[int] = []
    lines = ["HIERARCHY"]
    _joint(lines, order, skeleton, 0, "", scale)
    shift, turn = skeleton.motion(*clip.poses[figure])
    columns = [block for k in order for block in _columns(skeleton, k, shift[:, k], turn[:, k], scale)]
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {len(clip)}", f"Frame Time: {clip.step:.12g}"]
    lines += [" ".join(f"{x:.9g}" for x in row) for row in rows]
    return "\n".join(lines) + "\n"


def _has_place(skeleton: Skeleton, k: int) -> bool:
    joint = skeleton.figure.order[k].joint
    return skeleton.parents[k] < 0 or joint.kind.translates(joint)


def _joint(lines: list[str], order: list[int], skeleton: Skeleton, k: int, indent: str, scale: float) -> None:
    body = skeleton.figure.order[k]
    order.append(k)
    offset = np.zeros(3) if skeleton.parents[k] < 0 else skeleton.offsets[k]
    channels = f"6 {PLACE} {TURN}" if _has_place(skeleton, k) else f"3 {TURN}"
    lines += [f"{indent}{'ROOT' if skeleton.parents[k] < 0 else 'JOINT'} {joint_name(body.name)}", f"{indent}{{"]
    lines += [f"{indent}\tOFFSET {_vector(offset, scale)}", f"{indent}\tCHANNELS {channels}"]
    children = [c for c, p in enumerate(skeleton.parents) if p == k]
    for child in children:
        _joint(lines, order, skeleton, child, f"{indent}\t", scale)
    if not children:
        end = _vector(skeleton.tip(body), scale)
        lines += [f"{indent}\tEnd Site", f"{indent}\t{{", f"{indent}\t\tOFFSET {end}", f"{indent}\t}}"]
    lines.append(f"{indent}}}")


def joint_name(body: str) -> str:
    """BVH names end at a blank."""
    return "_".join(body.split())


def _vector(vector: np.ndarray, scale: float) -> str:
    return " ".join(f"{x:.9g}" for x in scale * np.asarray(vector)[TO_FILE] + 0.0)


def _columns(skeleton: Skeleton, k: int, shift: np.ndarray, turn: np.ndarray, scale: float) -> list[np.ndarray]:
    turned = np.concatenate([turn[:, :1], turn[:, 1:][:, TO_FILE]], axis=1)
    angles = Rotation.from_quat(turned, scalar_first=True).as_euler("ZXY")
    found = [np.degrees(np.unwrap(angles, axis=0))]
    if _has_place(skeleton, k):
        found.insert(0, scale * shift[:, TO_FILE])
    return found
