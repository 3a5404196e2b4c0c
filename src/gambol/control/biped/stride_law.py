"""One tick of a person's walk or run, compiled, over a batch of worlds: from what it senses to rest angles and torques.

All quantities are those of the reference person (68 kg, 1.77 m): whoever calls scales lengths, times and forces.
Joints of a leg are in the order flexion, abduction and rotation of the hip, knee, ankle, subtalar joint; left leg,
right leg, then the shoulders. Flexion of hips is negative, that of knees positive, plantarflexion of ankles positive.
"""

import math

import numpy as np

from gambol.control.biped.adult_curves import CURVE_SAMPLES, CURVES
from gambol.control.biped.gait import GAIT_NUMBERS
from gambol.control.biped.goals_law import (
    GOAL_CROUCH,
    GOAL_GO,
    GOAL_HEADING,
    GOAL_SIT,
    GOAL_SLOPE,
    GOAL_SPEED,
    GOAL_TURNING,
    GOAL_X,
    GOAL_Y,
)
from gambol.control.biped.sitting_law import change_seat, sit
from gambol.control.biped.standing_law import (
    FALL_TIME,
    FIRST_REST,
    FOOT_X,
    FOOT_Y,
    JOINTS_OF_LEG,
    LEG_REACH,
    MODE,
    PHASE,
    RUN,
    SHARE,
    SINCE,
    SITTING,
    STANCE_SIDE,
    STANDING_STILL,
    STEPPING_SLOWLY,
    STRIDE_BEGUN,
    STRIDE_SPEED,
    TALL,
    TOUCH,
    TRUNK_PITCH,
    TRUNK_PITCH_RATE,
    TRUNK_READINGS,
    TRUNK_ROLL,
    TRUNK_ROLL_RATE,
    TRUNK_YAW,
    TRUNK_YAW_RATE,
    VX,
    VY,
    X,
    Y,
    change_mode,
    stand,
)
from gambol.control.biped.standing_law import clip as _clip
from gambol.control.biped.stepping_law import step
from gambol.jit import entry, function

SPRINGS = 2 * JOINTS_OF_LEG + 2
STATE = FIRST_REST + SPRINGS
MASS, GRAVITY = 68.0, 9.81
WEIGHT = MASS * GRAVITY
LEG = 0.9  # [m] hip to sole
STANCE_END, RUN_STANCE_END, SWING_END = 0.55, 0.60, 0.995  # phases at which a leg waits for the other's strike
TO_STANCE, BLEND = 0.93, 0.015  # phase at which gains change as a leg lands, and over how much of a cycle
REACHING = 0.12  # of a cycle in which a leg that left the ground takes on where it is to be placed
OUTSIDE, FAR_INSIDE, HURRIED = 0.0, 0.20, 0.06  # [m] of the tip, by the foot that carries, from which a step is hurried
FLEXION_LIMIT, ABDUCTION_LIMIT = 200.0, 160.0  # [N·m] of hips
ACROSS = 0.13  # [rad] by which a leg may swing across the middle
ROTATION_SHARE = 0.4  # stiffness of hip rotation by that of flexion
SUBTALAR = (250.0, 4.0, -0.04)  # stiffness, damping, rest angle
SOLE_INSIDE, SOLE_OUTSIDE = -0.025, 0.03  # [m] of the ankle, to where its subtalar joint brings the pressure at most
SUBTALAR_AHEAD = 0.7  # of the subtalar axis along the foot: what of its torque turns the foot aside
SHOULDER = (30.0, 4.0, 0.05)
CROUCH_LEAN, SEAT_LEAN = 1.4, 2.0  # [rad/m] by which the trunk leans ahead for hips that are lowered, and to a seat
STEP_LEAN = 0.1  # [rad·s/m] by which the trunk leans ahead in slow steps
YAW_DAMPING = 0.1  # [s] of the trunk, on treads
SHARE_LAG, SPEED_LAG = 0.012, 0.4  # [s]

