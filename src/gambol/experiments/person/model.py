"""The facts of the model: masses, lengths, freedoms, the joint table, symmetry, and the statics of standing."""

import numpy as np
from scipy.optimize import minimize_scalar

from gambol import Figure, Mechanics
from gambol.draw import Motion, picture
from gambol.experiments.findings import Statement, at_most, derived, exactly, last_digit, ours, printed, within
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person
from gambol.plot import CURVE_COLOURS

UPPER_BODY_JOINTS = ("l_humerus1", "l_humerus2", "l_humerus3", "l_forearm", "l_hand1", "l_hand2", "head1")
UPPER_BODY_PREFIXES = ("abdomen", "head", "l_hum", "r_hum", "l_fore", "r_fore", "l_hand", "r_hand")


LENGTHS = {  # Table 2
    "femur": ("femur link", "0.432"),
    "tibia": ("tibial link (vertical)", "0.434"),
    "humerus": ("humerus link (vertical)", "0.328"),
    "radius": ("radius link", "0.258"),
    "shoulders": ("shoulder separation", "0.36"),
    "hips": ("hip separation", "0.2"),
    "foot": ("foot length", "0.28"),
    "height": ("height", "1.77"),
}
STATICS = {  # N·m, of the springs of Table 11 at the standing angles
    "waist": ("pelvis1", "waist", 12.45),
    "ankle": ("l_talus", "ankle", 25.02),
    "shoulder": ("l_humerus2", "shoulder, outward", 1.801),
}


def _statements() -> list[Statement]:
    return [
        printed("freedoms", "degrees of freedom", "6", exactly(90), value=90),
        printed("joints", "joints", "6", exactly(84), value=84),
        printed(
            "mass",
            "mass",
            "Table 3",
            last_digit("68.01"),
            value=68.01,
            unit="kg",
            differs="the masses of links in Table 10, of three digits each, add up to this",
        ),
        *(
            printed(
                key,
                name,
                "Table 2",
                last_digit(number),
                value=float(number),
                unit="m",
                differs="the offsets of Table 9 and the reconstructed heel add up to more",
            )
            for key, (name, number) in LENGTHS.items()
        ),
        ours(
            "torques",
            "spring torques of the world's elements at the standing angles against those of the joint table: largest"
            " difference",
            at_most(1e-9, "rounding"),
            unit="N·m",
        ),
        ours(
            "mirror",
            "left and right are mirror images: largest distance",
            at_most(0.01, "the digits of Table 9 are hundredths of a millimetre"),
            unit="mm",
        ),
        *(
            derived(
                f"statics-{key}",
                f"gravity's torque at the {label}, the trunk's pitch fitted to shoulder and neck",
                "Table 11: spring torque at the standing angle",
                within(torque, 0.03 * torque, "rest angles to three digits make the springs' torques good to 3 %"),
                value=torque,
                unit="N·m",
                differs="the posture's pitch is not printed",
            )
            for key, (_, label, torque) in STATICS.items()
        ),
    ]


@experiment(
    "person-model", f"{MCKENNA_1994}, 6, App. E", "Masses, lengths, freedoms and statics of the person", _statements()
)
def model(context: ExperimentContext) -> Findings:
    figure = person.person90()
    draw_layers(context)
    yield context.found("freedoms", figure.speeds)
    yield context.found("joints", sum(body.joint.type == "hinge" for body in figure.bodies))
    yield context.found("mass", figure.mass)
    yield from lengths(context, figure)
    yield context.found("torques", table_error())
    yield context.found("mirror", 1e3 * asymmetry(figure))
    yield from statics(context, figure)


def lengths(context: ExperimentContext, figure: Figure) -> Findings:
    """Segment lengths beside Table 2."""
    poses = figure.poses()
    place = lambda name: np.array(poses[name].position)
    q = person.placed(figure, person.posture())
    standing = figure.poses(q)
    skin = np.concatenate(
        [
            person.corners(part) @ np.asarray(standing[body.name].matrix).T + standing[body.name].position
            for body in figure.bodies
            for part in body.parts
            if part.name == person.SIMPLE and part.colliding
        ]
    )
    foot = np.concatenate(
        [
            person.corners(part) @ np.asarray(standing[body.name].matrix).T + standing[body.name].position
            for body in figure.bodies
            for part in body.parts
            if part.name == person.SIMPLE and part.colliding and body.name.startswith(("l_hind", "l_toe", "l_metat"))
        ]
    )
    measured = {
        "femur": np.linalg.norm(place("l_shank") - place("l_thigh1")),
        "tibia": place("l_shank")[2] - place("l_talus")[2],
        "humerus": place("l_humerus1")[2] - place("l_forearm")[2],
        "radius": np.linalg.norm(place("l_hand1") - place("l_forearm")),
        "shoulders": place("l_humerus1")[1] - place("r_humerus1")[1],
        "hips": place("l_thigh1")[1] - place("r_thigh1")[1],
        "foot": np.ptp(foot[:, 0]),
        "height": np.ptp(skin[:, 2]),
    }
    for key, length in measured.items():
        yield context.found(key, length)


