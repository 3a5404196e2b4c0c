"""CMA-ES finds a gait for a hexapod of 30 DOF: four numbers of a tripod, 64 candidates a call as worlds of a batch.

    pip install 'gambol[learn,study]'
    python examples/search_gait.py [FOLDER] [BUDGET]

First the fastest, then the front of speed and cost of transport; the same call goes on where it was interrupted. The
winner runs once more alone in double precision under error control, beside what its batch said of it.
"""

import functools
import json
import sys
from pathlib import Path

import numpy as np

from gambol import Recorder, Stepping
from gambol.draw import save_image, strip
from gambol.learn import BatchEnvironment, PolicyController, hexapod_gait
from gambol.learn.actions import GAIT
from gambol.learn.tasks import SERVO_DAMPING, SERVO_STIFFNESS
from gambol.study import Target, draw_search, optimise

SECONDS, SETTLED = 4.0, 1.0  # of a run, and after which it counts
SEARCHED = ("frequency", "stride", "lift", "lag")
BATCH = 64


def numbers(**chosen):
    """Actions, one row a candidate, of numbers of the gait; the others are in the middle of their range."""
    rows = [np.broadcast_to(chosen.get(name, 0.5 * sum(GAIT[name])), np.shape(chosen["lag"])) for name in GAIT]
    low, high = np.array(list(GAIT.values())).T[:, :, None]
    return (2.0 * (np.array(rows) - low) / (high - low) - 1.0).T.astype(np.float32)


@functools.cache
def environment(worlds):
    """One for each number of candidates; two threads."""
    return BatchEnvironment(hexapod_gait(), worlds, autoreset_mode="Disabled", threads=2)


def walk(frequency, stride, lift, lag):
    """Of every candidate, an array each: how fast it walks [m/s], its cost of transport, and how far it leans [rad]."""
    env = environment(len(lag))
    env.reset(seed=0)
    batch, action = env.episodes.batch, numbers(frequency=frequency, stride=stride, lift=lift, lag=lag)
    servos = env.sim.elements[tuple(body.name for body in env.task.world.layout.figures[0].bodies[1:])]
    fallen, work, lean, start = np.zeros(len(lag), bool), np.zeros(len(lag)), np.zeros(len(lag)), None
    for k in range(round(SECONDS / env.task.tick)):
        env.episodes.step(action)
        fallen |= batch.down[:, 2] > -0.7
        if k * env.task.tick < SETTLED:
            continue
        start = batch.trunk_position[:, :2].copy() if start is None else start
        torque = SERVO_STIFFNESS * (servos.get("rest") - batch.q[:, 7:]) - SERVO_DAMPING * batch.v[:, 6:]
        work += np.abs(torque * batch.v[:, 6:]).sum(axis=1) * env.task.tick
        lean = np.maximum(lean, np.arccos(np.clip(-batch.down[:, 2], -1.0, 1.0)))
    way = batch.trunk_position[:, 0] - start[:, 0]
    way = np.where(fallen | ~np.isfinite(way), 0.0, way)
    weight = 9.81 * env.task.world.layout.figures[0].mass
    cost = np.where(way > 0.1, work / (weight * np.maximum(way, 0.1)), np.nan)  # going nowhere has none
    return {"speed": way / (SECONDS - SETTLED), "cost": cost, "lean": lean}


def alone(point, recording=None, **options):
    """Speed [m/s] of one world in float64, and its recording."""
    task = hexapod_gait()
    sim = task.simulation(**options)
    action = numbers(**{name: np.array([value]) for name, value in point.items()})
    with Recorder(sim, recording, every=task.tick, title="found", reports=False, overwrite=True) as recorder:
        recorder.run(SECONDS, controller=PolicyController(task, lambda seen: action, command=()))
    motion = recorder.recording.motion(0)
    late = np.asarray(motion.time) >= SETTLED + task.tick - 1e-9
    x, t = np.asarray(motion.q)[late, 0], np.asarray(motion.time)[late]
    return float((x[-1] - x[0]) / (t[-1] - t[0])), recorder.recording


def main(folder="gambol-out/gait", budget=2048):
    """Searches, draws, and runs the winner again."""
    folder, target = Path(folder), Target(f"{Path(__file__).resolve()}:walk", batched=True)
    ranges = {name: GAIT[name] for name in SEARCHED}
    options = dict(budget=int(budget), batch=BATCH, constraints=["lean <= 0.25"])
    best = optimise(target, ranges, folder / "fastest", objectives={"speed": "max"}, **options)
    draw_search(best, folder / "fastest")
    both = {"speed": "max", "cost": "min"}
    front = optimise(target, ranges, folder / "front", objectives=both, **options)
    draw_search(front, folder / "front")
    found = {"point": best.point, "batch": best.values, "front": [e.values for e in front.front]}
    found["float64, steps of 2.5 ms"] = alone(best.point)[0]
    fine, path = alone(
        best.point, folder / "walk.gambol", stepping=Stepping(method="implicit-pair", eps=1e-4, max_step=0.01)
    )
    found["float64, error control"] = fine
    save_image(strip(path, times=np.linspace(2.0, 2.5, 6), size=(200, 150)), folder / "walk.png")
    (folder / "numbers.json").write_text(json.dumps(found, indent=1))
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main(*sys.argv[1:])
