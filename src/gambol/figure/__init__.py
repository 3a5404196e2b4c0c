"""Figures: immutable descriptions of articulated bodies, checked when they are made."""

from typing import TYPE_CHECKING, Any

from gambol.errors import FigureError
from gambol.figure.body import Body, Part
from gambol.figure.builders import box_figure, chain, random_figure, random_positions
from gambol.figure.figure import Figure
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.placement import Placement
from gambol.figure.shapes import SHAPES, Box, Capsule, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from gambol.figure.imports import FigureImportWarning
    from gambol.figure.mesh_file import load_mesh
    from gambol.figure.mirror import mirror_positions
    from gambol.figure.mjcf import read_mjcf
    from gambol.figure.reroot import reroot_positions
    from gambol.figure.schema import figure_schema
    from gambol.figure.urdf import read_urdf
    from gambol.figure.yaml_reader import parse_yaml, read_yaml
    from gambol.figure.yaml_writer import yaml_text

# Loaded when first used, because they bring pydantic, YAML and the foreign parsers.
_LATER = {
    "FigureImportWarning": "imports",
    "figure_schema": "schema",
    "load_mesh": "mesh_file",
    "mirror_positions": "mirror",
    "parse_yaml": "yaml_reader",
    "read_mjcf": "mjcf",
    "read_urdf": "urdf",
    "read_yaml": "yaml_reader",
    "reroot_positions": "reroot",
    "yaml_text": "yaml_writer",
}

__all__ = [
    "JOINT_TYPES",
    "SHAPES",
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Figure",
    "FigureError",
    "FigureImportWarning",
    "Hull",
    "Joint",
    "Mass",
    "Mesh",
    "Part",
    "Placement",
    "Shape",
    "Sphere",
    "box_figure",
    "chain",
    "figure_schema",
    "load_mesh",
    "mirror_positions",
    "parse_yaml",
    "random_figure",
    "random_positions",
    "read_mjcf",
    "read_urdf",
    "read_yaml",
    "reroot_positions",
    "yaml_text",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
