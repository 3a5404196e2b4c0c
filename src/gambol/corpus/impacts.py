"""Collisions of single bodies by impulses (`collisionanalysis`), and the log of who touches whom.

A boundary watches the gap of each pair, so impulses act when bodies come to touch, wherever in a frame that is. Those
that touch and are pressed together get theirs at the end of each frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.contact_elements import impulsive, pair_name

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.worlds import ScriptWorld
    from gambol.world.boundary import Boundary
    from gambol.world.simulation import Simulation


SLOW = 1e-3  # [m/s]: what comes back slower stays
OUT = 0.2  # of the depth in a frame: at which bodies that are pressed together are led apart


def impact_boundaries(world: ScriptWorld) -> list[Boundary]:
    """What tells when bodies that collide by impulses touch."""
    from gambol.world.boundary import Boundary

    pairs = [(a, b) for a, b in world.colliding_pairs if world.collisions_on and impulsive(world, a, b)]
    common: dict[str, Any] = {"watch": "gap", "direction": "falling"}
    return [Boundary(name=pair_name(a, b), body=a.full_name, other=b.full_name, **common) for a, b in pairs]


def answer_impact(world: ScriptWorld, sim: Simulation, name: str) -> None:
    """At the moment two bodies come to touch."""
    for a, b in world.colliding_pairs:
        if pair_name(a, b) == name:
            if world.collision_log:
                _log(world, sim, name)
            _strike(world, sim, a, b)


def resolve_impacts(world: ScriptWorld, sim: Simulation) -> None:
    """After a frame: impulses where bodies that approach each other touch, and a line in the log for each pair."""
    if not world.collisions_on:
        return
    for a, b in world.colliding_pairs:
        name = pair_name(a, b)
        if name not in sim.elements:
            continue
        if world.collision_log:
            _log(world, sim, name)
        if impulsive(world, a, b):
            _strike(world, sim, a, b)


def _touching(sim: Simulation, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depths, places and forces of the points that touch, deepest first."""
    found = sim.elements[name].report()
    depth = found["depth"]
    places = np.column_stack([found[x] for x in "xyz"])
    forces = np.column_stack([found[f"force_{x}"] for x in "xyz"])
    rows = [k for k in np.argsort(-depth) if depth[k] > 0 and forces[k].any()]  # edges may be in and not count
    return depth[rows], places[rows], forces[rows]


def _strike(world: ScriptWorld, sim: Simulation, a: CorpusLink, b: CorpusLink) -> None:
    """One impulse in the middle of the points that touch, along their mean normal, where the bodies approach."""
    from gambol.world.impact import collide

    depth, places, forces = _touching(sim, pair_name(a, b))
    if not len(depth):
        return
    origins, frames = sim.mechanics.origins(sim.q), sim.mechanics.frames(sim.q)
    between = origins[a.full_name] - origins[b.full_name]
    along = np.where((forces @ between >= 0)[:, None], forces, -forces)
    normal = along.sum(axis=0)
    size = float(np.linalg.norm(normal))
    if size == 0.0:
        return
    middle, normal = depth @ places / depth.sum(), normal / size
    points = [frames[k.full_name].T @ (middle - origins[k.full_name]) for k in (a, b)]
    speeds = [sim.mechanics.jacobian(sim.q, k.full_name, p)[3:] @ sim.v for k, p in zip((a, b), points)]
    nearing = float((speeds[1] - speeds[0]) @ normal)
    if nearing <= 0.0:
        return
    back = world.constants["collisione"] * nearing
    back = max(back if back > SLOW else 0.0, OUT * float(depth[0]) / world.dt)
    collide(
        sim,
        a.full_name,
        points[0],
        normal,
        other=b.full_name,
        restitution=back / nearing,
        friction=world.constants["collisionfric"],
    )


def _log(world: ScriptWorld, sim: Simulation, name: str) -> None:
    depth, _, forces = _touching(sim, name)
    if len(depth):
        total = float(np.linalg.norm(forces.sum(axis=0)))
        with world.worlds.interpreter.files.to_write(world.collision_log).open("a", encoding="utf-8") as stream:
            stream.write(
                f"{float(sim.time):.9g} {name}: {len(depth)} points, depth {depth[0]:.6g} m, force {total:.6g} N\n"
            )
