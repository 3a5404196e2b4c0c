"""DC motors and batteries: against closed forms and algebra, and what a figure says of them.

The hexapod's own motors are compared in tests/hybrid/test_compliant_hexapod.py.
"""

import numpy as np
import pytest

from gambol import (
    Battery,
    Body,
    DCMotor,
    Figure,
    FigureError,
    Joint,
    Mass,
    Recorder,
    Recording,
    Simulation,
    Stepping,
    World,
    WorldError,
    figure_schema,
    parse_yaml,
    yaml_text,
)
from gambol.hybrid.models.compliant_hexapod import time_to_empty
from gambol.hybrid.models.compliant_hexapod.battery import DISCHARGE_CURVE
from trees import close

K, R, GEAR, VOLTS = 0.0161, 1.34, 33.0625, 24.0
MOTOR = {"torque_constant": K, "resistance": R, "gear": GEAR}
INERTIA = 0.03  # [kg·m²] of each flywheel
STALL, NO_LOAD = GEAR * K * VOLTS / R, VOLTS / (GEAR * K)
EXACT = Stepping(method="rkf45", eps=1e-11)
FREE_FALL = (0.0, 0.0, 0.0)


def wheels(count=1, joint="hinge", driven=False):
    """Flywheels on shafts that are fixed in the world."""
    stand = Body("stand", mass=Mass(1.0))
    made = [
        Body(
            f"w{k}",
            "stand",
            Joint(joint, (0, 0, 1), driven=driven),
            mass=Mass(1.0, (0, 0, 0), (1, 1, INERTIA, 0, 0, 0)),
        )
        for k in range(count)
    ]
    return Figure("wheels", (stand, *made))


def simulation(*forces, count=None, stepping=EXACT, driven=False, **options):
    count = len({e.joint for e in forces if isinstance(e, DCMotor)}) if count is None else count
    return Simulation(World(wheels(count, driven=driven), FREE_FALL, forces), stepping=stepping, **options)


def motor(k=0, **given):
    return DCMotor(**{"name": f"m{k}", "joint": f"w{k}", "supply": VOLTS, "command": VOLTS, **MOTOR, **given})


def test_stall_torque_and_no_load_speed():
    sim = simulation(motor())
    still = sim.elements["m0"].report()
    assert still["force"][0] == pytest.approx(STALL) and still["current"][0] == pytest.approx(VOLTS / R)
    sim.reset(v=[NO_LOAD])
    free = sim.elements["m0"].report()
    assert abs(free["force"][0]) < 1e-12 and abs(free["current"][0]) < 1e-12
    assert free["voltage"][0] == pytest.approx(VOLTS)
    sim.elements["m0"].set("command", 1e3)  # more than there is
    sim.reset(v=[0.3 * NO_LOAD])
    assert sim.elements["m0"].report()["force"][0] == pytest.approx(0.7 * STALL)


ROTOR = 2e-6


@pytest.mark.parametrize("method, precision", (("rkf45", 1e-8), ("implicit-euler", 3e-3)))
def test_step_response_with_the_inertia_of_the_rotor(method, precision):
    """v = v∞ (1 - e^(-t/T)), T = (J + J_rotor gear²) R / (K gear)²: steps far longer than T do not break it."""
    T = (INERTIA + ROTOR * GEAR**2) * R / (K * GEAR) ** 2
    sim = simulation(
        motor(rotor_inertia=ROTOR), stepping=EXACT if method == "rkf45" else Stepping(method=method, step=T / 500)
    )
    path = sim.run(3.0 * T, every=0.25 * T)
    close(path.v[:, 0], NO_LOAD * (1.0 - np.exp(-path.time / T)), precision)
    work = 0.5 * (INERTIA + ROTOR * GEAR**2) * sim.v[0] ** 2
    assert sim.ledger()["kinetic"] == pytest.approx(work)
    rough = simulation(motor(rotor_inertia=ROTOR), stepping=Stepping(method="implicit-euler", step=20.0 * T))
    rough.run(200.0 * T)
    assert rough.v[0] == pytest.approx(NO_LOAD, rel=1e-9)  # an explicit step would be beyond all bounds


