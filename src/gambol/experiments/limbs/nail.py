"""A cylinder hung on a nail: convergence, energy, drift (experiments of §2.3)."""

import numpy as np

from gambol import Anchor, Body, Cylinder, Figure, Joint, Nail, Part, Placement, Simulation, Stepping, World
from gambol.experiments.findings import at_least, at_most, between, orders_above, ours, printed
from gambol.experiments.limbs import EARTH_GRAVITY, NO_GRAVITY
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.world.diagnosis import Diagnosis

CONVERGENCE_RATE = 3.0  # [1/s] λ; the source prints none
CYLINDER_SIZE = 1.0, 0.1  # [m] length and radius of the cylinder; not printed either
EXACT_STEPPING = Stepping(method="dormand-prince", eps=1e-10)
CYLINDER_END = (0.0, 0.0, 0.5 * CYLINDER_SIZE[0])
START_TILT = Placement.about((0.0, 1.0, 0.0), 1.0)


def cylinder() -> Figure:
    """1 kg, its end at (0, 0, ½) of its frame."""
    part = Part(Cylinder(CYLINDER_SIZE[1], CYLINDER_SIZE[0]), mass=1.0)
    return Figure("cylinder", (Body("cylinder", joint=Joint("free"), parts=(part,)),))


def hung_cylinder(
    gravity=NO_GRAVITY, forces=(), place=(0.0, 0.5, -0.3), stepping: Stepping = EXACT_STEPPING
) -> Simulation:
    """The end of a leaning cylinder on a nail that it does not touch yet (at rest, its middle at the origin)."""
    nail = Nail(name="nail", body="cylinder", point=CYLINDER_END, place=place, rate=CONVERGENCE_RATE)
    sim = Simulation(World(cylinder(), gravity, forces=forces, constraints=[nail]), stepping=stepping)
    sim.q = np.array([0.0, 0.0, 0.0, *START_TILT.rotation])
    return sim


def run_and_diagnose(sim: Simulation, seconds: float, every: float = 0.02) -> tuple[np.ndarray, Diagnosis]:
    """Times [s] of a run, and what its constraints did."""
    path = sim.run(seconds, every=every)
    return path.time, sim.constraints.diagnose(path)


def curve_error(t: np.ndarray, log: Diagnosis, start: float) -> float:
    """Largest distance of ‖D‖ from (1 + λt) e^(−λt) ‖D(0)‖ [m]."""
    return float(
        np.abs(
            log.size(log.deviation, "nail") - start * (1 + CONVERGENCE_RATE * t) * np.exp(-CONVERGENCE_RATE * t)
        ).max()
    )


def panels(t: np.ndarray, log: Diagnosis) -> list[PlotPanel]:
    """Force, energies, deviation, its rate and the residual, as the source plots them."""
    energies = [PlotCurve(t, log.energies[name], name) for name in ("kinetic", "gravity", "stored")]
    energies.append(PlotCurve(t, log.total_energy, "total", "--"))
    return [
        PlotPanel("constraint force", "t [s]", "‖F‖ [N]", [PlotCurve(t, log.size(log.force, "nail"))]),
        PlotPanel("energy", "t [s]", "[J]", energies),
        PlotPanel("deviation", "t [s]", "‖D‖ [m]", [PlotCurve(t, log.size(log.deviation, "nail"))]),
        PlotPanel("its rate", "t [s]", "‖D'‖ [m/s]", [PlotCurve(t, log.size(log.rate, "nail"))]),
        PlotPanel("residual", "t [s]", "‖AF + B‖ [m/s²]", [PlotCurve(t, np.maximum(log.residual, 1e-18))], log=True),
    ]


def drawn_to_the_nail(
    context: ExperimentContext, sim: Simulation, seconds: float
) -> tuple[np.ndarray, Diagnosis, float]:
    """A run with its picture: times, what the constraint did, and how far its deviation is off the damped curve [m]."""
    start = float(np.linalg.norm(sim.constraints.now().deviation["nail"]))
    t, log = run_and_diagnose(sim, seconds)
    draw_panels(context, "channels", panels(t, log))
    return t, log, curve_error(t, log, start)


CURVE = at_most(1e-6, "the tolerance of 1e-10 accumulated; the figure shows the curve alone")
CONSTANT = at_most(1e-3, "not to be seen in the figure")


