"""Pushes from a list, met passively, actively and by feedback."""

from dataclasses import replace
from functools import partial

import numpy as np

from gambol import Behaviour, MoveTo, Push, Simulation, Stepping, Then, Together, Trajectory, Wait, calibrate
from gambol.control.behaviour import set_push
from gambol.experiments.findings import MOSTLY, Rate, at_least, at_most, between, beyond, far_above, ours, printed
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.person.standing import centre_of_mass
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person90
from gambol.models.person import BEVEL, STEPPING, Standing, fallen, person_world, posture, rigid_foot, stand
from gambol.plot import CURVE_COLOURS

PUSH_SECONDS = 0.5  # [s]
PUSH_FORCES = (5.0, 10.0, 20.0, 30.0, 40.0, 60.0)  # [N], forward
PUSH_DIRECTIONS = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0)}
STIFF_FEET = {"foot": 8.0}


def simulate_push(
    standing: Standing,
    force: float,
    *,
    direction: str = "forward",
    seconds: float = PUSH_SECONDS,
    feedback: bool = False,
    more: Behaviour | None = None,
    after: float = 6.0,
) -> Trajectory:
    """A push after half a second, and what follows for some seconds."""
    x, y = PUSH_DIRECTIONS[direction]
    sim = standing.restart()
    steps: list[Behaviour] = [Then(Wait(0.5), Push((force * x, force * y, 0.0), seconds), Wait(after))]
    if feedback:
        steps.append(standing.balance())
    if more is not None:
        steps.append(more)
    return perform(
        sim,
        Together(*steps),
        0.5 + seconds + after,
        watch={"centre": centre_of_mass, "lean": lean},
        stops={"fell": fallen},
    )


def lean(sim: Simulation) -> np.ndarray:
    """Centre of mass from the middle of the heels [m]: under a steady push the soles creep."""
    heels = [sim.mechanics.point(sim.q, f"{side}_hindfoot") for side in "lr"]
    return centre_of_mass(sim) - np.mean(heels, axis=0)


def largest_shift(shown: Trajectory, what: str = "centre") -> float:
    """Largest horizontal motion of the centre of mass [mm]; infinite where it fell."""
    if shown.ended == "fell":
        return np.inf
    path = shown.watched[what][:, :2]
    return 1e3 * float(np.linalg.norm(path - path[0], axis=1).max())


def final_offset(shown: Trajectory) -> float:
    """Distance from where it stood, at the end [mm]."""
    path = shown.watched["centre"][:, :2]
    return 1e3 * float(np.linalg.norm(path[-1] - path[0]))


def largest_survived(standing: Standing, *, direction: str = "forward", feedback: bool = False) -> float:
    """The largest push of the list that does not topple it [N]."""
    best = 0.0
    for force in PUSH_FORCES:
        if not np.isfinite(largest_shift(simulate_push(standing, force, direction=direction, feedback=feedback))):
            break
        best = force
    return best


RETURNS = at_most(0.1, "returns: a tenth of the shift is left")
RANGE = between(10.0 / 3.0, 30.0, "“in the range of 10 N”: a factor of 3 either way")
MUCH = far_above(1.0)
WAYS, SIZES = ("forward", "backward", "left"), (9.0, 10.0, 11.0)  # what is printed: horizontal, in the range of 10 N
RETURN_SECONDS = 25.0  # [s]
RETURNS_OF = (
    f"10 N (9 to 11, forward, back and aside) for half a second: what is left of the shift after {RETURN_SECONDS:g} s"
    " is a tenth at most: share of the pushes"
)


