"""The model-based adaptive controller (Slotine and Li; eqs. 3.17, 3.21).

τ = −K_d s + Y(q, v, v_r, a_r) â,   dâ/dt = −η Yᵀ s.
"""

from collections.abc import Callable

import numpy as np

from gambol.control.arms.gains import PD
from gambol.control.arms.trajectories import Target

Regressor = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class AdaptiveModel(PD):
    """PD with a learnt model of known form.

    regressor   (q, v, v_r, a_r) → (worlds, joints, parameters), linear in the unknown parameters
    learning    η, a number or one a parameter
    start       parameters at the start; zero: plain PD
    """

    def __init__(
        self,
        regressor: Regressor,
        stiffness,
        damping,
        *,
        learning,
        start: np.ndarray | float = 0.0,
        name: str = "IDSL",
    ):
        super().__init__(stiffness, damping, name=name)
        self.regressor, self.learning, self.start = regressor, np.asarray(learning, float), start
        self.estimate: np.ndarray | None = None

    def torque(self, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
        """Feedback and what the model with its present estimate needs [N·m]."""
        ref = self.refer(q, v, target)
        Y = self.regressor(q, v, ref.v_r, ref.a_r)
        if self.estimate is None:
            self.estimate = np.zeros((len(Y), Y.shape[2])) + self.start
        self._slope = -self.learning * np.einsum("wjp,wj->wp", Y, ref.s)
        return self.feedback(ref) + np.einsum("wjp,wp->wj", Y, self.estimate)

    def learn(self, duration: float) -> None:
        """A step of the learning rule, with what the last torque was for."""
        assert self.estimate is not None
        self.estimate = self.estimate + duration * self._slope

    def parameters(self) -> np.ndarray:
        """Estimates of all worlds (worlds, parameters)."""
        return np.zeros((1, 0)) if self.estimate is None else self.estimate

    def silence(self, worlds: np.ndarray) -> None:
        """Worlds that became unstable stop estimating."""
        if self.estimate is not None:
            self.estimate[worlds] = 0.0
            self._slope[worlds] = 0.0
