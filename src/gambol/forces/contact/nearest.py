"""How deep a place is in the ground: its distance from the nearest point of the surface, not from the one above it.

On a plane the two differ by a cosine. Where the ground bends only the nearest will do: the distance changes evenly from
one face to the next and its slope is the direction to the surface, so a spring along it gives back what it took. By the
depth below the face above, a point that goes into a wall is lifted over it out of nothing.

Walls of ditches and stairs, and triangles of a grid, are exact; on waves the foot is found by projecting on tangent
planes, which is good where the ground's radius of curvature is more than the distance.
"""

from gambol.forces.contact.terrain import (
    FIRST_NUMBER,
    LEVEL,
    PLANE,
    SHAPE,
    SLOPE_X,
    SLOPE_Y,
    STEEPNESS,
    ditch,
    ground_at,
)
from gambol.jit import choice, function, outlined
from gambol.math.scalar import (
    absolute,
    any_positive,
    constant,
    floor,
    lanes_of,
    load,
    load_lane,
    maximum,
    minimum,
    reciprocal,
    sqrt,
    store,
    store_lane,
    where_positive,
)
from gambol.math.vector import Vec3, dot

FOOTINGS = 4  # projections on tangent planes
FAR_CELLS = 4  # of a grid, about a place, in which its foot may lie
FARTHEST, FARTHEST_CELL = 1e30, 1e9  # [m²]; of a grid, whether there is one or not
TINY = 1e-12  # [m] nearer than this to an edge: the normal is that of a face
COARSE = 1e-6  # of the lengths at hand: so too where numbers are single, and the way to the edge is rounding


@function
def hair(length):
    """Nearer to an edge than this [m], nobody knows on which side; length: of what the distance was found from."""
    tiny = constant(length, TINY)
    return where_positive(constant(length, 1e-50), tiny, absolute(length) * constant(length, COARSE))  # 1e-50f is 0


@function
def below_plane(params, heights, place, spare):
    """Depth below the plane that touches the ground under a place, and its normal."""
    height, hx, hy = ground_at(params, heights, place.x, place.y, spare)
    up = reciprocal(sqrt(hx * hx + hy * hy + constant(hx, 1.0)))
    return (height - place.z) * up, Vec3(-hx * up, -hy * up, up)


@function
def below_waves(params, heights, place, spare):
    """Of smooth ground: foot by foot along tangent planes; of those found, the nearest."""
    x, y, one = place.x, place.y, constant(place.x, 1.0)
    height, hx, hy = ground_at(params, heights, x, y, spare)
    inside = where_positive(height - place.z, one, -one)
    up = reciprocal(sqrt(hx * hx + hy * hy + one))
    depth, normal = (height - place.z) * up, Vec3(-hx * up, -hy * up, up)
    nearest, best = absolute(height - place.z), normal
    for _ in range(FOOTINGS):
        along = normal * ((x - place.x) * normal.x + (y - place.y) * normal.y + (height - place.z) * normal.z)
        x, y = place.x + along.x, place.y + along.y
        height, hx, hy = ground_at(params, heights, x, y, spare)
        up = reciprocal(sqrt(hx * hx + hy * hy + one))
        normal = Vec3(-hx * up, -hy * up, up)
        way = Vec3(x - place.x, y - place.y, height - place.z)
        far = sqrt(dot(way, way))
        better = nearest - far
        nearest = where_positive(better, far, nearest)
        depth = where_positive(better, dot(way, normal), depth)
        best = Vec3(
            where_positive(better, normal.x, best.x),
            where_positive(better, normal.y, best.y),
            where_positive(better, normal.z, best.z),
        )
    return where_positive(inside * depth, depth, inside * nearest), best


