"""The simulator: validation, edges of charts, simultaneous events, batches, limits."""

import math
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from gambol import (
    Chart,
    ChartBoundary,
    HybridError,
    HybridRun,
    HybridSystem,
    ReturnMap,
    ReturnMapError,
    Section,
    StepError,
    Stepping,
    WorldError,
)
from gambol.hybrid.models import BouncingBall, CompassWalker, RimlessWheel, StickSlip

FINE = Stepping(eps=1e-12)
METHODS = ["rk3", "rk4", "rkf45", "dormand-prince", "cash-karp", "rk4-doubling"]


class Clock(HybridSystem):
    """x is the time; three alarms of which two ring together. y notes the order of what happened."""

    class Parameters(NamedTuple):
        first: float = 1.0
        second: float = 1.0
        jump: float = 0.0

    charts = (
        Chart(
            "before",
            states=("x", "y"),
            boundaries=(
                ChartBoundary("late", target="second", direction="rising", priority=5),
                ChartBoundary("early", target="first", direction="rising", priority=-1),
                ChartBoundary("early too", target="first", direction="rising", priority=-1),
            ),
        ),
        Chart("after", states=("x", "y"), boundaries=(ChartBoundary("end", target=-5.0),)),
    )

    @staticmethod
    def flow(chart, t, x, p, dx):
        dx[0], dx[1] = 1.0, 0.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        if chart == 0:
            h[0] = h[1] = h[2] = x[0]
        else:
            h[0] = -x[0]

    @staticmethod
    def transition(chart, t, x, p, fired):
        if chart == 1:
            return 7
        if fired[1] > 0 and fired[2] > 0:
            x[1] = 10.0 * x[1] + 1.0
            x[0] -= p.jump
            return 0
        x[1] = 10.0 * x[1] + 2.0
        return 1


def test_priorities_and_targets():
    run = HybridRun(Clock(), [0.0, 0.0], stepping=FINE)
    run.run(2.0)
    assert run.x[1] == 12.0 and run.chart_name == "after"
    assert [c.boundaries for c in run.changes] == [("early", "early too"), ("late",)]
    assert np.all(np.abs(run.changes.times - 1.0) < 1e-11)


def test_a_transition_may_take_back_what_was_due():
    run = HybridRun(Clock(jump=0.5), [0.0, 0.0], stepping=FINE)
    run.run(1.2)
    assert run.x[1] == 1.0 and run.chart_name == "before"
    run.run(0.5)
    assert run.x[1] == 11.0  # at 1.5 s once more, and taken back again


def test_a_chart_that_does_not_exist():
    run = HybridRun(Clock(), [0.0, 0.0], stepping=FINE)
    with pytest.raises(HybridError, match="leads to a chart that does not exist"):
        run.run(7.0)


def test_a_start_outside_is_refused():
    with pytest.raises(HybridError, match=r"outside chart 'flight': boundary 'floor' is -0.5 beyond"):
        HybridRun(BouncingBall(), [-0.5, 0.0])
    with pytest.raises(HybridError, match="must have the 2 states of chart 'flight'"):
        HybridRun(BouncingBall(), [1.0, 0.0, 0.0])
    with pytest.raises(HybridError, match="did you mean 'flight'"):
        HybridRun(BouncingBall(), [1.0, 0.0], chart="flihgt")
    with pytest.raises(HybridError, match="did you mean 'restitution'"):
        BouncingBall(restitutoin=0.5)
    with pytest.raises(HybridError, match="finite number"):
        BouncingBall(restitution=math.nan)
    with pytest.raises(WorldError, match="is for figures"):
        HybridRun(BouncingBall(), stepping="implicit-pair")
    with pytest.raises(HybridError, match="did you mean 'floor'"):
        HybridRun(BouncingBall(), stop_at=["flor"])


