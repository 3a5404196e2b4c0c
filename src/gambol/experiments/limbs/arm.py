"""Arms held by the hand through singular positions (§2.5)."""

import numpy as np

from gambol import Anchor, Binding, Nail, Simulation, StepError, Stepping, Trajectory, World
from gambol.experiments.findings import answer, at_least, at_most, exactly, far_below, orders_above, ours, printed
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.figure import Body, Cylinder, Figure, Joint, Part, Placement
from gambol.plot import CURVE_COLOURS, canvas
from gambol.plot.style import INK, PALE

NAIL_STRENGTH = 2e5  # [N]
NAIL_RATE = 4.0  # [1/s]
NAIL_POSITION, SPRING_POSITION = (0.0, 0.0, 2.0), (0.0, 0.0, 0.5)  # [m] on the z-axis; the source prints neither
LINK_MIDDLE, LINK_END = (0.5, 0.0, 0.0), (1.0, 0.0, 0.0)  # of a link
ADAPTIVE_STEPPING = Stepping(method="cash-karp", eps=1e-6)


def linked_cylinders(axes, *, root: Placement | None = None, name: str = "arm") -> Figure:
    """Cylinders of 1 m and 1 kg one after the other along x, hinged about the given axes."""
    bodies, before = [], None
    part = Part(Cylinder(0.05, 1.0), Placement.about((0, 1, 0), 0.5 * np.pi, LINK_MIDDLE), mass=1.0)
    for k, axis in enumerate(axes):
        place = Placement((1.0, 0.0, 0.0)) if k else (root or Placement())
        bodies.append(Body(f"link{k}", before, Joint("hinge", axis), place, (part,)))
        before = f"link{k}"
    return Figure(name, tuple(bodies))


def stretched_simulation(binding: Binding) -> Simulation:
    """The planar three-link arm, stretched along x, its hand drawn to a nail on the z-axis."""
    spring = Anchor(body="link2", point=LINK_MIDDLE, place=SPRING_POSITION, stiffness=10.0, damping=3.0)
    nail = Nail(name="nail", body="link2", point=LINK_END, place=NAIL_POSITION, rate=NAIL_RATE, strength=NAIL_STRENGTH)
    arm = linked_cylinders([(0.0, -1.0, 0.0)] * 3)
    return Simulation(World(arm, forces=[spring], constraints=[nail], binding=binding), stepping=ADAPTIVE_STEPPING)


START_SECONDS, START_SAMPLE = 0.05, 2e-5  # [s] looked at closely: the force falls within milliseconds


