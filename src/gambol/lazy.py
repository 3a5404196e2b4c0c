"""Packages whose names are loaded when first used, so that importing a package is quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package.

    homes   names, with spaces between, by the module of the package that defines them; "" for modules themselves
    """
    where = {name: module for module, names in homes.items() for name in names.split()}
    names = sorted(where)

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not where[name]:
            return import_module(f"{package}.{name}")
        return getattr(import_module(f"{package}.{where[name]}"), name)

    return names, get, lambda: names
