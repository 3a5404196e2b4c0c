"""Studies: one experiment or function over many parameters, on all cores or a cluster, resumable, into a table.

    from gambol.study import grid, sweep
    table = sweep("hopper.py:height", grid(stiffness=[1e3, 2e3, 4e3], speed=[1.0, 1.5]), "gambol-out/hopper")

`table` is a pandas DataFrame: a column for every parameter and every result, and how it went. It is kept as parquet.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.study.journal import read_table as read_table
    from gambol.study.search import Optimum as Optimum, optimise as optimise
    from gambol.study.pictures import draw_search as draw_search, means as means
    from gambol.study.quantities import units as units, units_of as units_of
    from gambol.study.points import grid as grid, replicated as replicated, samples as samples
    from gambol.study.runner import sweep as sweep
    from gambol.study.effects import sensitivity as sensitivity
    from gambol.study.target import Target as Target
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
