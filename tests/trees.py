"""Random mechanisms in random motion, and comparisons, for tests."""

from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from gambol import Figure, random_figure, random_positions
from gambol.figure import JOINT_TYPES

TYPES = tuple(JOINT_TYPES)
ROOTS = ("free", "fixed", "hinge")
seeds = st.integers(0, 2**32 - 1)


def examples(count):
    """Settings of a property test: the same `count` examples in every run."""
    return settings(max_examples=count, deadline=None, derandomize=True)


@dataclass(frozen=True)
class Tree:
    """A figure with positions, speeds, joint forces, and the generator to draw more from."""

    figure: Figure
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    rng: np.random.Generator

    @property
    def body(self):
        """The name of some body."""
        return str(self.rng.choice(self.figure.names))


def tree(seed, bodies=None, root=None, joints=TYPES, **options):
    """A random tree of 1 to 40 bodies (few more often than many), every joint type and root, at least one freedom."""
    rng = np.random.default_rng(seed)
    bodies = int(np.exp(rng.uniform(0.0, np.log(41.0)))) if bodies is None else bodies
    root = str(rng.choice(ROOTS)) if root is None else root
    figure = random_figure(rng, bodies, joints, root, **options)
    if not figure.speeds:
        figure = random_figure(rng, bodies, joints, "hinge", **options)
    return Tree(
        figure,
        random_positions(rng, figure),
        rng.normal(size=figure.speeds),
        rng.normal(0.0, 5.0, figure.speeds),
        rng,
    )


def close(a, b, rel=1e-10, scale=0.0):
    """Asserts that two arrays agree to `rel` of the largest number in them, or of `scale` where that is larger."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (a.shape, b.shape)
    if not a.size:
        return
    size = max(np.abs(a).max(), np.abs(b).max(), scale)
    error = np.abs(a - b).max()
    assert error <= rel * size, f"differ by {error:.3g}, {error / size:.3g} of {size:.3g}"


WEIGHTS = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))


def derivative(path, step=2e-3):
    """Derivative at zero of a function of one number: central differences of the sixth order."""
    return sum(w * (path(k * step) - path(-k * step)) for k, w in WEIGHTS) / step


def gradient(function, count, step=2e-3):
    """Rows of derivatives: d function(x) / dx[i] at zero, for a function of a vector of `count` numbers."""
    return np.array([derivative(lambda t, e=e: function(t * e), step) for e in np.eye(count)])
