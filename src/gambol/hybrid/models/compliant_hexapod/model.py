"""The compliant hexapod as hybrid systems, one for each kind of terrain."""

from typing import ClassVar

import numpy as np

from gambol.hybrid.models.compliant_hexapod.clock import beat_of
from gambol.hybrid.models.compliant_hexapod.field import (
    attitude_angles,
    make_boundaries,
    make_flow,
    make_transition,
    stands,
    total_energy,
)
from gambol.hybrid.models.compliant_hexapod.leg import (
    angles_of,
    body_of,
    hip_to_toe,
    kind_of,
    pull_of,
    rates_of,
    toe_against_hip,
    toe_of,
    toe_velocity_of,
)
from gambol.hybrid.models.compliant_hexapod.motor import electrical
from gambol.hybrid.models.compliant_hexapod.parameters import (
    ATTITUDE,
    COUNT,
    DRAINED,
    ELECTRICAL,
    FALLEN,
    LEDGER,
    LEGS,
    LINK,
    POSITION,
    STATES,
    TOE,
    VELOCITY,
    HexapodParameters,
)
from gambol.hybrid.models.compliant_hexapod.start import start
from gambol.hybrid.models.compliant_hexapod.terrain import ditch, plane, waves
from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem
from gambol.jit import function
from gambol.math.scalar import absolute


def _chart(number: int) -> Chart:
    """The chart in which the legs of these bits stand."""
    if number == FALLEN:
        return Chart("fallen", states=STATES)
    edges = []
    for i, leg in enumerate(LEGS):
        if number >> i & 1:
            edges += [ChartBoundary(f"liftoff {leg} (length)"), ChartBoundary(f"liftoff {leg} (force)")]
        else:
            edges += [ChartBoundary(f"touchdown {leg}"), ChartBoundary(f"no edge {leg}")]
    name = "".join(("LF", "LM", "LB", "RF", "RM", "RB")[i] + " " for i in range(COUNT) if number >> i & 1)
    return Chart(name.strip() or "flight", states=STATES, boundaries=(*edges, ChartBoundary("fall", priority=1)))


OUTPUTS = (
    "roll",
    "pitch",
    "yaw",
    "energy",
    "current",
    "power",
    *(f"phi {leg}" for leg in LEGS),
    *(f"rho {leg}" for leg in LEGS),
    *(f"theta {leg}" for leg in LEGS),
    *(f"hip torque {leg}" for leg in LEGS),
    *(f"stance {leg}" for leg in LEGS),
    *(f"position {a}" for a in "xyz"),
    *(f"speed {a}" for a in "xyz"),
    "energy used",
    "charge used",
)


@function
def observe(chart, t, x, p, out):
    body, beat = body_of(x), beat_of(p, t)
    roll, pitch, yaw = attitude_angles(body.R)
    out[0], out[1], out[2] = roll, pitch, yaw
    out[3] = total_energy(p, chart, x)
    out[4], out[5] = 0.0, 0.0
    for i in range(COUNT):
        kind = kind_of(p, i)
        a = angles_of(hip_to_toe(body, kind, toe_of(x, i)))
        rates = rates_of(a, toe_against_hip(body, kind, a.leg, toe_velocity_of(x, i)))
        pull = pull_of(p, kind, a, rates, beat, x[LINK])
        motor = electrical(p, pull.hip, rates.phi)
        out[4] += absolute(motor.current)
        out[5] += motor.current * motor.voltage
        out[6 + i], out[12 + i], out[18 + i], out[24 + i] = a.phi, a.rho, a.theta, pull.hip
        out[30 + i] = stands(chart * 1.0, i)
    for k in range(3):
        out[36 + k], out[39 + k] = x[POSITION + k], x[VELOCITY + k]
    out[42], out[43] = x[ELECTRICAL], x[DRAINED]


class CompliantHexapod(HybridSystem):
    """Rigid body on six massless springy legs with light toes, on a plane (flat, or a slope).

    64 charts, one for each set of legs in stance, and one for a robot that has fallen. Axes: x right, y forward, z up
    (`display` turns them to X forward, Y left).
    """

    Parameters = HexapodParameters
    charts = tuple(_chart(number) for number in range(FALLEN + 1))
    outputs = OUTPUTS
    scale: ClassVar[dict[str, float]] = {name: 0.0 for name in STATES[LEDGER:]} | {"link voltage": 1e-3}
    packs = True
    sources = ("gambol.hybrid.models.compliant_hexapod",)
    start = staticmethod(start)
    observe = staticmethod(observe)
    flow = staticmethod(make_flow(plane))
    boundaries = staticmethod(make_boundaries(plane))
    transition = staticmethod(make_transition(plane))

    @staticmethod
    def display(chart, t, x, p):
        """Body and legs; a leg's frame is at its hip with z towards the hip from the toe."""
        turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # x right, y forward → X forward, Y left
        R, r = turn @ frame(x), turn @ x[POSITION : POSITION + 3]
        shown = {"body": homogeneous(R @ turn.T, r)}
        for i, leg in enumerate(LEGS):
            hip = r + R @ hip_place(p, i)
            toe = turn @ x[TOE + 3 * i : TOE + 3 * i + 3]
            along = (hip - toe) / np.linalg.norm(hip - toe)
            side = np.cross([0.0, 1.0, 0.0], along)
            side /= np.linalg.norm(side)
            shown[f"leg {leg}"] = homogeneous(np.column_stack([side, np.cross(along, side), along]), hip)
        return shown


class WavyHexapod(CompliantHexapod):
    """On waves."""

    flow = staticmethod(make_flow(waves))
    boundaries = staticmethod(make_boundaries(waves))
    transition = staticmethod(make_transition(waves))


class DitchHexapod(CompliantHexapod):
    """On a plane with a ditch."""

    flow = staticmethod(make_flow(ditch))
    boundaries = staticmethod(make_boundaries(ditch))
    transition = staticmethod(make_transition(ditch))


def hip_place(p, i: int) -> np.ndarray:
    """Hip of leg i in the body frame [m]."""
    middle = i % 3 == 1
    side = (p.middle_hip_side if middle else p.hip_side) * (-1 if i < 3 else 1)
    return np.array([side, p.hip_length * (1 - i % 3), 0.0])


def frame(x: np.ndarray) -> np.ndarray:
    """Rotation matrix of the body."""
    w, a, b, c = x[ATTITUDE : ATTITUDE + 4] / np.linalg.norm(x[ATTITUDE : ATTITUDE + 4])
    return np.array(
        [
            [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)],
        ]
    )


def homogeneous(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = R, r
    return made
