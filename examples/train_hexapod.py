"""A hexapod of 30 DOF learns to walk as fast, and to turn as quickly, as it is told: PPO over 512 worlds on one core.

    pip install 'gambol[train]'
    python examples/train_hexapod.py [FOLDER] [MILLION STEPS] [SEEDS, such as 1,2,3]
    python examples/train_hexapod.py curve.csv PICTURE      draws learning curves that were written before

Writes the policies, their learning curves (numbers and picture), and each once more in double precision under error
control: a recording, a picture, and how well it follows its command in its batch, alone, and so.
"""

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol import Recorder, Stepping
from gambol.draw import save_image, strip
from gambol.learn import BatchEnvironment, Commands, PolicyController, hexapod_velocity
from gambol.learn.ppo import Settings, train
from gambol.plot import CURVE_COLOURS, canvas, dress, save

TASK = hexapod_velocity()
WORLDS = 512
MOST = 1.5  # reward a second [1/s] that follows its command without fault
COMMANDS = [(0.2, 0.0, 0.0), (0.4, 0.0, 0.0), (0.6, 0.0, 0.0), (0.3, 0.0, 0.4), (0.3, 0.0, -0.4)]  # m/s, m/s, rad/s


def motion(time, q):
    """Velocity forward [m/s] and turning [rad/s] of every world, mean over the last two thirds; q (…, worlds, 31)."""
    w, x, y, z = np.moveaxis(q[..., 3:7].astype(float), -1, 0)
    heading = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)), axis=0)
    step = np.diff(q[..., :2].astype(float), axis=0) / np.diff(time)[:, None, None]
    forward = step[..., 0] * np.cos(heading[:-1]) + step[..., 1] * np.sin(heading[:-1])
    late = np.flatnonzero(time[:-1] > time[-1] / 3)
    return forward[late].mean(axis=0), (heading[-1] - heading[late[0]]) / (time[-1] - time[late[0]])


def follow(policy, command, seconds=6.0, recording=None, **options):
    """Velocity forward [m/s], turning [rad/s] and the recording of one world in float64."""
    sim = TASK.simulation(**options)
    with Recorder(sim, recording, every=TASK.tick, title="learned", reports=False, overwrite=True) as recorder:
        recorder.run(seconds, controller=PolicyController(TASK, policy, command=command))
    path = recorder.recording.motion(0)
    forward, turning = motion(np.asarray(path.time), np.asarray(path.q)[:, None])
    return float(forward[0]), float(turning[0]), recorder.recording


def follow_in_batch(policy, command, seconds=6.0, worlds=64):
    """The same of a batch in float32, each world from a start of its own: mean and spread over those that stay up."""
    others = [change for change in TASK.changes if not isinstance(change, Commands)]
    env = BatchEnvironment(replace(TASK, changes=[Commands(low=command, high=command), *others]), worlds)
    seen, _ = env.reset(seed=0)
    q, up = [env.episodes.batch.q.copy()], np.ones(worlds, bool)
    for _ in range(round(seconds / TASK.tick)):
        seen, _, over, _, _ = env.step(policy(seen))
        q.append(env.episodes.batch.q.copy())
        up &= ~over
    found = [
        values[up] if up.any() else np.full(1, np.nan) for values in motion(TASK.tick * np.arange(len(q)), np.array(q))
    ]
    return [float(values.mean()) for values in found], [float(values.std()) for values in found], int(up.sum())


def trained(seed=1, million=12.0, folder=""):
    """Trains once; how well the policy follows its commands in double precision under error control, as numbers.

    A point of a study: gambol sweep examples/train_hexapod.py:trained --grid seed=1,2,3 [--on ray]
    """
    policy, curve = learn(int(seed), float(million))
    if folder:
        policy.write(Path(folder) / f"policy-{seed}.npz")
    rows = judged(policy)
    off = np.array([np.subtract(row["error control"], np.take(row["asked"], (0, 2))) for row in rows])
    numbers = {f"{row['asked'][0]:g} m/s {row['asked'][2]:+g} rad/s": row["error control"][0] for row in rows}
    error = dict(zip(("speed off [m/s]", "turning off [rad/s]"), np.sqrt(np.mean(off**2, axis=0))))
    return {"reward a second": curve[-1].reward / TASK.tick, **error, **numbers, "training [s]": curve[-1].seconds}


