"""Kinds of constraints. Each is one module with the same contract, found by its presence in this folder.

A kind of somebody else's needs no number: its blocks (`RowBlock.kind`) name its `measure` itself, which is compiled
alone and called by address.

A module has
    KIND        a unique small number; NAME
and a jitted function
    measure(model, constrained, t, block, a, b, row, rows, p)    enters its rows by `state_row`
where a and b are layout bodies and p is where its parameters begin in model.params. Bodies are placed and located.
"""

import importlib
import pkgutil

from gambol.jit import choice


def _registered():
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    modules = sorted((m for m in modules if hasattr(m, "KIND")), key=lambda m: m.KIND)
    numbers = [m.KIND for m in modules]
    if numbers != list(range(len(numbers))):
        raise ImportError(f"kinds must be 0, 1, 2, …; found {dict(zip((m.NAME for m in modules), numbers))}")
    return tuple(modules)


KINDS = _registered()
KIND_NUMBERS = {module.NAME: module.KIND for module in KINDS}
measure_block = choice([m.measure for m in KINDS], "model, constrained, t, block, a, b, row, rows, p")
