import math

import numpy as np
import pytest

from gambol import ScriptError
from gambol.corpus.geometry import BUILT_IN_OBJECTS, built_in, part_of, scaling


def where(session, name="a"):
    return np.array([float(x) for x in session(f"whereis {name}")[0].split(":")[1].split()])


def test_the_bevelled_cube_has_the_printed_volume():
    part = part_of(built_in("unit_cubeb"), np.eye(4), convex=True, density=1000.0)
    assert part.mass_properties.mass == pytest.approx(984.857, abs=1e-3)
    whole = part_of(built_in("unit_cubeb"), np.eye(4), convex=False, density=1000.0)
    assert whole.mass_properties.mass == pytest.approx(part.mass_properties.mass, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "volume"),
    [("unit_cube", 6.0), ("unit_cyl", 6.0 * math.pi / 4), ("sphere", math.pi), ("unit_cubeb", 6 * 0.984857)],
)
def test_built_in_objects_scaled_unequally(name, volume):
    part = part_of(built_in(name), scaling(1.0, 2.0, 3.0), convex=True, density=1.0)
    assert part.mass_properties.mass == pytest.approx(volume, rel=0.02 if name == "unit_cyl" else 1e-5)


def test_every_built_in_object_loads_under_the_names_of_the_scripts(session):
    for number, name in enumerate(BUILT_IN_OBJECTS):
        session(f"get a{number} from {name}\nget b{number} ../data/{name}.asc\n")
    assert len(session.interpreter.scene.objects) == 2 * len(BUILT_IN_OBJECTS)


def test_order_of_transforms(session):
    session("get a from unit_cube\npostmult\nmove a 1 0 0\nrotate a z 90\nscale a 2 2 2")
    assert where(session) == pytest.approx([0, 2, 0], abs=1e-12)
    session("init a\npremult\nmove a 1 0 0\nrotate a z 90\nmove a 1 0 0")
    assert where(session) == pytest.approx([1, 1, 0], abs=1e-12)
    session("init a\nlocalxforms\nmove a 3 0 0\nscale a 2 2 2\nrotate a y 90")
    assert where(session) == pytest.approx([3, 0, 0], abs=1e-12)
    session("xformcenter 1 0 0\nrotate a z 180")
    assert where(session) == pytest.approx([-1, 0, 0], abs=1e-12)
    session("postmult\ninit a\nmove a 1 1 1\nrotateaxis a 1 1 1 120")
    assert where(session) == pytest.approx([1, 1, 1], abs=1e-12)


def test_placing(session):
    session("get a from unit_cube\nget b from unit_cube\npostmult\nmove a 1 2 3\nscale b 2 1 1\nmove b 5 0 0\n")
    session("movely a b .5 0 0")
    assert where(session) == pytest.approx([7, 2, 3])
    session("move a b")
    assert where(session) == pytest.approx([5, 0, 0])
    session("placex a 1\nplacez a -2")
    assert where(session) == pytest.approx([1, 0, -2])
    session("center a")
    assert where(session) == pytest.approx([0, 0, 0])
    session("init a\nmove a 1 0 0\nalign a 1 0 0 0 0 3")
    assert where(session) == pytest.approx([0, 0, 1], abs=1e-12)


def test_taper_and_harden(session):
    session("get a from unit_cube\npostmult\nscale a 1 1 2\nshear1d a 0 0 1 1 0 0 1 .5\n")
    points = session.interpreter.scene.objects["a"].points
    top, bottom = points[points[:, 2] > 0], points[points[:, 2] < 0]
    assert np.ptp(top[:, 1]) == pytest.approx(1.5) and np.ptp(bottom[:, 1]) == pytest.approx(0.5)
    assert np.ptp(top[:, 0]) == np.ptp(bottom[:, 0]) == pytest.approx(1.0)
    session("shear a 0 0 1 2 0")
    assert np.ptp(session.interpreter.scene.objects["a"].points[:, 0]) == pytest.approx(2.0)


def test_children_move_with_their_parent(session):
    session("get p from unit_cube\npushobj p\nget a from unit_cube\npopobj\nget b from unit_cube\n")
    session("postmult\nmove a 1 0 0\nmove p 0 5 0\n")
    assert where(session) == pytest.approx([1, 5, 0]) and where(session, "b") == pytest.approx([0, 0, 0])
    session("mcopywsp b a")
    assert where(session) == pytest.approx([0, 0, 0])


def test_matrices_are_written_and_read_back(session, tmp_path):
    session("get a from unit_cube\nget b from unit_cube\npostmult\nrotate a x 30\nmove a 1 2 3\ndumpmatrix a a.txt\n")
    before = session.interpreter.scene.objects["a"].matrix.copy()
    session("init a\ndo a.txt\n")
    assert session.interpreter.scene.objects["a"].matrix == pytest.approx(before, abs=1e-9)
    session("initmatlist m\naddmatlist m a\nsetmatlist m 0 b\n")
    assert session.interpreter.scene.objects["b"].matrix == pytest.approx(before, abs=1e-9)


