"""Simulation 13: falls of the person and of the basic biped, with springs, without, with and without limits."""

import numpy as np

from gambol import Element, GroundContact, JointLimit, JointSpring, Simulation, World
from gambol.experiments.findings import answer, at_least, at_most, printed
from gambol.experiments.person.measuring import FRAME_TIME, film_strip, unloaded_state
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person90
from gambol.models.person import STEPPING, basic_biped, corners, ground, person_world, placed, posture


@experiment(
    "person-fall",
    f"{MCKENNA_1994}, 3.4, 7.1, Sim 13",
    "Falls: passive, with unloaded springs, with and without limits",
    states=[
        printed(
            "collapses",
            "passive: it collapses: height of the centre of mass after 3 s",
            "7.1, Sim 13",
            at_most(0.5, "below half of where it stands"),
            value="collapses",
            unit="m",
        ),
        printed(
            "pitches",
            "springs whose rest is the present angle: not preloaded, it pitches",
            "7.1, Sim 13",
            answer("forward", "as printed"),
            value="forward",
        ),
        printed(
            "toes",
            "its toes bend as it goes: most, second toe",
            "7.1, Sim 13",
            at_least(0.1, "to be seen: six degrees"),
            value="bend",
            unit="rad",
        ),
        printed(
            "knees-free",
            "basic biped without limits: knees bend backwards: farthest",
            "3.4, Fig. 18",
            at_most(-0.5, "thirty degrees the wrong way"),
            value="backwards",
            unit="rad",
        ),
        printed(
            "knees-limited",
            "with limits they do not: farthest",
            "3.4, Fig. 18",
            at_least(-0.1, "hardly beyond straight"),
            value="natural",
            unit="rad",
        ),
    ],
)
def fall(context: ExperimentContext) -> Findings:
    figure = person90()
    start = placed(figure, posture())
    ends = {}
    for name, passive in (("passive", True), ("springs", False)):
        sim = Simulation(person_world(figure, passive=passive), stepping=STEPPING, ledger=False)
        sim.reset(start)
        unloaded_state(sim).apply(sim)
        path = sim.run(3.0, every=FRAME_TIME)
        film_strip(context, name, path, [0.03, 0.5, 1.0, 1.5, 2.0, 3.0])
        heights = np.array([sim.mechanics.centre_of_mass(q)[2] for q in path.q])
        ends[name] = path, heights, sim
    yield context.found("collapses", ends["passive"][1][-1])
    path, heights, sim = ends["springs"]
    down = path.time[np.argmax(heights < 0.75)] if heights.min() < 0.75 else np.inf
    centre = sim.mechanics.centre_of_mass(path.q[np.searchsorted(path.time, down) if np.isfinite(down) else -1])
    toes = path.q[:, sim.coordinates("l_phal2.2")][:, 0]
    where = "forward" if centre[0] > 0.1 else "backward" if centre[0] < -0.1 else "sideways"
    yield context.found("pitches", where, note=f"in {down:.2f} s")
    yield context.found("toes", np.abs(toes - toes[0]).max())
    yield from biped_falls(context)


def biped_world(limits: bool) -> World:
    """The basic biped with weak dampers; limits keep its knees from bending backwards."""
    figure = basic_biped()
    forces: list[Element] = [
        JointSpring(name=b.name, joint=b.name, stiffness=0.0, damping=1.0) for b in figure.bodies if b.parent
    ]
    if limits:
        ranges = {"thigh": (-2.2, 1.0), "shank": (0.0, 2.5), "foot": (-0.8, 0.8), "head": (-0.8, 0.9)}
        for body in figure.bodies:
            if body.parent:
                lower, upper = ranges[body.name.split("_")[-1]]
                forces.append(
                    JointLimit(
                        name=f"{body.name} limit",
                        joint=body.name,
                        lower=lower,
                        upper=upper,
                        strength=6.2,
                        rise=10.0,
                        damping=0.62,
                    )
                )
    for body in figure.bodies:
        points = tuple(map(tuple, corners(body.parts[0])))
        forces.append(GroundContact(name=f"{body.name} contact", body=body.name, points=points, surface=ground()))
    return World(figure, forces=forces)


def biped_falls(context: ExperimentContext) -> Findings:
    """The basic biped falls, its knees free and with limits."""
    knees = {}
    for limits in (False, True):
        sim = Simulation(biped_world(limits), stepping=STEPPING, ledger=False)
        q = sim.q.copy()
        q[sim.coordinates("l_shank")] = q[sim.coordinates("r_shank")] = -0.02
        q[sim.coordinates("l_thigh")] = q[sim.coordinates("r_thigh")] = 0.01
        sim.reset(q)
        path = sim.run(2.0, every=FRAME_TIME)
        knees[limits] = float(path.q[:, sim.coordinates("l_shank")].min())
        film_strip(context, f"biped-{'limits' if limits else 'free'}", path, [0.03, 0.5, 0.8, 1.1, 1.5, 2.0])
    yield context.found("knees-free", knees[False])
    yield context.found("knees-limited", knees[True])
