"""Numba without what compiling can do without: its books on who uses which variable, its clocks, its colours.

While a function of ours is compiled, some of Numba's inner functions are exchanged for ones that do the same in less
time, or nothing where nobody looks; afterwards they are Numba's again. A fifth of what Python does while compiling is
saved. The machine code is the same, which a test holds; the version of Numba is pinned (pyproject.toml).
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from numba import types
from numba.core import errors, event, ir, postproc, targetconfig, transforms, utils
from numba.core.typing.npydecl import NumpyRulesArrayOperator


def _list_variables(self, value) -> list:
    """Variables of a value, as `ir.Inst._rec_list_vars`."""
    found: list = []
    _add_variables((value,), found)
    return found


def _add_variables(values, found: list) -> None:
    for value in values:
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind is ir.Loc or kind is str:
            continue
        elif isinstance(value, (tuple, list)):
            _add_variables(value, found)
        elif kind is dict:
            _add_variables(value.values(), found)
        elif isinstance(value, ir.Inst):
            found.extend(value.list_vars())


_numbas_post_process = postproc.PostProcessor.run
_numbas_order = utils.order_by_target_specificity
_numbas_array_operator = NumpyRulesArrayOperator.generic
_defaults: dict[type, dict] = {}
_orders: dict[tuple, list] = {}


def _post_process(self, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Without the variables alive where a block begins: only object mode and generators ask for them."""
    function = self.func_ir
    if function.is_generator:
        _numbas_post_process(self, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = postproc.VariableLifetime(function.blocks)
    function.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _option_values(self) -> dict:
    """All options; the defaults of a class are gathered once."""
    kind = type(self)
    if kind not in _defaults:
        _defaults[kind] = {name: option.default for name, option in kind.options.items()}
    return _defaults[kind] | self._values


def _order(target, templates, fnkey="") -> list:
    """Of the same templates, once."""
    key = target, tuple(templates)
    if key not in _orders:
        _orders[key] = _numbas_order(target, templates, fnkey)
    return _orders[key]


def _array_operator(self, arguments, keywords):
    """Nothing at once where no argument is an array; Numba's looks for a loop of the ufunc first."""
    if not any(isinstance(argument, types.ArrayCompatible) for argument in arguments):
        return None
    return _numbas_array_operator(self, arguments, keywords)


def _nothing(*_arguments, **_keywords) -> None:
    """Nobody listens to how long Numba holds its locks."""


def _plain(self, text: str, color=None, style=None) -> str:
    """Uncoloured: most of what is coloured are reasons against a candidate that nobody reads."""
    return text


def _exchanged() -> list[tuple[Any, str, Any]]:
    """Owner, name and what stands there meanwhile."""
    exchanged = [
        (ir.Inst, "_rec_list_vars", _list_variables),
        (postproc.PostProcessor, "run", _post_process),
        (targetconfig.TargetConfig, "values", _option_values),
        (utils, "order_by_target_specificity", _order),
        (NumpyRulesArrayOperator, "generic", _array_operator),
        (event, "start_event", _nothing),
        (event, "end_event", _nothing),
    ]
    if hasattr(errors, "HighlightColorScheme"):  # colorama is installed
        exchanged.append((errors.HighlightColorScheme, "_markup", _plain))
    return exchanged


@contextlib.contextmanager
def lean() -> Iterator[None]:
    """Numba compiles so meanwhile. Its compiler lock is held: one thread at a time."""
    exchanged = _exchanged()
    before = [vars(owner)[name] for owner, name, _ in exchanged]
    for owner, name, ours in exchanged:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), earlier in zip(exchanged, before, strict=True):
            setattr(owner, name, earlier)
