"""Whatever MJCF and URDF know, elements and attributes, is in the scene that is read, or is counted as left out."""

import re
import warnings

import pytest

from gambol import read_scene

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("yourdfpy")

BASE = """<mujoco model="all">
  <size/>
  <option/>
  <visual/>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>
    <texture name="chequer" type="2d" builtin="checker" width="8" height="8"/>
    <material name="plain" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="3 3 1"/>
    <site name="hook" pos="0 0 2"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="loose"/>
      <geom name="hull" type="box" size="0.2 0.1 0.1" mass="3"/>
      <site name="back" pos="-0.2 0 0.2"/>
      <body name="arm" pos="0.3 0 0">
        <joint name="shoulder" axis="0 1 0" range="-1 1" limited="true"/>
        <geom name="upper" type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/>
        <site name="grip" pos="0.3 0 0"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="wrist" type="ball"/>
          <geom name="palm" type="sphere" size="0.04" mass="0.2"/>
        </body>
      </body>
      <body name="tail" pos="-0.3 0 0">
        <joint name="wag" axis="0 0 1" stiffness="2" damping="0.1" frictionloss="0.1"/>
        <joint name="lift" axis="0 1 0"/>
        <geom name="tip" type="capsule" fromto="0 0 0 -0.3 0 0" size="0.02" mass="0.3"/>
      </body>
    </body>
    <body name="box" pos="1 0 0.2"><freejoint/><geom name="crate" type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
  <contact/>
  <tendon>
    <fixed name="belt"><joint joint="wag" coef="0.5"/><joint joint="lift" coef="0.2"/></fixed>
    <spatial name="string" range="0.1 2" limited="true"><site site="back"/><site site="grip"/></spatial>
  </tendon>
  <equality><joint name="gear" joint1="wag" joint2="lift" polycoef="0.1 1 0 0 0"/></equality>
  <actuator><motor name="bare" joint="shoulder" ctrlrange="-1 1"/></actuator>
  <sensor/>
  <custom/>
  <deformable/>
  <keyframe/>
</mujoco>"""

