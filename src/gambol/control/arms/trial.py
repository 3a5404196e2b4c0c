"""Sampled control of a limb: follow a trajectory, adapt first, then measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gambol.control.arms.gains import Controller
from gambol.control.arms.trajectories import Trajectory
from gambol.errors import Fault, WorldError
from gambol.world.simulation import Simulation

LOST, WILD = 20.0, 500.0  # [rad, rad/s] an error or a speed beyond this is no tracking any more: it is unstable
Disturbance = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Trial:
    """What came of it. Worlds whose error grew beyond all bounds are `unstable`; their L2 is nan.

    time (ticks,), error (ticks, worlds, joints) [rad], L2 (worlds,) [rad] over the measuring window, parameters
    (ticks, worlds, parameters) where they were kept
    """

    name: str
    time: np.ndarray
    error: np.ndarray
    torque: np.ndarray
    L2: np.ndarray
    unstable: np.ndarray
    parameters: np.ndarray


def L2(error: np.ndarray, times: np.ndarray) -> np.ndarray:
    """√(1/T Σ ‖e‖² Δt) of each world (eq. 3.44), for errors (ticks, worlds, joints)."""
    square = np.sum(error[:-1] ** 2, axis=2)
    return np.sqrt(np.einsum("tw,t->w", square, np.diff(times)) / (times[-1] - times[0]))


def normalised(trial: Trial, baseline: Trial) -> np.ndarray:
    """L2 over that of the baseline (PD with the same gains) on the same tasks."""
    return trial.L2 / baseline.L2


def follow(
    sim: Simulation,
    controller: Controller,
    trajectory: Trajectory,
    *,
    adapt: float = 30.0,
    measure: float = 10.0,
    period: float = 0.01,
    disturbance: Disturbance | None = None,
    keep_parameters: bool = False,
) -> Trial:
    """Runs the limb of `sim` (all its joints commanded, one or many worlds) along the trajectory from its start.

    Every `period` [s] the controller reads positions and speeds, sets torques that are held, and learns. After `adapt`
    seconds the error is measured for `measure` seconds. `disturbance` (q, v) → torque is what nobody has told the
    controller of.
    """
    if not (period > 0 and measure >= period and adapt >= 0):
        raise WorldError([Fault("period and measure must be positive, adapt not negative", "trial")])
    start = trajectory.at(0.0)
    worlds, joints = sim.worlds, sim.layout.nv
    if sim.layout.nq != joints or start.q.shape[1] != joints:
        message = f"the trajectory has {start.q.shape[1]} joints, the limb {joints} plain coordinates"
        raise WorldError([Fault(f"{message} of {sim.layout.nq} positions", "trial")])
    q, v, _ = (np.broadcast_to(x, (worlds, joints)) for x in start)
    sim.reset(q if worlds > 1 else q[0], v if worlds > 1 else v[0])
    ticks = round((adapt + measure) / period)
    log = np.zeros((ticks, worlds, joints))
    torques, kept = np.zeros_like(log), []
    unstable = np.zeros(worlds, bool)
    for k in range(ticks):
        q, v = np.atleast_2d(sim.q), np.atleast_2d(sim.v)
        target = trajectory.at(k * period)
        log[k] = np.where(unstable[:, None], np.nan, q - target.q)
        lost = ~unstable & ~np.all((np.abs(log[k]) < LOST) & (np.abs(v) < WILD), axis=1)
        if lost.any():
            unstable |= lost
            controller.silence(lost)
            log[k][lost] = np.nan
        torque = controller.torque(q, v, target)
        if keep_parameters:
            kept.append(controller.parameters().copy())
        controller.learn(period)
        if unstable.any():
            controller.silence(unstable)
            torque[unstable] = 0.0
            _park(sim, q, v, unstable)
        torques[k] = torque
        if disturbance is not None:
            torque = torque + np.where(unstable[:, None], 0.0, disturbance(q, v))
        sim.command = torque if worlds > 1 else torque[0]
        sim.advance((k + 1) * period)
    times = period * np.arange(ticks)
    first = round(adapt / period)
    found = L2(log[first:], times[first:])
    return Trial(controller.name, times, log, torques, found, unstable, np.array(kept))


def _park(sim: Simulation, q: np.ndarray, v: np.ndarray, lost: np.ndarray) -> None:
    """Worlds that were lost stand still at zero, so that the others can go on."""
    q, v = np.where(lost[:, None], 0.0, q), np.where(lost[:, None], 0.0, v)
    sim.q, sim.v = (q, v) if sim.worlds > 1 else (q[0], v[0])
