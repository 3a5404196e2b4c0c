"""A hexapod of 30 DOF learns to walk as fast, and to turn as quickly, as it is told: PPO over 512 worlds on one core.

    pip install 'gambol[train]'
    python examples/train_hexapod.py [FOLDER] [MILLION STEPS]

Writes the policy, its learning curve, and the winner once more in double precision under error control: a recording, a
picture, and how well it follows its command in both.
"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from gambol import Recorder, Stepping
from gambol.draw import save_image, strip
from gambol.learn import BatchEnvironment, PolicyController, hexapod_velocity
from gambol.learn.ppo import Settings, train

COMMANDS = [(0.2, 0.0, 0.0), (0.4, 0.0, 0.0), (0.6, 0.0, 0.0), (0.3, 0.0, 0.4), (0.3, 0.0, -0.4)]  # m/s, m/s, rad/s


def follow(task, policy, command, seconds=6.0, recording=None, **options):
    """Velocity forward [m/s] and turning [rad/s], mean over the last two thirds, of one world in float64."""
    sim = task.simulation(**options)
    with Recorder(sim, recording, every=task.tick, title="learned", reports=False, overwrite=True) as recorder:
        recorder.run(seconds, controller=PolicyController(task, policy, command=command))
    path = recorder.recording.motion(0)
    q, time = np.asarray(path.q), np.asarray(path.time)
    w, x, y, z = q[:, 3:7].T
    heading = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))
    step = np.diff(q[:, :2], axis=0) / np.diff(time)[:, None]
    forward = step[:, 0] * np.cos(heading[:-1]) + step[:, 1] * np.sin(heading[:-1])
    late = time[:-1] > seconds / 3
    turning = (heading[-1] - heading[:-1][late][0]) / (time[-1] - time[:-1][late][0])
    return float(forward[late].mean()), float(turning), recorder.recording


def main(folder="gambol-out/hexapod", million=12.0):
    """Trains, draws, and runs the winner again."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    task = hexapod_velocity()
    env = BatchEnvironment(task, 512, autoreset_mode="SameStep")

    def say(point):
        if point.steps // (env.num_envs * 24) % 20 == 0:
            print(
                f"{point.steps / 1e6:5.2f} M steps, {point.seconds:4.0f} s: return {point.episode:6.2f}, "
                f"length {point.length:5.0f}, reward a second {point.reward / task.tick:5.2f}",
                flush=True,
            )

    policy, curve = train(env, steps=int(1e6 * float(million)), seed=1, settings=Settings(), progress=say)
    policy.write(folder / "policy.npz")
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot([p.steps / 1e6 for p in curve], [p.reward / task.tick for p in curve], color="#2a6f97")
    axes.set(
        xlabel="environment steps [million]", ylabel="reward a second (at most 1.5)", title="A hexapod learns to walk"
    )
    axes.grid(alpha=0.3)
    figure.savefig(folder / "curve.png", dpi=110)

    fine = Stepping(method="implicit-pair", eps=1e-4)
    rows = []
    for command in COMMANDS:
        coarse = follow(task, policy, command)
        file = folder / "walk.gambol" if command == (0.4, 0.0, 0.0) else None
        true = follow(task, policy, command, recording=file, stepping=fine)
        rows.append({"asked": command, "fixed steps": coarse[:2], "error control": true[:2]})
        print(
            f"asked {command[0]:.2f} m/s {command[2]:+.2f} rad/s: fixed steps {coarse[0]:.3f} {coarse[1]:+.3f}, "
            f"error control {true[0]:.3f} {true[1]:+.3f}",
            flush=True,
        )
        if file:
            save_image(strip(true[2], times=np.linspace(4.0, 4.5, 6), size=(200, 150)), folder / "walk.png")
    (folder / "numbers.json").write_text(
        json.dumps({"curve": [p._asdict() for p in curve], "commands": rows}, indent=1)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
