"""`gambol.load`: whatever a file holds, by its suffix."""

from pathlib import Path
from typing import Any, TypeVar, overload

from gambol.errors import GambolError, UnknownNameError, nearest
from gambol.export.bvh_reader import TargetMotion
from gambol.figure.figure import Figure
from gambol.figure.files import MJCF, YAML
from gambol.figure.mesh_file import load_mesh
from gambol.figure.shapes import Mesh
from gambol.motion.data import Coordinates, Markers
from gambol.motion.reading import MOTIONS, read_motion
from gambol.record.recording import Recording

Loaded = Figure | Recording | TargetMotion | Markers | Coordinates | Mesh
"""What a file may hold."""

READERS: dict[str, Any] = {
    **dict.fromkeys((*YAML, ".urdf", *MJCF), Figure.read),
    ".gambol": Recording.open,
    **dict.fromkeys(MOTIONS, read_motion),
    **dict.fromkeys((".stl", ".obj", ".ply"), load_mesh),
}
T = TypeVar("T", Figure, Recording, TargetMotion, Markers, Coordinates, Mesh)


@overload
def load(path: str | Path) -> Loaded: ...
@overload
def load(path: str | Path, kind: type[T]) -> T: ...
def load(path: str | Path, kind: type[Any] | None = None) -> Any:
    """Reads a file, by its suffix.

    .yaml .yml .urdf .xml .mjcf   a Figure
    .gambol                       a Recording
    .bvh                          a TargetMotion (lengths in metres; `gambol.export.read_bvh` scales others)
    .c3d .trc                     Markers (`gambol.motion.read_motion` has options)
    .mot .sto .csv                Coordinates, or Markers
    .stl .obj .ply                a Mesh

    kind   what it must be, for type checkers and for people: load("walk.gambol", gambol.Recording)
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise UnknownNameError(f"{path}: no reader for the suffix {suffix!r}{nearest(suffix, READERS)}")
    try:
        found = READERS[suffix](path)
    except (OSError, ValueError) as error:
        raise GambolError(f"{path}: cannot be read: {error}") from error
    if kind is not None and not isinstance(found, kind):
        raise GambolError(f"{path} holds a {type(found).__name__}, not a {kind.__name__}")
    return found
