"""What carries the weight: the convex region of the ground contacts, with the margin of the centre of mass in it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.world.simulation import Simulation


@dataclass(frozen=True)
class Support:
    """Ground contacts of a moment, world axes.

    points    (n, 3) [m]; forces (n, 3) [N]; bodies: whose each point is
    hull      corners of their convex region, anticlockwise (k, 2) [m]
    centre    centre of mass [m]; margin: its distance inside the region's border [m], negative outside
    pressure  centre of pressure (2,) [m]
    """

    points: np.ndarray
    forces: np.ndarray
    bodies: tuple[str, ...]
    hull: np.ndarray
    centre: np.ndarray
    margin: float

    @property
    def load(self) -> float:
        """Vertical force of the ground [N]."""
        return float(self.forces[:, 2].sum()) if len(self.forces) else 0.0

    @property
    def pressure(self) -> np.ndarray:
        """Centre of pressure on the ground [m, world x and y]."""
        weight = self.forces[:, 2]
        return (self.points[:, :2] * weight[:, None]).sum(axis=0) / weight.sum()

    def loads(self, region: Callable[[str], str | None]) -> dict[str, float]:
        """Vertical force [N] by region; `region` gives a body's, or None for those that do not count."""
        found: dict[str, float] = {}
        for body, force in zip(self.bodies, self.forces):
            own = region(body)
            if own is not None:
                found[own] = found.get(own, 0.0) + float(force[2])
        return found


def support(sim: Simulation) -> Support:
    """What carries a single world's figures now."""
    everything, points, forces, bodies = sim.all_reports(), [], [], list[str]()
    for element in sim.world.elements:
        if isinstance(element, GroundContact | RoundContact):
            felt = sim.elements[element.name].report(everything)
            touching = felt["depth"] > 0.0
            points.append(np.column_stack([felt[axis][touching] for axis in "xyz"]))
            forces.append(np.column_stack([felt[f"force_{axis}"][touching] for axis in "xyz"]))
            bodies += [element.body] * int(touching.sum())
    where = np.concatenate(points) if points else np.zeros((0, 3))
    centre = sim.mechanics.centre_of_mass(sim.q)
    hull = convex_hull(where[:, :2])
    push = np.concatenate(forces) if forces else np.zeros((0, 3))
    return Support(where, push, tuple(bodies), hull, centre, margin_in(hull, centre[:2]))


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points in the plane, anticlockwise; of fewer than three, the points."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return np.asarray(points, float).reshape(-1, 2)
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # all in one line
        along = points[np.argsort(points @ (points[-1] - points[0]))]
        return along[[0, -1]]


def margin_in(hull: np.ndarray, point: np.ndarray) -> float:
    """Shortest distance of a point from the border of a convex region [m]; negative outside it."""
    if len(hull) == 0:
        return -np.inf
    if len(hull) < 3:
        return -float(min(_to_segment(point, hull[0], hull[-1]), *np.linalg.norm(hull - point, axis=1)))
    ends = np.roll(hull, -1, axis=0)
    edges = ends - hull
    inward = np.stack([-edges[:, 1], edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1)[:, None]
    inside = float(np.min(np.sum(inward * (point - hull), axis=1)))
    return inside if inside >= 0.0 else -min(_to_segment(point, a, b) for a, b in zip(hull, ends))


def _to_segment(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    line = b - a
    share = np.clip(np.dot(point - a, line) / max(float(line @ line), 1e-30), 0.0, 1.0)
    return float(np.linalg.norm(point - a - share * line))
