"""Pictures and films without a screen.

    still(motion, 0.5)                a picture of one moment
    strip(motion), sheet(motion)      moments side by side, or in rows
    film(motion, "walk.mp4")          a film (extra `film`)

A motion is anything that `Motion.of` takes: a Figure, a Trajectory, a Simulation at its present moment, a Recording.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gambol.draw.camera import Camera
    from gambol.draw.filming import film
    from gambol.draw.motion import Motion
    from gambol.draw.picture import save, sheet, still, strip

__all__ = ["Camera", "Motion", "film", "save", "sheet", "still", "strip"]
_HOME = dict(Camera="camera", Motion="motion", film="filming")
_HOME |= dict.fromkeys(("save", "sheet", "still", "strip"), "picture")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
