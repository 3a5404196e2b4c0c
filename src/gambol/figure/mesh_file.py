"""Meshes in files: any format is read through trimesh, OBJ of our own is read and written here with every digit."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from gambol.figure.placement import Vector
from gambol.figure.shapes import Mesh
from gambol.figure.texture import Texture

OWN = "# points and triangles by gambol"  # first line of what is read as it stands: trimesh merges and sorts


def load_mesh(path: str | Path, scale: float | Sequence[float] = 1.0) -> Mesh:
    """The triangles of a mesh file (STL, OBJ, PLY, …), times `scale` (one factor, or one for each axis).

    Raises OSError or ValueError, with the reason, when it cannot be read.
    """
    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    vertices, faces = (_own_obj(Path(path)) or _any_format(path))[:2]
    if len(faces) == 0:
        raise ValueError("it has no triangles")
    if _reflects(scale):
        faces = faces[:, ::-1]  # a reflection turns the faces inside out
    return Mesh(_rows(vertices * np.asarray(scale, dtype=float)), _rows(faces))


def load_corners(path: str | Path, scale: float | Sequence[float] = 1.0) -> np.ndarray:
    """Where the corners of triangles lie on a picture (corners, 2; see Texture), of OBJ as `obj_text` writes it.

    Raises as `load_mesh` does.
    """
    own = _own_obj(Path(path))
    if own is None or len(own[2]) != len(own[1]):
        raise ValueError("it does not say where its triangles lie on a picture")
    return (own[2][:, ::-1] if _reflects(scale) else own[2]).reshape(-1, 2)


def _reflects(scale: float | Sequence[float]) -> bool:
    return bool(np.prod(np.broadcast_to(np.asarray(scale, dtype=float), 3)) < 0)


def load_points(path: str | Path, scale: float | Sequence[float] = 1.0) -> tuple[Vector, ...]:
    """The points of a mesh file, which needs no triangles. Raises as `load_mesh` does."""
    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    plain = _own_obj(Path(path))
    if plain is None:
        return load_mesh(path, scale).vertices
    return _rows(plain[0] * np.asarray(scale, dtype=float))


def obj_text(
    points: Iterable[Sequence[float]], faces: Iterable[Sequence[int]] = (), uv: Sequence[Sequence[float]] = ()
) -> str:
    """Points and triangles as OBJ, which `load_mesh` reads back to the last digit; `uv` as a Texture has it."""
    lines = [OWN, *(f"v {float(x)!r} {float(y)!r} {float(z)!r}" for x, y, z in points)]
    lines += [f"vt {float(u)!r} {1.0 - float(v)!r}" for u, v in uv]
    if uv:
        lines += [
            f"f {a + 1}/{k + 1} {b + 1}/{k + 2} {c + 1}/{k + 3}" for k, (a, b, c) in zip(range(0, len(uv), 3), faces)
        ]
    else:
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    return "\n".join(lines) + "\n"


def _rows(table: np.ndarray) -> Any:
    return tuple(map(tuple, table.tolist()))


def _own_obj(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Points, triangles, and where their corners lie on a picture (n, 3, 2), if anywhere; None for other files."""
    if path.suffix.lower() != ".obj":
        return None
    with path.open("rb") as file:
        if not file.readline().startswith(OWN.encode()):
            return None
    rows: dict[str, list[list[str]]] = {"v": [], "vt": [], "f": []}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        kind, *words = line.split()
        if len(words) != (2 if kind == "vt" else 3) or kind not in rows:
            raise ValueError(f"'{line[:40]}' is neither a point nor a triangle")
        rows[kind].append(words)
    faces = np.array([[word.partition("/")[0] for word in face] for face in rows["f"]], dtype=int).reshape(-1, 3) - 1
    places = np.array(rows["vt"], dtype=float).reshape(-1, 3, 2)
    places[..., 1] = 1.0 - places[..., 1]  # OBJ counts from the bottom
    return np.array(rows["v"], dtype=float).reshape(-1, 3), faces, places


