import pytest

from gambol import UnknownNameError
from gambol.experiments.registry import (
    Experiment,
    ExperimentContext,
    ExperimentError,
    experiment,
    experiments,
    find_experiment,
)


def measured(context):
    with context.picture("curve") as path:
        path.write_bytes(b"x")
    yield context.finding("a statement", printed=2.0, ours=2.01, unit="m", ok=True)
    yield context.finding("another", ours=3.0, unit="m", beyond=True)


def test_findings_carry_pictures_time_and_verdicts(tmp_path):
    rows = [f.as_row() for f in Experiment("limbs-x", "S", "T", measured).perform(tmp_path)]
    assert [r["verdict"] for r in rows] == ["matches", "beyond"]
    assert all(r["pictures"] == ["limbs-x-curve.png"] and r["seconds"] > 0 and r["id"] == "limbs-x" for r in rows)


def test_a_difference_needs_a_reason(tmp_path):
    context = ExperimentContext(Experiment("limbs-x", "S", "T", measured), tmp_path)
    with pytest.raises(ExperimentError, match="gives no reason"):
        context.finding("s", ours=1.0, ok=False)
    assert context.finding("s", ours=1.0, ok=False, reason="because").verdict == "differs"
    assert context.finding("s", ours=1.0, ok=False, reason="because", note="so far").reason == "because; so far"
    assert context.finding("s", ours=1.0, ok=True, reason="it fell", note="so far").reason == "so far"


def test_a_picture_must_be_drawn(tmp_path):
    context = ExperimentContext(Experiment("limbs-x", "S", "T", measured), tmp_path)
    with pytest.raises(ExperimentError, match="was not drawn"), context.picture("p"):
        pass


def test_ids_are_checked():
    with pytest.raises(ExperimentError, match="must be a family and a name, such as finger-taps"):
        experiment("sails", source="", title="")
    for id in experiments():
        assert find_experiment(id).id == id
    with pytest.raises(UnknownNameError, match="no experiment is called 'limbs-nowhere'"):
        find_experiment("limbs-nowhere")
