"""The reproductions of the person: they run, draw what they say, and the verdicts are the ones we stand by."""

import pytest

from gambol.experiments.registry import experiments, find_experiment

ALL = (
    "model statue cost droop fall exercise toes stand posture-check balance push squat contraposition reach toe-rise"
    " step walk"
).split()
DIFFER = {
    "person-model": ["height"],
    "person-exercise": ["joints"],
    "person-toes": ["sub-steps a frame (Fehlberg, eps 1e-4)"],
    "person-contraposition": [],
    "person-reach": [],
}


def test_every_experiment_is_there():
    assert {f"person-{name}" for name in ALL} <= set(experiments())


@pytest.mark.parametrize("id", DIFFER)
def test_cheap_experiments(id, tmp_path):
    findings = find_experiment(id).perform(tmp_path, quick=True)
    pinned = [f for f in findings if f.unit != "times real time"]  # verdicts about speed are reported, not pinned
    assert [f.statement for f in pinned if f.verdict == "differs"] == DIFFER[id]
    pictures = {name for finding in findings for name in finding.pictures}
    assert pictures and all((tmp_path / name).stat().st_size > 5000 for name in pictures)
