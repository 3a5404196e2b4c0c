"""The list of experiments, and the context in which one runs."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import gambol.experiments as _package
from gambol import ExperimentError, UnknownNameError
from gambol.errors import nearest

Verdict = Literal["matches", "differs", "beyond"]
FAMILIES = ("finger", "roach", "verify", "person", "gait", "direct", "limbs", "hexapod")
Number = float | str | None
Findings = Iterator["Finding"]
"""What an experiment yields."""


@dataclass
class Finding:
    """One statement of a source beside what was measured. `printed` is None where the source gives no number."""

    id: str
    source: str
    statement: str
    printed: Number
    ours: Number
    unit: str
    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    pictures: list[str] = field(default_factory=list)

    def as_row(self) -> dict[str, Any]:
        """As a row of the results file."""
        return asdict(self)


@dataclass
class ExperimentContext:
    """What an experiment is given: where its pictures and tables go, whether to be quick, `log` for its progress."""

    experiment: Experiment
    folder: Path
    quick: bool = False
    log: Callable[[str], None] = lambda text: None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pictures: list[str] = field(default_factory=list)
    requested: set[str] = field(default_factory=set)

    def parameter(self, name: str, default: Any) -> Any:
        """A parameter that sweeps may vary; `default` is the source's."""
        self.requested.add(name)
        return self.parameters.get(name, default)

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

    def finding(
        self,
        statement: str,
        *,
        printed: Number = None,
        ours: Number,
        unit: str = "",
        ok: bool | None = None,
        beyond: bool = False,
        reason: str = "",
        note: str = "",
    ) -> Finding:
        """A finding of this experiment.

        `reason` says why it differs, and is left out where it does not; `note` is told in any case.
        """
        verdict: Verdict = "beyond" if beyond else "matches" if ok else "differs"
        told = "; ".join(text for text in ("" if verdict == "matches" else reason, note) if text)
        if verdict == "differs" and not told:
            raise ExperimentError(f"{self.experiment.id}: {statement!r} differs and gives no reason")
        return Finding(self.experiment.id, self.experiment.source, statement, printed, ours, unit, verdict, told)


@dataclass(frozen=True)
class Experiment:
    """One reproduction: `run` is given its context and yields findings."""

    id: str
    source: str
    title: str
    run: Callable[[ExperimentContext], Findings]

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

        Findings go into `found` as they come, so that whoever interrupts has those that were made.
        """
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
        if unknown := sorted(set(context.parameters) - context.requested):
            raise ExperimentError(f"{self.id} has no parameter {unknown[0]!r}{nearest(unknown[0], context.requested)}")
        return found


_experiments: dict[str, Experiment] = {}


def experiment(id: str, source: str, title: str):
    """Marks a function as an experiment; one outside this package may begin its id as it likes, with its own family."""
    if "-" not in id.strip("-"):
        raise ExperimentError(f"the id {id!r} must be a family and a name, such as {FAMILIES[0]}-taps")
    if id in _experiments:
        raise ExperimentError(f"two experiments are called {id!r}")

    def mark(run: Callable[[ExperimentContext], Findings]) -> Callable[[ExperimentContext], Findings]:
        _experiments[id] = Experiment(id, source, title, run)
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
