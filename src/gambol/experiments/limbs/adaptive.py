"""Adaptive controllers compared: arms, learning rates, gravity, viscosity, number of experts (§3.4.2)."""

import numpy as np

from gambol.control.arms.gains import ControlLaw
from gambol.control.arms.trajectories import Together
from gambol.experiments.limbs import tasks as common
from gambol.experiments.limbs.pictures import draw_bars
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.models.arms import slotine_li_arm, uno_arm

PLANE_GRAVITY = (0.0, -9.81, 0.0)  # in the plane of the arm, across it at zero
LONG_PERIOD = 0.03  # [s] a longer period of control
VISCOSITY = 0.1  # [N·m·s²/rad²]; the form of the source's viscosity is not printed: here −c |v| v at each joint


def _mean(values: np.ndarray) -> float:
    return float(np.nanmean(values))


def _mixtures(found: dict[str, np.ndarray]) -> np.ndarray:
    """(experts, tasks)."""
    return np.array([found[f"M{n}"] for n in common.EXPERT_COUNTS if f"M{n}" in found])


@experiment("limbs-comparison", f"{MITCHELL_1997}, fig. 3.5", "All controllers on the heavy arm")
def comparison(context: ExperimentContext) -> Findings:
    groups = {
        "sinusoids": common.shares_of_pd(
            common.run_comparison(context, slotine_li_arm(), common.sinusoids(), common.controllers)
        ),
        "reaches": common.shares_of_pd(
            common.run_comparison(context, slotine_li_arm(), common.reaches(), common.controllers)
        ),
    }
    draw_bars(context, "comparison", groups, "L2 / L2 of PD", log=True)
    for name, found in groups.items():
        worst = max(_mean(values) for values in found.values())
        yield context.finding(
            f"{name}: every adaptive controller far better than PD (worst mean share)",
            printed="≪ 1",
            ours=worst,
            ok=worst < 0.6,
            reason="slow tasks leave PD little to be better than",
        )
        model, best = _mean(found["IDSL"]), float(np.nanmean(_mixtures(found), axis=1).min())
        yield context.finding(
            f"{name}: the model-based controller is best (its mean share over the best mixture's)",
            printed="< 1",
            ours=model / best,
            ok=model < best,
            reason="its four parameters adapt slowly at η = 0.01",
        )


@experiment("limbs-experts", f"{MITCHELL_1997}, §3.4.2", "One to eight experts")
def experts(context: ExperimentContext) -> Findings:
    found = common.shares_of_pd(
        common.run_comparison(context, slotine_li_arm(), common.sinusoids(), common.controllers)
    )
    equal = common.shares_of_pd(common.run_comparison(context, slotine_li_arm(), common.sinusoids(), _in_proportion))
    draw_bars(context, "experts", {"η = 0.01 for all": found, "η = 0.01 N": equal}, "L2 / L2 of PD")
    means, fair = (np.nanmean(_mixtures(s), axis=1) for s in (found, equal))
    gap = float((means.max() - means.min()) / (1.0 - means.mean()))
    yield context.finding(
        "no consistent difference between M1 … M8 (range of means over the gap to PD)",
        printed="≪ 1",
        ours=gap,
        ok=gap < 0.3,
        reason="gates share one learning rate: ‖Φ‖² = ‖φ‖² Σ g² falls with their number",
    )
    yield context.finding(
        "at one η more experts do worse (mean share of M8 over that of M1): they share the learning rate",
        ours=float(means[-1] / means[0]),
        beyond=True,
    )
    yield context.finding(
        "with η in proportion to the number of experts: diminishing returns (M8 over M1)",
        printed="≤ 1",
        ours=float(fair[-1] / fair[0]),
        ok=fair[-1] <= 1.05 * fair[0],
        reason="one linear model already fits these tasks as well as eight",
    )
    spread = float(np.nanstd(_mixtures(found), axis=1).mean())
    yield context.finding("spread over tasks (mean standard deviation of the share)", ours=spread, beyond=True)


def _in_proportion() -> list[ControlLaw]:
    """Mixtures whose learning rate grows with their number of experts, so that each expert learns as fast."""
    return [*common.controllers(experts=()), *(common.mixture(n, eta=common.ETA * n) for n in common.EXPERT_COUNTS)]