def test_every_fault_of_a_model_is_reported():
    class Broken(HybridSystem):
        charts = (
            Chart("a", states=("x",), boundaries=(ChartBoundary("e", to="c"), ChartBoundary("f", direction="faling"))),
            Chart("b", states=("x", "x"), boundaries=(ChartBoundary("g", to="a", target="mas"),)),
            Chart("b", states=()),
        )
        error_weight = {"z": 0.0}
        outputs = ("energy",)

    with pytest.raises(HybridError) as caught:
        Broken()
    text = str(caught.value)
    for message in (
        "no vector field",
        "two charts are called 'b'",
        "leads to no chart 'c'",
        "leads nowhere",
        "did you mean 'falling'",
        "two states are called 'x'",
        "error_weight: no state 'z'",
        "come together",
        "write boundaries",
        "target: no parameter 'mas'",
        "has dimension 2, 'a' has 1",
    ):
        assert message in text, message


class Valid(HybridSystem):
    """A jump of x by `jump` at 1; the chart ends at 2."""

    class Parameters(NamedTuple):
        jump: float = 0.5

    charts = (Chart("c", states=("x",), boundaries=(ChartBoundary("one", direction="rising", target=1.0),)),)

    @staticmethod
    def flow(chart, t, x, p, dx):
        dx[0] = 1.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        h[0] = x[0]

    @staticmethod
    def transition(chart, t, x, p, fired):
        x[0] += p.jump
        return 0

    @staticmethod
    def valid(chart, t, x, p):
        return x[0] < 2.0


def test_validation_of_points():
    run = HybridRun(Valid(), [0.0])
    run.run(1.2)
    assert run.x[0] == pytest.approx(1.7)
    with pytest.raises(HybridError, match="not valid in chart 'c'"):
        HybridRun(Valid(), [3.0])
    with pytest.raises(HybridError, match=r"transition one .* ends where the chart is not valid"):
        HybridRun(Valid(jump=1.5), [0.0]).run(1.2)


def test_functions_that_do_not_compile():
    class Faulty(HybridSystem):
        charts = (Chart("c", states=("x",)),)

        @staticmethod
        def flow(chart, t, x, p, dx):
            dx[0] = p.mass

    with pytest.raises(HybridError, match="Faulty: cannot be compiled"):
        HybridRun(Faulty(), [0.0])


def test_entering_outside_fires_at_once():
    """A transition into a chart, beyond one of its edges and on the way out, goes through that edge at once."""

    class Through(HybridSystem):
        charts = (
            Chart("a", states=("x",), boundaries=(ChartBoundary("at one", target=-1.0, to="b"),)),
            Chart("b", states=("x",), boundaries=(ChartBoundary("at a half", target=-0.5, to="c"),)),
            Chart("c", states=("x",)),
        )

        @staticmethod
        def flow(chart, t, x, p, dx):
            dx[0] = 1.0

        @staticmethod
        def boundaries(chart, t, x, p, h):
            h[0] = -x[0]

    run = HybridRun(Through(), [0.0])
    run.run(2.0)
    assert [c.after for c in run.changes] == ["b", "c"]
    assert np.all(np.abs(run.changes.times - 1.0) < 1e-9)


# ---------------------------------------------------------------- runs
def test_batch_equals_single_runs():
    speeds = np.linspace(0.95, 2.0, 9)
    batch = HybridRun(RimlessWheel(), [-0.28, 1.0], worlds=9, parameters={"slope": np.linspace(0.07, 0.1, 9)})
    batch.reset(np.column_stack([np.full(9, -0.28), speeds]), parameters={"slope": np.linspace(0.07, 0.1, 9)})
    path = batch.run(5.0, every=0.5)
    for world in range(9):
        alone = HybridRun(RimlessWheel(slope=np.linspace(0.07, 0.1, 9)[world]), [-0.28, speeds[world]])
        own = alone.run(5.0, every=0.5)
        assert np.array_equal(own.x, path.x[:, world]) and np.array_equal(own.chart, path.chart[:, world])
        assert np.array_equal(alone.changes.times, batch.changes.of_world(world)[:, 1])


