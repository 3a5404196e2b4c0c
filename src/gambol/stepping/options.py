"""How a run is stepped, as plain data."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.stepping.methods import ALIASES, IMPLICIT, METHODS, Method
from gambol.stepping.workspace import FlowCode, MethodNumbers, StepControl, StepRules, Tableau

NO_BOUND = 1e30  # [m/s]: fixed steps are not shortened for the sake of accuracy
NUMBER = int | float | np.integer | np.floating | None


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """How a run is stepped.

    method     a name of gambol.stepping.methods.METHODS, or one of the sources' (rkf, rkfixed, rkvar); "" chooses
    step       [s] the fixed step, or the first one of an adaptive method
    eps        largest error of a step (adaptive methods): the largest over all variables of |error| × scale, where
               the scale of an angle is 1, of a length 1/`length`, of speeds `time` times as much; None chooses
    length     [m] and
    time       [s] are the scales of that norm; length = time = 1 is the rule of the sources
    min_step, max_step   [s]
    precision  [s] to which events are located; touch_tolerance: how close to zero counts as touching
    zeno_gap, zeno_count   so many events in a row closer than this [s] end the run with a ZenoError
    power      exponent by which adaptive steps follow eps / error; None: one over the order of the error, such as
               1/5 for pairs of fifth order, 1/2 for the implicit pair. (The sources have 1/4, whatever the order.)
    max_trials most trial steps that locate an event
    max_attempts   most attempts from one sample to the next
    """

    method: str = ""
    step: float = 1e-3
    eps: float | None = None
    length: float = 1.0
    time: float = 1.0
    min_step: float = 1e-12
    max_step: float = math.inf
    precision: float = 1e-12
    touch_tolerance: float = 1e-12
    zeno_gap: float = 1e-6
    zeno_count: int = 16
    power: float | None = None
    max_trials: int = 120
    max_attempts: int = 100_000_000

    def __post_init__(self) -> None:
        if faults := list(self.faults()):
            raise WorldError(faults)

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with the options."""
        if self.method and self.method not in METHODS and self.method not in ALIASES:
            yield Fault(f"no method {self.method!r}{nearest(self.method, [*METHODS, *ALIASES])}", "stepping")
        positive = (
            "step",
            "length",
            "time",
            "min_step",
            "max_step",
            "precision",
            "touch_tolerance",
            "zeno_gap",
            "zeno_count",
            "max_trials",
            "max_attempts",
        )
        numbers = {name: getattr(self, name) for name in (*positive, "eps", "power")}
        if wrong := {n: x for n, x in numbers.items() if not isinstance(x, NUMBER) or isinstance(x, bool)}:
            yield from (Fault(f"{name} must be a number, it is {value!r}", "stepping") for name, value in wrong.items())
            return
        for name in ("zeno_count", "max_trials", "max_attempts"):
            if float(numbers[name] or 0) % 1:
                yield Fault(f"{name} must be a whole number, it is {numbers[name]}", "stepping")
        for name in positive:
            value = getattr(self, name)
            if not value > 0 or (math.isinf(value) and name != "max_step"):
                yield Fault(f"{name} must be positive and finite, it is {value}", "stepping")
        if self.eps is not None and not 0 < self.eps < math.inf:
            yield Fault(f"eps must be positive and finite, it is {self.eps}", "stepping")
        if self.power is not None and not 0 < self.power <= 1:
            yield Fault(f"power must lie in (0, 1], it is {self.power}", "stepping")
        if self.min_step > self.max_step:
            yield Fault(f"the shortest step {self.min_step:g} s is above the longest {self.max_step:g} s", "stepping")

    @property
    def scheme(self) -> Method:
        """The method; the name must be set."""
        return METHODS[ALIASES.get(self.method, self.method)]

    @property
    def longest_start(self) -> float:
        """[s] that the step after a jump of the state may have, where its length is free.

        A step that passes over a swing may hide its error in the speeds (one implicit step and its halves agree on the
        place where ω h = √8); up to `time` they weigh as much as the places that they lead to.
        """
        return self.time if self.scheme.doubling else math.inf

    def with_defaults(self, *, stiff: bool, dtype=np.float64) -> Stepping:
        """With the method and eps filled in: the implicit pair for stiff worlds, Fehlberg's pair for smooth ones."""
        method = self.method or ("implicit-pair" if stiff else "rkf45")
        done = replace(self, method=method)
        if self.eps is None:
            done = replace(done, eps=1e-3 if done.scheme.kind == IMPLICIT else max(1e-9, finest_eps(dtype)))
        return done

    def rules(self, dtype, scale: np.ndarray, directions: np.ndarray, priorities: np.ndarray) -> StepRules:
        """As the march takes them, in a number type."""
        return StepRules(*_numbers(self, dtype), scale, directions, priorities, FlowCode())


def finest_eps(dtype) -> float:
    """The finest eps that error control can hold in a number type: below, it sees rounding and steps shrink in vain."""
    return 1e3 * float(np.finfo(dtype).eps)


@functools.lru_cache(maxsize=64)
def _numbers(stepping: Stepping, dtype) -> tuple[MethodNumbers, Tableau, StepControl]:
    m, rounding = stepping.scheme, float(np.finfo(dtype).eps)
    method = MethodNumbers(
        kind=m.kind,
        doubling=m.doubling,
        extrapolate=dtype(1.0 / (2.0**m.single_order - 1.0) if m.doubling else 0.0),
        old_share=dtype(m.old),
        first_order=m.single_order == 1,
        adaptive=m.adaptive,
        ends_at_last=m.ends_at_last,
        exponent=float(stepping.power or 1.0 / m.order),
    )
    control = StepControl(
        adaptive=m.adaptive,
        eps=float(stepping.eps or 0.0),
        min_step=float(stepping.min_step),
        max_step=float(stepping.max_step),
        precision=float(stepping.precision),
        touch_tolerance=float(stepping.touch_tolerance),
        instant=rounding**0.375,
        zeno_gap=float(stepping.zeno_gap),
        zeno_count=float(stepping.zeno_count),
        almost=1.0 - 1e5 * rounding,
        max_trials=float(stepping.max_trials),
        max_attempts=int(stepping.max_attempts),
        fine=float(stepping.eps or 0.0) * stepping.length / stepping.time if m.adaptive else NO_BOUND,
    )
    return method, Tableau(*(np.ascontiguousarray(x, dtype) for x in m.arrays)), control
