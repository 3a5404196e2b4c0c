"""Proximal policy optimisation (Schulman et al. 2017) over a BatchEnvironment, with JAX and optax (extra `train`).

    env = BatchEnvironment(hexapod_velocity(), 512)
    policy, curve = train(env, steps=10_000_000, seed=1, progress=print)
    policy.write("hexapod.npz")

One file in the manner of CleanRL: rollouts through the environment, generalised advantages, clipped updates in
minibatches. Networks of actor and critic are separate; the spread of actions is learned and the same everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.environment import BatchEnvironment
from gambol.learn.policy import Policy


@dataclass(frozen=True)
class Settings:
    """Of the training.

    rollout      ticks of every world between two updates
    epochs, minibatches   how often, and in how many parts, they are used
    rate         learning rate at the start; it falls to a tenth, linearly
    discount, smoothing   γ and λ of the advantages
    clip         how far the ratio of probabilities may go from 1
    entropy      weight of the entropy
    spread       of the actions at the start
    hidden       units of the hidden layers
    """

    rollout: int = 24
    epochs: int = 4
    minibatches: int = 4
    rate: float = 1e-3
    discount: float = 0.98
    smoothing: float = 0.95
    clip: float = 0.2
    entropy: float = 2e-3
    spread: float = 0.4
    hidden: Sequence[int] = (128, 64)


class Progress(NamedTuple):
    """A point of the learning curve.

    steps        of environments so far
    seconds      so far, of which `simulated` in the environment
    episode      mean return of the last hundred or so episodes, length: their mean length [ticks]
    reward       mean reward of a tick
    spread       of the actions
    """

    steps: int
    seconds: float
    simulated: float
    episode: float
    length: float
    reward: float
    spread: float


class RunningMoments:
    """Mean and spread of observations, as they come."""

    def __init__(self, size: int):
        self.count, self.mean, self.square = 1e-4, np.zeros(size), np.ones(size)

    def add(self, values: np.ndarray) -> None:
        """Rows of observations."""
        count, mean, square = len(values), values.mean(axis=0), values.var(axis=0)
        total = self.count + count
        d = mean - self.mean
        self.square = (self.count * self.square + count * square + d**2 * self.count * count / total) / total
        self.mean = self.mean + d * count / total
        self.count = total

    @property
    def spread(self) -> np.ndarray:
        """At least 0.01."""
        return np.sqrt(np.maximum(self.square, 1e-4))


def train(
    env: BatchEnvironment,
    *,
    steps: int,
    seed: int = 0,
    settings: Settings | None = None,
    progress: Callable[[Progress], None] = lambda point: None,
) -> tuple[Policy, list[Progress]]:
    """The policy after so many environment steps, and its learning curve. The environment resets by "SameStep"."""
    jax, jnp, optax = _libraries()
    if env.metadata["autoreset_mode"].value != "SameStep":
        raise TaskError([Fault("training wants BatchEnvironment(…, autoreset_mode='SameStep')", "training")])
    own = settings or Settings()
    worlds, seen_size, action_size = env.num_envs, len(env.observation_labels), len(env.action_labels)
    updates = max(steps // (worlds * own.rollout), 1)
    rng = np.random.default_rng(seed)
    parameters = _start(rng, seen_size, action_size, own)
    schedule = optax.linear_schedule(own.rate, 0.1 * own.rate, updates * own.epochs * own.minibatches)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
    state = optimiser.init(parameters)
    act = jax.jit(partial(_act, jnp))
    update = jax.jit(partial(_update, jax, jnp, optax, optimiser, own))
    moments = RunningMoments(seen_size)
    seen, _ = env.reset(seed=seed)
    moments.add(seen)
    curve: list[Progress] = []
    recent: list[tuple[float, float]] = []
    began, simulated = time.perf_counter(), 0.0
    for k in range(updates):
        rows: dict[str, list[np.ndarray]] = {name: [] for name in ("x", "a", "logp", "value", "reward", "over")}
        mean, spread = moments.mean.astype(np.float32), moments.spread.astype(np.float32)
        raw, earned = [], 0.0
        for _ in range(own.rollout):
            x = np.clip((seen - mean) / spread, -10.0, 10.0)
            middle, width, value = (np.asarray(part) for part in act(parameters, x))
            noise = rng.standard_normal(middle.shape, np.float32)
            action = middle + width * noise
            before = time.perf_counter()
            after, reward, terminated, truncated, info = env.step(action)
            simulated += time.perf_counter() - before
            over = terminated | truncated
            earned += float(reward.mean())
            if truncated.any():  # time being up is no fault of the state: its value goes on
                final = np.stack([info["final_obs"][w] for w in np.flatnonzero(truncated)])
                last = np.asarray(act(parameters, np.clip((final - mean) / spread, -10.0, 10.0))[2])
                reward[truncated] += own.discount * last
            if over.any():
                finished = info["finished"]
                recent = [*recent, *zip(finished["return"][over], finished["length"][over])][-100:]
            logp = -0.5 * np.sum(noise**2 + 2 * np.log(width), axis=1)
            for name, value_ in zip(rows, (x, action, logp, value, reward, over)):
                rows[name].append(np.asarray(value_, np.float32))
            raw.append(seen)
            seen = after
        last = np.asarray(act(parameters, np.clip((seen - mean) / spread, -10.0, 10.0))[2])
        data = {name: np.stack(values) for name, values in rows.items()}
        advantage = _advantages(data, last, own)
        flat = {name: data[name].reshape(-1, *data[name].shape[2:]) for name in ("x", "a", "logp", "value")}
        flat |= {"advantage": advantage.reshape(-1), "goal": (advantage + data["value"]).reshape(-1)}
        for _ in range(own.epochs):
            order = rng.permutation(len(flat["logp"])).reshape(own.minibatches, -1)
            for part in order:
                parameters, state = update(parameters, state, {name: values[part] for name, values in flat.items()})
        moments.add(np.concatenate(raw[::8]))
        means = np.mean(recent, axis=0) if recent else (np.nan, np.nan)
        noisy = float(np.exp(np.asarray(parameters["spread"])).mean())
        seconds, tick = time.perf_counter() - began, earned / own.rollout
        point = Progress(
            (k + 1) * worlds * own.rollout, seconds, simulated, float(means[0]), float(means[1]), tick, noisy
        )
        curve.append(point)
        progress(point)
    layers = [(np.asarray(w), np.asarray(b)) for w, b in parameters["actor"]]
    about = {"task": env.task.name, "algorithm": "PPO", "steps": curve[-1].steps, "seed": seed, "worlds": worlds}
    about |= {"settings": {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(own).items()}}
    return Policy(layers, moments.mean.astype(np.float32), moments.spread.astype(np.float32), about), curve


def _libraries() -> tuple[Any, Any, Any]:
    try:
        import jax
        import jax.numpy as jnp
        import optax
    except ImportError:
        raise TaskError([Fault("training needs JAX and optax: pip install 'gambol[train]'", "training")]) from None
    return jax, jnp, optax


def _start(rng: np.random.Generator, seen: int, actions: int, own: Settings) -> dict[str, Any]:
    """Orthogonal weights, small ones in the last layer of the actor."""

    def layers(sizes: Sequence[int], last: float) -> list[tuple[np.ndarray, np.ndarray]]:
        made = []
        for k, (a, b) in enumerate(zip(sizes, sizes[1:])):
            q, r = np.linalg.qr(rng.standard_normal((max(a, b), min(a, b))))
            w = q * np.sign(np.diag(r))
            gain = last if k == len(sizes) - 2 else np.sqrt(2)
            made.append(((gain * (w if a >= b else w.T)).astype(np.float32), np.zeros(b, np.float32)))
        return made

    return {
        "actor": layers([seen, *own.hidden, actions], 0.01),
        "critic": layers([seen, *own.hidden, 1], 1.0),
        "spread": np.full(actions, np.log(own.spread), np.float32),
    }


def _network(jnp: Any, layers: Any, x: Any) -> Any:
    for k, (w, b) in enumerate(layers):
        x = x @ w + b
        if k + 1 < len(layers):
            x = jnp.tanh(x)
    return x


def _act(jnp: Any, parameters: Any, x: Any) -> Any:
    value = _network(jnp, parameters["critic"], x)[:, 0]
    return _network(jnp, parameters["actor"], x), jnp.exp(parameters["spread"]), value


def _advantages(data: dict[str, np.ndarray], last: np.ndarray, own: Settings) -> np.ndarray:
    found, after, running = np.empty_like(data["value"]), last, np.zeros_like(last)
    for t in reversed(range(len(found))):
        going = 1.0 - data["over"][t]
        error = data["reward"][t] + own.discount * after * going - data["value"][t]
        running = error + own.discount * own.smoothing * going * running
        found[t], after = running, data["value"][t]
    return found


def _update(
    jax: Any, jnp: Any, optax: Any, optimiser: Any, own: Settings, parameters: Any, state: Any, part: Any
) -> Any:
    def loss(p: Any) -> Any:
        middle, width, value = _act(jnp, p, part["x"])
        logp = -0.5 * jnp.sum(((part["a"] - middle) / width) ** 2 + 2 * jnp.log(width), axis=1)
        ratio = jnp.exp(logp - part["logp"])
        advantage = (part["advantage"] - part["advantage"].mean()) / (part["advantage"].std() + 1e-8)
        gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - own.clip, 1 + own.clip) * advantage)
        wrong = (value - part["goal"]) ** 2
        near = part["value"] + jnp.clip(value - part["value"], -own.clip, own.clip)
        wrong = jnp.maximum(wrong, (near - part["goal"]) ** 2)
        return -gain.mean() + 0.5 * wrong.mean() - own.entropy * jnp.sum(p["spread"])

    changes, state = optimiser.update(jax.grad(loss)(parameters), state, parameters)
    return optax.apply_updates(parameters, changes), state
