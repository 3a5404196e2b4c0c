"""Seeing motions in a browser: the live view, and pages that play.

Viewer(LiveSource.of(world)).serve()    the live view in a browser (extra `view`)
replay(motion, "walk.html")             a page that plays it without Python or network
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gambol.view.mouse_spring import with_mouse_spring
    from gambol.view.page import replay
    from gambol.view.parameters import Parameter
    from gambol.view.playback import Player
    from gambol.view.recorded import RecordedSource
    from gambol.view.source import LiveSource
    from gambol.view.viewer import Viewer

__all__ = ["LiveSource", "Parameter", "Player", "RecordedSource", "Viewer", "replay", "with_mouse_spring"]
_HOME = dict(LiveSource="source", Parameter="parameters", Player="playback", RecordedSource="recorded", Viewer="viewer")
_HOME |= dict(replay="page", with_mouse_spring="mouse_spring")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
