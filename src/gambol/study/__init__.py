"""Studies: one experiment or function over many parameters, on all cores, resumable, into a table.

    from gambol.study import grid, sweep
    table = sweep("hopper.py:height", grid(stiffness=[1e3, 2e3, 4e3], speed=[1.0, 1.5]), "gambol-out/hopper")

`table` is a pandas DataFrame: a column for every parameter and every result, and how it went. It is kept as parquet.
"""

import importlib

_HOME = {"grid": "points", "samples": "points", "sweep": "runner", "read_table": "journal", "Target": "target"}
__all__ = ["Target", "grid", "read_table", "samples", "sweep"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.study.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
