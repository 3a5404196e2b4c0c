"""Control laws without memory: PD, and computed torque with a known model.

A control law says torque(q, v, target) and learn(duration): (worlds, joints) in and out.
"""

from typing import Protocol

import numpy as np

from gambol.control.arms.reference import Reference, reference
from gambol.control.arms.trajectories import Target
from gambol.errors import Fault, WorldError
from gambol.world.mechanics import Mechanics


class ControlLaw(Protocol):
    """What a LimbController asks of its law."""

    name: str

    def torque(self, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
        """Torques (worlds, joints) [N·m] for the state and the target."""

    def learn(self, duration: float) -> None:
        """Goes on learning from the last torque's error for a duration [s]."""

    def parameters(self) -> np.ndarray:
        """What it has learned (worlds, parameters)."""

    def silence(self, worlds: np.ndarray) -> None:
        """Worlds that became unstable stop learning."""


class PD:
    """τ = −K_p e − K_d e' (eq. 3.4). Gains are numbers or one a joint [N·m/rad, N·m·s/rad]."""

    def __init__(self, stiffness, damping, *, name: str = "PD"):
        self.stiffness, self.damping, self.name = np.asarray(stiffness, float), np.asarray(damping, float), name
        if not (np.all(self.stiffness >= 0) and np.all(self.damping > 0)):
            raise WorldError([Fault("stiffness must not be negative and damping must be positive", f"control {name}")])

    @property
    def rate(self) -> np.ndarray:
        """λ = K_p / K_d [1/s]."""
        return self.stiffness / self.damping

    def refer(self, q: np.ndarray, v: np.ndarray, target: Target) -> Reference:
        """Errors against the target, and the reference velocity."""
        return reference(q, v, target, self.rate)

    def feedback(self, ref: Reference) -> np.ndarray:
        """−stiffness · e − damping · e' [N·m]."""
        return -self.stiffness * ref.e - self.damping * ref.e_rate

    def torque(self, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
        """The feedback alone [N·m]."""
        return self.feedback(self.refer(q, v, target))

    def learn(self, duration: float) -> None:
        """Nothing to learn."""

    def parameters(self) -> np.ndarray:
        """What is learnt, (worlds, parameters)."""
        return np.zeros((1, 0))

    def silence(self, worlds: np.ndarray) -> None:
        """Forgets what it learnt in these worlds (a mask), which have become unstable."""


class ComputedTorque(PD):
    """τ = M (a_d − 2-gain feedback) + C v + g with a known model: e'' + K_d e' + K_p e = 0 exactly.

    Gains here are per unit inertia [1/s², 1/s].
    """

    def __init__(self, mechanics: Mechanics, stiffness, damping, *, name: str = "computed torque"):
        super().__init__(stiffness, damping, name=name)
        self.mechanics = mechanics

    def torque(self, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
        """Inverse dynamics of the wanted acceleration [N·m]."""
        wanted = target.a + self.feedback(self.refer(q, v, target))
        q, v, wanted = np.broadcast_arrays(q, v, wanted)
        return np.array([self.mechanics.inverse(*row) for row in zip(q, v, wanted)])
