"""Rising on the toes against a wall, plain and with the feet turned out under (everted)."""

from dataclasses import dataclass

import numpy as np

from gambol import BodyContact, ControlState, MoveTo, Simulation, Surface, Then, Trajectory, Wait, World, support
from gambol.draw import Camera
from gambol.experiments.findings import at_least, ours, printed
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.person.standing import centre_of_mass
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.figure import Body, Box, Figure, Mass, Part, Placement
from gambol.models import person90
from gambol.models.person import fallen, ground, person_world, posture, programs, stand
from gambol.plot import CURVE_COLOURS

WALL_DISTANCE = 0.73  # [m] its near face
STAGE_PAUSE, FINAL_WAIT = 2.5, 3.0  # [s] between the two stages, and after them
SUBTALAR_ANGLES = (-0.4, -0.2, 0.0, 0.2, 0.4)  # [rad] subtalar rest angles tried; negative everts
TOE_CAMERA = Camera(azimuth=-70.0, elevation=6.0, follow=False)


def wall() -> Figure:
    """A block that does not move, and what is seen of it. It weighs nothing to speak of."""
    solid = Part(Box((10.0, 100.0, 100.0)), Placement.at(WALL_DISTANCE + 5.0, 0.0, 0.0), inertial=False, visible=False)
    seen = Part(
        Box((0.04, 0.5, 1.9)),
        Placement.at(WALL_DISTANCE + 0.02, 0.45, 0.95),
        inertial=False,
        colliding=False,
        colour=(0.8, 0.78, 0.74),
    )
    return Figure(
        "wall", (Body("wall", parts=(solid, seen), mass=Mass(1e-9, (0.0, 0.0, 0.0), (1e-9,) * 3 + (0.0,) * 3)),)
    )


def hands_on_wall(surface: Surface) -> list[BodyContact]:
    """Hands against the wall (their boxes; forearms do not reach it)."""
    return [
        BodyContact(
            name=f"{side}_hand wall", body=f"person90/{side}_hand3", other="wall/wall", surface=surface, line="wall"
        )
        for side in "lr"
    ]


def against_wall(surface: Surface, bevel: float) -> World:
    """The person before the wall, both of one surface."""
    return person_world(person90(), others=[wall()], forces=hands_on_wall(surface), surface=surface, bevel=bevel)


@dataclass(frozen=True)
class ToeRise:
    """A rise: what was seen, heel above where it was [m], share of the toes' load on the first two."""

    shown: Trajectory
    heel: float
    loads: dict[str, float]

    @property
    def on_toes(self) -> float:
        """Share of all load that is on toes."""
        return sum(v for k, v in self.loads.items() if k.startswith("toe")) / sum(self.loads.values())

    @property
    def inner(self) -> float:
        """Share of the toes' load that is on the first two."""
        toes = {k: v for k, v in self.loads.items() if k.startswith("toe")}
        return (toes.get("toe 1", 0.0) + toes.get("toe 2", 0.0)) / sum(toes.values())


def toe_of(body: str) -> str | None:
    """toe 1 … toe 5 of a phalanx; ball of a metatarsal; heel of what is behind."""
    bone = body[2:]
    if bone.startswith(("phal", "toe")):
        return f"toe {bone.removeprefix('phal').removeprefix('toe')[0]}"
    return "ball" if bone.startswith("metat") else "heel" if body[1:2] == "_" else None


def simulate_toe_rise(
    *, eversion: float = 0.0, surface: Surface | None = None, bevel: float = 0.0, toes_up: bool = False
) -> ToeRise:
    """Stage 1: arms out to the wall; stage 2: onto the toes (Script 6), the subtalar joints to `eversion` [rad]."""
    standing = stand(against_wall(ground(), bevel), posture(toes_up=toes_up))
    sim = standing.sim
    if surface is not None:
        sim = Simulation(against_wall(surface, bevel), stepping=sim.stepping, ledger=False)
        sim.reset(standing.analysis.q)
        standing.state.apply(sim)
    script = programs(6)
    up = dict(script["flex"].rest) | {"l_hindfoot": eversion, "r_hindfoot": eversion}
    stages = Then(
        MoveTo(ControlState(script["arms-out"].rest), script["arms-out"].duration),
        Wait(STAGE_PAUSE),
        MoveTo(ControlState(up), script["flex"].duration),
        Wait(FINAL_WAIT),
    )
    heel = lambda sim: sim.mechanics.point(sim.q, "l_hindfoot")[2]
    shown = perform(sim, stages, 9.0, watch={"centre": centre_of_mass, "heel": heel}, stops={"fell": fallen})
    return ToeRise(shown, float(shown.watched["heel"][-1] - shown.watched["heel"][0]), foot_loads(sim))


