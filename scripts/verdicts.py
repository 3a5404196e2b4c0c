"""Pins the verdicts of experiments in quick form: tests/experiments/verdicts.json.

    python scripts/verdicts.py                   runs every experiment with --quick and says which verdicts changed
    python scripts/verdicts.py 'roach-*' --pin   only these; keeps what they gave as the verdicts that tests hold

Tests run the short ones; this runs them all. Statements about how fast the machine is are not pinned.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PINNED = Path(__file__).parents[1] / "tests" / "experiments" / "verdicts.json"


def main() -> None:
    from gambol.experiments.registry import experiments
    from gambol.experiments.reproduce import select_experiments

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", default=["*"], help="experiments or patterns; by default all")
    parser.add_argument("--pin", action="store_true", help="keep what they gave")
    options = parser.parse_args()
    pinned = json.loads(PINNED.read_text(encoding="utf-8")) if PINNED.is_file() else {}
    changed = False
    for experiment in select_experiments(options.ids):
        with TemporaryDirectory() as folder:
            findings = experiment.perform(Path(folder), quick=True)
        seconds = float(f"{findings[0].seconds:.1g}") if findings else 0.0
        given = {f.key: f.verdict for f in findings if not f.stated.timed}
        before = pinned.get(experiment.id, {}).get("verdicts", {})
        for key in sorted(set(given) | set(before)):
            if given.get(key) != before.get(key):
                changed = True
                print(f"{experiment.id} {key}: {before.get(key, 'not pinned')} → {given.get(key, 'not found')}")
        pinned[experiment.id] = {"seconds": seconds, "verdicts": given}
        if options.pin:
            keep(pinned, list(experiments()))
    if changed and not options.pin:
        sys.exit(1)


def keep(pinned: dict[str, dict[str, object]], order: list[str]) -> None:
    """A line an experiment, in the order of the registry."""
    lines = ",\n".join(f" {json.dumps(id)}: {json.dumps(pinned[id])}" for id in order if id in pinned)
    PINNED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
