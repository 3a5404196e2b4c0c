"""The runner of experiments: nothing found is lost, failures are said, the report is whole."""

import base64
import json
import re

import pytest

from gambol import UnknownNameError
from gambol.experiments.findings import ours, printed, within
from gambol.experiments.registry import Experiment, experiments
from gambol.experiments.reproduce import reproduce, select_experiments, write_results

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def good(context):
    with context.picture("dot") as path:
        path.write_bytes(PIXEL)
    yield context.found("so", 2.01)


def breaks(context):
    yield context.found("before", 1.0)
    raise RuntimeError("the leg came off")


def interrupted(context):
    yield context.found("in-time", 1.0)
    raise KeyboardInterrupt


STATES = {
    "good": printed("so", "it is <so>", "p. 3", within(2.0, 0.1, "read off"), value=2.0, unit="m"),
    "breaks": ours("before", "before"),
    "stopped": ours("in-time", "found in time"),
}


def made(name, act):
    states = [STATES[name]] if name in STATES else [STATES["good"]]
    return Experiment(f"limbs-{name}", "A & B 1999", f"title of {name}", act, states)


def test_failures_do_not_stop_the_others(tmp_path):
    outcome = reproduce([made("breaks", breaks), made("good", good)], tmp_path)
    assert outcome.done == ["limbs-good"] and not outcome.complete and not outcome.interrupted
    assert "the leg came off" in outcome.failures["limbs-breaks"]
    assert [f.statement for f in outcome.findings] == ["before", "it is <so>"]


def test_an_interruption_keeps_what_was_found(tmp_path):
    seen = []
    asked = [made("good", good), made("stopped", interrupted), made("never", good)]
    outcome = reproduce(asked, tmp_path, on_end=lambda o: seen.append(len(o.findings)))
    assert outcome.interrupted and outcome.done == ["limbs-good"] and seen == [1, 2]
    write_results(outcome, tmp_path)
    rows = json.loads((tmp_path / "results.json").read_text())
    assert [r["statement"] for r in rows] == ["it is <so>", "found in time"]
    assert "2 experiments did not run to their end" in (tmp_path / "report.html").read_text()


def test_the_report_is_one_file(tmp_path):
    write_results(reproduce([made("good", good), made("breaks", breaks)], tmp_path), tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert (
        "it is &lt;so&gt;" in text
        and "A &amp; B 1999" in text
        and "2.01 m" in text
        and "1.9 to 2.1 m" in text
        and "read off" in text
        and "the leg came off" in text
    )
    (picture,) = re.findall(r"data:image/png;base64,([^\"]+)", text)
    assert base64.b64decode(picture) == PIXEL
    (row, _) = json.loads((tmp_path / "results.json").read_text())
    keys = set("id key source where kind statement printed limit why ours counted interval unit verdict".split())
    keys |= {"reason", "seed", "quick", "seconds", "pictures"}
    assert set(row) == keys and row["pictures"] == ["limbs-good-dot.png"]


def test_choosing():
    names = list(experiments())
    assert [e.id for e in select_experiments([], everything=True)] == names
    assert [e.id for e in select_experiments(["finger-taps", "finger-t*"])] == [
        n for n in names if n.startswith("finger-t")
    ]
    with pytest.raises(UnknownNameError, match="did you mean 'finger-taps'"):
        select_experiments(["finger-tap"])