@experiment(
    "limbs-nail",
    f"{MITCHELL_1997}, figs. 2.2 and 2.3",
    "A cylinder drawn to a nail, no gravity",
    states=[
        printed(
            "critical", "the deviation is critically damped: distance from that curve", "fig. 2.3", CURVE, unit="m"
        ),
        printed("force", "the force becomes constant: change over the last 2 s, of its mean", "fig. 2.2", CONSTANT),
        printed(
            "kinetic",
            "kinetic energy rises while it converges, from nothing",
            "fig. 2.2",
            at_least(1e-3, "to be seen in the figure"),
            value="rises",
            unit="J",
        ),
        printed("kinetic-after", "… and is constant after: change of the last 2 s, of itself", "fig. 2.2", CONSTANT),
        printed(
            "residual",
            "the residual is numerical noise",
            "fig. 2.3",
            at_most(1e-12, "rounding of accelerations of the order of 1 m/s²"),
            unit="m/s²",
        ),
    ],
)
def nail(context: ExperimentContext) -> Findings:
    t, log, off = drawn_to_the_nail(context, hung_cylinder(), 12.0)
    late = t > 10.0
    force, kinetic = log.size(log.force, "nail")[late], log.energies["kinetic"]
    yield context.found("critical", off)
    yield context.found("force", np.ptp(force) / force.mean())
    yield context.found("kinetic", kinetic[-1])
    yield context.found("kinetic-after", np.ptp(kinetic[late]) / kinetic[-1])
    yield context.found("residual", log.residual.max())


@experiment(
    "limbs-nail-gravity",
    f"{MITCHELL_1997}, fig. 2.4",
    "The same cylinder under gravity",
    states=[
        printed("same-curve", "the deviation is the same curve as without gravity", "§2.3.1", CURVE, unit="m"),
        printed(
            "force",
            "the force oscillates: its range",
            "fig. 2.4",
            at_least(1.0, "a tenth of the weight of 9.81 N, to be seen"),
            value="oscillates",
            unit="N",
        ),
        printed(
            "exchange",
            "kinetic and potential energy are exchanged: their correlation",
            "fig. 2.4",
            at_most(-0.99, "one goes as the other comes"),
            value="exchanged",
        ),
        printed(
            "total",
            "total energy becomes constant: change of the last 3 s, of the energy exchanged",
            "fig. 2.4",
            CONSTANT,
            value="constant",
        ),
    ],
)
def nail_gravity(context: ExperimentContext) -> Findings:
    t, log, off = drawn_to_the_nail(context, hung_cylinder(EARTH_GRAVITY), 8.0)
    yield context.found("same-curve", off)
    late = t > 5.0
    kinetic = log.energies["kinetic"][late]
    yield context.found("force", np.ptp(log.size(log.force, "nail")[late]))
    yield context.found("exchange", np.corrcoef(kinetic, log.energies["gravity"][late])[0, 1])
    yield context.found("total", np.ptp(log.total_energy[late]) / np.ptp(kinetic))


@experiment(
    "limbs-nail-spring",
    f"{MITCHELL_1997}, fig. 2.5",
    "The same cylinder on a spring and damper",
    states=[
        printed("same-curve", "the deviation is the same curve as without it", "§2.3.1", CURVE, unit="m"),
        printed(
            "differs-otherwise",
            "the rest of the motion differs: force, at most",
            "fig. 2.5",
            at_least(0.1, "to be seen in the figure"),
            value="differs",
            unit="N",
        ),
        ours(
            "damped",
            "the damper takes the energy: kinetic at 8 s, of its peak",
            at_most(0.05, "come to rest, to 5 %"),
        ),
    ],
)
def nail_spring(context: ExperimentContext) -> Findings:
    """10 N/m and 3 N·s/m (printed 3 N/m/s), from the free end to where it stood."""
    low = START_TILT.apply((0.0, 0.0, -0.5))
    spring = Anchor(body="cylinder", point=(0, 0, -0.5), place=low, stiffness=10.0, damping=3.0)
    _, log, off = drawn_to_the_nail(context, hung_cylinder(forces=[spring]), 8.0)
    _, other = run_and_diagnose(hung_cylinder(), 8.0)
    yield context.found("same-curve", off)
    yield context.found(
        "differs-otherwise", np.abs(log.size(log.force, "nail") - other.size(other.force, "nail")).max()
    )
    yield context.found("damped", log.energies["kinetic"][-1] / log.energies["kinetic"].max())


