"""Two DC motors on one battery lift an arm: voltage, currents, and where the energy goes.

    python examples/motors.py [--resistance 0.5]

With more inner resistance the voltage sags, and the arm is slower.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from gambol import Simulation, World, parse_yaml

ARM = """
gambol: figure/1
name: arm
batteries:
  - {name: pack, voltage: 24, resistance: 0.2, capacity: 2.6}
bodies:
  - name: upper
    joint: &servo
      type: hinge
      axis: [0, 1, 0]
      motor: &motor
        {torque_constant: 0.0161, resistance: 1.34, gear: 120, efficiency: 0.8, rotor_inertia: 1.0e-6, battery: pack,
         drive: torque, position_gain: 60, speed_gain: 3, current_limit: 12}
    parts: &rod
      - {capsule: {radius: 0.03, length: 0.4}, placement: {position: [0, 0, -0.2]}, mass: 2}
  - name: lower
    parent: upper
    joint: {<<: *servo, motor: {<<: *motor, gear: 66}}
    placement: {position: [0, 0, -0.4]}
    parts: *rod
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--resistance", type=float, default=0.2, help="of the battery [Ω]")
    given = options.parse_args()
    figure = parse_yaml(ARM)
    pack = replace(figure.batteries[0], resistance=given.resistance)
    sim = Simulation(World(replace(figure, batteries=(pack,))))
    motors, battery = sim.elements["arm/upper motor", "arm/lower motor"], sim.elements["arm/pack"]
    motors.ramp("rest", [-1.2, -0.8], 0.3, profile="smooth")
    print(f"{'t [s]':>6} {'upper':>7} {'lower [rad]':>12} {'currents [A]':>16} {'voltage [V]':>12}")
    for _ in range(10):
        sim.run(0.1)
        currents = " ".join(f"{i:7.2f}" for i in motors.report()["current"])
        volts = float(battery.report()["voltage"][0])
        print(f"{float(sim.time):6.1f} {sim.q[0]:7.3f} {sim.q[1]:12.3f} {currents:>16} {volts:12.2f}")
    energy, heat = motors.report()["energy"].sum(), motors.report()["heat"].sum()
    work, inside = sim.ledger()["work of dc_motor"], sim.measured("arm/pack")
    print(f"drawn {energy:.2f} J = {heat:.2f} J of heat + {work:.2f} J of work; {inside:.2f} J heat in the battery")


if __name__ == "__main__":
    main()
