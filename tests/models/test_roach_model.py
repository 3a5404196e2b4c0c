import csv
from pathlib import Path

import numpy as np
import pytest

from gambol import FigureError, Mechanics, WorldError
from gambol.models import walking_roach
from gambol.models.bevelled_cube import CUBE_VOLUME
from gambol.models.roach import (
    MIDDLE_LEFT,
    PRINTED,
    TUNED,
    adjusted_legs,
    joint_springs,
    legs,
    rest_angles,
    roach,
    roach_without,
    roach_world,
    settled_roach,
    standing_positions,
    table,
    walk_without,
)

FEET = list(csv.DictReader((Path(__file__).parent / "data" / "roach_foot_kinematics.csv").open()))


def pose(angles):
    figure = roach()
    q = np.array(figure.zero)
    for name, angle in angles.items():
        q[figure.position_slices[name]] = angle
    return q


def targets(program):
    return {s.joint: s.target for s in program.strokes}  # the last of a joint counts


def lifted(program):
    return {s.joint: s.target for s in reversed(program.strokes)}


def poses():
    all_legs = {leg.name: leg for leg in legs()}
    return {
        "all_zero": lambda leg: {},
        "listing_initial": lambda leg: rest_angles() | {"leg_ml1": -0.05},
        "listing_initial_ml1_corrected": lambda leg: rest_angles(),
        "step_end_target": lambda leg: targets(all_legs[leg].step),
        "step_lift_target": lambda leg: lifted(all_legs[leg].step),
        "stance_end_target": lambda leg: targets(all_legs[leg].stance),
    }


def test_facts():
    figure = roach()
    assert len(figure.bodies) == 33 and figure.speeds == 38
    assert figure.mass == pytest.approx(CUBE_VOLUME * 2.175483e-3, rel=1e-6)  # the table has boxes without a bevel
    masses = {row["body"]: float(row["distal_mass_kg_derived"]) for row in table("bodies")}
    for name, mass in masses.items():
        assert figure.distal_mass(name) == pytest.approx(CUBE_VOLUME * mass, rel=1e-6)


@pytest.mark.parametrize("row", FEET, ids=lambda r: f"{r['leg']}-{r['pose']}")
def test_feet_are_where_the_table_says(row):
    mechanics = Mechanics(roach())
    foot = f"leg_{row['leg']}4"
    size = {r["body"]: float(r["size_y_cm"]) / 100 for r in table("bodies")}[foot]
    tip = (0.0, size if row["leg"].endswith("l") else -size, 0.0)
    q = pose(poses()[row["pose"]](row["leg"]))
    wanted = [float(row[f"tip_{a}_cm_derived"]) / 100 for a in "xyz"]
    assert mechanics.point(q, foot, tip) == pytest.approx(wanted, abs=6e-8)


def test_joints_are_mirror_images():
    rest = rest_angles()
    assert rest["leg_ml1"] == MIDDLE_LEFT
    for name, angle in rest.items():
        if name.startswith("leg_") and name[5] == "l":
            assert rest[f"leg_{name[4]}r{name[6]}"] == pytest.approx(-angle)


def test_springs_have_the_strength_of_the_table():
    world = roach_world()
    rows = {row["body_joint"]: row for row in table("joints")}
    for spring in joint_springs():
        row = rows[spring.name]
        if row["ea_alpha"]:
            strength = spring.strength * spring.scale(world.layout)
            assert strength == pytest.approx(CUBE_VOLUME * float(row["alpha_effective_Nm_derived"]), rel=1e-5)
        assert spring.damping * spring.scale(world.layout) == pytest.approx(
            CUBE_VOLUME * float(row["damping_effective_Nms_per_rad_derived"]), rel=1e-5
        )


def test_adjusted_legs():
    assert adjusted_legs(*PRINTED) == legs()
    tuned = {leg.name: leg for leg in adjusted_legs(*TUNED)}
    for leg in legs():
        by = tuned[leg.name].stance.last(leg.joints[0]) - leg.stance.last(leg.joints[0])
        assert by == pytest.approx(TUNED["bmf".index(leg.name[0])] * (1.0 if leg.side == "left" else -1.0))


def test_standing_positions():
    q = standing_positions(0.02)
    assert q[2] == 0.02 and q[roach().position_slices["leg_bl2"]] == pytest.approx(0.4)


# ---------------------------------------------------------------- without a leg, with another pattern
def test_a_roach_without_a_leg_has_a_world_and_walks():
    figure = roach_without("ml")
    assert len(figure.bodies) == 28 and not any(name.startswith("leg_ml") for name in figure.names)
    sim = walking_roach(roach_world(figure=figure), cycle=0.3, settle=0.0625)
    gait = sim.controllers[0].gait
    assert gait.names == ["fl", "fr", "mr", "bl", "br"] and all("ml" not in leg.neighbours for leg in gait.legs)
    sim.run(0.2)
    assert np.isfinite(sim.q).all() and gait.now.steps.sum() > 0
    with pytest.raises(FigureError, match="no leg 'lm'"):
        roach_without("lm")
    assert roach_without() == roach()


@pytest.mark.parametrize(("lost", "across"), [("fl", "fr"), ("ml", "mr"), ("bl", "br")])
def test_the_walk_without_a_leg_is_the_mirror_image_of_that_without_the_one_across(lost, across):
    left, right = walk_without(lost), walk_without(across)
    assert lost not in left.phases and len(left.limbs) == 5
    if lost == "fl":  # five walk at the phases of six
        assert not left.phases
    else:
        assert len(left.phases) == 5 and max(np.diff(sorted(left.phases.values()))) < 0.35
    other = {"l": "r", "r": "l"}
    assert right.phases == {leg[0] + other[leg[1]]: phase for leg, phase in left.phases.items()}
    across_legs = {leg.name: leg for leg in right.limbs}
    for leg in left.limbs:
        mirrored = across_legs[leg.name[0] + other[leg.name[1]]]
        for one, two in zip(leg.step.strokes + leg.stance.strokes, mirrored.step.strokes + mirrored.stance.strokes):
            # How far a front leg is lifted is measured by a small turn of its joint, the same way on both sides.
            assert one.target == pytest.approx(-two.target, abs=1e-3 if lost == "fl" else 1e-9)


def test_the_walk_without_a_leg_needs_a_leg_that_there_is():
    with pytest.raises(FigureError, match="no leg 'lm'"):
        walk_without("lm")


def test_lead_ranks_and_phases_are_parameters():
    sim = settled_roach(settle=0.0625)
    pattern = walking_roach(sim, cycle=0.4, lead="right", ranks={"bl": 5}, delay=0.04, phases={"fr": 0.125}, phase=0.1)
    gait = pattern.controllers[-1].gait
    phases = dict(zip(gait.names, gait.phases()[0]))
    assert phases["fr"] == pytest.approx(0.1 + 0.125)
    assert phases["bl"] == pytest.approx(0.1 + 5 * 0.04 / 0.4 + 0.5)
    assert phases["br"] == pytest.approx(0.1 + dict(zip(gait.names, gait.rank))["br"] * 0.04 / 0.4)
    with pytest.raises(WorldError, match="did you mean 'fl'"):
        walking_roach(sim, ranks={"fll": 1})
    with pytest.raises(WorldError, match="'left' or 'right'"):
        walking_roach(sim, lead="lft")
