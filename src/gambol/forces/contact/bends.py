"""Ridges in the way: where the ground ahead of a point is not what it is below it.

Along the way of a point in the rest of a step the ground is a row of faces, from one bend to the next: the walls of a
ditch, the triangles of a grid; what is smooth is taken in pieces of a sixteenth of its shortest wave, each as the plane
that touches its middle. So a ridge is found however narrow it is beside the step.
"""

from gambol.dynamics.workspace import FINE, REACHED, REST, SLACK
from gambol.forces.contact.surface import first_stiffness
from gambol.forces.contact.terrain import (
    FIRST_NUMBER,
    PLANE,
    SHAPE,
    SLOPE_X,
    SLOPE_Y,
    STEEPNESS,
    TWO_PI,
    Rough,
    Waves,
    ground_at,
)
from gambol.forces.contact.touchdown import hurried, note_touchdown
from gambol.forces.watch import ENDLESS, TURNING
from gambol.jit import choice, function, outlined
from gambol.math.scalar import (
    absolute,
    any_positive,
    constant,
    floor,
    load,
    load_lane,
    maximum,
    minimum,
    reciprocal,
    sqrt,
    store,
    where_positive,
)
from gambol.math.vector import Mat3, Vec3, dot

FACES = 32  # that are looked at in a step; it does not go beyond them
PIECES = 16.0  # of a wave
ON_LINE = 1e-5  # of a grid's cell: nearer than this is on the line
AT_REST = TURNING * TURNING
FLAT = 1e-6  # of the way: ridges that are lower are none
WAVES, ROUGH = Waves.shape, Rough.shape
INSTANT, DOUBLE, SINGLE = 2e-12, 1e-15, 5e-7  # [s]; of the time: nobody can be less late


@function
def ridges_count(model, motion, quick):
    """Are ridges to be looked for? quick: in the rest of the step something comes so far that it matters.

    Where steps are fixed nobody says what matters.
    """
    uneven = int(load_lane(model.params, SHAPE, 0)) != PLANE
    fine = load_lane(motion.spare, FINE, 0)
    fixed = fine > constant(fine, 0.5 * ENDLESS)
    return uneven and (quick or fixed) and any_positive(load(motion.spare, REST))


@function
def later(place, line, rate, after):
    """When what is at `place` and moves at `rate` comes to a line, where that is later than `after`; else ENDLESS."""
    endless = constant(place, ENDLESS)
    moving = absolute(rate) - constant(rate, TURNING)
    time = (line - place) / where_positive(moving, rate, constant(rate, 1.0))
    return where_positive(moving, where_positive(time - after, time, endless), endless)


@function
def later_whole(place, rate, after):
    """When, later than `after`, it comes to the next whole number."""
    at, on = place + rate * after, constant(place, ON_LINE)
    one = constant(place, 1.0)
    line = where_positive(rate, floor(at + on) + one, -floor(on - at) - one)
    return later(place, line, rate, after)


@function
def later_piece(length, rate, after):
    """When the next piece of a wave of some length begins; none of a wave without length."""
    moving = minimum(absolute(rate) - constant(rate, TURNING), length)
    piece = length / (constant(rate, PIECES) * where_positive(moving, absolute(rate), constant(rate, 1.0)))
    return where_positive(moving, after + piece, constant(rate, ENDLESS))


@function
def wave_length(number):
    """Length of a wave of some number [rad/m]; 0: there is none."""
    some = absolute(number)
    one = constant(some, 1.0)
    return where_positive(some, constant(some, TWO_PI) / where_positive(some, some, one), some)


# ---------------------------------------------------------------- the next bend: (x, y) moves at (u, v), after a time
@function
def no_bends(params, x, y, u, v, after):
    """Of a plane."""
    return constant(x, ENDLESS)


@function
def bends_of_waves(params, x, y, u, v, after):
    """A piece of either wave."""
    along = later_piece(wave_length(load(params, FIRST_NUMBER + 1)), u, after)
    return minimum(along, later_piece(wave_length(load(params, FIRST_NUMBER + 2)), v, after))


