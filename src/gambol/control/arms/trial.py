"""Control of a limb: follow a trajectory, adapt first, then measure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.control.arms.feedback import let_go, period_notice, set_target, with_feedback
from gambol.control.arms.gains import PD, ControlLaw
from gambol.control.arms.trajectories import Trajectory
from gambol.errors import Fault, WorldError
from gambol.stepping.controller import Controller
from gambol.world.simulation import Simulation

PERIOD = 0.01  # [s] of sampled laws
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


class LimbController(Controller):
    """Follows a trajectory by a law: every `period` [s] it reads positions and speeds, sets torques that are held, and
    learns. All joints of the simulation (one or many worlds) are commanded. A period that is too long for the gains and
    the inertia is a notice.

    continuous       the law is in the world (with_feedback): only its target is set
    disturbance      (q, v) → torque that nobody has told the law of
    keep_parameters  keep what the law has learnt at every tick
    """

    keeps = ("ticks", "unstable", "law", "errors", "torques", "learnt")

    def __init__(
        self,
        law: ControlLaw,
        trajectory: Trajectory,
        *,
        period: float = PERIOD,
        continuous: bool = False,
        disturbance: Disturbance | None = None,
        keep_parameters: bool = False,
    ):
        if not period > 0:
            raise WorldError([Fault(f"the period must be positive, it is {period}", "limb control")])
        self.law, self.trajectory, self.period, self.continuous = law, trajectory, float(period), continuous
        self.disturbance, self.keep_parameters = disturbance, keep_parameters

    def start(self, run: Simulation) -> None:
        joints, wanted = run.layout.nv, self.trajectory.at(0.0).q.shape[1]
        if run.layout.nq != joints or wanted != joints:
            message = f"the trajectory has {wanted} joints, the limb {joints} plain coordinates"
            raise WorldError([Fault(f"{message} of {run.layout.nq} positions", "limb control")])
        if not self.continuous and (notice := period_notice(run, self.law, self.period)):
            run.give_notice(notice)
        self.begin, self.ticks = run.latest_time, 0
        self.unstable = np.zeros(run.worlds, bool)
        self.errors: list[np.ndarray] = []  # (worlds, joints) of every tick [rad]
        self.torques: list[np.ndarray] = []
        self.learnt: list[np.ndarray] = []

    def next_time(self, run: Simulation) -> float:
        return self.begin + self.ticks * self.period

    def act(self, run: Simulation) -> None:
        law, lost = self.law, self.unstable
        q, v = np.atleast_2d(run.q), np.atleast_2d(run.v)
        target = self.trajectory.at(self.ticks * self.period)
        error = np.where(lost[:, None], np.nan, q - target.q)
        wild = ~lost & ~np.all((np.abs(error) < LOST) & (np.abs(v) < WILD), axis=1)
        if wild.any():
            lost |= wild
            law.silence(wild)
            error[wild] = np.nan
        torque = law.torque(q, v, target)
        if self.keep_parameters:
            self.learnt.append(law.parameters().copy())
        law.learn(self.period)
        if lost.any():
            law.silence(lost)
            torque[lost] = 0.0
            _park(run, q, v, lost)
        self.errors.append(error)
        self.torques.append(torque)
        if self.disturbance is not None:
            torque = torque + np.where(lost[:, None], 0.0, self.disturbance(q, v))
        if self.continuous:
            set_target(run, target, self.trajectory.at((self.ticks + 1) * self.period), self.period)
            torque = torque - self.torques[-1]  # what the elements give is not given twice
            if lost.any():
                let_go(run, lost)
        run.command = torque if run.worlds > 1 else torque[0]
        self.ticks += 1


def follow(
    sim: Simulation,
    law: ControlLaw,
    trajectory: Trajectory,
    *,
    adapt: float = 30.0,
    measure: float = 10.0,
    period: float | None = None,
    **options: Any,
) -> Trial:
    """Runs a limb along a trajectory from its start; after `adapt` seconds the error is measured for `measure` seconds.

    period    [s] for which torques are held. Without one, a PD law acts at every stage of every step (a simulation of
              its own is run, and the one given is left where that ends), and laws that learn are sampled every 10 ms
    options   others of LimbController
    """
    continuous = period is None and type(law) is PD and not sim.own_masses
    controller = LimbController(law, trajectory, period=period or PERIOD, continuous=continuous, **options)
    if not (measure >= controller.period and adapt >= 0):
        raise WorldError([Fault("measure must be at least a period, adapt not negative", "trial")])
    start, worlds, joints = trajectory.at(0.0), sim.worlds, sim.layout.nv
    if start.q.shape[1] == joints == sim.layout.nq:  # otherwise the controller says what is wrong
        q, v, _ = (np.broadcast_to(x, (worlds, joints)) for x in start)
        sim.reset(q if worlds > 1 else q[0], v if worlds > 1 else v[0])
    ticks = round((adapt + measure) / controller.period)
    if isinstance(law, PD) and continuous and start.q.shape[1] == joints == sim.layout.nq:
        run = Simulation(
            with_feedback(sim.world, law),
            stepping=sim.stepping,
            worlds=worlds,
            dtype=sim.dtype,
            ledger=False,
            lanes=sim.lanes,
            threads=sim.threads,
        )
        run.reset(sim.q, sim.v)
        run.run((ticks - 0.5) * controller.period, controller=controller)
        sim.reset(run.q, run.v, time=run.latest_time)
    else:
        sim.run((ticks - 0.5) * controller.period, controller=controller)
    times, first = controller.period * np.arange(ticks), round(adapt / controller.period)
    errors, torques = np.array(controller.errors), np.array(controller.torques)
    found = L2(errors[first:], times[first:])
    return Trial(law.name, times, errors, torques, found, controller.unstable, np.array(controller.learnt))


def _park(sim: Simulation, q: np.ndarray, v: np.ndarray, lost: np.ndarray) -> None:
    """Worlds that were lost stand still at zero, so that the others can go on."""
    q, v = np.where(lost[:, None], 0.0, q), np.where(lost[:, None], 0.0, v)
    sim.q, sim.v = (q, v) if sim.worlds > 1 else (q[0], v[0])
