"""Figures: immutable descriptions of articulated bodies, checked when they are made."""

from gambol.figure.body import Body, Part
from gambol.figure.builders import box_figure, chain, random_figure, random_positions
from gambol.figure.figure import Figure
from gambol.figure.joint import Joint
from gambol.figure.joints import JOINT_TYPES
from gambol.figure.mass import Mass
from gambol.figure.placement import Placement
from gambol.figure.shapes import SHAPES, Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere
