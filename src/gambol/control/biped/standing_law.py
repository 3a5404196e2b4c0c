"""Standing as a state of a person's walk: when it walks, steps, stands, sets off; how two loaded legs stand.

Quantities are those of the reference person, in the frame of the line it walks on: x ahead, y to the left, z up.
"""

import math

from gambol.control.biped.gait import GAIT_NUMBERS
from gambol.jit import function

RUN, WALKING, STEPPING_SLOWLY, STANDING_STILL, SHIFTING, SITTING = range(6)
"""Running; walking; slow steps, on the spot too; standing; the weight goes to the leg that stays; sitting."""
PHASE, STANCE_SIDE, SHARE, STRIDE_SPEED, STRIDE_BEGUN, MODE, SINCE = (
    0,
    1,
    2,
    4,
    5,
    6,
    7,
)  # of the state; SHARE takes two
SWING_X, SWING_Y, TALL = 8, 9, 10  # of slow steps: where the foot in the air is to be, from the other; hip's height
FOOT_X, FOOT_Y = 11, 12  # where the foot that carries was last loaded [m, world]
FOOTHOLD, LIFTED_X, LIFTED_Z, SWING_Z, SWING_VZ = 13, 14, 15, 16, 17  # on treads: where the foot in the air is to lie,
# and where it left the ground, along the heading from the world's origin [m]; its ankle's height then, and the height
# that it is to have now [m], with its rate
FIRST_REST = 18  # one a spring
NOWHERE = 1e9  # [m] of a foothold: none is chosen
TO_STAND, TO_STEP, TO_WALK, TO_RUN = 0.0, 1.0, 2.0, 3.0  # what is wanted of it
TRUNK_READINGS = 10  # x, y, vx, vy, roll, pitch, yaw, and their rates
(
    X, Y, VX, VY, TRUNK_ROLL, TRUNK_PITCH, TRUNK_YAW, TRUNK_ROLL_RATE, TRUNK_PITCH_RATE, TRUNK_YAW_RATE,
) = range(TRUNK_READINGS)  # fmt: skip
JOINTS_OF_LEG = 6  # of a leg
FALL_TIME = 0.32  # [s] √(height of the centre of mass / g)
EARLIEST, EARLIEST_STEP, TOUCH = 0.34, 0.5, 30.0  # share of a cycle, or of a slow step, after which a foot may strike;
# load that tells it
EARLIEST_ON_TREADS = 0.8  # before that it is an edge that is touched
RUN_SPEED, RUN_LEAST, WALK_BELOW = 1.75, 0.8, 2.3  # [m/s] of its own from which it runs, when it is to; with which it
# goes on; below which it walks again, when it is to
THIGH, SHANK, SHANK_AHEAD = 0.432, 0.434, 0.0173  # [m], [rad] of the shank where the knee's angle is zero
LEG_REACH = 0.9995 * (THIGH + SHANK)  # [m] hip to ankle of a leg that stands
STAND_WIDTH = 0.16  # [m] between the ankles, of a foot that is put down
CENTRE_AHEAD = 0.045  # [m] of the centre of mass ahead of the ankles
HOLD = 0.5  # by how much the pressure goes beyond the extrapolated centre of mass
HEEL_OF_FOOT, BALL_OF_FOOT = -0.05, 0.10  # [m] ahead of the ankle: where the pressure may go, the heel on the ground
CAUGHT_SPEED, STEP_FROM = 0.9, 0.72  # [m/s] below which slow steps take over: its own, and the goal
WALK_FROM, WALK_SPEED = 0.62, 0.50  # [m/s] from which it walks: the goal, and its own
SIDE_BY_SIDE, STEADY, NARROW, WIDE = 0.06, 0.06, 0.07, 0.26  # [m]: feet and tip with which it stands
SWAY, TURNED_OFF = (0.005, 0.05), 0.12  # [m] of the tip inside of the foot that strikes, [rad] of the trunk: of a walk
CENTRED, RESTING = 0.025, 0.06  # [m] of the tip from the middle, aside; share of a step in which both feet still stand
ESCAPED_BACK, ESCAPED_AHEAD = -0.16, 0.24  # [m] where standing will not do: it steps
ESCAPED_ASIDE = 0.03  # [m] outside of a foot
ARMS_AHEAD = 4.0  # [rad/m] by which arms go ahead for hips that are lowered
STAND_LAG, STANDING_LEAST, RISE_TIME = 0.12, 0.3, 0.5  # [s]
BODY_WEIGHT, MOST_LOAD = 667.0, 750.0  # [N]; load that an ankle answers to: more is a blow, and would make it jump
FLAT = 150.0  # [N] load from which a foot is flat because of the ground
CENTRE_HEIGHT, HIP_SHARE = (
    0.87,
    0.92,
)  # [m] of the centre of mass above the ankles; hips' height by its height
STANDING_ANKLE, ANKLE_DAMPING = 250.0, 15.0  # [N·m/rad], [N·m·s/rad]
SHIFT_TIME, LIFT_LATEST = 0.25, 1.2  # [s] in which the weight begins to go over, and after which a foot leaves anyhow
RISEN = LEG_REACH - 0.03  # [m] of its hips over the ankles before it sets off
SEAT_BACK, SEAT_DEPTH = 0.05, 0.4  # [m] by which it lets itself go back, for hips lowered by so much
OVER = 0.03  # [m] ahead of the ankle that stays, where the centre of mass must be for that
SHIFT_ASIDE = 0.03  # [m] from the middle to the foot that leaves: where the pressure is first
HIP_STIFFNESS, KNEE_STIFFNESS, KNEE_DAMPING, SHIFT_AHEAD, SHIFT_INSIDE = (
    GAIT_NUMBERS.index(name)
    for name in ("hip_stiffness", "knee_stiffness", "knee_damping", "shift_ahead", "shift_inside")
)


