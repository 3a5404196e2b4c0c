"""Figs. 6 to 10 with one parameter set: a map of what the report leaves open, and how much of it one set can do."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.search import BOUNDS, COLUMNS, SpaceMap, numbers_at, search_space
from gambol.experiments.compliant_hexapod.statements import STATEMENTS
from gambol.experiments.findings import exactly, ours
from gambol.experiments.kept import KeptValues
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.plot import CURVE_COLOURS, canvas, dress

QUICK, FULL = (8, 1, 8), (64, 3, 24)  # points of the map, rounds of continuation, points in a round
ALL = len(STATEMENTS)


def draw(made: SpaceMap) -> Canvas:
    """How often each statement holds, which go together, and where in the space the best points lie."""
    holds = made.measured.holds.astype(float)
    count = holds.sum(axis=1)
    picture = canvas(12.0, 3.8)
    left, middle, right = picture.subplots(1, 3)
    left.barh(range(ALL), holds.mean(axis=0), color=CURVE_COLOURS[0])
    left.set_yticks(range(ALL), STATEMENTS, fontsize=8)
    left.invert_yaxis()
    dress(left, x=f"share of {len(count)} parameter sets", title="how often each statement holds")
    both = holds.T @ holds / len(count)
    shown = middle.imshow(both, cmap="viridis", vmin=0.0)
    middle.set_xticks(range(ALL), STATEMENTS, fontsize=7, rotation=70)
    middle.set_yticks(range(ALL), STATEMENTS, fontsize=7)
    middle.set_title("share in which two hold together", fontsize=10, loc="left")
    picture.colorbar(shown, ax=middle)
    order = np.argsort(count)
    colour = right.scatter(
        numbers_at(made.points)[order, 0], numbers_at(made.points)[order, 2], c=count[order], s=14, cmap="viridis"
    )
    best = numbers_at(made.points)[made.best]
    right.plot(best[0], best[2], "o", mfc="none", mec="#d55e00", ms=11)
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xticks((0.3, 0.5, 1, 2, 5), ("0.3", "0.5", "1", "2", "5"))
    right.set_yticks((500, 1000, 2000), ("500", "1000", "2000"))
    right.minorticks_off()
    picture.colorbar(colour, ax=right, label="statements that hold")
    dress(right, x="friction", y="leg stiffness [N/m]", title=f"of {ALL}; ringed: the best")
    return picture


def told(made: SpaceMap) -> str:
    """The best set in words."""
    numbers = numbers_at(made.points)[made.best]
    lacks = [name for name, holds in zip(STATEMENTS, made.measured.holds[made.best]) if not holds]
    return ", ".join(f"{name} {x:.3g}" for name, x in zip(BOUNDS, numbers)) + f"; lacks {', '.join(lacks) or 'none'}"


@experiment(
    "hexapod-one-set",
    f"{SARANLI_BUEHLER}, figs. 6–10",
    "One parameter set for all figures: a search",
    states=[
        ours(
            "all",
            f"statements of figs. 6–10 that hold together in the best parameter set found, of {ALL}",
            exactly(ALL, "every statement, with the limits of the figures' own experiments"),
            differs="none was found in the space searched: which statements exclude one another is in the map",
        ),
        ours("usual", "… that hold with the usual parameters"),
        ours("searched", "parameter sets tried"),
        ours("rarest", "the statement that holds in the fewest: share of the sets tried"),
    ],
)
def one_set(context: ExperimentContext) -> Findings:
    made = search_space(
        *(QUICK if context.quick else FULL), log=context.log, kept=KeptValues(context.path("points.npz"))
    )
    header = ", ".join(COLUMNS)
    np.savetxt(context.path("map.csv"), made.table(), delimiter=",", header=header, fmt="%.6g")
    context.save("map", draw(made))
    holds = made.measured.holds
    yield context.found("all", int(holds[made.best].sum()), note=told(made))
    yield context.found("usual", int(holds[0].sum()))
    yield context.found("searched", len(holds))
    shares = holds.mean(axis=0)
    rarest = int(np.argmin(shares))
    yield context.found("rarest", float(shares[rarest]), note=STATEMENTS[rarest])
