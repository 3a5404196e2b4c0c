"""A picture of triangles in software: depth buffer, one light with a shadow map, ground with a grid.

Coordinates of the picture: x to the right and y down in samples, depth = distance along the view. What is behind the
near plane is not drawn (the fitted cameras leave nothing there).
"""

import math

from gambol.jit import entry, function

NOTHING, NEAR = -1, 1e-6


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


@function
def lit(shadow, light, x, y, z, bias):
    """The share of light at a world point, 0 … 1: four looks into the shadow map, blended."""
    size = shadow.shape[0]
    u = light[0, 0] * x + light[0, 1] * y + light[0, 2] * z + light[0, 3]
    v = light[1, 0] * x + light[1, 1] * y + light[1, 2] * z + light[1, 3]
    d = light[2, 0] * x + light[2, 1] * y + light[2, 2] * z + light[2, 3] - bias
    if u < 1.5 or v < 1.5 or u > size - 2.5 or v > size - 2.5:
        return 1.0
    total = 0.0
    for j in range(-1, 2):
        for i in range(-1, 2):
            fu, fv = u - 0.5 + i, v - 0.5 + j
            iu, iv = math.floor(fu), math.floor(fv)
            if iu < 0 or iv < 0 or iu + 1 >= size or iv + 1 >= size:
                total += 1.0
                continue
            su, sv = fu - iu, fv - iv
            near = (1.0 if shadow[iv, iu] > d else 0.0) * (1.0 - su) + (1.0 if shadow[iv, iu + 1] > d else 0.0) * su
            far = (1.0 if shadow[iv + 1, iu] > d else 0.0) * (1.0 - su)
            far += (1.0 if shadow[iv + 1, iu + 1] > d else 0.0) * su
            total += near * (1.0 - sv) + far * sv
    return total / 9.0


@entry
def shade_faces(first, last, owner, weights, corners, normals, faces, colours, shadow, light, sun, eye, bias, image):
    """Colours the samples of rows first … last that a face covers: sky and ground light, sun, a little gloss."""
    for y in range(first, last):
        for x in range(owner.shape[1]):
            f = owner[y, x]
            if f == NOTHING:
                continue
            a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
            u, v = weights[y, x, 0], weights[y, x, 1]
            w = 1.0 - u - v
            px = u * corners[a, 0] + v * corners[b, 0] + w * corners[c, 0]
            py = u * corners[a, 1] + v * corners[b, 1] + w * corners[c, 1]
            pz = u * corners[a, 2] + v * corners[b, 2] + w * corners[c, 2]
            nx = u * normals[a, 0] + v * normals[b, 0] + w * normals[c, 0]
            ny = u * normals[a, 1] + v * normals[b, 1] + w * normals[c, 1]
            nz = u * normals[a, 2] + v * normals[b, 2] + w * normals[c, 2]
            size = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz + 1e-300)
            nx, ny, nz = nx * size, ny * size, nz * size
            vx, vy, vz = eye[0] - px, eye[1] - py, eye[2] - pz
            size = 1.0 / math.sqrt(vx * vx + vy * vy + vz * vz + 1e-300)
            vx, vy, vz = vx * size, vy * size, vz * size
            facing = nx * sun[0] + ny * sun[1] + nz * sun[2]
            bright, gloss = 0.0, 0.0
            if facing > 0.0:
                bright = lit(shadow, light, px, py, pz, bias * (1.0 + 2.0 * (1.0 - facing))) * facing
                hx, hy, hz = vx + sun[0], vy + sun[1], vz + sun[2]
                size = 1.0 / math.sqrt(hx * hx + hy * hy + hz * hz + 1e-300)
                gloss = bright * 0.16 * max(0.0, (nx * hx + ny * hy + nz * hz) * size) ** 40
            rim = 0.10 * (1.0 - max(0.0, nx * vx + ny * vy + nz * vz)) ** 3
            tone = 0.50 + 0.12 * nz + 0.52 * bright
            for k in range(3):
                image[y, x, k] = colours[f, k] * tone + gloss + rim


@entry
def shade_ground(first, last, depth, view, eye, level, cell, reach, middle, paint, shadow, light, bias, image):
    """Colours the free samples of rows first … last: ground with a grid, its shadows, fading into the backdrop.

    view    (4, 3): rows are what to add to the ray for one sample right, one down, and the ray of the first sample
    paint   (4, 3): ground, grid, backdrop above, backdrop at the horizon
    """
    for y in range(first, last):
        for x in range(depth.shape[1]):
            if depth[y, x] < 1e29:
                continue
            rx = view[2, 0] + (x + 0.5) * view[0, 0] + (y + 0.5) * view[1, 0]
            ry = view[2, 1] + (x + 0.5) * view[0, 1] + (y + 0.5) * view[1, 1]
            rz = view[2, 2] + (x + 0.5) * view[0, 2] + (y + 0.5) * view[1, 2]
            flat = math.sqrt(rx * rx + ry * ry)
            rise = min(1.0, max(0.0, 2.5 * rz / (flat + abs(rz) + 1e-12)))
            for k in range(3):
                image[y, x, k] = paint[3, k] + rise * (paint[2, k] - paint[3, k])
            if rz * (eye[2] - level) >= 0.0 or math.isnan(level):
                continue
            t = (level - eye[2]) / rz
            gx, gy = eye[0] + t * rx, eye[1] + t * ry
            away = math.sqrt((gx - middle[0]) ** 2 + (gy - middle[1]) ** 2) / reach
            fade = min(1.0, max(0.0, 1.35 * math.exp(-0.5 * away * away)))
            if fade <= 0.003:
                continue
            footprint = t * math.sqrt(view[0, 0] ** 2 + view[0, 1] ** 2 + view[0, 2] ** 2)
            stretch = footprint * math.sqrt(rx * rx + ry * ry + rz * rz) / max(abs(rz), 1e-9)
            line = max(grid_line(gx, cell, footprint, stretch), grid_line(gy, cell, footprint, stretch))
            shade = lit(shadow, light, gx, gy, level, bias)
            for k in range(3):
                tone = paint[0, k] + line * (paint[1, k] - paint[0, k])
                tone *= 0.62 + 0.38 * shade
                image[y, x, k] += fade * (tone - image[y, x, k])


@function
def grid_line(x, cell, fine, coarse):
    """How much of a sample a grid line covers; lines are 1.5 samples wide and fade where they would swim."""
    off = abs(x - cell * math.floor(x / cell + 0.5))
    wide = max(0.006 * cell, 0.75 * fine)
    blur = max(fine, 0.35 * coarse)
    cover = min(1.0, max(0.0, (wide + 0.5 * blur - off) / (blur + 1e-12)))
    return cover * min(1.0, 0.25 * cell / (blur + 1e-12))


@entry
def resolve(first, last, image, pixels):
    """Bytes of pixel rows first … last: the mean of each pixel's samples."""
    n = image.shape[0] // pixels.shape[0]
    share = 255.0 / (n * n)
    for y in range(first, last):
        for x in range(pixels.shape[1]):
            for k in range(3):
                total = 0.0
                for j in range(n):
                    for i in range(n):
                        total += min(1.0, max(0.0, image[n * y + j, n * x + i, k]))
                pixels[y, x, k] = int(total * share + 0.5)