def test_threads_change_nothing():
    start = np.column_stack([np.full(7, -0.31), np.linspace(1.0, 1.4, 7)])
    one, two = (HybridRun(RimlessWheel(), start, worlds=7, threads=n).run(6.0, every=0.7) for n in (1, 2))
    assert np.array_equal(one.x, two.x)


def test_save_and_restore():
    run = HybridRun(StickSlip(), stepping=FINE)
    run.run(7.3)
    saved = run.save()
    run.run(10.0)
    end = run.save()
    run.restore(saved)
    assert run.chart_name == "slides backward"
    run.run(10.0)
    assert run.save().same(end)


def test_limit_of_chart_changes():
    run = HybridRun(RimlessWheel(), max_changes=5)
    run.run(60.0)
    assert run.change_count == 5 and run.time < 10.0


def test_logs_longer_than_their_room():
    run = HybridRun(RimlessWheel(speed=1.1), stepping=Stepping(method="rkf45", eps=1e-6))
    run.run(1500.0)
    assert len(run.changes) == run.change_count > 1400
    assert np.allclose(np.diff(run.changes.times)[-100:], 1.034549811423, atol=1e-5)


def test_stop_at_a_boundary():
    seen = []
    run = HybridRun(CompassWalker(), stop_at=["heel strike"], stepping=FINE)
    run.run(4.0, on_event=lambda run, event: seen.append((event.name, run.x[0])))
    assert len(seen) == len(run.changes) == 5 and seen[0][0] == "heel strike" and seen[0][1] < 0


def test_points_that_do_not_return():
    def never(chart, t, x, p):
        return x[0] + 10.0

    with pytest.raises(ReturnMapError, match="1 of 1 points did not return"):
        ReturnMap(RimlessWheel(), section=Section("never", never), max_time=2.0)([-0.3, 1.0])
    with pytest.raises(HybridError, match="one of section, boundary, period"):
        ReturnMap(RimlessWheel())


def test_failures_name_the_chart():
    class Blowup(HybridSystem):
        charts = (Chart("hot", states=("x",)),)

        @staticmethod
        def flow(chart, t, x, p, dx):
            dx[0] = x[0] * x[0]

    with pytest.raises(StepError, match="in chart 'hot'"):
        HybridRun(Blowup(), [1.0]).run(2.0)


@pytest.mark.parametrize("method", METHODS)
def test_order_across_chart_changes(method):
    """A walk of several steps of the wheel converges with the order of the method."""
    from gambol import METHODS as TABLEAUX

    exact = HybridRun(RimlessWheel(), stepping=Stepping(eps=1e-14, precision=1e-14))
    exact.run(4.5)
    errors = []
    steps = (0.08, 0.04, 0.02)
    for step in steps:
        run = HybridRun(
            RimlessWheel(), stepping=Stepping(method=method, step=step, eps=1e9, max_step=step, precision=1e-14)
        )
        run.run(4.5)
        assert run.change_count == exact.change_count >= 3
        errors.append(np.abs(run.x - exact.x).max())
    measured = np.log2(errors[0] / errors[-1]) / 2
    print(f"{method}: order {measured:.2f}, errors {errors}")
    assert measured > TABLEAUX[method].order - 0.8


def test_power_and_trials():
    """The exponent of step control decides how many steps are taken; trials, how well events are located."""
    counts = {}
    for power in (None, 0.05, 0.5):
        run = HybridRun(CompassWalker(), stepping=Stepping(method="rk3", eps=1e-8, power=power))
        run.run(2.0)
        counts[power] = run.counts["steps"] + run.counts["rejected"]
    assert len(set(counts.values())) == 3
    exact = HybridRun(RimlessWheel(), stepping=Stepping(eps=1e-13))
    exact.run(6.0)
    for trials in (1, 120):
        run = HybridRun(RimlessWheel(), stepping=Stepping(method="rk4", step=0.05, max_trials=trials))
        run.run(6.0)
        assert run.change_count == exact.change_count == 5
        assert run.changes.times[0] == pytest.approx(exact.changes.times[0], abs=1e-5)
    with pytest.raises(WorldError, match="trials must be positive"):
        Stepping(max_trials=0)
    with pytest.raises(WorldError, match="power must lie in"):
        Stepping(power=1.5)


