"""Seeing motions: pictures and films without a screen, the live view in a browser, pages that play.

    still(motion, 0.5)                a picture of one moment
    strip(motion), sheet(motion)      moments side by side, or in rows
    film(motion, "walk.mp4")          a film (extra `film`)
    replay(motion, "walk.html")       a page that plays it without Python or network
    Viewer(Live.of(world)).serve()    the live view in a browser (extra `view`)

A motion is anything that `Motion.of` takes: a Figure, a Trajectory, a Simulation at its present moment, a Recording.
"""

import importlib

_HOME = {
    "Motion": "motion",
    "Camera": "camera",
    "still": "picture",
    "strip": "picture",
    "sheet": "picture",
    "save": "picture",
    "film": "filming",
    "replay": "page",
    "Live": "source",
    "Recorded": "recorded",
    "Stage": "stage",
    "Parameter": "parameters",
    "Viewer": "viewer",
}
__all__ = [
    "Camera",
    "Live",
    "Motion",
    "Parameter",
    "Recorded",
    "Stage",
    "Viewer",
    "film",
    "replay",
    "save",
    "sheet",
    "still",
    "strip",
]


def __getattr__(name: str):
    if name in _HOME:
        return getattr(importlib.import_module(f"gambol.view.{_HOME[name]}"), name)
    raise AttributeError(f"module 'gambol.view' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
