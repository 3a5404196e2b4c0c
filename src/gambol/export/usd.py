"""USD: figures as trees of Xforms with meshes, moved by time samples. Z is up, metres, one time code a frame.

A prim at the top turns our X forward into −Y, so that in Blender it lies on the same motion as glTF and BVH.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import ExportError
from gambol.export.clip import Clip
from gambol.export.gltf import GREY, STILL, solid
from gambol.export.surroundings import FIELD, Surroundings
from gambol.figure import Part

HEADING = -90.0  # [degrees] about Z
APERTURE = 15.3  # of the camera, in tenths of a scene unit, as its focal length


def write_usd(clip: Clip, path: Path, *, character: bool = False, surroundings: Surroundings | None = None) -> Path:
    """Writes a clip as .usda (text) or .usdc, .usd (binary); `character`: a skeleton (UsdSkel) with a skin."""
    try:
        from pxr import Sdf, Usd, UsdGeom
    except ImportError:
        raise ExportError("USD needs usd-core: pip install 'gambol[usd]'") from None
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(1.0 / clip.step)
    stage.SetFramesPerSecond(1.0 / clip.step)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip) - 1)
    top = UsdGeom.Xform.Define(stage, "/gambol")
    top.AddRotateZOp().Set(HEADING)
    stage.SetDefaultPrim(top.GetPrim())
    looks: dict[tuple[float, ...], Any] = {}
    for number, figure in enumerate(clip.figures):
        paths: dict[str | None, Any] = {None: Sdf.Path("/gambol").AppendChild(_prim_name(figure.name))}
        if character:
            from gambol.export.usd_skin import add_character

            look = lambda own, colour: _bind(stage, own, colour, looks)
            add_character(stage, paths[None], clip, number, look, _prim_name)
            continue
        UsdGeom.Xform.Define(stage, paths[None])
        place, turn = clip.local_poses(number)
        for k, body in enumerate(figure.order):
            paths[body.name] = paths[body.parent].AppendChild(_prim_name(body.name))
            own = UsdGeom.Xform.Define(stage, paths[body.name])
            _moved(own, place[:, k], turn[:, k])
            for number_, part in enumerate(body.parts):
                if part.visible:
                    name = _prim_name(part.name) if part.name else f"shape_{number_ + 1}"
                    taken = stage.GetPrimAtPath(paths[body.name].AppendChild(name))
                    own_path = paths[body.name].AppendChild(f"{name}_{number_ + 1}" if taken else name)
                    _mesh(stage, own_path, part)
                    _bind(stage, own_path, tuple((*(part.colour or GREY), 1.0)[:4]), looks)
    if surroundings is not None:
        _surround(stage, surroundings, looks)
    stage.GetRootLayer().Export(str(path))
    return path


def _surround(stage: Any, around: Surroundings, looks: dict[tuple[float, ...], Any]) -> None:
    """The ground, a camera and a sun."""
    from pxr import UsdGeom, UsdLux

    _mesh(stage, "/gambol/ground", around.ground)
    _bind(stage, "/gambol/ground", (*(around.ground.colour or GREY), 1.0)[:4], looks)
    camera = UsdGeom.Camera.Define(stage, "/gambol/camera")
    camera.CreateVerticalApertureAttr(APERTURE)
    camera.CreateHorizontalApertureAttr(APERTURE * 16 / 9)
    camera.CreateFocalLengthAttr(0.5 * APERTURE / np.tan(0.5 * FIELD))
    sun = UsdLux.DistantLight.Define(stage, "/gambol/sun")
    sun.CreateIntensityAttr(3.0)
    for prim, place in ((camera, around.camera), (sun, around.sun)):
        _moved(prim, np.array([place.position]), np.array([place.rotation]))


def _bind(stage: Any, path: Any, colour: tuple[float, ...], looks: dict[tuple[float, ...], Any]) -> None:
    """A material of a colour, one for each."""
    from pxr import Gf, Sdf, UsdShade

    if colour not in looks:
        word = "colour_" + "_".join(f"{round(255 * c):02x}" for c in colour)
        material = UsdShade.Material.Define(stage, f"/gambol/materials/{word}")
        shader = UsdShade.Shader.Define(stage, f"/gambol/materials/{word}/surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        linear = Gf.Vec3f(*(float(c) ** 2.2 for c in colour[:3]))  # colours of parts are as seen
        shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(linear)
        shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(float(colour[3]))
        shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.7)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        looks[colour] = material
    prim = stage.GetPrimAtPath(path)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(looks[colour])


def _prim_name(name: str) -> str:
    from pxr import Tf

    return Tf.MakeValidIdentifier(name)


def _moved(prim: Any, place: np.ndarray, turn: np.ndarray) -> None:
    from pxr import Gf, UsdGeom

    translate = prim.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
    orient = prim.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    for op, rows, make in (
        (translate, place, lambda p: Gf.Vec3d(*map(float, p))),
        (orient, turn, lambda q: Gf.Quatd(float(q[0]), Gf.Vec3d(*map(float, q[1:])))),
    ):
        if len(rows) == 1 or np.ptp(rows, axis=0).max() < 1e-3 * STILL:
            op.Set(make(rows[0]))
            continue
        for frame, row in enumerate(rows):
            op.Set(make(row), frame)


def _mesh(stage: Any, path: Any, part: Part) -> None:
    from pxr import Gf, UsdGeom, Vt

    points, normals, faces = solid(part)
    mesh = UsdGeom.Mesh.Define(stage, path)
    w, *xyz = part.placement.rotation
    mesh.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*part.placement.position))
    mesh.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, Gf.Vec3d(*xyz)))
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(normals))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(faces), 3))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDisplayColorAttr([Gf.Vec3f(*map(float, (part.colour or GREY)[:3]))])
