"""Docstrings on what is public: modules, classes, functions and methods whose names do not begin with a line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gambol

SOURCE = Path(gambol.__file__).parent
WANTED = 0.95


# What a class takes over from one that says it (Controller, Element, Constraint, Part): inspect.getdoc finds it there.
INHERITED = {"start", "next_time", "act", "save", "restore", "rewind", "rows", "faults", "joints", "row_blocks"}
INHERITED |= {"prepare", "begin", "labels", "bounds", "read", "apply", "value", "over", "change"}


def documented(node: ast.Module | ast.ClassDef, name: str) -> Iterator[tuple[str, bool]]:
    """A module or class and what is in it: its name, and whether it has a docstring."""
    yield name, ast.get_docstring(node) is not None
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            if any(ast.unparse(mark).endswith((".setter", "overload")) for mark in child.decorator_list):
                continue  # the getter has it, or what is overloaded
            if any(re.match(r"(command|experiment)\(", ast.unparse(mark)) for mark in child.decorator_list):
                continue  # the mark says it, and is made the docstring
            if child.name in INHERITED and getattr(node, "bases", ()):
                continue
            if isinstance(child, ast.ClassDef):
                yield from documented(child, f"{name}.{child.name}")
            else:
                yield f"{name}.{child.name}", ast.get_docstring(child) is not None


PACKAGES = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("package", [*PACKAGES, ""])
def test_what_is_public_says_what_it_is(package):
    files = (SOURCE / package).rglob("*.py") if package else SOURCE.glob("*.py")
    trees = {str(file.relative_to(SOURCE)): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    found = [entry for name, tree in trees.items() for entry in documented(tree, name)]
    silent = [name for name, has in found if not has]
    assert 1.0 - len(silent) / len(found) >= WANTED, silent
