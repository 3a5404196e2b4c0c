"""Jump, flip on ice and righting, middle legs on backwards."""

import numpy as np

from gambol import Motor, Periodic, Simulation
from gambol.experiments.findings import MOSTLY, Mean, Rate, at_least, far_below, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_paths, draw_strip, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import roach as model
from gambol.models.roach import roach_with_middle_legs_backwards as backwards

FLAILING_SECONDS = 6.0  # [s]: the first second alone may throw it anywhere


def record_motion(sim: Simulation, seconds: float, every: float = 0.002) -> RoachWalk:
    """Goes on and keeps the motion."""
    path = sim.run(seconds, every=every, include_start=True)
    return RoachWalk(path.time, path.q, None, sim, None)  # type: ignore[arg-type]


@experiment(
    "roach-jump",
    f"{MCKENNA_1990}, 5.4",
    "Jump: rest angles switched at once",
    states=[
        printed(
            "jumps",
            "switching the rest angles of a standing figure makes it jump: air below the lowest foot",
            "5.4, Animation 1",
            at_least(0.1, "all feet off the ground by more than corners sink into it"),
            value="jumps",
            unit="mm",
        )
    ],
)
def jump(context: ExperimentContext) -> Findings:
    sim = model.settled_roach(eps=1e-3)
    rest = float(sim.q[2])
    for leg in model.legs():  # all legs push down and back at once
        sign = 1.0 if leg.side == "left" else -1.0
        joint = leg.joints[1]
        sim.elements[joint].set("rest", sim.elements[joint].get("rest") - 0.35 * sign)
    run = record_motion(sim, 0.25, every=0.001)
    feet = np.array([min(lowest(sim, q, leg.foot) for leg in model.legs()) for q in run.q[::2]])
    with context.picture("strip") as path:
        draw_strip(run, path, times=np.array([0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.25]) + run.time[0])
    height = (run.q[:, 2].max() - rest) * 1e3
    yield context.found("jumps", feet.max() * 1e3, note=f"the abdomen rises by {height:.1f} mm")


def lowest(sim: Simulation, q: np.ndarray, body: str) -> float:
    """Lowest corner of a body above z = 0 [m]."""
    return min(sim.mechanics.point(q, body, corner)[2] for corner in model.corners(sim.layout.body(body).body))


def tilt(run: RoachWalk) -> np.ndarray:
    """z component of the abdomen's back: 1 upright, -1 on its back."""
    _, x, y, _ = run.q[:, 3:7].T
    return 1 - 2 * (x * x + y * y)


ON_ITS_BACK, ON_ITS_FEET = -0.5, 0.5  # z of its back, at the end
ICE, ICE_CYCLES, ICE_SECONDS = (0.0, 0.01, 0.02, 0.05), (0.1, 0.15, 0.2, 0.3), 3.0  # frictions, [s], [s]
SWINGS, PERIODS = (0.7, 1.0, 1.3), (0.04, 0.05, 0.06, 0.08)  # of the wrenched abdomen [rad], [s]
PRINTED_ICE, PRINTED_WRENCH = (0.02, 0.1), (1.0, 0.05)  # friction and cycle; swing and period; none is printed


