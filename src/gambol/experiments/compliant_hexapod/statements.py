"""What the report says of figures 6 to 10, measured on many parameter sets at once: one batch of runs for all."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.experiments.compliant_hexapod.coexisting import (
    PRINTED_STARTS,
    SAMPLES_PER_CYCLE,
    period_of,
    velocities_along,
)
from gambol.experiments.compliant_hexapod.trials import HexapodTrials, run_trials
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start

GRID_CYCLES, GRID_SWEEPS = (0.4, 0.8, 1.2), (0.1, 0.55, 1.05)  # [s], [rad]: corners, sides and middle of fig. 6
SLOPES = np.array([-0.2, -0.1, 0.0, 0.05, 0.1, 0.15, 0.2])
DIRECTIONS = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
SLOW, FAST = (1.0,), (1.6, 2.4)  # [m/s] starts that are to be recovered from, and that are to topple it
ORBIT_GAIT, SLOPE_GAIT = {"cycle": 0.7, "sweep": 0.5}, {"cycle": 1.0, "sweep": np.pi / 10}
GAIT_CYCLES, ORBIT_CYCLES = 36, 12
STATEMENTS = ("settles", "orbit", "recovers", "topples", "different", "varies", "uphill", "life", "decreases")


@dataclass(frozen=True)
class Share:
    """Runs of one kind for every parameter set: (sets, runs)."""

    trials: HexapodTrials
    sets: int

    def table(self, values: np.ndarray) -> np.ndarray:
        """Values of the worlds as (sets, runs)."""
        return values.reshape(self.sets, -1)


def run_share(
    sets: list[dict[str, float]], own: list[dict[str, float]], velocities: np.ndarray, duration: float, **more
) -> Share:
    """Every parameter set in every one of `own` (gaits, slopes), from the velocities (to the right, forward) [m/s]."""
    usual = CompliantHexapod().p
    worlds = [usual._replace(**given, **extra) for given in sets for extra in own]
    names = sorted({name for w in (*sets, *own) for name in w})
    x = np.array([start(p, velocity=tuple(velocities[k % len(own)]))[1] for k, p in enumerate(worlds)])
    parameters = {name: np.array([getattr(p, name) for p in worlds]) for name in names}
    trials = run_trials(CompliantHexapod(), parameters, worlds=len(worlds), duration=duration, x=x, **more)
    return Share(trials, len(sets))


@dataclass(frozen=True)
class Measured:
    """What came of each parameter set; arrays over the sets.

    settles   share of the grid of cycles and sweeps that runs forward
    orbit     1 where the gait of fig. 7 repeats every cycle
    recovers  share of the starts up to 1 m/s that come back to the gait; topples: share of the faster that fall
    different difference of the periods from the two printed starts; −1: one falls, 0 also where neither is periodic
    varies    range of the speed over the slopes, of that on the flat; uphill: largest gain uphill, of it
    life      longest battery life [min]; decreases: share of the steps from slope to slope that shorten it
    """

    settles: np.ndarray
    orbit: np.ndarray
    recovers: np.ndarray
    topples: np.ndarray
    different: np.ndarray
    varies: np.ndarray
    uphill: np.ndarray
    life: np.ndarray
    decreases: np.ndarray

    @cached_property
    def holds(self) -> np.ndarray:
        """(sets, statements): which hold, by the limits of the experiments of each figure."""
        return np.column_stack(
            [
                self.settles >= 1.0,
                self.orbit >= 1.0,
                self.recovers >= 1.0,
                self.topples >= 0.5,
                self.different >= 1,
                self.varies >= 0.25,
                self.uphill >= 0.02,
                (self.life >= 36.0) & (self.life <= 56.25),
                self.decreases >= 1.0,
            ]
        )

    @property
    def score(self) -> np.ndarray:
        """Statements that hold, and below one how near the others are."""
        near = [self.settles, self.recovers, 2 * self.topples, self.uphill / 0.02, self.decreases]
        soft = np.mean([np.clip(np.nan_to_num(v), 0.0, 1.0) for v in near], axis=0)
        return self.holds.sum(axis=1) + 0.9 * soft


def circle(speeds: tuple[float, ...]) -> np.ndarray:
    """Velocities of these sizes in every direction."""
    return np.array([(s * np.cos(a), s * np.sin(a)) for s in speeds for a in DIRECTIONS])


def periods_of(trials: HexapodTrials, cycles: int) -> np.ndarray:
    """Of each world, in cycles; 0: none, −1: it fell."""
    late = velocities_along(trials.path.x[-cycles * SAMPLES_PER_CYCLE :])
    return np.array([-1 if f else period_of(late[:, k]) for k, f in enumerate(trials.fallen)])


def run_gaits_of(sets: list[dict[str, float]], gaits: list[dict[str, float]]) -> np.ndarray:
    """Periods (sets, 2) from the two printed starts, each set with its own clock of fig. 8; those of one cycle run
    together, because they are looked at at its multiples."""
    found = np.zeros((len(sets), 2))
    cycles = np.array([gait["cycle"] for gait in gaits])
    for cycle in np.unique(cycles):
        here = np.flatnonzero(cycles == cycle)
        given = [sets[k] | gaits[k] for k in here]
        every, span = cycle / SAMPLES_PER_CYCLE, GAIT_CYCLES * cycle
        share = run_share(given, [{}, {}], PRINTED_STARTS, span, settled=0.0, every=every)
        found[here] = share.table(periods_of(share.trials, 24))
    return found


def measure(sets: list[dict[str, float]], gaits: list[dict[str, float]]) -> Measured:
    """Every statement of figures 6 to 10 on every parameter set; `gaits` are the clocks that fig. 8 is run with."""
    grid = [{"cycle": c, "sweep": s} for c in GRID_CYCLES for s in GRID_SWEEPS]
    surface = run_share(sets, grid, np.zeros((len(grid), 2)), 7.0, settled=4.0, every=0.5)
    speed = surface.table(surface.trials.speed)
    orbit = run_share(
        sets, [ORBIT_GAIT], np.zeros((1, 2)), ORBIT_CYCLES * 0.7, settled=0.0, every=0.7 / SAMPLES_PER_CYCLE
    )
    starts = circle((0.0, *SLOW, *FAST))[len(DIRECTIONS) - 1 :]
    thrown = run_share(sets, [{}] * len(starts), starts, 5.0, settled=3.5, every=0.1)
    own, fell = thrown.table(thrown.trials.track_speed), thrown.table(thrown.trials.fallen)
    with np.errstate(invalid="ignore"):
        back = np.abs(own - own[:, :1]) < 0.02
    slow = 1 + len(SLOW) * len(DIRECTIONS)
    hills = run_share(
        sets, [SLOPE_GAIT | {"slope_y": s} for s in SLOPES], np.zeros((len(SLOPES), 2)), 7.0, settled=4.0, every=0.5
    )
    way = hills.table(hills.trials.speed) * np.sqrt(1 + SLOPES**2)
    life = 1.0 / hills.table(hills.trials.rate("battery used")) / 60.0
    flat = int(np.argmin(np.abs(SLOPES)))
    periods = run_gaits_of(sets, gaits)
    with np.errstate(invalid="ignore"):
        largest, least = np.nan_to_num(way, nan=-np.inf).max(axis=1), np.nan_to_num(way, nan=np.inf).min(axis=1)
        varies = (largest - least) / np.abs(way[:, flat])
        uphill = np.nan_to_num(way[:, flat + 1 :], nan=-1.0).max(axis=1) / way[:, flat] - 1.0
    lasting = [row[np.isfinite(row)] for row in life]
    falls = np.array([np.mean(np.diff(row) < 0.0) if len(row) > 1 else 0.0 for row in lasting])
    return Measured(
        settles=np.mean(speed > 0.01, axis=1),
        orbit=(periods_of(orbit.trials, 4) == 1).astype(float),
        recovers=np.mean(back[:, 1:slow], axis=1),
        topples=np.mean(fell[:, slow:], axis=1),
        different=np.where((periods < 0).any(axis=1), -1, np.abs(periods[:, 0] - periods[:, 1])),
        varies=varies,
        uphill=np.where(way[:, flat] > 0.01, uphill, np.nan),
        life=np.nanmax(np.nan_to_num(life), axis=1),
        decreases=falls,
    )
