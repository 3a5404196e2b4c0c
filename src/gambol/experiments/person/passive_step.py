"""The passive step from toe-off to heel strike, with rigid and complex feet; and what if a toe is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gambol.control.behaviour import Together, Wait
from gambol.control.posture.support import support
from gambol.draw.camera import Camera
from gambol.experiments.person.measuring import SOURCE, film_strip, perform, work_time
from gambol.experiments.person.standing import centre
from gambol.experiments.registry import Desk, Finding, experiment
from gambol.models.person import STEPPING, StepStart, started, step_rules, stepping_person, swing_load
from gambol.plot.style import CURVES, canvas, dress, save
from gambol.world.simulation import Simulation
from gambol.world.trajectory import Trajectory

PERIOD, EVERY = 0.002, 0.01  # [s] of rules, of what is kept
TOUCH = 20.0  # [N] on the swing foot that count as heel strike
ACROSS = Camera(azimuth=-85.0, elevation=6.0, follow=False)
ANGLES = {"swing hip": "r_thigh1", "swing knee": "r_shank", "stance ankle": "l_talus", "swing ankle": "r_talus"}


@dataclass(frozen=True)
class Step:
    """A step: what was seen, and what is measured of it at heel strike."""

    shown: Trajectory
    length: float
    lateral: float  # [m] heel that strikes from the centre of mass, sideways
    yaw: float  # [rad] of the trunk
    lean: float  # [rad] of the trunk towards the swing side

    def angle(self, name: str) -> np.ndarray:
        return self.shown.watched["angles"][:, list(ANGLES).index(name)]

    @property
    def strikes(self) -> bool:
        return self.shown.ended == "heel strike"


def struck(sim: Simulation) -> bool:
    return float(sim.time) > 0.25 and swing_load(sim) > TOUCH


def ground_force(sim: Simulation) -> np.ndarray:
    return support(sim).forces.sum(axis=0)


def heel_of(sim: Simulation, side: str) -> np.ndarray:
    return sim.mechanics.point(sim.q, f"{side}_hindfoot", (-0.04, 0.0, -0.054))


def clearance(sim: Simulation) -> float:
    """Height of the swing foot's heel and ball, whichever is lower [m]."""
    points = [(-0.04, 0.0, -0.054), (0.1, 0.0, -0.05)]
    return float(min(sim.mechanics.point(sim.q, "r_hindfoot", point)[2] for point in points))


def step(*, rigid: bool, start: StepStart | None = None, removed: tuple[str, ...] = (), eps: float = 1e-2) -> Step:
    """One step from toe-off to heel strike, stepped to a tolerance."""
    figure = stepping_person(rigid=rigid, removed=removed)
    sim = started(figure, start, stepping=replace(STEPPING, eps=eps))
    at = [figure.position_slices[joint].start for joint in ANGLES.values()]
    watch = {
        "angles": lambda s: s.q[at],
        "force": ground_force,
        "centre": centre,
        "clearance": clearance,
    }
    shown = perform(
        sim,
        Together(*step_rules(), Wait(2.0)),
        1.0,
        period=PERIOD,
        every=EVERY,
        watch=watch,
        stops={"heel strike": struck},
    )
    w, x, _, z = sim.q[3:7]
    right, left = heel_of(sim, "r"), heel_of(sim, "l")
    return Step(
        shown,
        float(right[0] - left[0]),
        float(centre(sim)[1] - right[1]),
        float(2.0 * np.arctan2(z, w)),
        float(2.0 * np.arctan2(x, w)),
    )


@experiment("person-step", source=f"{SOURCE}, 7.5", title="The passive step, rigid and complex foot, and toes removed")
def passive_step(desk: Desk) -> Iterator[Finding]:
    rigid, whole = step(rigid=True), step(rigid=False)
    film_strip(desk, "rigid", rigid.shown, 7, camera=ACROSS)
    film_strip(desk, "complex", whole.shown, 7, camera=ACROSS)
    with desk.picture("angles") as path:
        draw_angles({"rigid foot": rigid, "complex foot": whole}, path)
    with desk.picture("forces") as path:
        draw_forces({"rigid foot": rigid, "complex foot": whole}, path)
    yield from shapes(desk, rigid, whole)
    yield from forces(desk, rigid, whole)
    yield from what_if(desk, whole)
    yield from tighter(desk, whole)
    yield from speed(desk)


