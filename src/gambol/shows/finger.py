"""The tapping finger on show, as it was computed by the hinge recursion: `gambol view finger-taps`."""

import numpy as np
from scipy.spatial.transform import Rotation

from gambol import Figure
from gambol.draw import Motion
from gambol.hinge_recursion import HingeRecording
from gambol.models import finger
from gambol.shows.registry import show
from gambol.view import RecordedSource


@show("finger-taps", also=("finger-speed",))
def taps() -> RecordedSource:
    """A finger settles under gravity and taps every two seconds."""
    figure = finger.finger()
    recording = finger.tapping_finger(step=0.005).run(finger.DURATION, every=0.01)
    motion = Motion((figure,), recording.time, joint_positions(figure, recording), "finger")
    return RecordedSource(motion, ground=None)


def joint_positions(figure: Figure, recording: HingeRecording) -> np.ndarray:
    """(frames, coordinates) of a figure with a free root and ball joints, from where its links are."""
    turns = {name: turned(recording.orientation[:, k]) for k, name in enumerate(recording.links)}
    columns = []
    for body in figure.order:
        base = turned(body.placement.rotation)
        if body.parent is None:
            away = recording.position[:, recording.links.index(body.name)] - np.asarray(body.placement.position)
            columns.append(base.inv().apply(away))
        else:
            base = turns[body.parent] * base
        columns.append((base.inv() * turns[body.name]).as_quat(scalar_first=True))
    return np.concatenate(columns, axis=1)


def turned(quaternion) -> Rotation:
    """Quaternions (w, x, y, z) as SciPy's rotations."""
    return Rotation.from_quat(quaternion, scalar_first=True)
