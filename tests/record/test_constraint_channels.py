"""Constraints in a recording: the same numbers as the simulation shows."""

import numpy as np
import pytest

from gambol import Distance, Nail, Placement, Recorder, Recording, Simulation, World, chain


def test_constraints_are_recorded(tmp_path):
    nail = Nail(name="nail", body="chain_1", point=(0, 0, -1.0), place=(0.8, 0, -1.2), rate=5.0)
    rope = Distance(name="rope", body="chain_0", at=(2.0, 0, 0), point=(0, 0, -0.5), length=2.0)
    sim = Simulation(World(chain(2, "ball"), constraints=[nail, rope]))
    bent = [*Placement.about((0.3, -1.0, 0.2), 0.6).rotation, *Placement.about((0.1, 1.0, 0.4), 0.9).rotation]
    sim.reset(np.array(bent))
    with Recorder(sim, tmp_path / "a.gambol", every=0.1) as recorder:
        recorder.run(0.5)
    data = Recording.open(tmp_path / "a.gambol").dataset
    assert list(data.constraint_row.values) == ["nail.0", "nail.1", "nail.2", "rope"]
    last = sim.constraints.now()
    assert data.constraint_force[-1].values == pytest.approx(np.concatenate([last.force["nail"], last.force["rope"]]))
    assert data.constraint_deviation.sel(constraint_row="rope")[-1] == pytest.approx(last.deviation["rope"][0])
    assert float(data.constraint_residual.max()) < 1e-9
    assert data.constraint_singular_values.shape == (6, 4)
    assert float(data.constraint_rank[-1]) == last.rank == 4
    assert data.constraint_force.attrs["units"] == "N or N·m"
