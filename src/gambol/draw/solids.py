"""The visible parts of figures as solids: a few unit surfaces, each used many times at its own scale and colour.

A person of ninety bones is then three surfaces and a table of poses, which is what makes the live view cheap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from gambol.draw.look import FINISHES, PROP
from gambol.draw.motion import Poses, bodies_of
from gambol.errors import ViewError
from gambol.figure import Box, Capsule, Cylinder, Ellipsoid, Figure, Mesh, Part, Placement, Shape, Sphere
from gambol.figure.texture import Texture
from gambol.plot.palette import PALETTE, rgb
from gambol.plot.surfaces import surface

CREASE = np.cos(np.radians(40.0))  # edges sharper than this stay edges; softer ones are shaded round
UNIT_BALL, UNIT_DRUM = Sphere(1.0), Cylinder(1.0, 2.0)
ROUND, FLATTEST = 0.06, 5  # how much of its least side a block's edges are rounded by; halvings of it told apart
# Facets around and from pole to pole, for round solids at least this large beside the largest of their figures
FINENESS = ((0.35, (44, 22)), (0.15, (24, 12)), (0.06, (14, 8)), (0.0, (10, 6)))
BONE = 0.05  # radius of the stick drawn for a body without shape, of its length


class Block(NamedTuple):
    """A unit block with its edges rounded, by ROUND of each side or that halved so often.

    Blocks of like proportions share one surface, so that a figure of many is still a few.
    """

    halvings: tuple[int, ...]

    @classmethod
    def of(cls, size: Sequence[float]) -> "Block":
        """That of a box with these sides [m]."""
        shares = np.log2(np.asarray(size) / min(size))
        return cls(tuple(min(FLATTEST, round(float(share))) for share in shares))


class Solid(NamedTuple):
    """One surface on one body: `turn` and `place` [m] in the body's frame, scale along the surface's axes."""

    shape: Shape | Block
    body: int
    turn: np.ndarray
    place: np.ndarray
    scale: np.ndarray
    colour: tuple[float, ...]
    finish: str = ""


@dataclass(frozen=True)
class Surface:
    """Triangles with a normal at every corner; `uv`: where each lies on a texture, if there is one (see Texture)."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray
    uv: np.ndarray | None = None


@dataclass(frozen=True)
class Batch:
    """All solids that share a surface: rows are instances."""

    shape: Shape | Block
    bodies: np.ndarray  # which body each is on
    turns: np.ndarray  # (n, 3, 3)
    places: np.ndarray  # (n, 3) [m]
    scales: np.ndarray  # (n, 3)
    colours: np.ndarray  # (n, 3), 0 … 1
    finishes: np.ndarray  # (n, 3): gloss, how narrow, edge
    facets: tuple[int, int] = FINENESS[0][1]

    @cached_property
    def surface(self) -> Surface:
        """Triangles with normals of the shape that all share."""
        if isinstance(self.shape, Block):
            return blunt(self.shape)
        if self.shape is UNIT_BALL or self.shape is UNIT_DRUM:
            return rounded(self.shape, self.facets)
        return smooth(surface(self.shape, *self.facets), None if self.texture is None else np.array(self.texture.uv))

    @property
    def texture(self) -> Texture | None:
        """What lies over it."""
        return self.shape.texture if isinstance(self.shape, Mesh) else None

    @cached_property
    def closed(self) -> bool:
        """Is nothing seen of its inside?"""
        return isinstance(self.shape, Block) or is_closed(surface(self.shape, *self.facets))

    def placed(self, poses: Poses) -> Poses:
        """Where the instances are."""
        frames = poses.frames[self.bodies]
        origins = poses.origins[self.bodies] + np.einsum("nij,nj->ni", frames, self.places)
        return Poses(origins, frames @ self.turns)