def test_without_the_compiler():
    """The same source, un-jitted, takes the same steps."""
    code = (
        "from gambol import HybridRun, Stepping\nfrom gambol.hybrid.models import CatchingPlate\n"
        "run = HybridRun(CatchingPlate(), stepping=Stepping(step=0.01, eps=1e-6))\nrun.run(1.1)\n"
        "print(*map(repr, map(float, [*run.changes.times, *run.x])))"
    )
    found = []
    for disabled in ("0", "1"):
        environment = {
            **os.environ,
            "NUMBA_DISABLE_JIT": disabled,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        found.append([float(v) for v in done.stdout.split()])
    assert len(found[0]) == 6 and np.allclose(*found, rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- charts without states, validity along the flow
class Kettle(HybridSystem):
    """Off until a time, then it warms up; above a temperature no chart of its own is valid (a boundary is missing)."""

    class Parameters(NamedTuple):
        switch: float = 0.3
        boils: float = 2.0

    charts = (
        Chart("off", boundaries=(ChartBoundary("switched on", target="switch", direction="rising"),)),
        Chart("on", states=("temperature",)),
    )

    @staticmethod
    def flow(chart, t, x, p, dx):
        if chart == 1:
            dx[0] = 1.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        if chart == 0:
            h[0] = t

    @staticmethod
    def transition(chart, t, x, p, fired):
        x[0] = 1.0
        return 1

    @staticmethod
    def valid(chart, t, x, p):
        return chart == 0 or x[0] < p.boils


def test_a_chart_without_states():
    run = HybridRun(Kettle(), ())
    assert run.x.shape == (0,) and run.chart_name == "off"
    path = run.run(1.0, every=0.25)
    assert np.isnan(path["temperature"][0]) and path["temperature"][-1] == pytest.approx(1.7, abs=1e-9)
    assert run.changes.times == pytest.approx([0.3], abs=1e-11)


def test_the_flow_may_not_leave_what_is_valid():
    run = HybridRun(Kettle(switch=0.5), (), stepping=Stepping(max_step=0.01))
    with pytest.raises(HybridError, match=r"flow in chart 'on' .*not valid, by 1\.5.*temperature = 2") as caught:
        run.run(3.0, every=0.25)
    assert caught.value.trajectory.time[-1] == 1.25
    alone = HybridRun(Kettle(boils=9.0), (), stepping=Stepping(max_step=0.01)).run(3.0)
    assert alone["temperature"][-1] == pytest.approx(3.7, abs=1e-9)


def test_changes_by_number_and_by_slice():
    run = HybridRun(RimlessWheel(), max_changes=6)
    run.run(60.0)
    first = run.changes[:3]
    assert len(first) == 3 and [c.time for c in first] == list(run.changes.times[:3]) == list(first.times)
    assert str(run.changes[-1]) == str(run.changes[5]) and len(run.changes[2:][1:]) == 3
    assert repr(first).count("\n") == 2 and "next spoke" in repr(first) and repr(run.changes[:0]) == "no chart changes"
    with pytest.raises(IndexError):
        run.changes[6]
    with pytest.raises(TypeError):
        run.changes["first"]


def test_a_path_has_the_changes_of_its_own_run():
    run = HybridRun(RimlessWheel())
    first, second = run.run(3.0), run.run(3.0)
    assert len(first.changes) + len(second.changes) == len(run.changes) and second.changes.times[0] > 3.0
