"""Models whose look is a skin, which is not drawn: the shapes below it are shown instead."""

import pytest

from gambol import read_mjcf

mujoco = pytest.importorskip("mujoco")
SKIN = """
  <deformable>
    <skin name="hide" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">
      <bone body="bone" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>
    </skin>
  </deformable>"""
MODEL = """
<mujoco>
  <worldbody>
    <body name="bone"><joint/><geom name="hidden" size="0.1" group="3" rgba="1 0 0 0"/>
      <geom name="rib" size="0.1" group="3" contype="0" conaffinity="0"/>
      <body name="eye" pos="1 0 0"><geom name="seen" size="0.1"/><geom name="collision" size="0.1" group="3"/></body>
    </body>
  </worldbody>{skin}
</mujoco>"""


@pytest.mark.filterwarnings("ignore::gambol.FigureImportWarning")
def test_what_a_skin_hides_is_shown_where_nothing_else_is():
    seen = {part.name: part.visible for b in read_mjcf(MODEL.format(skin=SKIN)).bodies for part in b.parts}
    assert seen == {"hidden": True, "rib": False, "seen": True, "collision": False}
    # a claw grows out of the skin, whose body is below it all the same
    clawed = MODEL.format(skin=SKIN).replace('name="rib" size="0.1" group="3"', 'name="claw" size="0.1"')
    seen = {part.name: part.visible for b in read_mjcf(clawed).bodies for part in b.parts}
    assert seen == {"hidden": True, "claw": True, "seen": True, "collision": False}
    bare = {part.name: part.visible for b in read_mjcf(MODEL.format(skin="")).bodies for part in b.parts}
    assert bare == {"hidden": False, "rib": False, "seen": True, "collision": False}
