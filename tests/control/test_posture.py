"""Posture: support, margins, control states, calibration, the posture check, balance and behaviours."""

import numpy as np
import pytest

from gambol import (
    Balance,
    Body,
    Box,
    ControlState,
    Do,
    ExponentialSpring,
    Figure,
    Gains,
    Joint,
    MoveTo,
    Part,
    Placement,
    Push,
    Simulation,
    StopWhen,
    Then,
    Together,
    Until,
    Wait,
    World,
    WorldError,
    check_posture,
    support,
)
from gambol.control.posture.calibration import analyse, locked
from gambol.control.posture.control_state import springs_of
from gambol.control.posture.support import convex_hull, margin_in
from gambol.models import person90
from gambol.models.person import (
    GRAVITY,
    STEPPING,
    fallen,
    person_of,
    person_world,
    posture,
    region_of,
    rigid_foot,
    single_body,
    stand,
)

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])


def pole(strength: float = 50.0, rise: float = 2.0, damping: float = 1.0) -> World:
    """A rod of 1 m and 5 kg upside down on a hinge, held by a spring."""
    rod = Part(Box((0.02, 0.02, 1.0)), Placement.at(0.0, 0.0, 0.5), mass=5.0)
    figure = Figure(
        "pole",
        (
            Body("foot", parts=(Part(Box((0.1, 0.1, 0.1))),)),
            Body("rod", "foot", Joint("hinge", (0.0, 1.0, 0.0)), parts=(rod,)),
        ),
    )
    return World(
        figure, forces=[ExponentialSpring(name="rod", joint="rod", strength=strength, rise=rise, damping=damping)]
    )


@pytest.mark.parametrize(
    "point, margin",
    [((1.0, 1.0), 1.0), ((0.5, 1.0), 0.5), ((3.0, 1.0), -1.0), ((3.0, 3.0), -np.sqrt(2.0)), ((2.0, 1.0), 0.0)],
)
def test_margin_in_a_square(point, margin):
    assert margin_in(SQUARE, np.array(point)) == pytest.approx(margin)


def test_hulls_of_few_points():
    inside = np.concatenate([SQUARE, [[1.0, 0.5], [0.3, 1.9]]])
    assert {tuple(p) for p in convex_hull(inside)} == {tuple(p) for p in SQUARE}
    line = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]])
    assert margin_in(convex_hull(line), np.array([0.5, 0.3])) == pytest.approx(-0.3)
    assert margin_in(np.zeros((0, 2)), np.zeros(2)) == -np.inf


def test_control_states_are_mixed_saved_and_loaded(tmp_path):
    one, two = ControlState({"a": 0.0, "b": 1.0}), ControlState({"a": 2.0, "b": 1.0})
    assert one.mixed(two, 0.25).rest == {"a": 0.5, "b": 1.0}
    assert one.changed(a=3.0).rest["a"] == 3.0 and one.rest["a"] == 0.0
    one.write(tmp_path / "s.yaml")
    assert ControlState.read(tmp_path / "s.yaml") == one
    for bad in (
        "rest: 3",
        "strength: {a: 1}",
        "rest: {a: x}",
        "rest: {a: .nan}",
        "rest: {a: 1}\nstrength: 2",
        "[" * 5000,
    ):
        (tmp_path / "bad.yaml").write_text(bad)
        with pytest.raises(WorldError, match=r"bad.yaml:\d: not a control state"):
            ControlState.read(tmp_path / "bad.yaml")
    with pytest.raises(WorldError, match="cannot be mixed"):
        one.mixed(ControlState({"a": 0.0}), 0.5)


def test_posture_check_of_an_upside_down_rod():
    """I λ² + b λ + k − m g l = 0 in closed form."""
    for strength in (5.0, 50.0):
        sim = Simulation(pole(strength), ledger=False)
        inertia = 5.0 * (1.0 + 0.02**2) / 12.0 + 5.0 * 0.25
        stiffness = strength * 2.0 - 5.0 * GRAVITY * 0.5
        exact = np.roots([inertia, 1.0, stiffness])
        found = check_posture(sim)
        np.testing.assert_allclose(np.sort_complex(found.values), np.sort_complex(exact), rtol=1e-5)
        assert found.stands == (stiffness > 0.0)
        assert sim.time == 0.0 and np.all(sim.v == 0.0)
    assert check_posture(Simulation(pole(5.0), ledger=False)).time == pytest.approx(
        1.0 / max(np.roots([inertia, 1.0, 10.0 - 24.525]).real)
    )


def test_calibration_holds_what_it_measured():
    standing = stand(person_world(rigid_foot()), posture(wide=True))
    found = standing.analysis.support
    assert found.load == pytest.approx(67.98 * 9.81, rel=1e-4)
    assert 0.08 < found.margin < 0.12 and found.centre[2] == pytest.approx(1.01, abs=0.01)
    assert found.pressure == pytest.approx(found.centre[:2], abs=1e-4)  # at rest one is above the other
    assert sum(found.loads(region_of).values()) == pytest.approx(found.load, rel=1e-9)
    assert np.abs(standing.sim.joint_force[6:] - [standing.analysis.torque[n] for n in _hinges(standing)]).max() < 1e-3
    assert check_posture(standing.sim).stands
    before = standing.analysis.q
    standing.sim.advance(5.0)
    assert np.abs(standing.sim.q - before).max() < 1e-3


def _hinges(standing):
    return [entry.body.name for entry in standing.sim.layout.bodies if entry.body.parent]


