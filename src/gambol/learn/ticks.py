"""What is done in every tick, compiled, for all worlds in one pass over their Sheet.

    take_actions   before the march
    finish         after it: look, judge, show
    look, show     by themselves, where episodes begin

Rows are gone through one after the other, each as an array of its own: so a loop over worlds is one of vectors.
"""

import numpy as np

from gambol.jit import entry, function
from gambol.math.scalar import load, store

TERM_SUM, TERM_NEAR, TERM_OWN = range(
    3
)  # a term of the reward: a sum of squares, exp of minus one, what a part computed itself


@function
def _look(array, cells, packs, sheet, age, moved, speeds, before, count, trunk, position, speed, turn, gravity):
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
            old, new = sheet[before + j], sheet[speeds + j]
            for k in range(worlds):
                old[k] = new[k]
    number = sheet.dtype.type
    one, two = number(1.0), number(2.0)
    length = (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2) ** 0.5
    share = 1.0 / length if length > 0.0 else 0.0
    gx = number(share * (gravity[0] * turn[0, 0] + gravity[1] * turn[1, 0] + gravity[2] * turn[2, 0]))
    gy = number(share * (gravity[0] * turn[0, 1] + gravity[1] * turn[1, 1] + gravity[2] * turn[2, 1]))
    gz = number(share * (gravity[0] * turn[0, 2] + gravity[1] * turn[1, 2] + gravity[2] * turn[2, 2]))
    for row in range(packs.shape[1]):
        for c in range(cells.shape[0]):
            store(packs[c], row, load(array[row], cells[c]))
        if trunk < 0:
            continue
        w, x = load(packs[position + 3], row), load(packs[position + 4], row)
        y, z = load(packs[position + 5], row), load(packs[position + 6], row)
        ax, bx, cx = one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)
        ay, by, cy = two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)
        az, bz, cz = two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)
        for j in (0, 3):
            p, q = load(packs[speed + j], row), load(packs[speed + j + 1], row)
            r = load(packs[speed + j + 2], row)
            store(packs[trunk + j], row, p * ax + q * ay + r * az)
            store(packs[trunk + j + 1], row, p * bx + q * by + r * bz)
            store(packs[trunk + j + 2], row, p * cx + q * cy + r * cz)
        store(packs[trunk + 6], row, gx * ax + gy * ay + gz * az)
        store(packs[trunk + 7], row, gx * bx + gy * by + gz * bz)
        store(packs[trunk + 8], row, gx * cx + gy * cy + gz * cz)
        for j, axis in enumerate((ax, bx, cx, ay, by, cy, az, bz, cz)):
            store(packs[trunk + 9 + j], row, axis)


@function
def _show(sheet, rows, middle, scale, seen):
    """seen[j] = (row rows[j] - middle[j]) · scale[j]; those of -1 are left to others."""
    for j in range(rows.shape[0]):
        if rows[j] >= 0:
            row, into, less, times = sheet[rows[j]], seen[j], middle[j], scale[j]
            for k in range(seen.shape[1]):
                into[k] = (row[k] - less) * times


@function
def _judge(sheet, kinds, squares, factors, limits, bounds, weights, failed, age, most, values, terms, returns, reward,
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
        if kinds[j] != TERM_OWN:
            values[j, :] = 0.0
    for i in range(factors.shape[0]):
        value, factor = values[squares[i, 0]], factors[i]
        one, other = sheet[squares[i, 1]], sheet[squares[i, 2]]
        for k in range(worlds):
            d = one[k] - other[k]
            value[k] += factor * (d * d)
    reward[:] = 0.0
    for j in range(kinds.shape[0]):
        value, term, weight = values[j], terms[j], weights[j]
        if kinds[j] == TERM_NEAR:
            for k in range(worlds):
                value[k] = np.exp(-value[k])
        for k in range(worlds):
            given = 0.0 if failed[k] else float(value[k] * weight)
            term[k] += given
            reward[k] += given
    for i in range(bounds.shape[0]):
        row, sign, bound = sheet[limits[i, 0]], sheet.dtype.type(limits[i, 1]), bounds[i]
        for k in range(worlds):
            over[k] |= sign * row[k] > bound
    for k in range(worlds):
        returns[k] += reward[k]
        over[k] |= failed[k]
        late[k] = age[k] >= most and not over[k]
        any_over |= over[k] | late[k]
    return any_over


@entry
def take_actions(given, sheet, now, before):
    """Actions (worlds, …) within -1 … 1 into rows of the sheet from `now` on, and those there into rows from `before`.

    False where one is not a number; then nothing is done.
    """
    wrong, flat = 0, given.reshape(-1)
    for k in range(flat.shape[0]):
        wrong += np.isnan(flat[k])
    if wrong:
        return False
    low, high = sheet.dtype.type(-1.0), sheet.dtype.type(1.0)
    for j in range(given.shape[1]):
        old, new = sheet[before + j], sheet[now + j]
        for k in range(sheet.shape[1]):
            old[k] = new[k]
        for k in range(given.shape[0]):
            new[k] = min(max(given[k, j], low), high)
    return True


@entry
def look(sight):
    """Where the worlds are now: `sight` are the arguments of _look."""
    _look(*sight)


@entry
def show(sheet, shown, seen):
    """What is seen: `shown` are rows, middle and scale of _show."""
    _show(sheet, *shown, seen)


@entry
def finish(looks, sight, tables, tallies, shown, seen):
    """The end of a tick: looks, if that was not done yet, judges, and shows; is an episode over?

    sight     arguments of _look
    tables, tallies   those of _judge after the sheet, in two parts
    shown     rows, middle and scale of _show
    """
    if looks:
        _look(*sight)
    over = _judge(sight[3], *tables, *tallies)
    _show(sight[3], *shown, seen)
    return over
