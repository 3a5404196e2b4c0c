"""Which geoms touch, by masks, pairs and exclusions; and whose numbers count."""

import mujoco
import numpy as np
import pytest

from gambol import BodyContact, read_scene

STACK = """<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="5 5 1"/>
  <body name="low" pos="0 0 0.1"><freejoint/>
    <geom name="low" type="box" size=".2 .2 .1" mass="1" {low}/>
    <geom name="post" type="box" size=".02 .02 .1" pos=".1 .1 .2" mass=".1" {post}/></body>
  <body name="top" pos="0 0 0.41"><freejoint/><geom name="top" type="box" size=".15 .15 .1" mass="1" {top}/></body>
</worldbody><contact>{contact}</contact></mujoco>"""
GHOST = 'contype="0" conaffinity="0"'
CASES = {
    "all": {"post": GHOST},
    "excluded": {"post": GHOST, "contact": '<exclude body1="low" body2="top"/>'},
    "a pair of what touches nothing else": {
        "post": GHOST, "top": GHOST, "contact": '<pair geom1="low" geom2="top"/>',
    },
    "a pair in spite of an exclusion": {
        "post": GHOST, "contact": '<exclude body1="low" body2="top"/><pair geom1="low" geom2="top"/>',
    },
    "one geom of a body and not the other": {"low": 'contype="5"', "post": 'contype="2" conaffinity="2"'},
    "the other": {"low": 'contype="2" conaffinity="3"', "top": 'contype="4" conaffinity="5"'},
    "priority": {"post": GHOST, "top": 'priority="1" solref="0.1 1" friction="0.3"'},
    "mixed": {"post": GHOST, "top": 'solmix="9" solref="0.08 1"', "low": 'solref="0.01 1"'},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_lies_where_mujoco_has_it(case):
    text = STACK.format_map({"low": "", "post": "", "top": "", "contact": ""} | CASES[case])
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    sim = read_scene(text).simulation()
    sim.run(1.0)
    here = [sim.bodies[name].point((0, 0, 0))[2] for name in ("low", "top")]
    np.testing.assert_allclose(here, [data.body(name).xpos[2] for name in ("low", "top")], atol=4e-3)


def test_kinds_of_contact_between_two_bodies_stay_apart():
    """The post slips, the slab does not: two contacts, each with its parts."""
    scene = read_scene(STACK.format(low="", post='friction="0.1" priority="1"', top="", contact=""))
    found = {c.name: c for c in scene.world.forces if isinstance(c, BodyContact)}
    assert {(c.other_parts, c.surface.friction) for c in found.values()} == {((0,), 1.0), ((1,), 0.1)}
    assert len(found) == 2
    plain = read_scene(STACK.format(low="", post="", top="", contact=""))
    (whole,) = [c for c in plain.world.forces if isinstance(c, BodyContact)]
    assert whole.parts == whole.other_parts == ()
