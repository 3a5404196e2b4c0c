"""Above the engine nobody touches cells, rows or offsets of a simulation: handles do what they did."""

import ast
from pathlib import Path

import pytest

import gambol

PACKAGES = ("control", "models", "view", "draw", "plot", "corpus", "shows", "experiments", "export")
SIMULATIONS = {"sim", "simulation", "run"}  # what variables and attributes that hold one are called
ANYWHERE = {"memory", "timetable", "compiled"}  # nothing else up there has attributes of these names
OF_SIMULATIONS = {"model", "parameters"}
MODULES = {
    "gambol.forces.programs",
    "gambol.forces.ramp",
    "gambol.forces.registry",
    "gambol.stepping.memory",
    "gambol.stepping.timetable",
    "gambol.stepping.workspace",
    "gambol.world.memory",
}
ROOT = Path(gambol.__file__).parent


def back_doors(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value).rsplit(".", 1)[-1].lstrip("_")
            inner = node.attr in OF_SIMULATIONS or (node.attr.startswith("_") and not node.attr.startswith("__"))
            if node.attr in ANYWHERE or (owner in SIMULATIONS and inner):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            found.append(f"line {node.lineno}: from {node.module} import …")
        elif isinstance(node, ast.Import):
            found += [f"line {node.lineno}: import {name.name}" for name in node.names if name.name in MODULES]
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_simulations_are_reached_by_handles(package):
    found = {
        str(path.relative_to(ROOT)): doors
        for path in sorted((ROOT / package).rglob("*.py"))
        if (doors := back_doors(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert not found


def test_the_check_sees_them():
    text = "them[3].memory.cells[0] = 1\nsim.model.indices[2] = 3\nrun._call()\nfrom gambol.forces.programs import TYPE"
    assert len(back_doors(ast.parse(text))) == 4
