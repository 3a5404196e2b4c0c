"""Steps over the edges of treads: where a foot may lie, how high it has to be on its way, how high the hips are.

The ground is seen as a profile along the way (see `sight`): heights at equal distances, the first at `since`. Footholds
are chosen by sight, so the body has to come to them: the pressure under the foot that carries leads the extrapolated
centre of mass to where the next step begins. Hips are as high as the lower leg reaches while both feet are down, and
go evenly from one such height to the next as the body goes ahead: then it runs ahead as it does on level ground.
"""

import math

from gambol.control.biped.standing_law import (
    FALL_TIME,
    FOOTHOLD,
    LEG_REACH,
    LIFTED_X,
    LIFTED_Z,
    NOWHERE,
    PHASE,
    SHANK,
    STANCE_SIDE,
    SWING_VZ,
    SWING_Z,
    THIGH,
    clip,
)
from gambol.jit import function

SPACING = 5e-3  # [m] between the samples of a profile
HEEL_BEHIND, TOES_AHEAD = 0.063, 0.205  # [m] of the ankle: where the sole ends
HEEL_BEARS, BALL_BEARS = 0.046, 0.128  # [m] of the ankle: between these the sole has to be borne
SOLE_ROOM, PASSING = 0.012, 0.003  # [m] that is kept between a sole that lies, or passes, and an edge beside it
ANKLE_ABOVE = 0.0735  # [m] of an ankle over the ground that its sole is on
MID_SOLE = 0.03  # [m] ahead of the ankle: what is below it is the ground of a foot
SAME_TREAD = 0.015  # [m] in height
STAIRS_ABOUT = 0.4  # [m] ahead and behind, by which it knows whether stairs go up or down
OVERHANG = 2.0  # [m] that a foothold may be farther off, for each metre of sole that nothing bears,
TOE_ROOM, CROWDED = 0.045, 1.5  # and for each that toes are nearer than this [m] to a riser
FOOTHOLDS = 0.45  # [m] to either side of the wanted place in which a foothold is looked for
HIGHEST_RISER = 0.24  # [m]
FARTHEST = 0.48  # [m] ahead of the foot that carries
STRIDE_LEAST = 0.27  # [m] that it would go with each step
GOES_FROM, GOES_UNTIL, LOOK = 0.1, 0.8, 0.25  # shares of the time in the air: when it goes ahead; how far it looks
GOES_LATER, RISEN, TWO_STEPS = (
    0.15,
    0.62,
    0.34,
)  # later, two steps up; when it has risen, of that time, two steps up; [m]
DOWN_AT, DOWN_IN = 0.97, 0.2  # shares of that time: when it is down, where it is there, and over how much
LEFT_ALONE = 60.0  # [N] on the foot behind: it does not help any more
READY, READY_LATEST = 0.04, 0.5  # [m] behind where it should be, the tip is waited for on two feet, but not longer [s]
THERE, COMING = 0.02, 0.10  # [m] from its foothold: it lies down; it is as high as it is to be farther off
QUICK, HARDEST = 18.0, 30.0  # [1/s], [m/s²]: how it goes up and down
PULL = 0.5  # of its way to where it should be, by which it is to be farther on: a leg is heavy
STUB = 0.01  # [m] lower than it should be, a foot does not go on towards an edge
CHOOSE_UNTIL, KEEP_WITHIN = 0.35, 0.22  # share of a step; [m]: a tread whose foothold is nearer to the wanted is kept
SETTLED = 0.9  # share of a step until which the foothold moves on its tread


@function
def sample(x, since, samples):
    """Which sample of a profile is at a place."""
    return min(max(int((x - since) / SPACING + 0.5), 0), samples - 1)


@function
def ground_height(profile, since, x):
    """Height of the ground under a foot whose ankle is at x [m]."""
    return profile[sample(x + MID_SOLE, since, profile.shape[0])]


@function
def highest(profile, since, first, last):
    """The highest ground between two places [m]."""
    found = -NOWHERE
    for k in range(sample(first, since, profile.shape[0]), sample(last, since, profile.shape[0]) + 1):
        found = max(found, profile[k])
    return found