@function
def clip(x, low, high):
    """A number brought between two others."""
    return min(max(x, low), high)


@function
def escaped(body, limbs):
    """How far the extrapolated centre of mass is outside of the feet [m, to the left]."""
    tip = body[Y] + FALL_TIME * body[VY]
    left, right = max(limbs[0, 1], limbs[1, 1]), min(limbs[0, 1], limbs[1, 1])
    return max(tip - left, 0.0) + min(tip - right, 0.0)


@function
def begin_step(s, limbs, stance):
    """The other leg steps from where it is."""
    free = 1 - stance
    s[MODE], s[STANCE_SIDE], s[PHASE], s[SINCE] = STEPPING_SLOWLY, stance, 0.0, 0.0
    s[SWING_X], s[SWING_Y] = limbs[free, 0] - limbs[stance, 0], limbs[free, 1] - limbs[stance, 1]
    s[TALL], s[FOOTHOLD] = limbs[2 + stance, 2] - limbs[stance, 2], NOWHERE


@function
def together(body, limbs):
    """Are the feet side by side, and is the body slow enough ahead to stand?"""
    apart, wide = abs(limbs[0, 0] - limbs[1, 0]), limbs[0, 1] - limbs[1, 1]
    past = body[X] + FALL_TIME * body[VX] - 0.5 * (limbs[0, 0] + limbs[1, 0]) - CENTRE_AHEAD
    return apart < SIDE_BY_SIDE and NARROW < wide < WIDE and abs(past) < STEADY


@function
def swings(body, limbs, stance):
    """Does the body sway and turn as a walk does when a foot strikes?"""
    sign = 1.0 - 2.0 * stance
    inside = sign * (limbs[stance, 1] - body[Y] - FALL_TIME * body[VY])
    return SWAY[0] < inside < SWAY[1] and abs(body[TRUNK_YAW]) < TURNED_OFF