def _any_format(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    import trimesh

    try:
        loaded: Any = trimesh.load_mesh(str(path))
    except (OSError, ValueError):
        raise
    except Exception as error:  # the parsers behind trimesh raise anything at all
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return np.asarray(loaded.vertices, dtype=float), np.asarray(loaded.faces, dtype=int)


# ---------------------------------------------------------------- colours
Colour = tuple[float, ...]
COLOURFUL = (".dae", ".glb", ".gltf", ".obj", ".ply")
COLOURS = 8  # areas of one colour that colours of triangles become, at most
LEVELS = 4  # shades of red, green and blue that are told apart
# Pictures that a file names: of what is seen, and of what is not shown here
NAMED = {".mtl": r"(?im)^\s*map_kd\s+(.+?)\s*$", ".dae": r"(?s)<image\b.*?<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<"}
UNSHOWN = {
    ".mtl": r"(?im)^\s*((?:map_(?!kd)\w+|bump|disp|refl|norm)\s+.+?)\s*$",
    ".dae": r"<(bump|ambient_occlusion)\b",
}


def load_coloured(
    path: str | Path,
    scale: float | Sequence[float] = 1.0,
    tell: Callable[[str, list[str]], None] = lambda kind, names: None,
) -> list[tuple[Mesh, Colour | None]]:
    """A mesh file in pieces of one colour (red, green, blue, opacity, 0 … 1; None where it says none).

    Each material is a piece, with its texture if it has one. `tell` is given what of the pictures is not shown, by kind
    and names. Raises as `load_mesh` does.
    """
    import trimesh

    whole = load_mesh(path, scale)
    if Path(path).suffix.lower() not in COLOURFUL:
        return [(whole, None)]
    try:
        scene: Any = trimesh.load(str(path), force="scene")
        pieces: list[tuple[Colour | None, np.ndarray, np.ndarray]] = []
        textured: list[tuple[Mesh, Colour | None]] = []
        for node in scene.graph.nodes_geometry:
            transform, name = scene.graph[node]
            own = scene.geometry[name]
            if (picture := _picture(getattr(own, "visual", None))) is not None:
                textured.append(_textured(transform, own, picture, scale))
            else:
                pieces += _pieces(transform, own)
    except Exception:  # what can be read as triangles need not be readable as a scene
        return [(whole, None)]
    _tell_of_pictures(Path(path), tell)
    factor = np.asarray(scale, dtype=float)
    found: dict[Colour | None, list[tuple[np.ndarray, np.ndarray]]] = {}
    for colour, vertices, faces in pieces:
        found.setdefault(colour, []).append((vertices * factor, faces[:, ::-1] if _reflects(scale) else faces))
    return [*((_joined(parts), colour) for colour, parts in found.items()), *textured] or [(whole, None)]


def _tell_of_pictures(path: Path, tell: Callable[[str, list[str]], None]) -> None:
    """Of pictures that a Collada or OBJ file names and that are not there, or are for something else than colour."""
    files = [path] if path.suffix.lower() == ".dae" else []
    if path.suffix.lower() == ".obj":
        with path.open(encoding="utf-8", errors="replace") as lines:
            files = [path.parent / line.split(maxsplit=1)[1].strip() for line in lines if line.startswith("mtllib ")]
    for file in filter(Path.is_file, files):
        text, kind = file.read_text(encoding="utf-8", errors="replace"), file.suffix.lower()
        for name in re.findall(NAMED.get(kind, "(?!)"), text):
            if not (file.parent / unquote(name.removeprefix("file://"))).is_file():
                tell("textures whose pictures are not there", [f"{name} of {path.name}"])
        if names := re.findall(UNSHOWN.get(kind, "(?!)"), text):
            tell("textures for something else than colour", [f"{name} of {path.name}" for name in names])


def _placed(transform: np.ndarray, mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    vertices = np.asarray(mesh.vertices, float) @ transform[:3, :3].T + transform[:3, 3]
    faces = np.asarray(mesh.faces, int)
    return vertices, faces[:, ::-1] if np.linalg.det(transform[:3, :3]) < 0 else faces


def _textured(transform: np.ndarray, mesh: Any, picture: Any, scale: Any) -> tuple[Mesh, Colour | None]:
    vertices, faces = _placed(transform, mesh)
    faces = faces[:, ::-1] if _reflects(scale) else faces
    uv = np.array(mesh.visual.uv, float)[faces]
    uv[..., 1] = 1.0 - uv[..., 1]  # trimesh counts from the bottom
    tint = getattr(mesh.visual.material, "baseColorFactor", None)
    texture = Texture.of(picture, uv, (255.0, 255.0, 255.0) if tint is None else tint)
    points = vertices * np.asarray(scale, dtype=float)
    return Mesh(_rows(points), _rows(faces), texture), (*texture.mean, 1.0)


def _pieces(transform: np.ndarray, mesh: Any) -> Iterator[tuple[Colour | None, np.ndarray, np.ndarray]]:
    vertices, faces = _placed(transform, mesh)
    for colour, rows in _by_colour(getattr(mesh, "visual", None), faces):
        yield colour, vertices, faces[rows]


def _picture(visual: Any) -> Any:
    """The texture of a mesh that says where on it its points lie; None where there is none."""
    material, uv = getattr(visual, "material", None), getattr(visual, "uv", None)
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    return image if uv is not None and len(uv) else None


def _by_colour(visual: Any, faces: np.ndarray) -> Iterator[tuple[Colour | None, np.ndarray]]:
    """Colours, and which faces have them."""
    every = np.arange(len(faces))
    material = getattr(visual, "material", None)
    if getattr(visual, "kind", None) in ("face", "vertex"):
        yield from _grouped(np.asarray(visual.face_colors, float) / 255.0)
    elif material is not None and getattr(material, "main_color", None) is not None:
        yield tuple(round(float(x) / 255.0, 4) for x in material.main_color), every
    else:
        yield None, every


def _grouped(colours: np.ndarray) -> Iterator[tuple[Colour, np.ndarray]]:
    """Rows of like colour together, each group with its mean; the rarest colours join the group nearest to them."""
    shades, which, counts = np.unique(
        np.floor(colours[:, :3] * (LEVELS - 1e-9)), axis=0, return_inverse=True, return_counts=True
    )
    kept = np.argsort(-counts, kind="stable")[:COLOURS]
    nearest = np.linalg.norm(shades[:, None] - shades[kept][None], axis=2).argmin(axis=1)[np.ravel(which)]
    for k in range(len(kept)):
        rows = np.flatnonzero(nearest == k)
        if len(rows):
            yield tuple(round(float(x), 4) for x in colours[rows].mean(axis=0)), rows


def _joined(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> Mesh:
    """Pieces as one mesh, without points that no triangle has."""
    firsts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    vertices = np.concatenate([vertices for vertices, _ in parts])
    faces = np.concatenate([faces + first for (_, faces), first in zip(parts, firsts)])
    used, own = np.unique(faces, return_inverse=True)
    return Mesh(_rows(vertices[used]), _rows(own.reshape(-1, 3)))
