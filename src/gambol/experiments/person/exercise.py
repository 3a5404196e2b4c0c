"""Simulations 12, 14 and 15: drooping limbs, exercise without gravity, wiggling toes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol import ControlState, ExponentialSpring, Figure, Joint, MoveTo, Placement, Simulation, Then, World
from gambol.draw import Camera
from gambol.experiments.findings import about, at_least, at_most, beyond, derived, exactly, printed, within
from gambol.experiments.person.measuring import (
    EXPLICIT_STEPPING,
    FRAME_TIME,
    film_strip,
    perform,
    steps_per_frame,
    unloaded_state,
    with_joints,
)
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person
from gambol.plot import CURVE_COLOURS

DROOP_TABLE = (  # Table 7: joints, what is added, sub-steps a frame
    (32, (), 6),
    (42, ("metat",), 27),
    (52, ("phal.2",), 56),
    (62, ("phal.1",), 56),
    (80, ("toe",), 61),
    (84, ("nav", "cuboid"), 79),
)

LIMB_JOINTS = ("l_humerus1", "l_forearm", "l_thigh1", "l_shank", "l_talus")


# ---------------------------------------------------------------- Sim 12
def joint_subset(words: Sequence[str]) -> tuple[str, ...]:
    """Joints of the trunk and limbs, and those bones of the feet that the words name."""
    chosen = []
    for name in person.joint_table():
        added = any(
            name[2:].startswith(w.split(".")[0]) and (("." not in w) or name.endswith("." + w.split(".")[1]))
            for w in words
        )
        if not person.is_foot_bone(name) or added:
            chosen.append(name)
    return tuple(chosen)


def drooping_world(figure: Figure, damping: float = 1.0) -> World:
    """Trunk fixed and turned by -45° about y, gravity, no ground, dampers and limits only."""
    turned = Placement.about((0.0, 1.0, 0.0), np.radians(-45.0), (0.0, 0.0, 1.4))
    hung = figure.replace("abdomen", joint=Joint("fixed"), placement=turned)
    world = person.person_world(hung, passive=True, grounded=False)
    forces = [replace(e, damping=e.damping * damping) if isinstance(e, ExponentialSpring) else e for e in world.forces]
    return World(world.figures, world.gravity, forces)


RECONSTRUCTED = "inertias of the feet are a reconstruction, and the rule that shortens steps is not printed"


@experiment(
    "person-droop",
    f"{MCKENNA_1994}, 7.1, Sim 12, Table 7",
    "Limbs droop with the trunk held",
    states=[
        derived(
            "stopped",
            "limbs hang and are stopped by their limits: farthest beyond a limit, over what its printed spring gives"
            " under what hangs on it",
            "7.1, Sim 12; limits of the joint table",
            about(1.0),
            value="stopped",
        ),
        derived(
            "growth",
            "sub-steps a frame grow with the bones of the feet: 84 joints over 32 joints (Fehlberg, eps 1e-4)",
            "Table 7: 79 and 6",
            about(79 / 6),
            value=round(79 / 6, 1),
            differs=RECONSTRUCTED,
        ),
        *(
            printed(
                f"steps-{count}",
                f"sub-steps a frame with {count} joints",
                "Table 7",
                about(steps),
                value=steps,
                differs=RECONSTRUCTED,
            )
            for count, _, steps in DROOP_TABLE
        ),
        beyond(
            "steps-implicit",
            "84 joints with the implicit pair (eps 1e-2)",
            at_most(79, "the source's"),
            value=79,
            where="Table 7",
        ),
        printed(
            "damping",
            "ten times the damping visibly changes the motion: largest difference of an angle",
            "7.1, Sim 12",
            at_least(0.1, "“visibly”: six degrees"),
            value="visibly",
            unit="rad",
        ),
    ],
)
def droop(context: ExperimentContext) -> Findings:
    words: tuple[str, ...] = ()
    rates = []
    for _, more, _ in DROOP_TABLE:
        words += more
        names = joint_subset(words)
        sim = Simulation(drooping_world(with_joints(names)), stepping=EXPLICIT_STEPPING, ledger=False)
        rates.append(steps_per_frame(sim, 30))
    whole = Simulation(drooping_world(person.person90()), stepping=person.STEPPING, ledger=False)
    path = whole.run(3.0, every=FRAME_TIME)
    own = sum(whole.counts[k] for k in ("steps", "rejected")) / 90
    film_strip(
        context,
        "strip",
        path,
        [0.03, 0.2, 0.4, 0.6, 1.0, 3.0],
        camera=Camera(azimuth=-80.0, elevation=5.0, follow=False),
    )
    counts = [count for count, _, _ in DROOP_TABLE]
    title = "droop: stiffness of the feet"
    with context.axes("steps", 6.5, 3.0, x="joints", y="sub-steps a frame", title=title) as axes:
        axes.plot(counts, [p for _, _, p in DROOP_TABLE], "s-", color=CURVE_COLOURS[1], label="printed")
        axes.plot(counts, rates, "o-", color=CURVE_COLOURS[0], label="Fehlberg 4(5), eps 1e-4")
        axes.plot([84], [own], "^", color=CURVE_COLOURS[2], label="implicit pair, eps 1e-2")
    asked = limit_shares(whole)
    most = max(asked, key=lambda name: asked[name])
    yield context.found("stopped", asked[most], note=f"at {most}; {len(asked)} joints are on their limits")
    yield context.found("growth", rates[-1] / rates[0])
    for count, rate in zip(counts, rates):
        yield context.found(f"steps-{count}", rate)
    yield context.found("steps-implicit", own)
    yield from damping_shows(context)


def limit_shares(sim: Simulation) -> dict[str, float]:
    """How far joints are beyond their limits, over what gravity makes the limit's spring give there."""
    found = {}
    torque = sim.mechanics.gravity_torque(sim.q)
    for name, row in person.joint_table().items():
        if row.stop is not None:
            angle = float(sim.q[sim.coordinates(name)][0])
            excess = max(row.stop.lower - angle, angle - row.stop.upper)
            load = abs(float(torque[sim.speed_coordinates(name)][0]))
            if excess > 0.01:
                found[name] = excess / (np.log1p(load / row.stop.strength) / row.stop.rise)
    return found


