"""The passive step: its figure, its start, its rules."""

import numpy as np
import pytest

from gambol import StopWhen, support
from gambol.models.person import DRIVEN, StepStart, started, step_rules, stepping_person, swing_load


def test_the_freedoms_of_the_source():
    figure = stepping_person()
    hinges = [body for body in figure.bodies if body.joint.type == "hinge"]
    assert len(hinges) == 64 and sum(body.joint.driven for body in hinges) == 3
    assert sum(body.joint.type == "hinge" for body in stepping_person(rigid=True).bodies) == 12
    assert stepping_person(removed=("l_phal1.1",)).mass < figure.mass


def test_it_starts_with_the_stance_ankle_at_rest_and_the_weight_carried():
    sim = started(stepping_person(rigid=True))
    assert np.abs(sim.mechanics.velocities(sim.q, sim.v)["stepper/l_talus"][3:]).max() < 1e-12
    assert sim.v[3] > 1.0
    sim.v = np.zeros(sim.layout.nv)
    assert support(sim).load == pytest.approx(sim.mechanics.mass * 9.81, rel=1e-6)
    assert swing_load(sim) == 0.0


def test_the_rules_fire_and_the_heel_strikes():
    sim = started(stepping_person(rigid=True))
    hip = sim.speed_coordinates(DRIVEN[1])
    strikes = lambda s: float(s.time) > 0.25 and swing_load(s) > 20.0
    knee = sim.coordinates("r_shank")
    shown = sim.run(
        1.0,
        every=0.01,
        watch={"knee": lambda s: s.q[knee][0], "hip": lambda s: s.v[hip][0]},
        controller=[*step_rules(), StopWhen(period=0.002, strike=strikes)],
    )
    assert shown.ended == "strike" and 0.45 < shown.time[-1] < 0.65
    assert 0.15 < shown.event("leg vertical") < shown.event("knee extended") < shown.time[-1]
    assert 0.9 < shown.watched["knee"].max() < 1.25
    assert np.ptp(shown.watched["hip"]) < 1e-12  # the stance hip turns at constant speed
    assert sim.elements["l_talus"].get("strength") == 62.0


def test_variants_of_the_start():
    start = StepStart()
    assert start.without_arms().rates["r_humerus1"] == 0.0 and start.rates["r_humerus1"] != 0.0
    assert start.without_sway().turning == (0.0, start.turning[1], start.turning[2])
