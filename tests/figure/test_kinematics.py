"""Forward kinematics: against plain algebra of poses, the same bits for everybody, and the contract of joint types."""

import numpy as np
import pytest
from hypothesis import given

from gambol import FigureError, Joint, Mechanics, Placement, chain, random_figure, random_positions
from gambol.draw.motion import placer
from gambol.dynamics.workspace import FRAME, LOCATED, PLACE, SLOTS
from gambol.figure import JOINT_TYPES
from gambol.figure.builders import random_joint
from gambol.figure.joints.checking import check_joint_type
from gambol.figure.kinematics import Kinematics
from trees import close, examples, seeds, tree


def joint_pose(joint, q):
    """J(q) by the table of gambol.figure.joints, once more."""
    axis, q = np.asarray(joint.axis), [float(x) for x in q]
    match joint.type:
        case "fixed":
            return Placement()
        case "hinge":
            return Placement.about(axis, q[0])
        case "slide":
            return Placement(tuple(q[0] * axis))
        case "screw":
            return Placement.about(axis, q[0], joint.pitch * q[0] * axis)
        case "cylindrical":
            return Placement.about(axis, q[1], q[0] * axis)
        case "universal":
            return Placement.about(axis, q[0]).compose(Placement.about(joint.axis2, q[1]))
        case "planar":
            u = np.asarray(joint.axis2) - np.dot(joint.axis2, axis) * axis
            u /= np.linalg.norm(u)
            return Placement.about(axis, q[2], q[0] * u + q[1] * np.cross(axis, u))
        case "ball":
            return Placement(rotation=tuple(q))
        case "free":
            return Placement(tuple(q[:3]), tuple(q[3:]))


def plain_poses(figure, q):
    found = {None: Placement()}
    for body in figure.order:
        moved = joint_pose(body.joint, q[figure.position_slices[body.name]])
        found[body.name] = found[body.parent].compose(body.placement).compose(moved)
    return found


@examples(60)
@given(seeds)
def test_poses_are_those_of_the_table_and_of_the_dynamics(seed):
    t = tree(seed)
    plain, mechanics = plain_poses(t.figure, t.q), Mechanics(t.figure)
    mechanics.kinetic_energy(t.q, t.v)  # the passes of the dynamics place the bodies too
    work, spot = mechanics._motion.work.reshape(-1, SLOTS), mechanics._motion.located.reshape(-1, LOCATED)
    for name, pose in t.figure.poses(t.q).items():
        close(pose.position, plain[name].position, 1e-12, scale=1.0)
        close(pose.matrix, plain[name].matrix, 1e-12, scale=1.0)
        entry = mechanics.layout.body(name)
        frame = work[entry.link, FRAME : FRAME + 9].reshape(3, 3).T @ entry.turn.T
        close(spot[entry.link, PLACE : PLACE + 3], pose.position, 1e-12, scale=1.0)
        close(frame, pose.matrix, 1e-12, scale=1.0)


def test_everybody_gets_the_same_bits():
    rng = np.random.default_rng(5)
    figures = (random_figure(rng, 12), random_figure(rng, 5, root="fixed", name="other"))
    q = np.array([np.concatenate([random_positions(rng, figure) for figure in figures]) for _ in range(7)])
    origins, quaternions = Kinematics(figures)(q)
    assert origins.shape == (7, 17, 3) and quaternions.shape == (7, 17, 4)
    mechanics, place = Mechanics(figures), placer(figures)
    for k, row in enumerate(q):
        poses = figures[0].poses(row[: figures[0].positions])
        assert np.array_equal([pose.position for pose in poses.values()], origins[k, :12])
        assert np.array_equal([pose.rotation for pose in poses.values()], quaternions[k, :12])
        assert np.array_equal(list(mechanics.origins(row).values()), origins[k])
        assert np.array_equal(place(row).origins, origins[k])
        assert np.array_equal(place(row).frames, list(mechanics.frames(row).values()))
        assert np.array_equal(mechanics.point(row, "other/b3"), origins[k, 15])


def test_shapes_and_wrong_numbers():
    figure = chain(3)
    assert [a.shape for a in figure.kinematics(np.zeros((2, 0, 3)))] == [(2, 0, 3, 3), (2, 0, 3, 4)]
    assert [a.shape for a in figure.kinematics.frames(np.zeros((4, 2, 3)))] == [(4, 2, 3, 3), (4, 2, 3, 3, 3)]
    with pytest.raises(FigureError, match=r"3 position coordinates are needed, not an array of shape \(2, 4\)"):
        figure.kinematics(np.zeros((2, 4)))
    with pytest.raises(FigureError, match=r"chain: 3 position coordinates are needed"):
        figure.poses([0.0])


@pytest.mark.parametrize("name", JOINT_TYPES)
@pytest.mark.parametrize("seed", range(8))
def test_contract_of_every_type(name, seed):
    """Mirrored and reversed as they should be, and twice the identity; coordinates lead back to the pose."""
    check_joint_type(JOINT_TYPES[name], seed)


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_coordinates_follow_a_motion_through_many_turns(name):
    """From poses alone, sample after sample; a screw even knows how often it turned."""
    rng = np.random.default_rng(1)
    joint, kind = random_joint(rng, name), JOINT_TYPES[name]
    way = np.cumsum(rng.normal(0.15, 0.1, (60, len(kind.speeds))), axis=0)
    q = np.array([kind.displaced(joint, np.array(kind.zero), d) for d in way]).reshape(60, len(kind.positions))
    poses = [joint.pose(row) for row in q]
    found = kind.coordinates(joint, np.array([p.position for p in poses]), np.array([p.rotation for p in poses]))
    for row, pose in zip(found, poses):
        close(joint.pose(row).position, pose.position, 1e-8, scale=1.0)
        close(joint.pose(row).matrix, pose.matrix, 1e-8, scale=1.0)
    if kind.plain:
        steps = np.abs(np.diff(found, axis=0)).max()
        assert steps < 1.0  # no jumps by whole turns


def test_axes_need_be_unit_vectors_to_a_millionth_only():
    """Dynamics and kinematics then agree on the unit vector."""
    long = (0.0, 0.6 * (1 + 5e-7), 0.8 * (1 + 5e-7))
    for name in ("hinge", "slide", "screw"):
        sloppy, exact = (Joint(name, axis, pitch=0.1) for axis in (long, (0.0, 0.6, 0.8)))
        close(sloppy.pose([100.0]).position, exact.pose([100.0]).position, 1e-13, scale=1.0)
        close(sloppy.pose([100.0]).matrix, exact.pose([100.0]).matrix, 1e-13, scale=1.0)
