"""What an experiment says before it runs, and what it found: statements, limits, verdicts.

A `Statement` is declared with the experiment: what is said, who says it and where, and the `Limit` within which the
measured value has to lie, with the reason for that limit. A `Finding` is that statement with a value; its verdict
follows from the two and from nothing else.

Words of a source become limits once for all: "about" is a factor of ABOUT either way; "far", "much", "substantially",
"dramatic" and ≪ are a factor of FAR; "enormous" and "many orders of magnitude" are ORDERS. Of an ensemble the whole
confidence interval has to lie within the limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gambol import ExperimentError

Kind = Literal["printed", "derived", "ours", "beyond"]
Verdict = Literal["matches", "differs", "beyond", "reported"]
VERDICTS: tuple[Verdict, ...] = ("matches", "differs", "beyond", "reported")
Value = float | int | bool | str
ABOUT, FAR, ORDERS = 1.25, 3.0, 1e3
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate:
    """So many successes in so many trials."""

    successes: int
    trials: int

    @property
    def value(self) -> float:
        """Share of the trials that succeeded."""
        return self.successes / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval at 95 %."""
        from scipy.stats import binomtest

        found = binomtest(self.successes, self.trials).proportion_ci(CONFIDENCE, method="wilson")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        return f"{self.successes} of {self.trials}"


