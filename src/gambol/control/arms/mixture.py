"""Mixtures of linear models (§3.3): the source's own controller, which knows nothing of the arm's form.

τ = −K_d s + W Φ,   φ = [a_r; v_r],   Φ = [g_1 φ; …; g_N φ],   g_i(θ) = exp(−‖θ − c_i‖² / 2σ²) / Σ

gradient    W' = −η s Φᵀ                                        (3.20)
recursive   W' = −s Φᵀ P,   P' = −P Φ Φᵀ P,   P(0) = η·1        (3.27 with P on its right side)
"""

from __future__ import annotations

import numpy as np

from gambol.control.arms.gains import PD
from gambol.control.arms.trajectories import Target
from gambol.errors import Fault, WorldError, nearest

RULES = ("gradient", "recursive")


class Gates:
    """Normalised Gaussian gates: `centres` (experts, joints) [rad], one width `spread` [rad]. Their values sum to 1."""

    def __init__(self, centres, spread: float):
        self.centres, self.spread = np.atleast_2d(np.asarray(centres, float)), float(spread)
        if not self.spread > 0:
            raise WorldError([Fault(f"the spread of gates must be positive, it is {spread}", "gates")])

    @classmethod
    def over(cls, lower, upper, experts: int) -> Gates:
        """So many gates spread evenly (Halton's points) over a box of joint space; neighbours overlap."""
        from scipy.stats import qmc

        lower, upper = np.asarray(lower, float), np.asarray(upper, float)
        size = float(np.linalg.norm(upper - lower))
        if experts == 1:
            return cls(0.5 * (lower + upper), max(size, 1e-9))
        points = qmc.Halton(len(lower), scramble=False).random(experts + 1)[1:]
        return cls(lower + points * (upper - lower), 0.5 * size / experts ** (1.0 / len(lower)))

    def __call__(self, q: np.ndarray) -> np.ndarray:
        """(worlds, experts)."""
        square = np.sum((q[:, None, :] - self.centres) ** 2, axis=2)
        weight = np.exp(-(square - square.min(axis=1, keepdims=True)) / (2.0 * self.spread**2))
        return weight / weight.sum(axis=1, keepdims=True)


class Mixture(PD):
    """PD with a mixture of linear models. learning: η, a number or one a joint (P(0) for the recursive rule)."""

    def __init__(self, gates: Gates, stiffness, damping, *, learning, rule: str = "gradient", name: str = ""):
        experts = len(gates.centres)
        super().__init__(stiffness, damping, name=name or f"M{experts}")
        if rule not in RULES:
            raise WorldError([Fault(f"no learning rule {rule!r}{nearest(rule, RULES)}", f"control {self.name}")])
        self.gates, self.rule, self.learning = gates, rule, np.asarray(learning, float)
        self.weights: np.ndarray | None = None  # (worlds, joints, 2 joints experts)
        self.covariance: np.ndarray | None = None

    def features(self, q: np.ndarray, v_r: np.ndarray, a_r: np.ndarray) -> np.ndarray:
        """Φ, (worlds, 2 joints experts)."""
        phi = np.concatenate([a_r, v_r], axis=1)
        return (self.gates(q)[:, :, None] * phi[:, None, :]).reshape(len(q), -1)

    def torque(self, q: np.ndarray, v: np.ndarray, target: Target) -> np.ndarray:
        """Feedback and what the mixture predicts [N·m]."""
        ref = self.refer(q, v, target)
        features = self.features(q, ref.v_r, ref.a_r)
        worlds, joints, size = len(q), q.shape[1], features.shape[1]
        if self.weights is None:
            self.weights = np.zeros((worlds, joints, size))
            if self.rule == "recursive":
                self.covariance = np.tile(np.eye(size) * self.learning, (worlds, 1, 1))
        self._last = ref.s, features
        return self.feedback(ref) + np.einsum("wjk,wk->wj", self.weights, features)

    def learn(self, duration: float) -> None:
        """Weights (and covariance) follow the last error for a duration [s]."""
        s, features = self._last
        assert self.weights is not None
        if self.rule == "gradient":
            self.weights = self.weights - duration * (self.learning * s)[:, :, None] * features[:, None, :]
            return
        assert self.covariance is not None
        gain = np.einsum("wij,wj->wi", self.covariance, features)
        self.weights = self.weights - duration * s[:, :, None] * gain[:, None, :]
        # P' = −P Φ Φᵀ P over the step, exactly for constant Φ: it stays positive
        shrink = duration / (1.0 + duration * np.einsum("wi,wi->w", features, gain))
        self.covariance = self.covariance - shrink[:, None, None] * gain[:, :, None] * gain[:, None, :]

    def parameters(self) -> np.ndarray:
        """Weights of all worlds (worlds, parameters)."""
        return np.zeros((1, 0)) if self.weights is None else self.weights.reshape(len(self.weights), -1)

    def silence(self, worlds: np.ndarray) -> None:
        """Worlds that became unstable stop learning."""
        if self.weights is not None:
            self.weights[worlds] = 0.0
            self._last[0][worlds] = 0.0
