"""Changes of the figure are for single worlds."""

import pytest

from gambol import Simulation, World, WorldError, chain


def test_welding_in_a_batch_is_refused_by_its_reason():
    sim = Simulation(World(chain(2)), worlds=2, stepping="semi-implicit-euler")
    for change in (sim.weld, sim.remove):
        with pytest.raises(WorldError, match="act on single worlds, there are 2"):
            change("chain_1")
