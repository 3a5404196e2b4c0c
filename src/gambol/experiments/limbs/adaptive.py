"""Adaptive controllers compared: arms, learning rates, gravity, viscosity, number of experts (§3.4.2)."""

import numpy as np

from gambol.control.arms.gains import ControlLaw
from gambol.control.arms.trajectories import Together
from gambol.experiments.findings import (
    MOSTLY,
    Mean,
    Rate,
    Statement,
    about,
    at_least,
    at_most,
    between,
    far_below,
    ours,
    printed,
)
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


WHERE = {"sinusoids": "§3.4.2, fig. 3.5", "reaches": "§3.4.2: trends that are consistently observed; no figure"}


@experiment(
    "limbs-comparison",
    f"{MITCHELL_1997}, fig. 3.5",
    "All controllers on the heavy arm",
    states=[
        statement
        for group in ("sinusoids", "reaches")
        for statement in (
            printed(
                f"{group}-worst",
                f"{group}: every adaptive controller is far better than PD: worst mean share",
                WHERE[group],
                far_below(1.0),
                value="substantially better",
                differs="slow tasks leave PD little to be better than",
            ),
            printed(
                f"{group}-model",
                f"{group}: the model-based controller is best: its share over the best mixture's, task by task",
                WHERE[group],
                at_most(1.0, "best, with the whole interval"),
                value="best",
                differs="its four parameters adapt slowly at η = 0.01",
            ),
        )
    ],
)
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
        yield context.found(f"{name}-worst", max(_mean(values) for values in found.values()))
        yield context.found(f"{name}-model", Mean(found["IDSL"] / np.nanmin(_mixtures(found), axis=0)))


@experiment(
    "limbs-experts",
    f"{MITCHELL_1997}, §3.4.2",
    "One to eight experts",
    states=[
        printed(
            "no-difference",
            "no consistent difference between M1 … M8: share of M8 over that of M1, task by task",
            "§3.4.2",
            about(1.0),
            value="none consistent",
            differs="gates share one learning rate: ‖Φ‖² = ‖φ‖² Σ g² falls with their number, so at one η more experts"
            " learn more slowly",
        ),
        ours(
            "in-proportion",
            "with η in proportion to the number of experts: share of M8 over that of M1",
            at_most(1.0, "no worse, with the whole interval"),
        ),
        printed(
            "diminishing",
            "diminishing returns (η in proportion): gain from M4 to M8, over that from M1 to M4",
            "§3.4.2",
            at_most(1.0, "the second doubling gains less than the two before"),
            value="diminishing",
        ),
        ours("spread", "spread over tasks: mean standard deviation of the share"),
    ],
)
def experts(context: ExperimentContext) -> Findings:
    found = common.shares_of_pd(
        common.run_comparison(context, slotine_li_arm(), common.sinusoids(), common.controllers)
    )
    equal = common.shares_of_pd(common.run_comparison(context, slotine_li_arm(), common.sinusoids(), _in_proportion))
    draw_bars(context, "experts", {"η = 0.01 for all": found, "η = 0.01 N": equal}, "L2 / L2 of PD")
    one, fair = _mixtures(found), _mixtures(equal)
    yield context.found("no-difference", Mean(one[-1] / one[0]))
    yield context.found("in-proportion", Mean(fair[-1] / fair[0]))
    m1, m4, m8 = (np.nanmean(fair, axis=1)[n - 1] for n in (1, 4, 8))
    yield context.found("diminishing", (m4 - m8) / (m1 - m4), note=f"{m1:.3f}, {m4:.3f}, {m8:.3f}")
    yield context.found("spread", np.nanstd(one, axis=1).mean())


def _in_proportion() -> list[ControlLaw]:
    """Mixtures whose learning rate grows with their number of experts, so that each expert learns as fast."""
    return [*common.controllers(experts=()), *(common.mixture(n, eta=common.ETA * n) for n in common.EXPERT_COUNTS)]


SAMPLING = "the instability is one of sampling; at our period of 10 ms it begins at a higher rate"


