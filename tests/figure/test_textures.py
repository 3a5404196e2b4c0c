"""Pictures on meshes: read as they lie, seen as they lie, written and read back."""

import io
from dataclasses import replace

import numpy as np
import pygltflib
import pytest
import trimesh
from PIL import Image

from gambol import Body, Figure, FigureError, Joint, Mass, Part, World, parse_yaml, read_mjcf, read_urdf, yaml_text
from gambol.draw import Camera, still
from gambol.export import export_file
from gambol.figure.mesh_file import load_coloured

RED, BLUE, GREEN = (200, 20, 10), (10, 40, 220), (20, 180, 30)
MASS = Mass(1.0, inertia=(1, 1, 1, 0, 0, 0))


def floor(path):
    """A square, x and y from 0 to 2: red where x < 1, blue beyond, green in the corner of small x and large y."""
    picture = Image.new("RGB", (64, 64), RED)
    picture.paste(BLUE, (32, 0, 64, 64))
    picture.paste(GREEN, (0, 0, 16, 16))  # of a picture the top, v = 1, is large y
    corners = np.array([(x, y, 0.0) for x in range(3) for y in range(3)])
    squares = [(3 * x + y, 3 * x + y + 3, 3 * x + y + 4, 3 * x + y + 1) for x in range(2) for y in range(2)]
    faces = [f for a, b, c, d in squares for f in ((a, b, c), (a, c, d))]
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=picture)
    if path.suffix == ".obj":
        material = trimesh.visual.material.SimpleMaterial(image=picture)
    visual = trimesh.visual.TextureVisuals(uv=corners[:, :2] / 2.0, material=material)
    made = trimesh.Trimesh(corners, faces, visual=visual, process=False)
    made.export(path, **({"mtl_name": "floor.mtl"} if path.suffix == ".obj" else {}))
    return path


def colour_at(mesh, x, y):
    """What lies over a point of the floor."""
    for face, uv in zip(mesh.faces, np.reshape(mesh.texture.uv, (-1, 3, 2))):
        a, b, c = (np.array(mesh.vertices[k][:2]) for k in face)
        share = np.linalg.solve(np.column_stack([b - a, c - a]), np.array([x, y]) - a)
        if share.min() >= -1e-9 and share.sum() <= 1 + 1e-9:
            u, v = uv[0] + share @ (uv[1:] - uv[0])
            high, wide = mesh.texture.pixels.shape[:2]
            return tuple(round(255 * float(k)) for k in mesh.texture.pixels[int(v * high), int(u * wide)])
    raise AssertionError("no triangle there")


def lies_right(mesh, factor=1.0):
    spots = {(0.2, 1.8): GREEN, (0.2, 0.2): RED, (1.8, 1.8): BLUE, (1.8, 0.2): BLUE}
    return all(colour_at(mesh, factor * x, factor * y) == colour for (x, y), colour in spots.items())


def of_mesh(mesh, colour=None):
    part = Part(mesh, inertial=False, colour=colour)
    return Figure("sheet", (Body("sheet", None, Joint("free"), parts=(part,), mass=MASS),))


@pytest.mark.parametrize("suffix", ("glb", "obj"))
def test_a_texture_lies_where_the_file_has_it(tmp_path, suffix):
    path = floor(tmp_path / f"floor.{suffix}")
    ((mesh, colour),) = load_coloured(path, 0.5)
    assert lies_right(mesh, 0.5) and colour[:3] == pytest.approx(mesh.texture.mean)
    ((turned, _),) = load_coloured(path, (0.5, -0.5, 0.5))
    assert colour_at(turned, 0.1, -0.9) == GREEN and colour_at(turned, 0.9, -0.9) == BLUE
    figure = of_mesh(mesh)
    assert figure.mirror().mirror() == figure
    assert colour_at(figure.mirror().bodies[0].parts[0].shape, 0.1, -0.9) == GREEN


def test_what_of_the_pictures_is_not_shown_is_told(tmp_path):
    path = floor(tmp_path / "floor.obj")
    (tmp_path / "floor.mtl").write_text("newmtl material_0\nmap_Kd gone.png\nmap_Bump rough.png\n")
    told = {}
    load_coloured(path, tell=lambda kind, names: told.setdefault(kind, names))
    assert told == {
        "textures whose pictures are not there": ["gone.png of floor.obj"],
        "textures for something else than colour": ["map_Bump rough.png of floor.obj"],
    }


