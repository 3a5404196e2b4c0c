"""Every verdict in quick form is the one pinned in verdicts.json, which scripts/verdicts.py writes.

GAMBOL_VERDICTS=all runs them all here.
"""

import json
import os
from pathlib import Path

import pytest

from gambol.experiments.registry import experiments

PINNED = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))
SHORT = {id for id, entry in PINNED.items() if entry["seconds"] <= 2.0}
RUN = list(PINNED) if os.environ.get("GAMBOL_VERDICTS") == "all" else [id for id in PINNED if id in SHORT]


def test_every_experiment_is_pinned():
    """And every statement that does not depend on the machine, but for those of full runs."""
    known = experiments()
    assert list(PINNED) == list(known), "run: python scripts/verdicts.py ID --pin"
    for id, experiment in known.items():
        wanted = {s.key for s in experiment.states if not s.timed and not s.full}
        assert set(PINNED[id]["verdicts"]) == wanted, f"run: python scripts/verdicts.py {id} --pin"


@pytest.mark.parametrize("id", RUN)
def test_verdicts(id, tmp_path):
    findings = experiments()[id].perform(tmp_path, quick=True)
    assert {f.key: f.verdict for f in findings if not f.stated.timed} == PINNED[id]["verdicts"], findings
    assert all((tmp_path / name).stat().st_size > 1000 for name in findings[0].pictures)
