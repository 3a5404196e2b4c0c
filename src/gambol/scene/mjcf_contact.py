"""The ground and the contacts of an MJCF file: which geoms touch, how hard they are and how they rub.

MuJoCo's soft contacts are springs and dampers on the inertia of what touches (`soft_constraint`); friction of a pair is
the larger of the two. Geoms touch where they may by contype and conaffinity, or a pair says so; those of bodies joined
to one another do not, nor do excluded ones.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.figure.body import Body, Part
from gambol.figure.mjcf import MjcfModel
from gambol.figure.mjcf_flags import is_off
from gambol.figure.mjcf_soft import soft_constraint
from gambol.figure.placement import Placement
from gambol.figure.shapes import Cone, Cylinder, Ellipsoid
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.contact.terrain import Grid, Terrain
from gambol.forces.element import Element

PYRAMIDAL = 0  # mjtCone
PLANE, HEIGHT_FIELD, SPHERE, CAPSULE = 0, 1, 2, 3  # mjtGeom
TOUCHING = 1e-3  # of a radius: nearer points are on a line
LEAST_MIX = 1e-15  # mjMINVAL
BEARING = 4  # points that carry a figure
UPRIGHT = 0.5  # z of the normal of what is ground
FLAT = 1e-6  # of its height: a field that differs by less is level


def _planes(found: MjcfModel) -> list[int]:
    """Planes that stand still, the ground first."""
    model = found.model
    still = [
        g for g in range(model.ngeom) if model.geom_type[g] == PLANE and model.body_weldid[model.geom_bodyid[g]] == 0
    ]
    return sorted(still, key=lambda g: (_normal(model, g)[2] < UPRIGHT, not model.geom_contype[g], g))


def _normal(model: Any, g: int) -> np.ndarray:
    w, x, y, z = model.geom_quat[g].tolist()
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def _ground(found: MjcfModel) -> int | None:
    """The geom that is the ground: a plane that is not too steep, else a level height field."""
    model, planes = found.model, _planes(found)
    upright = [g for g in planes if _normal(model, g)[2] >= UPRIGHT]
    fields = [g for g in range(model.ngeom) if model.geom_type[g] == HEIGHT_FIELD and _is_level(model, g)]
    touched = [g for g in (*upright, *fields) if model.geom_contype[g] or model.geom_conaffinity[g]]
    return next(iter((*touched, *upright)), None)


def _is_level(model: Any, g: int) -> bool:
    """Does it stand in the world as it is written, not turned?"""
    return not model.geom_bodyid[g] and bool(np.allclose(np.abs(model.geom_quat[g]), (1.0, 0.0, 0.0, 0.0)))


def _grid(model: Any, g: int) -> Terrain:
    """A height field as a table of square cells: its own heights where its cells are square, else between them."""
    field = int(model.geom_dataid[g])
    rows, columns, first = (int(a[field]) for a in (model.hfield_nrow, model.hfield_ncol, model.hfield_adr))
    half_x, half_y, high, _ = (float(x) for x in model.hfield_size[field])
    x, y, z = (float(c) for c in model.geom_pos[g])
    heights = z + high * model.hfield_data[first : first + rows * columns].reshape(rows, columns).T.astype(float)
    if np.ptp(heights) < FLAT * high:
        return Terrain(level=float(heights[0, 0]))
    along, across = 2.0 * half_x / max(columns - 1, 1), 2.0 * half_y / max(rows - 1, 1)
    cell = min(along, across)
    if not np.isclose(along, across):
        grid = [np.arange(round(2.0 * half / cell) + 1) * cell for half in (half_x, half_y)]
        heights = np.array([np.interp(grid[0], np.arange(columns) * along, line) for line in heights.T]).T
        heights = np.array([np.interp(grid[1], np.arange(rows) * across, line) for line in heights])
    table = tuple(tuple(line) for line in heights.tolist())
    return Grid(table=table, cell=cell, x0=x - half_x, y0=y - half_y)


def ground_of(found: MjcfModel) -> Terrain:
    """The terrain of its ground plane, or of its height field; level at zero where it has neither."""
    model, ground = found.model, _ground(found)
    others = [g for g in _planes(found) if g != ground]
    if others:
        found.left_out.add("planes beside the ground", [str(model.geom(g).name) or f"geom_{g}" for g in others])
    fields = [g for g in range(model.ngeom) if model.geom_type[g] == HEIGHT_FIELD and g != ground]
    if fields:
        found.left_out.add("height fields", [str(model.geom(g).name) or f"geom_{g}" for g in fields])
    if ground is None:
        return Terrain()
    if model.geom_type[ground] == HEIGHT_FIELD:
        return _grid(model, ground)
    normal, at = _normal(model, ground), model.geom_pos[ground]
    slope_x, slope_y = -normal[0] / normal[2], -normal[1] / normal[2]
    level = at[2] - slope_x * at[0] - slope_y * at[1]
    return Terrain(level=float(level), slope_x=float(slope_x), slope_y=float(slope_y))


def contacts(found: MjcfModel) -> list[Element]:
    """What touches the ground, and what touches one another."""
    if is_off(found.model, "CONTACT") or is_off(found.model, "CONSTRAINT"):
        return []
    return [*_ground_contacts(found), *_body_contacts(found)]


def _ground_contacts(found: MjcfModel) -> list[Element]:
    model, ground = found.model, _ground(found)
    if ground is None:
        return []
    pairs = _pairs(model)
    groups: dict[str, dict[tuple[float, ...], list[Part]]] = {}
    for g, (full, part) in found.parts.items():
        if model.body_weldid[model.geom_bodyid[g]] == 0:
            continue
        pair = pairs.get(frozenset((g, ground)))
        if pair is not None or _may_touch(model, g, ground):
            body = int(model.geom_bodyid[g])
            ease, load = float(model.body_invweight0[body, 0]), _load(model, body)
            law = _law(model, g, ground, ease, load) if pair is None else _law_of_pair(model, pair, ease, load)
            kind = (*law, _margin(model, g, ground) if pair is None else max(float(model.pair_margin[pair]), 0.0))
            groups.setdefault(full, {}).setdefault(kind, []).append(replace(part, colliding=True))
    bodies = {f"{figure.name}/{body.name}": body for figure in found.figures for body in figure.bodies}
    made: list[Element] = []
    for full, surfaces in groups.items():
        for number, (kind, parts) in enumerate(surfaces.items()):
            stiffness, damping, friction, margin = kind
            own: Body = replace(bodies[full], parts=tuple(parts))
            name = f"{full} ground" if not number else f"{full} ground {chr(ord('a') + number)}"
            touching = GroundContact.of_body(
                own, _surface(stiffness, damping, friction), name=name, called=full, line="ground"
            )
            made += [_inflated(contact, margin) for contact in touching]
    return made


def _margin(model: Any, g: int, h: int) -> float:
    """How far apart [m] two geoms touch already."""
    return max(float(model.geom_margin[g] + model.geom_margin[h]), 0.0)


def _inflated(contact: Element, margin: float) -> Element:
    """A contact that meets the ground as far ahead as the margin says."""
    if isinstance(contact, GroundContact):
        return replace(contact, radius=contact.radius + margin)
    if isinstance(contact, RoundContact):
        return replace(contact, shape=_grown(contact.shape, margin))
    return contact


def _grown(shape: Cylinder | Cone | Ellipsoid, margin: float) -> Cylinder | Cone | Ellipsoid:
    match shape:
        case Ellipsoid():
            x, y, z = shape.radii
            return Ellipsoid((x + margin, y + margin, z + margin))
        case Cylinder():
            return Cylinder(shape.radius + margin, shape.length + 2.0 * margin)
    return shape


def _may_touch(model: Any, g: int, h: int) -> bool:
    one, other = (int(model.geom_contype[k]) for k in (g, h)), (int(model.geom_conaffinity[k]) for k in (g, h))
    (type_g, type_h), (with_g, with_h) = one, other
    return bool(type_g & with_h or type_h & with_g)


def _load(model: Any, *bodies: int) -> float:
    """Force [N] that a contact is expected to carry: the lighter figure's weight, shared by up to four points."""
    roots = {int(model.body_rootid[b]) for b in bodies if model.body_weldid[b]}
    shares = [float(model.body_subtreemass[root]) / _bearing(model, root) for root in roots]
    return float(np.linalg.norm(model.opt.gravity)) * min(shares, default=0.0)