@function
def bends_of_ditch(params, x, y, u, v, after):
    """Its four edges."""
    start, width, edge = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 3)
    near = minimum(later(x, start, u, after), later(x, start + edge, u, after))
    end = start + width
    return minimum(near, minimum(later(x, end - edge, u, after), later(x, end, u, after)))


@function
def bends_of_stairs(params, x, y, u, v, after):
    """Edges of the steps about where it is."""
    start, length, edge = load(params, FIRST_NUMBER), load(params, FIRST_NUMBER + 1), load(params, FIRST_NUMBER + 3)
    step, found = floor((x + u * after - start) / length), constant(x, ENDLESS)
    for k in range(-1, 2):
        line = start + (step + constant(step, k)) * length
        found = minimum(found, minimum(later(x, line, u, after), later(x, line + edge, u, after)))
    return found


@function
def bends_of_rough(params, x, y, u, v, after):
    """A piece of its shortest wave, whatever the direction."""
    number = load(params, FIRST_NUMBER + 1)
    for _ in range(int(load_lane(params, FIRST_NUMBER + 2, 0)) - 1):
        number = number + number
    return later_piece(wave_length(number), absolute(u) + absolute(v), after)


@function
def bends_of_grid(params, x, y, u, v, after):
    """Lines of its cells, and their diagonals."""
    each = reciprocal(load(params, FIRST_NUMBER + 2))
    x, y, u, v = (
        (x - load(params, FIRST_NUMBER)) * each,
        (y - load(params, FIRST_NUMBER + 1)) * each,
        u * each,
        v * each,
    )
    lines = minimum(later_whole(x, u, after), later_whole(y, v, after))
    return minimum(lines, later_whole(x - y, u - v, after))


next_bend = choice(
    [no_bends, bends_of_waves, bends_of_ditch, bends_of_stairs, bends_of_rough, bends_of_grid],
    "params, x, y, u, v, after",
)


@function
def seen_from(model, motion, centre, axes, speed, time):
    """Depth and rate of getting deeper [m, m/s], at a time, by the plane of the ground that the centre is then over.

    And how far before its centre what touches that plane goes [s].
    """
    x, y = centre.x + speed.x * time, centre.y + speed.y * time
    height, hx, hy = ground_at(model.params, model.tables, x, y, motion.spare)
    up = reciprocal(sqrt(hx * hx + hy * hy + constant(hx, 1.0)))
    normal = Vec3(-hx * up, -hy * up, up)
    own = Vec3(dot(axes.x, normal), dot(axes.y, normal), dot(axes.z, normal))
    size = sqrt(dot(own, own))
    foot = (axes.x * own.x + axes.y * own.y + axes.z * own.z) * -reciprocal(maximum(size, constant(size, TURNING)))
    square = speed.x * speed.x + speed.y * speed.y
    before = (foot.x * speed.x + foot.y * speed.y) / maximum(square, constant(square, AT_REST))
    depth, rate = (height - centre.z - speed.z * time) * up + size, (hx * speed.x + hy * speed.y - speed.z) * up
    return depth, rate, before