@dataclass(frozen=True)
class Mean:
    """The mean of an ensemble, with Student's interval at 95 %."""

    values: tuple[float, ...]

    def __init__(self, values: Iterable[float]) -> None:
        object.__setattr__(self, "values", tuple(float(v) for v in values))
        if len(self.values) < 2:
            raise ExperimentError("the mean of an ensemble needs two values at least")

    @property
    def value(self) -> float:
        """The mean."""
        return math.fsum(self.values) / len(self.values)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean of all starts lies, at 95 %."""
        from scipy.stats import t

        n, mean = len(self.values), self.value
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in self.values) / (n - 1) / n)
        half = float(t.ppf(0.5 + 0.5 * CONFIDENCE, n - 1)) * spread
        return mean - half, mean + half

    def __str__(self) -> str:
        return f"{self.value:.4g}, mean of {len(self.values)}"


@dataclass(frozen=True)
class Limit:
    """Where a value has to lie, and why there: between two numbers (either may be absent), or one answer in words."""

    why: str
    lower: float | None = None
    upper: float | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        if not self.why:
            raise ExperimentError("a limit needs its reason")
        if self.answer is None and self.lower is None and self.upper is None:
            raise ExperimentError("a limit needs a lower or an upper end, or an answer in words")

    def holds(self, value: Value, interval: Sequence[float] | None = None) -> bool:
        """Is the value within the limit, with its whole interval where it has one?"""
        if self.answer is not None:
            return value == self.answer
        if isinstance(value, str):
            raise ExperimentError(f"{value!r} is no number to hold against {self}")
        return all(self._inside(float(v)) for v in (value, *(interval or ())))

    def _inside(self, value: float) -> bool:
        return (self.lower is None or value >= self.lower) and (self.upper is None or value <= self.upper)

    def __str__(self) -> str:
        if self.answer is not None:
            return self.answer
        if self.lower is None:
            return f"≤ {self.upper:.6g}"
        if self.upper is None:
            return f"≥ {self.lower:.6g}"
        return f"= {self.lower:.6g}" if self.lower == self.upper else f"{self.lower:.6g} to {self.upper:.6g}"


def within(centre: float, by: float, why: str) -> Limit:
    """No farther than `by` from the centre."""
    return Limit(why, centre - by, centre + by)


def last_digit(number: str) -> Limit:
    """Within half a unit of the last digit that is printed, as "5.5"."""
    digits = len(number.partition(".")[2])
    half = 0.5 * 10.0**-digits
    return within(float(number), half * (1 + 1e-9), "half of the last printed digit")


def about(number: float) -> Limit:
    """What a source calls about so much: a factor of ABOUT either way."""
    low, high = sorted((number / ABOUT, number * ABOUT))
    return Limit(f"“about” is a factor of {ABOUT:g} either way", low, high)


def between(lower: float, upper: float, why: str) -> Limit:
    """From one number to another."""
    return Limit(why, lower, upper)


def at_most(number: float, why: str) -> Limit:
    """No more than this."""
    return Limit(why, upper=number)


def at_least(number: float, why: str) -> Limit:
    """No less than this."""
    return Limit(why, lower=number)


def exactly(number: float, why: str = "a count") -> Limit:
    """This number."""
    return Limit(why, number, number)


def answer(words: str, why: str) -> Limit:
    """These words."""
    return Limit(why, answer=words)


def far_below(number: float) -> Limit:
    """What a source calls far less, substantially or dramatically better, ≪: a factor of FAR at least."""
    return at_most(number / FAR, f"“far”, “substantially”, “dramatic”, ≪: a factor of {FAR:g}")


def far_above(number: float) -> Limit:
    """What a source calls far more, ≫: a factor of FAR at least."""
    return at_least(number * FAR, f"“far”, ≫: a factor of {FAR:g}")


def orders_above(number: float) -> Limit:
    """What a source calls enormous, or many orders of magnitude above: a factor of ORDERS at least."""
    return at_least(number * ORDERS, f"“enormous”, “many orders of magnitude”: a factor of {ORDERS:g}")


MOSTLY = at_least(0.5, "“mostly”, “typically”: more than half, with the whole interval")
ALWAYS = exactly(1.0, "said without exception: every trial")


@dataclass(frozen=True)
class Statement:
    """What an experiment is to find, declared before it runs.

    key     short name, its column in tables and sweeps
    kind    printed: the source says it, at `where`; derived: follows from what it prints; ours: a trial of our own;
            beyond: what goes beyond the source
    limit   None for what is reported and compared with nothing
    value   the number or words of the source, None where it has none
    differs what is known of why it differs, where it does
    full    found in full runs only, not in quick ones
    timed   depends on how fast the machine is: no test pins its verdict
    """

    key: str
    statement: str
    kind: Kind
    limit: Limit | None = None
    value: Value | None = None
    where: str = ""
    unit: str = ""
    differs: str = ""
    full: bool = False
    timed: bool = False

    def __post_init__(self) -> None:
        if self.kind in ("printed", "derived") and not self.where:
            raise ExperimentError(f"{self.key}: say where the source prints it, or what it is derived from")
        if self.kind in ("printed", "derived") and self.limit is None:
            raise ExperimentError(f"{self.key}: what the source says needs a limit")
        if not self.key or not set(self.key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
            raise ExperimentError(f"the key {self.key!r} is to be of small letters, digits and dashes")

    @property
    def column(self) -> str:
        """The head of its column: key and unit."""
        return f"{self.key} [{self.unit}]" if self.unit else self.key


def printed(
    key: str, statement: str, where: str, limit: Limit, *, value: Value | None = None, unit: str = "", **more: Any
) -> Statement:
    """What the source prints at a page, figure, table or section."""
    return Statement(key, statement, "printed", limit, value, where, unit, **more)


def derived(
    key: str, statement: str, where: str, limit: Limit, *, value: Value | None = None, unit: str = "", **more: Any
) -> Statement:
    """What follows from what the source prints; `where` says from what."""
    return Statement(key, statement, "derived", limit, value, where, unit, **more)


def ours(key: str, statement: str, limit: Limit | None = None, *, unit: str = "", **more: Any) -> Statement:
    """A check or a trial of our own."""
    return Statement(key, statement, "ours", limit, unit=unit, **more)


def beyond(
    key: str,
    statement: str,
    limit: Limit | None = None,
    *,
    value: Value | None = None,
    where: str = "",
    unit: str = "",
    **more: Any,
) -> Statement:
    """What goes beyond the source; `value` is what it reached, where it says so."""
    return Statement(key, statement, "beyond", limit, value, where, unit, **more)


@dataclass
class Finding:
    """A statement with the value that was measured. `interval` is that of an ensemble, None for a single run."""

    id: str
    source: str
    stated: Statement
    value: Value
    counted: str = ""
    interval: tuple[float, float] | None = None
    note: str = ""
    seed: str = ""
    quick: bool = False
    seconds: float = 0.0
    pictures: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Short name of the statement."""
        return self.stated.key

    @property
    def statement(self) -> str:
        """What was stated."""
        return self.stated.statement

    @property
    def verdict(self) -> Verdict:
        """From the value and the declared limit."""
        limit = self.stated.limit
        if limit is None:
            return "reported"
        if not limit.holds(self.value, self.interval):
            return "differs"
        return "beyond" if self.stated.kind == "beyond" else "matches"

    @property
    def reason(self) -> str:
        """Why it differs, if it does and it is known, and what was noted."""
        why = (self.stated.differs or "not understood yet") if self.verdict == "differs" else ""
        return "; ".join(text for text in (why, self.note) if text)

    def as_row(self) -> dict[str, Any]:
        """As a row of the results file."""
        said = self.stated
        value = self.value if not isinstance(self.value, float) or math.isfinite(self.value) else str(self.value)
        return {
            "id": self.id,
            "key": said.key,
            "source": self.source,
            "where": said.where,
            "kind": said.kind,
            "statement": said.statement,
            "printed": said.value,
            "limit": str(said.limit) if said.limit else None,
            "why": said.limit.why if said.limit else "",
            "ours": value,
            "counted": self.counted,
            "interval": list(self.interval) if self.interval else None,
            "unit": said.unit,
            "verdict": self.verdict,
            "reason": self.reason,
            "seed": self.seed,
            "quick": self.quick,
            "seconds": self.seconds,
            "pictures": list(self.pictures),
        }
