"""Squat to stand, and a posture that uses every large joint."""

import numpy as np

from gambol import Figure, Mechanics, Place, Simulation, Trajectory, calibrate, check_posture, pose
from gambol.control.behaviour import MoveTo, Then, Together, Wait
from gambol.draw import Camera
from gambol.experiments.findings import at_least, beyond, derived, ours, printed
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.person.standing import centre_of_mass, hold_posture
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person
from gambol.plot import CURVE_COLOURS

SQUAT_KNEE = 1.5  # [rad] of the squat
STIFF_ANKLES = {"talus": 1.5, "hindfoot": 1.5}
TOE_NUMBERS = range(1, 6)


UPRIGHT = at_least(0.97, "three centimetres short of upright at most")
RISES = f"rises from knees bent by {SQUAT_KNEE} rad and stays up: height of the centre of mass at the end, of upright"


@experiment(
    "person-squat",
    f"{MCKENNA_1994}, 7.2, Fig. 48",
    "From a squat to standing by two control states",
    states=[
        ours("stiffer", f"rigid feet, ankles ×1.5, open loop: {RISES}", UPRIGHT),
        printed(
            "rises",
            f"rigid feet, stiffness of Table 11, open loop: {RISES}",
            "7.2, Fig. 48",
            UPRIGHT,
            value="rises",
            differs="at the ankles of Table 11 the sway after rising leaves the small basin of the passive stance",
        ),
        beyond("feedback", f"complex feet, feedback: {RISES}", UPRIGHT),
        ours("squat-growth", "the squat by itself: fastest growth", unit="1/s"),
    ],
)
def rise(context: ExperimentContext) -> Findings:
    runs = {}
    firm = simulate_rise(person.rigid_foot(), stiffer=STIFF_ANKLES, feedback=False)
    runs["rigid feet, ankles ×1.5, open loop"] = firm
    runs["rigid feet, open loop"] = simulate_rise(person.rigid_foot(), feedback=False)
    runs["complex feet, feedback"] = simulate_rise(person.person90(), feedback=True)
    film_strip(context, "open-loop", firm, [0.0, 0.3, 0.6, 0.9, 1.5, 5.0])
    film_strip(context, "feedback", runs["complex feet, feedback"], [0.0, 1.2, 1.6, 2.0, 2.5, 5.0])
    title = "from a squat to standing"
    with context.axes("heights", 7.0, 3.0, x="time [s]", y="centre of mass [m]", title=title) as axes:
        for k, (name, run) in enumerate(runs.items()):
            axes.plot(run.time, run.watched["centre"][:, 2], color=CURVE_COLOURS[k], label=name)
    low, up = squat_and_upright(person.rigid_foot(), None)
    upright = float(up.sim.mechanics.centre_of_mass(up.analysis.q)[2])
    for key, shown in zip(("stiffer", "rises", "feedback"), runs.values()):
        heights = shown.watched["centre"][:, 2]
        end = "fell" if shown.ended == "fell" else "stands"
        yield context.found(key, heights[-1] / upright, note=f"from {heights[0]:.2f} to {heights[-1]:.2f} m, {end}")
    yield context.found("squat-growth", check_posture(low.sim).growth)


def squat_and_upright(figure: Figure, stiffer) -> tuple[person.Standing, person.Standing]:
    """The squat and the upright posture, both calibrated."""
    world = person.person_world(figure, stiffer=stiffer)
    angles, pitch = person.squat(figure, SQUAT_KNEE, wide=True)
    return person.stand(world, angles, pitch=pitch), person.stand(world, person.posture(wide=True))


def simulate_rise(figure: Figure, *, feedback: bool, stiffer=None, seconds: float = 1.0) -> Trajectory:
    """From the squat to the upright posture in `seconds` [s], open loop or with feedback."""
    low, up = squat_and_upright(figure, stiffer)
    sim, balance = low.restart(), low.balance()
    wait = 1.0 if feedback else 0.0
    move = Then(Wait(wait), MoveTo(up.state, seconds, through=balance if feedback else None), Wait(8.0))
    program = Together(balance, move) if feedback else move
    return perform(sim, program, 8.0 + seconds + wait, watch={"centre": centre_of_mass}, stops={"fell": person.fallen})


