"""Measured motion: fitted, sized, its forces found, followed. What is known is made first, and must come back."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import Body, Capsule, Figure, Joint, Mechanics, MotionError, Part, Placement, UnknownNameError, read_scene
from gambol.draw import Motion
from gambol.export import clip_of
from gambol.models.person import rigid_foot
from gambol.motion import (
    Coordinates,
    MarkerPlace,
    Markers,
    MotionCurve,
    bearing_ground,
    follow_motion,
    inverse_dynamics,
    inverse_kinematics,
    marker_places,
    person_markers,
    plot_efforts,
    plot_residuals,
    scale_to_markers,
)

ROD = Part(Capsule(0.04, 0.3), Placement.at(0, 0, -0.2), mass=2.0)
TIME = np.arange(41) / 40


def swinger(root="free", limit=None) -> Figure:
    """A trunk with an arm of a hinge and a ball."""
    bodies = (
        Body("trunk", None, Joint(root), Placement.about((0, 0, 1), 0.4, (0.1, 0.2, 1.0)), (ROD,)),
        Body("upper", "trunk", Joint("hinge", (0, 1, 0), range=limit), Placement.at(0.0, 0.1, -0.4), (ROD,)),
        Body("lower", "upper", Joint("ball"), Placement.at(0.0, 0.0, -0.4), (ROD,)),
    )
    return Figure("swinger", bodies)


SPOTS = ((0.05, 0, 0), (-0.05, 0.03, -0.1), (0, 0.05, -0.3))
PLACES = {f"{b}{k}": MarkerPlace(b, at) for b in ("trunk", "upper", "lower") for k, at in enumerate(SPOTS)}


def swinging(figure: Figure) -> np.ndarray:
    q = np.tile(np.array(figure.zero), (len(TIME), 1))
    for k, t in enumerate(TIME):
        if figure.root.joint.type == "free":
            q[k, :7] = (0.5 * t, 0.1 * np.sin(3 * t), 0.05 * t, *Placement.about((0.6, 0, 0.8), 0.7 * t).rotation)
        q[k, figure.position_slices["upper"]] = 0.6 * np.sin(4 * t)
        q[k, figure.position_slices["lower"]] = Placement.about((0, 0.8, 0.6), np.sin(3 * t)).rotation
    return q


def seen(figure: Figure, q: np.ndarray, places=PLACES) -> Markers:
    mechanics = Mechanics(figure)
    names = tuple(places)
    rows = [mechanics.point_jacobians(x, [p.body for p in places.values()], [p.point for p in places.values()])[0]
            for x in q]  # fmt: skip
    return Markers(TIME[: len(q)], names, np.array(rows))


def apart(figure: Figure, a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of poses: origins [m] and quaternions, whatever their sign."""
    (p, u), (r, v) = figure.kinematics(a), figure.kinematics(b)
    turns = np.minimum(np.abs(u - v).max(axis=-1), np.abs(u + v).max(axis=-1))
    return max(float(np.abs(p - r).max()), float(turns.max()))


# ---------------------------------------------------------------- inverse kinematics
def test_point_jacobians_are_those_of_single_points():
    figure = swinger()
    mechanics, q = Mechanics(figure), swinging(figure)[7]
    places, J = mechanics.point_jacobians(q, ["lower", "trunk"], [SPOTS[1], SPOTS[2]])
    for k, (body, at) in enumerate((("lower", SPOTS[1]), ("trunk", SPOTS[2]))):
        np.testing.assert_allclose(places[k], mechanics.point(q, body, at), atol=1e-14)
        np.testing.assert_allclose(J[k], mechanics.jacobian(q, body, at)[3:], atol=1e-13)


def test_inverse_kinematics_finds_the_motion_that_made_the_markers():
    figure = swinger()
    q = swinging(figure)
    markers = seen(figure, q)
    fit = inverse_kinematics(figure, markers, PLACES)
    assert apart(figure, fit.q, q) < 1e-9 and fit.rms < 1e-9 and fit.unsettled == 0
    hidden = markers.positions.copy()
    hidden[10:20, 3] = hidden[:, 7] = np.nan  # two others on each body are still seen, and the joints they share
    fit = inverse_kinematics(figure, replace(markers, positions=hidden), PLACES)
    assert apart(figure, fit.q, q) < 1e-6
    assert fit.residuals()["upper0"]["seen"] == pytest.approx(31 / 41) and fit.residuals()["lower1"]["seen"] == 0


