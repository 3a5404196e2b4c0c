"""Meshes from files, through trimesh."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gambol.figure.shapes import Mesh


def load_mesh(path: str | Path, scale: float | Sequence[float] = 1.0) -> Mesh:
    """The triangles of a mesh file (STL, OBJ, PLY, …), times `scale` (one factor, or one for each axis).

    Raises OSError or ValueError, with the reason, when it cannot be read.
    """
    import trimesh

    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    try:
        loaded: Any = trimesh.load_mesh(str(path))
    except (OSError, ValueError):
        raise
    except Exception as error:  # the parsers behind trimesh raise anything at all
        raise ValueError(f"{type(error).__name__}: {error}") from error
    vertices = np.asarray(loaded.vertices, dtype=float) * np.asarray(scale, dtype=float)
    faces = np.asarray(loaded.faces, dtype=int)
    if len(faces) == 0:
        raise ValueError("it has no triangles")
    if np.prod(np.broadcast_to(np.asarray(scale, dtype=float), 3)) < 0:
        faces = faces[:, ::-1]  # a reflection turns the faces inside out
    return Mesh(tuple(map(tuple, vertices.tolist())), tuple(map(tuple, faces.tolist())))
