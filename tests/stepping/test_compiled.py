"""The march is called by address: it is compiled for the types that it is handed, here and by the other process."""

import numpy as np
import pytest
from numba import typeof

from gambol import Simulation, World, chain
from gambol.jit import JIT_ON
from gambol.stepping import compiled, run
from gambol.stepping.workspace import TIME

NUMBERS = {
    "float64": {},
    "float32": {"dtype": np.float32},
    "packs of float64": {"worlds": 3},
    "packs of float32": {"worlds": 3, "dtype": np.float32},
}
pytestmark = pytest.mark.skipif(not JIT_ON, reason="nothing is compiled")


@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_march_is_compiled_for_what_it_is_handed(numbers, monkeypatch):
    asked_for, handed = [], []
    own = compiled._loop_types
    monkeypatch.setattr(compiled, "_loop_types", lambda *args: asked_for.append(own(*args)) or asked_for[-1])

    def seen(dtype, begin):
        def call(model, *args):
            memory, offsets, rules, asked, times, record, writes, _, reached = args
            handed.append([typeof(x) for x in (memory, offsets, rules, asked, times, record, writes, reached)])
            begin(model, *args)

        return call

    monkeypatch.setattr(run, "flushed", seen)
    sim = Simulation(World(chain(2)), **NUMBERS[numbers])
    sim.run(0.01)
    sim.run(0.01, every=0.002)
    np.testing.assert_allclose(sim.memory.cell(sim.memory.clock(TIME)), 0.02, rtol=1e-6)
    assert handed and all(types == list(asked_for[0][1:]) for types in handed)


@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_other_process_compiles_for_the_same_types(numbers, monkeypatch):
    found = []
    own = compiled._loop_types
    monkeypatch.setattr(compiled, "_loop_types", lambda *args: found.append(own(*args)) or found[-1])
    sim = Simulation(World(chain(2)), **NUMBERS[numbers])
    sim.run(0.01)
    monkeypatch.setattr(compiled.march, "compile", lambda types: None)
    compiled.compile_loop(np.dtype(sim.dtype).name, sim.lanes)
    assert len(found) == 2 and found[0] == found[1]
