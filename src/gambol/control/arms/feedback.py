"""Feedback of a limb: at every stage of every step (PD), or sampled and held, and then not too seldom.

A law that is sampled every T seconds and held acts T/2 late on the average. On a light link that makes stable gains
unstable: with inertia M the error obeys M e'' = −K_p e − K_d e' between samples with the right side held, and grows
where a step of that map has an eigenvalue beyond 1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.control.arms.gains import PD, ComputedTorque
from gambol.control.arms.trajectories import Target
from gambol.control.continuous import ContinuousController
from gambol.dynamics.layout import Layout
from gambol.errors import Notice
from gambol.world.elements import ElementHandle
from gambol.world.simulation import Simulation
from gambol.world.world import World

BISECTIONS = 40
LONGEST = 10.0  # [s] longer periods are not asked for


def pd_law(t, q, v, x, p):
    """−stiffness · e − damping · e' about a target that is a cubic of time since `since`."""
    s = t - p.since
    place = p.place + s * (p.speed + s * (p.bend + s * p.twist))
    speed = p.speed + s * (p.bend * 2.0 + s * (p.twist * 3.0))
    return (p.stiffness * (place - q[0]) + p.damping * (speed - v[0]),), ()


def _coordinates(layout: Layout) -> list[tuple[str, str | tuple[str, int]]]:
    """Name and coordinate of the feedback at every coordinate, in the order of speeds."""
    found: list[tuple[str, str | tuple[str, int]]] = []
    for entry in layout.bodies:
        many = len(entry.speeds) > 1
        found += [
            (f"feedback at {entry.name}" + (f" {k}" if many else ""), (entry.name, k) if many else entry.name)
            for k in range(len(entry.speeds))
        ]
    return found


def with_feedback(world: World, law: PD) -> World:
    """The world with a PD law at every joint, as force elements that act at every stage."""
    places = _coordinates(world.layout)
    gains = [np.broadcast_to(gain, len(places)) for gain in (law.stiffness, law.damping)]
    target = dict.fromkeys(("place", "speed", "bend", "twist", "since"), 0.0)
    controllers = [
        ContinuousController(
            name=name,
            law=pd_law,
            coordinates=(place,),
            parameters={"stiffness": float(stiffness), "damping": float(damping)} | target,
        )
        for (name, place), stiffness, damping in zip(places, *gains)
    ]
    return replace(world, forces=(*world.forces, *controllers))


def set_target(run: Simulation, now: Target, then: Target, interval: float) -> None:
    """Tells continuous feedback where the joints should be over the next interval [s]: a cubic that meets the
    trajectory `now` and `then`, in position and speed."""
    way = then.q - now.q
    rows = {
        "place": now.q,
        "speed": now.v,
        "bend": 3.0 * way / interval**2 - (2.0 * now.v + then.v) / interval,
        "twist": -2.0 * way / interval**3 + (now.v + then.v) / interval**2,
    }
    feedback = feedback_of(run)
    for name, values in rows.items():
        full = np.broadcast_to(values, (run.worlds, len(feedback)))
        feedback.set(name, full if run.worlds > 1 else full[0])
    feedback.set("since", run.latest_time)


def let_go(run: Simulation, worlds: np.ndarray) -> None:
    """These worlds (a mask) have no feedback any more."""
    for gain in ("stiffness", "damping"):
        feedback_of(run).set(gain, 0.0, worlds=np.flatnonzero(worlds))


def feedback_of(run: Simulation) -> ElementHandle:
    """The elements of `with_feedback`, as one."""
    return run.elements[tuple(name for name, _ in _coordinates(run.layout))]


def longest_period(mass_matrix: np.ndarray, stiffness: Any, damping: Any) -> float:
    """[s] the longest period at which gains [N·m/rad, N·m·s/rad] that are sampled and held still let errors die out."""
    n = len(mass_matrix)
    mobility = np.linalg.inv(mass_matrix)
    gains = (np.diag(np.broadcast_to(g, (n,)).astype(float)) for g in (stiffness, damping))
    pull, drag = (mobility @ gain for gain in gains)
    one = np.eye(n)

    def grows(period: float) -> bool:
        half = 0.5 * period**2
        step = np.block([[one - half * pull, period * one - half * drag], [-period * pull, one - period * drag]])
        return bool(np.max(np.abs(np.linalg.eigvals(step))) > 1.0 + 1e-9)

    low, high = 0.0, LONGEST
    if not grows(high):
        return math.inf
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(middle) else (middle, high)
    return low


def period_notice(run: Simulation, law: Any, period: float) -> Notice | None:
    """What there is to say of a law that is sampled too seldom for its gains and the inertia it moves."""
    if not isinstance(law, PD):
        return None
    q = np.atleast_2d(run.q)[0]
    matrix = np.eye(run.layout.nv) if isinstance(law, ComputedTorque) else run.mechanics.mass_matrix(q)
    longest = longest_period(matrix, law.stiffness, law.damping)
    if period <= longest:
        return None
    mobility = np.diagonal(np.linalg.inv(matrix))
    light = run.layout.speed_names[int(np.argmax(mobility * law.damping))]
    what = (
        f"its torques are held for {period:g} s; with these gains and the inertia at {light}"
        f" ({1 / mobility.max():.3g} kg·m²) errors grow beyond {longest:.2g} s"
    )
    remedy = f"period={longest / 3:.1g}, or lower gains" + (", or period=None" if type(law) is PD else "")
    return Notice(what, f"limb control {law.name}", {"period": period, "longest": longest}, remedy)
