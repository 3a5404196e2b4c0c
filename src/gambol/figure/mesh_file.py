"""Meshes in files: any format is read through trimesh, OBJ of our own is read and written here with every digit."""

from collections.abc import Iterable, Sequence
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
