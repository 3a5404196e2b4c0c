"""Section 3: where the energy goes, and the power of the legs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.experiments.hexapod.trials import FINE, SOURCE, judged
from gambol.experiments.registry import Desk, Finding, experiment
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start
from gambol.hybrid.run import HybridRun
from gambol.plot.style import CURVES, canvas, dress, save

LOSSES = ("damped", "slipped", "unfelt", "impact")


@experiment("hexapod-energy", source=f"{SOURCE}, sections 3.2–3.7", title="The energy bill")
def energy(desk: Desk) -> Iterator[Finding]:
    still = dict(position_gain=0.0, speed_gain=0.0, damping=0.0, middle_damping=0.0, mobility=0.0, height=0.2)
    passive = CompliantHexapod(**still, lateral_damping=0.0, middle_lateral_damping=0.0)
    _, x = start(passive.p, velocity=(0.05, 0.2), spin=(0.2, 0.3, 0.1))
    bounce = HybridRun(passive, x, stepping=FINE)
    before = bounce.observe()["energy"]
    path = bounce.run(0.6, every=0.005)
    off = path["energy"] - before + sum(path[name] for name in LOSSES)
    drive = HybridRun(CompliantHexapod(), stepping=FINE)
    start_energy = drive.observe()["energy"]
    bill = drive.run(2.0 if desk.quick else 6.0, every=0.02)
    total = bill["energy"] - start_energy - bill["work"] + sum(bill[name] for name in LOSSES)
    with desk.picture("bill") as file:
        picture = canvas(9.0, 3.4)
        left, right = picture.subplots(1, 2)
        left.plot(path.time, off, color=CURVES[0])
        dress(left, x="time [s]", y="J", title=f"passive, {bounce.change_count} events: energy less its losses")
        for k, name in enumerate(("heat", "work", *LOSSES)):
            right.plot(bill.time, bill[name], color=CURVES[k], lw=1.2, label=name)
        right.plot(bill.time, bill["electrical energy"], color="k", lw=1.0, label="electrical")
        dress(right, x="time [s]", y="J", title="running: where the electrical energy goes")
        right.legend(fontsize=7, loc="upper left")
        save(picture, file)
    yield judged(
        desk,
        "undamped springs, no motors, no sliding: energy is kept across events (less the plastic impacts of toes)",
        ours=float(np.abs(off).max()),
        unit=f"J of {before:.1f} J, over {bounce.change_count} events",
        ok=bool(np.abs(off).max() < 1e-6 * before),
        reason="the ledger does not close",
    )
    electrical = bill["electrical energy"][-1]
    yield judged(
        desk,
        "electrical energy = heat + mechanical work",
        ours=float(abs(electrical - bill["heat"][-1] - bill["work"][-1]) / electrical),
        unit="of the electrical energy",
        ok=bool(abs(electrical - bill["heat"][-1] - bill["work"][-1]) < 1e-6 * electrical),
        reason="the motor constants do not belong together",
    )
    yield judged(
        desk,
        "work = damping + sliding + impacts + what legs in flight take + energy gained",
        ours=float(np.abs(total).max() / bill["heat"][-1]),
        unit="of the heat",
        ok=bool(np.abs(total).max() < 1e-6 * bill["heat"][-1]),
        reason="the ledger does not close",
    )
