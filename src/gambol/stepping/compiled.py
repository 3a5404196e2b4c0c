"""What a run calls: the march of its number type and the code of its flow, by two processes where both are missing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np

from gambol.jit import address_of, is_kept
from gambol.stepping.march import March, loop_types, march
from gambol.stepping.memory import Rows
from gambol.stepping.options import Stepping
from gambol.stepping.timetable import Timetable, Writes
from gambol.stepping.workspace import Asked, FlowCode, StepRules, sections

COMPILE = "import sys; sys.path[:] = {path!r}; from gambol.stepping.compiled import compile_loop; compile_loop{types}"


class CompiledMarch(NamedTuple):
    """Addresses of the march and of what it calls of a flow."""

    loop: int
    code: FlowCode
    asked: Asked

    def serves(self, asked: Asked) -> bool:
        """Is everything there that is asked for?"""
        return asked == self.asked


def compile_march(
    flow: March, model: Any, memory: Rows, rules: StepRules, asked: Asked, writes: Writes
) -> CompiledMarch:
    """Compiles what is neither in this process nor on the disk."""
    kinds = _loop_types(memory, rules, writes)
    if (os.cpu_count() or 1) > 1 and not is_kept(march, kinds):
        _compile_beside(memory)
    code = flow.code(model, memory.array, memory.offsets, rules, asked)
    return CompiledMarch(address_of(march, kinds), code, asked)


def _loop_types(memory: Rows, rules: StepRules, writes: Writes) -> tuple:
    """Those of the arguments of a march: what is called by address is not asked what it was compiled for."""
    return loop_types(memory.array, memory.offsets, rules, np.zeros(0, memory.dtype), memory.record(0, 0), writes)


def _compile_beside(memory: Rows) -> None:
    """Starts a process that compiles the march; whoever needs it waits for that (jit.cache), or finds what it made."""
    code = COMPILE.format(path=sys.path, types=(np.dtype(memory.dtype).name, memory.lanes))
    quiet = subprocess.DEVNULL
    try:
        subprocess.Popen(  # in a session of its own: after Ctrl-C what it compiles is kept
            [sys.executable, "-P", "-c", code], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError:
        pass  # compiled here, then


def compile_loop(dtype: str, lanes: int) -> None:
    """Compiles the march for a number type, in packs of so many lanes (0: single worlds)."""
    kind, nothing = np.dtype(dtype).type, np.zeros(0, np.int64)
    memory = Rows(sections(1, 1, 0, 0, 1, 1), worlds=max(lanes, 1), lanes=lanes, dtype=kind)
    rules = Stepping().with_defaults(stiff=True).rules(kind, np.zeros(1, kind), nothing, nothing)
    march.compile(_loop_types(memory, rules, Timetable(memory).writes))  # type: ignore[attr-defined]