def tighter(desk: Desk, whole: Step) -> Iterator[Finding]:
    """The same step to a tenth of the tolerance."""
    fine = step(rigid=False, eps=1e-3)
    yield desk.finding(
        "complex foot at a tenth of the tolerance: change of the step's length",
        ours=1e3 * (fine.length - whole.length),
        unit=f"mm (strikes at {fine.shown.time[-1]:.2f} s)",
        beyond=True,
    )


def shapes(desk: Desk, rigid: Step, whole: Step) -> Iterator[Finding]:
    for name, one in (("rigid", rigid), ("complex", whole)):
        knee = np.degrees(one.angle("swing knee"))
        clear = 1e3 * float(one.shown.watched["clearance"][4:-4].min())
        yield desk.finding(
            f"{name} foot: the swing leg passes and strikes with its heel",
            printed="toe-off to heel strike",
            ours=float(one.shown.time[-1]),
            unit=f"s; step {one.length:.2f} m, clearance {clear:.0f} mm",
            ok=one.strikes,
            reason="it did not strike",
        )
        yield desk.finding(
            f"{name} foot: largest knee flexion, then extended before the strike (Mochon & McMahon: about 60°, read off"
            " their description, ±10°)",
            printed=60.0,
            ours=float(knee.max()),
            unit=f"° ({knee[-1]:.0f}° at the strike)",
            ok=50.0 < knee.max() < 70.0 and knee[-1] < 10.0,
            reason="initial conditions are not printed",
        )
    n = min(len(rigid.shown.time), len(whole.shown.time))
    apart = {name: float(np.sqrt(np.mean((rigid.angle(name)[:n] - whole.angle(name)[:n]) ** 2))) for name in ANGLES}
    most = max(apart, key=lambda name: apart[name])
    yield desk.finding(
        "rigid and complex foot differ mainly at the ankle (root mean square differences: "
        + ", ".join(f"{k} {np.degrees(v):.1f}°" for k, v in apart.items()) + ")",
        printed="ankle",
        ours=most,
        ok="ankle" in most,
        reason="the stance ankles' difference tilts the pelvis and with it the swing leg",
    )  # fmt: skip


def forces(desk: Desk, rigid: Step, whole: Step) -> Iterator[Finding]:
    weight = 667.0
    for name, one in (("rigid", rigid), ("complex", whole)):
        late = one.shown.time > 0.04  # the start-up of contact has passed
        force, time = one.shown.watched["force"][late], one.shown.time[late]
        turn = float(time[np.argmax(force[:, 0] > 0.0)]) if (force[:, 0] > 0.0).any() else np.nan
        brakes = force[time < turn - 0.03, 0].mean() if np.isfinite(turn) else np.nan
        yield desk.finding(
            f"{name} foot: fore-aft force brakes, then pushes (Cavagna & Margaria; a spike where the knee is caught)",
            printed="brakes, then pushes",
            ours=turn,
            unit="s when it changes sign",
            ok=bool(np.isfinite(turn) and brakes < 0.0 < force[-6:-1, 0].mean()),
            reason="it does not change sign",
        )
        middle = force[(time > 0.3 * time[-1]) & (time < 0.7 * time[-1]), 2].mean()
        yield desk.finding(
            f"{name} foot: the vertical force is below the weight about mid-stance (vaulting)",
            printed="below",
            ours=float(middle / weight),
            unit="of the weight",
            ok=middle < weight,
            reason="the leg does not vault",
        )
    wiggle = {
        name: float(np.std(np.diff(one.shown.watched["force"][5:-1, 2], 2)))
        for name, one in (("rigid", rigid), ("complex", whole))
    }
    yield desk.finding(
        "the complex foot adds variation to the force curves (second differences, complex over rigid)",
        printed="adds",
        ours=wiggle["complex"] / wiggle["rigid"],
        unit="times",
        ok=wiggle["complex"] > 1.1 * wiggle["rigid"],
        reason="both vary alike",
    )


