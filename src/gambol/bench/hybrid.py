"""The compliant hexapod, a hybrid system of 65 charts: real time, batches, and SciPy's solve_ivp beside it."""

import time
from collections.abc import Callable

import numpy as np

from gambol import GambolError, HybridRun, Stepping
from gambol.bench.result import Floor, Result
from gambol.hybrid.compiled import compile_system
from gambol.hybrid.flow import evaluate
from gambol.hybrid.inputs import CHART, CHART_INPUTS
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod

HYBRID_STEPPING = Stepping(method="rk3", eps=1e-4, max_step=2e-3, step=1e-4, precision=1e-9)
HEXAPOD_CYCLE, HEXAPOD_SWEEP = 0.7, 0.5
HEXAPOD_WORLDS = 64
# simulated seconds in a turn: one cycle; a batch has all phases at once
ROUND_SECONDS, BATCH_ROUND_SECONDS = HEXAPOD_CYCLE, 0.1
HYBRID_FLOOR, HYBRID_BATCH_FLOOR = 50.0, 3.0  # what is asked for
POSITION_TOLERANCE = 2e-3  # [m] of the bodies after half a second


def benchmark_hexapod() -> CompliantHexapod:
    """The hexapod that is timed."""
    return CompliantHexapod(cycle=HEXAPOD_CYCLE, sweep=HEXAPOD_SWEEP)


class SciPyHexapod:
    """The same compiled functions under scipy.integrate.solve_ivp, a call for every epoch, with terminal events."""

    name = "SciPy solve_ivp"

    def __init__(self) -> None:
        self.system = benchmark_hexapod()
        self.compiled = compile_system(type(self.system))  # type: ignore[arg-type]
        self.chart, self.x = self.system.initial()
        self.t = 0.0
        weights = self.system.error_weights()
        self.atol = np.where(weights > 0, HYBRID_STEPPING.eps / np.maximum(weights, 1e-12), 1e3)
        self.inputs = np.array([[*self.system.p, *[0.0] * CHART_INPUTS]])
        self._seen: tuple[float, bytes] | None = None
        self._edges = np.zeros((1, self.compiled.slots.count))

    def _call(self, address: int, t: float, x: np.ndarray, out: np.ndarray) -> None:
        evaluate(address, np.array([t]), np.ascontiguousarray(x)[None, :], self.inputs, out)

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """dx/dt."""
        out = np.zeros((1, len(x)))
        self._call(self.compiled.flow, t, x, out)
        return out[0]

    def edges(self, t: float, x: np.ndarray) -> np.ndarray:
        """All boundary functions; SciPy asks for them one by one at the same point."""
        key = (t, x.tobytes())
        if key != self._seen:
            self._call(self.compiled.boundaries, t, x, self._edges)
            self._seen = key
        return self._edges[0]

    def _events(self) -> list[Callable]:
        made = []
        for k in range(self.compiled.slots.count):

            def event(t, x, k=k):
                return self.edges(t, x)[k]

            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
            made.append(event)
        return made

    def run(self, duration: float) -> None:
        """Integrates for `duration` [s], chart after chart."""

        from scipy.integrate import solve_ivp

        end, place = self.t + duration, len(self.system.p) + CHART
        while self.t < end:
            self.inputs[0, place] = self.chart
            self._seen = None
            longest = HYBRID_STEPPING.max_step
            options = dict(method="RK23", rtol=1e-12, atol=self.atol, max_step=longest, first_step=1e-5)
            if end - self.t <= 1e-5:
                options.pop("first_step")
            found = solve_ivp(self.rates, (self.t, end), self.x, events=self._events(), **options)
            if found.status < 0:
                raise GambolError(f"solve_ivp failed at t = {found.t[-1]:g} s: {found.message}")
            self.t, self.x = float(found.t[-1]), np.ascontiguousarray(found.y[:, -1])
            if found.status == 1:
                fired = np.array([[1.0 if len(e) else 0.0 for e in found.t_events]])
                state = self.x[None, :].copy()
                evaluate(self.compiled.transition, np.array([self.t]), state, self.inputs, fired)
                self.x, self.chart = state[0], int(self.inputs[0, place])


def rate_of(run: Callable[[float], object], duration: float) -> float:
    """Simulated seconds per wall second."""
    began = time.perf_counter()
    run(duration)
    return duration / (time.perf_counter() - began)


def check_same_motion() -> None:
    """Both simulators take the same hexapod to the same place."""
    ours, theirs = HybridRun(benchmark_hexapod(), stepping=HYBRID_STEPPING), SciPyHexapod()
    ours.run(0.5)
    theirs.run(0.5)
    error = float(np.abs(ours.x[:3] - theirs.x[:3]).max())
    if not error <= POSITION_TOLERANCE:
        raise GambolError(f"the hexapods of SciPy and Gambol are {error:.3g} m apart after 0.5 s: nothing was timed")


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """One hexapod on one core."""
    check_same_motion()
    ours, theirs = HybridRun(benchmark_hexapod(), stepping=HYBRID_STEPPING, keep_changes=False), SciPyHexapod()
    ours.run(1.0)
    theirs.run(ROUND_SECONDS)
    best, peer = 0.0, 0.0
    for _ in range(rounds):
        best, peer = max(best, rate_of(ours.run, ROUND_SECONDS)), max(peer, rate_of(theirs.run, ROUND_SECONDS))
        progress()
    metric = "simulated seconds a second, one hexapod on one core (the ratio is this number)"
    return [
        Result("hexapod-hybrid", metric, "s/s", best, {theirs.name: peer}, best, Floor("ratio", HYBRID_FLOOR)),
    ]


def measure_batch(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Many hexapods with different clocks in packs on one core, against one."""
    cycles = np.linspace(0.6, 1.0, HEXAPOD_WORLDS)
    alone = HybridRun(benchmark_hexapod(), stepping=HYBRID_STEPPING, keep_changes=False)
    batch = HybridRun(
        benchmark_hexapod(),
        worlds=HEXAPOD_WORLDS,
        parameters={"cycle": cycles},
        stepping=HYBRID_STEPPING,
        threads=1,
        keep_changes=False,
    )
    alone.run(1.0)
    batch.run(1.0)
    single, together = 0.0, 0.0
    for _ in range(rounds):
        single = max(single, rate_of(alone.run, ROUND_SECONDS))
        together = max(together, HEXAPOD_WORLDS * rate_of(batch.run, BATCH_ROUND_SECONDS))
        progress()
    metric = f"simulated seconds a second, {HEXAPOD_WORLDS} hexapods in packs on one core, against one alone"
    return [
        Result.of_rates(
            "hexapod-hybrid-batch", metric, "s/s", together, {"one alone": single}, Floor("ratio", HYBRID_BATCH_FLOOR)
        )
    ]
