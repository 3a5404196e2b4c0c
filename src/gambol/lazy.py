"""Packages whose names are loaded when first used, so that importing a package is quick."""

import ast
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package, from the imports in its file under `if TYPE_CHECKING:`.

    Type checkers read those imports, the interpreter runs each when its name is first used. As for type checkers, what
    is imported `as` itself is public, and what is not is there for the package's friends.
    """
    with open(file, encoding="utf-8") as source:
        guarded = next(node for node in ast.parse(source.read()).body if isinstance(node, ast.If))
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: str(node.module) for node in imports for alias in node.names}
    names = sorted(alias.name for node in imports for alias in node.names if alias.asname)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        return import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)

    return names, get, lambda: names
