"""What is measured of the hinge recursion: time of a step, modes of the finger's step."""

import time

import numpy as np

from gambol import Figure, Placement, chain
from gambol.hinge_recursion import HingeSimulation
from gambol.hinge_recursion.stepping import run_steps
from gambol.models import finger

BAND_RATIOS = (1, 2, 4, 8)


def free_chain(links: int) -> Figure:
    """A chain of ball-jointed links with a free root."""
    return chain(links, "ball", root="free", length=0.1, radius=0.02)


def best_times(simulations: list[HingeSimulation], steps: int, rounds: int = 9) -> list[float]:
    """Seconds a step of each simulation; interleaved, the best of several rounds."""
    saved = [s.state.copy() for s in simulations]
    best = [np.inf] * len(simulations)
    for _ in range(rounds):
        for k, s in enumerate(simulations):
            s.restore(saved[k])
            start = time.perf_counter()
            s.take_steps(steps)
            best[k] = min(best[k], (time.perf_counter() - start) / steps)
        for k, s in enumerate(simulations):
            s.restore(saved[k])
    return best


def step_times(simulation: HingeSimulation, cycles: int) -> np.ndarray:
    """Seconds of each of the ν steps of a cycle, one call a step: the medians over so many cycles."""
    took = np.empty((cycles, simulation.ratio))
    simulation.take_steps(simulation.ratio)
    for k in range(cycles):
        for j in range(simulation.ratio):
            began = time.perf_counter()
            simulation.take_steps(1)
            took[k, j] = time.perf_counter() - began
    return np.median(took, axis=0)


def slowest_decay_rate(ratio: int, step: float = finger.STEP, **options) -> float:
    """Rate [1/s] at which the slowest mode of the step about the rest pose dies out (negative: it grows).

    `options` go to the finger's simulation.
    """
    settled = finger.tapping_finger(step=0.001, tapping=False, **options)
    settled.advance(20.0)
    simulation, rest = finger.tapping_finger(ratio=ratio, step=step, tapping=False, **options), settled.state
    n = len(finger.LINKS)

    def cycle(x: np.ndarray) -> np.ndarray:
        state = rest.copy()
        state.clock[0] = 0
        state.position[:] += x[:3]
        state.velocity[:], state.angular_velocity[:] = x[3:6], x[6 : 6 + 3 * n]
        turns = x[6 + 3 * n :].reshape(n, 3)
        for q, r in zip(state.orientation.reshape(n, 4), turns):
            angle = float(np.linalg.norm(r))
            q[:] = Placement(rotation=tuple(q)).compose(Placement.about(r, angle) if angle else Placement()).rotation
        run_steps(simulation.layout.model, state, step, ratio, ratio)
        moved = [
            Placement(rotation=tuple(a)).inverse().compose(Placement(rotation=tuple(b))).rotation
            for a, b in zip(rest.orientation.reshape(n, 4), state.orientation.reshape(n, 4))
        ]
        small = 2.0 * np.array([np.copysign(1.0, m[0]) * np.array(m[1:]) for m in moved])
        return np.concatenate([state.position - rest.position, state.velocity, state.angular_velocity, small.ravel()])

    d = 1e-5
    jacobian = np.array([(cycle(d * e) - cycle(-d * e)) / (2 * d) for e in np.eye(6 + 6 * n)]).T
    return float(-np.log(np.abs(np.linalg.eigvals(jacobian)).max()) / (ratio * step))


def longest_stable_step(**options) -> float:
    """Longest step [s] of whole milliseconds, ν = 1, up to which every mode of the finger dies out."""
    steps = 1e-3 * np.arange(1, 100)
    return float(next((a for a, b in zip(steps, steps[1:]) if slowest_decay_rate(1, b, **options) <= 0.0), steps[-1]))
