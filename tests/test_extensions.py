"""What ARCHITECTURE.md says on adding things, as printed: one file each, from outside the package, through everything.

A joint of one's own is in tests/figure/test_own_joint.py.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import METHODS, Channel, Joint, Recorder, Recording, Simulation, Stepping, World, box_figure, chain
from gambol.cli.app import app
from gambol.draw import Motion
from gambol.experiments.registry import _experiments
from gambol.export import export_file
from gambol.study import Target
from gambol.view import LiveSource

ARCHITECTURE = Path(__file__).parents[1] / "ARCHITECTURE.md"
MARKS = {
    "hardening": "class HardeningSpring",
    "height": "class AtHeight",
    "heun": "HEUN =",
    "beat": "class Beat",
    "oscillator": "def oscillator",
    "fall": "def fall",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The files as printed, each imported from a folder that has nothing else of Gambol's."""
    folder = tmp_path_factory.mktemp("own")
    blocks = [block.split("```")[0] for block in ARCHITECTURE.read_text(encoding="utf-8").split("```python\n")[1:]]
    modules = {}
    for name, mark in MARKS.items():
        (text,) = (block for block in blocks if mark in block)
        assert len(text.splitlines()) <= 40
        file = folder / f"own_{name}.py"
        file.write_text(text, encoding="utf-8")
        if name == "fall":  # its file is what the command is given
            modules[name] = file
            continue
        spec = importlib.util.spec_from_file_location(file.stem, file)
        modules[name] = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[name])
    yield modules
    METHODS.pop("heun")
    _experiments.pop("mine-fall", None)
    for name in MARKS:
        sys.modules.pop(f"own_{name}", None)


def arm(links=3):
    return chain(links, Joint("hinge", (0, 1, 0), damping=0.02), length=0.3, radius=0.02)


def whole_way(sim, tmp_path, controller=()):
    """Recorded, resumed, seen, exported, saved and restored to the bit; the trajectory of the first 0.3 s."""
    start = sim.save()
    with Recorder(sim, tmp_path / "own.gambol", every=0.02, overwrite=True) as recorder:
        recorder.run(0.3, controller=controller)
    recording = Recording.open(tmp_path / "own.gambol")
    q = recording.dataset.q.values
    assert np.isfinite(q).all() and np.abs(np.diff(q, axis=0)).max() > 0
    export_file(recording, tmp_path / "own.bvh")
    assert len(Motion.of(recording).time) == len(q)
    source = LiveSource(sim)
    source.advance(source.first + 0.05, float("inf"))
    assert not source.fault
    sim.restore(start)
    with Recorder(sim, every=0.02) as recorder:
        recorder.run(0.3, controller=controller)
        assert np.array_equal(recorder.recording.dataset.q.values, q)
    return q


def test_a_force(own, tmp_path):
    spring = own["hardening"].HardeningSpring(name="hard", joint="chain_1", stiffness=2.0, hardening=5.0, damping=0.01)
    world = World(arm(), forces=[spring])
    sim = Simulation(world, stepping=Stepping(eps=1e-5))
    sim.reset({"chain_1": 0.8})
    whole_way(sim, tmp_path)
    assert sim.ledger()["numerical"] == pytest.approx(0.0, abs=1e-4)
    many = Simulation(world, worlds=3, stepping="rk4")
    one = Simulation(world, stepping="rk4")
    for run in (many, one):
        run.reset({"chain_1": 0.8})
        run.elements["hard"].ramp("rest", 0.3, 0.1)
        run.run(0.2)
    assert np.abs(many.q - one.q).max() < 1e-12
    assert "hard" in Simulation(world.weld("chain_2")).elements  # edits carry it on


def test_a_constraint(own, tmp_path):
    held = own["height"].AtHeight(name="held", body="box", height=0.2, point=(0.05, 0.0, 0.0), exact=True)
    world = World(box_figure((0.2, 0.2, 0.2), mass=2.0), constraints=[held])
    sim = Simulation(world)
    sim.reset([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0], [0.0, 0.3, 0.0, 0.5, 0.0, 0.0])
    sim.constraints.assemble()
    whole_way(sim, tmp_path)
    sim.run(0.5)
    assert sim.bodies["box"].point((0.05, 0.0, 0.0))[2] == pytest.approx(0.2, abs=1e-9)
    assert sim.v[3] == pytest.approx(0.5, abs=1e-9)  # it holds nothing but the height
    assert sim.ledger()["work of constraints"] == pytest.approx(0.0, abs=1e-6)
    middle = own["height"].AtHeight(name="held", body="box", height=0.2, exact=True)
    still = Simulation(World(box_figure((0.2, 0.2, 0.2), mass=2.0), constraints=[middle]))
    still.reset([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0])
    assert still.constraints.now().force["held"] == pytest.approx([2.0 * 9.81])
    many = Simulation(world, worlds=3)
    many.reset([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0])
    sim.reset([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0])
    force = sim.constraints.now().force["held"]
    assert [many.constraints.now(k).force["held"] for k in range(3)] == pytest.approx(np.tile(force, (3, 1)))


