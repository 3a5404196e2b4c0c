"""A person of 68 kg and 1.77 m, after the tables of McKenna's human figure: a free trunk and 84 hinges, 90 DOF.

`data/person.csv` has one row a body: parent, axis and offset of its hinge, mass properties in the body's frame, and
the shape they were derived from. Hips, shoulders, waist, neck and wrists are three hinges each, with small links
between; every bone of the feet has its own hinge. The root is the trunk ("abdomen").

    person90()          all of it; the layer to look at may be chosen
    rigid_foot()        every bone below the hindfoot welded to it: 38 DOF
    reaching_person()   root fixed; left shoulder and elbow and two joints of the neck: 6 DOF
    single_body()       one rigid statue
    basic_biped()       the blocks of Table 1: hips, knees, ankles, a neck: 13 DOF
    without(...)        toes or limbs taken off
    person_of(...)      any of them with another height and mass
    person_hands()      the kinematic hand, made from the foot: 142 DOF

All take a `height` [m] and a `mass` [kg], which scale them as `person_of` does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure import Body, Box, Figure, Joint, Mass, Mesh, Part, Placement
from gambol.models.looks import SKIN
from gambol.models.person.layers import DISPLAY, LAYERS, layers_of
from gambol.models.person.tables import is_foot_bone, read_table, standing_angles

HEIGHT, MASS = 1.77, 67.98  # [m], [kg], as printed and as the table's masses add up
BIPED_HEIGHT, BIPED_MASS = 1.71, 61.7  # of the figure of blocks
ROOT_HEIGHT = 1.265  # of the root's origin above the ground, standing [m]
REACHING = ("l_humerus1", "l_humerus2", "l_humerus3", "l_forearm", "head1", "head3")


@cache
def person90(shown: str = DISPLAY, *, height: float = HEIGHT, mass: float = MASS) -> Figure:
    """The person, upright, arms hanging, with the free root at its standing height.

    90 degrees of freedom, 85 bodies, 67.98 kg. shown: the layer that is visible ("skeleton", "simple skin" or
    "display skin"); height [m] and mass [kg] scale it (`person_of`).
    """
    if shown not in LAYERS:
        raise FigureError([Fault(f"the person has no layer {shown!r}{nearest(shown, LAYERS)}", "person90")])
    return sized(Figure("person90", tuple(_body(row, shown) for row in read_table("person"))), height, mass)


def _body(row: dict[str, str], shown: str) -> Body:
    name = row["body"]
    parts = layers_of(row, shown=shown)
    mass = Mass(
        float(row["mass_kg"]),
        _vector(row, "centre_{}_m"),
        tuple(float(row[key]) for key in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),  # type: ignore[arg-type]
    )
    if not row["parent"]:
        return Body(name, joint=Joint("free"), placement=Placement.at(0.0, 0.0, ROOT_HEIGHT), parts=parts, mass=mass)
    axis = np.array(_vector(row, "axis_{}"))
    x, y, z = (axis / np.linalg.norm(axis)).tolist()
    place = Placement(_vector(row, "offset_{}_m"))
    return Body(name, row["parent"], Joint("hinge", (x, y, z)), place, parts, mass)


def _vector(row: dict[str, str], keys: str) -> tuple[float, float, float]:
    return (float(row[keys.format("x")]), float(row[keys.format("y")]), float(row[keys.format("z")]))


# ---------------------------------------------------------------- reduced versions
def welded(figure: Figure, names: Iterable[str], angles: Mapping[str, float]) -> Figure:
    """The figure with these hinges welded at `angles` [rad] (default 0)."""
    for name in names:
        figure = figure.weld(name, (angles.get(name, 0.0),))
    return figure


def _renamed(figure: Figure, name: str) -> Figure:
    return replace(figure, name=name)


@cache
def rigid_foot(shown: str = DISPLAY, *, height: float = HEIGHT, mass: float = MASS) -> Figure:
    """Every bone below the hindfoot welded where it stands (Table 11): 32 joints, 38 degrees of freedom."""
    figure = person90(shown)
    bones = [name for name in figure.names if is_foot_bone(name)]
    return sized(_renamed(welded(figure, bones, standing_angles()), "person38"), height, mass)


@cache
def reaching_person(shown: str = DISPLAY, *, height: float = HEIGHT, mass: float = MASS) -> Figure:
    """Root fixed, and six joints: left shoulder 3, left elbow, nod and turn of the head; all else as it stands."""
    figure = rigid_foot(shown)
    others = [body.name for body in figure.bodies if body.parent and body.name not in REACHING]
    figure = welded(figure, others, standing_angles())
    return sized(_renamed(figure.replace("abdomen", joint=Joint("fixed")), "person6"), height, mass)


@cache
def single_body(shown: str = DISPLAY, *, height: float = HEIGHT, mass: float = MASS) -> Figure:
    """A statue in the standing posture: 6 degrees of freedom."""
    figure = rigid_foot(shown)
    statue = welded(figure, [b.name for b in figure.bodies if b.parent], standing_angles())
    return sized(_renamed(statue, "person6statue"), height, mass)


def without(figure: Figure, *names: str) -> Figure:
    """The figure with these bodies and all beyond them taken off: l_toe1, l_phal1.1, r_humerus1 …"""
    for name in names:
        figure = figure.remove(name)
    return figure


@cache
def basic_biped(*, height: float = BIPED_HEIGHT, mass: float = BIPED_MASS) -> Figure:
    """The blocks used for illustrations: hips, knees, ankles and a neck hinge, free root, 13 DOF, 61.7 kg (Table 1)."""
    bend = Joint("hinge", (0.0, 1.0, 0.0))

    def block(size, centre, mass, colour):
        return Part(Box(size), Placement(centre), mass=mass, colour=colour, name="block")

    skin, cloth, shirt = (0.86, 0.66, 0.53), (0.28, 0.30, 0.38), (0.35, 0.52, 0.66)
    torso = Body(
        "torso",
        joint=Joint("free"),
        placement=Placement.at(0.0, 0.0, 0.87),
        parts=(block((0.2, 0.35, 0.62), (0.0, 0.0, 0.31), 37.9, shirt),),
    )
    head = block((0.18, 0.16, 0.22), (0.0, 0.0, 0.11), 6.0, skin)
    bodies = [torso, Body("head", "torso", bend, Placement.at(0.0, 0.0, 0.62), (head,))]
    for side, y in (("l", 0.1), ("r", -0.1)):
        thigh = block((0.13, 0.127, 0.4), (0.0, 0.0, -0.2), 5.3, cloth)
        shank = block((0.094, 0.093, 0.4), (0.0, 0.0, -0.2), 2.8, cloth)
        foot = block((0.25, 0.08, 0.05), (0.055, 0.0, -0.045), 0.8, skin)
        bodies += [
            Body(f"{side}_thigh", "torso", bend, Placement.at(0.0, y, 0.0), (thigh,)),
            Body(f"{side}_shank", f"{side}_thigh", bend, Placement.at(0.0, 0.0, -0.4), (shank,)),
            Body(f"{side}_foot", f"{side}_shank", bend, Placement.at(0.0, 0.0, -0.4), (foot,)),
        ]
    return sized(Figure("biped13", tuple(bodies)), height, mass, BIPED_HEIGHT, BIPED_MASS)


# ---------------------------------------------------------------- other people
def person_of(height: float = HEIGHT, mass: float = MASS, *, figure: Figure | None = None) -> Figure:
    """A person of another height [m] and mass [kg], by the rules of anthropometry.

    Lengths go with the height and segment masses with the mass (the fractions stay); densities stay, so widths go with
    the root of mass over height. Feet keep their shape. Joint springs and the ground are scaled by `person_world`.
    """
    return sized(figure or person90(), height, mass)


def sized(figure: Figure, height: float, mass: float, own_height: float = HEIGHT, own_mass: float = MASS) -> Figure:
    """A figure of `own_height` [m] and `own_mass` [kg] with others; itself where they are its own."""
    if (height, mass) == (own_height, own_mass):
        return figure
    given = (("height", height), ("mass", mass))
    if faults := [Fault(f"{what} must be positive, it is {x}", figure.name) for what, x in given if not x > 0]:
        raise FigureError(faults)
    long, heavy = height / own_height, mass / own_mass
    wide = (heavy / long) ** 0.5
    bodies = tuple(_rescaled(body, long, heavy, wide) for body in figure.bodies)
    return replace(figure, name=f"{figure.name}-{height:g}m-{mass:g}kg", bodies=bodies)


def _rescaled(body: Body, long: float, heavy: float, wide: float) -> Body:
    foot = is_foot_bone(body.name) or body.name.endswith(("hindfoot", "talus"))
    factors = np.array([long, long, long]) if foot else np.array([wide, wide, long])
    own = body.mass_properties
    tensor = own.tensor
    spread = 0.5 * np.trace(tensor) * np.eye(3) - tensor  # ∫ x xᵀ dm
    spread = heavy * spread * np.outer(factors, factors)
    mass = Mass.from_tensor(heavy * own.mass, [long * x for x in own.centre], np.trace(spread) * np.eye(3) - spread)
    parts = tuple(
        replace(part, shape=part.shape.scaled(long), placement=part.placement.scaled(long)) for part in body.parts
    )
    return replace(body, placement=body.placement.scaled(long), parts=parts, mass=mass)


def person_hands(*, height: float = HEIGHT, mass: float = MASS) -> Figure:
    """The person with hands that bend: each is the forefoot (26 joints), turned to hang and shortened to 0.191 m.

    136 joints, 142 degrees of freedom. The source gives it no dynamic parameters; here the fingers share a third of
    the hand's mass, so that it can be simulated.
    """
    figure = person90()
    for side in "lr":
        figure = _with_hand(figure, side)
    return sized(replace(figure, name="person142"), height, mass)


def _with_hand(figure: Figure, side: str) -> Figure:
    source = [body for body in person90().bodies if body.name.startswith(f"{side}_") and is_foot_bone(body.name)]
    whole = sum(body.mass_properties.mass for body in source)
    palm = figure[f"{side}_hand3"]
    share = palm.mass_properties.mass / 3.0
    size = 0.191 / 0.24
    down = Placement.about((0.0, 1.0, 0.0), 0.5 * np.pi)  # the foot's forward is the hand's down
    new = {f"{side}_hindfoot": palm.name} | {body.name: f"{side}_hand_{body.name[2:]}" for body in source}
    bodies = []
    for body in source:
        place = body.placement.scaled(size)
        if body.parent == f"{side}_hindfoot":
            place = Placement.at(0.0, 0.0, 0.015).compose(down).compose(place)
        shrunk = [
            replace(part, shape=part.shape.scaled(size), placement=part.placement.scaled(size))
            for part in map(_bare, body.parts)
            if not (part.name == DISPLAY and isinstance(part.shape, Mesh))  # no toe cap
        ]
        mass = body.mass_properties.scaled(size, share / whole)
        bodies.append(
            replace(
                body, name=new[body.name], parent=new[str(body.parent)], placement=place, parts=tuple(shrunk), mass=mass
            )
        )
    own = palm.mass_properties
    lighter = Mass(own.mass - share, own.centre, tuple(2.0 / 3.0 * x for x in own.inertia))  # type: ignore[arg-type]
    stump = tuple(part for part in palm.parts if part.name != DISPLAY)
    figure = figure.replace(palm.name, mass=lighter, parts=stump)
    return replace(figure, bodies=(*figure.bodies, *bodies))


def _bare(part: Part) -> Part:
    """What was a piece of a shoe, as skin."""
    if part.name != DISPLAY:
        return part
    return replace(part, colour=SKIN, finish="skin")


def positions(figure: Figure, angles: Mapping[str, float], *, root: Sequence[float] | None = None) -> np.ndarray:
    """Positions of a figure with these joint angles [rad] (others zero) and a free root displaced by `root` [m]."""
    q = np.array(figure.zero, float)
    for name, angle in angles.items():
        if name in figure:
            q[figure.position_slices[name]] = angle
    if root is not None:
        q[figure.position_slices[figure.root.name]][:3] = root
    return q
