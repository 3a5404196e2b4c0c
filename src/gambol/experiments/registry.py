"""The list of experiments, and the context in which one runs."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsFloat

import numpy as np

import gambol.experiments as _package
from gambol import ExperimentError, UnknownNameError
from gambol.errors import nearest
from gambol.experiments.findings import Finding, Mean, Rate, Statement
from gambol.study.quantities import unit_in

FAMILIES = ("finger", "roach", "verify", "person", "gait", "direct", "limbs", "hexapod")
Findings = Iterator[Finding]
"""What an experiment yields."""


@dataclass(frozen=True)
class Parameter:
    """What a sweep may vary: its default, which is the source's, and what it means, with the unit."""

    default: Any
    meaning: str

    @property
    def unit(self) -> str:
        """The unit at the end of its meaning, as in "length of each walk [s]"; nothing where there is none."""
        return unit_in(self.meaning)


@dataclass
class ExperimentContext:
    """What an experiment is given: where its pictures and tables go, whether to be quick, `log` for its progress."""

    experiment: Experiment
    folder: Path
    quick: bool = False
    log: Callable[[str], None] = lambda text: None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pictures: list[str] = field(default_factory=list)

    def parameter(self, name: str) -> Any:
        """A declared parameter: the sweep's value, or its default."""
        return self.parameters.get(name, self.experiment.parameters[name].default)

    @contextmanager
    def picture(self, name: str, suffix: str = "png") -> Iterator[Path]:
        """The path to draw a picture to; it is listed once it exists."""
        path = self.path(f"{name}.{suffix}")
        yield path
        if not path.exists():
            raise ExperimentError(f"{self.experiment.id}: picture {path.name} was not drawn")
        self.pictures.append(path.name)

    @contextmanager
    def axes(
        self, name: str, width: float, height: float, *, x: str = "", y: str = "", title: str = ""
    ) -> Iterator[Any]:
        """Axes of a picture of this size [inches]; dressed, given a legend if curves have labels, and saved after."""
        from gambol.plot.style import canvas, dress

        made = canvas(width, height)
        axes = made.subplots()
        yield axes
        dress(axes, x=x, y=y, title=title)
        if axes.get_legend_handles_labels()[0] and axes.get_legend() is None:
            axes.legend(frameon=False, fontsize=8)
        self.save(name, made)

    def save(self, name: str, picture: Any, *, dpi: int = 130) -> None:
        """Writes a matplotlib figure as a picture of this experiment."""
        from gambol.plot.style import save

        with self.picture(name) as path:
            save(picture, path, dpi=dpi)

    def path(self, name: str) -> Path:
        """Where a file of this experiment goes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{self.experiment.id}-{name}"

    def found(
        self, key: str, value: SupportsFloat | str | Rate | Mean, *, note: str = "", seed: object = ""
    ) -> Finding:
        """The value of a declared statement; of ensembles a Rate or a Mean. `note` is told beside it."""
        stated = self.experiment.statement(key)
        made = Finding(
            self.experiment.id, self.experiment.source, stated, 0.0, note=note, seed=str(seed), quick=self.quick
        )
        if isinstance(value, Rate | Mean):
            made.value, made.interval, made.counted = value.value, value.interval, str(value)
        elif isinstance(value, str | int | np.integer):
            made.value = value if isinstance(value, str) else int(value)
        else:
            made.value = float(value)
        return made


@dataclass(frozen=True)
class Experiment:
    """One reproduction: what it states and which parameters it has, declared; `run` is given its context."""

    id: str
    source: str
    title: str
    run: Callable[[ExperimentContext], Findings]
    states: Sequence[Statement] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        keys = [stated.key for stated in self.states]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise ExperimentError(f"{self.id} states {twice!r} twice")

    @property
    def units(self) -> dict[str, str]:
        """Units of its parameters and of the columns of its findings, by name."""
        varied = {name: parameter.unit for name, parameter in self.parameters.items() if parameter.unit}
        return varied | {stated.column: stated.unit for stated in self.states if stated.unit}

    def statement(self, key: str) -> Statement:
        """What is declared under a key, or an error that names the nearest."""
        for stated in self.states:
            if stated.key == key:
                return stated
        raise ExperimentError(f"{self.id} states nothing called {key!r}{nearest(key, [s.key for s in self.states])}")

    def check(self, parameters: Iterable[str], keys: Iterable[str] = ()) -> None:
        """Raises where it has no such parameter, or states nothing of that key: before anything runs."""
        for name in sorted(set(parameters) - set(self.parameters)):
            hint = nearest(name, self.parameters) if self.parameters else "; it has none"
            raise ExperimentError(f"{self.id} has no parameter {name!r}{hint}")
        for key in keys:
            self.statement(key)

    def perform(
        self,
        folder: Path,
        *,
        quick: bool = False,
        log: Callable[[str], None] = lambda text: None,
        found: list[Finding] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> list[Finding]:
        """Runs it; every finding carries the whole time and all pictures.

        Findings go into `found` as they come, so that whoever interrupts has those that were made. Each statement is
        found once, unless it is one for full runs and this is a quick one.
        """
        self.check(parameters or {})
        context = ExperimentContext(self, folder, quick, log, parameters or {})
        started = time.perf_counter()
        found = [] if found is None else found
        try:
            for finding in self.run(context):
                found.append(finding)
        finally:
            for finding in found:
                finding.seconds = time.perf_counter() - started
                finding.pictures = list(context.pictures)
        keys = [finding.key for finding in found]
        for stated in self.states:
            if keys.count(stated.key) != 1 and not (stated.full and quick and stated.key not in keys):
                raise ExperimentError(f"{self.id} states {stated.key!r} and found it {keys.count(stated.key)} times")
        return found


_experiments: dict[str, Experiment] = {}


def experiment(
    id: str, source: str, title: str, states: Sequence[Statement], parameters: Mapping[str, Parameter] | None = None
):
    """Marks a function as an experiment, with what it states and its parameters.

    One outside this package may begin its id as it likes, with its own family.
    """
    if "-" not in id.strip("-"):
        raise ExperimentError(f"the id {id!r} must be a family and a name, such as {FAMILIES[0]}-taps")
    if id in _experiments:
        raise ExperimentError(f"two experiments are called {id!r}")

    def mark(run: Callable[[ExperimentContext], Findings]) -> Callable[[ExperimentContext], Findings]:
        _experiments[id] = Experiment(id, source, title, run, tuple(states), dict(parameters or {}))
        run.__doc__ = run.__doc__ or f"{title}."
        return run

    return mark


def experiments() -> dict[str, Experiment]:
    """Every experiment by its id, in the order of the families."""
    for info in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        if info.name != __name__:
            importlib.import_module(info.name)
    rank = {family: k for k, family in enumerate(FAMILIES)}
    order = sorted(_experiments.values(), key=lambda e: (rank.get(e.id.split("-")[0], len(rank)), e.id))
    return {e.id: e for e in order}


def load_experiments(path: Path) -> list[str]:
    """Runs a file of your own that marks experiments; their ids."""
    if not path.is_file():
        raise UnknownNameError(f"there is no file {path}")
    before = set(_experiments)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [id for id in _experiments if id not in before or _experiments[id].run.__module__ == path.stem]


def find_experiment(id: str) -> Experiment:
    """The experiment of that id, or an error that names the nearest."""
    known = experiments()
    if id not in known:
        raise UnknownNameError(f"no experiment is called {id!r}{nearest(id, known)}")
    return known[id]
