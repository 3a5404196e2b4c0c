"""Figures that go where they are told."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gambol import (
    Director,
    GaitSteering,
    Placement,
    ScriptError,
    Simulation,
    Stairs,
    Terrain,
    Whereabouts,
    World,
    WorldError,
    box_figure,
)
from gambol.control.directing.orders import Follow, Go, Turn, WalkTo, within_curve
from gambol.control.directing.script import parse_directions
from gambol.experiments.direct.courses import PERSON, directed_persons
from gambol.models import walking_roach
from gambol.models.person import walk_of, walking_simulation
from gambol.models.roach import (
    FIVE_LEG_STEERING,
    SURE_FOOTED_STEERING,
    TUNED,
    adjusted_legs,
    roach_without,
    roach_world,
    settled_roach,
    steering_without,
    sure_footed_walk,
    walk_without,
)


@pytest.fixture(scope="module")
def rested():
    sim = settled_roach()
    return sim, sim.save()


@pytest.fixture
def directed(rested):
    """A roach at rest with a director."""
    sim, state = rested
    sim.restore(state)
    return Director(walking_roach(sim, cycle=0.2, limbs=adjusted_legs(*TUNED)))


def test_it_stands_until_it_is_told(directed):
    before = directed.look()
    directed.run.run(0.5)
    after = directed.look()
    assert directed.done and math.hypot(after.x - before.x, after.y - before.y) < 1e-3


def test_it_walks_to_a_place_and_stops(directed):
    place = directed.look()
    directed.walk_to(place.x + 0.05, place.y + 0.03, speed=0.08)
    directed.stop()
    sim = directed.run
    sim.run(3.0)
    seen = directed.look()
    assert directed.done and math.hypot(seen.x - place.x - 0.05, seen.y - place.y - 0.03) < 0.02
    names = [event.name for event in sim.events]
    assert "stop: done" in names and any(name.startswith("walk to") for name in names)
    here = (seen.x, seen.y)
    sim.run(0.5)
    seen = directed.look()
    assert math.hypot(seen.x - here[0], seen.y - here[1]) < 0.01


def test_it_turns_left_and_right(directed):
    sim, begun = directed.run, directed.look().heading
    directed.turn(1.0)
    sim.run(2.0)
    assert directed.done and directed.look().heading - begun == pytest.approx(1.0, abs=0.2)
    directed.turn(-1.0)
    sim.run(2.0)
    assert directed.done and directed.look().heading - begun == pytest.approx(0.0, abs=0.2)


def test_each_world_of_a_batch_goes_where_it_is_told():
    """Saved and restored to the bit; one that was told nothing stands."""
    sim = walking_roach(settled_roach(worlds=3), cycle=0.2, limbs=adjusted_legs(*TUNED))
    (walk,) = sim.controllers
    directors = [Director(sim, GaitSteering(walk, world=k, lean=0.1 * k)) for k in range(3)]
    directors[0].turn(0.8)
    directors[1].turn(-0.8)
    sim.run(0.3)
    state = sim.save()
    sim.run(0.9)
    headings = [director.look().heading for director in directors]
    assert headings == pytest.approx([0.8, -0.8, 0.0], abs=0.2)
    assert {(event.name, event.world) for event in sim.events} == {
        ("turn 0.8 rad: done", 0),
        ("turn -0.8 rad: done", 1),
    }
    end = sim.q.copy()
    sim.restore(state)
    sim.run(0.9)
    assert np.array_equal(sim.q, end)
    with pytest.raises(WorldError, match="there is no world 3: the simulation has 3"):
        Director(sim, GaitSteering(walk, world=3))


@pytest.mark.parametrize("lost", ["ml", "br"])
def test_a_roach_that_has_lost_a_leg_goes_where_it_is_told(lost):
    """With the programs and phases of six legs it is thrown about, or sits on its abdomen."""
    sim = settled_roach(roach_world(figure=roach_without(lost)))
    walking_roach(sim, cycle=0.2, **walk_without(lost)._asdict())
    director = Director(sim, GaitSteering(sim.controllers[0], **FIVE_LEG_STEERING))
    place = director.look()
    director.walk_to(place.x + 0.06, place.y + 0.04, speed=0.08, within=0.01)
    sim.run(5.0)
    assert director.done


def test_a_roach_without_a_front_leg_holds_its_head_up():
    """On feet that go straight back; it goes where it is told, to the side of the gap too."""
    sim = settled_roach(roach_world(figure=roach_without("fl")))
    walking_roach(sim, cycle=0.2, **walk_without("fl")._asdict())
    director = Director(sim, GaitSteering(sim.controllers[0], **steering_without("fl")))
    place = director.look()
    director.walk_to(place.x - 0.05, place.y + 0.05, speed=0.08, within=0.01)
    sim.run(3.5)
    assert director.done


@pytest.mark.parametrize("towards", [0.0, 1.2, -2.2])
def test_a_sure_footed_roach_goes_up_and_across_a_slope(towards):
    """Of 15°, on feet that slip: with the programs of level ground it stays where it is, or slides down."""
    world = roach_world(terrain=Terrain(slope_x=math.tan(math.radians(15.0))))
    sim = walking_roach(settled_roach(world), cycle=0.2, **sure_footed_walk()._asdict())
    director = Director(sim, GaitSteering(sim.controllers[0], **SURE_FOOTED_STEERING))
    place = director.look()
    ahead, aside = 0.06 * math.cos(towards), 0.06 * math.sin(towards)
    director.walk_to(place.x + ahead, place.y + aside, speed=0.08, within=0.01)
    sim.run(3.0)
    assert director.done


def test_it_goes_on_from_a_saved_state_to_the_bit(directed):
    sim = directed.run
    directed.follow([(0.05, 0.0), (0.05, 0.05)], speed=0.08)
    sim.run(0.4)
    state = sim.save()
    sim.run(0.4)
    first = sim.q.copy()
    sim.restore(state)
    sim.run(0.4)
    assert np.array_equal(sim.q, first)


def test_feet_go_downhill_below_a_trunk_that_is_tilted():
    """By what their joints do to them, as far as joints may move."""
    for slope in (0.0, 0.26):
        sim = walking_roach(settled_roach(roach_world(terrain=Terrain(slope_x=slope))), limbs=adjusted_legs(*TUNED))
        director = Director(sim, GaitSteering(sim.controllers[0], lean=0.7, low=0.1))
        q, footing = sim.q.copy(), director.steering.footing
        sim.run(1.0)
        turned = q.copy()
        for joint, by in director.steering.walk.moved.items():
            turned[sim.coordinates(joint)] += by
        root = q[sim.coordinates(sim.layout.figures[0].root.name)]
        trunk = np.asarray(Placement(tuple(root[:3]), tuple(root[3:7])).matrix)
        feet = [leg.foot for leg in director.steering.walk.gait.legs]
        ways = [trunk.T @ (sim.mechanics.point(turned, foot) - sim.mechanics.point(q, foot)) for foot in feet]
        told = footing.lean * footing.height * footing.down[0]
        if slope:  # some joints are at what they may move
            assert footing.down[0] < -0.2 and all(way[0] < 0.25 * told for way in ways)
        else:  # it leans back by 3° as it stands
            assert np.array(ways)[:, 0] == pytest.approx(told, abs=5e-5) and abs(told) < 1e-3


def test_a_person_sets_off_and_stops_as_told():
    sim = walking_simulation(standing=True)
    director = Director(sim)
    director.wait(0.7)
    director.go(0.8, seconds=5.5)
    director.stop()
    sim.run(10.0)
    names = [event.name for event in sim.events if "strikes" not in event.name]
    assert director.done and names[-2:] == ["stands", "stop: done"] and director.look().speed == 0.0


def test_a_person_stops_on_a_mark_and_squats():
    sim = walking_simulation(standing=True)
    director = Director(sim)
    director.turn(-0.8)
    director.walk_to(0.9, -1.0, speed=0.5, halt=True)
    director.squat(0.15)
    director.rise()
    sim.run(7.0)
    state = sim.save()
    sim.run(13.0)
    names = [event.name for event in sim.events]
    assert director.done and "stop at (0.9, -1): done" in names and names.index("squat 0.15 m: done") < len(names)
    seen = director.look()
    assert math.hypot(seen.x - 0.9, seen.y + 1.0) < 0.2 and seen.speed == 0.0
    end = sim.q.copy()
    sim.restore(state)
    sim.run(13.0)
    assert np.array_equal(sim.q, end)


def test_a_person_sits_down_waits_and_walks_off():
    """On a bench behind it, which it feels; the trunk upright, most of the weight on the seat, feet where they were."""
    bench = Stairs(start=-0.1, length=3.0, rise=-0.45, steps=1, level=0.45)
    sim = walking_simulation(standing=True, seat=True, terrain=bench)
    director = Director(sim)
    director.sit()
    director.wait(2.0)
    director.go(0.8, seconds=6.0)
    walk = walk_of(sim)
    sim.run(0.5)
    feet = walk.seen[0, 2:4].copy()
    sim.run(4.5)
    assert walk.modes == ["sits"] and abs(walk.seen[0, 7, 1]) < 0.2
    assert 0.5 < walk.loads[0, 2] / walk.loads[0].sum() < 0.9
    assert np.abs(walk.seen[0, 2:4] - feet).max() < 0.03
    state = sim.save()
    sim.run(7.0)
    names = [event.name for event in sim.events if "strikes" not in event.name]
    assert director.done and names[:3] == ["sits", "sit: done", "wait 2 s: done"]
    assert walk.modes == ["walks"] and np.all(np.asarray(walk.crouch) == 0.0)
    end = sim.q.copy()
    sim.restore(state)
    sim.run(7.0)
    assert np.array_equal(sim.q, end)


def test_who_finds_no_seat_stands_again():
    sim = walking_simulation(standing=True, seat=True)
    director = Director(sim)
    director.sit()
    sim.run(9.0)
    assert director.done and [event.name for event in sim.events][-1] == "sit: found no seat"
    assert walk_of(sim).modes == ["stands"]


def test_who_cannot_sit(directed):
    directed.sit()
    with pytest.raises(WorldError, match="sit: a figure on GaitSteering cannot"):
        directed.run.run(0.1)
    sim = walking_simulation(standing=True)
    Director(sim).sit()
    with pytest.raises(WorldError, match=r"walking_world\(seat=True\)"):
        sim.run(0.1)


def test_a_run_stops_once_for_a_director_and_the_legs_it_directs(monkeypatch):
    sim = walking_simulation()
    director, marched = Director(sim), []
    director.go(1.25)
    monkeypatch.setattr(
        sim, "_call", lambda times, record, own=sim._call: marched.append(len(times)) or own(times, record)
    )
    sim.run(3.0)
    assert sum(count > 0 for count in marched) == 600


def test_persons_of_a_batch_go_their_own_ways():
    """Each walks a curve to a place beside it, without stopping."""
    places = [np.array([(5.0, 3.0)]), np.array([(4.0, -4.0)])]
    courses = directed_persons(places, dict(PERSON, seconds=12.0))
    assert all(course.done and course.seconds < 10.0 for course in courses)
    assert courses[0].path[-1] == pytest.approx((5.0, 3.0), abs=0.55)


def test_what_cannot_squat(directed):
    directed.squat()
    with pytest.raises(WorldError, match=r"squat 0\.2 m: a figure on GaitSteering cannot"):
        directed.run.run(0.1)
    with pytest.raises(WorldError, match=r"a depth is from 0 to 0\.35 m"):
        directed.squat(1.0)


def test_it_halts_on_a_mark(directed):
    place = directed.look()
    directed.walk_to(place.x + 0.06, place.y, speed=0.08, halt=True)
    directed.run.run(4.0)
    seen = directed.look()
    assert directed.done and math.hypot(seen.x - place.x - 0.06, seen.y - place.y) < 0.015


def test_what_nobody_can_steer():
    with pytest.raises(WorldError, match="nothing walks here"):
        Director(Simulation(World(box_figure((0.1, 0.1, 0.1), mass=1.0))))


def test_directions():
    orders = parse_directions(
        "orders:\n  - wait: 1\n  - walk to: [1, 2]\n  - turn: 90°\n  - go: {speed: 0.1}\n  - stop\n"
    )
    assert [str(order) for order in orders[:3]] == ["wait 1 s", "walk to (1, 2)", f"turn {math.pi / 2:g} rad"]
    assert isinstance(orders[1], WalkTo) and isinstance(orders[2], Turn) and isinstance(orders[3], Go)
    more = parse_directions("- walk to: {place: [1, 2], halt: true}\n- squat\n- squat: 0.1\n- sit\n- rise\n")
    assert [str(order) for order in more] == ["stop at (1, 2)", "squat 0.2 m", "squat 0.1 m", "sit", "rise"]
    (path,) = parse_directions("- follow: [[0, 1], [2, 3]]\n")
    assert isinstance(path, Follow) and path.points.shape == (2, 2)


def test_every_fault_of_directions_with_its_line():
    with pytest.raises(ScriptError) as error:
        parse_directions("- trun: 1\n- walk to: [1]\n- stop\n- go: {sped: 1}\n- turn: soon\n", "play.yaml")
    told = str(error.value)
    assert "play.yaml:1: no order 'trun'" in told and "play.yaml:2: a place is [x, y]" in told
    assert "play.yaml:4: go has no 'sped'" in told and "play.yaml:5" in told and "play.yaml:3" not in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested more than 60 deep"),
        (
            "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}' if k else '1'] * 10)}]\n" for k in range(9)),
            "aliases stand for",
        ),
        ("- wait: " + "9" * 5000, "must be a finite number, not inf"),
        ("- !!python/object/apply:os.system [ls]", "unknown tag"),
        ("- walk to: {place: [1, 2], within: x}", "a distance .* must be a finite number"),
        ("- follow: {path: [[1, 2]], within: [1]}", "a distance .* must be a finite number"),
        ("\0", "YAML syntax"),
        ("orders: 3", "directions are a list of orders"),
    ],
)
def test_hostile_directions(text, words):
    with pytest.raises(ScriptError, match=words):
        parse_directions(text, "play.yaml")


def test_a_gait_steering_of_ones_own_stride(directed):
    steering = GaitSteering(directed.steering.walk, stride=0.02)
    steering.start(directed.run)
    assert steering.top_speed == pytest.approx(0.22)


def test_a_place_inside_the_tightest_curve():
    steering = SimpleNamespace(curve=1.25, turning=0.2, near=0.4)
    director = SimpleNamespace(steering=steering)  # a radius of 6.25 m
    ahead = Whereabouts(0.0, 0.0, 0.0, 1.25, 0.0)
    beside, before, behind = WalkTo(0.0, 3.0), WalkTo(5.0, 0.2), WalkTo(-20.0, 0.0)
    assert within_curve(beside, director, ahead) and not within_curve(before, director, ahead)
    assert not within_curve(behind, director, ahead)
    assert not within_curve(beside, director, ahead._replace(y=3.0, x=-8.0))
