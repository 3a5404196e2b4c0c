"""Reads figure files in YAML. Every fault of a file is reported at once, each with its line."""

import math
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path as FilePath
from typing import Any

from gambol.errors import Fault, FigureError
from gambol.figure.actuators import BatteryConstants, MotorConstants
from gambol.figure.body import Body, Part
from gambol.figure.document import Document, Path, parse, read
from gambol.figure.figure import Figure
from gambol.figure.joint import Joint
from gambol.figure.mass import Mass
from gambol.figure.placement import IDENTITY, Placement
from gambol.figure.shapes import SHAPES, Mesh, Shape, Sphere
from gambol.figure.structure import structure_faults
from gambol.figure.texture import Texture
from gambol.figure.validation import figure_problems

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
STAND_IN = Sphere(1.0)
"""Takes the place of a shape that could not be read, so that the rest can still be checked."""


def read_yaml(path: str | FilePath) -> Figure:
    """Read a figure file; FigureError lists every fault as `file:line: …`."""
    return _figure_of(read(path), FilePath(path).parent)


def parse_yaml(text: str, file: str = "<text>", folder: str | FilePath | None = ".") -> Figure:
    """Read a figure from YAML text; mesh files are looked for in `folder`, with None they are refused."""
    return _figure_of(parse(text, file), None if folder is None else FilePath(folder))


def figure_from_data(data: Any, file: str = "<data>") -> Figure:
    """The figure of plain data, as `figure_data` makes it; no files are read."""
    return _figure_of(Document(file, data), None)


def _pairs(table: Any) -> tuple[tuple[float, float], ...]:
    return tuple(map(tuple, table.tolist()))


def _figure_of(document: Document, folder: FilePath | None) -> Figure:
    if document.data is None:
        raise FigureError(document.faults or [Fault("the file is empty", file=document.file, line=1)])
    figure, faults = _Reader(document, folder).read()
    faults = sorted((*document.faults, *faults), key=lambda fault: fault.line)
    if faults:
        raise FigureError(faults)
    return Figure(*figure)


