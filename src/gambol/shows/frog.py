"""Legs and arms with muscles: the force field of a frog's leg, an arm with antagonists. `gambol view frog`."""

import numpy as np

from gambol import Body, Capsule, Figure, Joint, JointSpring, Muscle, Part, Placement, Simulation, Sphere, World
from gambol.experiments.person.frog import DAMPING, EXTENSORS, FLEXORS, Activation, bent, by_statics, frog_leg, reach
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring

SHOWN, ARROW = 8, 0.016  # arrows along each side of the fan; [m] for the largest force of both muscles at work
JOINTS = ("thigh", "shank")
BONE, HAND = (0.85, 0.82, 0.74), (0.86, 0.66, 0.53)
UPPER, LOWER = 0.30, 0.28  # [m]


@show("frog", also=("person-frog",))
def frog() -> LiveSource:
    """The force field of a frog's leg: pull the ankle through it, and set how active flexors and extensors are."""
    muscles = {"flexors": FLEXORS, "extensors": EXTENSORS}
    active = {"flexors": 1.0, "extensors": 0.0}
    forces = [JointSpring(name=f"{joint} damper", joint=joint, stiffness=0.0, damping=DAMPING) for joint in JOINTS]
    for name, own in muscles.items():
        for joint, rest, stiffness in zip(JOINTS, own.rest, own.stiffness):
            share = active[name] * stiffness
            forces.append(JointSpring(name=f"{joint} {name}", joint=joint, rest=rest, stiffness=share))
    sim = Simulation(with_mouse_spring(World(frog_leg(), (0.0, 0.0, 0.0), forces)), ledger=False)
    sim.reset(bent(np.array([0.05, 0.02])))

    def activity(name: str) -> float:
        return float(sim.elements[f"thigh {name}"].get("stiffness")) / muscles[name].stiffness[0]

    def activate(name: str, share: float) -> None:
        for joint, stiffness in zip(JOINTS, muscles[name].stiffness):
            sim.elements[f"{joint} {name}"].set("stiffness", float(share) * stiffness)

    places = reach(SHOWN)
    most = float(np.linalg.norm(by_statics(places, FLEXORS, EXTENSORS), axis=1).max())

    def field() -> np.ndarray:
        acting = [
            Activation(own.rest, tuple(activity(name) * s for s in own.stiffness))  # type: ignore[arg-type]
            for name, own in muscles.items()
        ]
        lines = np.zeros((len(places), 2, 3))
        lines[:, :, :2] = places[:, None]
        lines[:, 1, :2] += by_statics(places, *acting) * ARROW / most
        return lines

    turned = [
        Parameter(name, lambda name=name: activity(name), lambda x, name=name: activate(name, x), 0.0, 1.5)  # type: ignore[misc]
        for name in muscles
    ]
    return LiveSource(sim, parameters=turned, ground=-0.012, field=field, strength=0.5, title="frog's leg")


@show("muscles")
def arm() -> LiveSource:
    """An arm that hangs, moved by two pairs of antagonists; show `muscles`, set how active each is."""
    paths = {
        "deltoid": (("", (-0.03, 0.0, 0.05)), ("arm/upper", (0.035, 0.0, -0.12))),
        "latissimus": (("", (0.05, 0.0, -0.02)), ("arm/upper", (-0.035, 0.0, -0.12))),
        "biceps": (("arm/upper", (0.04, 0.0, -0.04)), ("arm/lower", (0.035, 0.0, -0.06))),
        "triceps": (("arm/upper", (-0.04, 0.0, -0.04)), ("arm/lower", (-0.035, 0.0, 0.02))),
    }
    start = {"deltoid": 0.6, "latissimus": 0.1, "biceps": 0.7, "triceps": 0.1}
    forces = [
        Muscle(name=name, path=path, stiffness=2000.0, damping=20.0, rest=0.05, activation=start[name])
        for name, path in paths.items()
    ]
    sim = Simulation(with_mouse_spring(World(_arm(), forces=forces)))
    sim.reset(np.array([0.3, 0.6]))

    def setter(name: str) -> Parameter:
        own = sim.elements[name]
        return Parameter(name, lambda: float(own.get("activation")), lambda x: own.set("activation", float(x)))

    return LiveSource(sim, parameters=[setter(name) for name in paths], ground=-0.75, title="arm with muscles")


def _arm() -> Figure:
    turn = Joint("hinge", (0.0, -1.0, 0.0), damping=0.2)
    shoulder = Part(Sphere(0.045), colour=BONE)
    upper = Part(Capsule(0.022, UPPER), Placement.at(0.0, 0.0, -0.5 * UPPER), colour=BONE)
    lower = Part(Capsule(0.018, LOWER), Placement.at(0.0, 0.0, -0.5 * LOWER), colour=BONE)
    hand = Part(Sphere(0.045), Placement.at(0.0, 0.0, -LOWER - 0.03), colour=HAND)
    return Figure(
        "arm",
        (
            Body("upper", joint=turn, parts=(shoulder, upper)),
            Body("lower", "upper", turn, Placement.at(0.0, 0.0, -UPPER), (lower, hand)),
        ),
    )
