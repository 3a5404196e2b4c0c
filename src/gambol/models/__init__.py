"""Figures that are ready to use.

    hexapod30()   a small six-legged robot, 30 degrees of freedom
    person90()    a person with every bone of the feet, 90 degrees of freedom; versions of it are in `person`, its
                  springs, ground and world in `person_world`
    walking_roach()   the roach of 1990 (33 bodies, 38 degrees of freedom) about to walk; all of it is in `roach`
    acrobat()     a person of fifteen capsules, for swinging; `hang` puts it on a bar
    finger        the tapping finger of 1985 (a module of its own)

Chains, boxes and random trees are in `gambol.figure`.
"""

import importlib

_HOME = {"hexapod30": "hexapod", "person90": "person", "acrobat": "high_bar", "hang": "high_bar"} | {
    "walking_roach": "roach"
}
__all__ = ["acrobat", "hang", "hexapod30", "person90", "walking_roach"]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.models.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