@outlined
def note_ridges(model, motion, t, mass, law, centre, axes, speed):
    """Says how long something round (or a point) that goes on at its speed may do so before ground is in its way.

    axes: half axes of the ellipsoid or disc that it is, world axes. What counts is how much deeper it comes than by the
    plane below it. Found later by a time t, and getting deeper at the speed c, it misses the impulse k c t²/2, which
    may change its speed by FINE. And a ridge that it would have left before the step ends is not passed over: the step
    ends where it would be deepest. In smooth ground that it is in already nothing comes as a surprise.
    """
    params, spare, rest = model.params, motion.spare, load(motion.spare, REST)
    zero, one, endless = constant(rest, 0.0), constant(rest, 1.0), constant(rest, ENDLESS)
    least = constant(rest, 1e-30)
    shape = int(load_lane(params, SHAPE, 0))
    smooth = shape == WAVES or shape == ROUGH
    depth, sinks, _ = seen_from(model, motion, centre, axes, speed, zero)
    way = (absolute(speed.x) + absolute(speed.y)) * rest
    steep = load(params, STEEPNESS) + absolute(load(params, SLOPE_X)) + absolute(load(params, SLOPE_Y))
    bulk = sqrt(dot(axes.x, axes.x) + dot(axes.y, axes.y) + dot(axes.z, axes.z))
    if not any_positive(depth + (way + bulk) * steep + maximum(-speed.z, zero) * rest):
        return  # high above all that is there
    fast = sqrt(speed.x * speed.x + speed.y * speed.y) - constant(rest, TURNING)
    lead = where_positive(fast, bulk / maximum(fast, constant(rest, TURNING)), zero)  # its front is there before it [s]
    bend = next_bend(shape, params, centre.x, centre.y, speed.x, speed.y, zero)
    bent = where_positive(rest + lead - bend, one, zero)
    if not any_positive(maximum(bent, where_positive(depth, zero, one)) if smooth else bent):
        return  # on one face all the way
    flat = way * constant(rest, FLAT)
    soft = load(params, mass) * load(spare, FINE) / maximum(first_stiffness(params, law), constant(rest, TURNING))
    clock = where_positive(constant(rest, 1e-50), constant(rest, DOUBLE), constant(rest, SINGLE))  # 1e-50f is 0
    instant = maximum(absolute(t) * clock, constant(rest, INSTANT))
    after, begin, first, inside, left = zero, zero, depth - maximum(depth, zero), zero, zero
    late, deepest, when, ahead = endless, zero, endless, zero
    for _ in range(FACES):
        bend = minimum(bend, rest + lead)
        look = bend if smooth else (after + bend) * constant(rest, 0.5)
        there, rate, before = seen_from(model, motion, centre, axes, speed, look)
        end = maximum(bend - before, zero)
        if not smooth:
            begin = maximum(after - before, zero)
            first = there + rate * (begin - look) - maximum(depth + sinks * begin, zero)
        last = there + rate * (end - look) - maximum(depth + sinks * end, zero)
        most = maximum(first, last)
        met = where_positive(most - flat, one - left, zero)  # once a ridge has been left, later ones can wait
        met = where_positive(end - begin, met, zero)
        growth = (last - first) / maximum(end - begin, least)
        begins = begin + maximum(-first, zero) / maximum(growth, least)
        more = maximum(sqrt((soft + soft) / maximum(growth, least)), instant)
        news = met * (one - inside)
        ahead = where_positive(news, where_positive(begins - instant, one, zero), ahead)
        if smooth:
            news = where_positive(depth, zero, news)
        late = where_positive(news, minimum(late, begins + more * load(spare, SLACK)), late)
        deeper = where_positive(most - deepest, met, zero)
        when = where_positive(deeper, where_positive(last - first, end, begin), when)
        deepest = where_positive(deeper, most, deepest)
        inside = maximum(inside, met)
        left = maximum(left, where_positive(flat - last, inside, zero))
        after, begin, first = bend, end, last
        if not any_positive((rest + lead - after) * (one - left)):
            break
        bend = next_bend(shape, params, centre.x, centre.y, speed.x, speed.y, after)
    reach = minimum(late, where_positive(left * ahead, when, endless))
    reach = minimum(reach, where_positive((rest - after) * (one - left), after, endless))
    store(spare, REACHED, maximum(minimum(load(spare, REACHED), reach), zero))


@function
def ball_axes(radius):
    """Half axes of a sphere."""
    zero = constant(radius, 0.0)
    return Mat3(Vec3(radius, zero, zero), Vec3(zero, radius, zero), Vec3(zero, zero, radius))


@function
def note_landing(model, motion, t, i, mass, law, depth, normal, speed, arm, centre, axes, drift):
    """All that the stepper should know of what may come down to the ground; drift: speed of its centre."""
    quick = hurried(model, motion, i, mass, law, speed, arm)
    if quick:
        note_touchdown(model, motion, i, mass, law, depth, normal, speed, arm)
    if ridges_count(model, motion, quick):
        note_ridges(model, motion, t, mass, law, centre, axes, drift)
