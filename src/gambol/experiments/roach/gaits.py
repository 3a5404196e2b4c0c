"""Gait diagrams: wave, tripod, and the change from one to the other; without physics."""

import numpy as np

from gambol import PacemakerGait, rehearse
from gambol.experiments.findings import answer, at_most, derived, exactly, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import LEG_ORDER
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import STEP_TIME, legs, table
from gambol.plot import gait_diagram, save


def footfalls(cycle: float, seconds: float = 3.0):
    """The footfalls that the pacemakers alone give, without physics."""
    return rehearse(PacemakerGait(legs(), step_time=STEP_TIME, cycle=cycle), seconds)


@experiment(
    "roach-gaits",
    f"{MCKENNA_1990}, 5.2",
    "Gait diagrams: wave, tripod, transition",
    states=[
        derived(
            "phases",
            "steps begin when the phase rule says (7 cycle times, 6 legs): largest difference",
            "4.6: phase of neighbours 360° · delay / cycle",
            at_most(1e-3, "a thousandth of the step's 50 ms and less"),
            unit="ms",
        ),
        derived(
            "duty",
            "share of stance: largest difference",
            "4.6: 1 − step time / cycle",
            at_most(1e-5, "digits of the table of derived phases"),
        ),
        printed(
            "wave",
            "slow: a wave from rear to front, the sides half a cycle apart: order of the steps",
            "5.2",
            answer("BL ML FL BR MR FR", "rear to front on the left, then on the right"),
            value="rear to front, sides 180° apart",
        ),
        printed(
            "tripod",
            "fastest: two tripods alternate: legs that step with the left hind one",
            "5.2",
            answer("BL FL MR", "the tripod of the left hind leg"),
            value="tripod",
        ),
        printed(
            "transition",
            "frequency raised smoothly: continuous change from wave to tripod: steps missed or doubled",
            "5.2",
            exactly(0),
            value="continuous",
        ),
    ],
)
def gaits(context: ExperimentContext) -> Findings:
    rows = table("gait_phases")
    cycles = sorted({float(row["cycle_time_s"]) for row in rows})
    runs = {cycle: footfalls(cycle, max(3.0, 6 * cycle)) for cycle in cycles}
    error = duty = 0.0
    for row in rows:
        cycle = float(row["cycle_time_s"])
        lag = runs[cycle].lags("bl", 0.5)[row["leg"]] % cycle
        due = float(row["step_start_after_back_left_ms_derived"]) / 1e3
        error = max(error, min(abs(lag - due), cycle - abs(lag - due)))
        own = runs[cycle].duty(0.5)[runs[cycle].legs.index(row["leg"])]
        duty = max(duty, abs(own - float(row["duty_factor"])))
    with context.picture("diagrams") as path:
        shown = {f"cycle {c:g} s": runs[c] for c in (0.6, 0.3, 0.15, 0.1)}
        save(gait_diagram(shown, start=1.0, end=2.2, order=LEG_ORDER), path)
    yield context.found("phases", error * 1e3)
    yield context.found("duty", duty)
    wave = runs[0.3].lags("bl", 0.5)
    ranked = sorted(LEG_ORDER, key=lambda leg: wave[leg])
    yield context.found("wave", " ".join(ranked).upper())
    tripod = runs[0.1].lags("bl", 0.5)
    together = {leg for leg in LEG_ORDER if tripod[leg] % 0.1 < 1e-6}
    yield context.found("tripod", " ".join(sorted(together)).upper())
    yield from transition(context)


def transition(context: ExperimentContext) -> Findings:
    """The cycle shortened smoothly: every leg steps once a cycle, none is missed or doubled."""
    slow, fast, seconds = 0.6, 0.1, 6.0
    frequency = lambda t: 1 / slow + (1 / fast - 1 / slow) * min(t / (seconds - 1.0), 1.0)
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=slow)
    run = rehearse(gait, seconds, cycle=lambda t: 1 / frequency(t))
    context.save("transition", gait_diagram(run, start=0.0, order=LEG_ORDER, title="from a wave to a tripod"))
    strange = 0
    for steps in run.steps:
        starts = np.array([s[0] for s in steps])
        gaps = np.diff(starts)
        wanted = np.array([1 / frequency(t) for t in starts[:-1]])
        strange += int(np.sum((gaps > 1.25 * wanted) | (gaps < 0.5 * wanted)))
    yield context.found("transition", strange)
