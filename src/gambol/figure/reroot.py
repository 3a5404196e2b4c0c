"""The same mechanism with another link as its root.

The joints on the way from the old root to the new one change direction: the parent of such a joint becomes its
child, and the child's frame moves to the joint, as every body's frame is at its joint. The new root keeps its
frame, or takes the one given. The joint to the world, free or fixed, passes to the new root. A fixed new root
stands where it stood at zero positions, so a fixed base gives the same mechanism held by another link.

What a reversed joint and its coordinates become, now found at the other body, its type says (`JointType.reversed`,
`reversed_positions`): a hinge has the same angle about the reversed axis, a universal joint exchanges its axes, the
quaternion of a ball becomes the conjugate. The joints below and beside the way keep their coordinates.
`reroot_positions` maps a configuration.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.body import Body
from gambol.figure.figure import Figure, Positions
from gambol.figure.joint import PASSIVE, Joint
from gambol.figure.placement import IDENTITY, Placement


def reroot(figure: Figure, name: str, frame: Placement = IDENTITY) -> Figure:
    """The figure with `name` as its root; `frame` is the pose of the new root's frame in its present frame."""
    way = _way(figure, name)
    faults = [fault for fault in (_root_fault(figure.root), *map(_reversal_fault, way[:-1])) if fault]
    if faults:
        raise FigureError(faults)
    moved = _frames(way, frame)
    rest = figure.poses()[name].compose(frame) if figure.root.joint.type == "fixed" else figure.root.placement
    changed = {name: replace(_in_frame(way[0], frame), parent=None, joint=figure.root.joint, placement=rest)}
    for child, parent in pairwise(way):
        # At zero the joint's two frames coincide; the parent's new frame is the one that stays with the parent.
        changed[parent.name] = replace(
            _in_frame(parent, moved[parent.name]),
            parent=child.name,
            joint=child.joint.kind.reversed(child.joint),
            placement=moved[child.name].inverse(),
        )
    bodies = []
    for body in figure.bodies:
        if body.name in changed:
            bodies.append(changed[body.name])
        elif body.parent in changed:
            bodies.append(replace(body, placement=moved[str(body.parent)].inverse().compose(body.placement)))
        else:
            bodies.append(body)
    return replace(figure, bodies=tuple(bodies))


def reroot_positions(figure: Figure, name: str, positions: Positions, frame: Placement = IDENTITY) -> np.ndarray:
    """The positions of `figure.reroot(name, frame)` at which its bodies stand as those of `figure` at `positions`.

    With a fixed root the whole stands displaced, as another link is held.
    """
    q = figure.checked_positions(positions)
    new = reroot(figure, name, frame)
    result = np.empty(new.positions)
    way = _way(figure, name)
    reversed_at = {parent.name: child for child, parent in pairwise(way)}
    for body in new.order:
        if body.parent is None:
            pose = body.placement.inverse().compose(figure.poses(q)[name].compose(frame))
            values = np.array([*pose.position, *pose.rotation])[: body.joint.positions]  # free or fixed
        elif body.name in reversed_at:
            child = reversed_at[body.name]
            values = child.joint.kind.reversed_positions(child.joint, q[figure.position_slices[child.name]])
        else:
            values = q[figure.position_slices[body.name]]
        result[new.position_slices[body.name]] = values
    return result


def _way(figure: Figure, name: str) -> list[Body]:
    """The bodies from `name` up to the root."""
    way = [figure[name]]
    while (parent := figure.parent(way[-1].name)) is not None:
        way.append(parent)
    return way


def _frames(way: list[Body], frame: Placement) -> dict[str, Placement]:
    """The pose of each body's new frame in its old one."""
    moved = {way[0].name: frame}
    for child, parent in pairwise(way):
        moved[parent.name] = child.placement
    return moved


def _in_frame(body: Body, frame: Placement) -> Body:
    """The body described in another frame, whose pose in the present one is `frame`."""
    back = frame.inverse()
    parts = tuple(replace(part, placement=back.compose(part.placement)) for part in body.parts)
    return replace(body, parts=parts, mass=body.mass and body.mass.moved(back))


def _root_fault(root: Body) -> Fault | None:
    if root.joint.type not in ("free", "fixed"):
        message = f"its joint to the world is a {root.joint.type}; only a free or fixed one can pass to another body"
        return Fault(message, root.name)
    used = _used(root.joint)
    return Fault(f"the {' and '.join(used)} of its free joint cannot pass to another body", root.name) if used else None


def _reversal_fault(body: Body) -> Fault | None:
    """Where coordinates are mixed (slides that turn with the parent), only isotropic springs about zero survive."""
    joint = body.joint
    if not joint.kind.mixes:
        return None
    used = [name for name in _used(joint) if name != "stiffness" or joint.rest]
    return Fault(f"the {' and '.join(used)} of its {joint.type} joint cannot be reversed", body.name) if used else None


def _used(joint: Joint) -> list[str]:
    return [name for name in (*PASSIVE, "range", "motor") if getattr(joint, name)]
