"""The experiments of 1985: what was printed is met, and the pictures are drawn."""

import pytest

from gambol.experiments.registry import experiments
from gambol.plot.style import SUFFIXES

TIMED = ("time saved by the slow band", "cost per link")  # verdicts about speed are reported, not pinned
FINGER = [e for e in experiments().values() if e.id.startswith("finger-")]


@pytest.mark.parametrize("experiment", FINGER, ids=[e.id for e in FINGER])
def test_it_runs_and_says_what_it_found(experiment, tmp_path):
    findings = experiment.perform(tmp_path, quick=True)
    pinned = [f for f in findings if not f.statement.startswith(TIMED)]
    assert findings and all(f.verdict in ("matches", "beyond") for f in pinned), pinned
    for name in findings[0].pictures:
        assert (tmp_path / name).suffix in SUFFIXES and (tmp_path / name).stat().st_size > 5000
