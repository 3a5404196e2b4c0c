"""How figures and motions look in a notebook. Registered by `import gambol` where IPython runs.

Figure               a still
Trajectory           a film strip
Recording            a film strip of its first world, its report, its channels
Motion               a page that plays (Motion.of(trajectory) makes one)
"""

import html
import io
from typing import Any

STILL, STRIP, MOMENTS = (640, 400), (180, 220), 6
FRAME = '<iframe srcdoc="{}" style="width: 100%; height: 420px; border: 0" title="{}"></iframe>'


def register(shell: Any) -> None:
    """Tells an IPython shell how to show Gambol's things; nothing is imported until one is shown."""
    pictures, pages = shell.display_formatter.formatters["image/png"], shell.display_formatter.formatters["text/html"]
    pictures.for_type_by_name("gambol.figure.figure", "Figure", figure_png)
    pictures.for_type_by_name("gambol.world.trajectory", "Trajectory", motion_png)
    pages.for_type_by_name("gambol.draw.motion", "Motion", motion_html)
    pages.for_type_by_name("gambol.record.recording", "Recording", recording_html)


def figure_png(figure: Any) -> bytes:
    """A still of a figure at its zero position."""
    from gambol.draw.picture import still

    return _png(still(figure, size=STILL))


def motion_png(path: Any) -> bytes:
    """A film strip of a run; of several worlds, the first."""
    from gambol.draw.picture import strip

    return _png(strip(path, times=MOMENTS, size=STRIP))


def motion_html(motion: Any) -> str:
    """A page that plays, in a frame of its own."""
    from gambol.view.page import page

    return FRAME.format(html.escape(page(motion), quote=True), html.escape(motion.title, quote=True))


def recording_html(recording: Any) -> str:
    """A film strip, where there are figures and moments to draw; then what the recording says of itself."""
    from base64 import b64encode

    words = recording._repr_html_()
    if not recording.figures or not len(recording):
        return words
    strip = b64encode(motion_png(recording.motion())).decode()
    title = html.escape(str(recording.report["title"]), quote=True)
    return f'<img alt="{title}" style="max-width: 100%" src="data:image/png;base64,{strip}">{words}'


def _png(picture: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "png")
    return stream.getvalue()