@experiment(
    "roach-flip",
    f"{MCKENNA_1990}, 5.4",
    "On its back on ice; righting by wrenching the abdomen",
    states=[
        printed(
            "flips",
            f"with friction near zero it flips on its back (and lies there after {ICE_SECONDS:g} s; friction 0.02,"
            " tripod): share of the starts",
            "5.4, Animation 8",
            MOSTLY,
            value="flips on its back",
            differs="few starts end so at any friction and cycle of the grid; which ones the source had is not printed",
        ),
        ours(
            "flips-best",
            "the same at the friction and cycle of the grid at which it happens most often: share of the starts",
            full=True,
        ),
        printed(
            "rights",
            "a fast tripod and wrenching the abdomen to and fro right it from its back (back up at the end; ±1 rad"
            " every 50 ms): share of the starts",
            "5.4, Animation 8",
            MOSTLY,
            value="rights itself",
            differs="the motors' swing and period are not printed; whether it goes over depends on the start",
        ),
        ours(
            "rights-best",
            "the same at the swing and period of the grid at which it happens most often: share of the starts",
            full=True,
        ),
    ],
    parameters={"starts": Parameter(20, "starts, from drops of 17.5 to 18.5 mm, and tilts of ±0.1 rad on its back")},
)
def flip(context: ExperimentContext) -> Findings:
    count = 6 if context.quick else context.parameter("starts")
    yield context.found("flips", *_flips(*PRINTED_ICE, count), seed=f"1–{count}")
    wrenched = [righting(tilt_at_start, *PRINTED_WRENCH) for tilt_at_start in np.linspace(-0.1, 0.1, count)]
    shown, moment = max(wrenched, key=lambda found: found[0].q[-1, 2] if found[1] else -1.0)
    with context.picture("righting") as path:
        draw_strip(shown, path, times=np.linspace(0.0, shown.time[-1] - shown.time[0], 7) + shown.time[0])
    rate = Rate(sum(tilt(run)[-1] > ON_ITS_FEET for run, _ in wrenched), count)
    note = f"the wrenching stops when its back is up; in the picture after {moment:.2f} s" if moment else ""
    yield context.found("rights", rate, note=note)
    if not context.quick:
        yield from flip_search(context, count // 2)


def _flips(friction: float, cycle: float, count: int) -> tuple[Rate]:
    """How many of so many starts lie on their back at the end."""
    world = model.roach_world(friction=friction)
    runs = [walk(world, cycle=cycle, seconds=ICE_SECONDS, **start) for start in starts(count)]
    return (Rate(sum(bool(tilt(run)[-1] < ON_ITS_BACK) for run in runs), count),)


def flip_search(context: ExperimentContext, count: int) -> Findings:
    """Both scenes over grids of what the source does not print, drawn as rates."""
    ice = {(f, c): _flips(f, c, count)[0] for f in ICE for c in ICE_CYCLES}
    context.log("ice searched")
    tilts = np.linspace(-0.1, 0.1, count)
    wrench = {
        (s, p): Rate(sum(tilt(righting(start, s, p)[0])[-1] > ON_ITS_FEET for start in tilts), count)
        for s in SWINGS
        for p in PERIODS
    }
    from gambol.plot.style import canvas, dress

    picture = canvas(9.0, 3.4)
    panels = picture.subplots(1, 2)
    for axes, rates, rows, columns, title, labels in (
        (panels[0], ice, ICE, ICE_CYCLES, "on its back, on ice", ("cycle [s]", "friction")),
        (panels[1], wrench, SWINGS, PERIODS, "rights itself", ("period [s]", "swing [rad]")),
    ):
        table = np.array([[rates[row, column].value for column in columns] for row in rows])
        axes.imshow(table, origin="lower", aspect="auto", cmap="viridis", vmin=0.0, vmax=1.0)
        for (i, j), value in np.ndenumerate(table):
            axes.text(j, i, f"{value:.0%}", ha="center", va="center", fontsize=8, color="white")
        dress(axes, x=labels[0], y=labels[1], title=f"{title}: share of {count} starts")
        axes.set_xticks(range(len(columns)), [f"{c:g}" for c in columns])
        axes.set_yticks(range(len(rows)), [f"{r:g}" for r in rows])
        axes.grid(visible=False)
    context.save("search", picture)
    for key, rates, words in (
        ("flips-best", ice, "friction {:g}, cycle {:g} s"),
        ("rights-best", wrench, "swing {:g} rad, period {:g} s"),
    ):
        best = max(rates, key=lambda point: rates[point].value)
        yield context.found(key, rates[best], note=words.format(*best))


def righting(start: float, swing: float, period: float, seconds: float = 2.5) -> tuple[RoachWalk, float | None]:
    """From its back, tilted by `start` [rad]: a fast tripod, the thorax wrenched to and fro until the back is up."""
    sim = Simulation(model.roach_world(friction=0.6), stepping=model.stepping(1e-2), ledger=False)
    q = model.standing_positions(0.0075)
    half = 0.5 * (np.pi + start)
    q[3:7] = [np.cos(half), np.sin(half), 0.0, 0.0]
    sim.reset(q)
    sim.run(0.2)
    usual = sim.elements["thorax"].get("strength")
    sim.elements["thorax"].set("strength", 1.0)
    wrench = Motor(sim, "thorax", "rest")
    wrench.move(swing, period / 2)
    for k in range(int(seconds / period)):
        wrench.then(-swing if k % 2 == 0 else swing, period / 2)
    righted: list[float] = []

    def stop_when_upright(sim: Simulation) -> None:
        _, x, y, _ = sim.q[3:7]
        if not righted and 1 - 2 * (x * x + y * y) > 0.8:
            righted.append(float(sim.time) - 0.2)
            wrench.move(0.0, period / 2)
            sim.elements["thorax"].set("strength", usual)

    run = walk(sim, cycle=2 * model.STEP_TIME, seconds=seconds, others=[Periodic(0.005, stop_when_upright)])
    return run, righted[0] if righted else None


@experiment(
    "roach-backward",
    f"{MCKENNA_1990}, 5.4",
    "Middle legs on backwards: it flails",
    states=[
        statement
        for feet in ("sliding", "sticky")
        for statement in (
            printed(
                f"{feet}-flails",
                f"{feet} feet: front and hind legs push forward, the middle ones back, and it flails: speed along its"
                " heading by size, over the usual",
                "5.4, Animation 8",
                far_below(1.0),
                value="flails",
            ),
            ours(f"{feet}-away", f"{feet} feet: distance from where it was after {FLAILING_SECONDS:g} s", unit="cm"),
        )
    ],
    parameters={"starts": Parameter(8, "starts, from drops of 17.5 to 18.5 mm, either side leading in turn")},
)
def backward_legs(context: ExperimentContext) -> Findings:
    count = 2 if context.quick else context.parameter("starts")
    shown: dict[str, RoachWalk] = {}
    found = {}
    for feet, sticky in (("sliding", None), ("sticky", model.STICKY)):
        runs = {
            kind: [
                walk(model.roach_world(figure=figure, sticky=sticky), seconds=FLAILING_SECONDS, eps=1e-3, **start)
                for start in starts(count)
            ]
            for kind, figure in (("usual", model.roach()), ("backwards", backwards()))
        }
        shown |= {f"{feet}, {kind}": group[0] for kind, group in runs.items()}
        normal = float(np.mean([run.speed(0.3) for run in runs["usual"]]))
        found[feet] = normal, runs["backwards"]
    with context.picture("path") as path:
        draw_paths(shown, path)
    with context.picture("strip") as path:
        odd = shown["sliding, backwards"]
        draw_strip(odd, path, times=np.linspace(0.5, 0.62, 6) + odd.time[0])
    for feet, (normal, odd_ones) in found.items():
        speeds = [run.speed(0.3) / normal for run in odd_ones]
        note = f"{min(speeds):+.2f} to {max(speeds):+.2f}; with its legs the right way {100 * normal:.1f} cm/s"
        yield context.found(f"{feet}-flails", Mean(map(abs, speeds)), note=note)
        yield context.found(f"{feet}-away", Mean(_displacement(run) for run in odd_ones))


def _displacement(run: RoachWalk) -> float:
    """As the crow flies [cm]."""
    return 100 * float(np.linalg.norm(run.q[-1, :2] - run.q[0, :2]))
