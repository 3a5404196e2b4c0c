"""The passive step from toe-off to heel strike, with rigid and complex feet; and what if a toe is missing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol import Simulation, Together, Trajectory, Wait, support
from gambol.control.biped.adult_curves import ANKLE, HIP, KNEE, adult_curve
from gambol.draw import Camera
from gambol.experiments.findings import (
    Mean,
    Statement,
    about,
    answer,
    at_least,
    at_most,
    beyond,
    derived,
    ours,
    printed,
    within,
)
from gambol.experiments.person.measuring import film_strip, perform, thread_seconds
from gambol.experiments.person.standing import centre_of_mass
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models.person import STEPPING, StepStart, started, step_rules, stepping_person, swing_load
from gambol.plot import CURVE_COLOURS, canvas, dress
from gambol.plot.style import PALE

RULE_PERIOD, SAMPLE_PERIOD = 0.002, 0.01  # [s] of rules, of what is kept
STRIKE_FORCE = 20.0  # [N] on the swing foot that count as heel strike
STEP_CAMERA = Camera(azimuth=-85.0, elevation=6.0, follow=False)
TOE_OFF, STRIKE = 0.62, 1.0  # phases of an adult's leg at which the step begins and ends; the other is half a cycle on
ADULT_ANGLES = {  # curve, sign of the joint's angle, share of a cycle that the leg is ahead of the swing leg
    "swing hip": (HIP, -1.0, 0.0),
    "swing knee": (KNEE, 1.0, 0.0),
    "stance ankle": (ANKLE, -1.0, 0.5),
    "swing ankle": (ANKLE, -1.0, 0.0),
}
STEP_ANGLES = {"swing hip": "r_thigh1", "swing knee": "r_shank", "stance ankle": "l_talus", "swing ankle": "r_talus"}


@dataclass(frozen=True)
class PassiveStep:
    """A step: what was seen, and what is measured of it at heel strike."""

    shown: Trajectory
    length: float
    lateral: float  # [m] heel that strikes from the centre of mass, sideways
    yaw: float  # [rad] of the trunk
    lean: float  # [rad] of the trunk towards the swing side

    def angle(self, name: str) -> np.ndarray:
        """A joint's angle over the step [rad]."""
        return self.shown.watched["angles"][:, list(STEP_ANGLES).index(name)]

    @property
    def strikes(self) -> bool:
        """Did it end with a heel strike?"""
        return self.shown.ended == "heel strike"


def heel_struck(sim: Simulation) -> bool:
    """Is the swing foot on the ground again?"""
    return float(sim.time) > 0.25 and swing_load(sim) > STRIKE_FORCE


def ground_force(sim: Simulation) -> np.ndarray:
    """The whole force of the ground [N, world axes]."""
    return support(sim).forces.sum(axis=0)


def heel_of(sim: Simulation, side: str) -> np.ndarray:
    """Where a heel is [m, world axes]."""
    return sim.mechanics.point(sim.q, f"{side}_hindfoot", (-0.04, 0.0, -0.054))


def clearance(sim: Simulation) -> float:
    """Height of the swing foot's heel and ball, whichever is lower [m]."""
    points = [(-0.04, 0.0, -0.054), (0.1, 0.0, -0.05)]
    return float(min(sim.mechanics.point(sim.q, "r_hindfoot", point)[2] for point in points))


def simulate_step(
    *, rigid: bool, start: StepStart | None = None, removed: tuple[str, ...] = (), eps: float = 1e-2
) -> PassiveStep:
    """One step from toe-off to heel strike, stepped to a tolerance."""
    figure = stepping_person(rigid=rigid, removed=removed)
    sim = started(figure, start, stepping=replace(STEPPING, eps=eps))
    at = [figure.position_slices[joint].start for joint in STEP_ANGLES.values()]
    watch = {
        "angles": lambda s: s.q[at],
        "force": ground_force,
        "centre": centre_of_mass,
        "clearance": clearance,
    }
    shown = perform(
        sim,
        Together(*step_rules(), Wait(2.0)),
        1.0,
        period=RULE_PERIOD,
        every=SAMPLE_PERIOD,
        watch=watch,
        stops={"heel strike": heel_struck},
    )
    w, x, _, z = sim.q[3:7]
    right, left = heel_of(sim, "r"), heel_of(sim, "l")
    return PassiveStep(
        shown,
        float(right[0] - left[0]),
        float(centre_of_mass(sim)[1] - right[1]),
        float(2.0 * np.arctan2(z, w)),
        float(2.0 * np.arctan2(x, w)),
    )


