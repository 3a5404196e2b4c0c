"""The mirror image of a figure in the plane y = 0.

Positions, masses, shapes and frames are reflected, and `left`/`right`, `l`/`r` are exchanged in names where they
stand as words (`l_thigh`, `thigh.L`, `LeftFoot`, `leg_R2`). Bodies keep their places in the list, so coordinate i
of the image is coordinate i of the original, with these signs (applied by `mirror_positions`):

| type                                     | positions in the image                                        |
|------------------------------------------|---------------------------------------------------------------|
| hinge, universal, slide, screw, planar   | the same                                                      |
| cylindrical                              | distance with the opposite sign, angle the same               |
| ball                                     | (w, −x, y, −z)                                                |
| free                                     | (x, −y, z), (w, −x, y, −z)                                    |

For this the turning axes become (−x, y, −z), the sliding ones (x, −y, z), and the pitch of a screw changes sign.
A hinge about y thus keeps its axis: both legs of a symmetric figure flex in the same sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.body import Body, Part
from gambol.figure.configuration import Positions, checked
from gambol.figure.figure import Figure
from gambol.figure.joint import NO_AXIS, Joint
from gambol.figure.placement import Vector

PAIRS = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}
SWAP = PAIRS | {right: left for left, right in PAIRS.items()}
SIDE = re.compile(
    r"(?<![A-Za-z])(?:left|right)(?![a-z])"  # a lower-case word starts a name or follows a separator
    r"|(?<![A-Z])(?:Left|Right)(?![a-z])"  # a capitalised one may follow lower case
    r"|(?<![A-Za-z])(?:LEFT|RIGHT|[lrLR])(?![A-Za-z])"
)
SIGNED = ("cylindrical", "ball", "free")


def mirrored_name(name: str) -> str:
    """The name with left and right exchanged."""
    return SIDE.sub(lambda match: SWAP[match.group()], name)


def mirror(figure: Figure, rename: Callable[[str], str] = mirrored_name) -> Figure:
    """The mirror image in the plane y = 0; `rename` gives bodies and parts their names in it."""
    faults = [Fault(_asymmetry(body.joint), body.name) for body in figure.bodies if _asymmetry(body.joint)]
    if faults:
        raise FigureError(faults)
    return replace(figure, bodies=tuple(_mirrored_body(body, rename) for body in figure.bodies))


def mirror_positions(figure: Figure, positions: Positions) -> np.ndarray:
    """The positions of `figure.mirror()` that are the mirror image of `positions`."""
    q = checked(figure, positions).copy()
    for body in figure.order:
        start, stop = figure.position_slices[body.name].start, figure.position_slices[body.name].stop
        match body.joint.type:
            case "cylindrical":
                q[start] *= -1.0
            case "ball" | "free":
                q[[stop - 3, stop - 1]] *= -1.0
        if body.joint.type == "free":
            q[start + 1] *= -1.0
    return q


def mirrored_joint(joint: Joint) -> Joint:
    """The joint's mirror image; see the table above for its coordinates."""
    if joint.type in NO_AXIS:
        return joint
    match joint.type:
        case "slide":
            return replace(joint, axis=_reflected(joint.axis))
        case "planar":
            return replace(joint, axis=_turned(joint.axis), axis2=_reflected(joint.axis2))
        case "universal":
            return replace(joint, axis=_turned(joint.axis), axis2=_turned(joint.axis2))
    return replace(joint, axis=_turned(joint.axis), pitch=-joint.pitch)


def _mirrored_body(body: Body, rename: Callable[[str], str]) -> Body:
    return Body(
        rename(body.name),
        None if body.parent is None else rename(body.parent),
        mirrored_joint(body.joint),
        body.placement.mirrored(),
        tuple(_mirrored_part(part, rename) for part in body.parts),
        body.mass and body.mass.mirrored(),
    )


def _mirrored_part(part: Part, rename: Callable[[str], str]) -> Part:
    name = part.name and rename(part.name)
    return replace(part, shape=part.shape.mirrored(), placement=part.placement.mirrored(), name=name)


def _reflected(v: Vector) -> Vector:
    """The image of a displacement."""
    return (v[0], -v[1], v[2])


def _turned(v: Vector) -> Vector:
    """The image of a rotation axis."""
    return (-v[0], v[1], -v[2])


def _asymmetry(joint: Joint) -> str:
    """One rest or range serves all coordinates; where only some change sign it must be symmetric."""
    if joint.type not in SIGNED:
        return ""
    if joint.stiffness and joint.rest:
        return f"the spring of a {joint.type} joint at rest {joint.rest:.6g} has no mirror image; its rest must be 0"
    if joint.range and joint.range[0] != -joint.range[1]:
        return f"the range {joint.range} of a {joint.type} joint has no mirror image; it must be symmetric"
    return ""