class _Reader:
    """Builds bodies from what is sound in a document, and collects the faults of the rest."""

    def __init__(self, document: Document, folder: FilePath | None):
        self.document = document
        self.folder = folder
        self.bad: set[Path] = set()
        self.faults: list[Fault] = []

    def read(self) -> tuple[tuple[Any, ...], list[Fault]]:
        data = self.document.data
        for path, message in structure_faults(data):
            self.fault(path, message)
        if not isinstance(data, dict):
            return (), self.faults
        raw = data.get("bodies")
        listed = [(index, item) for index, item in enumerate(raw if isinstance(raw, list) else [])]
        kept = [(index, item) for index, item in listed if isinstance(item, dict)]
        roots = [item.get("name") for _, item in kept if item.get("parent") is None]
        bodies = tuple(self.body(item, ("bodies", index), roots) for index, item in kept)
        name = data.get("name", "figure") if self.sound(("name",)) else "figure"
        packs = data.get("batteries")
        packs = packs if isinstance(packs, list) else []
        batteries = tuple(self.battery(item, ("batteries", index)) for index, item in enumerate(packs))
        for path, fault in figure_problems(name, bodies, batteries):
            own = path[0] == "bodies" and len(path) > 1
            self.meaning(("bodies", kept[int(path[1])][0], *path[2:]) if own else path, fault)
        return (name, bodies, batteries), self.faults

    def fault(self, path: Path, message: str) -> None:
        """A structural fault; what it concerns is not looked at again."""
        self.bad.add(tuple(path))
        self.faults.append(Fault(message, self.where(path), self.document.file, self.document.line(path)))

    def meaning(self, path: Path, fault: Fault) -> None:
        """A fault found by the figure itself, unless the structure was at fault at that very place."""
        if path[2:] == ("placement", "rotation") or path[4:] == ("placement", "rotation"):
            given = [key for key in ("quaternion", "rotate", "euler") if (*path[:-1], key) in self.document.lines]
            path = (*path[:-1], *given[:1])
        about_mass = len(path) == 2 and not (self.sound((*path, "parts")) and self.sound((*path, "mass")))
        if not about_mass and not any(path[: len(bad)] == bad for bad in self.bad):
            line = self.document.line(path)
            self.faults.append(Fault(fault.message, fault.where, self.document.file, line))

    def where(self, path: Sequence[str | int]) -> str:
        if len(path) < 2 or path[0] != "bodies":
            return ""
        body = self.document.data["bodies"][int(path[1])]
        name = body.get("name") if isinstance(body, dict) else None
        return name if isinstance(name, str) and name.strip() else f"body {path[1]}"

    def sound(self, path: Path) -> bool:
        """Is nothing wrong at `path` or below it?"""
        return not any(bad[: len(path)] == path for bad in self.bad)

    def kept(self, raw: Any, path: Path) -> dict[str, Any]:
        """The sound entries of a mapping."""
        if not isinstance(raw, dict):
            return {}
        return {key: value for key, value in raw.items() if self.sound((*path, key))}

    def body(self, raw: dict[str, Any], path: Path, roots: list[Any]) -> Body:
        parent = raw.get("parent")
        if not self.sound((*path, "parent")):
            parent = next((name for name in roots if isinstance(name, str)), None)
        mass = None
        if "mass" in raw and raw["mass"] is not None:
            mass = Mass(**{"mass": 1.0, **self.kept(raw["mass"], (*path, "mass"))})
        parts = raw.get("parts") if isinstance(raw.get("parts"), list) else []
        if not self.sound((*path, "parts")) and not parts and mass is None:
            mass = Mass.point(1.0)
        return Body(
            str(raw.get("name", f"body {path[1]}")),
            parent,
            self.joint(raw.get("joint"), (*path, "joint")),
            self.placement(raw.get("placement"), (*path, "placement")),
            tuple(self.part(item, (*path, "parts", index)) for index, item in enumerate(parts or ())),
            mass,
        )

    def joint(self, raw: Any, path: Path) -> Joint:
        """A joint; of a motor that is not sound, what is."""
        own = {key: value for key, value in self.kept(raw, path).items() if key != "motor"}
        if not isinstance(raw, dict) or not isinstance(raw.get("motor"), dict):
            return Joint(**own)
        motor = self.kept(raw["motor"], (*path, "motor"))
        return Joint(**own, motor=MotorConstants(**{"torque_constant": 1.0, "resistance": 1.0} | motor))

    def battery(self, raw: Any, path: Path) -> BatteryConstants:
        """A battery; of one that is not sound, what is."""
        stand_in: dict[str, Any] = {"name": f"battery {path[1]}", "voltage": 1.0}
        return BatteryConstants(**stand_in | self.kept(raw, path))

    def placement(self, raw: Any, path: Path) -> Placement:
        sound = self.kept(raw, path)
        position = tuple(sound.get("position", (0.0, 0.0, 0.0)))
        given = [key for key in ("quaternion", "rotate", "euler") if isinstance(raw, dict) and key in raw]
        if len(given) != 1 or given[0] not in sound:
            return Placement(position)
        values = sound[given[0]]
        if given[0] == "quaternion":
            return Placement(position, tuple(values))
        if given[0] == "euler":
            roll, pitch, yaw = map(math.radians, values)
            return Placement.euler(roll, pitch, yaw, position)
        turn = IDENTITY
        for axis, degrees in values:
            turn = turn.compose(Placement.about(AXES[axis] if isinstance(axis, str) else axis, math.radians(degrees)))
        return Placement(position, turn.rotation)

    def part(self, raw: Any, path: Path) -> Part:
        sound = self.kept(raw, path)
        kinds = [kind for kind in SHAPES if isinstance(raw, dict) and raw.get(kind) is not None]
        shape = self.shape(kinds[0], raw[kinds[0]], path) if len(kinds) == 1 else STAND_IN
        plain = {key: sound[key] for key in sound if key not in SHAPES and key != "placement"}
        placement = self.placement(raw.get("placement") if isinstance(raw, dict) else None, (*path, "placement"))
        return Part(shape, placement, **plain)

    def shape(self, kind: str, raw: Any, path: Path) -> Shape:
        if not isinstance(raw, dict) or (kind in ("hull", "mesh") and not self.sound((*path, kind))):
            return STAND_IN
        if "file" in raw and not isinstance(raw["file"], str):
            return STAND_IN
        if "file" in raw:
            shape = self.mesh_file(kind, raw, (*path, kind))
        else:
            own = [item for item in fields(SHAPES[kind]) if item.default is MISSING]
            filling = {item.name: (1.0, 1.0, 1.0) if item.type == "Vector" else 1.0 for item in own}
            sound = self.kept(raw, (*path, kind))
            shape = SHAPES[kind](**{**filling, **{key: sound[key] for key in sound if key != "texture"}})
        return self.with_texture(shape, raw, (*path, kind)) if isinstance(shape, Mesh) else shape

    def with_texture(self, mesh: Mesh, raw: dict[str, Any], path: Path) -> Mesh:
        """A mesh with what lies over it."""
        from gambol.figure.mesh_file import load_corners

        texture = raw.get("texture")
        if not isinstance(texture, dict):
            return mesh
        try:
            if "file" not in texture:
                uv = tuple((float(u), float(v)) for u, v in texture["uv"])
                return replace(mesh, texture=Texture(b64decode(texture["image"], validate=True), uv))
            if self.folder is None or "file" not in raw:
                raise ValueError("a picture in a file lies over a mesh in a file")
            corners = load_corners(self.folder / raw["file"], raw.get("scale", 1.0))
            return replace(mesh, texture=Texture((self.folder / texture["file"]).read_bytes(), _pairs(corners)))
        except (OSError, ValueError, KeyError) as error:
            self.fault((*path, "texture"), f"cannot read the texture: {error}")
            return mesh

    def mesh_file(self, kind: str, raw: dict[str, Any], path: Path) -> Shape:
        from gambol.figure.mesh_file import load_mesh, load_points

        if self.folder is None:
            self.fault((*path, "file"), f"the mesh file '{raw['file']}' is not read: this text stands alone")
            return STAND_IN
        try:
            where, scale = self.folder / raw["file"], raw.get("scale", 1.0)
            if kind == "hull":
                return SHAPES["hull"](load_points(where, scale))  # type: ignore[call-arg]
            return load_mesh(where, scale)
        except (OSError, ValueError) as error:
            self.fault((*path, "file"), f"cannot read the mesh file '{raw['file']}': {error}")
            return STAND_IN
