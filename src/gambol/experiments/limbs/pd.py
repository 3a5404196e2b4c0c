"""PD tracking: bandwidth, gains, and what low gains do on a fast task (§3.4.2)."""

import numpy as np

from gambol import Simulation, World
from gambol.control.arms import PD, Trial, follow
from gambol.control.arms.trajectories import sweep
from gambol.experiments.limbs import NO_GRAVITY
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.limbs.tasks import ARM_CONTROL_PERIOD, KD, KP, mixture
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.models.arms import slotine_li_arm, uno_arm

GAIN_FACTORS = (1.0, 4.0, 16.0)  # times (9, 1): only the lowest of the three settings is printed


@experiment("limbs-pd-sweep", f"{MITCHELL_1997}, fig. 3.3", "PD: error against bandwidth and gain")
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
    light, heavy = found["uno"], found["slotine_li"]
    for name, errors in (("light (Uno)", light), ("heavy (Slotine–Li)", heavy)):
        falls = float(min(np.min(a / b) for a, b in zip(errors, errors[1:])))
        yield context.finding(
            f"error falls with gain, {name} arm: smallest ratio of errors from one gain to the next higher",
            printed="> 1",
            ours=falls,
            ok=falls > 1.0,
            reason="each gain has its own resonance, beside which a lower one does better",
        )
    rises = float(np.mean([np.mean(np.diff(e) > 0) for e in light]))
    yield context.finding(
        "error grows with bandwidth, light (Uno) arm: share of the steps in k",
        printed=1.0,
        ours=rises,
        ok=rises > 0.95,
        reason="near k = 1 the lowest gain passes its resonance and the error levels off",
    )
    heavy_rises = float(np.mean([np.mean(np.diff(e) > 0) for e in heavy]))
    yield context.finding(
        "… heavy (Slotine–Li) arm",
        printed=1.0,
        ours=heavy_rises,
        ok=heavy_rises > 0.95,
        reason="the low-gain loop of the heavy arm resonates in mid-band (√(K_p/M))",
    )


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


@experiment("limbs-pd-fast", f"{MITCHELL_1997}, fig. 3.4", "PD with low gains on a fast task")
def pd_fast(context: ExperimentContext) -> Findings:
    trial = _fast(context, PD(KP, KD))
    _overlay(context, trial, "tracking")
    size = float(np.sqrt(np.mean(sweep(1.0).at(0.0).q ** 2 + 0.75**2)))
    share = float(trial.L2[0]) / size
    yield context.finding("large error (L2 over the size of the movement)", ours=share, ok=share > 0.5)


@experiment("limbs-mixture-fast", f"{MITCHELL_1997}, fig. 3.6", "M4 on the same fast task")
def mixture_fast(context: ExperimentContext) -> Findings:
    trial, plain = _fast(context, mixture(4)), _fast(context, PD(KP, KD))
    _overlay(context, trial, "tracking")
    share = float(trial.L2[0] / plain.L2[0])
    yield context.finding(
        "dramatic improvement over PD (L2 over PD's)",
        printed="≪ 1",
        ours=share,
        ok=share < 0.25,
        reason="it had not finished adapting",
    )


@experiment("limbs-parameters", f"{MITCHELL_1997}, fig. 3.10", "The parameters of M4 over time")
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
    moves = float(np.ptp(late, axis=0).max() / np.abs(late).max())
    yield context.finding("parameters keep fluctuating (range in 5 s, of the largest)", ours=moves, ok=moves > 0.01)
    frozen = mixture(4)
    frozen.weights, frozen.learning = W[-1:].reshape(1, 2, -1).copy(), np.asarray(0.0)
    share = float(_fast(context, frozen).L2[0] / trial.L2[0])
    yield context.finding(
        "the fluctuation helps tracking (L2 with the parameters frozen, over that with them moving)",
        printed="> 1",
        ours=share,
        ok=share > 1.0,
        reason="on this periodic task the parameters frozen at the end serve as well",
    )
