"""PD tracking: bandwidth, gains, and what low gains do on a fast task (§3.4.2)."""

import numpy as np

from gambol import Simulation, World
from gambol.control.arms import PD, Trial, follow
from gambol.control.arms.trajectories import sweep
from gambol.experiments.findings import ALWAYS, Mean, at_least, far_below, printed
from gambol.experiments.limbs import NO_GRAVITY
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.limbs.tasks import ARM_CONTROL_PERIOD, KD, KP, mixture, sinusoids
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.models.arms import slotine_li_arm, uno_arm

GAIN_FACTORS = (1.0, 4.0, 16.0)  # times (9, 1): only the lowest of the three settings is printed


SWEPT_ARMS = {"light": "light (Uno) arm", "heavy": "heavy (Slotine–Li) arm"}


@experiment(
    "limbs-pd-sweep",
    f"{MITCHELL_1997}, fig. 3.3",
    "PD: error against bandwidth and gain",
    states=[
        *(
            printed(
                f"gain-{key}",
                f"error falls with gain, {name}: smallest ratio of errors from one gain to the next higher",
                "fig. 3.3",
                at_least(1.0, "falls, at every bandwidth"),
                value="> 1",
                differs="each gain has its own resonance, beside which a lower one does better",
            )
            for key, name in SWEPT_ARMS.items()
        ),
        *(
            printed(
                f"bandwidth-{key}",
                f"error grows with bandwidth, {name}: share of the steps in k",
                "fig. 3.3",
                ALWAYS,
                value="grows",
                differs="the loop resonates in band (√(K_p/M)) and the error levels off or falls beyond",
            )
            for key, name in SWEPT_ARMS.items()
        ),
    ],
)
def pd_sweep(context: ExperimentContext) -> Findings:
    k = np.linspace(0.05, 1.0, 10 if context.quick else 20)
    found: dict[str, list[np.ndarray]] = {}
    for figure in (uno_arm(), slotine_li_arm()):
        sim = Simulation(World(figure, NO_GRAVITY), stepping="cash-karp", worlds=len(k))
        found[figure.name] = [
            follow(sim, PD(KP * g, KD * g), sweep(k), adapt=5.0, measure=10.0, period=0.002).L2 for g in GAIN_FACTORS
        ]
    draw_panels(
        context,
        "sweep",
        [
            PlotPanel(
                {"uno": "light (Uno) arm", "slotine_li": "heavy (Slotine–Li) arm"}[name],
                "k (ω = 2πk)",
                "L2 error [rad]",
                [PlotCurve(k, e, f"K_p = {KP * g:g}, K_d = {KD * g:g}", "o-") for g, e in zip(GAIN_FACTORS, errors)],
            )
            for name, errors in found.items()
        ],
    )
    swept = {"light": found["uno"], "heavy": found["slotine_li"]}
    for key, errors in swept.items():
        yield context.found(f"gain-{key}", min(np.min(a / b) for a, b in zip(errors, errors[1:])))
    for key, errors in swept.items():
        yield context.found(f"bandwidth-{key}", np.mean([np.mean(np.diff(e) > 0) for e in errors]))


def _fast(context: ExperimentContext, controller, **more) -> Trial:
    sim = Simulation(World(slotine_li_arm(), NO_GRAVITY), stepping="cash-karp")
    return follow(
        sim,
        controller,
        sweep([1.0]),
        adapt=30.0,
        measure=4.0 if context.quick else 10.0,
        period=ARM_CONTROL_PERIOD,
        **more,
    )