def _bearing(model: Any, root: int) -> int:
    """How many points of a figure carry it."""
    kinds = [int(k) for k, b in zip(model.geom_type, model.geom_bodyid) if model.body_rootid[b] == root]
    return min(max(sum({SPHERE: 1, CAPSULE: 2}.get(kind, BEARING) for kind in kinds), 1), BEARING)


def _law(model: Any, g: int, h: int, ease: float, load: float) -> tuple[float, ...]:
    """Stiffness, damping and friction of a contact of two geoms.

    Those of the one of higher priority; of equals references mixed by `solmix`, and the larger friction.
    """
    ranks = int(model.geom_priority[g]), int(model.geom_priority[h])
    chosen = [g, h] if ranks[0] == ranks[1] else [g if ranks[0] > ranks[1] else h]
    weights = np.maximum(model.geom_solmix[chosen], LEAST_MIX)
    references = model.geom_solref[chosen]
    # negative ones are stiffness and damping as they stand; MuJoCo takes the least where any is
    solref = np.average(references, 0, weights) if (references[:, 0] > 0).all() else references.min(axis=0)
    solimp = np.average(model.geom_solimp[chosen], 0, weights)
    dimensions = int(model.geom_condim[chosen].max())
    friction = float(model.geom_friction[chosen, 0].max()) if dimensions > 1 else 0.0
    ease *= _edges(model, friction, dimensions)
    stiffness, damping = soft_constraint(solref, solimp, ease, load=load) or (1e6, 1e3)
    return stiffness, damping, friction


