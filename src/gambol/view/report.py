"""The report of a run as one HTML file: the motion, which plays, what the run says of itself, and its plots."""

from __future__ import annotations

import base64
import html
import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError, ViewError
from gambol.view.page import page

if TYPE_CHECKING:
    from gambol.record.recording import Recording

MOST_EVENTS = 40  # in the table
DPI = 110
KINDS = {
    "joints": "Joint coordinates",
    "cycle": "The gait cycle",
    "gait": "Gait diagram: dark is on the ground",
    "ground": "Ground reaction",
    "energy": "The energy ledger",
    "flow": "Where every joule went",
    "phase": "Phase portraits",
}
STYLE = """
:root { color-scheme: light dark; --ink: #2b3038; --pale: #6b727d; --paper: #fff; --rule: #e2dfd8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --pale: #a0a6b0; --paper: #16181c; --rule: #33373f } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem }
iframe { width: 100%; height: min(70vh, 560px); border: 1px solid var(--rule); border-radius: 6px }
pre { white-space: pre-wrap; overflow-wrap: anywhere } .pale { color: var(--pale) }
img { max-width: 100%; background: #fff; border: 1px solid var(--rule); border-radius: 4px }
table { border-collapse: collapse; font-size: 14px } td, th { padding: .25rem .8rem; text-align: left;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums }
"""


def write_run_report(recording: Recording, path: str | Path, *, world: int = 0, rate: float = 30.0) -> Path:
    """Writes it; plots for which the recording does not hold enough are named at the end, with the reason."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ViewError(f"{path}: a report is written as .html")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(run_report(recording, world=world, rate=rate), encoding="utf-8")
    return path


def run_report(recording: Recording, *, world: int = 0, rate: float = 30.0) -> str:
    """The text of the report; `rate` is that of the motion's pictures [1/s]."""
    title = html.escape(str(recording.report["title"]))
    parts = [f"<h1>{title}</h1>", _motion(recording, world, rate)]
    parts += [f"<h2>What the run says of itself</h2><pre>{html.escape(recording.report.text())}</pre>"]
    parts += [_events(recording, world)]
    missing = []
    for kind, heading in KINDS.items():
        try:
            picture = _plot(recording, kind, world)
        except GambolError as error:
            missing.append(f"{heading}: {error}")
            continue
        parts.append(f'<h2>{heading}</h2><img alt="{heading}" src="data:image/png;base64,{_png(picture)}">')
    if missing:
        rows = "".join(f"<li>{html.escape(words)}</li>" for words in missing)
        parts.append(f'<h2>Not drawn</h2><ul class="pale">{rows}</ul>')
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _motion(recording: Recording, world: int, rate: float) -> str:
    if not recording.figures or not len(recording):
        return '<p class="pale">There is no figure or no moment to look at.</p>'
    from gambol.draw.motion import Motion

    text = page(Motion.of(recording, world=world), rate=rate)
    return f'<iframe title="the motion" srcdoc="{html.escape(text, quote=True)}"></iframe>'


def _events(recording: Recording, world: int) -> str:
    events = [event for event in recording.events if event.world == world]
    if not events:
        return ""
    counted = ", ".join(f"{name} ({count})" for name, count in Counter(e.name for e in events).most_common())
    rows = "".join(f"<tr><td>{e.time:.4f} s</td><td>{html.escape(e.name)}</td></tr>" for e in events[:MOST_EVENTS])
    more = f", the first {MOST_EVENTS}" if len(events) > MOST_EVENTS else ""
    return f"<h2>{len(events)} events{more}</h2><p>{html.escape(counted)}</p><table>{rows}</table>"


def _plot(recording: Recording, kind: str, world: int) -> Any:
    from gambol.plot import plot_cycle, plot_flow
    from gambol.plot.recorded import PLOTS

    if kind == "flow":
        return plot_flow(recording)
    if kind == "cycle":
        return plot_cycle(recording, world=world)
    return PLOTS[kind](recording) if kind == "energy" else PLOTS[kind](recording, world=world)


def _png(picture: Any) -> str:
    stream = io.BytesIO()
    picture.savefig(stream, format="png", dpi=DPI)
    return base64.b64encode(stream.getvalue()).decode("ascii")
