"""Motor programs: moves that begin exactly on time, one after the other, whatever the samples are."""

import numpy as np
import pytest

from gambol import JointSpring, Motor, Simulation, Stepping, World, WorldError, chain

BUMP = (0.0, 0.8, 0.2, 1.0)


def simulation(**options):
    spring = JointSpring(joint="chain_1", stiffness=50.0, damping=1.0, rest=0.1, name="knee")
    stepping = options.pop("stepping", Stepping(method="rkf45", eps=1e-10))
    return Simulation(World(chain(2), forces=(spring,), profiles={"bump": BUMP}), stepping=stepping, **options)


def test_moves_follow_one_another():
    sim = simulation()
    knee = Motor(sim, "knee", "rest")
    assert knee.value == 0.1 and knee.done
    knee.move(0.5, 0.1).then(0.3, 0.2).then(0.3, 0.05).then(-0.2, 0.1, profile="smooth")
    assert knee.ends == pytest.approx(0.45) and not knee.done and len(knee.queue) == 3
    wanted = {0.05: 0.3, 0.1: 0.5, 0.2: 0.4, 0.3: 0.3, 0.33: 0.3, 0.35: 0.3, 0.4: 0.05, 0.45: -0.2, 0.6: -0.2}
    for time, value in wanted.items():
        sim.run(until=time)
        assert knee.value == pytest.approx(value, abs=1e-12), time
        assert knee.done == (time >= 0.45)
    assert knee.queue == ()


def test_the_motion_does_not_depend_on_the_samples():
    ends = []
    for every in (None, 0.013, 0.1, 0.3):
        sim = simulation()
        Motor(sim, "knee", "rest").move(0.9, 0.11).then(-0.4, 0.07).then(0.2, 0.2, "bump")
        sim.run(0.6, every=every)
        ends.append(np.concatenate([sim.q, sim.v]))
    for end in ends[1:]:
        assert end == pytest.approx(ends[0], abs=1e-8)


def test_moves_begin_exactly_on_time():
    """The end of a queued program equals that of ramps set by hand at the same times, to the bit."""
    one, two = (
        simulation(stepping=Stepping(method="rk4", step=0.01)),
        simulation(stepping=Stepping(method="rk4", step=0.01)),
    )
    Motor(one, "knee", "rest").move(0.9, 0.105).then(-0.4, 0.07)
    one.run(0.3)
    two.elements["knee"].ramp("rest", 0.9, 0.105)
    two.run(until=0.105)
    two.elements["knee"].ramp("rest", -0.4, 0.07)
    two.run(until=0.3)
    assert np.array_equal(one.q, two.q) and np.array_equal(one.v, two.v)


def test_a_table_of_a_profile():
    sim = simulation()
    knee = Motor(sim, "knee", "rest").move(1.1, 0.3, "bump")
    for time in (0.0, 0.05, 0.1, 0.12, 0.2, 0.27, 0.3, 0.5):
        sim.run(until=time)
        assert knee.value == pytest.approx(0.1 + np.interp(time / 0.1, range(4), BUMP), abs=1e-12)


def test_a_new_move_takes_the_place_of_all():
    sim = simulation()
    knee = Motor(sim, "knee", "rest").move(0.5, 0.1).then(0.9, 0.1)
    sim.run(0.05)
    assert knee.value == pytest.approx(0.3)
    knee.move(0.0, 0.1)
    assert knee.queue == () and knee.ends == pytest.approx(0.15)
    sim.run(0.05)
    assert knee.value == pytest.approx(0.15)
    sim.run(0.05)
    assert knee.value == pytest.approx(0.0, abs=1e-12) and knee.done


def test_a_program_restarts():
    sim = simulation()
    knee = Motor(sim, "knee", "rest").move(0.5, 0.1).then(0.1, 0.1)
    sim.run(1.0)
    assert knee.done and knee.value == pytest.approx(0.1)
    knee.restart()
    assert not knee.done and knee.ends == pytest.approx(1.2)
    sim.run(0.1)
    assert knee.value == pytest.approx(0.5)
    sim.run(0.1)
    assert knee.value == pytest.approx(0.1) and knee.done


def test_a_move_after_a_pause_starts_at_once():
    sim = simulation()
    knee = Motor(sim, "knee", "rest").move(0.5, 0.1)
    sim.run(1.0)
    knee.then(0.7, 0.2)
    assert knee.ends == pytest.approx(1.2) and not knee.done
    sim.run(0.1)
    assert knee.value == pytest.approx(0.6)


def test_programs_are_saved_with_the_state():
    sim = simulation()
    knee = Motor(sim, "knee", "rest").move(0.5, 0.1).then(0.9, 0.1)
    sim.run(0.04)
    saved = sim.save()
    sim.run(0.3)
    end = (*sim.q, *sim.v, knee.value)
    knee.move(-1.0, 0.1)
    sim.restore(saved)
    assert len(knee.queue) == 1
    sim.run(0.3)
    assert (*sim.q, *sim.v, knee.value) == end


def test_several_motors_and_other_things_to_come():
    sim = simulation()
    knee, tone = Motor(sim, "knee", "rest"), Motor(sim, "knee", "stiffness")
    seen = []
    knee.move(0.5, 0.1).then(0.1, 0.1)
    tone.move(80.0, 0.15).then(20.0, 0.05)
    sim.at(0.12, lambda s: seen.append((float(s.time), knee.value)))
    sim.at(0.16, lambda s: seen.append("never"), owner="mine")
    sim.cancel("mine")
    sim.run(0.5)
    assert seen == [(0.12, pytest.approx(0.42))]
    assert (knee.value, tone.value) == (pytest.approx(0.1), pytest.approx(20.0))
    with pytest.raises(WorldError, match=r"the time of an action must be .* not inf"):
        sim.at(float("inf"), print)


@pytest.mark.parametrize("options", ({"worlds": 3}, {"dtype": np.float32}), ids=("pack", "float32"))
def test_in_packs_and_in_single_precision(options):
    sim = simulation(**options)
    knee = Motor(sim, "knee", "rest").move(0.5, 0.1).then(0.3, 0.2).then(0.7, 0.1, "bump")
    single = simulation()
    Motor(single, "knee", "rest").move(0.5, 0.1).then(0.3, 0.2).then(0.7, 0.1, "bump")
    for _ in range(3):
        sim.run(0.17)
        single.run(0.17)
        assert np.atleast_2d(sim.q) == pytest.approx(np.atleast_2d(single.q).repeat(sim.worlds, 0), abs=2e-5)
    assert knee.done and knee.ends == pytest.approx(0.4)


def test_errors():
    sim = simulation()
    for arguments, words in (
        (("nee", "rest"), "did you mean 'knee'"),
        (("knee", "wrest"), "did you mean 'rest'"),
    ):
        with pytest.raises(WorldError, match=words):
            Motor(sim, *arguments)
    with pytest.raises(WorldError, match="cannot be ramped; those that can: rest, stiffness"):
        Motor(sim, "knee", "damping").move(1.0, 0.1)
    with pytest.raises(WorldError, match="did you mean 'smooth'"):
        Motor(sim, "knee", "rest").move(1.0, 0.1, "smoth")
    with pytest.raises(WorldError, match="must not be negative, it is -1"):
        Motor(sim, "knee", "rest").move(1.0, -1.0)
