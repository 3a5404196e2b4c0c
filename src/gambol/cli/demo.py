"""`gambol demo`: the roach comes to rest on its feet, walks in a wave, and hurries until it runs in a tripod."""

import time
from pathlib import Path

import numpy as np

from gambol.cli.console import announce_compilation, err, plain, report_errors, styled

SECONDS = 3.0
SLOW, FAST = 0.3, 0.1  # [s], cycle times
RECORDING = "roach.gambol"
PICTURES = ("film_strip.png", "gait.png", "path.png")
LEGS = ("bl", "ml", "fl", "br", "mr", "fr")


def demo(folder: Path) -> None:
    """Lets the roach walk, and writes its recording and pictures."""
    with report_errors(), announce_compilation():
        from gambol.models.roach import TUNED, adjusted_legs, roach, settled_roach
        from gambol.record.recorder import Recorder

        figure = roach()
        size = f" of {len(figure.bodies)} parts and {figure.mass * 1e3:.1f} g, {figure.speeds} degrees of freedom,"
        styled(("A roach", "bold"), size, " is put on the ground and walks.")
        with err.status("getting ready"):
            sim = settled_roach()  # compiles, or loads what was compiled before
        with err.status("walking"):
            with Recorder(
                sim, folder / RECORDING, every=0.01, title="roach", reports=False, overwrite=True
            ) as recorder:
                run, took = speeding_up(sim, adjusted_legs(*TUNED), recorder)
        print_summary(run, took)
        with err.status("drawing"):
            draw(run, folder)
    styled(("Pictures", "bold"))
    for name in PICTURES:
        plain(f"  {folder / name}")
    styled(("Recording", "bold"))
    plain(f"  {folder / RECORDING}   for gambol view, gambol plot, gambol export")
    plain("See it live in the browser, and push it:  pip install 'gambol[view]' && gambol view roach")


def speeding_up(sim, limbs, recorder):
    """A walk whose cycle gets shorter and shorter, and how long it took to compute and record [s]."""
    from gambol.experiments.roach.walking import RoachWalk
    from gambol.models.roach import walking_roach
    from gambol.stepping.controller import Periodic

    start = sim.latest_time
    (gait,) = walking_roach(sim, cycle=SLOW, limbs=limbs).controllers

    def change_cycle(sim) -> None:
        share = min((sim.latest_time - start) / (0.7 * SECONDS), 1.0)
        gait.set_cycle(1.0 / (1.0 / SLOW + share * (1.0 / FAST - 1.0 / SLOW)))

    began = time.perf_counter()
    recorder.run(SECONDS, controller=[gait, Periodic(0.02, change_cycle)])
    took = time.perf_counter() - began
    motion = recorder.recording.motion()
    return RoachWalk(motion.time, motion.q, gait.footfalls(), sim, gait), took


def print_summary(run, took: float) -> None:
    """What happened, in words."""
    sim = run.sim
    half = len(run.time) // 2
    slow = np.linalg.norm(run.q[half // 2, :2] - run.q[0, :2]) / (run.time[half // 2] - run.time[0])
    steps = sum(len(s) for s in run.footfalls.steps)
    plain(f"  it begins with a wave of steps from rear to front, at {slow * 100:.1f} cm/s,")
    plain(f"  and ends in a tripod, at {run.speed(0.8 * SECONDS) * 100:.1f} cm/s: {steps} steps on the way")
    plain(f"  its trunk stays {run.clearance(0.3) * 1e3:.1f} mm above the ground")
    plain(
        f"Simulated {SECONDS:.1f} s in {took:.2f} s ({SECONDS / took:.0f} times real time):"
        f" {int(sim.counts['steps'])} steps of {sim.stepping.method}, {int(sim.counts['rejected'])} tried again."
    )


def draw(run, folder: Path) -> None:
    """Film strip, gait diagram and path."""
    from gambol.experiments.roach.walking import draw_paths, draw_strip
    from gambol.plot.gait import gait_diagram
    from gambol.plot.style import save

    folder.mkdir(parents=True, exist_ok=True)
    draw_strip(run, folder / PICTURES[0], times=run.time[0] + SECONDS - np.linspace(0.14, 0.0, 6))
    title = "from a wave of steps to a tripod"
    save(gait_diagram(run.footfalls, start=float(run.time[0]), order=LEGS, title=title), folder / PICTURES[1])
    draw_paths({"roach": run}, folder / PICTURES[2])
