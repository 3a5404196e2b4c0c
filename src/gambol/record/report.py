"""The report of a run: what ran, with which versions and parameters, what was warned of or left out, how fast."""

import platform
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from gambol.stepping.ode import OdeRun
from gambol.version import __version__

PACKAGES = ("gambol", "numpy", "numba", "llvmlite", "scipy", "h5py", "xarray")
MAX_WARNINGS = 100


class Report(dict):
    """What a run has to say about itself: a dictionary of plain data (JSON); `text()` for people."""

    def text(self) -> str:
        """A page to read."""
        lines = [f"{self['title']}: {self['outcome']}"]
        lines.append(f"  what      {self['what']}")
        speed = f", {self['speed']:.3g} times real time" if self["speed"] else ""
        lines.append(f"  time      {self['simulated_s']:.6g} s simulated in {self['wall_s']:.3g} s{speed}")
        counts = ", ".join(f"{value:g} {name}" for name, value in self["counts"].items())
        lines.append(f"  stepping  {self['stepping'].get('method', '')}: {counts}")
        lines.append(f"  samples   {self.get('rows', 0)} every {self['every_s']:g} s, {len(self['channels'])} channels")
        if self["events"]:
            lines.append("  events    " + ", ".join(f"{count} × {name}" for name, count in self["events"].items()))
        for name, value in self["parameters"].items():
            lines.append(f"  with      {name} = {value}")
        for name in ("notes", "warnings"):
            lines += [f"  {name[:-1]:<9} {text}" for text in self[name]]
        lines += [f"  notice    {text}" for text in (self.get("notices") or ()) if text not in self["warnings"]]
        if energy := self.get("energy"):
            lines.append(
                f"  energy    {energy['word']}: the stepper made {float(energy['numerical']):.3g} J,"
                f" {100 * float(energy['share']):.2g} % of what was turned over"
            )
        for what, count in self["left_out"].items():
            lines.append(f"  left out  {count} × {what}")
        lines.append("  versions  " + ", ".join(f"{name} {v}" for name, v in self["versions"].items()))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


class Reporter:
    """Gathers the report while a run goes on."""

    def __init__(self, run: Any, *, title: str, parameters: Mapping[str, Any], every: float):
        self.run, self.title, self.every = run, title, every
        self.channels: list[str] = []
        self.parameters = {name: plain(value) for name, value in parameters.items()}
        self.began = datetime.now(UTC).isoformat(timespec="seconds")
        self.left_out: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.outcome = "unfinished"
        self.wall = self.simulated = 0.0
        self.resumed: list[float] = []
        self._show = warnings.showwarning

    # ------------------------------------------------------------ warnings go here too while the recorder is open
    def capture_warnings(self) -> None:
        """From now on warnings are noted, and shown as before."""
        self._show = warnings.showwarning

        def shown(message, *more, **options):
            self.warn(str(message))
            self._show(message, *more, **options)

        warnings.showwarning = shown

    def release_warnings(self) -> None:
        """Warnings are no longer noted."""
        warnings.showwarning = self._show

    def warn(self, text: str) -> None:
        """Notes a warning once."""
        if text in self.warnings:
            self.left_out["repeated warning"] += 1
        elif len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(text)
        else:
            self.left_out["warning beyond the first 100"] += 1

    def measured(self, wall: float, simulated: float) -> None:
        """Adds wall and simulated time [s]."""
        self.wall += wall
        self.simulated += simulated

    def _clipped(self) -> dict[str, int]:
        """Forces that were asked for beyond what their laws are good for."""
        found = {} if isinstance(self.run, OdeRun) else self.run.elements.clipped()
        return {f"force of {name} cut off beyond its law": int(count) for name, count in found.items()}

    def _energy(self) -> dict[str, Any]:
        """What the stepper made of the energy, where a ledger is kept: numerical, turnover [J], share, word."""
        ledger = getattr(self.run, "energy_ledger", None)
        return {name: plain(value) for name, value in ledger.verdict()._asdict().items()} if ledger else {}

    def data(self) -> dict[str, Any]:
        """The report as it is written to the file."""
        run = self.run
        counts = {name: float(np.sum(value)) for name, value in run.counts.items()}
        return {
            "title": self.title,
            "what": what(run),
            "outcome": self.outcome,
            "began": self.began,
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": " ".join(sys.argv),
            "versions": versions(),
            "parameters": self.parameters,
            "stepping": {name: plain(value) for name, value in asdict(run.stepping).items()},
            "every_s": self.every,
            "channels": self.channels,
            "simulated_s": self.simulated,
            "wall_s": self.wall,
            "speed": self.simulated / self.wall if self.wall else 0.0,
            "counts": counts,
            "events": dict(Counter(event.name for event in run.events)),
            "notes": list(getattr(getattr(run, "world", None), "notes", ())),
            "notices": [str(notice) for notice in getattr(run, "notices", ())],
            "energy": self._energy(),
            "warnings": self.warnings,
            "left_out": dict(self.left_out) | self._clipped(),
            "resumed_at_s": self.resumed,
        }


def versions() -> dict[str, str]:
    """Of what decides the bits of a result."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    found.setdefault("gambol", __version__)
    return {**found, "system": f"{platform.system()} {platform.machine()}"}


def what(run: Any) -> str:
    """In a few words."""
    if isinstance(run, OdeRun):
        return f"a differential equation of {run.ode.dimension} variables"
    figures = run.layout.figures
    names = ", ".join(f"{f.name} ({len(f.bodies)} bodies, {f.speeds} degrees of freedom)" for f in figures)
    several = f"{run.worlds} worlds of " if run.worlds > 1 else ""
    return f"{several}{names}; {len(run.world.elements)} force elements"


def plain(value: Any) -> Any:
    """As JSON can hold it; what has no counterpart becomes its text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else str(value)
