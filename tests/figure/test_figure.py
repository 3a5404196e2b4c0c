import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import (
    Body,
    Box,
    Figure,
    FigureError,
    Joint,
    Mass,
    Mesh,
    Part,
    Placement,
    Sphere,
    box_figure,
    chain,
    random_figure,
    random_positions,
)
from gambol.figure import JOINT_TYPES

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=20, deadline=None, derandomize=True)
ONE = Mass(1.0, inertia=(1, 1, 1, 0, 0, 0))
UNIT = Placement()


def body(name, parent=None, **more):
    return Body(name, parent, **{"mass": ONE, **more})


def faults(*bodies):
    with pytest.raises(FigureError) as caught:
        Figure("f", bodies)
    return [(fault.where, fault.message) for fault in caught.value.faults]


def test_import_is_light():
    code = (
        "import sys, gambol.figure; heavy = 'numba pydantic yaml trimesh mujoco yourdfpy scipy'.split();"
        "print([m for m in heavy if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_everything_is_frozen():
    with pytest.raises(FrozenInstanceError):
        chain(1).name = "other"
    assert hash(random_figure(1, 5, shapes=True)) == hash(random_figure(1, 5, shapes=True))


@few
@given(seeds)
def test_order_puts_parents_first_whatever_the_listing(seed):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 12)
    shuffled = Figure("s", [figure.bodies[i] for i in rng.permutation(12)])
    seen = {None}
    for each in shuffled.order:
        assert each.parent in seen
        seen.add(each.name)
    assert len(shuffled.order) == 12
    assert figure.order == figure.bodies
    assert shuffled.root.name == "b0"


@few
@given(seeds)
def test_counts_and_distal_masses(seed):
    figure = random_figure(seed, 10)
    assert figure.positions == sum(len(JOINT_TYPES[b.joint.type].positions) for b in figure.bodies) == len(figure.zero)
    assert figure.speeds == sum(len(JOINT_TYPES[b.joint.type].speeds) for b in figure.bodies)
    assert figure.distal_mass(figure.root.name) == pytest.approx(figure.mass)
    for each in figure.bodies:
        own = each.mass_properties.mass
        below = sum(figure.distal_mass(child.name) for child in figure.children(each.name))
        assert figure.distal_mass(each.name) == pytest.approx(own + below)
        assert {d.name for d in figure.descendants(each.name)} == {
            d.name for c in figure.children(each.name) for d in (c, *figure.descendants(c.name))
        }
    total = [figure.position_slices[b.name] for b in figure.order]
    assert [s.start for s in total[1:]] == [s.stop for s in total[:-1]] and total[-1].stop == figure.positions


@pytest.mark.parametrize("type_", JOINT_TYPES)
def test_joints_do_nothing_at_zero(type_):
    joint = Joint(type_, (0, 0.6, 0.8), (0.6, 0.8, 0), pitch=0.1)
    np.testing.assert_allclose(joint.pose(joint.zero).matrix, np.eye(3))
    assert joint.pose(joint.zero).position == (0, 0, 0)
    assert len(joint.zero) == joint.positions == len(JOINT_TYPES[type_].positions)


def test_joints_move_as_their_table_says():
    axis, second = (0.0, 0.6, 0.8), (1.0, 0.0, 0.0)
    turn = Placement.about(axis, 0.3)

    def pose(type_, *q):
        return Joint(type_, axis, second, pitch=0.1).pose(q)

    along = np.asarray(axis)
    np.testing.assert_allclose(pose("hinge", 0.3).matrix, turn.matrix)
    np.testing.assert_allclose(pose("slide", 0.3).position, 0.3 * along)
    np.testing.assert_allclose(pose("screw", 0.3).position, 0.03 * along)
    np.testing.assert_allclose(pose("screw", 0.3).matrix, turn.matrix)
    np.testing.assert_allclose(pose("cylindrical", 0.5, 0.3).position, 0.5 * along)
    np.testing.assert_allclose(pose("cylindrical", 0.5, 0.3).matrix, turn.matrix)
    np.testing.assert_allclose(pose("universal", 0.3, 0.4).matrix, turn.matrix @ Placement.about(second, 0.4).matrix)
    flat = pose("planar", 0.1, 0.2, 0.3)
    np.testing.assert_allclose(flat.position, 0.1 * np.asarray(second) + 0.2 * np.cross(axis, second), atol=1e-15)
    np.testing.assert_allclose(flat.matrix, turn.matrix)
    assert pose("free", 1, 2, 3, *turn.rotation).position == (1, 2, 3)