FEET = ("rigid", "complex")
START_SPREAD = 0.01  # share by which all rates differ between the starts of an ensemble


def _statements() -> list[Statement]:
    made = [
        ours(
            f"adult-{name.replace(' ', '-')}",
            f"complex foot, {name}: from that of adults at natural cadence (Winter 1991; Perry and Burnfield 2010),"
            " root mean square",
            unit="°",
        )
        for name in STEP_ANGLES
    ]
    for foot in FEET:
        made += [
            printed(
                f"{foot}-strikes",
                f"{foot} foot: the swing leg passes and strikes with its heel",
                "7.5",
                answer("heel strike", "the step ends so"),
                value="toe-off to heel strike",
            ),
            derived(
                f"{foot}-knee",
                f"{foot} foot: largest knee flexion",
                "7.5: close to Mochon & McMahon, who have about 60°",
                about(60.0),
                value=60.0,
                unit="°",
            ),
            printed(
                f"{foot}-extends",
                f"{foot} foot: the knee is extended before the strike: its flexion then",
                "7.5",
                at_most(10.0, "a sixth of its largest"),
                value="extends",
                unit="°",
            ),
            printed(
                f"{foot}-fore-aft",
                f"{foot} foot: the fore-aft force has the shape of Cavagna & Margaria's",
                "7.5",
                answer("brakes, then pushes", "that shape"),
                value="brakes, then pushes",
            ),
            derived(
                f"{foot}-vertical",
                f"{foot} foot: the vertical force about mid-stance, of the weight (vaulting)",
                "7.5: shape of Cavagna & Margaria's, stance as an inverted pendulum",
                at_most(1.0, "below the weight"),
                value="below",
            ),
        ]
    return [
        *made,
        printed(
            "ankle",
            "rigid and complex foot differ mainly at (largest root mean square difference)",
            "7.5",
            answer("ankle", "as printed"),
            value="ankle",
        ),
        printed(
            "variation",
            "the complex foot adds variation to the force curves: second differences, complex over rigid",
            "7.5",
            at_least(1.25, "more by the factor that “about” is"),
            value="adds",
        ),
        printed(
            "sway",
            "without motion to the stance side it tips to the swing side: centre of mass to the left at 0.4 s, change",
            "7.5",
            at_most(-10.0, "to be seen: a centimetre"),
            value="tips",
            unit="mm",
        ),
        printed(
            "arms",
            "without arm swing the trunk yaws with the swing leg: yaw to the left at the strike, change",
            "7.5",
            at_least(1.0, "to be seen: a degree"),
            value="yaws",
            unit="°",
        ),
        printed(
            "toe-end",
            "without the end of the big toe little changes: distance of centre of mass and striking heel, sideways",
            "7.5",
            within(0.0, 5.0, "half of the centimetre that the whole toe makes"),
            value="little",
            unit="mm",
        ),
        printed(
            "toe",
            "without the whole big toe that distance falls by 1 cm",
            "7.5",
            within(-10.0, 5.0, "half of the last printed digit, a centimetre"),
            value=-10.0,
            unit="mm",
            differs="load that the big toe carries late in stance depends on the start and the skins, which are not"
            " printed",
        ),
        ours(
            "tolerance",
            "complex foot at a tenth of the tolerance: change of the step's length",
            within(0.0, 5.0, "under a hundredth of the step"),
            unit="mm",
        ),
        beyond(
            "pace",
            "complex foot: faster than real time (printed: ten minutes a frame)",
            value=1 / 18000,
            where="7.5",
            unit="times real time",
            timed=True,
        ),
    ]


@experiment(
    "person-step",
    f"{MCKENNA_1994}, 7.5",
    "The passive step, rigid and complex foot, and toes removed",
    _statements(),
    {"starts": Parameter(5, "starts of the ensembles without toes, all rates up to 1 % slower or faster")},
)
def passive_step(context: ExperimentContext) -> Findings:
    rigid, whole = simulate_step(rigid=True), simulate_step(rigid=False)
    film_strip(context, "rigid", rigid.shown, 7, camera=STEP_CAMERA)
    film_strip(context, "complex", whole.shown, 7, camera=STEP_CAMERA)
    steps = {"rigid foot": rigid, "complex foot": whole}
    context.save("angles", draw_angles(steps))
    context.save("forces", draw_forces(steps))
    yield from shapes(context, rigid, whole)
    yield from forces(context, rigid, whole)
    yield from variations(context, whole)
    yield from beside_adults(context, whole)
    yield from tighter_tolerance(context, whole)
    yield from speed(context)


