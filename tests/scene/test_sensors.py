"""Sensors of MJCF say what MuJoCo's do, at random positions and speeds."""

import numpy as np
import pytest

from gambol import read_scene

mujoco = pytest.importorskip("mujoco")

TEXT = """<mujoco><option gravity="0 0 0"/><worldbody>
  <site name="post" pos="1 2 3" euler="10 20 30"/>
  <body name="trunk" pos="0 0 1" euler="0 0 40"><freejoint/><geom type="box" size="0.2 0.1 0.3" pos="0.1 0 0.05"/>
    <site name="chest" pos="0.1 0.2 0.3" euler="30 0 10"/>
    <body name="arm" pos="0.3 0 0"><joint name="socket" type="ball"/><geom type="box" size="0.1 0.2 0.1" pos="0.2 0 0"/>
      <body name="hand" pos="0.4 0 0"><joint name="wrist" axis="0 1 1" ref="20"/><geom size="0.1" mass="1"/></body>
    </body>
  </body></worldbody>
  <sensor>{}</sensor></mujoco>"""
AT = {"chest": 'objtype="site" objname="chest"', "post": 'objtype="site" objname="post"',
      "arm": 'objtype="body" objname="arm"', "hand": 'objtype="xbody" objname="hand"'}  # fmt: skip
FRAMES = "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
SENSORS = [f'<{tag} name="{tag} {at}" {words}/>' for tag in FRAMES for at, words in AT.items()]
SENSORS += [f'<{tag} name="{tag}" site="chest"/>' for tag in ("gyro", "velocimeter")]
SENSORS += [f'<{tag} name="{tag}" joint="socket"/>' for tag in ("ballquat", "ballangvel")]
SENSORS += [f'<{tag} name="{tag}" joint="wrist"/>' for tag in ("jointpos", "jointvel")] + ['<clock name="clock"/>']


def test_sensors_say_what_mujocos_do():
    text = TEXT.format("".join(SENSORS))
    model, scene = mujoco.MjModel.from_xml_string(text), read_scene(text)
    assert len(scene.sensors) == model.nsensor and "sensors of other kinds" not in scene.left_out
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    data.qvel[:] = rng.normal(size=model.nv)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.5)
    numbers = [" ".join(map(repr, cells.tolist())) for cells in (data.qpos, data.qvel)]
    key = '<keyframe><key name="here" qpos="{}" qvel="{}"/></keyframe></mujoco>'.format(*numbers)
    scene = read_scene(text.replace("</mujoco>", key))
    mujoco.mj_forward(model, data)
    sim = scene.simulation("here")
    for channel, name in zip(scene.channels(), scene.sensors):
        theirs, ours = data.sensor(name).data, np.ravel(channel.read(sim))
        sign = np.sign(theirs @ ours) if "quat" in name else 1.0
        np.testing.assert_allclose(sign * ours, theirs, atol=1e-9, err_msg=name)
        assert np.shape(channel.read(sim)) == channel.shape, name