# one of each element, put into its section of BASE
GEOMS = {
    "geom": '<geom name="new" type="sphere" size="0.1" pos="0 0 0.5" mass="0.1"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.1 0.2 0.1" mass="0.1"/>',
    "cylinder": '<geom type="cylinder" size="0.1 0.2" mass="0.1"/>',
    "mesh": '<geom type="mesh" mesh="wedge" mass="0.1"/>',
    "plane": '<geom type="plane" size="1 1 1" pos="0 0 0.1"/>',
}
ELEMENTS = {
    "worldbody": {
        "body": '<body name="new" pos="0 2 1"><freejoint/><geom size="0.1"/></body>',
        "site": '<site name="new"/>',
        "camera": '<camera name="new"/>',
        "light": '<light name="new"/>',
        "frame": '<frame pos="0 2 0"><geom name="new" size="0.1"/></frame>',
        "replicate": '<replicate count="2" offset="1 0 0"><geom name="new" size="0.1"/></replicate>',
        "flexcomp": '<flexcomp name="new" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" mass="1" radius="0.01"'
        ' pos="0 3 1" dim="2"><contact selfcollide="none"/></flexcomp>',
        **{f"geom {name}": text for name, text in GEOMS.items()},
        "body mocap": '<body name="new" mocap="true"><geom size="0.1" contype="0" conaffinity="0"/></body>',
    },
    "asset": {
        "mesh": '<mesh name="new" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>',
        "hfield": '<hfield name="new" nrow="2" ncol="2" size="1 1 1 0.1" elevation="0 0 0 1"/>',
        "texture": '<texture name="new" type="skybox" builtin="gradient" width="8" height="48"/>',
        "material": '<material name="new" shininess="0.9"/>',
    },
    "contact": {
        "pair": '<pair name="new" geom1="hull" geom2="upper"/>',
        "exclude": '<exclude name="new" body1="arm" body2="box"/>',
    },
    "tendon": {
        "spatial": '<spatial name="new" stiffness="5"><site site="hook"/><site site="grip"/></spatial>',
        "spatial geom": '<spatial name="new" stiffness="5"><site site="hook"/><geom geom="palm"/><site site="grip"/>'
        "</spatial>",
        "spatial pulley": '<spatial name="new" stiffness="5"><site site="hook"/><site site="grip"/>'
        '<pulley divisor="2"/><site site="back"/><site site="hook"/></spatial>',
        "fixed": '<fixed name="new" damping="1"><joint joint="shoulder" coef="1"/></fixed>',
        "bare": '<fixed name="new"><joint joint="shoulder" coef="1"/></fixed>',
    },
    "equality": {
        "connect": '<connect name="new" body1="arm" body2="box" anchor="0 0 0"/>',
        "connect sites": '<connect name="new" site1="grip" site2="hook"/>',
        "weld": '<weld name="new" body1="hand" body2="box"/>',
        "weld sites": '<weld name="new" site1="grip" site2="hook"/>',
        "joint": '<joint name="new" joint1="shoulder" polycoef="0.1 1 0 0 0"/>',
        "tendon": '<tendon name="new" tendon1="string"/>',
    },
    "actuator": {
        **{
            tag: f'<{tag} name="new" joint="shoulder" {more}/>'
            for tag, more in {
                "general": 'gainprm="3"',
                "motor": "",
                "position": 'kp="3"',
                "velocity": 'kv="3"',
                "intvelocity": 'kp="3" actrange="-1 1"',
                "pid": 'kp="3" ki="1"',
                "damper": 'kv="3" ctrlrange="0 1"',
                "cylinder": 'timeconst="1"',
                "muscle": 'lengthrange="0.1 0.3" ctrlrange="0 1"',
                "dcmotor": 'motorconst="0.1" resistance="1"',
            }.items()
        },
        "motor tendon": '<motor name="new" tendon="string"/>',
        "motor site": '<motor name="new" site="grip" gear="0 0 1 0 0 0"/>',
        "motor ball": '<motor name="new" joint="wrist" gear="0 1 0 0 0 0"/>',
        "motor crank": '<motor name="new" cranksite="back" slidersite="grip" cranklength="0.2"/>',
        "adhesion": '<adhesion name="new" body="hand" ctrlrange="0 1"/>',
        "orientation": '<orientation name="new" joint="wrist" kp="3"/>',
    },
    "custom": {
        "numeric": '<numeric name="new" data="1 2"/>',
        "text": '<text name="new" data="hello"/>',
        "tuple": '<tuple name="new"><element objtype="body" objname="arm"/></tuple>',
    },
    "keyframe": {"key": '<key name="new" time="1"/>'},
    "deformable": {
        "skin": '<skin name="new" vertex="0 0 0  1 0 0  0 1 0" face="0 1 2"><bone body="arm" bindpos="0 0 0"'
        ' bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin>',
        "flex": '<flex name="new" dim="1" body="arm hand" vertex="0 0 0  0 0 0" element="0 1" radius="0.01"/>',
    },
    "option": {"flag": '<flag contact="disable"/>', "flag energy": '<flag energy="enable"/>'}
    | {
        f"flag {name}": f'<flag {name}="disable"/>'
        for name in "constraint equality frictionloss limit spring damper gravity clampctrl warmstart filterparent"
        " actuation refsafe sensor midphase eulerdamp autoreset nativeccd island".split()
    },
    "visual": {
        "global": '<global azimuth="30"/>',
        "quality": '<quality shadowsize="64"/>',
        "headlight": '<headlight ambient="1 1 1"/>',
        "map": '<map znear="0.3"/>',
        "scale": '<scale com="3"/>',
        "rgba": '<rgba haze="1 0 0 1"/>',
    },
    "mujoco": {
        "compiler": '<compiler settotalmass="20"/>',
        "statistic": '<statistic extent="9"/>',
        "size": '<size nuserdata="3"/>',
        "default": '<default><geom friction="0.3"/></default>',
    },
}
SENSORS = {
    "site": "touch accelerometer velocimeter gyro force torque magnetometer rangefinder",
    "joint": "jointpos jointvel jointactuatorfrc jointlimitpos jointlimitvel jointlimitfrc",
    "tendon": "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc",
    "actuator": "actuatorpos actuatorvel actuatorfrc",
    "ball": "ballquat ballangvel",
    "frame": "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc",
    "body": "subtreecom subtreelinvel subtreeangmom",
    "geoms": "distance normal fromto contact",
    "nothing": "e_potential e_kinetic clock",
    "inside": "insidesite",
    "seen": "camprojection",
    "user": "user",
}
ASKED = {
    "site": 'site="grip"',
    "joint": 'joint="shoulder"',
    "tendon": 'tendon="string"',
    "actuator": 'actuator="bare"',
    "ball": 'joint="wrist"',
    "frame": 'objtype="body" objname="arm"',
    "body": 'body="arm"',
    "geoms": 'geom1="palm" geom2="crate"',
    "nothing": "",
    "inside": 'site="grip" objtype="body" objname="box"',
    "seen": 'site="grip" camera="eye"',
    "user": 'dim="1"',
}
ELEMENTS["sensor"] = {
    tag: f'<{tag} name="new" {ASKED[kind]}/>' for kind, tags in SENSORS.items() for tag in tags.split()
}
# What of the schema is not put in above, and why.
ELSEWHERE = {
    "tactile": "needs a mesh that is a sensor",
    "flexstrain": "of flexes, which are left out whole",
    "flex": "equality of flexes, which are left out whole",
    "skin": "tried in <deformable>",
    "plugin": "code of others, which is not there",
    "attach": "another file, merged by MuJoCo before anything is read",
    "model": "another file, merged by MuJoCo before anything is read",
}


