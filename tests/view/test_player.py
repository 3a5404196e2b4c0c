"""What is shown and how it goes on: the player, sources, the past, the mouse spring. No browser."""

import math
import socket

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol import (
    Body,
    Box,
    Controller,
    Figure,
    GambolError,
    Joint,
    JointSpring,
    Mechanics,
    Part,
    Periodic,
    Simulation,
    Terrain,
    UnknownNameError,
    ViewError,
    Waves,
    World,
    chain,
)
from gambol.draw import Motion
from gambol.draw.motion import placer
from gambol.draw.render import Scene
from gambol.draw.terrain import earth_over
from gambol.figure.placement import quaternions
from gambol.shows.registry import find_show, shows
from gambol.view import LiveSource, Parameter, Player, RecordedSource, with_mouse_spring
from gambol.view.anatomy import Anatomy, closed, support_polygon
from gambol.view.history import History
from gambol.view.holding import posture, strings
from gambol.view.live import EVERY
from gambol.view.mouse_spring import MouseSpring
from gambol.view.overlays import Overlays
from gambol.view.playback import FASTEST, LONGEST
from view.motions import brick, slide
from view.window import LIMIT, eventually

NEVER = float("inf")


def arm(damping: float = 0.2):
    return chain(3, Joint("hinge", (0, 1, 0), stiffness=2.0, damping=damping), length=0.3, radius=0.03)


def hanging_arm(**options) -> LiveSource:
    return LiveSource.of(World(arm()), **options)


class Clock:
    """Stands still until it is told to go on."""

    now, looks = 0.0, 0

    def perf_counter(self) -> float:
        self.looks += 1
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """The clock of players and sources."""
    given = Clock()
    monkeypatch.setattr("gambol.view.playback.clock", given)
    monkeypatch.setattr("gambol.view.live.clock", given)
    return given


def done(player: Player) -> None:
    """Waits until the player has done what it was asked for."""
    player.ask(lambda: None, timeout=LIMIT)


# ------------------------------------------------------------ motions
def test_motions_of_runs_and_simulations():
    sim = Simulation(World(arm()))
    sim.reset([0.5, 0.2, -0.1])
    path = sim.run(0.5, every=0.1)
    motion = Motion.of(path)
    assert len(motion.time) == 5 and np.array_equal(motion.positions(0.31), path.q[2])
    assert np.array_equal(Motion.of(sim).q[0], sim.q)
    many = Simulation(World(arm()), worlds=2)
    assert Motion.of(many.run(0.2, every=0.1), world=1).q.shape == (2, 3)
    with pytest.raises(ViewError, match="there are 2 worlds, so world must be from 0 to 1, not 2"):
        Motion.of(many, world=2)


def test_quaternions_of_matrices():
    given = Rotation.random(200, random_state=1)
    half_turns = Rotation.from_rotvec(np.pi * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0.0]]))
    for turns in (given, half_turns, Rotation.identity(1)):
        found = quaternions(turns.as_matrix())
        assert np.allclose(np.abs(np.sum(found * np.roll(turns.as_quat(), 1, axis=1), axis=1)), 1.0)


# ------------------------------------------------------------ the past
def test_history_finds_cuts_and_forgets_with_a_count():
    history = History(largest=40 * (16 + 200))
    for k in range(100):
        history.append(0.1 * k, np.array([float(k)]), np.zeros(1))
    assert history.forgotten > 0 and history.forgotten + len(history) == 100 and history.last == pytest.approx(9.9)
    assert history.at(9.15).q[0] == 91 and history.at(-1.0).time == history.first
    assert [m.q[0] for m in history.between(9.5, 9.7)] == [95, 96, 97]
    history.cut(9.5)
    assert history.last == pytest.approx(9.5)


def test_a_live_run_is_the_run_there_would_be_without_a_viewer():
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    for until in (0.123, 0.2, 0.377, 0.5):
        source.advance(until, NEVER)
    alone = Simulation(with_mouse_spring(World(arm())))
    alone.reset([0.8, 0.2, 0.0])
    path = alone.run(0.5, every=EVERY)
    assert len(source.between(0.0, 0.5)) == len(path) + 1
    for time_, q in zip(path.time, path.q):
        assert np.array_equal(source.at(time_).q, q)


def test_a_run_is_taken_up_again_in_its_past():
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    source.advance(2.0, NEVER)
    then = source.at(1.2)
    source.resume_at(1.2)
    assert source.last == then.time and np.array_equal(source.sim.q, then.q)
    source.advance(1.5, NEVER)
    assert source.last == 1.5


