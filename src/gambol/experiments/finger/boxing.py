"""A human of 12 links takes a punch (§3: the example size of the source)."""

import numpy as np

from gambol.experiments.findings import at_least, at_most, exactly, ours, printed, within
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import ARMSTRONG_GREEN_1985
from gambol.models import boxer
from gambol.plot import CURVE_COLOURS, canvas, dress

SECONDS = 4.0
EYES = (0.09, 0.0, 0.13)  # [m] of the head


def equations(simulation) -> int:
    """Unknowns of a step: three of each link's turn, and three of the root."""
    return 3 * len(simulation.layout.names) + 3


def way_of(punch, ratio: int = 1, step: float = boxer.STEP):
    """The run and the path of the face."""
    recording = boxer.punched(punch=punch, ratio=ratio, step=step).run(SECONDS)
    return recording, recording.point("head", EYES)


@experiment(
    "finger-punch",
    f"{ARMSTRONG_GREEN_1985}, §3",
    "A human of 12 links takes a punch",
    states=[
        printed("links", "links of the human", "§3", exactly(12), value=12),
        printed("equations", "equations of a step", "§3", exactly(39), value=39),
        ours("guard", "nobody there: largest way of the face in 4 s (it begins in its guard, at rest)", unit="m"),
        ours("impulse", "momentum that the punch gives, over its impulse", within(1.0, 0.05, "supports act meanwhile")),
        ours("gives", "the head gives way: largest way of the face", at_least(0.05, "to be seen"), unit="m"),
        ours(
            "recovers",
            "back in his guard: way of the face at the end, of the largest",
            at_most(0.1, "a tenth is not to be seen"),
        ),
        ours("bands", "ν = 4, against ν = 1: largest distance of the face, of the largest way"),
    ],
)
def punch(context: ExperimentContext) -> Findings:
    simulation = boxer.punched()
    yield context.found("links", len(simulation.layout.names))
    yield context.found("equations", equations(simulation))
    still, calm = way_of(None)
    yield context.found("guard", np.linalg.norm(calm - calm[0], axis=1).max())
    hit, face = way_of(boxer.PUNCH)
    away = np.linalg.norm(face - calm, axis=1)
    begin, end = (round(t / boxer.STEP) for t in (boxer.PUNCH_START, boxer.PUNCH_START + boxer.PUNCH_TIME))
    gained = momentum(hit, end) - momentum(hit, begin - 1) - (momentum(still, end) - momentum(still, begin - 1))
    yield context.found("impulse", float(gained[0] / (boxer.PUNCH[0] * boxer.PUNCH_TIME)))
    yield context.found("gives", away.max())
    yield context.found("recovers", away[-1] / away.max())
    _, spread = way_of(boxer.PUNCH, ratio=4)
    yield context.found("bands", np.linalg.norm(spread - face, axis=1).max() / away.max())
    draw(context, hit, still, away, spread, face)


def momentum(recording, k: int) -> np.ndarray:
    """Of the whole figure about a frame [kg·m/s], from the places of its masses a frame before and after."""
    figure, total = boxer.boxer(), np.zeros(3)
    for body in figure.bodies:
        path = recording.point(body.name, body.mass_properties.centre)
        span = recording.time[k + 1] - recording.time[k - 1]
        total += body.mass_properties.mass * (path[k + 1] - path[k - 1]) / span
    return total


def draw(context: ExperimentContext, hit, still, away, spread, face) -> None:
    """The figure from the side at a few moments, and how far the face goes."""
    times = (0.4, 0.55, 0.65, 0.8, 1.2, 3.9)
    picture = canvas(11.0, 5.6)
    upper = [picture.add_subplot(2, len(times), k + 1) for k in range(len(times))]
    for axes, time in zip(upper, times):
        k = round(time / boxer.STEP)
        for name, (parent, at, *_) in boxer.LINKS.items():
            ends = np.array([hit.point(parent)[k], hit.point(parent, at)[k]])
            axes.plot(ends[:, 0], ends[:, 2], color=CURVE_COLOURS[0], lw=2)
            long = boxer.LINKS[name][2]
            tip = (0.15, 0.0, -0.04) if name.endswith("foot") else (0.0, 0.0, -long)
            ends = np.array([hit.point(name)[k], hit.point(name, tip)[k]])
            axes.plot(ends[:, 0], ends[:, 2], color=CURVE_COLOURS[1] if name == "head" else CURVE_COLOURS[0], lw=3)
        axes.set_aspect("equal")
        axes.set_xlim(-0.7, 0.7)
        axes.set_ylim(-0.05, 1.85)
        axes.set_axis_off()
        axes.set_title(f"{time:g} s", fontsize=8)
    below = picture.add_subplot(2, 1, 2)
    below.plot(hit.time, away, color=CURVE_COLOURS[0], label="ν = 1")
    below.plot(
        hit.time, np.linalg.norm(spread - still.point("head", EYES), axis=1), color=CURVE_COLOURS[1], label="ν = 4"
    )
    below.legend(fontsize=8)
    dress(below, x="time [s]", y="way of the face [m]", title="500 N for 50 ms on the face")
    context.save("punch", picture)
