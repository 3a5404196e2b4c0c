"""Hybrid systems with known answers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    HybridRun,
    OrbitCoordinates,
    OrbitError,
    ReturnMap,
    Section,
    Stepping,
    ZenoError,
    find_orbit,
    select_states,
)
from gambol.hybrid.models import (
    APEX,
    BouncingBall,
    CatchingPlate,
    CompassWalker,
    RimlessWheel,
    SpringHopper,
    StickSlip,
)
from gambol.hybrid.models.compass import momenta
from gambol.hybrid.models.rimless_wheel import rolling_speed

FINE = Stepping(eps=1e-12)
FIRST_IMPACT = 0.451523640986


# ---------------------------------------------------------------- ball
def test_ball_falls():
    run = HybridRun(BouncingBall(), stepping=FINE)
    run.run(1.0)
    assert run.changes.times[0] == pytest.approx(FIRST_IMPACT, abs=2e-12)
    assert np.diff(run.changes.times)[0] == pytest.approx(FIRST_IMPACT, abs=1e-11)  # 2 e t₁


def test_zeno_is_named():
    with pytest.raises(ZenoError, match="floor \\(flight → flight\\)") as caught:
        HybridRun(BouncingBall(), stepping=FINE).run(3.0)
    assert caught.value.limit == pytest.approx(1.354570922957, abs=1e-10)
    gaps = np.array(caught.value.gaps)
    assert np.all(gaps > 0) and np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05)


def test_zeno_is_named_without_a_list_of_changes():
    with pytest.raises(ZenoError, match=r"floor \(flight → flight\)") as caught:
        HybridRun(BouncingBall(), stepping=FINE, keep_changes=False).run(3.0)
    assert caught.value.limit == pytest.approx(1.354570922957, abs=1e-10) and len(caught.value.gaps) == 12


def test_a_ball_without_bounce_does_not_fall_through():
    with pytest.raises(ZenoError) as caught:
        HybridRun(BouncingBall(restitution=0.0)).run(3.0)
    assert caught.value.time == pytest.approx(FIRST_IMPACT, abs=1e-9)


def test_energy_after_many_bounces():
    """Elastic: 10 000 chart changes; the energy and the time of the last impact are kept."""
    run = HybridRun(BouncingBall(restitution=1.0), stepping=FINE)
    run.run(20_000 * math.sqrt(2 / 9.81))
    assert run.change_count == 10_000
    energy = 9.81 * run.x[0] + 0.5 * run.x[1] ** 2
    assert energy == pytest.approx(9.81, rel=1e-9)
    late = run.changes.times[-1] - math.sqrt(2 / 9.81) * (2 * 9999 + 1)
    print(f"energy off by {energy / 9.81 - 1:.1e}, the last impact by {late:.1e} s")
    assert abs(late) < 1e-5


def test_a_million_chart_changes():
    """Elastic: the ball keeps its energy to rounding and its time to the resolution of the clock."""
    run = HybridRun(
        BouncingBall(restitution=1.0), stepping=Stepping(method="rk3", step=1.0, max_step=2.0), keep_changes=False
    )
    run.run(2_000_000 * math.sqrt(2 / 9.81))
    assert run.change_count == 1_000_000
    energy = 9.81 * run.x[0] + 0.5 * run.x[1] ** 2
    late = -run.x[1] / 9.81  # it should be at its highest point now
    print(f"energy off by {energy / 9.81 - 1:.1e}, late by {late:.1e} s of {run.time:.0f} s")
    assert abs(energy / 9.81 - 1) < 1e-12 and abs(late) < 1e-4


# ---------------------------------------------------------------- rimless wheel
def test_wheel_rolls_as_the_closed_form():
    run = HybridRun(RimlessWheel(), stepping=FINE)
    run.run(80.0)
    after, before = rolling_speed(RimlessWheel().p)
    assert after == pytest.approx(1.095462839648, abs=1e-12)
    assert before == pytest.approx(1.549218404905, abs=1e-12)
    step = np.diff(run.changes.times)[-1]
    assert step == pytest.approx(1.034549811423, abs=1e-11)


def test_wheel_orbit_and_multiplier():
    wheel = RimlessWheel()
    to_next = ReturnMap(wheel, boundary="next spoke", stepping=FINE)
    orbit = find_orbit(to_next, wheel.initial()[1], coordinates=select_states(wheel, ["speed"]))
    assert orbit.x[1] == pytest.approx(1.095462839648, abs=1e-11)
    assert orbit.period == pytest.approx(1.034549811423, abs=1e-10)
    # the multiplier on ω² is cos²(π/4); on ω at the fixed point the same
    assert orbit.multipliers[0] == pytest.approx(0.5, abs=1e-8) and orbit.stable


@pytest.mark.parametrize("eps", [1e-6, 1e-8, 1e-10])
def test_the_difference_follows_the_tolerance(eps):
    """The uncertainty covers the error of the multiplier, whatever the stepper leaves open."""
    wheel = RimlessWheel()
    to_next = ReturnMap(wheel, boundary="next spoke", stepping=Stepping(method="dormand-prince", eps=eps))
    orbit = find_orbit(to_next, wheel.initial()[1], coordinates=select_states(wheel, ["speed"]), tolerance=10 * eps)
    assert orbit.difference == pytest.approx(math.sqrt(eps)) and orbit.stability == "stable"
    assert abs(orbit.multipliers[0] - 0.5) < 2 * orbit.uncertainty[0] + 10 * math.sqrt(eps)


class NoisyMap(ReturnMap):
    """Lands a random 1e-8 beside where it should, as a stepper does whose steps are rejected here and there."""

    def __call__(self, x, chart=0, *, returns=1):
        landed, rng = super().__call__(x, chart, returns=returns), np.random.default_rng(0)
        return replace(landed, x=landed.x + 1e-8 * rng.normal(size=landed.x.shape))


def test_no_verdict_on_noise():
    """Differences shorter than what the stepper leaves open measure the stepper; those chosen do not."""
    walker = CompassWalker()
    start, coordinates = walker.initial()[1], walker_coordinates(walker)
    strike = NoisyMap(walker, boundary="heel strike", stepping=Stepping(method="dormand-prince", eps=1e-8))
    exact = find_orbit(ReturnMap(walker, boundary="heel strike", stepping=FINE), start, coordinates=coordinates)
    orbit = find_orbit(strike, exact.x, coordinates=coordinates, tolerance=1e-6, difference_step=1e-8)
    assert abs(orbit.multipliers[0] - exact.multipliers[0]) > 0.3 and orbit.stability == "undecided"
    with pytest.raises(OrbitError, match=r"no verdict of stability: a multiplier is .* ± .* tighten eps"):
        assert orbit.stable
    orbit = find_orbit(strike, exact.x, coordinates=coordinates, tolerance=1e-6)
    assert orbit.stable and abs(orbit.multipliers[0] - exact.multipliers[0]) < 2 * orbit.uncertainty[0] < 0.01


def test_wheel_rocks_to_rest_without_a_slope():
    """Both boundaries fire in turn, each leaving the wheel on the edge of the other."""
    with pytest.raises(ZenoError) as caught:
        HybridRun(RimlessWheel(slope=0.0, speed=1.0), stepping=FINE).run(30.0)
    assert "next spoke" in str(caught.value) and "spoke behind" in str(caught.value)


# ---------------------------------------------------------------- hopper
def test_hopper_keeps_its_energy():
    path = HybridRun(SpringHopper(), stepping=FINE).run(10.0, every=0.05)
    assert np.ptp(path["energy"]) < 1e-6 * path["energy"][0]
    assert {c.after for c in path.changes} == {"stance", "flight"}


def test_hopper_runs_stably():
    """Seyfarth et al.: 68°, 20 kN/m, 5 m/s. Apex to apex: one multiplier inside the unit circle."""
    hopper = SpringHopper(height=0.94, speed=5.1)
    energy = 80.0 * (9.81 * 0.94 + 0.5 * 5.1**2)

    def back(z, x):
        return np.array([0.0, z[0], math.sqrt(2 * (energy / 80.0 - 9.81 * z[0])), 0.0, 0.0])

    apex = ReturnMap(hopper, section=APEX, stepping=FINE)
    orbit = find_orbit(apex, [0, 0.94, 5.1, 0, 0], coordinates=OrbitCoordinates(("z",), lambda x: x[[1]], back))
    assert orbit.stable and abs(orbit.multipliers[0]) < 0.5 and orbit.residual < 1e-10
    start = back(orbit.x[[1]] + 0.01, orbit.x)
    run = HybridRun(hopper, start[:4], sections=[APEX], stepping=FINE)
    heights = []
    run.run(8.0, on_event=lambda run, event: heights.append(run.x[1]))
    assert heights[-1] == pytest.approx(orbit.x[1], abs=1e-9)


def test_a_soft_leg_collapses():
    run = HybridRun(SpringHopper(stiffness=2000.0), stepping=FINE)
    path = run.run(5.0, every=0.1)
    assert run.chart_name == "fallen" and path["vx"][-1] == path["vx"][-2]


# ---------------------------------------------------------------- walker
def walker_coordinates(walker):
    def back(z, x):
        return np.array([z[0], 2 * walker.p.slope - z[0], z[1], z[2]])

    return OrbitCoordinates(("stance angle", "stance speed", "swing speed"), lambda x: x[[0, 2, 3]], back)


def test_heel_strike_keeps_momentum():
    rng = np.random.default_rng(0)
    p = CompassWalker().p
    for _ in range(50):
        s, n, ws, wn = rng.normal(size=4)
        x = np.array([s, n, ws, wn])
        before = momenta(p, *x)
        assert CompassWalker.transition(0, 0.0, x, p, np.array([1.0, 0.0])) == 0
        after = momenta(p, *x)
        assert after[1] == pytest.approx(before[0], abs=1e-9)  # all, about the new foot
        assert after[3] == pytest.approx(before[2], abs=1e-9)  # the old stance leg about the hip


def test_walker_keeps_its_energy_between_strikes():
    path = HybridRun(CompassWalker(), stepping=FINE).run(0.7, every=0.05)
    assert len(path.changes) == 0 and np.ptp(path["energy"]) < 1e-9


def test_walker_of_goswami():
    """Slope 3°: period 0.734 s (Goswami et al. 1998), all multipliers inside the unit circle."""
    walker = CompassWalker()
    strike = ReturnMap(walker, boundary="heel strike", stepping=FINE)
    orbit = find_orbit(strike, walker.initial()[1], coordinates=walker_coordinates(walker))
    assert orbit.period == pytest.approx(0.734, abs=5e-4)
    assert orbit.stable and orbit.residual < 1e-10


def test_simplest_walker():
    """Legs without mass but at the feet (Garcia et al. 1998), slope 0.009: the long-period gait."""
    options = dict(gravity=1.0, hip_mass=1.0, leg_mass=1e-10, lower=0.0, upper=1.0, slope=0.009)
    walker = CompassWalker(**options)
    strike = ReturnMap(walker, boundary="heel strike", stepping=FINE)
    orbit = find_orbit(strike, [-0.1913, 0.2093, 0.1998, 0.184], coordinates=walker_coordinates(walker))
    assert 0.009 - orbit.x[0] == pytest.approx(0.200310900544287, abs=1e-10)
    assert orbit.x[2] == pytest.approx(0.199832473004977, abs=1e-10)
    assert orbit.multipliers[0].real == pytest.approx(-0.190, abs=1e-3)
    assert abs(orbit.multipliers[0].imag) == pytest.approx(0.558, abs=1e-3)


# ---------------------------------------------------------------- stick and slip
def test_stick_slip_closed_form():
    """Torn loose at x = Fs/k; then a sine about Fk/k until the speed is the belt's again."""
    system = StickSlip()
    p = system.p
    run = HybridRun(system, stepping=FINE)
    path = run.run(60.0, every=0.1)
    first = p.static / p.stiffness / p.belt
    # x − Fk/k = A cos τ + v sin τ with A = (Fs − Fk)/k: back at the belt's speed after 2π − 2 atan(A / v)
    amplitude = (p.static - p.kinetic) / p.stiffness
    slide = 2 * math.pi - 2 * math.atan(amplitude / p.belt)
    carried = 2 * amplitude / p.belt
    gaps = np.diff(run.changes.times)
    assert run.changes.times[0] == pytest.approx(first, abs=1e-10)
    assert np.allclose(gaps[0::2], slide, atol=1e-9) and np.allclose(gaps[1::2], carried, atol=1e-9)
    assert np.all(np.isnan(path["v"]) == (path.chart == 0))
    assert np.all(path["speed"] <= p.belt + 1e-12)


