"""A rope tied to an arm: objects that offer four routines are constrained together (§2.4.3)."""

import numpy as np

from gambol import (
    Attachment,
    BoundObjects,
    FigureObject,
    Join,
    Simulation,
    Stepping,
    Tie,
    World,
    chain,
    rope,
)
from gambol.experiments.findings import at_most, derived, ours, within
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.figure import Body, Figure, Joint, Part, Sphere

HAND = ("chain_1", (0.0, 0.0, -0.5))
START = (1.2, 0.4)  # [rad] of the arm
BEADS, LENGTH, MASS, STIFFNESS = 5, 0.5, 0.15, 300.0  # [m], [kg], [N/m]


def bound_rope(step: float, damping: float) -> BoundObjects:
    """The arm, and a rope that begins at its hand and hangs down."""
    arm = FigureObject(World(chain(2, length=0.5)), q=START)
    line = rope(BEADS, length=LENGTH, mass=MASS, start=arm.point_motion(HAND)[0], stiffness=STIFFNESS, damping=damping)
    line.slack = False
    return BoundObjects({"arm": arm, "rope": line}, [Tie("rope", 0, "arm", HAND)], step=step)


def compiled_rope(damping: float) -> Simulation:
    """The same of bodies: beads with springs between them, the first joined to the hand."""
    figures = [chain(2, length=0.5)]
    parts = (Part(Sphere(1e-4), mass=MASS / BEADS),)
    figures += [Figure(f"bead{k}", (Body("bead", joint=Joint("free"), parts=parts),)) for k in range(BEADS)]
    rest = LENGTH / (BEADS - 1)
    springs = [
        Attachment(body=f"bead{k}/bead", other=f"bead{k + 1}/bead", stiffness=STIFFNESS, damping=damping, rest=rest)
        for k in range(BEADS - 1)
    ]
    join = Join(body="bead0/bead", to="chain/chain_1", at=HAND[1], rate=20.0)
    sim = Simulation(
        World(figures, forces=springs, constraints=[join]),
        stepping=Stepping(method="dormand-prince", eps=1e-9),
    )
    hand = sim.mechanics.point([*START, *([0, 0, 0, 1, 0, 0, 0] * BEADS)], "chain/chain_1", HAND[1])
    beads = [(hand[0], hand[1], hand[2] - k * rest, 1.0, 0.0, 0.0, 0.0) for k in range(BEADS)]
    sim.reset([*START, *np.ravel(beads)])
    return sim


@experiment(
    "limbs-rope",
    f"{MITCHELL_1997}, §2.4.3",
    "A rope tied to an arm by the four routines",
    states=[
        derived(
            "same",
            "any object with the four routines is constrained with the rest: distance of the rope's free end from that"
            " of the same rope in joint coordinates and compiled constraints, over 1 s",
            "§2.4.3",
            at_most(1e-5, "Runge–Kutta steps of 1 ms on springs of 80 rad/s"),
            unit="m",
            differs="a rope is chaotic: what the steppers differ by, 1e-11 m at first, grows as it whips",
        ),
        ours("same-early", "… over the first 0.2 s", at_most(1e-8, "the tolerances of both"), unit="m"),
        ours("gap", "hand and rope apart: at most", at_most(1e-5, "a hundredth of a millimetre"), unit="m"),
        ours("energy", "without damping energy is kept: largest change, of its range", at_most(1e-3, "steps of 1 ms")),
        ours("order", "the change falls with the step: order", within(4.0, 1.0, "classical Runge–Kutta steps")),
        ours("pull", "largest pull of the rope on the hand", unit="N"),
    ],
)
def rope_on_arm(context: ExperimentContext) -> Findings:
    context.log("rope and arm, bound by the four routines")
    bound = bound_rope(1e-3, 0.2)
    path = bound.run(1.0, every=0.02)
    context.log("the same of bodies")
    want = compiled_rope(0.2).run(1.0, every=0.02)
    places = path.states["rope"][:, : 3 * BEADS].reshape(-1, BEADS, 3)
    free = want.q[:, -7:-4]
    apart = np.abs(places[1:, -1] - free).max(axis=1)
    yield context.found("same", apart.max(), note=f"{apart[9]:.1g} m at 0.2 s, {apart[24]:.1g} m at 0.5 s")
    yield context.found("same-early", apart[:10].max())
    yield context.found("gap", path.gap.max())
    changes = []
    for step in (2e-3, 1e-3):
        still = bound_rope(step, 0.0).run(0.5, every=0.02)
        moving = [_kinetic(still.states["rope"][k]) for k in range(len(still.time))]
        changes.append(np.ptp(still.energy) / max(np.ptp(moving), 1e-9))
    yield context.found("energy", changes[1])
    yield context.found("order", np.log2(changes[0] / changes[1]))
    pull = np.linalg.norm(path.force[:, 0], axis=1)
    _draw(context, bound, path, places, free, pull)
    yield context.found("pull", pull.max())


def _kinetic(state: np.ndarray) -> float:
    return 0.5 * MASS / BEADS * float(np.sum(state[len(state) // 2 :] ** 2))


def _draw(context: ExperimentContext, bound: BoundObjects, path, places, free, pull) -> None:
    curves = []
    for k in range(0, len(path.time), 10):
        bound.objects["arm"].put(path.time[k], path.states["arm"][k])
        arm = np.array([bound.objects["arm"].point_motion(p)[0] for p in ("chain_0", HAND[0], HAND)])
        line = np.concatenate([arm, places[k]])
        curves.append(PlotCurve(line[:, 0], line[:, 2], f"{path.time[k]:.1f} s", "o-"))
    end = [PlotCurve(places[:, -1, 0], places[:, -1, 2], "four routines")]
    end.append(PlotCurve(free[::2, 0], free[::2, 2], "compiled", "o"))
    draw_panels(
        context,
        "rope",
        [
            PlotPanel("arm and rope", "x [m]", "z [m]", curves),
            PlotPanel("the free end", "x [m]", "z [m]", end),
            PlotPanel("pull on the hand", "t [s]", "[N]", [PlotCurve(path.time, pull)]),
        ],
    )
