"""Runs that cannot go on say why, and keep what they have; bad options are named."""

import numpy as np
import pytest

from gambol import JointSpring, Simulation, StepError, Stepping, World, WorldError, chain


def stiff():
    figure = chain(3)
    return World(figure, forces=[JointSpring(joint=b.name, stiffness=1e9, damping=1.0) for b in figure.bodies])


def test_a_step_that_becomes_too_short_is_explained():
    sim = Simulation(stiff(), stepping=Stepping(method="rkf45", eps=1e-12, step=1e-3, min_step=1e-4))
    sim.reset(np.full(3, 0.3))
    with pytest.raises(StepError) as caught:
        sim.run(1.0, every=0.1)
    error, text = caught.value, str(caught.value)
    assert "too short" in text and "remedy" in text and "implicit-pair" in text
    assert any(body in error.variable for body in sim.world.figures[0].names)
    assert 0.0 < error.time_scale < 1e-3
    assert error.trajectory is not None and np.isfinite(sim.q).all()


def test_motion_that_blows_up_is_stopped_and_what_was_recorded_is_kept():
    sim = Simulation(stiff(), stepping=Stepping(method="euler", step=1e-3))
    sim.reset(np.full(3, 0.3))
    with pytest.raises(StepError, match="no longer finite") as caught:
        sim.run(10.0, every=1e-3)
    kept = caught.value.trajectory
    assert len(kept) > 5 and np.isfinite(kept.q).all()
    assert kept.time[-1] <= caught.value.time + 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "rkf54"}, "did you mean 'rkf45'"),
        ({"eps": -1.0}, "eps must be positive"),
        ({"step": 0.0}, "step must be positive"),
        ({"min_step": 1.0, "max_step": 0.1}, "shortest step"),
        ({"precision": float("nan")}, "precision must be positive"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(WorldError, match=message):
        Stepping(**options)


def test_wrong_shapes_and_names_are_named():
    sim = Simulation(World(chain(3)))
    with pytest.raises(WorldError, match=r"positions must have shape \(3,\), not \(2,\)"):
        sim.q = [0.0, 0.0]
    with pytest.raises(WorldError, match=r"no body 'chian_1'.*did you mean 'chain_1'"):
        sim.coordinates("chian_1")
    with pytest.raises(WorldError, match="either duration or until"):
        sim.run()
    with pytest.raises(WorldError, match="cannot run from"):
        sim.run(until=-1.0)
    with pytest.raises(WorldError, match="another world or size"):
        sim.restore(Simulation(World(chain(4))).save())
