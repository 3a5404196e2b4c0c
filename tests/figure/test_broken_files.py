"""Broken figure files, each with every line of the error it must give."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import Figure, FigureError, parse_yaml, random_figure
from gambol.figure.yaml_writer import figure_data

SHAPES = "box, sphere, capsule, cylinder, cone, ellipsoid, hull, mesh"
TYPES = "ball, cylindrical, fixed, free, hinge, planar, screw, slide, universal"
JOINT_KEYS = (
    "armature, axis, axis2, damping, driven, friction, motor, parameters, pitch, range, rest, stiffness, stop, type"
)
PART_KEYS = (
    "box, capsule, colliding, colour, cone, convex, cylinder, density, ellipsoid, hull, inertial, mass, mesh, name, "
    "placement, sphere, visible"
)
BODY_KEYS = "joint, mass, name, parent, parts, placement"
HEAD = "gambol: figure/1\nname: f\nbodies:\n"
BALL = "    parts: [{sphere: {radius: 1}}]\n"


def root(more="", name="a"):
    """One sound body on lines 4 and 5; `more` starts on line 6."""
    return f"{HEAD}  - name: {name}\n{BALL}{more}"


CASES = {
    "not a mapping": (
        "- 1\n",
        ["1: the file must be a mapping (allowed keys: batteries, bodies, gambol, name), not a list"],
    ),
    "empty": ("# nothing\n", ["1: the file is empty"]),
    "no header": (root().replace("gambol: figure/1\n", ""), ["1: missing key 'gambol'"]),
    "wrong version": (
        root().replace("figure/1", "figure/9"),
        ["1: gambol: 'figure/9' is not allowed; did you mean 'figure/1'? (allowed: figure/1)"],
    ),
    "no bodies": ("gambol: figure/1\nname: f\n", ["1: missing key 'bodies'"]),
    "empty bodies": ("gambol: figure/1\nname: f\nbodies: []\n", ["3: bodies must have at least 1 body, not 0"]),
    "bodies not a list": ("gambol: figure/1\nname: f\nbodies: 3\n", ["3: bodies must be a list, not 3"]),
    "misspelt key": (
        root("    jiont: {type: hinge}\n"),
        [f"6: a: unknown key 'jiont'; did you mean 'joint'? (allowed: {BODY_KEYS})"],
    ),
    "misspelt required key": (
        root().replace("name: f", "nmae: f"),
        ["2: unknown key 'nmae'; did you mean 'name'? (allowed: batteries, bodies, gambol, name)"],
    ),
    "misspelt joint key": (
        root("    joint:\n      type: hinge\n      dampnig: 2\n"),
        [f"8: a: unknown key 'dampnig' in joint; did you mean 'damping'? (allowed: {JOINT_KEYS})"],
    ),
    "joint type": (
        root("    joint:\n      type: hinje\n"),
        [f"7: a: joint: unknown joint type 'hinje'; did you mean 'hinge'? (allowed: {TYPES})"],
    ),
    "joint not a mapping": (
        root("    joint: hinge\n"),
        [f"6: a: joint must be a mapping (allowed keys: {JOINT_KEYS}), not 'hinge'"],
    ),
    "axis too short": (root("    joint: {axis: [0, 1]}\n"), ["6: a: joint.axis must have 3 components, not 2"]),
    "axis too long": (root("    joint: {axis: [0, 1, 0, 0]}\n"), ["6: a: joint.axis must have 3 components, not 4"]),
    "axis not a number": (
        root("    joint:\n      axis:\n        - 0\n        - up\n        - 1\n"),
        ["9: a: joint.axis[1] must be a number, not 'up'"],
    ),
    "axis not unit": (
        root("    joint:\n      type: hinge\n      axis: [0, 3, 4]\n"),
        ["8: a: joint: axis must be a unit vector, its norm is 5; normalised it is (0, 0.6, 0.8)"],
    ),
    "nan": (root("    joint: {damping: .nan}\n"), ["6: a: joint.damping must be finite, not nan"]),
    "infinite": (
        root("    placement:\n      position: [0, .inf, 0]\n"),
        ["7: a: placement.position[1] must be finite, not inf"],
    ),
    "boolean for a number": (root("    joint: {damping: true}\n"), ["6: a: joint.damping must be a number, not True"]),
    "number for a boolean": (root("    joint: {driven: 1}\n"), ["6: a: joint.driven must be true or false, not 1"]),
    "old yes": (root("    joint: {driven: yes}\n"), ["6: a: joint.driven must be true or false, not 'yes'"]),
    "number for a name": (
        root(name="7"),
        ["4: body 0: name must be text (in quotes if it looks like a number), not 7"],
    ),
    "no name": (HEAD + "  - parts: [{sphere: {radius: 1}}]\n", ["4: body 0: missing key 'name'"]),
    "empty name": (root(name="''"), ["4: body 0: a body needs a name, not ''"]),
    "key twice": (
        root("    joint: {type: ball}\n    joint: {type: hinge}\n"),
        ["7: the key 'joint' is here twice, first on line 6"],
    ),
    "negative damping": (
        root("    joint: {type: hinge, damping: -1}\n"),
        ["6: a: joint: damping must not be negative, it is -1"],
    ),
    "range upside down": (
        root("    joint:\n      range: [2, 1]\n"),
        ["7: a: joint: range: the lower limit 2 is above the upper 1"],
    ),
    "parallel axes": (
        root("    joint:\n      type: universal\n      axis: [1, 0, 0]\n      axis2: [1, 0, 0]\n"),
        ["9: a: joint: axis and axis2 of a universal joint must not be parallel"],
    ),
    "quaternion not unit": (
        root("    placement:\n      position: [0, 0, 0]\n      quaternion: [0, 2, 0, 0]\n"),
        [
            "8: a: placement: rotation must be a unit quaternion (w, x, y, z), its norm is 2; normalised it is "
            "(0, 1, 0, 0)"
        ],
    ),
    "two rotations": (
        root("    placement:\n      euler: [0, 0, 0]\n      rotate: [[x, 10]]\n"),
        ["7: a: placement has rotate and euler; only one of them is allowed"],
    ),
    "turn about nothing": (
        root("    placement:\n      rotate:\n        - [w, 10]\n        - [x, steep]\n        - [x]\n"),
        [
            "8: a: placement.rotate[0]: the axis must be x, y, z or a vector of 3 numbers, not 'w'",
            "9: a: placement.rotate[1]: the angle [degrees] must be a number, not 'steep'",
            "10: a: placement.rotate[2] must have 2 components, not 1",
        ],
    ),
    "part without a shape": (
        root("      \n").replace(BALL, "    parts:\n      - density: 3\n"),
        [f"6: a: parts[0] needs a shape (one of: {SHAPES})"],
    ),
    "part with an empty shape": (
        root().replace(BALL, "    parts:\n      - box:\n"),
        [f"6: a: parts[0] needs a shape (one of: {SHAPES})"],
    ),
    "part with two shapes": (
        root().replace(BALL, "    parts:\n      - sphere: {radius: 1}\n        box: {size: [1, 1, 1]}\n"),
        ["6: a: parts[0] has box and sphere; a part has one shape"],
    ),
    "misspelt shape": (
        root().replace(BALL, "    parts:\n      - spehre: {radius: 1}\n"),
        [f"6: a: unknown key 'spehre' in parts[0]; did you mean 'sphere'? (allowed: {PART_KEYS})"],
    ),
    "missing size": (
        root().replace(BALL, "    parts:\n      - name: p\n        capsule: {radius: 1}\n"),
        ["7: a: missing key 'length' in parts[0].capsule"],
    ),
    "bad sizes": (
        root().replace(BALL, "    parts:\n      - box: {size: [1, -1, 1]}\n      - sphere:\n          radius: 0\n"),
        [
            "6: a: part 0: box size must be greater than 0 m, it is -1",
            "8: a: part 1: sphere radius must be greater than 0 m, it is 0",
        ],
    ),
    "density and mass": (
        root().replace(BALL, "    parts:\n      - sphere: {radius: 1}\n        density: 1\n        mass: 2\n"),
        ["8: a: parts[0] has density and mass; only one of them is allowed"],
    ),
    "colour": (
        root().replace(BALL, "    parts:\n      - sphere: {radius: 1}\n        colour: [1, 2]\n"),
        ["7: a: parts[0].colour must have 3 or 4 components, not 2"],
    ),
    "mesh file": (
        root().replace(BALL, "    parts:\n      - mesh:\n          file: nowhere.stl\n"),
        ["7: a: cannot read the mesh file 'nowhere.stl': no such file"],
    ),
    "mesh without faces": (
        root().replace(BALL, "    parts:\n      - mesh: {vertices: [[0, 0, 0]]}\n"),
        ["6: a: missing key 'faces' in parts[0].mesh (or 'file')"],
    ),
    "mesh index": (
        root().replace(
            BALL,
            "    parts:\n      - mesh:\n          vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\n          faces:\n"
            "            - [0, 1, 2]\n            - [0, 1, 3]\n",
        ),
        ["10: a: part 0: mesh face 1 must be 3 indices from 0 to 2, not [0, 1, 3]"],
    ),
    "open mesh": (
        root().replace(
            BALL,
            "    parts:\n      - mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]]}\n",
        ),
        ["6: a: part 0: mesh is not watertight, so it has no volume; use a hull, or inertial=False"],
    ),
    "impossible inertia": (
        root("    mass:\n      mass: 1\n      inertia: [1, 1, 3, 0, 0, 0]\n"),
        [
            "8: a: mass: inertia breaks the triangle inequality, no body has principal moments 1, 1, 3 kg·m²",
        ],
    ),
    "negative mass": (root("    mass: {mass: -1}\n"), ["6: a: mass must not be negative, it is -1 kg"]),
    "massless": (
        HEAD + "  - name: a\n",
        ["4: a: has no parts and nothing with mass hangs below it; give it parts or a mass"],
    ),
    "massless and misspelt": (
        HEAD + "  - name: a\n    joint: {tpye: hinge}\n",
        [
            "4: a: has no parts and nothing with mass hangs below it; give it parts or a mass",
            f"5: a: unknown key 'tpye' in joint; did you mean 'type'? (allowed: {JOINT_KEYS})",
        ],
    ),
    "missing parent": (
        root(f"  - name: shin\n    parent: thihg\n{BALL}", "thigh"),
        ["7: shin: its parent 'thihg' is not a body; did you mean 'thigh'? (allowed: thigh)"],
    ),
    "two roots": (
        root(f"  - name: b\n{BALL}"),
        ["6: b: has no parent, but 'a' is the root already: a figure has one root"],
    ),
    "same name": (
        root(f"  - parent: a\n    name: a\n{BALL}"),
        ["7: a: the name 'a' is taken by an earlier body"],
    ),
    "cycle": (
        root(f"  - name: b\n    parent: c\n{BALL}  - name: c\n    parent: b\n{BALL}"),
        ["7: b: is its own ancestor: b → c → b"],
    ),
    "no root": (
        HEAD + f"  - name: b\n    parent: c\n{BALL}  - name: c\n    parent: b\n{BALL}",
        ["3: no body is the root: one must have no parent", "5: b: is its own ancestor: b → c → b"],
    ),
    "body not a mapping": (
        root("  - shin\n"),
        [f"6: body 1: the body must be a mapping (allowed keys: {BODY_KEYS}), not 'shin'"],
    ),
    "parent not text": (
        root(f"  - name: b\n    parent: [a]\n{BALL}"),
        ["7: b: parent must be text (in quotes if it looks like a number), not a list"],
    ),
    "alias of itself": (
        root("    joint: &j\n      type: hinge\n      axis: *j\n"),
        ["6: an alias refers to what contains it", "8: a: joint.axis must be a list, not nothing"],
    ),
    "merge of a number": (root("    joint: {<<: 3, type: ball}\n"), ["6: <<: takes a mapping"]),
    "foreign tag": (
        root("    joint: {type: !!python/name:os.system hinge}\n"),
        ["6: unknown tag tag:yaml.org,2002:python/name:os.system"],
    ),
    "own tag": (root("    joint: !joint {type: hinge}\n"), ["6: unknown tag !joint"]),
    "everything": (
        "gambol: figure/1\nname: f\nbodies:\n  - name: hip\n    joint: {type: hing, axis: [1, 1, 0], damping: -1}\n"
        "    parts:\n      - capsule: {radius: -1, length: .nan}\n      - box: {size: [1, 2]}\n        density: heavy\n"
        "  - name: knee\n    parent: hipp\n    mass: {mass: 0, inertia: [1, 1, 3, 0, 0, 0]}\n",
        [
            f"5: hip: joint: unknown joint type 'hing'; did you mean 'hinge'? (allowed: {TYPES})",
            "5: hip: joint: axis must be a unit vector, its norm is 1.41421; normalised it is "
            "(0.707106781, 0.707106781, 0)",
            "5: hip: joint: damping must not be negative, it is -1",
            "7: hip: parts[0].capsule.length must be finite, not nan",
            "7: hip: part 0: capsule radius must be greater than 0 m, it is -1",
            "8: hip: parts[1].box.size must have 3 components, not 2",
            "9: hip: parts[1].density must be a number, not 'heavy'",
            "11: knee: its parent 'hipp' is not a body; did you mean 'hip'? (allowed: hip)",
            "12: knee: mass: inertia breaks the triangle inequality, no body has principal moments 1, 1, 3 kg·m²",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_fault_with_its_line(case):
    text, expected = CASES[case]
    with pytest.raises(FigureError) as caught:
        parse_yaml(text, "f.yaml")
    lines = str(caught.value).splitlines()
    assert lines == [f"f.yaml:{line}" for line in expected]
    for fault, line in zip(caught.value.faults, expected):
        assert fault.line == int(line.split(":")[0]) and fault.file == "f.yaml"


def test_the_sound_file_is_sound():
    """The cases change this one; it must not be at fault itself."""
    assert parse_yaml(root()).names == ("a",)


@pytest.mark.parametrize(
    "text, line",
    [
        (root("    joint: {type: hinge\n"), 7),
        (root("  joint: [\n"), 6),
        ("gambol: figure/1\nname: 'f\nbodies: []\n", 4),
        ("gambol: figure/1\n\tname: f\n", 2),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: *nobody\n", 1),
        ("a: 1\nb: \x07\n", 2),
    ],
)
def test_yaml_syntax_errors_have_a_line(text, line):
    with pytest.raises(FigureError) as caught:
        parse_yaml(text, "f.yaml")
    (fault,) = caught.value.faults
    assert fault.message.startswith("YAML syntax: ")
    assert abs(fault.line - line) <= 1  # the C and Python parsers notice at different tokens


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(), st.sampled_from(["", "a", "b1", "hinge"]),
    st.lists(st.integers(-1, 3), max_size=4), st.dictionaries(st.sampled_from(["name", "mass", "x"]), st.just(1)),
)  # fmt: skip


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_any_damage_is_a_figure_error_never_a_crash(data):
    """Replace, add and drop values anywhere in a sound file."""
    document = json.loads(json.dumps(figure_data(random_figure(3, 4, shapes=True, passive=True))))
    for _ in range(data.draw(st.integers(1, 3))):
        here = document
        while True:
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(here[key], dict | list) and data.draw(st.booleans()):
                here = here[key]
                continue
            if data.draw(st.booleans()):
                here[key] = data.draw(JUNK)
            else:
                del here[key]
            break
    try:
        parse_yaml(yaml.safe_dump(document), "f.yaml")
    except FigureError as error:
        assert error.faults and all(fault.line >= 1 and fault.file == "f.yaml" for fault in error.faults)


def test_files_name_themselves_and_bad_encodings_have_a_line(tmp_path):
    path = tmp_path / "figure.yaml"
    path.write_bytes(b"gambol: figure/1\nname: \xff\n")
    with pytest.raises(FigureError) as caught:
        Figure.read(path)
    assert str(caught.value).startswith(f"{path}:2: not UTF-8 text")
    path.write_text(CASES["nan"][0])
    with pytest.raises(FigureError) as caught:
        Figure.read(path)
    assert str(caught.value) == f"{path}:6: a: joint.damping must be finite, not nan"
