"""The four-bar against MuJoCo: the same mechanism, and the error asked for."""

import pytest

from gambol import Mechanics
from gambol.bench import fourbar
from gambol.models.linkages import four_bar, four_bar_start

mujoco = pytest.importorskip("mujoco")


def test_both_have_the_same_mechanism():
    world = four_bar(2)
    ours = sum(Mechanics(list(world.figures)).energies(*four_bar_start(world)).values())
    model = mujoco.MjModel.from_xml_string(fourbar.mjcf(2, 1e-3, "RK4"))
    data = mujoco.MjData(model)
    data.qvel[:] = [1.0 if model.body(b).name.startswith("crank") else -1.0 for b in model.jnt_bodyid]
    mujoco.mj_forward(model, data)
    assert ours == pytest.approx(fourbar.FOUR_BAR_ENERGY, abs=1e-12)
    assert float(data.energy.sum()) == pytest.approx(fourbar.FOUR_BAR_ENERGY, abs=1e-6)
    assert model.neq == len(world.constraints) == 2


def test_the_fastest_that_is_good_enough_counts():
    settings = [lambda r=r: r for r in ((1.0, 1e-3), (3.0, 1e-7), (2.0, 1e-8))]
    assert fourbar._fastest(settings, 1e-6).seconds == 2.0
    assert fourbar._fastest(settings, 1e-9).error == 1e-8
    assert fourbar._fastest(settings, 1e-2).seconds == 1.0


def test_what_is_timed_has_its_energy_right(monkeypatch):
    monkeypatch.setattr(fourbar, "GAMBOL_TOLERANCES", (1e-8,))
    monkeypatch.setattr(fourbar, "FOUR_BAR_MUJOCO_STEPS", (1e-3,))
    monkeypatch.setattr(fourbar, "MUJOCO_INTEGRATORS", ("RK4",))
    (result,) = fourbar.measure(1, lambda: None)
    assert result.case == "fourbar" and result.ours > 0.0 and list(result.peers) == ["MuJoCo"]
    assert fourbar._ours(1e-8)[1] < fourbar.GAMBOL_ENERGY_ERROR
    assert fourbar._mujoco(1e-3, "RK4")[1] < fourbar.MUJOCO_ENERGY_ERROR