@experiment(
    "person-push",
    f"{MCKENNA_1994}, 7.2",
    "Pushes met passively, actively, and by feedback",
    states=[
        printed(
            "returns",
            f"passive, rigid feet, stiffness of Table 11: when the force is removed it returns. {RETURNS_OF}",
            "7.2",
            MOSTLY,
            value="returns",
            differs="it falls: the basin of the passive stance on the reconstructed soles is smaller than the push",
        ),
        ours("returns-stiffer", "… with ankles ×1.5", MOSTLY, differs="backward it falls"),
        printed(
            "topples",
            "passive, rigid feet, stiffness of Table 11: beyond a certain force it falls: largest push of the list that"
            " it survives",
            "7.2: magnitudes in the range of 10 N",
            RANGE,
            value=10.0,
            unit="N",
            differs="it falls at the least of the list",
        ),
        ours("topples-stiffer", "… with ankles ×1.5", RANGE, unit="N"),
        printed(
            "larger",
            "complex feet are much more sensitive than rigid ones, and the body moves more (5 N, passive, stiffness of"
            " Table 11; 0 where it falls): ratio of the shifts",
            "7.2",
            MUCH,
            value="much more",
            differs="complex feet do not stand alone on the reconstructed soles",
        ),
        ours("larger-stiffer", "… with foot springs ×8, which stand alone", MUCH, differs="twice, not three times"),
        printed(
            "active",
            "a steady push of 5 N known to the calibration moves it very slightly: shift, of that where it is not known"
            " (rigid feet)",
            "7.2",
            at_most(0.1, "“only very slightly”: a tenth"),
            value="very slightly",
        ),
        beyond("active-feedback", "the same by feedback, which need not know it", unit="mm"),
        printed(
            "alone",
            "complex feet of Table 11 without feedback: largest push of the list survived",
            "7.2: magnitudes in the range of 10 N",
            RANGE,
            value=10.0,
            unit="N",
            differs="they do not stand alone on the reconstructed soles",
        ),
        *(
            beyond(
                f"feedback-{direction}",
                f"complex feet with feedback, pushed {direction} for 0.5 s: largest push survived",
                at_least(10.0, "the push that is printed"),
                unit="N",
            )
            for direction in PUSH_DIRECTIONS
        ),
        ours("larger-feedback", "10 N with feedback: shift of complex feet over that of rigid ones"),
        ours(
            "explicit",
            "10 N on complex feet by Fehlberg's pair at the source's tolerance: centre of mass after 0.7 s apart by",
            at_most(0.1, "a hundredth of the shift"),
            unit="mm",
            full=True,
        ),
    ],
)
def pushes(context: ExperimentContext) -> Findings:
    both = posture(wide=True, toes_up=True)
    rigid = stand(person_world(rigid_foot(), stiffer={"talus": 1.5, "hindfoot": 1.5}), posture(wide=True))
    stiff = stand(person_world(rigid_foot(), bevel=BEVEL), both)
    firm = stand(person_world(person90(), bevel=BEVEL, stiffer=STIFF_FEET), both)
    soft = stand(person_world(person90()), posture(wide=True))
    soft_rigid = stand(person_world(rigid_foot()), posture(wide=True))
    yield from passive(context, soft_rigid, rigid)
    yield context.found("larger", ratio_of_shifts(soft, soft_rigid))
    yield context.found("larger-stiffer", ratio_of_shifts(firm, stiff))
    yield from active(context, stiff, both)
    yield from by_feedback(context, soft, soft_rigid)
    if not context.quick:
        yield from by_the_explicit_pair(context, soft)


def passive(context: ExperimentContext, usual: Standing, stiffer: Standing) -> Findings:
    """Pushes that only springs and dampers meet, at the stiffness of Table 11 and with stiffer ankles."""
    plan = [(way, force) for way in WAYS for force in (SIZES[:2] if context.quick else SIZES)]
    for suffix, standing in (("", usual), ("-stiffer", stiffer)):
        runs = [simulate_push(standing, force, direction=way, after=RETURN_SECONDS) for way, force in plan]
        back = [run.ended != "fell" and RETURNS.holds(final_offset(run) / largest_shift(run)) for run in runs]
        told = ", ".join(f"{way} {sum(b for b, (w, _) in zip(back, plan) if w == way)}" for way in WAYS)
        yield context.found(f"returns{suffix}", Rate(sum(back), len(plan)), note=told)
        yield context.found(f"topples{suffix}", largest_survived(standing))
    film_strip(context, "passive", simulate_push(stiffer, 10.0), [0.0, 1.0, 2.0, 6.0])


