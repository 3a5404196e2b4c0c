"""What every controller sees: errors, and the reference motion of the source (§3.2).

e = θ − θ_d,   v_r = v_d − λ e,   a_r = a_d − λ e',   s = v − v_r = e' + λ e,   λ = K_p / K_d
"""

from typing import NamedTuple

import numpy as np

from gambol.control.arms.trajectories import Target


class Reference(NamedTuple):
    """Errors and reference motion, (worlds, joints)."""

    e: np.ndarray
    e_rate: np.ndarray
    v_r: np.ndarray
    a_r: np.ndarray
    s: np.ndarray


def reference(q: np.ndarray, v: np.ndarray, target: Target, rate: np.ndarray) -> Reference:
    """From the state, the target and λ [1/s]."""
    e, e_rate = q - target.q, v - target.v
    v_r, a_r = target.v - rate * e, target.a - rate * e_rate
    return Reference(e, e_rate, v_r, a_r, v - v_r)


def s_energy(mass_matrix: np.ndarray, s: np.ndarray) -> float:
    """½ sᵀ M s [J] of one world: what the adaptive laws drive to zero."""
    return 0.5 * float(s @ mass_matrix @ s)
