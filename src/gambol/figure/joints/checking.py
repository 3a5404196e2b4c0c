"""The contract of a joint type, checked on one generic joint: what is derived must fit what is declared."""

import numpy as np

from gambol.figure.joints import JOINT_TYPES, JointType
from gambol.figure.placement import Placement

SPRINGS = ("coordinates", "rotation", "nothing")


def check_joint_type(kind: JointType, seed: int = 0) -> None:
    """Raises TypeError with the first thing that does not fit."""
    from gambol.figure.builders import random_joint

    rng = np.random.default_rng(seed)
    _check_chain(kind)
    joint = random_joint(rng, kind.name)
    if problems := list(joint.faults()):
        raise _misfit(kind, f"a generic joint of it is at fault: {problems[0][1]}")
    _check_coordinates(kind, joint)
    q = kind.displaced(joint, np.array(kind.zero), rng.normal(0.0, 0.5, len(kind.speeds)))
    pose, image, back = joint.pose(q), kind.mirrored(joint), kind.reversed(joint)
    _same(kind, joint.pose(kind.zero), Placement(), "its pose at zero is not the identity")
    _same(kind, image.pose(kind.mirror_signs(joint) * q), pose.mirrored(), "define mirrored: its image moves otherwise")
    undone = pose.compose(back.pose(kind.reversed_positions(joint, q)))
    _same(kind, undone, Placement(), "define reversed and reversed_positions: they do not undo the joint")
    if kind.mirrored(image) != joint or kind.reversed(back) != joint:
        raise _misfit(kind, "mirrored or reversed twice it is not itself")
    again = kind.coordinates(joint, np.array([pose.position]), np.array([pose.rotation]))[0]
    _same(kind, joint.pose(again), pose, "define coordinates: they do not lead back to the pose", 1e-8)


def _misfit(kind: JointType, message: str) -> TypeError:
    return TypeError(f"joint type {kind.name!r}: {message}")


def _same(kind: JointType, one: Placement, two: Placement, message: str, tolerance: float = 1e-12) -> None:
    if not (
        np.allclose(one.position, two.position, rtol=0.0, atol=tolerance)
        and np.allclose(one.matrix, two.matrix, rtol=0.0, atol=tolerance)
    ):
        raise _misfit(kind, message)


def _check_chain(kind: JointType) -> None:
    if type(kind).primitives is JointType.primitives and type(kind).pose_steps is JointType.pose_steps:
        raise _misfit(kind, "define primitives, the chain it is made of, or pose_steps if it has a kernel")
    if kind.springs not in SPRINGS or (kind.springs == "coordinates" and len(kind.positions) != len(kind.speeds)):
        raise _misfit(
            kind, f"springs must be one of {', '.join(SPRINGS)}; only plain numbers have springs of their own"
        )


def _check_coordinates(kind: JointType, joint) -> None:
    chain = kind.primitives(joint)
    if strange := [link.type for link in chain if link.type not in JOINT_TYPES]:
        raise _misfit(kind, f"{strange[0]!r} in its chain is no joint type")
    types = [JOINT_TYPES[link.type] for link in chain]
    for what in ("positions", "speeds"):
        units = [unit for link in types for unit in getattr(link, what).values()]
        declared = list(getattr(kind, what).values())
        if declared != units:
            raise _misfit(kind, f"{what} have the units {declared}, those of its chain {units}")
