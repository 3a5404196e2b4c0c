"""The same chain three ways, what each costs, and loops against the reference (§2.4, and beyond)."""

import time

import numpy as np

from gambol import Body, Figure, HingeByPoints, Join, Joint, Placement, Simulation, Stepping, World, chain
from gambol.experiments.findings import at_least, at_most, derived, exactly, ours, printed, within
from gambol.experiments.limbs import NO_GRAVITY
from gambol.experiments.limbs.pictures import PlotCurve, PlotPanel, draw_panels
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MITCHELL_1997
from gambol.hinge_recursion import HingeSimulation
from gambol.models.linkages import four_bar, four_bar_start

REFERENCE_TIPS = {  # seconds: tip of the first crank [m]
    1: (-0.195020301950, -0.980799205662),
    5: (-0.811310461003, -0.584615545352),
    10: (0.328458111536, 0.944518538180),
}
FOUR_BAR_ENERGY = 35.835  # [J]


ROD_TIP = (0.0, 0.0, -1.0)


def rods(n: int) -> list[Figure]:
    """The rods of a chain, each free."""
    parts = chain(1).bodies[0].parts
    return [Figure(f"rod{i}", (Body("rod", joint=Joint("free"), parts=parts),)) for i in range(n)]


def hinged_rods(n: int) -> World:
    """A hanging chain of free rods joined by hinges of two points, as the source builds it."""
    top, bottom = ((0.0, -0.1, 0.0), (0.0, 0.1, 0.0)), ((0.0, -0.1, -1.0), (0.0, 0.1, -1.0))
    hinges = [HingeByPoints(body="rod0/rod", points=top, at=top, exact=True)]
    for i in range(1, n):
        hinges.append(HingeByPoints(body=f"rod{i}/rod", to=f"rod{i - 1}/rod", points=top, at=bottom, exact=True))
    return World(rods(n), constraints=hinges)


def joined_rods(n: int) -> World:
    """A floating chain of free rods, each joined to the next at a point."""
    joins = [Join(body=f"rod{i}/rod", to=f"rod{i - 1}/rod", at=ROD_TIP, exact=True) for i in range(1, n)]
    return World(rods(n), NO_GRAVITY, constraints=joins)


def ball_chain(n: int) -> Figure:
    """A floating chain of n ball-jointed rods."""
    return chain(n, "ball", root="free")


