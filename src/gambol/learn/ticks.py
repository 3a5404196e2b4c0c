"""What is done in every tick, compiled, for all worlds in one pass over their Sheet."""

import numpy as np

from gambol.jit import entry
from gambol.math.scalar import load, store

SUM, NEAR, OWN = range(3)  # a term of the reward: a sum of squares, exp of minus one, what a part computed itself


@entry
def perceive(array, cells, packs, sheet, age, moved, speeds, before, count, trunk, position, speed, turn, gravity):
    """Motion from the memory of the worlds, and of the trunk what an inertial sensor gives.

    array, cells      memory of the worlds, and which cells of a row are the first rows of the sheet
    packs, sheet      rows of the sheet, as the memory has them and as numbers
    age               ticks since each episode began: one more each
    moved             the speeds that are there are those of the tick before
    speeds, before, count   rows of the sheet where these begin, and how many there are
    trunk             row where angular velocity [rad/s], velocity [m/s], the direction of gravity (all in axes of the
                      trunk) and the trunk's axes in those of its base begin; -1: there is none
    position, speed   rows where those of the free root begin
    turn, gravity     rotation of the root's base, (3, 3), and gravity [m/s², world axes]
    """
    worlds = sheet.shape[1]
    for k in range(age.shape[0]):
        age[k] += 1
    if moved:
        for j in range(count):
            for k in range(worlds):
                sheet[before + j, k] = sheet[speeds + j, k]
    for c in range(cells.shape[0]):
        for row in range(array.shape[0]):
            store(packs[c], row, load(array[row], cells[c]))
    if trunk < 0:
        return
    length = (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2) ** 0.5
    share = 1.0 / length if length > 0.0 else 0.0
    number = sheet.dtype.type
    one, two = number(1.0), number(2.0)
    gx = number(share * (gravity[0] * turn[0, 0] + gravity[1] * turn[1, 0] + gravity[2] * turn[2, 0]))
    gy = number(share * (gravity[0] * turn[0, 1] + gravity[1] * turn[1, 1] + gravity[2] * turn[2, 1]))
    gz = number(share * (gravity[0] * turn[0, 2] + gravity[1] * turn[1, 2] + gravity[2] * turn[2, 2]))
    for k in range(worlds):
        w, x, y, z = sheet[position + 3, k], sheet[position + 4, k], sheet[position + 5, k], sheet[position + 6, k]
        a, b, c = one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)
        d, e, f = two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)
        g, h, i = two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)
        for first, into in ((speed, trunk), (speed + 3, trunk + 3)):
            p, q, r = sheet[first, k], sheet[first + 1, k], sheet[first + 2, k]
            sheet[into, k] = p * a + q * d + r * g
            sheet[into + 1, k] = p * b + q * e + r * h
            sheet[into + 2, k] = p * c + q * f + r * i
        sheet[trunk + 6, k] = gx * a + gy * d + gz * g
        sheet[trunk + 7, k] = gx * b + gy * e + gz * h
        sheet[trunk + 8, k] = gx * c + gy * f + gz * i
        sheet[trunk + 9, k], sheet[trunk + 10, k], sheet[trunk + 11, k] = a, b, c
        sheet[trunk + 12, k], sheet[trunk + 13, k], sheet[trunk + 14, k] = d, e, f
        sheet[trunk + 15, k], sheet[trunk + 16, k], sheet[trunk + 17, k] = g, h, i


@entry
def take_actions(given, sheet, now, before):
    """Actions (worlds, …) within -1 … 1 into rows of the sheet from `now` on, and those there into rows from `before`.

    False where one is not a number; then nothing is done.
    """
    for k in range(given.shape[0]):
        for j in range(given.shape[1]):
            if np.isnan(given[k, j]):
                return False
    low, high = sheet.dtype.type(-1.0), sheet.dtype.type(1.0)
    for j in range(given.shape[1]):
        for k in range(sheet.shape[1]):
            sheet[before + j, k] = sheet[now + j, k]
        for k in range(given.shape[0]):
            sheet[now + j, k] = min(max(given[k, j], low), high)
    return True


@entry
def show(sheet, rows, middle, scale, seen):
    """seen[j] = (row rows[j] - middle[j]) · scale[j]; those of -1 are left to others."""
    for j in range(rows.shape[0]):
        if rows[j] >= 0:
            for k in range(seen.shape[1]):
                seen[j, k] = seen.dtype.type((sheet[rows[j], k] - middle[j]) * scale[j])


@entry
def judge(sheet, kinds, squares, factors, limits, bounds, weights, failed, age, most, values, terms, returns, reward,
          over, late):  # fmt: skip
    """Rewards of a tick, and which episodes are over; is any?

    kinds             of the terms of the reward: SUM, NEAR or OWN, whose values are there
    squares, factors  (squares, 3) and (squares,): to term squares[i, 0] is added factors[i] times the square of row
                      squares[i, 1] less row squares[i, 2]
    limits, bounds    (limits, 2), (limits,): a world is over whose row limits[i, 0] times limits[i, 1] is more than
                      bounds[i]
    weights           of the terms
    failed            worlds whose step could not be taken: they are given nothing, and are over
    age, most         ticks since each episode began, and of a whole one
    values            (terms, worlds) of this tick, without weights
    terms, returns    since each episode began, to be added to
    reward, over, late   of this tick; over for a reason, to be added to; those whose time is up and that are not over
    """
    worlds, any_over = reward.shape[0], False
    for j in range(kinds.shape[0]):
        if kinds[j] != OWN:
            values[j, :] = 0.0
    for i in range(factors.shape[0]):
        j, a, b = squares[i, 0], squares[i, 1], squares[i, 2]
        for k in range(worlds):
            d = sheet[a, k] - sheet[b, k]
            values[j, k] += factors[i] * (d * d)
    reward[:] = 0.0
    for j in range(kinds.shape[0]):
        if kinds[j] == NEAR:
            for k in range(worlds):
                values[j, k] = np.exp(-values[j, k])
        for k in range(worlds):
            given = 0.0 if failed[k] else float(values[j, k] * weights[j])
            terms[j, k] += given
            reward[k] += given
    for i in range(bounds.shape[0]):
        row, sign = limits[i, 0], sheet.dtype.type(limits[i, 1])
        for k in range(worlds):
            over[k] |= sign * sheet[row, k] > bounds[i]
    for k in range(worlds):
        returns[k] += reward[k]
        over[k] |= failed[k]
        late[k] = age[k] >= most and not over[k]
        any_over |= over[k] | late[k]
    return any_over