@experiment(
    "limbs-learning-rates",
    f"{MITCHELL_1997}, fig. 3.7",
    "Learning rates on the light arm",
    states=[
        printed(
            "marginal",
            "differences among stable η are marginal: mean share at 0.05 over that at 0.01",
            "fig. 3.7",
            about(1.0),
            value="marginal",
            differs="at 0.01 the light arm has not finished adapting after 30 s: a higher rate still gains",
        ),
        printed(
            "some",
            "some trials are unstable at η = 0.1: how many of 36",
            "fig. 3.7",
            between(1, 18, "“some”: one at least, half at most"),
            value="some",
            differs=SAMPLING,
        ),
        printed(
            "typical",
            "above 0.1 instability is typical: share of the trials at 0.3 and 1",
            "§3.4.2",
            MOSTLY,
            value="typical",
            differs=SAMPLING,
        ),
        ours(
            "sampling",
            f"the limit is one of sampling: unstable at η = 0.1 with torques held for {1e3 * LONG_PERIOD:g} ms, of 36",
            at_least(1, "some, where at 10 ms there are none"),
        ),
    ],
)
def learning_rates(context: ExperimentContext) -> Findings:
    rates, chosen, tasks = np.array([0.01, 0.05, 0.1, 0.3, 1.0]), (1, 4, 8), len(common.sinusoids().at(0.0).q)
    each = np.repeat(rates, tasks)[:, None]  # every task at every rate, side by side
    many = Together([common.sinusoids()] * len(rates))
    trials = common.run_comparison(context, uno_arm(), many, lambda: common.controllers(eta=each, experts=chosen))
    found = {name: share.reshape(len(rates), tasks) for name, share in common.shares_of_pd(trials).items()}
    groups = {f"η = {eta:g}": {name: v[k] for name, v in found.items()} for k, eta in enumerate(rates)}
    draw_bars(context, "rates", groups, "L2 / L2 of PD", log=True)
    stable = [np.mean([_mean(v[k]) for v in found.values()]) for k in (0, 1)]
    yield context.found("marginal", stable[1] / stable[0])
    unstable = sum(t.unstable.reshape(len(rates), tasks).sum(axis=1) for n, t in trials.items() if n != "PD")
    lost = dict(zip(rates.tolist(), np.asarray(unstable).tolist()))
    total = len(chosen) + 1
    slow = common.run_comparison(
        context, uno_arm(), common.sinusoids(), lambda: common.controllers(eta=0.1, experts=chosen), period=LONG_PERIOD
    )
    later = sum(int(t.unstable.sum()) for n, t in slow.items() if n != "PD")
    yield context.found("some", lost[0.1])
    yield context.found(
        "typical", Rate(lost[0.3] + lost[1.0], 2 * total * tasks), note=f"{lost[0.3]} at 0.3, {lost[1.0]} at 1"
    )
    yield context.found("sampling", later)


def _disturbed_statements(figure: str) -> list[Statement]:
    return [
        printed(
            "worse",
            "absolute errors are worse than without: smallest ratio of an adaptive controller",
            figure,
            at_least(1.0, "worse"),
            value="worse",
            differs="it damps the arm, and velocity terms of a mixture can take it up",
        ),
        printed(
            "better",
            "adaptive controllers are still better than PD: worst mean share",
            figure,
            at_most(1.0, "better"),
            value="better",
        ),
        printed(
            "gap",
            "the gap between the model-based controller and the mixtures shrinks: ratio of the gaps",
            figure,
            between(0.0, 1.0, "smaller, and still the model-based controller's"),
            value="shrinks",
            differs="it reverses: what is not in its model misleads the model-based controller more than the mixtures",
        ),
    ]


@experiment(
    "limbs-gravity", f"{MITCHELL_1997}, fig. 3.8", "Gravity that nobody modelled", _disturbed_statements("fig. 3.8")
)
def gravity(context: ExperimentContext) -> Findings:
    yield from _disturbed(context, "gravity", gravity=PLANE_GRAVITY)


@experiment(
    "limbs-viscosity", f"{MITCHELL_1997}, fig. 3.9", "Viscosity that nobody modelled", _disturbed_statements("fig. 3.9")
)
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
    yield context.found("worse", worse)
    found = common.shares_of_pd(disturbed)
    yield context.found("better", max(_mean(v) for v in found.values()))
    gaps = [_mean(_mixtures(s)) - _mean(s["IDSL"]) for s in (common.shares_of_pd(plain), found)]
    yield context.found("gap", gaps[1] / gaps[0], note=f"shares {gaps[0]:+.3f} and {gaps[1]:+.3f} apart")
