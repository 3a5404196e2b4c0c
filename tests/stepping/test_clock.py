"""Time is added up without loss, however short steps are beside what the clock can show."""

import numpy as np
import pytest

from gambol import Simulation, Stepping, World, chain
from gambol.stepping.clock import add_time, time_left
from gambol.stepping.workspace import CARRY, STEPS

LATE = 4096.0  # [s] numbers of float32 are 4.9e-4 s apart here


def swung(time, **options):
    sim = Simulation(World(chain(2)), dtype=np.float32, **options)
    sim.reset([0.4, 0.2], time=time)
    sim.run(0.125)
    return sim


@pytest.mark.parametrize("worlds", [1, 3])
@pytest.mark.parametrize("step", [1e-4, 1e-5])
def test_steps_shorter_than_the_clock_can_show(step, worlds):
    stepping = Stepping(method="semi-implicit-euler", step=step)
    early, late = (swung(time, stepping=stepping, worlds=worlds) for time in (0.0, LATE))
    assert np.all(late.time == LATE + 0.125)
    assert np.all(np.abs(late.clock(STEPS) - round(0.125 / step)) <= 2)  # none lost, none taken twice
    np.testing.assert_allclose(late.q, early.q, atol=2e-5)
    np.testing.assert_allclose(late.v, early.v, atol=2e-4)


def test_error_control_takes_steps_that_short():
    stepping = Stepping(method="rkf45", eps=2e-4, max_step=1e-5)
    late = swung(LATE, stepping=stepping)
    np.testing.assert_allclose(late.q, swung(0.0, stepping=stepping).q, atol=2e-5)
    assert late.clock(STEPS) > 12000


@pytest.mark.nojit
@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_what_the_clock_does_not_show_is_kept(number):
    plain = getattr(add_time, "py_func", add_time)
    t, rest, h = number(1000.0), number(0.0), number(1e-6 if number is np.float32 else 1e-14)
    for _ in range(1000):
        t, rest = plain(t, rest, h)
    assert (float(t) - 1000.0) + float(rest) == pytest.approx(1000 * float(h), rel=1e-3)
    left = getattr(time_left, "py_func", time_left)(number(1001.0), t, rest)
    assert left == pytest.approx(1.0 - 1000 * float(h), rel=1e-6)


def test_a_new_start_begins_with_nothing_left_over():
    sim = swung(LATE, stepping=Stepping(method="semi-implicit-euler", step=1e-4))
    sim.run(1.37e-3)
    sim.reset([0.4, 0.2])
    assert sim.clock(CARRY) == 0.0
