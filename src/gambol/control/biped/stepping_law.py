"""Slow steps of a person: where the extrapolated centre of mass will be, there the next foot goes.

On a leg that does not change its length the extrapolated centre of mass ("tip": place plus fall time times velocity)
runs away from the pressure under the foot, e-fold in a fall time. A step of a given time that begins with the tip a
certain way off the foot ends with it the same way off the next foot, if that one is put where it should be: so a foot
is placed for any small speed, backward and on the spot too, and to catch a body that was pushed. The standing ankle
moves the pressure within its foot meanwhile. Legs are placed by inverse kinematics.

Quantities are those of the reference person, in the frame of the line it walks on: x ahead, y to the left, z up.
"""

import math

from gambol.control.biped.gait import GAIT_NUMBERS
from gambol.control.biped.standing_law import (
    ANKLE_DAMPING,
    BALL_OF_FOOT,
    BODY_WEIGHT,
    CENTRE_AHEAD,
    CENTRE_HEIGHT,
    FALL_TIME,
    FIRST_REST,
    FLAT,
    HEEL_OF_FOOT,
    JOINTS_OF_LEG,
    LEG_REACH,
    LIFTED_X,
    LIFTED_Z,
    MOST_LOAD,
    PHASE,
    SHANK,
    SHANK_AHEAD,
    SHARE,
    SINCE,
    STANCE_SIDE,
    STANDING_ANKLE,
    SWING_VZ,
    SWING_X,
    SWING_Y,
    SWING_Z,
    TALL,
    THIGH,
    TO_STAND,
    TRUNK_PITCH,
    TRUNK_ROLL,
    TRUNK_YAW,
    VX,
    VY,
    X,
    Y,
    clip,
    together,
)
from gambol.control.biped.treads_law import (
    LEFT_ALONE,
    READY,
    READY_LATEST,
    SAME_TREAD,
    STRIDE_LEAST,
    aim,
    hips_over,
    leg_in_pelvis,
    stays_level,
    swing_over,
)
from gambol.jit import function

NARROWEST, WIDEST, LONGEST = 0.085, 0.40, 0.55  # [m] of a step aside and ahead
QUICKEST = 2.5  # times as fast as its time
HIP_HEIGHT, HEIGHT_LAG = 0.846, 0.1  # [m] above the ankle of a leg that carries, [s]
BELOW, ABOVE = (
    0.012,
    0.045,
)  # [m] that hips are to be lower or higher than they are, at most
KNEE_LEVER, KNEE_LEVER_ON_TREADS = 0.15, 0.3  # [m] at most, of the load at the knee
TAKEN, TAKEN_LATEST = 0.5, 0.2  # share of the weight on the new foot before the other leaves the ground; [s]
LIFT = 0.06  # share of the step at which a foot leaves the ground
PRESS = 0.5  # [m/s] by which a foot goes down that is late
SINK = 0.15  # [m] by which the standing leg bends for a foot that is late by a step's time
TOES_UP = 0.06  # [rad] of a foot in the air
FASTEST_JOINT = 7.0  # [rad/s] of what a damper is helped against
(
    HIP_STIFFNESS, HIP_DAMPING, KNEE_STIFFNESS, KNEE_DAMPING, KNEE_SWING_STIFFNESS, ANKLE_SWING_STIFFNESS,
    STEP_TIME, STEP_WIDTH, STEP_LANDING, STEP_HURRY, STEP_YAW, STEP_LIFT, STEP_COURSE, STEP_HOLD,
    TREAD_TIME, TREAD_WIDTH, TREAD_LANDING, TREAD_HIPS, TREAD_CENTRE, TREAD_HOLD, TREAD_HURRY, TREAD_FIRM, TREAD_LIFT,
    TREAD_PUSH, TREAD_CLIMB,
) = (
    GAIT_NUMBERS.index(name)
    for name in (
        "hip_stiffness",
        "hip_damping",
        "knee_stiffness",
        "knee_damping",
        "knee_swing_stiffness",
        "ankle_swing_stiffness",
        "step_time",
        "step_width",
        "step_landing",
        "step_hurry",
        "step_yaw",
        "step_lift",
        "step_course",
        "step_hold",
        "tread_time",
        "tread_width",
        "tread_landing",
        "tread_hips",
        "tread_centre",
        "tread_hold",
        "tread_hurry",
        "tread_firm",
        "tread_lift",
        "tread_push",
        "tread_climb",
    )
)  # fmt: skip
COME_BACK = 1.5  # by how much the pressure goes beyond the tip as it comes to rest
INNER, OUTER = -0.015, 0.025  # [m] from the ankle outward: where the pressure may go
SUBTALAR_ROLL, SUBTALAR_PITCH = 0.709, 0.301  # of the subtalar axis, as it lies in the foot
ARM = 0.5  # [rad/m]
ROTATION = 0.4  # stiffness of hip rotation by that of flexion


