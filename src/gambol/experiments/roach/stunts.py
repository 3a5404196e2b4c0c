"""Jump, flip on ice and righting, breaking through wires, middle legs on backwards."""

import numpy as np

from gambol import Attachment, BodyContact, Motor, Periodic, Simulation, Surface, World
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_paths, draw_strip, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.figure import Body, Box, Figure, Joint, Part, Placement
from gambol.models import roach as model
from gambol.models.roach import roach_with_middle_legs_backwards as backwards

NO_PROGRESS = 0.15  # share of the usual speed that counts as none


def record_motion(sim: Simulation, seconds: float, every: float = 0.002) -> RoachWalk:
    """Goes on and keeps the motion."""
    path = sim.run(seconds, every=every, include_start=True)
    return RoachWalk(path.time, path.q, None, sim, None)  # type: ignore[arg-type]


@experiment("roach-jump", f"{MCKENNA_1990}, 5.4", "Jump: rest angles switched at once")
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
    yield context.finding(
        "switching the rest angles of a standing figure makes it jump: all feet leave the ground",
        printed="jumps",
        ours=float(feet.max() * 1e3),
        unit="mm of air below the lowest foot",
        ok=bool(feet.max() > 1e-3),
        note=f"the abdomen rises by {height:.1f} mm",
    )


def lowest(sim: Simulation, q: np.ndarray, body: str) -> float:
    """Lowest corner of a body above z = 0 [m]."""
    return min(sim.mechanics.point(q, body, corner)[2] for corner in model.corners(sim.layout.body(body).body))


def tilt(run: RoachWalk) -> np.ndarray:
    """z component of the abdomen's back: 1 upright, -1 on its back."""
    _, x, y, _ = run.q[:, 3:7].T
    return 1 - 2 * (x * x + y * y)


@experiment("roach-flip", f"{MCKENNA_1990}, 5.4", "On its back on ice; righting by wrenching the abdomen")
def flip(context: ExperimentContext) -> Findings:
    ice = 0.02
    tries = [walk(model.roach_world(friction=ice), cycle=cycle, seconds=1.5) for cycle in (0.2, 0.15, 0.1)]
    tipped = min(tries, key=lambda run: tilt(run).min())
    yield context.finding(
        "with friction near zero it loses its footing",
        printed="flips on its back",
        ours=float(np.degrees(np.arccos(np.clip(tilt(tipped).min(), -1, 1)))),
        unit="° of tilt at most",
        ok=bool(tilt(tipped).min() < 0.0),
        note=f"friction {ice}; way made {tipped.distance() * 100:.1f} cm in 1.5 s",
    )
    run, righted = righting()
    with context.picture("righting") as path:
        draw_strip(run, path, times=np.linspace(0.0, run.time[-1] - run.time[0], 7) + run.time[0])
    yield context.finding(
        "tripod motion and wrenching the abdomen right it from its back",
        printed="rights itself",
        ours=float(tilt(run)[-1]),
        unit="cosine of its tilt at the end",
        ok=bool(tilt(run)[-1] > 0.5),
        note=f"its back is up after {righted:.2f} s; the wrenching stops then, and it leans on its abdomen"
        if righted
        else "it did not turn over",
    )


def righting(swing: float = 1.0, period: float = 0.05, seconds: float = 2.5) -> tuple[RoachWalk, float | None]:
    """From its back: legs in a fast tripod, the thorax joint wrenched back and forth until the back is up."""
    sim = Simulation(model.roach_world(friction=0.6), stepping=model.stepping(1e-2), ledger=False)
    q = model.standing_positions(0.0075)
    q[3:7] = [np.cos(np.pi / 2 - 0.05), np.sin(np.pi / 2 - 0.05), 0.0, 0.0]
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


@experiment("roach-backward", f"{MCKENNA_1990}, 5.4", "Middle legs on backwards: no net progress")
def backward_legs(context: ExperimentContext) -> Findings:
    seconds = 6.0  # it flails: the first second alone may throw it anywhere
    walks: dict[tuple[str, str, str], RoachWalk] = {}
    for feet, sticky in (("sliding", None), ("sticky", model.STICKY)):
        for lead in ("left", "right"):
            for kind, figure in (("usual", model.roach()), ("backwards", backwards())):
                world = model.roach_world(figure=figure, sticky=sticky)
                walks[feet, lead, kind] = walk(world, seconds=seconds, eps=1e-3, lead=lead)
    with context.picture("path") as path:
        draw_paths({f"{feet}, {kind}": w for (feet, lead, kind), w in walks.items() if lead == "left"}, path)
    with context.picture("strip") as path:
        odd = walks["sliding", "left", "backwards"]
        draw_strip(odd, path, times=np.linspace(0.5, 0.62, 6) + odd.time[0])
    for feet in ("sliding", "sticky"):
        usual, odd_ones = ([walks[feet, lead, kind] for lead in ("left", "right")] for kind in ("usual", "backwards"))
        speeds = [100 * w.speed(0.3) for w in odd_ones]
        normal = 100 * float(np.mean([w.speed(0.3) for w in usual]))
        yield context.finding(
            f"{feet} feet: front and hind legs push forward, the middle ones back: speed along its heading",
            printed="no net progress",
            ours=max(speeds, key=abs),
            unit="cm/s",
            ok=max(map(abs, speeds)) < NO_PROGRESS * normal,
            note=f"{seconds:g} s, either side leading: {speeds[0]:.2f} and {speeds[1]:.2f} cm/s;"
            f" with its legs the right way {normal:.1f}",
        )
        away, normally = (max(map(_displacement, group)) for group in (odd_ones, usual))
        yield context.finding(
            f"{feet} feet: how far it is from where it was after {seconds:g} s",
            printed="no net progress",
            ours=away,
            unit="cm",
            ok=away < 0.5 * normally,
            reason=f"it is thrown about; with its legs the right way it turns and is {normally:.1f} cm away",
        )