# Attributes by the element of BASE that they are put into; each alone must make a difference.
ATTRIBUTES = {
    '<body name="arm"': ["gravcomp='1'", "quat='1 1 0 0'"],
    '<body name="trunk"': ["sleep='never'", "euler='0 0 10'", "user='1'"],
    '<freejoint name="loose"': ["group='2'"],
    '<joint name="shoulder"': [
        *("pos='0 0 0.1'", "ref='10'", "springref='10' stiffness='1'", "stiffness='1'", "damping='1'", "armature='1'"),
        *("frictionloss='1'", "margin='0.1'", "solreflimit='0.1 1'", "solimplimit='0.5 0.9 0.1'", "springdamper='1 1'"),
        *(
            "actuatorfrcrange='-1 1'",
            "actuatorgravcomp='true'",
            "solreffriction='0.1 1'",
            "solimpfriction='0.5 0.6 0.1'",
        ),
        *("stiffness='1 2'", "damping='1 2'", "springyield='1' stiffness='1'", "user='1'", "group='2'"),
    ],
    '<geom name="upper"': [
        *(
            "contype='0' conaffinity='0'",
            "contype='2' conaffinity='2'",
            "condim='6'",
            "priority='1' friction='0.1'",
            "friction='2'",
        ),
        *("solmix='2'", "solref='0.1 1'", "solimp='0.5 0.6 0.1'", "margin='0.1'", "gap='0.1'", "rgba='0 1 0 1'"),
        *(
            "material='plain'",
            "group='4'",
            "shellinertia='true'",
            "surfacevel='1 0 0 0 0 0'",
            "adhesion='1'",
            "user='1'",
        ),
    ],
    '<pair name="touch"': [
        *("condim='1'", "friction='2'", "solref='0.1 1'", "solimp='0.5 0.6 0.1'", "margin='0.1'", "gap='0.1'"),
        *("solreffriction='0.1 1'", "adhesion='1'"),
    ],
    '<joint name="gear"': ["active='false'", "solref='0.1 1'", "solimp='0.5 0.6 0.1'"],
    '<fixed name="belt"': [
        *(
            "stiffness='1'",
            "damping='1'",
            "range='-1 1'",
            "frictionloss='1'",
            "armature='1'",
            "margin='0.1'",
            "user='1'",
        ),
        *(
            "stiffness='1' springlength='0.1'",
            "actuatorfrcrange='-1 1'",
            "solreflimit='0.1 1' range='-1 1'",
            "group='2'",
        ),
    ],
    '<spatial name="string"': [
        "stiffness='1'",
        "width='0.1'",
        "rgba='1 0 0 1'",
        "material='plain'",
        "solreflimit='0.1 1'",
    ],
    '<motor name="bare"': [
        *("gear='2'", "forcerange='-1 1'", "armature='1'", "damping='1'", "nsample='3' delay='0.004'", "user='1'"),
        *("group='2'", "interp='linear' nsample='3'"),
    ],
    '<jointpos name="angle"': ["noise='0.1'", "cutoff='1'", "interval='0.1'", "nsample='3' delay='0.004'", "user='1'"],
    '<key name="rest"': [
        *("time='1'", "qpos='0 0 2 1 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0'", "ctrl='0.5'", f"qvel='{' 1' * 18}'"),
    ],
    '<material name="plain"': [f"{name}='0.3'" for name in "emission metallic reflectance roughness".split()],
    "<option": [
        *(
            "timestep='0.01'",
            "gravity='0 0 -1'",
            "density='1'",
            "viscosity='1'",
            "wind='1 0 0' density='1'",
            "cone='elliptic'",
        ),
        *("integrator='RK4'", "impratio='3'", "magnetic='1 0 0'", "o_margin='1'", "noslip_iterations='3'"),
        *("actuatorgroupdisable='0'",),
    ],
}
RICH = (
    BASE.replace("<sensor/>", '<sensor><jointpos name="angle" joint="shoulder"/></sensor>')
    .replace("<keyframe/>", '<keyframe><key name="rest"/></keyframe>')
    .replace("<contact/>", '<contact><pair name="touch" geom1="hull" geom2="upper"/></contact>')
    .replace('name="upper"', 'name="upper" material="plain"')
)