(
    CYCLE, HIP_OFFSET, HIP_SCALE, HIP_REACH, HIP_LAND, KNEE_LOAD, KNEE_SWING, KNEE_LAND, KNEE_DELAY, KNEE_LIFT,
    ANKLE_OFFSET, PUSH, ANKLE_DELAY, ANKLE_PUSH, ANKLE_SWING, ANKLE_SLAP, KNEE_MOMENT, HIP_STIFFNESS, KNEE_STIFFNESS,
    KNEE_SWING_STIFFNESS, ANKLE_STIFFNESS, ANKLE_SWING_STIFFNESS, HEEL_STIFFNESS, HIP_DAMPING, KNEE_DAMPING,
    ANKLE_DAMPING, TRUNK_STIFFNESS, TRUNK_DAMPING, LEAN, PELVIS_STIFFNESS, ABDUCTOR, SHARING, PLACE_GAIN, PLACE_SPEED,
    PLACE_OFFSET, ASIDE_GAIN, ASIDE_OFFSET, COURSE, PUSH_BY_SPEED, LEAN_BY_SPEED, LAG, ARM, BANK_FEET, BANK_TRUNK,
    YAW_STANCE, YAW_SWING, TRUNK_LEAD, FOOT_LEAD, SHIFT_AHEAD, SHIFT_INSIDE, STEP_TIME, STEP_WIDTH,
    STEP_LANDING, STEP_HURRY, STEP_YAW, STEP_LIFT, STEP_COURSE, STEP_HOLD, LEAVE, HURRY,
    PLACE_YAW, YAW_FOLLOW, TREAD_TIME, TREAD_WIDTH, TREAD_LANDING, TREAD_HIPS, TREAD_CENTRE, TREAD_HOLD, TREAD_HURRY,
    TREAD_FIRM, TREAD_LIFT, TREAD_YAW, TREAD_LEAN, TREAD_PUSH, TREAD_CLIMB,
    ANKLE_ASIDE, ANKLE_TIP, ANKLE_SWAY, ANKLE_FREE,
) = range(len(GAIT_NUMBERS))  # fmt: skip
(
    HIP, KNEE, ANKLE, PLANTARFLEXORS, EXTENSORS, BUMP_HIP_REACH, BUMP_HIP_LAND, BUMP_KNEE_LOAD, BUMP_KNEE_SWING,
    BUMP_KNEE_LAND, BUMP_KNEE_LIFT, BUMP_ANKLE_PUSH, BUMP_ANKLE_SWING, BUMP_ANKLE_SLAP,
) = range(len(CURVES))  # fmt: skip


@function
def _at(table, row, phase):
    """A curve of a table at a phase."""
    x = (phase - math.floor(phase)) * CURVE_SAMPLES
    k = min(int(x), CURVE_SAMPLES - 1)
    return table[row, k] + (x - k) * (table[row, k + 1] - table[row, k])


@function
def _hip(table, p, phase, own):
    """Flexion by a table of values (own = 1) or of slopes (0) [rad]."""
    sum = _at(table, HIP, phase) * p[HIP_SCALE] + own * p[HIP_OFFSET]
    return sum + _at(table, BUMP_HIP_REACH, phase) * p[HIP_REACH] + _at(table, BUMP_HIP_LAND, phase) * p[HIP_LAND]


@function
def _knee(table, p, phase):
    sum = _at(table, KNEE, phase) + _at(table, BUMP_KNEE_LOAD, phase) * p[KNEE_LOAD]
    sum += _at(table, BUMP_KNEE_SWING, phase) * p[KNEE_SWING] + _at(table, BUMP_KNEE_LAND, phase) * p[KNEE_LAND]
    return sum + _at(table, BUMP_KNEE_LIFT, phase) * p[KNEE_LIFT]


@function
def _ankle(table, p, phase, own):
    """Plantarflexion."""
    sum = _at(table, ANKLE, phase) + own * p[ANKLE_OFFSET] + _at(table, BUMP_ANKLE_SWING, phase) * p[ANKLE_SWING]
    return (
        -sum + _at(table, BUMP_ANKLE_PUSH, phase) * p[ANKLE_PUSH] + _at(table, BUMP_ANKLE_SLAP, phase) * p[ANKLE_SLAP]
    )


@function
def _delayed(phase, delay, leave):
    """A phase around push-off delayed, and its rate by the phase itself."""
    x = (phase - leave) / 0.12
    window = math.exp(-0.5 * x * x)
    return phase - window * delay, 1.0 + window * delay * x / 0.12


@function
def _stance_share(phase, leave):
    """1 in stance, 0 in swing."""
    leaving = 1.0 / (1.0 + math.exp((phase - leave) / BLEND))
    coming = 1.0 / (1.0 + math.exp((TO_STANCE - phase) / BLEND))
    return min(leaving + coming, 1.0)


