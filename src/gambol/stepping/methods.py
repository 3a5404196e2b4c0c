"""Stepping methods as data: Butcher tableaux, and the few numbers that tell the others apart.

    HEUN = register(tableau("heun", 2, ((1,),), (F(1, 2), F(1, 2)), (1, 0)))      # in a file of your own
    sim = Simulation(world, stepping=Stepping(method="heun", eps=1e-6))

An explicit method is a tableau and nothing else: every run takes it by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction as F
from typing import Any

import numpy as np

from gambol.errors import Fault, WorldError

# What one step is made of
EXPLICIT, EULER, IMPLICIT = 0, 1, 2
STAGES = 7  # space for this many


@dataclass(frozen=True)
class Method:
    """A stepping method.

    `kind`: EXPLICIT (a tableau), EULER (positions moved by a mix of old and new speeds) or IMPLICIT (linearly
    implicit Euler). `order` is that of the result; `adaptive` methods estimate their error, from an embedded result
    (`error` weights) or by `doubling` (one step against two halves, extrapolated).
    """

    name: str
    kind: int
    order: int
    adaptive: bool = False
    doubling: bool = False
    a: tuple = ()
    b: tuple = (F(1),)
    error: tuple = ()
    old: float = 0.0  # EULER: share of the old speeds in moving the positions
    note: str = ""
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        stages = len(self.b)
        a, c = np.zeros((stages, stages)), np.zeros(stages)
        for s, row in enumerate(self.a):
            a[s, : len(row)] = [float(x) for x in row]
            c[s] = float(sum(row, F(0)))
        b = np.array([[float(x) for x in self.b]])
        error = np.array([[float(x) for x in self.error]]) if self.error else np.zeros((1, stages))
        object.__setattr__(self, "arrays", (a, b, c, error))

    @property
    def ends_at_last(self) -> bool:
        """Is the last stage evaluated where the step ends?"""
        return self.kind == EXPLICIT and not self.doubling and len(self.a) > 1 and (*self.a[-1], F(0)) == self.b

    @property
    def single_order(self) -> int:
        """Order of one step before extrapolation."""
        return self.order - 1 if self.doubling else self.order


def tableau(name: str, order: int, a: Sequence, b: Sequence, lower: Sequence | None = None, **more: Any) -> Method:
    """An explicit Runge–Kutta method.

    a       weights of the earlier stages in each stage after the first, rows of growing length
    b       weights of the stages in the result, which is of this order
    lower   weights of a result one order lower: with these it is adaptive
    """
    rows, result = tuple(tuple(map(F, row)) for row in a), tuple(map(F, b))
    faults = [
        f"stage {s + 2} needs {s + 1} weights or fewer, not {len(row)}"
        for s, row in enumerate(rows)
        if len(row) > s + 1
    ]
    faults += [
        f"{len(rows) + 1} stages need as many weights, not {len(w)}" for w in (b, lower or b) if len(w) != len(rows) + 1
    ]
    faults += [
        f"the weights of a result add up to 1, not {float(sum(map(F, w))):g}"
        for w in (b, lower or b)
        if sum(map(F, w)) != 1
    ]
    if faults:
        raise WorldError([Fault(message, f"method {name}") for message in dict.fromkeys(faults)])
    error = tuple(x - F(y) for x, y in zip(result, lower)) if lower else ()
    return Method(name, EXPLICIT, order, adaptive=bool(lower), a=((), *rows), b=result, error=error, **more)


EULER_METHODS = (
    Method("euler", EULER, 1, old=1.0, note="q += h v, then v += h a"),
    Method("semi-implicit-euler", EULER, 1, old=0.0, note="v += h a, then q += h v; the Euler method of corpus 1990"),
    Method("euler-1994", EULER, 1, old=0.5, note="q += h (v + v')/2: exact for constant acceleration; corpus 1994"),
)

RK4 = tableau("rk4", 4, ((F(1, 2),), (F(0), F(1, 2)), (F(0), F(0), F(1))), (F(1, 6), F(1, 3), F(1, 3), F(1, 6)))

RKF45 = tableau(
    "rkf45",
    5,
    (
        (F(1, 4),),
        (F(3, 32), F(9, 32)),
        (F(1932, 2197), F(-7200, 2197), F(7296, 2197)),
        (F(439, 216), F(-8), F(3680, 513), F(-845, 4104)),
        (F(-8, 27), F(2), F(-3544, 2565), F(1859, 4104), F(-11, 40)),
    ),
    (F(16, 135), F(0), F(6656, 12825), F(28561, 56430), F(-9, 50), F(2, 55)),
    (F(25, 216), F(0), F(1408, 2565), F(2197, 4104), F(-1, 5), F(0)),
    note="Fehlberg 4(5), advanced with the fifth order: `rkf` of the sources",
)

CASH_KARP = tableau(
    "cash-karp",
    5,
    (
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(3, 10), F(-9, 10), F(6, 5)),
        (F(-11, 54), F(5, 2), F(-70, 27), F(35, 27)),
        (F(1631, 55296), F(175, 512), F(575, 13824), F(44275, 110592), F(253, 4096)),
    ),
    (F(37, 378), F(0), F(250, 621), F(125, 594), F(0), F(512, 1771)),
    (F(2825, 27648), F(0), F(18575, 48384), F(13525, 55296), F(277, 14336), F(1, 4)),
)

DORMAND_PRINCE = tableau(
    "dormand-prince",
    5,
    (
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(44, 45), F(-56, 15), F(32, 9)),
        (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
        (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
        (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)),
    ),
    (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84), F(0)),
    (F(5179, 57600), F(0), F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40)),
)

RK3 = tableau(
    "rk3",
    3,
    ((F(1, 2),), (F(0), F(3, 4)), (F(2, 9), F(1, 3), F(4, 9))),
    (F(2, 9), F(1, 3), F(4, 9), F(0)),
    (F(7, 24), F(1, 4), F(1, 3), F(1, 8)),
    note="Bogacki–Shampine 3(2), the adaptive third-order method of the hybrid simulator",
)

RK4_DOUBLING = Method(
    "rk4-doubling",
    EXPLICIT,
    5,
    adaptive=True,
    doubling=True,
    a=RK4.a,
    b=RK4.b,
    note="RK4, one step against two halves, extrapolated: `rkvar` of the sources",
)

IMPLICIT_METHODS = (
    Method("implicit-euler", IMPLICIT, 1, note="linearly implicit Euler, fixed step; for previews"),
    Method("implicit-pair", IMPLICIT, 2, adaptive=True, doubling=True, note="linearly implicit, Richardson pair"),
)

METHODS = {
    m.name: m for m in (*EULER_METHODS, RK4, RKF45, CASH_KARP, DORMAND_PRINCE, RK3, RK4_DOUBLING, *IMPLICIT_METHODS)
}
ALIASES = {"rkf": "rkf45", "rkfixed": "rk4", "rkvar": "rk4-doubling", "dopri5": "dormand-prince"}


def register(method: Method) -> Method:
    """Adds a method of your own to those that `Stepping(method=…)` knows."""
    if method.name in METHODS or method.name in ALIASES:
        raise WorldError([Fault("there is a method of that name", f"method {method.name}")])
    METHODS[method.name] = method
    return method