def _edges(model: Any, friction: float, dimensions: int) -> float:
    """How many times as soft MuJoCo's pyramid of friction makes a contact along its normal.

    Each of its 2 (dimensions − 1) edges, n ± μ t, has the diagonal (1 + μ²) of the normal's, times 2 μ² / impratio;
    together they carry the load.
    """
    if dimensions < 2 or model.opt.cone != PYRAMIDAL or not friction > 0.0:
        return 1.0
    return friction * friction / float(model.opt.impratio) * (1.0 + friction * friction) / (dimensions - 1)


def _pairs(model: Any) -> dict[frozenset[int], int]:
    """The pairs of the file by their geoms."""
    return {frozenset(two): k for k, two in enumerate(zip(model.pair_geom1.tolist(), model.pair_geom2.tolist()))}


def _law_of_pair(model: Any, k: int, ease: float, load: float) -> tuple[float, ...]:
    """Stiffness, damping and friction that a pair has of its own."""
    dimensions = int(model.pair_dim[k])
    friction = float(model.pair_friction[k, 0]) if dimensions > 1 else 0.0
    ease *= _edges(model, friction, dimensions)
    return *(soft_constraint(model.pair_solref[k], model.pair_solimp[k], ease, load=load) or (1e6, 1e3)), friction


def _surface(stiffness: float, damping: float, friction: float) -> Surface:
    # What carries its own weight sinks in by 9.81 / (stiffness per mass); the damper grows in over a tenth of that.
    sinkage = 9.81 * (damping / stiffness) ** 2
    return Surface(
        stiffness=stiffness,
        damping=damping,
        friction=friction,
        law="damper",
        grip=damping,
        ramp=max(0.1 * sinkage, 1e-6),
        creep=1e-3,
    )


Kind = tuple[float, ...]  # stiffness, damping, friction and margin of a contact


def _body_contacts(found: MjcfModel) -> Iterable[Element]:
    """Bodies against bodies: those of their geoms that may touch, sorted by what the contact is like."""
    model = found.model
    pairs, excluded = _pairs(model), set(model.exclude_signature.tolist())
    paired = {g for two in pairs for g in two}
    geoms: dict[int, list[int]] = {}
    usual: dict[int, list[int]] = {}  # those that collide with anything
    numbers: dict[int, int] = {}  # which part of its body each is
    counts: Counter[int] = Counter()
    for g, (_, part) in found.parts.items():
        body = int(model.geom_bodyid[g])
        numbers[g] = counts[body]
        counts[body] += 1
        if part.colliding:
            usual.setdefault(body, []).append(g)
        if part.colliding or g in paired:
            geoms.setdefault(body, []).append(g)
    meetings = {frozenset(int(model.geom_bodyid[g]) for g in two) for two in pairs}
    for a, b in itertools.combinations(sorted(geoms), 2):
        freely = _apart(model, a, b, excluded)
        if freely or frozenset((a, b)) in meetings:
            for number, (kind, ours, theirs) in enumerate(_touching(model, geoms[a], geoms[b], pairs, freely)):
                one, two = found.parts[ours[0]][0], found.parts[theirs[0]][0]
                yield BodyContact(
                    body=two,
                    other=one,
                    surface=_surface(*kind[:3]),
                    parts=tuple(numbers[g] for g in theirs) if theirs != usual.get(b) else (),
                    other_parts=tuple(numbers[g] for g in ours) if ours != usual.get(a) else (),
                    margin=kind[3],
                    name=f"{two} against {one}" + (f" {chr(ord('a') + number)}" if number else ""),
                    line="contact",
                )


