"""`gambol demo acrobat`: an acrobat swings around a bar by one hand, lets go and comes down."""

import time
from pathlib import Path

import numpy as np

from gambol.cli.console import announce_compilation, err, plain, report_errors, styled
from gambol.models import hang
from gambol.models.high_bar import BAR, LET_GO

FRAME = 1 / 120  # [s]
LONGEST = 4.0  # [s] of simulated time
PICTURES = ("scene.png", "film_strip.png", "curves.png")


def swing(folder: Path) -> None:
    """Lets the acrobat swing, and writes pictures."""
    with report_errors(), announce_compilation():
        from gambol.world.simulation import Simulation

        start = hang()
        figure = start.world.layout.figures[0]
        speeds = sum(body.joint.speeds for body in figure.bodies)
        size = f" of {len(figure.bodies)} parts and {figure.mass:.0f} kg, {speeds} degrees of freedom,"
        styled(("An acrobat", "bold"), size, " hangs from a bar by its right hand.")
        with err.status("getting ready"):
            sim = Simulation(start.world)
            sim.reset(start.q)
            sim.run(FRAME)  # compiles, or loads what was compiled before
            sim.reset(start.q)
        with err.status("simulating"):
            began = time.perf_counter()
            path = sim.run(LONGEST, every=FRAME, on_event=start.let_go, stop=start.landings)
            took = time.perf_counter() - began
        print_summary(sim, path, took)
        with err.status("drawing"):
            draw(path, sim, folder)
    styled(("Pictures", "bold"))
    for name in PICTURES:
        plain(f"  {folder / name}")


def print_summary(sim, path, took: float) -> None:
    """What happened, in words."""
    swing = path.time <= min([event.time for event in path.events], default=np.inf)
    hips = [sim.mechanics.velocities(q, v)["acrobat/pelvis"][3:] for q, v in zip(path.q[swing], path.v[swing])]
    speed = np.linalg.norm(hips, axis=1)
    fastest = int(np.argmax(speed))
    plain(f"  t = {path.time[fastest]:.2f} s      its hips swing fastest, at {speed[fastest]:.1f} m/s")
    for event in path.events:
        words = "the hand lets go" if event.name == LET_GO else f"{_spelled(event.name)}: the run ends"
        plain(f"  t = {event.time:.6f} s  {words}")
    ledger = sim.ledger()
    plain(
        f"Simulated {sim.time:.2f} s in {took:.2f} s: {int(sim.counts['steps'])} steps of {sim.stepping.method},"
        f" {int(sim.counts['rejected'])} tried again."
    )
    plain(
        f"Energy: {ledger['kinetic']:.0f} J of motion at the end; on the way the joints took"
        f" {-ledger['work of joints']:.1f} J and the grip {-ledger['work of grip']:.1f} J."
        f" The stepper's own error is {ledger['numerical']:+.2g} J."
    )


def _spelled(name: str) -> str:
    return name.replace("l_", "left ").replace("r_", "right ")


def draw(path, sim, folder: Path) -> None:
    """The whole swing in one scene, a film strip, curves."""
    from gambol.draw import Camera, chronophotograph, save_image, strip
    from gambol.figure import Capsule, Part, Placement
    from gambol.plot import plot_trajectory, save

    along = Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR))
    bar = Part(Capsule(0.02, 2.0), along, colour=(0.50, 0.52, 0.55), finish="metal")
    look = {"props": [bar], "camera": Camera(azimuth=-72.0, elevation=10.0)}
    end = float(path.time[-1])
    poses = [*np.linspace(0.30, end - 0.02, 9)]
    save_image(chronophotograph(path, times=poses, size=(1170, 760), **look), folder / PICTURES[0])
    save_image(strip(path, times=7, size=(230, 300), **look), folder / PICTURES[1])
    joints = ["l_forearm", "l_thigh", "r_thigh", "l_shank", "r_shank", "l_arm", "r_arm", "head"]
    curves = plot_trajectory(path, simulation=sim, joints=joints, title="An acrobat swings around a bar and lets go")
    save(curves, folder / PICTURES[2])