@experiment(
    "limbs-drift",
    f"{MITCHELL_1997}, figs. 2.6 and 2.7",
    "Twenty seconds on the nail without damping",
    states=[
        printed(
            "above-residual",
            "‖D‖ is many orders of magnitude above the residual: ratio (h = 0.01 s)",
            "§2.3.2, fig. 2.6",
            orders_above(1.0),
            value="many orders",
        ),
        printed(
            "small",
            "… and stays small: largest ‖D‖, of the cylinder's length (h = 0.01 s)",
            "§2.3.2, fig. 2.6",
            at_most(1e-3, "not to be seen in a drawing of the cylinder"),
            value="small",
        ),
        ours("order", "order in the step of the largest ‖D‖ (RK4)"),
        printed(
            "gains",
            "total energy drifts steadily, it “gains”: change over the run, h = 0.01 s",
            "§2.3.2, fig. 2.7",
            at_least(1e-9, "gained, above rounding"),
            value="gains",
            unit="J",
            differs="it drifts, and loses: sign and size are the integrator's",
        ),
        printed(
            "not-the-integrator",
            "the drift is the constraint's, not the integrator's: order in the step of the change of energy",
            "§2.3.2",
            between(-1.0, 1.0, "no order: halving the step would not matter; RK4's own would be 4"),
            value="the constraint's",
            differs="it falls with the step by the order of the integrator, so it is the integrator's; with a"
            " fifth-order adaptive step at 1e-10 it is gone",
        ),
    ],
)
def drift(context: ExperimentContext) -> Findings:
    steps = (0.02, 0.01, 0.005)
    logs, seconds = [], 6.0 if context.quick else 20.0
    for step in steps:
        end = START_TILT.apply(CYLINDER_END)
        sim = hung_cylinder(EARTH_GRAVITY, place=end, stepping=Stepping(method="rk4", step=step))
        turning = np.array([0.8, 1.0, 0.5])
        sim.v = np.concatenate([turning, -np.cross(turning, end)])  # the nailed end stands still
        logs.append(run_and_diagnose(sim, seconds, 0.05))
    log = logs[1][1]
    D = log.deviation["nail"]
    sizes = [float(log.size(log.deviation, "nail").max()) for _, log in logs]
    gains = [float(log.total_energy[-1] - log.total_energy[0]) for _, log in logs]
    draw_panels(
        context,
        "drift",
        [
            PlotPanel(
                "deviation",
                "t [s]",
                "‖D‖ [m]",
                [PlotCurve(t, log.size(log.deviation, "nail"), f"h = {h:g} s") for h, (t, log) in zip(steps, logs)],
                log=True,
            ),
            PlotPanel("D, seen along y (h = 0.01 s)", "D_x [m]", "D_z [m]", [PlotCurve(D[:, 0], D[:, 2])]),
            PlotPanel(
                "total energy, less its start",
                "t [s]",
                "[J]",
                [
                    PlotCurve(t, log.total_energy - log.total_energy[0], f"h = {h:g} s")
                    for h, (t, log) in zip(steps, logs)
                ],
            ),
        ],
    )
    yield context.found("above-residual", sizes[1] / max(float(log.residual.max()), 1e-18))
    yield context.found("small", sizes[1] / CYLINDER_SIZE[0])
    yield context.found("order", np.log2(sizes[0] / sizes[2]) / 2)
    yield context.found("gains", gains[1], note=f"in {seconds:g} s")
    yield context.found("not-the-integrator", np.log2(abs(gains[0] / gains[2])) / 2)


@experiment(
    "limbs-spin",
    f"{MITCHELL_1997}, §2.3.2",
    "The cylinder turning freely",
    states=[
        printed(
            "energy",
            "energy is conserved in practice: relative change in 20 s (RK4, h = 0.01 s)",
            "§2.3.2",
            at_most(1e-6, "“exactly, in practice”: as many digits as are printed of a number"),
            value="conserved",
        )
    ],
)
def spin(context: ExperimentContext) -> Findings:
    rows = []
    for step in (0.02, 0.01, 0.005):
        sim = Simulation(World(cylinder(), NO_GRAVITY), stepping=Stepping(method="rk4", step=step))
        sim.v = np.array([2.0, 0.5, 3.0, 0.0, 0.0, 0.0])
        path = sim.run(20.0, every=0.1)
        energy = np.array([sim.mechanics.kinetic_energy(q, v) for q, v in zip(path.q, path.v)])
        rows.append(PlotCurve(path.time, np.maximum(np.abs(energy / energy[0] - 1.0), 1e-17), f"h = {step:g} s"))
    draw_panels(context, "energy", [PlotPanel("relative change of energy, RK4", "t [s]", "|ΔE| / E", rows, log=True)])
    yield context.found("energy", rows[1].y.max())