@experiment(
    "limbs-stretched-arm",
    f"{MITCHELL_1997}, figs. 2.9–2.11",
    "A stretched arm drawn to a nail",
    states=[
        printed("singular", "singular values near zero at the start", "fig. 2.11", exactly(2), value=2),
        printed(
            "residual",
            "the residual is large at first (a direction is given up)",
            "fig. 2.11",
            at_least(1.0, "of the order of the accelerations, where it is noise of 1e-15 later"),
            value="large",
            unit="m/s²",
        ),
        printed(
            "residual-drops",
            "… and becomes negligible abruptly when the force fits its bound: ratio from one sample to the next",
            "fig. 2.11",
            orders_above(1.0),
            value="abrupt",
        ),
        printed(
            "enormous",
            "near the singularity the force is enormous: its largest over that of the last second",
            "§2.5, fig. 2.10",
            orders_above(1.0),
            value="enormous",
            differs="once a direction is taken up again the arm has moved on: the force that fits is far below the"
            " bound",
        ),
        printed(
            "bounded",
            "the force never passes its bound (largest sampled)",
            "§2.5",
            at_most(NAIL_STRENGTH, "as printed"),
            value=NAIL_STRENGTH,
            unit="N",
        ),
        ours("cut", "evaluations in which a direction was given up for the bound"),
        printed(
            "converges",
            "damped exponential convergence: deviation at 5 s, of that at the start",
            "fig. 2.10",
            at_most(1e-3, "not to be seen in the figure"),
        ),
        printed(
            "plain",
            "plain SVD at machine precision wrecks the integration",
            "§2.3.4",
            answer("stopped", "the run cannot go on"),
            value="unacceptable",
        ),
    ],
)
def stretched_arm(context: ExperimentContext) -> Findings:
    sim = stretched_simulation(Binding())
    first = sim.constraints.now()
    close = sim.run(START_SECONDS, every=START_SAMPLE)
    early = sim.constraints.diagnose(close)
    path = sim.run(5.0 - START_SECONDS, every=1.0 / 240.0)
    log = sim.constraints.diagnose(path)
    t, force = path.time, log.size(log.force, "nail")
    draw_panels(context, "channels", _channels(t, log, force))
    _frames(context, path)
    yield context.found("singular", np.sum(first.singular_values < 1e-6 * first.singular_values[0]))
    yield context.found("residual", first.residual)
    residual = np.maximum(np.concatenate([[first.residual], early.residual, log.residual]), 1e-16)
    yield context.found("residual-drops", np.max(residual[:-1] / residual[1:]))
    peak = max(float(np.linalg.norm(first.force["nail"])), early.size(early.force, "nail").max(), force.max())
    settled = float(force[t > t[-1] - 1.0].mean())
    yield context.found("enormous", peak / settled, note=f"{peak:.4g} N, {settled:.3g} N at the end")
    yield context.found("bounded", peak)
    yield context.found("cut", sim.constraints.counts["cut"])
    deviation = log.size(log.deviation, "nail")
    yield context.found("converges", deviation[-1] / np.linalg.norm(first.deviation["nail"]))
    naive = stretched_simulation(Binding(solver="truncated", cutoff=2e-15, check=False))
    try:
        naive.run(5.0)
        yield context.found("plain", "went through")
    except StepError as error:
        yield context.found("plain", "stopped", note=f"at t = {error.time:.3g} s")


def _channels(t: np.ndarray, log, force: np.ndarray) -> list[PlotPanel]:
    energies = [PlotCurve(t, log.energies[name], name) for name in ("kinetic", "gravity", "stored")]
    values = [PlotCurve(t, np.maximum(log.singular_values[:, k], 1e-9), f"μ{k + 1}") for k in range(3)]
    return [
        PlotPanel("force, up to 150 N", "t [s]", "‖F‖ [N]", [PlotCurve(t, force)], top=150.0),
        PlotPanel("force", "t [s]", "‖F‖ [N]", [PlotCurve(t, force)], log=True),
        PlotPanel("energy", "t [s]", "[J]", energies),
        PlotPanel(
            "deviation",
            "t [s]",
            "‖D‖ [m], ‖D'‖ [m/s]",
            [PlotCurve(t, log.size(log.deviation, "nail"), "D"), PlotCurve(t, log.size(log.rate, "nail"), "D'")],
        ),
        PlotPanel("residual", "t [s]", "[m/s²]", [PlotCurve(t, np.maximum(log.residual, 1e-17))], log=True),
        PlotPanel("singular values", "t [s]", "[1/kg]", values, log=True),
    ]


def _frames(context: ExperimentContext, path: Trajectory) -> None:
    """The arm every third of a second, with spring, nail, and the velocity of the hand."""
    joints = [path.points(f"link{k}") for k in range(3)] + [path.points("link2", LINK_END)]
    middle, hand = path.points("link2", LINK_MIDDLE), joints[-1]
    speed = np.gradient(hand, path.time, axis=0)
    picks = [int(np.argmin(np.abs(path.time - k / 3.0))) for k in range(10)]
    picture = canvas(12.0, 5.2)
    for axes, k in zip(picture.subplots(2, 5, sharex=True, sharey=True).ravel(), picks):
        line = np.array([p[k] for p in joints])
        axes.plot(line[:, 0], line[:, 2], "o-", color=CURVE_COLOURS[0], lw=3, ms=4)
        axes.plot(*np.array([middle[k], SPRING_POSITION])[:, ::2].T, ":", color=CURVE_COLOURS[2], lw=1)
        axes.plot(NAIL_POSITION[0], NAIL_POSITION[2], "x", color=CURVE_COLOURS[1], ms=7)
        if np.linalg.norm(speed[k]) > 0.05:
            arrow = dict(arrowstyle="->", color=CURVE_COLOURS[1])
            axes.annotate("", hand[k, ::2] + 0.2 * speed[k, ::2], hand[k, ::2], arrowprops=arrow)
        axes.axvline(0.0, color=PALE, lw=0.5)
        axes.set_title(f"{path.time[k]:.2f} s", fontsize=8, color=INK)
        axes.set_aspect("equal")
        axes.set_xlim(-1.2, 3.2)
        axes.set_ylim(-1.6, 2.6)
        axes.tick_params(labelsize=6)
    context.save("frames", picture)


