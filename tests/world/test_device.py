"""Worlds on a device: the generated march against the processor's, and what is refused.

A stand-in for the device compiles the same text for the processor: all but the device itself is tested anywhere
(`test_ptx` compiles for it).
"""

from pathlib import Path

import numpy as np
import pytest

from device_samples import IMPLICIT, PAIR, SEMI, STAND_IN, pair, world
from gambol import (
    Attachment,
    Boundary,
    Periodic,
    Simulation,
    StepError,
    World,
    WorldError,
    box_figure,
    chain,
)
from gambol.jit import device as jit_device
from gambol.jit.device import CudaDevice
from gambol.world import device_simulation
from gambol.world.device_simulation import DeviceSimulation


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(DeviceSimulation, "make_device", staticmethod(lambda: STAND_IN))


# Against the processor in float64. The pair chooses its steps by what it finds, so that rounding grows by contact:
# float32 is not followed
CASES = {
    "implicit-euler": (IMPLICIT, np.float64, 1e-11),
    "implicit-euler, float32": (IMPLICIT, np.float32, 2e-4),
    "semi-implicit-euler": (SEMI, np.float64, 1e-11),
    "semi-implicit-euler, float32": (SEMI, np.float32, 2e-4),
    "implicit-pair": (PAIR, np.float64, 1e-9),
}


@pytest.mark.parametrize("stepping, dtype, tolerance", CASES.values(), ids=CASES)
def test_it_steps_as_the_processor_does(stand_in, stepping, dtype, tolerance):
    device, processor = pair(stepping=stepping, dtype=dtype)
    device.elements["first"].set("stiffness", [3.0, 4.0, 5.0])
    processor.elements["first"].set("stiffness", [3.0, 4.0, 5.0])
    found, wanted = (sim.run(0.2, every=0.0311) for sim in (device, processor))
    assert isinstance(device, DeviceSimulation)
    assert found.q.shape == wanted.q.shape == (7, 3, 10)
    assert np.abs(found.q - wanted.q).max() < tolerance
    assert np.abs(found.v - wanted.v).max() < 100 * tolerance
    assert np.allclose(found.clock, wanted.clock, rtol=0.0, atol=0.0 if dtype is np.float64 else 1e-7)
    for counted in ("steps", "rejected"):
        assert np.array_equal(device.counts[counted], processor.counts[counted])
    assert np.ptp(found.q[-1, :, 8]) > 1e-2  # the worlds differ


def test_a_single_world_has_no_axis_of_worlds(stand_in):
    device, processor = pair(worlds=1)
    assert device.run(0.05).q.shape == processor.run(0.05).q.shape == (1, 10)
    assert np.allclose(device.q, processor.q, atol=1e-12) and device.time == processor.time == 0.05


@pytest.mark.parametrize("stepping", [IMPLICIT, PAIR], ids=lambda s: s.method)
def test_timed_writes_are_made_on_each_worlds_clock(stand_in, stepping):
    device, processor = pair(stepping=stepping)
    for sim in (device, processor):
        spring, other = sim.elements["second"], sim.elements["first"]
        spring.set("rest", [0.8, 0.1, -0.4], at=[0.0123, 0.04, 0.05])
        other.set("stiffness", 40.0, at=0.03)
        other.set("stiffness", 1.0, at=0.2)  # after the end of the first run
    found, wanted = (sim.run(0.1, every=0.04) for sim in (device, processor))
    assert np.abs(found.q - wanted.q).max() < 1e-9
    assert np.array_equal(device.counts["steps"], processor.counts["steps"])
    assert np.array_equal(device.elements["second"].get("rest"), [0.8, 0.1, -0.4])
    saved = device.save()
    for sim in (device, processor):
        sim.run(0.2)
    assert np.all(device.elements["first"].get("stiffness") == 1.0)
    assert np.abs(device.q - processor.q).max() < 1e-9
    end = device.q.copy()
    device.restore(saved)
    device.run(0.2)
    assert np.array_equal(device.q, end)


def test_states_commands_and_controllers_go_on_as_on_the_processor(stand_in):
    device, processor = pair()

    def beat(sim):
        sim.elements["second"].ramp("rest", 0.1 if sim.latest_time > 0.04 else 0.6, 0.02)

    for sim in (device, processor):
        command = np.zeros((3, 9))
        command[1, 7] = 0.05
        sim.command = command
        sim.run(0.1, controller=Periodic(0.025, beat))
    assert np.abs(device.q - processor.q).max() < 1e-11
    saved = device.save()
    device.run(0.05)
    end = device.q.copy()
    device.restore(saved)
    device.run(0.05)
    assert np.array_equal(device.q, end)
    device.restore(saved, worlds=[1])
    assert np.array_equal(device.q[[0, 2]], end[[0, 2]]) and not np.array_equal(device.q[1], end[1])
    device.reset(worlds=[2])
    assert np.array_equal(device.q[2], device.layout.zero) and np.array_equal(device.q[0], end[0])
    with pytest.raises(WorldError, match="another world or size"):
        device.restore(processor.save())


