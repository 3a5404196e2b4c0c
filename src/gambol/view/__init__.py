"""Seeing motions in a browser: the live view, and pages that play.

Viewer(LiveSource.of(world)).serve()    the live view in a browser (extra `view`)
replay(motion, "walk.html")             a page that plays it without Python or network
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.view.mouse_spring import with_mouse_spring as with_mouse_spring
    from gambol.view.page import replay as replay
    from gambol.view.parameters import Parameter as Parameter
    from gambol.view.playback import Player as Player
    from gambol.view.recorded import RecordedSource as RecordedSource
    from gambol.view.source import LiveSource as LiveSource
    from gambol.view.viewer import Viewer as Viewer
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