@function
def nearer(best, foot, at, start, end, x, z):
    """The nearest of a profile's segments, this one too: distance², foot, normal, and whether the foot is on an edge.

    start, end: (x, z) of the segment, x rising; x, z: of the place.
    """
    dx, dz = end[0] - start[0], end[1] - start[1]
    one, zero = constant(dx, 1.0), constant(dx, 0.0)
    square = dx * dx + dz * dz
    share = ((x - start[0]) * dx + (z - start[1]) * dz) / square
    held = maximum(minimum(share, one), zero)
    fx, fz = start[0] + dx * held, start[1] + dz * held
    far = (x - fx) * (x - fx) + (z - fz) * (z - fz)
    size = reciprocal(sqrt(square))
    edge = where_positive(minimum(share, one - share), zero, one)
    closer = best - far
    best = where_positive(closer, far, best)
    foot = (where_positive(closer, fx, foot[0]), where_positive(closer, fz, foot[1]))
    at = (
        where_positive(closer, -dz * size, at[0]),
        where_positive(closer, dx * size, at[1]),
        where_positive(closer, edge, at[2]),
    )
    return best, foot, at


@function
def depth_of(best, foot, at, x, z, inside):
    """Signed depth of a place in its profile, and the normal in it, from what `nearer` found."""
    one = constant(x, 1.0)
    level = (foot[0] - x) * at[0] + (foot[1] - z) * at[1]  # below a face
    far = sqrt(best)
    clear = far - hair(absolute(x) + absolute(z))
    each = inside / where_positive(clear, far, one)
    corner = minimum(at[2], where_positive(clear, one, -one))
    depth = where_positive(corner, inside * far, level)
    nx = where_positive(corner, (foot[0] - x) * each, at[0])
    return depth, nx, where_positive(corner, (foot[1] - z) * each, at[1])


@function
def profile_place(params, place):
    """What is the same all along y + slope_y z, seen along it: c, and a place's height there, for (height) · c."""
    sy = load(params, SLOPE_Y)
    c = reciprocal(sqrt(sy * sy + constant(sy, 1.0)))
    return c, (place.z - sy * place.y) * c


@function
def raised(params, c, x, height):
    """A point of the profile: its height on the sloping plane."""
    return x, (height + load(params, LEVEL) + load(params, SLOPE_X) * x) * c


@function
def turned_back(params, c, nx, nz):
    """A normal of the profile in world axes."""
    return Vec3(nx, -load(params, SLOPE_Y) * c * nz, c * nz)


@outlined
def below_ditch(params, heights, place, spare):
    """Of the five faces of a ditch."""
    c, z = profile_place(params, place)
    x, one = place.x, constant(place.x, 1.0)
    start, width, edge = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 3)
    end = start + width
    second, third = minimum(start + edge, end - edge), maximum(start + edge, end - edge)
    nothing = constant(x, 0.0)
    top = ditch(params, heights, second, nothing, spare)[0]
    height = ditch(params, heights, x, nothing, spare)[0]
    inside = where_positive(raised(params, c, x, height)[1] - z, one, -one)
    away = (absolute(x - start) + absolute(z - raised(params, c, x, nothing)[1]) + width + one) * constant(x, 4.0)
    a, b = raised(params, c, start, nothing), raised(params, c, second, top)
    d, e = raised(params, c, third, top), raised(params, c, end, nothing)
    best, foot, at = constant(x, FARTHEST), (x, z), (nothing, one, nothing)
    best, foot, at = nearer(best, foot, at, raised(params, c, start - away, nothing), a, x, z)
    best, foot, at = nearer(best, foot, at, a, b, x, z)
    best, foot, at = nearer(best, foot, at, b, d, x, z)
    best, foot, at = nearer(best, foot, at, d, e, x, z)
    best, foot, at = nearer(best, foot, at, e, raised(params, c, end + away, nothing), x, z)
    depth, nx, nz = depth_of(best, foot, at, x, z, inside)
    return depth, turned_back(params, c, nx, nz)


