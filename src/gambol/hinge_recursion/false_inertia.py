"""False inertia: thin links turn so easily about their long axis that they set the step; enlarge that moment."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FalseInertia:
    """Which links get more inertia about their long axis, and how much.

    A link is thin when its smallest principal moment about its centre is under `thin` times the largest. The
    smallest moment of a thin link is multiplied by `factor`, then raised to `floor` times the largest.
    """

    factor: float = 1.0
    floor: float = 0.0
    thin: float = 0.5

    def __post_init__(self) -> None:
        if self.factor < 1.0 or self.floor < 0.0 or self.thin <= 0.0:
            raise ValueError(f"false inertia needs factor ≥ 1, floor ≥ 0 and thin > 0, not {self}")


@dataclass(frozen=True)
class EnlargedInertia:
    """One link whose inertia was enlarged: about which axis (link axes), from and to which moment [kg·m²]."""

    link: str
    axis: tuple[float, float, float]
    before: float
    after: float

    def __str__(self) -> str:
        axis = ", ".join(f"{x + 0.0:.2f}" for x in np.round(self.axis, 2))
        moments = f"from {self.before:.3g} to {self.after:.3g} kg·m²"
        return f"{self.link}: moment about its long axis ({axis}) enlarged {moments}"


def enlarge_inertia(link: str, tensor: np.ndarray, rule: FalseInertia) -> tuple[np.ndarray, EnlargedInertia | None]:
    """What to add to a link's inertia, given its tensor about its centre; and the report, if anything."""
    moments, axes = np.linalg.eigh(tensor)
    before, largest = float(moments[0]), float(moments[2])
    after = max(before * rule.factor, rule.floor * largest)
    if before >= rule.thin * largest or after <= before:
        return np.zeros((3, 3)), None
    axis = axes[:, 0] * (1.0 if axes[np.argmax(np.abs(axes[:, 0])), 0] >= 0 else -1.0)
    x, y, z = axis
    return (after - before) * np.outer(axis, axis), EnlargedInertia(link, (float(x), float(y), float(z)), before, after)
