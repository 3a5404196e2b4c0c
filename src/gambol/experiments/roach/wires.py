"""Two wires across the way, joined in the middle by an attachment that breaks."""

import numpy as np

from gambol import Attachment, BodyContact, Simulation, Surface, World
from gambol.experiments.findings import MOSTLY, Rate, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_paths, draw_strip, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.figure import Body, Box, Figure, Joint, Part, Placement
from gambol.models import roach as model
from gambol.models.roach.walking import SETTLE

WIRE_SEGMENT_LENGTH, WIRE_SEGMENTS, WIRE_THICKNESS = 6e-3, 4, 6e-4  # [m], number, [m]
WIRES_AT = 0.055  # [m] ahead
STRETCHES = (1e-3, 2e-3, 4e-3)  # [m] at which the join breaks, at 2 N/m: a tenth, a fifth and two fifths of its weight
USUAL_STRETCH, NEVER = 2e-3, 1.0
WALKED = 2.0  # [s]: the wires are reached in half of it


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
            Placement.at(WIRES_AT, sign * WIRE_SEGMENT_LENGTH * WIRE_SEGMENTS, 0.012)
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


@experiment(
    "roach-wires",
    f"{MCKENNA_1990}, 5.4",
    "Breaking through attached wires",
    states=[
        printed(
            "breaks",
            "walking forward it breaks the join of two wires by pushing (body against body), and goes through: share of"
            f" the starts in which the join is whole before, broken after {WALKED:g} s, and the thorax beyond the wires"
            " (the force at which it breaks is not printed: a fifth of its weight)",
            "5.4, Animation 8",
            MOSTLY,
            value="breaks through",
        ),
        *(
            ours(f"through-{1e3 * s:g}", f"… with a join that breaks when stretched by {1e3 * s:g} mm", full=True)
            for s in STRETCHES
            if s != USUAL_STRETCH
        ),
        ours(
            "held",
            f"wires that cannot break hold it back: share of the starts with its thorax before them after {WALKED:g} s",
            MOSTLY,
        ),
    ],
    parameters={"starts": Parameter(12, "starts, from drops of 17.5 to 18.5 mm, either side leading in turn")},
)
def wires(context: ExperimentContext) -> Findings:
    count = 4 if context.quick else context.parameter("starts")
    broken = [meeting(USUAL_STRETCH, **start) for start in starts(count)]
    kept = [meeting(NEVER, **start) for start in starts(count)]
    shown = broken[0][0]
    with context.picture("strip") as path:
        draw_strip(shown, path, times=np.linspace(0.2, 1.3, 6) + shown.time[0])
    with context.picture("path") as path:
        draw_paths({"wires that break": shown, "wires that hold": kept[0][0]}, path)
    rate = Rate(sum(whole and apart and beyond_wires(run) for run, whole, apart in broken), count)
    told = f"{sum(apart for _, _, apart in broken)} joins broken, {sum(beyond_wires(r) for r, _, _ in broken)} beyond"
    yield context.found("breaks", rate, note=told, seed=f"{count} starts")
    if not context.quick:
        for stretch in STRETCHES:
            if stretch != USUAL_STRETCH:
                runs = [meeting(stretch, **start) for start in starts(count)]
                through = Rate(sum(whole and apart and beyond_wires(run) for run, whole, apart in runs), count)
                yield context.found(f"through-{1e3 * stretch:g}", through, seed=f"{count} starts")
    before = Rate(sum(not beyond_wires(run) for run, _, _ in kept), count)
    ways = [100 * run.distance() for run, _, _ in kept]
    yield context.found("held", before, note=f"way {min(ways):.1f} to {max(ways):.1f} cm", seed=f"{count} starts")


def meeting(breaks: float, height: float, lead: str) -> tuple[RoachWalk, bool, bool]:
    """A walk into the wires, whether their join was whole before it, and whether it is broken after."""
    sim = Simulation(wired_world(breaks), stepping=model.stepping(1e-2), ledger=False)
    sim.reset(np.concatenate([model.standing_positions(height), np.zeros(2 * WIRE_SEGMENTS)]))
    sim.run(SETTLE)
    whole = not sim.elements["join"].get("broken")
    run = walk(sim, seconds=WALKED, lead=lead)
    return run, whole, bool(run.sim.elements["join"].get("broken"))


def beyond_wires(run: RoachWalk) -> bool:
    """Is the thorax past where the wires hung?"""
    return bool(run.sim.mechanics.point(run.q[-1], "roach/thorax", (0.0, 0.0, 0.0))[0] > WIRES_AT)
