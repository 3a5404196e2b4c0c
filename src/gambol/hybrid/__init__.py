"""Hybrid systems: smooth motion on charts, events at their boundaries, transitions between them."""

from gambol.hybrid.changes import Changes, ChartChange
from gambol.hybrid.orbit import Coordinates, NoOrbit, Orbit, find_orbit, keeping
from gambol.hybrid.path import HybridPath
from gambol.hybrid.return_map import Landing, NoReturn, ReturnMap
from gambol.hybrid.run import HybridRun
from gambol.hybrid.section import Section
from gambol.hybrid.system import Boundary, Chart, HybridSystem

__all__ = [
    "Boundary",
    "Changes",
    "Chart",
    "ChartChange",
    "Coordinates",
    "HybridPath",
    "HybridRun",
    "HybridSystem",
    "Landing",
    "NoOrbit",
    "NoReturn",
    "Orbit",
    "ReturnMap",
    "Section",
    "find_orbit",
    "keeping",
]