@outlined
def below_stairs(params, heights, place, spare):
    """Of the risers and treads about a place."""
    c, z = profile_place(params, place)
    x, one, nothing = place.x, constant(place.x, 1.0), constant(place.x, 0.0)
    start, length, rise = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 2)
    edge, steps = load(params, FIRST_NUMBER + 3), load(params, FIRST_NUMBER + 4)
    height, _, _ = ground_at(params, heights, place.x, place.y, spare)
    inside = where_positive(height - place.z, one, -one)
    step = floor((x - start) / length)
    best, foot, at = constant(x, FARTHEST), (x, z), (nothing, one, nothing)
    for k in range(-1, 3):
        number = step + constant(step, k)
        low = rise * minimum(maximum(number, nothing), steps)
        high = rise * minimum(maximum(number + one, nothing), steps)
        first = start + number * length
        a, b = raised(params, c, first, low), raised(params, c, first + edge, high)
        best, foot, at = nearer(best, foot, at, a, b, x, z)
        best, foot, at = nearer(best, foot, at, b, raised(params, c, first + length, high), x, z)
    depth, nx, nz = depth_of(best, foot, at, x, z, inside)
    return depth, turned_back(params, c, nx, nz)


# ---------------------------------------------------------------- triangles, plain numbers
@function
def foot_on_triangle(a, b, c):
    """The point (x, y, z) of a triangle nearest to the origin, and whether it lies within (1) or on its edge (0)."""
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    d1, d2 = -(abx * a[0] + aby * a[1] + abz * a[2]), -(acx * a[0] + acy * a[1] + acz * a[2])
    d3, d4 = -(abx * b[0] + aby * b[1] + abz * b[2]), -(acx * b[0] + acy * b[1] + acz * b[2])
    d5, d6 = -(abx * c[0] + aby * c[1] + abz * c[2]), -(acx * c[0] + acy * c[1] + acz * c[2])
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    zero, one = constant(d1, 0.0), constant(d1, 1.0)
    v, w, within = zero, zero, zero
    if d1 <= zero and d2 <= zero:
        v, w = zero, zero
    elif d3 >= zero and d4 <= d3:
        v, w = one, zero
    elif vc <= zero and d1 >= zero and d3 <= zero:
        v, w = d1 / (d1 - d3), zero
    elif d6 >= zero and d5 <= d6:
        v, w = zero, one
    elif vb <= zero and d2 >= zero and d6 <= zero:
        v, w = zero, d2 / (d2 - d6)
    elif va <= zero and d4 - d3 >= zero and d5 - d6 >= zero:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = one - w
    else:
        v, w, within = vb / (va + vb + vc), vc / (va + vb + vc), one
    return a[0] + abx * v + acx * w, a[1] + aby * v + acy * w, a[2] + abz * v + acz * w, within


@function
def corner_of_grid(params, heights, lane, i, j, p):
    """A corner of a grid's cells, from a place p: (x, y, z); beyond the table its edge goes on level."""
    rows, columns = int(load_lane(params, FIRST_NUMBER + 3, lane)), int(load_lane(params, FIRST_NUMBER + 4, lane))
    cell = load_lane(params, FIRST_NUMBER + 2, lane)
    x = load_lane(params, FIRST_NUMBER, lane) + constant(cell, i) * cell
    y = load_lane(params, FIRST_NUMBER + 1, lane) + constant(cell, j) * cell
    row, column = min(max(i, 0), rows - 1), min(max(j, 0), columns - 1)
    z = heights[int(load_lane(params, FIRST_NUMBER + 5, lane)) + row * columns + column] + load_lane(
        params, LEVEL, lane
    )
    z = z + load_lane(params, SLOPE_X, lane) * x + load_lane(params, SLOPE_Y, lane) * y
    return x - p[0], y - p[1], z - p[2]


