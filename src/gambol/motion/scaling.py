"""The size of a person from markers: segment lengths and postures, fitted together.

For given turns of the joints the place of a marker is linear in the lengths of the segments between the root and it, so
factors of segments and joint coordinates of some frames are found in one least-squares problem, with exact derivatives.
Segments are bodies with those whose joints lie on theirs (a hip of three hinges); left and right are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gambol.figure.figure import Figure
from gambol.figure.mirror import mirrored_name
from gambol.motion.data import Markers, refuse
from gambol.motion.fitting import inverse_kinematics, position_bounds
from gambol.motion.places import MarkerPlace
from gambol.world.mechanics import Mechanics

STIFF = 1e-3  # [m] how unwilling a segment is to differ from the others, for a factor of e
ENOUGH = 1e-10
MOST = 2.0  # a segment becomes at most so many times as long, or as short


@dataclass(frozen=True)
class ScaledFigure:
    """A figure of the size of a person.

    places    of the markers on it
    factors   of the lengths of every body
    overall   the factor of the whole, from distances between markers
    before, after   root of the mean square distance [m] of the markers in the frames used: with the figure as large as
              the person as a whole, and as it became
    """

    figure: Figure
    places: dict[str, MarkerPlace]
    factors: dict[str, float]
    overall: float
    before: float
    after: float


def scale_to_markers(
    figure: Figure,
    markers: Markers,
    places: Mapping[str, MarkerPlace],
    *,
    frames: int = 8,
    symmetric: bool = True,
    mass: float | None = None,
    rounds: int = 60,
) -> ScaledFigure:
    """Gives a figure the segment lengths that fit the markers best.

    frames      how many are looked at, spread evenly over those where most markers are seen
    symmetric   left and right segments are of one length (bodies whose names are mirror images)
    mass        [kg] of the person; by default densities stay
    Markers keep their places relative to their segments. A segment without markers beyond its ends keeps the factor of
    the whole.
    """
    if frames < 1:
        raise refuse(f"at least one frame is needed to scale to, not {frames}")
    chosen = _frames(markers.chosen([name for name in markers.names if name in places]), frames)
    overall = _overall(figure, chosen, places)
    begun = figure.scaled(overall)
    sized = {name: replace(p, point=_times(p.point, overall)) for name, p in places.items()}
    fit = inverse_kinematics(begun, chosen, sized)
    groups = segments(begun, symmetric=symmetric)
    factors, after = _fit(begun, chosen, sized, fit.q, groups, rounds)
    own = {name: float(factors[groups[name]]) for name in begun.names}
    made = begun.resized(own, mass)
    final = {name: replace(p, point=_times(p.point, own[p.body])) for name, p in sized.items()}
    total = {name: overall * factor for name, factor in own.items()}
    return ScaledFigure(replace(made, name=f"{figure.name}-sized"), final, total, overall, fit.rms, after)


def _times(point: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    x, y, z = point
    return factor * x, factor * y, factor * z


def _frames(markers: Markers, count: int) -> Markers:
    """Frames spread over those with the most markers."""
    seen = markers.seen.sum(axis=1)
    good = np.flatnonzero(seen >= max(0.9 * seen.max(), 1))
    rows = good[np.unique(np.linspace(0, len(good) - 1, min(count, len(good))).round().astype(int))]
    return replace(markers, time=markers.time[rows], positions=markers.positions[rows])


def _overall(figure: Figure, markers: Markers, places: Mapping[str, MarkerPlace]) -> float:
    """From distances between markers on one body, which no joint changes; else between all, in the zero pose."""
    where = figure.poses()
    own = np.array([where[places[name].body].apply(places[name].point) for name in markers.names])
    bodies = [places[name].body for name in markers.names]
    measured, modelled = [], []
    for same in (True, False):
        for i in range(len(bodies)):
            for j in range(i):
                length = float(np.linalg.norm(own[i] - own[j]))
                if (bodies[i] == bodies[j]) == same and length > 0.02:
                    seen = np.linalg.norm(markers.positions[:, i] - markers.positions[:, j], axis=1)
                    if np.isfinite(seen).any():
                        measured.append(float(np.nanmedian(seen)))
                        modelled.append(length)
        if measured:
            break
    if not measured:
        raise refuse("no two markers that have places are seen together: there is no length to scale by")
    return float(np.dot(measured, modelled) / np.dot(modelled, modelled))


def segments(figure: Figure, *, symmetric: bool = True) -> dict[str, int]:
    """The number of the segment that each body belongs to."""
    found: dict[str, str] = {}
    for body in figure.order:
        on_it = body.parent is not None and np.linalg.norm(body.placement.position) < 1e-9
        found[body.name] = found[str(body.parent)] if on_it else body.name
        other = mirrored_name(body.name)
        if symmetric and not on_it and other != body.name and other in found:
            found[body.name] = found[other]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(found.values()))}
    return {body: numbers[name] for body, name in found.items()}


def _fit(figure, markers: Markers, places, q: np.ndarray, groups: dict[str, int], rounds: int):
    """Factors of the segments, and the distance that is left [m]."""
    names = list(markers.names)
    bodies, points = [places[n].body for n in names], np.array([places[n].point for n in names])
    weights = np.sqrt([places[n].weight for n in names])
    count, speeds, size = max(groups.values()) + 1, figure.speeds, len(q)
    bounds, u, damping = position_bounds(figure), np.zeros(count), 1e-3
    q = np.clip(q, *bounds)

    def look(u, q):
        factors = np.exp(u)
        made = figure.resized({name: float(factors[groups[name]]) for name in figure.names})
        mechanics = Mechanics(made)
        sized = points * factors[[groups[body] for body in bodies]][:, None]
        rows, errors = np.zeros((size, len(names), 3, count + size * speeds)), np.zeros((size, len(names), 3))
        for f in range(size):
            there, J = mechanics.point_jacobians(q[f], bodies, sized)
            seen = np.isfinite(markers.positions[f]).all(axis=-1)
            errors[f] = np.where(seen[:, None], markers.positions[f] - there, 0.0)
            rows[f, ..., count + f * speeds : count + (f + 1) * speeds] = J * seen[:, None, None]
            _lengths(made, q[f], bodies, sized, groups, rows[f, ..., :count])
            rows[f, ~seen] = 0.0
        left = float(np.sqrt(np.sum(errors**2) / max(np.isfinite(markers.positions).all(axis=-1).sum(), 1)))
        weighted = weights[None, :, None]
        return mechanics, (weighted * errors).ravel(), (weighted[..., None] * rows).reshape(-1, rows.shape[-1]), left

    mechanics, errors, rows, left = look(u, q)
    prior = np.zeros(count + size * speeds)
    prior[:count] = STIFF
    cost = errors @ errors + STIFF**2 * u @ u
    for _ in range(rounds):
        gradient = rows.T @ errors
        gradient[:count] -= STIFF**2 * u
        normal = rows.T @ rows + np.diag(prior**2)
        step = np.linalg.solve(normal + damping * np.diag(normal).max() * np.eye(len(normal)), gradient)
        tried_u = np.clip(u + step[:count], -np.log(MOST), np.log(MOST))
        moves = step[count:].reshape(size, speeds)
        tried_q = np.array([np.clip(mechanics.displaced(q[f], moves[f]), *bounds) for f in range(size)])
        found = look(tried_u, tried_q)
        new_cost = found[1] @ found[1] + STIFF**2 * tried_u @ tried_u
        if new_cost <= cost:
            small = np.abs(tried_u - u).max() < ENOUGH and np.abs(moves).max() < 1e3 * ENOUGH
            u, q, cost = tried_u, tried_q, new_cost
            mechanics, errors, rows, left = found
            damping = max(0.1 * damping, 1e-10)
            if small:
                break
        elif damping > 1e3:
            break
        else:
            damping *= 8.0
    return np.exp(u), left


def _lengths(figure: Figure, q: np.ndarray, bodies, sized, groups: dict[str, int], out: np.ndarray) -> None:
    """d(place of marker)/d(log of factor): the stretches of the way from the root that belong to each segment."""
    _, frames = figure.kinematics.frames(q)
    row = {body.name: k for k, body in enumerate(figure.order)}
    for m, (name, point) in enumerate(zip(bodies, sized)):
        out[m, :, groups[name]] += frames[row[name]] @ point
        body = figure[name]
        while body.parent is not None:
            parent = row[body.parent]
            out[m, :, groups[body.parent]] += frames[parent] @ np.asarray(body.placement.position)
            body = figure[body.parent]
        out[m, :, groups[body.name]] += np.asarray(body.placement.position)
