"""The energy ledger of a run: every source and sink accounted.

    kinetic + gravity = opening + Σ work of each line + jumps + numerical

Lines are the commands, the drives (driven joints) and the force elements by their `line`. `stored` is what springs
hold at this moment; a spring's work is what it gave, so work + change of stored is what its damper took. `jumps` is
what changes of the state by hand brought (an impact handler, say). `numerical` is what the stepper made (+) or lost
(−): the only line that is not physics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


GOOD, LOOK = 0.01, 0.1  # largest shares of the numerical line in the energy turned over, by word
LEAST = 1e-3  # of weight times size: less than this is not counted as turned over


class LedgerVerdict(NamedTuple):
    """How much of the energy of a run is the stepper's.

    numerical   [J] what it made (+) or lost (−)
    turnover    [J] the most that kinetic energy, change of height, work of all lines, and jumps together came to
    share       numerical / turnover, as a size
    word        "good" below 1 %, "look" below 10 %, "wrong" above
    """

    numerical: float
    turnover: float
    share: float
    word: str


class Jump(NamedTuple):
    """A change of the state by hand; the first of a run has nothing before it."""

    time: float
    steps: float
    before: tuple[np.ndarray, np.ndarray] | None
    after: tuple[np.ndarray, np.ndarray]


class EnergyLedger:
    """Keeps the states at which somebody changed them; energies are worked out when asked for."""

    def __init__(self, sim: Simulation):
        self.sim = sim
        self.jumps: list[Jump] = []
        self._turnover = 0.0  # the most that was seen

    def _now(self) -> tuple[np.ndarray, np.ndarray]:
        return self.sim.q, self.sim.v

    def open(self) -> None:
        """A new run begins here."""
        self._turnover = 0.0
        self.jumps = [Jump(float(self.sim.time), self.sim.counts["steps"], None, self._now())]

    def jump(self, before) -> None:
        """The state was changed by hand; changes with no step between count as one."""
        last = self.jumps[-1]
        time, steps = float(self.sim.time), self.sim.counts["steps"]
        if last.steps == steps and last.time == time:
            self.jumps[-1] = last._replace(after=self._now())
        else:
            self.jumps.append(Jump(time, steps, before, self._now()))

    def saved(self) -> tuple[Jump, ...]:
        """The jumps so far, for a State."""
        return tuple(self.jumps)

    def restore(self, jumps: tuple[Jump, ...]) -> None:
        """The jumps as they were saved."""
        self.jumps = list(jumps)

    def balance(self) -> dict[str, float]:
        """Every line of the ledger [J]."""
        sim = self.sim
        mechanics = sim.mechanics

        def mechanical(state) -> float:
            energies = mechanics.energies(*state)
            return energies["kinetic"] + energies["gravity"]

        elements = {"parameters": sim.memory.read(sim.memory.parameters), "states": sim.memory.read(sim.memory.states)}
        now = mechanics.energies(*self._now(), time=float(sim.time), **elements)
        opening = mechanical(self.jumps[0].after)
        jumps = sum(mechanical(j.after) - mechanical(j.before) for j in self.jumps[1:])
        work = sim.memory.read(sim.memory.lines[: len(sim.compiled.lines)])
        lines = {"kinetic": now["kinetic"], "gravity": now["gravity"], "stored": now["stored"], "opening": opening}
        lines |= {f"work of {line}": float(w) for line, w in zip(sim.compiled.lines, work)}
        lines["jumps"] = float(jumps)
        lines["numerical"] = now["kinetic"] + now["gravity"] - opening - float(np.sum(work)) - lines["jumps"]
        return lines

    def verdict(self) -> LedgerVerdict:
        """The numerical line beside what was turned over, with a word for it."""
        sim, lines = self.sim, self.balance()
        opening = sim.mechanics.energies(*self.jumps[0].after)
        moved = lines["kinetic"] + abs(lines["gravity"] - opening["gravity"]) + abs(lines["jumps"])
        moved += opening["kinetic"] + sum(abs(value) for name, value in lines.items() if name.startswith("work of "))
        weight = sim.mechanics.mass * float(np.linalg.norm(sim.gravity))
        self._turnover = max(self._turnover, moved, LEAST * weight * sim.world.size)
        share = abs(lines["numerical"]) / self._turnover if self._turnover > 0 else 0.0
        word = "good" if share < GOOD else "look" if share < LOOK else "wrong"
        return LedgerVerdict(lines["numerical"], self._turnover, share, word)