def test_the_check_predicts_who_falls():
    narrow = stand(person_world(rigid_foot()), posture())
    check = check_posture(narrow.sim)
    assert not check.stands and check.growth == pytest.approx(0.88, abs=0.1)
    shown = narrow.sim.run(60.0, controller=[Push((0.0, 1.0, 0.0), 0.1), StopWhen(fell=fallen)])
    assert shown.ended == "fell"


def test_uncalibrated_springs_topple_and_calibrated_ones_do_not():
    world = person_world(rigid_foot())
    standing = stand(world, posture(wide=True))
    assert standing.sim.run(4.0, controller=StopWhen(fell=fallen)).ended == ""
    loose = standing.restart()
    ControlState({name: float(standing.analysis.q[loose.coordinates(name)][0]) for name in springs_of(world)}).apply(
        loose
    )
    assert loose.run(4.0, controller=StopWhen(fell=fallen)).ended == "fell"


def test_locking_leaves_some_joints_free_if_told():
    world = locked(person_world(rigid_foot()), free=("l_forearm",))
    driven = [b.name for b in world.layout.figures[0].bodies if b.joint.driven]
    assert len(driven) == 31 and "l_forearm" not in driven
    assert [e.name for e in world.forces if e.joints()] == ["l_forearm", "l_forearm limit"]


def test_a_posture_that_falls_over_is_an_error():
    world = person_world(rigid_foot())
    leaning = stand_positions(world)
    with pytest.raises(WorldError, match="does not come to rest"):
        analyse(world, leaning, stepping=STEPPING, settle=0.5)


def stand_positions(world):
    from gambol.models.person import placed

    q = placed(world.layout.figures[0], posture())
    q[3:7] = np.cos(0.2), 0.0, np.sin(0.2), 0.0
    return q


def test_feedback_survives_a_push_that_passive_feet_do_not():
    standing = stand(person_world(person90()), posture(wide=True))
    push = Then(Wait(0.2), Push((20.0, 0.0, 0.0), 0.5), Wait(4.0))
    passive = standing.sim.run(5.0, controller=[push, StopWhen(fell=fallen)])
    standing.restart()
    balance = standing.balance()
    active = standing.sim.run(5.0, controller=[Together(balance, push), StopWhen(fell=fallen)])
    assert passive.ended == "fell" and active.ended == ""
    assert balance.clipped == 0


def test_gains_that_are_cut_are_counted():
    standing = stand(person_world(rigid_foot()), posture(wide=True))
    balance = standing.balance(Gains(limit=1e-4))
    standing.sim.run(0.3, controller=[balance, Push((5.0, 0.0, 0.0), 0.3)])
    assert balance.clipped > 0


def test_behaviours_follow_one_another():
    sim = Simulation(pole(), ledger=False)
    seen = []
    program = Then(
        Wait(0.1),
        MoveTo(ControlState({"rod": 0.2}), 0.3),
        Until(lambda s: s.q[0] > 0.1, "leans"),
        Do(lambda s: seen.append(s.time), "seen"),
    )
    ends = StopWhen(done=program)
    shown = sim.run(5.0, every=0.05, include_start=True, watch={"angle": lambda s: s.q[0]}, controller=[program, ends])
    assert program.done and shown.ended == "done" and seen[0] == shown.event("leans") == shown.event("seen")
    assert shown.event("leans") >= 0.4 and np.isnan(shown.event("never"))
    assert len(shown.watched["angle"]) == len(shown.time) == len(shown.q)
    assert sim.elements["rod"].get("rest") == pytest.approx(0.2)


def test_waits_and_moves_end_exactly_on_time():
    sim = Simulation(pole(), ledger=False)
    times = []
    mark = lambda: Do(lambda s: times.append(s.time))
    lean = MoveTo(ControlState({"rod": 0.1}), 0.7)
    sim.run(3.0, controller=Then(Wait(0.3), mark(), lean, mark(), Wait(1.25), mark()))
    assert times == pytest.approx([0.3, 1.0, 2.25], abs=1e-12)


def test_programs_are_saved_and_restored_to_the_bit():
    sim = Simulation(pole(), ledger=False)
    lean = Then(MoveTo(ControlState({"rod": 0.2}), 0.3), Wait(0.2), MoveTo(ControlState({"rod": -0.1}), 0.2))
    watchful = Until(lambda s: s.q[0] > 0.1, "leans")
    sim.run(0.4, controller=Together(lean, watchful))
    state = sim.save()
    first = sim.run(1.0, every=0.1)
    sim.restore(state)
    again = sim.run(1.0, every=0.1)
    assert np.array_equal(first.q, again.q) and first.events == again.events


def test_a_balance_moves_the_angles_about_which_it_corrects():
    balance = Balance(("rod",), {"rod": 1.0}, {}, {"rod": 0.0})
    balance.move({"rod": 1.0}, 2.0, 4.0)
    assert balance._middle(3.0) == {"rod": 0.25} and balance._middle(9.0) == {"rod": 1.0}


def test_a_statue_stands():
    figure = single_body()
    sim = Simulation(person_world(figure), stepping=STEPPING, ledger=False)
    sim.advance(20.0)
    found = support(sim)
    assert found.margin > 0.05 and np.abs(sim.v).max() < 1e-3


@pytest.mark.parametrize("height, mass", [(1.5, 45.0), (1.9, 95.0)])
def test_people_of_other_sizes_stand_as_well(height, mass):
    figure = person_of(height, mass, figure=rigid_foot())
    standing = stand(person_world(figure, height=height, mass=mass), posture(wide=True))
    assert standing.analysis.support.load == pytest.approx(mass * GRAVITY, rel=1e-4)
    assert check_posture(standing.sim).stands