def test_a_stepper(own, tmp_path):
    world = World(arm())
    errors = []
    for step in (2e-3, 1e-3):  # of second order: half the step, a quarter of the error
        sim, exact = (Simulation(world, stepping=s) for s in (Stepping(method="heun", step=step, eps=1e9), "rkf45"))
        for run in (sim, exact):
            run.reset({"chain_0": 1.0})
        sim.stepping = Stepping(method="heun", step=step, eps=1e9, max_step=step)
        sim.run(0.5), exact.run(0.5)
        errors.append(np.abs(sim.q - exact.q).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    adaptive = Simulation(world, stepping=Stepping(method="heun", eps=1e-7), worlds=2)
    adaptive.reset({"chain_0": 1.0})
    adaptive.run(0.5)
    assert np.abs(adaptive.q - exact.q).max() < 1e-3
    sim.reset({"chain_0": 1.0})
    whole_way(sim, tmp_path)


def test_a_controller(own, tmp_path):
    spring = own["hardening"].HardeningSpring(name="hard", joint="chain_1", stiffness=2.0, damping=0.05)
    beat = own["beat"].Beat("hard", 0.4, 0.07)
    sim = Simulation(World(arm(), forces=[spring]))
    whole_way(sim, tmp_path, controller=beat)
    assert beat.beats == 4 and [e.name for e in sim.events].count("beat") == 4
    many = Simulation(World(arm(), forces=[spring]), worlds=3, stepping="rk4")
    one = Simulation(World(arm(), forces=[spring]), stepping="rk4")
    for run in (many, one):
        run.run(0.3, controller=own["beat"].Beat("hard", 0.4, 0.07))
    assert np.abs(many.q - one.q).max() < 1e-12


def test_a_continuous_controller(own, tmp_path):
    world = World(arm(), forces=[own["oscillator"].oscillator("chain_0", "chain_2")])
    sim = Simulation(world)
    whole_way(sim, tmp_path)
    assert sim.elements["oscillator"].states == pytest.approx([6.0 * 0.3])
    recorded = Recording.open(tmp_path / "own.gambol").dataset.continuous_controller
    phase = recorded.sel(continuous_controller_part="oscillator", continuous_controller_report="phase")
    np.testing.assert_allclose(phase, 6.0 * recorded.time, atol=1e-9)
    assert recorded.continuous_controller_unit.values.tolist() == ["N or N·m", "N or N·m", ""]
    many = Simulation(world, worlds=3, stepping="rk4")
    one = Simulation(world, stepping="rk4")
    for run in (many, one):
        run.run(0.2)
    assert np.abs(many.q - one.q).max() < 1e-12 and np.ptp(many.elements["oscillator"].states) == 0.0
    assert "oscillator" in sim.weld("chain_1").elements and "oscillator" not in sim.weld("chain_2").elements


def test_an_experiment(own, tmp_path):
    result = CliRunner().invoke(
        app, ["reproduce", str(own["fall"]), "--out", str(tmp_path), "--json", str(tmp_path / "f.json")]
    )
    assert result.exit_code == 0, result.output
    assert "matches" in result.output and "mine-fall" in (tmp_path / "f.json").read_text()
    from gambol.experiments.registry import find_experiment

    found = Target("mine-fall", find_experiment)({"seconds": 2.0}, tmp_path)
    assert next(iter(found.values())) == pytest.approx(0.5 * 9.81)


def test_channels_of_its_own(own, tmp_path):
    """A controller that offers channels is recorded with them."""

    class Counted(own["beat"].Beat):
        def channels(self, run):
            return [Channel("beats", "", lambda run: float(self.beats))]

    spring = own["hardening"].HardeningSpring(name="hard", joint="chain_1", stiffness=2.0, damping=0.05)
    sim = Simulation(World(arm(), forces=[spring]))
    with Recorder(sim, every=0.05) as recorder:
        recorder.run(0.3, controller=Counted("hard", 0.4, 0.07))
        assert recorder.recording.dataset.beats.values[-1] == 4.0