def test_urdf_and_mjcf_lay_it_alike(tmp_path):
    """MuJoCo takes the picture beside the mesh by itself; one that is larger and repeats, through its material."""
    pytest.importorskip("mujoco")
    floor(tmp_path / "floor.obj")
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    visual = '<visual><geometry><mesh filename="floor.obj"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{inertial}{visual}</link></robot>')
    (part,) = read_urdf(tmp_path / "r.urdf").bodies[0].parts
    assert lies_right(part.shape)
    picture = next(tmp_path.glob("*.png")).name
    (tmp_path / "m.xml").write_text(f"""<mujoco><asset>
      <texture name="t" type="2d" file="{picture}"/> <mesh name="floor" file="floor.obj" inertia="shell"/>
      <material name="m" texture="t" rgba="1 0.5 1 1"/></asset>
      <worldbody><body name="b"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="floor" material="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>""")
    (part,) = read_mjcf(tmp_path / "m.xml").bodies[0].parts
    here = {k: tuple(np.round(part.placement.apply(v), 6)) for k, v in enumerate(part.shape.vertices)}
    placed = replace(part.shape, vertices=tuple(here.values()))
    halved = [tuple(round(c * s) for c, s in zip(k, (1, 0.5, 1))) for k in (GREEN, RED, BLUE)]
    assert [colour_at(placed, *spot) for spot in ((0.2, 1.8), (0.2, 0.2), (1.8, 1.8))] == halved


def test_it_is_seen(tmp_path):
    ((mesh, _),) = load_coloured(floor(tmp_path / "floor.glb"))
    camera = Camera(azimuth=-90.0, elevation=89.0, field=20.0, distance=9.0, target=(1.0, 1.0, 0.0))
    seen = np.asarray(still(of_mesh(mesh), camera=camera, size=(240, 240), ground=None))[..., :3].astype(int)
    strongest = seen.argmax(axis=2)
    middle = lambda x, y: strongest[120 - round(60 * (y - 1)), 120 + round(60 * (x - 1))]
    assert [middle(0.2, 1.8), middle(0.2, 0.2), middle(1.8, 1.8), middle(1.8, 0.2)] == [1, 0, 2, 2]
    small = np.asarray(still(of_mesh(mesh), camera=camera, size=(24, 24), ground=None))[10:14, 8:11, :3]
    assert small[..., 0].min() > 2 * small[..., 2].max()  # from afar the halves keep apart


def test_it_is_in_files(tmp_path):
    ((mesh, colour),) = load_coloured(floor(tmp_path / "floor.glb"))
    figure = of_mesh(mesh, colour)
    figure.write(tmp_path / "sheet.yaml")
    assert Figure.read(tmp_path / "sheet.yaml") == figure == parse_yaml(yaml_text(figure))
    shown = trimesh.load(tmp_path / "sheet_meshes" / "sheet_0.obj", process=False)
    assert np.allclose(shown.visual.uv[:, 1].max(), 1.0)  # others read it too
    for character in (False, True):
        export_file(figure, tmp_path / "sheet.glb", character=character)
        gltf = pygltflib.GLTF2().load(str(tmp_path / "sheet.glb"))
        (image,) = gltf.images
        view = gltf.bufferViews[image.bufferView]
        png = gltf.binary_blob()[view.byteOffset : view.byteOffset + view.byteLength]
        assert png == mesh.texture.image and Image.open(io.BytesIO(png)).size == (64, 64)
        ((primitive,),) = [own.primitives for own in gltf.meshes]
        accessor = gltf.accessors[primitive.attributes.TEXCOORD_0]
        first = gltf.bufferViews[accessor.bufferView].byteOffset
        places = np.frombuffer(gltf.binary_blob(), "<f4", 2 * accessor.count, first).reshape(-1, 2)
        np.testing.assert_allclose(places, mesh.texture.uv, atol=1e-6)
        assert gltf.materials[primitive.material].pbrMetallicRoughness.baseColorTexture.index == 0
    for suffix in ("urdf", "xml", "usda"):
        with pytest.warns(match="textures of 1 parts"):
            export_file(figure, tmp_path / f"sheet.{suffix}")


def test_faults(tmp_path):
    ((mesh, _),) = load_coloured(floor(tmp_path / "floor.glb"))
    short = replace(mesh, texture=replace(mesh.texture, uv=mesh.texture.uv[3:]))
    with pytest.raises(FigureError, match="must say where 24 corners lie on it, not 21"):
        World(of_mesh(short))
    text = yaml_text(of_mesh(mesh))
    for wrong, words in (("image: AAAA", "no picture"), ("image: ÄÄÄÄ", "cannot read the texture")):
        with pytest.raises(FigureError, match=words):
            parse_yaml(text.replace("image: iVBO", wrong))
    of_mesh(mesh).write(tmp_path / "sheet.yaml")
    (tmp_path / "sheet_meshes" / "sheet_0.png").unlink()
    with pytest.raises(FigureError, match=r"sheet.yaml:\d+.*cannot read the texture"):
        Figure.read(tmp_path / "sheet.yaml")