def test_starting_again_is_the_same_to_the_bit_and_keeps_parameters():
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    stiffness = next(p for p in source.parameters if p.label == "joint stiffness")
    stiffness.set(2.0)
    source.restart()
    source.advance(0.5, NEVER)
    once = source.sim.q.copy()
    source.restart()
    assert source.last == 0.0 and stiffness.get() == 2.0
    assert np.allclose(source.sim.elements.of_type(JointSpring).get("stiffness"), 4.0)
    source.advance(0.5, NEVER)
    assert np.array_equal(source.sim.q, once)


def test_getting_ready_leaves_no_trace():
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    source.prepare()
    assert source.last == 0.0 and np.array_equal(source.sim.q, [0.8, 0.2, 0.0])


def test_a_run_that_cannot_go_on_says_so():
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    source.prepare()
    source.sim.v = [1e200, 0.0, 0.0]
    player = Player(source).start()
    try:
        eventually(lambda: source.fault and not player.playing)
        assert "t = " in source.fault
        player.restart()
        player.play()
        eventually(lambda: player.shown > 0.1)
        assert not source.fault
    finally:
        player.close()


# ------------------------------------------------------------ the player
def test_the_stage_keeps_time_pauses_steps_and_seeks(clock):
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    source.prepare()
    player = Player(source).start()
    try:
        done(player)
        for k in range(1, 6):
            clock.now += 0.08
            eventually(lambda k=k: player.shown == pytest.approx(0.08 * k))
        clock.now += 5.0  # a frame that took long
        eventually(lambda: player.shown == pytest.approx(0.4 + LONGEST))
        held = player.shown
        player.pause()
        done(player)
        clock.now += 0.05
        looks = clock.looks
        eventually(lambda: clock.looks > looks + 10)
        assert player.shown == held
        player.step()
        done(player)
        assert player.shown == pytest.approx(held + 1 / 60) and not player.playing
        player.seek(0.3)
        done(player)
        assert player.shown == 0.3 and player.moment().time <= 0.3
        player.seek(99.0)
        done(player)
        assert player.shown == source.last
    finally:
        player.close()


def test_slow_motion_and_as_fast_as_it_can(clock):
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    source.prepare()
    player = Player(source, speed=0.1).start()

    def stopped() -> bool:
        clock.now += 1.0
        return not player.playing

    try:
        done(player)
        clock.now += 0.08
        eventually(lambda: player.shown == pytest.approx(0.008))
        assert len(source.between(0.0, 0.008)) == 9  # finer moments than those of real time
        player.speed = FASTEST
        eventually(lambda: source.last > 2.0)  # while the clock stands still
    finally:
        player.pause()
        eventually(stopped)
        player.close()


def test_a_recording_ends_or_begins_again(clock):
    player = Player(RecordedSource(slide(brick(), seconds=0.3))).start()
    try:
        done(player)
        for shown in (0.09, 0.18, 0.27, 0.3):
            clock.now += 0.09
            eventually(lambda shown=shown: player.shown == pytest.approx(shown))
        eventually(lambda: not player.playing)
        player.loop = True
        player.play()
        done(player)
        for shown in (0.09, 0.18, 0.27, 0.0, 0.09):
            clock.now += 0.09
            eventually(lambda shown=shown: player.shown == pytest.approx(shown))
        assert player.playing
    finally:
        player.close()


class Push(Controller):
    """Half of the time one way, half the other."""

    keeps = ("torque", "due")

    def __init__(self, torque=0.5):
        self.torque = torque

    def start(self, run):
        self.due = run.time

    def next_time(self, run):
        return self.due

    def act(self, run):
        self.due, self.torque = self.due + 0.15, -self.torque
        run.command = [self.torque, 0.0, 0.0]


def test_controllers_act_and_go_back_with_the_run():
    push, plain = Push(), Simulation(with_mouse_spring(World(arm())))
    torque = Parameter("torque", lambda: push.torque, lambda x: setattr(push, "torque", x), -1.0, 1.0, unit="N·m")
    source = hanging_arm(controller=push, parameters=[torque])
    assert source.parameters[0].title == "torque [N·m]"
    source.advance(1.0, NEVER)
    path = plain.run(1.0, every=EVERY, controller=Push())
    assert np.array_equal(source.sim.q, path.q[-1]) and push.due == pytest.approx(1.05)
    source.resume_at(0.7)
    assert push.due == pytest.approx(0.75) and np.array_equal(source.sim.q, source.at(0.7).q)