def _touching(
    model: Any, ours: list[int], theirs: list[int], pairs: dict[frozenset[int], int], freely: bool
) -> Iterator[tuple[Kind, list[int], list[int]]]:
    """Contacts of the geoms of two bodies: of each kind, those of ours that touch the same ones of theirs."""
    a, b = (int(model.geom_bodyid[own[0]]) for own in (ours, theirs))
    ease, load = float(model.body_invweight0[a, 0] + model.body_invweight0[b, 0]), _load(model, a, b)
    if len(ours) == len(theirs) == 1 and _meet_at_their_joint(model, a, b, ours[0], theirs[0]):
        return
    alike: dict[tuple[bytes, bytes], Kind | None] = {}  # geoms that are alike in all that decides touch alike
    sets: dict[Kind, dict[int, list[int]]] = {}
    for g, h in itertools.product(ours, theirs):
        pair = pairs.get(frozenset((g, h)))
        if pair is not None:
            margin = max(float(model.pair_margin[pair]), 0.0)
            kind: Kind | None = (*_law_of_pair(model, pair, ease, load), margin)
        else:
            key = _contact_key(model, g), _contact_key(model, h)
            if key not in alike:
                may = freely and _may_touch(model, g, h)
                alike[key] = (*_law(model, g, h, ease, load), _margin(model, g, h)) if may else None
            kind = alike[key]
        if kind is not None:
            sets.setdefault(kind, {}).setdefault(g, []).append(h)
    for kind, touched in sets.items():
        groups: dict[tuple[int, ...], list[int]] = {}
        for g, others in touched.items():
            groups.setdefault(tuple(others), []).append(g)
        yield from ((kind, own, list(others)) for others, own in groups.items())


def _contact_key(model: Any, g: int) -> bytes:
    one = [model.geom_contype, model.geom_conaffinity, model.geom_condim, model.geom_priority, model.geom_solmix]
    several = [model.geom_friction[g], model.geom_solref[g], model.geom_solimp[g]]
    return b"".join(np.asarray(x).tobytes() for x in (*(table[g] for table in (*one, model.geom_margin)), *several))


def _apart(model: Any, a: int, b: int, excluded: set[int]) -> bool:
    """May two bodies touch: not welded to one another, nor joined by one joint, nor excluded?"""
    one, two = int(model.body_weldid[a]), int(model.body_weldid[b])
    if one == two or (a << 16) + b in excluded or (b << 16) + a in excluded:
        return False
    if is_off(model, "FILTERPARENT"):
        return True
    above = [int(model.body_weldid[model.body_parentid[w]]) for w in (one, two)]
    return not ((above[1] == one and one) or (above[0] == two and two))


def _meet_at_their_joint(model: Any, a: int, b: int, g: int, h: int) -> bool:
    """Is b joined to a where the middle lines of both shapes end, as links of capsules are?

    MuJoCo lets them touch where one stands still; what presses there presses on the joint, and moves nothing.
    """
    if int(model.body_weldid[a]) != 0 or int(model.body_parentid[b]) != a or not model.body_jntnum[b]:
        return False
    anchor = np.array(model.jnt_pos[model.body_jntadr[b]])
    there = _turned(model.body_quat[b], anchor) + model.body_pos[b]
    return _on_middle_line(model, h, anchor) and _on_middle_line(model, g, there)


def _turned(quat: Any, v: np.ndarray) -> np.ndarray:
    w, x, y, z = (float(part) for part in quat)
    return np.array(Placement((0.0, 0.0, 0.0), (w, x, y, z)).matrix) @ v


def _on_middle_line(model: Any, g: int, point: np.ndarray) -> bool:
    """Does a sphere's centre or a capsule's axis go through a point of the frame of its body?"""
    kind, (radius, half, _) = int(model.geom_type[g]), (float(x) for x in model.geom_size[g])
    if kind not in (SPHERE, CAPSULE):
        return False
    w, x, y, z = (float(part) for part in model.geom_quat[g])
    inside = np.array(Placement((0.0, 0.0, 0.0), (w, x, y, z)).matrix).T @ (point - model.geom_pos[g])
    along = min(max(inside[2], -half), half) if kind == CAPSULE else 0.0
    return bool(np.linalg.norm(inside - (0.0, 0.0, along)) < TOUCHING * radius)