def test_inverse_kinematics_of_a_whole_person():
    figure, rng = rigid_foot(), np.random.default_rng(3)
    places = person_markers(figure)
    assert {"LASI", "RKNE", "C7", "LTOE"} <= set(places)
    left, right = places["LKNE"].point, places["RKNE"].point
    assert left == (right[0], -right[1], right[2]) and places["LKNE"].body == "l_thigh3"
    q = np.tile(np.array(figure.zero), (5, 1))
    for body in figure.order:
        if body.joint.type == "hinge":
            q[:, figure.position_slices[body.name].start] = 0.25 * np.sin(TIME[:5] * 4 + rng.uniform(0, 6))
    q[:, :3] = np.outer(TIME[:5], (1.2, 0.1, 0.0)) + np.array([3.0, 2.0, 0.1])
    q[:, 3:7] = Placement.about((0, 0, 1), 2.5).rotation
    fit = inverse_kinematics(figure, seen(figure, q, places), places)
    assert apart(figure, fit.q, q) < 1e-6


def test_joints_stay_within_their_ranges():
    loose, tight = swinger("fixed"), swinger("fixed", limit=(-0.2, 0.3))
    q = swinging(loose)
    fit = inverse_kinematics(tight, seen(loose, q), PLACES)
    found = fit.q[:, tight.position_slices["upper"]]
    assert found.max() == pytest.approx(0.3, abs=1e-12) and found.min() >= -0.2
    inside = np.abs(q[:, 0] - 0.05) < 0.24
    assert inside.any() and np.allclose(found[inside], q[inside, :1], atol=1e-6)
    free = inverse_kinematics(tight, seen(loose, q), PLACES, limits=False)
    assert apart(loose, free.q, q) < 1e-9


def test_joint_targets_and_markers_share_by_weight():
    figure = swinger("fixed")
    markers = seen(figure, swinging(figure))
    wanted = Coordinates(TIME, ("upper",), np.full((41, 1), 20.0), ("deg",))
    alone = inverse_kinematics(figure, coordinates=wanted)
    np.testing.assert_allclose(alone.q[:, 0], np.radians(20.0), atol=1e-9)
    soft = inverse_kinematics(figure, markers, PLACES, coordinates=wanted, weight=1e-6)
    hard = inverse_kinematics(figure, markers, PLACES, coordinates=wanted, weight=1e3)
    np.testing.assert_allclose(soft.q[:, 0], swinging(figure)[:, 0], atol=1e-6)
    np.testing.assert_allclose(hard.q[:, 0], np.radians(20.0), atol=1e-4)
    assert hard.targets == ("upper",) and np.abs(hard.errors).max() < 1e-4
    heavy = {name: replace(place, weight=1e8 if name == "lower2" else 1.0) for name, place in PLACES.items()}
    pulled = inverse_kinematics(figure, markers, heavy, coordinates=wanted, weight=10.0)
    assert pulled.residuals()["lower2"]["rms_m"] < 1e-3 * pulled.residuals()["upper2"]["rms_m"]


def test_a_fit_can_be_drawn_and_exported():
    figure = swinger()
    fit = inverse_kinematics(figure, seen(figure, swinging(figure)), PLACES)
    assert Motion.of(fit).q.shape == (41, figure.positions) and len(clip_of(fit)) == 41
    assert len(plot_residuals(fit).axes) == 2
    assert len(plot_efforts(inverse_dynamics(figure, fit.time, fit.q)).axes) == 2


def test_what_does_not_go_together_is_refused():
    figure = swinger()
    markers = seen(figure, swinging(figure)[:3])
    with pytest.raises(MotionError, match=r"marker trunk0: no body 'trank' in 'swinger'; did you mean 'trunk'"):
        inverse_kinematics(figure, markers, {"trunk0": MarkerPlace("trank")})
    with pytest.raises(MotionError, match="name the bodies they sit on"):
        inverse_kinematics(figure, markers, {"other": MarkerPlace("trunk")})
    with pytest.raises(MotionError, match="markers or coordinates are needed"):
        inverse_kinematics(figure)
    with pytest.raises(MotionError, match="is there twice"):
        Markers(TIME[:2], ("a", "a"), np.zeros((2, 2, 3)))
    with pytest.raises(MotionError, match="in 'mm', and the coordinate in rad"):
        Coordinates(TIME[:2], ("upper",), np.zeros((2, 1)), ("mm",)).positions_of(figure)
    with pytest.raises(MotionError, match="no column is a coordinate"):
        Coordinates(TIME[:2], ("uper",), np.zeros((2, 1)), ("",)).positions_of(figure)
    with pytest.raises(UnknownNameError, match="did you mean 'torque'"):
        follow_motion(figure, TIME, swinging(figure), by="torqe")
    assert marker_places(figure, ("trunk", "nothing")) == {"trunk": MarkerPlace("trunk")}