def fingerprint(text):
    """All that a reader could tell apart in a scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene = read_scene(text)
    world = scene.world
    poses = {name: (p.q.tolist(), p.v.tolist(), dict(p.inputs)) for name, p in scene.poses.items()}
    told = (scene.left_out, scene.notes, scene.timestep, sorted(scene.sensors), dict(scene.frames), dict(scene.motors))
    return repr((world.layout.figures, world.forces, world.constraints, world.terrain, world.gravity, poses, told))


@pytest.fixture(scope="module")
def plain():
    return fingerprint(BASE)


def put(section, text):
    if section == "mujoco":
        return BASE.replace("<size/>", text, 1)
    if f"<{section}/>" in BASE:
        return BASE.replace(f"<{section}/>", f"<{section}>{text}</{section}>")
    return BASE.replace(f"</{section}>", f"{text}</{section}>")


@pytest.mark.parametrize("section", ELEMENTS)
def test_every_element_of_mjcf_is_read_or_counted(section, plain):
    for name, text in ELEMENTS[section].items():
        document = put(section, text)
        if "camera=" in text:
            document = document.replace('<site name="hook"', '<camera name="eye" resolution="8 8"/><site name="hook"')
        assert fingerprint(document) != plain, f"<{name}> of <{section}> is lost without a word"


@pytest.mark.parametrize("element", ATTRIBUTES)
def test_every_attribute_of_mjcf_is_read_or_counted(element):
    plain = fingerprint(RICH)
    for attributes in ATTRIBUTES[element]:
        text = RICH.replace('material="plain"', "") if "material" in attributes and "geom" in element else RICH
        against = plain if text is RICH else fingerprint(text)
        changed = text.replace(element, f"{element} {attributes}")
        assert changed != text and fingerprint(changed) != against, f"{element} {attributes} is lost without a word"


def schema():
    """Elements of each section, as MuJoCo prints them."""
    found, section = {}, ""
    for line in mujoco.mj_printSchema(False, True).splitlines():
        if match := re.match(r"( {3}| {6})(\(world\))?(\w+) \(", line):
            if len(match[1]) == 3:
                section = "worldbody" if match[2] else match[3]
            else:
                found.setdefault(section, set()).add(match[3])
    return found


def test_the_schema_has_no_other_elements():
    """What a new MuJoCo brings is noticed here; until then it is counted: attributes are compared with defaults."""
    inside = {"joint", "freejoint", "inertial"}  # of bodies: BASE
    for section, names in schema().items():
        if section not in ("default", "compiler", "statistic", "size", "extension", "worldbody"):
            tried = {name.split()[0] for name in ELEMENTS[section]}
            assert names <= tried | set(ELSEWHERE), section
        elif section == "worldbody":
            assert names <= {name.split()[0] for name in ELEMENTS[section]} | inside | set(ELSEWHERE)


# ---------------------------------------------------------------- URDF
ROBOT = """<robot name="grip">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="palm">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="finger">
    <inertial><mass value="0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="thumb">
    <inertial><mass value="0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="bend" type="revolute"><parent link="palm"/><child link="finger"/><limit lower="-1" upper="1" effort="1"
    velocity="0"/></joint>
  <joint name="press" type="revolute"><parent link="palm"/><child link="thumb"/><limit lower="-1" upper="1" effort="1"
    velocity="0"/></joint>