def test_parameters_alike_are_read_from_one_place_and_others_from_each_world(stand_in):
    device, processor = pair()
    for sim in (device, processor):
        sim.run(0.02)
        sim.elements["second"].set("stiffness", 9.0)
        sim.elements["corners"].set("friction", 0.2, worlds=[1])
        sim.run(0.05)
    assert np.abs(device.q - processor.q).max() < 1e-11
    alike, _ = device.memory.common(device.memory.parameters)
    assert 0 < np.sum(~alike) <= 4
    device.device_arrays(parameters=True)
    assert not device.memory.common(device.memory.parameters)[0].any()
    for sim in (device, processor):
        sim.run(0.02)
    assert np.abs(device.q - processor.q).max() < 1e-11


def test_samples_are_copied_in_parts_where_they_are_many(stand_in, monkeypatch):
    device, processor = pair()
    monkeypatch.setattr(device_simulation, "RECORD_BYTES", 2 * device._motion_cells() * 3 * 8)
    found, wanted = (sim.run(0.05, every=0.01, include_start=True) for sim in (device, processor))
    assert np.abs(found.q - wanted.q).max() < 1e-11 and len(found) == 6


def test_arrays_are_those_that_are_stepped(stand_in):
    device, _ = pair()
    arrays = device.device_arrays()
    assert arrays.positions == slice(0, 10) and arrays.speeds == slice(10, 19)
    assert np.array_equal(arrays.cells[arrays.positions].T, device.q)
    device.run(0.01)
    assert np.array_equal(device.device_arrays().cells[arrays.positions].T, device.q)
    arrays.cells[arrays.commands] = 0.25
    assert np.all(device.command == 0.25)
    single = device.on_processor(2)
    assert np.array_equal(single.q, device.q[2]) and single.time == 0.01
    assert set(single.elements["corners"].report()) >= {"depth"}


def test_a_world_that_breaks_is_named_and_the_others_are_kept(stand_in):
    device, _ = pair()
    speeds = np.zeros((3, 9))
    speeds[1, :3] = 1e200
    device.v = speeds
    with pytest.raises(StepError, match=r"no longer finite.*world 1") as caught:
        device.run(0.1, every=0.05)
    assert caught.value.world == 1 and len(caught.value.trajectory) == 0


REFUSED = {
    "an explicit method": (dict(stepping="rkf45"), "method 'rkf45' does not run on a device"),
    "lanes": (dict(lanes=4), "lanes=4 is of no use"),
    "own masses": (dict(own_masses=True), "own_masses=True is of no use"),
    "a ledger": (dict(ledger=True), "ledger=True is of no use"),
    "threads": (dict(threads=2), "threads=2 is of no use"),
}


@pytest.mark.parametrize("options, message", REFUSED.values(), ids=REFUSED)
def test_what_a_device_does_not_do_is_refused(stand_in, options, message):
    with pytest.raises(WorldError, match=message):
        Simulation(world(), **{"stepping": IMPLICIT, "device": "cuda", **options})


def test_the_default_method_is_that_of_the_processor(stand_in):
    assert Simulation(world(), device="cuda").stepping.method == "implicit-pair"
    with pytest.raises(WorldError, match="the default method of a world without forces, rkf45, does not run"):
        Simulation(World(chain(2)), device="cuda")


def test_worlds_that_a_device_does_not_step_are_refused(stand_in):
    box = box_figure((0.1, 0.1, 0.1), mass=1.0, name="box")
    watched = World(box, boundaries=[Boundary(name="low", watch="height", body="box")])
    with pytest.raises(WorldError, match=r"boundaries .'low'. are not watched on a device"):
        Simulation(watched, stepping=IMPLICIT, device="cuda")
    other = box_figure((0.1, 0.1, 0.1), mass=1.0, name="other")
    held = World([box, other], forces=[Attachment(body="box", other="other", stiffness=10.0)])
    with pytest.raises(WorldError, match="between two moving bodies"):
        Simulation(held, stepping=IMPLICIT, device="cuda")


def test_what_one_asks_of_a_device_in_vain_names_the_way_out(stand_in):
    device, _ = pair()
    for ask in (
        lambda: device.acceleration,
        lambda: device.elements["corners"].report(),
        lambda: device.relax(),
        lambda: device.weld("chain_2"),
    ):
        with pytest.raises(WorldError, match="on_processor"):
            ask()


def test_an_unknown_device_is_named():
    with pytest.raises(WorldError, match=r"no device 'cude'.*cuda"):
        Simulation(world(), device="cude")


def test_what_is_missing_is_said_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(jit_device.importlib.util, "find_spec", lambda name: None)
    jit_device.cuda_device.cache_clear()
    with pytest.raises(WorldError, match=r"numba-cuda is not installed: pip install 'gambol\[cuda\]'"):
        Simulation(world(), stepping=IMPLICIT, device="cuda")


def test_kernels_are_kept_under_all_that_they_depend_on(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def scaled(number):
        def law(x):
            return number * x

        return law

    device = CudaDevice.__new__(CudaDevice)
    name = device.source_file("text", (("law", scaled(1.0)), "<f8"))
    assert Path(name).read_text() == "text" and Path(name).parent == tmp_path / "device"
    assert device.source_file("text", (("law", scaled(1.0)), "<f8")) == name
    others = [("text", scaled(2.0), "<f8"), ("text", scaled(1.0), "<f4"), ("other", scaled(1.0), "<f8")]
    names = {device.source_file(text, (("law", law), kind)) for text, law, kind in others}
    assert len(names - {name}) == 3
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(Path(name)))  # a file: nothing can be written there
    assert device.source_file("text", ()).startswith("<")