@entry
def leg_angles(values, rates, p, phase, out):
    """Hip flexion, knee flexion, plantarflexion at a phase [rad], and their rates [rad a cycle]: fills out (2, 3)."""
    out[0, 0], out[1, 0] = _hip(values, p, phase, 1.0), _hip(rates, p, phase, 0.0)
    late, rate = _delayed(phase, p[KNEE_DELAY], p[LEAVE])
    out[0, 1], out[1, 1] = _knee(values, p, late), _knee(rates, p, late) * rate
    late, rate = _delayed(phase, p[ANKLE_DELAY], p[LEAVE])
    out[0, 2], out[1, 2] = _ankle(values, p, late, 1.0), _ankle(rates, p, late, 0.0) * rate


@function
def _in_frame(eyes, goal, body, limbs):
    """What is seen, in the frame of the line it walks on: the body (see standing_law), ankles and hips."""
    heading = goal[GOAL_HEADING]
    c, sn, x0, y0 = math.cos(heading), math.sin(heading), goal[GOAL_X], goal[GOAL_Y]
    body[X] = c * (eyes[0, 0] - x0) + sn * (eyes[0, 1] - y0)
    body[Y] = c * (eyes[0, 1] - y0) - sn * (eyes[0, 0] - x0)
    body[VX], body[VY] = c * eyes[1, 0] + sn * eyes[1, 1], c * eyes[1, 1] - sn * eyes[1, 0]
    body[TRUNK_ROLL], body[TRUNK_PITCH] = eyes[7, 0], eyes[7, 1]
    yaw = eyes[7, 2] - heading
    body[TRUNK_YAW] = yaw - 2.0 * math.pi * math.floor(yaw / (2.0 * math.pi) + 0.5)
    cy, sy = math.cos(eyes[7, 2]), math.sin(eyes[7, 2])
    body[TRUNK_ROLL_RATE], body[TRUNK_PITCH_RATE] = cy * eyes[6, 0] + sy * eyes[6, 1], cy * eyes[6, 1] - sy * eyes[6, 0]
    body[TRUNK_YAW_RATE] = eyes[6, 2]
    for k in range(4):
        limbs[k, 0] = c * (eyes[2 + k, 0] - x0) + sn * (eyes[2 + k, 1] - y0)
        limbs[k, 1] = c * (eyes[2 + k, 1] - y0) - sn * (eyes[2 + k, 0] - x0)
        limbs[k, 2] = eyes[2 + k, 2]


@function
def _hip_springs(w, side, p, s, body, limbs, goal, turned, flexion, rate, aside, rest, stiffness, damping):
    """Flexion, abduction and rotation of a hip: by the angles of the thigh in space where the leg swings.

    turned   rotation of the hip now [rad]
    """
    first, sign, share = side * JOINTS_OF_LEG, 1.0 - 2.0 * side, s[SHARE + side]
    k, d = p[HIP_STIFFNESS], p[HIP_DAMPING] * p[HIP_STIFFNESS]
    stiffness[w, first] = stiffness[w, first + 1] = k * (1.0 - share)
    damping[w, first] = damping[w, first + 1] = d * (1.0 - share) + 2.0
    rest[w, first] = -flexion - body[TRUNK_PITCH]
    if k * (1.0 - share) > 1.0:
        rest[w, first] -= p[HIP_DAMPING] * rate
    out = (aside + sign * p[ASIDE_OFFSET] - limbs[2 + side, 1]) / LEG
    out = _clip(out - p[PLACE_YAW] * math.sin(body[TRUNK_YAW]) * math.sin(flexion), -0.3, 0.3)
    rest[w, first + 1] = sign * max(sign * out, -ACROSS) - body[TRUNK_ROLL]
    stiffness[w, first + 2], damping[w, first + 2] = ROTATION_SHARE * k, ROTATION_SHARE * d
    turning = goal[GOAL_TURNING]
    holding = p[YAW_STANCE] * (body[TRUNK_YAW] - p[TRUNK_LEAD] * turning)
    pointing = p[YAW_SWING] * (body[TRUNK_YAW] - p[FOOT_LEAD] * turning)
    rest[w, first + 2] = share * (holding + p[YAW_FOLLOW] * turned) - (1.0 - share) * pointing


