"""The mirror image of a figure in the plane y = 0.

Positions, masses, shapes and frames are reflected, and `left`/`right`, `l`/`r` are exchanged in names where they
stand as words (`l_thigh`, `thigh.L`, `LeftFoot`, `leg_R2`). Bodies keep their places in the list, so coordinate i
of the image is coordinate i of the original, with the signs of its joint type (`JointType.mirror_signs`, applied by
`mirror_positions`). Turning axes become (−x, y, −z), sliding ones (x, −y, z), and the pitch of a screw changes sign, so
that most coordinates stay the same; only the distance of a cylindrical joint changes its sign, quaternions become
(w, −x, y, −z) and positions (x, −y, z). A hinge about y keeps its axis: both legs of a symmetric figure flex in the
same sense.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.body import Body, Part
from gambol.figure.figure import Figure, Positions
from gambol.figure.joint import Joint

PAIRS = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}
SWAP = PAIRS | {right: left for left, right in PAIRS.items()}
SIDE = re.compile(
    r"(?<![A-Za-z])(?:left|right)(?![a-z])"  # a lower-case word starts a name or follows a separator
    r"|(?<![A-Z])(?:Left|Right)(?![a-z])"  # a capitalised one may follow lower case
    r"|(?<![A-Za-z])(?:LEFT|RIGHT|[lrLR])(?![A-Za-z])"
)


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
    return figure.checked_positions(positions) * np.concatenate(
        [b.joint.kind.mirror_signs(b.joint) for b in figure.order]
    )


def _mirrored_body(body: Body, rename: Callable[[str], str]) -> Body:
    return Body(
        rename(body.name),
        None if body.parent is None else rename(body.parent),
        body.joint.kind.mirrored(body.joint),
        body.placement.mirrored(),
        tuple(_mirrored_part(part, rename) for part in body.parts),
        body.mass and body.mass.mirrored(),
    )


def _mirrored_part(part: Part, rename: Callable[[str], str]) -> Part:
    name = part.name and rename(part.name)
    return replace(part, shape=part.shape.mirrored(), placement=part.placement.mirrored(), name=name)


def _asymmetry(joint: Joint) -> str:
    """One rest or range serves all coordinates; where only some change sign it must be symmetric."""
    if np.all(joint.kind.mirror_signs(joint) > 0):
        return ""
    if joint.stiffness and joint.rest:
        return f"the spring of a {joint.type} joint at rest {joint.rest:.6g} has no mirror image; its rest must be 0"
    if joint.motor is not None:
        return f"the motor of a {joint.type} joint has no mirror image"
    if joint.range and joint.range[0] != -joint.range[1]:
        return f"the range {joint.range} of a {joint.type} joint has no mirror image; it must be symmetric"
    return ""