@outlined
def search_grid(params, heights, lane, spare, i, j, reach):
    """The nearest foot on the triangles of the cells about (i, j): depth and normal, into the spare numbers."""
    p = (load_lane(spare, 0, lane), load_lane(spare, 1, lane), load_lane(spare, 2, lane))
    zero, one = constant(p[0], 0.0), constant(p[0], 1.0)
    inside = one if load_lane(spare, 3, lane) > zero else -one
    best, tiny = constant(p[0], FARTHEST), hair(load_lane(params, FIRST_NUMBER + 2, lane))
    for row in range(i - reach, i + reach + 1):
        for column in range(j - reach, j + reach + 1):
            a = corner_of_grid(params, heights, lane, row, column, p)
            c = corner_of_grid(params, heights, lane, row + 1, column + 1, p)
            for half in range(2):
                b = corner_of_grid(params, heights, lane, row + 1 - half, column + half, p)
                x, y, z, within = foot_on_triangle(a, b, c)
                far = x * x + y * y + z * z
                if far < best:
                    best, size = far, sqrt(far)
                    side = one if half == 0 else -one  # corners a, b, c turn left in the first half
                    nx = ((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])) * side
                    ny = ((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])) * side
                    nz = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) * side
                    each = reciprocal(sqrt(nx * nx + ny * ny + nz * nz))
                    nx, ny, nz = nx * each, ny * each, nz * each
                    depth = x * nx + y * ny + z * nz
                    if within == zero and size > tiny:
                        depth, nx, ny, nz = inside * size, inside * x / size, inside * y / size, inside * z / size
                    store_lane(spare, 3, lane, depth)
                    store_lane(spare, 4, lane, nx)
                    store_lane(spare, 5, lane, ny)
                    store_lane(spare, 6, lane, nz)


@outlined
def below_grid(params, heights, place, spare):
    """Of the triangle under a place where its edges are farther than that; else of all about it."""
    depth, normal = below_plane(params, heights, place, spare)
    store(spare, 0, place.x)
    store(spare, 1, place.y)
    store(spare, 2, place.z)
    store(spare, 3, depth)
    store(spare, 4, normal.x)
    store(spare, 5, normal.y)
    store(spare, 6, normal.z)
    for lane in range(lanes_of(spare)):
        cell = load_lane(params, FIRST_NUMBER + 2, lane)
        one, most = constant(cell, 1.0), constant(cell, FARTHEST_CELL)
        u = (load_lane(spare, 0, lane) - load_lane(params, FIRST_NUMBER, lane)) / cell
        v = (load_lane(spare, 1, lane) - load_lane(params, FIRST_NUMBER + 1, lane)) / cell
        if not (abs(u) < most and abs(v) < most):
            continue
        i, j = int(floor(u)), int(floor(v))
        u, v = u - floor(u), v - floor(v)
        deep, up = load_lane(spare, 3, lane), load_lane(spare, 6, lane)
        edge = min(u, v, one - u, one - v, constant(cell, 0.7071) * abs(u - v)) * cell
        if abs(deep) > edge:
            reach = min(1 + int(min(abs(deep) / (up * cell), most)), FAR_CELLS)
            search_grid(params, heights, lane, spare, i, j, reach)
    return load(spare, 3), Vec3(load(spare, 4), load(spare, 5), load(spare, 6))


below_shape = choice(
    [below_plane, below_waves, below_ditch, below_stairs, below_waves, below_grid], "params, heights, place, spare"
)


@function
def depth_in_ground(params, heights, place, radius, spare):
    """How deep a sphere (or a point) at a place [m, world] is in the ground, and the normal where that is nearest.

    Above the ground, where nothing of it can touch, by the plane below it.
    """
    depth, normal = below_plane(params, heights, place, spare)
    shape = int(load_lane(params, SHAPE, 0))
    if shape != PLANE:
        slopes = absolute(load(params, SLOPE_X)) + absolute(load(params, SLOPE_Y))
        reach = radius * (load(params, STEEPNESS) + slopes + constant(slopes, 1.0))
        if any_positive(depth + reach * normal.z):
            depth, normal = below_shape(shape, params, heights, place, spare)
    return depth + radius, normal
