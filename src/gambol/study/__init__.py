"""Studies: one experiment or function over many parameters, on all cores, resumable, into a table.

    from gambol.study import grid, sweep
    table = sweep("hopper.py:height", grid(stiffness=[1e3, 2e3, 4e3], speed=[1.0, 1.5]), "gambol-out/hopper")

`table` is a pandas DataFrame: a column for every parameter and every result, and how it went. It is kept as parquet.
"""

from gambol.study.journal import read_table
from gambol.study.points import grid, samples
from gambol.study.runner import sweep
from gambol.study.target import Target

__all__ = ["Target", "grid", "read_table", "samples", "sweep"]
