"""The force field of a frog's leg (8.2): springs at hip and knee are active, the ankle is pulled through its reach.

The source tells how it is measured and prints neither sizes nor results, so all that is found here is ours. The leg is
that of a bullfrog, in the horizontal plane, without gravity: thigh and shank of 45 mm, 8 and 5 g. A muscle activation
is a pair of rest angles and stiffnesses of hip and knee.
"""

from typing import NamedTuple

import numpy as np

from gambol import Body, Capsule, Figure, Joint, JointSpring, Nail, Part, Placement, Simulation, World
from gambol.experiments.findings import ALWAYS, Rate, at_most, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.plot import CURVE_COLOURS, canvas, dress

THIGH, SHANK = 0.045, 0.045  # [m]
MASSES = (0.008, 0.005)  # [kg]
SETTLE, RELEASED, DAMPING = 0.15, 3.0, 2e-4  # [s], [s]: ten times 2I/b of the straight leg, [N·m·s/rad]
ANKLE = (SHANK, 0.0, 0.0)


class Activation(NamedTuple):
    """Of the muscles: rest angles [rad] and stiffness [N·m/rad] of hip and knee."""

    rest: tuple[float, float]
    stiffness: tuple[float, float]


FLEXORS = Activation((0.9, -1.9), (0.020, 0.012))
EXTENSORS = Activation((0.1, -0.6), (0.012, 0.018))


def frog_leg() -> Figure:
    """Hip, thigh, knee and shank; the ankle is the end of the shank."""
    along = lambda length: Placement.about((0.0, 1.0, 0.0), 0.5 * np.pi, (0.5 * length, 0.0, 0.0))
    turn = Joint("hinge", (0.0, 0.0, 1.0))
    thigh = Part(Capsule(0.006, THIGH), along(THIGH), mass=MASSES[0], colour=(0.35, 0.55, 0.25))
    shank = Part(Capsule(0.004, SHANK), along(SHANK), mass=MASSES[1], colour=(0.40, 0.60, 0.30))
    knee = Placement.at(THIGH, 0.0, 0.0)
    return Figure("frog", (Body("thigh", joint=turn, parts=(thigh,)), Body("shank", "thigh", turn, knee, (shank,))))


def bent(place: np.ndarray) -> np.ndarray:
    """Angles of hip and knee [rad] that put the ankle at a place of the plane [m]."""
    far = float(np.hypot(*place))
    knee = -float(np.arccos(np.clip((far**2 - THIGH**2 - SHANK**2) / (2 * THIGH * SHANK), -1.0, 1.0)))
    hip = np.arctan2(place[1], place[0]) - np.arctan2(SHANK * np.sin(knee), THIGH + SHANK * np.cos(knee))
    return np.array([hip, knee])


def springs(*activations: Activation) -> list[JointSpring]:
    """Those of all muscles that are active, side by side, and the leg's own damping."""
    made = [JointSpring(name=f"{j} damper", joint=j, stiffness=0.0, damping=DAMPING) for j in ("thigh", "shank")]
    for k, (rest, stiffness) in enumerate(activations):
        pairs = zip(("thigh", "shank"), rest, stiffness)
        made += [JointSpring(name=f"{joint} {k}", joint=joint, rest=x, stiffness=s) for joint, x, s in pairs]
    return made


def measured(places: np.ndarray, *activations: Activation) -> np.ndarray:
    """Forces of the leg on what holds its ankle [N], (places, 2): held there until it is at rest, then read."""
    found = []
    for place in places:
        nail = Nail(name="hand", body="shank", point=ANKLE, place=(float(place[0]), float(place[1]), 0.0), rate=60.0)
        world = World(frog_leg(), (0.0, 0.0, 0.0), springs(*activations), constraints=[nail])
        sim = Simulation(world, ledger=False)
        sim.reset(bent(place) + np.array([0.05, -0.05]))
        sim.run(SETTLE)
        found.append(-sim.constraints.now().force["hand"][:2])
    return np.array(found)