def table_error() -> float:
    """Largest difference between the torque of a spring element and that of its row in the table [N·m]."""
    from gambol.forces.exponential_spring import ExponentialSpring
    from gambol.models.person import person_world

    worst = 0.0
    for element in person_world().elements:
        if isinstance(element, ExponentialSpring):
            row = person.joint_table()[element.joint]
            gap = element.rest - row.standing
            made = np.sign(gap) * element.strength * np.expm1(element.rise * abs(gap))
            worst = max(worst, abs(made - spring_torque(element.joint)))
    return worst


def spring_torque(joint: str) -> float:
    """What the spring of the table gives at the standing angle [N·m]."""
    row = person.joint_table()[joint]
    gap = row.rest - row.standing
    return float(np.sign(gap) * row.table.strength * np.expm1(row.table.rise * abs(gap)))


def asymmetry(figure: Figure) -> float:
    """Largest distance between a joint's place and the mirror image of its twin's [m]."""
    image = {body.name: body for body in figure.mirror().bodies}
    return max(
        float(np.abs(np.subtract(image[b.name].placement.position, b.placement.position)).max()) for b in figure.bodies
    )


def statics(context: ExperimentContext, figure: Figure) -> Findings:
    """One number, the pitch of the trunk, makes gravity agree with nine torques of Table 11."""
    springs = {name: spring_torque(name) for name in (*UPPER_BODY_JOINTS, "pelvis1", "l_talus")}
    asked = lambda pitch: gravity_torques(figure, pitch)
    misfit = lambda pitch: sum((springs[n] - asked(pitch)[n]) ** 2 for n in ("l_humerus1", "head1"))
    pitch = float(minimize_scalar(misfit, bounds=(-0.1, 0.1), method="bounded").x)
    found = asked(pitch)
    with context.axes("statics", 7.0, 3.4, y="torque [N·m]", title=f"trunk pitched by {pitch:.4f} rad") as axes:
        places = np.arange(len(springs))
        axes.bar(places - 0.2, list(springs.values()), 0.4, color=CURVE_COLOURS[0], label="springs of Table 11")
        axes.bar(places + 0.2, [found[n] for n in springs], 0.4, color=CURVE_COLOURS[1], label="gravity")
        axes.set_xticks(places, list(springs), rotation=30, ha="right")
        axes.set_yscale("symlog", linthresh=0.1)
    for key, (joint, _, _) in STATICS.items():
        yield context.found(f"statics-{key}", found[joint], note=f"trunk pitched by {pitch:.4f} rad")


def gravity_torques(figure: Figure, pitch: float) -> dict[str, float]:
    """What gravity asks of joints above the ground, of the waist, and of each ankle, for a pitch of the trunk [rad]."""
    mechanics = Mechanics(figure)
    q = person.positions(figure, person.standing_angles())
    q[3:7] = np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0
    need, origins, frames = mechanics.gravity_torque(q), mechanics.origins(q), mechanics.frames(q)
    names = {entry.body.name: entry.name for entry in mechanics.layout.bodies}
    found = {joint: float(need[mechanics.layout.speed_slices[names[joint]]][0]) for joint in UPPER_BODY_JOINTS}
    waist = 0.0
    for body in figure.bodies:
        if body.name.startswith(UPPER_BODY_PREFIXES):
            mass = body.mass_properties
            centre = origins[names[body.name]] + frames[names[body.name]] @ np.asarray(mass.centre)
            waist += mass.mass * 9.81 * float(centre[0] - origins[names["pelvis1"]][0])
    lever = mechanics.centre_of_mass(q)[0] - origins[names["l_talus"]][0]
    return found | {"pelvis1": waist, "l_talus": 0.5 * mechanics.mass * 9.81 * float(lever)}


def draw_layers(context: ExperimentContext) -> None:
    """The person in each of its skins."""

    from PIL import Image

    stills = []
    for layer in person.LAYERS:
        figure = person.person90(layer)
        moment = Motion((figure,), np.zeros(1), person.placed(figure, person.posture())[None])
        stills.append(picture.still(moment, size=(360, 640)))
    whole = Image.new("RGB", (sum(s.width for s in stills), stills[0].height))
    for k, still in enumerate(stills):
        whole.paste(still, (k * still.width, 0))
    with context.picture("layers") as path:
        picture.save_image(whole, path)
