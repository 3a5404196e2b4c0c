"""Numba with what compiling can do without left out: the same machine code, and Numba's own functions afterwards."""

import contextlib
import re

import numpy as np
import pytest
from numba import types
from numba.core import ir
from numba.core.errors import TypingError

from gambol.jit import JIT_ON, entry, function, lean, pipeline

pytestmark = pytest.mark.skipif(not JIT_ON, reason="asks for the compiler")
ARRAY = types.Array(types.float64, 2, "C")


def entry_made_anew():
    """An entry that loops, branches, slices, unpacks tuples and calls functions of ours; compiled by nobody yet."""

    @function
    def pair(row, k):
        return (row[k], row[k] * 2.0 if row[k] > 0.0 else -row[k])

    @function
    def summed(rows, first=0):
        total = 0.0
        for row in rows[first:]:
            for k in range(row.size):
                low, high = pair(row, k)
                total += low * high**2 + min(low, high)
        return total

    def loop(rows, n):
        while n > 0 and not np.isnan(summed(rows)):
            rows[n % rows.shape[0], 0] += summed(rows, 1) / n
            n -= 1
        return summed(rows)

    made = entry(loop, counts=False)
    made._cache = type("NoCache", (), {"load_overload": lambda *_: None, "save_overload": lambda *_: None})()
    return made


def assembly(made) -> str:
    """Without the numbers that tell functions of one name apart."""
    made.compile((ARRAY, types.int64))
    text = made.inspect_asm((ARRAY, types.int64))
    return re.sub(r"(_ZN|NumbaEnv|\.const)[\w.$]+", "name", text)


def test_machine_code_is_the_same(monkeypatch):
    ours = assembly(entry_made_anew())
    monkeypatch.setattr(pipeline, "lean", contextlib.nullcontext)
    numbas = assembly(entry_made_anew())
    assert len(ours) > 2000
    assert ours == numbas


def test_variables_are_those_that_numba_finds():
    loc = ir.unknown_loc
    scope = ir.Scope(None, loc)
    a, b, c = (ir.Var(scope, name, loc) for name in "abc")
    call = ir.Expr.call(a, [b, c], (("key", b),), loc, vararg=c)
    for statement in (ir.Assign(call, a, loc), ir.SetItem(a, b, c, loc), ir.Branch(a, 1, 2, loc), call):
        values = vars(statement) if statement is not call else call._kws
        assert lean._list_variables(statement, values) == statement._rec_list_vars(values)


def test_numba_is_as_before_afterwards():
    before = [vars(owner)[name] for owner, name, _ in lean._exchanged()]

    @function
    def wrong(x):
        return x.nothing_of_the_kind

    def caller(x):
        return wrong(x)

    with pytest.raises(TypingError, match="nothing_of_the_kind"):
        entry(caller).compile((types.float64,))
    assert [vars(owner)[name] for owner, name, _ in lean._exchanged()] == before


def test_exchanged_while_compiling_only():
    seen = []
    with lean.lean():
        with lean.lean():
            seen.append(ir.Inst._rec_list_vars)
        seen.append(ir.Inst._rec_list_vars)
    assert seen == [lean._list_variables] * 2
    assert ir.Inst._rec_list_vars is not lean._list_variables