@function
def _knee_spring(w, side, values, rates, p, phase, pace, load, rest, stiffness, damping):
    n, grounded = side * JOINTS_OF_LEG + 3, _stance_share(phase, p[LEAVE])
    k = p[KNEE_STIFFNESS] * grounded + p[KNEE_SWING_STIFFNESS] * (1.0 - grounded)
    d = p[KNEE_DAMPING] * p[KNEE_STIFFNESS] * grounded + 0.05 * p[KNEE_SWING_STIFFNESS] * (1.0 - grounded)
    late, rate = _delayed(phase, p[KNEE_DELAY], p[LEAVE])
    moment = -MASS * p[KNEE_MOMENT] * _at(values, EXTENSORS, phase) * min(load / (0.4 * WEIGHT), 1.0)
    stiffness[w, n], damping[w, n] = k, d
    rest[w, n] = _knee(values, p, late) + (d * _knee(rates, p, late) * rate * pace + moment) / k


@function
def _ankle_springs(w, side, values, rates, p, phase, pace, load, push, rest, stiffness, damping):
    """The ankle, with the push-off of the adult's moments times `push`."""
    n, grounded = side * JOINTS_OF_LEG + 4, _stance_share(phase, p[LEAVE])
    heel = 1.0 - abs(phase + 0.5 - math.floor(phase + 0.5) - 0.5 - 0.02) / 0.10
    k = p[ANKLE_STIFFNESS] * (1.0 + (p[HEEL_STIFFNESS] - 1.0) * max(heel, 0.0)) * grounded
    k += p[ANKLE_SWING_STIFFNESS] * (1.0 - grounded)
    d = p[ANKLE_DAMPING] * p[ANKLE_STIFFNESS] * grounded + 0.04 * p[ANKLE_SWING_STIFFNESS] * (1.0 - grounded)
    late, rate = _delayed(phase, p[ANKLE_DELAY], p[LEAVE])
    moment = MASS * p[PUSH] * _at(values, PLANTARFLEXORS, late) * push * min(load / (0.3 * WEIGHT), 1.0)
    stiffness[w, n], damping[w, n] = k, d
    rest[w, n] = _ankle(values, p, late, 1.0) + (d * _ankle(rates, p, late, 0.0) * rate * pace + moment) / k
    stiffness[w, n + 1], damping[w, n + 1], rest[w, n + 1] = SUBTALAR


@function
def _last_foot(s, goal):
    """Where the foot that carries is, or was as it left the ground, in the frame of the line [m]."""
    c, sn = math.cos(goal[GOAL_HEADING]), math.sin(goal[GOAL_HEADING])
    x, y = s[FOOT_X] - goal[GOAL_X], s[FOOT_Y] - goal[GOAL_Y]
    return c * x + sn * y, c * y - sn * x


@function
def _subtalar_push(p, outside, since, load):
    """By how much the subtalar joint of the foot that carries turns out [rad of its spring]: the pressure goes there.

    outside   [m] of the extrapolated centre of mass beyond that ankle, to the outside; since: [s] its strike
    """
    off = outside + p[ANKLE_TIP] + p[ANKLE_SWAY] * since
    off -= _clip(off, -p[ANKLE_FREE], p[ANKLE_FREE])
    return load * _clip(p[ANKLE_ASIDE] * off, SOLE_INSIDE, SOLE_OUTSIDE) / (SUBTALAR_AHEAD * SUBTALAR[0])


