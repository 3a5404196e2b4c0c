"""Events that other tools miss."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from gambol import (
    METHODS,
    Boundary,
    Crossing,
    Ode,
    OdeRun,
    Simulation,
    Stepping,
    World,
    WorldError,
    ZenoError,
    box_figure,
)

from .problems import (
    ALL,
    BALL,
    EXPLICIT_ODES,
    FIRST_IMPACT,
    LINES,
    OSCILLATOR,
    PAIR,
    TOUCH,
    WAVES,
    G,
    ball_run,
    clock_run,
    forced,
    measured_orders,
    ode_run,
    slider,
    started,
    times,
)

PRECISION = 1e-12
LONG_STEPS = (0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 7.3, 8.0, 10.0)


def clock_events(shape, marks, step, until=10.0, events=("edge",), method="rk4", start=0.0):
    run = clock_run(shape, marks, events, start=start, stepping=forced(method, step))
    run.run(until=until)
    return run


# ---------------------------------------------------------------- where in the step
@pytest.mark.parametrize("method", EXPLICIT_ODES)
@pytest.mark.parametrize("direction", ["either", "rising"])
def test_exactly_at_a_step_end(method, direction):
    """Once, whether rounding puts the step's end before or behind it, and also when a sample ends there."""
    run = clock_events(LINES, [0.5], 0.125, until=1.0, events=[Crossing("edge", direction=direction)], method=method)
    assert len(run.events) == 1 and -1e-15 <= run.events[0].time - 0.5 <= PRECISION
    run = clock_run(LINES, [0.5], stepping=forced(method, 0.125))
    run.run(until=0.5)
    run.run(until=1.0)
    assert len(run.events) == 1 and -1e-15 <= run.events[0].time - 0.5 <= PRECISION


@pytest.mark.parametrize("method", EXPLICIT_ODES)
@pytest.mark.parametrize("start", [0.0, 3.0])
def test_at_the_start(method, start):
    """A run that starts on a boundary is crossing it now, in the direction in which it moves."""
    for direction, count in (("either", 1), ("rising", 1), ("falling", 0)):
        events = [Crossing("edge", direction=direction)]
        run = clock_events(LINES, [start], 0.1, until=start + 1, events=events, method=method, start=start)
        assert len(run.events) == count
        assert np.all(times(run) - start <= PRECISION)


def test_a_world_at_the_start():
    sim = started(slider(marks=(0.0, -0.5)), stepping="rkf45")  # rests on its mark and begins to fall
    sim.run(0.5)
    assert [e.name for e in sim.events] == ["mark0", "mark1"]
    assert sim.events[0].time < 1e-6 and sim.events[1].time == pytest.approx(math.sqrt(1.0 / G), abs=PRECISION)


def test_two_in_one_step():
    for step in (1.0, 2.0, 5.0):
        run = clock_events(LINES, [0.3, 0.6, 0.6000001], step, events=("a", "b", "c"))
        assert [e.name for e in run.events] == ["a", "b", "c"]
        assert np.all(np.abs(times(run) - [0.3, 0.6, 0.6000001]) <= 2 * PRECISION)


@pytest.mark.parametrize("step", LONG_STEPS)
@pytest.mark.parametrize(("direction", "truth"), [("either", (3.9, 4.1)), ("falling", (3.9,)), ("rising", (4.1,))])
def test_even_number_of_crossings_in_one_step(step, direction, truth):
    """g = (t − 4)² − 0.01 is positive at both ends of the step."""
    run = clock_events(PAIR, [4.0], step, events=[Crossing("edge", direction=direction)])
    assert len(run.events) == len(truth)
    assert np.all(np.abs(times(run) - truth) <= 2 * PRECISION)


@pytest.mark.parametrize("step", LONG_STEPS)
@pytest.mark.parametrize("place", [4.0, 0.07, 9.93])
def test_grazing_contact(step, place):
    """g = (t − place)² touches zero and turns back: one event, from the side it came from."""
    for direction, count in (("either", 1), ("falling", 1), ("rising", 0)):
        run = clock_events(TOUCH, [place], step, events=[Crossing("edge", direction=direction)])
        assert len(run.events) == count, (direction, run.events)
        # "touching" is coming as close as 1e-12 to zero: within 1e-6 of the bottom
        assert np.all(np.abs(times(run) - place) <= 1e-6)