@experiment(
    "limbs-elbow",
    f"{MITCHELL_1997}, fig. 2.12",
    "An elbow manipulator into and out of singularity",
    states=[
        printed(
            "into",
            "it goes into singularity: smallest singular value, of its start",
            "fig. 2.12",
            at_most(1e-3, "“near zero”: three orders"),
        ),
        printed(
            "out",
            "… and out: smallest singular value at the end, of its start",
            "fig. 2.12",
            at_least(0.1, "of the order that it had"),
        ),
        printed(
            "peaks",
            "peaks of force coincide with small singular values: median of the value where the force is above half of"
            " its peak, over its median",
            "fig. 2.12",
            far_below(1.0),
            value="coincide",
        ),
        ours("back", "after it the hand is on the nail again", at_most(1e-3, "a millimetre on a metre"), unit="m"),
    ],
)
def elbow(context: ExperimentContext) -> Findings:
    """A shoulder of two hinges and an elbow; the hand follows a nail that goes out to full stretch and comes back."""
    arm = linked_cylinders([(0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (0.0, -1.0, 0.0)], name="elbow")
    start = np.array([0.3, 0.9, -1.5])
    probe = Simulation(World(arm))
    hand = probe.mechanics.point(start, "link2", LINK_END)
    shoulder = probe.mechanics.point(start, "link1")
    outward = (hand - shoulder) / np.linalg.norm(hand - shoulder)
    reach = 2.0 - float(np.linalg.norm(hand - shoulder))
    turn = 1.5  # [s] when the nail turns back
    speed = 2.0 * (reach + 0.002) / turn  # it goes 2 mm beyond
    nail = Nail(
        name="nail",
        body="link2",
        point=LINK_END,
        place=tuple(map(float, hand)),  # type: ignore[arg-type]
        velocity=tuple(map(float, outward * speed)),  # type: ignore[arg-type]
        acceleration=tuple(map(float, -outward * speed / turn)),  # type: ignore[arg-type]
        rate=8.0,
        strength=2000.0,
    )
    sim = Simulation(World(arm, constraints=[nail]), stepping=ADAPTIVE_STEPPING)
    J = sim.mechanics.jacobian(start, "link2", LINK_END)[3:]
    sim.reset(start, np.linalg.solve(J, outward * speed))
    path = sim.run(3.0, every=1.0 / 400.0)
    log = sim.constraints.diagnose(path)
    t, force, least = path.time, log.size(log.force, "nail"), log.singular_values[:, 2]
    draw_panels(
        context,
        "channels",
        [
            PlotPanel("force", "t [s]", "‖F‖ [N]", [PlotCurve(t, force)], log=True),
            PlotPanel(
                "singular values",
                "t [s]",
                "[1/kg]",
                [PlotCurve(t, np.maximum(log.singular_values[:, k], 1e-9), f"μ{k + 1}") for k in range(3)],
                log=True,
            ),
            PlotPanel(
                "deviation",
                "t [s]",
                "‖D‖ [m]",
                [PlotCurve(t, np.maximum(log.size(log.deviation, "nail"), 1e-12))],
                log=True,
            ),
        ],
    )
    yield context.found("into", least.min() / least[0])
    yield context.found("out", least[-1] / least[0])
    strong = force > 0.5 * force.max()
    yield context.found("peaks", np.median(least[strong]) / np.median(least))
    yield context.found("back", log.size(log.deviation, "nail")[-1])