@function
def _walk(w, dt, p, s, values, rates, goal, body, limbs, load, q, v, order, rest, stiffness, damping, turn):
    """Springs of a leg that carries and a leg that swings; how far forward the trunk is to lean.

    turn   (2, 2): torques [N·m] of flexion and abduction, left and right, that the springs are to give; written
    """
    stance, u, cycle, speed = int(s[STANCE_SIDE]), s[PHASE], p[CYCLE], goal[GOAL_SPEED]
    stance_end = RUN_STANCE_END if int(s[MODE]) == RUN else STANCE_END
    foot_x, foot_y = _last_foot(s, goal)
    ahead = body[X] - foot_x - p[PLACE_OFFSET] - (u - 0.25) * speed * cycle
    ahead = _clip(p[PLACE_SPEED] * (body[VX] - speed) + p[PLACE_GAIN] * ahead, -0.35, 0.35)
    strayed = body[Y] + FALL_TIME * body[VY] - foot_y
    outside = strayed * (1.0 - 2.0 * stance)
    falling = max(outside - OUTSIDE, -outside - FAR_INSIDE)
    pace = (1.0 + p[HURRY] * _clip(falling / HURRIED, 0.0, 1.0)) / cycle
    strayed *= math.exp(_clip(0.5 - u, 0.0, 0.3) * cycle / FALL_TIME)
    aside = foot_y + p[ASIDE_GAIN] * _clip(strayed, -0.4, 0.4) + p[COURSE] * _clip(body[Y], -0.5, 0.5)
    inward = goal[GOAL_TURNING] * speed  # acceleration into the curve [m/s²]
    aside -= p[BANK_FEET] * inward * FALL_TIME * FALL_TIME
    lacking = speed - s[STRIDE_SPEED]
    push = _clip(1.0 + p[PUSH_BY_SPEED] * _clip(lacking, -0.4, 0.4), 0.2, 2.0)

    for side in range(2):
        carries = side == stance
        phase = min(0.5 + u, SWING_END)
        if carries:
            phase = min(u, stance_end)
        placing = _clip((phase - p[LEAVE]) / REACHING, 0.0, 1.0)
        own = 0.0 if phase >= SWING_END or u > stance_end else pace
        flexion = _hip(values, p, phase, 1.0) + placing * ahead
        rate = _hip(rates, p, phase, 0.0) * own
        turned = q[w, order[side * JOINTS_OF_LEG + 2, 0]]
        _hip_springs(w, side, p, s, body, limbs, goal, turned, flexion, rate, aside, rest, stiffness, damping)
        _knee_spring(w, side, values, rates, p, phase, own, load[side], rest, stiffness, damping)
        _ankle_springs(w, side, values, rates, p, phase, own, load[side], push, rest, stiffness, damping)
        arm = 2 * JOINTS_OF_LEG + side
        other = min(u, stance_end) if not carries else min(0.5 + u, SWING_END)
        stiffness[w, arm], damping[w, arm] = SHOULDER[0], SHOULDER[1]
        rest[w, arm] = SHOULDER[2] - p[ARM] * math.cos(2.0 * math.pi * other) - 0.0524
        for k in range(2):
            n = side * JOINTS_OF_LEG + k
            turn[k, side] = stiffness[w, n] * (rest[w, n] - q[w, order[n, 0]]) - damping[w, n] * v[w, order[n, 1]]
    rest[w, stance * JOINTS_OF_LEG + 5] += _subtalar_push(p, outside, u * cycle, load[stance])
    lag = min(1.0, dt / p[LAG]) if s[STRIDE_BEGUN] > 0.0 else 1.0
    for n in range(SPRINGS):
        s[FIRST_REST + n] += (rest[w, n] - s[FIRST_REST + n]) * lag
        rest[w, n] = s[FIRST_REST + n]
    s[PHASE] += dt * pace
    return p[LEAN] + p[LEAN_BY_SPEED] * _clip(lacking, -0.3, 0.3)


@function
def _about_thigh(w, side, share, rolling, turning, body, q, order, rest, stiffness):
    """What of torques about the way ahead and the vertical [N·m] a hip's abduction takes; its rotation takes the rest.

    A thigh that is flexed far has its axis of abduction nearly upright, and its own nearly level.
    """
    n = side * JOINTS_OF_LEG + 2
    flexion = -q[w, order[n - 2, 0]] - body[TRUNK_PITCH]
    c, s = math.cos(flexion), math.sin(flexion)
    rest[w, n] += share * (q[w, order[n, 0]] - rest[w, n]) + (c * turning - s * rolling) / stiffness[w, n]
    return c * rolling + s * turning


