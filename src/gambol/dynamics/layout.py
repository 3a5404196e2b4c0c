"""Compiles figures into a layout: flat arrays for the kernels, and the names that lead back to the description.

In the layout every hinge, slide and screw acts along its own z axis, so a body's layout frame is the description's
frame turned by a constant rotation. Joints of several coordinates other than ball and free become chains of hinges
and slides with massless links between. Bodies are sorted into runs of one joint type, parents first.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.dynamics.joints import ADDS_INERTIA_OF, KINDS, POSITIONS_OF, SPEEDS_OF, TRANSLATES_OF
from gambol.dynamics.workspace import (
    ALIGNED,
    BODY_CONSTANTS,
    BODY_MASS,
    BODY_MOMENT,
    BODY_OFFSET,
    BODY_PITCH,
    BODY_TENSOR,
    BODY_TURN,
    COINCIDENT,
    CYCLED,
    CYCLED_TWICE,
    DIAGONAL,
    FIRST_TO_ADD,
    FOLLOWS,
    HANDS_ON,
    HAS_CHILD_INERTIA,
    IN_HAND,
    MASSLESS,
    ROUND,
    RUN_COLUMNS,
    RUN_COUNT,
    RUN_DRIVEN,
    RUN_FIRST,
    RUN_KIND,
    RUN_VELOCITY,
    SHARED_INERTIA,
)
from gambol.errors import Fault, WorldError, nearest
from gambol.figure import Body, Figure, Mass

Kind = tuple[int, bool]  # joint kind, driven
Z = (0.0, 0.0, 1.0)
SIDE_BY_SIDE = 4  # chains taken together
ROUNDING = 4 * np.finfo(float).eps  # of a tensor, relative to its trace


@dataclass(frozen=True)
class Link:
    """One row of the layout before sorting: a body, or a massless link inside a compound joint."""

    body: int  # index of the described body (all figures counted on)
    parent: int  # index of the parent link, -1 for the world
    kind: int
    driven: bool
    turn: np.ndarray  # rotation of this link's frame in its parent link's, at zero position
    offset: np.ndarray
    mass: float = 0.0
    moment: np.ndarray = field(default_factory=lambda: np.zeros(3))
    tensor: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    pitch: float = 0.0
    armature: float = 0.0


def turn_to(axis: Sequence[float]) -> np.ndarray:
    """A rotation that takes z to `axis`: for the coordinate axes one that takes them in turn, else the shortest."""
    a = np.asarray(axis, float)
    a = a / np.linalg.norm(a)
    for turns in range(3):
        if np.array_equal(a, np.eye(3)[2 - turns]):
            return cycle(turns)
    if a[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    v = np.cross(Z, a)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1.0 + a[2])


def cycle(turns: int) -> np.ndarray:
    """The axes taken in turn, x ← z, y ← x, z ← y, so many times."""
    return np.roll(np.eye(3), turns % 3, axis=1)


def body_links(
    body: Body, index: int, parent: int, parent_turn: np.ndarray, first: int
) -> tuple[list[Link], np.ndarray]:
    """The links of one body, and the rotation of its last link's frame in the body's frame."""
    links: list[Link] = []
    chain = body.joint.kind.primitives(body.joint)
    turn_before, offset = parent_turn.T @ body.placement.matrix, parent_turn.T @ np.asarray(body.placement.position)
    for k, primitive in enumerate(chain):
        own = turn_to(primitive.axis)
        last = k == len(chain) - 1
        mass, moment, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
        if last:
            properties = body.mass_properties
            mass = properties.mass
            moment = own.T @ np.asarray(properties.centre) * mass
            tensor = own.T @ properties.tensor_about((0.0, 0.0, 0.0)) @ own
        links.append(
            Link(
                body=index,
                parent=parent if k == 0 else first + k - 1,
                kind=KINDS[primitive.type],
                driven=body.joint.driven,
                turn=turn_before @ own,
                offset=offset,
                mass=mass,
                moment=moment,
                tensor=tensor,
                pitch=primitive.pitch,
                armature=body.joint.armature,
            )
        )
        turn_before, offset = own.T, np.zeros(3)
    return links, own


def sort_into_runs(
    parent: Sequence[int], kind: Sequence[Kind], side_by_side: int = SIDE_BY_SIDE
) -> tuple[list[int], list[tuple[Kind, int, int]]]:
    """Order of the links with few, long runs of equal kind, parents first; and the runs (kind, first, count).

    Of all links whose parent is placed, take those of one kind and their descendants of that kind, so many chains at
    a time: neighbours are independent, and a parent is still in the cache when its child comes. Then the next kind.
    A kind all of whose remaining links are ready goes first: it will not need another run.
    """
    n = len(parent)
    waiting = set(range(n))
    children: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        children.setdefault(p, []).append(i)
    ready = list(children.get(-1, []))
    order: list[int] = []
    runs: list[tuple[Kind, int, int]] = []
    left: dict[Kind, int] = {}
    for k in kind:
        left[k] = left.get(k, 0) + 1
    while waiting:
        tally: dict[Kind, int] = {}
        for i in ready:
            tally[kind[i]] = tally.get(kind[i], 0) + 1
        chosen = max(sorted(tally), key=lambda k: (tally[k] == left[k], tally[k]))
        first = len(order)
        coming = [i for i in ready if kind[i] == chosen]
        ready = [i for i in ready if kind[i] != chosen]
        while coming:
            now, coming = coming[:side_by_side], coming[side_by_side:]
            order += now
            waiting.difference_update(now)
            grown = [c for i in now for c in children.get(i, [])]
            coming = [c for c in grown if kind[c] == chosen] + coming
            ready += [c for c in grown if kind[c] != chosen]
        left[chosen] -= len(order) - first
        runs.append((chosen, first, len(order) - first))
    return order, runs


@dataclass(frozen=True)
class BodyEntry:
    """Where a described body is in the layout."""

    name: str  # "figure/body"
    figure: int
    body: Body
    link: int  # row of the layout (0 is the world)
    turn: np.ndarray  # rotation of the layout frame in the body's frame
    links: tuple[int, ...]  # rows of all links of its joint, the last is `link`
    positions: tuple[int, ...]  # layout indices of its joint's positions, in description order
    speeds: tuple[int, ...]


class Layout:
    """Figures as arrays; names and orders lead back to the description.

    Arrays that people see (`q`, `v`, forces, matrices) are in description order: figure by figure, body by body as
    in `figure.order` (as listed, but parents first). `position_order` and `speed_order` hold, for each such
    coordinate, its place in the kernel's arrays.
    """

    def __init__(
        self,
        figures: Sequence[Figure],
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        *,
        side_by_side: int = SIDE_BY_SIDE,
    ):
        self.figures = tuple(figures)
        self.gravity = tuple(float(g) for g in gravity)
        self._check()
        links, owners, turns = self._links()
        order, runs = sort_into_runs([k.parent for k in links], [(k.kind, k.driven) for k in links], side_by_side)
        self._fill(links, order, runs)
        self._name(links, order, owners, turns)

    def _check(self) -> None:
        faults = []
        names = [figure.name for figure in self.figures]
        if not names:
            faults.append(Fault("a world needs at least one figure"))
        for name in sorted({n for n in names if names.count(n) > 1}):
            faults.append(Fault(f"two figures are called {name!r}; rename one with figure.renamed(…, name=…)", "world"))
        if len(self.gravity) != 3 or not np.all(np.isfinite(self.gravity)):
            faults.append(Fault(f"gravity must be 3 finite numbers [m/s²], not {self.gravity}", "world"))
        if faults:
            raise WorldError(faults)

    def _links(self):
        links: list[Link] = []
        owners: list[tuple[int, Body, list[int]]] = []
        turns: list[np.ndarray] = []
        for f, figure in enumerate(self.figures):
            last: dict[str | None, tuple[int, np.ndarray]] = {None: (-1, np.eye(3))}
            for body in figure.order:
                parent, parent_turn = last[body.parent]
                new, own = body_links(body, len(owners), parent, parent_turn, len(links))
                owners.append((f, body, list(range(len(links), len(links) + len(new)))))
                links += new
                turns.append(own)
                last[body.name] = (len(links) - 1, own)
        return links, owners, turns

    def _fill(self, links: list[Link], order: list[int], runs) -> None:
        n = len(links) + 1
        row = np.empty(len(links), np.int64)
        row[order] = np.arange(1, n)
        self.parent = np.zeros(n, np.int64)
        self.flags = np.full(n, MASSLESS | ALIGNED | COINCIDENT, np.int64)
        self.const = np.zeros((n, BODY_CONSTANTS))
        self.const[0, [BODY_TURN, BODY_TURN + 4, BODY_TURN + 8]] = 1.0
        self.runs = np.zeros((len(runs), RUN_COLUMNS), np.int64)
        q = v = 0
        self._first_position, self._first_speed = np.zeros(n, np.int64), np.zeros(n, np.int64)
        armature: list[float] = []
        for r, ((kind, driven), first, count) in enumerate(runs):
            self.runs[r] = kind, first + 1, count, q, v, driven
            for i in order[first : first + count]:
                self._first_position[row[i]], self._first_speed[row[i]] = q, v
                q += POSITIONS_OF[kind]
                v += SPEEDS_OF[kind]
                armature += [links[i].armature] * SPEEDS_OF[kind]
        self.armature = np.array(armature)
        self.nq, self.nv = q, v
        for i, link in enumerate(links):
            k = row[i]
            self.parent[k] = row[link.parent] if link.parent >= 0 else 0
            self.const[k] = _constants(link)
            self.flags[k] = (
                ALIGNED * bool(np.array_equal(link.turn, np.eye(3)))
                + CYCLED * bool(np.array_equal(link.turn, cycle(1)))
                + CYCLED_TWICE * bool(np.array_equal(link.turn, cycle(2)))
                + COINCIDENT * bool(not link.offset.any() and not TRANSLATES_OF[link.kind])
                + MASSLESS * bool(link.mass == 0.0)
                + _how_mass_lies(link)
            )
        self._row = row

    def _name(self, links, order, owners, turns) -> None:
        self.bodies: list[BodyEntry] = []
        by_figure: dict[int, dict[str, BodyEntry]] = {}
        for (f, body, own), turn in zip(owners, turns):
            rows = tuple(int(self._row[i]) for i in own)
            positions = tuple(
                int(self._first_position[k]) + c for i, k in zip(own, rows) for c in range(POSITIONS_OF[links[i].kind])
            )
            speeds = tuple(
                int(self._first_speed[k]) + c for i, k in zip(own, rows) for c in range(SPEEDS_OF[links[i].kind])
            )
            name = f"{self.figures[f].name}/{body.name}"
            by_figure.setdefault(f, {})[body.name] = BodyEntry(name, f, body, rows[-1], turn, rows, positions, speeds)
        for f, figure in enumerate(self.figures):
            self.bodies += [by_figure[f][body.name] for body in figure.order]
        self._by_name = {entry.name: entry for entry in self.bodies}
        self.position_order = np.array([k for b in self.bodies for k in b.positions], np.int64)
        self.speed_order = np.array([k for b in self.bodies for k in b.speeds], np.int64)
        self.coordinate_names = [_named(b, name) for b in self.bodies for name in b.body.joint.kind.positions]
        self.speed_names = [_named(b, name) for b in self.bodies for name in b.body.joint.kind.speeds]
        starts_q = np.cumsum([0] + [len(b.positions) for b in self.bodies])
        starts_v = np.cumsum([0] + [len(b.speeds) for b in self.bodies])
        self.position_slices = {b.name: slice(int(a), int(e)) for b, a, e in zip(self.bodies, starts_q, starts_q[1:])}
        self.speed_slices = {b.name: slice(int(a), int(e)) for b, a, e in zip(self.bodies, starts_v, starts_v[1:])}

    # ------------------------------------------------------------ names
    def body(self, name: str) -> BodyEntry:
        """The body called `name`, or "figure/body" where the plain name is not unique."""
        if name in self._by_name:
            return self._by_name[name]
        same = [b for b in self.bodies if b.body.name == name]
        if len(same) == 1:
            return same[0]
        if same:
            raise WorldError(
                [Fault(f"several figures have a body {name!r}: say which: {', '.join(b.name for b in same)}", "world")]
            )
        names = [b.body.name for b in self.bodies] if len(self.figures) == 1 else list(self._by_name)
        raise WorldError([Fault(f"there is no body {name!r}{nearest(name, names)}", "world")])

    @functools.cached_property
    def zero(self) -> np.ndarray:
        """Positions at which no joint does anything, description order; read-only."""
        found = np.array([x for b in self.bodies for x in b.body.joint.zero])
        found.flags.writeable = False
        return found

    # ------------------------------------------------------------ what the passes may take for granted
    @property
    def joint_rows(self) -> np.ndarray:
        """int[bodies, 3]: joint kind, first speed, driven of each body; the world's row is not looked at."""
        table = np.zeros((len(self.parent), 3), np.int64)
        for kind, first, count, v, driven in self.runs[:, [RUN_KIND, RUN_FIRST, RUN_COUNT, RUN_VELOCITY, RUN_DRIVEN]]:
            for k in range(count):
                table[first + k] = kind, v + k * SPEEDS_OF[kind], driven
        return table

    def pass_flags(self, *, shared_inertia: bool | np.ndarray, own_masses: bool) -> np.ndarray:
        """Flags of the bodies. shared_inertia: not the passes alone add to inertias, of all bodies or of some.

        own_masses: masses may change.
        """
        flags = self.flags & ~(ROUND | DIAGONAL) if own_masses else self.flags.copy()
        self._flag_chains(flags)
        flags[np.broadcast_to(shared_inertia, len(flags))] |= HAS_CHILD_INERTIA | SHARED_INERTIA
        if np.all(shared_inertia):
            return flags
        for kind, first, count, driven in self.runs[:, [RUN_KIND, RUN_FIRST, RUN_COUNT, RUN_DRIVEN]]:
            if driven or ADDS_INERTIA_OF[kind]:
                flags[first : first + count] |= FIRST_TO_ADD
        for k in range(len(flags) - 1, 0, -1):
            parent = self.parent[k]
            if flags[k] & FIRST_TO_ADD and flags[parent] & HAS_CHILD_INERTIA:
                flags[k] &= ~FIRST_TO_ADD
            elif flags[k] & FIRST_TO_ADD:
                flags[parent] |= HAS_CHILD_INERTIA
        flags[(flags & HAS_CHILD_INERTIA) == 0] &= ~ROUND
        return flags

    def _flag_chains(self, flags: np.ndarray) -> None:
        """Which hinges of a run come right after their parents."""
        children = np.bincount(self.parent[1:], minlength=len(flags))
        for kind, first, count, driven in self.runs[:, [RUN_KIND, RUN_FIRST, RUN_COUNT, RUN_DRIVEN]]:
            for i in range(first + 1, first + count) if kind == KINDS["hinge"] and not driven else ():
                if self.parent[i] == i - 1:
                    flags[i] |= FOLLOWS
                    if children[i - 1] == 1:
                        flags[i] |= HANDS_ON
                        flags[i - 1] |= IN_HAND


