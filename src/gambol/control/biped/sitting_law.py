"""Sitting as a state of a person's walk: how the trunk is held on a seat, and leaned ahead to rise from it.

Quantities are those of the reference person; the legs rest as they were when the seat took its load.
"""

from gambol.control.biped.standing_law import (
    BODY_WEIGHT,
    FALL_TIME,
    FIRST_REST,
    JOINTS_OF_LEG,
    MODE,
    SINCE,
    SITTING,
    STANDING_STILL,
    SWING_X,
    TALL,
    TRUNK_PITCH,
    VX,
    X,
    clip,
)
from gambol.jit import function

LEANING = SWING_X  # of the state, as one who sits takes no step: by how much the trunk is to lean ahead now [rad]
SAT_DOWN, LEFT_SEAT = 0.1, 0.05  # of its weight on the seat: it sits; it does not
UPRIGHT, BENT, LEAN_RATE = 0.08, 0.9, 1.0  # [rad] of a trunk that sits, and of one about to rise; [rad/s]
OVER_FEET = 0.05  # [m] ahead of the ankles, where the extrapolated centre of mass must be to rise
LEG_STIFFNESS, LEG_DAMPING = 150.0, 10.0  # of joints that rest [N·m/rad], [N·m·s/rad]
HANDS_ON_LAP = -0.45  # [rad] of the shoulders


@function
def change_seat(s, body, limbs, load, sits):
    """Sits down where the seat carries, rises where it is no longer to sit and the body is over the feet.

    load   of feet and seat [N]; sits: is it to sit (1 or 0)
    """
    mode = int(s[MODE])
    if mode == STANDING_STILL and sits > 0.0 and load[2] > SAT_DOWN * BODY_WEIGHT:
        s[MODE], s[SINCE], s[LEANING] = SITTING, 0.0, body[TRUNK_PITCH]
    elif mode == SITTING and sits == 0.0:
        over = body[X] + FALL_TIME * body[VX] - 0.5 * (limbs[0, 0] + limbs[1, 0]) > OVER_FEET
        if over or load[2] < LEFT_SEAT * BODY_WEIGHT:
            s[MODE], s[SINCE] = STANDING_STILL, 0.0
            s[TALL] = 0.5 * (limbs[2, 2] + limbs[3, 2]) - min(limbs[0, 2], limbs[1, 2])


@function
def sit(w, dt, s, sits, q, order, rest, stiffness, damping, turn):
    """Springs of legs that rest on a seat and the ground; by how much the trunk is to lean ahead [rad]."""
    wanted = BENT if sits == 0.0 else UPRIGHT
    s[LEANING] += clip(wanted - s[LEANING], -LEAN_RATE * dt, LEAN_RATE * dt)
    for n in range(2 * JOINTS_OF_LEG + 2):
        if s[SINCE] < 0.5 * dt:
            s[FIRST_REST + n] = q[w, order[n, 0]]
        stiffness[w, n], damping[w, n] = LEG_STIFFNESS, LEG_DAMPING
        rest[w, n] = s[FIRST_REST + n]
    for side in range(2):
        stiffness[w, side * JOINTS_OF_LEG] = 0.0  # flexion of the hip holds the trunk
        s[FIRST_REST + 2 * JOINTS_OF_LEG + side] += (HANDS_ON_LAP - rest[w, 2 * JOINTS_OF_LEG + side]) * dt
        turn[1, side] = 0.0
    return s[LEANING]
