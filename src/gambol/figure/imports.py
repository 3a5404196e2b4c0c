"""What the readers of foreign formats share: the report of what was left out, and errors."""

import re
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from gambol.errors import Fault, FigureError, FigureImportWarning, nearest


class LeftOut:
    """Collects what cannot be represented, and warns once."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[str]] = {}

    def add(self, kind: str, names: Iterable[str] = ()) -> None:
        """Notes things of a kind that the reader left out."""
        self.kinds.setdefault(kind, []).extend(names)

    def named(self) -> dict[str, tuple[str, ...]]:
        """Names by kind, each once."""
        return {kind: tuple(dict.fromkeys(names)) for kind, names in self.kinds.items()}

    def warn(self, file: str) -> None:
        """One FigureImportWarning for all that was left out of a file."""
        if self.kinds:
            warnings.warn(FigureImportWarning(file, self.named()), stacklevel=3)


def package(name: str, format_name: str) -> Any:
    """The module `name`, or a FigureError that says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        message = f"reading {format_name} needs the package '{name}': pip install 'gambol[import]'"
        raise FigureError([Fault(message)]) from None


def foreign_error(file: str, error: Exception) -> FigureError:
    """A parser's complaint as ours; the line is taken from its words when they name one."""
    text = " ".join(str(error).split()) or type(error).__name__
    found = re.search(r"line[ :=]+(\d+)", text, re.IGNORECASE)
    line = getattr(error, "lineno", None) or (int(found.group(1)) if found else 1)
    return FigureError([Fault(text, file=file, line=line)])


def check_root(root: str | None) -> None:
    """A FigureError unless it is a joint that a root may be given."""
    if root not in (None, "free", "fixed"):
        raise FigureError([Fault(f"unknown root joint {root!r}{nearest(str(root), ('free', 'fixed'))}")])
