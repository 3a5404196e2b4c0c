"""Sections of state space that a configuration sets: `section_apex = velocity_z falling;`.

The value is an expression over states, parameters and the time `t`, and the direction in which it has to cross zero
(rising, falling; either, where none is named). Of a state and a parameter of one name it is the state. Only numbers,
names, + - * / ** and a few functions are read: a configuration runs no code.
"""

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gambol.errors import nearest, shortened
from gambol.hybrid.section import Section
from gambol.hybrid.simsect.symbols import symbol_of
from gambol.hybrid.system import HybridSystem
from gambol.stepping.run import DIRECTIONS

PREFIX = "section_"
FUNCTIONS: dict[str, Callable] = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "abs": abs}
CONSTANTS = {"pi": math.pi}
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
NEVER = "1.0"  # in charts that lack a state of the expression nothing is crossed


@dataclass(frozen=True)
class ConfiguredSection:
    """A section as it was written, and as a run takes it."""

    text: str
    section: Section


def read_section(system: type[HybridSystem], symbol: str, value: str) -> ConfiguredSection:
    """`section_NAME = EXPRESSION [DIRECTION]`; ValueError says what is wrong with it."""
    name, text, direction = symbol.removeprefix(PREFIX), value.strip(), "either"
    if not name:
        raise ValueError("a section needs a name: section_NAME = expression;")
    head, _, last = text.rpartition(" ")
    if head and last in DIRECTIONS:
        text, direction = head, last
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{symbol}: {shortened(text)!r} is no expression") from None
    parameters = system.Parameters._fields  # type: ignore[attr-defined]
    states = {symbol_of(s) for chart in system.charts for s in chart.states}
    used = _checked(tree, symbol, {*parameters, *states, "t", *CONSTANTS})
    if not used & (states | {"t"}):
        raise ValueError(f"{symbol}: {text!r} does not depend on a state or on t")
    return ConfiguredSection(value, Section(name, _compiled(system, tree, used), direction=direction))


def _checked(tree: ast.expr, symbol: str, known: set[str]) -> set[str]:
    """The names that an expression uses; ValueError for whatever else it holds."""
    used: set[str] = set()
    callees = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
                raise ValueError(f"{symbol}: no function {ast.unparse(node.func)!r} (allowed: {', '.join(FUNCTIONS)})")
            if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
                raise ValueError(f"{symbol}: {node.func.id} takes one number")
        elif isinstance(node, ast.Name):
            if id(node) in callees:
                continue
            if node.id not in known:
                hint = nearest(node.id, known).split(" (allowed")[0]
                raise ValueError(f"{symbol}: no state or parameter {node.id!r}{hint}")
            used.add(node.id)
        elif isinstance(node, ast.Constant):
            if not _is_number(node.value):
                raise ValueError(f"{symbol}: {shortened(repr(node.value))} is not a number")
        elif not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.expr_context, *OPERATORS)):
            raise ValueError(f"{symbol}: {ast.unparse(node) or type(node).__name__!r} is not allowed in a section")
    return used


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _compiled(system: type[HybridSystem], tree: ast.expr, used: set[str]) -> Callable:
    """f(chart, t, x, p) of the expression, in charts whose states have it."""
    parameters = system.Parameters._fields  # type: ignore[attr-defined]
    all_states = {symbol_of(s) for chart in system.charts for s in chart.states}
    groups: dict[str, list[int]] = {}
    for number, chart in enumerate(system.charts):
        place = {symbol_of(s): k for k, s in enumerate(chart.states)}
        if used & all_states <= set(place):
            groups.setdefault(ast.unparse(_Placed(place, parameters).visit(ast.parse(ast.unparse(tree)))), []).append(
                number
            )
    if len(groups) == 1 and len(next(iter(groups.values()))) == len(system.charts):
        lines = [f"    return {next(iter(groups))}"]
    else:
        lines = [f"    if {' or '.join(f'chart == {n}' for n in ns)}:\n        return {e}" for e, ns in groups.items()]
        lines.append(f"    return {NEVER}")
    scope: dict[str, Any] = {**FUNCTIONS, "__name__": __name__}
    exec("def look(chart, t, x, p):\n" + "\n".join(lines), scope)
    return scope["look"]


class _Placed(ast.NodeTransformer):
    """Names become places of the state and fields of the parameters."""

    def __init__(self, place: dict[str, int], parameters: tuple[str, ...]):
        self.place, self.parameters = place, parameters

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [self.visit(a) for a in node.args]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(float(node.value))  # type: ignore[arg-type]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.place:
            return ast.parse(f"x[{self.place[node.id]}]", mode="eval").body
        if node.id in self.parameters:
            return ast.parse(f"p.{node.id}", mode="eval").body
        return ast.Constant(CONSTANTS[node.id]) if node.id in CONSTANTS else node
