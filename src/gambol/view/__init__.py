"""Seeing motions in a browser: the live view, and pages that play.

Viewer(Live.of(world)).serve()    the live view in a browser (extra `view`)
replay(motion, "walk.html")       a page that plays it without Python or network
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gambol.view.page import replay
    from gambol.view.parameters import Parameter
    from gambol.view.recorded import Recorded
    from gambol.view.source import Live
    from gambol.view.stage import Stage
    from gambol.view.viewer import Viewer

__all__ = ["Live", "Parameter", "Recorded", "Stage", "Viewer", "replay"]
_HOME = dict(Live="source", Parameter="parameters", Recorded="recorded", Stage="stage", Viewer="viewer", replay="page")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
