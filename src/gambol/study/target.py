"""What a study runs: an experiment by its id, or a function by its module or file."""

import contextlib
import functools
import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import StudyError, nearest
from gambol.study.points import Point
from gambol.study.quantities import DECLARED, checked_units

OF_TABLES = {"outcome", "message"}
LARGEST = 2**63 - 1  # of whole numbers in a table


@dataclass(frozen=True)
class Target:
    """`name` is `package.module:function` or `file.py:function`, or the id of something that `find` knows.

    A function is called with the parameters of a point as keywords and returns a number, a mapping or a dataclass of
    numbers and texts. A `batched` one is called with an array for every parameter, and returns an array, or a mapping
    of arrays: the points of a call can be worlds of one Simulation. What `find` gives for an id (an experiment) has
    check(parameters, keys) and perform(folder, parameters=…), which returns findings, the results, and perhaps `units`,
    by column; it must be importable by name, because other processes use it. `keys` are the results that are kept, by
    default all.
    """

    name: str
    find: Callable[[str], Any] | None = None
    keys: tuple[str, ...] = ()
    batched: bool = False

    def check(self, parameters: set[str]) -> None:
        """Raises when there is no such thing, before anything runs."""
        if taken_names := sorted(parameters & OF_TABLES):
            raise StudyError(f"a parameter cannot be called {taken_names[0]!r}: every table has a column of that name")
        if ":" not in self.name:
            self._found().check(parameters, self.keys)
            return
        if self.keys:
            raise StudyError(f"{self.name} is a function: what it returns is known when it has run, --finding is not")
        taken = inspect.signature(self.function()).parameters
        unknown = sorted(parameters - set(taken))
        if unknown and not any(p.kind is p.VAR_KEYWORD for p in taken.values()):
            raise StudyError(f"{self.name} has no parameter {unknown[0]!r}{nearest(unknown[0], taken)}")

    def takes(self, parameter: str) -> bool:
        """Can it be given a parameter of this name?"""
        if ":" not in self.name:
            return False
        taken = inspect.signature(self.function()).parameters
        return parameter in taken or any(p.kind is p.VAR_KEYWORD for p in taken.values())

    def units(self) -> dict[str, str]:
        """Units that were declared, by the name of a parameter or a result."""
        declared = getattr(self.function(), DECLARED, {}) if ":" in self.name else getattr(self._found(), "units", {})
        return checked_units(declared)

    def _found(self) -> Any:
        if self.batched:
            raise StudyError("an experiment is no batched target")
        if self.find is None:
            raise StudyError(f"{self.name!r} is neither package.module:function nor file.py:function")
        return self.find(self.name)

    def function(self) -> Callable[..., Any]:
        """The function of a module or a file."""
        where, _, name = self.name.rpartition(":")
        path = Path(where)
        if where.endswith(".py"):
            if not path.is_file():
                raise StudyError(f"{path}: no such file")
            module = _file_module(path.resolve(), path.stat().st_mtime_ns)
        else:
            module = _module(where)
        if not callable(getattr(module, name, None)):
            functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            raise StudyError(f"{where} has no function {name!r}{nearest(name, functions)}")
        return getattr(module, name)

    def load(self) -> None:
        """Imports what it is, so that no point waits for it; what is wrong with it, points will say."""
        with contextlib.suppress(Exception):
            _ = self.function() if ":" in self.name else self._found()

    def __call__(self, point: Point, folder: Path) -> dict[str, Any]:
        """The results of one point; files that an experiment writes go to `folder`."""
        if self.batched:
            return self.of_many([point])[0]
        if ":" in self.name:
            return result_columns(self.function()(**point))
        findings = self._found().perform(folder, parameters=point)
        return {f.stated.column: table_cell(f.value) for f in findings if not self.keys or f.key in self.keys}

    def of_many(self, points: Sequence[Point]) -> list[dict[str, Any]]:
        """The results of several points, from one call of a batched function."""
        found = self.function()(**{name: np.array([point[name] for point in points]) for name in points[0]})
        if is_dataclass(found) and not isinstance(found, type):
            found = asdict(found)
        columns = found if isinstance(found, Mapping) else {"value": found}
        for name, values in columns.items():
            if np.shape(values)[:1] != (len(points),):
                message = f"a batched target gives an array of {len(points)} for {len(points)} points;"
                raise StudyError(f"{message} {name!r} has shape {np.shape(values)}")
        return [{str(name): table_cell(values[k]) for name, values in columns.items()} for k in range(len(points))]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StudyError(f"the module {name!r} cannot be imported: {error}") from None


@functools.lru_cache(maxsize=8)
def _file_module(path: Path, changed: int) -> Any:
    """The module of a file, which may import those beside it; read again when it was changed."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise StudyError(f"{path.name} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def result_columns(given: Any) -> dict[str, Any]:
    """What a function returned, as columns."""
    if is_dataclass(given) and not isinstance(given, type):
        given = asdict(given)
    if isinstance(given, Mapping):
        return {str(key): table_cell(value) for key, value in given.items()}
    return {"value": table_cell(given)}


def in_table(value: Any) -> Any:
    """Whole numbers too large for a table are texts in it."""
    large = isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST
    return str(value) if large else value


def table_cell(value: Any) -> float | int | bool | str | None:
    """A cell of the table; numbers that are not finite have none, whole ones too large for a table are texts."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return in_table(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    raise StudyError(f"a result is a number or a text, not of type {type(value).__name__}")