def mass_constants(mass: Mass, turn: np.ndarray) -> list[float]:
    """Mass, mass·centre and the tensor about the origin: the slots from BODY_MASS on, in a frame turned by `turn`."""
    moment = turn.T @ np.asarray(mass.centre) * mass.mass
    return [mass.mass, *moment, *_tensor_constants(turn.T @ mass.tensor_about((0.0, 0.0, 0.0)) @ turn)]


def _tensor_constants(t: np.ndarray) -> list[float]:
    return [t[2, 2], t[0, 0] - t[2, 2], t[1, 1] - t[2, 2], t[0, 1], t[0, 2], t[1, 2]]


def _how_mass_lies(link: Link) -> int:
    """ROUND, DIAGONAL or neither, to within the rounding of a tensor that was turned."""
    _, *even, xy, xz, yz = np.abs(_tensor_constants(link.tensor)) > ROUNDING * np.trace(link.tensor)
    if not (any(even) or xy or xz or yz or link.moment.any()):
        return ROUND
    return 0 if xy or xz or yz else DIAGONAL


def _constants(link: Link) -> np.ndarray:
    row = np.zeros(BODY_CONSTANTS)
    row[BODY_TURN : BODY_TURN + 9] = link.turn.T.ravel()  # by columns
    row[BODY_OFFSET : BODY_OFFSET + 3] = link.offset
    row[BODY_MASS] = link.mass
    row[BODY_MOMENT : BODY_MOMENT + 3] = link.moment
    row[BODY_TENSOR : BODY_TENSOR + 6] = _tensor_constants(link.tensor)
    row[BODY_PITCH] = link.pitch
    return row


def _named(entry: BodyEntry, coordinate: str) -> str:
    return f"{entry.name}.{coordinate}" if coordinate else entry.name
