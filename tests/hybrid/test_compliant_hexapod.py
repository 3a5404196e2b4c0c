"""The hexapod in motion: energy across events, batches, terrains, the fall, the books."""

import numpy as np
import pytest

import gambol.hybrid.models.compliant_hexapod.leg as legs
from gambol import Battery, Body, DCMotor, Figure, HybridRun, Joint, Mass, Simulation, Stepping, World
from gambol.hybrid.models.compliant_hexapod import (
    LEG_NAMES,
    RHEX_CLOCK,
    CompliantHexapod,
    CompliantHexapodOnWaves,
    CompliantHexapodOverDitch,
    start,
)
from gambol.hybrid.models.compliant_hexapod.battery import DISCHARGE_CURVE
from gambol.hybrid.models.compliant_hexapod.clock import tripod_references, wrapped
from gambol.hybrid.models.compliant_hexapod.figure import compliant_hexapod_figure, figure_positions
from gambol.hybrid.models.compliant_hexapod.parameters import BODY_VELOCITY, FALLEN_CHART, STATE_NAMES, TOE_POSITION
from gambol.jit import entry

FINE = Stepping(method="dormand-prince", eps=1e-9, max_step=2e-3, step=1e-4, precision=1e-11)
ROUGH = Stepping(method="rk3", eps=1e-4, max_step=2e-3, step=1e-4, precision=1e-9)
LEDGER = ("work", "damping loss", "sliding loss", "flight leg work", "impact loss")


def imbalance(run, before):
    """What the ledger does not account for [J]."""
    states = dict(zip(run.system.charts[0].states, run.x))
    sums = {name: states[name] for name in LEDGER}
    return run.observe()["energy"] - before - sums["work"] + sum(sums[n] for n in LEDGER[1:])


def passive(**more):
    """No motors, no losses in the springs, no sliding."""
    still = dict(position_gain=0.0, speed_gain=0.0, damping=0.0, middle_damping=0.0)
    return CompliantHexapod(**still, lateral_damping=0.0, middle_lateral_damping=0.0, mobility=0.0, **more)


def test_passive_hexapod_conserves_energy_across_events():
    """Dropped with a spin and some speed: bounces on its springs; what is lost are the plastic impacts of the toes."""
    hexapod = passive(height=0.2)
    _, x = start(hexapod.p, velocity=(0.05, 0.2), spin=(0.2, 0.3, 0.1))
    run = HybridRun(hexapod, x, stepping=FINE)
    before = run.observe()["energy"]
    worst = 0.0
    while run.time < 0.6:
        run.run(0.02)
        worst = max(worst, abs(imbalance(run, before)))
        if run.chart == FALLEN_CHART:
            break
    states = dict(zip(run.system.charts[0].states, run.x))
    print(f"{run.change_count} events in {run.time:.2f} s: off by {worst:.1e} J of {before:.2f} J")
    assert run.change_count > 6 and worst < 1e-7
    assert states["work"] == 0.0 and states["damping loss"] == 0.0 and states["sliding loss"] == 0.0


def test_the_books_close_while_running():
    run = HybridRun(CompliantHexapod(), stepping=FINE)
    before = run.observe()["energy"]
    run.run(3.0)
    states = dict(zip(run.system.charts[0].states, run.x))
    print(f"ledger off by {imbalance(run, before):.1e} J of {states['heat']:.1f} J")
    assert abs(imbalance(run, before)) < 1e-6 * states["heat"]
    electrical = states["electrical energy"]
    assert electrical == pytest.approx(states["heat"] + states["work"], rel=1e-9)
    assert states["damping loss"] > 0 and states["sliding loss"] != 0 and states["impact loss"] > 0


def test_runs_forward():
    run = HybridRun(CompliantHexapod(), stepping=ROUGH)
    path = run.run(6.0, every=0.25)
    y = path["body y"]
    assert run.chart != FALLEN_CHART and 0.1 < (y[-1] - y[-5]) / 1.0 < 0.2
    assert abs(path["body x"][-1]) < 0.02 and np.all(np.abs(path["roll"]) < 0.1)
    lengths = np.array([path[f"rho {leg}"] for leg in LEG_NAMES])
    stance = np.array([path[f"stance {leg}"] for leg in LEG_NAMES])
    assert np.all(lengths[stance == 1] <= 0.175 + 1e-6) and np.all(lengths > 0.1)
    toes = path.x[..., TOE_POSITION + 2 : TOE_POSITION + 18 : 3]
    assert toes.min() > -1e-6  # nothing falls through the ground


def test_later_clock_is_faster():
    run = HybridRun(CompliantHexapod(**RHEX_CLOCK), stepping=ROUGH)
    path = run.run(6.0, every=0.53)
    assert run.chart != FALLEN_CHART and (path["body y"][-2] - path["body y"][-6]) / (4 * 0.53) > 0.3