def test_a_controller_that_ends_the_run_is_a_fault_with_its_name():
    def enough(sim):
        if sim.time > 0.2:
            sim.note("enough")
            return False

    source = hanging_arm(controller=Periodic(0.03, enough))
    source.advance(1.0, NEVER)
    assert source.fault == "the run ended at t = 0.21 s: enough" and source.last == pytest.approx(0.21)


def test_parameters_act():
    source = hanging_arm(q=[0.0, 0.0, 0.0])
    by_name = {p.label: p for p in source.parameters}
    by_name["slope"].set(10.0)
    assert np.allclose(source.sim.gravity, 9.81 * np.array([-np.sin(np.radians(10)), 0, -np.cos(np.radians(10))]))
    by_name["gravity"].set(0.5)
    assert by_name["slope"].get() == pytest.approx(10.0) and np.linalg.norm(source.sim.gravity) == pytest.approx(4.905)
    by_name["gravity"].set(0.0)
    assert not source.sim.gravity.any() and by_name["slope"].get() == 0.0
    by_name["joint stiffness"].set(3.0)
    springs = source.sim.elements.of_type(JointSpring)
    assert np.allclose(springs.get("stiffness"), 6.0) and np.allclose(springs.get("damping"), 0.2) and len(springs) == 3
    with pytest.raises(ViewError, match="from 0 to 4, not 9"):
        by_name["joint stiffness"].checked(9.0)
    with pytest.raises(ViewError, match="must be below"):
        Parameter("x", lambda: 0.0, lambda x: None, 1.0, 1.0)


# ------------------------------------------------------------ the mouse spring
def test_the_mouse_pulls_with_its_strength_at_most_and_lets_go():
    source = LiveSource.of(World(arm(damping=1.5)))
    mouse, sim = source.mouse, source.sim
    source.advance(0.1, NEVER)
    mouse.grab("chain_2", (0.0, 0.0, -0.3))
    tip = mouse.point()
    mouse.pull(np.add(tip, [100.0, 0.0, 0.0]))
    forces = []
    while source.last < 2.0:
        source.advance(source.last + 1 / 120, NEVER)
        place = source.place(sim.q)
        at, force = mouse.pulling(place, [b.name for b in sim.layout.bodies])
        assert np.allclose(at, mouse.point(), atol=1e-9)
        forces.append(np.linalg.norm(force))
        assert np.all(np.isfinite(sim.q)) and np.abs(sim.v).max() < 100.0
    assert max(forces) <= mouse.strength * (1 + 1e-9) and mouse.point()[0] > tip[0] + 0.2
    mouse.release()
    source.advance(12.0, NEVER)
    assert np.linalg.norm(sim.bodies["chain_2"].point((0, 0, -0.3)) - tip) < 0.01
    ledger = sim.ledger()
    assert ledger["work of mouse spring"] > 0.1
    assert abs(ledger["numerical"]) < 0.02 * ledger["work of mouse spring"]


def test_the_mouse_can_take_any_body_in_turn():
    source = hanging_arm()
    for body, where in (("chain_0", 0), ("chain_1", 1)):
        source.restart()
        source.mouse.grab(body, (0.0, 0.0, -0.3))
        source.mouse.pull(np.add(source.mouse.point(), [1.0, 0.0, 0.0]))
        source.advance(1.0, NEVER)
        assert np.all(np.abs(source.sim.q[: where + 1]) > 0.05)


def test_a_push_gives_its_impulse_and_a_pin_holds():
    source = LiveSource.of(World(brick(height=1.0), gravity=(0.0, 0.0, 0.0)))
    source.mouse.push("cube", (0.0, 0.0, 0.0), (3.0, 0.0, 0.0), 0.125)
    source.advance(0.5, NEVER)
    assert source.mouse.body is None
    assert np.linalg.norm(source.sim.v) == pytest.approx(3.0 * 0.125 / 1.0, rel=0.02)  # [m/s], of 1 kg
    source.mouse.pin("cube", (0.0, 0.0, 0.0))
    place = float(source.sim.q[0])
    source.advance(3.0, NEVER)
    assert source.mouse.pinned == "brick/cube" and source.sim.q[0] == pytest.approx(place, abs=0.01)
    source.mouse.pin("cube", (0.0, 0.0, 0.0))
    assert source.mouse.pinned is None
    with pytest.raises(ViewError, match="a positive duration, not"):
        source.mouse.push("cube", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0)


def test_a_world_without_a_mouse_spring_says_so():
    with pytest.raises(ViewError, match="has no mouse spring"):
        MouseSpring(Simulation(World(arm())))