GEARED = {"friction": 0.3, "efficiency": 0.8, "damping": 0.01, "creep": 0.05}


def test_energy_is_heat_and_work():
    sim = simulation(motor(**GEARED), motor(1, command=-9.0, current_limit=3.0))
    assert sim.elements["m1"].report()["current"][0] == pytest.approx(-3.0)
    path = sim.run(0.4, every=0.05)
    for name, v in (("m0", sim.v[0]), ("m1", sim.v[1])):
        told = sim.elements[name].report()
        assert told["energy"][0] == pytest.approx(told["heat"][0] + 0.5 * INERTIA * v**2, rel=1e-7)
        assert told["energy"][0] > told["heat"][0] > 0.1
    books = sim.ledger()
    assert books["work of dc_motor"] == pytest.approx(path.work[-1].sum()) == pytest.approx(books["kinetic"])
    assert abs(books["numerical"]) < 1e-8
    # at a steady speed: torque of the motor = friction of its gear
    sim.run(5.0)
    torque = GEAR * K * sim.elements["m0"].report()["current"][0]
    assert torque == pytest.approx(0.3 + 0.2 * torque + 0.01 * sim.v[0], rel=1e-4)


def test_gains_by_voltage_and_by_torque():
    """A drive by torque does not feel the back-EMF until the voltage is used up; one by voltage does."""
    gains = {"position_gain": 6.0, "speed_gain": 0.4, "rest": 0.5, "command": 0.2}
    sim = simulation(motor(drive="torque", **gains), motor(1, **gains))
    sim.reset([0.1, 0.1], [2.0, 2.0])
    asked = 0.2 + 6.0 * 0.4 - 0.4 * 2.0
    found = [sim.elements[name].report()["force"][0] for name in ("m0", "m1")]
    close(np.array(found), [asked, (asked - K * GEAR * 2.0) * K * GEAR / R], 1e-12)
    sim.elements["m0"].ramp("rest", 1.0, 2.0, start=-0.5)  # its rate is part of the speed that is asked for
    assert sim.elements["m0"].report()["force"][0] == pytest.approx(asked + 6.0 * 0.125 + 0.4 * 0.25)
    sim.reset([0.0, 0.0], [0.9 * NO_LOAD, 0.0])
    assert sim.elements["m0"].report()["force"][0] == pytest.approx(0.2 + 3.0 - 0.36 * NO_LOAD)


# ---------------------------------------------------------------- batteries
PACK = {"name": "pack", "voltage": VOLTS, "resistance": 0.2}


def shared(**given):
    """Two motors on one battery, their wheels held: one asks for all there is, the other for 3 V."""
    battery = {"battery": "pack", "supply": 0.0}
    return motor(command=50.0, **battery), motor(1, command=-3.0, **battery), Battery(**{**PACK, **given})


def test_two_motors_on_one_battery():
    """U = E - R_b (U/R + 3/R): the voltage settles where battery and motors agree."""
    sim = simulation(*shared(), driven=True)
    assert sim.elements["pack"].report()["voltage"][0] == VOLTS
    path = sim.run(0.1, every=0.01)
    settled = (VOLTS - 0.2 * 3.0 / R) / (1.0 + 0.2 / R)
    told = sim.elements["pack"].report()
    assert told["voltage"][0] == pytest.approx(settled, rel=1e-6)
    assert told["current"][0] == pytest.approx((settled + 3.0) / R, rel=1e-6)
    assert told["power"][0] == pytest.approx((settled**2 + 9.0) / R, rel=1e-6)
    # on its way: it follows with lag / (1 + R_b / R)
    fade = np.exp(-path.time * (1.0 + 0.2 / R) / 5e-3)
    close(path.states[:, 4], settled + (VOLTS - settled) * fade, 1e-6)
    motors = sim.elements["m0", "m1"].report()
    assert told["energy"][0] == pytest.approx(motors["energy"].sum()) == pytest.approx(motors["heat"].sum())
    # the inner heat is R i² of what is drawn
    time, volts = path.time, path.states[:, 4]
    assert sim.measured("pack") == pytest.approx(0.2 * np.trapezoid(((volts + 3.0) / R) ** 2, time), rel=0.2)


