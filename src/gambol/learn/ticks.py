"""What is done in every tick, compiled, for all worlds in one pass: the trunk, actions, sums of squares, judgement."""

import numpy as np

from gambol.jit import entry

TURNING, VELOCITY, DOWN, AXES = 0, 3, 6, 9  # first rows of what is found
ROWS = 18


@entry
def trunk_motion(columns, position, speed, turn, gravity, found):
    """Angular velocity [rad/s], velocity [m/s] and direction of gravity in axes of the trunk; those axes in the base's.

    columns           motion of every world, (cells, worlds)
    position, speed   rows of it where those of the free root begin
    turn, gravity     rotation of the root's base, (3, 3), and gravity [m/s², world axes]
    found             (ROWS, worlds)
    """
    length = (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2) ** 0.5
    share = 1.0 / length if length > 0.0 else 0.0
    one, two = found.dtype.type(1.0), found.dtype.type(2.0)
    gx = found.dtype.type(share * (gravity[0] * turn[0, 0] + gravity[1] * turn[1, 0] + gravity[2] * turn[2, 0]))
    gy = found.dtype.type(share * (gravity[0] * turn[0, 1] + gravity[1] * turn[1, 1] + gravity[2] * turn[2, 1]))
    gz = found.dtype.type(share * (gravity[0] * turn[0, 2] + gravity[1] * turn[1, 2] + gravity[2] * turn[2, 2]))
    for k in range(columns.shape[1]):
        w, x, y, z = (
            columns[position + 3, k],
            columns[position + 4, k],
            columns[position + 5, k],
            columns[position + 6, k],
        )
        a, b, c = one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)
        d, e, f = two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)
        g, h, i = two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)
        for first, into in ((speed, TURNING), (speed + 3, VELOCITY)):
            p, q, r = columns[first, k], columns[first + 1, k], columns[first + 2, k]
            found[into, k] = p * a + q * d + r * g
            found[into + 1, k] = p * b + q * e + r * h
            found[into + 2, k] = p * c + q * f + r * i
        found[DOWN, k] = gx * a + gy * d + gz * g
        found[DOWN + 1, k] = gx * b + gy * e + gz * h
        found[DOWN + 2, k] = gx * c + gy * f + gz * i
        found[AXES, k], found[AXES + 1, k], found[AXES + 2, k] = a, b, c
        found[AXES + 3, k], found[AXES + 4, k], found[AXES + 5, k] = d, e, f
        found[AXES + 6, k], found[AXES + 7, k], found[AXES + 8, k] = g, h, i


@entry
def take_actions(given, clipped):
    """Actions (worlds, …) within -1 … 1, as columns (…, worlds); False where one is not a number."""
    good, low, high = True, clipped.dtype.type(-1.0), clipped.dtype.type(1.0)
    for j in range(given.shape[1]):
        for k in range(given.shape[0]):
            x = given[k, j]
            good &= not np.isnan(x)
            clipped[j, k] = min(max(x, low), high)
    return good


@entry
def sum_of_squares(columns, factor):
    """Of each world's numbers, (…, worlds) to (worlds,), times a factor."""
    found = np.zeros(columns.shape[1], columns.dtype)
    for j in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            found[k] += columns[j, k] * columns[j, k]
    for k in range(columns.shape[1]):
        found[k] *= columns.dtype.type(factor)
    return found


@entry
def squared_distance(columns, others, factor):
    """Between each world's numbers and other ones, (…, worlds) to (worlds,), times a factor."""
    found = np.zeros(columns.shape[1], columns.dtype)
    for j in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            d = columns[j, k] - others[j, k]
            found[k] += d * d
    for k in range(columns.shape[1]):
        found[k] *= columns.dtype.type(factor)
    return found


@entry
def judge(values, weights, failed, over, age, most, terms, returns, reward, late):
    """Adds a tick's terms of the reward up; is any episode over?

    values, weights   of the terms, (terms, worlds) and (terms,): what a tick gives is their product
    failed            worlds whose step could not be taken: they are given nothing, and are over
    over              those that are over for a reason; `failed` ones are added
    age, most         ticks since each episode began, and of a whole one
    terms, returns    since each episode began, to be added to
    reward, late      of this tick; worlds whose time is up, and which are not over for a reason
    """
    any_over = False
    for k in range(reward.shape[0]):
        reward[k] = 0.0
    for j in range(values.shape[0]):
        for k in range(reward.shape[0]):
            given = 0.0 if failed[k] else float(values[j, k] * weights[j])
            terms[j, k] += given
            reward[k] += given
    for k in range(reward.shape[0]):
        returns[k] += reward[k]
        over[k] |= failed[k]
        late[k] = age[k] >= most and not over[k]
        any_over |= over[k] | late[k]
    return any_over
