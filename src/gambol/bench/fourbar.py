"""The four-bar of two loops over ten seconds: how long until its energy is right.

Ours to 1e-6 J, MuJoCo to 1e-2 J; each with the fastest of several settings that reaches its mark.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gambol import Simulation, Stepping
from gambol.bench.peers import HOW_TO_INSTALL, missing
from gambol.bench.result import Floor, Result
from gambol.experiments.limbs.chains import FOUR_BAR_ENERGY
from gambol.models.linkages import four_bar, four_bar_start

FOUR_BAR_SECONDS, FOUR_BAR_SAMPLE = 10.0, 0.05
GAMBOL_ENERGY_ERROR, MUJOCO_ENERGY_ERROR = 1e-6, 1e-2  # [J] largest error allowed
GAMBOL_TOLERANCES = (1e-7, 3e-8, 1e-8, 3e-9)
FOUR_BAR_MUJOCO_STEPS = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4)
MUJOCO_INTEGRATORS = ("RK4", "implicitfast")
TimeAndError = tuple[float, float]  # seconds, error [J]


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Wall time of the whole run [ms]; each with its fastest setting, in turns, the best of several."""
    ours = _fastest([partial(_ours, eps) for eps in GAMBOL_TOLERANCES], GAMBOL_ENERGY_ERROR)
    progress()
    theirs, notes = None, (f"MuJoCo not installed: {HOW_TO_INSTALL}",)
    if "MuJoCo" not in missing():
        theirs = _fastest(
            [partial(_mujoco, h, name) for name in MUJOCO_INTEGRATORS for h in FOUR_BAR_MUJOCO_STEPS],
            MUJOCO_ENERGY_ERROR,
        )
        notes = (f"energy error: ours {ours.error:.2g} J, MuJoCo {theirs.error:.2g} J",)
    for _ in range(max(rounds // 4, 2)):
        for contender in filter(None, (ours, theirs)):
            contender.seconds = min(contender.seconds, contender.run()[0])
        progress()
    found = {"MuJoCo": 1e3 * theirs.seconds} if theirs else {}
    metric = (
        f"10 s of the four-bar of two loops, energy to {GAMBOL_ENERGY_ERROR:g} J (MuJoCo: to {MUJOCO_ENERGY_ERROR:g} J)"
    )
    return [Result.of_times("fourbar", metric, "ms", 1e3 * ours.seconds, found, Floor("ratio", 1.0), notes=notes)]


@dataclass
class TimedSetting:
    """A setting, how long it took, and its energy error [J]."""

    run: Callable[[], TimeAndError]
    seconds: float
    error: float


def _fastest(settings: Sequence[Callable[[], TimeAndError]], allowed: float) -> TimedSetting:
    """The fastest setting within the error allowed; if none is, the most exact."""
    tried = [TimedSetting(run, *run()) for run in settings]
    good = [c for c in tried if c.error <= allowed]
    return min(good, key=lambda c: c.seconds) if good else min(tried, key=lambda c: c.error)


def _ours(eps: float) -> TimeAndError:
    world = four_bar(2)
    sim = Simulation(world, stepping=Stepping(method="dormand-prince", eps=eps), ledger=False)
    start = four_bar_start(world)
    sim.reset(*start)
    sim.run(0.1)  # compiled, if need be
    sim.reset(*start)
    begin = time.perf_counter()
    path = sim.run(FOUR_BAR_SECONDS, every=FOUR_BAR_SAMPLE)
    took = time.perf_counter() - begin
    energy = [sum(sim.mechanics.energies(q, v).values()) for q, v in zip(path.q, path.v)]
    return took, float(np.abs(np.array(energy) - FOUR_BAR_ENERGY).max())


def _mujoco(step: float, integrator: str) -> TimeAndError:
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf(2, step, integrator))
    data = mujoco.MjData(model)
    for i in range(model.nv):
        data.qvel[i] = 1.0 if model.body(model.jnt_bodyid[i]).name.startswith("crank") else -1.0
    many = max(round(FOUR_BAR_SAMPLE / step), 1)
    took = worst = 0.0
    for _ in range(round(FOUR_BAR_SECONDS / (many * step))):
        begin = time.perf_counter()
        mujoco.mj_step(model, data, many)
        took += time.perf_counter() - begin
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        worst = max(worst, abs(float(data.energy.sum()) - FOUR_BAR_ENERGY))
        if not np.isfinite(worst) or worst > 100.0:
            return took, float("inf")
    return took, worst


def mjcf(loops: int, step: float, integrator: str) -> str:
    """The same mechanism for MuJoCo, its loops as stiff as the step allows."""
    rod = 1.0 / 12.0
    bodies, loops_ = [], []
    for i in range(loops + 1):
        coupler = ""
        if i < loops:
            inertia = f'<inertial mass="1" pos="0.5 0 0" diaginertia="1e-8 {rod} {rod}"/>'
            coupler = f'<body name="coupler{i}" pos="0 0 1"><joint/>{inertia}</body>'
            close = f'body1="coupler{i}" body2="crank{i + 1}" anchor="1 0 0"'
            loops_.append(f'<connect {close} solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/>')
        inertia = f'<inertial mass="1" pos="0 0 0.5" diaginertia="{rod} {rod} 1e-8"/>'
        bodies.append(f'<body name="crank{i}" pos="{i} 0 0"><joint/>{inertia}{coupler}</body>')
    option = f'timestep="{step}" integrator="{integrator}" gravity="0 0 -9.81" tolerance="1e-12"'
    return (
        f'<mujoco><option {option}><flag energy="enable" contact="disable"/></option>'
        '<default><joint type="hinge" axis="0 1 0"/></default>'
        f"<worldbody>{''.join(bodies)}</worldbody><equality>{''.join(loops_)}</equality></mujoco>"
    )