def tighter_tolerance(context: ExperimentContext, whole: PassiveStep) -> Findings:
    """The same step to a tenth of the tolerance."""
    fine = simulate_step(rigid=False, eps=1e-3)
    yield context.found("tolerance", 1e3 * (fine.length - whole.length), note=f"strikes at {fine.shown.time[-1]:.2f} s")


def shapes(context: ExperimentContext, rigid: PassiveStep, whole: PassiveStep) -> Findings:
    """The swing leg's passage, rigid beside complex feet."""
    for name, one in (("rigid", rigid), ("complex", whole)):
        knee = np.degrees(one.angle("swing knee"))
        clear = 1e3 * float(one.shown.watched["clearance"][4:-4].min())
        yield context.found(
            f"{name}-strikes",
            one.shown.ended or "none",
            note=f"at {one.shown.time[-1]:.2f} s; step {one.length:.2f} m, clearance {clear:.0f} mm",
        )
        yield context.found(f"{name}-knee", knee.max())
        yield context.found(f"{name}-extends", knee[-1])
    n = min(len(rigid.shown.time), len(whole.shown.time))
    apart = {
        name: float(np.sqrt(np.mean((rigid.angle(name)[:n] - whole.angle(name)[:n]) ** 2))) for name in STEP_ANGLES
    }
    most = max(apart, key=lambda name: apart[name])
    told = ", ".join(f"{k} {np.degrees(v):.1f}°" for k, v in apart.items())
    yield context.found("ankle", "ankle" if "ankle" in most else most, note=told)


def forces(context: ExperimentContext, rigid: PassiveStep, whole: PassiveStep) -> Findings:
    """The ground reaction over the step."""
    weight = 667.0
    for name, one in (("rigid", rigid), ("complex", whole)):
        late = one.shown.time > 0.04  # the start-up of contact has passed
        force, time = one.shown.watched["force"][late], one.shown.time[late]
        turn = float(time[np.argmax(force[:, 0] > 0.0)]) if (force[:, 0] > 0.0).any() else np.nan
        brakes = force[time < turn - 0.03, 0].mean() if np.isfinite(turn) else np.nan
        pushes = bool(np.isfinite(turn) and brakes < 0.0 < force[-6:-1, 0].mean())
        yield context.found(
            f"{name}-fore-aft",
            "brakes, then pushes" if pushes else "otherwise",
            note=f"changes sign at {turn:.2f} s; a spike where the knee is caught",
        )
        middle = force[(time > 0.3 * time[-1]) & (time < 0.7 * time[-1]), 2].mean()
        yield context.found(f"{name}-vertical", middle / weight)
    wiggle = {
        name: float(np.std(np.diff(one.shown.watched["force"][5:-1, 2], 2)))
        for name, one in (("rigid", rigid), ("complex", whole))
    }
    yield context.found("variation", wiggle["complex"] / wiggle["rigid"])