def _overlay(context: ExperimentContext, trial: Trial, name: str) -> None:
    """Errors over the last seconds, and the path in joint space over the desired one, every 20 ms."""
    late = slice(-500, None, 2)
    t = trial.time[late]
    target = np.array([sweep([1.0]).at(s).q[0] for s in t])
    error = trial.error[late, 0]
    draw_panels(
        context,
        name,
        [
            PlotPanel("error", "t [s]", "[rad]", [PlotCurve(t, error[:, j], f"joint {j + 1}") for j in range(2)]),
            PlotPanel(
                "joint space",
                "θ₁ [rad]",
                "θ₂ [rad]",
                [
                    PlotCurve(target[:, 0], target[:, 1], "desired"),
                    PlotCurve(target[:, 0] + error[:, 0], target[:, 1] + error[:, 1], "actual", "."),
                ],
            ),
        ],
        columns=2,
    )


@experiment(
    "limbs-pd-fast",
    f"{MITCHELL_1997}, fig. 3.4",
    "PD with low gains on a fast task",
    states=[
        printed(
            "error",
            "large error: L2 over the size of the movement",
            "fig. 3.4",
            at_least(0.5, "“large”: half of the movement"),
            value="large",
        )
    ],
)
def pd_fast(context: ExperimentContext) -> Findings:
    trial = _fast(context, PD(KP, KD))
    _overlay(context, trial, "tracking")
    size = float(np.sqrt(np.mean(sweep(1.0).at(0.0).q ** 2 + 0.75**2)))
    yield context.found("error", trial.L2[0] / size)


@experiment(
    "limbs-mixture-fast",
    f"{MITCHELL_1997}, fig. 3.6",
    "M4 on the same fast task",
    states=[
        printed("share", "dramatic improvement over PD: L2 over PD's", "fig. 3.6", far_below(1.0), value="dramatic")
    ],
)
def mixture_fast(context: ExperimentContext) -> Findings:
    trial, plain = _fast(context, mixture(4)), _fast(context, PD(KP, KD))
    _overlay(context, trial, "tracking")
    yield context.found("share", trial.L2[0] / plain.L2[0])


@experiment(
    "limbs-parameters",
    f"{MITCHELL_1997}, fig. 3.10",
    "The parameters of M4 over time",
    states=[
        printed(
            "fluctuate",
            "parameters keep fluctuating: range in the last 5 s, of the largest",
            "fig. 3.10",
            at_least(0.01, "to be seen in the figure"),
            value="do not converge",
        ),
        printed(
            "helps",
            "the fluctuation helps tracking: L2 with the parameters frozen at the end, over that with them moving, over"
            " nine tasks",
            "§3.4.2",
            at_least(1.0, "helps, with the whole interval"),
            value="helps",
            differs="on periodic tasks parameters frozen at the end serve about as well",
        ),
    ],
)
def parameters(context: ExperimentContext) -> Findings:
    trial = _fast(context, mixture(4), keep_parameters=True)
    W = trial.parameters[:, 0]
    largest = np.argsort(-np.abs(W[-1]))[:10]
    draw_panels(
        context,
        "parameters",
        [
            PlotPanel("the ten largest of 32", "t [s]", "", [PlotCurve(trial.time, W[:, k]) for k in largest]),
            PlotPanel("last second", "t [s]", "", [PlotCurve(trial.time[-100:], W[-100:, k]) for k in largest]),
        ],
        columns=2,
    )
    late = W[-500:]
    yield context.found("fluctuate", np.ptp(late, axis=0).max() / np.abs(late).max())
    tasks = sinusoids()
    worlds = len(tasks.at(0.0).q)
    sim = Simulation(World(slotine_li_arm(), NO_GRAVITY), stepping="cash-karp", worlds=worlds)
    adapt, measure = (8.0, 4.0) if context.quick else (30.0, 10.0)
    times = dict(adapt=adapt, measure=measure, period=ARM_CONTROL_PERIOD)
    moving = follow(sim, mixture(4), tasks, keep_parameters=True, **times)
    frozen = mixture(4)
    frozen.weights = moving.parameters[-1].reshape(worlds, 2, -1).copy()
    frozen.learning = np.asarray(0.0)
    shares = follow(sim, frozen, tasks, **times).L2 / moving.L2
    yield context.found("helps", Mean(shares), note=f"{shares.min():.2f} to {shares.max():.2f}")
