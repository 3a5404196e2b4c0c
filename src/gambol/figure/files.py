"""Figure files of every format, by their suffix."""

import re
from pathlib import Path
from typing import Any

from gambol.errors import Fault, FigureError
from gambol.figure.figure import Figure

YAML = (".yaml", ".yml")
MJCF = (".xml", ".mjcf")
LONGEST_NAME = 100  # characters


def file_name(name: str) -> str:
    """A name that came with a file as the name of a file: no folders, no hidden files, nothing a shell would obey."""
    return re.sub(r"[^\w +.-]+", "-", name)[:LONGEST_NAME].strip(" .-") or "unnamed"


def read(path: str | Path, **options: Any) -> Figure:
    """Read a figure; `options` go to the reader of the format (see `read_urdf`, `read_mjcf`)."""
    path = Path(path)
    suffix = path.suffix.lower()
    if not path.is_file():
        raise FigureError([Fault("no such file", str(path))])
    if suffix in YAML:
        from gambol.figure.yaml_reader import read_yaml

        return read_yaml(path, **options)
    if suffix == ".urdf":
        from gambol.figure.urdf import read_urdf

        return read_urdf(path, **options)
    if suffix in MJCF:
        from gambol.figure.mjcf import read_mjcf

        return read_mjcf(path, **options)
    raise FigureError([Fault(f"unknown suffix '{suffix}' (allowed: {', '.join((*YAML, '.urdf', *MJCF))})", str(path))])


def write(figure: Figure, path: str | Path) -> list[Path]:
    """Write a figure as YAML, shapes of many points and textures as files in a folder beside it; returns all files."""
    path = Path(path)
    if path.suffix.lower() not in YAML:
        message = f"figures are written as YAML; the suffix must be one of {', '.join(YAML)}"
        raise FigureError([Fault(message, str(path))])
    from gambol.figure.yaml_writer import MeshFiles, yaml_text

    folder = path.with_name(f"{path.stem}_meshes")
    meshes = MeshFiles(folder.name)
    path.write_text(yaml_text(figure, meshes), encoding="utf-8")
    written = [path]
    for name, text in meshes.texts.items():
        folder.mkdir(exist_ok=True)
        written.append(folder / f"{name}.obj")
        written[-1].write_text(text, encoding="ascii")
    for name, image in meshes.pictures.items():
        written.append(folder / f"{name}.png")
        written[-1].write_bytes(image)
    return written
