"""Pictures of figures and of runs, with matplotlib; no screen is needed.

    film_strip(path)                        the figure at several times, side by side or in one scene
    plot_trajectory(path, simulation=sim)   joint angles and the energy ledger over time

    plot_joints(recording), plot_phase, plot_ledger, plot_ground_reaction, plot_gait, plot_return_map
    plot_surface(x, y, values, …)           a quantity over two parameters; plot_sweep over one or many

All return a matplotlib Figure; `save` writes it as PNG, SVG or PDF, by the suffix, and `write_data` its numbers as CSV.
"""

import importlib

_HOME = {
    "Camera": "scene",
    "bar_chart": "bars",
    "film_strip": "strip",
    "gait_diagram": "gait",
    "plot_gait": "recorded",
    "plot_ground_reaction": "recorded",
    "plot_joints": "recorded",
    "plot_ledger": "recorded",
    "plot_phase": "recorded",
    "plot_return_map": "recorded",
    "plot_surface": "surface",
    "plot_sweep": "surface",
    "plot_trajectory": "curves",
    "save": "style",
    "write_data": "data",
}
__all__ = list(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.plot.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