def is_closed(triangles: np.ndarray) -> bool:
    """Do these triangles (n, 3, 3) enclose something, wound counter-clockwise from outside, without a hole?"""
    where = _corner_numbers(triangles).reshape(-1, 3)
    sides = np.concatenate([where[:, [0, 1]], where[:, [1, 2]], where[:, [2, 0]]])
    there, back = (np.unique(edges, axis=0) for edges in (sides, sides[:, ::-1]))
    volume = np.einsum("ni,ni->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2]))
    return bool(volume > 0 and len(there) == len(sides) and np.array_equal(there, back))


def _corner_numbers(triangles: np.ndarray) -> np.ndarray:
    """Which corners are the same place: (3 n,) numbers."""
    corners = triangles.reshape(-1, 3)
    size = float(np.ptp(corners, axis=0).max()) or 1.0
    return np.unique(np.round(corners / (1e-6 * size)).astype(np.int64), axis=0, return_inverse=True)[1].ravel()


def smooth(triangles: np.ndarray, uv: np.ndarray | None = None) -> Surface:
    """Corner normals of a triangle soup: averaged over neighbours around the corner that bend less than a crease.

    uv   (corners, 2): corners that lie apart on a texture stay apart
    """
    corners = triangles.reshape(-1, 3)
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    flat = cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-300)
    where = _corner_numbers(triangles)
    weighted, own = np.repeat(cross, 3, axis=0), np.repeat(flat, 3, axis=0)
    normals = own.copy()
    order = np.argsort(where, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(where[order])) + 1):
        near = own[group] @ own[group].T >= CREASE
        normals[group] = near @ weighted[group]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    same = np.column_stack([where, np.round(normals * 1e4), *([] if uv is None else [np.round(uv * 1e5)])])
    _, kept, faces = np.unique(same.astype(np.int64), axis=0, return_index=True, return_inverse=True)
    return Surface(corners[kept], normals[kept], faces.reshape(-1, 3), None if uv is None else uv[kept])


def rounded(shape: Shape, facets: tuple[int, int]) -> Surface:
    """The unit ball or drum with so many facets and the normals of the round one: no facets in its light."""
    triangles = surface(shape, *facets)
    corners = triangles.reshape(-1, 3)
    outward = corners.copy()
    if shape is UNIT_DRUM:
        ends = np.repeat(np.ptp(triangles[:, :, 2], axis=1) == 0.0, 3)
        outward = np.where(ends[:, None], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]) * corners
    same = np.round(np.hstack([corners, outward]) * 1e6).astype(np.int64)
    _, kept, faces = np.unique(same, axis=0, return_index=True, return_inverse=True)
    normals = outward[kept] / np.linalg.norm(outward[kept], axis=1, keepdims=True)
    return Surface(corners[kept], normals, faces.reshape(-1, 3))