def test_a_saved_state_holds_what_the_mouse_holds():
    """Save, grab another body, restore: the run goes on to the bit as it would have."""
    source = hanging_arm(q=[0.8, 0.2, 0.0])
    mouse, sim = source.mouse, source.sim

    def pull(body):
        mouse.grab(body, (0.0, 0.0, -0.2))
        mouse.pull(mouse.point() + np.array([1.0, 0.0, 0.5]))

    pull("chain_0")
    sim.run(0.1)
    state = sim.save()
    sim.run(0.5)
    once = sim.save()
    sim.restore(state)
    pull("chain_2")
    sim.run(0.5)
    assert not sim.save().same(once)
    sim.restore(state)
    assert mouse.body == "chain/chain_0"
    sim.run(0.5)
    assert sim.save().same(once)


# ------------------------------------------------------------ overlays
def test_centres_and_axes():
    figure = arm()
    q = [0.3, -0.2, 0.5]
    poses, anatomy = placer([figure])(np.array(q)), Anatomy([figure])
    assert np.allclose(anatomy.centres(poses)[0], Mechanics(figure).centre_of_mass(q))
    axes = anatomy.axes(poses, 0.2)
    assert axes.shape == (3, 2, 3) and np.allclose(axes[:, 1] - axes[:, 0], [0.0, 0.2, 0.0])


def test_axes_of_compound_joints_go_with_the_joint():
    """The first axis of a universal joint stays where the parent has it; the second goes with the body."""
    joint = Joint("universal", (0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0))
    part = Part(Box((0.1, 0.1, 0.4)), mass=1.0)
    figure = Figure(
        "cross", (Body("bar", joint=joint, parts=(part,)), Body("ball", "bar", Joint("ball"), parts=(part,)))
    )
    q = np.array([0.7, 0.5, 1.0, 0.0, 0.0, 0.0])
    poses, anatomy = placer([figure])(q), Anatomy([figure])
    lines = anatomy.axes(poses, 1.0, q)
    along = lines[:, 1] - lines[:, 0]
    assert len(along) == 5
    assert np.allclose(along[0], [0.0, 0.0, 1.0]) and np.allclose(along[1], [np.cos(0.7), np.sin(0.7), 0.0])
    assert np.allclose(along[2:].T, poses.frames[1])


def test_the_support_polygon_is_what_stands_on_the_ground():
    def outline(height):
        scene = Scene([brick(height=height)])
        return support_polygon(scene.corners(placer([brick(height=height)])(np.array(brick().zero)))[0], 0.0, 0.7)

    standing = outline(0.2)
    assert len(standing) == 4 and np.allclose(np.abs(standing[:, :2]), 0.2) and closed(standing).shape == (4, 2, 3)
    assert len(outline(0.3)) == 0


def test_strings_and_posture_hold_every_figure():
    for name in ("person90", "hexapod30"):
        source = find_show(name).make()
        source.advance(1.0, NEVER)
        start, now = source.place(source.at(0.0).q), source.place(source.sim.q)
        size = source.sim.world.size
        assert np.linalg.norm(now.origins - start.origins, axis=1).max() < 0.1 * size, name
    assert strings(arm()) == [] and len(posture(brick())) == 0


def test_unknown_shows_name_the_nearest():
    with pytest.raises(UnknownNameError, match=r"no file and no show called 'acrobt'; did you mean 'acrobat'\?"):
        find_show("acrobt")
    assert all(show.about for show in shows().values())


# ------------------------------------------------------------ the port
def test_the_port_is_at_loopback_and_free_afterwards():
    pytest.importorskip("websockets")
    from gambol.view import Viewer

    viewer = Viewer(RecordedSource(slide(brick())), port=0).start()
    port = viewer.port
    assert viewer.address == f"http://127.0.0.1:{port}/{viewer.guard.token}"
    with socket.create_connection(("127.0.0.1", port), LIMIT):
        pass
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in addresses - {a for a in addresses if a.startswith("127.")}:
        with pytest.raises(OSError), socket.create_connection((address, port), 2.0):
            pass
    viewer.close()
    with socket.create_server(("127.0.0.1", port)):
        pass


@pytest.mark.parametrize(("host", "port", "words"), [
    ("127.0.0.1", None, "port {port} is in use: choose another with --port"),
    ("127.0.0.1", 99999, "a port is from 0 to 65535, not 99999"),
    ("203.0.113.7", 0, "cannot listen at 203.0.113.7, port 0"),
])  # fmt: skip
def test_ports_that_cannot_be_had(host, port, words):
    pytest.importorskip("websockets")
    from gambol.view import Viewer

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1] if port is None else port
        with pytest.raises(GambolError) as error:
            Viewer(RecordedSource(slide(brick())), host=host, port=port)
        assert words.format(port=port) in str(error.value)


