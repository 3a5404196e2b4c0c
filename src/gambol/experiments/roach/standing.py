"""The roach is dropped and stands: exponential joint springs carry it, linear ones of the same slope do not."""

import numpy as np

from gambol import Simulation
from gambol.experiments.findings import at_least, at_most, exactly, last_digit, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_strip
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import roach, roach_world, standing_positions, stepping
from gambol.plot import CURVE_COLOURS


def dropped(linear: bool, seconds: float = 0.6) -> RoachWalk:
    """The motion after a drop, on linear or on exponential springs."""
    sim = Simulation(roach_world(linear=linear), stepping=stepping(1e-3))
    sim.reset(standing_positions(0.0175))
    path = sim.run(seconds, every=0.005)
    start = standing_positions(0.0175)
    return RoachWalk(np.array([0.0, *path.time]), np.array([start, *path.q]), None, sim, None)  # type: ignore[arg-type]


@experiment(
    "roach-stand",
    f"{MCKENNA_1990}, 5.3",
    "Drop and stand: linear springs collapse, exponential hold",
    states=[
        printed("freedoms", "degrees of freedom", "5.3", exactly(38), value=38),
        printed(
            "mass",
            "mass of the figure",
            "4.7",
            last_digit("2.1"),
            value=2.1,
            unit="g",
        ),
        printed(
            "exponential",
            "exponential springs support the body: air below the trunk",
            "5.3",
            at_least(0.1, "clear of the ground by more than corners sink into it"),
            value="supported",
            unit="mm",
        ),
        printed(
            "linear",
            "linear springs of the same small-angle stiffness collapse: air below the trunk",
            "5.3",
            at_most(0.1, "on the ground, within what corners sink into it"),
            value="collapses",
            unit="mm",
        ),
    ],
)
def stand(context: ExperimentContext) -> Findings:
    figure = roach()
    yield context.found("freedoms", sum(body.joint.speeds for body in figure.bodies))
    yield context.found("mass", figure.mass * 1e3)
    springs = {"exponential": dropped(False), "linear": dropped(True)}
    clear = {name: run.clearance(0.5) for name, run in springs.items()}
    for picture, name in (("drop", "exponential"), ("linear", "linear")):
        with context.picture(picture) as path:
            draw_strip(springs[name], path, times=[0.0, 0.04, 0.08, 0.2, 0.6])
    title = "dropped on its feet"
    with context.axes("height", 6.0, 2.8, x="time [s]", y="abdomen's centre [cm]", title=title) as axes:
        for colour, (name, run) in zip(CURVE_COLOURS, springs.items()):
            axes.plot(run.time, run.q[:, 2] * 100, color=colour, label=name)
    yield context.found("exponential", clear["exponential"] * 1e3)
    yield context.found("linear", clear["linear"] * 1e3)
