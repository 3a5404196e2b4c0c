"""A scene from URDF: motors with the effort limits of its joints, joints that mimic others."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.figure.urdf import UrdfModel, number_of, read_urdf_figures
from gambol.forces.actuator import Actuator
from gambol.forces.element import Element
from gambol.forces.tendon import Tendon
from gambol.scene.mjcf import outside_limits
from gambol.scene.scene import START_POSE, Motor, Scene, StartPose
from gambol.world.world import World

MIMICS = "mimics"  # line of the ledger of what holds joints to others
MIMIC_GIVE = 1e-3  # [rad or m] by which the weight beyond a joint draws it away from the one it mimics
MIMIC_TIME = 5e-3  # [s] damping over stiffness of that


def read_urdf_scene(source: str | Path, root_body: str | None = None, root: str | None = None) -> Scene:
    """A URDF file (or text that starts with `<`) with a motor at every joint that has an effort limit.

    The motors are called as the joints of the file and give the force that is commanded, none at first.
    """
    found = read_urdf_figures(source, root, root_body)
    motors, forces = _motors(found)
    bare = World(found.figures)
    world = World(found.figures, forces=[*forces, *_mimics(found, bare)])
    zero = world.layout.zero
    start = StartPose(zero, np.zeros(sum(f.speeds for f in found.figures)), dict.fromkeys(motors, 0.0))
    limited = [j.name for j in found.joints if j.limit is not None and number_of(j.limit.velocity, "velocity", j)]
    if limited:
        found.left_out.add("velocity limits", limited)
    return Scene(
        world, motors, {START_POSE: start}, left_out=found.left_out.named(), notes=tuple(outside_limits(world))
    )


def _full(found: UrdfModel) -> dict[str, str]:
    """Names in the world by joint of the file."""
    owners = {body.name: figure.name for figure in found.figures for body in figure.bodies}
    return {joint.name: f"{owners[joint.child]}/{joint.child}" for joint in found.joints}


def _motors(found: UrdfModel) -> tuple[dict[str, Motor], list[Element]]:
    motors: dict[str, Motor] = {}
    forces: list[Element] = []
    names = _full(found)
    moving = {
        f"{f.name}/{b.name}" for f in found.figures for b in f.bodies if b.joint.speeds == 1 and not b.joint.driven
    }
    for joint in found.joints:
        most = number_of(joint.limit.effort, "effort", joint) if joint.limit is not None else 0.0
        if not most > 0:
            continue
        if names[joint.name] not in moving or joint.mimic is not None:
            if joint.type != "fixed":
                found.left_out.add("effort limits of joints that mimic, are driven or have several coordinates",
                                   [joint.name])  # fmt: skip
            continue
        motors[joint.name] = Motor(joint.name, "command", low=-most, high=most)
        forces.append(Actuator(name=joint.name, joint=names[joint.name], least=-most, most=most, line="motors"))
    return motors, forces


def _mimics(found: UrdfModel, world: World) -> list[Element]:
    """Joints held to a multiple of another by a stiff spring between the two."""
    names = _full(found)
    made: list[Element] = []
    driven = {f"{f.name}/{b.name}" for f in found.figures for b in f.bodies if b.joint.driven or b.joint.speeds != 1}
    for joint in found.joints:
        if joint.mimic is None:
            continue
        own, other = names[joint.name], names.get(joint.mimic.joint)
        if other is None or own in driven or other in driven:
            found.left_out.add("<mimic>", [joint.name])
            continue
        ratio = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
        offset = 0.0 if joint.mimic.offset is None else float(joint.mimic.offset)
        turns = "rad/s" in world.layout.body(own).body.joint.kind.speeds.values()
        mass, moment = world.beyond[own]
        stiffness = max(9.81 * (moment if turns else mass), 1e-6) / MIMIC_GIVE
        arms = {own: 1.0, other: -ratio}
        made.append(
            Tendon(
                name=f"{joint.name} mimics {joint.mimic.joint}",
                arms=arms,
                rest=offset,
                stiffness=stiffness,
                damping=stiffness * MIMIC_TIME,
                pulls_only=False,
                line=MIMICS,
            )
        )
    return made
