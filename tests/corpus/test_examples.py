"""The scripts that come with Gambol run, and build what they say."""

import shutil

import numpy as np
import pytest

from gambol.corpus.examples import example_script
from gambol.models.roach import roach

FOLDER = example_script("hexapod").parent
QUICK = ("basic_biped", "first_picture", "hexapod", "slider", "verify_double_pendulum")


@pytest.fixture
def workshop(session):
    """A session in a copy of the examples."""
    for script in FOLDER.glob("*.corpus"):
        shutil.copy(script, session.folder)
    return session


@pytest.mark.parametrize("name", QUICK)
def test_the_script_runs(name, workshop):
    workshop.interpreter.run_file(workshop.folder / f"{name}.corpus")
    assert workshop.interpreter.finished is False and not workshop.interpreter.faults


def test_the_biped_has_the_mass_and_the_freedoms_of_the_table(workshop):
    workshop("do basic_biped.corpus")
    figure = workshop.interpreter.worlds.corpus.figure()
    assert figure.speeds == 13 and figure.mass == pytest.approx(61.7, abs=0.1)
    for side in "lr":
        masses = [figure[f"{side}_{part}"].mass_properties.mass for part in ("thigh", "shank", "foot")]
        assert masses == pytest.approx([5.3, 2.8, 0.8], abs=0.01)


def test_the_hexapod_is_the_roach_of_the_models(workshop):
    """Two ways to the same figure: commands, and tables read by Python."""
    workshop("do hexapod.corpus")
    ours, theirs = workshop.interpreter.worlds.corpus.figure(), roach()
    name = {body.name: f"leg_{body.name}" if body.name[-1].isdigit() else body.name for body in ours.bodies}
    assert len(ours.bodies) == len(theirs.bodies) == 33
    rng = np.random.default_rng(3)
    q = {body.name: rng.normal(size=body.joint.positions) for body in ours.bodies}
    q["abdomen"][3:] /= np.linalg.norm(q["abdomen"][3:])
    here = ours.poses(np.concatenate([q[body.name] for body in ours.order]))
    back = {full: short for short, full in name.items()}
    there = theirs.poses(np.concatenate([q[back[body.name]] for body in theirs.order]))
    for body in ours.bodies:
        a, b = here[body.name], there[name[body.name]]
        assert a.position == pytest.approx(b.position, abs=1e-9) and a.matrix == pytest.approx(b.matrix, abs=1e-6)
        own, other = body.mass_properties, theirs[name[body.name]].mass_properties
        assert own.mass == pytest.approx(other.mass, rel=1e-6)
        assert own.centre == pytest.approx(other.centre, abs=2e-8)
        assert own.tensor == pytest.approx(other.tensor, rel=1e-5, abs=1e-5 * np.abs(other.tensor).max())


def test_the_hexapod_walks_forward(workshop):
    workshop("do hexapod_walk.corpus")
    corpus = workshop.interpreter.worlds.corpus
    assert 0.045 < corpus.pose[0, 3] < 0.08 and 0.008 < corpus.pose[2, 3] < 0.014
    assert (workshop.folder / "hexapod_walk_0000.png").stat().st_size > 3000


def test_feet_that_stick_walk_faster(workshop):
    """Stated in 1990: 8.0 cm/s with sticking feet, 5.5 with sliding ones."""
    said = workshop("do hexapod_sticky.corpus")
    x = [float(line.split("world")[1].split()[0]) for line in said if "world" in line]
    assert 0.07 < (x[-1] - x[2]) / 0.6 < 0.09


def test_the_hexapod_crosses_waves_of_ground(workshop):
    text = (workshop.folder / "hexapod_hills.corpus").read_text().partition("eye ")[0]
    said = workshop(text.replace("fifth 10", "fifth 6"))
    places = np.array([[float(x) for x in line.split("world")[1].split()] for line in said if "world" in line])
    assert places[-1, 0] - places[0, 0] > 0.005 and np.ptp(places[:, 2]) > 0.002 and places[:, 2].min() > 0.009
