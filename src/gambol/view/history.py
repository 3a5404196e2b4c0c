"""The past of a live run, for the timeline: positions and speeds at every moment computed, within bounds."""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

NO_FORCES, NO_TORQUES = np.zeros((0, 2, 3)), np.zeros(0)
LARGEST = 256e6  # [bytes]; then the older half goes


class Moment(NamedTuple):
    """What is shown: the time [s], positions and speeds; and, where they were asked for, points and forces [m, N],
    (n, 2, 3), and the torques at the axes of joints [N·m]; of a hybrid system the number of its chart; activations of
    muscles."""

    time: float
    q: np.ndarray
    v: np.ndarray
    forces: np.ndarray = NO_FORCES
    torques: np.ndarray = NO_TORQUES
    chart: int = -1
    activations: np.ndarray = NO_TORQUES


class History:
    """Moments in order of time. `forgotten` counts those that were given up for room."""

    def __init__(self, *, largest: float = LARGEST):
        self._moments: list[Moment] = []
        self._times: list[float] = []
        self._largest = largest
        self.forgotten = 0

    def __len__(self) -> int:
        return len(self._times)

    @property
    def first(self) -> float:
        """Time of the first moment kept [s]."""
        return self._times[0]

    @property
    def last(self) -> float:
        """Time of the last moment kept [s]."""
        return self._times[-1]

    def append(
        self,
        time: float,
        q: np.ndarray,
        v: np.ndarray,
        forces: np.ndarray = NO_FORCES,
        torques: np.ndarray = NO_TORQUES,
    ) -> None:
        """Keeps one more moment: time [s], positions, speeds, forces on bodies, torques at joints."""
        self.extend([Moment(float(time), np.array(q), np.array(v), forces, torques)])

    def extend(self, moments: list[Moment]) -> None:
        """Several at once; their arrays are kept, not copied."""
        self._moments += moments
        self._times += [moment.time for moment in moments]
        for moment in moments[-1:]:
            if len(self) * (moment.q.nbytes + moment.v.nbytes + moment.forces.nbytes + 200) > self._largest:
                half = len(self) // 2
                self.forgotten += half
                del self._moments[:half], self._times[:half]

    def amend(self, moment: Moment) -> None:
        """Another last moment, of the same time."""
        self._moments[-1] = moment

    def copy(self) -> "History":
        """Another one with the same moments."""
        made = History(largest=self._largest)
        made._moments, made._times, made.forgotten = list(self._moments), list(self._times), self.forgotten
        return made

    def at(self, time: float) -> Moment:
        """The last moment not later than `time`, or the first there is."""
        return self._moments[max(0, bisect_right(self._times, time + 1e-9) - 1)]

    def cut(self, time: float) -> None:
        """Forgets what came after `time`."""
        end = max(1, bisect_right(self._times, time + 1e-9))
        del self._moments[end:], self._times[end:]

    def between(self, first: float, last: float) -> list[Moment]:
        """The moments from `first` to `last`."""
        return self._moments[bisect_right(self._times, first - 1e-9) : bisect_right(self._times, last + 1e-9)]