def learn(seed, million):
    """The policy, and its learning curve."""
    env = BatchEnvironment(TASK, WORLDS, autoreset_mode="SameStep")

    def say(point):
        if point.steps // (env.num_envs * 24) % 20 == 0:
            print(
                f"seed {seed}, {point.steps / 1e6:5.2f} M steps, {point.seconds:4.0f} s: return {point.episode:6.2f}, "
                f"length {point.length:5.0f}, reward a second {point.reward / TASK.tick:5.2f}",
                flush=True,
            )

    return train(env, steps=int(1e6 * million), seed=seed, settings=Settings(), progress=say)


def judged(policy, recording=None):
    """What it does with every command: in its batch, alone, under error control; one is recorded and drawn."""
    fine = Stepping(method="implicit-pair", eps=1e-4)
    rows = []
    for command in COMMANDS:
        batch, spread, up = follow_in_batch(policy, command)
        coarse = follow(policy, command)
        file = recording if command == (0.4, 0.0, 0.0) else None
        true = follow(policy, command, recording=file, stepping=fine)
        row = {"asked": command, "batch": batch, "spread": spread, "up": up}
        rows.append(row | {"fixed steps": coarse[:2], "error control": true[:2]})
        print(
            f"asked {command[0]:.2f} m/s {command[2]:+.2f} rad/s: batch {batch[0]:.3f} ± {spread[0]:.3f}, "
            f"{batch[1]:+.3f} ± {spread[1]:.3f} ({up} stay up), fixed steps {coarse[0]:.3f}, {coarse[1]:+.3f}, "
            f"error control {true[0]:.3f}, {true[1]:+.3f}",
            flush=True,
        )
        if file:
            save_image(strip(true[2], times=np.linspace(4.0, 4.5, 6), size=(200, 150)), file.with_suffix(".png"))
    return rows


def tabled(curves, file):
    """Learning curves as CSV: steps of the environments, and of each seed the mean reward a second [1/s]."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["steps", *(f"seed {seed} [1/s]" for seed in curves)])
        for row in zip(*curves.values()):
            table.writerow([row[0]["steps"], *(f"{point['reward'] / TASK.tick:.4f}" for point in row)])


def drawn(table, file):
    """Learning curves of all seeds and their mean, from a table of theirs: means over as long as an episode.

    All worlds end their episodes at once, and set off from standing: below is the mean of the seeds as it came.
    """
    names = table.read_text(encoding="utf-8").split("\n", 1)[0].split(",")[1:]
    steps, *rewards = np.loadtxt(table, delimiter=",", skiprows=1, ndmin=2).T
    width = min(round(WORLDS * TASK.ticks / steps[0]), len(steps))
    over = lambda row: np.convolve(row, np.full(width, 1 / width), mode="valid")
    picture = canvas(6.6, 3.9)
    axes = picture.subplots()
    axes.axhline(MOST, color=CURVE_COLOURS[6], ls=":", lw=1.2, label=f"the most that there is: {MOST:g}")
    axes.plot(1e-6 * steps, np.mean(rewards, axis=0), color="#c9cdd3", lw=0.8, label="mean, update by update")
    for name, row, colour, dashes in zip(names, rewards, CURVE_COLOURS[1:4], ("-", "--", "-.")):
        axes.plot(1e-6 * over(steps), over(row), lw=1.1, ls=dashes, color=colour, label=name.removesuffix(" [1/s]"))
    if len(rewards) > 1:
        label = f"mean of {len(rewards)} seeds, over an episode"
        mean = over(np.mean(rewards, axis=0))
        axes.plot(1e-6 * over(steps), mean, color=CURVE_COLOURS[0], lw=2.2, alpha=0.75, label=label)
    dress(
        axes, x="steps of all environments [million]", y="reward [1/s]", title="A hexapod learns to walk as it is told"
    )
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    save(picture, file)


def main(folder="gambol-out/hexapod", million=12.0, seeds="1"):
    """Trains with each seed, draws, and runs every winner again."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for seed in map(int, str(seeds).split(",")):
        policy, curve = learn(seed, float(million))
        policy.write(folder / f"policy-{seed}.npz")
        rows = judged(policy, None if found else folder / "walk.gambol")
        found[seed] = {"curve": [p._asdict() for p in curve], "commands": rows}
        tabled({seed: own["curve"] for seed, own in found.items()}, folder / "curve.csv")
        drawn(folder / "curve.csv", folder / "curve.png")
        (folder / "numbers.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].endswith(".csv"):
        drawn(*map(Path, sys.argv[1:3]))
    else:
        main(*sys.argv[1:])