def test_chain_hangs_straight_and_weighs_right():
    figure = chain(4, length=0.5, mass=2.0)
    assert figure.mass == pytest.approx(8.0)
    np.testing.assert_allclose(figure.mass_properties().centre, (0, 0, -1.0), atol=1e-12)
    raised = figure.mass_properties([np.pi / 2, 0, 0, 0])
    np.testing.assert_allclose(raised.centre, (-1.0, 0, 0), atol=1e-12)
    assert chain(2, "ball", root="fixed").root.joint.type == "fixed"
    assert box_figure((1, 2, 3)).mass == pytest.approx(6000.0)


def test_random_figures_cover_every_joint_and_are_reproducible():
    figure = random_figure(7, 60)
    assert {b.joint.type for b in figure.bodies} == set(JOINT_TYPES) - {"fixed"}
    assert random_figure(7, 60) == figure != random_figure(8, 60)
    q = random_positions(1, figure)
    assert figure.poses(q).keys() == set(figure.names)


def test_given_mass_overrides_parts():
    part = Part(Box((1, 1, 1)))
    assert Body("a", parts=[part]).mass_properties.mass == 1000.0
    assert Body("a", parts=[part], mass=ONE).mass_properties is ONE
    assert Body("a", parts=[part, Part(Sphere(1), inertial=False)]).mass_properties.mass == 1000.0


def test_lookup_names_the_nearest():
    figure = chain(3)
    assert figure["chain_1"].parent == "chain_0" and "chain_1" in figure and "x" not in figure
    with pytest.raises(FigureError, match=r"no body 'chain1' in figure 'chain'; did you mean 'chain_1'\?"):
        figure["chain1"]
    with pytest.raises(FigureError, match="no body 'q'"):
        figure.children("q")


# -- faults -----------------------------------------------------------------------------------------------------


def test_tree_faults():
    assert faults() == [("", "a figure needs at least one body")]
    assert faults(body("a"), body("b")) == [("b", "has no parent, but 'a' is the root already: a figure has one root")]
    assert faults(body("a"), body("a", "a")) == [("a", "the name 'a' is taken by an earlier body")]
    assert faults(body("hip"), body("knee", "hips")) == [
        ("knee", "its parent 'hips' is not a body; did you mean 'hip'? (allowed: hip)")
    ]
    assert faults(body("a"), body("b", "c"), body("c", "b"), body("d", "c"), body("e", "d")) == [
        ("b", "is its own ancestor: b → c → b"),
        ("d", "cannot be reached from the root: it hangs from the cycle of 'b'"),
        ("e", "cannot be reached from the root: it hangs from the cycle of 'b'"),
    ]
    assert faults(body("a", "a")) == [
        ("", "no body is the root: one must have no parent"),
        ("a", "is its own ancestor: a → a"),
    ]
    assert faults(body(" ")) == [("body 0", "a body needs a name, not ' '")]


def test_a_descendant_listed_before_its_cycle_is_reported_once():
    found = faults(body("r"), body("d", "c"), body("b", "c"), body("c", "b"))
    assert found == [
        ("d", "cannot be reached from the root: it hangs from the cycle of 'b'"),
        ("b", "is its own ancestor: c → b → c"),
    ]


def test_massless_bodies():
    empty = {"mass": None}
    hinge = Joint("hinge")
    assert faults(Body("a")) == [("a", "has no parts and nothing with mass hangs below it; give it parts or a mass")]
    assert [where for where, _ in faults(body("a"), Body("b", "a", hinge), Body("c", "b", hinge))] == ["b", "c"]
    assert [where for where, _ in faults(body("a"), body("b", "a", joint=hinge, mass=Mass(0.0)))] == ["b"]
    Figure("dummy", [body("a"), body("b", "a", joint=hinge, **empty), body("c", "b", joint=hinge)])
    # A faulty body may well have mass once mended, so those above it are not blamed.
    assert [where for where, _ in faults(Body("a"), Body("b", "a", hinge, parts=[Part(Box((1, 1)))]))] == ["b"]
    Figure("marker", [body("a"), Body("tool", "a")])


