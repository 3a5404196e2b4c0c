"""What a study runs: an experiment by its id, or a function by its module or file."""

import importlib
import importlib.util
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import StudyError, nearest
from gambol.study.points import Point


@dataclass(frozen=True)
class Target:
    """`name` is `package.module:function` or `file.py:function`, or the id of something that `find` knows.

    A function is called with the parameters of a point as keywords and returns a number, a mapping or a dataclass of
    numbers and texts. What `find` gives for an id (an experiment) has check(parameters, keys) and
    perform(folder, parameters=…), which returns findings, the results; it must be importable by name, because other
    processes use it. `keys` are the results that are kept, by default all.
    """

    name: str
    find: Callable[[str], Any] | None = None
    keys: tuple[str, ...] = ()

    def check(self, parameters: set[str]) -> None:
        """Raises when there is no such thing, before anything runs."""
        if ":" not in self.name:
            self._found().check(parameters, self.keys)
            return
        if self.keys:
            raise StudyError(f"{self.name} is a function: what it returns is known when it has run, --finding is not")
        taken = inspect.signature(self.function()).parameters
        unknown = sorted(parameters - set(taken))
        if unknown and not any(p.kind is p.VAR_KEYWORD for p in taken.values()):
            raise StudyError(f"{self.name} has no parameter {unknown[0]!r}{nearest(unknown[0], taken)}")

    def _found(self) -> Any:
        if self.find is None:
            raise StudyError(f"{self.name!r} is neither package.module:function nor file.py:function")
        return self.find(self.name)

    def function(self) -> Callable[..., Any]:
        """The function of a module or a file."""
        where, _, name = self.name.rpartition(":")
        module = _file_module(Path(where)) if where.endswith(".py") else _module(where)
        if not callable(getattr(module, name, None)):
            functions = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            raise StudyError(f"{where} has no function {name!r}{nearest(name, functions)}")
        return getattr(module, name)

    def __call__(self, point: Point, folder: Path) -> dict[str, Any]:
        """The results of one point; files that an experiment writes go to `folder`."""
        if ":" in self.name:
            return result_columns(self.function()(**point))
        findings = self._found().perform(folder, parameters=point)
        return {f.stated.column: table_cell(f.value) for f in findings if not self.keys or f.key in self.keys}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StudyError(f"the module {name!r} cannot be imported: {error}") from None


def _file_module(path: Path) -> Any:
    if not path.is_file():
        raise StudyError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def result_columns(given: Any) -> dict[str, Any]:
    """What a function returned, as columns."""
    if is_dataclass(given) and not isinstance(given, type):
        given = asdict(given)
    if isinstance(given, Mapping):
        return {str(key): table_cell(value) for key, value in given.items()}
    return {"value": table_cell(given)}


def table_cell(value: Any) -> float | int | bool | str | None:
    """A cell of the table; numbers that are not finite have none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    raise StudyError(f"a result is a number or a text, not a {type(value).__name__}")