@function
def missed(error, least, most, left, hold):
    """How far the tip will be off [m] in `left` seconds, when the pressure can go from `least` to `most` [m]."""
    if error > most:
        return most + (error - most) * math.exp(left / FALL_TIME)
    if error < least:
        return least + (error - least) * math.exp(left / FALL_TIME)
    return error * math.exp(-hold * left / FALL_TIME)


@function
def place_foot(dt, p, s, body, limbs, load, speed, wanted, profiles, since, origin):
    """Goes on with a step: where the swinging foot is to be now; the pressure under the other [m]: ahead, outward."""
    stance, treads = int(s[STANCE_SIDE]), not math.isnan(since)
    time, quickest, centre, hold = p[STEP_TIME], QUICKEST, CENTRE_AHEAD, p[STEP_HOLD]
    width, landing = p[STEP_WIDTH], p[STEP_LANDING]
    if treads:
        centre, hold, width, landing = p[TREAD_CENTRE], p[TREAD_HOLD], p[TREAD_WIDTH], p[TREAD_LANDING]
        if not stays_level(s, profiles, since, limbs[stance, 0] + origin):
            time, quickest = p[TREAD_TIME], p[TREAD_HURRY]
    out = 2.0 * stance - 1.0  # to which side the swinging leg is: left 1
    grown = math.exp(time / FALL_TIME)
    inside = out * (body[Y] + FALL_TIME * body[VY] - limbs[stance, 1])
    left = whole = max(1.0 - s[PHASE], 0.0) * time
    if inside > 1e-3:
        left = min(left, max(FALL_TIME * math.log(p[STEP_HURRY] / inside), left / quickest))
    elif inside < -OUTER:  # it falls to the outside: the leg that stands is the one that has to step
        left /= quickest
    foot, tip = limbs[stance, 0] + centre, body[X] + FALL_TIME * body[VX]
    stride = speed * time
    if treads and wanted > TO_STAND:
        stride = max(stride, STRIDE_LEAST)
    start = stride / (grown - 1.0)
    error = tip - foot - start * math.exp(min(s[PHASE], 1.0) * time / FALL_TIME)
    end = start * grown + missed(error, 0.8 * (HEEL_OF_FOOT - centre), 0.8 * (BALL_OF_FOOT - centre), left, hold)
    ahead = clip(end - start, -LONGEST, LONGEST)
    ready, latest = True, TAKEN_LATEST
    if treads:
        own = limbs[stance, 0] + origin
        ahead, there = aim(time, s, profiles, since, own, own + ahead, stride)
        if tip - foot > 0.2 * there > 0.0:  # the step waits for the body, or hurries
            come = clip(FALL_TIME * math.log(there / (tip - foot)), whole / quickest, whole * quickest)
            left = min(left, come) if left < whole else come
        ready, latest = tip - foot > there / grown - READY or load[1 - stance] < LEFT_ALONE, READY_LATEST
        error = tip - foot - there * math.exp((min(s[PHASE], 1.0) - 1.0) * time / FALL_TIME)
    at = foot + clip((1.0 + hold) * error, HEEL_OF_FOOT - centre, BALL_OF_FOOT - centre)
    begin = width / (1.0 + grown)
    off = inside - begin * math.exp(min(s[PHASE], 1.0) * time / FALL_TIME)
    outward = clip(-(1.0 + p[STEP_HOLD]) * off, INNER, OUTER)
    end = begin * math.exp((min(s[PHASE], 1.0) * time + left) / FALL_TIME)
    aside = end + missed(off, -0.8 * OUTER, -0.8 * INNER, left, p[STEP_HOLD]) + begin - landing
    aside += out * p[STEP_COURSE] * clip(body[Y], -0.3, 0.3)
    aside = out * clip(aside, NARROWEST, WIDEST)
    share = min(1.0, dt * 2.0 * clip((s[PHASE] - 0.03) / 0.12, 0.0, 1.0) / max(left, 0.04))
    if not treads:
        s[SWING_X] += share * (ahead - s[SWING_X])
    s[SWING_Y] += share * (aside - s[SWING_Y])
    rate = 1.0 / time if left <= 0.0 else max((1.0 - s[PHASE]) / left, 1.0 / (time * (quickest if treads else 1.0)))
    if wanted <= TO_STAND and s[PHASE] < LIFT and together(body, limbs) and -OUTER < inside < limbs[0, 1] - limbs[1, 1]:
        middle = 0.5 * (limbs[0, 1] - limbs[1, 1])  # it comes to rest
        outward = clip(-inside + COME_BACK * (middle - inside), INNER, OUTER)
    elif (
        s[PHASE] + dt * rate < LIFT
        or (load[stance] > TAKEN * BODY_WEIGHT and ready)
        or s[PHASE] > LIFT
        or s[SINCE] > latest
    ):
        s[PHASE] += dt * rate
    return at, outward