def ratio_of_shifts(complex_feet: Standing, rigid_feet: Standing) -> float:
    """How much farther a push of 5 N shifts the one than the other; 0 where one falls."""
    moved = [largest_shift(simulate_push(standing, 5.0)) for standing in (complex_feet, rigid_feet)]
    return moved[0] / moved[1] if np.isfinite(moved).all() else 0.0


def active(context: ExperimentContext, standing: Standing, angles) -> Findings:
    """A steady push of 5 N that the springs know of."""
    force, hold = 5.0, 3.0
    world = standing.sim.world
    known, _ = calibrate(
        world, standing.analysis.q, stepping=STEPPING, prepare=partial(set_push, force=(force, 0.0, 0.0))
    )
    answer = Then(Wait(0.5), MoveTo(known, 0.1), Wait(hold - 0.1), MoveTo(standing.state, 0.1))
    runs = {
        "passive": simulate_push(standing, force, seconds=hold),
        "active": simulate_push(standing, force, seconds=hold, more=answer),
    }
    runs["feedback"] = simulate_push(standing, force, seconds=hold, feedback=True)
    y, title = "centre of mass over the feet [mm]", "5 N at the trunk (grey), rigid feet"
    with context.axes("steady", 7.0, 3.0, x="time [s]", y=y, title=title) as axes:
        for k, (name, run) in enumerate(runs.items()):
            way = run.watched["lean"][:, 0]
            axes.plot(run.time, 1e3 * (way - way[0]), color=CURVE_COLOURS[k], label=name)
        axes.axvspan(0.5, 3.5, color="#eeeeee", zorder=0)
    moved = {name: largest_shift(run, "lean") for name, run in runs.items()}
    note = f"{moved['active']:.1f} of {moved['passive']:.1f} mm"
    yield context.found("active", moved["active"] / moved["passive"], note=note)
    yield context.found("active-feedback", moved["feedback"])


def by_feedback(context: ExperimentContext, soft: Standing, rigid: Standing) -> Findings:
    """Pushes met by feedback on the centre of mass."""
    yield context.found("alone", largest_survived(soft))
    for direction in PUSH_DIRECTIONS:
        yield context.found(f"feedback-{direction}", largest_survived(soft, direction=direction, feedback=True))
    ten = {
        name: largest_shift(simulate_push(s, 10.0, feedback=True)) for name, s in (("complex", soft), ("rigid", rigid))
    }
    note = f"{ten['complex']:.1f} and {ten['rigid']:.1f} mm"
    yield context.found("larger-feedback", ten["complex"] / ten["rigid"], note=note)
    hard = simulate_push(soft, 40.0, feedback=True)
    film_strip(context, "feedback", hard, [0.0, 0.8, 1.1, 1.5, 2.0, 4.0])


def by_the_explicit_pair(context: ExperimentContext, soft: Standing) -> Findings:
    """The same push, complex feet under feedback, stepped by the source's integrator at its tolerance."""
    ends = []
    for stepping in (STEPPING, Stepping(method="rkf45", eps=1e-4)):
        sim = Simulation(soft.sim.world, stepping=stepping, ledger=False)
        program = Together(Then(Push((10.0, 0.0, 0.0), PUSH_SECONDS), Wait(1.0)), replace(soft, sim=sim).balance())
        sim.reset(soft.analysis.q)
        soft.state.apply(sim)
        perform(sim, program, 0.7)
        ends.append((centre_of_mass(sim), sum(sim.counts[key] for key in ("steps", "rejected"))))
    (ours_, few), (exact, many) = ends
    moved = float(exact[0] - soft.analysis.support.centre[0])
    yield context.found(
        "explicit",
        1e3 * float(np.linalg.norm(ours_ - exact)),
        note=f"of {1e3 * moved:.1f} mm; {many:.0f} steps against {few:.0f}",
    )