@function
def misfit(profile, since, x, level):
    """How much farther off a place might be that has no fault, with a sole whose ankle is at x [m]; NOWHERE: none."""
    own = ground_height(profile, since, x)
    if abs(own - level) > HIGHEST_RISER:
        return NOWHERE
    if highest(profile, since, x - HEEL_BEHIND - SOLE_ROOM, x + TOES_AHEAD + SOLE_ROOM) > own + SAME_TREAD:
        return NOWHERE
    free = 0.0
    samples = profile.shape[0]
    for k in range(sample(x - HEEL_BEHIND, since, samples), sample(x + TOES_AHEAD, since, samples) + 1):
        if profile[k] < own - SAME_TREAD:
            at = since + SPACING * k
            if x - HEEL_BEARS < at < x + BALL_BEARS:
                return NOWHERE
            free += OVERHANG * SPACING
    for k in range(sample(x + TOES_AHEAD, since, samples), sample(x + TOES_AHEAD + TOE_ROOM, since, samples) + 1):
        if profile[k] > own + SAME_TREAD:
            free += CROWDED * SPACING
    return free


@function
def foothold(profile, since, wanted, level):
    """The place nearest to the wanted one where a sole can lie, rather wholly than in part [m]; level: of the other."""
    best, found = NOWHERE, wanted
    steps = int(FOOTHOLDS / SPACING)
    for k in range(-steps, steps + 1):
        x = wanted + k * SPACING
        if abs(x - wanted) >= best:
            continue
        cost = abs(x - wanted) + misfit(profile, since, x, level)
        if cost < best:
            best, found = cost, x
    return found


@function
def aim(p_time, s, profiles, since, foot, wanted, stride):
    """Chooses the foothold; how far it is ahead of the foot that carries, and where the tip has to be by then [m].

    foot     along the heading, of the ankle that carries; wanted: where the body falls to; stride: of each step
    """
    stance = int(s[STANCE_SIDE])
    own, other = profiles[stance], profiles[1 - stance]
    wanted = min(wanted, foot + FARTHEST)
    if s[PHASE] < SETTLED or s[FOOTHOLD] == NOWHERE:
        found = foothold(other, since, wanted, ground_height(own, since, foot))
        same = abs(ground_height(other, since, found) - ground_height(other, since, s[FOOTHOLD])) < SAME_TREAD
        early = s[PHASE] < CHOOSE_UNTIL and abs(wanted - s[FOOTHOLD]) > KEEP_WITHIN
        if s[FOOTHOLD] == NOWHERE or same or early:
            s[FOOTHOLD] = found
    at = s[FOOTHOLD]
    after = foothold(own, since, at + stride, ground_height(other, since, at)) - at
    return at - foot, at - foot + after / (math.exp(p_time / FALL_TIME) - 1.0)


@function
def stays_level(s, profiles, since, foot):
    """Does this step neither leave nor reach another tread than that of the foot that carries?"""
    stance = int(s[STANCE_SIDE])
    level, other = ground_height(profiles[stance], since, foot), profiles[1 - stance]
    if s[FOOTHOLD] == NOWHERE or abs(ground_height(other, since, s[FOOTHOLD]) - level) > SAME_TREAD:
        return False
    return abs(ground_height(other, since, s[LIFTED_X]) - level) < SAME_TREAD


