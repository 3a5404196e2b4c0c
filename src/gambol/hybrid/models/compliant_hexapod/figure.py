"""The hexapod as a figure, for pictures, films and the viewer: a run's path becomes positions of its joints."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

import gambol.hybrid.models.compliant_hexapod.parameters as slot
from gambol.figure import Body, Box, Capsule, Figure, Joint, Part, Placement, Sphere
from gambol.hybrid.models.compliant_hexapod.parameters import CompliantHexapodParameters
from gambol.hybrid.trajectory import HybridTrajectory

_SLEEVE_LENGTH, _SLEEVE_RADIUS = 0.09, 0.009  # [m] length of the part of a leg that does not slide, its radius
_TRUNK_COLOUR, _SLEEVE_COLOUR, _FIRST_TRIPOD_COLOUR, _SECOND_TRIPOD_COLOUR = (
    (0.62, 0.65, 0.70),
    (0.30, 0.33, 0.38),
    (0.0, 0.45, 0.70),
    (0.84, 0.37, 0.0),
)
SECOND_TRIPOD = (1, 3, 5)


def compliant_hexapod_figure(p: CompliantHexapodParameters | None = None) -> Figure:
    """Body, and for each leg an upper part that turns about the hip and a lower part that slides in it; no masses of
    the model, which has none there. X forward, Y left."""
    p = p or CompliantHexapodParameters()
    long = 2 * p.hip_length + 0.1
    trunk = Part(Box((long, 2 * p.hip_side, 0.08)), colour=_TRUNK_COLOUR)
    visor = Part(Box((0.01, p.hip_side, 0.025)), Placement.at(0.5 * long, 0.0, 0.01), inertial=False, colliding=False,
                 colour=_SLEEVE_COLOUR, name="visor")  # fmt: skip
    bodies = [Body("body", joint=Joint("free"), parts=(trunk, visor))]
    for i, leg in enumerate(slot.LEG_NAMES):
        name, middle = leg.replace(" ", "_"), i % 3 == 1
        side = (p.middle_hip_side if middle else p.hip_side) * (1 if i < 3 else -1)
        hip = Placement.at(p.hip_length * (1 - i % 3), side, 0.0)
        colour = _SECOND_TRIPOD_COLOUR if i in SECOND_TRIPOD else _FIRST_TRIPOD_COLOUR
        sleeve = Part(
            Capsule(_SLEEVE_RADIUS, _SLEEVE_LENGTH),
            Placement.at(0.0, 0.0, -0.5 * _SLEEVE_LENGTH),
            colour=_SLEEVE_COLOUR,
            finish="metal",
        )
        rod = Part(
            Capsule(0.6 * _SLEEVE_RADIUS, _SLEEVE_LENGTH), Placement.at(0.0, 0.0, 0.5 * _SLEEVE_LENGTH), colour=colour
        )
        toe = Part(Sphere(1.2 * _SLEEVE_RADIUS), colour=colour, finish="rubber")
        bodies.append(Body(f"{name}_hip", "body", Joint("ball"), hip, (sleeve,)))
        bodies.append(Body(f"{name}_toe", f"{name}_hip", Joint("slide", (0, 0, -1)), Placement.at(0, 0, 0), (rod, toe)))
    return Figure("compliant_hexapod", tuple(bodies))


def figure_positions(path: HybridTrajectory) -> np.ndarray:
    """(samples, coordinates): the joints of `compliant_hexapod_figure` along a path of one hexapod."""
    shown = {name: forward_left(frames) for name, frames in path.transforms().items()}
    body = shown["body"]
    columns = [body[:, :3, 3], quaternions_of(body[:, :3, :3])]
    for i in range(slot.LEG_COUNT):
        hip = shown[f"leg {slot.LEG_NAMES[i]}"]
        columns.append(quaternions_of(body[:, :3, :3].transpose(0, 2, 1) @ hip[:, :3, :3]))
        toe = path.x[:, slot.TOE_POSITION + 3 * i : slot.TOE_POSITION + 3 * i + 3]
        forward = np.column_stack([toe[:, 1], -toe[:, 0], toe[:, 2]])
        columns.append(np.linalg.norm(forward - hip[:, :3, 3], axis=1)[:, None])
    return np.concatenate(columns, axis=1)


def forward_left(frames: np.ndarray) -> np.ndarray:
    """Transforms (samples, 4, 4) in axes x right, y forward as such in the axes of figures, X forward, Y left."""
    turn = np.eye(4)
    turn[:2, :2] = [[0.0, 1.0], [-1.0, 0.0]]
    return turn @ frames @ turn.T


def quaternions_of(frames: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of rotation matrices (samples, 3, 3)."""
    x, y, z, w = Rotation.from_matrix(frames).as_quat().T
    return np.column_stack([w, x, y, z]) * math.copysign(1.0, w[0])