def by_statics(places: np.ndarray, *activations: Activation) -> np.ndarray:
    """J⁻ᵀ τ of the springs."""
    found = []
    for place in places:
        q = bent(place)
        torque = sum(np.array(s) * (np.array(r) - q) for r, s in activations)
        a, b = q[0], q[0] + q[1]
        J = np.array(
            [
                [-THIGH * np.sin(a) - SHANK * np.sin(b), -SHANK * np.sin(b)],
                [THIGH * np.cos(a) + SHANK * np.cos(b), SHANK * np.cos(b)],
            ]
        )
        found.append(np.linalg.solve(J.T, torque))
    return np.array(found)


def reach(count: int) -> np.ndarray:
    """Places of the ankle [m]: a fan from 0.4 to 0.9 of the leg's length."""
    far = np.linspace(0.4, 0.9, count) * (THIGH + SHANK)
    angle = np.linspace(-1.0, 1.2, count)
    return np.array([(r * np.cos(a), r * np.sin(a)) for r in far for a in angle])


def released(places: np.ndarray, activation: Activation) -> np.ndarray:
    """Where the ankle is [m] some time after it is let go at these places, at rest."""
    world = World(frog_leg(), (0.0, 0.0, 0.0), springs(activation))
    sim = Simulation(world, worlds=len(places), ledger=False)
    sim.reset(np.array([bent(place) for place in places]))
    sim.run(RELEASED)
    return np.array([sim.mechanics.point(q, "shank", ANKLE)[:2] for q in sim.q])


def rest_place(activation: Activation) -> np.ndarray:
    """Where the ankle is at rest [m]."""
    a, b = activation.rest[0], sum(activation.rest)
    return np.array([THIGH * np.cos(a) + SHANK * np.cos(b), THIGH * np.sin(a) + SHANK * np.sin(b)])


@experiment(
    "person-frog",
    f"{MCKENNA_1994}, 8.2",
    "The force field of a frog's leg",
    states=[
        ours(
            "measured",
            "forces on what pulls the ankle from place to place, against the statics of the springs: largest difference"
            " of three fields, of the largest force",
            at_most(0.01, "a hundredth of the scale of a figure"),
        ),
        ours(
            "converges",
            f"let go at the places of the field, the ankle comes to the rest of the activation within {RELEASED:g} s,"
            " to a millimetre: share of the places, two activations",
            ALWAYS,
        ),
        ours(
            "adds",
            "fields of two activations add when both are active: largest difference, of the largest force",
            at_most(0.01, "a hundredth of the scale of a figure"),
        ),
        ours("largest", "largest force", unit="N"),
    ],
)
def force_field(context: ExperimentContext) -> Findings:
    places = reach(4 if context.quick else 8)
    fields = {
        "flexors": measured(places, FLEXORS),
        "extensors": measured(places, EXTENSORS),
        "both": measured(places, FLEXORS, EXTENSORS),
    }
    _draw(context, places, fields)
    largest = max(float(np.linalg.norm(f, axis=1).max()) for f in fields.values())
    active = {"flexors": (FLEXORS,), "extensors": (EXTENSORS,), "both": (FLEXORS, EXTENSORS)}
    off = max(float(np.abs(fields[name] - by_statics(places, *active[name])).max()) for name in fields)
    yield context.found("measured", off / largest)
    home = [np.linalg.norm(released(places, a) - rest_place(a), axis=1) < 1e-3 for a in (FLEXORS, EXTENSORS)]
    reached = Rate(int(np.sum(home)), 2 * len(places))
    yield context.found("converges", reached.value, note=f"{reached} releases")
    yield context.found("adds", np.abs(fields["flexors"] + fields["extensors"] - fields["both"]).max() / largest)
    yield context.found("largest", largest)


def _draw(context: ExperimentContext, places: np.ndarray, fields: dict[str, np.ndarray]) -> None:
    picture = canvas(11.0, 4.2)
    for k, (axes, (name, field)) in enumerate(zip(picture.subplots(1, 3, sharex=True, sharey=True), fields.items())):
        axes.quiver(*(1e3 * places.T), *field.T, color=CURVE_COLOURS[k], angles="xy", width=0.005)
        axes.plot(0.0, 0.0, "ko", ms=4)
        if name != "both":
            axes.plot(*(1e3 * rest_place({"flexors": FLEXORS, "extensors": EXTENSORS}[name])), "x", color="k")
        axes.set_aspect("equal")
        dress(axes, x="forward of the hip [mm]", y="to the left [mm]" if k == 0 else "", title=name)
    context.save("field", picture)
