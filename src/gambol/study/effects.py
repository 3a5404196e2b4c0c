"""Which parameters matter: Sobol indices or Morris' elementary effects (the package SALib), as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import StudyError
from gambol.study.pictures import numeric_results
from gambol.study.points import Point, checked_range
from gambol.study.quantities import UNITS, units_of
from gambol.study.runner import sweep
from gambol.study.target import Target
from gambol.study.work import OK, point_key

if TYPE_CHECKING:
    import pandas

METHODS = ("sobol", "morris")


def sensitivity(
    target: str | Target,
    parameters: Mapping[str, Sequence[Any]],
    folder: str | Path,
    *,
    method: str = "sobol",
    count: int = 64,
    result: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **options: Any,
) -> pandas.DataFrame:
    """How much of a result each parameter decides: a row a parameter, with intervals of 95 %.

    method   "sobol": S1 alone, ST with all that it does together with others (both shares of the variance);
             "morris": mu_star, the mean size of its effects over the whole range, and sigma, how much they differ,
             both in the unit of the result
    count    of base samples (a power of two for Sobol); (2 + parameters) times as many runs, Morris (1 + parameters)
    result   which of the target's results; by default its first number
    options  workers, on, batch, limit, gpus, as of `sweep`, whose journal and table the folder has
    """
    import pandas

    if method not in METHODS:
        raise StudyError(f"no method {method!r} (allowed: {', '.join(METHODS)})")
    if method == "sobol" and (count < 2 or count & (count - 1)):
        raise StudyError(f"Sobol indices take a power of two base samples, not {count}")
    try:
        import SALib.analyze.morris
        import SALib.analyze.sobol
        import SALib.sample.morris
        import SALib.sample.sobol
    except ImportError:
        raise StudyError("sensitivity is by the package SALib: pip install 'gambol[study]'") from None
    ranges = {name: checked_range(name, given) for name, given in parameters.items()}
    if len(ranges) < 2:
        raise StudyError("sensitivity compares parameters: give ranges for at least two")
    problem = {"num_vars": len(ranges), "names": list(ranges), "bounds": [[0.0, 1.0]] * len(ranges)}
    if method == "sobol":
        unit = SALib.sample.sobol.sample(problem, count, calc_second_order=False, seed=seed)
    else:
        unit = SALib.sample.morris.sample(problem, count, num_levels=8, seed=seed)
    points: list[Point] = [{n: own.value(float(x)) for (n, own), x in zip(ranges.items(), row)} for row in unit]
    table = sweep(target, points, folder, progress=progress, **options)
    name = result or next(iter(numeric_results(table, list(ranges))), None)
    if name is None or name not in table:
        raise StudyError(f"the target gives no number {name!r}" if name else "the target gives no number")
    rows = table.to_dict("records")
    found = {point_key({n: _plain(row[n]) for n in ranges}): row[name] for row in rows if row["outcome"] == OK}
    try:
        y = np.array([float(found[point_key(point)]) for point in points])
    except (KeyError, TypeError, ValueError):
        y = np.array([np.nan])
    if not np.all(np.isfinite(y)):
        failed = len(points) - len(found)
        raise StudyError(f"sensitivity needs {name!r} at every point; {failed} failed: see the table in {folder}")
    if method == "sobol":
        got = SALib.analyze.sobol.analyze(problem, y, calc_second_order=False, seed=seed)
        columns = ("S1", "S1_conf", "ST", "ST_conf")
    else:
        got = SALib.analyze.morris.analyze(problem, unit, y, num_levels=8, seed=seed)
        columns = ("mu_star", "mu_star_conf", "sigma", "mu")
    made = pandas.DataFrame({"parameter": list(ranges), **{c: np.asarray(got[c], float) for c in columns}})
    if method == "morris" and (unit := units_of(table).get(name)):  # shares of the variance have none
        made.attrs[UNITS] = dict.fromkeys(columns, unit)
    made.to_csv(Path(folder) / "sensitivity.csv", index=False)
    return made


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