def test_a_damped_block_creeps_without_slipping():
    """With enough damping the block comes to slide at rest under kinetic friction."""
    run = HybridRun(StickSlip(damping=0.5), [1.5, 0.0], chart="slides backward", stepping=FINE)
    run.run(80.0)
    assert run.chart_name == "slides backward"
    assert run.x == pytest.approx([0.5, 0.0], abs=1e-6)


# ---------------------------------------------------------------- charts of different dimension
def test_catching_plate():
    run = HybridRun(CatchingPlate(), stepping=FINE)
    path = run.run(3.0, every=0.01)
    impact = run.changes[0]
    assert impact.time == pytest.approx(FIRST_IMPACT, abs=1e-11) and impact.after == "together"
    speed = -9.81 * FIRST_IMPACT
    v = speed / 3.0  # the plate had been at rest
    a, w = 9.81 * 3.0 / 200.0, math.sqrt(200.0 / 3.0)
    z0 = -2.0 * 9.81 / 200.0 + a
    mask = (path.time > FIRST_IMPACT) & (path.time < run.changes[1].time)
    tau = path.time[mask] - FIRST_IMPACT
    assert np.allclose(path["z"][mask], z0 * np.cos(w * tau) + v / w * np.sin(w * tau) - a, atol=1e-9)
    assert np.all(np.isnan(path["plate z"]) == (path.chart == 1))
    energy = path["energy"]
    for epoch in np.split(energy, np.flatnonzero(np.diff(path.chart)) + 1):
        assert np.ptp(epoch) < 1e-8
    # released where the spring has its natural length, so that the plate stops pushing
    assert path.changes[1].boundaries == ("thrown off",)


def test_sections_stop_exactly():
    def halfway(chart, t, x, p):
        return x[0] - 0.5

    run = HybridRun(BouncingBall(), sections=[Section("halfway", halfway, direction="falling")], stepping=FINE)
    run.run(2 * FIRST_IMPACT - 0.1, stop=["halfway"])
    assert run.time == pytest.approx(math.sqrt(1.0 / 9.81), abs=2e-12) and run.x[0] == pytest.approx(0.5, abs=1e-11)
    run.run(0.5)
    assert [e.name for e in run.events] == ["halfway"]