@function
def change_mode(s, p, body, limbs, load, wanted, speed):
    """Goes over to another state of the walk where it is time; the foot that struck, or -1.

    wanted   TO_STAND, TO_STEP, TO_WALK or TO_RUN; speed [m/s]: the goal
    """
    mode, stance = int(s[MODE]), int(s[STANCE_SIDE])
    free = 1 - stance
    tip = body[X] + FALL_TIME * body[VX]
    if mode == STEPPING_SLOWLY and wanted <= TO_STAND and s[PHASE] < RESTING and together(body, limbs):
        aside = body[Y] + FALL_TIME * body[VY] - 0.5 * (limbs[0, 1] + limbs[1, 1])
        if abs(aside) < CENTRED:
            s[MODE], s[SINCE] = STANDING_STILL, 0.0
            return -1
    if mode <= STEPPING_SLOWLY:
        earliest = EARLIEST_STEP if mode == STEPPING_SLOWLY else EARLIEST
        if mode == STEPPING_SLOWLY and s[FOOTHOLD] != NOWHERE:
            earliest = EARLIEST_ON_TREADS
        if load[free] < TOUCH or s[PHASE] < earliest:
            return -1
        s[SINCE] = 0.0
        if mode == RUN or (mode == WALKING and wanted >= TO_RUN):
            least = RUN_SPEED
            if mode == RUN:
                least = RUN_LEAST if wanted >= TO_RUN else WALK_BELOW
            s[MODE], s[STANCE_SIDE], s[PHASE] = (RUN if s[STRIDE_SPEED] > least else WALKING), free, 0.0
        elif mode == WALKING and (wanted >= TO_WALK or speed > STEP_FROM or s[STRIDE_SPEED] > CAUGHT_SPEED):
            s[STANCE_SIDE], s[PHASE] = free, 0.0
        elif wanted >= TO_WALK and speed >= WALK_FROM and s[STRIDE_SPEED] > WALK_SPEED and swings(body, limbs, free):
            s[MODE], s[STANCE_SIDE], s[PHASE] = WALKING, free, 0.0
        else:
            begin_step(s, limbs, free)
        return free
    middle = 0.5 * (limbs[0, 0] + limbs[1, 0])
    if mode == STANDING_STILL:
        past = tip - middle
        if wanted > TO_STAND and s[SINCE] > STANDING_LEAST and s[TALL] > RISEN:
            s[MODE], s[SINCE], s[STANCE_SIDE] = SHIFTING, 0.0, 0.0 if limbs[0, 0] >= limbs[1, 0] else 1.0
        elif past < ESCAPED_BACK or past > ESCAPED_AHEAD:
            begin_step(s, limbs, 0 if load[0] >= load[1] else 1)
        elif abs(escaped(body, limbs)) > ESCAPED_ASIDE:  # the leg on that side steps out, if the other can carry
            out = 0 if escaped(body, limbs) > 0.0 else 1
            begin_step(s, limbs, 1 - out if load[1 - out] > 0.25 * load[out] else out)
        return -1
    sign = 1.0 - 2.0 * stance
    inside = sign * (limbs[stance, 1] - body[Y] - FALL_TIME * body[VY])
    if inside < p[SHIFT_INSIDE] or s[SINCE] > LIFT_LATEST:
        begin_step(s, limbs, stance)
    return -1


@function
def pressure(body, want):
    """Where the pressure under the feet should be for the centre of mass to come to `want` [m, ahead]."""
    return want + (1.0 + HOLD) * (body[X] + FALL_TIME * body[VX] - want)


