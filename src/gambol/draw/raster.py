"""A picture of triangles in software: depth buffer, sun with a shadow map, sky light with occlusion, ground, sky.

Coordinates of the picture: x to the right and y down in samples, depth = distance along the view. What is behind the
near plane is not drawn (the fitted cameras leave nothing there). Light is linear until `resolve`.
"""

import math

from gambol.draw.shadows import lit
from gambol.jit import entry, function

NO_FACE, LEVEL_GROUND, NEAR, FAR = -1, -2, 1e-6, 1e29
FAINTEST = 0.6  # share of its colour that the thinnest line of the ground has


@function
def edge(ax, ay, bx, by, px, py):
    """Twice the area of the triangle a b p, positive where p is left of a → b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@entry
def cover(points, faces, depth, owner, weights, perspective):
    """Fills the depth buffer with the nearest face of every sample, its number and two barycentric weights.

    points  (n, 3): x, y [samples] and depth
    """
    height, width = depth.shape
    for f in range(faces.shape[0]):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
        bx, by, bz = points[b, 0], points[b, 1], points[b, 2]
        cx, cy, cz = points[c, 0], points[c, 1], points[c, 2]
        area = edge(ax, ay, bx, by, cx, cy)
        if area == 0.0 or (perspective and min(az, bz, cz) < NEAR):
            continue
        left, right = max(0, math.floor(min(ax, bx, cx))), min(width - 1, math.ceil(max(ax, bx, cx)))
        top, low = max(0, math.floor(min(ay, by, cy))), min(height - 1, math.ceil(max(ay, by, cy)))
        for y in range(top, low + 1):
            for x in range(left, right + 1):
                px, py = x + 0.5, y + 0.5
                u = edge(bx, by, cx, cy, px, py) / area
                v = edge(cx, cy, ax, ay, px, py) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                if perspective:
                    u, v, w = u / az, v / bz, w / cz
                    z = 1.0 / (u + v + w)
                    u, v = u * z, v * z
                else:
                    z = u * az + v * bz + w * cz
                if z < depth[y, x]:
                    depth[y, x] = z
                    owner[y, x] = f
                    weights[y, x, 0] = u
                    weights[y, x, 1] = v


@entry
def lay_ground(first, last, depth, owner, rays, eye, level):
    """Level ground into the free samples of rows first … last."""
    for y in range(first, last):
        for x in range(depth.shape[1]):
            if owner[y, x] != NO_FACE:
                continue
            rz = rays[2, 2] + (x + 0.5) * rays[0, 2] + (y + 0.5) * rays[1, 2]
            if rz * (level - eye[2]) > 0.0:
                z = (level - eye[2]) / rz
                if z < FAR:
                    depth[y, x], owner[y, x] = z, LEVEL_GROUND


@function
def normal_at(f, u, v, normals, faces):
    """The unit normal in a face at barycentric weights; upward for level ground."""
    if f < 0:
        return 0.0, 0.0, 1.0
    a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
    w = 1.0 - u - v
    nx = u * normals[a, 0] + v * normals[b, 0] + w * normals[c, 0]
    ny = u * normals[a, 1] + v * normals[b, 1] + w * normals[c, 1]
    nz = u * normals[a, 2] + v * normals[b, 2] + w * normals[c, 2]
    size = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz + 1e-300)
    return nx * size, ny * size, nz * size


@entry
def occlude(first, last, depth, owner, weights, normals, faces, rays, eye, axes, zoom, radius, spots, around, open):
    """The share of open sky over rows first … last of pixels: spots in the half ball over each that nothing hides.

    spots   (n, 3) within the unit half ball over z
    around  (4,): left, right, top and low pixel of where figures are; elsewhere all is open
    """
    high, wide = depth.shape
    n = high // open.shape[0]
    for y in range(first, last):
        for x in range(open.shape[1]):
            sy, sx = n * y, n * x
            f, z = owner[sy, sx], depth[sy, sx]
            if f == NO_FACE or x < around[0] or x > around[1] or y < around[2] or y > around[3]:
                continue
            rx = rays[2, 0] + (sx + 0.5) * rays[0, 0] + (sy + 0.5) * rays[1, 0]
            ry = rays[2, 1] + (sx + 0.5) * rays[0, 1] + (sy + 0.5) * rays[1, 1]
            rz = rays[2, 2] + (sx + 0.5) * rays[0, 2] + (sy + 0.5) * rays[1, 2]
            nx, ny, nz = normal_at(f, weights[sy, sx, 0], weights[sy, sx, 1], normals, faces)
            if nx * rx + ny * ry + nz * rz > 0.0:
                nx, ny, nz = -nx, -ny, -nz
            px, py, pz = z * rx + 0.02 * radius * nx, z * ry + 0.02 * radius * ny, z * rz + 0.02 * radius * nz
            turn = 0.39269908 * ((x & 3) * 4 + (y & 3)) * 5.0  # another one for each of 4 × 4 pixels
            c, s = math.cos(turn), math.sin(turn)
            if abs(nz) < 0.9:  # tangents of the surface
                size = 1.0 / math.sqrt(nx * nx + ny * ny)
                tx, ty, tz = -ny * size, nx * size, 0.0
            else:
                size = 1.0 / math.sqrt(ny * ny + nz * nz)
                tx, ty, tz = 0.0, -nz * size, ny * size
            bx, by, bz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
            hidden = 0.0
            for k in range(spots.shape[0]):
                i, j, up = c * spots[k, 0] - s * spots[k, 1], s * spots[k, 0] + c * spots[k, 1], spots[k, 2]
                qx = px + radius * (i * tx + j * bx + up * nx)
                qy = py + radius * (i * ty + j * by + up * ny)
                qz = pz + radius * (i * tz + j * bz + up * nz)
                away = -(axes[2, 0] * qx + axes[2, 1] * qy + axes[2, 2] * qz)
                if away <= NEAR:
                    continue
                u = 0.5 * wide + zoom * (axes[0, 0] * qx + axes[0, 1] * qy + axes[0, 2] * qz) / away
                v = 0.5 * high - zoom * (axes[1, 0] * qx + axes[1, 1] * qy + axes[1, 2] * qz) / away
                if u < 0.0 or v < 0.0 or u >= wide or v >= high:
                    continue
                gap = away - depth[int(v), int(u)]
                if gap > 0.0:
                    hidden += min(1.0, max(0.0, 2.0 - gap / radius))
            open[y, x] = 1.0 - hidden / spots.shape[0]


@entry
def soften(first, last, depth, rough, smooth):
    """Means over 4 × 4 pixels of what was taken at turns, without crossing edges."""
    high, wide = rough.shape
    n = depth.shape[0] // high
    for y in range(first, last):
        for x in range(wide):
            z = depth[n * y, n * x]
            total, count = 0.0, 0
            for j in range(max(0, y - 2), min(high, y + 2)):
                for i in range(max(0, x - 2), min(wide, x + 2)):
                    if abs(depth[n * j, n * i] - z) < 0.03 * z:
                        total += rough[j, i]
                        count += 1
            smooth[y, x] = total / max(count, 1)


@function
def grid_line(x, cell, width, blur):
    """How much of a sample a grid line covers; `blur` [m]: of the sample, across the line. Dense lines fade."""
    off = abs(x - cell * math.floor(x / cell + 0.5))
    covered = min(1.0, max(0.0, (max(width, 0.7 * blur) + 0.5 * blur - off) / (blur + 1e-12)))
    covered *= min(1.0, max(FAINTEST, width / (0.7 * blur + 1e-12)))  # a line thinner than a sample is paler instead
    return covered * min(1.0, max(0.0, 0.11 * cell / (blur + 1e-12) - 0.8))


@function
def turning(nx, ny, nz, rx, ry, rz, rays):
    """How the depth of a plane with this normal changes from a ray to the samples right of it and below, relatively."""
    along = nx * rx + ny * ry + nz * rz
    along = along if abs(along) > 1e-9 else 1e-9
    right = nx * rays[0, 0] + ny * rays[0, 1] + nz * rays[0, 2]
    return right / along, (nx * rays[1, 0] + ny * rays[1, 1] + nz * rays[1, 2]) / along


@function
def footprint(z, r, rays, axis, slant):
    """How far a sample of that plane reaches along a world axis [m]; r: the ray along it."""
    across, down = rays[0, axis] - r * slant[0], rays[1, axis] - r * slant[1]
    return z * math.sqrt(across * across + down * down)


@function
def brink(x, y, z, depth, slant, drop):
    """Is there a drop beside this sample of ground, behind which it goes on deeper down [m]? A stair's nosing."""
    found = 0.0
    for k in range(4):
        i, j = (k & 1) * (k - 2) * 2, (1 - (k & 1)) * (k - 1) * 2
        if 0 <= x + i < depth.shape[1] and 0 <= y + j < depth.shape[0]:
            there = depth[y + j, x + i]
            gap = there - z / (1.0 + i * slant[0] + j * slant[1])
            if drop < gap < FAR:
                found = 1.0
    return found