@function
def _even(share):
    """From 0 to 1, evenly."""
    share = clip(share, 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


@function
def _gone(u, climbs):
    """Share of its way that a foot in the air has gone, by the share of its time; climbs: 1 up, -1 down two steps."""
    later = GOES_LATER * clip(2.0 * climbs, -1.0, 1.0)
    first, last = GOES_FROM + later, GOES_UNTIL + later
    return _even((u - first) / (last - first))


@function
def swing_over(dt, s, profile, since, at, height, risen, lift, late):
    """Where the ankle of the foot in the air is to be now: along the heading, and its height [m].

    at, height   where it is; risen: share of its time; lift: over the ground [m]; late: how far it goes down for a
                 ground that does not come [m]
    """
    if risen <= 0.0:
        return at, height
    way = s[FOOTHOLD] - s[LIFTED_X]
    climbs = ground_height(profile, since, s[FOOTHOLD]) - ground_height(profile, since, s[LIFTED_X])
    climbs = clip(climbs / TWO_STEPS, -1.0, 1.0)
    lift *= clip(max((abs(s[FOOTHOLD] - at) - THERE) / COMING, (DOWN_AT - risen) / DOWN_IN), 0.0, 1.0)
    x, soon = s[LIFTED_X] + way * _gone(risen, climbs), s[LIFTED_X] + way * _gone(risen + LOOK, climbs)
    if climbs > 0.0:
        soon = s[FOOTHOLD]
    first, last = min(at, x, soon) - HEEL_BEHIND - PASSING, max(at, x, soon) + TOES_AHEAD + PASSING
    need = highest(profile, since, first, last) + ANKLE_ABOVE + lift
    if climbs > 0.0:
        s[SWING_Z] = s[LIFTED_Z] + (need - s[LIFTED_Z]) * _even(risen / RISEN)
    else:
        push = QUICK * QUICK * (need - s[SWING_Z]) - 2.0 * QUICK * s[SWING_VZ]
        s[SWING_VZ] += dt * clip(push, -HARDEST, HARDEST)
        s[SWING_Z] += dt * s[SWING_VZ]
    while way > 0.0 and x > s[LIFTED_X]:  # up first
        if highest(profile, since, x, x + TOES_AHEAD + SOLE_ROOM) + ANKLE_ABOVE - STUB <= height:
            break
        x -= SPACING
    return x + PULL * (x - at), s[SWING_Z] + PULL * (s[SWING_Z] - height) - late


@function
def hips_over(s, high, body_x, profiles, since, foot, ankle):
    """Height of the hip above the ankle that carries [m].

    high     above the ankle of the lower leg [m]; body_x: where the body is, along the heading; ankle: its height
    """
    stance = int(s[STANCE_SIDE])
    own, other = profiles[stance], profiles[1 - stance]
    level = ground_height(own, since, foot)
    before = high + min(ground_height(other, since, s[LIFTED_X]) - level, 0.0)
    after = high + min(ground_height(other, since, s[FOOTHOLD]) - level, 0.0)
    begin, end = 0.5 * (s[LIFTED_X] - foot), 0.5 * (s[FOOTHOLD] - foot)
    gone = clip((body_x - foot - begin) / max(end - begin, 0.1), 0.0, 1.0)
    return before + gone * (after - before) - (ankle - level - ANKLE_ABOVE)


@function
def leg_in_pelvis(ahead, aside, down, pitch, roll, turned):
    """Flexion and abduction of the hip in the pelvis, bend of the knee's triangle [rad], for a thigh that is turned so.

    ahead, aside, down   of the ankle from the hip [m], in level axes that head as the pelvis does
    """
    x, z = math.cos(pitch) * ahead + math.sin(pitch) * down, math.sin(pitch) * ahead - math.cos(pitch) * down
    y, z = math.cos(roll) * aside + math.sin(roll) * z, math.cos(roll) * z - math.sin(roll) * aside
    long = min(math.sqrt(x * x + y * y + z * z), LEG_REACH)
    bend = math.acos(clip((long**2 - THIGH**2 - SHANK**2) / (2.0 * THIGH * SHANK), -1.0, 1.0))
    behind, below = SHANK * math.sin(bend), THIGH + SHANK * math.cos(bend)
    across = -behind * math.sin(turned)
    abduction = math.asin(clip(y / math.hypot(across, below), -0.7, 0.7)) - math.atan2(across, below)
    lower = below * math.cos(abduction) - across * math.sin(abduction)
    return math.atan2(x, -z) + math.atan2(behind * math.cos(turned), lower), bend, abduction
