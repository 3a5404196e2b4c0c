"""Writes figure files in YAML, for people to read: defaults are left out, numbers keep every digit."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from gambol.figure.body import Body, Part
from gambol.figure.document import scalar
from gambol.figure.figure import Figure
from gambol.figure.joint import Joint
from gambol.figure.mass import Mass
from gambol.figure.mesh_file import obj_text
from gambol.figure.placement import Placement
from gambol.figure.shapes import Hull, Mesh, Shape
from gambol.figure.texture import Texture

LINE = 100
FEW = 12  # points that stand in the text


class MeshFiles:
    """Shapes of many points, which stand in files of a folder beside the text: each once, `texts` by name.

    `pictures` are those of textures, by name.
    """

    def __init__(self, folder: str):
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.pictures: dict[str, bytes] = {}
        self._names: dict[Shape, str] = {}

    def name_for(self, shape: Shape, wanted: str) -> str:
        """The file of a shape, relative to the text; nothing where it has so few points that they stand there."""
        if not isinstance(shape, Hull | Mesh):
            return ""
        points, faces = (shape.points, ()) if isinstance(shape, Hull) else (shape.vertices, shape.faces)
        texture = _texture(shape)
        if len(points) <= FEW and texture is None:
            return ""
        if shape not in self._names:
            stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in wanted)
            own = next(n for n in (stem, *(f"{stem}_{k}" for k in range(len(self.texts) + 1))) if n not in self.texts)
            self._names[shape], self.texts[own] = own, obj_text(points, faces, texture.uv if texture else ())
        return f"{self.folder}/{self._names[shape]}.obj"

    def picture_for(self, shape: Shape) -> str:
        """The file of what lies over a shape that `name_for` has named, relative to the text; nothing for nothing."""
        texture = _texture(shape)
        if texture is None:
            return ""
        known = [name for name, image in self.pictures.items() if image == texture.image]
        name = known[0] if known else self._names[shape]
        self.pictures[name] = texture.image
        return f"{self.folder}/{name}.png"


def _texture(shape: Shape) -> Texture | None:
    return shape.texture if isinstance(shape, Mesh) else None


class _Inline(dict):
    """A mapping written on one line when it is short."""


class _Quoted(str):
    """Text that would be read as something else without quotes."""


def yaml_text(figure: Figure, meshes: MeshFiles | None = None) -> str:
    """The figure as YAML text, which stands alone; with `meshes` it refers to files for shapes of many points."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

    mapping, sequence, text = (f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str"))
    Dumper.add_representer(
        _Inline, lambda d, value: d.represent_mapping(mapping, value.items(), flow_style=len(str(value)) < LINE)
    )
    Dumper.add_representer(_Quoted, lambda d, value: d.represent_scalar(text, str(value), style='"'))
    Dumper.add_representer(
        list, lambda d, value: d.represent_sequence(sequence, value, flow_style=not any(map(_is_nested, value)))
    )
    return yaml.dump(figure_data(figure, meshes), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)


def figure_data(figure: Figure, meshes: MeshFiles | None = None) -> dict[str, Any]:
    """The figure as plain data, ready for YAML or JSON."""
    bodies = [_body(body, meshes) for body in figure.bodies]
    batteries = {"batteries": [_Inline(_changed(b)) for b in figure.batteries]} if figure.batteries else {}
    return {"gambol": "figure/1", "name": _text(figure.name), **batteries, "bodies": bodies}


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _text(value: str) -> str:
    return value if scalar(value) == value else _Quoted(value)


def _plain(value: Any) -> Any:
    """Whole numbers without a point, tuples as lists."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return _text(value) if isinstance(value, str) else value


def _changed(thing: Any, skip: Sequence[str] = ()) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    return {
        item.name: _plain(getattr(thing, item.name))
        for item in fields(thing)
        if item.name not in skip and getattr(thing, item.name) != item.default
    }


def _body(body: Body, meshes: MeshFiles | None) -> dict[str, Any]:
    data: dict[str, Any] = {"name": _text(body.name)}
    if body.parent is not None:
        data["parent"] = _text(body.parent)
    if body.joint != Joint():
        data["joint"] = _Inline(_changed(body.joint, ("motor",)))
        if body.joint.motor is not None:
            data["joint"]["motor"] = _Inline(_changed(body.joint.motor))
        if body.joint.parameters:
            data["joint"]["parameters"] = {name: _plain(value) for name, value in dict(body.joint.parameters).items()}
    data |= _placement(body.placement)
    if body.parts:
        data["parts"] = [_part(part, part.name or f"{body.name}_{k}", meshes) for k, part in enumerate(body.parts)]
    if body.mass is not None:
        data["mass"] = _mass(body.mass)
    return data


def _placement(placement: Placement) -> dict[str, Any]:
    data = _Inline(_changed(placement))
    if "rotation" in data:
        data["quaternion"] = data.pop("rotation")
    return {"placement": data} if data else {}


def _part(part: Part, wanted: str, meshes: MeshFiles | None) -> dict[str, Any]:
    file = meshes.name_for(part.shape, wanted) if meshes else ""
    texture = _texture(part.shape)
    if meshes and file:
        shape = _Inline(file=file)
        if picture := meshes.picture_for(part.shape):
            shape["texture"] = _Inline(file=picture)
    else:
        own = [item.name for item in fields(part.shape) if item.name != "texture"]
        shape = _Inline({name: _plain(getattr(part.shape, name)) for name in own})
        if texture is not None:
            shape["texture"] = {"image": b64encode(texture.image).decode("ascii"), "uv": _plain(texture.uv)}
    named = {"name": _text(part.name)} if part.name else {}
    skip = ["shape", "placement", "name"]
    if part.mass is not None:
        skip.append("density")  # the mass rules it
    return {**named, part.shape.kind: shape, **_placement(part.placement), **_changed(part, skip)}


def _mass(mass: Mass) -> dict[str, Any]:
    return _Inline(_changed(mass))
