"""Kernels for a device compile without one: PTX by NVVM, which needs neither a driver nor a GPU (extra `ptx`)."""

import importlib.util
import re
from collections import Counter

import numpy as np
import pytest

from device_samples import PAIR, STEP, StandIn, world
from gambol import Simulation
from gambol.jit.device import CudaDevice
from gambol.world.device_simulation import DeviceSimulation

HOPPER = (9, 0)


class PtxDevice(CudaDevice):
    """Compiles for a device that is not there, where the kernel would be launched."""

    def __init__(self):
        self.text = ""

    empty, copy, put, get = StandIn.empty, StandIn.copy, StandIn.put, StandIn.get

    def compiled(self, kernel, worlds):
        return kernel

    def launch(self, kernel, worlds, *arguments):
        from numba import cuda, typeof, types

        signature = types.void(*map(typeof, arguments))
        self.text, _ = cuda.compile(kernel, signature, cc=HOPPER, device=False, fastmath=True, abi="numba")
        arguments[5][:] = arguments[3].shape[0]  # every world has come to every sample


@pytest.fixture
def device(monkeypatch):
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed: pip install 'gambol[ptx]'")
    import numba.cuda.dispatcher

    made = PtxDevice()
    hopper = type("Hopper", (), {"compute_capability": HOPPER})
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: hopper)  # device functions ask for it
    monkeypatch.setattr(DeviceSimulation, "make_device", staticmethod(lambda: made))
    return made


def test_ptx_comes_out(device):
    """The adaptive march in float32, with contact, springs and stops: one entry, its workspace in local memory."""
    Simulation(world(), worlds=2, stepping=PAIR, dtype=np.float32, device="cuda").advance(STEP)
    assert re.findall(r"^\.target (\w+)", device.text, re.M) == ["sm_90"]
    assert len(re.findall(r"^\.visible \.entry", device.text, re.M)) == 1
    assert ".local .align" in device.text
    used = Counter(re.findall(r"\b(?:fma|mul|add|sub)\.[\w.]*?(f32|f64)\b", device.text))
    assert used["f32"] > 1000 and used["f64"] < used["f32"] / 500  # counters