def damping_shows(context: ExperimentContext) -> Findings:
    """Ten times the damping: does the motion look different?"""
    angles = {}
    for factor in (1.0, 10.0):
        sim = Simulation(drooping_world(person.rigid_foot(), factor), stepping=person.STEPPING, ledger=False)
        path = sim.run(1.0, every=FRAME_TIME)
        angles[factor] = {name: path.q[:, sim.coordinates(name)][:, 0] for name in LIMB_JOINTS}
    apart = {name: float(np.abs(angles[1.0][name] - angles[10.0][name]).max()) for name in LIMB_JOINTS}
    most = max(apart, key=lambda name: apart[name])
    yield context.found("damping", apart[most], note=f"at {most}")


# ---------------------------------------------------------------- Sims 14 and 15
@experiment(
    "person-exercise",
    f"{MCKENNA_1994}, 7.1, Sim 14, Script 4",
    "Exercise without gravity",
    states=[
        printed(
            "knees",
            "knees follow the programs to 2.5 rad and back",
            "Script 4",
            within(2.5, 0.05, "half of the last printed digit"),
            value=2.5,
            unit="rad",
        ),
        derived(
            "momentum",
            "nothing outside pushes: momentum stays: largest",
            "7.1, Sim 14: no gravity, no ground",
            at_most(0.68, "a centimetre a second of the whole figure"),
            value=0.0,
            unit="N·s",
        ),
        printed(
            "joints",
            "joints",
            "7.1, Sim 14",
            exactly(26),
            value=26,
            differs="deleting only what is below the ankles leaves 32; the source does not say which six more went",
        ),
        printed(
            "steps",
            "sub-steps a frame (Fehlberg, eps 1e-4)",
            "7.1, Sim 14",
            about(6.0),
            value=6,
            differs="six joints more, and reconstructed inertias",
        ),
    ],
)
def exercise(context: ExperimentContext) -> Findings:
    figure = person.rigid_foot()
    script = person.programs(4)
    moves = [script["arms-up"], *[script["move-in"], script["move-out"]] * 2]
    sim = Simulation(person.person_world(figure, gravity=0.0, grounded=False), stepping=person.STEPPING, ledger=False)
    sim.reset(person.placed(figure, person.posture()))
    unloaded_state(sim).apply(sim)
    program = Then(*(MoveTo(ControlState(move.rest), move.duration) for move in moves))
    knee = sim.coordinates("l_shank")
    shown = perform(sim, program, 6.0, every=FRAME_TIME, watch={"knee": lambda s: s.q[knee][0], "momentum": momentum})
    film_strip(
        context, "strip", shown, [0.0, 1.0, 1.6, 2.0, 2.6, 3.0, 4.0], camera=Camera(azimuth=-60.0, elevation=10.0)
    )
    yield context.found("knees", shown.watched["knee"].max())
    yield context.found("momentum", np.abs(shown.watched["momentum"][:, 3:]).max())
    yield context.found("joints", len(joint_names(figure)))
    again = Simulation(sim.world, stepping=EXPLICIT_STEPPING, ledger=False)
    again.reset(person.placed(figure, person.posture()))
    unloaded_state(again).apply(again)
    ControlState(script["arms-up"].rest).move(again, 1.0)
    yield context.found("steps", steps_per_frame(again, 30))


