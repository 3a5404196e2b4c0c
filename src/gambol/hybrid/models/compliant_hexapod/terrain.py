"""Terrains: the height of the ground and its slope at a place, for single worlds and packs.

surface(p, x, y) → (height [m], rise per length along x, along y)
"""

import math

from gambol.jit import function
from gambol.math.scalar import constant, sincos, sqrt, where_positive
from gambol.math.vector import Vec3


@function
def plane(p, x, y):
    """Flat ground, or a slope."""
    return p.ground + p.slope_x * x + p.slope_y * y, p.slope_x, p.slope_y


@function
def waves(p, x, y):
    """A plane with waves along x and along y."""
    height, along_x, along_y = plane(p, x, y)
    kx, ky = p.waves_x * (2.0 * math.pi), p.waves_y * (2.0 * math.pi)
    sin_x, cos_x = sincos(kx * x)
    sin_y, cos_y = sincos(ky * y)
    return (
        height + p.amplitude * (sin_x + sin_y),
        along_x + p.amplitude * kx * cos_x,
        along_y + p.amplitude * ky * cos_y,
    )


@function
def ditch(p, x, y):
    """A plane with a ditch across the way: upright walls, flat bottom."""
    height, along_x, along_y = plane(p, x, y)
    zero = constant(y, 0.0)
    inside = (y - p.ditch_start) * (p.ditch_start + p.ditch_width - y)
    return height - where_positive(inside, p.ditch_depth + zero, zero), along_x, along_y


@function
def unit_normal(along_x, along_y):
    """The unit normal of a ground with these slopes."""
    one = constant(along_x, 1.0)
    scale = one / sqrt(one + along_x * along_x + along_y * along_y)
    return Vec3(-along_x * scale, -along_y * scale, scale)