@function
def texel(texels, first, wide, high, u, v):
    """Light at a place (u, v) of a picture that repeats, between its four nearest texels."""
    x, y = (u - math.floor(u)) * wide - 0.5, (v - math.floor(v)) * high - 0.5
    i, j = math.floor(x), math.floor(y)
    s, t = x - i, y - j
    left, right, top, low = (i + wide) % wide, (i + 1) % wide, (j + high) % high, (j + 1) % high
    a, b, c, d = (
        first + top * wide + left,
        first + top * wide + right,
        first + low * wide + left,
        first + low * wide + right,
    )
    p, q, r = (1.0 - s) * (1.0 - t), s * (1.0 - t), (1.0 - s) * t
    z = 1.0 - p - q - r
    red = p * texels[a, 0] + q * texels[b, 0] + r * texels[c, 0] + z * texels[d, 0]
    green = p * texels[a, 1] + q * texels[b, 1] + r * texels[c, 1] + z * texels[d, 1]
    return red, green, p * texels[a, 2] + q * texels[b, 2] + r * texels[c, 2] + z * texels[d, 2]


@function
def wrapped(f, s, t, texels, wraps, uv, coarse):
    """Light of the picture over a face at barycentric weights; `coarse`: its texels a sample."""
    first, wide, high = wraps[f, 0], wraps[f, 1], wraps[f, 2]
    while coarse > 1.5 and wide * high > 1:
        first += wide * high
        wide, high, coarse = max(wide // 2, 1), max(high // 2, 1), 0.5 * coarse
    r = 1.0 - s - t
    u, v = s * uv[f, 0] + t * uv[f, 2] + r * uv[f, 4], s * uv[f, 1] + t * uv[f, 3] + r * uv[f, 5]
    return texel(texels, first, wide, high, u, v)


@entry
def shade(
    first,
    last,
    depth,
    owner,
    weights,
    open,
    corners,
    normals,
    faces,
    colours,
    texels,
    wraps,
    uv,
    grain,
    finishes,
    paint,
    lights,
    rays,
    eye,
    middle,
    earth,
    cell,
    reach,
    shadow,
    image,
):
    """Light of the samples of rows first … last: solids, ground with its squares, haze, sky.

    open    share of open sky of every pixel
    texels, wraps, uv, grain   see draw/wraps.py
    paint   (5, 3) light of: ground, fine lines, bold lines, zenith, horizon
    lights  (5, 3): direction of the sun, its light, the sky's, what comes back from the ground, and that of the viewer
    earth   number of the first face that is ground
    shadow  see draw/shadows.py
    """  # fmt: skip
    n = depth.shape[0] // open.shape[0]
    fine_ray = math.sqrt(rays[0, 0] ** 2 + rays[0, 1] ** 2 + rays[0, 2] ** 2)
    for y in range(first, last):
        for x in range(owner.shape[1]):
            rx = rays[2, 0] + (x + 0.5) * rays[0, 0] + (y + 0.5) * rays[1, 0]
            ry = rays[2, 1] + (x + 0.5) * rays[0, 1] + (y + 0.5) * rays[1, 1]
            rz = rays[2, 2] + (x + 0.5) * rays[0, 2] + (y + 0.5) * rays[1, 2]
            long = math.sqrt(rx * rx + ry * ry + rz * rz)
            f = owner[y, x]
            if f == NO_FACE:
                share = max(0.0, rz / long) ** 0.6  # of the way from the horizon to the zenith
                for k in range(3):
                    image[y, x, k] = paint[4, k] + share * (paint[3, k] - paint[4, k])
                continue
            z = depth[y, x]
            px, py, pz = eye[0] + z * rx, eye[1] + z * ry, eye[2] + z * rz
            nx, ny, nz = normal_at(f, weights[y, x, 0], weights[y, x, 1], normals, faces)
            vx, vy, vz = -rx / long, -ry / long, -rz / long
            toward = nx * vx + ny * vy + nz * vz
            ground = f == LEVEL_GROUND or f >= earth
            if toward < 0.0:
                toward = -toward
                if ground:  # the crest of a bump, whose normal is smoother than it is
                    toward = 0.0
                else:  # a sheet, seen from behind
                    nx, ny, nz = -nx, -ny, -nz
            facing = nx * lights[0, 0] + ny * lights[0, 1] + nz * lights[0, 2]
            sky = open[y // n, x // n] ** 1.5
            bright, gloss, rim = 0.0, 0.0, 0.0
            if facing > 0.0:
                bright = facing * lit(shadow, px, py, pz, facing, 4 * (y & 3) + (x & 3))
            if not ground:
                hx, hy, hz = vx + lights[0, 0], vy + lights[0, 1], vz + lights[0, 2]
                size = 1.0 / math.sqrt(hx * hx + hy * hy + hz * hz + 1e-300)
                gloss = finishes[f, 0] * bright * max(0.0, (nx * hx + ny * hy + nz * hz) * size) ** finishes[f, 1]
                rim = finishes[f, 2] * sky * (1.0 - toward) ** 3
            up = 0.5 + 0.5 * nz
            line, bold, haze = 0.0, 0.0, 0.0
            if ground:
                away = math.sqrt((px - middle[0]) ** 2 + (py - middle[1]) ** 2) / reach
                haze = 1.0 - math.exp(-0.02 * away * away)
                slant = turning(nx, ny, nz, rx, ry, rz, rays)
                wide, deep = footprint(z, rx, rays, 0, slant), footprint(z, ry, rays, 1, slant)
                line = max(grid_line(px, cell, 0.005 * cell, wide), grid_line(py, cell, 0.005 * cell, deep))
                ten, thin = 10.0 * cell, 0.012 * cell
                bold = max(grid_line(px, ten, thin, wide), grid_line(py, ten, thin, deep))
                line *= min(1.0, max(0.0, 2.0 - away / 1.2))  # fine ones only where something can be measured by them
                if f >= earth:
                    sky *= 1.0 - 0.5 * (1.0 - haze) * brink(x, y, z, depth, slant, 0.02 * reach)
            own = (paint[0, 0], paint[0, 1], paint[0, 2])
            if not ground:
                own = (colours[f, 0], colours[f, 1], colours[f, 2])
                if wraps[f, 1] > 0:
                    far = grain[f] * z * fine_ray
                    own = wrapped(f, weights[y, x, 0], weights[y, x, 1], texels, wraps, uv, far)
            for k in range(3):
                albedo = own[k]
                if ground:
                    albedo += line * (paint[1, k] - albedo)
                    albedo += bold * (paint[2, k] - albedo)
                ambient = lights[3, k] + up * (lights[2, k] - lights[3, k]) + lights[4, k] * toward
                value = albedo * (sky * ambient + (0.5 + 0.5 * sky) * bright * lights[1, k])
                value += gloss * lights[1, k] + rim * lights[2, k]
                image[y, x, k] = value + haze * (paint[4, k] - value)


@entry
def resolve(first, last, image, owner, clear, begins, guess, pixels):
    """Bytes of pixel rows first … last: the mean of each pixel's samples as seen; a fourth channel is what is covered.

    clear   leave ground and sky out, so that they do not colour the edges
    begins  (257,) the light at which each byte begins; guess: the byte of evenly spaced lights, for speed
    """
    n = image.shape[0] // pixels.shape[0]
    for y in range(first, last):
        for x in range(pixels.shape[1]):
            covered = 0
            for j in range(n):
                for i in range(n):
                    if not clear or owner[n * y + j, n * x + i] >= 0:
                        covered += 1
            for k in range(3):
                total = 0.0
                for j in range(n):
                    for i in range(n):
                        if not clear or owner[n * y + j, n * x + i] >= 0:
                            value = max(0.0, image[n * y + j, n * x + i, k])
                            total += value if value < 0.8 else 0.8 + 0.2 * (1.0 - math.exp(-5.0 * (value - 0.8)))
                mean = total / max(covered, 1)
                byte = guess[int(mean * (guess.shape[0] - 1))]
                while mean >= begins[byte + 1]:
                    byte += 1
                pixels[y, x, k] = byte
            if clear:
                pixels[y, x, 3] = int(255.0 * covered / (n * n) + 0.5)
