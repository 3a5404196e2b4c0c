"""Soles on which complex feet stand alone: a search over foot skins, which the source does not print.

The simple skin of each foot is boxes about its bones. How long and wide they are, how their edges are cut, and how far
heel, arch, ball and toes reach down is searched within stated bounds; masses, joints and springs stay those of the
tables. The trunk's pitch is not printed either and follows: heel and ball lie on the ground.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import qmc

from gambol import Figure, GambolError, PostureCheck, Trajectory, check_posture
from gambol.control.behaviour import MoveTo, Then, Wait
from gambol.experiments.findings import Rate, at_least, ours, printed
from gambol.experiments.kept import KeptValues
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.person.movements import RISES, SQUAT_KNEE, UPRIGHT
from gambol.experiments.person.pushes import (
    MUCH,
    RETURNS,
    final_offset,
    largest_shift,
    largest_survived,
    ratio_of_shifts,
    simulate_push,
)
from gambol.experiments.person.standing import centre_of_mass, hold_posture
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.figure import Box, Placement
from gambol.models import person, person90
from gambol.models.person import SIMPLE, is_foot_bone
from gambol.plot import CURVE_COLOURS, canvas, dress

# Lowest and highest; offsets [m] are how much farther the boxes reach, down the bones' own axes
BOUNDS = {
    "length": (0.8, 1.3),
    "width": (0.8, 1.5),
    "bevel": (0.0, 0.15),
    "heel": (-0.003, 0.015),
    "arch": (-0.006, 0.006),
    "ball": (-0.003, 0.009),
    "toes": (-0.003, 0.006),
    "apart": (0.0, 1.0),  # from the stance of Table 11 to ankles 18 cm apart
}
USUAL = (1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
KEPT, SCATTER, SHRINK = (
    6,
    0.15,
    0.6,
)  # best points continued from; scatter of the first round; how much narrower each is
CREEP = 1e-6  # [1/s]
LOST = 10.0  # [1/s] stands for a posture that cannot be calibrated, or lies when it is
WATCHED = 60.0  # [s]


@dataclass(frozen=True)
class Soles:
    """A foot skin, and how far apart the feet are."""

    length: float
    width: float
    bevel: float
    heel: float
    arch: float
    ball: float
    toes: float
    apart: float

    def figure(self) -> Figure:
        """The person of 90 degrees of freedom with these soles; its masses stay."""
        made = person90()
        for body in made.bodies:
            part = next((p for p in body.parts if p.name == SIMPLE and p.colliding and isinstance(p.shape, Box)), None)
            if part is None or not (is_foot_bone(body.name) or body.name.endswith("hindfoot")):
                continue
            long, wide, high = part.shape.size  # type: ignore[attr-defined]
            down = self._down(body.name)
            box = Box((self.length * long, self.width * wide, high + down))
            place = part.placement.compose(Placement.at(0.0, 0.0, -0.5 * down))
            skin = replace(part, shape=box, placement=place, inertial=False)
            parts = tuple(replace(p, colliding=False) if p is part else p for p in body.parts)
            made = made.replace(body.name, parts=(*parts, skin))
        return made

    def _down(self, name: str) -> float:
        bone = name.partition("_")[2]
        if bone == "hindfoot":
            return self.heel
        if bone.startswith(("phal", "toe")):
            return self.toes
        return self.ball if bone.startswith("metat") else self.arch

    def stand(self) -> person.Standing:
        """Calibrated on these soles at the stiffness of Table 11."""
        figure, angles = self.figure(), self.angles()
        return person.stand(person.person_world(figure, bevel=self.bevel), angles, pitch=level_pitch(figure, angles))

    def angles(self) -> dict[str, float]:
        """The standing posture."""
        narrow, wide = person.posture(), person.posture(wide=True)
        return {name: (1.0 - self.apart) * angle + self.apart * wide[name] for name, angle in narrow.items()}


def level_pitch(figure: Figure, angles: dict[str, float]) -> float:
    """The pitch of the trunk [rad] at which heels and balls of the feet are equally high."""
    lowest: Callable[[float, str], float] = lambda pitch, bone: person.lowest_point(
        figure, person.placed(figure, angles, pitch=pitch), of=lambda name: bone in name
    )
    off = lambda pitch: lowest(pitch, "hindfoot") - lowest(pitch, "metat")
    return float(brentq(off, -0.3, 0.3, xtol=1e-5))


def fastest(check: PostureCheck) -> float:
    """Real part of the fastest mode [1/s] but for the three in which the whole figure creeps over the ground."""
    return float(check.values[np.abs(check.values) > CREEP].real.max())


def growth(point: np.ndarray) -> float:
    """Of the fastest mode [1/s] of the person who stands on these soles; below zero where it stands."""
    try:
        sim = soles_at(point).stand().sim
        return LOST if person.fallen(sim) else fastest(check_posture(sim))
    except (GambolError, ValueError, np.linalg.LinAlgError):
        return LOST


def soles_at(point: np.ndarray) -> Soles:
    """The soles at a point of the unit cube."""
    low, high = np.array(list(BOUNDS.values())).T
    return Soles(*(low + np.clip(point, 0.0, 1.0) * (high - low)))


def search(count: int, rounds: int, in_round: int, kept: KeptValues, log, seed: int = 0):
    """The reconstruction and `count` points of a Sobol sequence, then rounds of continuation: points, growths."""
    low, high = np.array(list(BOUNDS.values())).T
    usual = (np.array(USUAL) - low) / (high - low)
    points = np.vstack([usual, qmc.Sobol(len(BOUNDS), seed=seed).random(count)])
    measure = lambda some: kept.measure(some, 1, lambda batch: np.array([[growth(p)] for p in batch]))[:, 0]
    found = measure(points)
    rng, spread = np.random.default_rng(seed), SCATTER
    for k in range(rounds):
        log(f"continuation {k + 1}: slowest growth {found.min():.3f} 1/s of {len(found)} soles")
        first = np.argsort(found)[:KEPT]
        near = points[rng.choice(first, in_round)] + spread * rng.standard_normal((in_round, len(BOUNDS)))
        near = np.clip(near, 0.0, 1.0)
        points, found = np.vstack([points, near]), np.append(found, measure(near))
        spread *= SHRINK
    return points, found


@experiment(
    "person-soles",
    f"{MCKENNA_1994}, 7.2",
    "Soles on which complex feet stand without feedback: a search",
    states=[
        printed(
            "stands",
            "complex feet at the stiffness of Table 11 stand without feedback, on soles found within the bounds: time"
            f" until it falls, or {WATCHED:g}",
            "7.2",
            at_least(WATCHED, "as long as it is watched"),
            value="stands",
            unit="s",
            differs="no skin among those tried makes every mode die out",
        ),
        ours("growth", "fastest mode on the best soles (below zero: it dies out)", unit="1/s"),
        ours("usual", "… on the reconstructed ones, at the pitch at which heel and ball are level", unit="1/s"),
        ours("share", "soles tried on which every mode dies out: share"),
        ours("ankles", "torque at each ankle on the best soles (Table 11: 25.0)", unit="N·m"),
        printed(
            "returns",
            "10 N for half a second, passive: when the force is removed it returns: what is left of the shift after"
            " 25 s (infinite: it falls)",
            "7.2",
            RETURNS,
            value="returns",
            differs="its basin is smaller than the push",
        ),
        ours("survived", "largest push of 5, 10, 20 … N for half a second that it survives", unit="N"),
        printed(
            "larger",
            "complex feet are much more sensitive than rigid ones, and the body moves more (5 N, passive; 0 where it"
            " falls): ratio of the shifts",
            "7.2",
            MUCH,
            value="much more",
        ),
        printed(
            "rises",
            f"open loop it {RISES}",
            "7.2, Fig. 48",
            UPRIGHT,
            value="rises",
            full=True,
            differs="the sway after rising leaves the small basin of the passive stance",
        ),
    ],
    parameters={
        "count": Parameter(32, "soles of the map"),
        "rounds": Parameter(2, "rounds of continuation"),
        "in_round": Parameter(8, "soles in a round"),
    },
)
def soles(context: ExperimentContext) -> Findings:
    plan = (8, 0, 0) if context.quick else tuple(context.parameter(n) for n in ("count", "rounds", "in_round"))
    points, found = search(*plan, KeptValues(context.path("points.npz")), context.log)  # type: ignore[call-arg]
    table = np.array([list(vars(soles_at(point)).values()) for point in points])
    header = ", ".join((*BOUNDS, "growth"))
    np.savetxt(context.path("map.csv"), np.c_[table, found], delimiter=",", header=header, fmt="%.6g")
    draw(context, table, found)
    best = int(np.argmin(found))
    chosen = soles_at(points[best])
    standing = chosen.stand()
    torque = [float(np.atleast_1d(standing.sim.elements[f"{side}_talus"].report()["force"])[0]) for side in "lr"]
    shown = hold_posture(standing.restart(), WATCHED, every=0.2)
    told = ", ".join(f"{name} {x:.3g}" for name, x in zip(BOUNDS, table[best]))
    yield context.found("stands", shown.time[-1], note=told)
    yield context.found("growth", float(found[best]))
    yield context.found("usual", float(found[0]))
    yield context.found("share", Rate(int(np.sum(found < 0.0)), len(found)))
    yield context.found("ankles", float(np.mean(np.abs(torque))))
    pushed = simulate_push(standing, 10.0, after=25.0)
    left = np.inf if pushed.ended == "fell" else final_offset(pushed) / largest_shift(pushed)
    yield context.found("returns", left, note=f"shifted by {largest_shift(pushed):.1f} mm")
    yield context.found("survived", largest_survived(standing))
    rigid = person.stand(person.person_world(person.rigid_foot()), person.posture(wide=True))
    yield context.found("larger", ratio_of_shifts(standing, rigid))
    if not context.quick:
        upright = float(standing.sim.mechanics.centre_of_mass(standing.analysis.q)[2])
        end = risen(chosen, standing)
        film_strip(context, "squat", end, [0.0, 0.3, 0.6, 0.9, 1.5, end.time[-1]])
        yield context.found("rises", end.watched["centre"][-1, 2] / upright, note=end.ended or "stands")


def risen(chosen: Soles, standing: person.Standing, seconds: float = 1.0) -> Trajectory:
    """From a squat on these soles to standing, open loop."""
    figure = chosen.figure()
    angles, pitch = person.squat(figure, SQUAT_KNEE)
    lean = level_pitch(figure, chosen.angles())
    low = person.stand(standing.sim.world, angles, pitch=pitch + lean)
    move = Then(MoveTo(standing.state, seconds), Wait(8.0))
    stops = {"fell": person.fallen}
    return perform(low.restart(), move, 8.0 + seconds, watch={"centre": centre_of_mass}, stops=stops)


def draw(context: ExperimentContext, table: np.ndarray, found: np.ndarray) -> None:
    """Growth over each parameter of the soles."""
    picture = canvas(11.0, 4.6)
    for k, (name, axes) in enumerate(zip(BOUNDS, picture.subplots(2, 4).ravel())):
        fine = found < LOST
        axes.plot(table[fine, k], found[fine], ".", ms=3, color=CURVE_COLOURS[0])
        axes.plot(table[0, k], found[0], "o", mfc="none", mec=CURVE_COLOURS[1], ms=8)
        axes.axhline(0.0, color="k", lw=0.6)
        dress(axes, x=name, y="growth [1/s]" if k % 4 == 0 else "")
    context.save("map", picture)
