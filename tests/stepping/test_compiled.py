"""The march is called by address: it is compiled for the types that it is handed, here and by the other process."""

import pickle

import numpy as np
import pytest
from numba import typeof, types
from numba.core.registry import cpu_target

from gambol import Nail, Simulation, World, chain
from gambol.jit import JIT_ON
from gambol.stepping import compiled
from gambol.stepping.workspace import TIME

NUMBERS = {
    "float64": {},
    "float32": {"dtype": np.float32},
    "packs of float64": {"worlds": 3},
    "packs of float32": {"worlds": 3, "dtype": np.float32},
}
pytestmark = pytest.mark.skipif(not JIT_ON, reason="nothing is compiled")


def wanted_by(monkeypatch):
    """Fills up with what runs want."""
    found = []
    own = compiled.what_is_wanted
    monkeypatch.setattr(compiled, "what_is_wanted", lambda *args: found.extend(own(*args)) or own(*args))
    return found


@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_march_is_compiled_for_what_it_is_handed(numbers, monkeypatch):
    wanted, handed = wanted_by(monkeypatch), []

    sim = Simulation(World(chain(2)), **NUMBERS[numbers])
    own = sim._holds.march

    def hand_over(model, *args):
        handed.append(tuple(typeof(x) for x in args[:-1]))
        own.hand_over(model, *args)

    monkeypatch.setattr(sim._holds, "march", own._replace(hand_over=hand_over))
    sim.run(0.01)
    sim.run(0.01, every=0.002)
    np.testing.assert_allclose(sim.memory.cell(sim.memory.clock(TIME)), 0.02, rtol=1e-6)
    (loop,) = (one.types for one in wanted if one.name == "march")
    assert handed and all(types == loop[0].to.types for types in handed)


@pytest.mark.parametrize("numbers", NUMBERS)
def test_the_other_process_finds_the_entries_and_types_by_their_names(numbers, monkeypatch):
    wanted = wanted_by(monkeypatch)
    Simulation(World(chain(2)), **NUMBERS[numbers]).run(0.01)
    assert {one.name for one in wanted} == {"rates", "act", "move", "march"}
    for one in pickle.loads(pickle.dumps(wanted)):
        assert one.types in one.entry().overloads


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("constraints", [(), [Nail(name="nail", body="chain_1", place=(0.0, 0.0, 1.0))]])
def test_rates_are_compiled_for_rows_as_they_are_opened(numbers, constraints):
    sim = Simulation(World(chain(2), constraints=constraints), **NUMBERS[numbers])
    known, model, memory = sim._holds.march, sim._holds.model, sim.memory
    rules = sim.stepping.rules(memory.dtype, sim.error_scale, sim._directions, sim._priorities)
    kinds = known.types(model, memory.array, memory.offsets, rules, types.float64)["rates"]
    row = types.Array(typeof(memory.array).dtype, 1, "C")
    opened = types.Dispatcher(known.flow.open)
    cpu_target.typing_context.refresh()
    found = cpu_target.typing_context.resolve_function_type(opened, (typeof(model), row, typeof(memory.offsets)), {})
    assert [kind.to for kind in kinds[:2]] == list(found.return_type.types)
