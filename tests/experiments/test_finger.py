"""The experiments of 1985: what was printed is met, and the pictures are drawn."""

import pytest

from gambol.experiments.registry import experiments
from gambol.plot.style import SUFFIXES

# What is said about time depends on the machine: it is reported, and no verdict on it is held here.
TIMES = {"finger-two-bands": "time saved by", "finger-linear": "cost per link of"}
FINGER = [e for e in experiments().values() if e.id.startswith("finger-")]


@pytest.mark.parametrize("experiment", FINGER, ids=[e.id for e in FINGER])
def test_it_runs_and_says_what_it_found(experiment, tmp_path):
    findings = experiment.perform(tmp_path, quick=True)
    times = [f for f in findings if experiment.id in TIMES and f.statement.startswith(TIMES[experiment.id])]
    assert len(times) == (experiment.id in TIMES)
    assert findings and all(f.verdict in ("matches", "beyond") for f in findings if f not in times), findings
    for name in findings[0].pictures:
        assert (tmp_path / name).suffix in SUFFIXES and (tmp_path / name).stat().st_size > 5000
