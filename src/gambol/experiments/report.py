"""The report of reproductions: one HTML file with the table and every picture in it."""

import base64
import platform
from collections import Counter
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from gambol.experiments.findings import VERDICTS, Finding
from gambol.experiments.registry import Experiment
from gambol.experiments.reproduce import Reproduction

FAMILY_TITLES = {
    "finger": "The tapping finger (Armstrong & Green 1985)",
    "roach": "The roach (McKenna 1990)",
    "verify": "Verification of the simulator (McKenna 1994, appendix C)",
    "person": "The person (McKenna 1994)",
    "gait": "How the person walks, beside how adults walk",
    "direct": "Figures that go where they are told",
    "limbs": "Limbs: constraints and controllers that learn (Mitchell 1997)",
    "hexapod": "The compliant hexapod (Saranli & Buehler)",
}
IMAGE_TYPES = {".png": "image/png", ".svg": "image/svg+xml", ".gif": "image/gif", ".jpg": "image/jpeg"}
REPORT_STYLE = """
:root { color-scheme: light dark; --ink: #2b3038; --pale: #6b727d; --paper: #fff; --rule: #e2dfd8;
  --good: #117733; --other: #b35900; --more: #0060a0; --bad: #b00020; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --pale: #a0a6b0; --paper: #16181c; --rule: #33373f;
  --good: #5ac88a; --other: #f0a050; --more: #6ab7f0; --bad: #ff6b7a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h3 { margin: 2rem 0 .3rem; } .pale { color: var(--pale); }
table { border-collapse: collapse; width: 100%; font-size: 14px; } td, th { text-align: left; vertical-align: top;
  padding: .4rem .6rem; border-bottom: 1px solid var(--rule); } th { color: var(--pale); font-weight: 600; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.matches { color: var(--good); } .differs { color: var(--other); } .beyond { color: var(--more); }
.reported { color: var(--pale); } .failed { color: var(--bad); } .verdict { font-weight: 600; } a { color: inherit; }
img { max-width: 100%; background: #fff; border: 1px solid var(--rule); border-radius: 4px; margin: .4rem 0; }
"""


def report_html(outcome: Reproduction, folder: Path) -> str:
    """The whole page; pictures are taken from `folder`."""
    parts = [_summary(outcome)]
    families = dict.fromkeys(e.id.split("-")[0] for e in outcome.requested)
    for family in families:
        own = [e for e in outcome.requested if e.id.startswith(f"{family}-")]
        rows = [f for e in own for f in outcome.findings if f.id == e.id]
        parts.append(f"<h2>{escape(FAMILY_TITLES.get(family, family))}</h2>")
        if rows:
            parts.append(_table(rows))
        parts += [_section(e, outcome, folder) for e in own]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Gambol: reproductions</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{REPORT_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _summary(outcome: Reproduction) -> str:
    from gambol.version import __version__

    counts = Counter(f.verdict for f in outcome.findings)
    words = [f'<span class="{v} verdict">{counts[v]} {v}</span>' for v in VERDICTS if counts[v]]
    if outcome.failures:
        words.append(f'<span class="failed verdict">{len(outcome.failures)} experiments failed</span>')
    missing = len(outcome.requested) - len(outcome.done) - len(outcome.failures)
    state = f" Interrupted: {missing} experiments did not run to their end." if outcome.interrupted else ""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return (
        "<h1>Gambol: published experiments, repeated</h1>\n"
        f"<p>{len(outcome.done)} of {len(outcome.requested)} experiments, {len(outcome.findings)} statements: "
        f"{', '.join(words) or 'nothing yet'}.{state}</p>\n"
        f'<p class="pale">gambol {__version__}, Python {platform.python_version()}, {platform.system()} '
        f"{platform.machine()}; {when}. The limit stands in the experiment before it runs, with its reason; of an"
        " ensemble the whole 95 % interval has to lie within it. <em>Beyond</em>: goes beyond the source."
        " <em>Reported</em>: measured, and compared with nothing.</p>"
    )


def _table(findings: list[Finding]) -> str:
    heads = ("experiment", "kind", "statement", "printed", "limit", "ours", "verdict", "seed or rate")
    rows = "\n".join(_row(finding) for finding in findings)
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"


def _row(finding: Finding) -> str:
    said = finding.stated
    reason = f'<br><span class="pale">{escape(finding.reason)}</span>' if finding.reason else ""
    where = f'<br><span class="pale">{escape(said.where)}</span>' if said.where else ""
    why = f'<br><span class="pale">{escape(said.limit.why)}</span>' if said.limit else ""
    cells = [
        f'<td><a href="#{escape(finding.id)}">{escape(finding.id)}</a><br>{escape(finding.key)}</td>',
        f"<td>{said.kind}{where}</td>",
        f"<td>{escape(said.statement)}{reason}</td>",
        f'<td class="number">{escape(format_value(said.value, said.unit))}</td>',
        f"<td>{escape(format_value(str(said.limit) if said.limit else None, said.unit))}{why}</td>",
        f'<td class="number">{escape(format_value(finding.value, said.unit))}</td>',
        f'<td class="{finding.verdict} verdict">{finding.verdict}</td>',
        f"<td>{escape(format_ensemble(finding))}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def format_ensemble(finding: Finding) -> str:
    """The counts and interval of an ensemble, and the seeds; nothing for a single run without chance."""
    parts = [finding.counted] if finding.counted else []
    if finding.interval:
        parts.append(f"95 %: {finding.interval[0]:.3g} to {finding.interval[1]:.3g}")
    return "; ".join([*parts, *([f"seed {finding.seed}"] if finding.seed else [])])


def format_value(number: float | str | None, unit: str) -> str:
    """A number as people read it."""
    if number is None:
        return "–"
    if isinstance(number, str) and not any(sign.isdigit() for sign in number):
        return number  # words have no unit
    text = f"{number:.6g}" if isinstance(number, float) else str(number)
    return f"{text} {unit}".strip()


def _section(experiment: Experiment, outcome: Reproduction, folder: Path) -> str:
    own = [f for f in outcome.findings if f.id == experiment.id]
    took = f" · {own[0].seconds:.3g} s" if own else ""
    lines = [
        f'<h3 id="{escape(experiment.id)}">{escape(experiment.title)}</h3>',
        f'<p class="pale">{escape(experiment.id)} · {escape(experiment.source)}{took}</p>',
    ]
    if experiment.id in outcome.failures:
        lines.append(f'<p class="failed">It failed: {escape(outcome.failures[experiment.id])}</p>')
    for name in own[0].pictures if own else ():
        lines.append(_picture(folder / name, experiment.title))
    return "\n".join(lines)


def _picture(path: Path, title: str) -> str:
    kind = IMAGE_TYPES.get(path.suffix.lower())
    if kind is None or not path.is_file():
        return f'<p><a href="{escape(path.name)}">{escape(path.name)}</a></p>'
    content = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{escape(title)}: {escape(path.stem)}" src="data:{kind};base64,{content}">'
