"""Beyond the source: consecutive steps on level ground under active control, and what stops them."""

from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol import Push, Stepping, Then, Together, Trajectory, Wait
from gambol.control.biped.shuffling import ShuffleGait, trunk_angles
from gambol.draw import Camera
from gambol.experiments.findings import Statement, beyond, ours
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.person.standing import centre_of_mass
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models.person import COMPLEX_SHUFFLE, LEVEL_SHUFFLE, STEPPING, fallen, shuffle, shuffling_simulation
from gambol.plot import CURVE_COLOURS, canvas, dress

WALK_CONTROL_PERIOD = 0.005  # [s] of the controller
MIN_STEP_LENGTH = 0.1  # [m] a step at least, to count
WALK_PUSHES = (20.0, 40.0, 80.0, 120.0)  # [N]
WALK_LEANS = (0.09, 0.15, 0.21)  # [rad]
WALK_CAMERA = Camera(azimuth=-80.0, elevation=6.0)


@dataclass(frozen=True)
class SimulatedWalk:
    """A walk: what was seen, and where the feet struck."""

    shown: Trajectory
    strikes: list[tuple[float, str, tuple[float, float, float]]]  # time [s], side, place of the ankle [m]

    @property
    def steps(self) -> int:
        """Consecutive steps, each with the other foot and at least 10 cm ahead, the longest such row."""
        best = row = 0
        for before, after in zip(self.strikes, self.strikes[1:]):
            row = row + 1 if after[1] != before[1] and after[2][0] - before[2][0] > MIN_STEP_LENGTH else 0
            best = max(best, row)
        return best

    @property
    def distance(self) -> float:
        """How far the centre of mass went forward [m]."""
        return float(self.shown.watched["centre"][-1, 0] - self.shown.watched["centre"][0, 0])


def simulate_walk(
    seconds: float,
    *,
    gait: ShuffleGait = LEVEL_SHUFFLE,
    rigid: bool = True,
    standing: bool = False,
    push: float = 0.0,
    stepping: Stepping = STEPPING,
) -> SimulatedWalk:
    """Some seconds of walking, begun as a passive step or from standing still.

    push   [N] to the left for 0.2 s after two seconds
    """
    sim = shuffling_simulation(rigid=rigid, standing=standing, stepping=stepping)
    behaviour = shuffle(sim, gait)
    program = Together(behaviour, Then(Wait(2.0), Push((0.0, push, 0.0), 0.2), Wait(seconds)))
    watch = {"centre": centre_of_mass, "trunk": lambda s: np.array(trunk_angles(s.q[3:7]))}
    shown = perform(sim, program, seconds, period=WALK_CONTROL_PERIOD, every=0.02, watch=watch, stops={"fell": fallen})
    return SimulatedWalk(shown, behaviour.strikes)


def _statements() -> list[Statement]:
    made: list[Statement] = []
    for feet in ("rigid", "complex"):
        made += [
            beyond(f"{feet}-steps", f"{feet} feet: consecutive steps on level ground (10 cm at least, feet in turn)"),
            beyond(f"{feet}-distance", f"{feet} feet: distance walked", unit="m"),
            beyond(f"{feet}-drift", f"{feet} feet: drift to the left on the way", unit="m"),
            ours(f"{feet}-fine", f"{feet} feet: consecutive steps at a tenth of the tolerance"),
            beyond(f"{feet}-standing", f"{feet} feet, from standing still: consecutive steps in 10 s"),
        ]
    return [
        *made,
        beyond("lean-speed", "rigid feet: fastest over slowest speed by how far the trunk is to lean", unit="times"),
        ours("explicit", "rigid feet by Fehlberg's explicit pair: steps"),
        *(
            beyond(f"pushed-{side}", f"pushed to the {side} for 0.2 s: largest of {WALK_PUSHES} N survived", unit="N")
            for side in ("left", "right")
        ),
        ours("blind", "with feet that do not answer to the centre of mass it falls after", unit="s"),
    ]


