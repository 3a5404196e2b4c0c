"""The runner of experiments: nothing found is lost, failures are said, the report is whole."""

import base64
import json
import re

import pytest

from gambol import UnknownNameError
from gambol.experiments import registry
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


OWN = """
import os

from gambol.experiments.findings import ours
from gambol.experiments.registry import experiment


@experiment("own-good", "here", "goes well", [ours("so", "so it is"), ours("fast", "in time", timed=True)])
def good(context):
    context.log("half way")
    yield context.found("so", 2.0)
    yield context.found("fast", 1.0)


@experiment("own-bad", "here", "breaks", [ours("before", "before")])
def bad(context):
    yield context.found("before", 1.0)
    raise RuntimeError("the leg came off")


@experiment("own-gone", "here", "is gone", [ours("last", "last seen")])
def gone(context):
    yield context.found("last", 3.0)
    os._exit(9)
"""


@pytest.fixture
def unlisted(monkeypatch):
    """What a test marks as an experiment is forgotten after it."""
    monkeypatch.setattr(registry, "_experiments", dict(experiments()))


def test_side_by_side_nothing_is_lost_and_none_takes_another_with_it(tmp_path, unlisted):
    file = tmp_path / "own.py"
    file.write_text(OWN)
    asked, begun, said = select_experiments([str(file)]), [], []
    outcome = reproduce(
        asked, tmp_path, jobs=2, files=[file], on_begin=lambda e: begun.append(e.id), log=said.append,
        expected={"own-gone": 2.0, "own-bad": 1.0},
    )  # fmt: skip
    assert begun == ["own-gone", "own-bad", "own-good"]  # the longest first; what measures time when they are over
    assert outcome.done == ["own-good"] and said == ["half way"] and not outcome.interrupted
    assert set(outcome.failures) == {"own-bad", "own-gone"} and "the leg came off" in outcome.failures["own-bad"]
    assert "ended before it had" in outcome.failures["own-gone"]
    assert [(f.id, f.key, f.value) for f in outcome.findings] == [
        (e.id, *found) for e in asked for found in {"own-good": [("so", 2.0), ("fast", 1.0)],
                                                    "own-bad": [("before", 1.0)], "own-gone": [("last", 3.0)]}[e.id]
    ]  # fmt: skip


def test_side_by_side_an_interruption_keeps_what_was_found(tmp_path, unlisted):
    file = tmp_path / "own2.py"
    stays = OWN.replace("own-", "mine-").replace(", timed=True", "")
    file.write_text(
        stays.replace('raise RuntimeError("the leg came off")', 'context.log("wait")\n    import time; time.sleep(600)')
    )
    asked = [e for e in select_experiments([str(file)]) if e.id == "mine-bad"]

    def stop(text):
        raise KeyboardInterrupt

    outcome = reproduce(asked, tmp_path, jobs=2, files=[file], log=stop)
    assert outcome.interrupted and not outcome.failures and not outcome.done
    assert [(f.id, f.value) for f in outcome.findings] == [("mine-bad", 1.0)]