# ---------------------------------------------------------------- contraposition
def contraposition(figure: Figure) -> np.ndarray:
    """Weight on the right leg, left knee and toes bent, hips and shoulders turned: by inverse kinematics with balance.

    The source does not print its angles. Right sole and left forefoot are kept where they stand.
    """
    mechanics = Mechanics(figure)
    base = person.posture(wide=True)
    start = person.placed(figure, base)
    bent = base | {
        **{"pelvis1": -0.05, "pelvis2": -0.08, "pelvis3": 0.12, "head1": 0.05, "head2": 0.08, "head3": 0.3},
        **{"l_shank": 0.5, "l_talus": 0.2, "l_thigh3": 0.25},
        **{"l_humerus1": -0.35, "l_humerus2": 0.25, "l_forearm": -1.1, "r_humerus1": 0.2, "r_humerus2": -0.2},
        **{f"l_phal{k}.2": base[f"l_phal{k}.2"] - 0.45 for k in TOE_NUMBERS},
    }
    here = lambda body, point: mechanics.point(start, body, point)
    heel, joint, tip = (-0.04, 0.0, -0.054), (0.0, 0.0, 0.0), (0.01, 0.0, 0.0)
    soles = [("r_hindfoot", heel), *[(f"r_phal{k}.1", joint) for k in (1, 3, 5)]]
    places = [Place(body, point, tuple(here(body, point))) for body, point in soles]
    ball = here("l_phal1.1", joint)
    places.append(Place("l_phal1.1", joint, (ball[0] - 0.05, ball[1] + 0.03, ball[2])))
    touching = [*[(f"l_phal{k}.1", joint) for k in (3, 5)], *[(f"l_toe{k}.2", tip) for k in (2, 4)]]
    places += [Place(body, point, (None, None, here(body, point)[2])) for body, point in touching]
    joints = [f"{side}_{name}" for side in "lr" for name in ("thigh1", "thigh2", "thigh3", "talus", "hindfoot")]
    joints += ["l_shank", *[f"l_phal{k}.2" for k in TOE_NUMBERS]]
    forward = float(mechanics.centre_of_mass(start)[0])
    return pose(mechanics, person.placed(figure, bent), places, joints=joints, centre=(forward, -0.035)).q


@experiment(
    "person-contraposition",
    f"{MCKENNA_1994}, 7.2",
    "Contraposition: weight on one leg, left toes bent",
    states=[
        derived(
            "held",
            "held by the springs alone: time until it falls, or 10",
            "7.2: shown among the standing postures, which springs maintain",
            at_least(10.0, "as long as it is watched"),
            value="held",
            unit="s",
            differs="complex feet do not stand without feedback on the reconstructed soles (person-posture-check)",
        ),
        beyond("held-feedback", "held with feedback", at_least(10.0, "as long as it is watched at least"), unit="s"),
        ours("weight", "weight on the right leg", unit="%"),
        printed(
            "toes",
            "left toes bent up by (third toe)",
            "7.2",
            at_least(0.2, "to be seen: eleven degrees"),
            value="bent",
            unit="rad",
        ),
        ours("margin", "stability margin", unit="cm"),
    ],
)
def contrapposto(context: ExperimentContext) -> Findings:
    figure = person.person90()
    world = person.person_world(figure)
    state, analysis = calibrate(world, contraposition(figure), stepping=person.STEPPING)
    standing = person.Standing(Simulation(world, stepping=person.STEPPING, ledger=False), state, analysis)
    sim, balance = standing.restart(), standing.balance()
    seconds = 10.0 if context.quick else 60.0
    shown = hold_posture(sim, seconds, balance, every=0.2)
    film_strip(context, "strip", shown, [0.0, shown.time[-1]], camera=Camera(azimuth=-30.0, elevation=8.0))
    loads = analysis.support.loads(lambda body: body[0] if person.region_of(body) else None)
    bend = float(analysis.q[sim.coordinates("l_phal3.2")][0] - person.posture()["l_phal3.2"])
    alone = hold_posture(standing.restart(), 10.0, every=0.2)
    yield context.found("held", alone.time[-1])
    yield context.found("held-feedback", shown.time[-1], note="it fell" if shown.ended == "fell" else "")
    yield context.found("weight", 100.0 * loads["r"] / sum(loads.values()))
    yield context.found("toes", -bend)
    yield context.found("margin", 100.0 * analysis.support.margin)