# ---------------------------------------------------------------- size
def test_segment_lengths_come_back_from_markers():
    figure = swinger()
    factors = {"trunk": 1.1, "upper": 1.25, "lower": 0.9}
    big = figure.resized(factors)
    assert big.mass == pytest.approx(sum(f**3 * 2.0 for f in factors.values()))
    assert figure.resized(factors, mass=5.0).mass == pytest.approx(5.0)
    placed = {n: replace(p, point=tuple(factors[p.body] * np.array(p.point))) for n, p in PLACES.items()}
    found = scale_to_markers(figure, seen(big, swinging(big), placed), PLACES, mass=7.0)
    for name, factor in factors.items():
        assert found.factors[name] == pytest.approx(factor, abs=1e-5)
    assert found.figure.mass == pytest.approx(7.0) and found.after < 1e-6 < found.before
    fit = inverse_kinematics(found.figure, seen(big, swinging(big), placed), found.places)
    assert apart(big, fit.q, swinging(big)) < 1e-4


# ---------------------------------------------------------------- forces
def test_speeds_and_accelerations_of_a_curve():
    figure = swinger()
    curve = MotionCurve(figure, TIME, swinging(figure))
    mechanics, h = Mechanics(figure), 1e-4
    (q, v, a), (_, later, _), (_, before, _) = (curve.at(0.5 + d) for d in (0.0, h, -h))
    np.testing.assert_allclose(mechanics.displaced(q, h * v + 0.5 * h * h * a), curve.at(0.5 + h)[0], atol=1e-10)
    np.testing.assert_allclose((later - before) / (2 * h), a, atol=2e-5)
    assert np.allclose(curve.at(9.0)[1], 0.0)
    turn = 0.7 * np.array([0.6, 0.0, 0.8])  # of the root, in the axes of its base
    np.testing.assert_allclose(v[:3], turn, atol=1e-5)


def test_inverse_dynamics_of_a_pendulum_and_of_a_thing_in_free_fall():
    rod = Figure("rod", (Body("rod", None, Joint("hinge", (0, 1, 0)), Placement.at(0, 0, 2), (ROD,)),))
    q = 0.5 * np.sin(3.0 * TIME)[:, None]
    inertia = Mechanics(rod).mass_matrix([0.0])[0, 0]
    wanted = inertia * -4.5 * np.sin(3.0 * TIME) + 2.0 * 9.81 * 0.2 * np.sin(q[:, 0])
    found = inverse_dynamics(rod, TIME, q)
    np.testing.assert_allclose(found.forces[3:-3, 0], wanted[3:-3], atol=1e-4)
    assert np.isnan(found.root).all()
    ball = Figure("ball", (Body("ball", None, Joint("free"), parts=(ROD,)),))
    rows = np.tile(np.array(ball.zero), (41, 1))
    rows[:, 0], rows[:, 2] = TIME, -0.5 * 9.81 * TIME**2
    assert np.abs(inverse_dynamics(ball, TIME, rows).root).max() < 1e-6
    rows[:, 2] = 0.0
    still = inverse_dynamics(ball, TIME, rows)
    np.testing.assert_allclose(still.root[:, 5], ball.mass * 9.81, atol=1e-6)
    centre = [Mechanics(ball).centre_of_mass(row)[:2] for row in rows]
    np.testing.assert_allclose(still.centre_of_pressure(), centre, atol=1e-6)


def test_noise_is_filtered_and_wrong_filters_are_refused():
    figure = swinger("fixed")
    clean = swinging(figure)
    noisy = clean + np.random.default_rng(0).normal(0, 1e-3, clean.shape)
    rough = inverse_dynamics(figure, TIME, noisy)
    smooth = inverse_dynamics(figure, TIME, noisy, cutoff=4.0)
    right = inverse_dynamics(figure, TIME, clean)
    miss = lambda e: np.sqrt(np.mean((e.forces[5:-5] - right.forces[5:-5]) ** 2))
    assert miss(smooth) < 0.2 * miss(rough)
    with pytest.raises(MotionError, match="half the rate of frames, 20 Hz"):
        inverse_dynamics(figure, TIME, clean, cutoff=30.0)
    with pytest.raises(MotionError, match="a single frame is no motion"):
        inverse_dynamics(figure, TIME[:1], clean[:1])


