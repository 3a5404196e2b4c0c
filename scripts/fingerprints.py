"""What code a card of the gallery was made by: that of its experiment, and of the models it uses, with their data.

Docstrings, comments and layout do not count. Of a package of models only those modules count that the names taken from
it come from: a person who stands is not made anew because one who walks has changed. What models look like does not
count: it neither weighs nor touches anything.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

MODELS = ("gambol.models", "gambol.hybrid.models")
LOOKS = ("looks", "loft")  # how the modules end that are for looks alone
DATA_SUFFIXES = (".csv", ".json", ".yaml")
Trees = dict[str, ast.Module]


def of_experiment(experiment: Any) -> str:
    """Of the code of an experiment and of what it uses of its own family."""
    return digest(own_code(experiment))


def of_models(experiment: Any) -> str:
    """Of the models that an experiment uses, of what these use of theirs, and of the data that they read."""
    trees = model_code(experiment)
    return digest(trees, data_of(trees))


def own_code(experiment: Any) -> Trees:
    """The module of an experiment and those of its family that it imports, one through another."""
    module = experiment.run.__module__
    return follow({module}, lambda tree: imported(tree, module.rpartition(".")[0]))


def model_code(experiment: Any) -> Trees:
    """Modules of models that the code of an experiment takes something from, and that these take something from."""
    asked = {home for tree in own_code(experiment).values() for home in homes(tree)}
    return follow(asked, homes)


def follow(modules: set[str], onward: Any) -> Trees:
    """The sources of modules and of those that they lead to."""
    waiting, seen = sorted(modules), Trees()
    while waiting:
        name = waiting.pop()
        if name not in seen and not name.endswith(LOOKS) and (tree := source(name)) is not None:
            seen[name] = tree
            waiting += onward(tree)
    return seen


def imported(tree: ast.Module, package: str) -> list[str]:
    """Modules of a package that a source imports from."""
    return [node.module for node in imports(tree) if node.module.startswith(f"{package}.")]


def homes(tree: ast.Module) -> Iterator[str]:
    """Modules of models that the names come from which a source takes from them."""
    for node in imports(tree):
        if f"{node.module}.".startswith(tuple(f"{package}." for package in MODELS)):
            for alias in node.names:
                yield from homes_of(tree, node.module, alias.name, alias.asname or alias.name)


def homes_of(tree: ast.Module, package: str, name: str, called: str) -> Iterator[str]:
    """Where one name of a package comes from; of a package within it, where what is taken from that comes from."""
    table = offered(package)
    if not table:
        yield package  # a module: what is in it
    elif name in table:
        yield from homes_of(tree, table[name], name, called)
    elif isinstance(thing := getattr(importlib.import_module(package), name, None), ModuleType):
        inner = offered(thing.__name__)
        taken = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == called
        }
        for attribute in taken & set(inner):
            yield from homes_of(tree, inner[attribute], attribute, called)
        if not inner or taken - set(inner):
            yield thing.__name__
    else:
        yield package


@functools.cache
def offered(package: str) -> dict[str, str]:
    """Names that a package takes from its modules for others, each with the module; none where it is a module."""
    tree = source(package)
    if tree is None or not hasattr(importlib.import_module(package), "__path__"):
        return {}
    inside = [node for node in imports(tree) if node.module.startswith(f"{package}.")]
    return {alias.asname or alias.name: node.module for node in inside for alias in node.names}


@functools.cache
def source(module: str) -> ast.Module | None:
    """The source of a module, without docstrings."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant("")
    return tree


@functools.cache
def imports(tree: ast.Module) -> list[Any]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]


def data_of(trees: Trees) -> list[Path]:
    """Files beside the models that their sources name. A name that is put together stands for all that fit; one that is
    given, for those whose names stand in these sources."""
    folder = Path(str(importlib.import_module(MODELS[0]).__file__)).parent / "data"
    said = {text for tree in trees.values() for text in texts(tree)}
    patterns = {Path(text).name for text in said if text.endswith(DATA_SUFFIXES)}
    fit = {(pattern, path) for pattern in patterns for path in folder.glob(pattern)}
    return sorted({path for pattern, path in fit if not pattern.startswith("*.") or path.stem in said})


def texts(tree: ast.Module) -> Iterator[str]:
    """Strings of a source, with stars where something is put in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


dump = functools.cache(ast.dump)


def digest(trees: Trees, files: list[Path] = []) -> str:  # noqa: B006 (never changed)
    text = "\n".join([*(dump(trees[name]) for name in sorted(trees)), *(f.read_text(encoding="utf-8") for f in files)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