@function
def leg_to(ahead, aside, down):
    """Flexion of the hip in space, bend of the knee's triangle, abduction [rad]: ankle at this place below the hip."""
    below = math.sqrt(aside**2 + down**2)
    long = min(math.sqrt(ahead**2 + below**2), LEG_REACH)
    bend = math.acos(clip((long**2 - THIGH**2 - SHANK**2) / (2.0 * THIGH * SHANK), -1.0, 1.0))
    flexion = math.atan2(ahead, below) + math.asin(clip(SHANK * math.sin(bend) / long, -1.0, 1.0))
    return flexion, bend, math.atan2(aside, down)


@function
def step(
    w, dt, p, s, body, limbs, load, speed, turning, slope, wanted, profiles, since, origin, q, v, order, rest,
    stiffness, damping, turn,
):  # fmt: skip
    """Springs of a leg that carries and one that steps; turn (2, 2): torques the hips' springs give, as in a walk.

    profiles, since   of the ground under the feet (see sight), nan where no edge is near; origin: of the line it walks
                      on, along the heading [m]
    """
    stance, treads = int(s[STANCE_SIDE]), not math.isnan(since)
    at, outward = place_foot(dt, p, s, body, limbs, load, speed, wanted, profiles, since, origin)
    cy, sy = math.cos(body[TRUNK_YAW]), math.sin(body[TRUNK_YAW])
    risen = clip((s[PHASE] - LIFT) / (1.0 - LIFT), 0.0, 1.0)
    free, over = 1 - stance, 0.0
    if risen <= 0.0:
        s[LIFTED_X], s[LIFTED_Z] = limbs[free, 0] + origin, limbs[free, 2]
    if risen <= 0.0 or not treads:
        s[SWING_Z], s[SWING_VZ] = limbs[free, 2], 0.0
    if treads:
        late = PRESS * p[STEP_TIME] * max(s[PHASE] - 1.0, 0.0)
        x, over = swing_over(
            dt, s, profiles[free], since, limbs[free, 0] + origin, limbs[free, 2], risen, p[TREAD_LIFT], late
        )
        s[SWING_X] = x - origin - limbs[stance, 0]
        if risen <= 0.0 and limbs[stance, 2] > limbs[free, 2] + SAME_TREAD:
            over -= p[TREAD_PUSH]
    for side in range(2):
        first, carries, share = side * JOINTS_OF_LEG, side == stance, s[SHARE + side]
        to_x, to_y = limbs[side, 0] - limbs[2 + side, 0], limbs[side, 1] - limbs[2 + side, 1]
        if not carries:
            to_x = limbs[stance, 0] + s[SWING_X] - limbs[2 + side, 0]
            to_y = limbs[stance, 1] + s[SWING_Y] - limbs[2 + side, 1]
        ahead, aside = cy * to_x + sy * to_y, cy * to_y - sy * to_x
        if carries:
            most = math.sqrt(max(LEG_REACH**2 - ahead**2 - aside**2, 0.25))
            late = min(max(s[PHASE] - 1.0, 0.0), 1.0)
            high, lag = HIP_HEIGHT, HEIGHT_LAG
            if treads:
                own = limbs[stance, 0] + origin
                at_x = body[X] + origin - p[TREAD_CENTRE]
                high = hips_over(s, p[TREAD_HIPS], at_x, profiles, since, own, limbs[stance, 2])
                now = limbs[2 + side, 2] - limbs[side, 2]
                s[TALL] = clip(s[TALL], now - BELOW, now + ABOVE)
                high = s[TALL] + clip(high - s[TALL], -p[TREAD_CLIMB] * lag, p[TREAD_CLIMB] * lag)
            s[TALL] += (min(high - SINK * late, most) - s[TALL]) * dt / lag
            down = min(s[TALL], most)
        elif treads:
            down = limbs[2 + side, 2] - over
        else:
            height = p[STEP_LIFT] * math.sin(math.pi * risen) - PRESS * p[STEP_TIME] * max(s[PHASE] - 1.0, 0.0)
            down = limbs[2 + side, 2] - limbs[stance, 2] - slope * s[SWING_X] - height
        turned = share * p[STEP_YAW] * body[TRUNK_YAW] - (1.0 - share) * (
            body[TRUNK_YAW] - 0.5 * p[STEP_TIME] * turning
        )
        if treads:
            if not carries:  # a thigh that is flexed far would turn the foot aside instead
                turned *= max(math.cos(q[w, order[first, 0]]), 0.0)
            flexion, bend, abduction = leg_in_pelvis(
                ahead, aside, max(down, 0.3), body[TRUNK_PITCH], body[TRUNK_ROLL], turned
            )
            rest[w, first], rest[w, first + 1] = -flexion, abduction
            flexion -= body[TRUNK_PITCH]
        else:
            flexion, bend, abduction = leg_to(ahead, aside, max(down, 0.4))
            rest[w, first], rest[w, first + 1] = -flexion - body[TRUNK_PITCH], abduction - body[TRUNK_ROLL]
        knee = bend + SHANK_AHEAD
        rest[w, first + 2] = turned
        rest[w, first + 3] = knee
        rest[w, first + 4] = (
            flexion - knee - math.atan(slope) - (0.0 if carries else TOES_UP * math.sin(math.pi * risen))
        )
        rest[w, first + 5] = -0.04
        k, d = p[HIP_STIFFNESS], p[HIP_DAMPING] * p[HIP_STIFFNESS]
        stiffness[w, first] = stiffness[w, first + 1] = k * (1.0 - share)
        damping[w, first] = damping[w, first + 1] = d * (1.0 - share) + 2.0
        stiffness[w, first + 2], damping[w, first + 2] = ROTATION * k, ROTATION * d
        stiffness[w, first + 5], damping[w, first + 5] = 250.0, 4.0
        if carries or s[PHASE] <= LIFT:
            stiffness[w, first + 3], damping[w, first + 3] = p[KNEE_STIFFNESS], p[KNEE_DAMPING] * p[KNEE_STIFFNESS]
            stiffness[w, first + 4], damping[w, first + 4] = STANDING_ANKLE, ANKLE_DAMPING
        else:
            firm = p[TREAD_FIRM] if treads else 1.0
            stiffness[w, first], damping[w, first] = firm * stiffness[w, first], firm * damping[w, first]
            k = firm * p[KNEE_SWING_STIFFNESS]
            stiffness[w, first + 3], damping[w, first + 3] = k, 0.05 * k
            k = firm * p[ANKLE_SWING_STIFFNESS]
            stiffness[w, first + 4], damping[w, first + 4] = k, 0.04 * k
        arm = 2 * JOINTS_OF_LEG + side
        stiffness[w, arm], damping[w, arm] = 30.0, 4.0
        rest[w, arm] = ARM * (limbs[side, 0] - limbs[1 - side, 0])  # against the legs
    lag = min(1.0, dt / 0.01)
    swings = free * JOINTS_OF_LEG
    for n in range(2 * JOINTS_OF_LEG + 2):
        rate = clip((rest[w, n] - s[FIRST_REST + n]) * lag / dt, -FASTEST_JOINT, FASTEST_JOINT)
        s[FIRST_REST + n] += (rest[w, n] - s[FIRST_REST + n]) * lag
        rest[w, n] = s[FIRST_REST + n]
        helped = n == swings or n == swings + 3 or (treads and n == swings + 4)
        if helped and stiffness[w, n] > 1.0:
            rest[w, n] += rate * damping[w, n] / stiffness[w, n]
    for side in range(2):
        first = side * JOINTS_OF_LEG
        if side == stance:
            lever = clip(at - limbs[side, 0], HEEL_OF_FOOT, BALL_OF_FOOT)
            flat = min(load[side] / FLAT, 1.0)
            rest[w, first + 4] += (
                flat * (q[w, order[first + 4, 0]] - rest[w, first + 4])
                + min(load[side], MOST_LOAD) * lever / STANDING_ANKLE
            )
            knee_x = limbs[2 + side, 0] + THIGH * math.sin(-s[FIRST_REST + first] - body[TRUNK_PITCH])
            line = at + (body[X] - at) * SHANK / CENTRE_HEIGHT
            carried = BODY_WEIGHT * s[SHARE + side]
            most = KNEE_LEVER_ON_TREADS if treads else KNEE_LEVER
            rest[w, first + 3] -= carried * clip(knee_x - line, -most, most) / stiffness[w, first + 3]
            held = load[side] * (SUBTALAR_ROLL * outward + SUBTALAR_PITCH * lever)
            rest[w, first + 5] = q[w, order[first + 5, 0]] + held / stiffness[w, first + 5]
        for n in range(2):
            k = first + n
            turn[n, side] = stiffness[w, k] * (rest[w, k] - q[w, order[k, 0]]) - damping[w, k] * v[w, order[k, 1]]
