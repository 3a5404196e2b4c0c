"""What a user writes, for a strict type checker: nothing is Any, and results have the types they have."""

from pathlib import Path
from typing import assert_type

import numpy as np

import gambol
from gambol.draw import Motion, save_image, still
from gambol.export import TargetMotion, export_file
from gambol.models import roach, walking_roach
from gambol.motion import Coordinates, Markers
from gambol.plot import film_strip, save


def pendulum() -> gambol.Figure:
    rod = gambol.Part(gambol.Capsule(0.02, 1.0), gambol.Placement((0.0, 0.0, -0.5)))
    return gambol.Figure("pendulum", (gambol.Body("rod", joint=gambol.Joint("hinge", (0, 1, 0)), parts=(rod,)),))


def swing(folder: Path) -> float:
    world = gambol.World(pendulum(), forces=[gambol.JointSpring(joint="rod", stiffness=2.0, name="spring")])
    sim = gambol.Simulation(world, stepping=gambol.Stepping(method="rk4", step=1e-3))
    sim.reset([0.3])
    path = assert_type(sim.run(2.0, every=1 / 60), gambol.Trajectory)
    state = assert_type(sim.save(), gambol.State)
    sim.restore(state)
    assert_type(sim.mechanics, gambol.Mechanics)
    assert_type(sim.q, np.ndarray)
    with gambol.Recorder(sim, folder / "swing.gambol", every=0.01) as recorder:
        recorder.run(1.0)
    recording = assert_type(recorder.recording, gambol.Recording)
    assert_type(gambol.load(folder / "swing.gambol", gambol.Recording), gambol.Recording)
    assert_type(gambol.load("walk.bvh", TargetMotion), TargetMotion)
    assert_type(gambol.load("arm.yaml", gambol.Figure), gambol.Figure)
    assert_type(gambol.load("walk.trc", Markers), Markers)
    assert_type(
        gambol.load("anything"), gambol.Figure | gambol.Recording | TargetMotion | Markers | Coordinates | gambol.Mesh
    )
    assert_type(Motion.of(recording), Motion)
    save_image(still(path), folder / "still.png")
    save(film_strip(path), folder / "strip.png")
    assert_type(export_file(recording, folder / "swing.glb"), list[Path])
    return float(path.q[-1, 0])


def walk() -> gambol.Trajectory:
    sim = assert_type(walking_roach(limbs=roach.adjusted_legs(*roach.TUNED)), gambol.Simulation)
    assert_type(sim.elements["thorax"], gambol.ElementHandle)
    assert_type(sim.bodies["thorax"], gambol.BodyHandle)
    return sim.run(1.0, controller=gambol.Periodic(0.1, lambda run: None))


def falling() -> gambol.OdePath:
    def rate(t: float, y: "np.ndarray", p: "np.ndarray", dy: "np.ndarray") -> None:
        dy[0], dy[1] = y[1], -9.81

    return assert_type(gambol.OdeRun(gambol.Ode(rate, 2), [1.0, 0.0]).run(0.1), gambol.OdePath)


class Ball(gambol.HybridSystem):
    charts = (gambol.Chart("flight", states=("height", "speed"), boundaries=(gambol.ChartBoundary("floor"),)),)


def bounce() -> gambol.HybridTrajectory:
    try:
        return gambol.HybridRun(Ball()).run(1.0)
    except (gambol.StepError, gambol.HybridError) as error:
        raise SystemExit(str(error)) from error
