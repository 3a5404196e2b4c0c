"""The four-bar against MuJoCo: the same mechanism, and the error asked for."""

import pytest

from gambol.bench import fourbar
from gambol.models.linkages import four_bar, four_bar_start
from gambol.world.mechanics import Mechanics

mujoco = pytest.importorskip("mujoco")


def test_both_have_the_same_mechanism():
    world = four_bar(2)
    ours = sum(Mechanics(list(world.figures)).energies(*four_bar_start(world)).values())
    model = mujoco.MjModel.from_xml_string(fourbar.mjcf(2, 1e-3, "RK4"))
    data = mujoco.MjData(model)
    data.qvel[:] = [1.0 if model.body(b).name.startswith("crank") else -1.0 for b in model.jnt_bodyid]
    mujoco.mj_forward(model, data)
    assert ours == pytest.approx(fourbar.ENERGY, abs=1e-12)
    assert float(data.energy.sum()) == pytest.approx(fourbar.ENERGY, abs=1e-6)
    assert model.neq == len(world.constraints) == 2


def test_the_fastest_that_is_good_enough_counts():
    settings = [lambda r=r: r for r in ((1.0, 1e-3), (3.0, 1e-7), (2.0, 1e-8))]
    assert fourbar._fastest(settings, 1e-6).seconds == 2.0
    assert fourbar._fastest(settings, 1e-9).error == 1e-8
    assert fourbar._fastest(settings, 1e-2).seconds == 1.0


def test_energy_to_a_millionth_beside_a_hundredth_elsewhere():
    (result,) = fourbar.measure(1, lambda: None)
    assert set(result.peers) == {"MuJoCo"} and result.ratio == pytest.approx(result.peers["MuJoCo"] / result.ours)
    assert fourbar._ours(1e-8)[1] < fourbar.OURS
