"""Section 3: where the energy goes, and the power of the legs."""

import numpy as np

from gambol import HybridRun
from gambol.experiments.compliant_hexapod.trials import FINE_STEPPING
from gambol.experiments.findings import at_most, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start
from gambol.plot import CURVE_COLOURS, canvas, dress, save

LEDGER_LOSSES = ("damping loss", "sliding loss", "flight leg work", "impact loss")


CLOSED = at_most(1e-6, "a hundred times the tolerance of the steps")


@experiment(
    "hexapod-energy",
    f"{SARANLI_BUEHLER}, sections 3.2–3.7",
    "The energy bill",
    states=[
        ours(
            "kept",
            "undamped springs, no motors, no sliding: energy is kept across events (less the plastic impacts of toes):"
            " largest change, of the energy",
            CLOSED,
        ),
        ours(
            "electrical", "electrical energy = heat + mechanical work: what is left, of the electrical energy", CLOSED
        ),
        ours(
            "work",
            "work = damping + sliding + impacts + what legs in flight take + energy gained: what is left, of the heat",
            CLOSED,
        ),
    ],
)
def energy(context: ExperimentContext) -> Findings:
    still = dict(position_gain=0.0, speed_gain=0.0, damping=0.0, middle_damping=0.0, mobility=0.0, height=0.2)
    passive = CompliantHexapod(**still, lateral_damping=0.0, middle_lateral_damping=0.0)
    _, x = start(passive.p, velocity=(0.05, 0.2), spin=(0.2, 0.3, 0.1))
    bounce = HybridRun(passive, x, stepping=FINE_STEPPING)
    before = bounce.observe()["energy"]
    path = bounce.run(0.6, every=0.005)
    off = path["energy"] - before + sum(path[name] for name in LEDGER_LOSSES)
    drive = HybridRun(CompliantHexapod(), stepping=FINE_STEPPING)
    start_energy = drive.observe()["energy"]
    bill = drive.run(2.0 if context.quick else 6.0, every=0.02)
    total = bill["energy"] - start_energy - bill["work"] + sum(bill[name] for name in LEDGER_LOSSES)
    with context.picture("bill") as file:
        picture = canvas(9.0, 3.4)
        left, right = picture.subplots(1, 2)
        left.plot(path.time, off, color=CURVE_COLOURS[0])
        dress(left, x="time [s]", y="J", title=f"passive, {bounce.change_count} events: energy less its losses")
        for k, name in enumerate(("heat", "work", *LEDGER_LOSSES)):
            right.plot(bill.time, bill[name], color=CURVE_COLOURS[k], lw=1.2, label=name)
        right.plot(bill.time, bill["electrical energy"], color="k", lw=1.0, label="electrical")
        dress(right, x="time [s]", y="J", title="running: where the electrical energy goes")
        right.legend(fontsize=7, loc="upper left")
        save(picture, file)
    yield context.found(
        "kept", np.abs(off).max() / before, note=f"of {before:.1f} J, over {bounce.change_count} events"
    )
    electrical = bill["electrical energy"][-1]
    yield context.found("electrical", abs(electrical - bill["heat"][-1] - bill["work"][-1]) / electrical)
    yield context.found("work", np.abs(total).max() / bill["heat"][-1])
