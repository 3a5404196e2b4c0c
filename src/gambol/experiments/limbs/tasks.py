"""The tasks and controllers of the control experiments (§3.4): what the source leaves open is chosen here.

Regions of joint space, bandwidths, reaches, gates and the period of control are not printed. Every controller has the
same PD part (K_p = 9, K_d = 1) and the same η, adapts for 30 s and is measured for 10 s.
"""

from collections.abc import Callable, Sequence

import numpy as np

from gambol import Figure, Simulation, World
from gambol.control.arms import PD, AdaptiveModel, Gates, Mixture, Reaches, Sinusoid, Trial, follow, two_link_regressor
from gambol.control.arms.gains import ControlLaw
from gambol.control.arms.trajectories import Together, Trajectory
from gambol.control.arms.trial import Disturbance
from gambol.experiments.limbs import NO_GRAVITY
from gambol.experiments.registry import ExperimentContext

KP, KD, ETA = 9.0, 1.0, 0.01
ARM_CONTROL_PERIOD = 0.01  # [s]
GATE_LOWER, GATE_UPPER = np.array([-1.0, -1.6]), np.array([3.2, 1.6])  # [rad] where the gates are
TASK_CENTRES = ((0.0, 0.0), (-0.8, 0.8), (0.5, -0.8))  # [rad] middles of three regions
TASK_BANDWIDTHS = (0.4, 0.7, 1.0)  # of the task of Sanner and Slotine
EXPERT_COUNTS = tuple(range(1, 9))


def sinusoids() -> Sinusoid:
    """Nine tasks: three areas at three bandwidths, one a world."""
    alpha = np.array([a for a in TASK_CENTRES for _ in TASK_BANDWIDTHS])
    omega = np.array([k * np.pi * np.array([0.75, 2.0]) for _ in TASK_CENTRES for k in TASK_BANDWIDTHS])
    return Sinusoid(alpha, np.array([1.33, 0.75]), omega)


def reaches() -> Together:
    """Six tasks from point to point: three areas at two rates."""
    corners = np.array([[0.0, 0.6], [1.4, -0.4], [0.4, -0.7], [1.8, 0.5]])
    parts: list[Trajectory] = [
        Reaches(corners + area, segment=s, rate=14.0 / s) for area in TASK_CENTRES for s in (1.4, 0.8)
    ]
    return Together(parts)


def mixture(experts: int, *, eta=ETA, rule: str = "gradient") -> Mixture:
    """A mixture of so many experts over the region of the tasks."""
    return Mixture(Gates.over(GATE_LOWER, GATE_UPPER, experts), KP, KD, learning=eta, rule=rule)


def controllers(*, eta: float | np.ndarray = ETA, experts: Sequence[int] = EXPERT_COUNTS) -> list[ControlLaw]:
    """PD, the model-based adaptive one (IDSL), and the mixtures; η for all worlds, or (worlds, 1)."""
    found: list[ControlLaw] = [PD(KP, KD), AdaptiveModel(two_link_regressor, KP, KD, learning=eta)]
    return found + [mixture(n, eta=eta) for n in experts]


def run_comparison(
    context: ExperimentContext,
    figure: Figure,
    tasks: Trajectory,
    makers: Callable[[], list[ControlLaw]],
    *,
    gravity: Sequence[float] = NO_GRAVITY,
    disturbance: Disturbance | None = None,
    period: float = ARM_CONTROL_PERIOD,
) -> dict[str, Trial]:
    """Every controller on every task, the tasks side by side."""
    worlds = len(tasks.at(0.0).q)
    sim = Simulation(World(figure, gravity), stepping="cash-karp", worlds=worlds)
    adapt, measure = (8.0, 4.0) if context.quick else (30.0, 10.0)
    found = {}
    for controller in makers():
        context.log(f"{figure.name}: {controller.name}")
        found[controller.name] = follow(
            sim, controller, tasks, adapt=adapt, measure=measure, period=period, disturbance=disturbance
        )
    return found


def shares_of_pd(trials: dict[str, Trial]) -> dict[str, np.ndarray]:
    """L2 over that of PD, task by task, of every controller but PD."""
    return {name: trial.L2 / trials["PD"].L2 for name, trial in trials.items() if name != "PD"}