def test_long_implicit_steps_settle_too():
    """More sag than resistance of the motors: explicit steps of the voltage would swing ever wider."""
    sim = simulation(*shared(resistance=5.0), driven=True, stepping=Stepping(method="implicit-euler", step=0.05))
    sim.run(3.0)
    assert sim.elements["pack"].report()["voltage"][0] == pytest.approx(VOLTS / (1.0 + 10.0 / R))  # too little for 3 V


def test_a_battery_runs_empty():
    sim = simulation(*shared(resistance=0.0, capacity=0.01, droop=0.25, used=0.1), driven=True)
    assert sim.elements["pack"].report()["voltage"][0] == pytest.approx(VOLTS * 0.975)
    sim.run(0.5)
    told = sim.elements["pack"].report()
    assert told["used"][0] - 0.1 == pytest.approx(told["charge"][0] / 36.0, rel=1e-6)
    assert told["voltage"][0] == pytest.approx(VOLTS * (1.0 - 0.25 * told["used"][0]), rel=1e-3)
    curve = simulation(*shared(resistance=0.0, discharge=DISCHARGE_CURVE, nominal=12.0), driven=True)
    curve.run(0.5)
    assert curve.elements["pack"].report()["used"][0] == pytest.approx(0.5 * 2.0 / time_to_empty((VOLTS + 3.0) / R))


# ---------------------------------------------------------------- one by one, in packs, saved, recorded
def driving(**options):
    """Three motors, two of them on a battery."""
    given = motor(2, joint="w0", supply=6.0, command=1.0, **GEARED)
    return simulation(*shared(capacity=1.0), given, count=2, **options)


@pytest.mark.parametrize("method", ("rkf45", "implicit-pair"))
def test_packs_single_precision_and_restored_states(method):
    stepping = Stepping(method=method, eps=1e-6)
    many, one = driving(stepping=stepping, worlds=3), driving(stepping=stepping)
    commands, resistances = [5.0, 12.0, 40.0], [0.0, 0.1, 0.4]
    many.elements["m0"].set("command", commands)
    many.elements["pack"].set("resistance", resistances)
    many.run(0.1)
    for k in range(3):
        one.reset()
        one.elements["m0"].set("command", commands[k])
        one.elements["pack"].set("resistance", resistances[k])
        one.run(0.1)
        close(many.elements["m0", "pack"].states[k], one.elements["m0", "pack"].states, 1e-9)
        close(many.v[k], one.v, 1e-9)
    now = one.save()
    one.run(0.05)
    later = one.elements["m0", "pack"].states
    one.restore(now)
    one.run(0.05)
    assert np.array_equal(one.elements["m0", "pack"].states, later)
    one.restore(now)
    half = driving(stepping=Stepping(method="rk4", step=1e-3), dtype=np.float32)
    half.elements["m0"].set("command", commands[2])
    half.elements["pack"].set("resistance", resistances[2])
    half.run(0.1)
    close(half.v, one.v, 1e-3)
    close(half.elements["pack"].report()["voltage"], one.elements["pack"].report()["voltage"], 1e-4)


def test_recorded(tmp_path):
    sim = driving()
    with Recorder(sim, tmp_path / "run.gambol", every=0.01) as recorder:
        recorder.run(0.05)
    found = Recording.open(tmp_path / "run.gambol").dataset
    voltage = found["battery"].sel(battery_report="voltage", battery_part="pack")
    assert float(voltage[-1]) == pytest.approx(sim.elements["pack"].report()["voltage"][0])
    assert float(found["dc_motor"].sel(dc_motor_part="m0", dc_motor_report="heat")[-1]) > 0.0