</robot>"""
FIRST, SECOND, VISUAL = '<child link="finger"/>', '<child link="thumb"/>', '<box size="0.1 0.1 0.1"/></geometry>'
LINK, BEND = '<link name="finger">', 'name="bend" type="revolute"'
IN_URDF = [
    *((FIRST, FIRST + more) for more in (
        '<origin xyz="1 0 0"/>', '<origin rpy="1 0 0"/>', '<axis xyz="0 0 1"/>', '<dynamics damping="1"/>',
        '<dynamics friction="1"/>', '<dynamics damping="-1"/>', '<mimic joint="press"/>', '<calibration rising="1"/>',
        '<safety_controller k_velocity="1"/>', '<anything of="others"/>',
    )),
    *((SECOND, SECOND + f'<mimic joint="bend" {more}/>') for more in ("multiplier='2'", "offset='1'", "more='1'")),
    ('effort="1"', 'effort="2"'), ('velocity="0"', 'velocity="1"'), ('lower="-1"', 'lower="-2"'),
    ('upper="1"', 'upper="2"'), (BEND, BEND.replace("revolute", "prismatic")),
    *((BEND, BEND.replace("revolute", kind)) for kind in ("planar", "fixed", "floating")),
    ('name="bend"', 'name="bend" group="3"'), (VISUAL, VISUAL + '<material name="red"/>'),
    (VISUAL, VISUAL + '<material name="blue"><texture filename="a.png"/></material>'),
    (VISUAL, VISUAL + "<verbose value='1'/>"), ("<visual>", '<visual name="shell">'),
    ("<collision>", '<collision name="hull">'),
    *((LINK, LINK + f"<collision><geometry>{shape}</geometry></collision>") for shape in (
        '<cylinder radius="0.1" length="0.2"/>', '<capsule radius="0.1" length="0.2"/>', '<mesh filename="none.stl"/>',
        '<box size="0 0 0"/>',
    )),
    (LINK, '<link name="finger" type="soft">'), (LINK, LINK + "<contact><stiffness value='3'/></contact>"),
    ('value="0.1"', 'value="0.2"'), ('ixx="0.01"', 'ixx="-0.01"'),
    *(("</robot>", f"{more}</robot>") for more in (
        '<link name="alone"/>', '<transmission name="t"/>', '<gazebo reference="palm"/>', '<sensor name="s"/>',
        '<ros2_control name="c"/>', '<material name="more"><texture filename="b.png"/></material>',
    )),
]  # fmt: skip


def test_everything_of_urdf_is_read_or_counted():
    plain = fingerprint(ROBOT)
    for old, new in IN_URDF:
        changed = ROBOT.replace(old, new, 1)
        assert changed != ROBOT and fingerprint(changed) != plain, f"{new} is lost without a word"