JOINT_FAULTS = [
    (
        Joint("hing"),
        "unknown joint type 'hing'; did you mean 'hinge'? (allowed: ball, cylindrical, fixed, free, hinge, "
        "planar, screw, slide, universal)",
    ),
    (Joint("hinge", (0, 3, 4)), "axis must be a unit vector, its norm is 5; normalised it is (0, 0.6, 0.8)"),
    (Joint("hinge", (0, 0, 0)), "axis must be a unit vector, its norm is 0"),
    (Joint("hinge", (0, 1)), "axis must have 3 components, not 2"),
    (Joint("hinge", (0, 1, float("nan"))), "axis must be finite, not (0.0, 1.0, nan)"),
    (Joint("hinge", "z"), "axis must be 3 numbers, not 'z'"),
    (Joint("universal", (1, 0, 0)), "axis and axis2 of a universal joint must not be parallel"),
    (Joint("planar", (-1, 0, 0)), "axis and axis2 of a planar joint must not be parallel"),
    (Joint("slide", stiffness=-1.0), "stiffness must not be negative, it is -1"),
    (Joint("slide", damping=-0.5), "damping must not be negative, it is -0.5"),
    (Joint("slide", armature=-0.5), "armature must not be negative, it is -0.5"),
    (Joint("slide", rest=float("inf")), "rest must be finite, not inf"),
    (Joint("screw", pitch="steep"), "pitch must be a number, not 'steep'"),
    (Joint("slide", range=(1, -1)), "range: the lower limit 1 is above the upper -1"),
    (Joint("slide", range=(1, 2, 3)), "range must have 2 components, not 3"),
]


@pytest.mark.parametrize("joint, message", JOINT_FAULTS, ids=lambda value: str(value)[:40])
def test_joint_faults(joint, message):
    assert faults(body("a"), body("b", "a", joint=joint)) == [("b", f"joint: {message}")]


def test_placement_and_part_faults():
    assert faults(body("a", placement=Placement(rotation=(2, 0, 0, 0)))) == [
        (
            "a",
            "placement: rotation must be a unit quaternion (w, x, y, z), its norm is 2; normalised it is (1, 0, 0, 0)",
        )
    ]
    assert faults(body("a", placement=Placement((0, 0, float("nan"))))) == [
        ("a", "placement: position must be finite, not (0.0, 0.0, nan)")
    ]
    parts = [Part(Sphere(0.0), name="head"), Part(Sphere(1.0), density=0.0), Part(Sphere(1.0), colour=(2, 0, 0))]
    assert faults(Body("a", parts=parts)) == [
        ("a", "part 'head': sphere radius must be greater than 0 m, it is 0"),
        ("a", "part 1: density must be positive, it is 0 kg/m³"),
        ("a", "part 2: colour must be 3 or 4 numbers from 0 to 1, not (2.0, 0.0, 0.0)"),
    ]


def test_things_of_the_wrong_kind_are_faults_not_crashes():
    found = faults(
        body("a", joint="hinge", placement=(0, 0, 1), parts=[Box((1, 1, 1))]),
        body("b", body("a")),
        body("c", "a", joint=Joint(["hinge"])),
        body("d", "a", parts=[Part("box")]),
        Body(None, "a", mass=1.0),
    )
    assert [(where, message.split(", not")[0]) for where, message in found] == [
        ("a", "joint must be a Joint"),
        ("a", "placement must be a Placement"),
        ("a", "part 0 must be a Part"),
        ("b", "its parent must be the name of a body"),
        (
            "c",
            "joint: unknown joint type ['hinge']; did you mean 'hinge'? (allowed: ball, cylindrical, fixed, free, "
            "hinge, planar, screw, slide, universal)",
        ),
        ("d", "part 0: shape must be a Shape"),
        ("body 4", "a body needs a name"),
        ("body 4", "mass must be a Mass"),
    ]


def instructions(act) -> int:
    """How many instructions of Python a call takes."""
    count = 0

    def follow(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def test_long_chains_are_checked_in_linear_time():
    assert len(chain(2000).order) == 2000
    _, short, long = (instructions(lambda n=n: chain(n).order) for n in (100, 100, 400))  # the first is not all seen
    assert long < 4.5 * short


def test_a_given_mass_excuses_parts_that_cannot_have_one():
    sheet = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    assert Figure("f", [body("a", parts=[Part(sheet)])]).mass == 1.0
    assert faults(Body("a", parts=[Part(sheet)]))[0][1].startswith("part 0: mesh is not watertight")


def test_all_faults_at_once():
    found = faults(
        body("a", joint=Joint("hinge", (1, 1, 0), damping=-1.0)),
        body("b", "z", mass=Mass(-1.0)),
        body("a", "b", placement=Placement((0, 0, 0, 0))),
    )
    assert [where for where, _ in found] == ["a", "a", "b", "b", "a", "a"]