def variations(context: ExperimentContext, whole: PassiveStep) -> Findings:
    """Without sway, without arms, without the big toe."""
    plain, armless = (
        simulate_step(rigid=False, start=StepStart().without_sway()),
        simulate_step(rigid=False, start=StepStart().without_arms()),
    )
    to_swing = lambda s: (
        1e3 * float(s.shown.watched["centre"][min(40, len(s.shown.time) - 1), 1] - s.shown.watched["centre"][0, 1])
    )
    yield context.found("sway", to_swing(plain) - to_swing(whole))
    yaws = np.degrees([whole.yaw, armless.yaw])
    yield context.found("arms", yaws[1] - yaws[0], note=f"{yaws[0]:.1f}° with arms, {yaws[1]:.1f}° without")
    toe, ray = simulate_step(rigid=False, removed=("l_toe1",)), simulate_step(rigid=False, removed=("l_phal1.1",))
    y, title = "centre of mass to the left [mm]", "what if: the left big toe"
    with context.axes("toes", 7.0, 3.0, x="time [s]", y=y, title=title) as axes:
        steps = {"intact": whole, "without its end": toe, "without the big toe": ray}
        for k, (label, one) in enumerate(steps.items()):
            axes.plot(one.shown.time, 1e3 * one.shown.watched["centre"][:, 1], color=CURVE_COLOURS[k], label=label)
    spread = np.linspace(1 - START_SPREAD, 1 + START_SPREAD, 3 if context.quick else context.parameter("starts"))
    changes: dict[str, list[float]] = {"toe-end": [], "toe": []}
    for factor in spread:
        start = faster_start(float(factor))
        intact = simulate_step(rigid=False, start=start).lateral
        for key, removed in (("toe-end", "l_toe1"), ("toe", "l_phal1.1")):
            found = simulate_step(rigid=False, start=start, removed=(removed,)).lateral
            changes[key].append(1e3 * (found - intact))
    for key, values in changes.items():
        yield context.found(key, Mean(values), note=", ".join(f"{value:.1f}" for value in values))


def faster_start(factor: float) -> StepStart:
    """The usual start with all its rates times a factor."""
    usual = StepStart()
    x, y, z = usual.turning
    rates = {name: factor * rate for name, rate in usual.rates.items()}
    return replace(usual, rates=rates, turning=(factor * x, factor * y, factor * z))


def speed(context: ExperimentContext) -> Findings:
    """Processor time of the step with the complex foot, rules included."""
    figure = stepping_person(rigid=False)

    def once() -> None:
        perform(started(figure), Together(*step_rules(), Wait(2.0)), 0.5, period=RULE_PERIOD, every=0.5)

    begin = thread_seconds(lambda: started(figure))
    pace = 0.5 / max(thread_seconds(once) - begin, 1e-9)
    yield context.found("pace", pace)


# ---------------------------------------------------------------- pictures
def adult_angle(name: str, time: np.ndarray) -> np.ndarray:
    """What adults do at natural cadence [°] from toe-off to the strike of the heel, over the times of a step."""
    curve, sign, ahead = ADULT_ANGLES[name]
    share = (time - time[0]) / (time[-1] - time[0])
    return sign * adult_curve(curve, (TOE_OFF + (STRIKE - TOE_OFF) * share + ahead) % 1.0)


def beside_adults(context: ExperimentContext, whole: PassiveStep) -> Findings:
    """How far each angle is from that of adults, as a root mean square."""
    for name in STEP_ANGLES:
        apart = np.degrees(whole.angle(name)) - adult_angle(name, whole.shown.time)
        yield context.found(f"adult-{name.replace(' ', '-')}", float(np.sqrt(np.mean(apart**2))))


def draw_angles(steps: Mapping[str, PassiveStep]) -> Canvas:
    """Angles over time, and beside them those of adults."""
    made = canvas(8.0, 4.6)
    panels = made.subplots(2, 2, sharex=True).ravel()
    for axes, name in zip(panels, STEP_ANGLES):
        for k, (label, one) in enumerate(steps.items()):
            axes.plot(one.shown.time, np.degrees(one.angle(name)), color=CURVE_COLOURS[k], label=label)
        time = list(steps.values())[-1].shown.time
        axes.plot(time, adult_angle(name, time), "--", color=PALE, label="adults (Winter 1991)")
        dress(axes, y="angle [°]", title=name)
    panels[0].legend(frameon=False, fontsize=8)
    for axes in panels[2:]:
        axes.set_xlabel("time [s]", fontsize=9)
    return made


def draw_forces(steps: Mapping[str, PassiveStep]) -> Canvas:
    """Ground reaction over time."""
    made = canvas(8.0, 4.2)
    panels = made.subplots(2, 1, sharex=True)
    for axes, column, title in zip(panels, (2, 0), ("vertical", "fore-aft")):
        for k, (label, one) in enumerate(steps.items()):
            axes.plot(one.shown.time[1:], one.shown.watched["force"][1:, column], color=CURVE_COLOURS[k], label=label)
        dress(axes, y="force [N]", title=f"ground reaction, {title}")
    panels[0].axhline(667.0, color="#999999", linewidth=0.8, linestyle=":")
    panels[0].legend(frameon=False, fontsize=8)
    panels[1].set_xlabel("time [s]", fontsize=9)
    return made