# ---------------------------------------------------------------- figures and faults
FILE = """
gambol: figure/1
name: arm
batteries:
  - {name: pack, voltage: 24, resistance: 0.1, capacity: 2.6}
bodies:
  - name: base
    mass: {mass: 1}
  - name: upper
    parent: base
    joint: {type: hinge, axis: [0, 1, 0], motor: {torque_constant: 0.0161, resistance: 1.34, gear: 33, battery: pack,
      rotor_inertia: 1.0e-6}}
    mass: {mass: 1, centre: [0, 0, -0.2], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
"""


def test_motors_of_a_figure_file():
    figure = parse_yaml(FILE)
    assert (
        parse_yaml(yaml_text(figure)) == figure and figure.renamed("left_", name="other").batteries == figure.batteries
    )
    world = World([figure, figure.renamed({}, name="twin")])
    sim = Simulation(world, stepping="implicit-pair")
    assert {"arm/upper motor", "arm/pack", "twin/upper motor", "twin/pack"} <= set(sim.elements)
    sim.elements["arm/upper motor"].set("command", 6.0)
    sim.run(0.05)
    assert sim.elements["arm/pack"].report()["charge"][0] > 1e-3 and sim.v[0] > 0.01
    assert sim.elements["twin/pack"].report()["charge"][0] < 1e-3
    assert sim.mechanics.mass_matrix(sim.q)[0, 0] == pytest.approx(0.14 + 1e-6 * 33**2)
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    jsonschema.validate(yaml.safe_load(FILE), figure_schema())


@pytest.mark.parametrize(
    "line, old, new, message",
    (
        (11, "resistance: 1.34", "resistance: 0", "upper: joint: motor: resistance must be positive, it is 0"),
        (11, "battery: pack", "battery: pak", "no battery is called 'pak'; did you mean 'pack'"),
        (11, "battery: pack,", "", "needs a battery or a supply"),
        (11, "torque_constant", "torque_konstant", "unknown key 'torque_konstant' in joint.motor"),
        (11, "gear: 33", "drive: current", "joint.motor.drive: 'current' is not allowed"),
        (11, "type: hinge", "type: ball", "a ball joint takes no motor"),
        (11, "gear: 33", "coordinate: 1", "a hinge joint has 1 coordinates, there is no 1"),
        (5, "voltage: 24", "voltage: -24", "voltage must be positive, it is -24"),
        (5, "capacity: 2.6", "discharge: [[1, 2, 3]]", "batteries[0].discharge[0] must have 2 components, not 3"),
        (5, "capacity: 2.6", "discharge: [[2, 60], [1, 90]]", "currents rising"),
    ),
)
def test_faults_of_a_figure_file(line, old, new, message):
    assert old in FILE
    with pytest.raises(FigureError) as caught:
        parse_yaml(FILE.replace(old, new, 1), "arm.yaml")
    assert any(message in str(fault) for fault in caught.value.faults), caught.value
    assert {(fault.file, fault.line) for fault in caught.value.faults} == {("arm.yaml", line)}


def test_faults():
    with pytest.raises(WorldError, match="efficiency must not be above 1"):
        simulation(motor(efficiency=1.2))
    with pytest.raises(WorldError, match="no battery is called 'pak'; did you mean 'pack'"):
        simulation(motor(battery="pak"), Battery(**PACK))
    with pytest.raises(WorldError, match="there is no number 2"):
        simulation(motor(coordinate=2))
    with pytest.raises(WorldError, match="needs a name"):
        simulation(motor(name=""))
    with pytest.raises(FigureError, match="cannot be scaled"):
        parse_yaml(FILE).scaled(2.0)
