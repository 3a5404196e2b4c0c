"""Meshes in files: any format is read through trimesh, OBJ of our own is read and written here with every digit."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gambol.figure.placement import Vector
from gambol.figure.shapes import Mesh

OWN = "# points and triangles by gambol"  # first line of what is read as it stands: trimesh merges and sorts


def load_mesh(path: str | Path, scale: float | Sequence[float] = 1.0) -> Mesh:
    """The triangles of a mesh file (STL, OBJ, PLY, …), times `scale` (one factor, or one for each axis).

    Raises OSError or ValueError, with the reason, when it cannot be read.
    """
    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    vertices, faces = _own_obj(Path(path)) or _any_format(path)
    if len(faces) == 0:
        raise ValueError("it has no triangles")
    if np.prod(np.broadcast_to(np.asarray(scale, dtype=float), 3)) < 0:
        faces = faces[:, ::-1]  # a reflection turns the faces inside out
    return Mesh(_rows(vertices * np.asarray(scale, dtype=float)), _rows(faces))


def load_points(path: str | Path, scale: float | Sequence[float] = 1.0) -> tuple[Vector, ...]:
    """The points of a mesh file, which needs no triangles. Raises as `load_mesh` does."""
    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    plain = _own_obj(Path(path))
    if plain is None:
        return load_mesh(path, scale).vertices
    return _rows(plain[0] * np.asarray(scale, dtype=float))


def obj_text(points: Iterable[Sequence[float]], faces: Iterable[Sequence[int]] = ()) -> str:
    """Points and triangles as OBJ, which `load_mesh` reads back to the last digit."""
    lines = [OWN, *(f"v {float(x)!r} {float(y)!r} {float(z)!r}" for x, y, z in points)]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    return "\n".join(lines) + "\n"


def _rows(table: np.ndarray) -> Any:
    return tuple(map(tuple, table.tolist()))


def _own_obj(path: Path) -> tuple[np.ndarray, np.ndarray] | None:
    """Points and triangles of an OBJ file that was written here; None for any other."""
    if path.suffix.lower() != ".obj":
        return None
    with path.open("rb") as file:
        if not file.readline().startswith(OWN.encode()):
            return None
    rows: dict[str, list[list[str]]] = {"v": [], "f": []}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        kind, *words = line.split()
        if kind not in rows or len(words) != 3:
            raise ValueError(f"'{line[:40]}' is neither a point nor a triangle")
        rows[kind].append(words)
    faces = np.array(rows["f"], dtype=int).reshape(-1, 3) - 1
    return np.array(rows["v"], dtype=float).reshape(-1, 3), faces


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
COLOURS = 8  # areas of one colour that a texture becomes, at most
LEVELS = 4  # shades of red, green and blue that are told apart


def load_coloured(
    path: str | Path,
    scale: float | Sequence[float] = 1.0,
    tell: Callable[[list[str]], None] = lambda names: None,
) -> list[tuple[Mesh, Colour | None]]:
    """A mesh file in pieces of one colour (red, green, blue, opacity, 0 … 1; None where it says none).

    Each material is a piece; a texture becomes some, by the colour that it has in the middle of each triangle, and
    `tell` is given the file's name. Raises as `load_mesh` does.
    """
    import trimesh

    whole = load_mesh(path, scale)
    if Path(path).suffix.lower() not in COLOURFUL:
        return [(whole, None)]
    try:
        scene: Any = trimesh.load(str(path), force="scene")
        pieces: list[tuple[Colour | None, np.ndarray, np.ndarray]] = []
        for node in scene.graph.nodes_geometry:
            transform, name = scene.graph[node]
            pieces += _pieces(transform, scene.geometry[name])
            if _picture(getattr(scene.geometry[name], "visual", None)) is not None:
                tell([Path(path).name])
    except Exception:  # what can be read as triangles need not be readable as a scene
        return [(whole, None)]
    factor = np.asarray(scale, dtype=float)
    turned = np.prod(np.broadcast_to(factor, 3)) < 0
    found: dict[Colour | None, list[tuple[np.ndarray, np.ndarray]]] = {}
    for colour, vertices, faces in pieces:
        found.setdefault(colour, []).append((vertices * factor, faces[:, ::-1] if turned else faces))
    return [(_joined(parts), colour) for colour, parts in found.items()] or [(whole, None)]


def _pieces(transform: np.ndarray, mesh: Any) -> Iterator[tuple[Colour | None, np.ndarray, np.ndarray]]:
    vertices = np.asarray(mesh.vertices, float) @ transform[:3, :3].T + transform[:3, 3]
    faces = np.asarray(mesh.faces, int)
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
    material, image = getattr(visual, "material", None), _picture(visual)
    if image is not None:
        middles = np.asarray(visual.uv, float)[faces].mean(axis=1)
        yield from _areas(np.asarray(image.convert("RGBA"), float) / 255.0, middles)
    elif getattr(visual, "kind", None) in ("face", "vertex"):
        yield from _grouped(np.asarray(visual.face_colors, float) / 255.0)
    elif material is not None and getattr(material, "main_color", None) is not None:
        yield tuple(round(float(x) / 255.0, 4) for x in material.main_color), every
    else:
        yield None, every


def _areas(image: np.ndarray, uv: np.ndarray) -> Iterator[tuple[Colour, np.ndarray]]:
    """Faces by what the picture has at their middles; v counts from the bottom, and the picture repeats."""
    height, width = image.shape[:2]
    column = np.floor(uv[:, 0] % 1.0 * width).astype(int).clip(0, width - 1)
    row = np.floor((1.0 - uv[:, 1]) % 1.0 * height).astype(int).clip(0, height - 1)
    yield from _grouped(image[row, column])


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
