"""Experiments on show: each is made, moves, stays whole, and can be taken back."""

import numpy as np
import pytest

from gambol import UnknownNameError
from gambol.cli.view import named
from gambol.experiments.registry import experiments
from gambol.shows.person import stands
from gambol.shows.registry import shows

NEVER = float("inf")
LIVE = sorted({show.make: name for name, show in shows().items() if name in experiments()}.values())


@pytest.mark.parametrize("name", LIVE)
def test_it_moves(name):
    source = named(name).make()
    if source.live:
        source.prepare()  # compiles
        source.advance(source.first + 0.2, NEVER)
    assert not source.fault and source.last >= source.first + 0.19
    ends = [source.place(source.at(t).q) for t in (source.first, source.last)]
    assert all(np.isfinite(poses.origins).all() and np.isfinite(poses.frames).all() for poses in ends)
    moved = np.abs(ends[1].frames - ends[0].frames).max()
    assert moved < 1e-3 if named(name).make is stands else moved > 1e-3
    frames = ends[1].frames
    assert np.allclose(frames @ frames.transpose(0, 2, 1), np.eye(3), atol=1e-6)


def test_every_family_of_figures_has_shows():
    assert {name.split("-")[0] for name in LIVE} >= {"finger", "roach", "person", "limbs", "hexapod"}
    assert set(LIVE) <= set(experiments())


def test_a_walk_is_taken_back_to_the_bit():
    source = named("person-walk").make()
    source.prepare()
    source.advance(source.first + 1.5, NEVER)
    once = source.at(source.last).q
    walk = source.sim.controllers[0]
    steps = len(walk.strikes)
    source.resume_at(source.first + 0.7)
    assert len(walk.strikes) < steps
    source.advance(source.first + 1.5, NEVER)
    assert np.array_equal(source.at(source.last).q, once) and len(walk.strikes) == steps


def test_an_experiment_without_a_figure_says_how_to_run_it():
    with pytest.raises(UnknownNameError, match="gambol reproduce roach-speeds"):
        named("roach-speeds")
    with pytest.raises(UnknownNameError, match="did you mean"):
        named("roach-tripodd")


def test_the_finger_is_shown_where_the_recursion_has_it():
    source = named("finger-taps").make()
    source.advance(2.5, NEVER)
    assert source.last == pytest.approx(2.5) and not source.fault
    poses = source.figures[0].poses(source.at(source.last).q)
    for name, place in zip(source.sim.layout.names, source.sim.hinge_positions()):
        assert np.allclose(poses[name].position, place, atol=1e-9)
        assert np.allclose(poses[name].apply((0.01, 0, 0)), source.sim.point(name, (0.01, 0, 0)), atol=1e-9)