@pytest.mark.parametrize("method", ["rk4", "rkf45", "dormand-prince"])
@pytest.mark.parametrize("depth", [0.3, 1e-2, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2])
def test_shallow_pairs_on_a_curve(method, depth):
    """The top of an oscillation passes a mark by a little, or fails to; steps are long where the error allows."""
    late = 2.0
    step = 2e-3 if method == "rk4" else 0.05
    run = ode_run([OSCILLATOR, 1.0 - depth], (math.cos(late), math.sin(late)), method=method, step=step, eps=1e-11)
    run.run(12.0)
    half = math.acos(1.0 - depth) if depth > 0 else math.nan
    truth = [t for k in range(2) for t in (late - half + 2 * k * math.pi, late + half + 2 * k * math.pi)]
    truth = [t for t in truth if depth > 0]
    assert len(run.events) == len(truth)
    # time at a shallow crossing is as uncertain as the height over the speed there
    assert np.all(np.abs(times(run) - truth) < 2e-9 / math.sqrt(abs(depth)) + 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_random_functions(seed):
    """Every zero of smooth random functions, many with a dip as shallow as 1e-7, each once and to the precision."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        a, w, phase = rng.normal(size=3), rng.uniform(0.3, 3.0, 3), rng.uniform(0.0, 6.0, 3)

        def f(t, shift, a=a, w=w, phase=phase):
            return shift + float(np.sum(a * np.sin(w * t + phase)))

        def slope(t, a=a, w=w, phase=phase):
            return float(np.sum(a * w * np.cos(w * t + phase)))

        grid = np.linspace(0.0, 10.0, 2001)
        s = np.array([slope(t) for t in grid])
        turns = [brentq(slope, grid[k], grid[k + 1], xtol=1e-15) for k in np.flatnonzero(s[:-1] * s[1:] < 0)]
        shift = 0.5 * rng.normal()
        if turns and rng.random() < 0.7:  # one turning point just above or below zero
            shift = 10 ** rng.uniform(-7, -1) * rng.choice([-1, 1]) - f(turns[rng.integers(len(turns))], 0.0)
        cuts = [0.0, *turns, 10.0]
        signs = np.sign([f(t, shift) for t in cuts])
        changes = np.flatnonzero(signs[:-1] * signs[1:] < 0)
        zeros = [brentq(f, cuts[k], cuts[k + 1], (shift,), xtol=1e-15) for k in changes]
        direction = str(rng.choice(["falling", "either", "rising"]))
        truth = [t for t in zeros if direction == "either" or (slope(t) > 0) == (direction == "rising")]
        marks = [shift, *np.column_stack([a, w, phase]).ravel()]
        step = float(rng.uniform(0.02, 1.0))
        run = clock_events(WAVES, marks, step, events=[Crossing("edge", direction=direction)])
        assert len(run.events) == len(truth), (marks, step, direction)
        for found, true in zip(times(run), truth):
            assert abs(found - true) < 1e-11 + 1e-13 / abs(slope(true))


# ---------------------------------------------------------------- several boundaries, directions, priorities
def test_directions_of_a_wave():
    for direction, phases in (("either", (0, 1, 2, 3, 4, 5)), ("rising", (0, 2, 4)), ("falling", (1, 3, 5))):
        run = clock_events(WAVES, [0.0, 1.0, 2.0, 0.0], 0.3, until=9.0, events=[Crossing("e", direction=direction)])
        truth = np.array(phases) * math.pi / 2
        assert np.allclose(times(run), truth, rtol=0, atol=2 * PRECISION)


def test_simultaneous_events_act_by_priority():
    events = [Crossing("late", priority=5), Crossing("first", priority=-1), Crossing("second", priority=2)]
    run = clock_events(LINES, [0.5, 0.5, 0.5], 1.0, until=1.0, events=events)
    assert [e.name for e in run.events] == ["first", "second", "late"]
    assert np.all(np.abs(times(run) - 0.5) < 3 * PRECISION)


def test_equal_priorities_act_together():
    seen = []
    run = clock_run(LINES, [0.5, 0.5], ["a", "b"], method="rk4", step=1.0)
    run.run(1.0, on_event=lambda run, event: seen.append((event.name, run.time)))
    assert [name for name, _ in seen] == ["a", "b"] and seen[0][1] == seen[1][1]


@pytest.mark.parametrize("moves", [False, True])
def test_a_due_event_survives_the_jump_of_the_first(moves):
    """The handler of the first event changes the state; the second is still due, unless that takes it back."""
    events = [Crossing("stays", priority=1), Crossing("acts", priority=0)]
    run = clock_run(LINES, [0.5, 0.5], events, method="rk4", step=1.0)

    def act(run, event):
        if event.name == "acts":
            run.y = [run.y[0] - (0.2 if moves else 0.0), run.y[1] + 1.0]

    run.run(0.6, on_event=act)
    assert [e.name for e in run.events] == (["acts"] if moves else ["acts", "stays"])


def test_a_boundary_left_far_behind_is_armed_where_it_stands():
    """A handler that puts the ball back up: no event before it falls again."""
    run = ode_run([BALL], (1.0, 0.0), ["floor"], method="rk4", step=0.1)
    run.run(2.0, on_event=lambda run, event: run.jump([1.0, -1.0]))
    fall = (-1.0 + math.sqrt(1.0 + 2 * G)) / G
    truth = FIRST_IMPACT + fall * np.arange(5)
    assert np.allclose(times(run), truth, rtol=0, atol=1e-11)


def test_stop_at_a_boundary():
    run = clock_run(LINES, [0.25, 0.5], ["passed", "end"], method="rk4", step=0.1)
    path = run.run(1.0, every=0.1, stop=["end"])
    assert run.time == pytest.approx(0.5, abs=PRECISION)
    assert [e.name for e in path.events] == ["passed", "end"]
    assert path.time[-1] <= 0.5 and np.allclose(path.time, 0.1 * np.arange(1, len(path) + 1))
    run.run(until=1.0)
    assert run.time == 1.0 and len(run.events) == 2


def test_faulty_equations_are_refused():
    def still(t, y, p, dy):
        dy[0] = 0.0

    with pytest.raises(WorldError) as caught:
        Ode(still, 1, events=["a", "a"], scale=[1.0, 2.0])
    text = str(caught.value)
    assert "come together" in text and "two events are called 'a'" in text and "scale must be 1, not 2" in text
    with pytest.raises(WorldError, match="did you mean 'falling'"):
        Ode(still, 1, boundaries=still, events=[Crossing("a", direction="fallling")])
    with pytest.raises(WorldError, match="is for figures"):
        OdeRun(Ode(still, 1), [0.0], stepping="implicit-pair")


# ---------------------------------------------------------------- bounces
def bounce_world(method, restitution, duration, floor=0.0):
    """A ball dropped by 1 m, sampled every 0.05 s until `duration` or a ZenoError."""
    stepping = Stepping(method=method, step=0.01)
    sim = started(slider(direction="falling", marks=(floor,)), [1.0 + floor], stepping=stepping)

    def bounce(sim, event):
        sim.v = -restitution * sim.v

    try:
        return sim, sim.run(duration, every=0.05, on_event=bounce), None
    except ZenoError as error:
        return sim, error.trajectory, error


def impact_times(restitution, count):
    gaps = 2 * FIRST_IMPACT * restitution ** np.arange(1, count)
    return FIRST_IMPACT + np.concatenate([[0.0], np.cumsum(gaps)])


EXACT = [m for m in ALL if m not in ("euler", "semi-implicit-euler", "implicit-euler")]  # for constant acceleration


@pytest.mark.parametrize("method", ALL)
def test_a_ball_does_not_fall_through(method):
    """Elastic, two hundred bounces: it stays above the floor and, where the method is exact, keeps its times.

    Semi-implicit methods lose a little at each partial step and come to rest after some hundred bounces.
    """
    sim, path, zeno = bounce_world(method, 1.0, 200 * 2 * FIRST_IMPACT)
    assert path.q.min() >= -1e-11 and sim.q[0] >= -1e-11
    if method in EXACT:
        assert zeno is None and len(sim.events) == 200
        assert np.allclose(times(sim), impact_times(1.0, 200), rtol=0, atol=2e-9)


@pytest.mark.parametrize("floor", [0.0, 0.7, -30.1])
@pytest.mark.parametrize("method", ALL)
def test_a_ball_that_loses_speed_does_not_fall_through(method, floor):
    """e = 0.5: ends in a ZenoError, or (explicit Euler makes energy out of its steps) bounces on; never below."""
    sim, path, zeno = bounce_world(method, 0.5, 3.0, floor)
    assert path.q.min() >= floor - 1e-11 and sim.q[0] >= floor - 1e-11
    assert method == "euler" or zeno.events == ("mark0",)
    if method in EXACT:
        assert len(sim.events) > 30
        assert np.allclose(times(sim)[:12], impact_times(0.5, 12), rtol=0, atol=1e-10)


@pytest.mark.parametrize("restitution", [0.9, 0.3, 0.05])
def test_left_at_once_after_its_own_reset(restitution):
    """Many short bounces in one step: armed by the sign of the derivative, not by waiting."""
    run, _ = ball_run(restitution, method="rk4", step=0.5)

    def bounce(run, event):
        run.y = [run.y[0], -restitution * run.y[1]]

    count = {0.9: 60, 0.3: 14, 0.05: 6}[restitution]
    truth = impact_times(restitution, count)
    run.run(until=truth[-1] + 0.2 * (truth[-1] - truth[-2]) * restitution, on_event=bounce)
    assert len(run.events) == count
    assert np.allclose(times(run), truth, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", [m for m in EXPLICIT_ODES if m != "euler"])
def test_zeno(method):
    """Names the boundary, the gaps and the limit: t₁(1+e)/(1−e) = 1.354570922957 s for e = 0.5."""
    run, bounce = ball_run(0.5, method=method, step=0.01, precision=1e-15)
    with pytest.raises(ZenoError, match="events accumulate") as caught:
        run.run(3.0, every=0.1, on_event=bounce)
    error = caught.value
    assert error.events == ("floor",) and "floor" in str(error)
    print(f"{method}: limit off by {error.limit - 1.354570922957:.2e} s")
    assert abs(error.limit - 1.354570922957) < 1e-12
    assert "1.3545709229" in str(error)
    gaps = np.array(error.gaps)
    assert np.all(gaps > 0) and np.all(gaps < 1e-6) and np.all(np.diff(gaps) <= 0)
    assert error.trajectory.time[-1] == pytest.approx(1.3) and len(error.trajectory.y) == 13


def test_zeno_at_the_standing_precision():
    run, bounce = ball_run(0.5, method="rkf45")
    with pytest.raises(ZenoError) as caught:
        run.run(3.0, on_event=bounce)
    assert abs(caught.value.limit - 1.354570922957) < 1e-10  # each of 40 impacts is late by up to 1e-12 s


def test_resting_without_bounce_is_zeno():
    """e = 0: the boundary fires again and again at the same moment, and this is said."""
    run, bounce = ball_run(0.0, method="rkf45")
    with pytest.raises(ZenoError) as caught:
        run.run(3.0, on_event=bounce)
    assert caught.value.time == pytest.approx(FIRST_IMPACT, abs=1e-9)


@pytest.mark.parametrize("method", ALL)
def test_order_is_kept_across_events(method):
    """An oscillator that bounces on a wall, with loss, converges to its closed form with the method's order."""
    wall, restitution, end = -0.25, 0.8, 8.0
    # closed form: y = A cos θ, θ from −φ to φ between impacts, φ = acos(wall / A)
    amplitude, phase, t = 1.0, 0.0, 0.0
    while True:
        top = math.acos(wall / amplitude)
        if t + top - phase > end:
            break
        t += top - phase
        amplitude = math.sqrt(wall**2 + restitution**2 * (amplitude**2 - wall**2))
        phase = -math.acos(wall / amplitude)
    truth = np.array([amplitude * math.cos(phase + end - t), -amplitude * math.sin(phase + end - t)])

    order = METHODS[method].order
    steps = np.array({1: (2e-3, 1e-3, 5e-4), 2: (2e-2, 1e-2, 5e-3)}.get(order, (8e-2, 4e-2, 2e-2)))
    world = slider(spring=1.0, marks=(wall,), gravity=(0.0, 0.0, 0.0))
    errors = []
    for step in steps:
        sim = started(world, [1.0], stepping=forced(method, float(step), precision=1e-14))

        def bounce(sim, event):
            sim.v = -restitution * sim.v

        sim.run(end, on_event=bounce)
        assert len(sim.events) == 2
        errors.append(np.abs([sim.q[0] - truth[0], sim.v[0] - truth[1]]).max())
    found = measured_orders(errors, steps)
    print(f"{method}: orders {found}, errors {errors}")
    assert np.all((found > order - 0.4) & (found < order + 1.4)), (found, errors)


@pytest.mark.parametrize("precision", [1e-6, 1e-9, 1e-12, 1e-15])
def test_precision_reached(precision):
    """The event lies behind the crossing by no more than asked (and the rounding of the clock)."""
    run, _ = ball_run(1.0, method="rkf45", precision=precision)
    run.run(0.5)
    late = run.events[0].time - FIRST_IMPACT
    print(f"precision {precision:g}: late by {late:.2e} s")
    assert -2e-15 <= late <= precision + 2e-15


# ---------------------------------------------------------------- batches
def test_each_world_of_a_batch_has_its_own_events():
    heights = np.linspace(0.2, 2.0, 21)
    world = World(
        box_figure((0.2, 0.2, 0.2), mass=1.0),
        boundaries=[Boundary(name="floor", watch="height", body="box", direction="falling")],
    )
    sim = Simulation(world, worlds=len(heights), stepping=Stepping(method="rkf45", eps=1e-12))
    q = np.tile(sim.layout.zero, (len(heights), 1))
    q[:, 2] = heights
    sim.reset(q)

    def bounce(sim, event):
        sim.v = np.where(np.arange(len(heights))[:, None] == event.world, sim.v * [1, 1, 1, 1, 1, -0.9], sim.v)

    sim.run(1.6, on_event=bounce)
    for world_number, height in enumerate(heights):
        own = np.array([e.time for e in sim.events if e.world == world_number])
        first = math.sqrt(2 * height / G)
        truth = first + np.concatenate([[0.0], np.cumsum(2 * first * 0.9 ** np.arange(1, 20))])
        truth = truth[truth < 1.6]
        assert len(own) == len(truth)
        assert np.allclose(own, truth, rtol=0, atol=2e-11)
    assert np.all(sim.time == 1.6)