def test_object_files(session, tmp_path):
    session("get a from unit_cubeb\npostmult\nscale a 1 2 3\njoinall whole.asc\nget b from whole.asc\n")
    a, b = (session.interpreter.scene.objects[name] for name in "ab")
    assert b.points == pytest.approx(a.points) and b.geometry.faces == a.geometry.faces
    session("objzlimit a -1 1 cut.asc\nget c from cut\n")
    assert session.interpreter.scene.objects["c"].points[:, 2].max() == 1.0
    assert session("countpolys\nunpost a\ncountpostedpolys") == ["78", "52"]


def test_pictures(session, tmp_path):
    from matplotlib.image import imread

    session(
        "get a from unit_cube\ncolor a 1 0 0\nshadeparam a 1 0 0 .3\neye 3 -4 2\nlookat a\nfov 40\nscreensize 120 80\n"
        "backgroundcolor 0 0 1\nrender2file p.png alpha.png depth.npy\nrender\n"
    )
    picture, alpha = imread(tmp_path / "p.png"), imread(tmp_path / "alpha.png")
    depth = np.load(tmp_path / "depth.npy")
    assert picture.shape[:2] == alpha.shape[:2] == depth.shape == (80, 120)
    centre, corner = picture[40, 60], picture[0, 0]
    assert centre[0] > 0.3 and centre[2] == 0.0 and tuple(corner[:3]) == (0.0, 0.0, 1.0)
    assert alpha[40, 60, 0] == 1.0 and alpha[0, 0, 0] == 0.0
    distance = np.linalg.norm([3, -4, 2])
    assert distance - 0.9 < depth[40, 60] < distance and np.isinf(depth[0, 0])
    session("unpost a\nrender\n")
    assert tuple(imread(tmp_path / "p.png")[40, 60][:3]) == (0.0, 0.0, 1.0)


def test_lights_and_modes_change_the_picture(session, tmp_path):
    from matplotlib.image import imread

    session("get a from sphere\neye 2 -2 1\nlookat 0 0 0\nscreensize 60 60\nrender2file p.png\n")

    def brightness(text):
        session(f"{text}\nrender")
        return float(imread(tmp_path / "p.png")[..., :3].mean())

    lit = brightness("")
    assert brightness("lightdimmer light.1 .3") < lit
    assert brightness("lightoff light.1") < 0.1 * lit
    assert brightness("lighton light.1\nlightdimmer light.1 1\nlightpos light.1 -2 2 -1") < 0.5 * lit
    assert brightness("pointlight light.1\nlightclose light.1\nlightmake l\n") == pytest.approx(lit, abs=1e-6)
    assert brightness("wireframe") != pytest.approx(lit)
    assert session("dumpcam")[:2] == ["eye 2 -2 1", "lookat 0 0 0"]


def test_scan_conversion(session, tmp_path):
    from matplotlib.image import imread

    session(
        "get near from unit_cube\nget far from sphere\npostmult\nmove near 0 -1 0\nscale far 3 3 3\nmove far 0 2 0\n"
        "color near 1 0 0\ncolor far 0 0 1\nfacet near\neye 0 -6 0\nlookat 0 0 0\nfov 45\nscreensize 100 100\n"
        "hw off\naa off\nrender2file p.png alpha.png depth.npy\nrender\n"
    )
    picture, depth = imread(tmp_path / "p.png"), np.load(tmp_path / "depth.npy")
    centre, edge, corner = picture[50, 50, :3], picture[50, 72, :3], picture[2, 2, :3]
    assert centre[0] > 0.2 and centre[2] < 0.5 * centre[0] and edge[2] > edge[0] and tuple(corner) == (0, 0, 0)
    assert depth[50, 50] == pytest.approx(4.5, abs=1e-5) and 6.5 < depth[50, 72] < 8.0 and np.isinf(depth[2, 2])
    session("trans near .5\nrender\n")
    through = imread(tmp_path / "p.png")[50, 50, :3]
    assert through[2] > centre[2] + 0.1 and through[0] > 0.1


def test_smooth_and_flat_shading(session, tmp_path):
    from matplotlib.image import imread

    session("get a from unit_cyl\neye 0 -3 0\nlookat 0 0 0\nscreensize 200 200\nhw off\naa off\nrender2file p.png\n")

    def steps(text):
        """The largest change of tone from one pixel to the next, across the barrel."""
        session(f"{text} a\nrender")
        return np.abs(np.diff(imread(tmp_path / "p.png")[100, 70:130, 0])).max()

    assert steps("facet") > 3 * steps("smooth")


def test_numbered_pictures(session, tmp_path):
    session("get a from unit_cube\nscreensize 20 20\nautofilename f\nautofilenumber 7\n")
    session("autorender2file\nautorender2file\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f0007.png", "f0008.png"]


def test_a_body_cannot_lose_its_object(session):
    session("addworld w\naddcorpus c\nget a from unit_cube\naddbody body a 0 0 1 rotary 1\n")
    with pytest.raises(ScriptError, match="object 'a' is part of body 'body'"):
        session("closeobj a")