def test_a_robot_stands_on_its_feet_until_the_ground_is_slippery():
    source = find_show("hexapod30").make()
    source.show_forces = True
    source.advance(1.5, NEVER)
    forces = source.at(source.last).forces
    weight = 9.81 * source.figures[0].mass
    assert forces.shape == (6, 2, 3) and forces[:, 1].sum(axis=0)[2] == pytest.approx(weight, rel=0.02)
    assert np.all(np.abs(forces[:, 0, 2]) < 5e-3)
    by_name = {p.label: p for p in source.parameters}
    assert by_name["friction"].get() == pytest.approx(0.8)
    by_name["slope"].set(10.0)
    assert by_name["slope"].get() == pytest.approx(10.0) and source.slope == pytest.approx(np.tan(np.radians(10.0)))
    before = source.sim.q[0]
    source.advance(2.5, NEVER)
    held = abs(source.sim.q[0] - before)
    by_name["friction"].set(0.0)
    source.advance(3.0, NEVER)
    assert held < 0.05 and source.sim.q[0] < before - 0.1  # downhill is against x


def test_a_walk_is_seen_turned_and_taken_up_again():
    source = find_show("roach").make()
    start = source.first
    source.advance(start + 0.3, NEVER, EVERY / 2)
    assert source.sim.q[0] > 0.01 and len(source.between(start, source.last)) > 60
    then = source.at(start + 0.3).q.copy()
    source.advance(start + 0.6, NEVER, EVERY / 2)
    source.resume_at(start + 0.3)
    assert np.array_equal(source.sim.q, then)
    by_name = {p.label: p for p in source.parameters}
    by_name["gait"].set("wave")
    assert by_name["cycle"].get() == pytest.approx(0.3)
    source.restart()
    assert source.last == start and by_name["cycle"].get() == pytest.approx(0.3)
    source.advance(start + 0.2, NEVER)
    assert not source.fault


def test_a_person_keeps_its_balance_when_pushed_gently():
    source = find_show("person").make()
    height = lambda: source.sim.mechanics.centre_of_mass(source.sim.q)
    before = height()
    source.advance(0.5, NEVER)
    source.mouse.grab("abdomen", (0.0, 0.0, 0.1))
    source.mouse.strength = 15.0
    source.mouse.pull(source.mouse.point() + np.array([5.0, 0.0, 0.0]))
    source.advance(1.0, NEVER)
    pushed = height()[0] - before[0]
    source.mouse.release()
    source.advance(6.0, NEVER)
    after = height()
    assert not source.fault and pushed > 1e-3
    assert abs(after[2] - before[2]) < 0.02 and np.abs(after - before).max() < 0.03


def test_ground_that_is_no_plane_is_drawn_as_it_is():
    terrain = Waves(amplitude=0.1, length_x=2.0, level=0.3)
    source = LiveSource.of(World(brick(height=2.0), terrain=terrain))
    assert source.ground is terrain
    earth = earth_over(terrain, (-1.0, -1.0), (1.0, 1.0), 40)
    x, y, z = earth.vertices[7::97].T
    assert np.allclose(z, 0.3 + 0.1 * np.sin(np.pi * x)) and np.ptp(z) > 0.1 and np.ptp(y) > 1.0
    steep = -0.1 * np.pi * np.cos(np.pi * x)
    assert np.allclose(earth.normals[7::97, 0] / earth.normals[7::97, 2], steep) and np.all(earth.normals[:, 2] > 0)
    a, b, c = earth.vertices[earth.faces[0]]
    assert np.cross(b - a, c - a)[2] > 0
    assert LiveSource.of(World(brick(height=2.0), terrain=Terrain(level=0.3))).ground == 0.3
    assert LiveSource.of(World(brick(height=2.0)), ground=None).ground is None


def test_torques_at_joints_are_those_of_their_springs():
    arm = chain(2, Joint("hinge", (0, 1, 0), stiffness=3.0), length=0.4, radius=0.03)
    source = LiveSource.of(World(arm), q=[0.5, -0.2], ground=None)
    source.show_torques = True
    source.advance(3 / 128, math.inf)
    moment = source.at(source.last)
    assert np.allclose(moment.torques, -3.0 * moment.q)
    anatomy = Anatomy(source.figures)
    shown = Overlays(source, Scene(source.figures), anatomy, size=1.0, newtons=20.0)
    lines = shown(frozenset({"joint torques"}), moment, source.place(moment.q))["torques"]
    assert np.allclose(lines[:, 1] - lines[:, 0], np.outer(0.1 * moment.torques, (0, 1, 0)))
