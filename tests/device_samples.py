"""Worlds for a device, and a stand-in for it that compiles the same text for the processor."""

import hashlib
from pathlib import Path

import numpy as np

from gambol import GroundContact, JointLimit, JointSpring, Simulation, Stepping, Surface, World, box_figure, chain
from gambol.jit import code_digest, entry
from gambol.world import device_march

STEP = 2e-3
IMPLICIT = Stepping(method="implicit-euler", step=STEP)
SEMI = Stepping(method="semi-implicit-euler", step=STEP / 4)
PAIR = Stepping(method="implicit-pair", step=STEP, eps=1e-3)


class StandIn:
    """Arrays of NumPy, and worlds one after the other."""

    name = "stand-in"
    local_array = "np.full({size}, np.nan).astype(number)"
    constant_array = "{name}"
    each_world = "for world in range(worlds):"

    def empty(self, shape, dtype):
        return np.full(shape, 99, dtype)

    def copy(self, host):
        return np.array(host, order="C")

    def put(self, array, host):
        array[...] = host

    def get(self, array, out):
        out[...] = array

    def scope(self, dtype):
        return {"number": dtype}

    def registers(self, worlds):
        return None

    def source_file(self, text, depends):
        """Kept under all that the kernel depends on, so that its compiled code is kept too."""
        key = hashlib.sha256((text + code_digest(*depends)).encode()).hexdigest()[:16]
        path = Path(__file__).parent / "__pycache__" / f"stand_in_{key}.py"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return str(path)

    def compiled(self, kernel, worlds):
        if kernel not in _compiled:
            kernel.__module__ = device_march.__name__  # what its compiled code depends on
            _compiled[kernel] = entry(kernel)
        return _compiled[kernel]

    def launch(self, kernel, worlds, *arguments):
        kernel(*arguments)


_compiled = {}
STAND_IN = StandIn()


def world():
    """A box that falls on its corners, and an arm with springs and a stop."""
    surface = Surface.bearing(9.81, points=4, sinkage=1e-3, friction=0.5)
    corners = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    forces = [
        GroundContact(name="corners", body="box", points=corners, radius=0.0, surface=surface),
        JointSpring(name="first", joint="chain_0", stiffness=4.0, damping=0.05),
        JointSpring(name="second", joint="chain_1", stiffness=2.0, damping=0.05, rest=0.4),
        JointLimit(joint="chain_2", lower=-0.3, upper=0.3, stiffness=50.0, damping=0.1),
    ]
    return World([box_figure((0.2, 0.2, 0.1), mass=1.0, name="box"), chain(3)], forces=forces)


def pair(worlds=3, stepping=IMPLICIT, dtype=np.float64, described=None):
    """The same worlds on the device and in float64 on the processor, each a little different."""
    described = described or world()
    made = [
        Simulation(described, worlds=worlds, stepping=stepping, dtype=dtype, device="cuda"),
        Simulation(described, worlds=worlds, stepping=stepping, lanes=0, ledger=False),
    ]
    q = np.tile(made[1].layout.zero, (worlds, 1))
    q[:, made[1].coordinates("box")] += np.linspace(0, 1, worlds)[:, None] * [0, 0, 0.01, 0, 0.02, 0, 0]
    q[:, made[1].coordinates("box").start + 2] += 0.06
    q[:, made[1].coordinates("chain_1")] = np.linspace(0.1, 0.3, worlds)[:, None]
    for sim in made:
        sim.reset(q if worlds > 1 else q[0])
    return made
