"""Hybrid systems: smooth motion on charts, events at their boundaries, transitions between them."""

from gambol.hybrid.chart_changes import ChartChange, ChartChanges
from gambol.hybrid.orbit import NoOrbit, Orbit, OrbitCoordinates, find_orbit, select_states
from gambol.hybrid.return_map import NoReturn, ReturnedPoints, ReturnMap
from gambol.hybrid.run import HybridRun
from gambol.hybrid.section import Section
from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem
from gambol.hybrid.trajectory import HybridTrajectory

__all__ = [
    "Chart",
    "ChartBoundary",
    "ChartChange",
    "ChartChanges",
    "HybridRun",
    "HybridSystem",
    "HybridTrajectory",
    "NoOrbit",
    "NoReturn",
    "Orbit",
    "OrbitCoordinates",
    "ReturnMap",
    "ReturnedPoints",
    "Section",
    "find_orbit",
    "select_states",
]
