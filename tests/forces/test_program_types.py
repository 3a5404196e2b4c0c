"""Programs are called by address: the types they were compiled for must be those that the march passes."""

import numpy as np
import pytest
from numba import njit, typeof, types
from numba.extending import intrinsic

from gambol import JointSpring, Simulation, World, chain
from gambol.forces.programs import PROGRAM_APPLY, number_type
from gambol.jit import JIT_ON, reference
from gambol.jit.address import Reference, _by_address
from gambol.math.scalar import load
from gambol.stepping.workspace import ACCEPT, CLOCK_SECTION, SIDE_SECTION, TIME, TRY
from gambol.world.flow import open_row, open_row_with_masses

pytestmark = pytest.mark.skipif(not JIT_ON, reason="there are no types without the compiler")


def probe_of(open_, seen):
    """A function that opens a row as the march does and keeps the types of what it would pass on."""

    @intrinsic
    def note(typing_context, value):
        seen.append(value)
        return types.void(value), lambda context, builder, signature, arguments: context.get_dummy_value()

    @njit(error_model="numpy")
    def probe(model, memory, offsets, tableau):
        row = memory[0]
        clock = row[offsets[CLOCK_SECTION] : offsets[SIDE_SECTION]]
        own, motion = open_(model, row, offsets)
        t, h = load(clock, TIME), load(clock, TRY)
        note((reference((own, motion)), t + h * tableau.c[0], h, own.programs.shape[0]))
        note((reference((own, motion)), t, load(clock, ACCEPT), own.programs.shape[0]))

    return probe


CASES = {
    "float64": {},
    "float32": {"dtype": np.float32},
    "packs of float64": {"worlds": 3},
    "packs of float32": {"worlds": 3, "dtype": np.float32},
}


@pytest.mark.parametrize("own_masses", (False, True), ids=("shared", "own_masses"))
@pytest.mark.parametrize("case", CASES)
def test_types_of_programs_are_those_of_the_march(case, own_masses):
    spring = JointSpring(joint="chain_1", stiffness=1.0)
    sim = Simulation(World(chain(2), forces=(spring,)), ledger=False, own_masses=own_masses, **CASES[case])
    own, motion = sim._row(0)
    number = number_type(motion.q)
    shared = Reference(types.Tuple((typeof(own), typeof(motion))))
    wanted = types.Tuple((shared, number, number, types.int64))
    tableau = sim.stepping.rules(sim.dtype, *[np.zeros(0)] * 3).tableau
    seen: list[types.Type] = []
    probe = probe_of(open_row_with_masses if own_masses else open_row, seen)
    probe.compile(tuple(map(typeof, (sim.model, sim.memory.array, sim.memory.offsets, tableau))))
    assert seen and all(kind == wanted for kind in seen), (seen, wanted)


def test_every_program_that_is_called_was_compiled():
    sim = Simulation(World(chain(2), forces=(JointSpring(joint="chain_1", stiffness=1.0),)))
    used = [int(address) for address in sim.model.programs[:, PROGRAM_APPLY:].ravel() if address]
    assert used and all(address in _by_address for address in used)
