"""The compliant hexapod as hybrid systems, one for each kind of terrain."""

from typing import ClassVar

import numpy as np

import gambol.hybrid.models.compliant_hexapod.leg as legs
import gambol.hybrid.models.compliant_hexapod.parameters as slot
from gambol.forces.electric import motor_electrical
from gambol.hybrid.models.compliant_hexapod.clock import tripod_references
from gambol.hybrid.models.compliant_hexapod.field import (
    attitude_angles,
    in_stance,
    make_boundaries,
    make_flow,
    make_transition,
    total_energy,
)
from gambol.hybrid.models.compliant_hexapod.parameters import CompliantHexapodParameters
from gambol.hybrid.models.compliant_hexapod.start import start
from gambol.hybrid.models.compliant_hexapod.terrain import ditch, plane, waves
from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem
from gambol.jit import function
from gambol.math.scalar import absolute


def _chart(number: int) -> Chart:
    """The chart in which the legs of these bits stand."""
    if number == slot.FALLEN_CHART:
        return Chart("fallen", states=slot.STATE_NAMES)
    edges = []
    for i, leg in enumerate(slot.LEG_NAMES):
        if number >> i & 1:
            edges += [ChartBoundary(f"liftoff {leg} (length)"), ChartBoundary(f"liftoff {leg} (force)")]
        else:
            edges += [ChartBoundary(f"touchdown {leg}"), ChartBoundary(f"no edge {leg}")]
    name = "".join(("LF", "LM", "LB", "RF", "RM", "RB")[i] + " " for i in range(slot.LEG_COUNT) if number >> i & 1)
    return Chart(
        name.strip() or "flight", states=slot.STATE_NAMES, boundaries=(*edges, ChartBoundary("fall", priority=1))
    )


OUTPUT_NAMES = (
    "roll",
    "pitch",
    "yaw",
    "energy",
    "current",
    "power",
    *(f"phi {leg}" for leg in slot.LEG_NAMES),
    *(f"rho {leg}" for leg in slot.LEG_NAMES),
    *(f"theta {leg}" for leg in slot.LEG_NAMES),
    *(f"hip torque {leg}" for leg in slot.LEG_NAMES),
    *(f"stance {leg}" for leg in slot.LEG_NAMES),
    *(f"position {a}" for a in "xyz"),
    *(f"speed {a}" for a in "xyz"),
    "energy used",
    "charge used",
)


@function
def observe(chart, t, x, p, out):
    """The auxiliary quantities, in the order of OUTPUT_NAMES."""
    body, references = legs.body_state(x), tripod_references(p, t)
    roll, pitch, yaw = attitude_angles(body.R)
    out[0], out[1], out[2] = roll, pitch, yaw
    out[3] = total_energy(p, chart, x)
    out[4], out[5] = 0.0, 0.0
    for i in range(slot.LEG_COUNT):
        leg_p = legs.leg_parameters(p, i)
        a = legs.leg_angles(legs.hip_to_toe(body, leg_p, legs.toe_position(x, i)))
        rates = legs.leg_rates(a, legs.toe_against_hip(body, leg_p, a.leg, legs.toe_velocity(x, i)))
        forces = legs.leg_forces(p, leg_p, a, rates, references, x[slot.LINK_VOLTAGE])
        motor = motor_electrical(p, forces.hip, rates.phi)
        out[4] += absolute(motor.current)
        out[5] += motor.current * motor.voltage
        out[6 + i], out[12 + i], out[18 + i], out[24 + i] = a.phi, a.rho, a.theta, forces.hip
        out[30 + i] = in_stance(chart * 1.0, i)
    for k in range(3):
        out[36 + k], out[39 + k] = x[slot.BODY_POSITION + k], x[slot.BODY_VELOCITY + k]
    out[42], out[43] = x[slot.ELECTRICAL_ENERGY], x[slot.BATTERY_USED]


class CompliantHexapod(HybridSystem):
    """Rigid body on six massless springy legs with light toes, on a plane (flat, or a slope).

    64 charts, one for each set of legs in stance, and one for a robot that has fallen. States, outputs and `display`
    are in the axes of the source: x right, y forward, z up (`figure_positions` turns them to those of figures).
    """

    Parameters = CompliantHexapodParameters
    charts = tuple(_chart(number) for number in range(slot.FALLEN_CHART + 1))
    outputs = OUTPUT_NAMES
    error_weight: ClassVar[dict[str, float]] = {name: 0.0 for name in slot.STATE_NAMES[slot.ENERGY_LEDGER :]} | {
        "link voltage": 1e-3
    }
    packs = True
    axes = "x right, y forward, z up"
    source_modules = ("gambol.hybrid.models.compliant_hexapod",)
    start = staticmethod(start)
    observe = staticmethod(observe)
    flow = staticmethod(make_flow(plane))
    boundaries = staticmethod(make_boundaries(plane))
    transition = staticmethod(make_transition(plane))

    @staticmethod
    def display(chart, t, x, p):
        """Body and legs; a leg's frame is at its hip with z towards the hip from the toe."""
        R, r = body_rotation(x), x[slot.BODY_POSITION : slot.BODY_POSITION + 3]
        shown = {"body": homogeneous_transform(R, r)}
        for i, leg in enumerate(slot.LEG_NAMES):
            hip = r + R @ hip_position(p, i)
            toe = x[slot.TOE_POSITION + 3 * i : slot.TOE_POSITION + 3 * i + 3]
            along = (hip - toe) / np.linalg.norm(hip - toe)
            ahead = np.cross(along, [1.0, 0.0, 0.0])
            ahead /= np.linalg.norm(ahead)
            shown[f"leg {leg}"] = homogeneous_transform(np.column_stack([np.cross(ahead, along), ahead, along]), hip)
        return shown


class CompliantHexapodOnWaves(CompliantHexapod):
    """On waves."""

    flow = staticmethod(make_flow(waves))
    boundaries = staticmethod(make_boundaries(waves))
    transition = staticmethod(make_transition(waves))


class CompliantHexapodOverDitch(CompliantHexapod):
    """On a plane with a ditch."""

    flow = staticmethod(make_flow(ditch))
    boundaries = staticmethod(make_boundaries(ditch))
    transition = staticmethod(make_transition(ditch))


def hip_position(p, i: int) -> np.ndarray:
    """Hip of leg i in the body frame [m]."""
    middle = i % 3 == 1
    side = (p.middle_hip_side if middle else p.hip_side) * (-1 if i < 3 else 1)
    return np.array([side, p.hip_length * (1 - i % 3), 0.0])


def body_rotation(x: np.ndarray) -> np.ndarray:
    """Rotation matrix of the body."""
    w, a, b, c = x[slot.BODY_ATTITUDE : slot.BODY_ATTITUDE + 4] / np.linalg.norm(
        x[slot.BODY_ATTITUDE : slot.BODY_ATTITUDE + 4]
    )
    return np.array(
        [
            [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)],
        ]
    )


def homogeneous_transform(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The 4×4 matrix of a rotation and a position [m]."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = R, r
    return made
