"""What forces between moving bodies cost: the implicit pair beside the explicit one at no larger error.

A hexapod carries a box on its back by contact; a person hangs in the air with twenty muscles across its joints.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gambol.bench.result import Result
from gambol.bench.standing import FOOT_POINT, FOOT_RADIUS, JOINT_DAMPING, JOINT_STIFFNESS, standing_hexapod
from gambol.figure import Figure, box_figure
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.element import Element
from gambol.forces.joint_spring import JointSpring
from gambol.forces.muscle import Muscle
from gambol.models import person90
from gambol.stepping.options import Stepping
from gambol.world.mechanics import Mechanics
from gambol.world.simulation import Simulation
from gambol.world.world import World

CARRY_CASE, MUSCLE_CASE = "hexapod-carrying", "person-muscles"
LOAD_SIZE, LOAD_MASS = (0.12, 0.08, 0.05), 0.4  # [m], [kg]
BACK = (0.0, 0.0, 0.03)  # [m, trunk frame]
COUPLED_SECONDS = 0.2
IMPLICIT_EPS = 1e-3
EXPLICIT_EPS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)  # to choose from, in the norm of the implicit pair
MUSCLES = 20


def springs(figure: Figure, q: np.ndarray, stiffness: float, damping: float) -> list[Element]:
    """A spring at every joint with as many positions as speeds, at rest at q."""
    return [
        JointSpring(joint=body.name, stiffness=stiffness, damping=damping, rest=float(q[at][0]))
        for body in figure.bodies[1:]
        for at in (figure.position_slices[body.name],)
        if at.stop - at.start == 1
    ]


def carrying_hexapod(stepping: Stepping) -> Simulation:
    """A hexapod on its feet with a box on its back, just before they touch."""
    figure, q, feet = standing_hexapod()
    trunk = figure.bodies[0]
    mechanics = Mechanics(figure)
    load = box_figure(LOAD_SIZE, mass=LOAD_MASS, name="load")
    weight = 9.81 * (figure.mass + LOAD_MASS)
    ground = Surface.bearing(weight, points=len(feet), sinkage=5e-4, friction=0.8)
    forces = springs(figure, q, JOINT_STIFFNESS, JOINT_DAMPING)
    forces += [GroundContact(body=foot, points=(FOOT_POINT,), radius=FOOT_RADIUS, surface=ground) for foot in feet]
    grip = Surface.bearing(9.81 * LOAD_MASS, points=6, sinkage=2e-4, friction=0.8)
    forces.append(BodyContact(body="load", other=trunk.name, surface=grip))
    sim = Simulation(World([figure, load], forces=forces), stepping=stepping, ledger=False)
    place = mechanics.point(q, trunk.name, BACK) + np.array([0.0, 0.0, LOAD_SIZE[2] / 2 + 1e-4])
    sim.reset(np.concatenate([q, place, [1.0, 0.0, 0.0, 0.0]]))
    return sim


def muscled_person(stepping: Stepping) -> Simulation:
    """A person in the air, arms and legs pulled by muscles between every second body and its grandparent."""
    figure = person90()
    q = np.array(figure.zero)
    mechanics = Mechanics(figure)
    bodies = {body.name: body for body in figure.bodies}
    spans = [
        (body, bodies[body.parent])
        for body in figure.bodies
        if body.parent and bodies[body.parent].parent and figure.distal_mass(body.name) > 0.05
    ]
    chosen = [spans[k] for k in np.linspace(0, len(spans) - 1, MUSCLES).astype(int)]
    forces = springs(figure, q, 20.0, 0.5)
    for body, parent in chosen:
        path = [(parent.parent, (0.02, 0.0, 0.0)), (body.name, (0.02, 0.0, 0.0))]
        length = float(np.linalg.norm(np.subtract(*(mechanics.point(q, b, at) for b, at in path))))
        forces.append(Muscle(path=path, stiffness=5e3, damping=20.0, rest=0.98 * length))
    sim = Simulation(World(figure, (0.0, 0.0, 0.0), forces=forces), stepping=stepping, ledger=False)
    sim.reset(q)
    return sim


def compare(case: str, metric: str, make: Callable[[Stepping], Simulation], rounds: int) -> Result:
    """Simulated seconds per second of both pairs; the explicit one at the loosest tolerance with no larger error."""
    implicit = make(Stepping(method="implicit-pair", eps=IMPLICIT_EPS))
    norm = replace(implicit.stepping, method="rkf45")
    exact = make(replace(norm, method="dormand-prince", eps=1e-9))
    start = exact.q.copy()
    exact.run(COUPLED_SECONDS)
    error = _error(implicit, start, exact.q)
    explicit, found = implicit, np.inf
    for eps in EXPLICIT_EPS:
        explicit = make(replace(norm, eps=eps))
        found = _error(explicit, start, exact.q)
        if found <= error:
            break
    rates = [max(_rate(sim, start) for _ in range(rounds)) for sim in (implicit, explicit)]
    notes = (
        f"{case}: errors {error:.1e} (implicit, {implicit.counts['steps']:.0f} steps) and {found:.1e}"
        f" (explicit, eps {explicit.stepping.eps:g}, {explicit.counts['steps']:.0f} steps) in {COUPLED_SECONDS:g} s",
    )
    return Result.of_rates(case, metric, "s/s", rates[0], {"explicit pair": rates[1]}, None, notes)


def _error(sim: Simulation, start: np.ndarray, exact: np.ndarray) -> float:
    sim.reset(start)
    sim.run(COUPLED_SECONDS)
    return float(np.abs(sim.q - exact).max())


def _rate(sim: Simulation, start: np.ndarray) -> float:
    sim.reset(start)
    began = time.perf_counter()
    sim.run(COUPLED_SECONDS)
    return COUPLED_SECONDS / (time.perf_counter() - began)


def measure_carrying(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The hexapod with its box."""
    metric = "a hexapod carrying a box on its back: simulated seconds per second, implicit pair"
    progress()
    return [compare(CARRY_CASE, metric, carrying_hexapod, rounds)]


def measure_muscles(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The person with its muscles."""
    metric = f"a person with {MUSCLES} muscles: simulated seconds per second, implicit pair"
    progress()
    return [compare(MUSCLE_CASE, metric, muscled_person, rounds)]
