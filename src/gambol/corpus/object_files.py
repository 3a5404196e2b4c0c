"""Object files: the polygon text format of the sources (.asc), and what trimesh reads (.obj, .stl, .ply, .off).

The text format: a line with the numbers of points and of polygons, a line `x y z` for each point, then for each
polygon a line `count index …` with indices from 1, counter-clockwise from outside. `#` begins a comment line.
"""

from pathlib import Path

import numpy as np

from gambol.corpus.geometry import Geometry
from gambol.errors import CommandError

BINARY = (".obj", ".stl", ".ply", ".off")


def read_object(path: Path) -> Geometry:
    """The geometry of an object file; an error that says what is wrong with it."""
    if path.suffix.lower() in BINARY:
        return _through_trimesh(path)
    rows = [row.split() for row in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    rows = [row for row in rows if row and not row[0].startswith("#")]
    try:
        return _parsed(rows)
    except (ValueError, IndexError) as error:
        raise CommandError(
            f"{path.name} is not an object file (points, polygons; see docs/corpus.md): {error}"
        ) from None


def _parsed(rows: list[list[str]]) -> Geometry:
    points, polygons = int(rows[0][0]), int(rows[0][1])
    if len(rows) < 1 + points + polygons:
        raise ValueError(f"it has {len(rows) - 1} rows, {points} points and {polygons} polygons were announced")
    vertices = np.array([[float(x) for x in row[:3]] for row in rows[1 : 1 + points]])
    if vertices.shape != (points, 3):
        raise ValueError("a point needs three numbers")
    faces: list[tuple[int, ...]] = []
    for row in rows[1 + points : 1 + points + polygons]:
        corners = tuple(int(word) - 1 for word in row[1 : 1 + int(row[0])])
        if len(corners) < 3 or not all(0 <= c < points for c in corners):
            raise ValueError(f"polygon {len(faces) + 1} must name at least 3 points from 1 to {points}")
        faces.append(corners)
    return Geometry(vertices, tuple(faces))


def _through_trimesh(path: Path) -> Geometry:
    from gambol.figure.mesh_file import load_mesh

    mesh = load_mesh(path)
    return Geometry(np.array(mesh.vertices), mesh.faces)


def object_text(vertices: np.ndarray, faces) -> str:
    """An object in the text format."""
    lines = [f"{len(vertices)} {len(faces)}"]
    lines += [" ".join(repr(float(x)) for x in point) for point in vertices]
    lines += [" ".join(str(n) for n in (len(face), *(c + 1 for c in face))) for face in faces]
    return "\n".join(lines) + "\n"
