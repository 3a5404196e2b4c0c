"""Objects of one's own, tied to figures: the same motion as the compiled constraints, energy kept, faults told."""

import numpy as np
import pytest

from gambol import (
    Body,
    BoundObjects,
    Constrainable,
    Figure,
    FigureObject,
    Join,
    Joint,
    Part,
    Particles,
    Simulation,
    Sphere,
    StepError,
    Stepping,
    Tie,
    World,
    WorldError,
    chain,
    cloth,
    rope,
)

TIP = (0.0, 0.0, -0.5)
START = [0.9, -0.4]


def arm() -> FigureObject:
    return FigureObject(World(chain(2, length=0.5)), q=START)


def test_the_protocol():
    assert isinstance(arm(), Constrainable) and isinstance(rope(3, length=1.0, mass=0.1), Constrainable)
    assert not isinstance(chain(2), Constrainable)


def test_a_particle_on_an_arm_moves_as_a_body_joined_to_it():
    """A point mass tied to the tip, against the same as a free ball held by a compiled `Join`."""
    held = arm()
    tip = ("chain_1", TIP)
    bead = Particles([held.point_motion(tip)[0]], 0.3)
    bound = BoundObjects({"arm": held, "bead": bead}, [Tie("bead", 0, "arm", tip)], solver="direct", step=1e-3)
    path = bound.run(0.5, every=0.1)
    ball = Figure("ball", (Body("ball", joint=Joint("free"), parts=(Part(Sphere(1e-4), mass=0.3),)),))
    sim = Simulation(
        World([chain(2, length=0.5), ball], constraints=[Join(body="ball/ball", to="chain/chain_1", at=TIP)]),
        stepping=Stepping(method="dormand-prince", eps=1e-10),
    )
    place = arm().point_motion(tip)[0]
    sim.reset([*START, *place, 1.0, 0.0, 0.0, 0.0])
    want = sim.run(0.5, every=0.1)
    assert np.allclose(path.states["arm"][1:, :2], want.q[:, :2], atol=1e-7)
    assert path.gap.max() < 1e-9
    assert np.ptp(path.energy) < 1e-6 * abs(path.energy[0])


def test_a_rope_on_an_arm_keeps_its_energy():
    held, tip = arm(), ("chain_1", TIP)
    line = rope(6, length=0.4, mass=0.2, start=held.point_motion(tip)[0], stiffness=300.0, damping=0.0)
    bound = BoundObjects({"arm": held, "rope": line}, [Tie("rope", 0, "arm", tip)], step=1e-3)
    path = bound.run(0.3, every=0.05)
    assert path.gap.max() < 1e-6
    assert np.ptp(path.energy) < 1e-4 * np.ptp([t.energy() for t in (held, line)]) + 1e-4
    assert np.linalg.norm(path.force[0, 0]) > 0.0 and np.isfinite(path.force).all()


def test_ends_of_a_cloth_hang_on_the_world_and_an_open_tie_closes():
    sheet = cloth(3, 3, size=(0.4, 0.4), mass=0.1, drag=0.2)
    ties = [Tie("sheet", 0, at=(0.0, 0.0, 0.1), rate=30.0), Tie("sheet", 2, at=(0.4, 0.0, 0.0), rate=30.0)]
    path = BoundObjects({"sheet": sheet}, ties, step=1e-3).run(0.3, every=0.1)
    t = path.time
    assert np.allclose(path.gap[:, 0], 0.1 * (1 + 30 * t) * np.exp(-30 * t), atol=1e-4)
    assert path.states["sheet"][-1][2] == pytest.approx(0.1, abs=1e-3)


def test_dependent_ties():
    line = rope(3, length=1.0, mass=0.1)
    twice = [Tie("rope", 0), Tie("rope", 0)]
    shared = BoundObjects({"rope": line}, twice)
    path = shared.run(0.01, every=0.01)
    assert np.allclose(path.force[0, 0], path.force[0, 1])
    with pytest.raises(WorldError, match="depend on one another"):
        BoundObjects({"rope": line}, twice, solver="direct").run(0.01, every=0.01)


def test_faults():
    line = rope(3, length=1.0, mass=0.1)
    with pytest.raises(WorldError) as caught:
        BoundObjects({"rope": line, "figure": chain(2)}, [Tie("rop", 0, rate=-1.0)], solver="dirct", step=0.0)
    text = str(caught.value)
    for message in ("not Constrainable: it lacks state", "did you mean 'rope'", "'direct'", "step must", "rate must"):
        assert message in text
    with pytest.raises(WorldError, match="masses must be"):
        Particles([(0, 0, 0)], -1.0, [(0, 1)])
    with pytest.raises(WorldError, match="tie its points instead"):
        FigureObject(World(chain(2), constraints=[Join(body="chain_0", to="chain_1")]))
    stiff = rope(3, length=1.0, mass=1e-6, stiffness=1e9, damping=0.0)
    stiff.velocities[2] = (0.0, 0.0, -5.0)
    with pytest.raises(StepError, match="object 'rope' is no longer finite") as broken:
        BoundObjects({"rope": stiff}, [], step=0.01).run(5.0, every=0.1)
    assert len(broken.value.trajectory.time) >= 1


@pytest.mark.parametrize("duration, every", ((1.0, 0.0), (1.0, -0.1), (0.25, 0.1), (float("nan"), 0.1), ("1 s", 0.1)))
def test_times_that_do_not_fit_are_refused(duration, every):
    with pytest.raises(WorldError, match="duration"):
        BoundObjects({"rope": rope(3, length=1.0, mass=0.1)}, [], step=0.01).run(duration, every=every)
