"""Seeing motions in a browser: the live view, and pages that play.

Viewer(Live.of(world)).serve()    the live view in a browser (extra `view`)
replay(motion, "walk.html")       a page that plays it without Python or network
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.view.page import replay as replay
    from gambol.view.parameters import Parameter as Parameter
    from gambol.view.recorded import Recorded as Recorded
    from gambol.view.source import Live as Live
    from gambol.view.stage import Stage as Stage
    from gambol.view.viewer import Viewer as Viewer
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "page": "replay",
            "parameters": "Parameter",
            "recorded": "Recorded",
            "source": "Live",
            "stage": "Stage",
            "viewer": "Viewer",
        },
    )