def test_batch_equals_single_runs():
    """Packs take other roundings; over a second the difference stays small."""
    cycles = np.linspace(0.6, 1.0, 5)
    tight = Stepping(method="dormand-prince", eps=1e-8, max_step=2e-3, step=1e-4, precision=1e-11)
    batch = HybridRun(CompliantHexapod(), worlds=5, parameters={"cycle": cycles}, stepping=tight)
    batch.run(1.0)
    for world, cycle in enumerate(cycles):
        alone = HybridRun(CompliantHexapod(cycle=cycle), stepping=tight)
        alone.run(1.0)
        assert alone.change_count == batch.change_count[world]
        off = np.abs(alone.x[:13] - batch.x[world, :13])
        print(f"cycle {cycle:.2f}: position off by {off[:3].max():.1e}, all by {off.max():.1e}")
        assert off[:3].max() < 2e-6 and off.max() < 5e-5


def test_threads_change_nothing():
    cycles = np.linspace(0.6, 1.0, 17)
    one, two = (
        HybridRun(CompliantHexapod(), worlds=17, parameters={"cycle": cycles}, stepping=ROUGH, threads=n)
        for n in (1, 2)
    )
    one.run(0.3)
    two.run(0.3)
    assert np.array_equal(one.x, two.x)


def test_it_falls_and_lies_still():
    hexapod = CompliantHexapod(friction=5.0)
    _, x = start(hexapod.p, velocity=(2.5, 0.0), spin=(0.0, 6.0, 0.0))
    run = HybridRun(hexapod, x, stepping=ROUGH)
    run.run(3.0)
    assert run.chart == FALLEN_CHART and run.changes[len(run.changes) - 1].boundaries == ("fall",)
    where = run.x
    run.run(1.0)
    assert np.array_equal(where, run.x)


def test_symmetry_left_and_right():
    """A mirrored start gives the mirrored run (with the tripods exchanged by half a cycle, here: no sweep)."""
    hexapod = CompliantHexapod(sweep=1e-9, position_gain=10.0, speed_gain=0.3)
    runs = []
    for side in (1.0, -1.0):
        _, x = start(hexapod.p, velocity=(0.2 * side, 0.0))
        run = HybridRun(hexapod, x, stepping=FINE)
        run.run(0.01)
        runs.append(run.x)
    assert runs[0][BODY_VELOCITY] == pytest.approx(-runs[1][BODY_VELOCITY], abs=1e-9)


def test_terrains():
    for system, more in (
        (CompliantHexapodOnWaves, dict(amplitude=0.004, waves_y=2.0)),
        (CompliantHexapodOverDitch, dict(ditch_start=0.3)),
    ):
        run = HybridRun(system(**more), stepping=ROUGH)
        path = run.run(4.0, every=0.1)
        assert run.chart != FALLEN_CHART and path["body y"][-1] > 0.2, system


def test_slope_start_is_parallel():
    hexapod = CompliantHexapod(slope_y=0.2, slope_x=0.05)
    run = HybridRun(hexapod, stepping=ROUGH)
    seen = run.observe()
    assert seen["pitch"] == pytest.approx(np.arctan(0.2), abs=2e-3)
    run.run(2.0)
    assert run.chart != FALLEN_CHART


def test_sag_lowers_the_voltage():
    stiff = HybridRun(CompliantHexapod(**RHEX_CLOCK), stepping=ROUGH)
    soft = HybridRun(CompliantHexapod(**RHEX_CLOCK, sag=0.3, droop=0.2), stepping=ROUGH)
    stiff.run(2.0)
    soft.run(2.0)
    place = stiff.system.charts[0].states.index("link voltage")
    assert stiff.x[place] == pytest.approx(24.0) and soft.x[place] < 23.9


def test_as_a_figure():
    path = HybridRun(CompliantHexapod(), stepping=ROUGH).run(0.6, every=0.1)
    figure = compliant_hexapod_figure()
    q = figure_positions(path)
    assert q.shape == (6, figure.positions)
    for row, x in zip(q, path.x):
        poses = figure.poses(row)
        for i, leg in enumerate(LEG_NAMES):
            right, forward, up = x[TOE_POSITION + 3 * i : TOE_POSITION + 3 * i + 3]
            assert np.allclose(poses[f"{leg.replace(' ', '_')}_toe"].position, (forward, -right, up), atol=1e-9)


