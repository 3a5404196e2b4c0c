"""How a run is stepped, as plain data."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.stepping.methods import ALIASES, IMPLICIT, METHODS, Method
from gambol.stepping.room import Control


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """How a run is stepped.

    method     a name of gambol.stepping.methods.METHODS, or one of the sources' (rkf, rkfixed, rkvar); "" chooses
    step       [s] the fixed step, or the first one of an adaptive method
    eps        largest error of a step (adaptive methods): the largest over all variables of |error| × scale, where
               the scale of an angle is 1, of a length 1/`length`, of speeds `time` times as much; None chooses
    length     [m] and
    time       [s] are the scales of that norm; length = time = 1 is the rule of the sources
    least, most   [s] the shortest and longest step
    precision  [s] to which events are located; graze: how close to zero counts as touching
    zeno_gap, zeno_count   so many events in a row closer than this [s] end the run with a ZenoError
    power      exponent by which adaptive steps follow eps / error; None: by the order of the method
    trials     most trial steps that locate an event
    budget     most attempts from one sample to the next
    """

    method: str = ""
    step: float = 1e-3
    eps: float | None = None
    length: float = 1.0
    time: float = 1.0
    least: float = 1e-12
    most: float = math.inf
    precision: float = 1e-12
    graze: float = 1e-12
    zeno_gap: float = 1e-6
    zeno_count: int = 16
    power: float | None = None
    trials: int = 120
    budget: int = 100_000_000

    def __post_init__(self) -> None:
        if faults := list(self.faults()):
            raise WorldError(faults)

    def faults(self) -> Iterator[Fault]:
        if self.method and self.method not in METHODS and self.method not in ALIASES:
            yield Fault(f"no method {self.method!r}{nearest(self.method, [*METHODS, *ALIASES])}", "stepping")
        positive = (
            "step",
            "length",
            "time",
            "least",
            "most",
            "precision",
            "graze",
            "zeno_gap",
            "zeno_count",
            "trials",
            "budget",
        )
        for name in positive:
            value = getattr(self, name)
            if not value > 0:
                yield Fault(f"{name} must be positive, it is {value}", "stepping")
        if self.eps is not None and not self.eps > 0:
            yield Fault(f"eps must be positive, it is {self.eps}", "stepping")
        if self.power is not None and not 0 < self.power <= 1:
            yield Fault(f"power must lie in (0, 1], it is {self.power}", "stepping")
        if self.least > self.most:
            yield Fault(f"the shortest step {self.least:g} s is above the longest {self.most:g} s", "stepping")

    @property
    def chosen(self) -> Method:
        """The method; the name must be set."""
        return METHODS[ALIASES.get(self.method, self.method)]

    def completed(self, *, stiff: bool) -> Stepping:
        """With the method and eps filled in: the implicit pair for stiff worlds, Fehlberg's pair for smooth ones."""
        method = self.method or ("implicit-pair" if stiff else "rkf45")
        done = replace(self, method=method)
        if self.eps is None:
            done = replace(done, eps=1e-3 if done.chosen.kind == IMPLICIT else 1e-9)
        return done

    def kernel(self, dtype) -> tuple[tuple, tuple, Control]:
        """(method, tableau, control) as the march takes them, in a number type."""
        return _kernel(self, dtype)

    def _kernel(self, dtype) -> tuple[tuple, tuple, Control]:
        m = self.chosen
        extrapolate = 1.0 / (2.0**m.single_order - 1.0) if m.doubling else 0.0
        method = (m.kind, m.doubling, dtype(extrapolate), dtype(m.old), m.single_order == 1, m.adaptive, m.ends_at_last)
        tableau = tuple(np.ascontiguousarray(x, dtype) for x in m.arrays)
        rounding = float(np.finfo(dtype).eps)
        numbers: tuple[float | None, ...] = (
            self.eps,
            self.least,
            self.most,
            self.precision,
            self.graze,
            rounding**0.375,
        )
        numbers += (self.zeno_gap, self.zeno_count)
        almost = 1.0 - 1e5 * rounding
        control = Control(  # type: ignore[call-arg]
            m.adaptive,
            *(float(x or 0.0) for x in numbers),  # type: ignore[arg-type]
            almost,
            float(self.power or 0.0),
            float(self.trials),
            int(self.budget),
        )
        return method, tableau, control


@functools.lru_cache(maxsize=64)
def _kernel(stepping: Stepping, dtype) -> tuple[tuple, tuple, Control]:
    return stepping._kernel(dtype)
