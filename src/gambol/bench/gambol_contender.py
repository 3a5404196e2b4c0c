"""Gambol as a contender: one world or many, stepped in one compiled call."""

import numpy as np

from gambol import Figure, GambolError, Simulation, Stepping, World, random_positions

BENCH_STEP = 1e-4  # [s]


class GambolContender:
    """`Simulation` of a figure alone under gravity: semi-implicit Euler, no ledger."""

    def __init__(self, figure: Figure, q, v, *, name: str = "Gambol", worlds: int = 1, dtype=np.float64, threads=1):
        self.name = name
        stepping = Stepping(method="semi-implicit-euler", step=BENCH_STEP)
        self.sim = Simulation(
            World(figure), stepping=stepping, worlds=worlds, dtype=dtype, threads=threads, ledger=False
        )
        self.start = (np.asarray(q), np.asarray(v))
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        self.sim.reset(*self.start)

    def run(self, steps: int) -> None:
        """Takes so many steps in one compiled call."""
        self.sim.run(steps * BENCH_STEP)

    def acceleration(self) -> np.ndarray:
        """Accelerations at the start."""
        self.reset()
        return self.sim.acceleration

    def check_steps(self, steps: int = 100) -> None:
        """A call must take exactly the steps it is timed for, and stay finite."""
        self.reset()
        self.run(steps)
        taken = np.unique(self.sim.counts["steps"])
        if taken.tolist() != [steps] or not np.isfinite(self.sim.q).all():
            raise GambolError(f"{self.name}: {steps} steps were timed, {taken.tolist()} were taken")


def generic_state(figure: Figure, worlds: int = 1, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A generic state (or one a world): joints bent by 0.4 rad, speeds of 0.5 rad/s or m/s."""
    rng = np.random.default_rng(seed)
    speeds = sum(body.joint.speeds for body in figure.bodies)
    q = np.array([random_positions(rng, figure, 0.4) for _ in range(worlds)])
    v = rng.normal(0.0, 0.5, (worlds, speeds))
    return (q[0], v[0]) if worlds == 1 else (q, v)