def momentum(sim: Simulation) -> np.ndarray:
    """Angular [N·m·s] and linear momentum [N·s], world axes."""
    return sim.mechanics.momentum(sim.q, sim.v)


def joint_names(figure: Figure) -> list[str]:
    """The bodies that hang on hinges."""
    return [body.name for body in figure.bodies if body.joint.type == "hinge"]


@experiment(
    "person-toes",
    f"{MCKENNA_1994}, 7.1, Sim 15, Script 5",
    "Toes wiggle",
    states=[
        *(
            printed(
                key,
                f"the big toe: {key} to",
                "Script 5",
                within(angle, 0.05, "half of the last printed digit"),
                value=angle,
                unit="rad",
            )
            for key, angle in (("extend", -0.9), ("flex", 0.9))
        ),
        printed(
            "steps",
            "sub-steps a frame (Fehlberg, eps 1e-4)",
            "7.1, Sim 15",
            about(54.0),
            value=54,
            differs=RECONSTRUCTED,
        ),
    ],
)
def toes(context: ExperimentContext) -> Findings:
    names = tuple(name for name in person.joint_table() if name.startswith("l_") and person.is_foot_bone(name))
    figure = with_joints(names).replace("abdomen", joint=Joint("fixed"))
    script = person.programs(5)
    world = person.person_world(figure, grounded=False)
    sim = Simulation(world, stepping=person.STEPPING, ledger=False)
    q = sim.q.copy()
    for name in names:
        q[sim.coordinates(name)] = person.joint_table()[name].standing
    sim.reset(q)
    unloaded_state(sim).apply(sim)
    program = Then(*(MoveTo(ControlState(script[key].rest), 0.5) for key in ("extend", "flex", "extend", "flex")))
    big = sim.coordinates("l_phal1.2")
    shown = perform(sim, program, 2.5, every=0.02, watch={"toe": lambda s: s.q[big][0]})
    heel = Camera(azimuth=-50.0, elevation=15.0, target=(0.1, 0.1, 0.05), distance=0.75)
    film_strip(context, "strip", shown, [0.0, 0.25, 0.5, 0.75, 1.0, 1.5], camera=heel)
    yield context.found("extend", shown.watched["toe"].min())
    yield context.found("flex", shown.watched["toe"].max())
    again = Simulation(world, stepping=EXPLICIT_STEPPING, ledger=False)
    again.reset(q)
    unloaded_state(again).apply(again)
    ControlState(script["extend"].rest).move(again, 0.5)
    yield context.found("steps", steps_per_frame(again, 15))
