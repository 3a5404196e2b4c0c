"""Ready-made figures: sizes, freedoms, symmetry."""

import numpy as np
import pytest

from gambol import parse_yaml, yaml_text
from gambol.models import acrobat, hang, hexapod30, person90
from gambol.models.hexapod import stance
from gambol.models.high_bar import BAR, PALM


def freedoms(figure):
    return sum(body.joint.speeds for body in figure.bodies)


@pytest.mark.parametrize(
    "make, bodies, dof, mass", [(hexapod30, 25, 30, 2.88), (person90, 85, 90, 67.98), (acrobat, 15, 32, 58.94)]
)
def test_bodies_freedoms_and_mass(make, bodies, dof, mass):
    figure = make()
    assert len(figure.bodies) == bodies
    assert freedoms(figure) == dof
    assert figure.mass == pytest.approx(mass, abs=0.005)
    assert parse_yaml(yaml_text(figure)) == figure


@pytest.mark.parametrize("make", [hexapod30, person90, acrobat])
def test_left_and_right_balance(make):
    assert make().mass_properties().centre[1] == pytest.approx(0.0, abs=1e-8)


def test_person_is_as_tall_as_the_table_says():
    figure = person90()
    poses = figure.poses()
    hip, knee, ankle = (np.array(poses[name].position) for name in ("l_thigh1", "l_shank", "l_talus"))
    assert np.linalg.norm(hip - knee) == pytest.approx(0.432)
    assert abs(knee[2] - ankle[2]) == pytest.approx(0.434)
    joints = [body.joint.type for body in figure.bodies]
    assert joints.count("hinge") == 84 and joints.count("free") == 1
    lowest = min(pose.position[2] for pose in poses.values())
    assert 0.0 < lowest < 0.05  # soles just above the ground
    assert figure.distal_mass("l_thigh1") == pytest.approx(figure.distal_mass("r_thigh1"))


def test_hexapod_stands_on_its_feet():
    figure = hexapod30()
    poses = figure.poses(stance(figure))
    feet = [poses[f"{side}_{pair}_tarsus"].apply((0.045, 0, 0))[2] for side in "lr" for pair in ("front", "hind")]
    assert np.ptp(feet) < 1e-12 and feet[0] < 0.06  # level, and below the trunk
    fixed = hexapod30(root="fixed")
    assert freedoms(fixed) == 24


def test_acrobat_holds_the_bar():
    start = hang(hand="l_hand")
    figure = start.world.figures[0]
    palm = figure.poses(start.q)["l_hand"].apply(PALM)
    np.testing.assert_allclose(palm, (0.0, 0.0, BAR), atol=1e-12)
    assert "let go" not in start.landings and len(start.landings) == 5


def test_acrobat_swings_lets_go_and_comes_down():
    from gambol import Simulation

    start = hang()
    sim = Simulation(start.world)
    sim.reset(start.q)
    sim.run(4.0, on_event=start.let_go, stop=start.landings)
    assert sim.events[0].name == "let go"
    assert sim.events[-1].name in start.landings and sim.time < 3.0
    books = sim.ledger()
    assert abs(books["numerical"]) < 0.01 * books["kinetic"]
    assert books["work of grip"] < 0 and books["work of joints"] < 0


def test_skins_run_through_their_sections_without_overshooting():
    from scipy.interpolate import PchipInterpolator

    from gambol.models.loft import refined

    random = np.random.default_rng(0)
    for count in (2, 3, 4, 7):
        values = np.round(random.normal(size=(50, count)), 1)  # some are equal, some turn
        for row in values:
            expected = PchipInterpolator(np.arange(count), row)(np.linspace(0.0, count - 1.0, 2 * count - 1))
            assert np.allclose(refined(row), expected, atol=1e-14)
