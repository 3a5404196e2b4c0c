"""Collisions of single bodies by impulses (`collisionanalysis`), and the log of who touches whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.corpus.contact_elements import impulsive, pair_name

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.worlds import ScriptWorld
    from gambol.world.simulation import Simulation


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
    middle = depth @ places / depth.sum()
    collide(
        sim,
        a.full_name,
        frames[a.full_name].T @ (middle - origins[a.full_name]),
        normal / size,
        other=b.full_name,
        restitution=world.constants["collisione"],
        friction=world.constants["collisionfric"],
    )


def _log(world: ScriptWorld, sim: Simulation, name: str) -> None:
    depth, _, forces = _touching(sim, name)
    if len(depth):
        total = float(np.linalg.norm(forces.sum(axis=0)))
        with world.worlds.interpreter.files.to_write(world.collision_log).open("a", encoding="utf-8") as stream:
            stream.write(f"{world.time:.9g} {name}: {len(depth)} points, depth {depth[0]:.6g} m, force {total:.6g} N\n")
