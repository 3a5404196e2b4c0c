"""A scene as MJCF: its figures, with the ground, motors and start poses, for MuJoCo."""

import math
from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from gambol.export.mjcf import EARTH, joint_names, scene_text
from gambol.figure import Placement
from gambol.forces.actuator import Actuator
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.scene.scene import Motor, Scene


def scene_mjcf(scene: Scene) -> str:
    """MJCF text of all figures of a scene in one model."""
    gravity = tuple(scene.world.gravity) or EARTH
    motors = "\n".join(_motors(scene))
    keys = "\n".join(_keys(scene))
    more = (f"<actuator>\n{motors}\n</actuator>\n" if motors else "") + f"<keyframe>\n{keys}\n</keyframe>\n"
    step = scene.timestep or 0.001
    return scene_text(scene.figures, step=step, gravity=gravity, world=_ground(scene), more=more)


def not_written(scene: Scene) -> list[str]:
    """What of a scene's world the text does not hold: how many of each kind."""
    written = (Actuator, GroundContact, RoundContact, BodyContact)
    others = [f for f in (*scene.world.forces, *scene.world.constraints) if not isinstance(f, written)]
    kinds = Counter(type(other).__name__ for other in others)
    return [f"{number} of kind {kind}" for kind, number in kinds.items()]


def _ground(scene: Scene) -> str:
    if not any(element.line == "ground" for element in scene.world.forces):
        return ""
    terrain = scene.world.terrain
    normal = np.array([-terrain.slope_x, -terrain.slope_y, 1.0])
    axis = " ".join(repr(float(x)) for x in normal)
    return f'<geom name="ground" type="plane" size="0 0 1" pos="0 0 {terrain.level!r}" zaxis="{axis}"/>\n'


def _motors(scene: Scene) -> Iterator[str]:
    """Inputs are what the element's parameter is: rest, speed or force."""
    layout = scene.world.layout
    for force in scene.world.forces:
        if isinstance(force, Actuator):
            joint = joint_names(layout.body(force.joint).body)[force.coordinate]
            motor = scene.motors.get(force.name, Motor(force.name, "command"))
            gain = {"rest": force.stiffness, "speed": force.damping}.get(motor.parameter, 1.0)
            bias = force.command * (motor.parameter != "command")
            bias += force.stiffness * force.rest * (motor.parameter != "rest")
            words = f"name={quoteattr(force.name)} joint={quoteattr(joint)}"
            numbers = f"{bias!r} {-force.stiffness!r} {-force.damping!r}"
            words += f' gaintype="fixed" gainprm="{gain!r}" biastype="affine" biasprm="{numbers}"'
            if math.isfinite(force.least) and math.isfinite(force.most):
                words += f' forcelimited="true" forcerange="{force.least!r} {force.most!r}"'
            low, high = sorted(map(motor.value, (max(motor.low, -1e9), min(motor.high, 1e9))))
            if math.isfinite(motor.low) and math.isfinite(motor.high):
                words += f' ctrllimited="true" ctrlrange="{low!r} {high!r}"'
            yield f"<general {words}/>"


def _keys(scene: Scene) -> Iterator[str]:
    """Free joints of MuJoCo are in the world's frame, ours in that of their base."""
    bodies = [body for figure in scene.figures for body in _depth_first(figure)]
    places, first = {}, 0
    for entry in scene.world.layout.bodies:
        places[entry.body.name, entry.figure] = slice(first, first + entry.body.joint.positions)
        first += entry.body.joint.positions
    motors = [force.name for force in scene.world.forces if isinstance(force, Actuator)]
    for name, pose in scene.poses.items():
        numbers: list[float] = []
        for number, body in bodies_of(scene):
            own = pose.q[places[body.name, number]].tolist()
            if body.joint.type == "free":
                there = body.placement.compose(Placement(tuple(own[:3]), tuple(own[3:])))
                own = [*there.position, *there.rotation]
            elif body.joint.type == "screw":
                own = [own[0], body.joint.pitch * own[0]]
            numbers += own
        given = [scene.motors[m].value(pose.inputs.get(m, 0.0)) if m in scene.motors else 0.0 for m in motors]
        words = f'qpos="{" ".join(map(repr, numbers))}"' if bodies and numbers else ""
        words += f' ctrl="{" ".join(map(repr, given))}"' if given else ""
        yield f"<key name={quoteattr(name)} {words}/>"


def _depth_first(figure):
    waiting = [figure.root]
    while waiting:
        body = waiting.pop()
        yield body
        waiting += reversed(figure.children(body.name))


def bodies_of(scene: Scene):
    """(number of its figure, body), in the order in which MuJoCo counts joints."""
    return [(number, body) for number, figure in enumerate(scene.figures) for body in _depth_first(figure)]
