"""A figure as MJCF, for MuJoCo: its tree, masses, joints and shapes.

Joints of several coordinates become several MuJoCo joints of one body, in coordinate order. Springs, dampers, dry
friction, armatures, ranges and colours go along, of motors the inertia of their rotors alone. A screw is a hinge and a
slide that an equality constraint holds together, a free joint inside a tree three slides and a ball. MuJoCo wants mass
in all that moves, and moments of inertia that a real body has: what is fixed to a body is weighed with it, what only
carries the hinge or slide of another gives that one more joint, of its name, and others without mass get MASSLESS.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from xml.sax.saxutils import quoteattr

import numpy as np

from gambol.figure import Body, Box, Capsule, Cone, Cylinder, Ellipsoid, Figure, Hull, Mesh, Part, Placement, Sphere
from gambol.figure.joints import JOINT_TYPES, Primitive
from gambol.figure.mass import INERTIA_TOLERANCE, NO_MASS, Mass
from gambol.figure.placement import IDENTITY

EARTH = (0.0, 0.0, -9.81)
MASSLESS = 1.01e-15  # [kg and kg·m²], the least that MuJoCo takes
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NARROW = 1e-9  # [rad or m] either way: MuJoCo takes no range without any width
RESERVED = "world"  # MuJoCo's own body
NOTHING_INSIDE: Mapping[str, str] = MappingProxyType({})
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
    return scene_text((figure,), step=step, gravity=gravity, bare=bare)


def scene_text(
    figures: Sequence[Figure],
    *,
    step: float = 0.001,
    gravity: Iterable[float] = EARTH,
    bare: bool = False,
    world: str = "",
    more: str = "",
    inside: Mapping[str, str] = NOTHING_INSIDE,
) -> str:
    """MJCF text of several figures; `world` is put among their bodies, `more` at the end, `inside` into the bodies that
    are called "figure/body"."""
    switched = " ".join(f'{name}="disable"' for name in OFF)
    flags = f"<flag {switched}/>" if bare else ""
    integrator = "Euler" if bare else "implicitfast"
    trees = "".join(_body(figure, figure.root, bare, masses(figure), inside) for figure in figures)
    return (
        f"<mujoco model={quoteattr(figures[0].name)}>\n"
        '<compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>\n'
        f'<option timestep="{step!r}" gravity="{_text(gravity)}" integrator="{integrator}">{flags}</option>\n'
        f"{'' if bare else ''.join(map(_assets, figures))}"
        f"<worldbody>\n{world}{trees}</worldbody>\n{_screws(figures)}{more}</mujoco>\n"
    )


def body_name(body: Body) -> str:
    """What MuJoCo calls it: its name, unless MuJoCo has that itself."""
    return f"{body.name}_" if body.name == RESERVED else body.name


def joint_names(body: Body) -> list[str]:
    """What its joint is called in MuJoCo: as the body; several with numbers behind."""
    links = _links(body) if body.joint.speeds else []
    return [body_name(body)] if len(links) == 1 else [f"{body.name}.{k + 1}" for k in range(len(links))]


def masses(figure: Figure) -> dict[str, Mass]:
    """What each body is given to weigh: itself and all that is fixed to it; nothing to what is fixed."""
    found = dict.fromkeys(figure.names, NO_MASS)
    heads: dict[str, tuple[str, Placement]] = {}
    for body in figure.order:
        if body.parent is None or body.joint.speeds:
            heads[body.name] = (body.name, IDENTITY)
        else:
            head, place = heads[body.parent]
            heads[body.name] = (head, place.compose(body.placement))
        head, place = heads[body.name]
        found[head] = found[head] + body.mass_properties.moved(place)
    return found


def unweighable(figure: Figure) -> list[str]:
    """Bodies that move whose moments of inertia MuJoCo does not take, so that it gets others: those that no real body
    has, and those below MASSLESS."""
    found = {name: mass for name, mass in masses(figure).items() if mass.mass > 0 and figure[name].joint.speeds}
    return [n for n, m in found.items() if _balanced(m) is not m or np.linalg.eigvalsh(m.tensor)[0] < MASSLESS]


def _balanced(mass: Mass) -> Mass:
    """The nearest tensor that a real body has."""
    low, middle, high = np.linalg.eigvalsh(mass.tensor)
    if low > 0 and low + middle - high >= -INERTIA_TOLERANCE * high:
        return mass
    moments, axes = np.linalg.eigh(mass.tensor)
    moments = np.maximum(moments, max(1e-9 * moments.max(), 10.0 * MASSLESS))
    lacking = moments[2] - moments[0] - moments[1]
    moments = moments + max(lacking, 0.0) + INERTIA_TOLERANCE * moments.max()  # not on the very edge
    return Mass.from_tensor(mass.mass, mass.centre, axes @ np.diag(moments) @ axes.T)


def _inertia(mass: Mass) -> str:
    """Principal moments and axes: whole tensors MuJoCo takes apart with fewer digits, and refuses below 1e-14 kg·m²."""
    moments, axes = np.linalg.eigh(mass.tensor)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    turn = Placement.from_matrix(axes).rotation
    return f'quat="{_text(turn)}" diaginertia="{_text(np.maximum(moments, MASSLESS))}"'


def _screws(figures: Sequence[Figure]) -> str:
    found = []
    for body in (b for f in figures for b in f.bodies if b.joint.speeds):
        for k, link in enumerate(body.joint.kind.primitives(body.joint)):
            if link.type == "screw":
                turn = joint_names(body)[2 * k]
                slide = joint_names(body)[2 * k + 1]
                names = f"joint1={quoteattr(slide)} joint2={quoteattr(turn)}"
                found.append(f'<joint {names} polycoef="0 {link.pitch!r} 0 0 0" solref="0.002 1"/>')
    return "\n".join(("<equality>", *found, "</equality>\n")) if found else ""


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _body(figure: Figure, body: Body, bare: bool, weights: dict[str, Mass], inside: Mapping[str, str]) -> str:
    chain = _chain(figure, body, weights, inside)
    ways = [np.array(link.placement.position) for link in chain[1:]]
    place, body = body.placement, chain[-1]
    for way in ways:
        place = place.compose(Placement(tuple(way.tolist())))
    mass = weights[body.name]
    lines = [f'<body name={quoteattr(body_name(body))} pos="{_text(place.position)}" quat="{_text(place.rotation)}">']
    for number, link in enumerate(chain):
        if link.joint.speeds:
            names, back = joint_names(link), -sum(ways[number:], np.zeros(3))
            lines += [_joint(link, names[k], k, own, bare, back) for k, own in enumerate(_links(link))]
    if mass.mass > 0:
        lines.append(f'<inertial pos="{_text(mass.centre)}" mass="{mass.mass!r}" {_inertia(_balanced(mass))}/>')
    elif body.joint.speeds:
        lines.append(f'<inertial pos="0 0 0" mass="{MASSLESS}" diaginertia="{MASSLESS} {MASSLESS} {MASSLESS}"/>')
    if not bare:
        lines += [_geom(body, k, part) for k, part in enumerate(body.parts)]
    if more := inside.get(f"{figure.name}/{body.name}"):
        lines.append(more)
    lines += [_body(figure, child, bare, weights, inside) for child in figure.children(body.name)]
    return "\n".join((*lines, "</body>\n"))


def _chain(figure: Figure, body: Body, weights: dict[str, Mass], inside: Mapping[str, str]) -> list[Body]:
    """A body, or what only carries the joint of another, down to that: what stands in one body of MuJoCo."""
    found = [body]
    while True:
        last, children = found[-1], figure.children(found[-1].name)
        bare = not weights[last.name].mass and not last.parts and f"{figure.name}/{last.name}" not in inside
        if not bare or len(children) != 1 or children[0].placement.rotation != IDENTITY.rotation:
            return found
        if not {last.joint.type, children[0].joint.type} <= {"hinge", "slide"}:
            return found
        found.append(children[0])


def _links(body: Body) -> Sequence[Primitive]:
    """The joints of MuJoCo that its joint is made of, in coordinate order; free joints are at the top alone there."""
    found: list[Primitive] = []
    if body.joint.type == "free" and body.parent is not None:
        return [*(Primitive("slide", axis) for axis in AXES), Primitive("ball")]
    for link in body.joint.kind.primitives(body.joint):
        screw = link.type == "screw"
        found += [Primitive("hinge", link.axis), Primitive("slide", link.axis)] if screw else [link]
    return found


def _joint(body: Body, name: str, k: int, link: Primitive, bare: bool, place: np.ndarray) -> str:
    joint, kind = body.joint, JOINT_TYPES[link.type]
    if joint.type == "screw" and link.type == "slide":  # its hinge has what the joint has
        return f'<joint name={quoteattr(name)} type="slide" axis="{_text(link.axis)}"/>'
    words = [f"<joint name={quoteattr(name)}", f'type="{kind.mjcf}"']
    plain = kind.springs == "coordinates"
    if plain:
        words.append(f'axis="{_text(link.axis)}"')
    if place.any():
        words.append(f'pos="{_text(place)}"')
    rotor = joint.motor.reflected_inertia if joint.motor is not None and joint.motor.coordinate == k else 0.0
    words.append(f'armature="{joint.armature + rotor!r}"')
    if not bare and kind.springs != "nothing":
        words += [f'{name}="{getattr(joint, name)!r}"' for name in ("stiffness", "damping") if getattr(joint, name)]
        if joint.stiffness and plain:
            words.append(f'springref="{joint.rest!r}"')
        if joint.friction:
            words.append(f'frictionloss="{joint.friction!r}"')
        if joint.range:
            lower, upper = joint.range if plain else (0.0, joint.range[1])
            wide = (lower, upper) if upper > lower else (lower - NARROW, upper + NARROW)
            words.append(f'limited="true" range="{_text(wide)}"')
    return f"{' '.join(words)}/>"


def _geom(body: Body, k: int, part: Part) -> str:
    place = part.placement
    words = ["<geom", _shape(body, k, part), f'pos="{_text(place.position)}" quat="{_text(place.rotation)}"']
    colour = (*(part.colour or (0.6, 0.6, 0.65)), 1.0)[:4]
    words.append(f'rgba="{_text(colour)}"')
    if not part.colliding or _is_flat(part):
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


def _is_flat(part: Part) -> bool:
    """Is it a mesh in one plane, of which there is no hull to collide with?"""
    if not isinstance(part.shape, Mesh):
        return False
    points = np.asarray(part.shape.vertices)
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) if len(points) > 3 else np.zeros(3)
    return bool(spread[2] <= 1e-6 * max(spread[0], 1e-12))


def _corners(part: Part) -> list[tuple[float, float, float]]:
    """Vertices of a mesh; of a flat one also a point beside its plane, because MuJoCo wants a hull of all."""
    points = list(part.shape.vertices)  # type: ignore[attr-defined]
    if _is_flat(part):
        array = np.asarray(points)
        middle = array.mean(axis=0)
        _, spread, axes = np.linalg.svd(array - middle)
        x, y, z = (middle + 1e-3 * spread[0] * axes[2]).tolist()
        points.append((x, y, z))
    return points


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
                corners = _text(x for point in _corners(part) for x in point)
                faces = " ".join(str(i) for face in part.shape.faces for i in face)
                name = quoteattr(_mesh_name(body, k))
                found.append(f'<mesh name={name} vertex="{corners}" face="{faces}" inertia="shell"/>')
    return "\n".join(("<asset>", *found, "</asset>\n")) if found else ""