@entry(seconds=5.0)
def stride_tick(
    dt, params, values, rates, goals, state, q, v, seen, loads, ground, since, order, rest, stiffness, damping, torque,
    struck,
):  # fmt: skip
    """One tick of every world.

    params   numbers of the gait (worlds, GAIT_NUMBERS); values, rates: curves of walking and of running; goals
             (worlds, GOALS): speed [m/s], heading [rad], a point of the line it walks on [m], turning [rad/s], what is
             wanted (TO_STAND, … TO_RUN), slope of the ground ahead, by how much hips that stand are lowered [m]
    seen     (worlds, 8, 3): centre of mass, its velocity, ankles and hips left and right, turning of the trunk, roll,
             pitch and yaw of the trunk
    ground, since   what is seen of the ground: see sight
    loads    on the feet and the seat (worlds, 3) [N]
    q, v, order   coordinates of the joints, and which of them are the springs'
    rest, stiffness, damping (worlds, SPRINGS), torque (worlds, 4) of flexion and abduction left, right: written
    struck   (worlds,): the foot that struck at this tick, or -1
    """
    turn, body, limbs = np.empty((2, 2)), np.empty(TRUNK_READINGS), np.empty((4, 3))
    for w in range(params.shape[0]):
        p, s, goal, load = params[w], state[w], goals[w], loads[w]
        _in_frame(seen[w], goal, body, limbs)
        change_seat(s, body, limbs, load, goal[GOAL_SIT])
        struck[w] = -1
        if int(s[MODE]) != SITTING:
            struck[w] = change_mode(s, p, body, limbs, load, goal[GOAL_GO], goal[GOAL_SPEED])
        total = max(load[0] + load[1], 0.15 * WEIGHT)
        for side in range(2):
            s[SHARE + side] += (load[side] / total - s[SHARE + side]) * min(1.0, dt / SHARE_LAG)
        s[STRIDE_SPEED] += (body[VX] - s[STRIDE_SPEED]) * dt / SPEED_LAG
        carrying = int(s[STANCE_SIDE])
        if load[carrying] > TOUCH or s[STRIDE_BEGUN] == 0.0:
            s[FOOT_X], s[FOOT_Y] = seen[w, 2 + carrying, 0], seen[w, 2 + carrying, 1]
        standing = int(s[MODE]) >= STANDING_STILL
        lean, inward = 0.0, 0.0
        if int(s[MODE]) == SITTING:
            lean = sit(w, dt, s, goal[GOAL_SIT], q, order, rest, stiffness, damping, turn)
        elif standing:
            slope, crouch, sits = goal[GOAL_SLOPE], goal[GOAL_CROUCH], goal[GOAL_SIT]
            lean = (SEAT_LEAN if sits > 0.0 else CROUCH_LEAN) * _clip(LEG_REACH - s[TALL], 0.0, 0.4)
            stand(w, dt, p, s, body, limbs, load, slope, crouch, sits, q, order, rest, stiffness, damping, turn)
        elif int(s[MODE]) == STEPPING_SLOWLY:
            speed, turning, slope = goal[GOAL_SPEED], goal[GOAL_TURNING], goal[GOAL_SLOPE]
            lean = STEP_LEAN * speed
            origin = math.cos(goal[GOAL_HEADING]) * goal[GOAL_X] + math.sin(goal[GOAL_HEADING]) * goal[GOAL_Y]
            if not math.isnan(since[w]):
                lean = p[TREAD_LEAN]
            step(
                w, dt, p, s, body, limbs, load, speed, turning, slope, goal[GOAL_GO], ground[w], since[w], origin,
                q, v, order, rest, stiffness, damping, turn,
            )  # fmt: skip
        else:
            inward = goal[GOAL_TURNING] * goal[GOAL_SPEED]
            which = 1 if int(s[MODE]) == RUN else 0
            lean = _walk(
                w, dt, p, s, values[which], rates[which], goal, body, limbs, load, q, v, order, rest, stiffness,
                damping, turn,
            )  # fmt: skip
        upright = p[TRUNK_STIFFNESS] * (body[TRUNK_PITCH] - lean + p[TRUNK_DAMPING] * body[TRUNK_PITCH_RATE])
        level = p[PELVIS_STIFFNESS] * (
            body[TRUNK_ROLL] + p[BANK_TRUNK] * inward / GRAVITY + 0.1 * body[TRUNK_ROLL_RATE]
        )
        alone = 1.0
        if standing:  # on two feet legs hold the pelvis; what a hip did for it would sway the body
            alone = _clip((abs(s[SHARE] - s[SHARE + 1]) - 0.5) / 0.4, 0.0, 1.0)
        for side in range(2):
            share, sign = s[SHARE + side], 1.0 - 2.0 * side
            if int(s[MODE]) == SITTING:
                share = 0.5
            flexing, abducting = share * upright, alone * share * level
            if standing:
                abducting += turn[1, side]
            else:
                flexing -= share * p[SHARING] * turn[0, 1 - side]
                abducting += share * (sign * p[ABDUCTOR] * load[side] - p[SHARING] * turn[1, 1 - side])
            if not standing and not math.isnan(since[w]):
                turned = share * p[TREAD_YAW] * (body[TRUNK_YAW] + YAW_DAMPING * body[TRUNK_YAW_RATE])
                abducting = _about_thigh(w, side, share, abducting, turned, body, q, order, rest, stiffness)
            torque[w, 2 * side] = _clip(flexing, -FLEXION_LIMIT, FLEXION_LIMIT)
            torque[w, 2 * side + 1] = _clip(abducting, -ABDUCTION_LIMIT, ABDUCTION_LIMIT)
        s[STRIDE_BEGUN] = 1.0
        s[SINCE] += dt