def test_display():
    path = HybridRun(CompliantHexapod(), stepping=ROUGH).run(0.5, every=0.1)
    shown = path.transforms()
    assert set(shown) == {"body", *(f"leg {leg}" for leg in LEG_NAMES)}
    for transforms in shown.values():
        assert np.allclose(transforms[:, :3, :3] @ transforms[:, :3, :3].transpose(0, 2, 1), np.eye(3), atol=1e-9)
    # the axes of its states: y forward, x to the right
    assert CompliantHexapod.axes == "x right, y forward, z up"
    first = {name: t[0, :3, 3] for name, t in shown.items()}
    assert np.allclose(first["body"], path.x[0, :3])
    assert first["leg left front"][1] > first["leg left back"][1]
    assert first["leg left middle"][0] < first["leg right middle"][0]
    for i, leg in enumerate(LEG_NAMES):  # a leg's z axis points from toe to hip
        toe = path.x[:, TOE_POSITION + 3 * i : TOE_POSITION + 3 * i + 3]
        frame = shown[f"leg {leg}"]
        length = np.linalg.norm(frame[:, :3, 3] - toe, axis=1)
        assert np.allclose(frame[:, :3, 3] - length[:, None] * frame[:, :3, 2], toe, atol=1e-12)


# ---------------------------------------------------------------- its motors and those of any figure
@entry
def hip(x, p, t, i):
    """Angle behind its reference [rad], speed and speed asked for [rad/s]."""
    body, leg_p, asked = legs.body_state(x), legs.leg_parameters(p, i), tripod_references(p, t)
    a = legs.leg_angles(legs.hip_to_toe(body, leg_p, legs.toe_position(x, i)))
    rates = legs.leg_rates(a, legs.toe_against_hip(body, leg_p, a.leg, legs.toe_velocity(x, i)))
    reference = legs.reference_of(asked, leg_p)
    return wrapped(reference.angle - a.phi), rates.phi, reference.speed


def test_its_motors_are_those_of_any_figure():
    """Six DC motors on one battery, put where its hips are in a run whose voltage sags: torques, power, all rates."""
    hexapod = CompliantHexapod(sag=0.4, droop=0.3, speed_gain=2.0, torque_cap=3.0, cycle=0.4)
    p, instant = hexapod.p, Stepping(method="rk3", eps=1.0, step=1e-9, max_step=1e-9)
    motor = {"torque_constant": p.torque_constant, "resistance": p.resistance, "gear": p.gear, "battery": "pack"}
    motor |= {"drive": "torque", "position_gain": p.position_gain, "speed_gain": p.speed_gain}
    motor["current_limit"] = p.torque_cap / (p.gear * p.torque_constant)
    pack = Battery(
        name="pack", voltage=p.supply, resistance=p.sag, droop=p.droop, lag=p.link_time, discharge=DISCHARGE_CURVE,
        nominal=p.nominal_voltage,
    )  # fmt: skip
    wheels = [
        Body(f"hip {i}", "stand", Joint("hinge"), mass=Mass(1.0, (0, 0, 0), (1, 1, 1, 0, 0, 0))) for i in range(6)
    ]
    motors = [DCMotor(name=f"motor {i}", joint=f"hip {i}", **motor) for i in range(6)]
    sim = Simulation(
        World(Figure("hips", (Body("stand", mass=Mass(1.0)), *wheels)), (0, 0, 0), (*motors, pack)), stepping=instant
    )
    every = sim.elements[tuple(m.name for m in motors)]
    names = ("link voltage", "battery used", "electrical energy")
    run, limited, changes = HybridRun(hexapod, stepping=ROUGH), set(), []
    for _ in range(12):
        run.run(0.047)
        lags, speeds, asked = np.array([hip(run.x, p, run.time, i) for i in range(6)]).T
        seen, states = run.observe(), dict(zip(STATE_NAMES, run.x))
        sim.reset(-lags, speeds)
        every.set("speed", asked)
        sim.elements["pack"].states = [*(states[name] for name in names), 0.0]
        told = every.report()
        torques = np.array([seen[f"hip torque {leg}"] for leg in LEG_NAMES])
        np.testing.assert_allclose(told["force"], torques, rtol=1e-11, atol=1e-11)
        assert np.abs(told["current"]).sum() == pytest.approx(seen["current"], rel=1e-11)
        assert told["power"].sum() == pytest.approx(seen["power"], rel=1e-10)
        limited |= {x > p.torque_cap - 1e-9 for x in np.abs(torques)}
        twin = HybridRun(hexapod, run.x, chart=run.chart, time=run.time, stepping=instant)
        before = np.array([states[name] for name in names])
        twin.run(1e-9)
        sim.run(1e-9)
        after = np.array([dict(zip(STATE_NAMES, twin.x))[name] for name in names])
        changes.append((after - before, sim.elements["pack"].states[:3] - before))
    own, others = np.array(changes).transpose(1, 0, 2)  # some are near zero, and hips move on within an instant
    np.testing.assert_array_less(np.abs(own - others), 1e-4 * np.abs(own).max(0) + np.zeros_like(own))
    assert limited == {True, False} and states["link voltage"] < 0.97 * p.supply