# ---------------------------------------------------------------- following
@pytest.fixture(scope="module")
def torque_run():
    figure = swinger()
    return figure, follow_motion(figure, TIME, swinging(figure), by="torque", root="held")


def test_computed_torque_follows_and_its_forces_are_those_of_inverse_dynamics(torque_run):
    figure, result = torque_run
    assert np.abs(result.errors).max() < 2e-3 and result.failure is None
    wanted = inverse_dynamics(figure, TIME, swinging(figure)).forces
    rows = slice(4, -4)
    np.testing.assert_allclose(result.forces[rows], wanted[rows], atol=0.03 * np.abs(wanted).max())
    assert result.summary()["root_force_rms_over_weight"] == pytest.approx(1.0, abs=0.1)
    assert result.recording.report["parameters"]["by"] == "torque"


def test_a_free_root_falls_while_the_joints_follow():
    figure = swinger()
    result = follow_motion(figure, TIME, swinging(figure), by="torque", root="free")
    centre = lambda q: Mechanics(figure).centre_of_mass(q)[2]
    first, last = swinging(figure)[0], result.q[-1]
    start = (centre(swinging(figure)[1]) - centre(first)) / TIME[1]
    assert centre(last) - centre(first) == pytest.approx(start - 0.5 * 9.81, abs=0.15)
    assert np.abs(result.errors[:, result.joints]).max() < 2e-3
    assert result.summary()["root_force_rms_N"] == 0.0


def test_springs_sag_by_weight_over_stiffness():
    rod = Figure("rod", (Body("rod", None, Joint("hinge", (0, 1, 0)), Placement.at(0, 0, 2), (ROD,)),))
    time = np.arange(0, 3.0, 0.05)
    q = np.full((len(time), 1), 1.0)
    result = follow_motion(rod, time, q, by="springs", frequency=3.0)
    stiffness = Mechanics(rod).mass_matrix([1.0])[0, 0] * (6.0 * np.pi) ** 2
    sag = 2.0 * 9.81 * 0.2 * np.sin(result.q[-1, 0]) / stiffness
    assert result.errors[-1, 0] == pytest.approx(sag, rel=1e-3) and sag > 0.02
    stiff = follow_motion(rod, time, q, by="springs", frequency=12.0)
    assert stiff.errors[-1, 0] == pytest.approx(sag / 16 * np.sin(stiff.q[-1, 0]) / np.sin(result.q[-1, 0]), rel=1e-3)


def test_the_ground_takes_its_share_of_what_holds_the_root():
    part = Part(Capsule(0.1, 0.3), Placement.about((0, 1, 0), np.pi / 2), mass=3.0)
    log = Figure("log", (Body("log", None, Joint("free"), Placement.at(0, 0, 0.1), (part,)),))
    q = np.tile(np.array(log.zero), (21, 1))
    scene = read_scene(log, ground=0.0)
    air = follow_motion(log, TIME[:21], q)
    weight = 3.0 * 9.81
    np.testing.assert_allclose(air.forces[-1, 5], weight, rtol=1e-6)
    q[:, 2] = -2e-3
    pressed = follow_motion(scene, TIME[:21], q)
    assert pressed.forces[-1, 5] < 0.8 * weight


def test_soft_ground_where_it_bears_a_motion_holds_most_of_it():
    """A log that bobs by 3 mm as it slides: hardly anything is left to hold from nowhere."""
    part = Part(Capsule(0.1, 0.3), Placement.about((0, 1, 0), np.pi / 2), mass=3.0)
    log = Figure("log", (Body("log", None, Joint("free"), Placement.at(0, 0, 0.4), (part,)),))
    time = np.arange(0, 2.0, 0.02)
    q = np.tile(np.array(log.zero), (len(time), 1))
    q[:, 0], q[:, 2] = 0.1 * time, 3e-3 * np.sin(2 * np.pi * time)
    scene = bearing_ground(log, time, q, sinkage=0.2)
    assert 0.3 < scene.world.terrain.level < 0.4
    air, borne = (follow_motion(what, time, q).summary()["root_force_rms_over_weight"] for what in (log, scene))
    assert air == pytest.approx(1.0, abs=0.05) and borne < 0.35
    nail = Figure("nail", (Body("nail", None, Joint("hinge"), Placement(), (part,)),))
    with pytest.raises(MotionError, match="a free root; that of nail is hinge"):
        bearing_ground(nail, time, q[:, :1])