@experiment("limbs-learning-rates", f"{MITCHELL_1997}, fig. 3.7", "Learning rates on the light arm")
def learning_rates(context: ExperimentContext) -> Findings:
    rates, chosen, tasks = np.array([0.01, 0.05, 0.1, 0.3, 1.0]), (1, 4, 8), len(common.sinusoids().at(0.0).q)
    each = np.repeat(rates, tasks)[:, None]  # every task at every rate, side by side
    many = Together([common.sinusoids()] * len(rates))
    trials = common.run_comparison(context, uno_arm(), many, lambda: common.controllers(eta=each, experts=chosen))
    found = {name: share.reshape(len(rates), tasks) for name, share in common.shares_of_pd(trials).items()}
    groups = {f"η = {eta:g}": {name: v[k] for name, v in found.items()} for k, eta in enumerate(rates)}
    draw_bars(context, "rates", groups, "L2 / L2 of PD", log=True)
    stable = [np.mean([_mean(v[k]) for v in found.values()]) for k in (0, 1)]
    near = bool(0.67 < stable[1] / stable[0] < 1.5)
    yield context.finding(
        "differences among stable η are marginal (mean share at 0.05 over that at 0.01)",
        printed="≈ 1",
        ours=float(stable[1] / stable[0]),
        ok=near,
        reason="at 0.01 the light arm has not finished adapting after 30 s: a higher rate still gains",
    )
    unstable = sum(t.unstable.reshape(len(rates), tasks).sum(axis=1) for n, t in trials.items() if n != "PD")
    lost = dict(zip(rates.tolist(), np.asarray(unstable).tolist()))
    total = len(chosen) + 1
    slow = common.run_comparison(
        context, uno_arm(), common.sinusoids(), lambda: common.controllers(eta=0.1, experts=chosen), period=LONG_PERIOD
    )
    later = sum(int(t.unstable.sum()) for n, t in slow.items() if n != "PD")
    yield context.finding(
        "some trials are unstable at η = 0.1",
        printed="some",
        ours=f"{lost[0.1]} of {total * tasks}",
        ok=lost[0.1] > 0,
        reason=""
        if lost[0.1] > 0
        else "the instability is one of sampling; at our period of 10 ms it begins at a higher rate",
    )
    yield context.finding(
        "above 0.1 instability is typical",
        printed="typical",
        ours=f"{lost[0.3]} of {total * tasks} at 0.3, {lost[1.0]} at 1",
        ok=lost[1.0] > 0.5 * total * tasks,
        reason="as above: the limit depends on the period of control",
    )
    yield context.finding(
        f"the limit is one of sampling: unstable at η = 0.1 with torques held for {1e3 * LONG_PERIOD:g} ms",
        ours=f"{later} of {total * tasks}",
        beyond=True,
    )


@experiment("limbs-gravity", f"{MITCHELL_1997}, fig. 3.8", "Gravity that nobody modelled")
def gravity(context: ExperimentContext) -> Findings:
    yield from _disturbed(context, "gravity", gravity=PLANE_GRAVITY)


@experiment("limbs-viscosity", f"{MITCHELL_1997}, fig. 3.9", "Viscosity that nobody modelled")
def viscosity(context: ExperimentContext) -> Findings:
    yield from _disturbed(context, "viscosity", disturbance=lambda q, v: -VISCOSITY * np.abs(v) * v)


def _disturbed(context: ExperimentContext, name: str, **disturbance) -> Findings:
    """The light arm with and without something that no controller models."""
    chosen = (1, 2, 4, 8)

    def made():
        return common.controllers(experts=chosen)

    plain = common.run_comparison(context, uno_arm(), common.sinusoids(), made)
    disturbed = common.run_comparison(context, uno_arm(), common.sinusoids(), made, **disturbance)
    draw_bars(
        context,
        "shares",
        {"without": common.shares_of_pd(plain), f"with {name}": common.shares_of_pd(disturbed)},
        "L2 / L2 of PD",
    )
    absolute = {key: {n: t.L2 for n, t in found.items()} for key, found in (("without", plain), (name, disturbed))}
    draw_bars(context, "errors", absolute, "L2 [rad]")
    worse = min(_mean(disturbed[n].L2) / _mean(plain[n].L2) for n in plain if n != "PD")
    yield context.finding(
        "absolute errors are worse than without (smallest ratio of an adaptive controller)",
        printed="> 1",
        ours=worse,
        ok=worse > 1.0,
        reason="it damps the arm, and velocity terms of a mixture can take it up",
    )
    found = common.shares_of_pd(disturbed)
    worst = max(_mean(v) for v in found.values())
    yield context.finding(
        "adaptive controllers are still better than PD (worst mean share)",
        printed="< 1",
        ours=worst,
        ok=worst < 1.0,
        reason="a pull without a static term in the model is fought by feedback alone",
    )
    gaps = [_mean(_mixtures(s)) - _mean(s["IDSL"]) for s in (common.shares_of_pd(plain), found)]
    yield context.finding(
        "the gap between the model-based controller and the mixtures shrinks (ratio of the gaps)",
        printed="< 1",
        ours=gaps[1] / gaps[0],
        ok=gaps[1] < gaps[0],
        reason="on our tasks the exact form is still worth as much",
    )
