"""What a run calls: the march of its number type and the code of its flow; two processes compile what is missing."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gambol.jit import JIT_ON, address_of, is_kept
from gambol.math.pack import number_type
from gambol.stepping.march import March, loop_types, make_room, march
from gambol.stepping.memory import Rows
from gambol.stepping.timetable import Writes
from gambol.stepping.workspace import Asked, FlowCode, StepRules

COMPILE = "import sys; sys.path[:] = {path!r}; from gambol.stepping.compiled import compile_named; compile_named()"


class CompiledMarch(NamedTuple):
    """Addresses of the march and of what it calls of a flow."""

    loop: int
    code: FlowCode
    asked: Asked
    room: Any  # for what is handed to them

    def serves(self, asked: Asked) -> bool:
        """Is everything there that is asked for?"""
        return asked == self.asked


class Wanted(NamedTuple):
    """An entry by name, and the types to compile it for."""

    module: str
    recipe: str  # of a flow of the module; empty: the entry itself is in the module
    name: str
    types: tuple

    def entry(self) -> Any:
        """The entry."""
        found = vars(importlib.import_module(self.module))
        if not self.recipe:
            return found[self.name]
        (flow,) = (own for own in found.values() if isinstance(own, March) and own.flow.recipe == self.recipe)
        return getattr(flow, self.name)


def compile_march(
    flow: March, model: Any, memory: Rows, rules: StepRules, asked: Asked, writes: Writes
) -> CompiledMarch:
    """Compiles what is neither in this process nor on the disk."""
    wanted = what_is_wanted(flow, model, memory, rules, asked, writes)
    missing = [one for one in wanted if not is_kept(one.entry(), one.types)]
    if len(missing) > 1 and _a_core_is_idle():
        _compile_beside(missing[:0:-1])
    addresses = {one.name: address_of(one.entry(), one.types) for one in wanted}
    return CompiledMarch(
        addresses.pop(march.__name__), FlowCode(**addresses), asked, make_room(one.types for one in wanted)
    )


def what_is_wanted(
    flow: March, model: Any, memory: Rows, rules: StepRules, asked: Asked, writes: Writes
) -> list[Wanted]:
    """The entries that a run needs, the longest to compile first, for the types of what they are handed.

    What is called by address is not asked what it was compiled for.
    """
    number = number_type(memory.array) if JIT_ON else None
    types = flow.types(model, memory.array, memory.offsets, rules, number)
    names = [name for name in types if name != "search" or asked.events]
    own = [Wanted(flow.flow.module, flow.flow.recipe, name, types[name]) for name in names]
    loop = loop_types(memory.array, memory.offsets, rules, np.zeros(0, memory.dtype), memory.record(0, 0), writes)
    return [*own, Wanted(march.__module__, "", march.__name__, loop)]


def _a_core_is_idle() -> bool:
    """Is there a core for a second process? (What two compile apart they do not share: together it is more work.)"""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 1.0
    return (os.cpu_count() or 1) - busy > 0.5


def _compile_beside(wanted: Sequence[Wanted]) -> None:
    """Starts a process that compiles these; whoever needs one waits for that (jit.cache), or finds what it made."""
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # in a session of its own: after Ctrl-C what it compiles is kept
            [sys.executable, "-P", "-c", COMPILE.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        assert process.stdin
        with process.stdin as stream:
            pickle.dump(list(wanted), stream)
    except OSError:
        pass  # compiled here, then


def compile_named() -> None:
    """In the other process: compiles what is named at its standard input."""
    for one in pickle.load(sys.stdin.buffer):
        one.entry().compile(one.types)
