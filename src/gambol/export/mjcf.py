"""A figure as MJCF, for MuJoCo: its tree, masses, joints and shapes.

Joints of several coordinates become several MuJoCo joints of one body, in coordinate order. Springs, dampers,
armatures, ranges and colours go along, of motors the inertia of their rotors alone. A screw has no counterpart and is
refused.
"""

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from gambol.errors import Fault, FigureError
from gambol.figure import Body, Box, Capsule, Cone, Cylinder, Ellipsoid, Figure, Hull, Mesh, Part, Sphere
from gambol.figure.joints import JOINT_TYPES, Primitive

EARTH = (0.0, 0.0, -9.81)
CONE_POINTS = 48  # on the rim of a cone
# With `bare`, everything that is not the smooth dynamics of the tree is switched off.
OFF = (
    "constraint equality frictionloss limit contact spring damper clampctrl warmstart filterparent actuation"
    " refsafe sensor midphase eulerdamp autoreset nativeccd island"
).split()


def mjcf_text(figure: Figure, *, step: float = 0.001, gravity: Iterable[float] = EARTH, bare: bool = False) -> str:
    """MJCF text; `step` [s] is MuJoCo's.

    bare   the tree and its masses alone: no shapes, contact or passive forces; integrator Euler, which is then
           semi-implicit Euler
    """
    faults = [
        Fault(f"a {body.joint.type} joint has no counterpart in MJCF", body.name)
        for body in figure.bodies
        if body.joint.speeds and any(JOINT_TYPES[link.type].mjcf is None for link in _links(body))
    ]
    if faults:
        raise FigureError(faults)
    switched = " ".join(f'{name}="disable"' for name in OFF)
    flags = f"<flag {switched}/>" if bare else ""
    integrator = "Euler" if bare else "implicitfast"
    return (
        f"<mujoco model={quoteattr(figure.name)}>\n"
        '<compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>\n'
        f'<option timestep="{step!r}" gravity="{_text(gravity)}" integrator="{integrator}">{flags}</option>\n'
        f"{'' if bare else _assets(figure)}"
        f"<worldbody>\n{_body(figure, figure.root, bare)}</worldbody>\n</mujoco>\n"
    )


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _body(figure: Figure, body: Body, bare: bool) -> str:
    place, mass = body.placement, body.mass_properties
    lines = [f'<body name={quoteattr(body.name)} pos="{_text(place.position)}" quat="{_text(place.rotation)}">']
    if body.joint.speeds:
        lines += [_joint(body, k, link, bare) for k, link in enumerate(_links(body))]
    if mass.mass > 0:
        inertia = f'fullinertia="{_text(mass.inertia)}"'
        lines.append(f'<inertial pos="{_text(mass.centre)}" mass="{mass.mass!r}" {inertia}/>')
    if not bare:
        lines += [_geom(body, k, part) for k, part in enumerate(body.parts)]
    lines += [_body(figure, child, bare) for child in figure.children(body.name)]
    return "\n".join((*lines, "</body>\n"))


def _links(body: Body) -> Sequence[Primitive]:
    """The joints of MuJoCo that its joint is made of, in coordinate order."""
    return body.joint.kind.primitives(body.joint)


def _joint(body: Body, k: int, link: Primitive, bare: bool) -> str:
    joint, kind = body.joint, JOINT_TYPES[link.type]
    name = f"{body.name}.{k + 1}" if len(_links(body)) > 1 else body.name
    words = [f"<joint name={quoteattr(name)}", f'type="{kind.mjcf}"']
    plain = kind.springs == "coordinates"
    if plain:
        words.append(f'axis="{_text(link.axis)}"')
    rotor = joint.motor.reflected_inertia if joint.motor is not None and joint.motor.coordinate == k else 0.0
    words.append(f'armature="{joint.armature + rotor!r}"')
    if not bare and kind.springs != "nothing":
        words += [f'{name}="{getattr(joint, name)!r}"' for name in ("stiffness", "damping") if getattr(joint, name)]
        if joint.stiffness and plain:
            words.append(f'springref="{joint.rest!r}"')
        if joint.range and plain:
            words.append(f'limited="true" range="{_text(joint.range)}"')
    return f"{' '.join(words)}/>"


def _geom(body: Body, k: int, part: Part) -> str:
    place = part.placement
    words = ["<geom", _shape(body, k, part), f'pos="{_text(place.position)}" quat="{_text(place.rotation)}"']
    colour = (*(part.colour or (0.6, 0.6, 0.65)), 1.0)[:4]
    words.append(f'rgba="{_text(colour)}"')
    if not part.colliding:
        words.append('contype="0" conaffinity="0"')
    if not part.visible:
        words.append('group="3"')
    return f"{' '.join(words)}/>"


def _shape(body: Body, k: int, part: Part) -> str:
    match part.shape:
        case Box(size=size):
            return f'type="box" size="{_text(0.5 * x for x in size)}"'
        case Sphere(radius=radius):
            return f'type="sphere" size="{radius!r}"'
        case Capsule(radius=radius, length=length) if length > 0:
            return f'type="capsule" size="{radius!r} {0.5 * length!r}"'
        case Capsule(radius=radius):
            return f'type="sphere" size="{radius!r}"'
        case Cylinder(radius=radius, length=length):
            return f'type="cylinder" size="{radius!r} {0.5 * length!r}"'
        case Ellipsoid(radii=radii):
            return f'type="ellipsoid" size="{_text(radii)}"'
    return f'type="mesh" mesh={quoteattr(_mesh_name(body, k))}'


def _cone_points(cone: Cone) -> list[tuple[float, float, float]]:
    angles, half = [2.0 * math.pi * k / CONE_POINTS for k in range(CONE_POINTS)], 0.5 * cone.length
    return [(0.0, 0.0, half), *((cone.radius * math.cos(a), cone.radius * math.sin(a), -half) for a in angles)]


def _mesh_name(body: Body, k: int) -> str:
    return f"{body.name}.{k + 1}"


def _assets(figure: Figure) -> str:
    """Meshes and hulls, by their corners; cones, which MuJoCo has not, by points of their rim and their tip."""
    found = []
    for body in figure.bodies:
        for k, part in enumerate(body.parts):
            if isinstance(part.shape, Hull | Cone):
                points = _cone_points(part.shape) if isinstance(part.shape, Cone) else part.shape.points
                corners = _text(x for point in points for x in point)
                found.append(f'<mesh name={quoteattr(_mesh_name(body, k))} vertex="{corners}"/>')
            elif isinstance(part.shape, Mesh):
                corners = _text(x for point in part.shape.vertices for x in point)
                faces = " ".join(str(i) for face in part.shape.faces for i in face)
                found.append(f'<mesh name={quoteattr(_mesh_name(body, k))} vertex="{corners}" face="{faces}"/>')
    return "\n".join(("<asset>", *found, "</asset>\n")) if found else ""