@experiment("person-walk", f"beyond {MCKENNA_1994}, 10", "Walking on level ground under active control", _statements())
def walking(context: ExperimentContext) -> Findings:
    seconds = 5.0 if context.quick else 30.0
    for name, rigid, gait in (("rigid", True, LEVEL_SHUFFLE), ("complex", False, COMPLEX_SHUFFLE)):
        run = simulate_walk(seconds, gait=gait, rigid=rigid)
        moments = list(np.linspace(0.0, min(3.0, run.shown.time[-1]), 9))
        film_strip(context, name, run.shown, moments, camera=WALK_CAMERA)
        context.save(f"{name}-course", draw_walk(run))
        yield from course(context, name, run)
        fine = simulate_walk(seconds, gait=gait, rigid=rigid, stepping=replace(STEPPING, eps=1e-3))
        note = f"{fine.distance:.2f} m instead of {run.distance:.2f} m"
        yield context.found(f"{name}-fine", fine.steps, note=note)
    yield from from_standing(context)
    yield from checks(context)


def from_standing(context: ExperimentContext) -> Findings:
    """It starts by itself; how far the trunk leans sets the speed."""
    for name, rigid in (("rigid", True), ("complex", False)):
        run = simulate_walk(10.0, gait=COMPLEX_SHUFFLE, rigid=rigid, standing=True)
        end = "falls" if run.shown.ended == "fell" else "still up"
        yield context.found(f"{name}-standing", run.steps, note=end)
    runs = {lean: simulate_walk(10.0, gait=replace(COMPLEX_SHUFFLE, lean=lean), standing=True) for lean in WALK_LEANS}
    speeds = {lean: late_speed(run) for lean, run in runs.items()}
    told = ", ".join(f"{lean:g} rad: {speed:.2f} m/s" for lean, speed in speeds.items())
    yield context.found("lean-speed", max(speeds.values()) / min(speeds.values()), note=told)


def late_speed(run: SimulatedWalk) -> float:
    """Mean speed over the second half [m/s]."""
    half = len(run.shown.time) // 2
    path, time = run.shown.watched["centre"][half:, 0], run.shown.time[half:]
    return float((path[-1] - path[0]) / (time[-1] - time[0]))


def course(context: ExperimentContext, name: str, run: SimulatedWalk) -> Findings:
    """Steps, distance and drift of a walk."""
    last = float(run.shown.time[-1])
    end = f"falls at {last:.1f} s" if run.shown.ended == "fell" else f"still up after {last:.0f} s"
    yield context.found(f"{name}-steps", run.steps, note=end)
    yield context.found(f"{name}-distance", run.distance, note=f"{run.distance / last:.2f} m/s")
    yield context.found(f"{name}-drift", run.shown.watched["centre"][-1, 1])


def checks(context: ExperimentContext) -> Findings:
    """By the explicit pair; pushed; and blind."""
    seconds = 2.0 if context.quick else 5.0
    oracle = simulate_walk(seconds, stepping=Stepping(method="rkf45", eps=1e-4))
    ours_ = simulate_walk(seconds)
    apart = abs(oracle.distance - ours_.distance)
    note = f"in {seconds:.0f} s; implicit pair {ours_.steps}; distances {1e3 * apart:.0f} mm apart"
    yield context.found("explicit", oracle.steps, note=note)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        survived = [force for force in WALK_PUSHES if simulate_walk(6.0, push=sign * force).shown.ended != "fell"]
        yield context.found(f"pushed-{side}", max(survived, default=0.0))
    blind = simulate_walk(10.0, gait=replace(LEVEL_SHUFFLE, place_x=0.0, speed_x=0.0, place_y=0.0, speed_y=0.0))
    yield context.found("blind", blind.shown.time[-1])


def draw_walk(run: SimulatedWalk) -> Canvas:
    """The path from above with the footfalls, and the trunk's angles."""
    made = canvas(8.0, 5.0)
    above, below = made.subplots(2, 1)
    course = run.shown.watched["centre"]
    above.plot(course[:, 0], course[:, 1], color=CURVE_COLOURS[0], label="centre of mass")
    for side, colour in (("l", CURVE_COLOURS[1]), ("r", CURVE_COLOURS[2])):
        feet = np.array([place for _, own, place in run.strikes if own == side])
        above.plot(
            feet[:, 0], feet[:, 1], "o", color=colour, markersize=4, label=f"{'left' if side == 'l' else 'right'} foot"
        )
    dress(above, x="forward [m]", y="left [m]", title="where it went")
    above.legend(frameon=False, fontsize=8)
    for k, name in enumerate(("roll", "pitch", "yaw")):
        below.plot(run.shown.time, np.degrees(run.shown.watched["trunk"][:, k]), color=CURVE_COLOURS[k], label=name)
    dress(below, x="time [s]", y="trunk [°]")
    below.legend(frameon=False, fontsize=8)
    return made