def _displacement(run: RoachWalk) -> float:
    """As the crow flies [cm]."""
    return 100 * float(np.linalg.norm(run.q[-1, :2] - run.q[0, :2]))


# ---------------------------------------------------------------- wires
WIRE_SEGMENT_LENGTH, WIRE_SEGMENTS, WIRE_THICKNESS = 6e-3, 4, 6e-4  # [m], number, [m]


def wire(side: str) -> Figure:
    """A chain that hangs across the way from one side, at the height of the thorax."""
    sign = 1.0 if side == "left" else -1.0
    bodies = []
    for k in range(WIRE_SEGMENTS):
        part = Part(
            Box((WIRE_THICKNESS, WIRE_SEGMENT_LENGTH, WIRE_THICKNESS)),
            Placement.at(0.0, -0.5 * sign * WIRE_SEGMENT_LENGTH, 0.0),
            colour=(0.5, 0.5, 0.55),
        )
        at = (
            Placement.at(0.055, sign * WIRE_SEGMENT_LENGTH * WIRE_SEGMENTS, 0.012)
            if k == 0
            else Placement.at(0.0, -sign * WIRE_SEGMENT_LENGTH, 0.0)
        )
        joint = Joint("hinge", (0.0, 0.0, 1.0), damping=2e-8)
        bodies.append(Body(f"w{k}", f"w{k - 1}" if k else None, joint, at, (part,)))
    return Figure(f"wire_{side}", tuple(bodies))


def wired_world(breaks: float) -> World:
    """The roach before two wires, joined in the middle by an attachment that breaks."""
    left, right = wire("left"), wire("right")
    last = f"w{WIRE_SEGMENTS - 1}"
    join = Attachment(
        name="join",
        body=f"wire_left/{last}",
        point=(0.0, -WIRE_SEGMENT_LENGTH, 0.0),
        other=f"wire_right/{last}",
        other_point=(0.0, WIRE_SEGMENT_LENGTH, 0.0),
        stiffness=2.0,
        damping=2e-3,
        breaks=breaks,
    )
    skin = Surface(strength=0.02, rise=2000.0, restitution=0.5, friction=0.2, deepest=2e-3)
    pushes = [
        BodyContact(
            name=f"{body}-{w.name}-{k}", body=f"roach/{body}", other=f"{w.name}/w{k}", surface=skin, rounding=0.2
        )
        for body in ("head", "thorax")
        for w in (left, right)
        for k in range(WIRE_SEGMENTS)
    ]
    return World(
        [model.roach(), left, right],
        (0.0, 0.0, -model.GRAVITY),
        [*model.joint_springs(), *model.contacts(model.ground()), join, *pushes],
    )


@experiment("roach-wires", f"{MCKENNA_1990}, 5.4", "Breaking through attached wires")
def wires(context: ExperimentContext) -> Findings:
    runs = {}
    for name, breaks in (("wires that break", 2e-3), ("wires that hold", 1.0)):
        sim = Simulation(wired_world(breaks), stepping=model.stepping(1e-2), ledger=False)
        q = np.concatenate([model.standing_positions(), np.zeros(2 * WIRE_SEGMENTS)])
        sim.reset(q)
        sim.run(0.3)
        runs[name] = walk(sim, seconds=0.9 if context.quick else 1.2)
    with context.picture("strip") as path:
        draw_strip(runs["wires that break"], path, times=np.linspace(0.2, 0.88, 6) + 0.3)
    with context.picture("path") as path:
        draw_paths(runs, path)
    broken = {name: run.sim.elements["join"].get("broken") for name, run in runs.items()}
    touched = max(run.q[:, 0].max() for run in runs.values()) > 0.03
    yield context.finding(
        "the roach breaks through two wires joined by an attachment (body against body contact)",
        printed="breaks through",
        ours=broken["wires that break"],
        unit="attachments broken",
        ok=broken["wires that break"] == 1.0 and touched,
        note=f"way made {runs['wires that break'].distance() * 100:.1f} cm",
    )
    held, through = runs["wires that hold"].distance(), runs["wires that break"].distance()
    yield context.finding(
        "wires that cannot break hold it back",
        ours=(through - held) * 100,
        unit="cm farther when they break",
        beyond=True,
    )