def what_if(desk: Desk, whole: Step) -> Iterator[Finding]:
    """Without sway, without arms, without the big toe."""
    plain, armless = (
        step(rigid=False, start=StepStart().without_sway()),
        step(rigid=False, start=StepStart().without_arms()),
    )
    to_swing = lambda s: (
        1e3 * float(s.shown.watched["centre"][min(40, len(s.shown.time) - 1), 1] - s.shown.watched["centre"][0, 1])
    )
    yield desk.finding(
        "without motion to the stance side it tips to the swing side (centre of mass to the left after 0.4 s, change)",
        printed="tips to the swing side",
        ours=to_swing(plain) - to_swing(whole),
        unit="mm",
        ok=to_swing(plain) < to_swing(whole),
        reason="it does not",
    )
    yield desk.finding(
        "without arm swing the trunk yaws more (yaw at the strike; with arms first)",
        printed="more",
        ours=f"{np.degrees(whole.yaw):.1f} and {np.degrees(armless.yaw):.1f}",
        unit="°",
        ok=abs(armless.yaw) > abs(whole.yaw),
        reason="creeping friction lets the stance foot turn either way; the arms' share is small beside it",
    )
    toe, ray = step(rigid=False, removed=("l_toe1",)), step(rigid=False, removed=("l_phal1.1",))
    with desk.picture("toes") as path:
        draw_lateral({"intact": whole, "without its end": toe, "without the big toe": ray}, path)
    for name, printed, one in (("the end of the big toe", "little", toe), ("the whole big toe", -10.0, ray)):
        change = 1e3 * (one.lateral - whole.lateral)
        yield desk.finding(
            f"without {name}: change of the lateral distance between centre of mass and striking heel",
            printed=printed,
            ours=change,
            unit="mm",
            ok=abs(change) < 5.0 if printed == "little" else -20.0 < change < -5.0,
            reason="load that the big toe carries late in stance depends on the unknown start and skins",
        )


def speed(desk: Desk) -> Iterator[Finding]:
    """Processor time of the step with the complex foot, rules included."""
    figure = stepping_person(rigid=False)

    def once() -> None:
        perform(started(figure), Together(*step_rules(), Wait(2.0)), 0.5, period=PERIOD, every=0.5)

    begin = work_time(lambda: started(figure))
    pace = 0.5 / max(work_time(once) - begin, 1e-9)
    yield desk.finding(
        "complex foot: faster than real time (printed: ten minutes a frame)",
        printed=1 / 18000,
        ours=pace,
        unit="times real time",
        beyond=True,
    )


# ---------------------------------------------------------------- pictures
def draw_angles(steps: Mapping[str, Step], path) -> None:
    made = canvas(8.0, 4.6)
    panels = made.subplots(2, 2, sharex=True).ravel()
    for axes, name in zip(panels, ANGLES):
        for k, (label, one) in enumerate(steps.items()):
            axes.plot(one.shown.time, np.degrees(one.angle(name)), color=CURVES[k], label=label)
        dress(axes, y="angle [°]", title=name)
    panels[0].legend(frameon=False, fontsize=8)
    for axes in panels[2:]:
        axes.set_xlabel("time [s]", fontsize=9)
    save(made, path)


def draw_forces(steps: Mapping[str, Step], path) -> None:
    made = canvas(8.0, 4.2)
    panels = made.subplots(2, 1, sharex=True)
    for axes, column, title in zip(panels, (2, 0), ("vertical", "fore-aft")):
        for k, (label, one) in enumerate(steps.items()):
            axes.plot(one.shown.time[1:], one.shown.watched["force"][1:, column], color=CURVES[k], label=label)
        dress(axes, y="force [N]", title=f"ground reaction, {title}")
    panels[0].axhline(667.0, color="#999999", linewidth=0.8, linestyle=":")
    panels[0].legend(frameon=False, fontsize=8)
    panels[1].set_xlabel("time [s]", fontsize=9)
    save(made, path)


def draw_lateral(steps: Mapping[str, Step], path) -> None:
    made = canvas(7.0, 3.0)
    axes = made.subplots()
    for k, (label, one) in enumerate(steps.items()):
        axes.plot(one.shown.time, 1e3 * one.shown.watched["centre"][:, 1], color=CURVES[k], label=label)
    dress(axes, x="time [s]", y="centre of mass to the left [mm]", title="what if: the left big toe")
    axes.legend(frameon=False, fontsize=8)
    save(made, path)
