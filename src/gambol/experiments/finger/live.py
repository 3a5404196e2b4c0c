"""The tapping finger on show, as it was computed by the hinge recursion: `gambol view finger-taps`."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.figure import Figure
from gambol.models import finger
from gambol.view.motion import Motion, Placer, Poses
from gambol.view.recorded import Recorded
from gambol.view.shows import show


@show("finger-taps", "a finger settles under gravity and taps every two seconds", also=("finger-speed",))
def taps() -> Recorded:
    simulation = finger.tapping_finger(step=0.005)
    figure = finger.finger()
    recording = simulation.run(finger.DURATION, every=0.01)
    order = [recording.links.index(body.name) for body in figure.order]
    frames = Rotation.from_quat(recording.turn[:, order].reshape(-1, 4), scalar_first=True).as_matrix()
    poses = Poses(recording.position[:, order], frames.reshape(len(recording.time), len(order), 3, 3))
    return Recorded(
        Motion((figure,), recording.time, numbered(figure, len(poses.origins)), shown(poses), "finger"),
        ground=None,
    )


def numbered(figure: Figure, frames: int) -> np.ndarray:
    """Stands for the positions, which the recursion does not have: the first coordinate is the number of the frame."""
    q = np.tile(np.array(figure.zero, float), (frames, 1))
    q[:, 0] = np.arange(frames)
    return q


def shown(poses: Poses) -> Placer:
    """The poses of the frame that a position stands for."""

    def place(q: np.ndarray) -> Poses:
        frame = min(max(round(float(q[0])), 0), len(poses.origins) - 1)
        return Poses(poses.origins[frame], poses.frames[frame])

    return place
