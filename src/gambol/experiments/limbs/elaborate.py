"""Beyond two links: a spatial arm of six hinges, and a leg of the roach (the source's preliminary remark, §3.4.2)."""

import numpy as np

from gambol import Figure, Mechanics, Simulation, World
from gambol.control.arms import PD, AdaptiveModel, ChainRegressor, Gates, Mixture, Sinusoid, Trial, follow
from gambol.control.arms.gains import ControlLaw
from gambol.experiments.findings import Statement, far_below, printed
from gambol.experiments.limbs import NO_GRAVITY
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.models.arms import roach_leg, six_link_arm
from gambol.plot import film_strip
from gambol.plot.joined import joined

GAIN_RATIO = 9.0  # [1/s] λ = K_p / K_d, as in the two-link experiments
DAMPING_RATE = 6.0  # [1/s] K_d over the largest inertia felt at the joint
# [s] η over K_d and the number of experts; the six-link arm is unstable at twice as much
SIX_LINK_ETA, ROACH_LEG_ETA = 0.0012, 0.0025
FINE_CONTROL_PERIOD = 0.002


def wave(joints: int, speed: float) -> Sinusoid:
    """Every joint on its own frequency and phase of movement."""
    k = np.arange(joints)
    beta = 0.5 * (-1.0) ** k
    omega = speed * 2.0 * np.pi * (0.35 + 0.07 * k)
    return Sinusoid(np.zeros((1, joints)), beta, omega, tuple(i % 2 == 0 for i in range(joints)))


def limb_controllers(figure: Figure, path: Sinusoid, eta: float) -> list[ControlLaw]:
    """PD, the adaptive model of the whole chain, and mixtures, all with gains in proportion to the inertia felt."""
    mechanics = Mechanics(figure, NO_GRAVITY)
    targets = np.array([path.at(t).q[0] for t in np.linspace(0.0, 20.0, 400)])
    inertia = np.max([np.diag(mechanics.mass_matrix(q)) for q in targets], axis=0)
    kd = DAMPING_RATE * inertia
    kp = GAIN_RATIO * kd
    box = targets.min(axis=0), targets.max(axis=0)
    chain = ChainRegressor(mechanics, gravity=False)
    mass = figure.mass
    length = np.sqrt(inertia.max() / mass)
    kinds = np.array([mass] + [mass * length] * 3 + [mass * length**2] * 6)
    gamma = 0.0003 * np.tile(kinds, len(chain.bodies)) ** 2 / (mass * length**2)
    found: list[ControlLaw] = [PD(kp, kd), AdaptiveModel(chain, kp, kd, learning=gamma)]
    return found + [Mixture(Gates.over(*box, n), kp, kd, learning=eta * n * kd) for n in (1, 4)]


def run_controllers(context: ExperimentContext, figure: Figure, speed: float, eta: float) -> dict[str, Trial]:
    """Every controller on the same movement of a limb."""
    path = wave(len(figure.bodies), speed)
    sim = Simulation(World(figure, NO_GRAVITY), stepping="cash-karp")
    adapt, measure = (6.0, 4.0) if context.quick else (30.0, 10.0)
    found = {}
    for controller in limb_controllers(figure, path, eta):
        context.log(f"{figure.name}: {controller.name}")
        found[controller.name] = follow(sim, controller, path, adapt=adapt, measure=measure, period=FINE_CONTROL_PERIOD)
    return found


def _report(context: ExperimentContext, figure: Figure, eta: float, what: str) -> Findings:
    speed = 1.0
    trials = run_controllers(context, figure, speed, eta)
    late = slice(-round(4.0 / FINE_CONTROL_PERIOD), None, 4)
    sizes = [PlotCurve(t.time[late], np.linalg.norm(t.error[late, 0], axis=1), n) for n, t in trials.items()]
    whole = [PlotCurve(t.time[::40], np.linalg.norm(t.error[::40, 0], axis=1), n) for n, t in trials.items()]
    draw_panels(
        context,
        "errors",
        [
            PlotPanel(f"{what}: error from the start", "t [s]", "‖e‖ [rad]", whole, log=True),
            PlotPanel("in the last four seconds", "t [s]", "‖e‖ [rad]", sizes, log=True),
        ],
        columns=2,
    )
    shown = next(t for t in (trials["M4"], trials["M1"], trials["PD"]) if not t.unstable[0])
    _poses(context, figure, shown, speed, what)
    for name, trial in trials.items():
        if name != "PD":
            share = float(trial.L2[0] / trials["PD"].L2[0])
            yield context.found(name.lower(), share, note="it became unstable" if trial.unstable[0] else "")


def _statements() -> list[Statement]:
    """Of a limb: every adaptive controller beside PD."""
    return [
        printed(
            name.lower(),
            f"{name} is substantially better than PD: L2 over PD's",
            "§3.4.2",
            far_below(1.0),
            value="substantially better",
            differs="with η as large as the limb bears it learns half or two thirds of what PD leaves",
        )
        for name in ("IDSL", "M1", "M4")
    ]


def _poses(context: ExperimentContext, figure: Figure, trial: Trial, speed: float, what: str) -> None:
    """The limb over the last second and a half, drawn where it was."""
    sim, path, pieces = Simulation(World(figure, NO_GRAVITY)), wave(len(figure.bodies), speed), []
    for k in np.linspace(len(trial.time) - round(1.5 / FINE_CONTROL_PERIOD), len(trial.time) - 1, 6).astype(int):
        sim.reset(path.at(trial.time[k]).q[0] + trial.error[k, 0], time=float(trial.time[k]))
        pieces.append(sim.run(1e-6))
    context.save("limb", film_strip(joined(pieces), times=6, ground=False, title=f"{what} under {trial.name}"))


@experiment("limbs-six-link", f"{MITCHELL_1997}, §3.4.2", "A spatial arm of six hinges", _statements())
def six_link(context: ExperimentContext) -> Findings:
    yield from _report(context, six_link_arm(), SIX_LINK_ETA, "six-link arm")


@experiment("limbs-roach-leg", f"{MITCHELL_1997}, §3.4.2", "A leg of the roach", _statements())
def leg(context: ExperimentContext) -> Findings:
    yield from _report(context, roach_leg(), ROACH_LEG_ETA, "leg of the roach")
