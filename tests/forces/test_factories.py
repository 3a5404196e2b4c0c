"""Elements from a law (gambol.forces.factories): written in a file outside the package, they go everywhere."""

import importlib.util
from dataclasses import dataclass

import numpy as np
import pytest
from own_elements import Bungee, HardeningSpring, Mooring

from gambol import (
    JointElement,
    JointMeter,
    JointSpring,
    Recorder,
    Simulation,
    Stepping,
    World,
    WorldError,
    chain,
    joint_kernel,
)
from gambol.forces.kernel import kernel_of
from gambol.jit import code_digest
from trees import close

ARM = chain(3, length=0.4, radius=0.03)

VISCOUS = '''
"""A damper by the cube of the speed."""

from dataclasses import dataclass

from gambol import JointElement, joint_kernel

SHARE = {share}


def law(q, v, t, damping):
    slope = damping * v * v
    return -SHARE * slope * v, 0.0, 3.0 * SHARE * slope, 0.0


@dataclass(frozen=True, kw_only=True)
class Viscous(JointElement):
    """force = -damping v³ [N·m·s³/rad³]."""

    damping: float

    kernel = joint_kernel(law)
'''


def written(folder, text):
    """A module of that text, in a file of its own."""
    path = folder / "viscous.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("viscous", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def world(own, **options):
    forces = (own.Viscous(joint="chain_1", damping=0.3, name="syrup"), JointSpring(joint="chain_2", stiffness=2.0))
    return World(ARM, forces=(*forces, JointMeter(joint="chain_1", name="meter")), **options)


def test_a_file_of_ones_own_goes_through_everything(tmp_path):
    own = written(tmp_path, VISCOUS.format(share=1.0))
    stepping = Stepping(method="rkf45", eps=1e-11)
    sim = Simulation(world(own), stepping=stepping)
    sim.reset([0.9, 0.4, -0.3])
    path = sim.run(1.0, every=0.05)
    power = -0.3 * path.v[:, 1] ** 4
    told = sim.elements["syrup"].report()["force"][0]
    assert told == pytest.approx(-0.3 * sim.v[1] ** 3, rel=1e-9)
    close(sim.elements["meter"].report()["force"][0], told, 1e-9)  # a meter sees what others' elements do
    books = sim.ledger()
    assert abs(books["numerical"]) < 1e-8 and books["work of viscous"] < 0.0
    assert books["work of viscous"] == pytest.approx(np.trapezoid([0.0, *power], [0.0, *path.time]), rel=0.05)
    # saved and restored, to the bit
    state = sim.save()
    sim.run(0.3)
    after = sim.q
    sim.restore(state)
    sim.run(0.3)
    assert sim.q.tobytes() == after.tobytes()
    # many worlds, each with a parameter of its own
    many = Simulation(world(own), stepping=stepping, worlds=3)
    many.reset([0.9, 0.4, -0.3])
    many.elements["syrup"].set("damping", [0.3, 0.6, 0.0])
    many.run(1.0)
    close(many.q[0], path.q[-1], 1e-8)
    assert np.abs(many.q[1] - many.q[0]).max() > 1e-3 and np.abs(many.q[2] - many.q[0]).max() > 1e-3
    # a joint that is welded takes its element with it
    assert "syrup" not in sim.weld("chain_1").elements and "syrup" in sim.weld("chain_2").elements


def test_recorded(tmp_path):
    own = written(tmp_path, VISCOUS.format(share=1.0))
    sim = Simulation(world(own))
    sim.reset([0.9, 0.4, -0.3])
    with Recorder(sim, every=0.1) as recorder:
        recorder.run(0.5)
    data = recorder.recording.dataset
    wanted = -0.3 * data.v.values[:, 1] ** 3
    np.testing.assert_allclose(data.viscous.sel(viscous_part="syrup", viscous_report="force"), wanted, atol=1e-12)


