"""What a recording holds besides numbers: the figures and how they were run."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from gambol.errors import RecordingError
from gambol.figure.yaml_writer import figure_data
from gambol.record.ground import terrain_data
from gambol.record.report import plain
from gambol.stepping.ode import OdeRun


def described(run: Any, every: float, origin: float) -> dict[str, Any]:
    """Plain data that describes a run."""
    common = {
        "worlds": run.memory.worlds,
        "boundaries": [b.name for b in run.watched],
        "stepping": {name: plain(value) for name, value in asdict(run.stepping).items()},
        "every": every,
        "origin": origin,
        "dtype": run.memory.dtype.__name__,
    }
    if isinstance(run, OdeRun):
        return {"kind": "ode", "variables": list(run.ode.names), **common}
    return {
        "kind": "world",
        "figures": [figure_data(figure) for figure in run.layout.figures],
        "gravity": list(run.layout.gravity),
        "terrain": terrain_data(run.world.terrain),
        "elements": dict(Counter(type(element).__name__ for element in run.world.elements)),
        **common,
    }


def check_same(run: Any, description: dict[str, Any], where: str) -> None:
    """Raises unless a run is one that the recording can go on with."""
    own = described(run, description["every"], description["origin"])
    changed = [name for name in own if name in description and own[name] != description[name]]
    changed += [name for name in description if name not in own]
    if changed:
        raise RecordingError(f"{where} was recorded of another run: {', '.join(sorted(changed))} differ")