@function
def stand(w, dt, p, s, body, limbs, load, slope, crouch, sits, q, order, rest, stiffness, damping, turn):
    """Springs of two legs that stand on the feet they have, the centre of mass over them, or on its way to one.

    crouch [m]: by how much hips are lowered; sits: to a seat behind (1 or 0)
    turn   (2, 2): torques [N·m] of flexion and abduction, left and right; those of abduction are written: a hip takes
           what the load does to it that its foot shall have, the force of the ground going to the centre of mass
    """
    stance = int(s[STANCE_SIDE])
    back = sits * SEAT_BACK * clip((LEG_REACH - s[TALL]) / SEAT_DEPTH, 0.0, 1.0)
    want_x, middle = 0.5 * (limbs[0, 0] + limbs[1, 0]) + CENTRE_AHEAD - back, 0.5 * (limbs[0, 1] + limbs[1, 1])
    beside = middle + (1.0 + HOLD) * (body[Y] + FALL_TIME * body[VY] - middle)  # the pressure, to the left
    if int(s[MODE]) == SHIFTING:
        if body[X] < limbs[stance, 0] + OVER:  # first over the foot that is ahead
            s[SINCE] = 0.0
        share = min(s[SINCE] / SHIFT_TIME, 1.0)
        want_x = limbs[stance, 0] + CENTRE_AHEAD + share * p[SHIFT_AHEAD]
        beside = middle - share * (1.0 - 2.0 * stance) * SHIFT_ASIDE
    at, to_x = pressure(body, want_x), want_x - body[X]
    height = 10.0
    for side in range(2):
        apart_x, apart_y = limbs[side, 0] - limbs[2 + side, 0] - to_x, limbs[side, 1] - limbs[2 + side, 1]
        height = min(
            height, limbs[side, 2] + math.sqrt(max(LEG_REACH**2 - apart_x**2 - apart_y**2, 0.25 * LEG_REACH**2))
        )
    low = min(limbs[0, 2], limbs[1, 2])
    s[TALL] += (height - crouch - low - s[TALL]) * min(1.0, dt / RISE_TIME)
    height = min(height, low + s[TALL])
    fresh = int(s[MODE]) == STANDING_STILL and s[SINCE] < 0.5 * dt
    for side in range(2):
        first = side * JOINTS_OF_LEG
        ahead, aside = limbs[side, 0] - limbs[2 + side, 0] - to_x, limbs[side, 1] - limbs[2 + side, 1]
        if load[side] < 2.0 * TOUCH:  # a foot in the air comes down at a width to stand on
            aside = limbs[1 - side, 1] + (1.0 - 2.0 * side) * STAND_WIDTH - limbs[2 + side, 1]
        down = height - limbs[side, 2]
        long = min(math.sqrt(ahead**2 + down**2), LEG_REACH)
        bend = math.acos(clip((long**2 - THIGH**2 - SHANK**2) / (2.0 * THIGH * SHANK), -1.0, 1.0))
        flexion = math.atan2(ahead, down) + math.asin(clip(SHANK * math.sin(bend) / long, -1.0, 1.0))
        knee = bend + SHANK_AHEAD
        rest[w, first] = -flexion - body[TRUNK_PITCH]
        rest[w, first + 1] = aside / down - body[TRUNK_ROLL]
        rest[w, first + 2] = s[FIRST_REST + first + 2]
        rest[w, first + 3] = knee
        rest[w, first + 4] = flexion - knee - math.atan(slope)
        rest[w, first + 5] = -0.04
        k = p[HIP_STIFFNESS]
        stiffness[w, first], stiffness[w, first + 1], stiffness[w, first + 2] = 0.1 * k, 1.2 * k, 0.4 * k
        damping[w, first], damping[w, first + 1], damping[w, first + 2] = 0.01 * k + 2.0, 0.03 * k, 0.04 * k
        stiffness[w, first + 3], damping[w, first + 3] = p[KNEE_STIFFNESS], p[KNEE_DAMPING] * p[KNEE_STIFFNESS]
        stiffness[w, first + 4], damping[w, first + 4] = STANDING_ANKLE, ANKLE_DAMPING
        stiffness[w, first + 5], damping[w, first + 5] = 250.0, 4.0
        arm = 2 * JOINTS_OF_LEG + side
        stiffness[w, arm], damping[w, arm] = 30.0, 4.0
        rest[w, arm] = -ARMS_AHEAD * clip(LEG_REACH - s[TALL] - 0.03, 0.0, 0.4)
    for n in range(2 * JOINTS_OF_LEG + 2):
        if fresh:
            s[FIRST_REST + n] = q[w, order[n, 0]]
        s[FIRST_REST + n] += (rest[w, n] - s[FIRST_REST + n]) * min(1.0, dt / STAND_LAG)
        rest[w, n] = s[FIRST_REST + n]
    wide = max(limbs[0, 1] - limbs[1, 1], NARROW)
    for side in range(2):
        n, foot, sign = side * JOINTS_OF_LEG, limbs[side, 1], 1.0 - 2.0 * side
        flat = min(load[side] / FLAT, 1.0)  # the ground holds the foot, its ankle gives a torque
        rest[w, n + 4] += flat * (q[w, order[n + 4, 0]] - rest[w, n + 4])
        rest[w, n + 4] += (
            min(load[side], MOST_LOAD) * clip(at - limbs[side, 0], HEEL_OF_FOOT, BALL_OF_FOOT) / STANDING_ANKLE
        )
        knee = limbs[2 + side, 0] + THIGH * math.sin(-s[FIRST_REST + n] - body[TRUNK_PITCH])
        bent = clip(knee - at - (body[X] - at) * SHANK / CENTRE_HEIGHT, -0.3, 0.3)
        rest[w, n + 3] -= s[SHARE + side] * BODY_WEIGHT * bent / stiffness[w, n + 3]
        share = clip(0.5 + sign * (beside - middle) / wide, 0.0, 1.0)
        turn[1, side] = 0.0
        if load[side] >= 2.0 * TOUCH:
            rest[w, n + 1] = q[w, order[n + 1, 0]]
            turn[1, side] = share * BODY_WEIGHT * (limbs[2 + side, 1] - foot - HIP_SHARE * (body[Y] - foot))
