"""Pictures of figures and of runs, with matplotlib; no screen is needed.

    film_strip(path)                        the figure at several times, side by side or in one scene
    plot_trajectory(path, simulation=sim)   joint angles and the energy ledger over time

Both return a matplotlib Figure; `save` writes it as PNG, SVG or PDF, by the suffix.
"""

import importlib

_HOME = {"film_strip": "strip", "plot_trajectory": "curves", "save": "style", "Camera": "scene"}
__all__ = ["Camera", "film_strip", "plot_trajectory", "save"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.plot.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
