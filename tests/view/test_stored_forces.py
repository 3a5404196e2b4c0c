"""Forces of contacts that a recording holds are shown when it is viewed."""

import numpy as np
import pytest

from gambol import GroundContact, Recorder, Simulation, Surface, World, box_figure, chain
from gambol.draw import Motion
from gambol.view import RecordedSource
from gambol.view.stored_forces import StoredForces


@pytest.fixture(scope="module")
def recording():
    box = box_figure((0.2, 0.2, 0.2), mass=2.0)
    surface = Surface.bearing(2.0 * 9.81, points=4, sinkage=1e-3)
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    sim = Simulation(World(box, forces=[GroundContact(name="sole", body="box", points=corners, surface=surface)]))
    q = np.array(box.zero)
    q[2] = 0.2
    sim.reset(q)
    with Recorder(sim, every=0.02) as recorder:
        recorder.run(3.0)
    return recorder.recording


def test_nothing_pushes_in_the_air_and_the_weight_is_carried_at_rest(recording):
    forces = StoredForces(recording)
    assert forces and len(forces.at(0.0)) == 0
    rest = forces.at(3.0)
    assert rest.shape == (4, 2, 3) and rest[:, 1, 2].sum() == pytest.approx(2.0 * 9.81, rel=1e-3)
    assert np.allclose(np.abs(rest[:, 0, :2]), 0.1, atol=1e-3) and np.abs(rest[:, 0, 2]).max() < 2e-3


def test_they_are_given_only_when_somebody_looks(recording):
    source = RecordedSource(Motion.of(recording), forces=StoredForces(recording))
    assert len(source.at(3.0).forces) == 0
    source.show_forces = True
    assert len(source.at(3.0).forces) == 4 and len(source.at(0.0).forces) == 0


def test_a_recording_without_contacts_has_none():
    sim = Simulation(World(chain(2)))
    with Recorder(sim, every=0.1) as recorder:
        recorder.run(0.5)
    forces = StoredForces(recorder.recording)
    assert not forces and forces.at(0.3).shape == (0, 2, 3)
