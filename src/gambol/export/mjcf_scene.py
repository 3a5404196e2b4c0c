"""A scene as MJCF: its figures, with the ground, motors, sites and start poses, for MuJoCo."""

import math
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from gambol.export.mjcf import EARTH, joint_names, scene_text
from gambol.figure import Placement
from gambol.forces.actuator import Actuator
from gambol.scene.scene import Motor, Scene

NO_LIMIT = 1e9  # where one side of a range has none: MuJoCo takes both or neither


def scene_mjcf(scene: Scene) -> str:
    """MJCF text of all figures of a scene in one model."""
    gravity = tuple(scene.world.gravity) or EARTH
    motors = "\n".join(_motors(scene))
    keys = "\n".join(_keys(scene))
    more = (f"<actuator>\n{motors}\n</actuator>\n" if motors else "") + f"<keyframe>\n{keys}\n</keyframe>\n"
    step, sites = scene.timestep or 0.001, _sites(scene)
    world = _ground(scene) + sites.pop("", "")
    return scene_text(scene.figures, step=step, gravity=gravity, world=world, more=more, inside=sites)


def _sites(scene: Scene) -> dict[str, str]:
    """Lines of the frames that stand on each body, by "figure/body"; those of the world by ""."""
    found: dict[str, str] = {}
    for name, frame in scene.frames.items():
        place, turn = (" ".join(map(repr, x)) for x in (frame.placement.position, frame.placement.rotation))
        line = f'<site name={quoteattr(name)} pos="{place}" quat="{turn}"/>\n'
        found[frame.body] = found.get(frame.body, "") + line
    return found


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
            if math.isfinite(force.least) or math.isfinite(force.most):
                least, most = max(force.least, -NO_LIMIT), min(force.most, NO_LIMIT)
                words += f' forcelimited="true" forcerange="{least!r} {most!r}"'
            if math.isfinite(motor.low) or math.isfinite(motor.high):
                low, high = sorted(map(motor.value, (max(motor.low, -NO_LIMIT), min(motor.high, NO_LIMIT))))
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
            if body.joint.type == "free" and body.parent is None:
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
