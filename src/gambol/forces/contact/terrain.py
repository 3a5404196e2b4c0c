"""The ground: a height over the (x, y) plane and its exact slope.

Every terrain is a sloping plane, height = level + slope_x x + slope_y y, plus a shape. Its numbers are the first block
of a world's parameters, so every world of a batch may stand on its own ground (of the same kind of shape).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import Fault
from gambol.jit import choice, entry, function, outlined
from gambol.math.scalar import (
    constant,
    floor,
    lanes_of,
    load,
    load_lane,
    maximum,
    minimum,
    sincos,
    store,
    store_lane,
    where_positive,
)

# Slots of the terrain's block in the parameters
SHAPE, LEVEL, SLOPE_X, SLOPE_Y, FIRST_NUMBER, STEEPNESS, TERRAIN = 0, 1, 2, 3, 4, 11, 12
NUMBERS = {"level": LEVEL, "slope_x": SLOPE_X, "slope_y": SLOPE_Y}
RAMPS: dict[str, int] = {}
TWO_PI = 2.0 * math.pi
PLANE = 0  # of the shapes
ENDLESS_FLIGHT = 1e9  # steps of stairs without end
SPARE = 5  # cells of room that `ground_at` needs
GOLDEN = 2.399963229728653  # [rad]: directions of a fractal's waves that never repeat


@dataclass(frozen=True, kw_only=True)
class Terrain:
    """A sloping plane: level [m], slope_x and slope_y (rise over run)."""

    level: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0

    shape = PLANE
    positive: ClassVar[tuple[str, ...]] = ()  # fields that must be

    def numbers(self, first: int) -> list[float]:
        """What the shape adds to the block; its table of heights begins at `first`."""
        return []

    def heights(self) -> np.ndarray:
        """The table of a grid; empty for the others."""
        return np.zeros(0)

    def shape_steepness(self) -> float:
        """The largest slope of the shape."""
        return 0.0

    def block(self, first: int = 0) -> list[float]:
        """The terrain's numbers in a world's parameters."""
        block = [float(self.shape), self.level, self.slope_x, self.slope_y, *self.numbers(first)]
        block += [0.0] * (STEEPNESS - len(block))
        return [float(x) for x in (*block, self.shape_steepness())]

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with its numbers."""
        for name, value in vars(self).items():
            if isinstance(value, float | int) and not math.isfinite(value):
                yield Fault(f"{name} must be finite, it is {value}", "terrain")
            elif name in self.positive and not value > 0:
                yield Fault(f"{name} must be positive, it is {value}", "terrain")

    def height(self, x: float, y: float) -> float:
        """Height of the ground at (x, y) [m]."""
        return self.ground(x, y)[0]

    def ground(self, x: float, y: float) -> tuple[float, float, float]:
        """Height at (x, y) [m] and its slopes along x and y."""
        height, slope_x, slope_y = self._grounds([[x, y]])[0]
        return float(height), float(slope_x), float(slope_y)

    def heights_at(self, points: ArrayLike) -> np.ndarray:
        """Heights of the ground [m] at many points (x, y) at once, shape (n, 2)."""
        if self.shape == PLANE and not (self.slope_x or self.slope_y):
            return self.level + 0.0 * np.asarray(points, float).sum(axis=1)
        return self._grounds(points)[:, 0]

    def heights_over(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights over a rectangular net of points, shape (len(x), len(y)) [m], for drawing."""
        return self.heights_at(np.array(np.meshgrid(x, y, indexing="ij")).reshape(2, -1).T).reshape(len(x), len(y))

    def _grounds(self, points: ArrayLike) -> np.ndarray:
        """Height and slopes along x and y at each point."""
        at = np.ascontiguousarray(points, dtype=float)
        found = np.empty((len(at), 3))
        ground_of(np.array(self.block()), self.heights(), at, found, np.zeros(SPARE))
        return found


@dataclass(frozen=True, kw_only=True)
class Waves(Terrain):
    """amplitude (sin 2π x/length_x + sin 2π y/length_y); a length of 0 leaves its wave out. All in [m]."""

    amplitude: float = 0.0
    length_x: float = 1.0
    length_y: float = 0.0

    shape = 1

    def numbers(self, first: int) -> list[float]:
        """Its numbers in the order of the kernels."""
        return [self.amplitude, *self._wave_numbers()]

    def _wave_numbers(self) -> list[float]:
        return [TWO_PI / length if length else 0.0 for length in (self.length_x, self.length_y)]

    def shape_steepness(self) -> float:
        """Largest slope of the shape itself."""
        return abs(self.amplitude) * math.hypot(*self._wave_numbers())


@dataclass(frozen=True, kw_only=True)
class Ditch(Terrain):
    """A ditch across x: from `start`, `width` wide, `depth` deep, with walls that run out over `edge` [m]."""

    start: float
    width: float
    depth: float
    edge: float = 1e-3

    shape = 2
    positive = ("width", "edge")

    def numbers(self, first: int) -> list[float]:
        """Its numbers in the order of the kernels."""
        return [self.start, self.width, self.depth, self.edge]

    def shape_steepness(self) -> float:
        """Largest slope of the shape itself."""
        return abs(self.depth) / self.edge


@dataclass(frozen=True, kw_only=True)
class Stairs(Terrain):
    """Steps up along x from `start`: each `length` long and `rise` high, with risers over `edge` [m]; down: rise < 0.

    steps   how many risers there are, with a landing behind the last; 0: without end
    """

    start: float
    length: float
    rise: float
    edge: float = 1e-3
    steps: int = 0

    shape = 3
    positive = ("length", "edge")

    def numbers(self, first: int) -> list[float]:
        """Its numbers in the order of the kernels."""
        return [self.start, self.length, self.rise, self.edge, float(self.steps) or ENDLESS_FLIGHT]

    def faults(self) -> Iterator[Fault]:
        """Also: so many whole steps."""
        yield from super().faults()
        if not (self.steps >= 0 and float(self.steps).is_integer()):
            yield Fault(f"steps must be a whole number, 0 or more, it is {self.steps}", "terrain")

    def shape_steepness(self) -> float:
        """Largest slope of the shape itself."""
        return abs(self.rise) / self.edge


@dataclass(frozen=True, kw_only=True)
class Rough(Terrain):
    """Fractal ground: `octaves` waves of falling length, the first `length` [m] long and `amplitude` [m] high.

    Each next wave is half as long and `roughness` times as high; `seed` turns and shifts them.
    """

    amplitude: float
    length: float
    octaves: int = 5
    roughness: float = 0.5
    seed: float = 0.0

    shape = 4
    positive = ("length", "octaves")

    def numbers(self, first: int) -> list[float]:
        """Its numbers in the order of the kernels."""
        return [self.amplitude, TWO_PI / self.length, float(self.octaves), self.roughness, self.seed]

    def faults(self) -> Iterator[Fault]:
        """Also: so many whole waves."""
        yield from super().faults()
        if not float(self.octaves).is_integer():
            yield Fault(f"octaves must be a whole number, it is {self.octaves}", "terrain")

    def shape_steepness(self) -> float:
        """Largest slope of the shape itself."""
        first = abs(self.amplitude) * TWO_PI / self.length
        return first * sum((2.0 * self.roughness) ** k for k in range(self.octaves))


@dataclass(frozen=True, kw_only=True)
class Grid(Terrain):
    """A table of heights [m] at spacing `cell` [m], table[i][j] at (x0 + i cell, y0 + j cell), on triangles.

    Cells are cut along the diagonal from (0, 0) to (1, 1). Beyond the table its edge goes on level.
    """

    table: tuple[tuple[float, ...], ...]
    cell: float
    x0: float = 0.0
    y0: float = 0.0

    shape = 5
    positive = ("cell",)

    def numbers(self, first: int) -> list[float]:
        """Its numbers in the order of the kernels; `first` is where its heights begin."""
        rows, columns = np.shape(self.table)
        return [self.x0, self.y0, self.cell, float(rows), float(columns), float(first)]

    def heights(self) -> np.ndarray:
        """The heights row by row [m]."""
        return self._heights

    def shape_steepness(self) -> float:
        """Largest slope of the shape itself."""
        return self._steepness

    @cached_property
    def _heights(self) -> np.ndarray:
        """Kept, because every run asks for them."""
        heights = np.array(self.table, float).ravel()
        heights.setflags(write=False)
        return heights

    @cached_property
    def _steepness(self) -> float:
        table = self._heights.reshape(np.shape(self.table))
        return math.hypot(*(np.abs(np.diff(table, axis=a)).max() for a in (0, 1))) / self.cell

    def faults(self) -> Iterator[Fault]:
        """Also: rows must be equally long, heights finite."""
        yield from super().faults()
        try:
            [np.asarray(row, float) for row in self.table]
        except (TypeError, ValueError):
            yield Fault("the heights of a grid must be numbers [m]", "terrain")
            return
        widths = {len(row) for row in self.table}
        if len(widths) > 1:
            yield Fault(f"the rows of a grid are equally long, not {sorted(widths)}", "terrain")
        elif len(self.table) < 2 or min(widths) < 2:
            yield Fault(
                f"a grid needs at least 2 × 2 heights, it has {len(self.table)} × {min(widths, default=0)}", "terrain"
            )
        elif not np.all(np.isfinite(self.heights())):
            yield Fault("the heights of a grid must be finite", "terrain")


# ---------------------------------------------------------------- heights and slopes: (height, ∂/∂x, ∂/∂y)
@function
def plane(params, heights, x, y, spare):
    """Height [m] and its slopes along x and y: none."""
    zero = constant(x, 0.0)
    return zero, zero, zero


@function
def waves(params, heights, x, y, spare):
    """Height [m] and slopes of waves along x and y."""
    size, kx, ky = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 2)
    sx, cx = sincos(x * kx)
    sy, cy = sincos(y * ky)
    return size * (sx + sy), size * kx * cx, size * ky * cy


@function
def slide_down(x, edge):
    """A ramp from 0 at x = 0 to 1 at x = edge, and its slope."""
    zero, one = constant(x, 0.0), constant(x, 1.0)
    share = x / edge
    slope = where_positive(share, where_positive(one - share, one / edge, zero), zero)
    return maximum(minimum(share, one), zero), slope


@function
def ditch(params, heights, x, y, spare):
    """Height [m] and slopes of a ditch across x."""
    start, width, depth = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 2)
    edge = load(params, FIRST_NUMBER + 3)
    down, slope = slide_down(x - start, edge)
    up, rise = slide_down(x - start - width + edge, edge)
    return depth * (up - down), depth * (rise - slope), constant(x, 0.0)


@function
def stairs(params, heights, x, y, spare):
    """Height [m] and slopes of stairs along x."""
    start, length, rise = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 2)
    edge, steps, zero = load(params, FIRST_NUMBER + 3), load(params, FIRST_NUMBER + 4), constant(x, 0.0)
    run = maximum(x - start, zero - edge)
    step = floor(run / length)
    climb, slope = slide_down(run - step * length, edge)
    return rise * minimum(step + climb, steps), rise * where_positive(steps - step, slope, zero), zero


@function
def rough(params, heights, x, y, spare):
    """Height [m] and slopes of octaves of waves in directions of their own."""
    size, k, seed = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 4)
    height, hx, hy = constant(x, 0.0), constant(x, 0.0), constant(x, 0.0)
    octaves = int(load_lane(params, FIRST_NUMBER + 2, 0))
    for i in range(octaves):
        number = constant(x, i)
        across, along = sincos(seed + constant(x, GOLDEN) * number)
        shift = seed * (number + constant(x, 1.7)) + constant(x, 1.3) * number
        sin, cos = sincos(k * (x * along + y * across) + shift)
        height = height + size * sin
        hx = hx + size * k * along * cos
        hy = hy + size * k * across * cos
        k = k + k
        size = size * load(params, FIRST_NUMBER + 3)
    return height, hx, hy


@outlined
def grid(params, heights, x, y, spare):
    """World by world: each has its own triangle. spare: five numbers of room."""
    store(spare, 0, x)
    store(spare, 1, y)
    for lane in range(lanes_of(spare)):
        cell = load_lane(params, FIRST_NUMBER + 2, lane)
        rows, columns = int(load_lane(params, FIRST_NUMBER + 3, lane)), int(load_lane(params, FIRST_NUMBER + 4, lane))
        u = (load_lane(spare, 0, lane) - load_lane(params, FIRST_NUMBER, lane)) / cell
        v = (load_lane(spare, 1, lane) - load_lane(params, FIRST_NUMBER + 1, lane)) / cell
        zero, last_u, last_v = constant(cell, 0.0), constant(cell, rows - 1), constant(cell, columns - 1)
        inside_u, inside_v = zero <= u <= last_u, zero <= v <= last_v
        u, v = min(max(u, zero), last_u), min(max(v, zero), last_v)
        i, j = min(int(u), rows - 2), min(int(v), columns - 2)
        u, v = u - constant(u, i), v - constant(v, j)
        a = int(load_lane(params, FIRST_NUMBER + 5, lane)) + i * columns + j
        h00, h01, h10, h11 = heights[a], heights[a + 1], heights[a + columns], heights[a + columns + 1]
        if u >= v:
            height, du, dv = h00 + u * (h10 - h00) + v * (h11 - h10), h10 - h00, h11 - h10
        else:
            height, du, dv = h00 + v * (h01 - h00) + u * (h11 - h01), h11 - h01, h01 - h00
        store_lane(spare, 2, lane, height)
        store_lane(spare, 3, lane, du / cell if inside_u else zero)
        store_lane(spare, 4, lane, dv / cell if inside_v else zero)
    return load(spare, 2), load(spare, 3), load(spare, 4)


shape_at = choice([plane, waves, ditch, stairs, rough, grid], "params, heights, x, y, spare")


@function
def ground_at(params, heights, x, y, spare):
    """Height of the ground at (x, y) and its slopes."""
    height, hx, hy = shape_at(int(load_lane(params, SHAPE, 0)), params, heights, x, y, spare)
    sx, sy = load(params, SLOPE_X), load(params, SLOPE_Y)
    return height + load(params, LEVEL) + sx * x + sy * y, hx + sx, hy + sy


@entry
def ground_of(params, heights, points, found, spare):
    """Height [m] and slopes of a terrain at each of the points x, y [m]: for Python."""
    for k in range(points.shape[0]):
        found[k, 0], found[k, 1], found[k, 2] = ground_at(params, heights, points[k, 0], points[k, 1], spare)