def test_an_edited_law_is_compiled_anew(tmp_path):
    forces = []
    for share in (1.0, 2.0):
        own = written(tmp_path, VISCOUS.format(share=share))
        sim = Simulation(world(own))
        sim.reset(v=[0.0, 2.0, 0.0])
        forces.append(float(sim.elements["syrup"].report()["force"][0]))
        assert sim.joint_force[1] == pytest.approx(forces[-1])
    assert forces == pytest.approx([-0.3 * 8.0, -0.6 * 8.0])


def test_a_digest_sees_what_a_law_calls(tmp_path):
    first, same, other = (written(tmp_path, VISCOUS.format(share=share)) for share in (1.0, 1.0, 2.0))
    assert code_digest(first.law) == code_digest(same.law) != code_digest(other.law)
    digests = []
    for module in (first, same, other):
        scope = {"given": module}
        exec("def law(x):\n    return given.law(x, x, x, 1.0)", scope)
        digests.append(code_digest(scope["law"]))
    assert digests[0] == digests[1] != digests[2]


def test_each_type_is_compiled_alone():
    """One program a type; what measures comes last."""
    forces = (
        HardeningSpring(joint="chain_0", stiffness=1.0),
        JointSpring(joint="chain_1", stiffness=1.0),
        Mooring(body="chain_2", stiffness=1.0),
        JointMeter(joint="chain_0", name="meter"),
    )
    calls = Simulation(World(ARM, forces=forces)).compiled.calls
    assert [call.kernel for call in calls] == [kernel_of(force) for force in forces]
    assert [(call.first, call.last) for call in calls] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_a_line_breaks_once_it_is_too_long():
    rope = Bungee(name="rope", body="chain_2", other_point=(0.3, 0.0, -1.0), stiffness=5.0, breaks=0.35)
    sim = Simulation(World(ARM, forces=(rope,)))
    sim.reset([0.2, 0.0, 0.0])
    assert sim.elements["rope"].get("broken") == 0.0 and sim.elements["rope"].report()["tension"][0] > 0.0
    sim.run(3.0)
    assert sim.elements["rope"].get("broken") == 1.0 and sim.elements["rope"].report()["tension"][0] == 0.0


def test_any_element_at_a_point_can_be_bound_to_another_body():
    sim = Simulation(World(ARM, forces=(Mooring(name="rope", body="chain_2", x=1.0, stiffness=3.0),)))
    sim.elements["rope"].bind("chain_0", (0.0, 0.0, -0.2))
    told = sim.elements["rope"].report()
    assert [told[axis][0] for axis in "xyz"] == pytest.approx([0.0, 0.0, -0.2]) and told["force_x"][0] == 3.0


# ---------------------------------------------------------------- bad input
def test_what_is_wrong_with_a_law_is_said():
    def three(q, v, t):
        return -q, 1.0, 0.0

    def unknown(q, v, t, stifness):
        return -stifness * q, stifness, 0.0, 0.0

    @dataclass(frozen=True, kw_only=True)
    class Three(JointElement):
        kernel = joint_kernel(three)

    @dataclass(frozen=True, kw_only=True)
    class Unknown(JointElement):
        kernel = joint_kernel(unknown)

    @dataclass(frozen=True, kw_only=True)
    class Bare(JointElement):
        def rows(self, layout):
            return [([0, 0], [])]

    with pytest.raises(WorldError, match=r"law of .* cannot be compiled"):
        Simulation(World(ARM, forces=(Three(joint="chain_1"),)))
    with pytest.raises(WorldError, match="takes 'stifness', which is no number among its fields"):
        Simulation(World(ARM, forces=(Unknown(joint="chain_1"),)))
    with pytest.raises(WorldError, match="give its class a `kernel`"):
        Simulation(World(ARM, forces=(Bare(joint="chain_1"),)))
    with pytest.raises(WorldError, match="takes no `scale`"):
        World(ARM, forces=(HardeningSpring(joint="chain_1", stiffness=1.0, scaled_by="mass"),))
    with pytest.raises(TypeError, match="does not take rest"):
        joint_kernel(three, ramps=("rest",))
    with pytest.raises(TypeError, match="does a field of its name hide it"):
        joint_kernel(0.0)