@cache
def blunt(block: Block) -> Surface:
    """A block: six flat faces, and between them strips whose light runs from one to the other.

    Its last eight corners are those of the box itself, for whoever asks where it ends; no face has them.
    """
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    cut = ROUND * 0.5 ** np.array(block.halvings)
    inner = 0.5 - cut[None] * (1.0 - np.eye(3))  # of the corner of a face across each axis
    vertices = (signs[:, None] * inner).reshape(-1, 3)
    normals = (signs[:, None] * np.eye(3)).reshape(-1, 3)
    number = lambda at, axis: 3 * int(4 * (at[0] > 0) + 2 * (at[1] > 0) + (at[2] > 0)) + axis
    quads = []
    for a, b in product((-1.0, 1.0), repeat=2):
        for axis in range(3):
            i, j = (axis + 1) % 3, (axis + 2) % 3
            ends = [np.roll((end, a, b), axis) for end in (-1.0, 1.0)]  # of the edge along this axis
            quads.append([number(ends[0], i), number(ends[1], i), number(ends[1], j), number(ends[0], j)])
            if b > 0:
                around = [np.roll((a, u, v), axis) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                quads.append([number(at, axis) for at in around])
    halves = [face for p, q, r, s in quads for face in ((p, q, r), (p, r, s))]
    faces = np.array([*halves, *((3 * corner, 3 * corner + 1, 3 * corner + 2) for corner in range(8))])
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ni,ni->n", np.cross(q - p, r - p), p + q + r) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return Surface(np.vstack([vertices, 0.5 * signs]), np.vstack([normals, signs / np.sqrt(3.0)]), faces)


def solids_of(figures: Sequence[Figure], props: Sequence[Part] = ()) -> list[Solid]:
    """Every visible part of the figures; of a figure without any, sticks from joint to joint.

    `props` stand in the world: their body is -1, the last row of the poses (see `Scene`).
    """
    bodies = bodies_of(figures)
    found = []
    for index, (_, body) in enumerate(bodies):
        for part in body.parts:
            if part.visible:
                found += _of_part(part, index, colour_of(part, index))
    shown = {bodies[solid.body][0].name for solid in found}
    for figure in figures:
        if figure.name not in shown:
            found += _sticks(figure, [i for i, (owner, _) in enumerate(bodies) if owner is figure])
    for part in props:
        found += _of_part(part, -1, part.colour or PROP)
    if not found:
        raise ViewError("there is nothing to draw: the figures have no visible part and no length")
    return found


def colour_of(part: Part, index: int) -> tuple[float, ...]:
    """The colour of a part of the body with this number."""
    return tuple(part.colour or _palette(index))[:3]


def _palette(index: int) -> tuple[float, ...]:
    return rgb(PALETTE[index % len(PALETTE)])


def _of_part(part: Part, body: int, colour: tuple[float, ...]) -> list[Solid]:
    turn, place, shape = part.placement.matrix, np.asarray(part.placement.position), part.shape
    finish = part.finish

    def one(shape: Shape | Block, scale: Sequence[float] = (1.0, 1.0, 1.0), shift: float = 0.0) -> Solid:
        return Solid(shape, body, turn, place + shift * turn[:, 2], np.asarray(scale, float), tuple(colour[:3]), finish)

    match shape:
        case Box():
            return [one(Block.of(shape.size), shape.size)]
        case Sphere():
            return [one(UNIT_BALL, [shape.radius] * 3)]
        case Ellipsoid():
            return [one(UNIT_BALL, shape.radii)]
        case Cylinder():
            return [one(UNIT_DRUM, (shape.radius, shape.radius, 0.5 * shape.length))]
        case Capsule():
            r, half = shape.radius, 0.5 * shape.length
            return [one(UNIT_DRUM, (r, r, half)), one(UNIT_BALL, [r] * 3, half), one(UNIT_BALL, [r] * 3, -half)]
    return [one(shape)]


def _sticks(figure: Figure, rows: list[int]) -> list[Solid]:
    """Sticks from each body's joint to its children's, or to its centre of mass when it has none."""
    found = []
    for row, body in zip(rows, figure.order):
        children = figure.children(body.name)
        ends = [child.placement.position for child in children] or [body.mass_properties.centre]
        for end in ends:
            reach = float(np.linalg.norm(end))
            if reach > 0:
                along = np.asarray(end) / reach
                axis, angle = np.cross((0.0, 0.0, 1.0), along), float(np.arccos(np.clip(along[2], -1.0, 1.0)))
                axis = axis if np.linalg.norm(axis) > 1e-9 else np.array([1.0, 0.0, 0.0])
                middle = tuple(0.5 * np.asarray(end, float))
                part = Part(Capsule(BONE * reach, reach), Placement.about(axis, angle, middle), inertial=False)
                found += _of_part(part, row, _palette(row))
    return found


def batches_of(solids: Sequence[Solid]) -> list[Batch]:
    """Solids sorted by surface and finish; small round ones have fewer facets."""
    largest = max(_half_width(solid) for solid in solids)
    groups: dict[tuple[Shape | Block, tuple[int, int], str], list[Solid]] = {}
    for solid in solids:
        round_one = solid.shape is UNIT_BALL or solid.shape is UNIT_DRUM
        share = float(np.sort(solid.scale)[-2]) / largest if round_one else 1.0
        facets = next(facets for least, facets in FINENESS if share >= least)
        groups.setdefault((solid.shape, facets, solid.finish), []).append(solid)
    return [
        Batch(
            shape,
            np.array([s.body for s in group]),
            np.array([s.turn for s in group]),
            np.array([s.place for s in group]),
            np.array([s.scale for s in group]),
            np.array([s.colour for s in group]),
            np.array([FINISHES[s.finish] for s in group]),
            facets,
        )
        for (shape, facets, _), group in groups.items()
    ]


def _half_width(solid: Solid) -> float:
    """Of a solid along its longest axis [m]; of what stands in the world, nothing."""
    if solid.body < 0:
        return 1e-12
    own = np.asarray(solid.shape.vertices) if isinstance(solid.shape, Mesh) else np.array([[-1.0] * 3, [1.0] * 3])
    return 0.5 * float((np.ptp(own, axis=0) * solid.scale).max())


def with_world(poses: Poses) -> Poses:
    """The poses with one more row, the world's own frame: where props stand."""
    return Poses(np.vstack([poses.origins, np.zeros(3)]), np.concatenate([poses.frames, np.eye(3)[None]]))