def foot_loads(sim: Simulation) -> dict[str, float]:
    """Load on toes, ball and heel of both feet [N]."""
    return support(sim).loads(toe_of)


@experiment(
    "person-toe-rise",
    f"{MCKENNA_1994}, 7.4, Script 6",
    "Rising on the toes against a wall",
    states=[
        printed(
            "rises",
            "it rises: heel above where it stood at the end, 0 where it fell",
            "7.4",
            at_least(30.0, "to be seen: half of the heel's own height"),
            value="rises",
            unit="mm",
        ),
        printed(
            "centre",
            "centre of mass raised by",
            "7.4",
            at_least(20.0, "to be seen: two centimetres"),
            value="rises",
            unit="mm",
        ),
        ours("on-toes", "load on the toes alone", unit="%"),
        printed(
            "inner",
            "load mostly on the first and second toes: of the toes' load",
            "7.4",
            at_least(50.0, "“mostly”: more than half"),
            value="mostly",
            unit="%",
        ),
        ours("firm", "with friction that sticks instead of the damper: height lost after three seconds", unit="mm"),
        printed(
            "everted",
            "everted, the foot bends evenly across the crease: what toes 1 and 2 lose of the toes' load",
            "7.4",
            at_least(10.0, "to be seen: a tenth of the load"),
            value="evenly",
            unit="%",
            differs="the target is not printed; eversion rolls the foot onto the big toe here, inversion off it",
        ),
        ours("even", "toes 1 and 2 carry, at the subtalar rest of the most even load", unit="%"),
    ],
)
def toe_rise(context: ExperimentContext) -> Findings:
    plain = simulate_toe_rise()
    film_strip(context, "strip", plain.shown, [0.0, 1.5, 3.9, 4.3, 4.8, 5.5, 7.9], camera=TOE_CAMERA)
    heights = plain.shown.watched["centre"][:, 2]
    yield context.found("rises", 1e3 * plain.heel if plain.shown.ended != "fell" else 0.0)
    yield context.found("centre", 1e3 * float(heights.max() - heights[0]))
    yield context.found("on-toes", 100.0 * plain.on_toes)
    yield context.found("inner", 100.0 * plain.inner)
    yield from firm_ground(context)
    yield from everted(context)


def firm_ground(context: ExperimentContext) -> Findings:
    """The rise on ground whose friction sticks."""
    firm = ground(law="slide", creep=1e-3)
    stuck = simulate_toe_rise(surface=firm)
    away = lambda r: 1e3 * float(r.shown.watched["centre"][:, 2].max() - r.shown.watched["centre"][-1, 2])
    yield context.found("firm", away(stuck))


def everted(context: ExperimentContext) -> Findings:
    """The rise at several rest angles of the subtalar joints."""
    runs = {
        angle: simulate_toe_rise(eversion=angle)
        for angle in (SUBTALAR_ANGLES[1:4] if context.quick else SUBTALAR_ANGLES)
    }
    draw_toes(context, runs)
    stood = {angle: run for angle, run in runs.items() if run.shown.ended != "fell" and run.heel > 0.05}
    even = min(stood, key=lambda angle: stood[angle].inner)
    film_strip(context, "everted", stood[even].shown, [0.0, 3.9, 4.8, 7.9], camera=TOE_CAMERA)
    gained = {angle: stood[0.0].inner - run.inner for angle, run in stood.items()}
    out = max((angle for angle in stood if angle < 0.0), key=lambda angle: gained[angle], default=0.0)
    yield context.found("everted", 100.0 * gained[out], note=f"subtalar rest {out:g} rad")
    yield context.found("even", 100.0 * stood[even].inner, note=f"subtalar rest {even:g} rad")


def draw_toes(context: ExperimentContext, runs: dict[float, ToeRise]) -> None:
    """Load on each toe."""
    names = [f"toe {k}" for k in range(1, 6)]
    width = 0.8 / len(runs)
    title = "load on the toes at the end, by subtalar rest angle"
    with context.axes("toes", 7.0, 3.2, y="load of both feet [N]", title=title) as axes:
        for k, (angle, run) in enumerate(runs.items()):
            own = [run.loads.get(name, 0.0) for name in names]
            label = f"{angle:g} rad" + (" (fell)" if run.shown.ended == "fell" else "")
            axes.bar(np.arange(5) + k * width, own, width, color=CURVE_COLOURS[k], label=label)
        axes.set_xticks(np.arange(5) + 0.4 - 0.5 * width, names)