def bent_start(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """A bent chain that turns and writhes."""
    rng = np.random.default_rng(figure.speeds)
    q = np.array([x for body in figure.order for x in body.joint.zero])
    for body in figure.order:
        place = figure.position_slices[body.name]
        q[place][-4:] = Placement.about(rng.normal(size=3), 0.4).rotation
    return q, rng.normal(size=figure.speeds)


def same_state(joints: Simulation, bound: Simulation) -> None:
    """Puts the free rods where the chain in joint coordinates is."""
    frames, origins = joints.mechanics.frames(joints.q), joints.mechanics.origins(joints.q)
    speeds = joints.mechanics.velocities(joints.q, joints.v)
    q, v = bound.q.copy(), bound.v.copy()
    for i, body in enumerate(joints.layout.bodies):
        place = Placement.from_matrix(frames[body.name], origins[body.name].tolist())
        q[7 * i : 7 * i + 7] = *place.position, *place.rotation
        v[6 * i : 6 * i + 6] = speeds[body.name]
    bound.reset(q, v)


def by_joints(n: int, stepping: Stepping) -> Simulation:
    """The chain in joint coordinates."""
    figure = ball_chain(n)
    sim = Simulation(World(figure, NO_GRAVITY), stepping=stepping, ledger=False)
    sim.reset(*bent_start(figure))
    return sim


def by_constraints(n: int, stepping: Stepping) -> Simulation:
    """The chain of free rods joined by constraints, in the same state."""
    sim = Simulation(joined_rods(n), stepping=stepping, ledger=False)
    same_state(by_joints(n, stepping), sim)
    return sim


def by_recursion(n: int, step: float) -> HingeSimulation:
    """The chain by the hinge recursion, in the same state."""
    figure = ball_chain(n)
    q, v = bent_start(figure)
    return HingeSimulation(figure, step=step, positions=q.tolist(), speeds=v.tolist(), gravity=NO_GRAVITY)


def seconds_per_step(advance, steps: int) -> float:
    """Best of three."""
    best = np.inf
    advance()
    for _ in range(3):
        begin = time.perf_counter()
        advance()
        best = min(best, (time.perf_counter() - begin) / steps)
    return best


@experiment(
    "limbs-chains",
    f"{MITCHELL_1997}, §2.4",
    "A chain by constraints, by joints, by the hinge recursion",
    states=[
        printed("freedoms", "a three-link arm in maximal coordinates: freedoms", "§2.4", exactly(18), value=18),
        printed("rows", "… rows of the linear system for the joints", "§2.4", exactly(18), value=18),
        derived("rank", "… their rank", "§2.3.4: a hinge of two points has rank 5", exactly(15), value=15),
        ours(
            "same",
            "constraints and joints: distance of the tips over 2 s",
            at_most(1e-8, "the tolerance of 1e-11 accumulated"),
            unit="m",
        ),
        ours("recursion", "joints and the hinge recursion: distance, 0.5 ms steps", unit="m"),
        ours("order", "… falls with the step: order", within(1.0, 0.2, "the recursion steps by Euler's rule")),
        printed(
            "dearer",
            "constraints cost more than joints: ratio of an evaluation, the longest chain",
            "§2.4",
            at_least(1.0, "the word"),
            value="> 1",
            timed=True,
        ),
        ours("growth", "cost per link by constraints, of four times the links: ratio", timed=True),
    ],
)
def chains(context: ExperimentContext) -> Findings:
    arm = _hanging(Simulation(hinged_rods(3)))
    moment = arm.constraints.now()
    yield context.found("freedoms", arm.layout.nv)
    yield context.found("rows", moment.rows)
    yield context.found("rank", moment.rank)
    tight, seconds = Stepping(method="dormand-prince", eps=1e-11), 2.0
    one, two = by_joints(3, tight).run(seconds, every=0.02), by_constraints(3, tight).run(seconds, every=0.02)
    tips = one.points("chain_2", ROD_TIP), two.points("rod2/rod", ROD_TIP)
    yield context.found("same", np.abs(tips[0] - tips[1]).max())
    steps = (2e-3, 1e-3, 5e-4)
    runs = [by_recursion(3, step).run(seconds, every=0.02).point("chain_2", ROD_TIP) for step in steps]
    gaps = [float(np.abs(run[1:] - tips[0]).max()) for run in runs]
    yield context.found("recursion", gaps[2])
    yield context.found("order", np.log2(gaps[0] / gaps[2]) / 2)
    sizes = (2, 4, 8, 16, 32) if context.quick else (2, 4, 8, 16, 32, 64)
    costs = {name: np.array([1e6 * cost(n) for n in sizes]) for name, cost in STEP_COSTS.items()}
    _draw_chains(context, tips, runs[-1], np.array(sizes), costs)
    yield context.found("dearer", costs["constraints"][-1] / costs["joints"][-1], note=f"{sizes[-1]} links")
    yield context.found("growth", costs["constraints"][-1] / costs["constraints"][-3] / 4.0)


def _hanging(arm: Simulation) -> Simulation:
    q = arm.q.copy()
    q[2::7] = -np.arange(len(q) // 7)
    arm.reset(q)
    return arm


def _draw_chains(
    context: ExperimentContext, tips, recursion: np.ndarray, n: np.ndarray, costs: dict[str, np.ndarray]
) -> None:
    ways = [PlotCurve(tips[0][:, 0], tips[0][:, 2], "joints")]
    ways.append(PlotCurve(tips[1][::4, 0], tips[1][::4, 2], "constraints", "o"))
    ways.append(PlotCurve(recursion[::5, 0], recursion[::5, 2], "hinge recursion", "x"))
    draw_panels(
        context,
        "chains",
        [
            PlotPanel("the tip, three ways", "x [m]", "z [m]", ways),
            PlotPanel("an evaluation", "links", "[µs]", [PlotCurve(n, c, k, "o-") for k, c in costs.items()], log=True),
            PlotPanel(
                "… per link", "links", "[µs]", [PlotCurve(n, c / n, k, "o-") for k, c in costs.items()], log=True
            ),
        ],
    )


EVALUATION_STEPPING = Stepping(method="semi-implicit-euler", step=1e-5)  # one evaluation a step


def _constraints(n: int) -> float:
    sim = by_constraints(n, EVALUATION_STEPPING)
    return seconds_per_step(lambda: sim.advance(float(sim.time) + 20e-5), 20)


def _joints(n: int) -> float:
    sim = by_joints(n, EVALUATION_STEPPING)
    return seconds_per_step(lambda: sim.advance(float(sim.time) + 200e-5), 200)


def _recursion(n: int) -> float:
    sim = by_recursion(n, 1e-5)
    return seconds_per_step(lambda: sim.advance(200e-5), 200)


STEP_COSTS = {"constraints": _constraints, "joints": _joints, "hinge recursion": _recursion}


@experiment(
    "limbs-four-bar",
    "IFToMM benchmark A02",
    "The N-four-bar through its singular positions",
    states=[
        printed(
            "tip",
            "tip of the first crank at 1, 5 and 10 s: distance from the reference",
            "reference solution, 12 digits",
            at_most(1e-9, "the digits of the reference, and the tolerance of 1e-9"),
            value=0.0,
            unit="m",
        ),
        printed(
            "energy",
            "energy is constant: largest error in 10 s",
            "precision of 0.1 J asked for",
            at_most(1e-8, "far below what is asked for: the tolerance of 1e-9"),
            value=0.0,
            unit="J",
        ),
        ours(
            "singular",
            "it passes a singular position: smallest of the four singular values",
            at_most(1e-3, "“near zero”: three orders below 1"),
        ),
    ],
)
def four_bars(context: ExperimentContext) -> Findings:
    rows, world = [], four_bar(2)
    for eps, most in ((1e-7, 0.1), (1e-8, 0.1), (1e-9, 0.1), (1e-10, 0.1), (1e-9, 1e-3)):
        sim = Simulation(world, stepping=Stepping(method="dormand-prince", eps=eps, max_step=most), ledger=False)
        sim.reset(*four_bar_start(world))
        begin = time.perf_counter()
        path = sim.run(10.0, every=0.01)
        took = time.perf_counter() - begin
        wrong = [abs(sum(sim.mechanics.energies(q, v).values()) - FOUR_BAR_ENERGY) for q, v in zip(path.q, path.v)]
        angle = path.position("crank0")
        at = {t: (np.sin(angle[100 * t - 1]), np.cos(angle[100 * t - 1])) for t in REFERENCE_TIPS}
        miss = max(float(np.hypot(*np.subtract(at[t], REFERENCE_TIPS[t]))) for t in REFERENCE_TIPS)
        rows.append((took, max(wrong), miss))
    log = sim.constraints.diagnose(path)
    took, energy, tip = np.array(rows).T
    draw_panels(
        context,
        "four-bar",
        [
            PlotPanel("first crank", "t [s]", "angle [rad]", [PlotCurve(path.time, angle)]),
            PlotPanel("used singular values of A", "t [s]", "[1/kg]", _used(path.time, log.singular_values), log=True),
            PlotPanel("energy error", "t [s]", "[J]", [PlotCurve(path.time, np.maximum(wrong, 1e-16))], log=True),
            PlotPanel(
                "errors against wall time",
                "wall time [s]",
                "",
                [PlotCurve(took, energy, "energy [J]", "o-"), PlotCurve(took, tip, "tip [m]", "o-")],
                log=True,
            ),
        ],
        columns=2,
    )
    yield context.found("tip", tip[-1])
    yield context.found("energy", energy[-1])
    yield context.found("singular", log.singular_values[:, 3].min())


def _used(t: np.ndarray, values: np.ndarray) -> list[PlotCurve]:
    return [PlotCurve(t, np.maximum(values[:, k], 1e-12)) for k in range(4)]
